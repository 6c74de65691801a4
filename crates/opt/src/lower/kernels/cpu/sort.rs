//! Sort on a CPU: by digits of up to eleven bits, the least first, all rows at once.
//!
//! A key becomes its place in the total order, an unsigned integer (*ordinal*), so that one sort serves all types. A round moves every element
//! to its place by one digit and keeps the order of equal digits; after the last digit all are in order:
//!
//! ```text
//! 27 12 17 22     by the last digit     12 22 27 17     by the first digit     12 17 22 27
//!
//! a round         count       how often each digit is in each tile
//!                 places      scanned: digit by digit, in each digit tile by tile
//!                 move        every tile moves its elements, in order
//! ```
//!
//! Tiles are cut as everywhere, by positions; they grow with the number of points, because each has counts of its own. A row that lies in one tile is sorted there (`rows.rs`); of the others a tile
//! has at most two parts, one of a row that enters and one of a row that leaves, and counts each for itself. The first
//! pass finds out which bits differ at all: digits that are the same everywhere make no round, and rows that are in order
//! already take a single one. How many rounds there are is read by the host, which lets them go to and fro
//! between the result and scratch memory so that the last one ends in the result.
//!
//! Memory beside keys and result, for n points: n keys where keys are the result; 2 n keys and n positions where the order is; and 32 KiB
//! per tile (4 KiB where keys have 16 bits or fewer). Keys that are more than a few steps away from columns are computed once, into n more.
//!
//! Declined: several keys (they are sorted one after the other, see `lower_writes`).

mod rounds;
mod rows;

use super::tiles::{element_tile_by, element_tile_of};
use crate::lower::kernels::body::is_cheap_key;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, and, binary, constant, convert, eq, ge, int, le, lt, not, select, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::{hadd, hceil_div, hdiv, hint, hmax, hmin};
use crate::lower::kernels::points::{Point, count, for_points, locate, row_length, row_start};
use crate::lower::kernels::{Lowered, limit};
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Op, OpKind, SortForm};
use terrace_ir::kernel::{Expr, Stmt};
use terrace_plan::host::{HostExpr, HostStmt, SlotId, SlotType};

/// A tile of a sort has at least so many times the points of others, and at most: it has counts of its own.
const TILES_PER_TILE: [usize; 2] = [8, 32];

/// Between those bounds, there are so many tiles.
const TILES: usize = 16;

/// The most bits of a digit: as many buffers of one cache line fit into the second cache.
const MOST_BITS: i64 = 11;

pub(super) fn sort(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    let (OpKind::Sort { form }, [bind], [key]) = (&op.kind, binds, op.body.results.as_slice()) else {
        return Err(limit(span, "a sort by several keys"));
    };
    let key = host.atom_type(key);
    let points = host.points(op, binds)?;
    let stored = if is_cheap_key(&op.body) { None } else { Some(store_keys(host, op, key, &points, *bind, span)?) };
    let [least, most] = TILES_PER_TILE.map(|n| hint((n * host.tiles.cpu_tile) as i64));
    let tile = host.new_slot("size", SlotType::Host(ScalarType::I64));
    host.emit(HostStmt::Compute { to: tile, expr: hmin(hmax(hceil_div(points.clone(), TILES), least), most) });
    let size = HostExpr::Slot(tile);
    let tiles = hdiv(hadd(points.clone(), hadd(size.clone(), hint(-1))), size);
    let place = host.function.values[*bind].at.clone();
    let own = place.filter(|p| p.index.dims.iter().all(|d| d.stride.as_constant() == Some(1)));
    let elem = if *form == SortForm::Order { ScalarType::I64 } else { key };
    let result = match &own {
        Some(p) => {
            let offset = host.size_on_host(&p.index.offset, span)?;
            Place { slot: host.buffer_of_block(p.block)?, offset }
        }
        None => Place { slot: host.scratch("sorted", elem, points.clone(), span), offset: hint(0) },
    };
    let spare = host.scratch("spare", elem, points.clone(), span);
    let keys = match form {
        SortForm::Keys => None,
        SortForm::Order => Some([(); 2].map(|()| host.scratch("keys", key, points.clone(), span))),
    };
    let sort = Sort { op, key, stored, tile, form: *form, result, spare, keys };
    let plan = sort.rows(host, *bind, &tiles, span)?;
    sort.rounds(host, *bind, &tiles, &plan, span)?;
    if own.is_none() {
        sort.hand_over(host, *bind, &points, span)?;
    }
    Ok(())
}

