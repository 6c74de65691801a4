//! What a filter keeps need not be stored where only one operator looks at it.
//!
//! ```text
//! let (kept, ys) = pack grid [n] { p(x), x }          reduce grid [n] masked by add {
//! let s = reduce grid [kept] by add { f(ys[q]) }   →    p(x), if p(x) then f(x) else 0
//!                                                      }
//! ```
//!
//! A map over what is kept moves into the filter instead. Scatters and histograms have a mask already: a negative position. A reduction
//! counts along where the number of kept elements is needed afterwards. It declines consumers that look at the position of a kept element,
//! which no longer exists, or at the number of kept ones, and scans, which have no mask.

use super::refusal::Reason;
use super::rewrite::{adopted, take_reads};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, Scalar, ScalarType, Span};
use terrace_ir::flat::visit::{bound_values, count_uses, free_values_of_expr, substitute_with_types, walk};
use terrace_ir::flat::{Body, Descriptor, Expr, Op, OpKind, Stmt, Type, Value};
use terrace_ir::{Atom, ValueId};

/// Whether the consumer of a filter can work on all elements with a mask; `true` if it becomes a part of the filter instead.
pub(super) fn fits(filter: &Stmt, pack: &Op, consumer: &Op) -> Result<bool, Reason> {
    if consumer.level != pack.level {
        return Err(Reason::Levels);
    }
    if !runs_over_kept(consumer, pack, filter.binds[0]) {
        return Err(Reason::Spaces);
    }
    // How many are kept is not known while the filter runs.
    let mut counted = consumer.body.results.contains(&Atom::Var(filter.binds[0]));
    walk(&consumer.body, &mut |s| counted |= free_values_of_expr(&s.expr).contains(&filter.binds[0]));
    if counted || !only_reads(consumer, &filter.binds[1..]) {
        return Err(Reason::KeptPositions);
    }
    match consumer.kind {
        OpKind::Reduce { masked: false, .. } | OpKind::Scatter { .. } | OpKind::Hist { .. } => Ok(false),
        OpKind::Map { rows: None } => Ok(true),
        _ => Err(Reason::NoMask),
    }
}

/// Whether the consumer's space is the pack's with the kept elements as its last dimension.
fn runs_over_kept(consumer: &Op, pack: &Op, numbers: ValueId) -> bool {
    let last = match pack.space.len() {
        1 => Descriptor::Regular(numbers.into()),
        _ => Descriptor::Irregular { off: numbers, start: None },
    };
    let outer = pack.space.len() - 1;
    consumer.space.len() == pack.space.len()
        && consumer.space[..outer] == pack.space[..outer]
        && consumer.space[outer] == last
}

/// Whether the consumer uses its innermost position only to read what was kept: after fusion it has no such position.
fn only_reads(consumer: &Op, columns: &[ValueId]) -> bool {
    let (Some(index), Some(position)) = (consumer.indices.last(), consumer.positions.last()) else { return false };
    let columns: BTreeSet<ValueId> = columns.iter().copied().collect();
    let uses = count_uses(&consumer.body);
    let mut reads = 0;
    let mut apart = false;
    look(&consumer.body, &columns, Atom::Var(*position), &mut reads, &mut apart);
    !apart && !uses.contains_key(index) && uses.get(position).copied().unwrap_or(0) == reads
}

fn look(body: &Body, columns: &BTreeSet<ValueId>, own: Atom, reads: &mut usize, apart: &mut bool) {
    for stmt in &body.stmts {
        match &stmt.expr {
            Expr::Read { column, at } if columns.contains(column) => match *at == own {
                true => *reads += 1,
                false => *apart = true,
            },
            other => {
                *apart |= other.operands().iter().any(|v| columns.contains(v));
                other.bodies().into_iter().for_each(|b| look(b, columns, own, reads, apart));
            }
        }
    }
    *apart |= body.results.iter().filter_map(|a| a.var()).any(|v| columns.contains(&v));
}

