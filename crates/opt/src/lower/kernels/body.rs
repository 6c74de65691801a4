//! What one thread does at one point: the body of an operator as kernel statements.
//!
//! Statements go over one by one; `if` and `loop` become control flow on locals. A check needs care: where it fails, the
//! rest of *this* point must not run (an index may be out of range), but other points must, since one of them may fail
//! with a smaller number. So the rest of the body stands inside the test:
//!
//! ```text
//! check 3 in_bounds (c < m)          check 3, c < m
//! let x = v[c]                       if c < m {
//! … x …                                let x = v[c]
//!                                      … x …        what is done with the results goes in here too
//!                                    }
//! ```
//!
//! Where control has to come out again (the end of a branch, the next round of a loop), a flag `ok` says whether all
//! checks inside held, and the rest stands inside `if ok`.

use super::build::{Builder, Checks, zero};
use super::expr::{constant, convert, local, truth};
use super::steady::is_steady;
use super::{Lowered, limit};
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_ir::flat::visit::{has_checks, walk};
use terrace_ir::flat::{Body, Expr as FlatExpr, Stmt as FlatStmt, Type};
use terrace_ir::kernel::{Expr, Given, LocalId, RunArg, Stmt};
use terrace_ir::{Atom, FuncId, ValueId};

/// Whether a body may fail.
pub fn may_fail(body: &Body) -> bool {
    body.stmts.iter().any(stmt_may_fail)
}

fn stmt_may_fail(stmt: &FlatStmt) -> bool {
    match &stmt.expr {
        FlatExpr::Check { .. } | FlatExpr::Keep { .. } => true,
        FlatExpr::If { then, otherwise, .. } => may_fail(then) || may_fail(otherwise),
        FlatExpr::Loop { cond, body, .. } => may_fail(cond) || may_fail(body),
        FlatExpr::Op(op) => may_fail(&op.body),
        _ => false,
    }
}

/// Whether a body is scalar computations and checks only: it can be run once for the checks and once for the results.
pub fn is_checked_scalars(body: &Body) -> bool {
    body.stmts.iter().all(|s| is_scalar(&s.expr) || matches!(s.expr, FlatExpr::Check { .. }))
}

type Rest<'r, 'h> = &'r mut dyn FnMut(&mut Builder<'h>) -> Lowered<()>;

impl<'h> Builder<'h> {
    /// The statements of a body; the closure emits what is done with its results, where all checks of the body have held.
    pub fn body(&mut self, body: &Body, k: impl FnOnce(&mut Self, Vec<Expr>) -> Lowered<()>) -> Lowered<()> {
        let mut k = Some(k);
        self.stmts(&body.stmts, &mut |b| {
            let Some(k) = k.take() else { return Ok(()) };
            let mut results = Vec::new();
            for a in &body.results {
                match a {
                    // A local array is where its place says; there is nothing to hand on.
                    Atom::Var(v) if b.is_column(*v) => results.push(super::expr::int(0)),
                    a => results.push(b.atom(a)?),
                }
            }
            k(b, results)
        })
    }

    /// The results of a body as values that can be used after it: `defaults` where a check failed.
    pub fn body_values(&mut self, body: &Body, defaults: &[Expr]) -> Lowered<Vec<Expr>> {
        if !may_fail(body) {
            let mut out = Vec::new();
            self.body(body, |_, results| {
                out = results;
                Ok(())
            })?;
            return Ok(out);
        }
        let vars: Vec<LocalId> = body
            .results
            .iter()
            .zip(defaults)
            .map(|(a, d)| {
                let ty = self.atom_type(a);
                self.var("r", ty, d.clone())
            })
            .collect();
        self.body(body, |b, results| {
            for (v, r) in vars.iter().zip(results) {
                b.set(*v, r);
            }
            Ok(())
        })?;
        Ok(vars.into_iter().map(local).collect())
    }

    /// The type of an operand.
    pub fn atom_type(&self, a: &Atom) -> ScalarType {
        match a {
            Atom::Const(c) => c.ty(),
            Atom::Var(v) => self.elem(*v),
        }
    }

    fn stmts(&mut self, stmts: &[FlatStmt], rest: Rest<'_, 'h>) -> Lowered<()> {
        for (i, stmt) in stmts.iter().enumerate() {
            if self.checks() == Checks::Assume && matches!(stmt.expr, FlatExpr::Check { .. }) {
                continue;
            }
            if self.checks() != Checks::Assume && stmt_may_fail(stmt) {
                let gate = self.failing(stmt)?;
                let inner = self.nested(|b| b.stmts(&stmts[i + 1..], rest))?;
                if !inner.is_empty() {
                    self.emit(Stmt::If(gate, inner, Vec::new()));
                }
                return Ok(());
            }
            self.plain(stmt)?;
        }
        rest(self)
    }

