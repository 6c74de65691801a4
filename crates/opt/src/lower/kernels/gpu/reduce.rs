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
//! Which block is last depends on timing; what it computes does not. Where the operator is known to commute and the body is plain, a
//! tile is as many rounds of strips ([`super::strips`]) as it takes to have few thousand tiles: neighbouring threads read neighbouring
//! elements, 16 bytes each, and there is little to combine in the end. Else each thread takes a run, so that order is
//! kept. A masked point (a fused filter) adds nothing. Tiles beyond the true size do not count; an empty space has one tile, which writes
//! the neutral element.

use super::super::build::Builder;
use super::super::expr::{add, convert, eq, int, local, lt, max, min, mul, quot, select, sub};
use super::super::host::Host;
use super::super::host_expr::{hceil_div, hint, hmax, hmin};
use super::super::{Lowered, points};
use super::block::{Combine, is_first};
use super::items::is_plain;
use super::strips::Strips;
use super::tiles::{Cut, Tile, define_point};
use terrace_base::{Scalar, ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Op, Operator};
use terrace_ir::kernel::{Expr, LocalId, ParamId, Stmt};
use terrace_plan::host::SlotId;

/// Strips that a thread asks for at once.
const ROWS: i64 = 4;
/// The most tiles that there are: enough for any GPU, and few enough to combine at once.
const TILES: i64 = 4096;
/// The same where tiles are tiny.
const FEW_TILES: i64 = 5;
/// Elements of a run.
const RUN: usize = 8;
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
    let commutes = operator.commutes();
    let is_tiny = host.tiles.gpu_items < RUN;
    let run = Cut::new(host, RUN);
    let strips = (commutes && is_plain(&op.body)).then(|| {
        let items = if is_tiny { run.items } else { ROWS * 16 };
        let strips = Strips::new(host, op, run.block, items, &[]);
        Strips { rows: strips.rows.min(ROWS), ..strips }
    });
    let most = if is_tiny { FEW_TILES } else { TILES };
    let tiles = match strips {
        Some(strips) => {
            let rounds = hceil_div(host.points(op, binds)?, strips.size() as usize);
            hmax(hmin(rounds, hint(most)), hint(1))
        }
        None => run.tiles(host, op, binds)?,
    };
    let counter = host.scratch("arrived", ScalarType::I32, hint(1), span);
    host.zero(counter);
    let types: Vec<ScalarType> =
        binds.iter().map(|v| host.function.values[*v].ty.elem().unwrap_or(ScalarType::I64)).collect();
    let partials: Vec<SlotId> = types.iter().map(|ty| host.scratch("partial", *ty, tiles.clone(), span)).collect();
    let cells: Vec<SlotId> = binds.iter().map(|v| host.result_cell(*v)).collect();

    let name = host.kernel_name("reduce", binds);
    let mut b = Builder::new(host, &name, run.block as u32, span);
    let combine = Combine::of(&mut b, operator, neutral)?;
    let last = Last {
        combine: &combine,
        commutes,
        block: run.block,
        counter: b.scratch(counter),
        partials: partials.into_iter().map(|slot| b.scratch(slot)).collect(),
        cells: cells.into_iter().map(|slot| b.cell_out(slot)).collect(),
    };
    match strips {
        Some(strips) => in_rounds(&mut b, op, strips, most, masked, &last)?,
        None => Tile::enter(&mut b, op, run, Expr::Tile, |b, tile| {
            let acc = combine.vars(b, "acc", &combine.neutral);
            b.for_("item", int(0), int(run.items), int(1), false, |b, item| {
                let at = match commutes {
                    true => add(mul(item, int(run.block)), Expr::Thread),
                    false => add(mul(Expr::Thread, int(run.items)), item),
                };
                let q = b.let_("q", ScalarType::I64, add(tile.first.clone(), at));
                b.when(lt(q.clone(), tile.count.clone()), |b| {
                    define_point(b, op, q, int(0), int(1))?;
                    b.body(&op.body, |b, results| take(b, &combine, &acc, results, masked))
                })
            })?;
            last.arrive(b, &acc, &tile.number, &tile.tiles)
        })?,
    }
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}

