//! Host-level operators at thread level: one block of one thread that runs everything in order.
//!
//! This is the `seq` version of a program, and what small pieces of work between launches become. It is slow on purpose and
//! exists so that every program has a version with no parallelism to be wrong.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::host::Host;
use super::super::host_expr::hint;
use terrace_base::Span;
use terrace_ir::ValueId;
use terrace_ir::flat::Op;
use terrace_ir::kernel::Stmt;

/// Emits the launch of an operator that one thread runs.
pub fn lower(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    let cells: Vec<_> =
        binds.iter().map(|v| (!host.function.values[*v].ty.is_column()).then(|| host.result_cell(*v))).collect();
    let name = host.kernel_name("in_order", binds);
    let mut b = Builder::new(host, &name, 1, span);
    let results = b.whole_operator(op, binds)?;
    for (cell, result) in cells.into_iter().zip(results) {
        if let (Some(cell), Some(value)) = (cell, result) {
            let param = b.cell_out(cell);
            b.emit(Stmt::StoreCell(param, value));
        }
    }
    let finished = b.finish();
    host.launch(finished, vec![hint(1)]);
    Ok(())
}
