//! Short rows of one length, side by side.
//!
//! A window of five or thirty weights has too few elements to fill vectors, and each row ends with the combination of its lanes. But there are as many
//! windows as cells, and the next one reads the next elements. So neighbouring rows are the lanes, and the loop over the elements of a row is the outer one:
//!
//! ```text
//! for p { for k { total = total + w[k] * x[p + k] } out[p] = total }
//!
//! for block of 256 points { for k { for l { back[l] = back[l] + w[k] * x[p + l + k] } } for l { out[p + l] = back[l] } }
//! ```
//!
//! Every row is combined as [`crate::lower::kernels::reduce`] says, so its bits are those it has alone: the lanes of a row are rows of a table, of which each column
//! belongs to a point.
//!
//! ```text
//! for c by L { for t in 0 .. L { for l { lane[t][l] = lane[t][l] + w[c + t] * x[p + l + c + t] } } }       then lane[t] + lane[t + L/2], …
//! ```
//!
//! What is the same for all points of the block is computed before the innermost loop, once for each `k`: so is the row that an index beyond a border goes
//! back to. The rest of the loop is split at its own borders ([`crate::lower::kernels::borders`]).
//!
//! The rows are those of a reduction over several dimensions, or the points of a map that reduces at each point ([`Inner`]). A row of more than a block is reduced
//! so where its elements lie across memory, as in a column of a matrix, which by itself would take a line of the cache for each: block after block, each
//! added to the totals of all points. Few long columns are cut into blocks for several threads ([`super::columns`]).
//!
//! Declined: loops that read anything but one element for all points or neighbouring ones; bodies with checks, masks or branches; tuples; rows of a few elements
//! whose number is known, which are written out; and, when the program runs, fewer points in a row than are worth it, and rows of more than one block that lie
//! along memory.

use crate::analysis::places::{minus, places};
use crate::lower::kernels::Lowered;
use crate::lower::kernels::body::{is_checked_scalars, may_fail};
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, and, binary, int, le, local, lt, min, mul, quot, sub};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::limit;
use crate::lower::kernels::points::{Point, Run};
use crate::lower::kernels::reduce::{Reduction, element};
use crate::lower::kernels::sequential::store_point;
use crate::lower::kernels::tidy::own_exprs;
use std::collections::BTreeSet;
use terrace_algebra::Size;
use terrace_base::{BinOp, ScalarType};
use terrace_ir::flat::{Body, Descriptor, Expr as FlatExpr, Op, OpKind, Stmt as FlatStmt};
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Stmt};
use terrace_ir::{Atom, ValueId, size_var};

/// A body with more statements is not written out once more.
const SMALL_BODY: usize = 24;

/// Points of a block: so many that what is done once per block costs little, and so few that their table stays in the cache.
const BLOCK: i64 = 256;

/// Rows of one length that can be reduced side by side.
pub(super) struct Neighbours<'o> {
    /// Of whose space the points are.
    op: &'o Op,
    inner: Option<&'o Inner<'o>>,
    combine: BinOp,
    neutral: Expr,
    ty: ScalarType,
    /// The lanes of a row; one where any order will do.
    lanes: i64,
    /// The longest row.
    most: i64,
    length: Expr,
    /// Points of a block.
    points: i64,
    /// Whether the elements of a row lie across memory.
    across: bool,
}

/// Writes the result of the row at a position.
type Store<'s> = &'s dyn Fn(&mut Builder<'_>, Expr, Expr) -> Lowered<()>;

/// What some elements combine to, for each point: those of whole groups, and the rest.
struct Part {
    lanes: Option<ArrayId>,
    back: ArrayId,
}

impl Part {
    fn at(&self, combine: BinOp, l: &Expr) -> Expr {
        let back = element(self.back, l.clone());
        match self.lanes {
            Some(lanes) => binary(combine, element(lanes, l.clone()), back),
            None => back,
        }
    }
}

/// What a map does at each point, where it is a reduction with scalars around.
pub(super) struct Inner<'o> {
    /// Before the reduction.
    pub before: Body,
    /// The reduction.
    pub op: &'o Op,
    /// What it gives.
    pub total: ValueId,
    /// Behind it.
    pub after: Body,
    /// The number of its elements, which is known before.
    pub length: Atom,
}

