//! The items of a thread where checks stand between loads: all loads of one depth are asked for before the first is needed.
//!
//! A check before a gather is a branch, and no load moves across one. Written item by item, each would wait for its own index before the next
//! index is even asked for:
//!
//! ```text
//! j0 = cols[q0]; if j0 < n { x0 = v[j0] }; j1 = cols[q1]; …        a wait per item
//! j0 = cols[q0]; j1 = cols[q1]; …                                  what is read at the item's own position
//! if j0 < n { x0 = v[j0] }; if j1 < n { x1 = v[j1] }; …            what is read at places that were read: one wait
//! results                                                        one more
//! ```
//!
//! Values wait in registers: arrays of the thread whose indices are constants once loops are unrolled. Declined: bodies without checks, which need none of
//! this, and all that [`super::items::each`] takes item by item.

use super::super::Lowered;
use super::super::body::may_fail;
use super::super::build::Builder;
use super::super::expr::{add, and, binary, convert, int, local, lt, min, mul, not, truth};
use super::items::{Item, each, is_straight, masked, small};
use super::tiles::Cut;
use terrace_base::{BinOp, ScalarType};
use terrace_ir::Atom;
use terrace_ir::flat::{Expr as FlatExpr, Op};
use terrace_ir::kernel::{ArrayId, Expr, Stmt};

/// [`each`], with loads ahead of checks.
pub fn each_ahead<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    cut: Cut,
    (first, left): (&Expr, &Expr),
    define: impl Fn(&mut Builder<'h>, Expr, Expr) -> Lowered<()>,
    missed: impl Fn(&mut Builder<'h>, &Item) -> Lowered<()>,
    take: impl Fn(&mut Builder<'h>, &Item, Vec<Expr>) -> Lowered<()>,
) -> Lowered<()> {
    let here = op.positions.last().map(|v| Atom::Var(*v));
    let mut own = Vec::new();
    let mut deep = Vec::new();
    for (i, stmt) in op.body.stmts.iter().enumerate() {
        if let (FlatExpr::Read { column, at }, [v]) = (&stmt.expr, stmt.binds.as_slice()) {
            let array = |b: &mut Builder<'h>| b.array("ahead", b.elem(*v), cut.items as usize, false);
            if Some(*at) == here {
                own.push((i, *column, array(b)));
            } else {
                deep.push((i, *v, array(b)));
            }
        }
    }
    if !is_straight(&op.body) || !may_fail(&op.body) || own.is_empty() {
        return each(b, op, cut, (first, left), define, missed, take);
    }
    let value = |array: ArrayId, item: &Expr| Expr::Element(array, Box::new(item.clone()));
    let left = b.let_("left", ScalarType::I32, convert(ScalarType::I32, left.clone()));
    let slot_of = |item: &Expr| convert(ScalarType::I32, add(mul(item.clone(), int(cut.block)), Expr::Thread));
    b.when(lt(small(0), left.clone()), |b| {
        let last = b.let_("last_slot", ScalarType::I32, binary(BinOp::Sub, left.clone(), small(1)));
        let place = |b: &mut Builder<'h>, item: &Expr| {
            let slot = b.let_("slot", ScalarType::I32, slot_of(item));
            let at = b.let_("at", ScalarType::I32, min(slot.clone(), last.clone()));
            let q = b.let_("q", ScalarType::I64, add(first.clone(), convert(ScalarType::I64, at.clone())));
            (slot, at, q)
        };
        let items = |b: &mut Builder<'h>, f: &dyn Fn(&mut Builder<'h>, Expr) -> Lowered<()>| {
            b.for_("item", int(0), int(cut.items), int(1), true, |b, item| f(b, item))
        };
        items(b, &|b, item| {
            let (_, _, q) = place(b, &item);
            for (_, column, array) in &own {
                let e = b.load(*column, q.clone())?;
                b.emit(Stmt::SetElement(*array, item.clone(), e));
            }
            Ok(())
        })?;
        let mut known: Vec<(usize, ArrayId)> = own.iter().map(|(i, _, array)| (*i, *array)).collect();
        if !deep.is_empty() {
            items(b, &|b, item| {
                let (_, at, q) = place(b, &item);
                define(b, at, q)?;
                let known: Vec<_> = known.iter().map(|(i, a)| (*i, value(*a, &item))).collect();
                masked(b, &op.body, &known)?;
                for (_, v, array) in &deep {
                    let e = b.value(*v)?;
                    b.emit(Stmt::SetElement(*array, item.clone(), e));
                }
                Ok(())
            })?;
        }
        known.extend(deep.iter().map(|(i, _, array)| (*i, *array)));
        let fine = b.var("fine", ScalarType::Bool, truth(true));
        items(b, &|b, item| {
            let (slot, at, q) = place(b, &item);
            define(b, at, q.clone())?;
            let known: Vec<_> = known.iter().map(|(i, a)| (*i, value(*a, &item))).collect();
            let (ok, results) = masked(b, &op.body, &known)?;
            b.set(fine, and(local(fine), ok.clone()));
            let inside = lt(slot.clone(), left.clone());
            take(b, &Item { number: item, slot: convert(ScalarType::I64, slot), q, inside, ok }, results)
        })?;
        b.when(not(local(fine)), |b| {
            b.for_("item", int(0), int(cut.items), int(1), false, |b, item| {
                let slot = b.let_("slot", ScalarType::I32, slot_of(&item));
                b.when(lt(slot.clone(), left.clone()), |b| {
                    let q = b.let_("q", ScalarType::I64, add(first.clone(), convert(ScalarType::I64, slot.clone())));
                    define(b, slot, q)?;
                    b.body(&op.body, |_, _| Ok(()))
                })
            })
        })
    })
}
