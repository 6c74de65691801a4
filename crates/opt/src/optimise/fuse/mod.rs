//! Fusion: operators over the same space become one.
//!
//! ```text
//! let t : f64[…] = map grid [n][off] (i, j | p, q) { … => x * v }        let s = reduce grid [n][off] … by add {
//! let s : f64[n] = reduce grid [n][off] (k, l | r, z) by add { t[z] }  →    … x * v
//!                                                                         }
//! ```
//!
//! Three rules, each in a file of its own and each applied until it finds nothing:
//! - `vertical`: a map whose results are read by one operator only, at that operator's own position, moves into its body;
//! - `packs`: what a filter keeps is not stored where one operator consumes it: a reduction over kept elements becomes a
//!   masked reduction over all, a map over kept elements moves into the filter;
//! - `horizontal`: independent maps over equal spaces become one map with more results.
//!
//! Work is never duplicated: a producer with two consumers stays (Clifton-Everest's thesis, section 5.3, does the same
//! component by component; so does this, after the simplifier has dropped unused results). Checks move along with the body
//! they stand in, and run exactly as often as before: spaces are equal, and an operator runs whenever its producer did.

mod horizontal;
mod packs;
mod vertical;

use std::collections::{BTreeMap, BTreeSet};
use terrace_base::IdVec;
use terrace_ir::flat::visit::{count_operators_of, free_values_of_expr, has_checks, substitute};
use terrace_ir::flat::{Body, Expr, Function, Level, Op, OpKind, Program, Stmt, Value};
use terrace_ir::{Atom, ValueId};

/// Fuses producers into consumers in all functions.
pub fn fuse(program: &mut Program) {
    each_body(program, &mut |body, values| {
        while vertical::step(body, values) || packs::step(body, values) {}
    });
}

/// Fuses neighbours in all functions.
pub fn fuse_neighbours(program: &mut Program) {
    each_body(program, &mut |body, values| while horizontal::step(body, values) {});
}

fn each_body(program: &mut Program, f: &mut dyn FnMut(&mut Body, &mut IdVec<ValueId, Value>)) {
    for function in program.functions.iter_mut() {
        let Function { body, values, .. } = function;
        host_bodies(body, &mut |b| f(b, values));
    }
}

/// Gives `f` every body at the host level.
fn host_bodies(body: &mut Body, f: &mut dyn FnMut(&mut Body)) {
    for stmt in &mut body.stmts {
        match &mut stmt.expr {
            Expr::If { then, otherwise, .. } => {
                host_bodies(then, f);
                host_bodies(otherwise, f);
            }
            Expr::Loop { cond, body, .. } => {
                host_bodies(cond, f);
                host_bodies(body, f);
            }
            _ => {}
        }
    }
    f(body);
}

/// The grid operator that a statement is.
fn grid_op(stmt: &Stmt) -> Option<&Op> {
    match &stmt.expr {
        Expr::Op(op) if op.level == Level::Grid => Some(op),
        _ => None,
    }
}

/// A map whose points are computed by a thread each: a body that takes a whole block stays a kernel of its own.
fn plain_map(stmt: &Stmt) -> Option<&Op> {
    let by_threads = |op: &Op| count_operators_of(&op.body).keys().all(|(_, level)| *level == Level::Thread);
    grid_op(stmt).filter(|op| op.kind == OpKind::Map { rows: None } && by_threads(op))
}

/// Whether a statement may stop the program: nothing that comes after it may move before it.
fn may_stop(stmt: &Stmt) -> bool {
    matches!(stmt.expr, Expr::Check { .. } | Expr::Call { .. } | Expr::Loop { .. })
        || stmt.expr.bodies().into_iter().any(|b| has_checks(b) || b.stmts.iter().any(may_stop))
}

/// The statements of a body that mention one of the values, and whether the body's results do.
fn mentions(body: &Body, values: &BTreeSet<ValueId>) -> (Vec<usize>, bool) {
    let stmts = body.stmts.iter().enumerate();
    let users = stmts.filter(|(_, s)| !free_values_of_expr(&s.expr).is_disjoint(values)).map(|(k, _)| k).collect();
    let returned = body.results.iter().any(|a| a.var().is_some_and(|v| values.contains(&v)));
    (users, returned)
}

/// Whether the operator mentions the columns only in its body, and there only to read them at its own position.
fn reads_in_place(op: &Op, columns: &BTreeSet<ValueId>) -> bool {
    let mut elsewhere = Op { body: Body::default(), ..op.clone() };
    elsewhere.body.results.clear();
    let outside = free_values_of_expr(&Expr::Op(Box::new(elsewhere)));
    let own = op.positions.last().map(|p| Atom::Var(*p));
    outside.is_disjoint(columns) && body_reads_in_place(&op.body, columns, own)
}

fn body_reads_in_place(body: &Body, columns: &BTreeSet<ValueId>, own: Option<Atom>) -> bool {
    body.stmts.iter().all(|s| match &s.expr {
        Expr::Read { column, at } if columns.contains(column) => Some(*at) == own,
        other if other.bodies().is_empty() => free_values_of_expr(other).is_disjoint(columns),
        other => {
            let shell: BTreeSet<ValueId> = other.operands().into_iter().collect();
            shell.is_disjoint(columns) && other.bodies().into_iter().all(|b| body_reads_in_place(b, columns, own))
        }
    })
}

/// Replaces reads of columns, at the operator's own position, by scalars.
fn replace_reads(body: &mut Body, scalars: &BTreeMap<ValueId, Atom>) {
    for stmt in &mut body.stmts {
        if let Expr::Read { column, .. } = &stmt.expr
            && let Some(to) = scalars.get(column)
        {
            stmt.expr = Expr::Atom(*to);
        }
        stmt.expr.bodies_mut().into_iter().for_each(|b| replace_reads(b, scalars));
    }
}

/// The producer's body in terms of the consumer's indices and positions.
fn adopted(producer: &Op, indices: &[ValueId], positions: &[ValueId]) -> Body {
    let mut body = producer.body.clone();
    let from = producer.indices.iter().chain(&producer.positions);
    let to = indices.iter().chain(positions).map(|v| Atom::Var(*v));
    let map: BTreeMap<ValueId, Atom> = from.copied().zip(to).collect();
    substitute(&mut body, &map);
    body
}
