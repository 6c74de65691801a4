//! How tiles meet rows.
//!
//! A map cares about elements only: tile `t` has the positions `t*T .. (t+1)*T`. Operators with a result per row must also
//! give every row, empty ones too, to exactly one tile, and a million empty rows must not all fall to one. So a row takes
//! one unit of work for itself, its *head*, before those of its elements:
//!
//! ```text
//! rows      | a b |  | c |        work    H a b H H c H          row r has its head at start(r) + r,
//!                                 tiles   ----- ----- -          element j at start(r) + r + 1 + j
//! ```
//!
//! Heads are strictly increasing, so a tile finds its first row with one search, and no search ever meets a tie.

use crate::lower::kernels::Lowered;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, int, le, lt, max, min, mul, quot, sub};
use crate::lower::kernels::points::{Point, count, for_points, row_length, row_start, search, start_at};
use terrace_base::ScalarType;
use terrace_ir::Atom;
use terrace_ir::flat::{Descriptor, Op};
use terrace_ir::kernel::Expr;

/// The positions of this tile.
pub(super) fn element_tile(b: &mut Builder<'_>, op: &Op) -> Lowered<(Expr, Expr)> {
    let size = b.host.tiles.cpu_tile;
    element_tile_of(b, op, size)
}

/// The positions of this tile, where tiles have another size.
pub(super) fn element_tile_of(b: &mut Builder<'_>, op: &Op, size: usize) -> Lowered<(Expr, Expr)> {
    element_tile_by(b, op, int(size as i64))
}

/// The positions of this tile, where the size of tiles is computed.
pub(super) fn element_tile_by(b: &mut Builder<'_>, op: &Op, size: Expr) -> Lowered<(Expr, Expr)> {
    let n = count(b, op, op.space.len())?;
    let lo = b.let_("lo", ScalarType::I64, mul(Expr::Tile, size.clone()));
    let hi = b.let_("hi", ScalarType::I64, min(add(lo.clone(), size), n));
    Ok((lo, hi))
}

/// Points of one dimension that are taken at a time, where their body has at most so many statements.
pub(super) const AT_A_TIME: i64 = 8;
const SHORT_BODY: usize = 8;

/// Whether points may be taken several at a time.
pub(super) fn several_at_a_time(op: &Op) -> bool {
    op.space.len() == 1 && op.body.stmts.len() <= SHORT_BODY
}

/// Where whole groups of points end.
pub(super) fn whole_groups(b: &mut Builder<'_>, lo: &Expr, hi: &Expr) -> Expr {
    let whole = mul(quot(sub(hi.clone(), lo.clone()), int(AT_A_TIME)), int(AT_A_TIME));
    b.let_("whole", ScalarType::I64, add(lo.clone(), whole))
}

/// Runs `f` at each point of a group, one after the other, without a loop.
pub(super) fn each_of_group<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    first: &Expr,
    mut f: impl FnMut(&mut Builder<'h>, usize, &Point) -> Lowered<()>,
) -> Lowered<()> {
    (0..AT_A_TIME).try_for_each(|k| {
        let q = b.let_("q", ScalarType::I64, add(first.clone(), int(k)));
        let point = Point { indices: vec![q.clone()], positions: vec![q] };
        point.define(b, op);
        f(b, k as usize, &point)
    })
}

/// The part of a row that lies in a tile of work.
#[derive(Clone)]
pub(super) struct RowPart {
    /// The point above the row.
    pub parent: Point,
    /// The position of the row among the rows.
    pub row: Expr,
    /// The position of its first element.
    pub start: Expr,
    /// Its length.
    pub length: Expr,
    /// The work unit of its first element.
    pub first: Expr,
    /// The first work unit of the tile.
    pub lo: Expr,
    /// Behind the last work unit of the tile.
    pub hi: Expr,
}

impl RowPart {
    /// Whether the row's head is in the tile.
    pub(super) fn begins_here(&self) -> Expr {
        lt(self.lo.clone(), self.first.clone())
    }

    /// Whether the row's last element (or, if it is empty, its head) is in the tile or before it.
    pub(super) fn ends_here(&self) -> Expr {
        le(add(self.first.clone(), self.length.clone()), self.hi.clone())
    }

