//! How operators of Flat become one.
//!
//! ```text
//! t = map [n] (i | p) { let x = xs[p]  => x * x }          s = reduce [n] (j | q) by add {
//! s = reduce [n] (j | q) by add { let y = t[q]  => y }  →    let x = xs[q]  => x * x
//!                                                           }
//! ```
//!
//! What is read at the operator's own position is computed first; what is read at another position is computed where it is read.

use super::flat::{mentions, needed, results_of};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::IdVec;
use terrace_ir::flat::visit::{bound_values, has_checks, refresh, substitute, substitute_with_types, walk};
use terrace_ir::flat::{Body, Expr, Op, OpKind, Stmt, Value};
use terrace_ir::{Atom, ValueId};

type Values = IdVec<ValueId, Value>;

/// A map's elements, to be computed where they are needed.
struct Producer<'a> {
    op: &'a Op,
    /// Its columns, and the results that they are.
    columns: BTreeMap<ValueId, usize>,
    /// What computes them.
    body: Body,
}

/// Makes the consumer compute columns of a map itself.
pub(super) fn absorb(
    producer: &Stmt,
    columns: &[ValueId],
    consumer: &mut Vec<Stmt>,
    copy: bool,
    in_place: bool,
    values: &mut Values,
) {
    let Some(op) = producer.expr.op() else { return };
    let results = results_of(producer, columns);
    let used = needed(&op.body, &results);
    let stmts = op.body.stmts.iter().zip(used).filter(|(_, used)| *used || !copy).map(|(s, _)| s.clone()).collect();
    let order = producer.binds.iter().filter(|b| columns.contains(b)).copied();
    let columns = order.enumerate().map(|(k, b)| (b, k)).collect();
    let producer = Producer { op, columns, body: Body { stmts, results } };
    let Some(mut main) = consumer.pop() else { return };
    match &mut main.expr {
        Expr::Op(target) => {
            if in_place {
                producer.at_the_front(target, copy, values);
            }
            producer.where_read(&mut target.body, values);
            consumer.push(main);
        }
        _ => {
            let mut around = Body { stmts: vec![main], results: Vec::new() };
            producer.at_top(&mut around, values);
            consumer.extend(around.stmts);
        }
    }
}

impl Producer<'_> {
    /// The body at a position.
    fn adopted(&self, indices: &[Atom], positions: &[Atom], copy: bool, values: &mut Values) -> Body {
        let mut body = self.body.clone();
        if copy {
            refresh(&mut body, values);
        }
        let from = self.op.indices.iter().chain(&self.op.positions);
        let map: BTreeMap<ValueId, Atom> = from.copied().zip(indices.iter().chain(positions).copied()).collect();
        substitute_with_types(&mut body, values, &map);
        body
    }

    /// Computes the elements of the operator's own position before everything else.
    fn at_the_front(&self, target: &mut Op, copy: bool, values: &mut Values) {
        let atoms = |vs: &[ValueId]| vs.iter().map(|v| Atom::Var(*v)).collect::<Vec<_>>();
        let own = atoms(&target.positions)[target.positions.len() - 1];
        let (indices, positions) = match self.op.positions.len() == target.positions.len() {
            true => (atoms(&target.indices), atoms(&target.positions)),
            // Only the last position is mentioned, or the index in a single dimension.
            false => (vec![own; self.op.indices.len()], vec![own; self.op.positions.len()]),
        };
        let front = self.adopted(&indices, &positions, copy, values);
        let mut known = BTreeMap::new();
        let scalars: BTreeMap<ValueId, Atom> = self.columns.iter().map(|(v, k)| (*v, front.results[*k])).collect();
        take_reads(&mut target.body, &scalars, own, &mut known);
        if known.is_empty() {
            return;
        }
        substitute_with_types(&mut target.body, values, &known);
        target.body.stmts.splice(0..0, front.stmts);
    }

    fn element(&self, expr: &Expr, values: &mut Values) -> Option<(Vec<Stmt>, Atom)> {
        let Expr::Read { column, at } = expr else { return None };
        let result = *self.columns.get(column)?;
        let indices = vec![*at; self.op.indices.len()];
        let positions = vec![*at; self.op.positions.len()];
        let body = self.adopted(&indices, &positions, true, values);
        let atom = body.results[result];
        Some((body.stmts, atom))
    }

    /// Computes elements where they are read.
    fn where_read(&self, body: &mut Body, values: &mut Values) {
        let mut known = BTreeMap::new();
        self.replace(body, values, &mut known);
        if !known.is_empty() {
            substitute_with_types(body, values, &known);
        }
    }

    fn replace(&self, body: &mut Body, values: &mut Values, known: &mut BTreeMap<ValueId, Atom>) {
        let mut out = Vec::with_capacity(body.stmts.len());
        for mut stmt in std::mem::take(&mut body.stmts) {
            if let Some((stmts, atom)) = self.element(&stmt.expr, values) {
                out.extend(stmts);
                known.insert(stmt.binds[0], atom);
                continue;
            }
            stmt.expr.bodies_mut().into_iter().for_each(|b| self.replace(b, values, known));
            out.push(stmt);
        }
        body.stmts = out;
        resolve(known);
    }

    /// The same in statements whose values others may mention.
    fn at_top(&self, body: &mut Body, values: &mut Values) {
        let mut out = Vec::with_capacity(body.stmts.len());
        for mut stmt in std::mem::take(&mut body.stmts) {
            if let Some((stmts, atom)) = self.element(&stmt.expr, values) {
                out.extend(stmts);
                stmt.expr = Expr::Atom(atom);
            }
            stmt.expr.bodies_mut().into_iter().for_each(|b| self.where_read(b, values));
            out.push(stmt);
        }
        body.stmts = out;
    }
}

