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
//! `off[r + 1] + r`, and the corner at item `d` is one binary search. One thread does it for each end of the tile; then each
//! thread finds its own corner between the two, and walks `items` of the list.
//!
//! A tile works in two steps. All values of its elements are computed with neighbouring threads on neighbouring elements
//! and kept in shared memory ([`Tile::stage`]); then every thread walks its own run of the list ([`Tile::walk`]).
//!
//! Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication", has the merged list. Declined: tiles larger
//! than shared memory; wide tuples get smaller tiles instead.

use super::super::build::{Builder, zero};
use super::super::expr::{add, eq, int, local, lt, max, min, mul, quot, select, sub, truth};
use super::super::host::Host;
use super::super::host_expr::{hadd, hceil_div, hint, hmax};
use super::super::points::{self, Point};
use super::super::{Lowered, limit};
use terrace_base::ScalarType;
use terrace_ir::ValueId;
use terrace_ir::flat::{Descriptor, Op, visit};
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Stmt};
use terrace_plan::host::HostExpr;

/// Bytes of shared memory that the values of a tile may take; the rest is for messages between warps.
const STAGE_BYTES: usize = 40 * 1024;

/// How a space is cut.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Threads of a block.
    pub block: i64,
    /// Elements (or row ends) per thread.
    pub items: i64,
}

