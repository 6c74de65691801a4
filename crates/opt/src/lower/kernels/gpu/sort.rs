//! Sort on a GPU: by digits of eight bits, the least first; each round reads and writes everything once.
//!
//! A key has a place in the total order of its type, an unsigned integer (*ordinal*). A round moves every element to its place by one
//! digit and keeps the order of equal digits; after the last digit all are in order:
//!
//! ```text
//! count     one launch       how often each digit of each round occurs                         rounds.rs
//! plan      one block        where each digit begins; which rounds there are                    rounds.rs
//! move      one per round    a tile of elements goes to where its digits belong                 move_tiles.rs
//! ```
//!
//! A digit that is the same in all keys makes no round: small numbers in wide types cost as much as in narrow ones. The host does not
//! wait to learn that. All rounds are launched, and the blocks of one that is not needed leave at once; where elements come from and
//! go to is in the plan, so that the last round that there is ends in the result.
//!
//! Keys that are more than a few steps away from columns, or whose computation may fail, are computed once, before. Where an order is
//! asked for, ordinals and positions are moved; where keys are, the keys themselves.
//!
//! Memory beside keys and result, for n points: n keys where keys are the result; 2 n ordinals and n positions where the order is; and
//! 1.2 KiB per tile.
//!
//! Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs"; how a tile learns what came before it is
//! different ([`terrace_ir::kernel::Stmt::Earlier`]). Declined: rows, which are merged, and several keys, which are sorted one after
//! the other (`lower_writes`).

mod move_tiles;
mod rounds;

use super::super::body::is_cheap_key;
use super::super::build::Builder;
use super::super::expr::{add, and, binary, convert, int, lt, min, mul, sub};
use super::super::host::Host;
use super::super::host_expr::{hadd, hceil_div, hdiv, hint, hmul};
use super::super::points::{self, Point};
use super::super::{Lowered, limit};
use super::items;
use super::map::{HEAVY_ITEMS, LIGHT_ITEMS};
use super::tiles::{Cut, define_point};
use terrace_base::{BinOp, Scalar, ScalarType, Span, ordinal_type};
use terrace_ir::ValueId;
use terrace_ir::flat::{Op, SortForm};
use terrace_ir::kernel::{COLUMNS, Expr, Stmt};
use terrace_plan::host::{HostExpr, SlotId};

/// Values of a digit.
const DIGITS: i64 = COLUMNS as i64;

/// Bytes of shared memory that the elements of a tile may take, beside the counters.
const TILE_BYTES: i64 = 28 * 1024;

/// Elements per thread at most; more of them need more registers than there are for three blocks.
const MOST_ITEMS: i64 = 28;

/// Emits the launches of a sort of one row by one key.
pub fn lower(host: &mut Host<'_>, op: &Op, binds: &[ValueId], form: SortForm, span: Span) -> Lowered<()> {
    let ([bind], [key], 1) = (binds, op.body.results.as_slice(), op.space.len()) else {
        return Err(limit(span, "a sort of rows, or by several keys"));
    };
    let key = host.atom_type(key);
    let points = host.points(op, binds)?;
    let stored = if is_cheap_key(&op.body) { None } else { Some(store_keys(host, op, key, *bind, &points, span)?) };
    let place = host.function.values[*bind].at.clone();
    let own = place.filter(|p| p.index.dims.iter().all(|d| d.stride.as_constant() == Some(1)));
    let (carried, elem) = match form {
        SortForm::Keys => (key, key),
        SortForm::Order => (ordinal_type(key), ScalarType::I64),
    };
    let result = match &own {
        Some(p) => Place { offset: host.size_on_host(&p.index.offset, span)?, slot: host.buffer_of_block(p.block)? },
        None => Place { slot: host.scratch("sorted", elem, points.clone(), span), offset: hint(0) },
    };
    let spare = Place { slot: host.scratch("spare", elem, points.clone(), span), offset: hint(0) };
    let keys = match form {
        SortForm::Keys => None,
        SortForm::Order => {
            Some([(); 2].map(|()| Place { slot: host.scratch("keys", carried, points.clone(), span), offset: hint(0) }))
        }
    };
    let shape = Shape::new(host, carried, form);
    let tiles = hceil_div(points.clone(), shape.tile() as usize);
    let rounds = key.size_bytes() as i64;
    let counts = host.scratch("counts", ScalarType::I64, hint(rounds * DIGITS), span);
    host.zero(counts);
    let plan = host.scratch("plan", ScalarType::I64, hint(rounds * (DIGITS + 1)), span);
    let rows = hadd(hadd(tiles.clone(), hdiv(tiles.clone(), hint(8))), hadd(hdiv(tiles.clone(), hint(64)), hint(3)));
    let words = host.scratch("words", ScalarType::I32, hmul(rows, hint(DIGITS)), span);
    let tops = hadd(hdiv(tiles.clone(), hint(512)), hint(3));
    let tops = host.scratch("tops", ScalarType::I64, hmul(tops, hint(DIGITS)), span);
    let sort = Sort { op, key, carried, stored, form, rounds, shape, sides: [result, spare], keys, counts, plan };
    sort.count(host, *bind, &points, span)?;
    sort.plan(host, *bind, span)?;
    for round in 0..rounds {
        host.zero(words);
        host.zero(tops);
        sort.move_tiles(host, *bind, (round, words, tops), &tiles, span)?;
    }
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
    bind: ValueId,
    points: &HostExpr,
    span: Span,
) -> Lowered<SlotId> {
    let slot = host.scratch("key", key, points.clone(), span);
    let name = host.kernel_name("keys", &[bind]);
    let cut = Cut::new(host, if items::is_plain(&op.body) { LIGHT_ITEMS } else { HEAVY_ITEMS });
    let mut b = Builder::new(host, &name, cut.block as u32, span);
    let n = points::count(&mut b, op, 1)?;
    let base = b.let_("base", ScalarType::I64, mul(Expr::Tile, int(cut.size())));
    let keys = b.output(slot);
    b.when(lt(base.clone(), n.clone()), |b| {
        let left = min(sub(n, base.clone()), int(cut.size()));
        items::each(
            b,
            op,
            cut,
            (&base, &left),
            |b, _, q| define_point(b, op, q, int(0), int(1)),
            |_, _| Ok(()),
            |b, item, mut results| {
                b.when(and(item.inside.clone(), item.ok.clone()), |b| {
                    b.emit(Stmt::Store(keys, item.q.clone(), results.remove(0)));
                    Ok(())
                })
            },
        )
    })?;
    let finished = b.finish();
    host.launch(finished, vec![hceil_div(points.clone(), cut.size() as usize)]);
    Ok(slot)
}

