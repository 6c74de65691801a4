//! Lifted translation: an expression evaluated at every point of a context.
//!
//! Scalar statements are collected as they come and emitted together, as one map over the context, when an array operator
//! needs one of them (or when one of them is a check, which must run before anything that relies on it). What only
//! rearranges (a slice, a row, a length, a tuple) costs nothing: it changes recipes. An array expression that depends on
//! nothing in the context and cannot fail is computed once, at the host.

use super::build::{Scope, size_of};
use super::loops::Turns;
use super::plain::{is_scalar_stmt, slice, zip};
use super::rep::{Arr, Context, Elem, Ix, Rep};
use super::{Env, Flattener, Result};
use std::collections::BTreeMap;
use terrace_base::ScalarType;
use terrace_ir::core::visit::{free_values, has_checks};
use terrace_ir::core::{Body, Expr, Stmt, StmtKind, Type};
use terrace_ir::flat::OpKind;
use terrace_ir::{Atom, ValueId};

impl Flattener<'_> {
    pub(super) fn lifted_body(&mut self, body: &Body, env: &mut Env, cx: &Context) -> Result<Rep> {
        let mut pending: Vec<&Stmt> = Vec::new();
        let last = last_mentions(body);
        for (k, stmt) in body.stmts.iter().enumerate() {
            if matches!(stmt.kind, StmtKind::Check { proved: true, .. }) {
                continue;
            }
            // The host must not look before the points have, where they have something to find.
            if !pending.iter().any(|s| may_fail(s)) && self.uniform_check(stmt, env, cx) {
                continue;
            }
            if let Some((value, rep)) = self.rearranged(stmt, env, cx)? {
                env.insert(value, rep);
                continue;
            }
            if let Some((value, rep)) = self.uniform_scalar(stmt, env, cx)? {
                env.insert(value, rep);
                continue;
            }
            if is_scalar_stmt(stmt, &self.source().values) {
                pending.push(stmt);
                continue;
            }
            let StmtKind::Let { value, expr, .. } = &stmt.kind else { unreachable!("checks are scalar code") };
            self.flush(&mut pending, &|v| last.get(&v).is_some_and(|at| *at >= k), env, cx)?;
            self.span = stmt.span;
            self.binding = Some(*value);
            let uniform = self.uniform_statement(stmt, env);
            let rep = match uniform {
                Some(total) => self.hoisted(*value, expr, total, env, cx)?,
                None => self.lifted_expr(expr, *value, env, cx)?,
            };
            if uniform != Some(true) {
                self.relying.insert((self.source, *value));
            }
            let rep = self.settled(rep);
            let rep = self.by_formula(*value, rep, env, cx);
            env.insert(*value, rep);
        }
        self.flush(&mut pending, &|v| body.result == Atom::Var(v), env, cx)?;
        Ok(self.rep(body.result, env))
    }

    /// What a statement binds that only names, joins or takes apart values that exist: nothing needs to be computed.
    fn rearranged(&mut self, stmt: &Stmt, env: &Env, cx: &Context) -> Result<Option<(ValueId, Rep)>> {
        let StmtKind::Let { value, expr, .. } = &stmt.kind else { return Ok(None) };
        let rearranges = matches!(expr, Expr::Atom(_) | Expr::Tuple(_) | Expr::Project(..) | Expr::Length(_));
        let exist = expr.operands().iter().all(|a| a.var().is_none_or(|v| env.contains_key(&v)));
        if !rearranges || !exist {
            return Ok(None);
        }
        if expr.operands().iter().any(|a| a.var().is_some_and(|v| self.relying.contains(&(self.source, v)))) {
            self.relying.insert((self.source, *value));
        }
        Ok(Some((*value, self.lifted_expr(expr, *value, env, cx)?)))
    }

    /// Emits the scalar statements so far as one map; what is `needed` becomes columns.
    fn flush(
        &mut self,
        pending: &mut Vec<&Stmt>,
        needed: &dyn Fn(ValueId) -> bool,
        env: &mut Env,
        cx: &Context,
    ) -> Result<()> {
        let stmts = std::mem::take(pending);
        if stmts.is_empty() {
            return Ok(());
        }
        let types = &self.source().values;
        let outputs: Vec<(ValueId, Type)> = stmts
            .iter()
            .filter_map(|s| match &s.kind {
                StmtKind::Let { value, .. } if needed(*value) => Some((*value, types[*value].ty.clone())),
                _ => None,
            })
            .collect();
        let mut formulas = Vec::new();
        let mut binds = Vec::new();
        for (value, ty) in &outputs {
            let name = self.source().values[*value].name.clone();
            let rep = self.fresh_columns(ty, &name, cx, &mut binds);
            env.insert(*value, rep);
        }
        for (value, _) in &outputs {
            let rep = self.rep(Atom::Var(*value), env);
            let rep = self.by_formula(*value, rep, env, cx);
            formulas.push((*value, rep));
        }
        let outer = env.clone();
        self.op(&Scope::default(), cx, binds, OpKind::Map { rows: None }, |s, scope| {
            let mut env = outer;
            for stmt in &stmts {
                s.plain_stmt(stmt, &mut env, scope)?;
            }
            let mut leaves = Vec::new();
            for (value, _) in &outputs {
                let rep = s.rep(Atom::Var(*value), &env);
                s.scalars(&rep, scope, &mut leaves);
            }
            Ok(leaves)
        })?;
        env.extend(formulas);
        Ok(())
    }

    fn fresh_columns(&mut self, ty: &Type, name: &str, cx: &Context, binds: &mut Vec<ValueId>) -> Rep {
        match ty {
            Type::Scalar(s) => {
                let v = self.column_value(name, *s, size_of(cx.total()));
                binds.push(v);
                Rep::Scalar(Ix::read(v, cx.position()), *s)
            }
            Type::Tuple(ts) => Rep::Tuple(ts.iter().map(|t| self.fresh_columns(t, name, cx, binds)).collect()),
            Type::Array(_) | Type::Sum(_) => unreachable!("scalar statements have flat types"),
        }
    }

    fn lifted_expr(&mut self, expr: &Expr, value: ValueId, env: &Env, cx: &Context) -> Result<Rep> {
        let name = &self.source().values[value].name;
        Ok(match expr {
            Expr::Atom(a) => self.rep(*a, env),
            Expr::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.rep(*p, env)).collect()),
            Expr::Project(a, k) => match self.rep(*a, env) {
                Rep::Tuple(mut parts) => parts.swap_remove(*k),
                _ => unreachable!("the verifier of Core wants a tuple here"),
            },
            Expr::Index { array, index } => {
                let arr = self.array(*array, env);
                let index = self.recipe(*index, env);
                self.item(&arr, &index, None, None)
            }
            Expr::Slice { array, from, to } => {
                let arr = self.array(*array, env);
                Rep::Array(slice(&arr, &self.recipe(*from, env), &self.recipe(*to, env)))
            }
            Expr::Zip(arrays) => Rep::Array(zip(arrays.iter().map(|a| self.array(*a, env)).collect())),
            Expr::Length(a) => Rep::Scalar(self.array(*a, env).len, ScalarType::I64),
            Expr::If { cond, then, otherwise } => {
                let cond = self.recipe(*cond, env);
                match cond.uniform() {
                    Some(cond) => self.uniform_if(value, cond, [then, otherwise], env, cx)?,
                    None => self.lifted_if(&cond, [then, otherwise], value, env, cx)?,
                }
            }
            Expr::Call { function, args } => self.call(*function, args, env, cx)?,
            Expr::Loop { state, init, form, body } => {
                let init = self.rep(*init, env);
                self.lifted_loop(&Turns { value, state: *state, form, body }, init, env, cx)?
            }
            Expr::Ascribe { value, proved: true, .. } => self.rep(*value, env),
            Expr::Ascribe { value, ty, check, .. } => {
                let rep = self.rep(*value, env);
                self.ascribe(&rep, ty, *check, env, cx)?;
                rep
            }
            _ => self.array_operator(expr, name, env, cx, &Scope::default())?,
        })
    }

    fn recipe(&self, atom: Atom, env: &Env) -> Ix {
        match self.rep(atom, env) {
            Rep::Scalar(ix, _) => ix,
            _ => unreachable!("the verifier of Core wants a scalar here"),
        }
    }
}

/// Whether a value is the same at every point.
pub(super) fn is_uniform(rep: &Rep) -> bool {
    match rep {
        Rep::Scalar(ix, _) => ix.uniform().is_some(),
        Rep::Tuple(parts) => parts.iter().all(is_uniform),
        Rep::Array(arr) => is_uniform_array(arr),
    }
}

fn is_uniform_array(arr: &Arr) -> bool {
    match &arr.elem {
        Elem::Zip(arrays) => arrays.iter().all(is_uniform_array),
        _ => arr.start.uniform().is_some() && arr.len.uniform().is_some(),
    }
}

fn may_fail(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Check { proved, .. } => !proved,
        StmtKind::Let { expr, .. } => expr.bodies().into_iter().any(has_checks),
    }
}

/// The last statement of a body that mentions each value, the result being behind all of them.
fn last_mentions(body: &Body) -> BTreeMap<ValueId, usize> {
    let mut last = BTreeMap::new();
    for (k, stmt) in body.stmts.iter().enumerate() {
        let alone = Body { stmts: vec![stmt.clone()], result: Atom::int(0) };
        last.extend(free_values(&alone).into_iter().map(|v| (v, k)));
    }
    last.extend(body.result.var().map(|v| (v, body.stmts.len())));
    last
}
