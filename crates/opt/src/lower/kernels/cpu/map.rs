//! Map on a CPU: a tile is a range of positions; rows that a body returns are already in their place.
//!
//! ```text
//! map grid [n][off] (i, j | p, q) { … }     tile t: for the rows that positions t*T .. (t+1)*T touch,
//!                                                     for the positions of the row in that range: body, store at q
//! ```
//!
//! Where a point does the work of a row, a tile has few of them; and where there are few in all, fewer still, so that every thread
//! has some.

use super::neighbours::{Inner, Neighbours};
use super::tiles::element_tile_by;
use super::turned;
use crate::lower::kernels::Lowered;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, int, max, min, quot, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::{hceil_div, hint, hmax, hmin};
use crate::lower::kernels::points::{Run, count, for_run, for_runs};
use crate::lower::kernels::products::Product;
use crate::lower::kernels::sequential::store_point;
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::{Descriptor, Expr as FlatExpr, Op};
use terrace_ir::kernel::{Expr, Stmt};
use terrace_ir::{Atom, ValueId};

/// How many plain points a point with an operator of its own counts for.
pub(super) const POINTS_PER_ROW: usize = 256;

/// Fewer tiles of such points than this are made smaller.
const TILES: i64 = 64;

/// Tiles of plain points are this part of what reductions and scans take at a time: nothing is combined at their ends, and a launch of some microseconds
/// has enough of them for several threads.
const PLAIN: usize = 4;

/// An operator inside a point over so many points makes it no heavier.
const LIGHT: i64 = 8;

pub(super) fn map(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    if let Some(product) = Product::of(op, binds, host)
        && product.lower(host, binds, span)?
    {
        return Ok(());
    }
    if turned::map(host, op, binds, span)? {
        return Ok(());
    }
    let size = tile_size(host, op);
    let points = host.points(op, binds)?;
    let heavy = size > 1 && size * POINTS_PER_ROW == host.tiles.cpu_tile;
    let mut tiles = hceil_div(points.clone(), size);
    if heavy {
        tiles = hmin(points, hmax(tiles, hint(TILES)));
    }
    let name = host.kernel_name("map", binds);
    let mut b = Builder::new(host, &name, 1, span);
    b.split_borders();
    let size = match heavy {
        true => heavy_tile(&mut b, op, size as i64)?,
        false => int(size as i64),
    };
    let (lo, hi) = element_tile_by(&mut b, op, size)?;
    let inner = Inner::of(op, binds, host);
    for_runs(&mut b, op, op.space.len(), lo, hi, |b, run| points_of_run(b, op, binds, run, inner.as_ref()))?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}

/// Neighbouring points: side by side where each reduces and that is possible, else one after the other.
fn points_of_run(b: &mut Builder<'_>, op: &Op, binds: &[ValueId], run: &Run, inner: Option<&Inner<'_>>) -> Lowered<()> {
    let one_by_one = |b: &mut Builder<'_>| {
        for_run(b, op, run, |b, point| {
            let q = point.positions[op.space.len() - 1].clone();
            b.set_index(q.clone());
            b.body(&op.body, |b, results| store_point(b, op, binds, q, results))
        })
    };
    let neighbours = inner.map(|inner| Neighbours::of_map(b, op, inner)).transpose()?.flatten();
    let Some(neighbours) = neighbours else { return one_by_one(b) };
    let Some(together) = neighbours.map(b, run, binds)? else { return one_by_one(b) };
    let alone = b.nested(one_by_one)?;
    let worth = neighbours.is_worth_it(b, run);
    b.emit(Stmt::If(worth, together, alone));
    Ok(())
}

/// How many points a tile has that has at most `most` of them. The number of tiles grows with that of the points, so that as many as the host
/// launches, which may know only a bound, are enough.
fn heavy_tile(b: &mut Builder<'_>, op: &Op, most: i64) -> Lowered<Expr> {
    let n = count(b, op, op.space.len())?;
    let full = quot(add(n.clone(), int(most - 1)), int(most));
    let tiles = max(min(n.clone(), max(full, int(TILES))), int(1));
    let tiles = b.let_("tiles", ScalarType::I64, tiles);
    Ok(b.let_("size", ScalarType::I64, quot(add(n, sub(tiles.clone(), int(1))), tiles)))
}

/// A point that does the work of a row is worth many that do not; where the row has few points, whose number is known, fewer.
fn tile_size(host: &Host<'_>, op: &Op) -> usize {
    let worth = |inner: &Op| match inner.space.as_slice() {
        [Descriptor::Regular(Atom::Const(n))] => {
            n.as_i64().map_or(POINTS_PER_ROW, |n| (n / LIGHT).clamp(1, POINTS_PER_ROW as i64) as usize)
        }
        _ => POINTS_PER_ROW,
    };
    // A point that is a recursion of its own is worth all that a tile can have.
    if op.body.stmts.iter().any(|s| matches!(s.expr, FlatExpr::Keep { .. } | FlatExpr::Take(_))) {
        return 1;
    }
    let rows = op.body.stmts.iter().filter_map(|s| s.expr.op()).map(worth).max();
    // Tiny tiles stay as they are: with one point in each, no tile would meet two rows.
    let plain = if host.tiles.cpu_tile < PLAIN { 1 } else { PLAIN };
    (host.tiles.cpu_tile / rows.unwrap_or(plain)).max(1)
}
