//! Maps without control flow over points that are only numbered: a thread has neighbours, so that it loads and stores 16 bytes at a time.
//!
//! ```text
//! block of 256 threads, 16 items:   q = tile * 4096 + round * 1024 + thread * 4 + lane
//!
//! x0 = xs[q]; x1 = xs[q + 1]; …     one load          y0 = …; y1 = …; y2 = …; y3 = …      ys[q] = y0; ys[q + 1] = y1; …     one store
//! ```
//!
//! Reads at the point itself, of columns that begin with their buffer, are wide loads before everything else; so are the stores after it. A function such as
//! `log` has a branch for rare arguments, which no load moves across. So everything up to the last read is written for all lanes of a round, statement by
//! statement, then the rest, lane by lane.
//!
//! A tile that is not whole goes point by point. Checks are only remembered, as in [`super::items`], and where one has failed the thread
//! goes through its points again, with checks that report.

use super::super::Lowered;
use super::super::body::may_fail;
use super::super::build::Builder;
use super::super::expr::{add, and, eq, int, local, lt, mul, not, truth};
use super::super::reduce::element;
use super::items::{is_straight, masked_stmt};
use super::map::store_scalars;
use super::strips::begins_its_buffer;
use super::tiles::{Cut, define_point, needs_indices};
use terrace_base::ScalarType;
use terrace_ir::flat::{Expr as FlatExpr, Op};
use terrace_ir::kernel::{ArrayId, Expr, Stmt};
use terrace_ir::{Atom, ValueId};

/// Neighbours of a thread, at most.
const LANES: i64 = 4;

/// The most elements that a thread asks for before it computes.
const AHEAD: i64 = 32;

/// Whether a map is for this.
pub(super) fn is_for(b: &Builder<'_>, op: &Op) -> bool {
    let reads = op.body.stmts.iter().any(|s| matches!(s.expr, FlatExpr::Read { .. }));
    reads && is_straight(&op.body) && !needs_indices(b, op)
}

/// A tile of `left` points from `base` on.
pub(super) fn tile(
    b: &mut Builder<'_>,
    op: &Op,
    binds: &[ValueId],
    cut: Cut,
    (base, left): (&Expr, &Expr),
) -> Lowered<()> {
    // A power of two, so that loads of as many or fewer elements are whole and aligned.
    let lanes = [LANES, 2].into_iter().find(|lanes| cut.items % lanes == 0).unwrap_or(1);
    let one_by_one = |b: &mut Builder<'_>, stores: bool| {
        b.for_("item", int(0), int(cut.items), int(1), false, |b, item| {
            // The same points as below.
            let (round, lane) = (quot_of(&item, lanes), rem_of(&item, lanes));
            let own = add(mul(add(mul(round, int(cut.block)), Expr::Thread), int(lanes)), lane);
            let slot = b.let_("slot", ScalarType::I64, own);
            b.when(lt(slot.clone(), left.clone()), |b| {
                let q = b.let_("q", ScalarType::I64, add(base.clone(), slot));
                define_point(b, op, q.clone(), int(0), int(1))?;
                b.body(&op.body, |b, results| if stores { store_scalars(b, op, binds, q, results) } else { Ok(()) })
            })
        })
    };
    let whole = eq(left.clone(), int(cut.size()));
    let together = |b: &mut Builder<'_>| {
        let fine = may_fail(&op.body).then(|| b.var("fine", ScalarType::Bool, truth(true)));
        let reads = op.body.stmts.iter().filter(|s| matches!(s.expr, FlatExpr::Read { .. })).count() as i64;
        let rounds = cut.items / lanes;
        let at_once = (1..=rounds).rev().find(|n| rounds % n == 0 && n * reads * lanes <= AHEAD).unwrap_or(1);
        b.for_("round", int(0), int(rounds), int(at_once), true, |b, round| {
            let mut loaded = Vec::new();
            for r in 0..at_once {
                let slot = mul(add(mul(add(round.clone(), int(r)), int(cut.block)), Expr::Thread), int(lanes));
                let first = b.let_("q", ScalarType::I64, add(base.clone(), slot));
                let columns = load(b, op, &first, lanes as usize)?;
                loaded.push((first, columns));
            }
            for (first, columns) in loaded {
                let places: Vec<Expr> = (0..lanes).map(|l| add(first.clone(), int(l))).collect();
                let all = side_by_side(b, op, &places, &columns)?;
                let Some(fine) = fine else {
                    store(b, op, binds, &first, all)?;
                    continue;
                };
                let every = all.iter().map(|(ok, _)| ok.clone()).reduce(and).unwrap_or_else(|| truth(true));
                let every = b.let_("every", ScalarType::Bool, every);
                b.set(fine, and(local(fine), every.clone()));
                b.if_(
                    every,
                    |b| store(b, op, binds, &first, all.clone()),
                    |b| {
                        places.iter().zip(all.clone()).try_for_each(|(q, (ok, results))| {
                            b.when(ok, |b| store_scalars(b, op, binds, q.clone(), results))
                        })
                    },
                )?;
            }
            Ok(())
        })?;
        match fine {
            Some(fine) => b.when(not(local(fine)), |b| one_by_one(b, false)),
            None => Ok(()),
        }
    };
    b.if_(whole, together, |b| one_by_one(b, true))
}

