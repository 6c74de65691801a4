//! Pack: the elements that are kept, in order, in one pass.
//!
//! Where an element goes is the number of kept elements before it: in the thread, in the tile (a scan over threads), and in
//! earlier tiles (look-back). That number never reaches memory as a column.
//!
//! ```text
//! tile      5 -1  3 -7 | -2  8  9  4       keep positive
//! kept      2            3                 per thread
//! goes to   e  .  e+1 .  .  e+2 e+3 e+4    e: kept in earlier tiles
//! ```
//!
//! Over one dimension a thread holds its run in registers, so what is kept can move to the front of the tile's shared memory while
//! earlier tiles finish, and goes from there to its place in order: neighbouring threads write neighbouring elements.
//! The count goes to a cell.
//!
//! [`super::kept`] does the common case without passing through shared memory twice.
//!
//! Over rows, what is kept makes rows again, and their offsets come for free: a thread that walks past the end of row `r`
//! knows how many were kept so far, which is `off[r + 1]`. There elements are written from the run, one by one.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, and, convert, eq, int, local, lt, mul, not, select, truth};
use super::super::host::Host;
use super::super::sequential::store_all;
use super::block::{Combine, is_first};
use super::items::{plus, small};
use super::kept;
use super::look_back::{LookBack, Mail};
use super::segmented::{earlier, elements, exchange};
use super::tiles::{Cut, Tile, zeros};
use terrace_base::{ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::Op;
use terrace_ir::kernel::{ArrayId, Expr, ParamId, Stmt};

/// Emits the launch of a pack.
pub fn lower(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    if kept::is_possible(host, op) {
        return kept::lower(host, op, binds, span);
    }
    let mut types = vec![ScalarType::Bool];
    types.extend(binds[1..].iter().map(|v| host.function.values[*v].ty.elem().unwrap_or(ScalarType::I64)));
    let cut = Cut::staged(host, op, types.iter().map(|ty| ty.size_bytes()).sum());
    let tiles = cut.tiles(host, op, binds)?;
    let mail = Mail::new(host, &[ScalarType::I64], &tiles, span);
    let cell = (op.space.len() == 1).then(|| host.result_cell(binds[0]));

    let name = host.kernel_name("pack", binds);
    let mut b = Builder::new(host, &name, cut.block as u32, span);
    let counts = Combine::counts();
    let look = LookBack::new(&mut b, &mail);
    let cell = cell.map(|slot| b.cell_out(slot));
    let number = look.ticket(&mut b)?;
    Tile::enter(&mut b, op, cut, number, |b, tile| {
        let mut defaults = vec![truth(false)];
        defaults.extend(zeros(&types[1..]));
        let values = tile.stage(b, &types, &defaults, |_, results| results)?;
        match cell {
            Some(cell) => {
                let moved = Moved { counts: &counts, look: &look, types: &types, values: &values };
                moved.lower(b, tile, cut, &binds[1..], cell)
            }
            None => rows(b, tile, cut, binds, &values, (&counts, &look)),
        }
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}

/// A tile of one dimension.
struct Moved<'a> {
    counts: &'a Combine<'a>,
    look: &'a LookBack,
    types: &'a [ScalarType],
    values: &'a [ArrayId],
}

impl Moved<'_> {
    fn lower(&self, b: &mut Builder<'_>, tile: &Tile<'_>, cut: Cut, columns: &[ValueId], cell: ParamId) -> Lowered<()> {
        let own: Vec<ArrayId> = self.types.iter().map(|ty| b.array("own", *ty, cut.items as usize, false)).collect();
        let kept = self.counts.start(b, "kept", false);
        let is_kept = |item: &Expr| Expr::Element(own[0], Box::new(item.clone()));
        b.for_("item", int(0), int(cut.items), int(1), true, |b, item| {
            let slot = b.let_("slot", ScalarType::I64, add(mul(Expr::Thread, int(cut.items)), item.clone()));
            for (to, from) in own.iter().zip(self.values) {
                b.emit(Stmt::SetElement(*to, item.clone(), Expr::Element(*from, Box::new(slot.clone()))));
            }
            let inside = and(lt(slot, tile.length()), is_kept(&item));
            b.emit(Stmt::SetElement(own[0], item.clone(), inside));
            let one = select(is_kept(&item), int(1), int(0));
            self.counts.push(b, &kept.values, &[one])
        })?;
        let (before, total) = self.counts.scan(b, &kept, cut.block)?;
        self.look.announce(b, &tile.number, &total)?;
        // All threads have read their runs.
        b.emit(Stmt::Barrier);
        let at = convert(ScalarType::I32, local(before.values[0]));
        let at = b.var("at", ScalarType::I32, at);
        b.for_("item", int(0), int(cut.items), int(1), true, |b, item| {
            b.when(is_kept(&item), |b| {
                for (to, from) in self.values[1..].iter().zip(&own[1..]) {
                    let value = Expr::Element(*from, Box::new(item.clone()));
                    b.emit(Stmt::SetElement(*to, convert(ScalarType::I64, local(at)), value));
                }
                b.set(at, plus(local(at), small(1)));
                Ok(())
            })
        })?;
        let needed = b.let_("needed", ScalarType::Bool, lt(int(0), tile.number.clone()));
        let start = earlier(b, self.look, self.counts, tile, &total, &needed)?;
        let start = b.let_("start", ScalarType::I64, Expr::Element(start[0], Box::new(int(0))));
        b.for_("p", Expr::Thread, local(total.values[0]), int(cut.block), false, |b, p| {
            store_all(b, columns, add(start.clone(), p.clone()), elements(&self.values[1..], p))
        })?;
        b.when(and(is_first(), tile.is_last()), |b| {
            b.emit(Stmt::StoreCell(cell, add(start, local(total.values[0]))));
            Ok(())
        })
    }
}

/// A tile with rows.
fn rows(
    b: &mut Builder<'_>,
    tile: &Tile<'_>,
    cut: Cut,
    binds: &[ValueId],
    values: &[ArrayId],
    (counts, look): (&Combine<'_>, &LookBack),
) -> Lowered<()> {
    let keeps = |slot: Expr| Expr::Element(values[0], Box::new(slot));
    let kept = counts.start(b, "kept", false);
    tile.walk(b, |b, slot| b.when(keeps(slot), |b| counts.push(b, &kept.values, &[int(1)])), |_, _| Ok(()))?;
    let (before, total) = counts.scan(b, &kept, cut.block)?;
    let first = b.let_("is_first_tile", ScalarType::Bool, eq(tile.number.clone(), int(0)));
    let start = exchange(b, look, counts, tile, &total, &not(first.clone()))?;
    let start = Expr::Element(start[0], Box::new(int(0)));
    let at = b.var("at", ScalarType::I64, add(start, local(before.values[0])));
    tile.walk(
        b,
        |b, slot| {
            b.when(keeps(slot.clone()), |b| {
                store_all(b, &binds[1..], local(at), elements(&values[1..], slot))?;
                b.set(at, add(local(at), int(1)));
                Ok(())
            })
        },
        |b, row| b.store(binds[0], add(row, int(1)), local(at)),
    )?;
    b.when(and(is_first(), first), |b| b.store(binds[0], int(0), int(0)))
}
