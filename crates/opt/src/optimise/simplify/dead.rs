//! What nothing uses is removed.
//!
//! A statement is needed if something needed mentions a value that it binds, or if it has an effect: a check, or a call (which
//! may contain one). A type mentions values too: a column keeps the integers that its length is made of. Operators and
//! conditionals lose their unused results one by one.

use std::collections::BTreeSet;
use terrace_base::IdVec;
use terrace_ir::flat::visit::{bound_values, free_values_of_expr, has_checks, walk};
use terrace_ir::flat::{Body, Expr, Function, OpKind, Stmt, Value};
use terrace_ir::{Atom, ValueId};

/// Removes what is dead; says whether anything was.
pub(super) fn remove_dead(function: &mut Function) -> bool {
    let mut live: BTreeSet<ValueId> = BTreeSet::new();
    for v in &function.params {
        live.extend(function.values[*v].mentioned());
    }
    let mut changed = false;
    let mut body = std::mem::take(&mut function.body);
    sweep(&mut body, &function.values, &mut live, &mut changed);
    function.body = body;
    changed
}

fn sweep(body: &mut Body, values: &IdVec<ValueId, Value>, live: &mut BTreeSet<ValueId>, changed: &mut bool) {
    for v in body.results.iter().filter_map(|a| a.var()) {
        live.insert(v);
        live.extend(values[v].mentioned());
    }
    let mut out = Vec::with_capacity(body.stmts.len());
    for mut stmt in std::mem::take(&mut body.stmts).into_iter().rev() {
        if !stmt.binds.iter().any(|b| live.contains(b)) && !has_effect(&stmt.expr) {
            *changed = true;
            continue;
        }
        for b in stmt.binds.iter().filter(|b| live.contains(b)).copied().collect::<Vec<_>>() {
            live.extend(values[b].mentioned());
        }
        *changed |= drop_unused_results(&mut stmt, live);
        for b in &stmt.binds {
            live.extend(values[*b].mentioned());
        }
        // Positions have bounds, which mention values.
        for v in stmt.expr.binders() {
            live.extend(values[v].mentioned());
        }
        // Bodies are swept on their own: what they mention is needed, what they bind is not seen from here.
        for inner in stmt.expr.bodies_mut() {
            let mut inside = live.clone();
            sweep(inner, values, &mut inside, changed);
            for v in bound_values(inner) {
                live.extend(values[v].mentioned());
            }
        }
        live.extend(free_values_of_expr(&stmt.expr));
        out.push(stmt);
    }
    out.reverse();
    body.stmts = out;
}

fn has_effect(expr: &Expr) -> bool {
    if matches!(expr, Expr::Check { .. } | Expr::Call { .. } | Expr::Loop { .. }) {
        return true;
    }
    expr.bodies().into_iter().any(|b| {
        let mut calls = false;
        walk(b, &mut |s: &Stmt| calls |= matches!(s.expr, Expr::Call { .. } | Expr::Loop { .. }));
        calls || has_checks(b)
    })
}

fn drop_unused_results(stmt: &mut Stmt, live: &BTreeSet<ValueId>) -> bool {
    let fixed = match &stmt.expr {
        Expr::If { .. } => 0,
        Expr::Op(op) => match op.kind {
            OpKind::Map { .. } | OpKind::Scatter { .. } => 0,
            OpKind::Pack => 1,
            _ => return false,
        },
        _ => return false,
    };
    let keep: Vec<bool> = stmt.binds.iter().enumerate().map(|(k, b)| k < fixed || live.contains(b)).collect();
    if keep.iter().all(|k| *k) {
        return false;
    }
    let kept = |items: &mut Vec<Atom>| {
        let mut k = keep.iter();
        items.retain(|_| k.next().copied().unwrap_or(true));
    };
    match &mut stmt.expr {
        Expr::If { then, otherwise, .. } => {
            kept(&mut then.results);
            kept(&mut otherwise.results);
        }
        Expr::Op(op) => match &mut op.kind {
            OpKind::Scatter { dest, .. } => {
                let position = op.body.results.remove(0);
                kept(&mut op.body.results);
                op.body.results.insert(0, position);
                let mut k = keep.iter();
                dest.retain(|_| k.next().copied().unwrap_or(true));
            }
            _ => kept(&mut op.body.results),
        },
        _ => unreachable!("returned above"),
    }
    let mut k = keep.iter();
    stmt.binds.retain(|_| k.next().copied().unwrap_or(true));
    true
}
