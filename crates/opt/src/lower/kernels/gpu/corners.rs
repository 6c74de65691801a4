//! Where tiles of rows begin: cuts that no short row and no piece of a long row crosses.
//!
//! Elements and row ends are merged into one list, as [`super::tiles`] describes, and cut evenly: neither one long row nor a million
//! empty ones makes a tile heavy. Then every cut moves back a little:
//!
//! ```text
//! inside a row of at most `piece` elements     to the start of the row: a tile has the row whole
//! inside a longer row                          to a multiple of `piece` from the row's start: a tile has pieces whole
//! ```
//!
//! So a row, and a piece of a long one, is always seen whole by one block, and what it combines to can depend on the row
//! alone. A tile has at most `size = step + piece` items, where `step` is the distance between cuts before they move.
//!
//! Where rows have one length a cut is arithmetic ([`Corners::at`]). Else a small kernel of its own, a thread per cut, searches all of them
//! first: then no block of the main kernel waits for a chain of loads.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, and, int, le, local, lt, max, min, mul, quot, select, sub};
use super::super::host::Host;
use super::super::host_expr::{hadd, hceil_div, hint, hmax};
use super::super::points::{self, Point};
use super::block::{WARP, bits};
use super::tiles::Cut;
use terrace_base::{ScalarType, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Descriptor, Op};
use terrace_ir::kernel::{Expr, ParamId, Stmt};
use terrace_plan::host::{HostExpr, SlotId};

/// Bytes of shared memory that a tile may take: so little that several blocks find room on a multiprocessor.
const STAGE_BYTES: usize = 32 * 1024;
/// Parts that a round of the search for a cut makes of what is left. More of them are fewer rounds, but the loads of neighbouring cuts lie far
/// from each other, and each costs as much as thirty that do not.
const PROBES: i64 = 4;
/// Rows up to this length are left to one thread.
const SHORT: i64 = 8;
/// The same for operators on tuples: for those a tree over lanes costs as much as ten elements.
const SHORT_OF_TUPLES: i64 = 64;
/// Lanes that share a row of medium length.
pub const GROUP: i64 = 8;

/// The sizes that rows are told apart by. All are powers of two.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Threads of a block, and elements of each.
    pub cut: Cut,
    /// Elements of a piece of a long row; no longer row is seen whole.
    pub piece: i64,
    /// Up to here a row is the work of a few lanes, from here on of a warp.
    pub medium: i64,
    /// Up to here a row is the work of a thread.
    pub short: i64,
}

impl Shape {
    /// The shape for elements of so many bytes, and an operator that is simple or not.
    pub fn new(host: &Host<'_>, bytes: usize, is_simple: bool) -> Shape {
        let mut cut = Cut::new(host, usize::MAX);
        if !is_simple {
            // A thread takes a whole row, and those that find none wait: half as many threads with twice as many elements each.
            cut.block = (cut.block / 2).max(WARP);
        }
        let end = 2 * ScalarType::I16.size_bytes();
        let fit = (STAGE_BYTES / (cut.block as usize * (bytes + end))).max(1) as i64;
        let cut = Cut { items: 1 << cut.items.min(fit).ilog2(), ..cut };
        let short = match (host.tiles.gpu_items < 8, is_simple) {
            (true, _) => 2,
            (false, true) => SHORT,
            (false, false) => SHORT_OF_TUPLES,
        };
        let piece = cut.size() / 8;
        Shape { cut, piece, medium: (cut.size() / 32).max(2 * short).min(piece), short: short.min(piece / 2) }
    }

    /// Items between two cuts before they move.
    pub fn step(&self) -> i64 {
        self.cut.size() - self.piece
    }

    /// Pieces that a tile has at most; also, long rows that begin in it.
    pub fn pieces(&self) -> i64 {
        self.cut.size() / self.piece
    }

    /// Rounds in which the warps of a block look at every `medium` elements of a tile.
    pub fn rounds(&self) -> i64 {
        let warps = self.cut.block / WARP;
        (self.cut.size() / self.medium + warps - 1) / warps
    }

    /// How many rows of medium length one warp meets in a tile at most. Of every `block` rows it looks at 32, and row ends are items too: `m` rows of more than
    /// `short` elements come with `block` row ends for every 32 of them, but for the last.
    pub fn listed(&self) -> i64 {
        let warps = self.cut.block / WARP;
        ((self.cut.size() + self.cut.block) / (self.short + 1 + warps) + 1).min(WARP * self.cut.items)
    }