/// Computes all keys, into a buffer of their own.
fn store_keys(
    host: &mut Host<'_>,
    op: &Op,
    key: ScalarType,
    points: &HostExpr,
    bind: ValueId,
    span: Span,
) -> Lowered<SlotId> {
    let slot = host.scratch("key", key, points.clone(), span);
    let name = host.kernel_name("keys", &[bind]);
    let size = host.tiles.cpu_tile;
    let mut b = Builder::new(host, &name, 1, span);
    let (lo, hi) = element_tile_of(&mut b, op, size)?;
    for_points(&mut b, op, op.space.len(), lo, hi, |b, point| {
        let q = point.positions[op.space.len() - 1].clone();
        b.set_index(q.clone());
        let keys = b.output(slot);
        b.body(&op.body, |b, values| {
            b.emit(Stmt::Store(keys, q, values[0].clone()));
            Ok(())
        })
    })?;
    let finished = b.finish();
    host.launch(finished, vec![hceil_div(points.clone(), size)]);
    Ok(slot)
}

/// Where a column is: a buffer, and the element at which it starts.
#[derive(Clone)]
struct Place {
    slot: SlotId,
    offset: HostExpr,
}

/// What the first pass finds out.
struct Plan {
    /// The lowest bit of the digit of each round; a negative one for a digit of no bits.
    digits: SlotId,
    /// The number of rounds, on the host.
    rounds: SlotId,
}

/// Some bits of an ordinal.
#[derive(Clone)]
struct Digit {
    /// How far they are from the lowest bit.
    shift: Expr,
    /// Which bits they are then.
    mask: Expr,
}

struct Sort<'o> {
    op: &'o Op,
    key: ScalarType,
    stored: Option<SlotId>,
    /// The number of points in a tile.
    tile: SlotId,
    form: SortForm,
    result: Place,
    /// As long as the result.
    spare: SlotId,
    /// Where keys go to and fro while their order is sorted.
    keys: Option<[SlotId; 2]>,
}

/// The part of a row that lies in a tile.
#[derive(Clone)]
struct Part {
    parent: Point,
    /// The position of the row's first element, and behind its last.
    start: Expr,
    end: Expr,
    /// The positions in the tile.
    from: Expr,
    to: Expr,
    /// Whether the row begins in the tile.
    begins: Expr,
}

impl Part {
    fn is_whole(&self) -> Expr {
        and(self.begins.clone(), le(self.end.clone(), self.to.clone()))
    }

    /// Where the counts of the part begin.
    fn counts(&self, digits: i64) -> Expr {
        let part = add(add(Expr::Tile, Expr::Tile), select(self.begins.clone(), int(1), int(0)));
        binary(BinOp::Mul, part, int(digits))
    }
}