/// An element may have been read at a position that was itself read: chains become single steps.
fn resolve(known: &mut BTreeMap<ValueId, Atom>) {
    let keys: Vec<ValueId> = known.keys().copied().collect();
    for key in keys {
        let mut to = known[&key];
        while let Some(next) = to.var().and_then(|v| known.get(&v)) {
            to = *next;
        }
        known.insert(key, to);
    }
}

/// Takes reads of columns at one position out; `known` gets what they gave.
pub(super) fn take_reads(
    body: &mut Body,
    scalars: &BTreeMap<ValueId, Atom>,
    own: Atom,
    known: &mut BTreeMap<ValueId, Atom>,
) {
    body.stmts.retain_mut(|stmt| {
        if let Expr::Read { column, at } = &stmt.expr
            && *at == own
            && let Some(to) = scalars.get(column)
        {
            known.insert(stmt.binds[0], *to);
            return false;
        }
        stmt.expr.bodies_mut().into_iter().for_each(|b| take_reads(b, scalars, own, known));
        true
    });
}

/// Takes columns from a map, and what only they needed.
pub(super) fn forget(stmt: &mut Stmt, columns: &[ValueId]) {
    let Expr::Op(op) = &mut stmt.expr else { return };
    let mut kept = stmt.binds.iter().map(|b| !columns.contains(b));
    op.body.results.retain(|_| kept.next().unwrap_or(true));
    stmt.binds.retain(|b| !columns.contains(b));
    let mut live: BTreeSet<ValueId> = op.body.results.iter().filter_map(|a| a.var()).collect();
    let mut out = Vec::new();
    for stmt in std::mem::take(&mut op.body.stmts).into_iter().rev() {
        if has_effect(&stmt) || stmt.binds.iter().any(|b| live.contains(b)) {
            live.extend(mentions(&stmt.expr));
            out.push(stmt);
        }
    }
    out.reverse();
    op.body.stmts = out;
}

fn has_effect(stmt: &Stmt) -> bool {
    let acts = |s: &Stmt| {
        matches!(s.expr, Expr::Check { .. } | Expr::Call { .. } | Expr::Keep { .. } | Expr::Take(_) | Expr::Loop { .. })
    };
    let mut found = acts(stmt);
    for b in stmt.expr.bodies() {
        found |= has_checks(b);
        walk(b, &mut |s| found |= acts(s));
    }
    found
}

/// Two maps, or two reductions, over equal spaces as one. The second map may read columns of the first at its own position.
pub(super) fn join(first: &Stmt, second: &Stmt, values: &mut Values) -> Stmt {
    let mut out = first.clone();
    out.binds.extend(&second.binds);
    let (Expr::Op(one), Some(two)) = (&mut out.expr, second.expr.op()) else { return out };
    let mut body = two.body.clone();
    let from = two.indices.iter().chain(&two.positions);
    let to = one.indices.iter().chain(&one.positions).map(|v| Atom::Var(*v));
    let map: BTreeMap<ValueId, Atom> = from.copied().zip(to).collect();
    substitute_with_types(&mut body, values, &map);
    let scalars = first.binds.iter().copied().zip(one.body.results.iter().copied()).collect();
    let mut known = BTreeMap::new();
    let own = Atom::Var(one.positions[one.positions.len() - 1]);
    take_reads(&mut body, &scalars, own, &mut known);
    substitute_with_types(&mut body, values, &known);
    one.body.stmts.extend(body.stmts);
    one.body.results.extend(body.results);
    if let (OpKind::Reduce { operator, neutral, .. }, OpKind::Reduce { operator: more, neutral: more_neutral, .. }) =
        (&mut one.kind, &two.kind)
    {
        neutral.extend(more_neutral);
        operator.left.extend(&more.left);
        operator.right.extend(&more.right);
        operator.body.stmts.extend(more.body.stmts.iter().cloned());
        operator.body.results.extend(&more.body.results);
    }
    out
}

/// The consumer's body in terms of the producer's indices and positions.
pub(super) fn adopted(consumer: &Op, indices: &[ValueId], positions: &[ValueId], values: &mut Values) -> Body {
    let mut body = consumer.body.clone();
    let from = consumer.indices.iter().chain(&consumer.positions);
    let to = indices.iter().chain(positions).map(|v| Atom::Var(*v));
    let map: BTreeMap<ValueId, Atom> = from.copied().zip(to).collect();
    substitute(&mut body, &map);
    bound_values(&body).into_iter().for_each(|v| values[v].substitute(&map));
    body
}
