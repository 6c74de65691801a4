//! Maps that are like a matrix product ([`Product`]) on a CPU.
//!
//! ```text
//! map grid [n][m] (i, j | p, q) { sum over k of a[i, k] * b[j, k] }      a tile is a square of points; in it, four rows by four columns
//!                                                                       are reduced side by side
//! ```
//!
//! The rows and columns of a square stay in the cache, and what is loaded serves several points
//! ([`crate::lower::kernels::side_by_side`]). Reductions without lanes are left to [`super::map`].

use crate::lower::kernels::Lowered;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, ceil_quot, int, local, max, min, mul, quot, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::points::Point;
use crate::lower::kernels::products::Product;
use crate::lower::kernels::reduce::Reduction;
use crate::lower::kernels::sequential::store_point;
use terrace_base::{ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::kernel::Expr;

/// Rows, and columns, that are reduced side by side.
const SIDE: usize = 4;

impl Product<'_> {
    /// Launches it; false where its sizes are not known to the host.
    pub(super) fn lower(&self, host: &mut Host<'_>, binds: &[ValueId], span: Span) -> Lowered<bool> {
        let side = (host.tiles.cpu_tile / 256).max(SIDE + 1);
        let Some(tiles) = self.squares(host, [side; 2], span)? else { return Ok(false) };
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
