//! Reduction of one dimension to a scalar, in one kernel.
//!
//! Every tile combines its elements: each thread its own, then the block by [`super::block`]. The tile's value goes to
//! scratch memory, and a counter says how many have arrived. Whoever arrives last combines the values of all tiles and
//! writes the result cell:
//!
//! ```text
//! tile 0: s0 ─┐
//! tile 2: s2 ─┼─ count 3 of 3: this block is the last    s0 + s1 + s2 in order of tiles, whoever was last
//! tile 1: s1 ─┘
//! ```
//!
//! Which block is last depends on timing; what it computes does not. Where the operator is known to commute, neighbouring threads read
//! neighbouring elements; else each thread takes a run, so that order is kept. A masked point (a fused filter) adds
//! nothing. Tiles beyond the true size do not count; an empty space has one tile, which writes the neutral element.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, eq, int, local, lt, min, mul, quot, sub};
use super::super::host::Host;
use super::super::host_expr::hint;
use super::block::{Combine, is_first};
use super::tiles::{Cut, Tile, define_point};
use terrace_base::{Scalar, ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Op, Operator};
use terrace_ir::kernel::{Expr, LocalId, ParamId, Stmt};

/// Emits the launch of a reduction over one dimension.
pub fn lower(
    host: &mut Host<'_>,
    op: &Op,
    binds: &[ValueId],
    (operator, neutral, masked): (&Operator, &[terrace_ir::Atom], bool),
    span: Span,
) -> Lowered<()> {
    let cut = Cut::new(host, 1);
    let tiles = cut.tiles(host, op, binds)?;
    let counter = host.scratch("arrived", ScalarType::I32, hint(1), span);
    host.zero(counter);
    let types: Vec<ScalarType> =
        binds.iter().map(|v| host.function.values[*v].ty.elem().unwrap_or(ScalarType::I64)).collect();
    let partials: Vec<_> = types.iter().map(|ty| host.scratch("partial", *ty, tiles.clone(), span)).collect();
    let cells: Vec<_> = binds.iter().map(|v| host.result_cell(*v)).collect();

    let name = host.kernel_name("reduce", binds);
    let mut b = Builder::new(host, &name, cut.block as u32, span);
    let combine = Combine::of(&mut b, operator, neutral)?;
    let counter = b.scratch(counter);
    let partials: Vec<ParamId> = partials.into_iter().map(|slot| b.scratch(slot)).collect();
    let cells: Vec<ParamId> = cells.into_iter().map(|slot| b.cell_out(slot)).collect();
    Tile::enter(&mut b, op, cut, Expr::Tile, |b, tile| {
        let acc = combine.vars(b, "acc", &combine.neutral);
        b.for_("item", int(0), int(cut.items), int(1), false, |b, item| {
            let at = if combine.commutes() {
                add(mul(item, int(cut.block)), Expr::Thread)
            } else {
                add(mul(Expr::Thread, int(cut.items)), item)
            };
            let q = b.let_("q", ScalarType::I64, add(tile.first.clone(), at));
            b.when(lt(q.clone(), tile.count.clone()), |b| {
                define_point(b, op, q, int(0), int(1))?;
                b.body(&op.body, |b, results| take(b, &combine, &acc, results, masked))
            })
        })?;
        combine.fold(b, &acc, cut.block)?;
        let is_last = b.array("is_last", ScalarType::Bool, 1, true);
        b.when(is_first(), |b| {
            for (param, v) in partials.iter().zip(&acc) {
                b.emit(Stmt::Store(*param, tile.number.clone(), local(*v)));
            }
            let before = b.local("before", ScalarType::I32);
            let one = Expr::Const(Scalar::I32(1));
            b.emit(Stmt::AtomicAdd { into: before, buffer: counter, at: int(0), value: one });
            let before = super::super::expr::convert(ScalarType::I64, local(before));
            b.emit(Stmt::SetElement(is_last, int(0), eq(before, sub(tile.tiles.clone(), int(1)))));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        b.when(Expr::Element(is_last, Box::new(int(0))), |b| {
            let acc = combine.vars(b, "sum", &combine.neutral);
            let per = quot(add(tile.tiles.clone(), int(cut.block - 1)), int(cut.block));
            let per = b.let_("per", ScalarType::I64, per);
            let from = b.let_("from", ScalarType::I64, mul(Expr::Thread, per.clone()));
            let to = b.let_("to", ScalarType::I64, min(add(from.clone(), per), tile.tiles.clone()));
            b.for_("t", from, to, int(1), false, |b, t| {
                let values: Vec<Expr> = partials.iter().map(|p| Expr::LoadFresh(*p, Box::new(t.clone()))).collect();
                combine.push(b, &acc, &values)
            })?;
            combine.fold(b, &acc, cut.block)?;
            b.when(is_first(), |b| {
                for (cell, v) in cells.iter().zip(&acc) {
                    b.emit(Stmt::StoreCell(*cell, local(*v)));
                }
                Ok(())
            })
        })
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}

/// `acc = acc + results`, unless the point is masked out.
pub fn take(
    b: &mut Builder<'_>,
    combine: &Combine<'_>,
    acc: &[LocalId],
    mut results: Vec<Expr>,
    masked: bool,
) -> Lowered<()> {
    if !masked || results.is_empty() {
        return combine.push(b, acc, &results);
    }
    let keep = results.remove(0);
    b.when(keep, |b| combine.push(b, acc, &results))
}