    /// A statement with checks in it; returns the condition under which all of them held.
    fn failing(&mut self, stmt: &FlatStmt) -> Lowered<Expr> {
        if let FlatExpr::Check { check, cond, values } = &stmt.expr {
            let cond = self.atom(cond)?;
            if let Checks::Note(wrong) = self.checks() {
                let fails = convert(ScalarType::I64, super::expr::not(cond.clone()));
                self.set(wrong, super::expr::binary(BinOp::Or, local(wrong), fails));
                return Ok(cond);
            }
            let mut shown = Vec::new();
            for v in values.iter().take(3) {
                let e = self.atom(v)?;
                shown.push(if self.atom_type(v) == ScalarType::I64 { e } else { convert(ScalarType::I64, e) });
            }
            let index = self.index();
            self.emit(Stmt::Check { check: *check, cond: cond.clone(), index, values: shown });
            return Ok(cond);
        }
        if let FlatExpr::Keep { function, args } = &stmt.expr {
            return self.keep(stmt, *function, args);
        }
        let ok = self.var("ok", ScalarType::Bool, truth(false));
        match &stmt.expr {
            FlatExpr::If { cond, then, otherwise } => self.branch(stmt, cond, then, otherwise, Some(ok))?,
            FlatExpr::Loop { state, cond, body } => self.looped(stmt, state, cond, body, Some(ok))?,
            FlatExpr::Op(op) => {
                self.emit(Stmt::Assign(ok, truth(true)));
                let results = self.sequential(op, &stmt.binds, Some(ok))?;
                self.bind(&stmt.binds, results);
            }
            _ => return Err(limit(stmt.span, "a check in this place")),
        }
        Ok(local(ok))
    }

    /// A call that the thread makes by itself; returns the condition under which nothing failed.
    fn keep(&mut self, stmt: &FlatStmt, function: FuncId, args: &[Atom]) -> Lowered<Expr> {
        if !self.target_is_cpu() {
            return Err(limit(stmt.span, "a recursion within a thread of a GPU"));
        }
        let callee = &self.host.program.functions[function];
        let mut given = Vec::new();
        for (p, a) in callee.params.iter().zip(args) {
            match (&callee.values[*p].ty, a) {
                (Type::Scalar(_), a) => given.push(RunArg::Value(self.atom(a)?)),
                (Type::Block, Atom::Var(block)) => {
                    let slot = self.host.buffer_of_block(*block)?;
                    given.push(RunArg::Buffer(self.input(slot)));
                }
                _ => {}
            }
        }
        let ok = self.local("ok", ScalarType::Bool);
        let (mut into, mut count) = (Vec::new(), None);
        let kinds = callee.results.iter().filter(|t| **t != Type::Block);
        for (v, ty) in stmt.binds.iter().zip(kinds) {
            let name = self.host.function.values[*v].name.clone();
            let id = self.local(&name, self.elem(*v));
            // The length of an array comes before its columns.
            match (ty, count) {
                (Type::Column { elem, .. }, Some(count)) => into.push(Given::Held(id, *elem, count)),
                (Type::Scalar(ty), _) => {
                    count = (*ty == ScalarType::I64).then_some(id);
                    into.push(Given::Scalar(id));
                }
                _ => return Err(limit(stmt.span, "a column of unknown length that leaves a thread's call")),
            }
            self.define(*v, local(id));
        }
        let index = self.index();
        self.emit(Stmt::Run { function: function.index(), args: given, into, ok, index, span: stmt.span });
        Ok(local(ok))
    }

    fn bind(&mut self, binds: &[ValueId], results: Vec<Option<Expr>>) {
        for (v, e) in binds.iter().zip(results) {
            if let Some(e) = e {
                self.define(*v, e);
            }
        }
    }

