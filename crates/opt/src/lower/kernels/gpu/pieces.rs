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
//! elements, as no two long rows begin closer. The second launch looks at these notes, a thread per note. It joins up to 64 pieces on its
//! own, left to right; more of them are spread over its block. All of that depends on the row's length alone.
//!
//! Where rows have one length that the host knows to be short, the second launch does not happen.

use super::super::Lowered;
use super::super::build::Builder;
use super::super::expr::{add, int, local, lt, min, mul, not, quot, select, sub, truth};
use super::super::host::Host;
use super::super::host_expr::{hadd, hceil_div, hdiv, hint, hmax, hmin, hmul};
use super::super::points;
use super::block::{Combine, WARP, is_first};
use super::corners::{Extent, Shape, row_end};
use super::results::Results;
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::{Descriptor, Op, Operator};
use terrace_ir::kernel::{Expr, ParamId, Stmt};
use terrace_ir::{Atom, ValueId};
use terrace_plan::Target;
use terrace_plan::host::{HostExpr, SlotId};

/// Pieces that one thread joins.
const ALONE: i64 = 64;
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
        let waiting = ["row", "from", "to"].map(|name| b.array(name, ScalarType::I64, block as usize, true));
        // By warp: whether a row of it waits; behind them, whether any does.
        let warps = (block + WARP - 1) / WARP;
        let some = b.array("some", ScalarType::Bool, warps as usize + 1, true);
        b.when(lt(Expr::Thread, int(warps + 1)), |b| {
            b.emit(Stmt::SetElement(some, Expr::Thread, truth(false)));
            Ok(())
        })?;
        b.emit(Stmt::SetElement(waiting[0], Expr::Thread, int(-1)));
        b.emit(Stmt::Barrier);
        let note = b.let_("note", ScalarType::I64, add(mul(Expr::Tile, int(block)), Expr::Thread));
        let row = b.var("row", ScalarType::I64, int(-1));
        b.when(lt(note.clone(), notes), |b| {
            b.set(row, Expr::Load(begun, Box::new(note)));
            Ok(())
        })?;
        let value = |first: &Expr, whole: &Expr, k: &Expr| {
            let at = add(add(first.clone(), k.clone()), select(lt(k.clone(), whole.clone()), int(0), rests.clone()));
            values.iter().map(|p| Expr::Load(*p, Box::new(at.clone()))).collect::<Vec<_>>()
        };
        b.when(not(lt(local(row), int(0))), |b| {
            let from = points::start_at(b, op, op.space.len() - 1, local(row))?;
            let from = b.let_("from", ScalarType::I64, from);
            let to = row_end(b, op, &extent, local(row))?;
            let to = b.let_("to", ScalarType::I64, to);
            let (first, whole, count) = self.of_row(b, &from, &to);
            b.if_(
                lt(count.clone(), int(ALONE + 1)),
                |b| {
                    let acc = combine.vars(b, "acc", &combine.neutral);
                    b.for_("from", int(0), count.clone(), int(FEW_AHEAD), false, |b, from| {
                        b.for_("a", int(0), int(FEW_AHEAD), int(1), true, |b, a| {
                            let k = b.let_("k", ScalarType::I64, add(from, a));
                            let inside = b.let_("inside", ScalarType::Bool, lt(k.clone(), count.clone()));
                            let values = value(&first, &whole, &k).into_iter().zip(&combine.neutral);
                            let values = values
                                .zip(&combine.types)
                                .map(|((e, n), ty)| b.let_("x", *ty, select(inside.clone(), e, n.clone())));
                            let values: Vec<Expr> = values.collect();
                            b.when(inside, |b| combine.join(b, &acc, &values))
                        })
                    })?;
                    results.store(b, local(row), acc.iter().copied().map(local).collect())
                },
                |b| {
                    for (array, e) in waiting.iter().zip([local(row), from, to]) {
                        b.emit(Stmt::SetElement(*array, Expr::Thread, e));
                    }
                    for n in [quot(Expr::Thread, int(WARP)), int(warps)] {
                        b.emit(Stmt::SetElement(some, n, truth(true)));
                    }
                    Ok(())
                },
            )
        })?;
        b.emit(Stmt::Barrier);
        let together = |b: &mut Builder<'_>, n: Expr| {
            let [row, from, to] = waiting.map(|a| Expr::Element(a, Box::new(n.clone())));
            b.when(not(lt(row.clone(), int(0))), |b| {
                let (first, whole, count) = self.of_row(b, &from, &to);
                let acc = combine.vars(b, "sum", &combine.neutral);
                if combine.commutes() {
                    b.for_("from", int(0), count.clone(), int(block * AHEAD), false, |b, from| {
                        b.for_("a", int(0), int(AHEAD), int(1), true, |b, a| {
                            let k = add(from, add(mul(a, int(block)), Expr::Thread));
                            let k = b.let_("k", ScalarType::I64, k);
                            let inside = lt(k.clone(), count.clone());
                            let values = value(&first, &whole, &k).into_iter().zip(&combine.neutral);
                            let values: Vec<Expr> = values.map(|(e, n)| select(inside.clone(), e, n.clone())).collect();
                            combine.join(b, &acc, &values)
                        })
                    })?;
                } else {
                    let each = quot(add(count.clone(), int(block - 1)), int(block));
                    let each = b.let_("each", ScalarType::I64, each);
                    let from = b.let_("from", ScalarType::I64, mul(Expr::Thread, each.clone()));
                    let to = b.let_("to", ScalarType::I64, min(add(from.clone(), each), count));
                    b.for_("k", from, to, int(1), false, |b, k| combine.join(b, &acc, &value(&first, &whole, &k)))?;
                }
                combine.fold(b, &acc, block)?;
                b.when(is_first(), |b| results.store(b, row, acc.iter().copied().map(local).collect()))?;
                b.emit(Stmt::Barrier);
                Ok(())
            })
        };
        b.when(Expr::Element(some, Box::new(int(warps))), |b| {
            b.for_("w", int(0), int(warps), int(1), false, |b, w| {
                b.when(Expr::Element(some, Box::new(w.clone())), |b| {
                    let first = b.let_("first_of_warp", ScalarType::I64, mul(w, int(WARP)));
                    b.for_("l", int(0), int(WARP.min(block)), int(1), false, |b, l| {
                        let n = b.let_("n", ScalarType::I64, add(first, l));
                        together(b, n)
                    })
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

    /// The place of a row's first piece, how many whole pieces it has, and how many pieces in all.
    fn of_row(&self, b: &mut Builder<'_>, from: &Expr, to: &Expr) -> (Expr, Expr, Expr) {
        let length = b.let_("length", ScalarType::I64, sub(to.clone(), from.clone()));
        let whole = b.let_("whole", ScalarType::I64, quot(length.clone(), int(self.piece)));
        let count = quot(add(length, int(self.piece - 1)), int(self.piece));
        let count = b.let_("count", ScalarType::I64, count);
        let first = b.let_("first", ScalarType::I64, quot(from.clone(), int(self.piece)));
        (first, whole, count)
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
