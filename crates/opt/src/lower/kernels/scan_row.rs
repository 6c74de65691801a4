//! A scan along a row, in one thread.
//!
//! Each total needs the one before, so a processor takes such a loop step by step, with all that its points compute. Where that is more than reading
//! an element, a group of points is computed first, into the places of their totals and by vectors where the body allows it; then only
//! combining is left to be done in order:
//!
//! ```text
//! for q in from .. to { acc = max(acc, f(q)); out[q] = acc }
//!
//! for g in from .. to, by 512 {
//!   for q in g .. min(g + 512, to) { out[q] = f(q) }
//!   for q in g .. min(g + 512, to) { acc = max(acc, out[q]); out[q] = acc }
//! }
//! ```
//!
//! The totals are the same, bit for bit. Short rows are not worth two loops.

use super::Lowered;
use super::body::is_plain;
use super::build::Builder;
use super::expr::{add, ge, int, local, min, sub};
use super::points::{Point, Run, for_run};
use super::reduce::assign_all;
use terrace_base::ScalarType;
use terrace_ir::ValueId;
use terrace_ir::flat::{Expr as FlatExpr, Op, Operator};
use terrace_ir::kernel::{Expr, LocalId};

/// Points of a group: enough that its two loops cost nothing, few enough that they stay in the nearest cache.
const GROUP: i64 = 512;

/// Rows that are shorter than this are scanned point by point.
const LONG: i64 = 32;

/// A scan by an operator of one value, whose points are worth a loop of their own.
pub(super) struct Grouped<'o> {
    op: &'o Op,
    operator: &'o Operator,
    column: ValueId,
}

impl<'o> Grouped<'o> {
    /// None where points are taken one by one.
    pub(super) fn of(b: &Builder<'_>, op: &'o Op, operator: &'o Operator, binds: &[ValueId]) -> Option<Grouped<'o>> {
        let [column] = binds else { return None };
        let computed = op.body.stmts.iter().filter(|s| !matches!(s.expr, FlatExpr::Read { .. })).count();
        let worth = b.target_is_cpu() && operator.as_binary().is_some() && is_plain(&op.body) && computed > 1;
        worth.then_some(Grouped { op, operator, column: *column })
    }

    /// Scans a run, in groups if it is long, else by what is given for its points.
    pub(super) fn run<'h>(
        &self,
        b: &mut Builder<'h>,
        run: &Run,
        acc: LocalId,
        one_by_one: impl FnOnce(&mut Builder<'h>, &Point) -> Lowered<()>,
    ) -> Lowered<()> {
        b.split_borders();
        let long = ge(sub(run.to.clone(), run.from.clone()), int(LONG));
        b.if_(long, |b| self.groups(b, run, acc), |b| for_run(b, self.op, run, one_by_one))
    }

    fn groups(&self, b: &mut Builder<'_>, run: &Run, acc: LocalId) -> Lowered<()> {
        b.for_("g", run.from.clone(), run.to.clone(), int(GROUP), false, |b, g| {
            let behind = b.let_("behind", ScalarType::I64, min(add(g.clone(), int(GROUP)), run.to.clone()));
            let group = Run { above: run.above.clone(), start: run.start.clone(), from: g.clone(), to: behind.clone() };
            for_run(b, self.op, &group, |b, point| {
                let q = point.positions[self.op.space.len() - 1].clone();
                b.body(&self.op.body, |b, mut values| b.store(self.column, q, values.remove(0)))
            })?;
            b.for_("q", g, behind, int(1), false, |b, q| self.combine(b, acc, q))
        })
    }

    fn combine(&self, b: &mut Builder<'_>, acc: LocalId, q: Expr) -> Lowered<()> {
        let value = b.load(self.column, q.clone())?;
        let new = b.combine(self.operator, &[local(acc)], &[value])?;
        assign_all(b, &[acc], new);
        b.store(self.column, q, local(acc))
    }
}
