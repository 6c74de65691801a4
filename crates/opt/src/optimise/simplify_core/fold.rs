//! Copies, constants, components and lengths.
//!
//! ```text
//! let a = x_1                       (gone: a becomes x_1)
//! let t = (a, 2)   let b = t.1      (b becomes 2)
//! let ys = map f xs   length ys     length xs
//! let is = iota n   is[k]           k
//! if true { … } else { … }          the first branch
//! generate (i) < n { 0 <= i … }     true: an index is not negative
//! ```
//!
//! A copy whose type states sizes that the original's does not stays: it says more.

use crate::optimise::simplify::scalars;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, Scalar};
use terrace_ir::core::visit::PartMut;
use terrace_ir::core::{Body, Expr, Function, Lambda, Stmt, StmtKind, Type, Value};
use terrace_ir::{Atom, ValueId};

/// What is known about a value.
enum Known {
    Tuple(Vec<Atom>),
    Variant(usize, Vec<Atom>),
    /// An array with that many elements; where they are the same or their own position, which.
    Counted(Atom, Option<Elements>),
    /// An array as long as another one.
    AsLongAs(Atom),
}

#[derive(Clone, Copy)]
enum Elements {
    Positions,
    Same(Atom),
}

struct Fold<'a> {
    values: &'a IdVec<ValueId, Value>,
    known: BTreeMap<ValueId, Atom>,
    facts: BTreeMap<ValueId, Known>,
    /// Indices of generates.
    indices: BTreeSet<ValueId>,
    changed: bool,
}

/// Folds; says whether anything changed.
pub(super) fn fold(function: &mut Function) -> bool {
    let empty = Body { stmts: Vec::new(), result: Atom::int(0) };
    let mut body = std::mem::replace(&mut function.body, empty);
    let (known, facts, indices) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
    let mut fold = Fold { values: &function.values, known, facts, indices, changed: false };
    fold.body(&mut body);
    let Fold { known, changed, .. } = fold;
    function.body = body;
    if !known.is_empty() {
        function.values.iter_mut().for_each(|v| v.ty.substitute(&known));
        function.result.substitute(&known);
    }
    changed
}

