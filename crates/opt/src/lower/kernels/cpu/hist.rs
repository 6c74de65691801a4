//! Histograms on a CPU: a copy of the bins for each part of the points.
//!
//! ```text
//! hist grid [n] (i | p) by add { bins[p], 1 } of k     phase 0: part t: all of copy t becomes 0;
//!                                                               for p in part t: copy[t][bins[p]] += 1
//!                                                      phase 1: for b in tile of k: out[b] = copy[0][b] + copy[1][b] + …
//! ```
//!
//! Points of one dimension are taken eight at a time. Where any order gives the same bits and bins are few, neighbours among them go to
//! different copies, four per part: an addition to a bin waits for the one before it, and neighbours are often equal.
//!
//! Where any order gives the same bits, there are a few parts per thread; but only as long as bins are so few that filling and
//! adding up the copies is little work beside the points. Otherwise all threads share the bins, with atomic operations. Other
//! operators, on floats and on tuples, combine the points of a part in order and then the parts in order; how many parts
//! there are depends on the number of points and of bins alone, never on threads, and with many bins it is one.
//!
//! Copies take, beside the result, at most a quarter of the room that a value per point would.

use super::tiles::{AT_A_TIME, each_of_group, several_at_a_time, whole_groups};
use crate::lower::kernels::Lowered;
use crate::lower::kernels::body::atoms;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, and, ge, int, local, min, mul, quot, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::{hceil_div, hdiv, hint, hmax, hmin, hmul};
use crate::lower::kernels::points::{count, for_points};
use crate::lower::kernels::reduce::assign_all;
use crate::lower::kernels::sequential::store_all;
use crate::lower::kernels::writes::{exact_operator, length, longest, starts};
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::flat::{Op, OpKind, Operator};
use terrace_ir::kernel::{Expr, LocalId, ParamId, Stmt};
use terrace_ir::{Atom, ValueId};
use terrace_plan::host::{HostExpr, HostStmt, SlotId, SlotType};

/// Points per bin and copy that make a copy worth while.
const POINTS_PER_BIN: i64 = 4;

/// Points per bin and copy that make several copies per thread worth while, and how many.
const MANY_POINTS_PER_BIN: i64 = 64;
const PARTS_PER_THREAD: i64 = 8;

/// Copies per part where bins are few, and how many are few: the copies of a part stay in the first cache.
const WAYS: i64 = 4;
const FEW_BINS: i64 = 4096;

/// Parts of a histogram that depends on order.
const MOST_PARTS: i64 = 64;

pub(super) fn hist(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    let points = host.points(op, binds)?;
    let starts = starts(host, op, binds);
    let bins = longest(host, &starts, span)?;
    let exact = exact_operator(host, op, binds, span).is_ok();
    let parts = if exact {
        let per_thread =
            hdiv(points.clone(), hmax(hmul(hmul(bins.clone(), HostExpr::Workers), hint(MANY_POINTS_PER_BIN)), hint(1)));
        hmul(HostExpr::Workers, hmax(hint(1), hmin(per_thread, hint(PARTS_PER_THREAD))))
    } else {
        let each = hmax(hmul(bins.clone(), hint(POINTS_PER_BIN)), hint(host.tiles.cpu_tile as i64));
        hmax(hint(1), hmin(hdiv(points.clone(), each), hint(MOST_PARTS)))
    };
    let slot = host.new_slot("parts", SlotType::Host(ScalarType::I64));
    host.emit(HostStmt::Compute { to: slot, expr: parts });
    if !exact {
        return in_parts(host, op, binds, Copies { parts: slot, ways: None }, &bins, span);
    }
    let ways = host.new_slot("ways", SlotType::Host(ScalarType::I64));
    let few = HostExpr::Binary(BinOp::Le, Box::new(bins.clone()), Box::new(hint(FEW_BINS)));
    let several = HostStmt::Compute { to: ways, expr: hint(WAYS) };
    let single = HostStmt::Compute { to: ways, expr: hint(1) };
    host.emit(HostStmt::If { cond: few, then: vec![several], otherwise: vec![single] });
    let copies = Copies { parts: slot, ways: Some(ways) };
    let needed = hmul(hmul(bins.clone(), HostExpr::Workers), hint(POINTS_PER_BIN));
    let cond = HostExpr::Binary(BinOp::Le, Box::new(needed), Box::new(points));
    let then = host.nested(|host| in_parts(host, op, binds, copies, &bins, span))?;
    let otherwise = host.nested(|host| super::writes::write(host, op, binds, span))?;
    host.emit(HostStmt::If { cond, then, otherwise });
    Ok(())
}

