//! Maps that are like a matrix product ([`Product`]): a block of threads has a square of points, each thread some rows by some columns of it.
//!
//! ```text
//! map grid [n][m] (i, j) { sum over k of a[i, k] * b[k, j] }
//!
//! for k by 16 {   the threads of the block read a[rows of the square, k ..] and b[k .., columns of the square] into shared memory
//!                 each thread: for every k, 8 elements of a row side and 8 of a column side into registers, 64 products }
//! ```
//!
//! An element of `a` is read from memory once for all columns of the square, and from shared memory once for eight points. The points of a thread are
//! as far apart as there are threads along the side, so that neighbouring threads read neighbouring words: no bank has two readers. Rows in
//! shared memory are one word longer than the side, so that writing along `k` meets no bank twice either. Whether neighbouring
//! threads read neighbours along `k` or along the side is seen from the index: whichever it moves by one with.
//!
//! Each sum is added up from left to right. Declined: tuples, block-level operators, staged reads that need more than 40 KiB.
//!
//! Volkov and Demmel, "Benchmarking GPUs to tune dense linear algebra", has the registers; the rest is well known.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, and, ceil_quot, int, local, lt, max, min, mul, quot, sub};
use super::super::host::Host;
use super::super::points::Point;
use super::super::products::Product;
use super::super::sequential::store_point;
use super::block::Combine;
use std::collections::BTreeSet;
use terrace_algebra::Size;
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::flat::{Body, Expr as FlatExpr, Level, OpKind, Stmt as FlatStmt};
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Stmt};
use terrace_ir::{Atom, ValueId, size_var};

/// Bytes of shared memory that staged reads may take.
const ROOM: usize = 40 << 10;

/// How a square is divided.
struct Shape {
    /// Threads down and across.
    threads: [i64; 2],
    /// Rows, and columns, of a thread.
    each: i64,
    /// Elements of the reduction that are staged at a time.
    step: i64,
}

impl Shape {
    fn of(host: &Host<'_>, elem: ScalarType) -> Shape {
        let block = host.tiles.gpu_block as i64;
        let mut across = 1;
        while across * across < block {
            across *= 2;
        }
        let registers = if elem.size_bytes() > 4 { 4 } else { 8 };
        let each = registers.min(host.tiles.gpu_items as i64).max(2);
        Shape { threads: [block / across, across], each, step: (host.tiles.gpu_items as i64).max(3) }
    }

    fn side(&self, d: usize) -> i64 {
        self.threads[d] * self.each
    }
}

/// A read that a block does once for all its threads.
struct Staged {
    /// What it gives.
    value: ValueId,
    /// What it needs, and itself.
    body: Body,
    /// 0 where it depends on the row of a point, 1 where on the column.
    side: usize,
    /// Whether neighbouring elements of the reduction are neighbours in memory.
    along: bool,
    array: ArrayId,
}

/// Launches it; false where its sizes are not known to the host, or it does not fit.
pub(super) fn lower(product: &Product<'_>, host: &mut Host<'_>, binds: &[ValueId], span: Span) -> Lowered<bool> {
    let OpKind::Reduce { operator, neutral, .. } = &product.inner.kind else { return Ok(false) };
    let Some(elem) = host.function.values[product.total].ty.elem() else { return Ok(false) };
    let shape = Shape::of(host, elem);
    let reads = reads(product);
    let words = |(v, side): &(ValueId, usize)| {
        let elem = host.function.values[*v].ty.elem().map_or(8, |ty| ty.size_bytes());
        (shape.side(*side) + 1) as usize * shape.step as usize * elem
    };
    if product.inner.level != Level::Thread || reads.iter().map(words).sum::<usize>() > ROOM {
        return Ok(false);
    }
    let sides = [shape.side(0) as usize, shape.side(1) as usize];
    let Some(tiles) = product.squares(host, sides, span)? else { return Ok(false) };
    let name = host.kernel_name("map", binds);
    let mut b = Builder::new(host, &name, host.tiles.gpu_block as u32, span);
    let staged: Vec<Staged> = reads.iter().map(|(v, side)| stage(&mut b, product, &shape, *v, *side)).collect();
    let combine = Combine::of(&mut b, operator, neutral)?;
    square(&mut b, product, binds, &shape, &staged, &combine)?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(true)
}

