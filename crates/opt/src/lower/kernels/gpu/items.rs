//! The items of one thread, computed together: every load of every item is in flight before the first is needed.
//!
//! A thread takes `items` points, a block apart, so that neighbouring threads read neighbouring elements. Two things would keep
//! the compiler from asking for all of them at once: a test for the end of the tile around each, and a check that branches to
//! a call. Neither is needed in the common case:
//!
//! ```text
//! if q < n {                          q = first + min(slot, left - 1)      beyond the end: the last point once more
//!   j = cols[q]                       j = cols[q]
//!   check j < len                     ok = j < len                         only remembered
//!   if ok { r = v[j] }                r = ok ? v[j] : 0                    a predicated load, no branch
//! }                                   …
//!                                     if some item was not ok: go through the items again, with checks that report
//! ```
//!
//! The second walk finds the same failures at the same points, so what is reported does not change. What is done with the
//! results must stand a point that is computed twice, or test `slot < left`.
//!
//! Declined: bodies with branches, loops or operators of their own. Those run one point after the other.

use super::super::Lowered;
use super::super::body::{is_checked_scalars, is_scalar, may_fail};
use super::super::build::{Builder, zero};
use super::super::expr::{add, and, binary, convert, ge, int, le, local, lt, min, mul, not, select, sub, truth};
use super::super::steady::is_steady;
use super::map::{HEAVY_ITEMS, LIGHT_ITEMS};
use super::tiles::Cut;
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::Atom;
use terrace_ir::flat::{Body, Expr as FlatExpr, Op, Stmt as FlatStmt};
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Stmt};

/// Statements up to which a body is repeated for each of many items, and for each of a few.
const SHORT: usize = 40;
const LONG: usize = 120;

/// Items of a thread where the body is long.
const LONG_ITEMS: usize = 4;

/// Whether a body is a short list of scalar computations, loads and checks.
pub fn is_plain(body: &Body) -> bool {
    body.stmts.len() <= SHORT && is_checked_scalars(body)
}

/// Whether a body is a list of scalar computations, loads, checks and choices of which both sides can be computed.
pub fn is_straight(body: &Body) -> bool {
    let simple = |s: &FlatStmt| match &s.expr {
        FlatExpr::Check { .. } => true,
        FlatExpr::If { then, otherwise, .. } => [then, otherwise].iter().all(|b| is_steady(b, &|_| false)),
        e => is_scalar(e),
    };
    body.stmts.len() <= LONG && body.stmts.iter().all(simple)
}

/// How many points a thread takes: few where they may differ in cost, one where there are loops.
pub fn per_thread(body: &Body) -> usize {
    let loops = |s: &FlatStmt| matches!(s.expr, FlatExpr::Loop { .. } | FlatExpr::Op(_));
    match body {
        b if is_plain(b) => LIGHT_ITEMS,
        b if is_straight(b) => LONG_ITEMS,
        b if b.stmts.iter().any(loops) => 1,
        _ => HEAVY_ITEMS,
    }
}

/// An item inside the loop over items.
pub struct Item {
    /// Which one of its thread's, an `i64`.
    pub number: Expr,
    /// Its place in the tile, an `i64`.
    pub slot: Expr,
    /// Its position in the space.
    pub q: Expr,
    /// Whether it lies in the tile.
    pub inside: Expr,
    /// Whether all its checks have held.
    pub ok: Expr,
}