/// How many copies there are.
#[derive(Clone, Copy)]
struct Copies {
    parts: SlotId,
    /// Of each part; one where it is not said.
    ways: Option<SlotId>,
}

impl Copies {
    fn count(&self) -> HostExpr {
        hmul(HostExpr::Slot(self.parts), self.ways.map_or(hint(1), HostExpr::Slot))
    }
}

fn in_parts(
    host: &mut Host<'_>,
    op: &Op,
    binds: &[ValueId],
    count: Copies,
    bins: &HostExpr,
    span: Span,
) -> Lowered<()> {
    let OpKind::Hist { operator, neutral, .. } = &op.kind else { return Ok(()) };
    let room = hmul(bins.clone(), count.count());
    let copies: Vec<SlotId> = neutral
        .iter()
        .map(|a| {
            let ty = host.atom_type(a);
            host.scratch("copies", ty, room.clone(), span)
        })
        .collect();
    let tiles = vec![HostExpr::Slot(count.parts), hceil_div(bins.clone(), host.tiles.cpu_tile)];
    let name = host.kernel_name("hist", binds);
    let mut b = Builder::new(host, &name, 1, span);
    let cut = Cut { op, binds, operator, neutral, copies, count };
    cut.part(&mut b)?;
    b.next_phase();
    cut.together(&mut b)?;
    let finished = b.finish();
    host.launch(finished, tiles);
    Ok(())
}

struct Cut<'o> {
    op: &'o Op,
    binds: &'o [ValueId],
    operator: &'o Operator,
    neutral: &'o [Atom],
    copies: Vec<SlotId>,
    count: Copies,
}

