//! Reduction along the last dimension of a space with rows, whatever the rows look like; what a row combines to depends on the row
//! alone.
//!
//! Tiles have short rows whole, and long rows in whole pieces ([`super::corners`]). A tile works in two steps. All values of its elements are
//! computed with neighbouring threads on neighbouring elements and kept in shared memory. Then the rows are combined from there, in an
//! order that only their length says:
//!
//! ```text
//! up to 8 elements       one thread, left to right
//! up to 128              eight lanes, each every eighth element, and a tree over the lanes
//! up to 512, or a piece  a warp, each lane every 32nd element, and a tree
//! pieces of a long row   one after the other, or spread over a block where there are many      pieces.rs
//! ```
//!
//! (The figures are for elements of four bytes; wider ones have smaller tiles.) Where the operator is not known to commute, a lane takes a
//! run of neighbours instead. A warp first gives each of its threads a row: short ones are done then, those for eight lanes go to a list that only
//! this warp writes and reads, so that no lanes look at rows that are not for them. Warps find their rows by position: of rows longer than 128, no two begin in the same
//! 128 elements, so there is a slot for each 128 elements of the tile and no list to build.
//!
//! A tile that lies in one long row needs no shared memory if the operator commutes: its warps read their pieces where they are. Empty rows are row ends
//! without elements, and cost what an element costs. A masked point counts as the neutral element.

use super::super::Lowered;
use super::super::body::may_fail;
use super::super::build::{Builder, zero};
use super::super::expr::{
    add, and, binary, convert, eq, int, le, local, lt, max, min, mul, not, or, quot, select, sub,
};
use super::super::expr::{as_int, truth};
use super::super::host::Host;
use super::super::host_expr::{hint, hmul};
use super::apart::{self, Apart};
use super::block::{Combine, WARP, bits, is_first, lane, warp};
use super::corners::{Corners, Extent, GROUP, Shape, row_end};
use super::items::{self, Item, distance, is_straight, plus, small};
use super::lanes;
use super::pieces::{Pieces, Places, has_long_rows};
use super::reduce::take;
use super::results::Results;
use super::staged::Staged;
use super::tiles::{define_in_row, define_point, needs_indices, zeros};
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::flat::{Descriptor, Op, Operator};
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Stmt};
use terrace_ir::{Atom, ValueId};

/// Blocks that a multiprocessor shall hold where a thread has gathers in flight. The compiler of CUDA would count on as many as shared memory allows, and leave
/// too few registers for that.
const RESIDENT: u32 = 5;

/// Elements that a thread takes of a short row at most, without a loop.
const AHEAD_ALONE: i64 = 8;
/// Elements that a lane takes of longer rows at once.
const AHEAD: i64 = 4;

