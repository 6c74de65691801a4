//! Operators at block level: the threads of one block share the work of one point of a grid map.
//!
//! ```text
//! map grid [n] (i) { let s = reduce block [m] … ; s * 2 }     one block per i
//!                                                             threads stride over m, a tree gives s to all of them
//! ```
//!
//! Each thread asks for several elements before it needs the first.
//!
//! Everything around the operator is run by all threads alike, so its control flow is the same for the whole block and the
//! operator's barriers are safe. A check inside may fail in one thread only; the block then agrees that it has failed.
//!
//! Declined for now: block-level operators whose results are arrays in shared memory.

use super::super::body::may_fail;
use super::super::build::Builder;
use super::super::expr::{add, int, local, min, mul, not, quot, truth};
use super::super::points::{self, Point};
use super::super::reduce::guarded;
use super::super::{Lowered, limit};
use super::block::{Combine, is_first};
use super::items::is_straight;
use super::reduce::take;
use super::segmented::elements;
use terrace_base::ScalarType;
use terrace_ir::ValueId;
use terrace_ir::flat::{Body, Expr as FlatExpr, Level, Op, OpKind};
use terrace_ir::kernel::{Expr, LocalId, Stmt};

/// Elements that a thread asks for at once.
const AHEAD: i64 = 4;

/// Whether a body holds operators at block level.
pub fn wants_blocks(body: &Body) -> bool {
    body.stmts.iter().any(|s| match &s.expr {
        FlatExpr::Op(op) => op.level == Level::Block,
        FlatExpr::If { then, otherwise, .. } => wants_blocks(then) || wants_blocks(otherwise),
        FlatExpr::Loop { cond, body, .. } => wants_blocks(cond) || wants_blocks(body),
        _ => false,
    })
}

/// A block-level operator inside a body that all threads of a block run. `ok` is true before, and false afterwards, in all
/// threads, if a check has failed inside.
pub fn operator(b: &mut Builder<'_>, op: &Op, binds: &[ValueId], ok: Option<LocalId>) -> Lowered<Vec<Option<Expr>>> {
    let OpKind::Reduce { operator, neutral, masked } = &op.kind else {
        return Err(limit(b.span(), "an array computed by a block of threads"));
    };
    if op.space.len() != 1 {
        return Err(limit(b.span(), "a block-level reduction over several dimensions"));
    }
    let threads = b.host.tiles.gpu_block as i64;
    let combine = Combine::of(b, operator, neutral)?;
    let shared: Vec<_> = combine.types.iter().map(|ty| b.array("result", *ty, 1, true)).collect();
    let failed = ok.map(|_| b.array("failed", ScalarType::Bool, 1, true));

    // The arrays may still be in use from an earlier round of a loop.
    b.emit(Stmt::Barrier);
    if let Some(failed) = failed {
        b.when(is_first(), |b| {
            b.emit(Stmt::SetElement(failed, int(0), truth(false)));
            Ok(())
        })?;
        b.emit(Stmt::Barrier);
    }
    let n = points::count(b, op, 1)?;
    let acc = combine.vars(b, "acc", &combine.neutral);
    let (from, to, step) = if combine.commutes() {
        (Expr::Thread, n, threads)
    } else {
        let per = b.let_("per", ScalarType::I64, quot(add(n.clone(), int(threads - 1)), int(threads)));
        let from = b.let_("from", ScalarType::I64, mul(Expr::Thread, per.clone()));
        let to = b.let_("to", ScalarType::I64, min(add(from.clone(), per), n));
        (from, to, 1)
    };
    let fails = may_fail(&op.body) || combine.may_fail();
    let each = |b: &mut Builder<'_>, j: Expr| {
        Point { indices: vec![j.clone()], positions: vec![j] }.define(b, op);
        guarded(b, &op.body, ok.filter(|_| fails), |b, results| take(b, &combine, &acc, results, *masked))
    };
    let mut from = from;
    if combine.commutes() && is_straight(&op.body) && !fails {
        // Whole groups need no tests; what is left of the row goes one by one, in the same order.
        let whole = mul(quot(to.clone(), int(threads * AHEAD)), int(threads * AHEAD));
        let whole = b.let_("whole", ScalarType::I64, whole);
        b.for_("base", int(0), whole.clone(), int(threads * AHEAD), false, |b, base| {
            let own = b.let_("own", ScalarType::I64, add(base, Expr::Thread));
            b.for_("k", int(0), int(AHEAD), int(1), true, |b, k| each(b, add(own, mul(k, int(threads)))))
        })?;
        from = add(whole, Expr::Thread);
    }
    b.for_("j", from, to, int(step), false, each)?;
    if let (Some(ok), Some(failed)) = (ok, failed) {
        b.when(not(local(ok)), |b| {
            b.emit(Stmt::SetElement(failed, int(0), truth(true)));
            Ok(())
        })?;
    }
    combine.fold(b, &acc, threads)?;
    b.when(is_first(), |b| {
        for (array, v) in shared.iter().zip(&acc) {
            b.emit(Stmt::SetElement(*array, int(0), local(*v)));
        }
        Ok(())
    })?;
    b.emit(Stmt::Barrier);
    if let (Some(ok), Some(failed)) = (ok, failed) {
        b.set(ok, not(Expr::Element(failed, Box::new(int(0)))));
    }
    let values = combine.vars(b, "total", &elements(&shared, int(0)));
    debug_assert_eq!(values.len(), binds.len());
    Ok(values.into_iter().map(|v| Some(local(v))).collect())
}