impl<'o> Inner<'o> {
    /// The parts of a map's body.
    pub(super) fn of(op: &'o Op, binds: &[ValueId], host: &Host<'_>) -> Option<Inner<'o>> {
        let at = op.body.stmts.iter().position(|s| matches!(s.expr, FlatExpr::Op(_)))?;
        let FlatStmt { binds: totals, expr: FlatExpr::Op(inner), .. } = &op.body.stmts[at] else { return None };
        let ([total], [Descriptor::Regular(length)]) = (totals.as_slice(), inner.space.as_slice()) else { return None };
        let part = |stmts: &[FlatStmt], results: &[Atom]| Body { stmts: stmts.to_vec(), results: results.to_vec() };
        let before = part(&op.body.stmts[..at], &[]);
        let after = part(&op.body.stmts[at + 1..], &op.body.results);
        let scalars = |body: &Body| is_checked_scalars(body) && !may_fail(body);
        let types = &host.function.values;
        let whole = length.var().is_none_or(|v| types[v].ty.elem() == Some(ScalarType::I64));
        // The rows have one length: it is not bound at the point, nor is it where the point is.
        let of_point = |v| op.indices.contains(&v) || op.positions.contains(&v);
        let bound = |v| of_point(v) || before.stmts.iter().any(|s| s.binds.contains(&v));
        let outside = length.var().is_none_or(|v| !bound(v));
        let results = op.body.results.iter().all(|r| r.var().is_none_or(|v| !types[v].ty.is_column()));
        let is_map = matches!(op.kind, OpKind::Map { rows: None }) && results && binds.len() == op.body.results.len();
        let small = op.body.stmts.len() <= SMALL_BODY;
        let fits = is_map && small && whole && outside && scalars(&before) && scalars(&after);
        fits.then_some(Inner { before, op: inner, total: *total, after, length: *length })
    }
}

/// Some points side by side.
struct Block<'r> {
    run: &'r Run,
    /// The position of the first one.
    position: Expr,
    /// Its index in its row.
    index: Expr,
    /// How many there are.
    some: Expr,
}

/// Where lanes of all points are kept: an array, and where in it those of the first point are.
type Kept = (ArrayId, Expr);