/// Computes the body at `left` points from `first` on (at most a tile of them) and hands results to `take`; `define` says
/// what the operator's indices are at a point, given its slot (an `i32`) and position. Where a check fails, `take` learns it
/// from the item, or is not run at all and `missed` has run before.
pub fn each<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    cut: Cut,
    range: (&Expr, &Expr),
    define: impl Fn(&mut Builder<'h>, Expr, Expr) -> Lowered<()>,
    missed: impl Fn(&mut Builder<'h>, &Item) -> Lowered<()>,
    take: impl Fn(&mut Builder<'h>, &Item, Vec<Expr>) -> Lowered<()>,
) -> Lowered<()> {
    each_by(b, op, cut, &Expr::Thread, range, define, missed, take)
}

/// The same, where `thread` says which of `cut.block` threads this is.
pub fn each_by<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    cut: Cut,
    thread: &Expr,
    (first, left): (&Expr, &Expr),
    define: impl Fn(&mut Builder<'h>, Expr, Expr) -> Lowered<()>,
    missed: impl Fn(&mut Builder<'h>, &Item) -> Lowered<()>,
    take: impl Fn(&mut Builder<'h>, &Item, Vec<Expr>) -> Lowered<()>,
) -> Lowered<()> {
    let left = b.let_("left", ScalarType::I32, convert(ScalarType::I32, left.clone()));
    let slot_of = |item: Expr| add(mul(item, int(cut.block)), thread.clone());
    if !is_straight(&op.body) {
        return b.for_("item", int(0), int(cut.items), int(1), false, |b, item| {
            let slot = b.let_("slot", ScalarType::I32, convert(ScalarType::I32, slot_of(item.clone())));
            b.when(lt(slot.clone(), left), |b| {
                let wide = convert(ScalarType::I64, slot.clone());
                let q = b.let_("q", ScalarType::I64, add(first.clone(), wide.clone()));
                define(b, slot, q.clone())?;
                let item = Item { number: item, slot: wide, q, inside: truth(true), ok: truth(true) };
                if may_fail(&op.body) {
                    missed(b, &item)?;
                }
                b.body(&op.body, |b, results| take(b, &item, results))
            })
        });
    }
    let checks = may_fail(&op.body);
    b.when(lt(small(0), left.clone()), |b| {
        let last = b.let_("last_slot", ScalarType::I32, binary(BinOp::Sub, left.clone(), small(1)));
        let fine = checks.then(|| b.var("fine", ScalarType::Bool, truth(true)));
        b.for_("item", int(0), int(cut.items), int(1), true, |b, item| {
            let slot = b.let_("slot", ScalarType::I32, convert(ScalarType::I32, slot_of(item.clone())));
            let at = b.let_("at", ScalarType::I32, min(slot.clone(), last.clone()));
            let q = b.let_("q", ScalarType::I64, add(first.clone(), convert(ScalarType::I64, at.clone())));
            define(b, at, q.clone())?;
            let (ok, results) = masked(b, &op.body, &[], None)?;
            if let Some(fine) = fine {
                b.set(fine, and(local(fine), ok.clone()));
            }
            let inside = lt(slot.clone(), left.clone());
            take(b, &Item { number: item, slot: convert(ScalarType::I64, slot), q, inside, ok }, results)
        })?;
        let Some(fine) = fine else { return Ok(()) };
        b.when(not(local(fine)), |b| {
            b.for_("item", int(0), int(cut.items), int(1), false, |b, item| {
                let slot = b.let_("slot", ScalarType::I32, convert(ScalarType::I32, slot_of(item)));
                b.when(lt(slot.clone(), left), |b| {
                    let q = add(first.clone(), convert(ScalarType::I64, slot.clone()));
                    let q = b.let_("q", ScalarType::I64, q);
                    define(b, slot, q)?;
                    b.body(&op.body, |_, _| Ok(()))
                })
            })
        })
    })
}

/// [`each`] for points that write where they say: the first result is a place, and where it is negative nothing is done. All items are
/// computed before the first one is `put` to its place, so that no load waits for a write. A place is held as a `place`.
pub fn each_put<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    cut: Cut,
    range: (&Expr, &Expr),
    place: ScalarType,
    define: impl Fn(&mut Builder<'h>, Expr, Expr) -> Lowered<()>,
    put: impl Fn(&mut Builder<'h>, Expr, Vec<Expr>) -> Lowered<()>,
) -> Lowered<()> {
    let none = if place == ScalarType::I64 { int(-1) } else { small(-1) };
    let held = |at: Expr| if place == ScalarType::I64 { at } else { convert(place, at) };
    let types: Vec<ScalarType> = op.body.results.iter().map(|a| b.atom_type(a)).collect();
    if !is_straight(&op.body) || types.is_empty() {
        return each(
            b,
            op,
            cut,
            range,
            define,
            |_, _| Ok(()),
            |b, _, mut results| {
                if results.is_empty() {
                    return Ok(());
                }
                let at = b.let_("at", ScalarType::I64, results.remove(0));
                b.when(ge(at.clone(), int(0)), |b| put(b, held(at), results))
            },
        );
    }
    let places = b.array("places", place, cut.items as usize, false);
    let values: Vec<Option<ArrayId>> = (op.body.results[1..].iter().zip(&types[1..]))
        .map(|(a, ty)| matches!(a, Atom::Var(_)).then(|| b.array("values", *ty, cut.items as usize, false)))
        .collect();
    let constant = |a: &Atom| if let Atom::Const(c) = a { Expr::Const(*c) } else { int(0) };
    let constants: Vec<Expr> = op.body.results[1..].iter().map(constant).collect();
    each(
        b,
        op,
        cut,
        range,
        define,
        |_, _| Ok(()),
        |b, item, mut results| {
            let at = b.let_("at", ScalarType::I64, results.remove(0));
            let at = select(and(item.inside.clone(), item.ok.clone()), held(at), none.clone());
            b.emit(Stmt::SetElement(places, item.number.clone(), at));
            for (array, x) in values.iter().zip(results) {
                if let Some(array) = array {
                    b.emit(Stmt::SetElement(*array, item.number.clone(), x));
                }
            }
            Ok(())
        },
    )?;
    b.for_("item", int(0), int(cut.items), int(1), true, |b, item| {
        let element = |array: ArrayId| Expr::Element(array, Box::new(item.clone()));
        let at = b.let_("at", place, element(places));
        b.when(le(zero(place), at.clone()), |b| {
            let values = values.iter().zip(&constants).map(|(a, c)| a.map_or(c.clone(), element)).collect();
            put(b, at, values)
        })
    })
}

/// A straight body without branches: whether its checks hold, and its results if they do. The values of some statements are known. Where
/// the point is not `here`, nothing is read.
pub(super) fn masked(
    b: &mut Builder<'_>,
    body: &Body,
    known: &[(usize, Expr)],
    here: Option<Expr>,
) -> Lowered<(Expr, Vec<Expr>)> {
    let mut ok = here;
    for (i, stmt) in body.stmts.iter().enumerate() {
        match (known.iter().find(|(n, _)| *n == i), stmt.binds.as_slice()) {
            (Some((_, e)), [v]) => b.define(*v, e.clone()),
            _ => masked_stmt(b, stmt, &mut ok)?,
        }
    }
    let mut results = Vec::new();
    for a in &body.results {
        results.push(b.atom(a)?);
    }
    Ok((ok.unwrap_or_else(|| truth(true)), results))
}

/// A statement of a straight body without branches; `ok` says whether all checks so far hold.
pub(super) fn masked_stmt(b: &mut Builder<'_>, stmt: &FlatStmt, ok: &mut Option<Expr>) -> Lowered<()> {
    if let FlatExpr::Check { cond, .. } = &stmt.expr {
        let cond = b.atom(cond)?;
        let both = match ok.take() {
            Some(ok) => and(ok, cond),
            None => cond,
        };
        *ok = Some(b.let_("ok", ScalarType::Bool, both));
        return Ok(());
    }
    if let FlatExpr::If { cond, then, otherwise } = &stmt.expr {
        let cond = b.atom(cond)?;
        return b.steady_branch(stmt, cond, then, otherwise);
    }
    let [v] = stmt.binds.as_slice() else { return Ok(()) };
    let (name, ty) = (b.host.function.values[*v].name.clone(), b.elem(*v));
    let mut e = b.scalar_expr(&stmt.expr)?;
    if let (FlatExpr::Read { .. }, Some(ok)) = (&stmt.expr, ok) {
        e = select(ok.clone(), e, zero(ty));
    }
    let e = b.let_(&name, ty, e);
    b.define(*v, e);
    Ok(())
}

/// A small number.
pub fn small(n: i32) -> Expr {
    Expr::Const(Scalar::I32(n))
}

/// `a + b` of small numbers.
pub fn plus(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Add, a, b)
}

/// The least `i` in `0 .. count` for which `is_beyond(i)`, which is false up to some point and true from there; `count`
/// where there is none. All are small numbers.
pub fn first_where<'h>(
    b: &mut Builder<'h>,
    count: Expr,
    is_beyond: impl FnOnce(&mut Builder<'h>, Expr) -> Expr,
) -> Lowered<LocalId> {
    let lo = b.var("lo", ScalarType::I32, small(0));
    let hi = b.var("hi", ScalarType::I32, count);
    b.while_(lt(local(lo), local(hi)), |b| {
        let middle = binary(BinOp::Div, plus(local(lo), local(hi)), small(2));
        let middle = b.let_("mid", ScalarType::I32, middle);
        let beyond = is_beyond(b, middle.clone());
        b.if_(
            beyond,
            |b| {
                b.set(hi, middle.clone());
                Ok(())
            },
            |b| {
                b.set(lo, plus(middle.clone(), small(1)));
                Ok(())
            },
        )
    })?;
    Ok(lo)
}

/// The difference of two positions of a tile, as a small number.
pub fn distance(to: Expr, from: Expr) -> Expr {
    convert(ScalarType::I32, sub(to, from))
}
