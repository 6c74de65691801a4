//! Histograms on a GPU: blocks count for themselves, in shared memory, where the bins have room there.
//!
//! Atomic operations on one word of memory come one after the other, and with few bins most of them meet. So every block has
//! copies of the bins of its own, as many as have room, up to one per lane of a warp. Copies of one bin lie side by side: with 32 of
//! them no two lanes ever want the same word, or the same bank, whatever the points are.
//!
//! ```text
//! hist grid [n] (i | p) by add { bins[p], 1 } of k     launch over the bins:   out[b] = 0
//!                                                      launch over the points: copy[b][lane] = 0
//!                                                                              for tile in this block's share
//!                                                                                copy[bins[p]][lane] += 1     in shared memory
//!                                                                              out[b] += copy[b][0] + copy[b][1] + …
//! ```
//!
//! There are as many blocks as the machine runs at once; each takes every so-manieth tile, so that few copies are added up. How many
//! bins there are is known when the program runs, and the host chooses. With many bins all blocks share them ([`super::writes`]).
//!
//! Only operators that give the same bits in any order come here; others are sorted by bin before (`lower_writes`).
//! Declined: elements of one and two bytes, which no atomic operation has.

use super::super::Lowered;
use super::super::body::atoms;
use super::super::build::Builder;
use super::super::expr::{add, and, binary, ceil_quot, convert, eq, int, le, local, lt, min, mul, not, select, sub};
use super::super::host::Host;
use super::super::host_expr::{hceil_div, hint, hmax, hmin, hmul};
use super::super::points;
use super::super::writes::{Start, fill, length, longest, starts};
use super::items;
use super::map::{HEAVY_ITEMS, LIGHT_ITEMS, row_range};
use super::tiles::{Cut, define_point, needs_search};
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::flat::{Op, OpKind};
use terrace_ir::kernel::{ArrayId, Expr, Stmt};
use terrace_ir::{Atom, ValueId};
use terrace_plan::host::{HostExpr, HostStmt, SlotId, SlotType};

/// Bytes of shared memory per point of a tile: 32 KiB with the usual tiles, so that a multiprocessor holds several blocks.
const BYTES_PER_POINT: usize = 8;

/// Blocks per multiprocessor, and the fewest multiprocessors that are counted on where nobody knows.
const BLOCKS: i64 = 4;
const FEW_WORKERS: i64 = 32;

/// Tiles that make a block worth while.
const TILES: usize = 2;

/// Copies of a bin at most: one per lane.
const MOST_COPIES: i64 = 32;

/// Emits the launches of a histogram whose operator gives the same bits in any order.
pub fn lower(host: &mut Host<'_>, op: &Op, binds: &[ValueId], operator: BinOp, span: Span) -> Lowered<()> {
    let (OpKind::Hist { neutral, .. }, [bind]) = (&op.kind, binds) else {
        return super::writes::lower(host, op, binds, span);
    };
    let elem = host.function.values[*bind].ty.elem().unwrap_or(ScalarType::I64);
    if elem.size_bytes() < 4 {
        return super::writes::lower(host, op, binds, span);
    }
    let cut = Cut::new(host, if items::is_plain(&op.body) { LIGHT_ITEMS } else { HEAVY_ITEMS });
    let room = Cut::new(host, LIGHT_ITEMS).size() as usize * BYTES_PER_POINT / elem.size_bytes();
    let starts = starts(host, op, binds);
    let bins = longest(host, &starts, span)?;
    let points = host.points(op, binds)?;
    let private = Private { op, cut, bind: *bind, operator, neutral, elem, room, starts };
    if let HostExpr::Const(Scalar::I64(bins)) = bins {
        return match bins <= room as i64 {
            true => private.lower(host, hint(bins), points, span),
            false => super::writes::lower(host, op, binds, span),
        };
    }
    let cond = HostExpr::Binary(BinOp::Le, Box::new(bins.clone()), Box::new(hint(room as i64)));
    let then = host.nested(|host| private.lower(host, bins, points, span))?;
    let otherwise = host.nested(|host| super::writes::lower(host, op, binds, span))?;
    host.emit(HostStmt::If { cond, then, otherwise });
    Ok(())
}

/// As many blocks as the machine runs at once, or as points make worth while.
pub(super) fn blocks_for(host: &mut Host<'_>, points: HostExpr, cut: Cut) -> SlotId {
    let blocks = host.new_slot("blocks", SlotType::Host(ScalarType::I64));
    let most = hmul(hmax(HostExpr::Workers, hint(FEW_WORKERS)), hint(BLOCKS));
    host.emit(HostStmt::Compute { to: blocks, expr: hmin(most, hceil_div(points, TILES * cut.size() as usize)) });
    blocks
}