fn square(
    b: &mut Builder<'_>,
    product: &Product<'_>,
    binds: &[ValueId],
    shape: &Shape,
    staged: &[Staged],
    combine: &Combine<'_>,
) -> Lowered<()> {
    let counts = [b.atom(&product.sides[0])?, b.atom(&product.sides[1])?];
    let length = b.atom(&product.length)?;
    let across = max(ceil_quot(counts[1].clone(), shape.side(1)), int(1));
    let across = b.let_("across", ScalarType::I64, across);
    let down = b.let_("down", ScalarType::I64, quot(Expr::Tile, across.clone()));
    let right = sub(Expr::Tile, mul(down.clone(), across));
    let first_row = b.let_("row", ScalarType::I64, mul(down, int(shape.side(0))));
    let first_column = b.let_("column", ScalarType::I64, mul(right, int(shape.side(1))));
    let first = [first_row, first_column];
    let thread_down = b.let_("thread_down", ScalarType::I64, quot(Expr::Thread, int(shape.threads[1])));
    let thread_across = sub(Expr::Thread, mul(thread_down.clone(), int(shape.threads[1])));
    let thread = [thread_down, b.let_("thread_across", ScalarType::I64, thread_across)];
    let inside = and(lt(first[0].clone(), counts[0].clone()), lt(first[1].clone(), counts[1].clone()));
    b.when(inside, |b| {
        let each = shape.each as usize;
        let sums: Vec<Vec<LocalId>> = (0..each * each).map(|_| combine.vars(b, "sum", &combine.neutral)).collect();
        b.for_("from", int(0), length.clone(), int(shape.step), false, |b, from| {
            b.emit(Stmt::Barrier);
            let last = [sub(counts[0].clone(), int(1)), sub(counts[1].clone(), int(1))];
            for read in staged {
                fill(b, product, shape, read, (&first[read.side], &last[read.side]), (&from, &length))?;
            }
            b.emit(Stmt::Barrier);
            let count = min(sub(length.clone(), from), int(shape.step));
            b.for_("k", int(0), count, int(1), false, |b, k| {
                products(b, product, shape, staged, combine, (&thread, k), &sums)
            })
        })?;
        for u in 0..each {
            for v in 0..each {
                let at = |d: usize, k: usize| {
                    add(first[d].clone(), add(thread[d].clone(), int(k as i64 * shape.threads[d])))
                };
                let (i, j) = (b.let_("i", ScalarType::I64, at(0, u)), b.let_("j", ScalarType::I64, at(1, v)));
                let exists = and(lt(i.clone(), counts[0].clone()), lt(j.clone(), counts[1].clone()));
                b.when(exists, |b| {
                    let q = b.let_("q", ScalarType::I64, add(mul(i.clone(), counts[1].clone()), j.clone()));
                    Point { indices: vec![i.clone(), j], positions: vec![i, q.clone()] }.define(b, product.op);
                    b.set_index(q.clone());
                    b.body(&product.before, |_, _| Ok(()))?;
                    b.define(product.total, local(sums[u * each + v][0]));
                    b.body(&product.after, |b, results| store_point(b, product.op, binds, q, results))
                })?;
            }
        }
        Ok(())
    })
}

/// The threads of the block bring a read of all rows, or columns, of the square to shared memory, `step` elements of each.
fn fill(
    b: &mut Builder<'_>,
    product: &Product<'_>,
    shape: &Shape,
    read: &Staged,
    (first, last): (&Expr, &Expr),
    (from, length): (&Expr, &Expr),
) -> Lowered<()> {
    let side = shape.side(read.side);
    let threads = shape.threads[0] * shape.threads[1];
    b.for_("t", Expr::Thread, int(side * shape.step), int(threads), false, |b, t| {
        let run = if read.along { shape.step } else { side };
        let outer = b.let_("outer", ScalarType::I64, quot(t.clone(), int(run)));
        let inner = b.let_("inner", ScalarType::I64, sub(t, mul(outer.clone(), int(run))));
        let (p, k) = if read.along { (outer, inner) } else { (inner, outer) };
        let at = b.let_("at", ScalarType::I64, add(from.clone(), k.clone()));
        b.when(lt(at.clone(), length.clone()), |b| {
            // Beyond the last row, that one once more: nobody takes what comes of it.
            let point = b.let_("point", ScalarType::I64, min(add(first.clone(), p.clone()), last.clone()));
            b.define(product.op.indices[read.side], point.clone());
            if read.side == 0 {
                b.define(product.op.positions[0], point);
            }
            Point { indices: vec![at.clone()], positions: vec![at] }.define(b, product.inner);
            b.body(&read.body, |b, values| {
                b.emit(Stmt::SetElement(read.array, add(mul(k, int(side + 1)), p), values[0].clone()));
                Ok(())
            })
        })
    })
}

