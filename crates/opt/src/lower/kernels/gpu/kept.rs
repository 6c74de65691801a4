//! Pack of one dimension, with its elements in registers: a filter and what it is fused with.
//!
//! ```text
//! tile      5 -1  3 -7 | -2  8  9  4        keep positive
//! counts    lanes: 2, 3   tile: 5           four rows of strips share one word, a byte each: a row keeps at most 128
//! gathered  5 3 8 9 4                       in shared memory, then stored from where earlier tiles end, without gaps
//! ```
//!
//! Values and predicates are computed once. The tile's count is sent before its elements are gathered, so that later tiles
//! wait as little as possible. Places are small numbers within the tile. The number of all that stay goes to a cell.
//!
//! Declined, and left to [`super::pack`]: rows, and bodies that are not plain.

use super::super::build::Builder;
use super::super::expr::{add, and, binary, convert, eq, ge, int, local, lt, max, min, mul, quot, sub, truth};
use super::super::host::Host;
use super::super::host_expr::{hceil_div, hint, hmax};
use super::super::sequential::store_all;
use super::super::{Lowered, points};
use super::block::{Combine, Partial, WARP, bits, is_first, lane, warp};
use super::items::{is_plain, plus, small};
use super::look_back::{LookBack, Mail};
use super::segmented::elements;
use super::strips::Strips;
use super::tiles::define_point;
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::Op;
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Shuffle, Stmt};
use terrace_plan::Target;

/// Threads of a block, and blocks that a multiprocessor holds.
const BLOCK: i64 = 320;
const RESIDENT: u32 = 4;
/// Bytes of elements that a thread holds, and elements: a bit for each.
const BYTES: usize = 128;
const BITS: i64 = 32;

/// Whether a pack can be done in registers.
pub fn is_possible(host: &Host<'_>, op: &Op) -> bool {
    host.device == Target::Cuda && op.space.len() == 1 && is_plain(&op.body)
}

/// Emits the launch of a pack.
pub fn lower(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    let types: Vec<ScalarType> =
        binds[1..].iter().map(|v| host.function.values[*v].ty.elem().unwrap_or(ScalarType::I64)).collect();
    let bytes: usize = types.iter().map(|ty| ty.size_bytes()).sum();
    let strips = match host.tiles.gpu_block {
        0..256 => Strips::new(host, op, host.tiles.gpu_block.max(32) as i64, host.tiles.gpu_items as i64, &types),
        _ => Strips::new(host, op, BLOCK, ((BYTES / bytes.max(4)) as i64).clamp(1, BITS), &types),
    };
    let count = host.points(op, binds)?;
    let tiles = hmax(hceil_div(count, strips.size() as usize), hint(1));
    let mail = Mail::new(host, &[ScalarType::I64], &tiles, span);
    let cell = host.result_cell(binds[0]);

    let name = host.kernel_name("pack", binds);
    let mut b = Builder::new(host, &name, strips.block as u32, span);
    if strips.block == BLOCK {
        b.want_resident(RESIDENT);
    }
    let counts = Combine::counts();
    let look = LookBack::new(&mut b, &mail);
    let cell = b.cell_out(cell);
    let number = look.ticket(&mut b)?;
    let count = points::count(&mut b, op, 1)?;
    let count = b.let_("n", ScalarType::I64, count);
    let used = quot(add(count.clone(), int(strips.size() - 1)), int(strips.size()));
    let used = b.let_("used", ScalarType::I64, max(used, int(1)));
    b.when(lt(number.clone(), used.clone()), |b| {
        b.set_index(count.clone());
        let base = b.let_("base", ScalarType::I64, mul(number.clone(), int(strips.size())));
        let left = min(sub(count.clone(), base.clone()), int(strips.size()));
        let left = b.let_("here", ScalarType::I64, left);
        let own = strips.own(b);
        let kept = Kept::load(b, op, strips, &own, (&base, &left), &types)?;
        let (at, total) = kept.places(b)?;
        let all = Partial { values: vec![b.var("total", ScalarType::I64, wide(total.clone()))], closed: None };
        look.announce(b, &number, &all)?;
        let gathered: Vec<ArrayId> =
            types.iter().map(|ty| b.array("gathered", *ty, strips.size() as usize, true)).collect();
        kept.gather(b, at, &gathered)?;
        let needed = b.let_("needed", ScalarType::Bool, lt(int(0), number.clone()));
        let before = look.before(b, &counts, &number, &all, &needed)?;
        let shared = counts.shared(b, "earlier", 1, false);
        b.when(is_first(), |b| {
            shared.set(b, int(0), &before.exprs(), truth(false));
            b.when(eq(add(number.clone(), int(1)), used), |b| {
                b.emit(Stmt::StoreCell(cell, add(local(before.values[0]), local(all.values[0]))));
                Ok(())
            })
        })?;
        b.emit(Stmt::Barrier);
        let (start, _) = shared.get(int(0));
        let start = start.into_iter().next().unwrap_or_else(|| int(0));
        let start = b.let_("start", ScalarType::I64, start);
        b.for_("p", Expr::Thread, local(all.values[0]), int(strips.block), false, |b, p| {
            store_all(b, &binds[1..], add(start.clone(), p.clone()), elements(&gathered, p))
        })
    })?;
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    Ok(())
}