/// Emits the launches of a reduction of rows.
pub fn lower(
    host: &mut Host<'_>,
    op: &Op,
    binds: &[ValueId],
    (operator, neutral, masked): (&Operator, &[Atom], bool),
    results: &Results<'_>,
    span: Span,
) -> Lowered<()> {
    let types: Vec<ScalarType> =
        binds.iter().map(|v| host.function.values[*v].ty.elem().unwrap_or(ScalarType::I64)).collect();
    let staged = Staged::of(host, op, &types);
    let shape = Shape::new(host, staged.bytes(), operator.as_binary().is_some());
    let mut tiles = shape.tiles(host, op, binds)?;
    if operator.commutes()
        && let Some(long) = has_long_rows(host, op, &shape)
    {
        lanes::lower(host, op, binds, (operator, neutral, masked), results, &shape, span)?;
        if long == hint(0) {
            return Ok(());
        }
        tiles = hmul(tiles, long);
    }
    let corners = Corners::find(host, op, &shape, &tiles, span)?;
    let pieces = Pieces::new(host, op, binds, &shape, &types, &tiles, span)?;

    let name = host.kernel_name("reduce_rows", binds);
    let mut b = Builder::new(host, &name, shape.cut.block as u32, span);
    if may_fail(&op.body) {
        b.want_resident(RESIDENT);
    }
    let combine = Combine::of(&mut b, operator, neutral)?;
    let found = corners.params(&mut b);
    let places = pieces.written(&mut b);
    let extent = Extent::of(&mut b, op, &shape)?;
    // Where cuts were searched, those behind the last element are there too.
    let run = |b: &mut Builder<'_>| {
        // A check in an operator that joins parts is reported only if none failed at an element.
        b.set_index(extent.count.clone());
        let from = Corners::at(b, op, &shape, &extent, found, Expr::Tile)?;
        let to = Corners::at(b, op, &shape, &extent, found, add(Expr::Tile, int(1)))?;
        let rows = add(sub(to.row, from.row.clone()), to.inside.clone());
        let tile = Tile {
            op,
            is_simple: operator.as_binary().is_some(),
            staged: &staged,
            masked,
            results,
            shape,
            combine: &combine,
            places: &places,
            rows: b.let_("rows", ScalarType::I32, convert(ScalarType::I32, rows)),
            length: b.let_("items", ScalarType::I64, sub(to.element.clone(), from.element.clone())),
            inside: eq(from.inside, int(1)),
            goes_on: eq(to.inside, int(1)),
            first_row: from.row,
            first: from.element,
            last: to.element,
            extent: &extent,
            ends: b.array("ends", ScalarType::I16, shape.cut.size() as usize + 1, true),
            listed: b.array("listed", ScalarType::I16, (shape.listed() * shape.cut.block / WARP) as usize, true),
            counts: b.array("counts", ScalarType::U32, 2 * (shape.cut.block / WARP) as usize, true),
            marks: b.array("marks", ScalarType::U32, 2 * (shape.cut.block / WARP) as usize, true),
            large: b.array("large", ScalarType::I16, (shape.rounds() * shape.cut.block / WARP) as usize, true),
            begun: b.array("begun", ScalarType::I16, shape.pieces() as usize, true),
            some: b.array("some", ScalarType::Bool, shape.rounds() as usize, true),
        };
        tile.run(b)
    };
    match found {
        Some(_) => run(&mut b)?,
        None => b.when(lt(Expr::Tile, extent.tiles.clone()), run)?,
    }
    let finished = b.finish();
    host.launch(finished, vec![tiles]);
    pieces.join(host, op, binds, (operator, neutral), results, &shape, span)
}

/// A tile inside the kernel. Positions in it are small numbers, counted from its first element; so are its rows.
struct Tile<'a> {
    op: &'a Op,
    /// Whether the operator is one of two numbers.
    is_simple: bool,
    staged: &'a Staged,
    masked: bool,
    results: &'a Results<'a>,
    shape: Shape,
    combine: &'a Combine<'a>,
    places: &'a Places,
    extent: &'a Extent,
    first_row: Expr,
    first: Expr,
    last: Expr,
    length: Expr,
    rows: Expr,
    inside: Expr,
    goes_on: Expr,
    /// Where each row begins, and where the last one ends.
    ends: ArrayId,
    /// By warp: the rows whose last segment is of medium length; `-1 - row` where that is a piece.
    listed: ArrayId,
    /// By warp: how many these are; behind each, how many rows are not among them.
    counts: ArrayId,
    marks: ArrayId,
    /// By position: the row of which a segment for a warp begins here.
    large: ArrayId,
    /// By position: the long row that begins here.
    begun: ArrayId,
    /// For each round of the warps: whether it has segments for them.
    some: ArrayId,
}

/// A short row, or a piece of a long one, in variables.
struct Segment {
    row: LocalId,
    from: LocalId,
    length: LocalId,
    is_piece: LocalId,
}

