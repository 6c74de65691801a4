//! The items of a thread that lie one distance apart: loads at constant distances from one place, all asked for together.
//!
//! ```text
//! lane l of 8, four items:      own = start + l;  xs[own], xs[own + 8], xs[own + 16], xs[own + 24]
//!
//! where all are there           x = xs[own + 8 k]                             the distance is part of the load
//! at the end of a row           here = l + 8 k < left
//!                               x = here ? xs[own + 8 k] : 0                   a predicated load; nobody waits for what is not there
//! a gather behind a check       ok = here && j < n;  y = ok ? v[j] : 0         the same
//! ```
//!
//! What is read at the item itself is asked for first, even behind a check, if its column is as long as one that is read there before all checks: it waits
//! for nothing. Where loads at other places follow (gathers), that is done for all items before the first of those, and by loads that say that nobody will come
//! back: a sparse matrix passes the caches once, and what they should keep is the vector.
//!
//! A branch between two loads would make the second wait for the first; here is none. A check is only remembered. Where one has failed the caller
//! goes through the items again, with checks that report, and what was computed is not used.
//!
//! Declined: bodies with loops or operators of their own, which [`super::items`] takes one after the other.

use super::super::Lowered;
use super::super::build::{Builder, zero};
use super::super::expr::{add, and, int, local, mul, not, or, select, truth};
use super::items::masked;
use terrace_base::ScalarType;
use terrace_ir::flat::{Expr as FlatExpr, Op, Stmt, Type};
use terrace_ir::kernel::{Expr, LocalId, Stmt as KernelStmt};
use terrace_ir::{Atom, ValueId};

/// How far the items of a thread are from each other, and how many there are.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// The distance.
    pub step: i64,
    /// The number.
    pub items: i64,
    /// Whether there are so many items that gathers miss the caches unless what is read once stays out of them.
    pub streams: bool,
}

/// One of the items.
pub struct Near {
    /// Which, an `i64`.
    pub number: Expr,
    /// Whether it is there.
    pub here: Expr,
    /// Whether it is there and all its checks have held.
    pub ok: Expr,
}

/// Computes a straight body at the items from position `own` on, of which `is_here` says whether they are there, and hands the results to `take`.
/// `fine` becomes false where a check has failed.
pub fn each<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    apart: Apart,
    own: &Expr,
    is_here: Option<&dyn Fn(Expr) -> Expr>,
    fine: Option<LocalId>,
    define: impl Fn(&mut Builder<'h>, Expr) -> Lowered<()>,
    take: impl Fn(&mut Builder<'h>, &Near, Vec<Expr>) -> Lowered<()>,
) -> Lowered<()> {
    let early = early_reads(b, op);
    let position = |b: &mut Builder<'h>, item: &Expr| {
        let q = b.let_("q", ScalarType::I64, add(own.clone(), mul(item.clone(), int(apart.step))));
        let here = is_here.map(|is_here| b.let_("here", ScalarType::Bool, is_here(item.clone())));
        (q, here)
    };
    let read = |b: &mut Builder<'h>, (_, v, column): &Early, (q, here): &(Expr, Option<Expr>)| -> Lowered<Expr> {
        let ty = b.elem(*v);
        let x = b.load(*column, q.clone())?;
        Ok(here.clone().map_or(x.clone(), |here| select(here, x, zero(ty))))
    };
    let mut asked = Vec::new();
    let gathered = gathered(op, &early);
    if apart.streams && !gathered.is_empty() {
        for e in &early {
            if !gathered.contains(&e.2) {
                b.reads_once(e.2)?;
            }
            let array = b.array("asked", b.elem(e.1), apart.items as usize, false);
            b.for_("item", int(0), int(apart.items), int(1), true, |b, item| {
                let at = position(b, &item);
                let x = read(b, e, &at)?;
                b.emit(KernelStmt::SetElement(array, item, x));
                Ok(())
            })?;
            asked.push(array);
        }
    }
    b.for_("item", int(0), int(apart.items), int(1), true, |b, item| {
        let at = position(b, &item);
        define(b, at.0.clone())?;
        let mut known = Vec::new();
        for (k, e) in early.iter().enumerate() {
            let (name, ty) = (b.host.function.values[e.1].name.clone(), b.elem(e.1));
            let x = match asked.get(k) {
                Some(array) => Expr::Element(*array, Box::new(item.clone())),
                None => read(b, e, &at)?,
            };
            known.push((e.0, b.let_(&name, ty, x)));
        }
        let here = at.1;
        let (ok, results) = masked(b, &op.body, &known, here.clone())?;
        let here = here.unwrap_or_else(|| truth(true));
        if let Some(fine) = fine {
            let held = if here == truth(true) { ok.clone() } else { or(ok.clone(), not(here.clone())) };
            b.set(fine, and(local(fine), held));
        }
        take(b, &Near { number: item, here, ok }, results)
    })
}

/// A read at the item itself: by which statement, of what, from which column.
type Early = (usize, ValueId, ValueId);

/// The columns that a body reads elsewhere.
fn gathered(op: &Op, early: &[Early]) -> Vec<ValueId> {
    let rest = op.body.stmts.iter().enumerate().filter(|(i, _)| early.iter().all(|e| e.0 != *i));
    rest.filter_map(|(_, s)| if let FlatExpr::Read { column, .. } = s.expr { Some(column) } else { None }).collect()
}

/// The reads at the item itself that need no check to hold.
fn early_reads(b: &Builder<'_>, op: &Op) -> Vec<Early> {
    let values = &b.host.function.values;
    let Some(here) = op.positions.last().map(|v| Atom::Var(*v)) else { return Vec::new() };
    let reads = op.body.stmts.iter().enumerate().filter_map(|(i, s)| match (&s.expr, s.binds.as_slice()) {
        (FlatExpr::Read { column, at }, [v]) if *at == here => Some((i, *v, *column)),
        _ => None,
    });
    let reads: Vec<_> = reads.collect();
    let is_check = |s: &Stmt| matches!(s.expr, FlatExpr::Check { .. });
    let checked = op.body.stmts.iter().position(is_check).unwrap_or(op.body.stmts.len());
    let is_as_long = |column: ValueId| {
        let mut before = reads.iter().take_while(|(i, _, _)| *i < checked);
        before.any(|(_, _, other)| {
            matches!((&values[*other].ty, &values[column].ty),
            (Type::Column { length: a, .. }, Type::Column { length: b, .. }) if a == b)
        })
    };
    reads.iter().copied().filter(|(i, _, column)| *i < checked || is_as_long(*column)).collect()
}