impl Fold<'_> {
    fn replace(&self, atom: &mut Atom) {
        if let Some(new) = atom.var().and_then(|v| self.known.get(&v)) {
            *atom = *new;
        }
    }

    fn body(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.stmts.len());
        for stmt in std::mem::take(&mut body.stmts) {
            self.stmt(stmt, &mut out);
        }
        body.stmts = out;
        self.replace(&mut body.result);
    }

    fn stmt(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        match &mut stmt.kind {
            StmtKind::Check { cond, values, proved, .. } => {
                self.replace(cond);
                values.iter_mut().for_each(|v| self.replace(v));
                if *cond == Atom::Const(Scalar::Bool(true)) && !*proved {
                    *proved = true;
                    self.changed = true;
                }
                out.push(stmt);
            }
            StmtKind::Let { value, expr, .. } => {
                let value = *value;
                if let Some(taken) = self.expr(expr) {
                    self.changed = true;
                    for inner in taken.stmts {
                        self.stmt(inner, out);
                    }
                    let mut result = taken.result;
                    self.replace(&mut result);
                    *expr = Expr::Atom(result);
                }
                if let Some(cheaper) = self.cheaper(expr) {
                    self.changed = true;
                    *expr = cheaper;
                }
                if let Some(atom) = self.simpler(value, expr) {
                    self.changed = true;
                    self.known.insert(value, atom);
                    return;
                }
                self.learn(value, expr);
                out.push(stmt);
            }
        }
    }

    /// Folds inside an expression; gives the branch of a conditional that is decided.
    fn expr(&mut self, expr: &mut Expr) -> Option<Body> {
        expr.parts_mut(&mut |part| match part {
            PartMut::Use(a) => self.replace(a),
            PartMut::Type(t) => t.substitute(&self.known),
            PartMut::Body(_) | PartMut::Bind(_) => {}
        });
        let gone = || Body { stmts: Vec::new(), result: Atom::int(0) };
        match expr {
            Expr::If { cond: Atom::Const(Scalar::Bool(c)), then, otherwise } => {
                return Some(std::mem::replace(if *c { then } else { otherwise }, gone()));
            }
            Expr::Match { value: Atom::Var(v), arms } => {
                if let Some(Known::Variant(tag, fields)) = self.facts.get(v) {
                    let Lambda { params, body } =
                        std::mem::replace(&mut arms[*tag], Lambda { params: Vec::new(), body: gone() });
                    self.known.extend(params.into_iter().zip(fields.iter().copied()));
                    return Some(body);
                }
            }
            _ => {}
        }
        // Not the counters of loops: what is said about those is how later passes know that they are not negative.
        if let Expr::Generate { lambda, .. } = expr {
            self.indices.extend(lambda.params.first());
        }
        expr.bodies_mut().into_iter().for_each(|b| self.body(b));
        None
    }

    fn scalar(&self, atom: Atom) -> Option<terrace_base::ScalarType> {
        match atom {
            Atom::Const(c) => Some(c.ty()),
            Atom::Var(v) => self.values[v].ty.scalar(),
        }
    }

    fn fact(&self, atom: Atom) -> Option<&Known> {
        atom.var().and_then(|v| self.facts.get(&v))
    }

    /// The operand that an expression is.
    fn simpler(&self, value: ValueId, expr: &Expr) -> Option<Atom> {
        match expr {
            Expr::Atom(a) => self.says_no_more(value, *a).then_some(*a),
            Expr::Unary(op, a) => scalars::unary(*op, *a),
            Expr::Convert(ty, a) => scalars::converted(*ty, *a),
            Expr::Fma(a, b, c) => scalars::fused(*a, *b, *c),
            Expr::Binary(BinOp::Le, Atom::Const(c), Atom::Var(i))
            | Expr::Binary(BinOp::Ge, Atom::Var(i), Atom::Const(c))
                if self.indices.contains(i) && c.as_i64().is_some_and(|n| n <= 0) =>
            {
                Some(Atom::Const(Scalar::Bool(true)))
            }
            Expr::Binary(op, a, b) => scalars::binary(*op, *a, *b, self.scalar(*a)),
            Expr::Project(a, k) => match self.fact(*a)? {
                Known::Tuple(items) => items.get(*k).copied().filter(|i| self.says_no_more(value, *i)),
                _ => None,
            },
            Expr::Length(a) => match self.fact(*a)? {
                Known::Counted(n, _) => Some(*n),
                _ => None,
            },
            Expr::Index { array, index } => match self.fact(*array)? {
                Known::Counted(_, Some(Elements::Positions)) => Some(*index),
                Known::Counted(_, Some(Elements::Same(a))) => Some(*a).filter(|a| self.says_no_more(value, *a)),
                _ => None,
            },
            _ => None,
        }
    }

    /// An expression that is easier to compute.
    fn cheaper(&self, expr: &Expr) -> Option<Expr> {
        let Expr::Length(a) = expr else { return None };
        match self.fact(*a)? {
            Known::AsLongAs(b) => Some(Expr::Length(*b)),
            _ => None,
        }
    }

    fn says_no_more(&self, value: ValueId, than: Atom) -> bool {
        let ty = &self.values[value].ty;
        match than {
            Atom::Const(_) => true,
            Atom::Var(v) => *ty == self.values[v].ty || *ty == ty.without_sizes() || matches!(ty, Type::Scalar(_)),
        }
    }

    fn learn(&mut self, value: ValueId, expr: &Expr) {
        let as_long_as = |a: Atom| match self.fact(a) {
            Some(Known::AsLongAs(b)) => Known::AsLongAs(*b),
            Some(Known::Counted(n, _)) => Known::Counted(*n, None),
            _ => Known::AsLongAs(a),
        };
        let fact = match expr {
            Expr::Tuple(items) => Known::Tuple(items.clone()),
            Expr::Variant { tag, fields, .. } => Known::Variant(*tag, fields.clone()),
            Expr::Iota(n) => Known::Counted(*n, Some(Elements::Positions)),
            Expr::Replicate { count, value } => Known::Counted(*count, Some(Elements::Same(*value))),
            Expr::Generate { count, .. } | Expr::Hist { count, .. } => Known::Counted(*count, None),
            Expr::ArrayLiteral { elems, .. } => Known::Counted(Atom::int(elems.len() as i64), None),
            Expr::Map { arrays, .. } | Expr::Zip(arrays) => match arrays.first() {
                Some(a) => as_long_as(*a),
                None => return,
            },
            Expr::Scan { array, .. }
            | Expr::Update { array, .. }
            | Expr::Scatter { array, .. }
            | Expr::Sort { array, .. }
            | Expr::Rotate { array, .. } => as_long_as(*array),
            _ => return,
        };
        self.facts.insert(value, fact);
    }
}