    /// How many tiles an operator takes at most; at least one.
    pub fn tiles(&self, host: &mut Host<'_>, op: &Op, binds: &[ValueId]) -> Lowered<HostExpr> {
        let items = hadd(host.points(op, binds)?, host.rows(op)?);
        Ok(hmax(hceil_div(items, self.step() as usize), hint(1)))
    }
}

/// What a kernel knows of its space.
pub struct Extent {
    /// The number of elements.
    pub count: Expr,
    /// The number of rows.
    pub rows: Expr,
    /// Both together.
    pub total: Expr,
    /// The number of tiles that have something to do; at least one.
    pub tiles: Expr,
}

impl Extent {
    /// Reads it.
    pub fn of(b: &mut Builder<'_>, op: &Op, shape: &Shape) -> Lowered<Extent> {
        let d = op.space.len();
        let count = points::count(b, op, d)?;
        let count = b.let_("n", ScalarType::I64, count);
        let rows = points::count(b, op, d - 1)?;
        let total = b.let_("total", ScalarType::I64, add(count.clone(), rows.clone()));
        let tiles = max(quot(add(total.clone(), int(shape.step() - 1)), int(shape.step())), int(1));
        let tiles = b.let_("used", ScalarType::I64, tiles);
        Ok(Extent { count, rows, total, tiles })
    }
}

/// Where a tile begins.
pub struct Corner {
    /// The row.
    pub row: Expr,
    /// 1 where elements of that row lie before the tile, else 0.
    pub inside: Expr,
    /// The element.
    pub element: Expr,
}

/// Memory for cuts that were searched before; none where they are arithmetic.
pub struct Corners {
    found: Option<[SlotId; 2]>,
}

impl Corners {
    /// Emits the search, where there is one.
    pub fn find(host: &mut Host<'_>, op: &Op, shape: &Shape, tiles: &HostExpr, span: Span) -> Lowered<Corners> {
        if matches!(op.space.last(), Some(Descriptor::Regular(_))) {
            return Ok(Corners { found: None });
        }
        let cuts = hadd(tiles.clone(), hint(1));
        let found = ["corner_rows", "corners"].map(|name| host.scratch(name, ScalarType::I64, cuts.clone(), span));
        let name = host.kernel_name("corners", &[]);
        let mut b = Builder::new(host, &name, shape.cut.block as u32, span);
        let [rows, elements] = found.map(|slot| b.output(slot));
        let extent = Extent::of(&mut b, op, shape)?;
        let t = b.let_("t", ScalarType::I64, add(mul(Expr::Tile, int(shape.cut.block)), Expr::Thread));
        let cuts_here = Expr::Param(b.scalar("cuts", ScalarType::I64, cuts.clone()));
        b.when(lt(t.clone(), cuts_here), |b| {
            let item = b.let_("item", ScalarType::I64, min(mul(t.clone(), int(shape.step())), extent.total.clone()));
            b.if_(
                lt(item.clone(), extent.total.clone()),
                |b| {
                    let d = op.space.len() - 1;
                    let lo = max(sub(item.clone(), extent.count.clone()), int(0));
                    let hi = min(extent.rows.clone(), add(item.clone(), int(1)));
                    let row = search(b, op, &item, lo, hi)?;
                    let start = points::start_at(b, op, d, row.clone())?;
                    let start = b.let_("row_start", ScalarType::I64, start);
                    let end = row_end(b, op, &extent, row.clone())?;
                    let length = b.let_("length", ScalarType::I64, sub(end, start.clone()));
                    let corner = snap(b, shape, &item, row, start, length);
                    put(b, [rows, elements], &t, corner);
                    Ok(())
                },
                |b| {
                    let (row, element) = (extent.rows.clone(), extent.count.clone());
                    put(b, [rows, elements], &t, Corner { row, inside: int(0), element });
                    Ok(())
                },
            )
        })?;
        let finished = b.finish();
        host.launch(finished, vec![hceil_div(cuts, shape.cut.block as usize)]);
        Ok(Corners { found: Some(found) })
    }

    /// The parameters of a kernel that asks for corners.
    pub fn params(&self, b: &mut Builder<'_>) -> Option<[ParamId; 2]> {
        self.found.map(|slots| slots.map(|slot| b.input(slot)))
    }

