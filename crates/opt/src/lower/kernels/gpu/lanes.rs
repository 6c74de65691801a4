//! Reduction of rows that all have one, short length: a few lanes per row, straight from memory.
//!
//! Where rows are regular nobody has to look for them, and rows of at most a piece need no joining. So there is nothing to stage: the lanes of
//! a group read neighbouring elements of their row, several rounds at a time ([`super::apart`]), and a tree over the lanes ends it.
//!
//! ```text
//! rows of up to 8 elements     a thread per row, by loads of 16 bytes where lengths allow it
//! up to 128                    eight lanes per row, four rows per warp
//! up to 512                    a warp per row
//! ```
//!
//! Each is a kernel of its own, and the host launches the one that fits. A block takes so many rows that there are a few thousand
//! blocks: what a block does only once is then done rarely.
//!
//! The order is that of [`super::rows`]: the same row gives the same bits in both. Declined: operators that are not known to commute, whose
//! lanes would have to read runs.

use super::super::Lowered;
use super::super::body::may_fail;
use super::super::build::Builder;
use super::super::expr::{add, and, convert, eq, int, local, lt, mul, not, quot, sub, truth};
use super::super::host::Host;
use super::super::host_expr::{hadd, hdiv, hint, hmax, hmin, hmul};
use super::super::points::{self, Point};
use super::super::reduce::element;
use super::apart::{self, Apart, Near};
use super::block::{Combine, WARP, bits};
use super::corners::{GROUP, Shape};
use super::items::{is_straight, masked};
use super::pieces::has_rows_longer_than;
use super::reduce::take;
use super::results::Results;
use super::tiles::{define_in_row, define_point, needs_indices};
use super::wide;
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::{Op, Operator};
use terrace_ir::kernel::{Expr, LocalId};
use terrace_ir::{Atom, ValueId};
use terrace_plan::host::HostExpr;

/// Elements that a lane asks for at once, where they only have to be read.
const AHEAD: i64 = 8;
/// The same where checks stand before loads, and at the end of a row.
const FEW_AHEAD: i64 = 4;
/// The most rows of a lane.
const ROWS: i64 = 8;
/// A lane gets several rows where there are more blocks than this.
const BLOCKS: i64 = 4096;
/// The same where tiles are tiny.
const FEW_BLOCKS: i64 = 2;

/// Emits the launches; the host knows how long rows are, and at most one of them happens.
pub fn lower(
    host: &mut Host<'_>,
    op: &Op,
    binds: &[ValueId],
    what: (&Operator, &[Atom], bool),
    results: &Results<'_>,
    shape: &Shape,
    span: Span,
) -> Lowered<()> {
    let from = [(1, 0, shape.short), (GROUP, shape.short, shape.medium), (WARP, shape.medium, shape.piece)];
    for (lanes, above, upto) in from {
        let longer = |n: i64| has_rows_longer_than(host, op, n).unwrap_or(hint(1));
        let is_short = hadd(hint(1), hmul(longer(upto), hint(-1)));
        let flag = if above == 0 { is_short } else { hmul(longer(above), is_short) };
        if above < upto && flag != hint(0) {
            by_lanes(host, op, binds, what, results, (shape.cut.block, lanes, flag), span)?;
        }
    }
    Ok(())
}

