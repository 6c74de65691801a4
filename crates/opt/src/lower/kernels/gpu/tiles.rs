//! Cutting a space into tiles, one per block of threads.
//!
//! A space of one dimension is cut every `block * items` elements. A space with rows is cut so that neither one long row nor
//! a million empty ones makes a tile heavy: elements and row ends are merged into one list, and *that* is cut evenly.
//!
//! ```text
//! rows [a b] [] [c d e]     list  a b | | c d e |     a tile of three items:   a b |     | c d     e |
//! off   0 2 2 5                                       corner (rows ended, elements before): (0,0) (1,2) (2,4)
//! ```
//!
//! The list is never built. The end of row `r` has `off[r + 1]` elements and `r` ends before it, so it is item
//! `off[r + 1] + r`, and the corner at item `d` is a search. The block does it together, half of its threads for each end of the
//! tile: every round they probe as many places at once, so three rounds of loads find one row in a million.
//!
//! Then the ends of the tile's rows come to shared memory, counted from the tile's first element: small numbers, read once
//! from the device's memory whatever is asked of them later. Each thread finds its own corner among them, and walks `items`
//! of the list.
//!
//! A tile works in two steps. All values of its elements are computed with neighbouring threads on neighbouring elements
//! and kept in shared memory ([`Tile::stage`]); then every thread walks its own run of the list ([`Tile::walk`]). Runs have an odd
//! length where they can, so that the threads of a warp, each in its own run, read from different banks.
//!
//! Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication", has the merged list. Declined: tiles larger
//! than shared memory; wide tuples get smaller tiles instead.

use super::super::build::{Builder, zero};
use super::super::expr::{
    add, and, binary, convert, eq, int, le, local, lt, max, min, mul, not, or, quot, select, sub, truth,
};
use super::super::host::Host;
use super::super::host_expr::{hadd, hceil_div, hint, hmax};
use super::super::points::{self, Point};
use super::super::{Lowered, limit};
use super::items::{self, Item, distance, plus, small};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::ValueId;
use terrace_ir::flat::{Descriptor, Op, visit};
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Stmt};
use terrace_plan::host::HostExpr;

/// Bytes of shared memory that the values of a tile may take; the rest is for messages between warps.
const STAGE_BYTES: usize = 40 * 1024;
/// Lengths are below two to this.
const LENGTH_BITS: u32 = 48;

/// How a space is cut.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Threads of a block.
    pub block: i64,
    /// Elements (or row ends) per thread.
    pub items: i64,
}

impl Cut {
    /// The cut for elements that stay in registers, at most `items` of them per thread.
    pub fn new(host: &Host<'_>, items: usize) -> Cut {
        let block = host.tiles.gpu_block.max(32);
        Cut { block: block as i64, items: host.tiles.gpu_items.min(items).max(1) as i64 }
    }

    /// The cut for elements of which `bytes` stay in shared memory.
    pub fn staged(host: &Host<'_>, op: &Op, bytes: usize) -> Cut {
        let cut = Cut::new(host, usize::MAX);
        let end = if op.space.len() > 1 { ScalarType::I32.size_bytes() } else { 0 };
        let fit = (STAGE_BYTES / (cut.block as usize * (bytes + end).max(1))).max(1) as i64;
        let items = cut.items.min(fit);
        Cut { items: if items > 2 { (items - 1) | 1 } else { items }, ..cut }
    }

    /// Items per tile.
    pub fn size(self) -> i64 {
        self.block * self.items
    }

    /// How many tiles an operator takes at most; at least one.
    pub fn tiles(self, host: &mut Host<'_>, op: &Op, binds: &[ValueId]) -> Lowered<HostExpr> {
        let points = host.points(op, binds)?;
        let items = if op.space.len() > 1 { hadd(points, host.rows(op)?) } else { points };
        Ok(hmax(hceil_div(items, self.size() as usize), hint(1)))
    }
}

