//! `hist`: what atomic operations cannot do.
//!
//! A histogram is exact where any order of the points gives the same bits: one value, and an operation on integers or
//! booleans that is associative and commutative, or the least or greatest float. Threads then combine as they come. An operator
//! that treats each part of a tuple so by itself is one exact histogram per part. All others are combined
//! bin by bin in the order of the points:
//!
//! ```text
//! hist grid [n] bins m by (+) from 0.0 { => b, x }
//!
//! counts = hist grid [n] bins m by (+) from 0 { => b, 1 }          exact
//! off    = scan of counts                                          where the points of each bin begin
//! order  = sort grid [n] { => b }                                  the points bin by bin, each in its old order
//! reduce grid [m][off] (p, q) by (+) from 0.0 { => x[order[skipped + q]] }
//! ```
//!
//! Points with a negative bin take no part: they come first in the order, and are skipped.

use super::build::{Writer, size_of};
use terrace_base::{BinOp, IdVec, ScalarType};
use terrace_ir::flat::{Body, Descriptor, Expr, Level, Op, OpKind, Operator, SortForm, Space, Value};
use terrace_ir::{Atom, ValueId};

/// Whether all threads at once cannot compute it.
pub(super) fn is_inexact(op: &Op, values: &IdVec<ValueId, Value>) -> bool {
    match &op.kind {
        OpKind::Hist { operator, .. } if op.level == Level::Grid => {
            let one = operator.left.len() == 1 && operator.as_binary().is_some();
            !one || exact_parts(operator, values).is_none()
        }
        _ => false,
    }
}

/// The operation on each part of a tuple, where all are exact.
fn exact_parts(operator: &Operator, values: &IdVec<ValueId, Value>) -> Option<Vec<BinOp>> {
    let sides = operator.left.iter().zip(&operator.right);
    sides
        .zip(&operator.body.results)
        .map(|((left, right), result)| {
            let stmt = operator.body.stmts.iter().find(|s| s.binds.first().copied() == result.var())?;
            let Expr::Binary(op, a, b) = stmt.expr else { return None };
            let plain = a == Atom::Var(*left) && b == Atom::Var(*right);
            let float = values[*left].ty.elem().is_none_or(ScalarType::is_float);
            let exact = match op {
                BinOp::Min | BinOp::Max => true,
                BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor => !float,
                _ => false,
            };
            (plain && exact).then_some(op)
        })
        .collect()
}

impl Writer<'_> {
    pub(super) fn hist(&mut self, op: Op, binds: Vec<ValueId>) {
        let OpKind::Hist { operator, neutral, count } = op.kind.clone() else { unreachable!("called for histograms") };
        let like = Op { body: Body::default(), ..op.clone() };
        let points = self.points(&op.space, &op.positions);
        let bound = points.var().and_then(|v| self.values[v].bound.clone());
        let columns = self.columns_of(op, &size_of(points), bound);
        let (bins, columns) = columns.split_first().expect("a histogram has bins");
        if let Some(parts) = exact_parts(&operator, self.values) {
            for (k, op) in parts.into_iter().enumerate() {
                let ty = self.elem(columns[k]);
                let operator = self.combining(op, ty);
                let kind = OpKind::Hist { operator, neutral: vec![neutral[k]], count };
                self.over(&like, kind, vec![binds[k]], |w, point| {
                    vec![w.read("bin", *bins, point.position()), w.read("x", columns[k], point.position())]
                });
            }
            return;
        }
        let add = self.combining(BinOp::Add, ScalarType::I64);
        let counts = self.column("count", ScalarType::I64, count);
        let kind = OpKind::Hist { operator: add, neutral: vec![Atom::int(0)], count };
        self.over(&like, kind, vec![counts], |w, point| vec![w.read("bin", *bins, point.position()), Atom::int(1)]);
        let off = self.offsets(like.level, counts, count);
        let order = self.column("order", ScalarType::I64, points);
        let line = Space::from([Descriptor::Regular(points)]);
        self.over_space(like.level, line, OpKind::Sort { form: SortForm::Order }, vec![order], |w, point| {
            vec![w.read("bin", *bins, point.position())]
        });
        let rows = Space::from([Descriptor::Regular(count), Descriptor::Irregular { off, start: None }]);
        let kind = OpKind::Reduce { operator, neutral, masked: false };
        self.over_space(like.level, rows, kind, binds, |w, point| {
            let taking_part = w.read("taking_part", off, count);
            let skipped = w.binary("skipped", BinOp::Sub, points, taking_part);
            let at = w.binary("at", BinOp::Add, skipped, point.position());
            let from = w.read("from", order, at);
            columns.iter().map(|c| w.read("x", *c, from)).collect()
        });
    }
}
