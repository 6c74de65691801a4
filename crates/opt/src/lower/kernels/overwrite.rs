//! Delayed reads and what overwrites them.
//!
//! A read of a column at the host level is delayed: every kernel that uses it repeats it. Where something else is written to the column's
//! block in between, that would give the new element, so what is still needed goes to a cell first:
//!
//! ```text
//! let x = xs[0]                          (delayed)
//! let ys = scatter … into xs             launch: cell = xs[0]; launch: scatter, in the place of xs
//! let zs = map … { x }                   launch … (cell)
//! ```
//!
//! A block is written to more than once by updates in place, by whatever takes the place of something dead, and by calls of functions that own what they
//! are given. A scatter may itself use a delayed read if it has one point, which reads before it writes. What was delayed before a
//! branch or a loop and is needed after it goes to a cell before it.

use super::Lowered;
use super::host::Host;
use crate::analysis::sharing::{Apart, Borders, Classes, live_after};
use crate::lower::place_in_memory::is_one_point;
use std::collections::{BTreeMap, BTreeSet};
use terrace_ir::flat::visit::free_values_of_expr;
use terrace_ir::flat::{Body, Expr, OpKind, Stmt, Type};
use terrace_ir::{ValueId, mem};

/// What is overwritten in a function, and what is needed afterwards.
#[derive(Clone, Debug, Default)]
pub struct Overwrites {
    /// Of blocks.
    classes: Classes,
    /// The classes that are written to more than once.
    again: BTreeSet<ValueId>,
    live: BTreeMap<ValueId, BTreeSet<ValueId>>,
    /// What types and bounds mention.
    mentioned: BTreeSet<ValueId>,
}

impl Overwrites {
    /// The facts about a function; nothing where nothing is overwritten.
    pub fn of(program: &mem::Program, function: &mem::Function, borders: &Borders) -> Option<Overwrites> {
        let classes = Classes::of(function, borders, &Apart::default());
        let is_block = |v: &ValueId| function.values[*v].ty == Type::Block;
        let mut written: BTreeSet<ValueId> =
            function.params.iter().copied().filter(is_block).map(|b| classes.find(b)).collect();
        let mut again = BTreeSet::new();
        let mut found = Vec::new();
        blocks_written_below(program, function, &function.body, &mut found);
        for block in found {
            let class = classes.find(block);
            if !written.insert(class) {
                again.insert(class);
            }
        }
        if again.is_empty() {
            return None;
        }
        let wanted =
            |stmt: &Stmt| blocks_written(program, function, stmt).iter().any(|b| again.contains(&classes.find(*b)));
        let live = live_after(function, &wanted);
        let mentioned = function.values.iter().flat_map(|v| v.mentioned()).collect();
        Some(Overwrites { classes, again, live, mentioned })
    }
}

/// The blocks that a statement of the host level writes to.
fn blocks_written(program: &mem::Program, function: &mem::Function, stmt: &Stmt) -> Vec<ValueId> {
    let block = |v: &ValueId| Some(function.values[*v].at.as_ref()?.block);
    match &stmt.expr {
        Expr::Op(_) | Expr::Literal(_) | Expr::Concat(_) => stmt.binds.iter().filter_map(block).collect(),
        Expr::Call { function: callee, args } => {
            let callee = &program.functions[*callee];
            let owned: BTreeSet<ValueId> =
                callee.owned.iter().filter_map(|v| Some(callee.values[*v].at.as_ref()?.block)).collect();
            let given = callee.params.iter().zip(args).filter(|(p, _)| owned.contains(p));
            given.filter_map(|(_, a)| a.var()).collect()
        }
        Expr::If { .. } | Expr::Loop { .. } => {
            let mut found = Vec::new();
            stmt.expr.bodies().into_iter().for_each(|b| blocks_written_below(program, function, b, &mut found));
            found
        }
        _ => Vec::new(),
    }
}

fn blocks_written_below(program: &mem::Program, function: &mem::Function, body: &Body, out: &mut Vec<ValueId>) {
    body.stmts.iter().for_each(|stmt| out.extend(blocks_written(program, function, stmt)));
}

impl Host<'_> {
    /// Puts delayed values that the statement would change into cells.
    pub(super) fn before_overwriting(&mut self, stmt: &Stmt) -> Lowered<()> {
        let Some(facts) = &self.overwrites else { return Ok(()) };
        let blocks = blocks_written(self.program, self.function, stmt);
        let classes: BTreeSet<ValueId> =
            blocks.iter().map(|b| facts.classes.find(*b)).filter(|c| facts.again.contains(c)).collect();
        let Some(key) = stmt.binds.first().filter(|_| !classes.is_empty()) else { return Ok(()) };
        let mut needed = facts.live.get(key).cloned().unwrap_or_default();
        needed.extend(&facts.mentioned);
        let reads_first = |stmt: &Stmt| match &stmt.expr {
            Expr::Op(op) => matches!(op.kind, OpKind::Scatter { .. }) && is_one_point(op),
            expr => !matches!(expr, Expr::Literal(_)),
        };
        if !reads_first(stmt) {
            needed.extend(free_values_of_expr(&stmt.expr));
        }
        let changed: Vec<ValueId> = needed
            .into_iter()
            .filter(|v| self.is_delayed(*v) && self.reads(*v, &facts.classes, &classes, &mut BTreeSet::new()))
            .collect();
        self.materialise(&changed)
    }

    /// Whether two blocks may be the same memory.
    pub(super) fn may_be_one(&self, a: ValueId, b: ValueId) -> bool {
        a == b || self.overwrites.as_ref().is_some_and(|facts| facts.classes.find(a) == facts.classes.find(b))
    }

    fn is_delayed(&self, v: ValueId) -> bool {
        self.home(v).is_some_and(|h| h.host.is_none() && h.cell.is_none() && h.delayed.is_some())
    }

    fn reads(&self, v: ValueId, all: &Classes, classes: &BTreeSet<ValueId>, seen: &mut BTreeSet<ValueId>) -> bool {
        if !self.is_delayed(v) || !seen.insert(v) {
            return false;
        }
        let Some(expr) = self.home(v).and_then(|h| h.delayed.as_ref()) else { return false };
        let block = |v: &ValueId| Some(self.function.values[*v].at.as_ref()?.block);
        let own =
            matches!(expr, Expr::Read { column, .. } if block(column).is_some_and(|b| classes.contains(&all.find(b))));
        own || expr.operands().into_iter().any(|o| self.reads(o, all, classes, seen))
    }
}
