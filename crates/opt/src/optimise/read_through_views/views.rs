//! What counts as a view.
//!
//! ```text
//! generate (i) < n { let j = n - 1 - i   => xs[j] }            a view of xs
//! generate (i) < n { let x = xs[i]   => x * x }                none: it computes something
//! generate (i) < n { let p = order[i]   => rows[p][0] }        none: two reads for each element
//! ```
//!
//! Before the one read of an element there is index arithmetic, and after it nothing: so a reader of a view does at most one read, as it would
//! have done anyway. A body that gives a stored row counts as one read, because its elements will be read from there. Nothing in it repeats, calls or
//! computes one of the costly functions. Checks are left out: they run where the view is bound.

use std::collections::BTreeSet;
use terrace_base::{BinOp, IdVec, UnOp};
use terrace_ir::core::visit::count_uses;
use terrace_ir::core::{Body, Expr, Lambda, Stmt, StmtKind, Value};
use terrace_ir::{Atom, ValueId};

/// An array whose elements can be found without storing it.
#[derive(Clone, Debug)]
pub(super) enum View {
    /// So many positions, from 0 on.
    Positions(Atom),
    /// So many times the same.
    Same(Atom, Atom),
    /// Elements of another array, from a position on.
    Slice { array: Atom, from: Atom, length: Atom },
    /// What a function gives for the elements of some arrays, or for the position where there are none.
    Body { lambda: Lambda, arrays: Vec<Atom>, count: Option<Atom> },
}

/// The statements that the result needs.
pub(super) fn needed(body: &Body) -> Body {
    let mut live: BTreeSet<ValueId> = body.result.var().into_iter().collect();
    let mut stmts = Vec::new();
    for stmt in body.stmts.iter().rev() {
        let StmtKind::Let { value, expr, after } = &stmt.kind else { continue };
        if !live.contains(value) {
            continue;
        }
        let mut expr = expr.clone();
        expr.bodies_mut().into_iter().for_each(|b| *b = needed(b));
        live.extend(expr.operands().into_iter().filter_map(Atom::var));
        expr.bodies().into_iter().for_each(|b| live.extend(count_uses(b).into_keys()));
        stmts.push(Stmt { kind: StmtKind::Let { value: *value, expr, after: after.clone() }, span: stmt.span });
    }
    stmts.reverse();
    Body { stmts, result: body.result }
}

/// Whether a function of a position, or of elements of arrays, gives the elements of a view.
pub(super) fn is_view(lambda: &Lambda, of_elements: bool, values: &IdVec<ValueId, Value>) -> bool {
    let mut counter = Counter { values, reads: 0, read: BTreeSet::new(), shown: BTreeSet::new() };
    counter.lambda(lambda, of_elements).is_some() && counter.reads <= 1
}

struct Counter<'a> {
    values: &'a IdVec<ValueId, Value>,
    reads: usize,
    /// Values that come from an element: nothing may be computed from them.
    read: BTreeSet<ValueId>,
    /// Arrays of the view itself.
    shown: BTreeSet<ValueId>,
}

impl Counter<'_> {
    fn is_flat(&self, value: ValueId) -> bool {
        self.values[value].ty.is_flat()
    }

    fn lambda(&mut self, lambda: &Lambda, of_elements: bool) -> Option<()> {
        for param in lambda.params.iter().filter(|p| of_elements && self.is_flat(**p)).copied().collect::<Vec<_>>() {
            self.reads += 1;
            self.read.insert(param);
        }
        self.body(&lambda.body)?;
        if let Atom::Var(v) = lambda.body.result
            && !self.is_flat(v)
            && !self.shown.contains(&v)
        {
            self.reads += 1;
        }
        Some(())
    }

    fn body(&mut self, body: &Body) -> Option<()> {
        body.stmts.iter().try_for_each(|stmt| match &stmt.kind {
            StmtKind::Let { value, expr, .. } => self.expr(*value, expr),
            StmtKind::Check { .. } => Some(()),
        })
    }

    fn expr(&mut self, value: ValueId, expr: &Expr) -> Option<()> {
        use UnOp::{Abs, Neg, Not};
        let from_element = expr.operands().into_iter().filter_map(Atom::var).any(|v| self.read.contains(&v));
        match expr {
            Expr::Atom(a) => {
                let from = a.var();
                if from.is_some_and(|v| self.read.contains(&v)) {
                    self.read.insert(value);
                }
                if from.is_some_and(|v| self.shown.contains(&v)) {
                    self.shown.insert(value);
                }
                Some(())
            }
            Expr::Tuple(_) | Expr::Project(..) if self.is_flat(value) => {
                if from_element {
                    self.read.insert(value);
                }
                Some(())
            }
            _ if from_element => None,
            Expr::Index { array, .. } | Expr::Slice { array, .. }
                if array.var().is_some_and(|v| self.shown.contains(&v)) =>
            {
                None
            }
            Expr::Unary(Abs | Neg | Not, _) | Expr::Length(_) | Expr::Convert(..) | Expr::Slice { .. } => Some(()),
            Expr::Binary(op, ..) => (!matches!(op, BinOp::Pow | BinOp::Atan2)).then_some(()),
            Expr::Index { .. } => {
                if self.is_flat(value) {
                    self.reads += 1;
                    self.read.insert(value);
                }
                Some(())
            }
            Expr::Iota(_) | Expr::Replicate { .. } => {
                self.shown.insert(value);
                Some(())
            }
            Expr::If { then, otherwise, .. } if self.is_flat(value) => {
                for branch in [then, otherwise] {
                    self.body(branch)?;
                    if branch.result.var().is_some_and(|v| self.read.contains(&v)) {
                        self.read.insert(value);
                    }
                }
                Some(())
            }
            Expr::Generate { lambda, .. } => {
                self.shown.insert(value);
                self.lambda(lambda, false)
            }
            Expr::Map { lambda, .. } => {
                self.shown.insert(value);
                self.lambda(lambda, true)
            }
            _ => None,
        }
    }
}