    fn plain(&mut self, stmt: &FlatStmt) -> Lowered<()> {
        match &stmt.expr {
            FlatExpr::If { cond, then, otherwise } => self.branch(stmt, cond, then, otherwise, None),
            FlatExpr::Loop { state, cond, body } => self.looped(stmt, state, cond, body, None),
            FlatExpr::Op(op) => {
                let results = self.sequential(op, &stmt.binds, None)?;
                self.bind(&stmt.binds, results);
                Ok(())
            }
            FlatExpr::Literal(items) => {
                let [column] = stmt.binds.as_slice() else { return Ok(()) };
                for (i, item) in items.iter().enumerate() {
                    let value = self.atom(item)?;
                    self.store(*column, super::expr::int(i as i64), value)?;
                }
                Ok(())
            }
            FlatExpr::Take(handle) => {
                let [column] = stmt.binds.as_slice() else { return Ok(()) };
                let handle = self.atom(handle)?;
                let count = super::writes::length(self, *column)?;
                self.take(*column, handle, count)
            }
            FlatExpr::Atom(Atom::Var(v)) if self.is_column(*v) => Ok(()),
            FlatExpr::Alloc { .. }
            | FlatExpr::Call { .. }
            | FlatExpr::Keep { .. }
            | FlatExpr::MemoryLimit
            | FlatExpr::Guard { .. } => Err(limit(stmt.span, "this inside a parallel body")),
            expr => {
                let [v] = stmt.binds.as_slice() else { return Ok(()) };
                let e = self.scalar_expr(expr)?;
                let name = self.host.function.values[*v].name.clone();
                let ty = self.elem(*v);
                let e = self.let_(&name, ty, e);
                self.define(*v, e);
                Ok(())
            }
        }
    }

    /// A scalar computation as an expression.
    pub fn scalar_expr(&mut self, expr: &FlatExpr) -> Lowered<Expr> {
        Ok(match expr {
            FlatExpr::Atom(a) => self.atom(a)?,
            FlatExpr::Unary(op, a) => super::expr::unary(*op, self.atom(a)?),
            FlatExpr::Binary(op, a, b) => {
                let is_i64 = self.atom_type(a) == ScalarType::I64;
                let (a, b) = (self.atom(a)?, self.atom(b)?);
                match op {
                    BinOp::Add if is_i64 => super::expr::add(a, b),
                    BinOp::Sub if is_i64 => super::expr::sub(a, b),
                    BinOp::Mul if is_i64 => super::expr::mul(a, b),
                    op => super::expr::binary(*op, a, b),
                }
            }
            FlatExpr::Fma(a, b, c) => {
                let (a, b, c) = (self.atom(a)?, self.atom(b)?, self.atom(c)?);
                Expr::Fma(Box::new(a), Box::new(b), Box::new(c))
            }
            FlatExpr::Convert(ty, a) if self.atom_type(a) == *ty => self.atom(a)?,
            FlatExpr::Convert(ty, a) => convert(*ty, self.atom(a)?),
            FlatExpr::Select(c, a, b) => {
                let (c, a, b) = (self.atom(c)?, self.atom(a)?, self.atom(b)?);
                super::expr::select(c, a, b)
            }
            FlatExpr::Size(s) => self.size(s)?,
            FlatExpr::Read { column, at } => {
                let index = self.atom(at)?;
                let index = if self.atom_type(at) == ScalarType::I64 { index } else { convert(ScalarType::I64, index) };
                self.load(*column, index)?
            }
            _ => return Err(limit(self.span(), "this as a scalar computation")),
        })
    }

    fn result_vars(&mut self, binds: &[ValueId]) -> Vec<Option<LocalId>> {
        binds
            .iter()
            .map(|v| {
                let info = &self.host.function.values[*v];
                let ty = info.ty.elem()?;
                let name = info.name.clone();
                (!info.ty.is_column()).then(|| self.var(&name, ty, zero(ty)))
            })
            .collect()
    }

    fn branch(
        &mut self,
        stmt: &FlatStmt,
        cond: &Atom,
        then: &Body,
        otherwise: &Body,
        ok: Option<LocalId>,
    ) -> Lowered<()> {
        let cond = self.atom(cond)?;
        if let (None, Expr::Const(Scalar::Bool(cond))) = (ok, &cond)
            && !stmt.binds.iter().any(|v| self.is_column(*v))
        {
            let mut given = Vec::new();
            self.body(if *cond { then } else { otherwise }, |_, results| {
                given = results.into_iter().map(Some).collect();
                Ok(())
            })?;
            self.bind(&stmt.binds, given);
            return Ok(());
        }
        if ok.is_none() && self.is_steady() && self.is_steady_choice(then, otherwise) {
            return self.steady_branch(stmt, cond, then, otherwise);
        }
        let vars = self.result_vars(&stmt.binds);
        let arm = |b: &mut Self, body: &Body| {
            b.body(body, |b, results| {
                for (v, r) in vars.iter().zip(results) {
                    if let Some(v) = v {
                        b.set(*v, r);
                    }
                }
                if let Some(ok) = ok {
                    b.emit(Stmt::Assign(ok, truth(true)));
                }
                Ok(())
            })
        };
        let a = self.nested(|b| arm(b, then))?;
        let z = self.nested(|b| arm(b, otherwise))?;
        if a.is_empty() && !z.is_empty() {
            self.emit(Stmt::If(Expr::Unary(UnOp::Not, Box::new(cond)), z, a));
        } else if !a.is_empty() {
            self.emit(Stmt::If(cond, a, z));
        }
        self.bind(&stmt.binds, vars.into_iter().map(|v| v.map(local)).collect());
        Ok(())
    }