/// The elements of a thread.
struct Kept {
    strips: Strips,
    values: Vec<ArrayId>,
    /// A bit per element.
    stay: LocalId,
    /// How many stay in each strip, a byte each.
    counts: ArrayId,
    words: i64,
}

impl Kept {
    fn load(
        b: &mut Builder<'_>,
        op: &Op,
        strips: Strips,
        own: &Expr,
        range: (&Expr, &Expr),
        types: &[ScalarType],
    ) -> Lowered<Kept> {
        let values: Vec<ArrayId> = types.iter().map(|ty| b.array("x", *ty, strips.items() as usize, false)).collect();
        let words = (strips.rows + 3) / 4;
        let counts = b.array("counts", ScalarType::U32, words as usize, false);
        let stay = b.var("stay", ScalarType::U32, number(0));
        for w in 0..words {
            b.emit(Stmt::SetElement(counts, int(w), number(0)));
        }
        strips.compute(
            b,
            op,
            own,
            range,
            |b, q| define_point(b, op, q, int(0), int(1)),
            |b, element, results| {
                let mut results = results.into_iter();
                let Some(keep) = results.next() else { return Ok(()) };
                let keep = and(element.ok.clone(), keep);
                let keep = b.let_("keep", ScalarType::U32, convert(ScalarType::U32, keep));
                let bit = binary(BinOp::Shl, keep.clone(), convert(ScalarType::U32, element.index.clone()));
                b.set(stay, binary(BinOp::Or, local(stay), bit));
                let (word, shift) = byte(&element.row);
                let sum = Expr::Element(counts, Box::new(word.clone()));
                let sum = binary(BinOp::Add, sum, binary(BinOp::Shl, keep, shift));
                b.emit(Stmt::SetElement(counts, word, sum));
                for (array, e) in values.iter().zip(results) {
                    b.emit(Stmt::SetElement(*array, element.index.clone(), e));
                }
                Ok(())
            },
            |_, _| Ok(()),
        )?;
        Ok(Kept { strips, values, stay, counts, words })
    }

