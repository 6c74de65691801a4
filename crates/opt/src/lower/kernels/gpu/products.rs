//! Maps that are like a matrix product ([`Product`]): a block of threads has a square of points, each thread some rows by some columns of it.
//!
//! ```text
//! map grid [n][m] (i, j) { sum over k of a[i, k] * b[k, j] }
//!
//! for k by 8 {   the threads of the block put a[rows of the square, k ..] and b[k .., columns of the square] into shared memory,
//!                ask for those of the next k, and while they come
//!                each thread: for every k, 8 elements of a row side and 8 of a column side into registers, 64 products }
//! ```
//!
//! An element of `a` is read from memory once for all columns of the square, and from shared memory once for eight points. Four points of a thread are
//! neighbours, which one load of 16 bytes brings, and the next four are beyond those of all other threads, so that neighbouring threads read
//! neighbouring words: no bank has two readers. Rows in shared memory are four words longer than the side, so that writing along `k` meets no
//! bank twice either. Whether neighbouring threads read neighbours along `k` or along the side is seen from the index: whichever it moves by one with.
//!
//! Each sum is added up from left to right. Declined: tuples, block-level operators, staged reads that need more than 40 KiB.
//!
//! Volkov and Demmel, "Benchmarking GPUs to tune dense linear algebra", has the registers; the rest is well known.