    /// ```text
    /// loop (x = x0) while c(x) { b(x) }    x = x0; go = c(x)
    ///                                      while go { x = b(x); go = c(x) }
    /// ```
    fn looped(
        &mut self,
        stmt: &FlatStmt,
        state: &[(ValueId, Atom)],
        cond: &Body,
        body: &Body,
        ok: Option<LocalId>,
    ) -> Lowered<()> {
        let mut vars: Vec<Option<LocalId>> = Vec::new();
        for (v, init) in state {
            if self.is_column(*v) {
                vars.push(None);
                continue;
            }
            let init = self.atom(init)?;
            let (name, ty) = (self.host.function.values[*v].name.clone(), self.elem(*v));
            let id = self.var(&name, ty, init);
            self.define(*v, local(id));
            vars.push(Some(id));
        }
        let step = |b: &mut Self, results: Vec<Expr>| {
            let own: Vec<LocalId> = vars.iter().flatten().copied().collect();
            let mut new = Vec::new();
            for (var, r) in vars.iter().zip(results) {
                let Some(var) = var else { continue };
                // A state that becomes another one must be saved before that one changes.
                let moved = matches!(&r, Expr::Local(l) if l != var && own.contains(l));
                let r = if moved {
                    let (name, ty) = ("next", b.local_type(*var));
                    local(b.var(name, ty, r))
                } else {
                    r
                };
                new.push((*var, r));
            }
            for (var, r) in new {
                b.set(var, r);
            }
        };
        let results: Vec<Option<Expr>> = vars.iter().map(|v| v.map(local)).collect();
        if ok.is_none() && cond.stmts.iter().all(|s| is_scalar(&s.expr) || self.is_test(&s.expr)) {
            let test = self.nested_test(cond)?;
            if let Some(test) = test {
                self.while_(test, |b| {
                    b.body(body, |b, r| {
                        step(b, r);
                        Ok(())
                    })
                })?;
                self.bind(&stmt.binds, results);
                return Ok(());
            }
        }
        let go = self.var("go", ScalarType::Bool, truth(false));
        let test = |b: &mut Self| {
            b.body(cond, |b, r| {
                if let Some(c) = r.into_iter().next() {
                    b.set(go, c);
                }
                if let Some(ok) = ok {
                    b.emit(Stmt::Assign(ok, truth(true)));
                }
                Ok(())
            })
        };
        test(self)?;
        self.while_(local(go), |b| {
            if let Some(ok) = ok {
                b.emit(Stmt::Assign(go, truth(false)));
                b.emit(Stmt::Assign(ok, truth(false)));
            }
            b.body(body, |b, r| {
                step(b, r);
                test(b)
            })
        })?;
        self.bind(&stmt.binds, results);
        Ok(())
    }

    /// The condition of a loop as one expression, where every value in it is used once.
    fn nested_test(&mut self, cond: &Body) -> Lowered<Option<Expr>> {
        let [result] = cond.results.as_slice() else { return Ok(None) };
        for (i, s) in cond.stmts.iter().enumerate() {
            let [v] = s.binds.as_slice() else { return Ok(None) };
            let uses = cond.stmts[i + 1..].iter().map(|t| count_uses(&t.expr, *v)).sum::<usize>()
                + usize::from(*result == Atom::Var(*v));
            if uses != 1 || matches!(&s.expr, FlatExpr::Size(size) if !size.is_constant()) {
                return Ok(None);
            }
            let e = match &s.expr {
                FlatExpr::If { cond, then, otherwise } => {
                    let c = self.atom(cond)?;
                    let (Some(a), Some(b)) = (self.nested_test(then)?, self.nested_test(otherwise)?) else {
                        return Ok(None);
                    };
                    match (&a, &b) {
                        (_, Expr::Const(Scalar::Bool(false))) => super::expr::and(c, a),
                        (Expr::Const(Scalar::Bool(true)), _) => super::expr::or(c, b),
                        _ => super::expr::select(c, a, b),
                    }
                }
                expr => self.scalar_expr(expr)?,
            };
            self.define(*v, e);
        }
        self.atom(result).map(Some)
    }

