//! Operators on a CPU.
//!
//! Work is cut into tiles of a fixed number of elements of the *flattened* space, so that one huge row is shared by all
//! threads and many tiny rows share a tile. A tile finds its first row by one search and then runs plain nested loops
//! ([`super::points::for_points`]); what crosses the end of a tile is put together in a later phase:
//!
//! | operator | phases |
//! | --- | --- |
//! | map | one; squares of points where it is like a matrix product, or reads a matrix across its rows |
//! | reduce | rows inside a tile, and partial results of the others; then the others. Of columns, blocks; then the columns |
//! | scan | a total per tile; the totals scanned by one thread; the results |
//! | pack | a count per tile; the counts scanned by one thread; the results |
//! | scatter | the destination, copied; the points |
//! | hist | parts of the points, each with bins of its own; all bins together |
//! | sort | rows inside a tile; then, digit by digit, the others |
//!
//! Tiles follow from sizes alone, never from the number of threads.

mod columns;
mod hist;
mod map;
mod neighbours;
mod pack;
mod products;
mod reduce;
mod scan;
mod sort;
mod tiles;
mod turned;
mod writes;

use super::build::Builder;
use super::host::Host;
use super::host_expr::hint;
use super::writes::starts;
use super::{Lowered, Target};
use crate::lower::place_in_memory::is_one_point;
use terrace_base::Span;
use terrace_ir::ValueId;
use terrace_ir::flat::{Level, Op, OpKind};
use terrace_ir::kernel::Stmt;

/// The CPU.
pub struct Cpu;

impl Target for Cpu {
    fn operator(&self, host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
        if let OpKind::Sort { .. } = &op.kind {
            return sort::sort(host, op, binds, span);
        }
        if op.level == Level::Thread {
            if columns::reduce_alone(host, op, binds, span)? {
                return Ok(());
            }
            return in_one_thread(host, op, binds, span);
        }
        match &op.kind {
            OpKind::Map { .. } => map::map(host, op, binds, span),
            OpKind::Reduce { .. } => reduce::reduce(host, op, binds, span),
            OpKind::Scan { .. } => scan::scan(host, op, binds, span),
            OpKind::Pack => pack::pack(host, op, binds, span),
            OpKind::Scatter { .. } if is_one_point(op) && starts(host, op, binds).is_empty() => {
                in_one_thread(host, op, binds, span)
            }
            OpKind::Scatter { .. } => writes::write(host, op, binds, span),
            OpKind::Hist { .. } => hist::hist(host, op, binds, span),
            OpKind::Sort { .. } => Err(super::limit(span, op.name())),
        }
    }

    fn concat(&self, host: &mut Host<'_>, bind: ValueId, columns: &[ValueId], span: Span) -> Lowered<()> {
        writes::concat(host, bind, columns, span)
    }
}

/// A host-level operator that is not worth spreading: one tile, point after point. Serves every device.
pub fn in_one_thread(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    let cells: Vec<_> =
        binds.iter().map(|v| (!host.function.values[*v].ty.is_column()).then(|| host.result_cell(*v))).collect();
    let name = host.kernel_name("thread", binds);
    let mut b = Builder::new(host, &name, 1, span);
    if matches!(op.kind, OpKind::Map { .. } | OpKind::Reduce { .. }) {
        b.split_borders();
    }
    let results = b.whole_operator(op, binds)?;
    for (cell, value) in cells.iter().zip(results) {
        if let (Some(cell), Some(value)) = (cell, value) {
            let cell = b.cell_out(*cell);
            b.emit(Stmt::StoreCell(cell, value));
        }
    }
    let finished = b.finish();
    host.launch(finished, vec![hint(1)]);
    Ok(())
}