impl<'o> Neighbours<'o> {
    /// The rows of a reduction; what is known before their loop is written.
    pub(super) fn of(
        b: &mut Builder<'_>,
        op: &'o Op,
        reduction: &Reduction<'_>,
        length: &Expr,
    ) -> Option<Neighbours<'o>> {
        Neighbours::new(b, (op, None), reduction, length, BLOCK)
    }

    /// The rows of a reduction, so many at a time.
    pub(super) fn of_columns(
        b: &mut Builder<'_>,
        op: &'o Op,
        reduction: &Reduction<'_>,
        length: &Expr,
        columns: i64,
    ) -> Option<Neighbours<'o>> {
        let neighbours = Neighbours::new(b, (op, None), reduction, length, columns)?;
        Some(Neighbours { points: columns, ..neighbours })
    }

    /// The points of a map.
    pub(super) fn of_map(b: &mut Builder<'_>, op: &'o Op, inner: &'o Inner<'o>) -> Lowered<Option<Neighbours<'o>>> {
        let Some(reduction) = Reduction::of(inner.op, None, false) else { return Ok(None) };
        let length = b.atom(&inner.length)?;
        Ok(Neighbours::new(b, (op, Some(inner)), &reduction, &length, BLOCK / 4))
    }

    fn new(
        b: &mut Builder<'_>,
        (op, inner): (&'o Op, Option<&'o Inner<'o>>),
        reduction: &Reduction<'_>,
        length: &Expr,
        block: i64,
    ) -> Option<Neighbours<'o>> {
        let body = &reduction.op.body;
        let is_simple = is_checked_scalars(body) && !may_fail(body) && body.stmts.len() <= SMALL_BODY;
        if !is_simple || reduction.masked || reduction.few_points(b, length).is_some() {
            return None;
        }
        let [ty] = *reduction.types(b).as_slice() else { return None };
        let combine = reduction.operator.as_binary()?;
        let lanes = match reduction.lanes(b) {
            Some((_, _, lanes)) => lanes,
            None if reduction.is_exact(b) => 1,
            None => return None,
        };
        let neutral = Expr::Const(reduction.neutral.first()?.constant()?);
        let most = reduction.block_size(b);
        let points = (b.host.tiles.cpu_tile as i64 / 64).clamp(2, block);
        let across = lies_across(reduction.op);
        Some(Neighbours { op, inner, combine, neutral, ty, lanes, most, length: length.clone(), points, across })
    }

    /// Whether there are enough points, and their rows are as they must be.
    pub(super) fn is_worth_it(&self, b: &Builder<'_>, run: &Run) -> Expr {
        let least = (b.host.tiles.cpu_tile as i64 / 256).min(self.points / 4).max(1);
        let enough = le(int(least), sub(run.to.clone(), run.from.clone()));
        let some = and(lt(int(0), self.length.clone()), enough);
        if self.lanes == 1 || self.across { some } else { and(some, le(self.length.clone(), int(self.most))) }
    }

    /// The statements for a run of points of a map; none if the loop is not such that it becomes vector code.
    pub(super) fn map(&self, b: &mut Builder<'_>, run: &Run, binds: &[ValueId]) -> Lowered<Option<Vec<Stmt>>> {
        let Some(inner) = self.inner else { return Ok(None) };
        self.together(b, run, &|b, p, value| {
            let index = b.let_("i", ScalarType::I64, sub(p.clone(), run.start.clone()));
            run.point(index, p.clone()).define(b, self.op);
            b.body(&inner.before, |_, _| Ok(()))?;
            let total = b.let_("total", self.ty, value);
            b.define(inner.total, total);
            b.body(&inner.after, |b, results| store_point(b, self.op, binds, p, results))
        })
    }

    /// The statements for a run; none if the loop is not such that it becomes vector code.
    pub(super) fn together(&self, b: &mut Builder<'_>, run: &Run, store: Store<'_>) -> Lowered<Option<Vec<Stmt>>> {
        let mut beside = true;
        let stmts = b.nested(|b| {
            b.for_("block", run.from.clone(), run.to.clone(), int(self.points), false, |b, position| {
                let some = min(sub(run.to.clone(), position.clone()), int(self.points));
                let some = b.let_("some", ScalarType::I64, some);
                let index = b.let_("first", ScalarType::I64, sub(position.clone(), run.start.clone()));
                beside = self.block(b, &Block { run, position, index, some }, store)?;
                Ok(())
            })
        })?;
        Ok(beside.then_some(stmts))
    }

    fn block(&self, b: &mut Builder<'_>, block: &Block<'_>, store: Store<'_>) -> Lowered<bool> {
        let whole = (int(0), self.length.clone());
        if self.lanes == 1 || !self.across {
            let (beside, part) = self.part(b, block, whole)?;
            self.for_lanes(b, block, |b, l| {
                let total = binary(self.combine, self.neutral.clone(), part.at(self.combine, &l));
                store(b, add(block.position.clone(), l), total)
            })?;
            return Ok(beside);
        }
        let total = b.array("total", self.ty, self.points as usize, false);
        self.fill(b, block, &(total, int(0)))?;
        let mut beside = true;
        b.for_("from", whole.0, whole.1, int(self.most), false, |b, from| {
            let to = min(add(from.clone(), int(self.most)), self.length.clone());
            let to = b.let_("stop", ScalarType::I64, to);
            let part;
            (beside, part) = self.part(b, block, (from, to))?;
            self.for_lanes(b, block, |b, l| {
                let sum = binary(self.combine, element(total, l.clone()), part.at(self.combine, &l));
                b.emit(Stmt::SetElement(total, l, sum));
                Ok(())
            })
        })?;
        self.for_lanes(b, block, |b, l| store(b, add(block.position.clone(), l.clone()), element(total, l)))?;
        Ok(beside)
    }

    /// What the elements of a range, which all lie in one block of the row, combine to: for the points of a part of a run, of which there are at most
    /// as many as a block has. None if the loop is not such that it becomes vector code.
    pub(super) fn parts(
        &self,
        b: &mut Builder<'_>,
        run: &Run,
        range: (Expr, Expr),
        store: Store<'_>,
    ) -> Lowered<Option<Vec<Stmt>>> {
        let mut beside = true;
        let stmts = b.nested(|b| {
            let some = b.let_("some", ScalarType::I64, sub(run.to.clone(), run.from.clone()));
            let index = b.let_("first", ScalarType::I64, sub(run.from.clone(), run.start.clone()));
            let block = Block { run, position: run.from.clone(), index, some };
            let part;
            (beside, part) = self.part(b, &block, range)?;
            self.for_lanes(b, &block, |b, l| {
                let value = part.at(self.combine, &l);
                store(b, add(block.position.clone(), l), value)
            })
        })?;
        Ok(beside.then_some(stmts))
    }

    /// Combines the elements of a range, which all lie in one block of the row, for each point of a block.
    fn part(&self, b: &mut Builder<'_>, block: &Block<'_>, (from, to): (Expr, Expr)) -> Lowered<(bool, Part)> {
        let back = b.array("back", self.ty, self.points as usize, false);
        self.fill(b, block, &(back, int(0)))?;
        if self.lanes == 1 {
            let beside = self.elements(b, block, (from, to), &(back, int(0)))?;
            return Ok((beside, Part { lanes: None, back }));
        }
        let lanes = b.array("lane", self.ty, (self.lanes * self.points) as usize, false);
        let groups = mul(quot(sub(to.clone(), from.clone()), int(self.lanes)), int(self.lanes));
        let whole = b.let_("groups", ScalarType::I64, add(from.clone(), groups));
        self.fill(b, block, &(lanes, int(0)))?;
        let mut beside = true;
        b.when(lt(from.clone(), whole.clone()), |b| {
            beside = self.groups(b, block, (from, whole.clone()), lanes)?;
            Ok(())
        })?;
        beside &= self.elements(b, block, (whole, to), &(back, int(0)))?;
        Ok((beside, Part { lanes: Some(lanes), back }))
    }

    /// The elements of all whole groups, into the lanes of their rows; then the lanes of each row together, into the first.
    fn groups(&self, b: &mut Builder<'_>, block: &Block<'_>, whole: (Expr, Expr), lanes: ArrayId) -> Lowered<bool> {
        let at = |b: &mut Builder<'_>, t: Expr| b.let_("row", ScalarType::I64, mul(t, int(self.points)));
        b.for_("t", int(1), int(self.lanes), int(1), false, |b, t| {
            let row = at(b, t);
            self.fill(b, block, &(lanes, row))
        })?;
        let mut beside = true;
        b.for_("c", whole.0, whole.1, int(self.lanes), false, |b, c| {
            b.for_("t", int(0), int(self.lanes), int(1), false, |b, t| {
                let row = at(b, t.clone());
                let k = b.let_("k", ScalarType::I64, add(c, t));
                beside = self.element(b, block, k, &(lanes, row))?;
                Ok(())
            })
        })?;
        let mut half = self.lanes / 2;
        while half > 0 {
            b.for_("t", int(0), int(half), int(1), false, |b, t| {
                let (one, other) = (at(b, t.clone()), add(t, int(half)));
                let other = at(b, other);
                self.for_lanes(b, block, |b, l| {
                    let to = add(one, l.clone());
                    let sum = binary(self.combine, element(lanes, to.clone()), element(lanes, add(other, l)));
                    b.emit(Stmt::SetElement(lanes, to, sum));
                    Ok(())
                })
            })?;
            half /= 2;
        }
        Ok(beside)
    }

    fn elements(&self, b: &mut Builder<'_>, block: &Block<'_>, range: (Expr, Expr), into: &Kept) -> Lowered<bool> {
        let mut beside = true;
        b.for_("k", range.0, range.1, int(1), false, |b, k| {
            beside = self.element(b, block, k, into)?;
            Ok(())
        })?;
        Ok(beside)
    }

    /// Element `k` of the row of each point.
    fn element(&self, b: &mut Builder<'_>, block: &Block<'_>, k: Expr, into: &Kept) -> Lowered<bool> {
        let lane = b.local("l", ScalarType::I64);
        let body = b.nested(|b| {
            let index = b.let_("i", ScalarType::I64, add(block.index.clone(), local(lane)));
            let position = b.let_("p", ScalarType::I64, add(block.position.clone(), local(lane)));
            let body = match self.inner {
                Some(inner) => {
                    block.run.point(index, position).define(b, self.op);
                    b.body(&inner.before, |_, _| Ok(()))?;
                    let point = Point { indices: vec![k.clone()], positions: vec![k] };
                    point.define(b, inner.op);
                    &inner.op.body
                }
                None => {
                    let start = mul(position.clone(), self.length.clone());
                    let q = b.let_("q", ScalarType::I64, add(start, k.clone()));
                    let mut point = block.run.point(index, position);
                    point.indices.push(k);
                    point.positions.push(q);
                    point.define(b, self.op);
                    &self.op.body
                }
            };
            b.body(body, |b, values| {
                let [value] = values.as_slice() else { return Err(limit(b.span(), "this reduction")) };
                let at = add(into.1.clone(), local(lane));
                let sum = binary(self.combine, element(into.0, at.clone()), value.clone());
                b.emit(Stmt::SetElement(into.0, at, sum));
                Ok(())
            })
        })?;
        let (same, own) = apart(body, lane);
        same.into_iter().for_each(|s| b.emit(s));
        Ok(b.for_neighbours(lane, block.some.clone(), own))
    }

    fn for_lanes<'h>(
        &self,
        b: &mut Builder<'h>,
        block: &Block<'_>,
        f: impl FnOnce(&mut Builder<'h>, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        b.for_("l", int(0), block.some.clone(), int(1), true, f)
    }

    fn fill(&self, b: &mut Builder<'_>, block: &Block<'_>, kept: &Kept) -> Lowered<()> {
        self.for_lanes(b, block, |b, l| {
            b.emit(Stmt::SetElement(kept.0, add(kept.1.clone(), l), self.neutral.clone()));
            Ok(())
        })
    }
}

