//! States of loops that never change.
//!
//! ```text
//! let n', xs' = loop n = m, xs = as while … do { … => n, ys }        loop xs = as while … do { … => ys }     n and n' are m
//! ```
//!
//! A state whose next value is itself, or what it was at first, has its first value in every round. Lengths that a loop keeps are such states: without
//! them a loop says that its arrays do not change their size, and what depends on it alone can leave the loop.

use std::collections::BTreeMap;
use terrace_ir::flat::visit::{substitute_expr, substitute_with_types};
use terrace_ir::flat::{Body, Expr, Function, Stmt};
use terrace_ir::{Atom, ValueId};

/// Removes them; says whether there were any.
pub(super) fn remove_constant(function: &mut Function) -> bool {
    let mut known = BTreeMap::new();
    let mut body = std::mem::take(&mut function.body);
    search(&mut body, &mut known);
    if !known.is_empty() {
        substitute_with_types(&mut body, &mut function.values, &known);
        for value in function.values.iter_mut() {
            value.substitute(&known);
        }
        function.results.iter_mut().for_each(|t| t.substitute(&known));
    }
    function.body = body;
    !known.is_empty()
}

fn search(body: &mut Body, known: &mut BTreeMap<ValueId, Atom>) {
    for stmt in &mut body.stmts {
        if !known.is_empty() {
            substitute_expr(&mut stmt.expr, known);
        }
        shorten(stmt, known);
        stmt.expr.bodies_mut().into_iter().for_each(|b| search(b, known));
    }
    for result in &mut body.results {
        if let Some(to) = result.var().and_then(|v| known.get(&v)) {
            *result = *to;
        }
    }
}

/// Takes the states that never change out of a loop.
fn shorten(stmt: &mut Stmt, known: &mut BTreeMap<ValueId, Atom>) {
    let Expr::Loop { state, body, .. } = &mut stmt.expr else { return };
    let constant = |k: usize| body.results[k] == Atom::Var(state[k].0) || body.results[k] == state[k].1;
    let changing: Vec<bool> = (0..state.len()).map(|k| !constant(k)).collect();
    if changing.iter().all(|c| *c) || !changing.contains(&true) {
        return;
    }
    for (k, (v, init)) in state.iter().enumerate().filter(|(k, _)| !changing[*k]) {
        known.insert(*v, *init);
        known.insert(stmt.binds[k], *init);
    }
    keep(state, &changing);
    keep(&mut body.results, &changing);
    keep(&mut stmt.binds, &changing);
}

fn keep<T>(list: &mut Vec<T>, which: &[bool]) {
    let mut which = which.iter();
    list.retain(|_| which.next().copied().unwrap_or(true));
}
