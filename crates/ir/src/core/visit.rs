//! Walking Core: what an expression mentions, and copies with other names.
//!
//! Every walk here is made of one thing, the list of an expression's *parts* ([`Expr::parts`]): operands, types, values that
//! it binds for its own bodies, and those bodies.
//!
//! ```text
//! map (x_1 : f64) in xs_0 { let y_2 : f64 = x_1 * k_3; => y_2 }      bound: x_1, y_2      free: xs_0, k_3
//! ```
//!
//! A value is bound once in a function, so free values are simply those used and not bound. A body that is to stand twice
//! must be refreshed ([`refresh`]), or copied with [`copy_body`], which also goes from one function to another.
//! Types live in the function's table of values and mention values too (`[n_3]f64`): the functions that take the table see
//! them, the others only what is written in the body itself.

pub use super::parts::{Part, PartMut};
use super::{Body, Expr, Function, Lambda, Program, Stmt, StmtKind, Value};
use crate::check::CheckId;
use crate::{Atom, ValueId};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::IdVec;

/// Gives `f` every statement of the body and of the bodies inside, outer ones first.
pub fn walk(body: &Body, f: &mut dyn FnMut(&Stmt)) {
    for stmt in &body.stmts {
        f(stmt);
        if let StmtKind::Let { expr, .. } = &stmt.kind {
            expr.bodies().into_iter().for_each(|b| walk(b, f));
        }
    }
}

/// Gives `f` every statement of the body and of the bodies inside, to change; outer ones first.
pub fn walk_mut(body: &mut Body, f: &mut dyn FnMut(&mut Stmt)) {
    for stmt in &mut body.stmts {
        f(stmt);
        if let StmtKind::Let { expr, .. } = &mut stmt.kind {
            expr.bodies_mut().into_iter().for_each(|b| walk_mut(b, f));
        }
    }
}

/// Gives `f` the body itself and every body inside, outer ones first.
pub fn walk_bodies(body: &Body, f: &mut dyn FnMut(&Body)) {
    f(body);
    for stmt in &body.stmts {
        if let StmtKind::Let { expr, .. } = &stmt.kind {
            expr.bodies().into_iter().for_each(|b| walk_bodies(b, f));
        }
    }
}

/// How often each value is used as an operand, at any depth.
pub fn count_uses(body: &Body) -> BTreeMap<ValueId, usize> {
    let mut out = BTreeMap::new();
    let mut add = |a: &Atom| {
        if let Atom::Var(v) = a {
            *out.entry(*v).or_default() += 1
        }
    };
    walk_bodies(body, &mut |b| {
        add(&b.result);
        b.stmts.iter().for_each(|s| s.operands().iter().for_each(&mut add));
    });
    out
}

impl Stmt {
    /// Its own operands.
    pub fn operands(&self) -> Vec<Atom> {
        match &self.kind {
            StmtKind::Let { expr, .. } => expr.operands(),
            StmtKind::Check { cond, values, .. } => std::iter::once(*cond).chain(values.iter().copied()).collect(),
        }
    }
}

/// Every value bound by a statement or for a body, at any depth, in order.
pub fn bound_values(body: &Body) -> Vec<ValueId> {
    let mut out = Vec::new();
    walk(body, &mut |stmt| {
        if let StmtKind::Let { value, expr, .. } = &stmt.kind {
            out.push(*value);
            out.extend(expr.binders());
        }
    });
    out
}

/// The values that a body uses and does not bind, also in the types that are written in it.
pub fn free_values(body: &Body) -> BTreeSet<ValueId> {
    let mut used: BTreeSet<ValueId> = count_uses(body).into_keys().collect();
    walk(body, &mut |stmt| {
        if let StmtKind::Let { expr, .. } = &stmt.kind {
            expr.parts(&mut |part| {
                if let Part::Type(t) = part {
                    used.extend(t.free_values())
                }
            });
        }
    });
    bound_values(body).iter().for_each(|v| {
        used.remove(v);
    });
    used
}

/// The values that a function written in place uses and does not bind.
pub fn free_values_of_lambda(lambda: &Lambda) -> BTreeSet<ValueId> {
    let mut used = free_values(&lambda.body);
    lambda.params.iter().for_each(|p| {
        used.remove(p);
    });
    used
}

