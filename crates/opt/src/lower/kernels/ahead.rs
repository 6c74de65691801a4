//! A reduction by one thread of a GPU: the reads of several elements before anything is computed from them.
//!
//! ```text
//! for q { total += f(xs[q], ys[q]) }       for c by 8 { x0 = xs[c]; x1 = xs[c + 1]; … y7 = ys[c + 7]
//!                                                       total += f(x0, y0); total += f(x1, y1); … }
//! ```
//!
//! A division or a square root is a branch to a rare case, and no load moves across one: an unrolled loop waits for memory once per element. Neighbours
//! that are read in one place are one wide load, and it waits once per group. The order of combination is the same.
//!
//! Divisions and square roots of `f32` numbers of a group stand beside each other, too: the printer of CUDA computes them together, with one branch
//! for all rare cases.
//!
//! Declined: bodies with checks, loops or operators, masks, bodies that read nothing.

use super::Lowered;
use super::body::{is_scalar, may_fail};
use super::build::Builder;
use super::expr::{add, as_int, binary, int, mul, quot, sub, unary};
use super::reduce::{Reduction, Row, element};
use std::collections::BTreeSet;
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_ir::flat::{Body, Expr as FlatExpr, Stmt};
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Stmt as KernelStmt};
use terrace_ir::{Atom, ValueId};

/// The most elements of a group, and the most values read for one.
const MOST_ELEMENTS: usize = 8;
const MOST_VALUES: usize = 32;

/// Bodies with more statements are not written once for each element of a group.
const SHORT: usize = 40;

/// Whether a statement is a division or a square root of `f32` numbers.
fn is_rounded(b: &Builder<'_>, stmt: &Stmt) -> bool {
    let single = |a: &Atom| b.atom_type(a) == ScalarType::F32;
    match &stmt.expr {
        FlatExpr::Unary(UnOp::Sqrt, a) => single(a),
        FlatExpr::Binary(BinOp::Div, a, _) => single(a),
        _ => false,
    }
}

/// A statement for all elements of a group; what it binds is known afterwards. A division or root is a loop over arrays of a few elements
/// and nothing else.
fn side_by_side(b: &mut Builder<'_>, stmt: &Stmt, known: &mut [Vec<(ValueId, Expr)>]) -> Lowered<()> {
    let n = known.len();
    let operands: Vec<Atom> = match &stmt.expr {
        _ if !is_rounded(b, stmt) => Vec::new(),
        FlatExpr::Unary(_, x) => vec![*x],
        FlatExpr::Binary(_, x, y) => vec![*x, *y],
        _ => Vec::new(),
    };
    let of: Vec<ArrayId> = operands.iter().map(|_| b.array("of", ScalarType::F32, n, false)).collect();
    for (l, known) in known.iter_mut().enumerate() {
        known.iter().for_each(|(v, e)| b.define(*v, e.clone()));
        if of.is_empty() {
            b.body(&Body { stmts: vec![stmt.clone()], results: Vec::new() }, |_, _| Ok(()))?;
            for v in &stmt.binds {
                known.push((*v, b.value(*v)?));
            }
            continue;
        }
        for (array, x) in of.iter().zip(&operands) {
            let x = b.atom(x)?;
            b.emit(KernelStmt::SetElement(*array, int(l as i64), x));
        }
    }
    if of.is_empty() {
        return Ok(());
    }
    let rounded = b.array("rounded", ScalarType::F32, n, false);
    b.for_("l", int(0), int(n as i64), int(1), true, |b, l| {
        let get = |k: usize| element(of[k], l.clone());
        let value = match &stmt.expr {
            FlatExpr::Unary(op, _) => unary(*op, get(0)),
            _ => binary(BinOp::Div, get(0), get(1)),
        };
        b.emit(KernelStmt::SetElement(rounded, l.clone(), value));
        Ok(())
    })?;
    for (l, known) in known.iter_mut().enumerate() {
        let x = b.let_("x", ScalarType::F32, element(rounded, int(l as i64)));
        stmt.binds.iter().for_each(|v| known.push((*v, x.clone())));
    }
    Ok(())
}

