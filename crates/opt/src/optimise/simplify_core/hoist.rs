//! What does not depend on the parameters of a function or loop around it is computed outside, once.
//!
//! ```text
//! map (x) in xs { let s = reduce add ys  => x / s }      →      let s = reduce add ys
//!                                                               map (x) in xs { => x / s }
//! ```
//!
//! A statement moves out of lambdas and loop bodies to the outermost one that it depends on, right before the statement that it stood in. It
//! never leaves a branch, and never the checks that it names: those of its own and those inside it, and where it could go wrong without them, those
//! of the statements that it leaves. The map around it may have no elements
//! and the loop may never run, so what moves must end, must not stop the program and must not cost more than what is there already:
//! scalars, and operators on arrays that exist, at most linear in their lengths (or sorting them), with scalar bodies. Arrays whose length is
//! just a number (`iota`, `replicate`, `generate`, the bins of `hist`) stay, unless the number is a length or a constant; calls and loops stay too.

use std::collections::BTreeMap;
use terrace_base::BinOp;
use terrace_ir::check::CheckId;
use terrace_ir::core::visit::{bound_values, checks_of, free_values_of_expr, has_checks};
use terrace_ir::core::{Body, Expr, Function, Stmt, StmtKind};
use terrace_ir::{Atom, ValueId};

/// Constants up to this are short lengths.
const SHORT: i64 = 1024;

struct Hoist<'a> {
    function: &'a Function,
    /// In which body, counted from the outside, a value is bound.
    depth: BTreeMap<ValueId, usize>,
    /// In which body a check stands.
    checks: BTreeMap<CheckId, usize>,
    /// Integers that are the length of something.
    lengths: BTreeMap<ValueId, ()>,
    /// What the statements around name.
    around: Vec<CheckId>,
    /// The outermost body that a statement of the current one may move to.
    floor: usize,
    changed: bool,
}

/// A statement on its way out.
struct Leaving {
    to: usize,
    stmt: Stmt,
}

/// Moves statements out; says whether any moved.
pub(super) fn hoist(function: &mut Function) -> bool {
    let mut body = function.body.clone();
    let mut hoist = Hoist {
        function,
        depth: BTreeMap::new(),
        checks: BTreeMap::new(),
        lengths: BTreeMap::new(),
        around: Vec::new(),
        floor: 0,
        changed: false,
    };
    hoist.body(&mut body, 0);
    let changed = hoist.changed;
    function.body = body;
    changed
}

