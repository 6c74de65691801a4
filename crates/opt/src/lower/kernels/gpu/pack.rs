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
//! Over rows, what is kept makes rows again, and their offsets come for free: a thread that walks past the end of row `r`
//! knows how many were kept so far, which is `off[r + 1]`. Over one dimension the count goes to a cell.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, and, eq, int, local, not, truth};
use super::super::host::Host;
use super::super::sequential::store_all;
use super::block::{Combine, is_first};
use super::look_back::{LookBack, Mail};
use super::segmented::{elements, exchange};
use super::tiles::{Cut, Tile, zeros};
use terrace_base::{ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::Op;
use terrace_ir::kernel::{Expr, Stmt};

/// Emits the launch of a pack.
pub fn lower(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    let mut types = vec![ScalarType::Bool];
    types.extend(binds[1..].iter().map(|v| host.function.values[*v].ty.elem().unwrap_or(ScalarType::I64)));
    let cut = Cut::new(host, types.iter().map(|ty| ty.size_bytes()).sum());
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
        let keeps = |slot: Expr| Expr::Element(values[0], Box::new(slot));
        let kept = counts.start(b, "kept", false);
        tile.walk(b, |b, slot| b.when(keeps(slot), |b| counts.push(b, &kept.values, &[int(1)])), |_, _| Ok(()))?;
        let (before, total) = counts.scan(b, &kept, cut.block)?;
        let first = b.let_("is_first_tile", ScalarType::Bool, eq(tile.number.clone(), int(0)));
        let earlier = exchange(b, &look, &counts, tile, &total, &not(first.clone()))?;
        let earlier = b.let_("start", ScalarType::I64, Expr::Element(earlier[0], Box::new(int(0))));
        let at = b.var("at", ScalarType::I64, add(earlier.clone(), local(before.values[0])));
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
        match cell {
            Some(cell) => b.when(and(is_first(), tile.is_last()), |b| {
                b.emit(Stmt::StoreCell(cell, add(earlier, local(total.values[0]))));
                Ok(())
            }),
            None => b.when(and(is_first(), first), |b| b.store(binds[0], int(0), int(0))),
        }
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}