impl Reduction<'_> {
    /// How many elements are read before the first is needed, where that is worth it.
    pub(super) fn reads_ahead(&self, b: &Builder<'_>) -> Option<i64> {
        let body = &self.op.body.stmts;
        let choice =
            |e: &FlatExpr| matches!(e, FlatExpr::If { then, otherwise, .. } if b.is_steady_choice(then, otherwise));
        let plain = body.iter().all(|s| is_scalar(&s.expr) || choice(&s.expr));
        let own = self.of_elements();
        let is_own = |s: &&Stmt| s.binds.iter().any(|v| own.contains(v));
        let reads = body.iter().filter(|s| matches!(s.expr, FlatExpr::Read { .. })).filter(is_own).count();
        let wanted = !b.target_is_cpu() && plain && body.len() <= SHORT && reads > 0 && self.split().is_some();
        let wanted = wanted && !self.masked && self.ok.is_none() && !may_fail(&self.operator.body);
        let most = if body.iter().any(|s| is_rounded(b, s)) { MOST_VALUES / 2 } else { MOST_VALUES };
        let group = (most / reads.max(1)).min(MOST_ELEMENTS).min(2 * b.host.tiles.gpu_items);
        (wanted && group >= 2).then_some(group as i64)
    }

    /// Combines as many whole groups as there are, and says where they end.
    pub(super) fn with_reads_ahead(
        &self,
        b: &mut Builder<'_>,
        row: &Row,
        (from, to): (Expr, Expr),
        group: i64,
        total: &[LocalId],
    ) -> Lowered<Expr> {
        let Some((ahead, rest)) = self.split() else { return Ok(from) };
        let whole = mul(quot(sub(to, from.clone()), int(group)), int(group));
        let end = b.let_("rest", ScalarType::I64, add(from.clone(), whole));
        b.for_("c", from, end.clone(), int(group), false, |b, c| {
            let mut known: Vec<Vec<(ValueId, Expr)>> = Vec::new();
            for l in 0..group {
                let q = add(c.clone(), int(l));
                let j = if as_int(&row.start) == Some(0) { q.clone() } else { sub(q.clone(), row.start.clone()) };
                let mut point = row.parent.clone();
                point.indices.push(j);
                point.positions.push(q);
                let named = |of: &[ValueId], e: &[Expr]| of.iter().copied().zip(e.to_vec()).collect::<Vec<_>>();
                known.push(
                    [named(&self.op.indices, &point.indices), named(&self.op.positions, &point.positions)].concat(),
                );
            }
            let own = self.of_elements();
            for stmt in &ahead {
                let [v] = stmt.binds.as_slice() else { continue };
                let each = if own.contains(v) { known.len() } else { 1 };
                for known in &mut known[..each] {
                    known.iter().for_each(|(v, e)| b.define(*v, e.clone()));
                    let (name, ty) = (b.host.function.values[*v].name.clone(), b.elem(*v));
                    let e = b.scalar_expr(&stmt.expr)?;
                    let e = b.let_(&name, ty, e);
                    known.push((*v, e));
                }
            }
            // Up to the last division or root, all elements take a step together.
            let steps = rest.stmts.iter().rposition(|s| is_rounded(b, s)).map_or(0, |last| last + 1);
            let (together, apart) = rest.stmts.split_at(steps);
            for stmt in together {
                side_by_side(b, stmt, &mut known)?;
            }
            let last = Body { stmts: apart.to_vec(), results: rest.results.clone() };
            for known in &known {
                known.iter().for_each(|(v, e)| b.define(*v, e.clone()));
                b.body(&last, |b, values| self.fold(b, total, None, &values))?;
            }
            Ok(())
        })?;
        Ok(end)
    }

    /// What the elements of a row may have different values of.
    fn of_elements(&self) -> BTreeSet<ValueId> {
        let d = self.op.indices.len() - 1;
        let mut own = BTreeSet::from([self.op.indices[d], self.op.positions[d]]);
        for stmt in &self.op.body.stmts {
            if !is_scalar(&stmt.expr) || stmt.expr.operands().iter().any(|v| own.contains(v)) {
                own.extend(&stmt.binds);
            }
        }
        own
    }

    /// The reads and what they need; and the others. None where a read waits for a choice.
    fn split(&self) -> Option<(Vec<Stmt>, Body)> {
        let body = &self.op.body;
        let mut wanted: BTreeSet<ValueId> = BTreeSet::new();
        let mut ahead: Vec<Stmt> = Vec::new();
        let mut rest: Vec<Stmt> = Vec::new();
        for stmt in body.stmts.iter().rev() {
            let needed = matches!(stmt.expr, FlatExpr::Read { .. }) || stmt.binds.iter().any(|v| wanted.contains(v));
            if needed {
                if !is_scalar(&stmt.expr) {
                    return None;
                }
                wanted.extend(stmt.expr.operands());
                ahead.push(stmt.clone());
            } else {
                rest.push(stmt.clone());
            }
        }
        ahead.reverse();
        rest.reverse();
        Some((ahead, Body { stmts: rest, results: body.results.clone() }))
    }
}
