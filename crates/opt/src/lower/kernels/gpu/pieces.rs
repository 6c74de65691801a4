//! Long rows: what their pieces combine to, and how those become one value.
//!
//! A row longer than a piece is the work of many warps, maybe of many blocks. Each writes what its piece combines to at a place that only
//! the piece's position says, and a second launch joins the pieces of each row:
//!
//! ```text
//! a piece of Q elements that begins at element p       place p / Q: pieces of any rows begin Q elements apart or more
//! the rest at the end of a row, begins at p            place p / Q of a second array: two rests have whole pieces between them
//! ```
//!
//! So the places of a row follow each other, and nobody has to count. Which rows are long is noted by the tile in which they begin: it has a slot for every Q
//! elements, as no two long rows begin closer. The second launch looks at these notes, a thread per note:
//!
//! ```text
//! up to 32 pieces       the thread, left to right
//! up to 512             its warp: of rows of more than 32 pieces no two begin within 32 notes, so all warps work at once
//! more                  its block, one row after the other
//! ```
//!
//! All of that depends on the row's length alone.
//!
//! Where rows have one length that the host knows to be short, the second launch does not happen.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, and, eq, int, local, lt, min, mul, not, quot, select, sub, truth};
use super::super::host::Host;
use super::super::host_expr::{hadd, hceil_div, hdiv, hint, hmax, hmin, hmul};
use super::super::points;
use super::block::{Combine, WARP, is_first, lane, warp};
use super::corners::{Extent, Shape, row_end};
use super::results::Results;
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::{Descriptor, Op, Operator};
use terrace_ir::kernel::{Expr, LocalId, ParamId, Stmt};
use terrace_ir::{Atom, ValueId};
use terrace_plan::Target;
use terrace_plan::host::{HostExpr, SlotId};

/// Pieces that one thread joins.
const ALONE: i64 = WARP;
/// Pieces that a warp joins: as many as it asks for at once.
const BY_WARP: i64 = WARP * AHEAD;
/// How many times larger blocks are than elsewhere, where the device allows it.
const LARGE: i64 = 4;
/// Pieces that a thread asks for at once where a block joins them.
const AHEAD: i64 = 16;
/// The same where it joins them on its own.
const FEW_AHEAD: i64 = 8;

/// The memory of pieces, on the host side.
pub struct Pieces {
    values: Vec<SlotId>,
    begun: SlotId,
    notes: HostExpr,
    rests: HostExpr,
    piece: i64,
    per_tile: i64,
}

/// The memory of pieces, in a kernel.
pub struct Places {
    values: Vec<ParamId>,
    begun: ParamId,
    rests: Expr,
    piece: i64,
    per_tile: i64,
}

impl Pieces {
    /// Memory for the pieces of all rows.
    pub fn new(
        host: &mut Host<'_>,
        op: &Op,
        binds: &[ValueId],
        shape: &Shape,
        types: &[ScalarType],
        tiles: &HostExpr,
        span: Span,
    ) -> Lowered<Pieces> {
        let places = hadd(hdiv(host.points(op, binds)?, hint(shape.piece)), hint(1));
        let rests = places.clone();
        let places = hmul(places, hint(2));
        let values = types.iter().map(|ty| host.scratch("pieces", *ty, places.clone(), span)).collect();
        let notes = hmul(tiles.clone(), hint(shape.pieces()));
        let begun = host.scratch("begun", ScalarType::I64, notes.clone(), span);
        Ok(Pieces { values, begun, notes, rests, piece: shape.piece, per_tile: shape.pieces() })
    }

    /// The parameters of a kernel that computes pieces.
    pub fn written(&self, b: &mut Builder<'_>) -> Places {
        let values = self.values.iter().map(|slot| b.output(*slot)).collect();
        let rests = self.rests(b);
        Places { values, begun: b.output(self.begun), rests, piece: self.piece, per_tile: self.per_tile }
    }