/// Tiles of as many rounds of strips as make at most so many tiles.
fn in_rounds(b: &mut Builder<'_>, op: &Op, strips: Strips, most: i64, masked: bool, last: &Last<'_>) -> Lowered<()> {
    let count = points::count(b, op, 1)?;
    let count = b.let_("n", ScalarType::I64, count);
    let ceil = |a: Expr, by: Expr| quot(add(a, sub(by.clone(), int(1))), by);
    let all = b.let_("all", ScalarType::I64, ceil(count.clone(), int(strips.size())));
    let rounds = b.let_("rounds", ScalarType::I64, max(ceil(all.clone(), int(most)), int(1)));
    let used = b.let_("used", ScalarType::I64, max(ceil(all.clone(), rounds.clone()), int(1)));
    let number = Expr::Tile;
    b.when(lt(number.clone(), used.clone()), |b| {
        b.set_index(count.clone());
        let combine = last.combine;
        let acc = combine.vars(b, "acc", &combine.neutral);
        let own = strips.own(b);
        let from = b.let_("from", ScalarType::I64, mul(number.clone(), rounds.clone()));
        let to = min(add(from.clone(), rounds.clone()), all.clone());
        b.for_("round", from, to, int(1), false, |b, round| {
            let first = b.let_("first", ScalarType::I64, mul(round, int(strips.size())));
            let left = min(sub(count.clone(), first.clone()), int(strips.size()));
            let left = b.let_("here", ScalarType::I64, left);
            strips.compute(
                b,
                op,
                &own,
                (&first, &left),
                |b, q| define_point(b, op, q, int(0), int(1)),
                |b, element, results| b.when(element.ok.clone(), |b| take(b, combine, &acc, results, masked)),
                |_, _| Ok(()),
            )
        })?;
        last.arrive(b, &acc, &number, &used)
    })
}

/// What the last tile to arrive needs.
struct Last<'a> {
    combine: &'a Combine<'a>,
    commutes: bool,
    block: i64,
    counter: ParamId,
    partials: Vec<ParamId>,
    cells: Vec<ParamId>,
}

impl Last<'_> {
    /// Leaves the value of a tile; if all others have left theirs, combines them.
    fn arrive(&self, b: &mut Builder<'_>, acc: &[LocalId], number: &Expr, tiles: &Expr) -> Lowered<()> {
        let combine = self.combine;
        combine.fold(b, acc, self.block)?;
        let is_last = b.array("is_last", ScalarType::Bool, 1, true);
        b.when(is_first(), |b| {
            for (param, v) in self.partials.iter().zip(acc) {
                b.emit(Stmt::Store(*param, number.clone(), local(*v)));
            }
            let before = b.local("before", ScalarType::I32);
            let one = Expr::Const(Scalar::I32(1));
            b.emit(Stmt::AtomicAdd { into: before, buffer: self.counter, at: int(0), value: one });
            let before = convert(ScalarType::I64, local(before));
            b.emit(Stmt::SetElement(is_last, int(0), eq(before, sub(tiles.clone(), int(1)))));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        b.when(Expr::Element(is_last, Box::new(int(0))), |b| {
            let acc = combine.vars(b, "sum", &combine.neutral);
            let partial =
                |t: &Expr| self.partials.iter().map(|p| Expr::LoadFresh(*p, Box::new(t.clone()))).collect::<Vec<_>>();
            if self.commutes {
                b.for_("from", int(0), tiles.clone(), int(self.block * AHEAD), false, |b, from| {
                    b.for_("k", int(0), int(AHEAD), int(1), true, |b, k| {
                        let t = add(from, add(mul(k, int(self.block)), Expr::Thread));
                        let t = b.let_("t", ScalarType::I64, t);
                        let values = partial(&t).into_iter().zip(&combine.neutral);
                        let inside = lt(t, tiles.clone());
                        let values: Vec<Expr> = values.map(|(e, n)| select(inside.clone(), e, n.clone())).collect();
                        combine.join(b, &acc, &values)
                    })
                })?;
            } else {
                let per = quot(add(tiles.clone(), int(self.block - 1)), int(self.block));
                let per = b.let_("per", ScalarType::I64, per);
                let from = b.let_("from", ScalarType::I64, mul(Expr::Thread, per.clone()));
                let to = b.let_("to", ScalarType::I64, min(add(from.clone(), per), tiles.clone()));
                b.for_("t", from, to, int(1), false, |b, t| combine.join(b, &acc, &partial(&t)))?;
            }
            combine.fold(b, &acc, self.block)?;
            b.when(is_first(), |b| {
                for (cell, v) in self.cells.iter().zip(&acc) {
                    b.emit(Stmt::StoreCell(*cell, local(*v)));
                }
                Ok(())
            })
        })
    }
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
