//! Scatter and histogram: a launch over the destination, then one over the points. And concatenation: one over the result.
//!
//! ```text
//! scatter grid [n] (i | p) into xs { at[p], new[p] }     ys[q] = xs[q]           unless ys lies in the place of xs
//!                                                        ys[at[p]] = new[p]      where at[p] >= 0
//! ```
//!
//! Both are cut as maps are. A lane whose check has failed writes nothing. A histogram uses atomic operations on
//! global memory; where its bins are few, [`super::hist`] does better.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, and, ge, int, lt, min, mul, sub};
use super::super::host::Host;
use super::super::host_expr::hceil_div;
use super::super::points;
use super::super::writes::{Fill, exact_operator, fill, length, longest, put, starts};
use super::items;
use super::map::{HEAVY_ITEMS, LIGHT_ITEMS, row_range};
use super::tiles::{Cut, define_point, needs_search};
use terrace_base::{ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::Op;
use terrace_ir::kernel::Expr;

/// Items per thread of a histogram. Loads wait behind the atomic operations that were asked for before them: many small bursts keep memory busier
/// than a few large ones.
const ATOMIC_ITEMS: usize = 4;

/// Emits the launches of a scatter or a histogram.
pub fn lower(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    let exact = exact_operator(host, op, binds, span)?;
    let starts = starts(host, op, binds);
    let light = if exact.is_some() { ATOMIC_ITEMS } else { LIGHT_ITEMS };
    let cut = Cut::new(host, if items::is_plain(&op.body) { light } else { HEAVY_ITEMS });
    let mut tiles = Vec::new();
    if !starts.is_empty() {
        tiles.push(hceil_div(longest(host, &starts, span)?, cut.size() as usize));
    }
    tiles.push(hceil_div(host.points(op, binds)?, cut.size() as usize));
    let name = host.kernel_name(op.name(), binds);
    let mut b = Builder::new(host, &name, cut.block as u32, span);
    if !starts.is_empty() {
        let base = b.let_("base", ScalarType::I64, add(mul(Expr::Tile, int(cut.size())), Expr::Thread));
        for (column, with) in &starts {
            let n = length(&mut b, *column)?;
            b.for_("item", int(0), int(cut.items), int(1), true, |b, item| {
                let q = b.let_("q", ScalarType::I64, add(base.clone(), mul(item, int(cut.block))));
                b.when(lt(q.clone(), n), |b| fill(b, *column, with, q))
            })?;
        }
        b.next_phase();
    }
    let n = points::count(&mut b, op, op.space.len())?;
    let base = b.let_("base", ScalarType::I64, mul(Expr::Tile, int(cut.size())));
    let searched = needs_search(&b, op);
    b.when(lt(base.clone(), n.clone()), |b| {
        let (lo, hi) = if searched { row_range(b, op, &base, &n, cut)? } else { (int(0), int(1)) };
        let left = min(sub(n, base.clone()), int(cut.size()));
        items::each_put(
            b,
            op,
            cut,
            (&base, &left),
            ScalarType::I64,
            |b, _, q| define_point(b, op, q, lo.clone(), hi.clone()),
            |b, at, values| put(b, exact, binds, std::iter::once(at).chain(values).collect()),
        )
    })?;
    let finished = b.finish();
    host.launch(finished, tiles);
    Ok(())
}

/// Whole columns, one after the other: a thread finds the column of its element by comparing with where they end.
pub fn concat(host: &mut Host<'_>, bind: ValueId, columns: &[ValueId], span: Span) -> Lowered<()> {
    let cut = Cut::new(host, LIGHT_ITEMS);
    let tiles = hceil_div(longest(host, &[(bind, Fill::Copy(bind))], span)?, cut.size() as usize);
    let name = host.kernel_name("concat", &[bind]);
    let mut b = Builder::new(host, &name, cut.block as u32, span);
    let base = b.let_("base", ScalarType::I64, add(mul(Expr::Tile, int(cut.size())), Expr::Thread));
    let mut start = int(0);
    for column in columns {
        let n = length(&mut b, *column)?;
        let end = b.let_("end", ScalarType::I64, add(start.clone(), n));
        b.for_("item", int(0), int(cut.items), int(1), true, |b, item| {
            let q = b.let_("q", ScalarType::I64, add(base.clone(), mul(item, int(cut.block))));
            b.when(and(ge(q.clone(), start.clone()), lt(q.clone(), end.clone())), |b| {
                let value = b.load(*column, sub(q.clone(), start))?;
                b.store(bind, q, value)
            })
        })?;
        start = end;
    }
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}