/// A histogram with copies of its bins.
struct Private<'o> {
    op: &'o Op,
    cut: Cut,
    bind: ValueId,
    operator: BinOp,
    neutral: &'o [Atom],
    elem: ScalarType,
    /// Elements in shared memory.
    room: usize,
    starts: Vec<Start>,
}

/// The copies inside a kernel.
struct Copies {
    array: ArrayId,
    /// How many of each bin, a power of two.
    ways: Expr,
}

impl Copies {
    /// The element of a bin in one of its copies, both small numbers.
    fn at(&self, bin: Expr, copy: Expr) -> Expr {
        let copy = and(copy, sub(self.ways.clone(), items::small(1)));
        convert(ScalarType::I64, add(mul(bin, self.ways.clone()), copy))
    }
}

impl Private<'_> {
    fn lower(&self, host: &mut Host<'_>, bins: HostExpr, points: HostExpr, span: Span) -> Lowered<()> {
        let blocks = blocks_for(host, points, self.cut);
        let name = host.kernel_name("hist", &[self.bind]);
        let mut b = Builder::new(host, &name, self.cut.block as u32, span);
        for (column, with) in &self.starts {
            let n = length(&mut b, *column)?;
            let q = b.let_("q", ScalarType::I64, add(mul(Expr::Tile, int(self.cut.block)), Expr::Thread));
            b.when(lt(q.clone(), n), |b| fill(b, *column, with, q))?;
        }
        b.next_phase();
        self.count(&mut b, blocks)?;
        let finished = b.finish();
        host.launch(finished, vec![hceil_div(bins, self.cut.block as usize), HostExpr::Slot(blocks)]);
        Ok(())
    }

    fn count(&self, b: &mut Builder<'_>, blocks: SlotId) -> Lowered<()> {
        let (op, cut) = (self.op, self.cut);
        let neutral = atoms(b, self.neutral)?.remove(0);
        let bins = length(b, self.bind)?;
        let ways = (1..=MOST_COPIES.ilog2()).fold(int(1), |fewer, k| {
            let ways = int(1 << k);
            select(le(mul(bins.clone(), ways.clone()), int(self.room as i64)), ways, fewer)
        });
        let ways = b.let_("ways", ScalarType::I32, convert(ScalarType::I32, ways));
        let copies = Copies { array: b.array("copies", self.elem, self.room, true), ways };
        let all = mul(bins.clone(), convert(ScalarType::I64, copies.ways.clone()));
        b.for_("q", Expr::Thread, all, int(cut.block), false, |b, q| {
            b.emit(Stmt::SetElement(copies.array, q, neutral.clone()));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        let n = points::count(b, op, op.space.len())?;
        let blocks = Expr::Param(b.scalar("blocks", ScalarType::I64, HostExpr::Slot(blocks)));
        let searched = needs_search(b, op);
        let tiles = b.let_("tiles", ScalarType::I64, ceil_quot(n.clone(), cut.size()));
        b.for_("tile", Expr::Tile, tiles, blocks, false, |b, tile| {
            let base = b.let_("base", ScalarType::I64, mul(tile, int(cut.size())));
            let (lo, hi) = if searched { row_range(b, op, &base, &n, cut)? } else { (int(0), int(1)) };
            let left = min(sub(n, base.clone()), int(cut.size()));
            items::each_put(
                b,
                op,
                cut,
                (&base, &left),
                ScalarType::I32,
                |b, _, q| define_point(b, op, q, lo.clone(), hi.clone()),
                |b, bin, values| {
                    let at = copies.at(bin, convert(ScalarType::I32, Expr::Thread));
                    for value in values {
                        let (operator, array) = (self.operator, copies.array);
                        b.emit(Stmt::AtomicElement { operator, array, at: at.clone(), value });
                    }
                    Ok(())
                },
            )?;
            if searched {
                // The next tile has rows of its own.
                b.emit(Stmt::Barrier);
            }
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        let me = b.let_("me", ScalarType::I32, convert(ScalarType::I32, Expr::Thread));
        b.for_("q", Expr::Thread, bins, int(cut.block), false, |b, q| {
            let bin = b.let_("bin", ScalarType::I32, convert(ScalarType::I32, q.clone()));
            let total = b.var("total", self.elem, neutral.clone());
            let ways = convert(ScalarType::I64, copies.ways.clone());
            // Neighbouring threads begin with different copies, in different banks.
            b.for_("way", int(0), ways, int(1), false, |b, way| {
                let copy = add(convert(ScalarType::I32, way), me);
                let own = Expr::Element(copies.array, Box::new(copies.at(bin, copy)));
                b.set(total, binary(self.operator, local(total), own));
                Ok(())
            })?;
            let nothing = eq(local(total), neutral);
            let write = |b: &mut Builder<'_>| b.atomic(self.operator, self.bind, q, local(total));
            if self.elem.is_float() { write(b) } else { b.when(not(nothing), write) }
        })
    }
}