/// A tile inside a kernel.
pub struct Tile<'a> {
    op: &'a Op,
    cut: Cut,
    /// The number of points of the space.
    pub count: Expr,
    /// The number of rows; none for one dimension.
    pub rows: Option<Expr>,
    /// Which tile.
    pub number: Expr,
    /// The number of tiles that have something to do; at least one.
    pub tiles: Expr,
    total: Expr,
    base: Expr,
    end: Expr,
    items: Expr,
    ends: Option<ArrayId>,
    row_ends: Expr,
    asked: Option<Expr>,
    /// The first element of the tile.
    pub first: Expr,
    last: Expr,
    first_row: Expr,
    last_row: Expr,
    /// Whether the row that the tile begins in (of one dimension: anything) has elements in an earlier tile.
    pub continues: Expr,
}

impl<'a> Tile<'a> {
    /// Runs `f` for the tile `number`, if it has anything to do; whole blocks skip it together.
    pub fn enter<'h>(
        b: &mut Builder<'h>,
        op: &'a Op,
        cut: Cut,
        number: Expr,
        f: impl FnOnce(&mut Builder<'h>, &Tile<'a>) -> Lowered<()>,
    ) -> Lowered<()> {
        let count = points::count(b, op, op.space.len())?;
        let count = b.let_("n", ScalarType::I64, count);
        let rows = match op.space.len() {
            1 => None,
            d => Some(points::count(b, op, d - 1)?),
        };
        let total = match &rows {
            Some(rows) => b.let_("total", ScalarType::I64, add(count.clone(), rows.clone())),
            None => count.clone(),
        };
        let tiles = quot(add(total.clone(), int(cut.size() - 1)), int(cut.size()));
        let tiles = b.let_("used", ScalarType::I64, max(tiles, int(1)));
        b.when(lt(number.clone(), tiles.clone()), |b| {
            // A check in an operator that joins parts is reported only if none failed at an element.
            b.set_index(count.clone());
            let base = b.let_("base", ScalarType::I64, mul(number.clone(), int(cut.size())));
            let end = b.let_("end", ScalarType::I64, min(add(base.clone(), int(cut.size())), total.clone()));
            let mut tile = Tile {
                op,
                cut,
                count,
                rows,
                tiles,
                total,
                first: base.clone(),
                last: end.clone(),
                items: small(0),
                ends: None,
                row_ends: small(0),
                asked: None,
                base,
                end,
                first_row: int(0),
                last_row: int(0),
                continues: lt(int(0), number.clone()),
                number,
            };
            tile.items = b.let_("items", ScalarType::I32, distance(tile.end.clone(), tile.base.clone()));
            if let Some(rows) = tile.rows.clone() {
                tile.find_corners(b, rows.clone())?;
                tile.row_ends =
                    b.let_("row_ends", ScalarType::I32, distance(tile.last_row.clone(), tile.first_row.clone()));
                tile.ends = Some(b.array("ends", ScalarType::I32, cut.size() as usize + 1, true));
                if tile.starts_by_position() && !needs_search(b, op) {
                    tile.ask_for_ends(b)?;
                } else {
                    tile.find_whether_continued(b, rows)?;
                    tile.put_ends(b)?;
                    b.emit(Stmt::Barrier);
                }
            }
            f(b, &tile)
        })
    }

    /// How many items the tile has.
    pub fn length(&self) -> Expr {
        convert(ScalarType::I64, self.items.clone())
    }

    /// Whether the space has rows.
    pub fn has_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// Whether this is the last tile that has anything to do.
    pub fn is_last(&self) -> Expr {
        eq(add(self.number.clone(), int(1)), self.tiles.clone())
    }

    /// Both ends of the tile at once. Bounds of a search are a pair in shared memory: the row is in `lo .. hi`.
    fn find_corners(&mut self, b: &mut Builder<'_>, rows: Expr) -> Lowered<()> {
        let half = self.cut.block / 2;
        let bounds = b.array("bounds", ScalarType::I64, 4, true);
        let bound = |i: Expr| Expr::Element(bounds, Box::new(i));
        let side = b.let_("side", ScalarType::I64, quot(Expr::Thread, int(half)));
        let probe = b.let_("probe", ScalarType::I64, sub(Expr::Thread, mul(side.clone(), int(half))));
        let item = select(eq(side.clone(), int(0)), self.base.clone(), self.end.clone());
        let item = b.let_("item", ScalarType::I64, item);
        let (low, high) = (mul(side.clone(), int(2)), add(mul(side, int(2)), int(1)));
        b.when(eq(probe.clone(), int(0)), |b| {
            let is_end = b.let_("is_end", ScalarType::Bool, le(self.total.clone(), item.clone()));
            let lo = select(is_end.clone(), rows.clone(), max(sub(item.clone(), self.count.clone()), int(0)));
            let hi = select(is_end, rows.clone(), min(rows.clone(), add(item.clone(), int(1))));
            b.emit(Stmt::SetElement(bounds, low.clone(), lo));
            b.emit(Stmt::SetElement(bounds, high.clone(), hi));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        b.for_("round", int(0), int(rounds(half)), int(1), false, |b, _| {
            let open = |i: i64| lt(add(bound(int(i)), int(1)), bound(int(i + 1)));
            b.when(or(open(0), open(2)), |b| {
                let lo = b.let_("lo", ScalarType::I64, bound(low.clone()));
                let hi = b.let_("hi", ScalarType::I64, bound(high.clone()));
                let step = quot(add(sub(hi.clone(), lo.clone()), int(half - 1)), int(half));
                let step = b.let_("step", ScalarType::I64, step);
                let at = b.let_("at", ScalarType::I64, add(lo, mul(probe.clone(), step.clone())));
                let next = b.let_("next", ScalarType::I64, min(add(at.clone(), step), hi.clone()));
                let here = self.is_before(b, at.clone(), &hi, &item)?;
                let after = self.is_before(b, next.clone(), &hi, &item)?;
                b.emit(Stmt::Barrier);
                let found = and(or(eq(probe, int(0)), local(here)), not(local(after)));
                b.when(found, |b| {
                    b.emit(Stmt::SetElement(bounds, low, at));
                    b.emit(Stmt::SetElement(bounds, high, next));
                    Ok(())
                })?;
                b.emit(Stmt::Barrier);
                Ok(())
            })
        })?;
        self.first_row = b.let_("first_row", ScalarType::I64, bound(int(0)));
        self.last_row = b.let_("last_row", ScalarType::I64, bound(int(2)));
        self.first = b.let_("first", ScalarType::I64, sub(self.base.clone(), self.first_row.clone()));
        self.last = b.let_("last", ScalarType::I64, sub(self.end.clone(), self.last_row.clone()));
        Ok(())
    }

    /// Whether `row < hi` and the start of that row lies at or before an item of the list.
    fn is_before(&self, b: &mut Builder<'_>, row: Expr, hi: &Expr, item: &Expr) -> Lowered<LocalId> {
        let found = b.var("before", ScalarType::Bool, truth(false));
        b.when(lt(row.clone(), hi.clone()), |b| {
            let start = points::start_at(b, self.op, self.op.space.len() - 1, row.clone())?;
            b.set(found, le(add(start, row), item.clone()));
            Ok(())
        })?;
        Ok(found)
    }

    /// Whether the start of a row is one load, or arithmetic on its number; one past the last row included.
    fn starts_by_position(&self) -> bool {
        let d = self.op.space.len() - 1;
        d == 1 || matches!(self.op.space[d], Descriptor::Regular(_) | Descriptor::Irregular { .. })
    }

    /// Asks for one row end per thread, and for the start of the first row, before the elements are asked for. Nothing waits
    /// for them until all elements are there.
    fn ask_for_ends(&mut self, b: &mut Builder<'_>) -> Lowered<()> {
        let d = self.op.space.len() - 1;
        let row = min(add(self.first_row.clone(), add(Expr::Thread, int(1))), self.last_row.clone());
        let row = b.let_("row", ScalarType::I64, row);
        let end = points::start_at(b, self.op, d, row)?;
        self.asked = Some(b.let_("own_end", ScalarType::I64, end));
        let start = points::start_at(b, self.op, d, self.first_row.clone())?;
        let start = b.let_("row_start", ScalarType::I64, start);
        self.continues = lt(start, self.first.clone());
        Ok(())
    }

    /// Whether the tile's first row began before it, by one thread for all; the next barrier makes it known.
    fn find_whether_continued(&mut self, b: &mut Builder<'_>, rows: Expr) -> Lowered<()> {
        let continues = b.array("continues", ScalarType::Bool, 1, true);
        b.when(super::block::is_first(), |b| {
            b.emit(Stmt::SetElement(continues, int(0), truth(false)));
            b.when(lt(self.first_row.clone(), rows), |b| {
                let start = points::start_at(b, self.op, self.op.space.len() - 1, self.first_row.clone())?;
                b.emit(Stmt::SetElement(continues, int(0), lt(start, self.first.clone())));
                Ok(())
            })
        })?;
        self.continues = Expr::Element(continues, Box::new(int(0)));
        Ok(())
    }

    /// Where the rows that end in the tile do so, from its first element on, and one end that is never reached.
    fn put_ends(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let Some(ends) = self.ends else { return Ok(()) };
        let count = convert(ScalarType::I64, self.row_ends.clone());
        let put = |b: &mut Builder<'_>, r: Expr, end: Expr| {
            b.emit(Stmt::SetElement(ends, r, distance(end, self.first.clone())));
            Ok(())
        };
        let mut from = Expr::Thread;
        if let Some(end) = &self.asked {
            b.when(lt(Expr::Thread, count.clone()), |b| put(b, Expr::Thread, end.clone()))?;
            from = add(Expr::Thread, int(self.cut.block));
        }
        b.for_("r", from, count.clone(), int(self.cut.block), false, |b, r| {
            let row = b.let_("row", ScalarType::I64, add(self.first_row.clone(), r.clone()));
            let end = self.row_end(b, row)?;
            put(b, r, end)
        })?;
        b.when(super::block::is_first(), |b| {
            b.emit(Stmt::SetElement(ends, count, small(i32::MAX)));
            Ok(())
        })
    }

    /// Where row `row` ends.
    fn row_end(&self, b: &mut Builder<'_>, row: Expr) -> Lowered<Expr> {
        let d = self.op.space.len() - 1;
        let next = add(row, int(1));
        if self.starts_by_position() {
            return points::start_at(b, self.op, d, next);
        }
        let rows = self.rows.clone().unwrap_or_else(|| int(0));
        let to = b.var("row_end", ScalarType::I64, self.count.clone());
        b.when(lt(next.clone(), rows), |b| {
            let start = points::start_at(b, self.op, d, next)?;
            b.set(to, start);
            Ok(())
        })?;
        Ok(local(to))
    }

    /// Whether no row ends in the tile.
    fn is_in_one_row(&self) -> Expr {
        eq(self.row_ends.clone(), small(0))
    }

    /// Computes the body at every element of the tile; results lie in shared memory, by position in the tile. Where a check
    /// fails, `defaults` take their place; `change` may put something else there. Ends with a barrier.
    pub fn stage<'h>(
        &self,
        b: &mut Builder<'h>,
        types: &[ScalarType],
        defaults: &[Expr],
        change: impl Fn(&mut Builder<'h>, Vec<Expr>) -> Vec<Expr>,
    ) -> Lowered<Vec<ArrayId>> {
        let size = self.cut.size() as usize;
        let arrays: Vec<ArrayId> = types.iter().map(|ty| b.array("value", *ty, size, true)).collect();
        let put = |b: &mut Builder<'h>, item: &Item, values: Vec<Expr>| {
            for (array, e) in arrays.iter().zip(change(b, values)) {
                b.emit(Stmt::SetElement(*array, item.slot.clone(), e));
            }
            Ok(())
        };
        let missed = |b: &mut Builder<'h>, item: &Item| put(b, item, defaults.to_vec());
        let take = |b: &mut Builder<'h>, item: &Item, results: Vec<Expr>| {
            let values = results.into_iter().zip(defaults);
            let values = values.map(|(e, d)| select(item.ok.clone(), e, d.clone())).collect();
            put(b, item, values)
        };
        self.elements(b, self.ends, missed, take)?;
        if self.asked.is_some() {
            self.put_ends(b)?;
        }
        b.emit(Stmt::Barrier);
        Ok(arrays)
    }

    fn elements<'h>(
        &self,
        b: &mut Builder<'h>,
        ends: Option<ArrayId>,
        missed: impl Fn(&mut Builder<'h>, &Item) -> Lowered<()>,
        take: impl Fn(&mut Builder<'h>, &Item, Vec<Expr>) -> Lowered<()>,
    ) -> Lowered<()> {
        let range = (&self.first, &sub(self.last.clone(), self.first.clone()));
        items::each(b, self.op, self.cut, range, |b, at, q| self.define_point(b, ends, at, q), missed, take)
    }

    /// Makes the operator's indices and positions stand for the element at `q`, in this place of the tile. Without `ends` it
    /// is in the tile's first row.
    fn define_point(&self, b: &mut Builder<'_>, ends: Option<ArrayId>, at: Expr, q: Expr) -> Lowered<()> {
        if !needs_search(b, self.op) {
            return define_point(b, self.op, q, int(0), int(1));
        }
        let row = match ends {
            Some(ends) => {
                let ended = items::first_where(b, self.row_ends.clone(), |_, i| lt(at, element(ends, i)))?;
                add(self.first_row.clone(), convert(ScalarType::I64, local(ended)))
            }
            None => self.first_row.clone(),
        };
        let row = b.let_("row", ScalarType::I64, row);
        b.set_index(q.clone());
        define_in_row(b, self.op, self.op.space.len() - 1, row, q)
    }

    /// Every thread walks its run of items: `element` gets the position in the tile, `row_end` the row that ends.
    pub fn walk<'h>(
        &self,
        b: &mut Builder<'h>,
        element: impl Fn(&mut Builder<'h>, Expr) -> Lowered<()>,
        row_end: impl Fn(&mut Builder<'h>, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        let wide = |e: Expr| convert(ScalarType::I64, e);
        let element = |b: &mut Builder<'h>, slot: Expr| {
            b.set_index(add(self.first.clone(), slot.clone()));
            element(b, slot)
        };
        let from = convert(ScalarType::I32, mul(Expr::Thread, int(self.cut.items)));
        let from = b.let_("from", ScalarType::I32, from);
        let plain = |b: &mut Builder<'h>| {
            b.for_("item", int(0), int(self.cut.items), int(1), true, |b, item| {
                let at = plus(from.clone(), convert(ScalarType::I32, item));
                let slot = b.let_("slot", ScalarType::I32, at);
                b.when(lt(slot.clone(), self.items.clone()), |b| element(b, wide(slot)))
            })
        };
        let Some(ends) = self.ends else { return plain(b) };
        b.if_(self.is_in_one_row(), plain, |b| {
            let ended = items::first_where(b, self.row_ends.clone(), |_, i| {
                not(lt(plus(self::element(ends, i.clone()), i), from.clone()))
            })?;
            let slot = b.var("slot", ScalarType::I32, binary(BinOp::Sub, from.clone(), local(ended)));
            let to = b.var("row_end", ScalarType::I32, self::element(ends, local(ended)));
            b.for_("item", int(0), int(self.cut.items), int(1), false, |b, item| {
                let at = plus(from.clone(), convert(ScalarType::I32, item));
                b.when(lt(at, self.items.clone()), |b| {
                    b.if_(
                        lt(local(slot), local(to)),
                        |b| {
                            element(b, wide(local(slot)))?;
                            b.set(slot, plus(local(slot), small(1)));
                            Ok(())
                        },
                        |b| {
                            row_end(b, add(self.first_row.clone(), wide(local(ended))))?;
                            b.set(ended, plus(local(ended), small(1)));
                            b.set(to, self::element(ends, local(ended)));
                            Ok(())
                        },
                    )
                })
            })
        })
    }

    /// Stores what lies in shared memory, one element per point of the tile.
    pub fn unstage(&self, b: &mut Builder<'_>, arrays: &[ArrayId], binds: &[ValueId]) -> Lowered<()> {
        b.for_("item", int(0), int(self.cut.items), int(1), false, |b, item| {
            let slot = b.let_("slot", ScalarType::I64, add(mul(item, int(self.cut.block)), Expr::Thread));
            let q = b.let_("q", ScalarType::I64, add(self.first.clone(), slot.clone()));
            b.when(lt(q.clone(), self.last.clone()), |b| {
                for (array, v) in arrays.iter().zip(binds) {
                    b.store(*v, q.clone(), Expr::Element(*array, Box::new(slot.clone())))?;
                }
                Ok(())
            })
        })
    }
}

