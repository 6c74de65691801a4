//! Plain translation: an expression that is evaluated once, at the host or by one thread.
//!
//! Scalars become scalar statements, one for one. Array operators become operators over a space of one dimension: grid
//! operators at the host, sequential ones with local arrays inside a thread. Only at the host may the body of a map be
//! parallel itself; that is where a context begins (`lifted.rs`).

use super::build::Scope;
use super::rep::{Arr, Elem, Ix, Rep};
use super::sizes::states_rows;
use super::{Env, Flattener, Result};
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::core::{Body, Expr, Lambda, LoopForm, Stmt, StmtKind};
use terrace_ir::flat::{self, Level};
use terrace_ir::{Atom, ValueId};

/// Whether a body is scalar code all through: it can stand in the body of an operator as it is.
pub(super) fn is_scalar_body(body: &Body, types: &super::Types) -> bool {
    body.stmts.iter().all(|s| is_scalar_stmt(s, types))
}

/// Whether a statement is scalar code: it may read arrays that exist, and makes none.
pub(super) fn is_scalar_stmt(stmt: &Stmt, types: &super::Types) -> bool {
    let StmtKind::Let { value, expr, .. } = &stmt.kind else { return true };
    let flat = types[*value].ty.is_flat();
    match expr {
        Expr::Atom(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Fma(..) | Expr::Convert(..) => flat,
        Expr::Tuple(_) | Expr::Project(..) | Expr::Index { .. } | Expr::Length(_) => flat,
        Expr::If { then, otherwise, .. } => flat && is_thread_body(then, types) && is_thread_body(otherwise, types),
        Expr::Loop { form, body, .. } => {
            let cond = match form {
                LoopForm::While(c) => is_thread_body(c, types),
                LoopForm::For { .. } => true,
            };
            flat && cond && is_thread_body(body, types)
        }
        _ => false,
    }
}

/// Whether one thread can run a body: scalar code, in which rows and slices of arrays that exist may have names.
pub(super) fn is_thread_body(body: &Body, types: &super::Types) -> bool {
    body.stmts.iter().all(|s| match &s.kind {
        StmtKind::Let { expr, .. } => match expr {
            Expr::Atom(_) | Expr::Tuple(_) | Expr::Project(..) => true,
            Expr::Index { .. } | Expr::Slice { .. } | Expr::Zip(_) => true,
            Expr::Ascribe { ty, proved, .. } => *proved || !states_rows(ty),
            _ => is_scalar_stmt(s, types),
        },
        StmtKind::Check { .. } => true,
    })
}

impl Flattener<'_> {
    pub(super) fn plain_body(&mut self, body: &Body, env: &mut Env, scope: &Scope) -> Result<Rep> {
        for stmt in &body.stmts {
            self.plain_stmt(stmt, env, scope)?;
        }
        Ok(self.rep(body.result, env))
    }

    pub(super) fn plain_stmt(&mut self, stmt: &Stmt, env: &mut Env, scope: &Scope) -> Result<()> {
        self.span = stmt.span;
        match &stmt.kind {
            StmtKind::Check { proved: true, .. } => {}
            StmtKind::Check { check, cond, values, .. } => {
                let cond = self.scalar(*cond, env, scope);
                if cond != Atom::Const(Scalar::Bool(true)) {
                    let values = values.iter().map(|v| self.scalar(*v, env, scope)).collect();
                    self.push(Vec::new(), flat::Expr::Check { check: *check, cond, values });
                }
            }
            StmtKind::Let { value, expr, .. } => {
                let name = self.source().values[*value].name.clone();
                self.binding = Some(*value);
                let rep = self.plain_expr(expr, &name, env, scope)?;
                env.insert(*value, rep);
            }
        }
        Ok(())
    }

    /// The scalar that a Core operand is.
    pub(super) fn scalar(&mut self, atom: Atom, env: &Env, scope: &Scope) -> Atom {
        match self.rep(atom, env) {
            Rep::Scalar(ix, _) => self.ix(&ix, scope),
            _ => unreachable!("the verifier of Core wants a scalar here"),
        }
    }

    pub(super) fn array(&self, atom: Atom, env: &Env) -> Arr {
        match self.rep(atom, env) {
            Rep::Array(arr) => arr,
            _ => unreachable!("the verifier of Core wants an array here"),
        }
    }

    /// The same value with its scalars, starts and lengths computed here.
    pub(super) fn force(&mut self, rep: Rep, scope: &Scope) -> Rep {
        match rep {
            Rep::Scalar(ix, ty) => Rep::Scalar(Ix::Atom(self.ix(&ix, scope)), ty),
            Rep::Tuple(parts) => Rep::Tuple(parts.into_iter().map(|p| self.force(p, scope)).collect()),
            Rep::Array(arr) => Rep::Array(self.force_array(arr, scope)),
        }
    }

    fn force_array(&mut self, mut arr: Arr, scope: &Scope) -> Arr {
        if let Elem::Zip(arrays) = arr.elem {
            arr.elem = Elem::Zip(arrays.into_iter().map(|a| self.force_array(a, scope)).collect());
        } else {
            arr.start = Ix::Atom(self.ix(&arr.start, scope));
        }
        let mut len = self.ix(&arr.len, scope);
        if scope.positions.is_empty() && len.var().is_some() && self.bound_of(len).is_none() {
            // A scalar of the program was computed before the check that compares it with the count.
            if arr.len.uniform().is_some() {
                len = self.binary("len", BinOp::Min, len, arr.count);
            }
            if let Atom::Var(v) = len {
                let bound = self.bound_of(arr.count);
                self.set_bound(v, bound);
            }
        }
        arr.len = Ix::Atom(len);
        arr
    }

    fn compute(&mut self, name: &str, ty: ScalarType, expr: flat::Expr, operands: &[Atom], scope: &Scope) -> Rep {
        let v = self.let_scalar(name, ty, expr);
        if let (true, Atom::Var(id)) = (scope.positions.is_empty(), v) {
            let known = |a: &Atom| a.var().is_none_or(|x| self.fun.host_known.contains(&x));
            if operands.iter().all(known) {
                self.fun.host_known.insert(id);
            }
        }
        Rep::Scalar(Ix::Atom(v), ty)
    }

    pub(super) fn plain_expr(&mut self, expr: &Expr, name: &str, env: &Env, scope: &Scope) -> Result<Rep> {
        Ok(match expr {
            Expr::Atom(a) => self.rep(*a, env),
            Expr::Unary(op, a) => {
                let a = self.scalar(*a, env, scope);
                let of = self.scalar_type(a);
                self.compute(name, op.result_type(of).unwrap_or(of), flat::Expr::Unary(*op, a), &[a], scope)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.scalar(*a, env, scope), self.scalar(*b, env, scope));
                let v = self.binary(name, *op, a, b);
                if let (true, Atom::Var(id)) = (scope.positions.is_empty(), v) {
                    self.note_host_arithmetic(id, *op, a, b);
                }
                Rep::Scalar(Ix::Atom(v), self.scalar_type(v))
            }
            Expr::Fma(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|x| self.scalar(*x, env, scope));
                self.compute(name, self.scalar_type(a), flat::Expr::Fma(a, b, c), &[a, b, c], scope)
            }
            Expr::Convert(ty, a) => {
                let a = self.scalar(*a, env, scope);
                if self.scalar_type(a) == *ty {
                    Rep::Scalar(Ix::Atom(a), *ty)
                } else {
                    self.compute(name, *ty, flat::Expr::Convert(*ty, a), &[a], scope)
                }
            }
            Expr::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.rep(*p, env)).collect()),
            Expr::Project(a, k) => match self.rep(*a, env) {
                Rep::Tuple(mut parts) => parts.swap_remove(*k),
                _ => unreachable!("the verifier of Core wants a tuple here"),
            },
            Expr::Length(a) => Rep::Scalar(self.array(*a, env).len, ScalarType::I64),
            Expr::Index { array, index } => {
                let arr = self.array(*array, env);
                let at = Ix::Atom(self.scalar(*index, env, scope));
                let item = self.item(&arr, &at, None, None);
                self.force(item, scope)
            }
            Expr::Slice { array, from, to } => {
                let arr = self.array(*array, env);
                let [from, to] = [from, to].map(|x| Ix::Atom(self.scalar(*x, env, scope)));
                let slice = slice(&arr, &from, &to);
                Rep::Array(self.force_array(slice, scope))
            }
            Expr::Zip(arrays) => Rep::Array(zip(arrays.iter().map(|a| self.array(*a, env)).collect())),
            Expr::If { cond, then, otherwise } => self.plain_if(*cond, then, otherwise, env, scope)?,
            Expr::Loop { state, init, form, body } => self.plain_loop(*state, *init, form, body, env, scope)?,
            Expr::Call { function, args } => {
                if self.level != Level::Grid {
                    return self.limit("a recursive call in sequential code");
                }
                self.call(*function, args, env, &Self::host())?
            }
            Expr::Ascribe { value, proved: true, .. } => self.rep(*value, env),
            Expr::Ascribe { value, ty, check, .. } => {
                let rep = self.rep(*value, env);
                self.ascribe_plain(&rep, ty, *check, env, scope)?;
                rep
            }
            _ => self.array_operator(expr, name, env, &Self::host(), scope)?,
        })
    }

    fn plain_if(&mut self, cond: Atom, then: &Body, otherwise: &Body, env: &Env, scope: &Scope) -> Result<Rep> {
        let host = Self::host();
        let form = self.form_of(then.result, &host).join(&self.form_of(otherwise.result, &host));
        let cond = self.scalar(cond, env, scope);
        if self.level != Level::Grid
            && then.result.var().is_some_and(|v| !self.source().values[v].ty.is_flat())
            && let Some(rep) = self.thread_branches(cond, [then, otherwise], env, scope)?
        {
            return Ok(rep);
        }
        let branch = |s: &mut Self, body: &Body| -> Result<flat::Body> {
            let saved = s.fun.offsets.clone();
            let out = s.body(|s| {
                let rep = s.plain_body(body, &mut env.clone(), scope)?;
                s.border(&rep, &form, &Self::host(), scope)
            });
            s.fun.offsets = saved;
            out
        };
        let (a, b) = (branch(self, then)?, branch(self, otherwise)?);
        let (binds, rep) = self.fresh_border(&form, &Self::host());
        self.push(binds, flat::Expr::If { cond, then: a, otherwise: b });
        Ok(rep)
    }

    fn plain_loop(
        &mut self,
        state: ValueId,
        init: Atom,
        form: &LoopForm,
        body: &Body,
        env: &Env,
        scope: &Scope,
    ) -> Result<Rep> {
        let init = self.rep(init, env);
        if self.level != Level::Grid && !self.source().values[state].ty.is_flat() {
            return self.thread_loop(state, init, form, body, env, scope);
        }
        let crossing = self.form_of(Atom::Var(state), &Self::host());
        let mut first = self.border(&init, &crossing, &Self::host(), scope)?;
        let (mut slots, rep) = self.fresh_border(&crossing, &Self::host());
        let mut env = env.clone();
        env.insert(state, rep);
        let counter = self.counter_of(form, &mut env, scope);
        if let Some((i, _)) = counter {
            slots.insert(0, i);
            first.insert(0, Atom::int(0));
        }
        let saved = self.fun.offsets.clone();
        let cond = self.goes_on(form, counter, &env, scope)?;
        let body = self.body(|s| {
            let next = s.plain_body(body, &mut env.clone(), scope)?;
            let mut leaves = s.border(&next, &crossing, &Self::host(), scope)?;
            if let Some((i, _)) = counter {
                leaves.insert(0, s.binary("next", BinOp::Add, i.into(), Atom::int(1)));
            }
            Ok(leaves)
        })?;
        self.fun.offsets = saved;
        let (mut binds, result) = self.fresh_border(&crossing, &Self::host());
        if counter.is_some() {
            binds.insert(0, self.scalar_value("i", ScalarType::I64));
        }
        let state = slots.into_iter().zip(first).collect();
        self.push(binds, flat::Expr::Loop { state, cond, body });
        Ok(result)
    }

    /// The number of the turn and the number of turns of a counted loop; the body knows the former.
    pub(super) fn counter_of(&mut self, form: &LoopForm, env: &mut Env, scope: &Scope) -> Option<(ValueId, Atom)> {
        let LoopForm::For { index, count } = form else { return None };
        let count = self.scalar(*count, env, scope);
        let i = self.scalar_value("i", ScalarType::I64);
        env.insert(*index, Rep::Scalar(Ix::Atom(i.into()), ScalarType::I64));
        Some((i, count))
    }

    /// Whether there is another turn.
    pub(super) fn goes_on(
        &mut self,
        form: &LoopForm,
        counter: Option<(ValueId, Atom)>,
        env: &Env,
        scope: &Scope,
    ) -> Result<flat::Body> {
        self.body(|s| {
            Ok(vec![match (form, counter) {
                (LoopForm::While(cond), _) => match s.plain_body(cond, &mut env.clone(), scope)? {
                    Rep::Scalar(go, _) => s.ix(&go, scope),
                    _ => unreachable!("a condition is a scalar"),
                },
                (_, Some((i, count))) => s.binary("go", BinOp::Lt, i.into(), count),
                _ => unreachable!("a counted loop has a counter"),
            }])
        })
    }

    /// The leaves of a flat value, as scalars computed here.
    pub(super) fn scalars(&mut self, rep: &Rep, scope: &Scope, out: &mut Vec<Atom>) {
        match rep {
            Rep::Scalar(ix, _) => out.push(self.ix(ix, scope)),
            Rep::Tuple(parts) => parts.iter().for_each(|p| self.scalars(p, scope, out)),
            Rep::Array(_) => unreachable!("a flat value has no arrays"),
        }
    }

    /// Applies a function written in place to values, in plain code.
    pub(super) fn apply(&mut self, lambda: &Lambda, args: Vec<Rep>, env: &Env, scope: &Scope) -> Result<Rep> {
        let mut env = env.clone();
        env.extend(lambda.params.iter().copied().zip(args));
        self.plain_body(&lambda.body, &mut env, scope)
    }
}

