//! A round of a sort: every tile puts its elements in order by one digit, and sends them to where the digits belong.
//!
//! ```text
//! tile         31 12 33 11 32          digit = last
//! rank          0  0  0  1  1          among equal digits of a warp, in order; then warps and digits before it are added
//! sorted tile  31 11 12 32 33          in shared memory, so that equal digits go out as runs
//! to[begin(digit) + earlier tiles(digit) + …]
//! ```
//!
//! A warp has its elements side by side, and a counter per digit of its own. The place of an element in its tile is below 65,536: two of
//! them share a register, because registers decide how many blocks a multiprocessor holds. What a tile has to know about earlier ones is
//! asked for as late as possible. Elements beyond the end have the last digit; being last anyway, they get places that nobody stores.

use super::super::block::{Combine, WARP, bits, lane, warp};
use super::super::items::small;
use super::super::look_back::ticket;
use super::rounds::{FROM_KEYS, TO_RESULT};
use super::{DIGITS, Place, Sort};
use crate::lower::kernels::Lowered;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, and, binary, convert, eq, int, le, local, lt, max, min, mul, not, select, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::points;
use terrace_base::{BinOp, Scalar, ScalarType, Span, ordinal_type};
use terrace_ir::ValueId;
use terrace_ir::kernel::{ArrayId, Expr, LocalId, ParamId, Stmt};
use terrace_plan::host::{HostExpr, SlotId};

/// Blocks that a multiprocessor holds at a time.
const RESIDENT: u32 = 3;

/// A [`Place`] in a kernel.
#[derive(Clone)]
struct Side {
    buffer: ParamId,
    offset: Expr,
}

impl Side {
    fn new(b: &mut Builder<'_>, place: &Place) -> Side {
        let offset = match &place.offset {
            HostExpr::Const(c) => Expr::Const(*c),
            offset => Expr::Param(b.scalar("offset", ScalarType::I64, offset.clone())),
        };
        Side { buffer: b.scratch(place.slot), offset }
    }

    fn load(&self, at: Expr) -> Expr {
        Expr::Load(self.buffer, Box::new(add(self.offset.clone(), at)))
    }

    fn store(&self, at: Expr, value: Expr) -> Stmt {
        Stmt::Store(self.buffer, add(self.offset.clone(), at), value)
    }
}

/// What goes along with an element: buffers on both sides, a register per item, room in shared memory.
struct Column {
    sides: [Side; 2],
    own: ArrayId,
    tile: ArrayId,
}

/// A tile inside the kernel.
struct Tile {
    number: Expr,
    /// The position of its first element, and how many it has (small).
    base: Expr,
    left: Expr,
    shift: Expr,
    /// Whether no element is missing.
    is_whole: Expr,
    /// Whether positions have 32 bits.
    is_narrow: Expr,
    /// Where this thread's first element lies in the tile, and its warp's counters.
    first: Expr,
    counters: Expr,
}

impl Tile {
    /// Where an element of this thread lies in the tile, a small number.
    fn slot(&self, item: &Expr) -> Expr {
        add(self.first.clone(), convert(ScalarType::I32, mul(item.clone(), int(WARP))))
    }
}

fn u32_of(e: Expr) -> Expr {
    convert(ScalarType::U32, e)
}

fn element(array: ArrayId, at: Expr) -> Expr {
    Expr::Element(array, Box::new(at))
}