    /// The positions of its elements that are in the tile.
    pub(super) fn positions(&self, b: &mut Builder<'_>) -> (Expr, Expr) {
        let clip = |w: &Expr| max(sub(w.clone(), self.first.clone()), int(0));
        let from = add(self.start.clone(), clip(&self.lo));
        let to = add(self.start.clone(), min(clip(&self.hi), self.length.clone()));
        (b.let_("from", ScalarType::I64, from), b.let_("to", ScalarType::I64, to))
    }
}

/// The work units of a tile, and its first and last row; `lo < hi` must be tested before they are used.
pub(super) struct WorkTile {
    /// First unit.
    pub lo: Expr,
    /// Behind the last unit.
    pub hi: Expr,
    rows: Expr,
}

/// The work units of this tile, of tiles of one size.
pub(super) fn work_tile(b: &mut Builder<'_>, op: &Op, size: i64) -> Lowered<WorkTile> {
    let d = op.space.len() - 1;
    let rows = count(b, op, d)?;
    let points = count(b, op, d + 1)?;
    let lo = b.let_("lo", ScalarType::I64, mul(Expr::Tile, int(size)));
    let work = add(points, rows.clone());
    let hi = b.let_("hi", ScalarType::I64, min(add(lo.clone(), int(size)), work));
    Ok(WorkTile { lo, hi, rows })
}

/// The length of all rows, where they have one.
pub(super) fn regular_length(b: &mut Builder<'_>, op: &Op) -> Lowered<Option<Expr>> {
    let [_, .., Descriptor::Regular(m)] = op.space.as_slice() else { return Ok(None) };
    let e = b.atom(m)?;
    let is_i64 = matches!(m, Atom::Const(_)) || b.atom_type(m) == ScalarType::I64;
    Ok(Some(if is_i64 { e } else { crate::lower::kernels::expr::convert(ScalarType::I64, e) }))
}

/// The row that a unit of work belongs to.
pub(super) fn row_of(b: &mut Builder<'_>, op: &Op, tile: &WorkTile, unit: Expr) -> Lowered<Expr> {
    let d = op.space.len() - 1;
    if d == 0 {
        return Ok(int(0));
    }
    if let Some(m) = regular_length(b, op)? {
        let e = quot(unit, add(m, int(1)));
        return Ok(b.let_("row", ScalarType::I64, e));
    }
    search(b, int(0), tile.rows.clone(), unit, |b, mid| {
        let start = start_at(b, op, d, mid.clone())?;
        Ok(add(start, mid))
    })
}

/// The part of the row above which `parent` stands.
pub(super) fn part_of(b: &mut Builder<'_>, op: &Op, tile: &WorkTile, parent: &Point) -> Lowered<RowPart> {
    let d = op.space.len() - 1;
    let start = row_start(b, op, d, parent)?;
    let length = if d == 0 { count(b, op, 1)? } else { row_length(b, op, d, parent)? };
    let row = if d == 0 { int(0) } else { parent.positions[d - 1].clone() };
    let first = b.let_("first", ScalarType::I64, add(add(start.clone(), row.clone()), int(1)));
    Ok(RowPart { parent: parent.clone(), row, start, length, first, lo: tile.lo.clone(), hi: tile.hi.clone() })
}

/// A loop over the rows that have work in this tile.
pub(super) fn for_rows<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    size: i64,
    f: impl FnOnce(&mut Builder<'h>, &RowPart) -> Lowered<()>,
) -> Lowered<()> {
    let tile = work_tile(b, op, size)?;
    let d = op.space.len() - 1;
    b.when(lt(tile.lo.clone(), tile.hi.clone()), |b| {
        if d == 0 {
            let part = part_of(b, op, &tile, &Point::default())?;
            return f(b, &part);
        }
        let first = row_of(b, op, &tile, tile.lo.clone())?;
        let last = row_of(b, op, &tile, sub(tile.hi.clone(), int(1)))?;
        for_points(b, op, d, first, add(last, int(1)), |b, parent| {
            let part = part_of(b, op, &tile, parent)?;
            f(b, &part)
        })
    })
}

/// Whether the tile has work.
pub(super) fn has_work(tile: &WorkTile) -> Expr {
    lt(tile.lo.clone(), tile.hi.clone())
}