/// Where a column is: a buffer, and the element at which it starts.
#[derive(Clone)]
struct Place {
    slot: SlotId,
    offset: HostExpr,
}

/// How a round is cut.
#[derive(Clone, Copy)]
struct Shape {
    /// Threads of a block.
    block: i64,
    /// Elements per thread, an even number.
    items: i64,
}

impl Shape {
    fn new(host: &Host<'_>, carried: ScalarType, form: SortForm) -> Shape {
        let position = if form == SortForm::Order { ScalarType::I64.size_bytes() } else { 0 };
        let bytes = (carried.size_bytes() + position) as i64;
        // Every warp has counters of its own; with large elements there is room for fewer of them.
        let most = if bytes > 8 { DIGITS / 2 } else { DIGITS };
        let block = (host.tiles.gpu_block as i64).clamp(32, most);
        // With tiny tiles, two items; normally as many as have room.
        let wanted = if host.tiles.gpu_items < 8 { host.tiles.gpu_items as i64 } else { MOST_ITEMS };
        let items = wanted.min(TILE_BYTES / (bytes * block)).max(2) & !1;
        Shape { block, items }
    }

    fn tile(self) -> i64 {
        self.block * self.items
    }

    fn warps(self) -> i64 {
        self.block / super::block::WARP
    }

    /// Digits that a thread looks after.
    fn digits(self) -> i64 {
        DIGITS / self.block
    }
}

struct Sort<'o> {
    op: &'o Op,
    key: ScalarType,
    /// What is moved: keys, or their ordinals.
    carried: ScalarType,
    stored: Option<SlotId>,
    form: SortForm,
    /// How many digits a key has.
    rounds: i64,
    shape: Shape,
    /// The result and as much room: elements go to and fro.
    sides: [Place; 2],
    /// The same for ordinals while positions are the result.
    keys: Option<[Place; 2]>,
    /// How often each digit of each round occurs.
    counts: SlotId,
    /// Where each digit of each round begins; then, for each round, what it does.
    plan: SlotId,
}

impl Sort<'_> {
    /// What is moved of the key at a position.
    fn first_key<'h>(
        &self,
        b: &mut Builder<'h>,
        q: Expr,
        f: impl FnOnce(&mut Builder<'h>, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        let carry = |e: Expr| match self.form {
            SortForm::Keys => e,
            SortForm::Order => Expr::Ordinal(Box::new(e)),
        };
        if let Some(slot) = self.stored {
            let keys = b.input(slot);
            return f(b, carry(Expr::Load(keys, Box::new(q))));
        }
        let point = Point { indices: vec![q.clone()], positions: vec![q] };
        point.define(b, self.op);
        b.body(&self.op.body, |b, values| f(b, carry(values[0].clone())))
    }

    /// A digit of what is moved, a small number.
    fn digit(&self, x: Expr, shift: Expr) -> Expr {
        let ordinal = match self.form {
            SortForm::Keys => Expr::Ordinal(Box::new(x)),
            SortForm::Order => x,
        };
        let mask = match ordinal_type(self.key) {
            ScalarType::U64 => Scalar::U64(DIGITS as u64 - 1),
            _ => Scalar::U32(DIGITS as u32 - 1),
        };
        let shifted = binary(BinOp::Shr, ordinal, shift);
        convert(ScalarType::I32, binary(BinOp::And, shifted, Expr::Const(mask)))
    }

    /// How far a round's digit is from the lowest bit.
    fn shift(&self, round: i64) -> Scalar {
        match ordinal_type(self.key) {
            ScalarType::U64 => Scalar::U64(8 * round as u64),
            _ => Scalar::U32(8 * round as u32),
        }
    }

    /// The result, where it cannot be sorted in its place.
    fn hand_over(&self, host: &mut Host<'_>, bind: ValueId, points: &HostExpr, span: Span) -> Lowered<()> {
        let name = host.kernel_name("sorted", &[bind]);
        let cut = Cut::new(host, LIGHT_ITEMS);
        let mut b = Builder::new(host, &name, cut.block as u32, span);
        let n = points::count(&mut b, self.op, 1)?;
        let from = b.input(self.sides[0].slot);
        let base = b.let_("base", ScalarType::I64, add(mul(Expr::Tile, int(cut.size())), Expr::Thread));
        b.for_("item", int(0), int(cut.items), int(1), true, |b, item| {
            let q = b.let_("q", ScalarType::I64, add(base, mul(item, int(cut.block))));
            b.when(lt(q.clone(), n), |b| b.store(bind, q.clone(), Expr::Load(from, Box::new(q))))
        })?;
        let finished = b.finish();
        host.launch(finished, vec![hceil_div(points.clone(), cut.size() as usize)]);
        Ok(())
    }
}