impl Sort<'_> {
    /// One round.
    pub(super) fn move_tiles(
        &self,
        host: &mut Host<'_>,
        bind: ValueId,
        (round, words, tops): (i64, SlotId, SlotId),
        tiles: &HostExpr,
        span: Span,
    ) -> Lowered<()> {
        let shape = self.shape;
        let name = host.kernel_name("move", &[bind]);
        let mut b = Builder::new(host, &name, shape.block as u32, span);
        b.want_resident(RESIDENT);
        let plan = b.input(self.plan);
        // A kernel for all rounds: what differs are numbers.
        let number = |n: i64| HostExpr::Const(Scalar::I64(n));
        let begin = Expr::Param(b.scalar("begin", ScalarType::I64, number(round * DIGITS)));
        let what = Expr::Param(b.scalar("round", ScalarType::I64, number(self.rounds * DIGITS + round)));
        let shift = b.scalar("shift", ordinal_type(self.key), HostExpr::Const(self.shift(round)));
        let words = b.scratch(words);
        let tops = b.scratch(tops);
        let count = Expr::Param(b.scalar("tiles", ScalarType::I64, tiles.clone()));
        let what = b.let_("what", ScalarType::I64, Expr::Load(plan, Box::new(what)));
        b.when(not(eq(what.clone(), int(0))), |b| {
            let n = points::count(b, self.op, 1)?;
            let number = ticket(b, words, count.clone())?;
            let base = b.let_("base", ScalarType::I64, mul(number.clone(), int(shape.tile())));
            let is_narrow = b.let_("is_narrow", ScalarType::Bool, le(n.clone(), int(u32::MAX as i64)));
            let left = max(min(sub(n, base.clone()), int(shape.tile())), int(0));
            let left = b.let_("left", ScalarType::I32, convert(ScalarType::I32, left));
            let is_whole = eq(left.clone(), small(shape.tile() as i32));
            let is_whole = b.let_("is_whole", ScalarType::Bool, is_whole);
            let (lane, warp) = (lane(b), warp(b));
            let first = add(mul(warp.clone(), int(shape.items * WARP)), lane);
            let first = b.let_("first", ScalarType::I32, convert(ScalarType::I32, first));
            let counters = b.let_("counters", ScalarType::I32, convert(ScalarType::I32, mul(warp, int(DIGITS))));
            let tile = Tile { number, base, left, shift: Expr::Param(shift), is_whole, is_narrow, first, counters };
            let columns = self.columns(b);
            self.read(b, &tile, &columns, &what)?;
            let base_of = self.place(b, &tile, &columns, (plan, begin), (words, tops, count))?;
            let to_result = eq(bits(what, int(TO_RESULT)), int(TO_RESULT));
            b.if_(
                to_result,
                |b| self.write(b, &tile, &columns, base_of, 0),
                |b| self.write(b, &tile, &columns, base_of, 1),
            )
        })?;
        let finished = b.finish();
        host.launch(finished, vec![tiles.clone()]);
        Ok(())
    }

    /// What is moved: first what has the digits.
    fn columns(&self, b: &mut Builder<'_>) -> Vec<Column> {
        let (items, size) = (self.shape.items as usize, self.shape.tile() as usize);
        let mut column = |name: &str, ty: ScalarType, places: &[Place; 2]| Column {
            sides: [Side::new(b, &places[0]), Side::new(b, &places[1])],
            own: b.array(name, ty, items, false),
            tile: b.array(&format!("tile_{name}"), ty, size, true),
        };
        match &self.keys {
            None => vec![column("keys", self.carried, &self.sides)],
            Some(keys) => {
                vec![column("keys", self.carried, keys), column("order", ScalarType::I64, &self.sides)]
            }
        }
    }

    /// The elements of this thread. Those of a whole tile need no test.
    fn read(&self, b: &mut Builder<'_>, tile: &Tile, columns: &[Column], what: &Expr) -> Lowered<()> {
        let start = add(tile.base.clone(), convert(ScalarType::I64, tile.first.clone()));
        let start = b.let_("start", ScalarType::I64, start);
        let each = |b: &mut Builder<'_>, from: Option<usize>, whole: bool| {
            b.for_("item", int(0), int(self.shape.items), int(1), true, |b, item| {
                let q = b.let_("q", ScalarType::I64, add(start.clone(), mul(item.clone(), int(WARP))));
                let load = |b: &mut Builder<'_>| self.read_one(b, columns, from, (item.clone(), q));
                if whole { load(b) } else { b.when(lt(tile.slot(&item), tile.left.clone()), load) }
            })
        };
        let has = |bit: i64| eq(bits(what.clone(), int(bit)), int(bit));
        let all = |b: &mut Builder<'_>, whole: bool| {
            b.if_(
                has(FROM_KEYS),
                |b| each(b, None, whole),
                |b| b.if_(has(TO_RESULT), |b| each(b, Some(1), whole), |b| each(b, Some(0), whole)),
            )
        };
        b.if_(tile.is_whole.clone(), |b| all(b, true), |b| all(b, false))
    }

    /// An element, from a side or from the keys.
    fn read_one(
        &self,
        b: &mut Builder<'_>,
        columns: &[Column],
        from: Option<usize>,
        (item, q): (Expr, Expr),
    ) -> Lowered<()> {
        if let Some(side) = from {
            for column in columns {
                b.emit(Stmt::SetElement(column.own, item.clone(), column.sides[side].load(q.clone())));
            }
            return Ok(());
        }
        if let [_, order] = columns {
            b.emit(Stmt::SetElement(order.own, item.clone(), q.clone()));
        }
        self.first_key(b, q, |b, key| {
            b.emit(Stmt::SetElement(columns[0].own, item, key));
            Ok(())
        })
    }

    /// The digit of an element of this thread.
    fn own_digit(&self, tile: &Tile, keys: ArrayId, item: &Expr) -> Expr {
        let digit = self.digit(element(keys, item.clone()), tile.shift.clone());
        select(lt(tile.slot(item), tile.left.clone()), digit, small(DIGITS as i32 - 1))
    }

    /// Puts the elements in order in shared memory; where each digit goes is in the arrays that come back, the lower and the upper half.
    fn place(
        &self,
        b: &mut Builder<'_>,
        tile: &Tile,
        columns: &[Column],
        (plan, begin): (ParamId, Expr),
        (words, tops, count): (ParamId, ParamId, Expr),
    ) -> Lowered<[ArrayId; 2]> {
        let shape = self.shape;
        let (warps, each) = (shape.warps(), shape.digits());
        let keys = columns[0].own;
        let counters = (warps * DIGITS) as usize;
        let counts = b.array("counts", ScalarType::U32, counters, true);
        let marks = b.array("marks", ScalarType::U32, counters, true);
        let none = Expr::Const(Scalar::U32(0));
        b.for_("q", Expr::Thread, int(counters as i64), int(shape.block), false, |b, q| {
            b.emit(Stmt::SetElement(counts, q.clone(), none.clone()));
            b.emit(Stmt::SetElement(marks, q, none));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        let pairs = shape.items / 2;
        let half = Expr::Const(Scalar::U32(16));
        let places = b.array("places", ScalarType::U32, pairs as usize, false);
        let counter = |b: &mut Builder<'_>, item: Expr| {
            let digit = self.own_digit(tile, keys, &item);
            let at = b.let_("counter", ScalarType::I32, add(tile.counters.clone(), digit));
            convert(ScalarType::I64, at)
        };
        let both = |pair: &Expr| [mul(pair.clone(), int(2)), add(mul(pair.clone(), int(2)), int(1))];
        let packed = |low: Expr, high: Expr| binary(BinOp::Or, low, binary(BinOp::Shl, high, half.clone()));
        b.for_("pair", int(0), int(pairs), int(1), true, |b, pair| {
            let ranks = both(&pair).map(|item| {
                let at = counter(b, item);
                let into = b.local("rank", ScalarType::U32);
                b.emit(Stmt::Rank { into, counts, marks, at });
                local(into)
            });
            let [low, high] = ranks;
            b.emit(Stmt::SetElement(places, pair, packed(low, high)));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);

        // One thread per digit, or a few digits per thread.
        let totals = b.array("totals", ScalarType::I32, each as usize, false);
        let digit_of = |m: &Expr| add(mul(Expr::Thread, int(each)), m.clone());
        let sums = Combine::counts();
        let own = sums.start(b, "own", false);
        b.for_("m", int(0), int(each), int(1), true, |b, m| {
            let digit = b.let_("digit", ScalarType::I64, digit_of(&m));
            let total = b.var("total", ScalarType::U32, Expr::Const(Scalar::U32(0)));
            b.for_("w", int(0), int(warps), int(1), true, |b, w| {
                let at = add(mul(w, int(DIGITS)), digit.clone());
                b.set(total, add(local(total), element(counts, at)));
                Ok(())
            })?;
            let count = convert(ScalarType::I32, local(total));
            // The first row of words has the counter of tiles.
            let at = add(mul(add(tile.number.clone(), int(1)), int(DIGITS)), digit);
            b.emit(Stmt::Announce { words, at, count: count.clone() });
            b.emit(Stmt::SetElement(totals, m, count));
            sums.push(b, &own.values, &[convert(ScalarType::I64, local(total))])
        })?;
        let (before, _) = sums.scan(b, &own, shape.block)?;
        let starts = b.array("starts", ScalarType::I64, each as usize, false);
        // A counter becomes the place of its warp's first element with its digit.
        b.for_("m", int(0), int(each), int(1), true, |b, m| {
            let digit = b.let_("digit", ScalarType::I64, digit_of(&m));
            b.emit(Stmt::SetElement(starts, m.clone(), local(before.values[0])));
            let next = b.var("next", ScalarType::U32, u32_of(local(before.values[0])));
            b.for_("w", int(0), int(warps), int(1), true, |b, w| {
                let at = b.let_("at", ScalarType::I64, add(mul(w, int(DIGITS)), digit));
                let own = b.let_("own", ScalarType::U32, element(counts, at.clone()));
                b.emit(Stmt::SetElement(counts, at, local(next)));
                b.set(next, add(local(next), own));
                Ok(())
            })?;
            sums.push(b, &before.values, &[convert(ScalarType::I64, element(totals, m))])
        })?;
        b.emit(Stmt::Barrier);
        b.for_("pair", int(0), int(pairs), int(1), true, |b, pair| {
            let rank = b.let_("ranks", ScalarType::U32, element(places, pair.clone()));
            let mask = Expr::Const(Scalar::U32(65535));
            let parts = [binary(BinOp::And, rank.clone(), mask), binary(BinOp::Shr, rank, half.clone())];
            for (item, rank) in both(&pair).into_iter().zip(parts) {
                let at = counter(b, item.clone());
                let slot = convert(ScalarType::I32, add(rank, element(counts, at)));
                let slot = b.let_("slot", ScalarType::I32, slot);
                for column in columns {
                    let value = element(column.own, item.clone());
                    b.emit(Stmt::SetElement(column.tile, convert(ScalarType::I64, slot.clone()), value));
                }
            }
            Ok(())
        })?;
        let [low, high] = ["low", "high"].map(|half| b.array(half, ScalarType::U32, DIGITS as usize, true));
        b.for_("m", int(0), int(each), int(1), true, |b, m| {
            let digit = b.let_("digit", ScalarType::I64, digit_of(&m));
            let earlier: LocalId = b.local("earlier", ScalarType::I64);
            b.emit(Stmt::Earlier {
                into: earlier,
                words,
                tops,
                tiles: count,
                tile: tile.number.clone(),
                column: add(digit.clone(), int(DIGITS)),
                own: element(totals, m.clone()),
            });
            let start = Expr::Load(plan, Box::new(add(begin, digit.clone())));
            let base = sub(add(start, local(earlier)), element(starts, m));
            let base = b.let_("base", ScalarType::I64, base);
            b.emit(Stmt::SetElement(low, digit.clone(), u32_of(base.clone())));
            b.emit(Stmt::SetElement(high, digit, u32_of(binary(BinOp::Shr, base, int(32)))));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        Ok([low, high])
    }

    /// The sorted tile goes out, neighbouring threads with neighbouring elements.
    fn write(
        &self,
        b: &mut Builder<'_>,
        tile: &Tile,
        columns: &[Column],
        [low, high]: [ArrayId; 2],
        side: usize,
    ) -> Lowered<()> {
        let each = |b: &mut Builder<'_>, plain: bool| {
            b.for_("item", int(0), int(self.shape.items), int(1), true, |b, item| {
                let slot = add(Expr::Thread, mul(item, int(self.shape.block)));
                let slot = b.let_("slot", ScalarType::I32, convert(ScalarType::I32, slot));
                let put = |b: &mut Builder<'_>| {
                    let slot = convert(ScalarType::I64, slot.clone());
                    let key = b.let_("key", self.carried, element(columns[0].tile, slot.clone()));
                    let digit = convert(ScalarType::I64, self.digit(key.clone(), tile.shift.clone()));
                    let to = convert(ScalarType::I64, add(element(low, digit.clone()), u32_of(slot.clone())));
                    let far = binary(BinOp::Shl, convert(ScalarType::I64, element(high, digit.clone())), int(32));
                    let to = if plain {
                        to
                    } else {
                        add(add(convert(ScalarType::I64, element(low, digit)), far), slot.clone())
                    };
                    let to = b.let_("to", ScalarType::I64, to);
                    b.emit(columns[0].sides[side].store(to.clone(), key));
                    for column in &columns[1..] {
                        b.emit(column.sides[side].store(to.clone(), element(column.tile, slot.clone())));
                    }
                    Ok(())
                };
                if plain { put(b) } else { b.when(lt(slot.clone(), tile.left.clone()), put) }
            })
        };
        let plain = and(tile.is_whole.clone(), tile.is_narrow.clone());
        b.if_(plain, |b| each(b, true), |b| each(b, false))
    }
}