/// Whether the body needs more of its point than the position.
pub fn needs_indices(b: &Builder<'_>, op: &Op) -> bool {
    let d = op.space.len() - 1;
    if d == 0 {
        return false;
    }
    let used = visit::free_values_with_types(&op.body, &b.host.function.values);
    op.indices.iter().chain(&op.positions[..d]).any(|v| used.contains(v))
}

/// Makes the operator's indices and positions stand for the point at `q`, whose row lies in `lo .. hi`.
pub fn define_point(b: &mut Builder<'_>, op: &Op, q: Expr, lo: Expr, hi: Expr) -> Lowered<()> {
    let d = op.space.len() - 1;
    b.set_index(q.clone());
    if d == 0 {
        Point { indices: vec![q.clone()], positions: vec![q] }.define(b, op);
        return Ok(());
    }
    if !needs_indices(b, op) {
        let Some(v) = op.positions.last() else { return Err(limit(b.span(), "a space without dimensions")) };
        b.define(*v, q);
        return Ok(());
    }
    if matches!(op.space[d], Descriptor::Regular(_)) {
        let point = points::locate(b, op, d + 1, q)?;
        point.define(b, op);
        return Ok(());
    }
    let row = points::search(b, lo, hi, q.clone(), |b, r| points::start_at(b, op, d, r))?;
    define_in_row(b, op, d, row, q)
}