impl Cut {
    /// The cut for elements of which `bytes` stay in shared memory.
    pub fn new(host: &Host<'_>, bytes: usize) -> Cut {
        let block = host.tiles.gpu_block.max(32);
        let fit = STAGE_BYTES / (block * bytes.max(1));
        Cut { block: block as i64, items: host.tiles.gpu_items.min(fit).max(1) as i64 }
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
                base,
                end,
                first_row: int(0),
                last_row: int(0),
                continues: lt(int(0), number.clone()),
                number,
            };
            if tile.rows.is_some() {
                tile.find_corners(b)?;
            }
            f(b, &tile)
        })
    }

    /// Whether the space has rows.
    pub fn has_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// Whether this is the last tile that has anything to do.
    pub fn is_last(&self) -> Expr {
        eq(add(self.number.clone(), int(1)), self.tiles.clone())
    }

    fn find_corners(&mut self, b: &mut Builder<'_>) -> Lowered<()> {
        let rows = self.rows.clone().unwrap_or_else(|| int(0));
        let corners = b.array("corner", ScalarType::I64, 2, true);
        let continues = b.array("continues", ScalarType::Bool, 1, true);
        b.when(lt(Expr::Thread, int(2)), |b| {
            let item = select(eq(Expr::Thread, int(0)), self.base.clone(), self.end.clone());
            let item = b.let_("item", ScalarType::I64, item);
            let row = self.corner(b, int(0), rows.clone(), item)?;
            b.emit(Stmt::SetElement(corners, Expr::Thread, local(row)));
            b.when(super::block::is_first(), |b| {
                b.emit(Stmt::SetElement(continues, int(0), truth(false)));
                b.when(lt(local(row), rows), |b| {
                    let start = points::start_at(b, self.op, self.op.space.len() - 1, local(row))?;
                    let first = sub(self.base.clone(), local(row));
                    b.emit(Stmt::SetElement(continues, int(0), lt(start, first)));
                    Ok(())
                })
            })
        })?;
        b.emit(Stmt::Barrier);
        let at = |i: i64| Expr::Element(corners, Box::new(int(i)));
        let element = Expr::Element(continues, Box::new(int(0)));
        self.continues = b.let_("continues", ScalarType::Bool, element);
        self.first_row = b.let_("first_row", ScalarType::I64, at(0));
        self.last_row = b.let_("last_row", ScalarType::I64, at(1));
        self.first = b.let_("first", ScalarType::I64, sub(self.base.clone(), self.first_row.clone()));
        self.last = b.let_("last", ScalarType::I64, sub(self.end.clone(), self.last_row.clone()));
        Ok(())
    }

    /// How many rows end before item `item`, a number between `lo` and `hi`.
    fn corner(&self, b: &mut Builder<'_>, lo: Expr, hi: Expr, item: Expr) -> Lowered<LocalId> {
        let d = self.op.space.len() - 1;
        let rows = self.rows.clone().unwrap_or_else(|| int(0));
        let row = b.var("row", ScalarType::I64, rows.clone());
        b.when(lt(item.clone(), self.total.clone()), |b| {
            let beyond = min(add(hi, int(1)), rows);
            let found = points::search(b, lo, beyond, item, |b, r| {
                let start = points::start_at(b, self.op, d, r.clone())?;
                Ok(add(start, r))
            })?;
            b.set(row, found);
            Ok(())
        })?;
        Ok(row)
    }

    /// Where row `row` ends.
    fn row_end(&self, b: &mut Builder<'_>, row: LocalId, to: LocalId) -> Lowered<()> {
        let rows = self.rows.clone().unwrap_or_else(|| int(0));
        b.set(to, self.count.clone());
        b.when(lt(add(local(row), int(1)), rows), |b| {
            let start = points::start_at(b, self.op, self.op.space.len() - 1, add(local(row), int(1)))?;
            b.set(to, start);
            Ok(())
        })
    }

    /// Whether a row ends in the tile.
    pub fn ends_a_row(&self) -> Expr {
        lt(self.first_row.clone(), self.last_row.clone())
    }

    /// Computes the body at every element of the tile; results lie in shared memory, by position in the tile. Where a check
    /// fails, `defaults` take their place; `change` may put something else there. Ends with a barrier.
    pub fn stage<'h>(
        &self,
        b: &mut Builder<'h>,
        types: &[ScalarType],
        defaults: &[Expr],
        change: impl FnOnce(&mut Builder<'h>, Vec<Expr>) -> Vec<Expr>,
    ) -> Lowered<Vec<ArrayId>> {
        let size = self.cut.size() as usize;
        let arrays: Vec<ArrayId> = types.iter().map(|ty| b.array("value", *ty, size, true)).collect();
        b.for_("item", int(0), int(self.cut.items), int(1), false, |b, item| {
            let slot = b.let_("slot", ScalarType::I64, add(mul(item, int(self.cut.block)), Expr::Thread));
            let q = b.let_("q", ScalarType::I64, add(self.first.clone(), slot.clone()));
            b.when(lt(q.clone(), self.last.clone()), |b| {
                let beyond = match &self.rows {
                    Some(rows) => min(add(self.last_row.clone(), int(1)), rows.clone()),
                    None => int(1),
                };
                define_point(b, self.op, q, self.first_row.clone(), beyond)?;
                let results = b.body_values(&self.op.body, defaults)?;
                for (array, e) in arrays.iter().zip(change(b, results)) {
                    b.emit(Stmt::SetElement(*array, slot.clone(), e));
                }
                Ok(())
            })
        })?;
        b.emit(Stmt::Barrier);
        Ok(arrays)
    }

    /// Every thread walks its run of items: `element` gets the position in the tile, `row_end` the row that ends.
    pub fn walk<'h>(
        &self,
        b: &mut Builder<'h>,
        element: impl FnOnce(&mut Builder<'h>, Expr) -> Lowered<()>,
        row_end: impl FnOnce(&mut Builder<'h>, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        let items = int(self.cut.items);
        let from = b.let_("from", ScalarType::I64, add(self.base.clone(), mul(Expr::Thread, items.clone())));
        if self.rows.is_none() {
            return b.for_("item", int(0), items, int(1), false, |b, item| {
                b.when(lt(add(from, item.clone()), self.end.clone()), |b| {
                    let slot = add(mul(Expr::Thread, int(self.cut.items)), item);
                    let slot = b.let_("slot", ScalarType::I64, slot);
                    element(b, slot)
                })
            });
        }
        let row = self.corner(b, self.first_row.clone(), self.last_row.clone(), from.clone())?;
        let q = b.var("q", ScalarType::I64, sub(from.clone(), local(row)));
        let to = b.var("row_end", ScalarType::I64, self.count.clone());
        self.row_end(b, row, to)?;
        b.for_("item", int(0), items, int(1), false, |b, item| {
            b.when(lt(add(from, item), self.end.clone()), |b| {
                b.if_(
                    lt(local(q), local(to)),
                    |b| {
                        let slot = b.let_("slot", ScalarType::I64, sub(local(q), self.first.clone()));
                        element(b, slot)?;
                        b.set(q, add(local(q), int(1)));
                        Ok(())
                    },
                    |b| {
                        row_end(b, local(row))?;
                        b.set(row, add(local(row), int(1)));
                        self.row_end(b, row, to)
                    },
                )
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
    let mut point = points::locate(b, op, d, row)?;
    let start = points::row_start(b, op, d, &point)?;
    let index = b.let_("i", ScalarType::I64, sub(q.clone(), start));
    point.indices.push(index);
    point.positions.push(q);
    point.define(b, op);
    Ok(())
}

/// Zeros of these types.
pub fn zeros(types: &[ScalarType]) -> Vec<Expr> {
    types.iter().map(|ty| zero(*ty)).collect()
}
