//! Reduction on a CPU, of one row or of many.
//!
//! A row that begins and ends in a tile is reduced there. Of a row that crosses the end of a tile, every tile computes the
//! partial results of those blocks (counted from the start of the row) that *start* in it, reading past its end to complete
//! the last one; in a second phase the tile with the row's head combines them, left to right. So the order of combination is
//! that of [`super::super::reduce`], whatever the tiles are:
//!
//! ```text
//! tiles of 4, blocks of 3        H a b c | d e f H | g h H i        row 1 = a…f crosses: blocks abc (tile 0), def (tile 1);
//!                                                                   phase 1, tile 0: (neutral + abc) + def
//! ```
//!
//! Where all rows have one length, those that are whole in a tile are found by a division and have a loop of their own. Many short ones are reduced side by
//! side ([`super::neighbours`]); long ones that lie across memory have tiles of their own ([`super::columns`]).
//! Points with loops of their own are fewer to a tile. A single row is always treated as one that crosses. At most one row leaves a tile and at most one enters it, so a fixed number of places per tile holds all partial results.

use super::columns;
use super::map::POINTS_PER_ROW;
use super::neighbours::Neighbours;
use super::tiles::{RowPart, WorkTile, for_rows, has_work, part_of, regular_length, row_of, work_tile};
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::company::own_operations;
use crate::lower::kernels::expr::{add, and, ceil_quot, eq, int, le, local, lt, max, min, mul, not, quot, select, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::{hadd, hceil_div, hint, hmul};
use crate::lower::kernels::points::{Point, Run, for_run, for_runs, locate};
use crate::lower::kernels::reduce::{Reduction, Row};
use crate::lower::kernels::sequential::store_all;
use crate::lower::kernels::{Lowered, limit};
use terrace_base::{ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Op, OpKind};
use terrace_ir::kernel::{Expr, ParamId, Stmt};
use terrace_plan::host::SlotId;

pub(super) fn reduce(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    if columns::reduce(host, op, binds, span)? { Ok(()) } else { by_rows(host, op, binds, span) }
}

/// A tile is a range of elements, one row after the other.
pub(super) fn by_rows(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    let OpKind::Reduce { neutral, .. } = &op.kind else { return Ok(()) };
    let (tile, block) = tile_and_block(host, op);
    let places = (tile - 1) / block + 1;
    let tiles = hceil_div(hadd(host.points(op, binds)?, host.rows(op)?), tile as usize);
    let parts: Vec<SlotId> = neutral
        .iter()
        .map(|a| {
            let ty = host.atom_type(a);
            host.scratch("parts", ty, hmul(tiles.clone(), hint(2 * places)), span)
        })
        .collect();
    let cells: Vec<SlotId> =
        if op.space.len() == 1 { binds.iter().map(|v| host.result_cell(*v)).collect() } else { Vec::new() };
    let name = host.kernel_name("reduce", binds);
    let mut b = Builder::new(host, &name, 1, span);
    let Some(reduction) = Reduction::of(op, None, true) else { return Err(limit(span, "this reduction")) };
    let cut = Cut { op, binds, reduction, parts, cells, tile, block, places };
    cut.within_tiles(&mut b)?;
    b.next_phase();
    cut.across_tiles(&mut b)?;
    let finished = b.finish();
    host.launch(finished, vec![tiles.clone(), tiles]);
    Ok(())
}

/// How many points a tile has, and how many a block. Points that do the work of rows are fewer to a tile; where the order of combination cannot be seen, blocks are as small.
fn tile_and_block(host: &Host<'_>, op: &Op) -> (i64, i64) {
    let (tile, block) = (host.tiles.cpu_tile as i64, host.tiles.cpu_reduce_block as i64);
    if !op.body.stmts.iter().any(|s| s.expr.op().is_some()) {
        return (tile, block);
    }
    let small = (tile / POINTS_PER_ROW as i64).max(1);
    if order_is_unseen(host, op) { (small, block.min(small)) } else { (tile.min(block), block) }
}

/// Whether every component combines by an exact operation of its own.
fn order_is_unseen(host: &Host<'_>, op: &Op) -> bool {
    let OpKind::Reduce { operator, neutral, .. } = &op.kind else { return false };
    let ops = own_operations(operator);
    ops.iter().zip(neutral).all(|(op, a)| op.is_some_and(|op| terrace_base::is_exact(op, host.atom_type(a))))
}

/// A body with more statements is not written out once more for short rows.
const SMALL_BODY: usize = 24;

struct Cut<'o> {
    op: &'o Op,
    binds: &'o [ValueId],
    reduction: Reduction<'o>,
    parts: Vec<SlotId>,
    cells: Vec<SlotId>,
    tile: i64,
    block: i64,
    places: i64,
}