impl Tile<'_> {
    fn run(&self, b: &mut Builder<'_>) -> Lowered<()> {
        if !self.combine.commutes() || self.has_no_long_rows() {
            return self.by_rows(b);
        }
        let in_one_row = and(self.goes_on.clone(), eq(self.rows.clone(), small(1)));
        b.if_(in_one_row, |b| self.by_pieces(b), |b| self.by_rows(b))
    }

    /// The whole tile lies in one long row, and ends before the row does: a warp per piece.
    fn by_pieces(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let piece = self.shape.piece;
        let (lane, warp) = (lane(b), warp(b));
        b.for_("base", int(0), int(self.shape.pieces()), int(self.shape.cut.block / WARP), false, |b, base| {
            let from = b.let_("start", ScalarType::I64, mul(add(base, warp), int(piece)));
            let first = b.let_("piece", ScalarType::I64, add(self.first.clone(), from.clone()));
            // The tile ends where a piece ends.
            let is_mine = b.let_("is_mine", ScalarType::Bool, lt(from, self.length.clone()));
            let acc = self.combine.vars(b, "acc", &self.combine.neutral);
            b.when(is_mine.clone(), |b| self.by_lanes(b, &acc, &first, &lane))?;
            self.combine.fold_lanes_of(b, &acc, WARP)?;
            b.when(and(eq(lane, int(0)), is_mine), |b| {
                let values: Vec<Expr> = acc.iter().copied().map(local).collect();
                self.places.put(b, first, truth(true), &values);
                Ok(())
            })
        })?;
        b.when(lt(Expr::Thread, int(self.shape.pieces())), |b| {
            let begins = and(not(self.inside.clone()), is_first());
            self.places.begins(b, select(begins, self.first_row.clone(), int(-1)));
            Ok(())
        })
    }

    /// A whole piece, straight from memory.
    fn by_lanes(&self, b: &mut Builder<'_>, acc: &[LocalId], first: &Expr, lane: &Expr) -> Lowered<()> {
        let (op, piece) = (self.op, self.shape.piece);
        let own = b.let_("own", ScalarType::I64, add(first.clone(), lane.clone()));
        let one_by_one = |b: &mut Builder<'_>, counts: bool| {
            b.for_("q", own.clone(), add(first.clone(), int(piece)), int(WARP), false, |b, q| {
                self.define_in(b, int(0), q)?;
                b.body(&op.body, |b, results| match counts {
                    true => take(b, self.combine, acc, results, self.masked),
                    false => Ok(()),
                })
            })
        };
        if !is_straight(&op.body) || piece < WARP {
            return one_by_one(b, true);
        }
        let fine = may_fail(&op.body).then(|| b.var("fine", ScalarType::Bool, truth(true)));
        let apart = Apart { step: WARP, items: piece / WARP, streams: true };
        let define = |b: &mut Builder<'_>, q: Expr| self.define_in(b, int(0), q);
        apart::each(b, op, apart, &own, None, fine, define, |b, item, results| {
            let add_up = |b: &mut Builder<'_>| take(b, self.combine, acc, results, self.masked);
            if item.ok == truth(true) { add_up(b) } else { b.when(item.ok.clone(), add_up) }
        })?;
        match fine {
            Some(fine) => b.when(not(local(fine)), |b| one_by_one(b, false)),
            None => Ok(()),
        }
    }

    fn by_rows(&self, b: &mut Builder<'_>) -> Lowered<()> {
        self.clear(b)?;
        let values = if needs_indices(b, self.op) {
            self.put_ends(b, None)?;
            b.emit(Stmt::Barrier);
            self.stage(b)?
        } else {
            let own = self.ask_for_end(b)?;
            let values = self.stage(b)?;
            self.put_ends(b, Some(own))?;
            values
        };
        b.emit(Stmt::Barrier);
        self.by_threads(b, &values)?;
        b.emit(Stmt::Barrier);
        b.when(lt(Expr::Thread, int(self.shape.pieces())), |b| {
            let row = b.let_("begun_row", ScalarType::I32, self.element(self.begun, Expr::Thread));
            let row = select(lt(row.clone(), small(0)), int(-1), add(self.first_row.clone(), wide(row)));
            self.places.begins(b, row);
            Ok(())
        })?;
        self.by_groups(b, &values)?;
        self.by_warps(b, &values)
    }

    fn element(&self, array: ArrayId, at: Expr) -> Expr {
        convert(ScalarType::I32, Expr::Element(array, Box::new(at)))
    }

    fn clear(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let none = || convert(ScalarType::I16, small(-1));
        let slots = self.shape.rounds() * self.warps();
        b.for_("s", Expr::Thread, int(slots), int(self.shape.cut.block), false, |b, s| {
            b.emit(Stmt::SetElement(self.large, s, none()));
            Ok(())
        })?;
        b.when(lt(Expr::Thread, int(self.shape.pieces())), |b| {
            b.emit(Stmt::SetElement(self.begun, Expr::Thread, none()));
            Ok(())
        })?;
        b.when(lt(Expr::Thread, int(self.shape.rounds())), |b| {
            b.emit(Stmt::SetElement(self.some, Expr::Thread, truth(false)));
            Ok(())
        })?;
        b.when(lt(Expr::Thread, int(2 * self.warps())), |b| {
            for array in [self.counts, self.marks] {
                b.emit(Stmt::SetElement(array, Expr::Thread, Expr::Const(Scalar::U32(0))));
            }
            Ok(())
        })?;
        b.when(is_first(), |b| {
            b.emit(Stmt::SetElement(self.ends, int(0), convert(ScalarType::I16, small(0))));
            Ok(())
        })
    }

    /// Asks for one row end per thread before the elements are asked for; nothing waits for it until they are there.
    fn ask_for_end(&self, b: &mut Builder<'_>) -> Lowered<Expr> {
        let end = b.var("own_end", ScalarType::I64, int(0));
        b.when(lt(Expr::Thread, wide(self.rows.clone())), |b| {
            let e = row_end(b, self.op, self.extent, add(self.first_row.clone(), Expr::Thread))?;
            b.set(end, e);
            Ok(())
        })?;
        Ok(local(end))
    }

    fn put_ends(&self, b: &mut Builder<'_>, own: Option<Expr>) -> Lowered<()> {
        let put = |b: &mut Builder<'_>, r: Expr, end: Expr| {
            let end = distance(min(end, self.last.clone()), self.first.clone());
            b.emit(Stmt::SetElement(self.ends, wide(plus(r, small(1))), convert(ScalarType::I16, end)));
            Ok(())
        };
        let thread = convert(ScalarType::I32, Expr::Thread);
        let step = small(self.shape.cut.block as i32);
        let mut from = thread.clone();
        if let Some(end) = own {
            b.when(lt(thread.clone(), self.rows.clone()), |b| put(b, thread.clone(), end))?;
            from = plus(thread, step.clone());
        }
        b.for_small("r", from, self.rows.clone(), step, |b, r| {
            let row = b.let_("row", ScalarType::I64, add(self.first_row.clone(), wide(r.clone())));
            let end = row_end(b, self.op, self.extent, row)?;
            put(b, r, end)
        })
    }

    /// Computes the body at every element; results lie in shared memory, by position in the tile.
    fn stage(&self, b: &mut Builder<'_>) -> Lowered<Vec<ArrayId>> {
        let size = self.shape.cut.size() as usize;
        let arrays: Vec<ArrayId> = self.staged.types.iter().map(|ty| b.array("value", *ty, size, true)).collect();
        let put = |b: &mut Builder<'_>, slot: &Expr, values: Vec<Expr>| {
            for (array, e) in arrays.iter().zip(values) {
                b.emit(Stmt::SetElement(*array, slot.clone(), e));
            }
            Ok(())
        };
        // Where only what was read is staged, there are no checks, and a masked element is left out later.
        let (neutral, masked) = match self.staged.rest {
            Some(_) => (zeros(&self.staged.types), false),
            None => (self.combine.neutral.clone(), self.masked),
        };
        let keep = |b: &mut Builder<'_>, slot: &Expr, ok: Expr, results: Vec<Expr>| {
            let mut results = results.into_iter();
            let mut keep = ok;
            if masked {
                keep = and(keep, results.next().unwrap_or_else(|| truth(false)));
            }
            let keep = b.let_("keep", ScalarType::Bool, keep);
            put(b, slot, results.zip(&neutral).map(|(e, n)| chosen(&keep, e, n.clone())).collect())
        };
        let (op, cut) = (&self.staged.op, self.shape.cut);
        if needs_indices(b, self.op) || !is_straight(&op.body) {
            let missed = |b: &mut Builder<'_>, item: &Item| put(b, &item.slot, neutral.clone());
            let take =
                |b: &mut Builder<'_>, item: &Item, results: Vec<Expr>| keep(b, &item.slot, item.ok.clone(), results);
            let define = |b: &mut Builder<'_>, at: Expr, q: Expr| self.define_point(b, at, q);
            items::each(b, op, cut, (&self.first, &self.length), define, missed, take)?;
            return Ok(arrays);
        }
        let fine = may_fail(&op.body).then(|| b.var("fine", ScalarType::Bool, truth(true)));
        let own = b.let_("own", ScalarType::I64, add(self.first.clone(), Expr::Thread));
        let left = b.let_("left", ScalarType::I32, convert(ScalarType::I32, sub(self.length.clone(), Expr::Thread)));
        let place = |item: Expr| mul(item, int(cut.block));
        // The first `sure` items are there.
        let all = |b: &mut Builder<'_>, sure: i64| {
            let is_here = |item: Expr| {
                let is_left = lt(convert(ScalarType::I32, place(item.clone())), left.clone());
                if sure == 0 { is_left } else { or(lt(item, int(sure)), is_left) }
            };
            let apart = Apart { step: cut.block, items: cut.items, streams: true };
            let define = |b: &mut Builder<'_>, q: Expr| self.define_in(b, int(0), q);
            apart::each(b, op, apart, &own, Some(&is_here), fine, define, |b, item, results| {
                let ok = if fine.is_some() { item.ok.clone() } else { truth(true) };
                keep(b, &add(place(item.number.clone()), Expr::Thread), ok, results)
            })
        };
        // Tiles are rarely full, but rarely less than half full.
        let sure = (cut.items * 5 / 8).max(1);
        b.if_(le(int(sure * cut.block), self.length.clone()), |b| all(b, sure), |b| all(b, 0))?;
        if let Some(fine) = fine {
            b.when(not(local(fine)), |b| {
                let end = add(self.first.clone(), self.length.clone());
                b.for_("q", own.clone(), end, int(cut.block), false, |b, q| {
                    self.define_in(b, int(0), q)?;
                    b.body(&op.body, |_, _| Ok(()))
                })
            })?;
        }
        Ok(arrays)
    }

    fn define_point(&self, b: &mut Builder<'_>, at: Expr, q: Expr) -> Lowered<()> {
        if !needs_indices(b, self.op) {
            return self.define_in(b, int(0), q);
        }
        let end = |i: Expr| self.element(self.ends, wide(plus(i, small(1))));
        let row = items::first_where(b, self.rows.clone(), |_, i| lt(at, end(i)))?;
        self.define_in(b, wide(local(row)), q)
    }

    /// Makes the operator's indices and positions stand for the element at `q` in a row of the tile.
    fn define_in(&self, b: &mut Builder<'_>, row: Expr, q: Expr) -> Lowered<()> {
        if !needs_indices(b, self.op) {
            return define_point(b, self.op, q, int(0), int(1));
        }
        let row = b.let_("row", ScalarType::I64, add(self.first_row.clone(), row));
        b.set_index(q.clone());
        define_in_row(b, self.op, self.op.space.len() - 1, row, q)
    }

    /// Whether all rows are known to be of at most one piece.
    fn has_no_long_rows(&self) -> bool {
        let Some(Descriptor::Regular(Atom::Const(m))) = self.op.space.last() else { return false };
        m.as_i64().is_some_and(|m| m <= self.shape.piece)
    }

    /// Where a row begins and ends in the tile, and whether it is a long one.
    fn row(&self, b: &mut Builder<'_>, i: &Expr) -> (Expr, Expr, Expr) {
        let from = b.let_("from", ScalarType::I32, self.element(self.ends, wide(i.clone())));
        let next = plus(i.clone(), small(1));
        let to = b.let_("to", ScalarType::I32, self.element(self.ends, wide(next.clone())));
        if self.has_no_long_rows() {
            return (from, to, truth(false));
        }
        let cut = or(
            and(self.inside.clone(), eq(i.clone(), small(0))),
            and(self.goes_on.clone(), eq(next, self.rows.clone())),
        );
        let long = or(lt(small(self.shape.piece as i32), minus(to.clone(), from.clone())), cut);
        let long = b.let_("long", ScalarType::Bool, long);
        (from, to, long)
    }

    /// Every thread looks at its rows: short segments are combined, longer ones are noted for those who do.
    fn by_threads(&self, b: &mut Builder<'_>, values: &[ArrayId]) -> Lowered<()> {
        let warp = warp(b);
        let list = b.let_("list", ScalarType::I64, mul(warp.clone(), int(self.shape.listed())));
        let step = small(self.shape.cut.block as i32);
        b.for_small("base", small(0), self.rows.clone(), step, |b, base| {
            let i = b.let_("i", ScalarType::I32, plus(base, convert(ScalarType::I32, Expr::Thread)));
            let is_medium = b.var("is_medium", ScalarType::Bool, truth(false));
            let word = b.var("word", ScalarType::I32, i.clone());
            b.when(lt(i.clone(), self.rows.clone()), |b| self.by_thread(b, values, &i, (is_medium, word)))?;
            let rank = b.local("rank", ScalarType::U32);
            let at = add(mul(warp.clone(), int(2)), select(local(is_medium), int(0), int(1)));
            let at = b.let_("count_at", ScalarType::I64, at);
            b.emit(Stmt::Rank { into: rank, counts: self.counts, marks: self.marks, at });
            b.when(local(is_medium), |b| {
                let place = add(list.clone(), wide(local(rank)));
                b.emit(Stmt::SetElement(self.listed, place, convert(ScalarType::I16, local(word))));
                Ok(())
            })
        })
    }

    /// The row of a thread; says whether it is one for a list, and how it stands there.
    fn by_thread(
        &self,
        b: &mut Builder<'_>,
        values: &[ArrayId],
        i: &Expr,
        (is_medium, word): (LocalId, LocalId),
    ) -> Lowered<()> {
        let piece = small(self.shape.piece as i32);
        let (from, to, long) = self.row(b, i);
        let start = b.var("start", ScalarType::I32, from.clone());
        b.when(long.clone(), |b| {
            b.set(start, self.last_piece(from.clone(), to.clone()));
            b.set(word, minus(small(-1), i.clone()));
            b.for_("s", wide(from.clone()), wide(local(start)), int(self.shape.piece), false, |b, s| {
                self.note(b, s, i);
                Ok(())
            })?;
            let begins = not(and(self.inside.clone(), eq(i.clone(), small(0))));
            b.when(begins, |b| {
                let at = binary(BinOp::Div, from.clone(), piece.clone());
                b.emit(Stmt::SetElement(self.begun, wide(at), convert(ScalarType::I16, i.clone())));
                Ok(())
            })
        })?;
        let length = b.let_("length", ScalarType::I32, minus(to.clone(), local(start)));
        b.if_(
            le(length.clone(), small(self.shape.short as i32)),
            |b| {
                let acc = self.combine.vars(b, "acc", &self.combine.neutral);
                self.push_all(b, &acc, values, (local(start), to, 1), true)?;
                self.store(b, &acc, i, local(start), length.clone(), long)
            },
            |b| {
                b.if_(
                    le(length.clone(), small(self.shape.medium as i32)),
                    |b| {
                        b.set(is_medium, truth(true));
                        Ok(())
                    },
                    |b| {
                        self.note(b, wide(local(start)), i);
                        Ok(())
                    },
                )
            },
        )
    }

    /// Where the last piece of a long row begins.
    fn last_piece(&self, from: Expr, to: Expr) -> Expr {
        let piece = small(self.shape.piece as i32);
        let before = binary(BinOp::Div, minus(minus(to, from.clone()), small(1)), piece.clone());
        plus(from, binary(BinOp::Mul, before, piece))
    }

    fn warps(&self) -> i64 {
        self.shape.cut.block / WARP
    }

    /// A segment for a warp begins here.
    fn note(&self, b: &mut Builder<'_>, at: Expr, row: &Expr) {
        let slot = b.let_("slot", ScalarType::I64, quot(at, int(self.shape.medium)));
        let round = quot(slot.clone(), int(self.warps()));
        b.emit(Stmt::SetElement(self.large, slot, convert(ScalarType::I16, row.clone())));
        b.emit(Stmt::SetElement(self.some, round, truth(true)));
    }

    /// Elements from one on, a step apart. Of simple operators several are asked for at once, each only if it is there: rows of a warp differ in length, and a loop that the
    /// compiler unrolls would go through its remainders one after the other.
    fn push_all(
        &self,
        b: &mut Builder<'_>,
        acc: &[LocalId],
        values: &[ArrayId],
        (from, to, step): (Expr, Expr, i64),
        is_short: bool,
    ) -> Lowered<()> {
        let to = b.let_("end", ScalarType::I32, to);
        if !self.is_simple || self.staged.rest.is_some() || self.combine.may_fail() {
            let k = b.var("k", ScalarType::I32, from);
            return b.while_(lt(local(k), to), |b| {
                self.push(b, acc, values, wide(local(k)))?;
                b.set(k, plus(local(k), small(step as i32)));
                Ok(())
            });
        }
        let few = |b: &mut Builder<'_>, k: Expr, items: i64| {
            b.for_("a", int(0), int(items), int(1), true, |b, a| {
                let at = plus(k, convert(ScalarType::I32, mul(a, int(step))));
                let at = b.let_("at", ScalarType::I32, at);
                let here = b.let_("here", ScalarType::Bool, lt(at.clone(), to.clone()));
                let element = |(array, ty): (&ArrayId, &ScalarType)| {
                    let x = Expr::Element(*array, Box::new(wide(at.clone())));
                    b.let_("x", *ty, select(here.clone(), x, zero(*ty)))
                };
                let staged: Vec<Expr> = values.iter().zip(&self.combine.types).map(element).collect();
                b.when(here, |b| self.combine.push(b, acc, &staged))
            })
        };
        if is_short && self.shape.short <= AHEAD_ALONE {
            let k = b.let_("k", ScalarType::I32, from);
            return few(b, k, self.shape.short);
        }
        let k = b.var("k", ScalarType::I32, from);
        b.while_(lt(local(k), to.clone()), |b| {
            few(b, local(k), AHEAD)?;
            b.set(k, plus(local(k), small((step * AHEAD) as i32)));
            Ok(())
        })
    }

    fn push(&self, b: &mut Builder<'_>, acc: &[LocalId], values: &[ArrayId], at: Expr) -> Lowered<()> {
        b.set_index(add(self.first.clone(), at.clone()));
        let staged: Vec<Expr> = values.iter().map(|a| Expr::Element(*a, Box::new(at.clone()))).collect();
        let Some((binds, rest)) = &self.staged.rest else { return self.combine.push(b, acc, &staged) };
        for ((v, ty), e) in binds.iter().zip(&self.staged.types).zip(staged) {
            let e = b.let_("x", *ty, e);
            b.define(*v, e);
        }
        b.body(rest, |b, results| take(b, self.combine, acc, results, self.masked))
    }

    /// What a segment combines to goes to its row, or to the place of the piece.
    fn store(
        &self,
        b: &mut Builder<'_>,
        acc: &[LocalId],
        row: &Expr,
        from: Expr,
        length: Expr,
        is_piece: Expr,
    ) -> Lowered<()> {
        let values: Vec<Expr> = acc.iter().copied().map(local).collect();
        let whole =
            |b: &mut Builder<'_>| self.results.store(b, add(self.first_row.clone(), wide(row.clone())), values.clone());
        if self.has_no_long_rows() {
            return whole(b);
        }
        b.if_(
            is_piece,
            |b| {
                let whole = not(lt(length, small(self.shape.piece as i32)));
                self.places.put(b, add(self.first.clone(), wide(from)), whole, &values);
                Ok(())
            },
            whole,
        )
    }

    fn segment(&self, b: &mut Builder<'_>) -> Segment {
        let mut var = |name: &str, ty: ScalarType| b.var(name, ty, zero(ty));
        Segment {
            row: var("i", ScalarType::I32),
            from: var("start", ScalarType::I32),
            length: var("length", ScalarType::I32),
            is_piece: var("is_piece", ScalarType::Bool),
        }
    }

    /// Eight lanes per segment of medium length. All warps go on while one has some left.
    fn by_groups(&self, b: &mut Builder<'_>, values: &[ArrayId]) -> Lowered<()> {
        let lane = b.let_("lane", ScalarType::I32, convert(ScalarType::I32, bits(Expr::Thread, int(GROUP - 1))));
        let group = quot(bits(Expr::Thread, int(WARP - 1)), int(GROUP));
        let group = b.let_("group", ScalarType::I32, convert(ScalarType::I32, group));
        let warp = warp(b);
        let list = b.let_("list", ScalarType::I64, mul(warp.clone(), int(self.shape.listed())));
        let count = |warp: Expr| self.element(self.counts, mul(warp, int(2)));
        let own = b.let_("count", ScalarType::I32, count(warp));
        let most = (1..self.warps()).fold(count(int(0)), |most, w| max(most, count(int(w))));
        let most = b.let_("most", ScalarType::I32, most);
        b.for_small("base", small(0), most, small((WARP / GROUP) as i32), |b, base| {
            let segment = self.segment(b);
            let k = b.let_("k", ScalarType::I32, plus(base, group));
            let is_mine = b.let_("is_mine", ScalarType::Bool, lt(k.clone(), own));
            let acc = self.combine.vars(b, "acc", &self.combine.neutral);
            b.when(is_mine.clone(), |b| {
                let word = b.let_("word", ScalarType::I32, self.element(self.listed, add(list, wide(k))));
                b.set(segment.is_piece, lt(word.clone(), small(0)));
                b.set(segment.row, select(local(segment.is_piece), minus(small(-1), word.clone()), word));
                let from = self.element(self.ends, wide(local(segment.row)));
                let from = b.let_("from", ScalarType::I32, from);
                let to = self.element(self.ends, wide(plus(local(segment.row), small(1))));
                let to = b.let_("to", ScalarType::I32, to);
                let start = select(local(segment.is_piece), self.last_piece(from.clone(), to.clone()), from);
                b.set(segment.from, start);
                b.set(segment.length, minus(to, local(segment.from)));
                self.lanes(b, &acc, values, &segment, &lane, GROUP)
            })?;
            self.combine.fold_lanes_of(b, &acc, GROUP)?;
            b.when(and(is_mine, eq(lane, small(0))), |b| self.store_segment(b, &acc, &segment))
        })
    }

    /// A warp per segment that is longer.
    fn by_warps(&self, b: &mut Builder<'_>, values: &[ArrayId]) -> Lowered<()> {
        let (medium, piece) = (self.shape.medium, small(self.shape.piece as i32));
        let (lane, warp) = (lane(b), warp(b));
        let lane = b.let_("lane_of", ScalarType::I32, convert(ScalarType::I32, lane));
        b.for_("round", int(0), int(self.shape.rounds()), int(1), false, |b, round| {
            let slot = add(mul(round.clone(), int(self.warps())), warp);
            let slot = b.let_("slot", ScalarType::I64, slot);
            b.when(Expr::Element(self.some, Box::new(round)), |b| {
                let segment = self.segment(b);
                b.set(segment.row, self.element(self.large, slot.clone()));
                let is_mine = b.let_("is_mine", ScalarType::Bool, not(lt(local(segment.row), small(0))));
                let acc = self.combine.vars(b, "acc", &self.combine.neutral);
                b.when(is_mine.clone(), |b| {
                    let (from, to, long) = self.row(b, &local(segment.row));
                    let end = convert(ScalarType::I32, add(mul(slot, int(medium)), int(medium - 1)));
                    let before = binary(BinOp::Div, minus(end, from.clone()), piece.clone());
                    b.set(segment.from, plus(from, binary(BinOp::Mul, before, piece.clone())));
                    b.set(segment.length, min(minus(to, local(segment.from)), piece));
                    b.set(segment.is_piece, long);
                    self.lanes(b, &acc, values, &segment, &lane, WARP)
                })?;
                self.combine.fold_lanes_of(b, &acc, WARP)?;
                b.when(and(is_mine, eq(lane, small(0))), |b| self.store_segment(b, &acc, &segment))
            })
        })
    }

    /// The elements of a lane.
    fn lanes(
        &self,
        b: &mut Builder<'_>,
        acc: &[LocalId],
        values: &[ArrayId],
        segment: &Segment,
        lane: &Expr,
        lanes: i64,
    ) -> Lowered<()> {
        let end = plus(local(segment.from), local(segment.length));
        let (from, to, step) = if self.combine.commutes() {
            (plus(local(segment.from), lane.clone()), end, lanes)
        } else {
            let each = binary(BinOp::Div, plus(local(segment.length), small(lanes as i32 - 1)), small(lanes as i32));
            let each = b.let_("each", ScalarType::I32, each);
            let from = plus(local(segment.from), binary(BinOp::Mul, lane.clone(), each.clone()));
            let from = b.let_("own", ScalarType::I32, from);
            (from.clone(), min(plus(from, each), end), 1)
        };
        self.push_all(b, acc, values, (from, to, step), false)
    }

    fn store_segment(&self, b: &mut Builder<'_>, acc: &[LocalId], segment: &Segment) -> Lowered<()> {
        let (from, length) = (local(segment.from), local(segment.length));
        self.store(b, acc, &local(segment.row), from, length, local(segment.is_piece))
    }
}

fn wide(e: Expr) -> Expr {
    convert(ScalarType::I64, e)
}

fn minus(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Sub, a, b)
}

/// `if keep then a else b`, where `keep` may be known.
fn chosen(keep: &Expr, a: Expr, b: Expr) -> Expr {
    match keep {
        Expr::Const(c) => {
            if as_int(&Expr::Const(*c)) == Some(0) || *keep == truth(false) {
                b
            } else {
                a
            }
        }
        keep => select(keep.clone(), a, b),
    }
}
