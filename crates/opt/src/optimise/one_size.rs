//! Sizes that a check has found equal are one size behind it.
//!
//! ```text
//! let same = n == m                                    let same = n == m
//! check 0 zip same (n, m)                              check 0 zip same (n, m)
//! let t = map grid [k][n] (i, j | p, q) { … }      →   let t = map grid [k][n] (i, j | p, q) { … }
//! reduce grid [k][m] (i, j | p, q) { … t[p * n + j] }  reduce grid [k][n] (i, j | p, q) { … t[p * n + j] }
//! ```
//!
//! Whether two operators have the same points is seen by the names of their sizes. A matrix and a vector that come with a size each, and are zipped, have
//! one: what one operator makes and the other reads can be fused, and a place that is written with one size is a position in the space of the other.
//!
//! The rows of a matrix have a length that is only known to be another one's if there are rows at all. So that check says `n == 0 || m == w`, and holds where an operator
//! has points: `[n][m]` is `[n][w]`, points or none.
//!
//! Which of the two stays does not matter behind the check. Before it both are in use, and what was made there keeps its size; so the one stays that operators
//! before the check run over, and where they run over both nothing is done.
//!
//! Declined: GPUs, whose kernels have no tiles of columns and want matrices turned; sizes that are on the device, where work may begin before the check has been made.

use crate::analysis::homes::Homes;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, ScalarType};
use terrace_ir::flat::visit::{substitute, substitute_with_types, walk};
use terrace_ir::flat::{Body, Descriptor, Expr, Op, Program, Stmt, Type, Value};
use terrace_ir::{Atom, ValueId};

/// Makes sizes one, in all functions.
pub fn one_size(program: &mut Program) {
    let homes = Homes::of(program);
    for id in program.functions.ids() {
        let function = &mut program.functions[id];
        let mut one = One { values: &mut function.values, device: &homes.function(id).device };
        one.list(&mut function.body, Seen::default());
    }
}

/// What is known where a statement stands.
#[derive(Clone, Default)]
struct Seen {
    /// The sizes that operators have run over.
    run_over: BTreeSet<ValueId>,
    /// What sizes that have gone are called now.
    gone: BTreeMap<ValueId, ValueId>,
    /// Two lengths of rows that are one if there are that many rows at all.
    rows: Vec<(ValueId, ValueId, ValueId)>,
}

impl Seen {
    fn named(&self, size: ValueId) -> ValueId {
        self.gone.get(&size).copied().unwrap_or(size)
    }
}

/// What a check says of two sizes.
struct Compared {
    sizes: (ValueId, ValueId),
    /// If there are that many rows at all.
    rows: Option<ValueId>,
}

struct One<'f> {
    values: &'f mut IdVec<ValueId, Value>,
    device: &'f BTreeSet<ValueId>,
}

impl One<'_> {
    /// At the host level.
    fn list(&mut self, body: &mut Body, mut seen: Seen) {
        for at in 0..body.stmts.len() {
            if let Some(found) = self.compared(&body.stmts[..at], &body.stmts[at]) {
                match (found.rows, either(&seen.run_over, found.sizes)) {
                    (Some(rows), _) => seen.rows.push((rows, found.sizes.0, found.sizes.1)),
                    (None, Some((gone, stays))) => {
                        self.rename(body, at + 1, gone, stays);
                        seen.gone.values_mut().filter(|v| **v == gone).for_each(|v| *v = stays);
                        seen.gone.insert(gone, stays);
                    }
                    (None, None) => {}
                }
            }
            match &mut body.stmts[at].expr {
                Expr::Op(op) => rename_rows(op, &seen),
                expr => expr.bodies_mut().into_iter().for_each(|b| self.list(b, seen.clone())),
            }
            run_over(&body.stmts[at], &mut seen.run_over);
        }
    }

    fn rename(&mut self, body: &mut Body, from: usize, gone: ValueId, stays: ValueId) {
        let known = BTreeMap::from([(gone, Atom::Var(stays))]);
        let stmts = body.stmts.split_off(from);
        let mut behind = Body { stmts, results: std::mem::take(&mut body.results) };
        substitute_with_types(&mut behind, self.values, &known);
        body.stmts.append(&mut behind.stmts);
        body.results = behind.results;
    }

    /// What a statement says of two sizes, if it is such a check.
    fn compared(&self, before: &[Stmt], stmt: &Stmt) -> Option<Compared> {
        let Expr::Check { cond, .. } = &stmt.expr else { return None };
        let bound = |a: &Atom| {
            before
                .iter()
                .rev()
                .find(|s| Some(s.binds.as_slice()) == a.var().as_ref().map(std::slice::from_ref))
                .map(|s| &s.expr)
        };
        let is_size = |v: ValueId| self.values[v].ty == Type::Scalar(ScalarType::I64) && !self.device.contains(&v);
        let equal = |e: &Expr| match e {
            Expr::Binary(BinOp::Eq, Atom::Var(a), Atom::Var(b)) if a != b && is_size(*a) && is_size(*b) => {
                Some((*a.min(b), *a.max(b)))
            }
            _ => None,
        };
        let nothing = |e: &Expr| match e {
            Expr::Binary(BinOp::Eq, Atom::Var(n), zero) if *zero == Atom::int(0) && is_size(*n) => Some(*n),
            _ => None,
        };
        match bound(cond)? {
            Expr::Binary(BinOp::Or, a, b) => {
                let (rows, sizes) = (nothing(bound(a)?)?, equal(bound(b)?)?);
                Some(Compared { sizes, rows: Some(rows) })
            }
            e => Some(Compared { sizes: equal(e)?, rows: None }),
        }
    }
}

/// The lengths of rows in the space of an operator: of all that are one, the oldest.
fn rename_rows(op: &mut Op, seen: &Seen) {
    for d in 1..op.space.len() {
        let (Descriptor::Regular(Atom::Var(n)), Descriptor::Regular(Atom::Var(m))) = (&op.space[d - 1], &op.space[d])
        else {
            continue;
        };
        let facts: Vec<[ValueId; 2]> = seen
            .rows
            .iter()
            .filter(|(rows, ..)| seen.named(*rows) == *n)
            .map(|(_, a, b)| [seen.named(*a), seen.named(*b)])
            .collect();
        let mut same = BTreeSet::from([*m]);
        for _ in 0..facts.len() {
            for pair in &facts {
                if pair.iter().any(|v| same.contains(v)) {
                    same.extend(pair);
                }
            }
        }
        let (gone, Some(stays)) = (*m, same.first().copied()) else { continue };
        if gone != stays {
            op.space[d] = Descriptor::Regular(stays.into());
            substitute(&mut op.body, &BTreeMap::from([(gone, Atom::Var(stays))]));
        }
    }
}

/// The size that goes, and the one that stays.
fn either(before: &BTreeSet<ValueId>, (old, new): (ValueId, ValueId)) -> Option<(ValueId, ValueId)> {
    match (before.contains(&old), before.contains(&new)) {
        (true, true) => None,
        (false, true) => Some((old, new)),
        _ => Some((new, old)),
    }
}

/// The sizes of the spaces in a statement.
fn run_over(stmt: &Stmt, out: &mut BTreeSet<ValueId>) {
    let mut of_op = |expr: &Expr| {
        let space = expr.op().map(|op| op.space.as_slice()).unwrap_or_default();
        out.extend(space.iter().filter_map(|d| match d {
            Descriptor::Regular(length) => length.var(),
            _ => None,
        }));
    };
    of_op(&stmt.expr);
    stmt.expr.bodies().into_iter().for_each(|b| walk(b, &mut |s| of_op(&s.expr)));
}
