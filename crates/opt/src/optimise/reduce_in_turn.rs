//! Rows whose results are only read in turned order are reduced in that order.
//!
//! ```text
//! let r = reduce grid [m][n][k] (i, j, l | …) { x[f(j, l) + i] }           column after column, each element far from the last
//! map grid [n][m] (j, i | …) { r[i * n + j] }
//!
//! reduce grid [n][m][k] (j, i, l | …) { x[f(j, l) + i] }
//! ```
//!
//! That is what a program says that works along the columns of a matrix: transpose, work along rows, transpose back. The results are the same elements, each
//! combined in the same order; the pass that turns them back is gone, and neighbouring rows read neighbouring elements, which makes vector code of them
//! ([`crate::lower::kernels`]). The number of rows may also be `if empty { 0 } else { n }`, as it is where a matrix may have none.
//!
//! Declined: GPUs; results that anything else looks at; reductions with checks, or over other than three regular dimensions; bodies in which a read
//! is of elements that are not neighbours, or the same, where `i` goes on by one.

use crate::analysis::places::{atom, places};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, Scalar};
use terrace_ir::flat::visit::{count_uses, has_checks, substitute};
use terrace_ir::flat::{Body, Descriptor, Expr, Function, Level, Op, OpKind, Program, Stmt, Value};
use terrace_ir::{Atom, ValueId, size_var};

/// Turns reductions, in all functions.
pub fn reduce_in_turn(program: &mut Program) {
    for id in program.functions.ids() {
        let function = &mut program.functions[id];
        let uses = count_uses(&function.body);
        let mut known = BTreeMap::new();
        lengths(&function.body, &mut known);
        let Function { body, values, .. } = function;
        list(body, values, &uses, &known);
    }
}

/// What `if empty { 0 } else { n }` is where it is not nothing.
fn lengths(body: &Body, out: &mut BTreeMap<ValueId, Atom>) {
    let nothing = |a: &Atom| *a == Atom::Const(Scalar::I64(0));
    for stmt in &body.stmts {
        let sides = match &stmt.expr {
            Expr::If { then, otherwise, .. } if then.stmts.is_empty() && otherwise.stmts.is_empty() => {
                match (then.results.as_slice(), otherwise.results.as_slice()) {
                    ([a], [b]) => Some((*a, *b)),
                    _ => None,
                }
            }
            Expr::Select(_, a, b) => Some((*a, *b)),
            _ => None,
        };
        match sides {
            Some((a, b)) if nothing(&a) => drop(out.insert(stmt.binds[0], b)),
            Some((a, b)) if nothing(&b) => drop(out.insert(stmt.binds[0], a)),
            _ => {}
        }
        stmt.expr.bodies().into_iter().for_each(|b| lengths(b, out));
    }
}

/// At the host level.
fn list(
    body: &mut Body,
    values: &mut IdVec<ValueId, Value>,
    uses: &BTreeMap<ValueId, usize>,
    known: &BTreeMap<ValueId, Atom>,
) {
    for at in (0..body.stmts.len()).rev() {
        if let Some(map) = reader(body, at, uses, known) {
            let reduce = body.stmts[at].clone();
            let Expr::Op(op) = &body.stmts[map].expr else { continue };
            let space = op.space.clone();
            body.stmts[map].expr = turned(reduce.expr, space, values);
            body.stmts.remove(at);
            continue;
        }
        let inner = &mut body.stmts[at].expr;
        if !matches!(inner, Expr::Op(_)) {
            inner.bodies_mut().into_iter().for_each(|b| list(b, values, uses, known));
        }
    }
}

