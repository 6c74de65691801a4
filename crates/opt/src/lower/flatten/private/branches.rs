//! Branches of a thread that update its arrays: a branch is a loop of at most one turn.
//!
//! ```text
//! if c then xs with [i] = 0 else xs
//!
//! loop go = c, ys = xs while go do { scatter thread [1] into ys { => i, 0 } ; false }
//! ```
//!
//! So each array keeps its one place, as in any loop of a thread, and what a branch costs is what it does. Where both branches do
//! something, there are two such loops, one after the other. Declined: branches whose arrays do not come from the same ones before the branch; those are
//! copied to where the result lies.

use super::super::build::Scope;
use super::super::rep::{Elem, Ix, Rep};
use super::super::{Env, Flattener, Result};
use super::replaced;
use std::collections::BTreeMap;
use terrace_base::{Scalar, ScalarType, UnOp};
use terrace_ir::flat::visit::{bound_values, substitute};
use terrace_ir::flat::{self, OpKind};
use terrace_ir::{Atom, ValueId, core};

impl Flattener<'_> {
    /// The value of a branch whose arrays are those of before, updated or not; none if they are others.
    pub(in super::super) fn thread_branches(
        &mut self,
        cond: Atom,
        [then, otherwise]: [&core::Body; 2],
        env: &Env,
        scope: &Scope,
    ) -> Result<Option<Rep>> {
        let Some((then, rep)) = self.thread_branch(then, env, scope)? else { return Ok(None) };
        let Some((otherwise, _)) = self.thread_branch(otherwise, env, scope)? else { return Ok(None) };
        let Some(before) = self.before(&then, &otherwise) else { return Ok(None) };
        let not = |s: &mut Self| s.let_scalar("otherwise", ScalarType::Bool, flat::Expr::Unary(UnOp::Not, cond));
        let (turns, mut first) = match (then.stmts.is_empty(), otherwise.stmts.is_empty()) {
            (_, true) => (vec![(cond, then)], otherwise.results),
            (true, false) => (vec![(not(self), otherwise)], then.results),
            (false, false) => (vec![(cond, then), (not(self), otherwise)], before.clone()),
        };
        for (go, body) in turns {
            first = self.one_turn(go, body, &rep, &before, first);
        }
        Ok(Some(replaced(&rep, &mut first.into_iter().filter_map(Atom::var))))
    }

    fn thread_branch(&mut self, body: &core::Body, env: &Env, scope: &Scope) -> Result<Option<(flat::Body, Rep)>> {
        let saved = self.fun.offsets.clone();
        let mut result = None;
        let out = self.body(|s| {
            let rep = s.plain_body(body, &mut env.clone(), scope)?;
            let mut leaves = Vec::new();
            if is_whole(&rep) {
                s.own_leaves(&rep, scope, &mut leaves);
                result = Some(rep);
            }
            Ok(leaves)
        });
        self.fun.offsets = saved;
        Ok(Some(out?).zip(result))
    }

    /// The arrays that both branches start from, and anything for their scalars.
    fn before(&self, then: &flat::Body, otherwise: &flat::Body) -> Option<Vec<Atom>> {
        let mut all = Vec::new();
        for (a, b) in then.results.iter().zip(&otherwise.results) {
            let first = match a {
                Atom::Var(v) if self.fun.values[*v].ty.is_column() => Atom::Var(origin(then, *v)),
                scalar => Atom::Const(Scalar::zero(self.scalar_type(*scalar))),
            };
            if let (Atom::Var(v), Atom::Var(b)) = (first, b)
                && (origin(otherwise, *b) != v || all.contains(&first) || bound_values(then).contains(&v))
            {
                return None;
            }
            all.push(first);
        }
        Some(all)
    }

    /// What a body makes of the first values if it runs; in the body, the arrays of before are those of the loop.
    fn one_turn(&mut self, go: Atom, mut body: flat::Body, rep: &Rep, before: &[Atom], first: Vec<Atom>) -> Vec<Atom> {
        let (mut slots, _) = self.own_like(rep, &body.results);
        let (mut binds, _) = self.own_like(rep, &body.results);
        let renamed: BTreeMap<ValueId, Atom> =
            before.iter().zip(&slots).filter_map(|(old, new)| Some((old.var()?, Atom::Var(*new)))).collect();
        substitute(&mut body, &renamed);
        body.results.push(Atom::Const(Scalar::Bool(false)));
        let result = binds.iter().copied().map(Atom::Var).collect();
        slots.push(self.scalar_value("go", ScalarType::Bool));
        binds.push(self.scalar_value("gone", ScalarType::Bool));
        let cond =
            flat::Body { stmts: Vec::new(), results: slots.last().copied().map(Atom::Var).into_iter().collect() };
        let state = slots.into_iter().zip(first.into_iter().chain([go])).collect();
        self.push(binds, flat::Expr::Loop { state, cond, body });
        result
    }
}

/// Whether all arrays of a value are arrays of the thread, and whole.
fn is_whole(rep: &Rep) -> bool {
    match rep {
        Rep::Scalar(..) => true,
        Rep::Tuple(parts) => parts.iter().all(is_whole),
        Rep::Array(arr) => {
            arr.start == Ix::int(0) && arr.len == Ix::Atom(arr.count) && !matches!(arr.elem, Elem::Zip(_))
        }
    }
}

/// The array whose elements an array has where the body wrote none.
fn origin(body: &flat::Body, mut array: ValueId) -> ValueId {
    for stmt in body.stmts.iter().rev() {
        let Some(k) = stmt.binds.iter().position(|v| *v == array) else { continue };
        array = match &stmt.expr {
            flat::Expr::Atom(Atom::Var(v)) => *v,
            flat::Expr::Loop { state, .. } => state[k].1.var().unwrap_or(array),
            flat::Expr::Op(op) => match &op.kind {
                OpKind::Scatter { dest, .. } => dest[k],
                _ => array,
            },
            _ => array,
        };
    }
    array
}