/// So many lanes per row; `flag` is 1 where that shall happen, else 0.
fn by_lanes(
    host: &mut Host<'_>,
    op: &Op,
    binds: &[ValueId],
    (operator, neutral, masked): (&Operator, &[Atom], bool),
    results: &Results<'_>,
    (block, lanes, flag): (i64, i64, HostExpr),
    span: Span,
) -> Lowered<()> {
    let groups = block / lanes;
    let blocks = if host.tiles.gpu_items < 8 { FEW_BLOCKS } else { BLOCKS };
    let all = host.rows(op)?;
    let rounds = hmax(hmin(hdiv(all.clone(), hint(groups * blocks)), hint(ROWS)), hint(1));
    let per_block = hmul(rounds.clone(), hint(groups));
    let tiles = hmul(hdiv(hadd(all, hadd(per_block.clone(), hint(-1))), per_block), flag);
    let name = host.kernel_name("reduce_rows", binds);
    let mut b = Builder::new(host, &name, block as u32, span);
    let combine = Combine::of(&mut b, operator, neutral)?;
    let d = op.space.len() - 1;
    let rows = points::count(&mut b, op, d)?;
    let length = points::row_length(&mut b, op, d, &Point::default())?;
    let rounds = Expr::Param(b.scalar("rounds", ScalarType::I64, rounds));
    b.set_index(mul(rows.clone(), length.clone()));
    let lane = if lanes == 1 { int(0) } else { b.let_("lane", ScalarType::I64, bits(Expr::Thread, int(lanes - 1))) };
    let group = quot(Expr::Thread, int(lanes));
    let first = add(mul(Expr::Tile, mul(rounds.clone(), int(groups))), group);
    let first = b.let_("first", ScalarType::I64, first);
    b.for_("r", int(0), rounds, int(1), false, |b, r| {
        let row = b.let_("row", ScalarType::I64, add(first, mul(r, int(groups))));
        let is_row = b.let_("is_row", ScalarType::Bool, lt(row.clone(), rows.clone()));
        let acc = combine.vars(b, "acc", &combine.neutral);
        b.when(is_row.clone(), |b| {
            let start = b.let_("start", ScalarType::I64, mul(row.clone(), length.clone()));
            let part =
                Part { op, combine: &combine, masked, acc: &acc, lanes, lane: &lane, row: &row, length: &length };
            part.run(b, start)
        })?;
        if lanes > 1 {
            combine.fold_lanes_of(b, &acc, lanes)?;
        }
        b.when(and(is_row, eq(lane, int(0))), |b| results.store(b, row, acc.iter().copied().map(local).collect()))
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}

/// What a lane has of a row.
struct Part<'a> {
    op: &'a Op,
    combine: &'a Combine<'a>,
    masked: bool,
    acc: &'a [LocalId],
    lanes: i64,
    lane: &'a Expr,
    row: &'a Expr,
    length: &'a Expr,
}

impl Part<'_> {
    fn run(&self, b: &mut Builder<'_>, start: Expr) -> Lowered<()> {
        let own = b.let_("own", ScalarType::I64, add(start.clone(), self.lane.clone()));
        if !is_straight(&self.op.body) {
            return self.one_by_one(b, own, start, true);
        }
        let checks = may_fail(&self.op.body) || self.combine.may_fail();
        let fine = checks.then(|| b.var("fine", ScalarType::Bool, truth(true)));
        if self.lanes == 1 && !checks {
            let is_whole = eq(bits(self.length.clone(), int(FEW_AHEAD - 1)), int(0));
            b.if_(is_whole, |b| self.wide(b, &own), |b| self.apart(b, &own, None))?;
        } else {
            self.apart(b, &own, fine)?;
        }
        match fine {
            Some(fine) => b.when(not(local(fine)), |b| self.one_by_one(b, own, start, false)),
            None => Ok(()),
        }
    }

    fn define(&self, b: &mut Builder<'_>, q: Expr) -> Lowered<()> {
        if !needs_indices(b, self.op) {
            return define_point(b, self.op, q, int(0), int(1));
        }
        b.set_index(q.clone());
        define_in_row(b, self.op, self.op.space.len() - 1, self.row.clone(), q)
    }

    fn one_by_one(&self, b: &mut Builder<'_>, own: Expr, start: Expr, counts: bool) -> Lowered<()> {
        let end = add(start, self.length.clone());
        b.for_("q", own, end, int(self.lanes), false, |b, q| {
            self.define(b, q)?;
            let op = self.op;
            b.body(&op.body, |b, results| match counts {
                true => take(b, self.combine, self.acc, results, self.masked),
                false => Ok(()),
            })
        })
    }

    /// Whole groups of elements without tests, then what is left.
    fn apart(&self, b: &mut Builder<'_>, own: &Expr, fine: Option<LocalId>) -> Lowered<()> {
        let push = |b: &mut Builder<'_>, item: &Near, results: Vec<Expr>| {
            let add_up = |b: &mut Builder<'_>| take(b, self.combine, self.acc, results, self.masked);
            if item.ok == truth(true) { add_up(b) } else { b.when(item.ok.clone(), add_up) }
        };
        let ahead = if fine.is_some() || self.lanes == 1 { FEW_AHEAD } else { AHEAD };
        let (many, few) = (self.several(ahead), self.several(FEW_AHEAD));
        let size = |apart: Apart| int(apart.step * apart.items);
        let whole = mul(quot(self.length.clone(), size(many)), size(many));
        let whole = b.let_("whole", ScalarType::I64, whole);
        b.for_("base", int(0), whole.clone(), size(many), false, |b, base| {
            let from = b.let_("from", ScalarType::I64, add(own.clone(), base));
            apart::each(b, self.op, many, &from, None, fine, |b, q| self.define(b, q), push)
        })?;
        b.for_("base", whole, self.length.clone(), size(few), false, |b, base| {
            let from = b.let_("from", ScalarType::I64, add(own.clone(), base.clone()));
            let left = sub(sub(self.length.clone(), base), self.lane.clone());
            let left = b.let_("left", ScalarType::I32, convert(ScalarType::I32, left));
            let is_here = |k: Expr| lt(convert(ScalarType::I32, mul(k, int(self.lanes))), left.clone());
            apart::each(b, self.op, few, &from, Some(&is_here), fine, |b, q| self.define(b, q), push)
        })
    }

    fn several(&self, items: i64) -> Apart {
        Apart { step: self.lanes, items, streams: false }
    }

    /// A thread reads neighbours by wide loads: rows have a multiple of so many elements.
    fn wide(&self, b: &mut Builder<'_>, own: &Expr) -> Lowered<()> {
        b.for_("base", int(0), self.length.clone(), int(FEW_AHEAD), false, |b, base| {
            let from = b.let_("from", ScalarType::I64, add(own.clone(), base));
            let loaded = wide::load(b, self.op, &from, FEW_AHEAD as usize)?;
            for l in 0..FEW_AHEAD {
                self.define(b, add(from.clone(), int(l)))?;
                let known: Vec<_> = loaded.iter().map(|(i, array)| (*i, element(*array, int(l)))).collect();
                let (_, results) = masked(b, &self.op.body, &known, None)?;
                take(b, self.combine, self.acc, results, self.masked)?;
            }
            Ok(())
        })
    }
}
