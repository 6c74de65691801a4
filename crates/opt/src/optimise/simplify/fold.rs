//! Copies, constants and identities.
//!
//! ```text
//! let a = x_1            (gone: a becomes x_1)
//! let b = add a 0        (gone: b becomes x_1)
//! let h = div n 2        let h = shr n 1
//! let c = eq b x_1       (gone: c becomes true)
//! check 3 c              (gone: proved)
//!
//! map grid [n][m] (i, j | p, q) {
//!   let k = mul p m
//!   let l = add k j      (gone: l becomes q)
//!
//! let ys : f64[n] = map grid [n] (i | p) { let x = xs[p]  => x }        (unused: ys becomes xs, of the same length)
//!
//! let ids = map grid [n] (i | p) { => p }
//! let k = ids[j]         (gone: k becomes j)
//! ```

use super::scalars;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, Scalar};
use terrace_ir::flat::visit::{has_checks, substitute, substitute_expr, substitute_with_types};
use terrace_ir::flat::{Body, Descriptor, Expr, Function, Op, OpKind, Stmt, Value};
use terrace_ir::{Atom, ValueId};

/// Folds; says whether anything changed.
pub(super) fn fold(function: &mut Function) -> bool {
    let mut changed = false;
    let mut body = std::mem::take(&mut function.body);
    let mut fold = Fold { values: &function.values, known: BTreeMap::new(), numbers: BTreeSet::new() };
    fold.body(&mut body, &mut changed);
    let known = fold.known;
    if !known.is_empty() {
        changed = true;
        // Chains such as a := b, b := c are resolved by folding in order, so one substitution is enough.
        substitute_with_types(&mut body, &mut function.values, &known);
        for value in function.values.iter_mut() {
            value.substitute(&known);
        }
        function.results.iter_mut().for_each(|t| t.substitute(&known));
    }
    function.body = body;
    changed
}

struct Fold<'a> {
    values: &'a IdVec<ValueId, Value>,
    /// What values are that need no name of their own.
    known: BTreeMap<ValueId, Atom>,
    /// Columns whose elements are their own positions.
    numbers: BTreeSet<ValueId>,
}

impl Fold<'_> {
    fn body(&mut self, body: &mut Body, changed: &mut bool) {
        let mut out = Vec::with_capacity(body.stmts.len());
        for mut stmt in std::mem::take(&mut body.stmts) {
            substitute_expr(&mut stmt.expr, &self.known);
            if let Some(taken) = resolved(&mut stmt) {
                *changed = true;
                let mut taken = taken;
                self.body(&mut taken, changed);
                out.extend(taken.stmts);
                self.known.extend(stmt.binds.iter().copied().zip(taken.results));
                continue;
            }
            if let Expr::Op(op) = &mut stmt.expr {
                one_name_for_one_dimension(op);
                *changed |= one_name_for_a_position(op);
            }
            stmt.expr.bodies_mut().into_iter().for_each(|b| self.body(b, changed));
            self.known.extend(copies(&stmt, self.values));
            self.numbers.extend(numbers(&stmt));
            if let Expr::Check { cond: Atom::Const(Scalar::Bool(true)), .. } = stmt.expr {
                *changed = true;
                continue;
            }
            if let Some(cheaper) = by_power_of_two(&stmt.expr) {
                *changed = true;
                stmt.expr = cheaper;
            }
            match (stmt.binds.as_slice(), self.simpler(&stmt.expr)) {
                ([bind], Some(atom)) => {
                    self.known.insert(*bind, atom);
                }
                _ => out.push(stmt),
            }
        }
        body.stmts = out;
        for result in &mut body.results {
            if let Some(to) = result.var().and_then(|v| self.known.get(&v)) {
                *result = *to;
            }
        }
    }

    fn simpler(&self, expr: &Expr) -> Option<Atom> {
        match expr {
            Expr::Read { column, at } if self.numbers.contains(column) => Some(*at),
            expr => simpler(expr, self.values),
        }
    }
}

/// In a single dimension the index is the position: a read at one is a read at the other.
fn one_name_for_one_dimension(op: &mut Op) {
    if let ([index], [position]) = (op.indices.as_slice(), op.positions.as_slice()) {
        substitute(&mut op.body, &BTreeMap::from([(*index, Atom::Var(*position))]));
    }
}

/// In a dimension of `m` points a row, point `j` of row `p` is at `p * m + j`: what computes that again is the position, and a read there
/// is a read in place, which fusion looks for.
fn one_name_for_a_position(op: &mut Op) -> bool {
    let mut found = false;
    for d in 1..op.space.len() {
        let Descriptor::Regular(length) = op.space[d] else { continue };
        let mut rows = vec![Atom::Var(op.positions[d - 1])];
        rows.extend((d == 1).then_some(Atom::Var(op.indices[0])));
        let named = Position { rows, length, index: op.indices[d].into(), position: op.positions[d].into() };
        named.body(&mut op.body, &mut Vec::new(), &mut found);
    }
    found
}

