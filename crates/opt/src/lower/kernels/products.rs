//! Which maps over two dimensions are like a matrix product.
//!
//! ```text
//! map grid [n][m] (i, j | p, q) { sum over k of a[i, k] * b[j, k] }
//! ```
//!
//! What is loaded for a point serves its neighbours in the row or in the column, so machines reduce squares of points together
//! ([`super::cpu`], [`super::gpu`]). The nest must be a reduction over one length, between scalars, without checks, whose reads depend on the
//! row or on the column of the point and not on both, with some of each.

use super::Lowered;
use super::body::{is_checked_scalars, may_fail};
use super::host::Host;
use super::host_expr::{hceil_div, hint, hmul};
use std::collections::BTreeMap;
use terrace_algebra::Size;
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::{Body, Descriptor, Expr as FlatExpr, Level, Op, OpKind, Stmt};
use terrace_ir::{Atom, ValueId, size_var};
use terrace_plan::host::HostExpr;

/// A body with more statements is not written once for each of many points.
const SMALL: usize = 14;

/// A map that is like a matrix product.
pub struct Product<'o> {
    /// The whole map.
    pub op: &'o Op,
    /// Before the reduction.
    pub before: Body,
    /// The reduction of a point.
    pub inner: &'o Op,
    /// What it gives.
    pub total: ValueId,
    /// Behind it.
    pub after: Body,
    /// The number of its elements.
    pub length: Atom,
    /// Rows and columns.
    pub sides: [Atom; 2],
}

impl<'o> Product<'o> {
    /// The parts of such a map.
    pub fn of(op: &'o Op, binds: &[ValueId], host: &Host<'_>) -> Option<Product<'o>> {
        let [Descriptor::Regular(n), Descriptor::Regular(m)] = op.space.as_slice() else { return None };
        let at = op.body.stmts.iter().position(|s| matches!(s.expr, FlatExpr::Op(_)))?;
        let Stmt { binds: totals, expr: FlatExpr::Op(inner), .. } = &op.body.stmts[at] else { return None };
        let ([total], [Descriptor::Regular(length)]) = (totals.as_slice(), inner.space.as_slice()) else { return None };
        let part = |stmts: &[Stmt], results: &[Atom]| Body { stmts: stmts.to_vec(), results: results.to_vec() };
        let before = part(&op.body.stmts[..at], &[]);
        let after = part(&op.body.stmts[at + 1..], &op.body.results);
        let scalars = |body: &Body| is_checked_scalars(body) && !may_fail(body);
        let is_map = matches!(op.kind, OpKind::Map { rows: None }) && op.level == Level::Grid;
        let is_sum = matches!(inner.kind, OpKind::Reduce { masked: false, .. });
        let small = op.body.stmts.len() + inner.body.stmts.len() <= SMALL;
        let whole = |a: &Atom| match a {
            Atom::Const(_) => true,
            Atom::Var(v) => host.function.values[*v].ty.elem() == Some(ScalarType::I64),
        };
        let bound_outside = length.var().is_none_or(|v| !before.stmts.iter().any(|s| s.binds.contains(&v)));
        let sizes = [n, m, length].into_iter().all(whole) && bound_outside;
        let scalar_results = binds
            .iter()
            .zip(&op.body.results)
            .all(|(_, r)| r.var().is_none_or(|v| !host.function.values[v].ty.is_column()));
        let fits = is_map && is_sum && small && sizes && scalar_results;
        let fits =
            fits && scalars(&before) && scalars(&after) && scalars(&inner.body) && shares_reads(op, &before, inner);
        fits.then_some(Product { op, before, inner, total: *total, after, length: *length, sides: [*n, *m] })
    }

    /// How many rectangles of such sides cover its points, where the host knows.
    pub fn squares(&self, host: &mut Host<'_>, sides: [usize; 2], span: Span) -> Lowered<Option<HostExpr>> {
        rectangles(host, &self.sides, sides, span)
    }
}

/// How many rectangles of such sides cover so many rows and columns, where the host knows.
pub fn rectangles(host: &mut Host<'_>, counts: &[Atom; 2], sides: [usize; 2], span: Span) -> Lowered<Option<HostExpr>> {
    let mut all = hint(1);
    for (count, side) in counts.iter().zip(sides) {
        let size = match count {
            Atom::Const(c) => Size::constant(c.as_i64().unwrap_or(0)),
            Atom::Var(v) => Size::var(size_var(*v)),
        };
        let Some(size) = host.bounded(&size) else { return Ok(None) };
        all = hmul(all, hceil_div(host.size_on_host(&size, span)?, side));
    }
    Ok(Some(all))
}

/// Whether every read of the reduction depends on the row or on the column of the point, not on both, and there are some of each.
fn shares_reads(op: &Op, before: &Body, inner: &Op) -> bool {
    let mut depends: BTreeMap<ValueId, (bool, bool)> = BTreeMap::new();
    for v in [op.indices[0], op.positions[0]] {
        depends.insert(v, (true, false));
    }
    depends.insert(op.indices[1], (false, true));
    depends.insert(op.positions[1], (true, true));
    let (mut by_row, mut by_column, mut by_both) = (false, false, false);
    for (is_inner, stmt) in before.stmts.iter().map(|s| (false, s)).chain(inner.body.stmts.iter().map(|s| (true, s))) {
        let parts = stmt.expr.operands().into_iter().filter_map(|v| depends.get(&v));
        let on = parts.fold((false, false), |on, d| (on.0 | d.0, on.1 | d.1));
        if let (true, FlatExpr::Read { .. }) = (is_inner, &stmt.expr) {
            by_both |= on.0 && on.1;
            by_row |= on.0;
            by_column |= on.1;
        }
        stmt.binds.iter().for_each(|v| {
            depends.insert(*v, on);
        });
    }
    by_row && by_column && !by_both
}
