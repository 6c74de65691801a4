//! Maps that read a matrix across its rows: small squares of points, one after the other.
//!
//! ```text
//! map grid [n][m] (i, j | p, q) { xs[j * n + i] }        point after point, every read is in another line of the cache, and each line is fetched again for
//!                                                      every row of the result
//!
//! for j by 16 { for i in 16 rows { for j in 16 columns { … } } }      the 16 lines of a square serve all of it
//! ```
//!
//! A tile is some rows of squares. Where there are fewer rows than a square has, the lines of all of them stay in the cache anyway, and squares are as wide as the tile.
//!
//! Declined: spaces of other than two regular dimensions, or whose sizes the host does not know; bodies with operators or branches; maps of which no read goes on by one
//! element from row to row and by more from column to column.

use crate::analysis::places::{minus, places};
use crate::lower::kernels::Lowered;
use crate::lower::kernels::body::is_checked_scalars;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, ceil_quot, int, lt, max, min, mul, quot, select, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::points::Point;
use crate::lower::kernels::products::rectangles;
use crate::lower::kernels::sequential::store_point;
use terrace_algebra::Size;
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::{Descriptor, Expr as FlatExpr, Level, Op, OpKind};
use terrace_ir::kernel::Expr;
use terrace_ir::{Atom, ValueId, size_var};

/// Rows and columns of a square: a line of the cache has as many numbers of four bytes.
const SIDE: usize = 16;

/// Elements that are not further apart are in a few lines anyway.
const NEAR: i64 = 8;

/// Launches it; false where squares are not for it.
pub(super) fn map(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<bool> {
    let [Descriptor::Regular(n), Descriptor::Regular(m)] = op.space.as_slice() else { return Ok(false) };
    let is_map = matches!(op.kind, OpKind::Map { rows: None }) && op.level == Level::Grid && !binds.is_empty();
    if !is_map || !is_checked_scalars(&op.body) || !reads_across(op) {
        return Ok(false);
    }
    let rows = (host.tiles.cpu_tile / (SIDE * SIDE)).clamp(1, SIDE);
    let columns = host.tiles.cpu_tile / rows;
    let Some(tiles) = rectangles(host, &[*n, *m], [rows, columns], span)? else { return Ok(false) };
    let name = host.kernel_name("map", binds);
    let mut b = Builder::new(host, &name, 1, span);
    let (n, m) = (b.atom(n)?, b.atom(m)?);
    let across = b.let_("across", ScalarType::I64, max(ceil_quot(m.clone(), columns as i64), int(1)));
    let down = b.let_("down", ScalarType::I64, quot(Expr::Tile, across.clone()));
    let right = b.let_("right", ScalarType::I64, sub(Expr::Tile, mul(down.clone(), across)));
    let mut range = |place: Expr, size: usize, count: &Expr| {
        let lo = b.let_("lo", ScalarType::I64, mul(place, int(size as i64)));
        let hi = b.let_("hi", ScalarType::I64, min(add(lo.clone(), int(size as i64)), count.clone()));
        (lo, hi)
    };
    let ((i_lo, i_hi), (j_lo, j_hi)) = (range(down, rows, &n), range(right, columns, &m));
    let side = select(lt(n, int(SIDE as i64)), int(columns as i64), int(SIDE as i64));
    let side = b.let_("side", ScalarType::I64, side);
    b.for_("from", j_lo, j_hi.clone(), side.clone(), false, |b, from| {
        let to = b.let_("to", ScalarType::I64, min(add(from.clone(), side), j_hi));
        b.for_("i", i_lo, i_hi, int(1), false, |b, i| {
            let row = b.let_("row", ScalarType::I64, mul(i.clone(), m));
            b.for_("j", from, to, int(1), false, |b, j| {
                let q = b.let_("q", ScalarType::I64, add(row, j.clone()));
                Point { indices: vec![i.clone(), j], positions: vec![i, q.clone()] }.define(b, op);
                b.set_index(q.clone());
                b.body(&op.body, |b, results| store_point(b, op, binds, q, results))
            })
        })
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(true)
}

/// Whether some element is beside that of the next row, and far from that of the next column.
fn reads_across(op: &Op) -> bool {
    let step = |at: &Atom, index: ValueId| {
        let place = places(op, at)?;
        let of = |n: i64| place.substitute(size_var(index), &Size::constant(n));
        minus(&of(1), &of(0))
    };
    op.body.stmts.iter().any(|s| {
        let FlatExpr::Read { at, .. } = &s.expr else { return false };
        let (Some(down), Some(along)) = (step(at, op.indices[0]), step(at, op.indices[1])) else { return false };
        down == Size::one() && along.as_constant().is_none_or(|along| along.abs() > NEAR)
    })
}
