//! Nests: operators that are better decided about together.
//!
//! Flattening turns one nest of the source into several operators over the same rows:
//!
//! ```text
//! let most = reduce grid [n][m] …        one nest: a version is made of all three, so that in the outer version they
//! let part = map grid [n][m] …           become one kernel again, and one guard decides
//! let sum  = reduce grid [n][m] …
//! ```
//!
//! A nest is a run of neighbouring operators with the same outermost dimension, at least one of which has a dimension more. Scalars in
//! between that do not depend on it are computed before it. Operators over the outermost dimension alone belong to it
//! if they stand in the middle, or if they use what the nest computes. Whatever may fail or read memory on its own ends a nest, and
//! so does a call, a branch and a loop: those have nests of their own.

use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec};
use terrace_ir::ValueId;
use terrace_ir::flat::visit::{count_uses, free_values_of_expr};
use terrace_ir::flat::{Body, Descriptor, Expr, Function, Level, Op, OpKind, Stmt, Type, Value};

/// A part of a host-level body.
pub(super) enum Piece {
    /// A statement of its own.
    Stmt(Stmt),
    /// Operators that belong together.
    Nest(Vec<Stmt>),
}

/// Cuts the statements of a host-level body. Where asking for the longest row costs nothing, operators over rows begin a nest of their own behind what
/// computes where these rows are, so that it can be asked.
pub(super) fn pieces(stmts: Vec<Stmt>, known_rows: bool) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut run: Vec<Stmt> = Vec::new();
    let mut bound: BTreeSet<ValueId> = BTreeSet::new();
    for stmt in stmts {
        let joins = match &stmt.expr {
            Expr::Op(op) if divisible(op) => match run.first().and_then(|s| s.expr.op()) {
                Some(first) => first.space[0] == op.space[0] && !(known_rows && has_rows_of(op, &bound)),
                None => true,
            },
            expr if !run.is_empty() && is_free_scalar(expr) => {
                if expr.operands().iter().all(|v| !bound.contains(v)) {
                    out.push(Piece::Stmt(stmt));
                    continue;
                }
                false
            }
            _ => false,
        };
        if !joins {
            close(&mut run, &mut bound, &mut out);
        }
        match &stmt.expr {
            Expr::Op(op) if divisible(op) => {
                bound.extend(&stmt.binds);
                run.push(stmt);
            }
            _ => out.push(Piece::Stmt(stmt)),
        }
    }
    close(&mut run, &mut bound, &mut out);
    out
}

/// Whether offsets of an operator's rows are among these values.
fn has_rows_of(op: &Op, bound: &BTreeSet<ValueId>) -> bool {
    op.space.iter().any(|d| matches!(d, Descriptor::Irregular { off, .. } if bound.contains(off)))
}

/// Whether an operator can stand in a nest: spread over the machine, over something that has a number.
fn divisible(op: &Op) -> bool {
    let regular = !op.space.iter().any(|d| matches!(d, Descriptor::PerAncestor { .. }));
    op.level == Level::Grid && regular && matches!(op.space[0], Descriptor::Regular(_))
}

/// Whether an expression is computed at no cost and cannot fail, wherever it stands.
fn is_free_scalar(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(op, ..) => !matches!(op, BinOp::Div | BinOp::Rem),
        Expr::Size(s) => s.funs().is_empty(),
        expr => matches!(
            expr,
            Expr::Atom(_) | Expr::Unary(..) | Expr::Fma(..) | Expr::Convert(..) | Expr::Select(..) | Expr::MemoryLimit
        ),
    }
}

fn close(run: &mut Vec<Stmt>, bound: &mut BTreeSet<ValueId>, out: &mut Vec<Piece>) {
    bound.clear();
    let all = std::mem::take(run);
    let deep = |s: &Stmt| s.expr.op().is_some_and(|op| op.space.len() > 1);
    let (Some(mut first), Some(mut last)) = (all.iter().position(deep), all.iter().rposition(deep)) else {
        out.extend(all.into_iter().map(Piece::Stmt));
        return;
    };
    let binds = |range: &[Stmt]| range.iter().flat_map(|s| s.binds.clone()).collect::<BTreeSet<_>>();
    while last + 1 < all.len() && !free_values_of_expr(&all[last + 1].expr).is_disjoint(&binds(&all[first..=last])) {
        last += 1;
    }
    let uses = |range: &[Stmt]| range.iter().flat_map(|s| free_values_of_expr(&s.expr)).collect::<BTreeSet<_>>();
    while first > 0 && all[first - 1].binds.iter().any(|b| uses(&all[first..=last]).contains(b)) {
        first -= 1;
    }
    let mut all = all;
    let after = all.split_off(last + 1);
    let nest = all.split_off(first);
    out.extend(all.into_iter().map(Piece::Stmt));
    out.push(Piece::Nest(nest));
    out.extend(after.into_iter().map(Piece::Stmt));
}

/// How often each value of a function is mentioned: in statements, and in what is known about other values.
pub(super) struct Uses {
    counts: BTreeMap<ValueId, usize>,
}

impl Uses {
    /// Counts for a function.
    pub(super) fn of(function: &Function) -> Uses {
        let mut counts = count_uses(&function.body);
        for value in &function.values {
            count_mentions(value, &mut counts);
        }
        for ty in &function.results {
            if let Type::Column { length, .. } = ty {
                for v in length.vars() {
                    *counts.entry(terrace_ir::value_of(v)).or_default() += 1;
                }
            }
        }
        Uses { counts }
    }

    /// The values bound by a nest that something outside mentions, or that are needed to say what those are; in order.
    pub(super) fn leaving(&self, nest: &[Stmt], values: &IdVec<ValueId, Value>) -> Vec<ValueId> {
        let binds: Vec<ValueId> = nest.iter().flat_map(|s| s.binds.clone()).collect();
        let body = Body { stmts: nest.to_vec(), results: Vec::new() };
        let mut inside = count_uses(&body);
        for v in terrace_ir::flat::visit::bound_values(&body) {
            count_mentions(&values[v], &mut inside);
        }
        let count = |map: &BTreeMap<ValueId, usize>, v: &ValueId| map.get(v).copied().unwrap_or(0);
        let mut leaving: BTreeSet<ValueId> =
            binds.iter().copied().filter(|v| count(&self.counts, v) > count(&inside, v)).collect();
        loop {
            let needed: Vec<ValueId> = leaving.iter().flat_map(|v| values[*v].mentioned()).collect();
            let before = leaving.len();
            leaving.extend(needed.into_iter().filter(|v| binds.contains(v)));
            if leaving.len() == before {
                break;
            }
        }
        binds.into_iter().filter(|v| leaving.contains(v)).collect()
    }
}

fn count_mentions(value: &Value, counts: &mut BTreeMap<ValueId, usize>) {
    for v in value.mentioned() {
        *counts.entry(v).or_default() += 1;
    }
}

/// The greatest number of dimensions in a nest.
pub(super) fn depth(nest: &[&Op]) -> usize {
    nest.iter().map(|op| op.space.len()).max().unwrap_or(0)
}

/// Whether the outer version of an operator, in a nest with so many dimensions, is another one than the flat version. A map over fewer
/// dimensions has a thread per point already where the others have a thread per row: it stays, and becomes one kernel with them.
pub(super) fn has_rows(op: &Op, depth: usize) -> bool {
    match op.kind {
        OpKind::Map { rows: Some(_) } => false,
        OpKind::Map { rows: None } => op.space.len() > 1 && op.space.len() == depth,
        _ => op.space.len() > 1,
    }
}
