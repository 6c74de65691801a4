//! What a filter keeps need not be stored where only one operator looks at it.
//!
//! ```text
//! let (kept, ys) = pack grid [n] { p(x), x }          reduce grid [n] masked by add {
//! let s = reduce grid [kept] by add { f(ys[q]) }   →    p(x), if p(x) then f(x) else 0
//!                                                      }
//! ```

use super::{adopted, grid_op, may_stop, mentions, reads_in_place, replace_reads};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, Scalar};
use terrace_ir::flat::visit::{count_uses, free_values_of_expr};
use terrace_ir::flat::{Body, Descriptor, Expr, Op, OpKind, Stmt, Type, Value};
use terrace_ir::{Atom, ValueId};

/// Fuses one pair; says whether there was one.
pub(super) fn step(body: &mut Body, values: &mut IdVec<ValueId, Value>) -> bool {
    for at in 0..body.stmts.len() {
        let Some(pack) = grid_op(&body.stmts[at]).filter(|op| op.kind == OpKind::Pack) else { continue };
        let Some((numbers, columns)) = body.stmts[at].binds.split_first() else { continue };
        let columns: BTreeSet<ValueId> = columns.iter().copied().collect();
        let (users, returned) = mentions(body, &columns);
        let [user] = users.as_slice() else { continue };
        let Some(consumer) = grid_op(&body.stmts[*user]) else { continue };
        if returned || !runs_over_kept(consumer, pack, *numbers) || !fits(consumer, &columns) {
            continue;
        }
        match consumer.kind {
            OpKind::Reduce { masked: false, .. } if only_counted(body, *numbers, *user) => {}
            OpKind::Map { rows: None } if movable(body, at, *user) => {}
            _ => continue,
        }
        let (pack, consumer) = (pack.clone(), consumer.clone());
        let (at, user) = (at, *user);
        fuse(body, at, user, &pack, consumer, values);
        return true;
    }
    false
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
fn fits(consumer: &Op, columns: &BTreeSet<ValueId>) -> bool {
    let (Some(index), Some(position)) = (consumer.indices.last(), consumer.positions.last()) else { return false };
    let uses = count_uses(&consumer.body);
    let reads = count_reads(&consumer.body, columns);
    reads_in_place(consumer, columns) && !uses.contains_key(index) && uses.get(position).copied().unwrap_or(0) == reads
}

fn count_reads(body: &Body, columns: &BTreeSet<ValueId>) -> usize {
    body.stmts
        .iter()
        .map(|s| match &s.expr {
            Expr::Read { column, .. } if columns.contains(column) => 1,
            other => other.bodies().into_iter().map(|b| count_reads(b, columns)).sum(),
        })
        .sum()
}

/// Whether nothing but the consumer needs the number kept (other than reading the total, which then nobody needs).
fn only_counted(body: &Body, numbers: ValueId, user: usize) -> bool {
    let (users, returned) = mentions(body, &BTreeSet::from([numbers]));
    !returned
        && users.into_iter().filter(|u| *u != user).all(|u| {
            let stmt = &body.stmts[u];
            let total = matches!(&stmt.expr, Expr::Read { column, .. } if *column == numbers);
            let unread = mentions(body, &stmt.binds.iter().copied().collect());
            total && unread.0.is_empty() && !unread.1
        })
}

/// Whether the consumer can stand where the pack stands: all that it mentions is bound before, and no check is passed.
fn movable(body: &Body, at: usize, user: usize) -> bool {
    let between: BTreeSet<ValueId> = body.stmts[at + 1..user].iter().flat_map(|s| s.binds.iter().copied()).collect();
    free_values_of_expr(&body.stmts[user].expr).is_disjoint(&between) && !body.stmts[at + 1..user].iter().any(may_stop)
}

fn fuse(body: &mut Body, at: usize, user: usize, pack: &Op, consumer: Op, values: &mut IdVec<ValueId, Value>) {
    let binds = body.stmts[at].binds.clone();
    let front = pack.body.clone();
    let keep = front.results[0];
    let scalars: BTreeMap<ValueId, Atom> = binds[1..].iter().copied().zip(front.results[1..].iter().copied()).collect();
    let mut rest = adopted(&consumer, &pack.indices, &pack.positions);
    replace_reads(&mut rest, &scalars);
    let mut stmts = front.stmts;
    let span = body.stmts[user].span;
    let values_kept = guarded(rest, keep, values, &mut stmts, span);
    let mut results = vec![keep];
    results.extend(values_kept);
    let mut op = Op { body: Body { stmts, results }, kind: consumer.kind, ..pack.clone() };
    match &mut op.kind {
        OpKind::Reduce { masked, .. } => {
            *masked = true;
            body.stmts[user].expr = Expr::Op(Box::new(op));
            // With the pack go the statements that read its total.
            let (mut gone, _) = mentions(body, &BTreeSet::from([binds[0]]));
            gone.push(at);
            let mut k = 0;
            body.stmts.retain(|_| {
                k += 1;
                !gone.contains(&(k - 1))
            });
        }
        _ => {
            op.kind = OpKind::Pack;
            let mut all = vec![binds[0]];
            all.extend(&body.stmts[user].binds);
            // What is kept is as long as before; the number itself may only be read further down.
            for b in &all[1..] {
                let Type::Column { length, .. } = values[binds[1]].ty.clone() else { continue };
                let elem = values[*b].ty.elem().expect("a column");
                values[*b].ty = Type::Column { elem, length };
                values[*b].bound = values[binds[1]].bound.clone();
            }
            body.stmts[at] = Stmt { binds: all, expr: Expr::Op(Box::new(op)), span };
            body.stmts.remove(user);
        }
    }
}

/// The body where `keep` holds, and zeros elsewhere; without a test where it is only a copy.
fn guarded(
    rest: Body,
    keep: Atom,
    values: &mut IdVec<ValueId, Value>,
    stmts: &mut Vec<Stmt>,
    span: terrace_base::Span,
) -> Vec<Atom> {
    // A division may be one that only the test makes safe.
    let cheap = |e: &Expr| match e {
        Expr::Binary(op, ..) => !matches!(op, BinOp::Div | BinOp::Rem),
        e => matches!(e, Expr::Atom(_) | Expr::Unary(..) | Expr::Fma(..) | Expr::Convert(..)),
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
