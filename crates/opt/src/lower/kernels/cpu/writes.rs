//! Scatter and histogram on a CPU: tiles of the destination, then tiles of points. And concatenation: tiles of the result.
//!
//! ```text
//! hist grid [n] (i | p) by add { bins[p], 1 } of k     phase 0: for b in tile of k: out[b] = 0
//!                                                      phase 1: for p in tile of n: atomic out[bins[p]] += 1
//! ```
//!
//! A histogram with few bins has copies of them instead (`hist.rs`).
//!
//! Positions of a scatter may repeat, and then the last point wins. So the destination is cut, not the points: each part goes over all points in order and
//! writes those that belong to it. A few points are one part. That costs as much as the points do, once for each part
//! (as many as threads, at most), however large the destination is, and takes neither atomic operations nor memory:
//!
//! ```text
//! scatter grid [n] (i | p) into ys { at[p], x[p] }     part t: for p in 0 .. n: if at[p] lies in part t of ys { ys[at[p]] = x[p] }
//! ```

use super::tiles::element_tile;
use crate::lower::kernels::Lowered;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, and, int, le, lt, max, min, mul, quot, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::{hceil_div, hint, hmax, hmin};
use crate::lower::kernels::points::{count, for_points};
use crate::lower::kernels::sequential::store_all;
use crate::lower::kernels::writes::{Fill, Start, exact_operator, fill, length, longest, put, starts};
use crate::lower::place_in_memory::is_one_point;
use terrace_base::{ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Op, OpKind};
use terrace_ir::kernel::Expr;
use terrace_plan::host::{HostExpr, HostStmt, SlotType};

pub(super) fn write(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    if matches!(op.kind, OpKind::Scatter { distinct: false, .. }) && !is_one_point(op) {
        return scatter_last(host, op, binds, span);
    }
    let exact = exact_operator(host, op, binds, span)?;
    let starts = starts(host, op, binds);
    let mut tiles = Vec::new();
    if !starts.is_empty() {
        tiles.push(hceil_div(longest(host, &starts, span)?, host.tiles.cpu_tile));
    }
    tiles.push(hceil_div(host.points(op, binds)?, host.tiles.cpu_tile));
    let name = host.kernel_name(op.name(), binds);
    let mut b = Builder::new(host, &name, 1, span);
    if !starts.is_empty() {
        fill_tile(&mut b, &starts)?;
        b.next_phase();
    }
    let (lo, hi) = element_tile(&mut b, op)?;
    for_points(&mut b, op, op.space.len(), lo, hi, |b, point| {
        b.set_index(point.positions[op.space.len() - 1].clone());
        b.body(&op.body, |b, results| put(b, exact, binds, results))
    })?;
    let finished = b.finish();
    host.launch(finished, tiles);
    Ok(())
}

/// A scatter in which the last point with a position wins.
fn scatter_last(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    let Some(first) = binds.first() else { return Ok(()) };
    let starts = starts(host, op, binds);
    let mut tiles = Vec::new();
    if !starts.is_empty() {
        tiles.push(hceil_div(longest(host, &starts, span)?, host.tiles.cpu_tile));
    }
    let worth = hceil_div(host.points(op, binds)?, host.tiles.cpu_tile);
    let slot = host.new_slot("parts", SlotType::Host(ScalarType::I64));
    host.emit(HostStmt::Compute { to: slot, expr: hmax(hint(1), hmin(worth, HostExpr::Workers)) });
    tiles.push(HostExpr::Slot(slot));
    let name = host.kernel_name(op.name(), binds);
    let mut b = Builder::new(host, &name, 1, span);
    if !starts.is_empty() {
        fill_tile(&mut b, &starts)?;
        b.next_phase();
    }
    let parts = Expr::Param(b.scalar("parts", ScalarType::I64, HostExpr::Slot(slot)));
    let all = length(&mut b, *first)?;
    let size = quot(sub(add(all, parts.clone()), int(1)), parts);
    let size = b.let_("size", ScalarType::I64, size);
    let from = b.let_("from", ScalarType::I64, mul(Expr::Tile, size.clone()));
    let to = b.let_("to", ScalarType::I64, add(from.clone(), size));
    let n = count(&mut b, op, op.space.len())?;
    for_points(&mut b, op, op.space.len(), int(0), n, |b, point| {
        b.set_index(point.positions[op.space.len() - 1].clone());
        b.body(&op.body, |b, mut results| {
            if results.is_empty() {
                return Ok(());
            }
            let at = b.let_("at", ScalarType::I64, results.remove(0));
            let is_own = and(le(from, at.clone()), lt(at.clone(), to));
            b.when(is_own, |b| store_all(b, binds, at, results))
        })
    })?;
    let finished = b.finish();
    host.launch(finished, tiles);
    Ok(())
}

fn fill_tile(b: &mut Builder<'_>, starts: &[Start]) -> Lowered<()> {
    let size = b.host.tiles.cpu_tile as i64;
    let lo = b.let_("lo", ScalarType::I64, mul(Expr::Tile, int(size)));
    for (column, with) in starts {
        let end = min(add(lo.clone(), int(size)), length(b, *column)?);
        b.for_("q", lo.clone(), end, int(1), true, |b, q| fill(b, *column, with, q))?;
    }
    Ok(())
}

/// Whole columns, one after the other.
pub(super) fn concat(host: &mut Host<'_>, bind: ValueId, columns: &[ValueId], span: Span) -> Lowered<()> {
    let whole = [(bind, Fill::Copy(bind))];
    let tiles = hceil_div(longest(host, &whole, span)?, host.tiles.cpu_tile);
    let name = host.kernel_name("concat", &[bind]);
    let mut b = Builder::new(host, &name, 1, span);
    let size = b.host.tiles.cpu_tile as i64;
    let lo = b.let_("lo", ScalarType::I64, mul(Expr::Tile, int(size)));
    let hi = b.let_("hi", ScalarType::I64, add(lo.clone(), int(size)));
    let mut start = int(0);
    for column in columns {
        let n = length(&mut b, *column)?;
        let end = b.let_("end", ScalarType::I64, add(start.clone(), n));
        let (from, to) = (max(lo.clone(), start.clone()), min(hi.clone(), end.clone()));
        b.for_("q", from, to, int(1), true, |b, q| {
            let value = b.load(*column, sub(q.clone(), start))?;
            b.store(bind, q, value)
        })?;
        start = end;
    }
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}
