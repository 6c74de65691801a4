//! Pack on a CPU: count, scan the counts, and write.
//!
//! ```text
//! keep    1 0 1 | 0 0 1 | 1        counts 2 1 1      first places 0 2 3
//! kept    x0 x2   x5      x6
//! ```
//!
//! The predicate is computed twice rather than stored. Which elements stay is a coin that no processor foresees, so nothing branches on it.
//! Points of one dimension are taken in groups: their elements and whether they stay are computed into small arrays, by vectors where the body
//! allows it, and one statement, `StoreKept`, packs a group into its places:
//!
//! ```text
//! for p in lo .. hi, by 256 {
//!   for q in p .. min(p + 256, hi) { keep[q - p] = …; own[q - p] = x }
//!   place = place + (kept[place ..] = own[0 ..+ min(256, hi - p)] where keep)
//! }
//! ```
//!
//! Rows are often shorter than a vector. Their elements are written without asking, one over the other, and only the place moves on for those
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
use crate::lower::kernels::expr::{add, ceil_quot, convert, int, local, lt, min, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::{hadd, hceil_div, hint};
use crate::lower::kernels::points::{Point, count, for_points};
use crate::lower::kernels::sequential::store_all;
use terrace_base::{ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::Op;
use terrace_ir::kernel::{Expr, LocalId, Stmt};
use terrace_plan::host::SlotId;

/// Points of a group: enough that counting vectors costs nothing, few enough that their arrays stay in the nearest cache.
const GROUP: usize = 256;

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
    fn walk<'h>(
        &self,
        b: &mut Builder<'h>,
        head: impl FnOnce(&mut Builder<'h>, Expr) -> Lowered<()>,
        each: impl FnOnce(&mut Builder<'h>, Vec<Expr>) -> Lowered<()>,
    ) -> Lowered<()> {
        let op = self.op;
        if op.space.len() == 1 {
            let (lo, hi) = element_tile(b, op)?;
            return for_points(b, op, 1, lo, hi, |b, point| self.visit(b, point, each));
        }
        for_rows(b, op, |b, part| {
            b.when(part.begins_here(), |b| head(b, part.row.clone()))?;
            let (from, to) = part.positions(b);
            b.for_("q", from, to, int(1), false, |b, q| {
                let mut point = part.parent.clone();
                point.indices.push(b.let_("j", ScalarType::I64, sub(q.clone(), part.start.clone())));
                point.positions.push(q);
                point.define(b, op);
                self.visit(b, &point, each)
            })
        })
    }

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
        let kept = b.var("kept", ScalarType::I64, int(0));
        self.walk(
            b,
            |_, _| Ok(()),
            |b, mut values| {
                let one = convert(ScalarType::I64, values.remove(0));
                b.set(kept, add(local(kept), one));
                Ok(())
            },
        )?;
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
        let counts = b.scratch(self.counts);
        let place = b.var("place", ScalarType::I64, Expr::Load(counts, Box::new(Expr::Tile)));
        let columns = &self.binds[1..];
        if self.op.space.len() == 1 && !columns.is_empty() && columns.iter().all(|c| b.is_dense(*c)) {
            return self.write_groups(b, place);
        }
        let end = Expr::Load(counts, Box::new(add(Expr::Tile, int(1))));
        let end = b.let_("end", ScalarType::I64, end);
        let asking = |b: &mut Builder<'_>, values: Vec<Expr>| {
            b.when(lt(local(place), end.clone()), |b| self.put(b, place, values))
        };
        self.walk(b, |b, row| b.store(self.binds[0], row, local(place)), asking)
    }

    /// Points of one dimension, a group at a time.
    fn write_groups(&self, b: &mut Builder<'_>, place: LocalId) -> Lowered<()> {
        let keep = b.array("keep", ScalarType::Bool, GROUP, false);
        let columns = self.binds[1..].iter();
        let columns: Vec<_> = columns.map(|c| (*c, b.array("own", b.elem(*c), GROUP, false))).collect();
        let (lo, hi) = element_tile(b, self.op)?;
        b.for_("p", lo, hi.clone(), int(GROUP as i64), false, |b, p| {
            let behind = min(add(p.clone(), int(GROUP as i64)), hi);
            let behind = b.let_("behind", ScalarType::I64, behind);
            for_points(b, self.op, 1, p.clone(), behind.clone(), |b, point| {
                let at = sub(point.positions[0].clone(), p.clone());
                self.visit(b, point, |b, mut values| {
                    b.emit(Stmt::SetElement(keep, at.clone(), values.remove(0)));
                    for ((_, own), value) in columns.iter().zip(values) {
                        b.emit(Stmt::SetElement(*own, at.clone(), value));
                    }
                    Ok(())
                })
            })?;
            let (first, count) = (local(place), sub(behind, p));
            let mut kept = int(0);
            for (column, own) in &columns {
                kept = b.store_kept(*column, first.clone(), *own, keep, count.clone())?;
            }
            b.set(place, add(first, kept));
            Ok(())
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
