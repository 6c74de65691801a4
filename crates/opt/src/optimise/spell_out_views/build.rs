//! Writing Core: fresh values and statements, with constants folded on the way.

use terrace_base::{BinOp, IdVec, Scalar, ScalarType, Span, convert};
use terrace_ir::check::CheckId;
use terrace_ir::core::visit::refresh_lambda;
use terrace_ir::core::{Body, Expr, Lambda, Stmt, StmtKind, Type, Value};
use terrace_ir::{Atom, ValueId};

pub(in crate::optimise) const I64: Type = Type::Scalar(ScalarType::I64);
pub(in crate::optimise) const BOOL: Type = Type::Scalar(ScalarType::Bool);

/// Statements that stand in for one operator.
pub(in crate::optimise) struct Build<'a> {
    values: &'a mut IdVec<ValueId, Value>,
    pub(in crate::optimise) stmts: Vec<Stmt>,
    span: Span,
    after: Vec<CheckId>,
}

impl<'a> Build<'a> {
    pub(in crate::optimise) fn new(
        values: &'a mut IdVec<ValueId, Value>,
        span: Span,
        after: Vec<CheckId>,
    ) -> Build<'a> {
        Build { values, stmts: Vec::new(), span, after }
    }

    pub(in crate::optimise) fn ty(&self, atom: Atom) -> Type {
        match atom {
            Atom::Const(c) => Type::Scalar(c.ty()),
            Atom::Var(v) => self.values[v].ty.without_sizes(),
        }
    }

    /// The type with the sizes that it states.
    pub(in crate::optimise) fn stated_type(&self, atom: Atom) -> Type {
        match atom {
            Atom::Const(c) => Type::Scalar(c.ty()),
            Atom::Var(v) => self.values[v].ty.clone(),
        }
    }

    /// Everything bound in the function.
    pub(in crate::optimise) fn values(&self) -> &IdVec<ValueId, Value> {
        self.values
    }

    /// The same, to change.
    pub(in crate::optimise) fn values_mut(&mut self) -> &mut IdVec<ValueId, Value> {
        self.values
    }

    /// Where the operator stands.
    pub(in crate::optimise) fn span(&self) -> Span {
        self.span
    }

    /// The type of an element of an array.
    pub(in crate::optimise) fn elem(&self, array: Atom) -> Type {
        self.ty(array).elem().cloned().expect("verified Core has an array here")
    }

    /// A fresh value, which something is to bind.
    pub(in crate::optimise) fn value(&mut self, name: &str, ty: Type) -> ValueId {
        self.values.push(Value { name: name.to_string(), ty })
    }

    /// Binds a fresh value.
    pub(in crate::optimise) fn bind(&mut self, name: &str, ty: Type, expr: Expr) -> Atom {
        let value = self.value(name, ty);
        self.bind_as(value, expr);
        Atom::Var(value)
    }

    /// Binds a value that exists already.
    pub(in crate::optimise) fn bind_as(&mut self, value: ValueId, expr: Expr) {
        let kind = StmtKind::Let { value, expr, after: self.after.clone() };
        self.stmts.push(Stmt { kind, span: self.span });
    }

    /// What `f` writes, as a body of its own.
    pub(in crate::optimise) fn body(&mut self, f: impl FnOnce(&mut Self) -> Atom) -> Body {
        let around = std::mem::take(&mut self.stmts);
        let result = f(self);
        Body { stmts: std::mem::replace(&mut self.stmts, around), result }
    }

    /// A function of fresh parameters.
    pub(in crate::optimise) fn lambda(
        &mut self,
        params: &[(&str, Type)],
        f: impl FnOnce(&mut Self, &[Atom]) -> Atom,
    ) -> Lambda {
        let params: Vec<ValueId> = params.iter().map(|(name, ty)| self.value(name, ty.clone())).collect();
        let atoms: Vec<Atom> = params.iter().map(|p| Atom::Var(*p)).collect();
        Lambda { params, body: self.body(|b| f(b, &atoms)) }
    }

    /// A copy of a function, for another place.
    pub(in crate::optimise) fn refreshed(&mut self, lambda: &Lambda) -> Lambda {
        let mut copy = lambda.clone();
        refresh_lambda(&mut copy, self.values);
        copy
    }

    /// What a function of the program gives for some values, written here.
    pub(in crate::optimise) fn apply(&mut self, lambda: &Lambda, args: &[Atom]) -> Atom {
        let Lambda { params, body } = self.refreshed(lambda);
        params.into_iter().zip(args).for_each(|(p, a)| self.bind_as(p, Expr::Atom(*a)));
        self.stmts.extend(body.stmts);
        body.result
    }

    pub(in crate::optimise) fn generate(
        &mut self,
        index: &str,
        count: Atom,
        f: impl FnOnce(&mut Self, Atom) -> Atom,
    ) -> Expr {
        let lambda = self.lambda(&[(index, I64)], |b, params| f(b, params[0]));
        Expr::Generate { lambda, count }
    }

    /// `a op b` on scalars.
    pub(in crate::optimise) fn binary(&mut self, name: &str, op: BinOp, a: Atom, b: Atom) -> Atom {
        let is = |x: Atom, n: i64| x.constant().is_some_and(|c| c.ty().is_int() && c.as_i64() == Some(n));
        match (op, a, b) {
            (_, Atom::Const(x), Atom::Const(y)) => {
                if let Some(c) = op.try_apply(x, y) {
                    return Atom::Const(c);
                }
            }
            (BinOp::Add, ..) if is(a, 0) => return b,
            (BinOp::Add | BinOp::Sub, ..) if is(b, 0) => return a,
            (BinOp::Mul, ..) if is(a, 1) => return b,
            (BinOp::Mul | BinOp::Div, ..) if is(b, 1) => return a,
            (BinOp::And | BinOp::Or, ..) if a.constant().or(b.constant()).is_some() => {
                let (known, other) = if a.constant().is_some() { (a, b) } else { (b, a) };
                if let Some(Scalar::Bool(known)) = known.constant() {
                    return if known == (op == BinOp::And) { other } else { Atom::Const(Scalar::Bool(known)) };
                }
            }
            _ => {}
        }
        let of = self.ty(a).scalar().expect("an operand of a scalar operation");
        let ty = op.result_type(of).expect("an operation that the type has");
        self.bind(name, Type::Scalar(ty), Expr::Binary(op, a, b))
    }

    pub(in crate::optimise) fn add(&mut self, name: &str, a: Atom, b: Atom) -> Atom {
        self.binary(name, BinOp::Add, a, b)
    }

    pub(in crate::optimise) fn sub(&mut self, name: &str, a: Atom, b: Atom) -> Atom {
        self.binary(name, BinOp::Sub, a, b)
    }

    pub(in crate::optimise) fn mul(&mut self, name: &str, a: Atom, b: Atom) -> Atom {
        self.binary(name, BinOp::Mul, a, b)
    }

    pub(in crate::optimise) fn convert(&mut self, name: &str, to: ScalarType, a: Atom) -> Atom {
        match a {
            Atom::Const(c) => Atom::Const(convert(c, to)),
            a => self.bind(name, Type::Scalar(to), Expr::Convert(to, a)),
        }
    }

    pub(in crate::optimise) fn length(&mut self, array: Atom) -> Atom {
        self.bind("n", I64, Expr::Length(array))
    }

    pub(in crate::optimise) fn index(&mut self, name: &str, array: Atom, index: Atom) -> Atom {
        let elem = self.elem(array);
        self.bind(name, elem, Expr::Index { array, index })
    }

    /// `0 <= x < end`.
    pub(in crate::optimise) fn within(&mut self, x: Atom, end: Atom) -> Atom {
        let low = self.binary("low", BinOp::Le, Atom::int(0), x);
        let high = self.binary("high", BinOp::Lt, x, end);
        self.binary("inside", BinOp::And, low, high)
    }

    /// One of two values.
    pub(in crate::optimise) fn choose(
        &mut self,
        name: &str,
        cond: Atom,
        then: impl FnOnce(&mut Self) -> Atom,
        otherwise: impl FnOnce(&mut Self) -> Atom,
    ) -> Atom {
        if let Some(Scalar::Bool(known)) = cond.constant() {
            return if known { then(self) } else { otherwise(self) };
        }
        let then = self.body(then);
        let otherwise = self.body(otherwise);
        let ty = self.ty(then.result);
        self.bind(name, ty, Expr::If { cond, then, otherwise })
    }
}
