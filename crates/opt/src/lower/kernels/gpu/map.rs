//! Map: every point on its own, neighbouring threads on neighbouring points.
//!
//! ```text
//! block of 256 threads, 16 items:   q = tile * 4096 + item * 256 + thread
//! ```
//!
//! The items of a thread are computed together ([`super::items`]). Where the body has loops or branches, points may differ
//! in cost, and tiles are small so that a heavy one holds up little.
//!
//! Maps over two regular dimensions are cut in rectangles ([`super::squares`]); indices of more are divisions. Where the rows of the last dimension are irregular or position-dependent,
//! two threads search the rows of the tile's first and last point, and every thread searches only between those: a few steps
//! in memory that is in the cache, instead of a search over all rows.
//!
//! A body that holds operators at block level gets a block per point: all threads run the body together, so that its control
//! flow is the same for the whole block, and the first thread stores the results (see [`super::group`]).

use super::super::build::Builder;
use super::super::expr::{add, and, eq, int, local, lt, min, mul, select, sub};
use super::super::host::Host;
use super::super::host_expr::{hceil_div, hint, hmax};
use super::super::points;
use super::super::products::Product;
use super::super::{Lowered, limit};
use super::block::is_first;
use super::tiles::{Cut, define_point, needs_search};
use super::{group, items, wide};
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::Op;
use terrace_ir::kernel::{Expr, Stmt};
use terrace_ir::{Atom, ValueId};

/// Items per thread where all points cost the same. Fewer leave the memory of a large GPU idle.
pub(super) const LIGHT_ITEMS: usize = 16;
/// Items per thread where points may differ in cost.
pub(super) const HEAVY_ITEMS: usize = 2;

/// Emits the launch of a map.
pub fn lower(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    if group::wants_blocks(&op.body) {
        return lower_blocks(host, op, binds, span);
    }
    if let Some(product) = Product::of(op, binds, host)
        && super::products::lower(&product, host, binds, span)?
    {
        return Ok(());
    }
    if super::squares::lower(host, op, binds, span)? {
        return Ok(());
    }
    let cut = Cut::new(host, items::per_thread(&op.body));
    let tiles = hceil_div(host.points(op, binds)?, cut.size() as usize);
    let name = host.kernel_name("map", binds);
    let mut b = Builder::new(host, &name, cut.block as u32, span);
    let n = points::count(&mut b, op, op.space.len())?;
    let base = b.let_("base", ScalarType::I64, mul(Expr::Tile, int(cut.size())));
    let searched = needs_search(&b, op);
    b.when(lt(base.clone(), n.clone()), |b| {
        let (lo, hi) = if searched { row_range(b, op, &base, &n, cut)? } else { (int(0), int(1)) };
        let left = min(sub(n, base.clone()), int(cut.size()));
        if wide::is_for(b, op) {
            let left = b.let_("left", ScalarType::I64, left);
            return wide::tile(b, op, binds, cut, (&base, &left));
        }
        items::each(
            b,
            op,
            cut,
            (&base, &left),
            |b, _, q| define_point(b, op, q, lo.clone(), hi.clone()),
            |_, _| Ok(()),
            |b, item, results| {
                b.when(and(item.inside.clone(), item.ok.clone()), |b| {
                    store_scalars(b, op, binds, item.q.clone(), results)
                })
            },
        )
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}

/// The rows that hold the points of a tile, as a half-open range.
pub(super) fn row_range(b: &mut Builder<'_>, op: &Op, base: &Expr, n: &Expr, cut: Cut) -> Lowered<(Expr, Expr)> {
    let d = op.space.len() - 1;
    let ends = b.array("row_of", ScalarType::I64, 2, true);
    let rows = points::count(b, op, d)?;
    b.when(lt(Expr::Thread, int(2)), |b| {
        let last = sub(min(add(base.clone(), int(cut.size())), n.clone()), int(1));
        let q = select(eq(Expr::Thread, int(0)), base.clone(), last);
        let q = b.let_("q", ScalarType::I64, q);
        let row = points::search(b, int(0), rows, q, |b, r| points::start_at(b, op, d, r))?;
        b.emit(Stmt::SetElement(ends, Expr::Thread, row));
        Ok(())
    })?;
    b.emit(Stmt::Barrier);
    let lo = b.let_("row_lo", ScalarType::I64, Expr::Element(ends, Box::new(int(0))));
    let hi = b.var("row_hi", ScalarType::I64, add(Expr::Element(ends, Box::new(int(1))), int(1)));
    Ok((lo, local(hi)))
}

/// Writes the scalar results of a point; rows are in their place already.
pub(super) fn store_scalars(
    b: &mut Builder<'_>,
    op: &Op,
    binds: &[ValueId],
    q: Expr,
    results: Vec<Expr>,
) -> Lowered<()> {
    for ((v, e), a) in binds.iter().zip(results).zip(&op.body.results) {
        let is_row = matches!(a, Atom::Var(x) if b.is_column(*x));
        if !is_row {
            b.store(*v, q.clone(), e)?;
        }
    }
    Ok(())
}

fn lower_blocks(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    if op.body.results.iter().any(|a| matches!(a, Atom::Var(v) if host.function.values[*v].ty.is_column())) {
        return Err(limit(span, "rows computed by a block of threads"));
    }
    let block = host.tiles.gpu_block as u32;
    let tiles = hmax(host.points(op, binds)?, hint(0));
    let name = host.kernel_name("map", binds);
    let mut b = Builder::new(host, &name, block, span);
    let n = points::count(&mut b, op, op.space.len())?;
    b.when(lt(Expr::Tile, n), |b| {
        let point = points::locate(b, op, op.space.len(), Expr::Tile)?;
        point.define(b, op);
        b.set_index(Expr::Tile);
        b.body(&op.body, |b, results| b.when(is_first(), |b| store_scalars(b, op, binds, Expr::Tile, results)))
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}