    /// Emits the launch that joins pieces.
    pub fn join(
        self,
        host: &mut Host<'_>,
        op: &Op,
        binds: &[ValueId],
        (operator, neutral): (&Operator, &[Atom]),
        results: &Results<'_>,
        shape: &Shape,
        span: Span,
    ) -> Lowered<()> {
        // A row of millions of pieces is the work of one block.
        let block = if host.device == Target::Cuda { shape.cut.block * LARGE } else { shape.cut.block };
        let mut blocks = hceil_div(self.notes.clone(), block as usize);
        if let Some(flag) = has_long_rows(host, op, shape) {
            blocks = hmul(blocks, flag);
        }
        let name = host.kernel_name("join_pieces", binds);
        let mut b = Builder::new(host, &name, block as u32, span);
        let combine = Combine::of(&mut b, operator, neutral)?;
        let values: Vec<ParamId> = self.values.iter().map(|slot| b.input(*slot)).collect();
        let begun = b.input(self.begun);
        let extent = Extent::of(&mut b, op, shape)?;
        b.set_index(extent.count.clone());
        let rests = self.rests(&mut b);
        let notes = Expr::Param(b.scalar("notes", ScalarType::I64, self.notes.clone()));
        // By warp: its row that waits for more than one thread.
        let warps = (block + WARP - 1) / WARP;
        let waiting = ["row", "from", "to"].map(|name| b.array(name, ScalarType::I64, warps as usize, true));
        // Whether a warp has such a row, and whether it is one for the block.
        let some = b.array("some", ScalarType::Bool, 2, true);
        b.when(lt(Expr::Thread, int(warps)), |b| {
            b.emit(Stmt::SetElement(waiting[0], Expr::Thread, int(-1)));
            Ok(())
        })?;
        b.when(lt(Expr::Thread, int(2)), |b| {
            b.emit(Stmt::SetElement(some, Expr::Thread, truth(false)));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
        let note = b.let_("note", ScalarType::I64, add(mul(Expr::Tile, int(block)), Expr::Thread));
        let row = b.var("row", ScalarType::I64, int(-1));
        b.when(lt(note.clone(), notes), |b| {
            b.set(row, Expr::Load(begun, Box::new(note)));
            Ok(())
        })?;
        let join = Join { combine: &combine, values: &values, rests: &rests };
        let warp = warp(&mut b);
        b.when(not(lt(local(row), int(0))), |b| {
            let from = points::start_at(b, op, op.space.len() - 1, local(row))?;
            let from = b.let_("from", ScalarType::I64, from);
            let to = row_end(b, op, &extent, local(row))?;
            let to = b.let_("to", ScalarType::I64, to);
            let pieces = self.of_row(b, &from, &to);
            b.if_(
                lt(pieces.count.clone(), int(ALONE + 1)),
                |b| {
                    let acc = join.alone(b, &pieces)?;
                    results.store(b, local(row), acc.into_iter().map(local).collect())
                },
                |b| {
                    for (array, e) in waiting.iter().zip([local(row), from, to]) {
                        b.emit(Stmt::SetElement(*array, warp.clone(), e));
                    }
                    let who = select(lt(pieces.count.clone(), int(BY_WARP + 1)), int(0), int(1));
                    b.emit(Stmt::SetElement(some, who, truth(true)));
                    Ok(())
                },
            )
        })?;
        b.emit(Stmt::Barrier);
        let waits = |b: &mut Builder<'_>, warp: &Expr| {
            let [row, from, to] = waiting.map(|a| Expr::Element(a, Box::new(warp.clone())));
            let row = b.let_("row", ScalarType::I64, row);
            let pieces = self.of_row(b, &from, &to);
            (row, pieces)
        };
        b.when(Expr::Element(some, Box::new(int(0))), |b| {
            let (row, pieces) = waits(b, &warp);
            let mine = and(not(lt(row.clone(), int(0))), lt(pieces.count.clone(), int(BY_WARP + 1)));
            let mine = b.let_("is_mine", ScalarType::Bool, mine);
            let lane = lane(b);
            let acc = combine.vars(b, "sum", &combine.neutral);
            b.when(mine.clone(), |b| join.spread(b, &acc, &pieces, &lane, WARP))?;
            combine.fold_lanes_of(b, &acc, WARP)?;
            let first = and(mine, eq(lane, int(0)));
            b.when(first, |b| results.store(b, row, acc.iter().copied().map(local).collect()))
        })?;
        b.when(Expr::Element(some, Box::new(int(1))), |b| {
            b.for_("w", int(0), int(warps), int(1), false, |b, w| {
                let (row, pieces) = waits(b, &w);
                let large = and(not(lt(row.clone(), int(0))), lt(int(BY_WARP), pieces.count.clone()));
                b.when(large, |b| {
                    let acc = combine.vars(b, "sum", &combine.neutral);
                    join.spread(b, &acc, &pieces, &Expr::Thread, block)?;
                    combine.fold(b, &acc, block)?;
                    b.when(is_first(), |b| results.store(b, row, acc.iter().copied().map(local).collect()))?;
                    b.emit(Stmt::Barrier);
                    Ok(())
                })
            })
        })?;
        let finished = b.finish();
        host.launch(finished, vec![blocks]);
        Ok(())
    }

    /// Where the places of rests begin.
    fn rests(&self, b: &mut Builder<'_>) -> Expr {
        Expr::Param(b.scalar("rests", ScalarType::I64, self.rests.clone()))
    }

    fn of_row(&self, b: &mut Builder<'_>, from: &Expr, to: &Expr) -> OfRow {
        let length = b.let_("length", ScalarType::I64, sub(to.clone(), from.clone()));
        let whole = b.let_("whole", ScalarType::I64, quot(length.clone(), int(self.piece)));
        let count = quot(add(length, int(self.piece - 1)), int(self.piece));
        let count = b.let_("count", ScalarType::I64, count);
        let first = b.let_("first", ScalarType::I64, quot(from.clone(), int(self.piece)));
        OfRow { first, whole, count }
    }
}

/// The pieces of a row.
struct OfRow {
    /// The place of the first.
    first: Expr,
    /// How many are whole.
    whole: Expr,
    /// How many there are.
    count: Expr,
}

/// Joins pieces.
struct Join<'a> {
    combine: &'a Combine<'a>,
    values: &'a [ParamId],
    rests: &'a Expr,
}

