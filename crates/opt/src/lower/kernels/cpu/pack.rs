//! Pack on a CPU: count, scan the counts, and write.
//!
//! ```text
//! keep    1 0 1 | 0 0 1 | 1        counts 2 1 1      first places 0 2 3
//! kept    x0 x2   x5      x6
//! ```
//!
//! The predicate is computed twice rather than stored. Which elements stay is a coin that no processor foresees, so nothing branches on it.
//! Points of one dimension, and of long rows, are packed a group at a time ([`Groups`]), up to the places where those of the next tile begin.
//!
//! Other rows are often shorter than a vector. Their elements are written without asking, one over the other, and only the place moves on for those
//! that stay; a tile stops writing when its places are full, so it never touches those of the next:
//!
//! ```text
//! for q in lo .. hi { if place < end { kept[place] = x; place = place + keep } }
//! ```
//!
//! With several rows, the tile that has a row's head also writes where
//! the row starts among the kept elements, for empty rows too; the total stands behind the last row.

use super::tiles::{element_tile, for_rows};
use crate::lower::kernels::Lowered;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, ceil_quot, convert, int, local, lt};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::{hadd, hceil_div, hint};
use crate::lower::kernels::pack_row::Groups;
use crate::lower::kernels::points::{Point, Run, count, for_run};
use crate::lower::kernels::sequential::store_all;
use terrace_base::{ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::Op;
use terrace_ir::kernel::{Expr, LocalId, Stmt};
use terrace_plan::host::SlotId;

pub(super) fn pack(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    let ragged = op.space.len() > 1;
    let mut work = host.points(op, binds)?;
    if ragged {
        work = hadd(work, host.rows(op)?);
    }
    let tiles = hceil_div(work, host.tiles.cpu_tile);
    let counts = host.scratch("counts", ScalarType::I64, hadd(tiles.clone(), hint(1)), span);
    let cell = (!ragged).then(|| host.result_cell(binds[0]));
    let name = host.kernel_name("pack", &binds[1..]);
    let mut b = Builder::new(host, &name, 1, span);
    let cut = Cut { op, binds, counts, cell };
    cut.count(&mut b)?;
    b.next_phase();
    cut.carry(&mut b)?;
    b.next_phase();
    cut.write(&mut b)?;
    let finished = b.finish();
    host.launch(finished, vec![tiles.clone(), hint(1), tiles]);
    Ok(())
}

struct Cut<'o> {
    op: &'o Op,
    binds: &'o [ValueId],
    counts: SlotId,
    cell: Option<SlotId>,
}

impl Cut<'_> {
    fn visit<'h>(
        &self,
        b: &mut Builder<'h>,
        point: &Point,
        each: impl FnOnce(&mut Builder<'h>, Vec<Expr>) -> Lowered<()>,
    ) -> Lowered<()> {
        b.set_index(point.positions[self.op.space.len() - 1].clone());
        b.body(&self.op.body, each)
    }

    fn count(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let op = self.op;
        let kept = b.var("kept", ScalarType::I64, int(0));
        let count = |b: &mut Builder<'_>, run: &Run| {
            for_run(b, op, run, |b, point| {
                self.visit(b, point, |b, mut values| {
                    let one = convert(ScalarType::I64, values.remove(0));
                    b.set(kept, add(local(kept), one));
                    Ok(())
                })
            })
        };
        if op.space.len() == 1 {
            let (from, to) = element_tile(b, op)?;
            count(b, &Run { above: Point::default(), start: int(0), from, to })?;
        } else {
            let size = b.host.tiles.cpu_tile as i64;
            for_rows(b, op, size, |b, part| {
                let (from, to) = part.positions(b);
                count(b, &Run { above: part.parent.clone(), start: part.start.clone(), from, to })
            })?;
        }
        let counts = b.scratch(self.counts);
        b.emit(Stmt::Store(counts, Expr::Tile, local(kept)));
        Ok(())
    }

    fn carry(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let d = self.op.space.len() - 1;
        let n = count(b, self.op, d + 1)?;
        let rows = count(b, self.op, d)?;
        let work = if d == 0 { n } else { add(n, rows.clone()) };
        let tiles = ceil_quot(work, b.host.tiles.cpu_tile as i64);
        let total = b.var("total", ScalarType::I64, int(0));
        let counts = b.scratch(self.counts);
        let tiles = b.let_("tiles", ScalarType::I64, tiles);
        b.for_("t", int(0), tiles.clone(), int(1), false, |b, t| {
            let own = b.let_("own", ScalarType::I64, Expr::Load(counts, Box::new(t.clone())));
            b.emit(Stmt::Store(counts, t, local(total)));
            b.set(total, add(local(total), own));
            Ok(())
        })?;
        b.emit(Stmt::Store(counts, tiles, local(total)));
        match self.cell {
            Some(slot) => {
                let cell = b.cell_out(slot);
                b.emit(Stmt::StoreCell(cell, local(total)));
                Ok(())
            }
            None => b.store(self.binds[0], rows, local(total)),
        }
    }

    fn write(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let op = self.op;
        let counts = b.scratch(self.counts);
        let place = b.var("place", ScalarType::I64, Expr::Load(counts, Box::new(Expr::Tile)));
        let end = Expr::Load(counts, Box::new(add(Expr::Tile, int(1))));
        let end = b.let_("end", ScalarType::I64, end);
        let groups = Groups::of(b, op, &self.binds[1..]);
        let one_by_one = |b: &mut Builder<'_>, run: &Run| {
            for_run(b, op, run, |b, point| {
                self.visit(b, point, |b, values| b.when(lt(local(place), end.clone()), |b| self.put(b, place, values)))
            })
        };
        if op.space.len() == 1 {
            let (from, to) = element_tile(b, op)?;
            let run = Run { above: Point::default(), start: int(0), from, to };
            return match &groups {
                Some(groups) => groups.pack(b, &run, place, &end),
                None => one_by_one(b, &run),
            };
        }
        let size = b.host.tiles.cpu_tile as i64;
        for_rows(b, op, size, |b, part| {
            b.when(part.begins_here(), |b| b.store(self.binds[0], part.row.clone(), local(place)))?;
            let (from, to) = part.positions(b);
            let run = Run { above: part.parent.clone(), start: part.start.clone(), from, to };
            let Some(groups) = &groups else { return one_by_one(b, &run) };
            b.if_(Groups::are_worth(&run), |b| groups.pack(b, &run, place, &end), |b| one_by_one(b, &run))
        })
    }

    /// Writes an element to a place, which moves on if it stays.
    fn put(&self, b: &mut Builder<'_>, place: LocalId, mut values: Vec<Expr>) -> Lowered<()> {
        let keep = values.remove(0);
        store_all(b, &self.binds[1..], local(place), values)?;
        b.set(place, add(local(place), convert(ScalarType::I64, keep)));
        Ok(())
    }
}