/// Makes the operator's indices and positions stand for the point at `q` in row `row`.
pub(super) fn define_in_row(b: &mut Builder<'_>, op: &Op, d: usize, row: Expr, q: Expr) -> Lowered<()> {
    let mut point = points::locate(b, op, d, row)?;
    let start = points::row_start(b, op, d, &point)?;
    let index = b.let_("i", ScalarType::I64, sub(q.clone(), start));
    point.indices.push(index);
    point.positions.push(q);
    point.define(b, op);
    Ok(())
}

/// Whether the row of a point has to be searched for.
pub fn needs_search(b: &Builder<'_>, op: &Op) -> bool {
    let last = op.space.last();
    op.space.len() > 1 && !matches!(last, Some(Descriptor::Regular(_))) && needs_indices(b, op)
}

/// Rounds in which a search with so many probes at a time finds one row among all that there can be.
fn rounds(probes: i64) -> i64 {
    let bits = i64::from(probes.max(2).ilog2());
    (i64::from(LENGTH_BITS) + bits - 1) / bits
}

fn element(array: ArrayId, at: Expr) -> Expr {
    Expr::Element(array, Box::new(convert(ScalarType::I64, at)))
}

/// Zeros of these types.
pub fn zeros(types: &[ScalarType]) -> Vec<Expr> {
    types.iter().map(|ty| zero(*ty)).collect()
}