fn quot_of(item: &Expr, lanes: i64) -> Expr {
    super::super::expr::quot(item.clone(), int(lanes))
}

fn rem_of(item: &Expr, lanes: i64) -> Expr {
    super::super::expr::sub(item.clone(), mul(quot_of(item, lanes), int(lanes)))
}

/// The body at several points: whether its checks hold, and its results if they do.
fn side_by_side(
    b: &mut Builder<'_>,
    op: &Op,
    places: &[Expr],
    loaded: &[(usize, ArrayId)],
) -> Lowered<Vec<(Expr, Vec<Expr>)>> {
    let stmts = &op.body.stmts;
    let reads = |e: &FlatExpr| matches!(e, FlatExpr::Read { .. });
    let upto = stmts.iter().rposition(|s| reads(&s.expr)).map_or(0, |last| last + 1);
    let (before, after) = stmts.split_at(upto);
    let mut lanes: Vec<Lane> = places.iter().map(|q| Lane { q: q.clone(), known: Vec::new(), ok: None }).collect();
    for (i, stmt) in before.iter().enumerate() {
        let array = loaded.iter().find(|(read, _)| *read == i).map(|(_, array)| *array);
        for (l, lane) in lanes.iter_mut().enumerate() {
            lane.enter(b, op)?;
            match (array, stmt.binds.as_slice()) {
                (Some(array), [v]) => {
                    let ty = b.elem(*v);
                    let x = b.let_("x", ty, element(array, int(l as i64)));
                    b.define(*v, x);
                }
                _ => masked_stmt(b, stmt, &mut lane.ok)?,
            }
            for v in &stmt.binds {
                lane.known.push((*v, b.value(*v)?));
            }
        }
    }
    let mut out = Vec::new();
    for mut lane in lanes {
        lane.enter(b, op)?;
        for stmt in after {
            masked_stmt(b, stmt, &mut lane.ok)?;
        }
        let mut results = Vec::new();
        for a in &op.body.results {
            results.push(b.atom(a)?);
        }
        out.push((lane.ok.unwrap_or_else(|| truth(true)), results));
    }
    Ok(out)
}

/// How many elements one load or store has, at most.
fn count(ty: ScalarType, lanes: usize) -> usize {
    (16 / ty.size_bytes()).min(lanes)
}

/// The reads at the point itself that come before all checks: by which statement, and where the elements of the lanes are.
pub(super) fn load(b: &mut Builder<'_>, op: &Op, first: &Expr, lanes: usize) -> Lowered<Vec<(usize, ArrayId)>> {
    let mut out = Vec::new();
    for (i, stmt) in op.body.stmts.iter().enumerate() {
        let (column, v) = match &stmt.expr {
            FlatExpr::Check { .. } => break,
            FlatExpr::Read { column, at: Atom::Var(v) } => (*column, v),
            _ => continue,
        };
        let is_point = op.positions.last() == Some(v) || op.space.len() == 1 && op.indices.first() == Some(v);
        if lanes < 2 || !is_point || !begins_its_buffer(b, column) {
            continue;
        }
        let ty = b.elem(column);
        let array = b.array("loaded", ty, lanes, false);
        let Expr::Load(buffer, _) = b.load(column, int(0))? else { continue };
        for from in (0..lanes).step_by(count(ty, lanes)) {
            let (into, at) = (int(from as i64), add(first.clone(), int(from as i64)));
            b.emit(Stmt::LoadWide { array, into, buffer, at, count: count(ty, lanes) });
        }
        out.push((i, array));
    }
    Ok(out)
}

/// Writes the scalar results of all lanes.
fn store(b: &mut Builder<'_>, op: &Op, binds: &[ValueId], first: &Expr, all: Vec<(Expr, Vec<Expr>)>) -> Lowered<()> {
    let lanes = all.len();
    for (k, v) in binds.iter().enumerate() {
        if op.body.results[k].var().is_some_and(|r| b.is_column(r)) {
            continue;
        }
        let values = all.iter().map(|(_, results)| results[k].clone()).enumerate();
        if lanes < 2 || !begins_its_buffer(b, *v) {
            values.into_iter().try_for_each(|(l, x)| b.store(*v, add(first.clone(), int(l as i64)), x))?;
            continue;
        }
        let ty = b.elem(*v);
        let array = b.array("stored", ty, lanes, false);
        values.for_each(|(l, x)| b.emit(Stmt::SetElement(array, int(l as i64), x)));
        for from in (0..lanes).step_by(count(ty, lanes)) {
            let from = int(from as i64);
            b.store_wide(*v, add(first.clone(), from.clone()), array, from, count(ty, lanes))?;
        }
    }
    Ok(())
}

/// One of the points of a round.
struct Lane {
    q: Expr,
    /// What its values are.
    known: Vec<(ValueId, Expr)>,
    /// Whether its checks have held so far.
    ok: Option<Expr>,
}

impl Lane {
    /// From here on values are those of this point.
    fn enter(&self, b: &mut Builder<'_>, op: &Op) -> Lowered<()> {
        define_point(b, op, self.q.clone(), int(0), int(1))?;
        self.known.iter().for_each(|(v, e)| b.define(*v, e.clone()));
        Ok(())
    }
}