/// All points of a thread take one more element.
fn products(
    b: &mut Builder<'_>,
    product: &Product<'_>,
    shape: &Shape,
    staged: &[Staged],
    combine: &Combine<'_>,
    (thread, k): (&[Expr; 2], Expr),
    sums: &[Vec<LocalId>],
) -> Lowered<()> {
    let each = shape.each as usize;
    let mut held: Vec<Vec<Expr>> = Vec::new();
    for read in staged {
        let start = b.let_(
            "start",
            ScalarType::I64,
            add(mul(k.clone(), int(shape.side(read.side) + 1)), thread[read.side].clone()),
        );
        let ty = b.elem(read.value);
        let get = |u: usize| {
            let at = add(start.clone(), int(u as i64 * shape.threads[read.side]));
            Expr::Element(read.array, Box::new(at))
        };
        held.push((0..each).map(|u| b.let_("x", ty, get(u))).collect());
    }
    let rest = rest(product, staged);
    for u in 0..each {
        for v in 0..each {
            for (read, values) in staged.iter().zip(&held) {
                b.define(read.value, values[if read.side == 0 { u } else { v }].clone());
            }
            b.body(&rest, |b, values| combine.push(b, &sums[u * each + v], &values))?;
        }
    }
    Ok(())
}

fn statements<'p>(product: &'p Product<'_>) -> impl DoubleEndedIterator<Item = &'p FlatStmt> {
    product.before.stmts.iter().chain(&product.inner.body.stmts)
}

/// The reads of the reduction, each with the side that it depends on.
fn reads(product: &Product<'_>) -> Vec<(ValueId, usize)> {
    let mut by_column: BTreeSet<ValueId> = BTreeSet::from([product.op.indices[1]]);
    for stmt in statements(product) {
        if stmt.expr.operands().iter().any(|v| by_column.contains(v)) {
            by_column.extend(&stmt.binds);
        }
    }
    let read = |s: &FlatStmt| match (&s.expr, s.binds.as_slice()) {
        (FlatExpr::Read { .. }, [v]) => Some((*v, usize::from(by_column.contains(v)))),
        _ => None,
    };
    product.inner.body.stmts.iter().filter_map(read).collect()
}

fn stage(b: &mut Builder<'_>, product: &Product<'_>, shape: &Shape, value: ValueId, side: usize) -> Staged {
    let body = needed(product, BTreeSet::from([value]), &BTreeSet::new(), vec![value.into()]);
    let at = body.stmts.iter().find_map(|s| match &s.expr {
        FlatExpr::Read { at, .. } if s.binds == [value] => Some(*at),
        _ => None,
    });
    let k = [product.inner.indices[0], product.inner.positions[0]];
    let along = at.is_some_and(|at| k.iter().map(|k| moves_by(&body.stmts, &at, *k)).sum::<Option<i64>>() == Some(1));
    let count = (shape.side(side) + 1) * shape.step;
    let ty = b.elem(value);
    let array = b.array("staged", ty, count as usize, true);
    Staged { value, body, side, along, array }
}

/// What a point still computes from its staged reads.
fn rest(product: &Product<'_>, staged: &[Staged]) -> Body {
    let results = product.inner.body.results.clone();
    let wanted = results.iter().filter_map(|a| a.var()).collect();
    needed(product, wanted, &staged.iter().map(|s| s.value).collect(), results)
}

/// The statements that `wanted` needs, but not what is at hand.
fn needed(
    product: &Product<'_>,
    mut wanted: BTreeSet<ValueId>,
    at_hand: &BTreeSet<ValueId>,
    results: Vec<Atom>,
) -> Body {
    let mut stmts = Vec::new();
    for stmt in statements(product).rev() {
        if stmt.binds.iter().any(|v| wanted.contains(v) && !at_hand.contains(v)) {
            wanted.extend(stmt.expr.operands());
            stmts.push(stmt.clone());
        }
    }
    stmts.reverse();
    Body { stmts, results }
}

/// By how much an integer grows with a variable, where that is a constant that can be seen.
fn moves_by(stmts: &[FlatStmt], at: &Atom, var: ValueId) -> Option<i64> {
    let Atom::Var(v) = at else { return Some(0) };
    if *v == var {
        return Some(1);
    }
    let Some(stmt) = stmts.iter().find(|s| s.binds.contains(v)) else { return Some(0) };
    let by = |a: &Atom| moves_by(stmts, a, var);
    match &stmt.expr {
        FlatExpr::Binary(BinOp::Add, a, b) => Some(by(a)? + by(b)?),
        FlatExpr::Binary(BinOp::Sub, a, b) => Some(by(a)? - by(b)?),
        FlatExpr::Size(size) => {
            let alone = Size::var(size_var(var));
            let next = size.substitute(size_var(var), &(alone + Size::one()));
            let inner = size.vars().into_iter().any(|x| {
                let named = stmts.iter().flat_map(|s| &s.binds).find(|b| size_var(**b) == x);
                named.is_some_and(|b| moves_by(stmts, &Atom::Var(*b), var) != Some(0))
            });
            (next - size.clone()).as_constant().filter(|_| !inner)
        }
        expr => expr.operands().iter().all(|o| by(&Atom::Var(*o)) == Some(0)).then_some(0),
    }
}
