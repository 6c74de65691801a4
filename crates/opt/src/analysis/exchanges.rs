//! Arrays that change places in a loop, and still never share a block.
//!
//! ```text
//! loop (a = x, b = y) {                     a round gives `b` where `a` was and the other way round:
//!   let c = scatter [1] into a { b[i] … }     without regard to order, all of them may share a block.
//!   => b, c                                   But x and y do not, so a and b never do: c takes the place of a.
//! }
//! ```
//!
//! Some states of a loop are *exchanged* if their first values are apart and every round hands each of their blocks on to exactly one of them, whatever it wrote to it:
//! then they are apart in every round, by induction. So are the values of one round that come from different ones. What lies outside the loop may share with
//! all of them, as before: a block that comes in as `a` may be `b` in the next round.
//!
//! Declined: loops within operators, whose arrays have one place each; states that may be something from outside in a later round, since two of them could be.

use super::sharing::{Apart, Borders, Classes};
use std::collections::{BTreeMap, BTreeSet};
use terrace_ir::flat::note::Note;
use terrace_ir::flat::visit::bound_values;
use terrace_ir::flat::{Body, Expr, Function, Stmt};
use terrace_ir::{Atom, ValueId};

/// Which state a value of a round comes from; a map for each loop.
pub(super) type Exchanged = BTreeMap<ValueId, ValueId>;

/// The classes of a function, which know what loops exchange.
pub(super) fn classes_with_exchanges<A: Note>(function: &Function<A>, borders: &Borders, apart: &Apart) -> Classes {
    let mut classes = Classes::of(function, borders, apart);
    let mut loops = Vec::new();
    find_loops(&function.body, &mut loops);
    for stmt in loops {
        if let Some(found) = exchanged(stmt, function, borders, apart, &classes) {
            classes.exchanged.push(found);
        }
    }
    classes
}

fn find_loops<'f>(body: &'f Body, out: &mut Vec<&'f Stmt>) {
    for stmt in &body.stmts {
        match &stmt.expr {
            Expr::Op(_) => continue,
            Expr::Loop { .. } => out.push(stmt),
            _ => {}
        }
        stmt.expr.bodies().into_iter().for_each(|b| find_loops(b, out));
    }
}

fn exchanged<A: Note>(
    stmt: &Stmt,
    function: &Function<A>,
    borders: &Borders,
    apart: &Apart,
    classes: &Classes,
) -> Option<Exchanged> {
    let Expr::Loop { state, body, .. } = &stmt.expr else { return None };
    let columns: Vec<usize> = (0..state.len()).filter(|k| function.values[state[*k].0].ty.is_column()).collect();
    let class = |k: &usize| classes.find(state[*k].0);
    let together = |k: &&usize| columns.iter().any(|other| other != *k && class(other) == class(k));
    let together: Vec<usize> = columns.iter().filter(together).copied().collect();
    if together.is_empty() {
        return None;
    }
    let round = Classes::except(function, borders, apart, stmt.binds.first().copied());
    let from: BTreeMap<ValueId, ValueId> = together.iter().map(|k| (round.find(state[*k].0), state[*k].0)).collect();
    let next: BTreeSet<ValueId> =
        together.iter().filter_map(|k| from.get(&round.find(body.results[*k].var()?)).copied()).collect();
    // Each has a block of its own, and each goes to one of them.
    if from.len() != together.len() || next.len() != together.len() {
        return None;
    }
    let firsts: Vec<Atom> =
        together.iter().filter(|k| !apart.states.contains(&state[**k].0)).map(|k| state[*k].1).collect();
    let distinct: BTreeSet<ValueId> = firsts.iter().filter_map(|a| Some(round.find(a.var()?))).collect();
    if distinct.len() != firsts.len() {
        return None;
    }
    let mut inside: BTreeSet<ValueId> = bound_values(body).into_iter().collect();
    inside.extend(from.values());
    let mut found = Exchanged::new();
    for v in function.values.ids() {
        match from.get(&round.find(v)) {
            Some(_) if !inside.contains(&v) => return None,
            Some(state) => {
                found.insert(v, *state);
            }
            None => {}
        }
    }
    Some(found)
}
