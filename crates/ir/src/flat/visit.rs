//! Walking Flat and Mem: what a statement mentions, and copies with other names.
//!
//! As in Core, every walk is made of one thing, the list of an expression's *parts* ([`Expr::parts`]):
//!
//! ```text
//! map grid [n_0] (i_1 | p_2) { let x_3 : f64 = xs_4[p_2]; => x_3 }      bound: i_1, p_2, x_3      free: n_0, xs_4
//! ```
//!
//! A value is bound once in a function, so free values are those used and not bound. Types, bounds and places live in the
//! function's table of values: functions that take the table see them, the others only what is written in the body.
//! The formal indices of a closed-form dimension (`around`) are names of that dimension; they are neither used nor bound,
//! and a copy renames them only where they are the operator's own indices.

use super::note::Note;
pub use super::parts::{Part, PartMut};
use super::parts::{collect_use, replace, replace_value, substitute_part};
use super::{Body, Expr, Level, Op, Operator, Program, Stmt, Value};
use crate::{Atom, ValueId};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::IdVec;

/// Gives `f` every statement of the body and of the bodies inside, outer ones first.
pub fn walk(body: &Body, f: &mut dyn FnMut(&Stmt)) {
    for stmt in &body.stmts {
        f(stmt);
        stmt.expr.bodies().into_iter().for_each(|b| walk(b, f));
    }
}

/// Gives `f` every statement of the body and of the bodies inside, to change; outer ones first.
pub fn walk_mut(body: &mut Body, f: &mut dyn FnMut(&mut Stmt)) {
    for stmt in &mut body.stmts {
        f(stmt);
        stmt.expr.bodies_mut().into_iter().for_each(|b| walk_mut(b, f));
    }
}

/// Gives `f` the body itself and every body inside, outer ones first.
pub fn walk_bodies(body: &Body, f: &mut dyn FnMut(&Body)) {
    f(body);
    for stmt in &body.stmts {
        stmt.expr.bodies().into_iter().for_each(|b| walk_bodies(b, f));
    }
}

/// How often each value is mentioned in the body, at any depth: as operand, column, or in a size.
pub fn count_uses(body: &Body) -> BTreeMap<ValueId, usize> {
    let mut out = BTreeMap::new();
    walk_bodies(body, &mut |b| {
        let own = b.stmts.iter().flat_map(|s| s.expr.operands());
        for v in own.chain(b.results.iter().filter_map(|a| a.var())) {
            *out.entry(v).or_default() += 1;
        }
    });
    out
}

/// Every value bound by a statement or for a body, at any depth, in order.
pub fn bound_values(body: &Body) -> Vec<ValueId> {
    let mut out = Vec::new();
    walk(body, &mut |stmt| {
        out.extend(&stmt.binds);
        out.extend(stmt.expr.binders());
    });
    out
}

/// The formal indices of closed-form dimensions in the body, at any depth.
pub fn formal_indices(body: &Body) -> BTreeSet<ValueId> {
    let mut out = BTreeSet::new();
    walk(body, &mut |stmt| {
        stmt.expr.parts(&mut |part| {
            if let Part::Around(v) = part {
                out.insert(*v);
            }
        })
    });
    out
}

/// The values that a body mentions and does not bind.
pub fn free_values(body: &Body) -> BTreeSet<ValueId> {
    let mut used: BTreeSet<ValueId> = count_uses(body).into_keys().collect();
    bound_values(body).iter().chain(&formal_indices(body)).for_each(|v| {
        used.remove(v);
    });
    used
}

/// The values that an expression mentions and does not bind.
pub fn free_values_of_expr(expr: &Expr) -> BTreeSet<ValueId> {
    let mut used = BTreeSet::new();
    let mut own = Vec::new();
    expr.parts(&mut |part| match part {
        Part::Body(b) => used.extend(free_values(b)),
        Part::Bind(v) | Part::Around(v) => own.push(*v),
        other => collect_use(&other, &mut used),
    });
    own.iter().for_each(|v| {
        used.remove(v);
    });
    used
}

/// The values that a reduction's operator mentions and does not bind.
pub fn free_values_of_operator(operator: &Operator) -> BTreeSet<ValueId> {
    let mut used = free_values(&operator.body);
    operator.left.iter().chain(&operator.right).for_each(|v| {
        used.remove(v);
    });
    used
}

/// Like [`free_values`], and those that types, bounds and places of the values bound inside mention.
pub fn free_values_with_types<A: Note>(body: &Body, values: &IdVec<ValueId, Value<A>>) -> BTreeSet<ValueId> {
    let bound = bound_values(body);
    let mut used = free_values(body);
    bound.iter().for_each(|v| used.extend(values[*v].mentioned()));
    bound.iter().for_each(|v| {
        used.remove(v);
    });
    used
}

/// Whether a check stands in the body, at any depth.
pub fn has_checks(body: &Body) -> bool {
    let mut found = false;
    walk(body, &mut |stmt| found |= matches!(stmt.expr, Expr::Check { .. }));
    found
}

/// Replaces values by operands in an expression, at any depth.
pub fn substitute_expr(expr: &mut Expr, map: &BTreeMap<ValueId, Atom>) {
    expr.parts_mut(&mut |part| substitute_part(part, map))
}