/// The values that an expression uses and does not bind.
pub fn free_values_of_expr(expr: &Expr) -> BTreeSet<ValueId> {
    let mut used = BTreeSet::new();
    expr.parts(&mut |part| match part {
        Part::Use(a) => used.extend(a.var()),
        Part::Type(t) => used.extend(t.free_values()),
        Part::Body(b) => used.extend(free_values(b)),
        Part::Bind(_) => {}
    });
    expr.binders().iter().for_each(|p| {
        used.remove(p);
    });
    used
}

/// Like [`free_values`], and those that the types of the values bound inside mention.
pub fn free_values_with_types(body: &Body, values: &IdVec<ValueId, Value>) -> BTreeSet<ValueId> {
    let bound = bound_values(body);
    let mut used = free_values(body);
    bound.iter().for_each(|v| used.extend(values[*v].ty.free_values()));
    bound.iter().for_each(|v| {
        used.remove(v);
    });
    used
}

/// Whether a check (or a size that is checked) stands in the body, at any depth. A proved one counts: it holds where it
/// stands, and perhaps nowhere else.
pub fn has_checks(body: &Body) -> bool {
    let mut found = false;
    walk(body, &mut |stmt| {
        found |= match &stmt.kind {
            StmtKind::Check { .. } => true,
            StmtKind::Let { expr, .. } => matches!(expr, Expr::Ascribe { .. }),
        }
    });
    found
}

fn own_check(expr: &Expr) -> Option<CheckId> {
    match expr {
        Expr::Ascribe { check, .. } => Some(*check),
        _ => None,
    }
}

/// The checks that stand in a body, at any depth, those of ascriptions among them.
pub fn checks_in(body: &Body) -> Vec<CheckId> {
    let mut out = Vec::new();
    walk(body, &mut |stmt| match &stmt.kind {
        StmtKind::Check { check, .. } => out.push(*check),
        StmtKind::Let { expr, .. } => out.extend(own_check(expr)),
    });
    out
}

/// The checks of an expression: that of an ascription, and those that stand inside, at any depth.
pub fn checks_of(expr: &Expr) -> Vec<CheckId> {
    let mut out: Vec<CheckId> = own_check(expr).into_iter().collect();
    expr.bodies().into_iter().for_each(|b| out.extend(checks_in(b)));
    out
}

fn replace(atom: &mut Atom, map: &BTreeMap<ValueId, Atom>) {
    if let Atom::Var(v) = atom
        && let Some(new) = map.get(v)
    {
        *atom = *new;
    }
}

/// Replaces values by operands in an expression, at any depth.
pub fn substitute_expr(expr: &mut Expr, map: &BTreeMap<ValueId, Atom>) {
    expr.parts_mut(&mut |part| match part {
        PartMut::Use(a) => replace(a, map),
        PartMut::Type(t) => t.substitute(map),
        PartMut::Body(b) => substitute(b, map),
        PartMut::Bind(_) => {}
    })
}

/// Replaces values by operands in a body, at any depth; sizes follow where the replacement is a value or an integer.
pub fn substitute(body: &mut Body, map: &BTreeMap<ValueId, Atom>) {
    for stmt in &mut body.stmts {
        match &mut stmt.kind {
            StmtKind::Let { expr, .. } => substitute_expr(expr, map),
            StmtKind::Check { cond, values, .. } => {
                replace(cond, map);
                values.iter_mut().for_each(|a| replace(a, map));
            }
        }
    }
    replace(&mut body.result, map);
}

/// Like [`substitute`], and in the types of the values bound inside.
pub fn substitute_with_types(body: &mut Body, values: &mut IdVec<ValueId, Value>, map: &BTreeMap<ValueId, Atom>) {
    substitute(body, map);
    bound_values(body).into_iter().for_each(|v| values[v].ty.substitute(map));
}

fn rename_binders(body: &mut Body, map: &BTreeMap<ValueId, Atom>) {
    let rename = |v: &mut ValueId| {
        if let Some(Atom::Var(new)) = map.get(v) {
            *v = *new
        }
    };
    walk_mut(body, &mut |stmt| {
        if let StmtKind::Let { value, expr, .. } = &mut stmt.kind {
            rename(value);
            expr.parts_mut(&mut |part| {
                if let PartMut::Bind(v) = part {
                    rename(v)
                }
            });
        }
    });
}

type Table = IdVec<ValueId, Value>;

