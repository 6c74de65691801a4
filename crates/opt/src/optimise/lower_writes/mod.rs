//! Operators that no machine has become operators that machines have.
//!
//! ```text
//! hist by a float sum      on a GPU: count per bin, offsets, sort by bin, one reduction per bin (`hists.rs`)
//! scatter, positions       on a GPU: hist by max of point numbers, then a map that takes what the winner wrote
//!   may repeat             (`scatters.rs`)
//! sort                     one key after the other, the last one first; of rows on a GPU merge passes over
//!                          runs of 1, 2, 4, … (`sorts.rs`)
//! ```
//!
//! A machine has the *exact* histogram, in which any order of the points gives the same bits, and the scatter whose
//! positions are distinct: both are done at once by all threads, with atomic operations and with plain stores. What one thread does
//! in order it can do with any operator, so at thread level only sorts change. All of this happens after the versions
//! have been chosen and before memory is planned; each rewrite takes the same number of points up to a factor that does not depend on
//! the data, but for merge passes, which take n log² n comparisons. A CPU sorts by one key itself, and a GPU one row.

mod build;
mod hists;
mod scatters;
mod sorts;

use crate::options::Options;
use build::Writer;
use terrace_base::{IdVec, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Body, Expr, Level, Op, OpKind, Program, Value};
use terrace_plan::Target;

/// Histograms that are not exact become sorts and reductions. A CPU combines bins part by part, in order.
pub fn lower_hists(program: &mut Program, options: &Options) {
    if options.target != Target::C {
        rewrite_all(program, &hists::is_inexact, &|w, op, binds| w.hist(op, binds));
    }
}

/// Scatters whose positions may repeat become histograms and maps. A CPU cuts the destination, and each part goes over the points in order.
pub fn lower_scatters(program: &mut Program, options: &Options) {
    if options.target != Target::C {
        rewrite_all(program, &|op, _| scatters::may_repeat(op), &|w, op, binds| w.scatter(op, binds));
    }
}

/// Sorts become sorts by one key each; of rows, where a device has no sort of those, merge passes.
pub fn lower_sorts(program: &mut Program, options: &Options) {
    let is_sort = |op: &Op| matches!(op.kind, OpKind::Sort { .. });
    if options.target != Target::C {
        let one_row = |op: &Op| op.space.len() == 1 && op.level == Level::Grid;
        rewrite_all(program, &|op, _| is_sort(op) && !one_row(op), &|w, op, binds| w.sort(op, binds));
    }
    let wanted = |op: &Op, _: &IdVec<ValueId, Value>| is_sort(op) && op.body.results.len() > 1;
    rewrite_all(program, &wanted, &|w, op, binds| w.sort_key_by_key(op, binds));
}

type Wanted<'a> = &'a dyn Fn(&Op, &IdVec<ValueId, Value>) -> bool;
type Rewrite<'a> = &'a dyn Fn(&mut Writer<'_>, Op, Vec<ValueId>);

fn rewrite_all(program: &mut Program, wanted: Wanted<'_>, rewrite: Rewrite<'_>) {
    for function in program.functions.iter_mut() {
        let mut body = std::mem::take(&mut function.body);
        rewrite_body(&mut body, &mut function.values, wanted, rewrite);
        function.body = body;
    }
}

/// Rewrites operators of the host level.
fn rewrite_body(body: &mut Body, values: &mut IdVec<ValueId, Value>, wanted: Wanted<'_>, rewrite: Rewrite<'_>) {
    let mut writer = Writer::new(values, Span::none());
    for mut stmt in std::mem::take(&mut body.stmts) {
        writer.span = stmt.span;
        match stmt.expr {
            Expr::Op(op) if wanted(&op, writer.values) => {
                rewrite(&mut writer, *op, stmt.binds);
                continue;
            }
            Expr::If { ref mut then, ref mut otherwise, .. } => {
                rewrite_body(then, writer.values, wanted, rewrite);
                rewrite_body(otherwise, writer.values, wanted, rewrite);
            }
            Expr::Loop { ref mut cond, ref mut body, .. } => {
                rewrite_body(cond, writer.values, wanted, rewrite);
                rewrite_body(body, writer.values, wanted, rewrite);
            }
            _ => {}
        }
        writer.stmts.push(stmt);
    }
    body.stmts = writer.stmts;
}