/// Replaces values by operands in a body, at any depth; sizes follow where the replacement is a value or an integer.
pub fn substitute(body: &mut Body, map: &BTreeMap<ValueId, Atom>) {
    body.stmts.iter_mut().for_each(|s| substitute_expr(&mut s.expr, map));
    body.results.iter_mut().for_each(|a| replace(a, map));
}

/// Like [`substitute`], and in types, bounds and places of the values bound inside.
pub fn substitute_with_types<A: Note>(
    body: &mut Body,
    values: &mut IdVec<ValueId, Value<A>>,
    map: &BTreeMap<ValueId, Atom>,
) {
    substitute(body, map);
    bound_values(body).into_iter().for_each(|v| values[v].substitute(map));
}

fn rename_binders(body: &mut Body, map: &BTreeMap<ValueId, Atom>) {
    walk_mut(body, &mut |stmt| {
        stmt.binds.iter_mut().for_each(|v| replace_value(v, map));
        rename_binders_of_expr(&mut stmt.expr, map);
    });
}

fn rename_binders_of_expr(expr: &mut Expr, map: &BTreeMap<ValueId, Atom>) {
    expr.parts_mut(&mut |part| {
        if let PartMut::Bind(v) = part {
            replace_value(v, map)
        }
    });
}

/// Where the values that are copied come from: another function's table, or the one they go to.
fn make_fresh<A: Note>(
    bound: Vec<ValueId>,
    from: Option<&IdVec<ValueId, Value<A>>>,
    to: &mut IdVec<ValueId, Value<A>>,
    map: &mut BTreeMap<ValueId, Atom>,
) {
    let mut fresh = Vec::with_capacity(bound.len());
    for old in bound {
        let value = from.unwrap_or(to)[old].clone();
        let new = to.push(value);
        map.insert(old, Atom::Var(new));
        fresh.push(new);
    }
    fresh.into_iter().for_each(|new| to[new].substitute(map));
}

/// A copy of a body of a function with the table `from`, for a function with the table `to`: everything bound in it gets a
/// fresh value there, and `map` says what its free values become. Afterwards `map` also has the new values.
pub fn copy_body<A: Note>(
    body: &Body,
    from: &IdVec<ValueId, Value<A>>,
    to: &mut IdVec<ValueId, Value<A>>,
    map: &mut BTreeMap<ValueId, Atom>,
) -> Body {
    make_fresh(bound_values(body), Some(from), to, map);
    renamed(body, map)
}

fn renamed(body: &Body, map: &BTreeMap<ValueId, Atom>) -> Body {
    let mut copy = body.clone();
    substitute(&mut copy, map);
    rename_binders(&mut copy, map);
    copy
}

/// Gives everything bound in the body a fresh value, so that it can stand a second time in the same function. Returns what
/// became what.
pub fn refresh<A: Note>(body: &mut Body, values: &mut IdVec<ValueId, Value<A>>) -> BTreeMap<ValueId, Atom> {
    let mut map = BTreeMap::new();
    make_fresh(bound_values(body), None, values, &mut map);
    *body = renamed(body, &map);
    map
}

/// Gives everything that an expression binds, at any depth, a fresh value.
pub fn refresh_expr<A: Note>(expr: &mut Expr, values: &mut IdVec<ValueId, Value<A>>) -> BTreeMap<ValueId, Atom> {
    let mut bound = expr.binders();
    expr.bodies().into_iter().for_each(|b| bound.extend(bound_values(b)));
    let mut map = BTreeMap::new();
    make_fresh(bound, None, values, &mut map);
    substitute_expr(expr, &map);
    rename_binders_of_expr(expr, &map);
    expr.bodies_mut().into_iter().for_each(|b| rename_binders(b, &map));
    map
}

/// Gives an operator's indices, positions and everything bound inside a fresh value.
pub fn refresh_op<A: Note>(op: &mut Op, values: &mut IdVec<ValueId, Value<A>>) -> BTreeMap<ValueId, Atom> {
    let mut expr = Expr::Op(Box::new(op.clone()));
    let map = refresh_expr(&mut expr, values);
    if let Expr::Op(new) = expr {
        *op = *new;
    }
    map
}

/// Gives the operands of a reduction's operator and everything bound inside a fresh value.
pub fn refresh_operator<A: Note>(operator: &mut Operator, values: &mut IdVec<ValueId, Value<A>>) {
    let bound = operator.left.iter().chain(&operator.right).copied().chain(bound_values(&operator.body)).collect();
    let mut map = BTreeMap::new();
    make_fresh(bound, None, values, &mut map);
    operator.left.iter_mut().chain(&mut operator.right).for_each(|v| replace_value(v, &map));
    operator.body = renamed(&operator.body, &map);
}

/// How many operators of each kind and level a body has.
pub fn count_operators_of(body: &Body) -> BTreeMap<(&'static str, Level), usize> {
    let mut out = BTreeMap::new();
    walk(body, &mut |stmt| {
        if let Expr::Op(op) = &stmt.expr {
            *out.entry((op.name(), op.level)).or_default() += 1;
        }
    });
    out
}

/// How many operators of each kind and level a program has.
pub fn count_operators<A>(program: &Program<A>) -> BTreeMap<(&'static str, Level), usize> {
    let mut out = BTreeMap::new();
    for function in &program.functions {
        for (key, n) in count_operators_of(&function.body) {
            *out.entry(key).or_default() += n;
        }
    }
    out
}