use super::super::Lowered;
use super::super::build::{Builder, zero};
use super::super::expr::{add, and, binary, ceil_quot, convert, int, le, local, lt, max, min, mul, quot, sub};
use super::super::host::Host;
use super::super::points::Point;
use super::super::products::Product;
use super::super::sequential::store_point;
use super::block::Combine;
use super::items::{plus, small};
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
    /// How many of them are neighbours.
    wide: i64,
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
        let (registers, wide) = if elem.size_bytes() > 4 { (4, 2) } else { (8, 4) };
        let each = registers.min(host.tiles.gpu_items as i64).max(2);
        // Groups of neighbours must be whole.
        let wide = (1..=wide).rev().find(|w| each % w == 0).unwrap_or(1);
        Shape { threads: [block / across, across], each, wide, step: (host.tiles.gpu_items as i64 / 2).max(3) }
    }

    fn side(&self, d: usize) -> i64 {
        self.threads[d] * self.each
    }

    /// Where in the square a thread's row, or column, number `k` is, from that of its first.
    fn apart(&self, d: usize, k: i64) -> i64 {
        let wide = self.wide;
        k / wide * wide * self.threads[d] + k % wide
    }

    /// Where in the square the first row, or column, of a thread is.
    fn start(&self, thread: Expr) -> Expr {
        binary(BinOp::Mul, thread, small(self.wide as i32))
    }

    /// Elements from one row of staged reads to the next.
    fn stride(&self, d: usize) -> i64 {
        self.side(d) + self.wide
    }

    /// Elements of a staged read that a thread brings.
    fn rounds(&self, d: usize) -> i64 {
        let threads = self.threads[0] * self.threads[1];
        (self.side(d) * self.step + threads - 1) / threads
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
        shape.stride(*side) as usize * shape.step as usize * elem
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
    let thread = b.let_("thread", ScalarType::I32, convert(ScalarType::I32, Expr::Thread));
    let across = small(shape.threads[1] as i32);
    let thread_down = b.let_("thread_down", ScalarType::I32, binary(BinOp::Div, thread.clone(), across.clone()));
    let thread_across = binary(BinOp::Sub, thread, binary(BinOp::Mul, thread_down.clone(), across));
    let starts = [
        b.let_("start_down", ScalarType::I32, shape.start(thread_down)),
        b.let_("start_across", ScalarType::I32, shape.start(thread_across)),
    ];
    let inside = and(lt(first[0].clone(), counts[0].clone()), lt(first[1].clone(), counts[1].clone()));
    b.when(inside, |b| {
        let each = shape.each as usize;
        let sums: Vec<Vec<LocalId>> = (0..each * each).map(|_| combine.vars(b, "sum", &combine.neutral)).collect();
        let mut brought: Vec<Vec<LocalId>> = Vec::new();
        for read in staged {
            let ty = b.elem(read.value);
            brought.push((0..shape.rounds(read.side)).map(|_| b.var("next", ty, zero(ty))).collect());
        }
        let last = [sub(counts[0].clone(), int(1)), sub(counts[1].clone(), int(1))];
        let bring = |b: &mut Builder<'_>, from: Expr| {
            for (read, brought) in staged.iter().zip(&brought) {
                fetch(b, product, shape, read, (&first[read.side], &last[read.side]), (&from, &length), brought)?;
            }
            Ok(())
        };
        b.when(lt(int(0), length.clone()), |b| bring(b, int(0)))?;
        b.for_("from", int(0), length.clone(), int(shape.step), false, |b, from| {
            b.emit(Stmt::Barrier);
            for (read, brought) in staged.iter().zip(&brought) {
                put(b, shape, read, brought)?;
            }
            b.emit(Stmt::Barrier);
            let next = b.let_("next_from", ScalarType::I64, add(from.clone(), int(shape.step)));
            b.when(lt(next.clone(), length.clone()), |b| bring(b, next.clone()))?;
            let each = |b: &mut Builder<'_>, k: Expr| products(b, product, shape, staged, combine, (&starts, k), &sums);
            b.if_(
                le(next, length.clone()),
                |b| b.for_("k", int(0), int(shape.step), int(1), true, each),
                |b| b.for_("k", int(0), sub(length.clone(), from), int(1), false, each),
            )
        })?;
        for u in 0..each {
            for v in 0..each {
                let at = |d: usize, k: usize| {
                    let own = add(convert(ScalarType::I64, starts[d].clone()), int(shape.apart(d, k as i64)));
                    add(first[d].clone(), own)
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

/// The place of an element in the square's rows, or columns, and in the step: that of a thread in a round.
fn place(b: &mut Builder<'_>, shape: &Shape, read: &Staged, round: i64) -> (Expr, Expr) {
    let run = if read.along { shape.step } else { shape.side(read.side) };
    let threads = shape.threads[0] * shape.threads[1];
    let t = convert(ScalarType::I32, add(Expr::Thread, int(round * threads)));
    let t = b.let_("t", ScalarType::I32, t);
    let outer = b.let_("outer", ScalarType::I32, binary(BinOp::Div, t.clone(), small(run as i32)));
    let inner = binary(BinOp::Sub, t, binary(BinOp::Mul, outer.clone(), small(run as i32)));
    let inner = b.let_("inner", ScalarType::I32, inner);
    if read.along { (outer, inner) } else { (inner, outer) }
}

/// The threads of the block read `step` elements of all rows, or columns, of the square into variables. Beyond the last row or
/// element, that one once more: nobody takes what comes of it.
fn fetch(
    b: &mut Builder<'_>,
    product: &Product<'_>,
    shape: &Shape,
    read: &Staged,
    (first, last): (&Expr, &Expr),
    (from, length): (&Expr, &Expr),
    into: &[LocalId],
) -> Lowered<()> {
    for (round, into) in into.iter().enumerate() {
        let (p, k) = place(b, shape, read, round as i64);
        let wide = |e: Expr| convert(ScalarType::I64, e);
        let at = min(add(from.clone(), wide(k)), sub(length.clone(), int(1)));
        let at = b.let_("at", ScalarType::I64, at);
        let point = b.let_("point", ScalarType::I64, min(add(first.clone(), wide(p)), last.clone()));
        b.define(product.op.indices[read.side], point.clone());
        if read.side == 0 {
            b.define(product.op.positions[0], point);
        }
        Point { indices: vec![at.clone()], positions: vec![at] }.define(b, product.inner);
        b.body(&read.body, |b, values| {
            b.set(*into, values[0].clone());
            Ok(())
        })?;
    }
    Ok(())
}

/// What was read goes to shared memory.
fn put(b: &mut Builder<'_>, shape: &Shape, read: &Staged, brought: &[LocalId]) -> Lowered<()> {
    let all = shape.side(read.side) * shape.step;
    let threads = shape.threads[0] * shape.threads[1];
    for (round, value) in brought.iter().enumerate() {
        let (p, k) = place(b, shape, read, round as i64);
        let at = plus(binary(BinOp::Mul, k, small(shape.stride(read.side) as i32)), p);
        let set = Stmt::SetElement(read.array, convert(ScalarType::I64, at), local(*value));
        let end = round as i64 * threads + threads;
        if end <= all {
            b.emit(set);
        } else {
            b.when(lt(add(Expr::Thread, int(end - threads)), int(all)), |b| {
                b.emit(set);
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// All points of a thread take one more element.
fn products(
    b: &mut Builder<'_>,
    product: &Product<'_>,
    shape: &Shape,
    staged: &[Staged],
    combine: &Combine<'_>,
    (starts, k): (&[Expr; 2], Expr),
    sums: &[Vec<LocalId>],
) -> Lowered<()> {
    let each = shape.each as usize;
    let mut held: Vec<Vec<Expr>> = Vec::new();
    for read in staged {
        let row = binary(BinOp::Mul, convert(ScalarType::I32, k.clone()), small(shape.stride(read.side) as i32));
        let start = b.let_("start", ScalarType::I32, plus(row, starts[read.side].clone()));
        let ty = b.elem(read.value);
        let get = |u: usize| {
            let at = plus(start.clone(), small(shape.apart(read.side, u as i64) as i32));
            Expr::Element(read.array, Box::new(convert(ScalarType::I64, at)))
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
    let count = shape.stride(side) * shape.step;
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
