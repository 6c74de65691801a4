//! Maps over two dimensions whose points are like those of a matrix product.
//!
//! ```text
//! map grid [n][m] (i, j | p, q) { sum over k of a[i, k] * b[j, k] }      a tile is a square of points; in it, four rows by four columns
//!                                                                       are reduced side by side
//! ```
//!
//! The rows and columns of a square stay in the cache, and what is loaded serves several points
//! ([`crate::lower::kernels::side_by_side`]). The nest must be a float reduction over one length, between scalars, without checks, whose reads depend on the row
//! or on the column of the point and not on both, with some of each. Everything else is left to [`super::map`].

use crate::lower::kernels::Lowered;
use crate::lower::kernels::body::{is_checked_scalars, may_fail};
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, ceil_quot, int, local, max, min, mul, quot, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::{hceil_div, hmul};
use crate::lower::kernels::points::Point;
use crate::lower::kernels::reduce::Reduction;
use crate::lower::kernels::sequential::store_point;
use std::collections::BTreeMap;
use terrace_algebra::Size;
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::{Body, Descriptor, Expr as FlatExpr, Level, Op, OpKind, Stmt};
use terrace_ir::kernel::Expr;
use terrace_ir::{Atom, ValueId, size_var};
use terrace_plan::host::HostExpr;

/// Rows, and columns, that are reduced side by side.
const SIDE: usize = 4;

/// A body with more statements is not written sixteen times.
const SMALL: usize = 14;

/// A map that is like a matrix product.
pub(super) struct Product<'o> {
    op: &'o Op,
    /// Before the reduction.
    before: Body,
    inner: &'o Op,
    total: ValueId,
    /// Behind it.
    after: Body,
    length: Atom,
    sides: [Atom; 2],
}

impl<'o> Product<'o> {
    /// The parts of such a map.
    pub(super) fn of(op: &'o Op, binds: &[ValueId], host: &Host<'_>) -> Option<Product<'o>> {
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

    /// Launches it; false where its sizes are not known to the host.
    pub(super) fn lower(&self, host: &mut Host<'_>, binds: &[ValueId], span: Span) -> Lowered<bool> {
        let side = (host.tiles.cpu_tile / 256).max(SIDE + 1);
        let mut counts: Vec<HostExpr> = Vec::new();
        for a in &self.sides {
            let size = match a {
                Atom::Const(c) => Size::constant(c.as_i64().unwrap_or(0)),
                Atom::Var(v) => Size::var(size_var(*v)),
            };
            let Some(size) = host.bounded(&size) else { return Ok(false) };
            counts.push(hceil_div(host.size_on_host(&size, span)?, side));
        }
        let [down, across] = counts.as_slice() else { return Ok(false) };
        let tiles = hmul(down.clone(), across.clone());
        let name = host.kernel_name("map", binds);
        let mut b = Builder::new(host, &name, 1, span);
        let Some(reduction) = Reduction::of(self.inner, None, false) else { return Ok(false) };
        if reduction.lanes(&b).is_none() {
            return Ok(false);
        }
        let ranges = self.square(&mut b, side as i64)?;
        let [(i_lo, i_whole, i_hi), (j_lo, j_whole, j_hi)] = ranges;
        let step = SIDE as i64;
        b.for_("i", i_lo, i_whole.clone(), int(step), false, |b, i| {
            b.for_("j", j_lo.clone(), j_whole.clone(), int(step), false, |b, j| {
                self.points(b, &reduction, binds, (i.clone(), SIDE), (j, SIDE))
            })?;
            b.for_("j", j_whole.clone(), j_hi.clone(), int(1), false, |b, j| {
                self.points(b, &reduction, binds, (i, SIDE), (j, 1))
            })
        })?;
        b.for_("i", i_whole, i_hi, int(1), false, |b, i| {
            b.for_("j", j_lo, j_hi, int(1), false, |b, j| self.points(b, &reduction, binds, (i, 1), (j, 1)))
        })?;
        let finished = b.finish();
        host.launch(finished, vec![tiles]);
        Ok(true)
    }

    /// Per dimension, where the tile begins, where whole groups of rows or columns end, and where it ends.
    fn square(&self, b: &mut Builder<'_>, side: i64) -> Lowered<[(Expr, Expr, Expr); 2]> {
        let (n, m) = (b.atom(&self.sides[0])?, b.atom(&self.sides[1])?);
        let across = b.let_("across", ScalarType::I64, max(ceil_quot(m.clone(), side), int(1)));
        let down = b.let_("down", ScalarType::I64, quot(Expr::Tile, across.clone()));
        let right = b.let_("right", ScalarType::I64, sub(Expr::Tile, mul(down.clone(), across)));
        let mut range = |place: Expr, count: Expr| {
            let lo = b.let_("lo", ScalarType::I64, mul(place, int(side)));
            let hi = b.let_("hi", ScalarType::I64, max(min(add(lo.clone(), int(side)), count), lo.clone()));
            let groups = mul(quot(sub(hi.clone(), lo.clone()), int(SIDE as i64)), int(SIDE as i64));
            let whole = b.let_("whole", ScalarType::I64, add(lo.clone(), groups));
            (lo, whole, hi)
        };
        Ok([range(down, n), range(right, m)])
    }

    fn points(
        &self,
        b: &mut Builder<'_>,
        reduction: &Reduction<'_>,
        binds: &[ValueId],
        (i, rows): (Expr, usize),
        (j, columns): (Expr, usize),
    ) -> Lowered<()> {
        let m = b.atom(&self.sides[1])?;
        let mut group = |name: &str, first: Expr, count: usize| -> Vec<Expr> {
            (0..count).map(|k| b.let_(name, ScalarType::I64, add(first.clone(), int(k as i64)))).collect()
        };
        let (all_i, all_j) = (group("i", i, rows), group("j", j, columns));
        let mut at = Vec::new();
        for i in &all_i {
            for j in &all_j {
                let q = add(mul(i.clone(), m.clone()), j.clone());
                at.push(Point { indices: vec![i.clone(), j.clone()], positions: vec![i.clone(), q] });
            }
        }
        let enter = |b: &mut Builder<'_>, u: usize| {
            at[u].define(b, self.op);
            b.body(&self.before, |_, _| Ok(()))
        };
        let length = b.atom(&self.length)?;
        let totals = reduction.side_by_side(b, at.len(), length, &enter)?;
        for (u, total) in totals.into_iter().enumerate() {
            enter(b, u)?;
            b.define(self.total, local(total));
            let q = at[u].positions[1].clone();
            b.body(&self.after, |b, results| store_point(b, self.op, binds, q, results))?;
        }
        Ok(())
    }
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
