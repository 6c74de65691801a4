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
//! neighbouring elements, all items of a thread at once ([`super::items`]), and a tile is several rounds of that, so that there
//! are few tiles to combine; else each thread takes a run, so that order is kept. A masked point (a fused filter) adds
//! nothing. Tiles beyond the true size do not count; an empty space has one tile, which writes the neutral element.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, and, eq, int, local, lt, max, min, mul, quot, select, sub};
use super::super::host::Host;
use super::super::host_expr::hint;
use super::block::{Combine, is_first};
use super::items;
use super::tiles::{Cut, Tile, define_point};
use terrace_base::{Scalar, ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Op, Operator};
use terrace_ir::kernel::{Expr, LocalId, ParamId, Stmt};

/// Items that a thread asks for at once.
const ROUND_ITEMS: usize = 8;
/// Rounds of items per tile.
const ROUNDS: i64 = 8;
/// Partial results that a thread of the last block asks for at once.
const AHEAD: i64 = 16;

/// Emits the launch of a reduction over one dimension.
pub fn lower(
    host: &mut Host<'_>,
    op: &Op,
    binds: &[ValueId],
    (operator, neutral, masked): (&Operator, &[terrace_ir::Atom], bool),
    span: Span,
) -> Lowered<()> {
    let commutes = operator.as_binary().is_some_and(|op| op.is_commutative());
    let round = Cut::new(host, ROUND_ITEMS);
    let rounds = if commutes && host.tiles.gpu_items >= ROUND_ITEMS { ROUNDS } else { 1 };
    let cut = Cut { items: round.items * rounds, ..round };
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
        if commutes {
            b.for_("round", int(0), int(rounds), int(1), false, |b, r| {
                let first = b.let_("first", ScalarType::I64, add(tile.first.clone(), mul(r, int(round.size()))));
                let left = max(min(sub(tile.count.clone(), first.clone()), int(round.size())), int(0));
                items::each(
                    b,
                    op,
                    round,
                    (&first, &left),
                    |b, _, q| define_point(b, op, q, int(0), int(1)),
                    |_, _| Ok(()),
                    |b, item, results| {
                        b.when(and(item.inside.clone(), item.ok.clone()), |b| take(b, &combine, &acc, results, masked))
                    },
                )
            })?;
        } else {
            b.for_("item", int(0), int(cut.items), int(1), false, |b, item| {
                let at = add(mul(Expr::Thread, int(cut.items)), item);
                let q = b.let_("q", ScalarType::I64, add(tile.first.clone(), at));
                b.when(lt(q.clone(), tile.count.clone()), |b| {
                    define_point(b, op, q, int(0), int(1))?;
                    b.body(&op.body, |b, results| take(b, &combine, &acc, results, masked))
                })
            })?;
        }
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
            let partial =
                |t: &Expr| partials.iter().map(|p| Expr::LoadFresh(*p, Box::new(t.clone()))).collect::<Vec<_>>();
            if commutes {
                b.for_("from", int(0), tile.tiles.clone(), int(cut.block * AHEAD), false, |b, from| {
                    b.for_("k", int(0), int(AHEAD), int(1), true, |b, k| {
                        let t = add(from, add(mul(k, int(cut.block)), Expr::Thread));
                        let t = b.let_("t", ScalarType::I64, t);
                        let values = partial(&t).into_iter().zip(&combine.neutral);
                        let inside = lt(t, tile.tiles.clone());
                        let values: Vec<Expr> = values.map(|(e, n)| select(inside.clone(), e, n.clone())).collect();
                        combine.join(b, &acc, &values)
                    })
                })?;
            } else {
                let per = quot(add(tile.tiles.clone(), int(cut.block - 1)), int(cut.block));
                let per = b.let_("per", ScalarType::I64, per);
                let from = b.let_("from", ScalarType::I64, mul(Expr::Thread, per.clone()));
                let to = b.let_("to", ScalarType::I64, min(add(from.clone(), per), tile.tiles.clone()));
                b.for_("t", from, to, int(1), false, |b, t| combine.join(b, &acc, &partial(&t)))?;
            }
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