impl Cut<'_> {
    fn copies(&self, b: &mut Builder<'_>) -> Vec<ParamId> {
        self.copies.iter().map(|s| b.scratch(*s)).collect()
    }

    fn parts(&self, b: &mut Builder<'_>) -> Expr {
        Expr::Param(b.scalar("parts", ScalarType::I64, HostExpr::Slot(self.count.parts)))
    }

    fn ways(&self, b: &mut Builder<'_>) -> Expr {
        self.count.ways.map_or(int(1), |s| Expr::Param(b.scalar("ways", ScalarType::I64, HostExpr::Slot(s))))
    }

    fn bins(&self, b: &mut Builder<'_>) -> Lowered<Expr> {
        self.binds.first().map_or(Ok(int(0)), |v| length(b, *v))
    }

    fn part(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let op = self.op;
        let (copies, parts, ways, bins) = (self.copies(b), self.parts(b), self.ways(b), self.bins(b)?);
        let own = b.let_("own", ScalarType::I64, mul(ways.clone(), bins.clone()));
        let base = b.let_("base", ScalarType::I64, mul(Expr::Tile, own.clone()));
        let neutral = atoms(b, self.neutral)?;
        for (copy, value) in copies.iter().zip(neutral) {
            b.for_("q", base.clone(), add(base.clone(), own.clone()), int(1), true, |b, q| {
                b.emit(Stmt::Store(*copy, q, value));
                Ok(())
            })?;
        }
        let n = count(b, op, op.space.len())?;
        let each = quot(sub(add(n.clone(), parts.clone()), int(1)), parts);
        let each = b.let_("each", ScalarType::I64, each);
        let lo = b.let_("lo", ScalarType::I64, min(mul(Expr::Tile, each.clone()), n.clone()));
        let hi = b.let_("hi", ScalarType::I64, min(add(lo.clone(), each), n));
        if !several_at_a_time(op) {
            return for_points(b, op, op.space.len(), lo, hi, |b, _| self.point(b, &copies, base));
        }
        let bases: Vec<Expr> = (0..WAYS)
            .map(|way| {
                let way = and(int(way), sub(ways.clone(), int(1)));
                b.let_("base", ScalarType::I64, add(base.clone(), mul(way, bins.clone())))
            })
            .collect();
        let whole = whole_groups(b, &lo, &hi);
        b.for_("p", lo, whole.clone(), int(AT_A_TIME), false, |b, p| {
            each_of_group(b, op, &p, |b, k, _| self.point(b, &copies, bases[k % bases.len()].clone()))
        })?;
        for_points(b, op, 1, whole, hi, |b, _| self.point(b, &copies, base))
    }

    /// The point that the operator's positions stand for goes to a copy.
    fn point(&self, b: &mut Builder<'_>, copies: &[ParamId], base: Expr) -> Lowered<()> {
        let op = self.op;
        let position = b.value(op.positions[op.space.len() - 1])?;
        b.set_index(position);
        b.body(&op.body, |b, mut values| {
            let bin = b.let_("bin", ScalarType::I64, values.remove(0));
            b.when(ge(bin.clone(), int(0)), |b| {
                let at = add(base, bin);
                let left: Vec<Expr> = copies.iter().map(|c| Expr::Load(*c, Box::new(at.clone()))).collect();
                let left = self.named(b, left);
                let new = b.combine(self.operator, &left, &values)?;
                for (copy, value) in copies.iter().zip(new) {
                    b.emit(Stmt::Store(*copy, at.clone(), value));
                }
                Ok(())
            })
        })
    }

    /// Expressions as local variables: an operator may use each of its operands more than once.
    fn named(&self, b: &mut Builder<'_>, values: Vec<Expr>) -> Vec<Expr> {
        let types: Vec<ScalarType> = self.neutral.iter().map(|a| b.atom_type(a)).collect();
        values.into_iter().zip(types).map(|(e, ty)| b.let_("x", ty, e)).collect()
    }

    fn together(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let size = b.host.tiles.cpu_tile as i64;
        let (copies, parts, ways, bins) = (self.copies(b), self.parts(b), self.ways(b), self.bins(b)?);
        let count = b.let_("count", ScalarType::I64, mul(parts, ways));
        let lo = b.let_("lo", ScalarType::I64, mul(Expr::Tile, int(size)));
        let hi = b.let_("hi", ScalarType::I64, min(add(lo.clone(), int(size)), bins.clone()));
        b.for_("q", lo, hi, int(1), false, |b, q| {
            let first: Vec<Expr> = copies.iter().map(|c| Expr::Load(*c, Box::new(q.clone()))).collect();
            let types: Vec<ScalarType> = self.neutral.iter().map(|a| b.atom_type(a)).collect();
            let totals: Vec<LocalId> = first.into_iter().zip(types).map(|(e, ty)| b.var("total", ty, e)).collect();
            b.for_("t", int(1), count, int(1), false, |b, t| {
                let at = b.let_("at", ScalarType::I64, add(mul(t, bins), q.clone()));
                let right: Vec<Expr> = copies.iter().map(|c| Expr::Load(*c, Box::new(at.clone()))).collect();
                let right = self.named(b, right);
                let left: Vec<Expr> = totals.iter().map(|v| local(*v)).collect();
                let new = b.combine(self.operator, &left, &right)?;
                assign_all(b, &totals, new);
                Ok(())
            })?;
            store_all(b, self.binds, q, totals.iter().map(|v| local(*v)).collect())
        })
    }
}