/// Whether the elements of a row lie anywhere else than beside each other: a step apart, or where other elements say. An index that a border holds back
/// goes on by one elsewhere.
pub(super) fn lies_across(op: &Op) -> bool {
    let Some(index) = op.indices.last().map(|v| size_var(*v)) else { return false };
    op.body.stmts.iter().any(|s| {
        let FlatExpr::Read { at, .. } = &s.expr else { return false };
        let Some(place) = places(op, at) else { return is_looked_up(&op.body, at) };
        let at = |n: i64| place.substitute(index, &Size::constant(n));
        !matches!(minus(&at(1), &at(0)).and_then(|step| step.as_constant()), Some(0 | 1))
    })
}

fn is_looked_up(body: &Body, at: &Atom) -> bool {
    let bound = at.var().and_then(|v| body.stmts.iter().find(|s| s.binds.contains(&v)));
    bound.is_some_and(|s| {
        matches!(s.expr, FlatExpr::Read { .. }) || s.expr.operands().into_iter().any(|v| is_looked_up(body, &v.into()))
    })
}

/// The statements that are the same in all lanes, and the others that something needs.
fn apart(body: Vec<Stmt>, lane: LocalId) -> (Vec<Stmt>, Vec<Stmt>) {
    let mut varies = BTreeSet::from([lane]);
    let (mut same, mut own) = (Vec::new(), Vec::new());
    for stmt in body {
        match &stmt {
            Stmt::Let(_, e) if !depends(e, &varies) => same.push(stmt),
            Stmt::Let(v, _) => {
                varies.insert(*v);
                own.push(stmt);
            }
            _ => own.push(stmt),
        }
    }
    let mut needed = BTreeSet::new();
    let mut kept = Vec::new();
    for stmt in own.into_iter().rev() {
        if !matches!(&stmt, Stmt::Let(v, _) if !needed.contains(v)) {
            own_exprs(&stmt).into_iter().for_each(|e| mentioned(e, &mut needed));
            kept.push(stmt);
        }
    }
    kept.reverse();
    (same, kept)
}

/// Whether the value may differ between lanes.
fn depends(e: &Expr, varies: &BTreeSet<LocalId>) -> bool {
    match e {
        Expr::Local(v) => varies.contains(v),
        Expr::Element(..) | Expr::LoadFresh(..) | Expr::Shuffle(..) => true,
        e => e.children().into_iter().any(|c| depends(c, varies)),
    }
}

fn mentioned(e: &Expr, out: &mut BTreeSet<LocalId>) {
    if let Expr::Local(v) = e {
        out.insert(*v);
    }
    e.children().into_iter().for_each(|c| mentioned(c, out));
}
