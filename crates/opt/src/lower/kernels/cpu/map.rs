//! Map on a CPU: a tile is a range of positions; rows that a body returns are already in their place.
//!
//! ```text
//! map grid [n][off] (i, j | p, q) { … }     tile t: for the rows that positions t*T .. (t+1)*T touch,
//!                                                     for the positions of the row in that range: body, store at q
//! ```

use super::products::Product;
use super::tiles::element_tile_of;
use crate::lower::kernels::Lowered;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::hceil_div;
use crate::lower::kernels::points::for_points;
use crate::lower::kernels::sequential::store_point;
use terrace_base::Span;
use terrace_ir::flat::{Descriptor, Op};
use terrace_ir::{Atom, ValueId};

/// How many plain points a point with an operator of its own counts for.
const POINTS_PER_ROW: usize = 256;

/// An operator inside a point over so many points makes it no heavier.
const LIGHT: i64 = 8;

pub(super) fn map(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    if let Some(product) = Product::of(op, binds, host)
        && product.lower(host, binds, span)?
    {
        return Ok(());
    }
    let size = tile_size(host, op);
    let tiles = hceil_div(host.points(op, binds)?, size);
    let name = host.kernel_name("map", binds);
    let mut b = Builder::new(host, &name, 1, span);
    b.split_borders();
    let (lo, hi) = element_tile_of(&mut b, op, size)?;
    for_points(&mut b, op, op.space.len(), lo, hi, |b, point| {
        let q = point.positions[op.space.len() - 1].clone();
        b.set_index(q.clone());
        b.body(&op.body, |b, results| store_point(b, op, binds, q, results))
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}

/// A point that does the work of a row is worth many that do not; where the row has few points, whose number is known, fewer.
fn tile_size(host: &Host<'_>, op: &Op) -> usize {
    let worth = |inner: &Op| match inner.space.as_slice() {
        [Descriptor::Regular(Atom::Const(n))] => {
            n.as_i64().map_or(POINTS_PER_ROW, |n| (n / LIGHT).clamp(1, POINTS_PER_ROW as i64) as usize)
        }
        _ => POINTS_PER_ROW,
    };
    let most = op.body.stmts.iter().filter_map(|s| s.expr.op()).map(worth).max().unwrap_or(1);
    (host.tiles.cpu_tile / most).max(1)
}