/// A position and what it is computed from.
struct Position {
    rows: Vec<Atom>,
    length: Atom,
    index: Atom,
    position: Atom,
}

impl Position {
    /// `starts` are the values known to be the start of the row.
    fn body(&self, body: &mut Body, starts: &mut Vec<ValueId>, found: &mut bool) {
        let either = |a: Atom, b: Atom, f: &dyn Fn(Atom, Atom) -> bool| f(a, b) || f(b, a);
        for stmt in &mut body.stmts {
            match (&stmt.expr, stmt.binds.as_slice()) {
                (Expr::Binary(BinOp::Mul, a, b), [bind])
                    if either(*a, *b, &|a, b| self.rows.contains(&a) && b == self.length) =>
                {
                    starts.push(*bind);
                }
                (Expr::Binary(BinOp::Add, a, b), [_])
                    if either(*a, *b, &|a, b| a.var().is_some_and(|v| starts.contains(&v)) && b == self.index) =>
                {
                    *found = true;
                    stmt.expr = Expr::Atom(self.position);
                }
                _ => stmt.expr.bodies_mut().into_iter().for_each(|b| self.body(b, starts, found)),
            }
        }
    }
}

/// The results of a map that are columns which exist already, element for element. Where the map has checks, its result is what may be
/// relied on after them.
fn copies(stmt: &Stmt, values: &IdVec<ValueId, Value>) -> Vec<(ValueId, Atom)> {
    let Some(op) = stmt.expr.op() else { return Vec::new() };
    let (OpKind::Map { rows: None }, Some(own)) = (&op.kind, op.positions.last()) else { return Vec::new() };
    if has_checks(&op.body) {
        return Vec::new();
    }
    let source = |result: &Atom| {
        let from = op.body.stmts.iter().find(|s| result.var().is_some_and(|v| s.binds.contains(&v)))?;
        match &from.expr {
            Expr::Read { column, at } if *at == Atom::Var(*own) => Some(*column),
            _ => None,
        }
    };
    let whole = |bind: &ValueId, column: &ValueId| values[*bind].ty == values[*column].ty;
    let pairs = stmt.binds.iter().zip(&op.body.results);
    let found = pairs.filter_map(|(bind, result)| source(result).filter(|c| whole(bind, c)).map(|c| (*bind, c.into())));
    found.collect()
}

/// The results of a map that are the positions of its points.
fn numbers(stmt: &Stmt) -> Vec<ValueId> {
    let Some(op) = stmt.expr.op() else { return Vec::new() };
    let (OpKind::Map { rows: None }, Some(own)) = (&op.kind, op.positions.last()) else { return Vec::new() };
    let pairs = stmt.binds.iter().zip(&op.body.results);
    pairs.filter(|(_, result)| **result == Atom::Var(*own)).map(|(bind, _)| *bind).collect()
}

/// The branch of a conditional on a constant.
fn resolved(stmt: &mut Stmt) -> Option<Body> {
    match &mut stmt.expr {
        Expr::If { cond: Atom::Const(Scalar::Bool(c)), then, otherwise } => {
            Some(std::mem::take(if *c { then } else { otherwise }))
        }
        _ => None,
    }
}

fn simpler(expr: &Expr, values: &IdVec<ValueId, Value>) -> Option<Atom> {
    match expr {
        Expr::Atom(a) => Some(*a),
        Expr::Unary(op, a) => scalars::unary(*op, *a),
        Expr::Convert(ty, a) => scalars::converted(*ty, *a),
        Expr::Fma(a, b, c) => scalars::fused(*a, *b, *c),
        Expr::Select(Atom::Const(Scalar::Bool(c)), a, b) => Some(if *c { *a } else { *b }),
        Expr::Select(_, a, b) if a == b => Some(*a),
        Expr::Size(size) => match (size.as_constant(), size.as_var()) {
            (Some(c), _) => Some(Atom::int(c)),
            (_, Some(v)) => Some(Atom::Var(terrace_ir::value_of(v))),
            _ => None,
        },
        Expr::Binary(op, a, b) => scalars::binary(*op, *a, *b, a.var().or(b.var()).and_then(|v| values[v].ty.elem())),
        _ => None,
    }
}

/// Division rounds towards minus infinity, so by a power of two it is a shift, and the remainder a mask, whatever the sign.
fn by_power_of_two(expr: &Expr) -> Option<Expr> {
    let Expr::Binary(op @ (BinOp::Div | BinOp::Rem), a, Atom::Const(c)) = expr else { return None };
    let by = c.as_i128().filter(|n| *n > 1 && n.count_ones() == 1)?;
    let constant = |n: i64| Atom::Const(Scalar::from_i64(c.ty(), n));
    Some(match op {
        BinOp::Div => Expr::Binary(BinOp::Shr, *a, constant(i64::from(by.trailing_zeros()))),
        _ => Expr::Binary(BinOp::And, *a, constant((by - 1) as i64)),
    })
}
