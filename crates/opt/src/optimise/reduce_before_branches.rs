//! Reductions of rows leave the branches that they stand in, so that a row need not decide before it is reduced.
//!
//! ```text
//! map (row) in rows {                                    map (row) in rows {
//!   let kept = filter … row                                let kept = filter … row
//!   let n = length kept                                    let n = length kept
//!   if n == 0 { => 0.0 } else {                     →      let s = reduce add kept
//!     let s = reduce add kept                              if n == 0 { => 0.0 } else { => s / n }
//!     => s / n
//!   }
//! ```
//!
//! In parallel code a branch over arrays splits the rows into those that take it and those that do not, and merges the results. What is
//! left here is scalar code, which each point decides for itself. A reduction moves only if it cannot fail, and only if that costs no more
//! than what is done anyway: the array was made by the same point (a filter, a map), or it is empty wherever the branch is not taken.
//!
//! A branch keeps its checks, and whatever relies on them. Declined: branches in which something else than scalar code would be left, and
//! branches at the host, where nothing is split.

use super::total::{is_total, is_total_body};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec};
use terrace_ir::core::visit::free_values_of_expr;
use terrace_ir::core::{Body, Expr, Program, Stmt, StmtKind, Value};
use terrace_ir::{Atom, ValueId};

/// Moves reductions in all functions.
pub fn reduce_before_branches(program: &mut Program) {
    for function in program.functions.iter_mut() {
        let mut pass = Pass { values: &mut function.values, lengths: BTreeMap::new(), empty: BTreeMap::new() };
        pass.body(&mut function.body, false, BTreeSet::new(), &BTreeSet::new());
    }
}

struct Pass<'a> {
    values: &'a mut IdVec<ValueId, Value>,
    /// Whose length a value is.
    lengths: BTreeMap<ValueId, ValueId>,
    /// For which array a condition says that it is empty (or, with `false`, that it is not).
    empty: BTreeMap<ValueId, (ValueId, bool)>,
}

