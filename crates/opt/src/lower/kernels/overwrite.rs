//! Delayed reads and what overwrites them.
//!
//! A read of a column at the host level is delayed: every kernel that uses it repeats it. Where a scatter writes over the column in
//! between, that would give the new element, so what is still needed goes to a cell first:
//!
//! ```text
//! let x = xs[0]                          (delayed)
//! let ys = scatter … into xs             launch: cell = xs[0]; launch: scatter, in the place of xs
//! let zs = map … { x }                   launch … (cell)
//! ```
//!
//! The scatter itself may still use a delayed read if it has one point, which reads before it writes. What was delayed before a
//! branch or a loop and is needed after it goes to a cell before it.

use super::Lowered;
use super::host::Host;
use super::writes::shares_place;
use crate::analysis::sharing::{Classes, live_after};
use crate::lower::place_in_memory::is_one_point;
use std::collections::{BTreeMap, BTreeSet};
use terrace_ir::flat::visit::{free_values_of_expr, walk};
use terrace_ir::flat::{Expr, OpKind, Stmt};
use terrace_ir::{ValueId, mem};

/// What is overwritten in a function, and what is needed afterwards.
#[derive(Clone, Debug, Default)]
pub struct Overwrites {
    classes: Classes,
    live: BTreeMap<ValueId, BTreeSet<ValueId>>,
    /// What types and bounds mention.
    mentioned: BTreeSet<ValueId>,
}

impl Overwrites {
    /// The facts about a function; nothing where nothing is overwritten.
    pub fn of(function: &mem::Function) -> Option<Overwrites> {
        let mut any = false;
        walk(&function.body, &mut |stmt| any |= !overwritten(function, stmt).is_empty());
        if !any {
            return None;
        }
        let wanted = |stmt: &Stmt| match &stmt.expr {
            Expr::Op(_) => !overwritten(function, stmt).is_empty(),
            expr => matches!(expr, Expr::If { .. } | Expr::Loop { .. }),
        };
        Some(Overwrites {
            classes: Classes::of(function, &|_| false),
            live: live_after(function, &wanted),
            mentioned: function.values.iter().flat_map(|v| v.mentioned()).collect(),
        })
    }
}

/// The destinations that a scatter writes over.
fn overwritten(function: &mem::Function, stmt: &Stmt) -> Vec<ValueId> {
    let Expr::Op(op) = &stmt.expr else { return Vec::new() };
    let OpKind::Scatter { dest, .. } = &op.kind else { return Vec::new() };
    let pairs = stmt.binds.iter().zip(dest);
    pairs.filter(|(bind, dest)| shares_place(function, **bind, **dest)).map(|(_, dest)| *dest).collect()
}

impl Host<'_> {
    /// Puts delayed values that the statement would change into cells.
    pub(super) fn before_overwriting(&mut self, stmt: &Stmt) -> Lowered<()> {
        let Some(facts) = self.overwrites.clone() else { return Ok(()) };
        let function = self.function;
        let mut columns = overwritten(function, stmt);
        for body in stmt.expr.bodies() {
            if !matches!(stmt.expr, Expr::Op(_)) {
                walk(body, &mut |s| columns.extend(overwritten(function, s)));
            }
        }
        let Some(key) = stmt.binds.first().filter(|_| !columns.is_empty()) else { return Ok(()) };
        let classes: BTreeSet<ValueId> = columns.iter().map(|c| facts.classes.find(*c)).collect();
        let mut needed = facts.live.get(key).cloned().unwrap_or_default();
        needed.extend(&facts.mentioned);
        if let Expr::Op(op) = &stmt.expr
            && !is_one_point(op)
        {
            needed.extend(free_values_of_expr(&stmt.expr));
        }
        let changed: Vec<ValueId> = needed
            .into_iter()
            .filter(|v| self.is_delayed(*v) && self.reads(*v, &facts.classes, &classes, &mut BTreeSet::new()))
            .collect();
        self.materialise(&changed)
    }

    fn is_delayed(&self, v: ValueId) -> bool {
        self.home(v).is_some_and(|h| h.host.is_none() && h.cell.is_none() && h.delayed.is_some())
    }

    fn reads(&self, v: ValueId, all: &Classes, classes: &BTreeSet<ValueId>, seen: &mut BTreeSet<ValueId>) -> bool {
        if !self.is_delayed(v) || !seen.insert(v) {
            return false;
        }
        let Some(expr) = self.home(v).and_then(|h| h.delayed.as_ref()) else { return false };
        let own = matches!(expr, Expr::Read { column, .. } if classes.contains(&all.find(*column)));
        own || expr.operands().into_iter().any(|o| self.reads(o, all, classes, seen))
    }
}
