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
//! run of neighbours instead. Warps find the rows that are theirs by position: of rows longer than 128, no two begin in the same 128 elements, so there
//! is a slot for each 128 elements of the tile and no list to build.
//!
//! A tile that lies in one long row needs no shared memory if the operator commutes: its warps read their pieces where they are. Empty rows are row ends
//! without elements, and cost what an element costs. A masked point counts as the neutral element.

use super::super::Lowered;
use super::super::body::may_fail;
use super::super::build::Builder;
use super::super::expr::{
    add, and, binary, convert, eq, int, le, local, lt, max, min, mul, not, or, quot, select, sub,
};
use super::super::expr::{as_int, truth};
use super::super::host::Host;
use super::super::host_expr::{hadd, hint, hmul};
use super::ahead::each_ahead;
use super::block::{Combine, WARP, bits, is_first, lane, warp};
use super::corners::{Corners, Extent, GROUP, Shape, row_end};
use super::items::{self, Item, distance, plus, small};
use super::lanes;
use super::pieces::{Pieces, Places, has_long_rows};
use super::reduce::take;
use super::results::Results;
use super::staged::Staged;
use super::tiles::{Cut, define_in_row, define_point, needs_indices, zeros};
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::flat::{Descriptor, Op, Operator};
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Stmt};
use terrace_ir::{Atom, ValueId};

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
    if Combine::known_to_commute(operator)
        && let Some(long) = has_long_rows(host, op, &shape)
    {
        let flag = hadd(hint(1), hmul(long.clone(), hint(-1)));
        lanes::lower(host, op, binds, (operator, neutral, masked), results, (&shape, flag), span)?;
        if long == hint(0) {
            return Ok(());
        }
        tiles = hmul(tiles, long);
    }
    let corners = Corners::find(host, op, &shape, &tiles, span)?;
    let pieces = Pieces::new(host, op, binds, &shape, &types, &tiles, span)?;

    let name = host.kernel_name("reduce_rows", binds);
    let mut b = Builder::new(host, &name, shape.cut.block as u32, span);
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
            medium: b.array("medium", ScalarType::I16, shape.cut.size() as usize, true),
            large: b.array("large", ScalarType::I16, (shape.cut.size() / shape.medium) as usize, true),
            begun: b.array("begun", ScalarType::I16, shape.pieces() as usize, true),
            some: b.array("some", ScalarType::Bool, 2, true),
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
    /// By row: the length of its last segment if that is of medium length, negative for a piece; else 0.
    medium: ArrayId,
    /// By position: the row of which a segment for a warp begins here.
    large: ArrayId,
    /// By position: the long row that begins here.
    begun: ArrayId,
    /// Whether there are segments for groups of lanes; for warps.
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
        let cut = Cut { block: WARP, items: (piece + WARP - 1) / WARP };
        b.for_("base", int(0), int(self.shape.pieces()), int(self.shape.cut.block / WARP), false, |b, base| {
            let from = b.let_("start", ScalarType::I64, mul(add(base, warp), int(piece)));
            let first = b.let_("piece", ScalarType::I64, add(self.first.clone(), from.clone()));
            let left = max(min(sub(self.length.clone(), from), int(piece)), int(0));
            let left = b.let_("left_here", ScalarType::I64, left);
            let acc = self.combine.vars(b, "acc", &self.combine.neutral);
            items::each_by(
                b,
                self.op,
                cut,
                &lane,
                (&first, &left),
                |b, _, q| self.define_in(b, int(0), q),
                |_, _| Ok(()),
                |b, item, results| {
                    let counts = and(item.inside.clone(), item.ok.clone());
                    b.when(counts, |b| take(b, self.combine, &acc, results, self.masked))
                },
            )?;
            self.combine.fold_lanes_of(b, &acc, WARP)?;
            b.when(and(eq(lane, int(0)), lt(int(0), left)), |b| {
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
        b.when(self.has(0), |b| self.by_groups(b, &values))?;
        b.when(self.has(1), |b| self.by_warps(b, &values))
    }

    fn element(&self, array: ArrayId, at: Expr) -> Expr {
        convert(ScalarType::I32, Expr::Element(array, Box::new(at)))
    }

    fn has(&self, what: i64) -> Expr {
        Expr::Element(self.some, Box::new(int(what)))
    }

    fn clear(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let none = || convert(ScalarType::I16, small(-1));
        let slots = self.shape.cut.size() / self.shape.medium;
        b.for_("s", Expr::Thread, int(slots), int(self.shape.cut.block), false, |b, s| {
            b.emit(Stmt::SetElement(self.large, s, none()));
            Ok(())
        })?;
        b.when(lt(Expr::Thread, int(self.shape.pieces())), |b| {
            b.emit(Stmt::SetElement(self.begun, Expr::Thread, none()));
            Ok(())
        })?;
        b.when(is_first(), |b| {
            b.emit(Stmt::SetElement(self.some, int(0), truth(false)));
            b.emit(Stmt::SetElement(self.some, int(1), truth(false)));
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
            b.emit(Stmt::SetElement(self.ends, add(r, int(1)), convert(ScalarType::I16, end)));
            Ok(())
        };
        let count = wide(self.rows.clone());
        let mut from = Expr::Thread;
        if let Some(end) = own {
            b.when(lt(Expr::Thread, count.clone()), |b| put(b, Expr::Thread, end))?;
            from = add(Expr::Thread, int(self.shape.cut.block));
        }
        b.for_("r", from, count, int(self.shape.cut.block), false, |b, r| {
            let row = b.let_("row", ScalarType::I64, add(self.first_row.clone(), r.clone()));
            let end = row_end(b, self.op, self.extent, row)?;
            put(b, r, end)
        })
    }

    /// Computes the body at every element; results lie in shared memory, by position in the tile.
    fn stage(&self, b: &mut Builder<'_>) -> Lowered<Vec<ArrayId>> {
        let size = self.shape.cut.size() as usize;
        let arrays: Vec<ArrayId> = self.staged.types.iter().map(|ty| b.array("value", *ty, size, true)).collect();
        let put = |b: &mut Builder<'_>, item: &Item, values: Vec<Expr>| {
            for (array, e) in arrays.iter().zip(values) {
                b.emit(Stmt::SetElement(*array, item.slot.clone(), e));
            }
            Ok(())
        };
        // Where only what was read is staged, there are no checks, and a masked element is left out later.
        let (neutral, masked) = match self.staged.rest {
            Some(_) => (zeros(&self.staged.types), false),
            None => (self.combine.neutral.clone(), self.masked),
        };
        let missed = |b: &mut Builder<'_>, item: &Item| put(b, item, neutral.clone());
        let take = |b: &mut Builder<'_>, item: &Item, results: Vec<Expr>| {
            let mut results = results.into_iter();
            let mut keep = item.ok.clone();
            if masked {
                keep = and(keep, results.next().unwrap_or_else(|| truth(false)));
            }
            let keep = b.let_("keep", ScalarType::Bool, keep);
            put(b, item, results.zip(&neutral).map(|(e, n)| chosen(&keep, e, n.clone())).collect())
        };
        let (op, range) = (&self.staged.op, (&self.first, &self.length));
        let define = |b: &mut Builder<'_>, at: Expr, q: Expr| self.define_point(b, at, q);
        if needs_indices(b, self.op) {
            items::each(b, op, self.shape.cut, range, define, missed, take)?;
        } else if may_fail(&op.body) {
            each_ahead(b, op, self.shape.cut, range, define, missed, take)?;
        } else {
            items::each_mostly(b, op, self.shape.cut, range, define, missed, take)?;
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
        let piece = small(self.shape.piece as i32);
        let block = int(self.shape.cut.block);
        b.for_("r", Expr::Thread, wide(self.rows.clone()), block, false, |b, r| {
            let i = b.let_("i", ScalarType::I32, convert(ScalarType::I32, r));
            let (from, to, long) = self.row(b, &i);
            let start = b.var("start", ScalarType::I32, from.clone());
            b.when(long.clone(), |b| {
                let before = binary(BinOp::Div, minus(minus(to.clone(), from.clone()), small(1)), piece.clone());
                b.set(start, plus(from.clone(), binary(BinOp::Mul, before, piece.clone())));
                b.for_("s", wide(from.clone()), wide(local(start)), int(self.shape.piece), false, |b, s| {
                    self.note(b, s, &i);
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
            let is_short = b.let_("is_short", ScalarType::Bool, le(length.clone(), small(self.shape.short as i32)));
            let is_medium = and(not(is_short.clone()), le(length.clone(), small(self.shape.medium as i32)));
            let is_medium = b.let_("is_medium", ScalarType::Bool, is_medium);
            let word = chosen(&long, minus(small(0), length.clone()), length.clone());
            let word = select(is_medium.clone(), word, small(0));
            b.emit(Stmt::SetElement(self.medium, wide(i.clone()), convert(ScalarType::I16, word)));
            b.if_(
                is_short,
                |b| {
                    let acc = self.combine.vars(b, "acc", &self.combine.neutral);
                    self.push_all(b, &acc, values, (local(start), to, 1))?;
                    self.store(b, &acc, &i, local(start), length.clone(), long)
                },
                |b| {
                    b.if_(
                        is_medium,
                        |b| {
                            b.emit(Stmt::SetElement(self.some, int(0), truth(true)));
                            Ok(())
                        },
                        |b| {
                            self.note(b, wide(local(start)), &i);
                            Ok(())
                        },
                    )
                },
            )
        })
    }

    /// A segment for a warp begins here.
    fn note(&self, b: &mut Builder<'_>, at: Expr, row: &Expr) {
        let slot = quot(at, int(self.shape.medium));
        b.emit(Stmt::SetElement(self.large, slot, convert(ScalarType::I16, row.clone())));
        b.emit(Stmt::SetElement(self.some, int(1), truth(true)));
    }

    /// Elements from one on, a step apart.
    fn push_all(
        &self,
        b: &mut Builder<'_>,
        acc: &[LocalId],
        values: &[ArrayId],
        (from, to, step): (Expr, Expr, i64),
    ) -> Lowered<()> {
        let k = b.var("k", ScalarType::I32, from);
        let to = b.let_("end", ScalarType::I32, to);
        b.while_(lt(local(k), to), |b| {
            self.push(b, acc, values, wide(local(k)))?;
            b.set(k, plus(local(k), small(step as i32)));
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
        let mut var = |name: &str, ty: ScalarType| b.var(name, ty, super::super::build::zero(ty));
        Segment {
            row: var("i", ScalarType::I32),
            from: var("start", ScalarType::I32),
            length: var("length", ScalarType::I32),
            is_piece: var("is_piece", ScalarType::Bool),
        }
    }

    /// Eight lanes per segment of medium length.
    fn by_groups(&self, b: &mut Builder<'_>, values: &[ArrayId]) -> Lowered<()> {
        let groups = self.shape.cut.block / GROUP;
        let lane = b.let_("lane", ScalarType::I32, convert(ScalarType::I32, bits(Expr::Thread, int(GROUP - 1))));
        let group = b.let_("group", ScalarType::I64, quot(Expr::Thread, int(GROUP)));
        b.for_("base", int(0), wide(self.rows.clone()), int(groups), false, |b, base| {
            let segment = self.segment(b);
            let is_mine = b.var("is_mine", ScalarType::Bool, truth(false));
            let i = b.let_("row", ScalarType::I32, convert(ScalarType::I32, add(base, group)));
            let acc = self.combine.vars(b, "acc", &self.combine.neutral);
            b.when(lt(i.clone(), self.rows.clone()), |b| {
                let word = b.let_("word", ScalarType::I32, self.element(self.medium, wide(i.clone())));
                let to = self.element(self.ends, wide(plus(i.clone(), small(1))));
                let length = max(word.clone(), minus(small(0), word.clone()));
                b.set(segment.row, i.clone());
                b.set(segment.length, length);
                b.set(segment.from, minus(to, local(segment.length)));
                b.set(segment.is_piece, lt(word, small(0)));
                b.set(is_mine, lt(small(0), local(segment.length)));
                b.when(local(is_mine), |b| self.lanes(b, &acc, values, &segment, &lane, GROUP))
            })?;
            self.combine.fold_lanes_of(b, &acc, GROUP)?;
            b.when(and(local(is_mine), eq(lane, small(0))), |b| self.store_segment(b, &acc, &segment))
        })
    }

    /// A warp per segment that is longer.
    fn by_warps(&self, b: &mut Builder<'_>, values: &[ArrayId]) -> Lowered<()> {
        let (medium, piece) = (self.shape.medium, small(self.shape.piece as i32));
        let (lane, warp) = (lane(b), warp(b));
        let lane = b.let_("lane_of", ScalarType::I32, convert(ScalarType::I32, lane));
        let slots = self.shape.cut.size() / medium;
        b.for_("base", int(0), int(slots), int(self.shape.cut.block / WARP), false, |b, base| {
            let segment = self.segment(b);
            let slot = b.let_("slot", ScalarType::I64, add(base, warp));
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
        self.push_all(b, acc, values, (from, to, step))
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