impl Pass<'_> {
    /// `made`: arrays that the point has made before, whatever branch it takes; `rows`: arrays that it was given.
    fn body(&mut self, body: &mut Body, parallel: bool, mut made: BTreeSet<ValueId>, rows: &BTreeSet<ValueId>) {
        let mut out: Vec<Stmt> = Vec::with_capacity(body.stmts.len());
        for mut stmt in std::mem::take(&mut body.stmts) {
            if let StmtKind::Let { value, expr, .. } = &mut stmt.kind {
                self.learn(*value, expr);
                let (before, own): (_, BTreeSet<ValueId>) = match expr {
                    Expr::If { .. } => (made.clone(), rows.clone()),
                    Expr::Map { lambda, .. } => (BTreeSet::new(), lambda.params.iter().copied().collect()),
                    _ => (BTreeSet::new(), BTreeSet::new()),
                };
                let inside = parallel || matches!(expr, Expr::Map { .. } | Expr::Generate { .. });
                expr.bodies_mut().into_iter().for_each(|b| self.body(b, inside, before.clone(), &own));
                if let Expr::If { cond, then, otherwise } = expr
                    && parallel
                    && self.values[*value].ty.is_flat()
                {
                    out.extend(self.moved(*cond, then, otherwise, &made, rows));
                }
                if makes_an_array(expr) {
                    made.insert(*value);
                }
            }
            out.push(stmt);
        }
        body.stmts = out;
    }

    fn learn(&mut self, value: ValueId, expr: &Expr) {
        match expr {
            Expr::Length(Atom::Var(array)) => {
                self.lengths.insert(value, *array);
            }
            Expr::Binary(op, a, b) => {
                let array = |a: &Atom| a.var().and_then(|v| self.lengths.get(&v).copied());
                let number = |a: &Atom| a.constant().and_then(|c| c.as_i64());
                let (op, array, number) = match (array(a), number(b), number(a), array(b)) {
                    (Some(array), Some(n), ..) => (*op, array, n),
                    (_, _, Some(n), Some(array)) => (mirrored(*op), array, n),
                    _ => return,
                };
                match (op, number) {
                    (BinOp::Eq | BinOp::Le, 0) | (BinOp::Lt, 1) => self.empty.insert(value, (array, true)),
                    (BinOp::Ne | BinOp::Gt, 0) | (BinOp::Ge, 1) => self.empty.insert(value, (array, false)),
                    _ => None,
                };
            }
            _ => {}
        }
    }

    /// Takes the reductions out of both branches, unless something else than scalar code would be left in one.
    fn moved(
        &mut self,
        cond: Atom,
        then: &mut Body,
        otherwise: &mut Body,
        made: &BTreeSet<ValueId>,
        rows: &BTreeSet<ValueId>,
    ) -> Vec<Stmt> {
        let known = cond.var().and_then(|c| self.empty.get(&c).copied());
        let free = |taken: bool| {
            let row = known.filter(|(array, empty)| rows.contains(array) && *empty != taken).map(|(array, _)| array);
            made.iter().copied().chain(row).collect::<BTreeSet<_>>()
        };
        let (Some(one), Some(two)) = (self.leaving(then, free(true)), self.leaving(otherwise, free(false))) else {
            return Vec::new();
        };
        let mut out = self.take(then, &one);
        out.extend(self.take(otherwise, &two));
        out
    }

    /// Which statements of a branch move; none if the branch does not become scalar code. `cheap`: arrays that may be reduced at any point.
    fn leaving(&self, body: &Body, mut cheap: BTreeSet<ValueId>) -> Option<Vec<bool>> {
        let mut may_move: BTreeMap<ValueId, bool> = BTreeMap::new();
        let mut counts: BTreeMap<ValueId, ValueId> = BTreeMap::new();
        let mut wanted: BTreeSet<ValueId> = BTreeSet::new();
        for stmt in &body.stmts {
            let StmtKind::Let { value, expr, .. } = &stmt.kind else { continue };
            let stands = free_values_of_expr(expr).iter().all(|v| may_move.get(v).copied().unwrap_or(true));
            let is_cheap = |a: &Atom| a.var().is_some_and(|v| cheap.contains(&v));
            let array = match expr {
                Expr::Iota(Atom::Var(n)) => {
                    let of = self.lengths.get(n).copied().filter(|array| cheap.contains(array));
                    counts.extend(of.map(|array| (*value, array)));
                    of.is_some()
                }
                Expr::Map { lambda, arrays } => {
                    // Several arrays are known to be equally long only where they number one another's elements.
                    let of = |a: &Atom| a.var().map(|v| counts.get(&v).copied().unwrap_or(v));
                    arrays.iter().all(is_cheap)
                        && arrays.iter().all(|a| of(a) == of(&arrays[0]))
                        && is_total_body(&lambda.body, self.values)
                        && self.values[*value].ty.elem().is_some_and(|t| t.is_flat())
                }
                _ => false,
            };
            let reduction = match expr {
                Expr::Reduce { operator, array, .. } => {
                    is_cheap(array) && self.values[*value].ty.is_flat() && is_total_body(&operator.body, self.values)
                }
                _ => false,
            };
            let moves = stands && (array || reduction || is_total(stmt, self.values));
            if !moves && !is_scalar(stmt, self.values) {
                return None;
            }
            may_move.insert(*value, moves);
            if array {
                cheap.insert(*value);
            }
            if array || reduction {
                wanted.insert(*value);
            }
        }
        // With a statement goes what it needs.
        let mut leave = vec![false; body.stmts.len()];
        for (k, stmt) in body.stmts.iter().enumerate().rev() {
            if let StmtKind::Let { value, expr, .. } = &stmt.kind
                && wanted.contains(value)
            {
                leave[k] = true;
                wanted.extend(free_values_of_expr(expr));
            }
        }
        Some(leave)
    }

    /// The statements that leave; what cannot fail names no checks.
    fn take(&mut self, body: &mut Body, leave: &[bool]) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut keep = Vec::new();
        for (mut stmt, leaves) in std::mem::take(&mut body.stmts).into_iter().zip(leave) {
            if !leaves {
                keep.push(stmt);
                continue;
            }
            if let StmtKind::Let { value, after, .. } = &mut stmt.kind {
                after.clear();
                self.values[*value].ty = self.values[*value].ty.without_sizes();
            }
            out.push(stmt);
        }
        body.stmts = keep;
        out
    }
}

fn mirrored(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        op => op,
    }
}

/// Whether making the array takes at least as long as looking at all of its elements.
fn makes_an_array(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Filter { .. } | Expr::Map { .. } | Expr::Generate { .. } | Expr::Scan { .. } | Expr::Sort { .. }
    )
}

/// Whether a statement of a branch is scalar code, which one thread runs.
fn is_scalar(stmt: &Stmt, values: &IdVec<ValueId, Value>) -> bool {
    let StmtKind::Let { value, expr, .. } = &stmt.kind else { return true };
    let all = |b: &Body| b.stmts.iter().all(|s| is_scalar(s, values));
    values[*value].ty.is_flat()
        && match expr {
            Expr::Atom(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Fma(..) | Expr::Convert(..) => true,
            Expr::Tuple(_) | Expr::Project(..) | Expr::Length(_) | Expr::Index { .. } => true,
            Expr::Precedes(a, b) => [a, b].iter().all(|x| x.var().is_none_or(|v| values[v].ty.is_flat())),
            Expr::If { then, otherwise, .. } => all(then) && all(otherwise),
            _ => false,
        }
}
