//! Prefixes along the last dimension, in one pass over the data.
//!
//! ```text
//! tile          3 1 4 1 | 5 9 2 6          values in shared memory, a run of consecutive ones per thread
//! runs          9         22               each thread combines its own
//! before        e         e + 9            a scan over the threads; e is what the tiles before join to (look-back)
//! prefixes      e+3 …     e+9+5 …          each thread walks its run again
//! ```
//!
//! `Inclusive` prefixes start anew with each row; `Offsets` are the prefixes *before* each element of a single row, with the
//! total as one more element. Every prefix is combined in an order fixed by its position and the size of tiles.
//!
//! Here a tile lies in shared memory, whatever its rows and its body are; [`super::prefixes`] does the common case in registers.
//!
//! Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back"; see [`super::look_back`] for what is different.

use super::super::build::Builder;
use super::super::expr::{and, int, local, not, truth};
use super::super::host::Host;
use super::super::sequential::store_all;
use super::super::{Lowered, limit};
use super::block::{Combine, is_first};
use super::look_back::{LookBack, Mail};
use super::prefixes;
use super::segmented::{elements, exchange};
use super::tiles::{Cut, Tile};
use terrace_base::{ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Op, Operator, ScanForm};
use terrace_ir::kernel::{Expr, Stmt};

/// Emits the launch of a scan.
pub fn lower(
    host: &mut Host<'_>,
    op: &Op,
    binds: &[ValueId],
    (operator, neutral, form): (&Operator, &[terrace_ir::Atom], ScanForm),
    span: Span,
) -> Lowered<()> {
    let offsets = form == ScanForm::Offsets;
    if offsets && op.space.len() > 1 {
        return Err(limit(span, "offsets over several dimensions"));
    }
    if prefixes::is_possible(host, op, operator) {
        return prefixes::lower(host, op, binds, (operator, neutral, form), span);
    }
    let types: Vec<ScalarType> =
        binds.iter().map(|v| host.function.values[*v].ty.elem().unwrap_or(ScalarType::I64)).collect();
    let cut = Cut::staged(host, op, types.iter().map(|ty| ty.size_bytes()).sum());
    let tiles = cut.tiles(host, op, binds)?;
    let mail = Mail::new(host, &types, &tiles, span);

    let name = host.kernel_name("scan", binds);
    let mut b = Builder::new(host, &name, cut.block as u32, span);
    let combine = Combine::of(&mut b, operator, neutral)?;
    let look = LookBack::new(&mut b, &mail);
    let number = look.ticket(&mut b)?;
    Tile::enter(&mut b, op, cut, number, |b, tile| {
        let values = tile.stage(b, &combine.types, &combine.neutral, |_, results| results)?;
        let own = combine.start(b, "own", tile.has_rows());
        tile.walk(
            b,
            |b, slot| combine.push(b, &own.values, &elements(&values, slot)),
            |b, _| {
                combine.assign(b, &own.values, combine.neutral.clone());
                if let Some(closed) = own.closed {
                    b.set(closed, truth(true));
                }
                Ok(())
            },
        )?;
        let (before, total) = combine.scan(b, &own, cut.block)?;
        let needed = tile.continues.clone();
        let earlier = exchange(b, &look, &combine, tile, &total, &needed)?;
        let acc = combine.vars(b, "acc", &before.exprs());
        b.when(and(needed.clone(), not(before.is_closed())), |b| {
            combine.push_front(b, &elements(&earlier, int(0)), &acc)
        })?;
        tile.walk(
            b,
            |b, slot| {
                let x: Vec<Expr> =
                    combine.vars(b, "x", &elements(&values, slot.clone())).into_iter().map(local).collect();
                if !offsets {
                    combine.push(b, &acc, &x)?;
                }
                for (array, v) in values.iter().zip(&acc) {
                    b.emit(Stmt::SetElement(*array, slot.clone(), local(*v)));
                }
                if offsets { combine.push(b, &acc, &x) } else { Ok(()) }
            },
            |b, _| {
                combine.assign(b, &acc, combine.neutral.clone());
                Ok(())
            },
        )?;
        b.emit(Stmt::Barrier);
        tile.unstage(b, &values, binds)?;
        if !offsets {
            return Ok(());
        }
        b.when(and(is_first(), tile.is_last()), |b| {
            let all = combine.vars(b, "all", &total.exprs());
            b.when(needed, |b| combine.push_front(b, &elements(&earlier, int(0)), &all))?;
            store_all(b, binds, tile.count.clone(), all.into_iter().map(local).collect())
        })
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}