impl Hoist<'_> {
    fn body(&mut self, body: &mut Body, depth: usize) -> Vec<Leaving> {
        let mut leaving = Vec::new();
        let mut out = Vec::with_capacity(body.stmts.len());
        let mut hidden: Vec<(CheckId, Option<usize>)> = Vec::new();
        for mut stmt in std::mem::take(&mut body.stmts) {
            match &mut stmt.kind {
                StmtKind::Check { check, .. } => {
                    hidden.push((*check, self.checks.insert(*check, depth)));
                }
                StmtKind::Let { value, expr, after } => {
                    let outside = self.around.len();
                    self.around.extend(after.iter());
                    let moved = self.inside(expr, depth);
                    self.around.truncate(outside);
                    for moved in moved {
                        match moved.to == depth {
                            true => out.push(moved.stmt),
                            false => leaving.push(moved),
                        }
                    }
                    for check in checks_of(expr) {
                        hidden.push((check, self.checks.insert(check, depth)));
                    }
                    if matches!(expr, Expr::Length(_)) {
                        self.lengths.insert(*value, ());
                    }
                    let mut named = after.clone();
                    if !harmless(expr) {
                        named.extend(self.around.iter().filter(|c| !after.contains(c)));
                    }
                    let to = match depth > self.floor && self.may_move(expr) {
                        true => self.level(*value, expr, &named).max(self.floor),
                        false => depth,
                    };
                    self.depth.insert(*value, to);
                    if to < depth {
                        *after = named;
                        self.changed = true;
                        leaving.push(Leaving { to, stmt });
                        continue;
                    }
                }
            }
            out.push(stmt);
        }
        for (check, before) in hidden.into_iter().rev() {
            match before {
                Some(depth) => self.checks.insert(check, depth),
                None => self.checks.remove(&check),
            };
        }
        body.stmts = out;
        leaving
    }

    fn inside(&mut self, expr: &mut Expr, depth: usize) -> Vec<Leaving> {
        for v in expr.binders() {
            self.depth.insert(v, depth + 1);
        }
        let branch = matches!(expr, Expr::If { .. } | Expr::Match { .. });
        let floor = self.floor;
        if branch {
            self.floor = depth + 1;
        }
        let moved = expr.bodies_mut().into_iter().flat_map(|b| self.body(b, depth + 1)).collect();
        self.floor = floor;
        moved
    }

    /// The innermost body that the statement depends on.
    fn level(&self, value: ValueId, expr: &Expr, after: &[CheckId]) -> usize {
        let mut needs = free_values_of_expr(expr);
        needs.extend(self.function.values[value].ty.free_values());
        for b in expr.bodies().into_iter().flat_map(bound_values).chain(expr.binders()) {
            needs.extend(self.function.values[b].ty.free_values());
        }
        let own: Vec<ValueId> = expr.bodies().into_iter().flat_map(bound_values).chain(expr.binders()).collect();
        let values = needs.iter().filter(|v| !own.contains(v)).map(|v| self.depth.get(v).copied().unwrap_or(0));
        let checks = after.iter().copied().chain(named_inside(expr)).map(|c| self.checks.get(&c).copied().unwrap_or(0));
        values.chain(checks).max().unwrap_or(0)
    }

    fn may_move(&self, expr: &Expr) -> bool {
        if scalar(expr) {
            return true;
        }
        let short = |count: Atom| match count {
            Atom::Const(c) => c.as_i64().is_some_and(|n| n <= SHORT),
            Atom::Var(v) => self.lengths.contains_key(&v),
        };
        let fits = match expr {
            Expr::Map { .. } | Expr::Filter { .. } | Expr::Reduce { .. } | Expr::Scan { .. } => true,
            Expr::Slice { .. } | Expr::Concat(_) | Expr::Zip(_) | Expr::ArrayLiteral { .. } => true,
            Expr::Flatten(_) | Expr::Transpose(_) | Expr::Sort { .. } | Expr::Rotate { .. } | Expr::Reshape { .. } => {
                true
            }
            Expr::Iota(n) => short(*n),
            Expr::Replicate { count, .. } | Expr::Generate { count, .. } | Expr::Hist { count, .. } => short(*count),
            _ => false,
        };
        fits && expr.bodies().into_iter().all(|b| !has_checks(b) && all_scalar(b))
    }
}

/// The checks that statements inside an expression name.
fn named_inside(expr: &Expr) -> Vec<CheckId> {
    let mut out = Vec::new();
    for body in expr.bodies() {
        terrace_ir::core::visit::walk(body, &mut |stmt| {
            if let StmtKind::Let { after, .. } = &stmt.kind {
                out.extend(after);
            }
        });
    }
    out
}

fn all_scalar(body: &Body) -> bool {
    body.stmts.iter().all(|s| matches!(&s.kind, StmtKind::Let { expr, .. } if scalar(expr)))
}

/// What cannot go wrong anywhere.
fn harmless(expr: &Expr) -> bool {
    scalar(expr) && !matches!(expr, Expr::Index { .. } | Expr::Binary(BinOp::Div | BinOp::Rem, ..))
}

/// What takes a fixed time and no memory.
fn scalar(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Atom(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Fma(..)
            | Expr::Convert(..)
            | Expr::Tuple(_)
            | Expr::Project(..)
            | Expr::Length(_)
            | Expr::Index { .. }
            | Expr::Variant { .. }
            | Expr::Extent(_)
            | Expr::Disjoint(_)
    )
}