    /// Where the elements of each strip go within the tile: the first place of the warp, and what is left in `counts` for each strip is the
    /// number of those in lanes before; a second array has whole rows. Also the number of all that stay in the tile.
    fn places(&self, b: &mut Builder<'_>) -> Lowered<(Places, Expr)> {
        let (lane, warp) = (lane(b), warp(b));
        let rows = b.array("rows", ScalarType::U32, self.words as usize, false);
        b.for_("g", int(0), int(self.words), int(1), true, |b, g| {
            let mine = Expr::Element(self.counts, Box::new(g.clone()));
            let mine = b.let_("mine", ScalarType::U32, mine);
            let upto = b.var("upto", ScalarType::U32, mine.clone());
            for by in [1, 2, 4, 8, 16] {
                let other = Expr::Shuffle(Shuffle::Up, Box::new(local(upto)), Box::new(int(by)));
                let other = b.let_("other", ScalarType::U32, other);
                b.when(ge(lane.clone(), int(by)), |b| {
                    b.set(upto, binary(BinOp::Add, local(upto), other));
                    Ok(())
                })?;
            }
            let all = Expr::Shuffle(Shuffle::Lane, Box::new(local(upto)), Box::new(int(WARP - 1)));
            b.emit(Stmt::SetElement(rows, g.clone(), all));
            b.emit(Stmt::SetElement(self.counts, g, binary(BinOp::Sub, local(upto), mine)));
            Ok(())
        })?;
        let sum = b.var("of_warp", ScalarType::I32, small(0));
        b.for_("row", int(0), int(self.strips.rows), int(1), true, |b, row| {
            b.set(sum, plus(local(sum), part(rows, &row)));
            Ok(())
        })?;
        let warps = self.strips.block / WARP;
        let words = b.array("of_warps", ScalarType::I32, warps as usize, true);
        b.when(eq(lane, int(0)), |b| {
            b.emit(Stmt::SetElement(words, warp.clone(), local(sum)));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        let at = b.var("at", ScalarType::I32, small(0));
        let total = b.var("kept", ScalarType::I32, small(0));
        b.for_("w", int(0), int(warps), int(1), true, |b, w| {
            b.when(eq(w.clone(), warp.clone()), |b| {
                b.set(at, local(total));
                Ok(())
            })?;
            b.set(total, plus(local(total), Expr::Element(words, Box::new(w))));
            Ok(())
        })?;
        Ok((Places { at, rows }, local(total)))
    }

    /// Moves what stays to shared memory, in order.
    fn gather(&self, b: &mut Builder<'_>, places: Places, gathered: &[ArrayId]) -> Lowered<()> {
        b.for_("row", int(0), int(self.strips.rows), int(1), true, |b, row| {
            let to = b.var("to", ScalarType::I32, plus(local(places.at), part(self.counts, &row)));
            b.for_("k", int(0), int(self.strips.wide), int(1), true, |b, k| {
                let index = add(mul(row.clone(), int(self.strips.wide)), k);
                let bit = binary(BinOp::Shr, local(self.stay), convert(ScalarType::U32, index.clone()));
                let bit = binary(BinOp::And, bit, number(1));
                b.when(eq(bit, number(1)), |b| {
                    for (to_array, from) in gathered.iter().zip(&self.values) {
                        let value = Expr::Element(*from, Box::new(index.clone()));
                        b.emit(Stmt::SetElement(*to_array, wide(local(to)), value));
                    }
                    b.set(to, plus(local(to), small(1)));
                    Ok(())
                })
            })?;
            b.set(places.at, plus(local(places.at), part(places.rows, &row)));
            Ok(())
        })
    }
}

/// Where the elements of a warp go.
struct Places {
    /// The place of the first one in the tile.
    at: LocalId,
    /// How many of each row of strips there are, a byte each.
    rows: ArrayId,
}

/// The word and the shift of a row's byte.
fn byte(row: &Expr) -> (Expr, Expr) {
    let shift = mul(bits(row.clone(), int(3)), int(8));
    (quot(row.clone(), int(4)), convert(ScalarType::U32, shift))
}

/// The byte of a row, an `i32`.
fn part(array: ArrayId, row: &Expr) -> Expr {
    let (word, shift) = byte(row);
    let shifted = binary(BinOp::Shr, Expr::Element(array, Box::new(word)), shift);
    convert(ScalarType::I32, binary(BinOp::And, shifted, number(255)))
}

fn number(n: u32) -> Expr {
    Expr::Const(Scalar::U32(n))
}

fn wide(e: Expr) -> Expr {
    convert(ScalarType::I64, e)
}