    /// Where tile `t` begins; one past the last tile is a tile too.
    pub fn at(
        b: &mut Builder<'_>,
        op: &Op,
        shape: &Shape,
        extent: &Extent,
        found: Option<[ParamId; 2]>,
        t: Expr,
    ) -> Lowered<Corner> {
        if let Some([rows, elements]) = found {
            let word = b.let_("corner_row", ScalarType::I64, Expr::Load(rows, Box::new(t.clone())));
            let element = b.let_("corner", ScalarType::I64, Expr::Load(elements, Box::new(t)));
            let row = b.let_("row", ScalarType::I64, quot(word.clone(), int(2)));
            return Ok(Corner { row, inside: bits(word, int(1)), element });
        }
        let d = op.space.len() - 1;
        let length = points::row_length(b, op, d, &Point::default())?;
        let item = b.let_("item", ScalarType::I64, min(mul(t, int(shape.step())), extent.total.clone()));
        let row = b.let_("row", ScalarType::I64, quot(item.clone(), add(length.clone(), int(1))));
        let start = b.let_("row_start", ScalarType::I64, mul(row.clone(), length.clone()));
        Ok(snap(b, shape, &item, row, start, length))
    }
}

/// The row in `lo .. hi` that has an item of the list. Each round asks for many places at once: the loads of a round do not wait for each
/// other, and there are few rounds.
fn search(b: &mut Builder<'_>, op: &Op, item: &Expr, lo: Expr, hi: Expr) -> Lowered<Expr> {
    let d = op.space.len() - 1;
    if !matches!(op.space[d], Descriptor::Irregular { .. }) {
        return points::search(b, lo, hi, item.clone(), |b, r| {
            let start = points::start_at(b, op, d, r.clone())?;
            Ok(add(start, r))
        });
    }
    let low = b.var("lo", ScalarType::I64, lo);
    let high = b.var("hi", ScalarType::I64, hi);
    b.while_(lt(add(local(low), int(1)), local(high)), |b| {
        let step = quot(add(sub(local(high), local(low)), int(PROBES - 1)), int(PROBES));
        let step = b.let_("step", ScalarType::I64, step);
        let hits = b.var("hits", ScalarType::I64, int(0));
        b.for_("k", int(1), int(PROBES), int(1), true, |b, k| {
            let row = b.let_("probe", ScalarType::I64, add(local(low), mul(k, step.clone())));
            let start = points::start_at(b, op, d, min(row.clone(), sub(local(high), int(1))))?;
            let is_before = and(lt(row.clone(), local(high)), le(add(start, row), item.clone()));
            b.set(hits, add(local(hits), select(is_before, int(1), int(0))));
            Ok(())
        })?;
        b.set(low, add(local(low), mul(local(hits), step.clone())));
        b.set(high, min(add(local(low), step), local(high)));
        Ok(())
    })?;
    Ok(local(low))
}

/// The cut at an item of the list moves back.
fn snap(b: &mut Builder<'_>, shape: &Shape, item: &Expr, row: Expr, start: Expr, length: Expr) -> Corner {
    let into = sub(item.clone(), add(start.clone(), row.clone()));
    let into = b.let_("into", ScalarType::I64, max(min(into, sub(length.clone(), int(1))), int(0)));
    let whole = mul(quot(into, int(shape.piece)), int(shape.piece));
    let whole = select(le(length, int(shape.piece)), int(0), whole);
    let whole = b.let_("whole", ScalarType::I64, whole);
    let inside = select(lt(int(0), whole.clone()), int(1), int(0));
    let element = b.let_("corner", ScalarType::I64, add(start, whole));
    Corner { row, inside, element }
}

fn put(b: &mut Builder<'_>, [rows, elements]: [ParamId; 2], t: &Expr, corner: Corner) {
    b.emit(Stmt::Store(rows, t.clone(), add(mul(corner.row, int(2)), corner.inside)));
    b.emit(Stmt::Store(elements, t.clone(), corner.element));
}

/// Where row `row` ends.
pub fn row_end(b: &mut Builder<'_>, op: &Op, extent: &Extent, row: Expr) -> Lowered<Expr> {
    let d = op.space.len() - 1;
    let next = add(row, int(1));
    if d == 1 || matches!(op.space[d], Descriptor::Regular(_) | Descriptor::Irregular { .. }) {
        return points::start_at(b, op, d, next);
    }
    let to = b.var("row_end", ScalarType::I64, extent.count.clone());
    b.when(lt(next.clone(), extent.rows.clone()), |b| {
        let start = points::start_at(b, op, d, next)?;
        b.set(to, start);
        Ok(())
    })?;
    Ok(local(to))
}