/// Elements `from` to `to` of an array.
pub(super) fn slice(arr: &Arr, from: &Ix, to: &Ix) -> Arr {
    let elem = match &arr.elem {
        Elem::Zip(arrays) => Elem::Zip(arrays.iter().map(|a| slice(a, from, to)).collect()),
        other => other.clone(),
    };
    // Another slice at every point of an inner level: together they may be longer than the array.
    let inner = from.innermost().max(to.innermost()) > arr.level();
    Arr {
        start: arr.start.clone().add(from.clone()),
        len: to.clone().sub(from.clone()),
        dim: None,
        count: arr.count,
        total: arr.total.clone().filter(|_| !inner),
        elem,
    }
}

/// One array of tuples. The lengths were checked: where one of the arrays is equally long at all points, all of them are.
pub(super) fn zip(arrays: Vec<Arr>) -> Arr {
    let shaped = arrays.iter().find(|a| a.dim.is_some()).unwrap_or(&arrays[0]).clone();
    let len = arrays.iter().find(|a| a.len.uniform().is_some()).map_or(shaped.len, |a| a.len.clone());
    // A row of a level further out is there once per point of the inner one: its own total says nothing here.
    let level = arrays.iter().map(Arr::level).max().flatten();
    let total = arrays.iter().filter(|a| a.level() == level).find_map(|a| a.total.clone());
    Arr { start: shaped.start, len, dim: shaped.dim, count: shaped.count, total, elem: Elem::Zip(arrays) }
}