impl Join<'_> {
    fn piece(&self, of: &OfRow, k: &Expr) -> Vec<Expr> {
        let rest = select(lt(k.clone(), of.whole.clone()), int(0), self.rests.clone());
        let at = add(add(of.first.clone(), k.clone()), rest);
        self.values.iter().map(|p| Expr::Load(*p, Box::new(at.clone()))).collect()
    }

    /// Piece `k`, or neutral where there is none.
    fn piece_or_neutral(&self, of: &OfRow, k: &Expr, inside: &Expr) -> Vec<Expr> {
        let values = self.piece(of, k).into_iter().zip(&self.combine.neutral);
        values.map(|(e, n)| select(inside.clone(), e, n.clone())).collect()
    }

    /// All of them, left to right.
    fn alone(&self, b: &mut Builder<'_>, of: &OfRow) -> Lowered<Vec<LocalId>> {
        let acc = self.combine.vars(b, "acc", &self.combine.neutral);
        b.for_("from", int(0), of.count.clone(), int(FEW_AHEAD), false, |b, from| {
            b.for_("a", int(0), int(FEW_AHEAD), int(1), true, |b, a| {
                let k = b.let_("k", ScalarType::I64, add(from, a));
                let inside = b.let_("inside", ScalarType::Bool, lt(k.clone(), of.count.clone()));
                let values = self.piece_or_neutral(of, &k, &inside).into_iter().zip(&self.combine.types);
                let values: Vec<Expr> = values.map(|(e, ty)| b.let_("x", *ty, e)).collect();
                b.when(inside, |b| self.combine.join(b, &acc, &values))
            })
        })?;
        Ok(acc)
    }

    /// Those of one of `threads` threads: every so many, or a run of neighbours where the order matters.
    fn spread(&self, b: &mut Builder<'_>, acc: &[LocalId], of: &OfRow, thread: &Expr, threads: i64) -> Lowered<()> {
        if self.combine.commutes() {
            return b.for_("from", int(0), of.count.clone(), int(threads * AHEAD), false, |b, from| {
                b.for_("a", int(0), int(AHEAD), int(1), true, |b, a| {
                    let k = add(from, add(mul(a, int(threads)), thread.clone()));
                    let k = b.let_("k", ScalarType::I64, k);
                    let inside = lt(k.clone(), of.count.clone());
                    self.combine.join(b, acc, &self.piece_or_neutral(of, &k, &inside))
                })
            });
        }
        let each = quot(add(of.count.clone(), int(threads - 1)), int(threads));
        let each = b.let_("each", ScalarType::I64, each);
        let from = b.let_("from", ScalarType::I64, mul(thread.clone(), each.clone()));
        let to = b.let_("to", ScalarType::I64, min(add(from.clone(), each), of.count.clone()));
        b.for_("k", from, to, int(1), false, |b, k| self.combine.join(b, acc, &self.piece(of, &k)))
    }
}

impl Places {
    /// Writes what the piece that begins at element `p` combines to.
    pub fn put(&self, b: &mut Builder<'_>, p: Expr, whole: Expr, values: &[Expr]) {
        let rests = self.rests.clone();
        let at = b.let_("place", ScalarType::I64, add(quot(p, int(self.piece)), select(whole, int(0), rests)));
        for (param, e) in self.values.iter().zip(values) {
            b.emit(Stmt::Store(*param, at.clone(), e.clone()));
        }
    }

    /// Notes the row that begins at this thread's slot of the tile; -1 where there is none.
    pub fn begins(&self, b: &mut Builder<'_>, row: Expr) {
        b.emit(Stmt::Store(self.begun, add(mul(Expr::Tile, int(self.per_tile)), Expr::Thread), row));
    }
}

/// 1 where regular rows are longer than a piece, else 0; nothing where the host does not know.
pub fn has_long_rows(host: &Host<'_>, op: &Op, shape: &Shape) -> Option<HostExpr> {
    has_rows_longer_than(host, op, shape.piece)
}

/// 1 where regular rows have more than so many elements, else 0; nothing where the host does not know.
pub fn has_rows_longer_than(host: &Host<'_>, op: &Op, length: i64) -> Option<HostExpr> {
    let Some(Descriptor::Regular(m)) = op.space.last() else { return None };
    let m = match m {
        Atom::Const(c) => hint(c.as_i64()?),
        Atom::Var(v) => host.home(*v)?.host.map(HostExpr::Slot)?,
    };
    // Where there are no rows their length may be negative.
    Some(hmax(hmin(hdiv(m, hint(length + 1)), hint(1)), hint(0)))
}