/// The consumer over all elements, with a mask, or the filter that does the consumer's work.
pub(super) fn mask(filter: &Stmt, consumer: &Stmt, values: &mut IdVec<ValueId, Value>) -> Stmt {
    let (Some(pack), Some(op)) = (filter.expr.op(), consumer.expr.op()) else { return consumer.clone() };
    let front = pack.body.clone();
    let keep = front.results[0];
    let columns = filter.binds[1..].iter().copied();
    let scalars: BTreeMap<ValueId, Atom> = columns.zip(front.results[1..].iter().copied()).collect();
    let mut rest = adopted(op, &pack.indices, &pack.positions, values);
    let own = Atom::Var(pack.positions[pack.positions.len() - 1]);
    let mut known = BTreeMap::new();
    take_reads(&mut rest, &scalars, own, &mut known);
    substitute_with_types(&mut rest, values, &known);
    forget_bounds(&rest, &filter.binds, values);
    let mut stmts = front.stmts;
    let mut kept = guarded(rest, keep, values, &mut stmts, consumer.span);
    if let OpKind::Scatter { .. } | OpKind::Hist { .. } = op.kind {
        // A negative position takes no part.
        let position = values.push(Value { name: "at".into(), ty: Type::Scalar(ScalarType::I64), bound: None, at: () });
        let expr = Expr::Select(keep, kept[0], Atom::int(-1));
        stmts.push(Stmt { binds: vec![position], expr, span: consumer.span });
        kept[0] = position.into();
        let body = Body { stmts, results: kept };
        let fused = Op { body, kind: op.kind.clone(), ..pack.clone() };
        return Stmt { binds: consumer.binds.clone(), expr: Expr::Op(Box::new(fused)), span: consumer.span };
    }
    let results = std::iter::once(keep).chain(kept).collect();
    let mut fused = Op { body: Body { stmts, results }, kind: op.kind.clone(), ..pack.clone() };
    if let OpKind::Reduce { masked, .. } = &mut fused.kind {
        *masked = true;
        return Stmt { binds: consumer.binds.clone(), expr: Expr::Op(Box::new(fused)), span: consumer.span };
    }
    fused.kind = OpKind::Pack;
    // What is kept is as long as before; the number itself may only be read further down.
    let model = values[filter.binds[1]].clone();
    for b in &consumer.binds {
        let (Type::Column { length, .. }, Some(elem)) = (model.ty.clone(), values[*b].ty.elem()) else { continue };
        values[*b].ty = Type::Column { elem, length };
        values[*b].bound = model.bound.clone();
    }
    let binds = std::iter::once(filter.binds[0]).chain(consumer.binds.iter().copied()).collect();
    Stmt { binds, expr: Expr::Op(Box::new(fused)), span: consumer.span }
}

/// Makes a masked reduction count the elements that take part.
pub(super) fn count_along(stmt: &mut Stmt, number: ValueId, values: &mut IdVec<ValueId, Value>) {
    let span = stmt.span;
    let Expr::Op(op) = &mut stmt.expr else { return };
    let OpKind::Reduce { operator, neutral, .. } = &mut op.kind else { return };
    let mut integer =
        |name: &str| values.push(Value { name: name.into(), ty: Type::Scalar(ScalarType::I64), bound: None, at: () });
    let (left, right, sum) = (integer("a"), integer("b"), integer("n"));
    operator.left.push(left);
    operator.right.push(right);
    operator.body.stmts.push(Stmt {
        binds: vec![sum],
        expr: Expr::Binary(BinOp::Add, left.into(), right.into()),
        span,
    });
    operator.body.results.push(sum.into());
    neutral.push(Atom::int(0));
    op.body.results.push(Atom::int(1));
    stmt.binds.push(number);
}

/// A division of integers by zero is behind a check, which is behind the filter.
fn safe(op: BinOp, by: Atom, values: &IdVec<ValueId, Value>) -> bool {
    let whole = |v: ValueId| values[v].ty.elem().is_some_and(|ty| ty.is_int());
    !matches!(op, BinOp::Div | BinOp::Rem) || !by.var().is_some_and(whole)
}

/// Bounds by the number of kept elements say nothing once nobody counts them.
fn forget_bounds(body: &Body, gone: &[ValueId], values: &mut IdVec<ValueId, Value>) {
    for v in bound_values(body) {
        if values[v].bound.is_some() && values[v].mentioned().iter().any(|m| gone.contains(m)) {
            values[v].bound = None;
        }
    }
}

/// The body where `keep` holds, and zeros elsewhere; without a test where that is cheap and cannot go wrong.
fn guarded(rest: Body, keep: Atom, values: &mut IdVec<ValueId, Value>, stmts: &mut Vec<Stmt>, span: Span) -> Vec<Atom> {
    let cheap = |e: &Expr| {
        matches!(e, Expr::Atom(_) | Expr::Unary(..) | Expr::Fma(..) | Expr::Convert(..) | Expr::Select(..))
            || matches!(e, Expr::Binary(op, _, by) if safe(*op, *by, values))
    };
    if rest.stmts.iter().all(|s| cheap(&s.expr)) {
        stmts.extend(rest.stmts);
        return rest.results;
    }
    let types: Vec<_> = rest
        .results
        .iter()
        .map(|a| match a {
            Atom::Const(c) => c.ty(),
            Atom::Var(v) => values[*v].ty.elem().expect("a scalar"),
        })
        .collect();
    let binds: Vec<ValueId> = types
        .iter()
        .map(|ty| values.push(Value { name: "kept".into(), ty: Type::Scalar(*ty), bound: None, at: () }))
        .collect();
    let zeros = types.iter().map(|ty| Atom::Const(Scalar::zero(*ty))).collect();
    let otherwise = Body { stmts: Vec::new(), results: zeros };
    stmts.push(Stmt { binds: binds.clone(), expr: Expr::If { cond: keep, then: rest, otherwise }, span });
    binds.into_iter().map(Atom::Var).collect()
}