/// The statement that turns what the one at `at` reduces, if there is one and turning first is better.
fn reader(body: &Body, at: usize, uses: &BTreeMap<ValueId, usize>, known: &BTreeMap<ValueId, Atom>) -> Option<usize> {
    let Stmt { binds, expr: Expr::Op(op), .. } = &body.stmts[at] else { return None };
    let ([bind], [Descriptor::Regular(m), Descriptor::Regular(n), Descriptor::Regular(_)]) =
        (binds.as_slice(), op.space.as_slice())
    else {
        return None;
    };
    let reduces = matches!(op.kind, OpKind::Reduce { .. }) && op.level == Level::Grid && !has_checks(&op.body);
    if !reduces || uses.get(bind) != Some(&1) || !goes_on(op) {
        return None;
    }
    (at + 1..body.stmts.len()).find(|s| is_turn(&body.stmts[*s], *bind, m, n, known))
}

/// Whether a statement is the map that turns `n` columns of `m` rows.
fn is_turn(stmt: &Stmt, column: ValueId, m: &Atom, n: &Atom, known: &BTreeMap<ValueId, Atom>) -> bool {
    let Expr::Op(op) = &stmt.expr else { return false };
    let ([Descriptor::Regular(rows), Descriptor::Regular(columns)], [result]) =
        (op.space.as_slice(), op.body.results.as_slice())
    else {
        return false;
    };
    let is_map = matches!(op.kind, OpKind::Map { rows: None }) && op.level == Level::Grid && !has_checks(&op.body);
    let as_many = rows == n || rows.var().and_then(|v| known.get(&v)) == Some(n);
    let read = op.body.stmts.iter().find_map(|s| match s.expr {
        Expr::Read { column: from, at } if from == column && result.var() == Some(s.binds[0]) => Some(at),
        _ => None,
    });
    let turned = || {
        let index = |d: usize| atom(&op.indices[d].into());
        index(1)?.checked_mul(&atom(n)?)?.checked_add(&index(0)?)
    };
    let place = read.and_then(|at| places(op, &at));
    is_map && as_many && columns == m && place.is_some() && place == turned()
}

/// Whether all reads go on by one element, or stay, where the outermost index does, some go on, and nothing else is in the way.
fn goes_on(op: &Op) -> bool {
    let mut steps: BTreeMap<ValueId, Option<i64>> =
        [op.indices[0], op.positions[0]].into_iter().map(|v| (v, Some(1))).collect();
    let mut on = false;
    let later = [size_var(op.positions[1]), size_var(op.positions[2])];
    for stmt in &op.body.stmts {
        let used: BTreeSet<ValueId> = stmt.expr.operands().into_iter().collect();
        if !stmt.expr.bodies().is_empty() || later.iter().any(|p| used.iter().any(|v| size_var(*v) == *p)) {
            return false;
        }
        let step = |a: &Atom| a.var().map_or(Some(0), |v| steps.get(&v).copied().unwrap_or(Some(0)));
        let all_stay = used.iter().all(|v| step(&(*v).into()) == Some(0));
        let next = match &stmt.expr {
            Expr::Read { at, .. } => {
                match step(at) {
                    Some(0) => {}
                    Some(1) => on = true,
                    _ => return false,
                }
                all_stay.then_some(0)
            }
            Expr::Atom(a) => step(a),
            Expr::Binary(BinOp::Add, a, b) => step(a).zip(step(b)).map(|(a, b)| a + b),
            Expr::Binary(BinOp::Sub, a, b) => step(a).zip(step(b)).map(|(a, b)| a - b),
            _ => all_stay.then_some(0),
        };
        steps.extend(stmt.binds.iter().map(|v| (*v, next)));
    }
    let results = op.body.results.iter().filter_map(|a| a.var());
    on && results.into_iter().all(|v| !later.contains(&size_var(v)))
}

/// The reduction with its first two dimensions, which are now those of `space`, the other way round.
fn turned(mut expr: Expr, space: Vec<Descriptor>, values: &mut IdVec<ValueId, Value>) -> Expr {
    if let Expr::Op(op) = &mut expr {
        let first = BTreeMap::from([(op.positions[0], Atom::Var(op.indices[0]))]);
        substitute(&mut op.body, &first);
        op.space.splice(0..2, space);
        op.indices.swap(0, 1);
        for p in &mut op.positions {
            let new = Value { bound: None, ..values[*p].clone() };
            *p = values.push(new);
        }
    }
    expr
}
