//! What nothing uses is removed.
//!
//! A statement is needed if something needed mentions a value that it binds, or if it has an effect: a check, or a call (which
//! may contain one). A type mentions values too: a column keeps the integers that its length is made of. Operators and
//! conditionals lose their unused results one by one.

use std::collections::BTreeSet;
use terrace_base::IdVec;
use terrace_ir::flat::visit::{bound_values, free_values_of_expr, has_checks, walk};
use terrace_ir::flat::{Body, Expr, Function, Op, OpKind, Operator, Stmt, Value};
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
        // A value is bound once in a function: what a body binds is mentioned nowhere else.
        for inner in stmt.expr.bodies_mut() {
            sweep(inner, values, live, changed);
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
    let acts = |e: &Expr| {
        matches!(e, Expr::Check { .. } | Expr::Call { .. } | Expr::Keep { .. } | Expr::Take(_) | Expr::Loop { .. })
    };
    if acts(expr) {
        return true;
    }
    expr.bodies().into_iter().any(|b| {
        let mut calls = false;
        walk(b, &mut |s: &Stmt| calls |= acts(&s.expr));
        calls || has_checks(b)
    })
}

fn drop_unused_results(stmt: &mut Stmt, live: &BTreeSet<ValueId>) -> bool {
    let fixed = match &stmt.expr {
        Expr::If { .. } => 0,
        Expr::Op(op) => match op.kind {
            OpKind::Pack => 1,
            OpKind::Sort { .. } => return false,
            _ => 0,
        },
        _ => return false,
    };
    let mut keep: Vec<bool> = stmt.binds.iter().enumerate().map(|(k, b)| k < fixed || live.contains(b)).collect();
    if let Some(operator) = stmt.expr.op().and_then(combining) {
        needed_components(operator, &mut keep);
    }
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
            OpKind::Reduce { operator, neutral, .. }
            | OpKind::Scan { operator, neutral, .. }
            | OpKind::Hist { operator, neutral, .. } => {
                let first = op.body.results.len() - neutral.len();
                let mut combined = op.body.results.split_off(first);
                kept(&mut combined);
                op.body.results.extend(combined);
                kept(neutral);
                kept(&mut operator.body.results);
                for operands in [&mut operator.left, &mut operator.right] {
                    let mut k = keep.iter();
                    operands.retain(|_| k.next().copied().unwrap_or(true));
                }
            }
            _ => kept(&mut op.body.results),
        },
        _ => unreachable!("returned above"),
    }
    let mut k = keep.iter();
    stmt.binds.retain(|_| k.next().copied().unwrap_or(true));
    true
}

fn combining(op: &Op) -> Option<&Operator> {
    match &op.kind {
        OpKind::Reduce { operator, .. } | OpKind::Scan { operator, .. } | OpKind::Hist { operator, .. } => {
            Some(operator)
        }
        _ => None,
    }
}

/// Adds the components that an operator needs to combine those that are kept.
fn needed_components(operator: &Operator, keep: &mut [bool]) {
    loop {
        let results = operator.body.results.iter().zip(keep.iter()).filter(|(_, k)| **k);
        let mut used: BTreeSet<ValueId> = results.filter_map(|(a, _)| a.var()).collect();
        for stmt in operator.body.stmts.iter().rev() {
            if stmt.binds.iter().any(|b| used.contains(b)) || has_effect(&stmt.expr) {
                used.extend(free_values_of_expr(&stmt.expr));
            }
        }
        let operands = operator.left.iter().zip(&operator.right);
        let more: Vec<usize> = operands
            .enumerate()
            .filter(|(k, (l, r))| !keep[*k] && (used.contains(l) || used.contains(r)))
            .map(|(k, _)| k)
            .collect();
        if more.is_empty() {
            return;
        }
        more.into_iter().for_each(|k| keep[k] = true);
    }
}
