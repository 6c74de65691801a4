//! What nothing uses goes.
//!
//! ```text
//! let n_2 : i64 = length xs_0
//! let k_3 : i64 = n_2 + 1        →      (nothing)
//! => 1.0
//! ```
//!
//! From the last statement to the first, with the number of uses of every value kept up to date: all uses of a value are seen before the value
//! is. It declines to remove what may stop the program or may not end (checks, ascriptions, calls, `while`), and what a type mentions. Where
//! a proved check goes along, nobody names it any more.

use std::collections::{BTreeMap, BTreeSet};
use terrace_ir::check::CheckId;
use terrace_ir::core::visit::{Part, bound_values, checks_of, count_uses, walk};
use terrace_ir::core::{Body, Expr, Function, LoopForm, Stmt, StmtKind};
use terrace_ir::{Atom, ValueId};

/// Removes what is dead.
pub(super) fn remove_dead(function: &mut Function) {
    let all = bound_values(&function.body).into_iter().collect();
    remove_loose(function, all);
}

/// Removes those of the values that are dead, and what only they needed.
pub fn remove_loose(function: &mut Function, loose: BTreeSet<ValueId>) {
    let mut sweep = Sweep { uses: count_uses(&function.body), mentioned: mentioned(function), loose };
    sweep.body(&mut function.body);
    name_what_stands(&mut function.body, &BTreeSet::new());
}

/// Takes out of every `after` the checks that are gone.
fn name_what_stands(body: &mut Body, around: &BTreeSet<CheckId>) {
    let mut stand = around.clone();
    for stmt in &mut body.stmts {
        match &mut stmt.kind {
            StmtKind::Check { check, .. } => {
                stand.insert(*check);
            }
            StmtKind::Let { expr, after, .. } => {
                after.retain(|c| stand.contains(c));
                expr.bodies_mut().into_iter().for_each(|b| name_what_stands(b, &stand));
                stand.extend(checks_of(expr));
            }
        }
    }
}

/// The values that some type of the function mentions.
fn mentioned(function: &Function) -> BTreeSet<ValueId> {
    let mut out = function.result.free_values();
    for v in function.params.iter().copied().chain(bound_values(&function.body)) {
        out.extend(function.values[v].ty.free_values());
    }
    walk(&function.body, &mut |stmt| {
        if let StmtKind::Let { expr, .. } = &stmt.kind {
            expr.parts(&mut |part| {
                if let Part::Type(t) = part {
                    out.extend(t.free_values());
                }
            });
        }
    });
    out
}

struct Sweep {
    uses: BTreeMap<ValueId, usize>,
    mentioned: BTreeSet<ValueId>,
    /// Values that have lost a use.
    loose: BTreeSet<ValueId>,
}

impl Sweep {
    fn body(&mut self, body: &mut Body) {
        let mut kept = Vec::with_capacity(body.stmts.len());
        for mut stmt in std::mem::take(&mut body.stmts).into_iter().rev() {
            if let StmtKind::Let { value, expr, .. } = &mut stmt.kind {
                if self.is_dead(*value) && is_harmless(expr) {
                    self.forget(expr);
                    continue;
                }
                expr.bodies_mut().into_iter().rev().for_each(|b| self.body(b));
            }
            kept.push(stmt);
        }
        kept.reverse();
        body.stmts = kept;
    }

    fn is_dead(&self, value: ValueId) -> bool {
        self.loose.contains(&value) && self.uses.get(&value).is_none_or(|n| *n == 0) && !self.mentioned.contains(&value)
    }

    /// Takes back the uses that an expression makes.
    fn forget(&mut self, expr: &Expr) {
        let mut used: Vec<Atom> = expr.operands();
        for body in expr.bodies() {
            used.push(body.result);
            walk(body, &mut |stmt| {
                used.extend(stmt.operands());
                if let StmtKind::Let { expr, .. } = &stmt.kind {
                    used.extend(expr.bodies().into_iter().map(|b| b.result));
                }
            });
        }
        for v in used.into_iter().filter_map(Atom::var) {
            if let Some(n) = self.uses.get_mut(&v) {
                *n = n.saturating_sub(1);
            }
            self.loose.insert(v);
        }
    }
}

/// Whether nothing is lost when nobody computes it: it cannot stop the program, and it ends.
fn is_harmless(expr: &Expr) -> bool {
    let plain = |e: &Expr| match e {
        Expr::Ascribe { proved, .. } => *proved,
        Expr::Loop { form: LoopForm::While(_), .. } | Expr::Call { .. } => false,
        _ => true,
    };
    let harmless = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Let { expr, .. } => plain(expr),
        StmtKind::Check { proved, .. } => *proved,
    };
    let all_plain = |body: &Body| {
        let mut fine = true;
        walk(body, &mut |stmt| fine &= harmless(stmt));
        fine
    };
    plain(expr) && expr.bodies().into_iter().all(all_plain)
}