/// Where the values that are copied come from: another function's table, or the one they go to.
fn make_fresh(bound: Vec<ValueId>, from: Option<&Table>, to: &mut Table, map: &mut BTreeMap<ValueId, Atom>) {
    let mut fresh = Vec::with_capacity(bound.len());
    for old in bound {
        let value = from.unwrap_or(to)[old].clone();
        let new = to.push(value);
        map.insert(old, Atom::Var(new));
        fresh.push(new);
    }
    fresh.into_iter().for_each(|new| to[new].ty.substitute(map));
}

fn renamed(body: &Body, map: &BTreeMap<ValueId, Atom>) -> Body {
    let mut copy = body.clone();
    substitute(&mut copy, map);
    rename_binders(&mut copy, map);
    copy
}

fn bound_by_lambda(lambda: &Lambda) -> Vec<ValueId> {
    lambda.params.iter().copied().chain(bound_values(&lambda.body)).collect()
}

fn renamed_lambda(lambda: &Lambda, map: &BTreeMap<ValueId, Atom>) -> Lambda {
    let params = lambda.params.iter().map(|p| map.get(p).and_then(|a| a.var()).unwrap_or(*p)).collect();
    Lambda { params, body: renamed(&lambda.body, map) }
}

/// A copy of a body of a function with the table `from`, for a function with the table `to`: everything bound in it gets a
/// fresh value there, and `map` says what its free values become. Afterwards `map` also has the new values.
pub fn copy_body(
    body: &Body,
    from: &IdVec<ValueId, Value>,
    to: &mut IdVec<ValueId, Value>,
    map: &mut BTreeMap<ValueId, Atom>,
) -> Body {
    let mut bound = bound_values(body);
    bound.extend(positions(body, &bound, from));
    make_fresh(bound, Some(from), to, map);
    renamed(body, map)
}

/// A copy of a function written in place, as [`copy_body`] makes it.
pub fn copy_lambda(
    lambda: &Lambda,
    from: &IdVec<ValueId, Value>,
    to: &mut IdVec<ValueId, Value>,
    map: &mut BTreeMap<ValueId, Atom>,
) -> Lambda {
    let mut bound = bound_by_lambda(lambda);
    bound.extend(positions(&lambda.body, &bound, from));
    make_fresh(bound, Some(from), to, map);
    renamed_lambda(lambda, map)
}

/// The values that stand for positions in the types written in a body and in those of the values bound there. They are no
/// values of the function they are copied to, where their numbers may mean something else.
fn positions(body: &Body, bound: &[ValueId], values: &IdVec<ValueId, Value>) -> BTreeSet<ValueId> {
    let mut out = BTreeSet::new();
    bound.iter().for_each(|v| values[*v].ty.positions(&mut out));
    walk(body, &mut |stmt| {
        if let StmtKind::Let { expr, .. } = &stmt.kind {
            expr.parts(&mut |part| {
                if let Part::Type(t) = part {
                    t.positions(&mut out)
                }
            });
        }
    });
    out
}

/// Gives everything bound in the body a fresh value, so that it can stand a second time in the same function. Returns what
/// became what.
pub fn refresh(body: &mut Body, values: &mut IdVec<ValueId, Value>) -> BTreeMap<ValueId, Atom> {
    let mut map = BTreeMap::new();
    make_fresh(bound_values(body), None, values, &mut map);
    *body = renamed(body, &map);
    map
}

/// Gives the parameters and everything bound inside a fresh value.
pub fn refresh_lambda(lambda: &mut Lambda, values: &mut IdVec<ValueId, Value>) -> BTreeMap<ValueId, Atom> {
    let mut map = BTreeMap::new();
    make_fresh(bound_by_lambda(lambda), None, values, &mut map);
    *lambda = renamed_lambda(lambda, &map);
    map
}

/// How many of each operator a function has.
pub fn count_operators_of(function: &Function) -> BTreeMap<&'static str, usize> {
    let mut out = BTreeMap::new();
    walk(&function.body, &mut |stmt| {
        if let StmtKind::Let { expr, .. } = &stmt.kind
            && let Some(name) = expr.operator_name()
        {
            *out.entry(name).or_default() += 1;
        }
    });
    out
}

/// How many of each operator a program has.
pub fn count_operators(program: &Program) -> BTreeMap<&'static str, usize> {
    let mut out = BTreeMap::new();
    for function in &program.functions {
        for (name, n) in count_operators_of(function) {
            *out.entry(name).or_default() += n;
        }
    }
    out
}