impl Sort<'_> {
    fn ordinals(&self) -> ScalarType {
        terrace_base::ordinal_type(self.key)
    }

    fn bits(&self) -> i64 {
        8 * self.ordinals().size_bytes() as i64
    }

    /// Bits of a digit: as few as need no more rounds.
    fn digit_bits(&self) -> i64 {
        let bits = 8 * self.key.size_bytes() as i64;
        let rounds = (bits + MOST_BITS - 1) / MOST_BITS;
        (bits + rounds - 1) / rounds
    }

    /// Values of a digit.
    fn digits(&self) -> i64 {
        1 << self.digit_bits()
    }

    fn tile_size(&self, b: &mut Builder<'_>) -> Expr {
        Expr::Param(b.scalar("size", ScalarType::I64, HostExpr::Slot(self.tile)))
    }

    fn element_tile(&self, b: &mut Builder<'_>) -> Lowered<(Expr, Expr)> {
        let size = self.tile_size(b);
        element_tile_by(b, self.op, size)
    }

    /// A number as an ordinal.
    fn number(&self, n: i64) -> Expr {
        constant(if self.ordinals() == ScalarType::U64 { Scalar::U64(n as u64) } else { Scalar::U32(n as u32) })
    }

    /// The digit of an ordinal.
    fn digit(&self, ordinal: Expr, digit: &Digit) -> Expr {
        convert(
            ScalarType::I64,
            binary(BinOp::And, binary(BinOp::Shr, ordinal, digit.shift.clone()), digit.mask.clone()),
        )
    }

    /// The key at a position of a row, as it comes in.
    fn key_at<'h>(
        &self,
        b: &mut Builder<'h>,
        part: &Part,
        q: Expr,
        f: impl FnOnce(&mut Builder<'h>, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        if let Some(slot) = self.stored {
            let keys = b.input(slot);
            let key = b.let_("key", self.key, Expr::Load(keys, Box::new(q)));
            return f(b, key);
        }
        let mut point = part.parent.clone();
        point.indices.push(b.let_("j", ScalarType::I64, sub(q.clone(), part.start.clone())));
        point.positions.push(q);
        point.define(b, self.op);
        b.body(&self.op.body, |b, values| {
            let key = b.let_("key", self.key, values[0].clone());
            f(b, key)
        })
    }

    fn part(&self, b: &mut Builder<'_>, parent: &Point, lo: Expr, hi: Expr) -> Lowered<Part> {
        let d = self.op.space.len() - 1;
        let start = row_start(b, self.op, d, parent)?;
        let length = if d == 0 { count(b, self.op, 1)? } else { row_length(b, self.op, d, parent)? };
        let end = b.let_("end", ScalarType::I64, add(start.clone(), length));
        let begins = b.let_("begins", ScalarType::Bool, ge(start.clone(), lo.clone()));
        let from = b.let_("from", ScalarType::I64, binary(BinOp::Max, start.clone(), lo));
        let to = b.let_("to", ScalarType::I64, binary(BinOp::Min, end.clone(), hi));
        Ok(Part { parent: parent.clone(), start, end, from, to, begins })
    }

    /// The rows that begin and end in this tile.
    fn whole_rows<'h>(
        &self,
        b: &mut Builder<'h>,
        f: impl FnOnce(&mut Builder<'h>, &Part) -> Lowered<()>,
    ) -> Lowered<()> {
        let d = self.op.space.len() - 1;
        let (lo, hi) = self.element_tile(b)?;
        b.when(lt(lo.clone(), hi.clone()), |b| {
            let each = |b: &mut Builder<'h>, parent: &Point| {
                let part = self.part(b, parent, lo.clone(), hi.clone())?;
                b.when(part.is_whole(), |b| f(b, &part))
            };
            if d == 0 {
                return each(b, &Point::default());
            }
            let first = locate(b, self.op, d + 1, lo.clone())?.positions[d - 1].clone();
            let last = locate(b, self.op, d + 1, sub(hi.clone(), int(1)))?.positions[d - 1].clone();
            for_points(b, self.op, d, first, add(last, int(1)), each)
        })
    }

    /// The parts of rows that other tiles have parts of, too.
    fn cut_rows<'h>(&self, b: &mut Builder<'h>, f: impl FnOnce(&mut Builder<'h>, &Part) -> Lowered<()>) -> Lowered<()> {
        let d = self.op.space.len() - 1;
        let (lo, hi) = self.element_tile(b)?;
        b.when(lt(lo.clone(), hi.clone()), |b| {
            if d == 0 {
                let part = self.part(b, &Point::default(), lo, hi)?;
                return b.when(not(part.is_whole()), |b| f(b, &part));
            }
            let first = locate(b, self.op, d + 1, lo.clone())?.positions[d - 1].clone();
            let last = locate(b, self.op, d + 1, sub(hi.clone(), int(1)))?.positions[d - 1].clone();
            let sides = select(eq(first.clone(), last.clone()), int(1), int(2));
            let sides = b.let_("sides", ScalarType::I64, sides);
            b.for_("side", int(0), sides, int(1), false, |b, side| {
                let row = b.let_("row", ScalarType::I64, select(eq(side, int(0)), first, last));
                let parent = locate(b, self.op, d, row)?;
                let part = self.part(b, &parent, lo, hi)?;
                b.when(not(part.is_whole()), |b| f(b, &part))
            })
        })
    }

    /// The result, where it cannot be sorted in its place.
    fn hand_over(&self, host: &mut Host<'_>, bind: ValueId, points: &HostExpr, span: Span) -> Lowered<()> {
        let name = host.kernel_name("sorted", &[bind]);
        let size = host.tiles.cpu_tile;
        let mut b = Builder::new(host, &name, 1, span);
        let (lo, hi) = element_tile_of(&mut b, self.op, size)?;
        let from = b.input(self.result.slot);
        b.for_("q", lo, hi, int(1), true, |b, q| b.store(bind, q.clone(), Expr::Load(from, Box::new(q))))?;
        let finished = b.finish();
        host.launch(finished, vec![hceil_div(points.clone(), size)]);
        Ok(())
    }
}
