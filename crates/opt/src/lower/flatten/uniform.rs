//! What is the same at all points is computed once, by the host.
//!
//! ```text
//! [let half = len(row) / 2                     len(row) is m at all points: half is a scalar of the host
//!  in if half > 0 then row[..half] else row    a host-level `if`, with all points in both branches
//!  for row in rows]                            rows : [n][m]f64
//! ```
//!
//! Arithmetic is total, so it may run where no point is left. What may fail, or may never end, runs only if there is a point:
//! inside an `if` on the number of points, which a lifted function does not need, since it is called for points only.

use super::build::Scope;
use super::lifted::is_uniform;
use super::rep::{Arr, Context, Elem, Ix, Rep};
use super::{Env, Flattener, Result};
use terrace_base::{BinOp, Scalar};
use terrace_ir::core::visit::{bound_values, free_values_of_expr, has_checks, walk};
use terrace_ir::core::{Body, Expr, Stmt, StmtKind};
use terrace_ir::flat;
use terrace_ir::{Atom, ValueId};

impl Flattener<'_> {
    /// A scalar that is computed from what is the same at all points.
    pub(super) fn uniform_scalar(&mut self, stmt: &Stmt, env: &Env, cx: &Context) -> Result<Option<(ValueId, Rep)>> {
        let StmtKind::Let { value, expr, .. } = &stmt.kind else { return Ok(None) };
        let fixed = free_values_of_expr(expr).iter().all(|v| env.get(v).is_some_and(is_uniform));
        if !fixed || !self.source().values[*value].ty.is_flat() {
            return Ok(None);
        }
        let name = self.source().values[*value].name.clone();
        let scope = Scope::default();
        let rep = match expr {
            // Division is total only behind its check, which may not have run.
            Expr::Binary(op @ (BinOp::Div | BinOp::Rem), a, b) if !is_divisor(*b) && !self.is_float(*a) => {
                self.safe_division(&name, *op, [*a, *b], env)?
            }
            Expr::Unary(..) | Expr::Binary(..) | Expr::Fma(..) | Expr::Convert(..) | Expr::Length(_) => {
                self.plain_expr(expr, &name, env, &scope)?
            }
            // An element is read where it is needed, after the check.
            Expr::Index { array, index } => {
                let arr = self.array(*array, env);
                let Rep::Scalar(index, _) = self.rep(*index, env) else { unreachable!("an index is a scalar") };
                self.item(&arr, &index, None, None)
            }
            Expr::If { .. } | Expr::Loop { .. } if !expr.bodies().into_iter().any(reads) => {
                self.once(*value, cx, |s| s.plain_expr(expr, &name, env, &scope))?
            }
            _ => return Ok(None),
        };
        Ok(Some((*value, rep)))
    }

    fn is_float(&self, atom: Atom) -> bool {
        let ty = match atom {
            Atom::Const(c) => Some(c.ty()),
            Atom::Var(v) => self.source().values[v].ty.scalar(),
        };
        ty.is_some_and(|ty| ty.is_float())
    }

    /// A division that gives 0 where the divisor is 0.
    fn safe_division(&mut self, name: &str, op: BinOp, [a, b]: [Atom; 2], env: &Env) -> Result<Rep> {
        let scope = Scope::default();
        let (a, b) = (self.scalar(a, env, &scope), self.scalar(b, env, &scope));
        let ty = self.scalar_type(a);
        let zero = self.zero(ty);
        let cond = self.binary("safe", BinOp::Ne, b, zero);
        let then = self.body(|s| Ok(vec![s.binary(name, op, a, b)]))?;
        let otherwise = flat::Body { stmts: Vec::new(), results: vec![zero] };
        let v = self.scalar_value(name, ty);
        if self.is_host_known(a) && self.is_host_known(b) {
            self.fun.host_known.extend([Some(v), cond.var()].into_iter().flatten());
        }
        self.push(vec![v], flat::Expr::If { cond, then, otherwise });
        Ok(Rep::Scalar(Ix::Atom(v.into()), ty))
    }

    /// Whether a statement has one result for all points; and whether it may run even where there are none: it cannot fail,
    /// and relies on nothing that only the points establish, neither on a check that ran there nor on the condition of a branch.
    pub(super) fn uniform_statement(&self, stmt: &Stmt, env: &Env) -> Option<bool> {
        let StmtKind::Let { value, expr, after } = &stmt.kind else { return None };
        let free = free_values_of_expr(expr);
        if !free.iter().all(|v| env.get(v).is_some_and(is_uniform)) {
            return None;
        }
        let total = match expr {
            // Arrays in step have one length only because something has made sure of it.
            Expr::Map { arrays, .. } => arrays.len() == 1,
            // So has an array as long as a number: the check may stand with another array that has this length.
            Expr::Generate { count, .. } | Expr::Iota(count) | Expr::Replicate { count, .. } => {
                self.is_length(*count, env)
            }
            Expr::Filter { .. } | Expr::Reduce { .. } | Expr::Scan { .. } => true,
            Expr::Concat(_) | Expr::ArrayLiteral { .. } => true,
            // These are recipes: nothing is gained.
            Expr::Slice { .. } | Expr::Zip(_) | Expr::Index { .. } | Expr::Ascribe { .. } => return None,
            _ => false,
        };
        let relies = free.iter().any(|v| self.relying.contains(&(self.source, *v)));
        let fails = expr.bodies().into_iter().any(|b| has_checks(b) || may_not_end(b));
        // The labels of rows may hold only where there is a point: in a branch, because of its condition.
        let made = expr.bodies().into_iter().flat_map(bound_values).chain([*value]);
        let rows = made.into_iter().any(|v| self.source().values[v].ty.elem().is_some_and(|elem| !elem.is_flat()));
        Some(total && after.is_empty() && !relies && !fails && !rows)
    }

    /// Whether a number is certainly no less than zero.
    fn is_length(&self, count: Atom, env: &Env) -> bool {
        match count {
            Atom::Const(c) => c.as_i64().is_some_and(|n| n >= 0),
            Atom::Var(v) => match env.get(&v) {
                Some(Rep::Scalar(Ix::Atom(Atom::Var(v)), _)) => self.fun.lengths.contains(v),
                Some(Rep::Scalar(Ix::Atom(Atom::Const(c)), _)) => c.as_i64().is_some_and(|n| n >= 0),
                _ => false,
            },
        }
    }

    /// A statement that has one result for all points; `total` if it may run where there are none.
    pub(super) fn hoisted(&mut self, value: ValueId, expr: &Expr, total: bool, env: &Env, cx: &Context) -> Result<Rep> {
        let name = self.source().values[value].name.clone();
        let counters = std::mem::take(&mut self.counters);
        let rep = match total {
            true => self.plain_expr(expr, &name, env, &Scope::default()),
            false => self.once(value, cx, |s| s.plain_expr(expr, &name, env, &Scope::default())),
        };
        self.counters = counters;
        rep
    }

    /// Whether the context certainly has a point.
    pub(super) fn has_points(&self, cx: &Context) -> bool {
        match cx.total() {
            Atom::Const(c) => c.as_i64().is_some_and(|n| n > 0),
            total => cx.depth() == 1 && total.var() == self.fun.points,
        }
    }

    /// Whether there is a point, as a scalar of the host.
    pub(super) fn any_point(&mut self, cx: &Context) -> Atom {
        let any = self.binary("any", BinOp::Lt, Atom::int(0), cx.total());
        if let Atom::Var(v) = any
            && self.is_host_known(cx.total())
        {
            self.fun.host_known.insert(v);
        }
        any
    }

    pub(super) fn is_host_known(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|v| self.fun.host_known.contains(&v))
    }

    /// Computes a value at the host if there is a point.
    pub(super) fn once(
        &mut self,
        value: ValueId,
        cx: &Context,
        f: impl FnOnce(&mut Self) -> Result<Rep>,
    ) -> Result<Rep> {
        if self.has_points(cx) {
            return f(self);
        }
        let host = Self::host();
        let form = self.form_of(Atom::Var(value), &host);
        let cond = self.any_point(cx);
        let saved = self.fun.offsets.clone();
        let then = self.body(|s| {
            let rep = f(s)?;
            s.border(&rep, &form, &host, &Scope::default())
        })?;
        self.fun.offsets = saved;
        let otherwise = self.body(|s| {
            let (like, _) = s.fresh_border(&form, &host);
            Ok(like.iter().map(|v| s.nothing(*v)).collect())
        })?;
        let (binds, rep) = self.fresh_border(&form, &host);
        self.known_after_if(&binds, cond, &then, &otherwise);
        self.push(binds, flat::Expr::If { cond, then, otherwise });
        Ok(rep)
    }

    /// What the host knows after a choice that it makes itself.
    pub(super) fn known_after_if(&mut self, binds: &[ValueId], cond: Atom, then: &flat::Body, otherwise: &flat::Body) {
        if !self.is_host_known(cond) {
            return;
        }
        for (v, (a, b)) in binds.iter().zip(then.results.iter().zip(&otherwise.results)) {
            if !self.fun.values[*v].ty.is_column() && self.is_host_known(*a) && self.is_host_known(*b) {
                self.fun.host_known.insert(*v);
            }
        }
    }

    /// A check on what is the same at all points; nothing where the points must look themselves.
    pub(super) fn uniform_check(&mut self, stmt: &Stmt, env: &Env, cx: &Context) -> bool {
        let StmtKind::Check { check, cond, values, .. } = &stmt.kind else { return false };
        let atoms: Option<Vec<Atom>> = std::iter::once(cond)
            .chain(values)
            .map(|a| match a {
                Atom::Const(_) => Some(*a),
                Atom::Var(v) => match env.get(v) {
                    Some(Rep::Scalar(ix, _)) => ix.uniform(),
                    _ => None,
                },
            })
            .collect();
        let Some(atoms) = atoms else { return false };
        let known = self.has_points(cx) || (self.is_host_known(cx.total()) && self.is_host_known(atoms[0]));
        if !known {
            return false;
        }
        let mut cond = atoms[0];
        if cond == Atom::Const(Scalar::Bool(true)) {
            return true;
        }
        if !self.has_points(cx) {
            let none = self.binary("none", BinOp::Le, cx.total(), Atom::int(0));
            cond = self.binary("fine", BinOp::Or, cond, none);
        }
        self.span = stmt.span;
        self.push(Vec::new(), flat::Expr::Check { check: *check, cond, values: atoms[1..].to_vec() });
        true
    }

    /// A conditional whose condition is the same at all points: a choice of the host, for all points.
    pub(super) fn uniform_if(
        &mut self,
        value: ValueId,
        cond: Atom,
        branches: [&Body; 2],
        env: &Env,
        cx: &Context,
    ) -> Result<Rep> {
        let form = self.form_of(Atom::Var(value), cx);
        let saved = self.fun.offsets.clone();
        let mut bodies = Vec::new();
        for body in branches {
            bodies.push(self.body(|s| {
                let rep = s.lifted_body(body, &mut env.clone(), cx)?;
                s.border(&rep, &form, cx, &Scope::default())
            })?);
            self.fun.offsets = saved.clone();
        }
        let otherwise = bodies.pop().expect("two branches");
        let then = bodies.pop().expect("two branches");
        let (binds, rep) = self.fresh_border(&form, cx);
        self.known_after_if(&binds, cond, &then, &otherwise);
        self.push(binds, flat::Expr::If { cond, then, otherwise });
        Ok(rep)
    }

    /// The value with everything computed that is the same at all points and needs no reading.
    pub(super) fn settled(&mut self, rep: Rep) -> Rep {
        match rep {
            Rep::Scalar(ix, ty) => Rep::Scalar(self.settled_ix(ix), ty),
            Rep::Tuple(parts) => Rep::Tuple(parts.into_iter().map(|p| self.settled(p)).collect()),
            Rep::Array(arr) => Rep::Array(self.settled_array(arr)),
        }
    }

    fn settled_array(&mut self, mut arr: Arr) -> Arr {
        if let Elem::Zip(arrays) = arr.elem {
            arr.elem = Elem::Zip(arrays.into_iter().map(|a| self.settled_array(a)).collect());
        } else {
            arr.start = self.settled_ix(arr.start);
        }
        arr.len = match arr.len.as_size() {
            Some(size) => self.settled_ix(Ix::closed(&size, Vec::new())),
            None => arr.len,
        };
        arr
    }

    fn settled_ix(&mut self, ix: Ix) -> Ix {
        match ix {
            Ix::Atom(_) => ix,
            _ if ix.innermost().is_none() && !ix.reads() => Ix::Atom(self.ix(&ix, &Scope::default())),
            _ => ix,
        }
    }
}

/// Whether an operand is a constant that one can divide by.
fn is_divisor(atom: Atom) -> bool {
    matches!(atom, Atom::Const(c) if c.as_i64().is_some_and(|n| n != 0))
}

/// Whether a body reads arrays or makes them.
fn reads(body: &Body) -> bool {
    let mut found = false;
    walk(body, &mut |s| {
        if let StmtKind::Let { expr, .. } = &s.kind {
            found |= !matches!(
                expr,
                Expr::Atom(_)
                    | Expr::Unary(..)
                    | Expr::Binary(..)
                    | Expr::Fma(..)
                    | Expr::Convert(..)
                    | Expr::Tuple(_)
                    | Expr::Project(..)
                    | Expr::Length(_)
                    | Expr::If { .. }
                    | Expr::Loop { .. }
            );
        }
    });
    found
}

/// Whether a body has calls or loops.
fn may_not_end(body: &Body) -> bool {
    let mut found = false;
    walk(body, &mut |s| {
        if let StmtKind::Let { expr, .. } = &s.kind {
            found |= matches!(expr, Expr::Call { .. } | Expr::Loop { .. });
        }
    });
    found
}