    /// Whether a conditional in the condition of a loop can be part of one expression. On a GPU the text then tests before each round,
    /// in one place, and what the test and the round both need is computed once.
    fn is_test(&self, e: &FlatExpr) -> bool {
        let scalars = |b: &Body| b.stmts.iter().all(|s| is_scalar(&s.expr) || self.is_test(&s.expr));
        matches!(e, FlatExpr::If { then, otherwise, .. } if !self.target_is_cpu() && scalars(then) && scalars(otherwise))
    }

    /// Whether both sides of a conditional may be computed.
    pub fn is_steady_choice(&self, then: &Body, otherwise: &Body) -> bool {
        [then, otherwise].iter().all(|b| is_steady(b, &|a| self.is_whole(a)))
    }
}

/// Whether an expression is a scalar computation.
pub fn is_scalar(e: &FlatExpr) -> bool {
    matches!(
        e,
        FlatExpr::Atom(_)
            | FlatExpr::Unary(..)
            | FlatExpr::Binary(..)
            | FlatExpr::Fma(..)
            | FlatExpr::Convert(..)
            | FlatExpr::Select(..)
            | FlatExpr::Size(_)
            | FlatExpr::Read { .. }
    )
}

/// Whether computing the key of a sort again, in every round, costs little and cannot fail.
pub fn is_cheap_key(body: &Body) -> bool {
    const FEW: usize = 6;
    let cheap = |e: &FlatExpr| is_scalar(e) && !matches!(e, FlatExpr::Fma(..) | FlatExpr::Size(_));
    body.stmts.len() <= FEW && body.stmts.iter().all(|s| cheap(&s.expr))
}

/// How often a scalar expression mentions a value.
pub fn count_uses(e: &FlatExpr, v: ValueId) -> usize {
    let is = |a: &Atom| usize::from(*a == Atom::Var(v));
    match e {
        FlatExpr::Atom(a) | FlatExpr::Unary(_, a) | FlatExpr::Convert(_, a) => is(a),
        FlatExpr::Binary(_, a, b) => is(a) + is(b),
        FlatExpr::Fma(a, b, c) | FlatExpr::Select(a, b, c) => is(a) + is(b) + is(c),
        FlatExpr::Size(s) => 2 * usize::from(s.vars().contains(&terrace_ir::size_var(v))),
        FlatExpr::Read { at, .. } => is(at),
        FlatExpr::If { cond, then, otherwise } => {
            let inner = |b: &Body| -> usize {
                b.stmts.iter().map(|s| count_uses(&s.expr, v)).chain(b.results.iter().map(is)).sum()
            };
            is(cond) + inner(then) + inner(otherwise)
        }
        _ => 2,
    }
}

/// Whether a body computes scalars without checks, loops and calls, as vector code wants it.
pub fn is_plain(body: &Body) -> bool {
    let mut plain = !has_checks(body);
    walk(body, &mut |s| {
        plain &= !matches!(
            s.expr,
            FlatExpr::Op(_) | FlatExpr::Loop { .. } | FlatExpr::Call { .. } | FlatExpr::Keep { .. } | FlatExpr::Take(_)
        );
    });
    plain
}

/// The neutral element, or any tuple of operands.
pub fn atoms(b: &mut Builder<'_>, list: &[Atom]) -> Lowered<Vec<Expr>> {
    list.iter().map(|a| b.atom(a)).collect()
}

/// Whether an expression is a constant of this value.
pub fn is_const(e: &Expr, value: Scalar) -> bool {
    *e == constant(value)
}

impl Builder<'_> {
    /// An element at a constant index.
    pub fn store_once(&mut self, column: ValueId, at: i64, value: Expr) -> Lowered<()> {
        self.store(column, super::expr::int(at), value)
    }

    /// A check of the host level whose operands are on the device.
    pub fn check_once(&mut self, check: terrace_ir::check::CheckId, cond: &Atom, values: &[Atom]) -> Lowered<()> {
        let expr = FlatExpr::Check { check, cond: *cond, values: values.to_vec() };
        self.failing(&FlatStmt { binds: Vec::new(), expr, span: self.span() }).map(|_| ())
    }
}