impl Cut<'_> {
    fn store(&self, b: &mut Builder<'_>, row: Expr, values: Vec<Expr>) -> Lowered<()> {
        if self.cells.is_empty() {
            return store_all(b, self.binds, row, values);
        }
        for (slot, value) in self.cells.iter().zip(values) {
            let cell = b.cell_out(*slot);
            b.emit(Stmt::StoreCell(cell, value));
        }
        Ok(())
    }

    /// A single row is put together in the second phase, even where one tile has all of it.
    fn is_single(&self) -> bool {
        self.op.space.len() == 1
    }

    fn params(&self, b: &mut Builder<'_>) -> Vec<ParamId> {
        self.parts.iter().map(|s| b.scratch(*s)).collect()
    }

    /// The number of the first block, of a row whose first element is work unit `first`, that starts at `unit` or later.
    fn first_block(&self, unit: Expr, first: Expr) -> Expr {
        ceil_quot(max(sub(unit, first), int(0)), self.block)
    }

    fn within_tiles(&self, b: &mut Builder<'_>) -> Lowered<()> {
        if let Some(length) = regular_length(b, self.op)? {
            return self.regular_rows(b, length);
        }
        for_rows(b, self.op, self.tile, |b, part| {
            let begins = b.let_("begins", ScalarType::Bool, part.begins_here());
            let row = Row { parent: part.parent.clone(), start: part.start.clone() };
            if self.is_single() {
                return self.blocks_of_part(b, part, &row, begins);
            }
            b.if_(
                and(begins.clone(), part.ends_here()),
                |b| {
                    let total = self.reduction.row(b, &row, part.length.clone())?;
                    self.store(b, part.row.clone(), total)
                },
                |b| self.blocks_of_part(b, part, &row, begins),
            )
        })
    }

    /// Rows of one length: a division says which of them are in this tile as a whole. They are a loop of their own, with no question
    /// per row; at most one row is left before them, and one behind.
    fn regular_rows(&self, b: &mut Builder<'_>, length: Expr) -> Lowered<()> {
        let d = self.op.space.len() - 1;
        let tile = work_tile(b, self.op, self.tile)?;
        b.when(has_work(&tile), |b| {
            let unit = b.let_("unit", ScalarType::I64, add(length.clone(), int(1)));
            let first = quot(add(tile.lo.clone(), length.clone()), unit.clone());
            let first = b.let_("first_whole", ScalarType::I64, first);
            let end = b.let_("end_whole", ScalarType::I64, max(first.clone(), quot(tile.hi.clone(), unit)));
            for_runs(b, self.op, d, first.clone(), end.clone(), |b, run| self.whole_rows(b, &tile, run, &length))?;
            let head = row_of(b, self.op, &tile, tile.lo.clone())?;
            let tail = row_of(b, self.op, &tile, sub(tile.hi.clone(), int(1)))?;
            b.for_("side", int(0), int(2), int(1), false, |b, side| {
                let in_front = eq(side, int(0));
                let row = b.let_("row", ScalarType::I64, select(in_front.clone(), head.clone(), tail.clone()));
                let is_cut = select(in_front, lt(head, first), le(end, tail));
                b.when(is_cut, |b| {
                    let parent = locate(b, self.op, d, row)?;
                    let part = part_of(b, self.op, &tile, &parent)?;
                    let begins = b.let_("begins", ScalarType::Bool, part.begins_here());
                    let row = Row { parent: part.parent.clone(), start: part.start.clone() };
                    self.blocks_of_part(b, &part, &row, begins)
                })
            })
        })
    }

    /// Neighbouring rows that are in the tile as a whole: side by side where that is possible and there are enough of them.
    fn whole_rows(&self, b: &mut Builder<'_>, tile: &WorkTile, run: &Run, length: &Expr) -> Lowered<()> {
        let one_by_one = |b: &mut Builder<'_>| for_run(b, self.op, run, |b, parent| self.whole_row(b, tile, parent));
        let Some(neighbours) = Neighbours::of(b, self.op, &self.reduction, length) else { return one_by_one(b) };
        let Some(together) = neighbours.together(b, run, &|b, p, value| self.store(b, p, vec![value]))? else {
            return one_by_one(b);
        };
        let alone = b.nested(one_by_one)?;
        let worth = neighbours.is_worth_it(b, run);
        b.emit(Stmt::If(worth, together, alone));
        Ok(())
    }

    /// A row that is in the tile as a whole. Whether rows are longer than a block is the same for all of them.
    fn whole_row(&self, b: &mut Builder<'_>, tile: &WorkTile, parent: &Point) -> Lowered<()> {
        let part = part_of(b, self.op, tile, parent)?;
        let row = Row { parent: part.parent.clone(), start: part.start.clone() };
        let whole = |b: &mut Builder<'_>| {
            let total = self.reduction.row(b, &row, part.length.clone())?;
            self.store(b, part.row.clone(), total)
        };
        if self.reduction.is_exact(b) || self.op.body.stmts.len() > SMALL_BODY {
            return whole(b);
        }
        let one_block = and(lt(int(0), part.length.clone()), le(part.length.clone(), int(self.block)));
        let short = |b: &mut Builder<'_>| {
            let total = self.reduction.row_of_one_block(b, &row, part.length.clone())?;
            self.store(b, part.row.clone(), total)
        };
        b.if_(one_block, short, whole)
    }

    /// The partial results of the blocks that start in this tile, of a row that is not all in it.
    fn blocks_of_part(&self, b: &mut Builder<'_>, part: &RowPart, row: &Row, begins: Expr) -> Lowered<()> {
        let parts = self.params(b);
        let skipped = mul(self.first_block(part.lo.clone(), part.first.clone()), int(self.block));
        let from = b.let_("from", ScalarType::I64, add(part.start.clone(), skipped));
        let end = b.let_("end", ScalarType::I64, add(part.start.clone(), part.length.clone()));
        let inside = add(part.start.clone(), sub(part.hi.clone(), part.first.clone()));
        let to = b.let_("to", ScalarType::I64, min(end.clone(), inside));
        let base = mul(Expr::Tile, int(2 * self.places));
        let place = b.var("place", ScalarType::I64, add(base, select(begins, int(self.places), int(0))));
        b.for_("block", from, to, int(self.block), false, |b, from| {
            let to = b.let_("stop", ScalarType::I64, min(add(from.clone(), int(self.block)), end));
            let values = self.reduction.block(b, row, from, to)?;
            for (p, v) in parts.iter().zip(&values) {
                b.emit(Stmt::Store(*p, local(place), v.clone()));
            }
            b.set(place, add(local(place), int(1)));
            Ok(())
        })
    }

    fn across_tiles(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let parts = self.params(b);
        let d = self.op.space.len() - 1;
        let tile = work_tile(b, self.op, self.tile)?;
        b.when(has_work(&tile), |b| {
            let last = row_of(b, self.op, &tile, sub(tile.hi.clone(), int(1)))?;
            let parent = locate(b, self.op, d, last)?;
            let part = part_of(b, self.op, &tile, &parent)?;
            let begins = part.begins_here();
            let is_cut = if self.is_single() { begins } else { and(begins, not(part.ends_here())) };
            b.when(is_cut, |b| {
                let total = self.reduction.neutral_vars(b, "total")?;
                let blocks = b.let_("blocks", ScalarType::I64, ceil_quot(part.length.clone(), self.block));
                b.for_("k", int(0), blocks, int(1), false, |b, k| {
                    let unit = add(part.first.clone(), mul(k.clone(), int(self.block)));
                    let at = b.let_("at", ScalarType::I64, quot(unit, int(self.tile)));
                    let before = self.first_block(mul(at.clone(), int(self.tile)), part.first.clone());
                    let shift = select(eq(at.clone(), Expr::Tile), int(self.places), int(0));
                    let place = add(add(mul(at, int(2 * self.places)), shift), sub(k, before));
                    let place = b.let_("place", ScalarType::I64, place);
                    let values: Vec<Expr> = parts.iter().map(|p| Expr::Load(*p, Box::new(place.clone()))).collect();
                    self.reduction.fold(b, &total, None, &values)
                })?;
                let total = total.iter().map(|v| local(*v)).collect();
                self.store(b, part.row.clone(), total)
            })
        })
    }
}
