//! A matrix that a product reads column by column is turned first.
//!
//! ```text
//! reduce grid [n][m][k] (i, j, l | …) { a[i * k + l] * b[l * m + j] }
//!
//! let t = map grid [m][k] (j, l | …) { b[l * m + j] }
//! reduce grid [n][m][k] (i, j, l | …) { a[i * k + l] * t[j * k + l] }
//! ```
//!
//! The points of a reduction go along `l`. Where the next one reads far away, every element costs a line of the cache, and no vector is loaded; yet the
//! element is read again in each of the `n` rows. Turning the matrix costs one pass over it, and after that the product is the one that `for column in
//! transpose(b)` writes ([`crate::lower::kernels`] has squares of points for those).
//!
//! A read takes part if its place is a polynomial in the indices that depends on the index of the reduction, by another factor than one, and on one of the two others.
//! Without points nothing is turned: then nobody has said that the elements exist.
//!
//! Declined: GPUs, where operands are staged in shared memory in any order; sizes that are on the device; reductions with checks, behind which reads stand;
//! fewer or more dimensions.

use crate::analysis::homes::Homes;
use crate::analysis::places::{atom, minus, places};
use std::collections::BTreeSet;
use terrace_algebra::Size;
use terrace_base::{BinOp, IdVec, ScalarType, Span};
use terrace_ir::flat::visit::has_checks;
use terrace_ir::flat::{Body, Descriptor, Expr, Level, Op, OpKind, Program, Stmt, Type, Value};
use terrace_ir::{Atom, ValueId, size_var, value_of};

/// Turns what reductions read across, in all functions.
pub fn read_along_rows(program: &mut Program) {
    let homes = Homes::of(program);
    for id in program.functions.ids() {
        let function = &mut program.functions[id];
        let mut turn = Turn { values: &mut function.values, device: &homes.function(id).device };
        turn.list(&mut function.body);
    }
}

struct Turn<'f> {
    values: &'f mut IdVec<ValueId, Value>,
    device: &'f BTreeSet<ValueId>,
}

/// A read that goes across.
struct Across {
    /// The statement of the body.
    stmt: usize,
    column: ValueId,
    /// The dimension on which it depends beside the last one.
    side: usize,
    place: Size,
}

impl Turn<'_> {
    /// At the host level.
    fn list(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.stmts.len());
        for mut stmt in std::mem::take(&mut body.stmts) {
            match &mut stmt.expr {
                Expr::Op(op) => {
                    // From the last one on: those before it stay where they are.
                    for found in self.find(op).into_iter().rev() {
                        self.rewrite(op, found, stmt.span, &mut out);
                    }
                }
                expr => expr.bodies_mut().into_iter().for_each(|b| self.list(b)),
            }
            out.push(stmt);
        }
        body.stmts = out;
    }

    fn find(&self, op: &Op) -> Vec<Across> {
        let sizes = op.space.iter().all(|d| match d {
            Descriptor::Regular(length) => length.var().is_none_or(|v| !self.device.contains(&v)),
            _ => false,
        });
        let reduces = matches!(op.kind, OpKind::Reduce { masked: false, .. }) && op.level == Level::Grid;
        if !(op.space.len() == 3 && sizes && reduces) || has_checks(&op.body) {
            return Vec::new();
        }
        (0..op.body.stmts.len()).filter_map(|stmt| across(op, stmt)).collect()
    }

    fn rewrite(&mut self, op: &mut Op, found: Across, span: Span, out: &mut Vec<Stmt>) {
        let [Descriptor::Regular(n), Descriptor::Regular(m), Descriptor::Regular(k)] = *op.space.as_slice() else {
            return;
        };
        let (own, other) = if found.side == 0 { (n, m) } else { (m, n) };
        let Some(elem) = self.values[found.column].ty.elem() else { return };
        let mut host = |name: &str, ty: ScalarType, expr: Expr| -> Atom {
            let v = self.values.push(Value { name: name.to_string(), ty: Type::Scalar(ty), bound: None, at: () });
            out.push(Stmt { binds: vec![v], expr, span });
            v.into()
        };
        let some = host("some", ScalarType::Bool, Expr::Binary(BinOp::Lt, Atom::int(0), other));
        let rows = host("rows", ScalarType::I64, Expr::Select(some, own, Atom::int(0)));
        let total = host("total", ScalarType::I64, Expr::Binary(BinOp::Mul, rows, k));
        let Some(length) = atom(&total) else { return };
        let mut fresh =
            |name: &str, ty: Type| self.values.push(Value { name: name.to_string(), ty, bound: None, at: () });
        const I64: Type = Type::Scalar(ScalarType::I64);
        let turned = fresh("turned", Type::Column { elem, length });
        let [i, j, p, q, at] = ["i", "j", "p", "q", "k"].map(|name| fresh(name, I64));
        let x = fresh("x", Type::Scalar(elem));
        let place = found.place.substitute_all(&|v| match value_of(v) {
            v if v == op.indices[found.side] => Some(Size::var(size_var(i))),
            v if v == op.indices[2] => Some(Size::var(size_var(j))),
            _ => None,
        });
        let [start, behind] = ["k", "k"].map(|name| fresh(name, I64));
        let stmt = |bind: ValueId, expr: Expr| Stmt { binds: vec![bind], expr, span };
        let read = Expr::Read { column: found.column, at: at.into() };
        let copy = Op {
            level: Level::Grid,
            space: vec![Descriptor::Regular(rows), Descriptor::Regular(k)],
            indices: vec![i, j],
            positions: vec![p, q],
            body: Body { stmts: vec![stmt(at, Expr::Size(place)), stmt(x, read)], results: vec![x.into()] },
            kind: OpKind::Map { rows: None },
        };
        out.push(stmt(turned, Expr::Op(Box::new(copy))));
        let own_index = op.indices[found.side];
        op.body.stmts[found.stmt].expr = Expr::Read { column: turned, at: behind.into() };
        let before = [
            stmt(start, Expr::Binary(BinOp::Mul, own_index.into(), k)),
            stmt(behind, Expr::Binary(BinOp::Add, start.into(), op.indices[2].into())),
        ];
        op.body.stmts.splice(found.stmt..found.stmt, before);
    }
}

/// A statement that reads across.
fn across(op: &Op, stmt: usize) -> Option<Across> {
    let Expr::Read { column, at } = op.body.stmts[stmt].expr else { return None };
    let place = places(op, &at)?;
    let vars = place.vars();
    let bound: BTreeSet<ValueId> = op.body.stmts.iter().flat_map(|s| s.binds.iter().copied()).collect();
    if !place.funs().is_empty() || vars.iter().any(|v| bound.contains(&value_of(*v))) {
        return None;
    }
    let [i, j, l] = [0, 1, 2].map(|d| size_var(op.indices[d]));
    let side = match (vars.contains(&i), vars.contains(&j)) {
        (true, false) => 0,
        (false, true) => 1,
        _ => return None,
    };
    let at = |n: i64| place.substitute(l, &Size::constant(n));
    let (step, next) = (minus(&at(1), &at(0))?, minus(&at(2), &at(1))?);
    let steady = step == next && !step.vars().contains(&size_var(op.indices[side]));
    let far = step != Size::constant(0) && step != Size::constant(1);
    (steady && far).then_some(Across { stmt, column, side, place })
}
