//! What does not need the result of a recursive call is computed before it, so that less is held while it runs.
//!
//! ```text
//! let sorted = map (part) in parts { quicksort(part) }       let same = filter (x == p) in xs
//! let same = filter (x == p) in xs                       →   let sorted = map (part) in parts { quicksort(part) }
//! … sorted[0] ++ same ++ sorted[1]                           … sorted[0] ++ same ++ sorted[1]
//! ```
//!
//! On the left all of `xs` lives until the whole recursion below has ended, at every level of it: peak memory is depth times
//! size. On the right only `same` does. A statement that contains a check, or relies on one that stays behind (also somewhere inside), does not move:
//! it might stop a program that would have stopped elsewhere. An array as long as a number relies on what is checked of that number, whether it
//! names the check or not: `iota(len(xs))` may have become `iota(n)` where `xs` has `n` elements.

use std::collections::BTreeSet;
use terrace_ir::ValueId;
use terrace_ir::check::CheckId;
use terrace_ir::core::visit::{checks_of, free_values_of_expr, has_checks, walk};
use terrace_ir::core::{Body, Expr, Program, Stmt, StmtKind};

/// Moves statements in all functions.
pub fn compute_before_calls(program: &mut Program) {
    for function in program.functions.iter_mut() {
        reorder(&mut function.body);
    }
}

fn reorder(body: &mut Body) {
    for stmt in &mut body.stmts {
        if let StmtKind::Let { expr, .. } = &mut stmt.kind {
            expr.bodies_mut().into_iter().for_each(reorder);
        }
    }
    let Some(call) = body.stmts.iter().position(has_call) else { return };
    let later = body.stmts.split_off(call);
    let mut behind: Vec<Stmt> = Vec::new();
    let mut waiting: BTreeSet<ValueId> = BTreeSet::new();
    let mut checks: BTreeSet<CheckId> = BTreeSet::new();
    let mut checked: BTreeSet<ValueId> = BTreeSet::new();
    for stmt in later {
        match &stmt.kind {
            StmtKind::Check { check, values, .. } => {
                checks.insert(*check);
                checked.extend(values.iter().filter_map(|a| a.var()));
                behind.push(stmt);
            }
            StmtKind::Let { value, expr, after } => {
                let free = free_values_of_expr(expr).is_disjoint(&waiting);
                let safe = !expr.bodies().into_iter().any(has_checks) && !matches!(expr, Expr::Ascribe { .. });
                let safe = safe && counted_by(expr).is_none_or(|n| !checked.contains(&n));
                if free
                    && safe
                    && !has_call(&stmt)
                    && after.iter().all(|c| !checks.contains(c))
                    && relied_on(expr).is_disjoint(&checks)
                {
                    body.stmts.push(stmt);
                } else {
                    waiting.insert(*value);
                    checks.extend(checks_of(expr));
                    behind.push(stmt);
                }
            }
        }
    }
    body.stmts.extend(behind);
}

/// The checks that statements inside an expression rely on.
fn relied_on(expr: &Expr) -> BTreeSet<CheckId> {
    let mut out = BTreeSet::new();
    for body in expr.bodies() {
        walk(body, &mut |s| {
            if let StmtKind::Let { after, .. } = &s.kind {
                out.extend(after.iter().copied());
            }
        });
    }
    out
}

/// The number that says how long a new array is.
fn counted_by(expr: &Expr) -> Option<ValueId> {
    match expr {
        Expr::Iota(count) | Expr::Replicate { count, .. } => count.var(),
        Expr::Generate { count, .. } | Expr::Hist { count, .. } => count.var(),
        _ => None,
    }
}

fn has_call(stmt: &Stmt) -> bool {
    let StmtKind::Let { expr, .. } = &stmt.kind else { return false };
    let mut found = matches!(expr, Expr::Call { .. });
    for body in expr.bodies() {
        walk(body, &mut |s| found |= matches!(&s.kind, StmtKind::Let { expr: Expr::Call { .. }, .. }));
    }
    found
}
