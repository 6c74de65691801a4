//! An enum becomes a tuple: which variant, and room for the fields of all of them.
//!
//! ```text
//! <circle(f64) | rect(f64, f64) | nothing>      (i32, f64, f64, f64)
//! variant rect(w, h)                            (1i32, 0.0, w, h)
//! match s { circle(r) { a } rect(w, h) { b } nothing { c } }
//!                                               if s.0 == 0 { r = s.1; a } else { if s.0 == 1 { w = s.2; h = s.3; b } else { c } }
//! ```
//!
//! Room that a variant does not use holds zeros and empty arrays, so the total order of the tuples is that of the enum: first by
//! variant, then by what it holds. An array of enums with arrays in them has a row for every variant, and most of them are
//! empty: an empty row costs its place in the offsets. For the same reason the tuple states no sizes: what a variant promises about its
//! arrays does not hold for those of the others. At the border of the program [`enter`] and [`leave`] do to data what the pass does to types.

use super::spell_out_views::build::Build;
use terrace_base::{BinOp, IdVec, Scalar, ScalarType};
use terrace_ir::core::visit::{PartMut, walk_mut};
use terrace_ir::core::{Body, Expr, Lambda, Program, Role, Stmt, StmtKind, Type, Value, VariantType};
use terrace_ir::{Atom, ValueId};
use terrace_plan::data::Data;

/// Spells out in all functions.
pub fn spell_out_sums(program: &mut Program) {
    for function in program.functions.iter_mut() {
        if let Role::Test { arguments, .. } = &mut function.role {
            for (data, p) in arguments.iter_mut().zip(&function.params) {
                *data = enter(data.clone(), &function.values[*p].ty);
            }
        }
        spell_out(&mut function.body, &mut function.values);
        function.values.iter_mut().for_each(|v| v.ty = spelled(&v.ty));
        function.result = spelled(&function.result);
        walk_mut(&mut function.body, &mut |stmt| {
            if let StmtKind::Let { expr, .. } = &mut stmt.kind {
                expr.parts_mut(&mut |part| {
                    if let PartMut::Type(t) = part {
                        *t = spelled(t)
                    }
                });
            }
        });
    }
}

/// The type with every enum as a tuple.
fn spelled(ty: &Type) -> Type {
    match ty {
        Type::Scalar(s) => Type::Scalar(*s),
        Type::Tuple(parts) => Type::Tuple(parts.iter().map(spelled).collect()),
        Type::Array(a) => {
            let mut a = a.clone();
            a.elem = spelled(&a.elem);
            Type::Array(a)
        }
        Type::Sum(variants) => {
            let fields = variants.iter().flat_map(|v| &v.fields).map(|t| spelled(&t.without_sizes()));
            Type::Tuple(std::iter::once(Type::Scalar(ScalarType::I32)).chain(fields).collect())
        }
    }
}

fn tag(number: usize) -> Scalar {
    Scalar::from_i64(ScalarType::I32, number as i64)
}

/// A value of a type, as the program takes it once the pass has run. What is no value of the type stays as it is.
pub fn enter(data: Data, ty: &Type) -> Data {
    match (data, ty) {
        (Data::Tuple(parts), Type::Tuple(types)) => {
            Data::Tuple(parts.into_iter().zip(types).map(|(p, t)| enter(p, t)).collect())
        }
        (Data::Array(items), Type::Array(a)) if has_sum(&a.elem) => {
            Data::Array(items.into_iter().map(|d| enter(d, &a.elem)).collect())
        }
        (Data::Variant(d), Type::Sum(variants))
            if variants.get(d.tag).is_some_and(|v| v.fields.len() == d.fields.len()) =>
        {
            let number = d.tag;
            let mut out = vec![Data::Scalar(tag(number))];
            let mut fields = d.fields.into_iter();
            for (k, v) in variants.iter().enumerate() {
                for t in &v.fields {
                    let used = if k == number { fields.next().map(|f| enter(f, t)) } else { None };
                    out.push(used.unwrap_or_else(|| zero(t)));
                }
            }
            Data::Tuple(out)
        }
        (data, _) => data,
    }
}

/// A result of the program as the value of its type: the other way round of [`enter`].
pub fn leave(data: Data, ty: &Type) -> Data {
    match (data, ty) {
        (Data::Tuple(parts), Type::Tuple(types)) => {
            Data::Tuple(parts.into_iter().zip(types).map(|(p, t)| leave(p, t)).collect())
        }
        (Data::Array(items), Type::Array(a)) if has_sum(&a.elem) => {
            Data::Array(items.into_iter().map(|d| leave(d, &a.elem)).collect())
        }
        (Data::Tuple(parts), Type::Sum(variants)) => {
            let number = match parts.first() {
                Some(Data::Scalar(s)) => s.as_i64().and_then(|n| usize::try_from(n).ok()),
                _ => None,
            };
            let Some(number) = number.filter(|n| *n < variants.len()) else { return Data::Tuple(parts) };
            let (first, types) = (first_field(variants, number), &variants[number].fields);
            let fields = parts.into_iter().skip(first).zip(types).map(|(p, t)| leave(p, t)).collect();
            Data::variant(number, &variants[number].name, fields)
        }
        (data, _) => data,
    }
}

fn has_sum(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => false,
        Type::Tuple(parts) => parts.iter().any(has_sum),
        Type::Array(a) => has_sum(&a.elem),
        Type::Sum(_) => true,
    }
}

/// Where the fields of a variant start in the tuple.
fn first_field(variants: &[VariantType], tag: usize) -> usize {
    1 + variants[..tag].iter().map(|v| v.fields.len()).sum::<usize>()
}

fn zero(ty: &Type) -> Data {
    match ty {
        Type::Scalar(s) => Data::Scalar(Scalar::zero(*s)),
        Type::Tuple(parts) => Data::Tuple(parts.iter().map(zero).collect()),
        Type::Array(_) => Data::Array(Vec::new()),
        Type::Sum(_) => zero(&spelled(ty)),
    }
}

fn spell_out(body: &mut Body, values: &mut IdVec<ValueId, Value>) {
    let mut out = Vec::with_capacity(body.stmts.len());
    for mut stmt in std::mem::take(&mut body.stmts) {
        if let StmtKind::Let { value, expr, after } = &mut stmt.kind {
            expr.bodies_mut().into_iter().for_each(|b| spell_out(b, values));
            let result = values[*value].ty.clone();
            let mut build = Build::new(values, stmt.span, after.clone());
            let new = match expr {
                Expr::Variant { ty, tag, fields } => Some(build.variant(ty, *tag, fields)),
                Expr::Match { value, arms } => Some(build.cases(*value, std::mem::take(arms), result)),
                _ => None,
            };
            if let Some(expr) = new {
                out.extend(build.stmts);
                let kind = StmtKind::Let { value: *value, expr, after: std::mem::take(after) };
                out.push(Stmt { kind, span: stmt.span });
                continue;
            }
        }
        out.push(stmt);
    }
    body.stmts = out;
}

impl Build<'_> {
    fn variant(&mut self, ty: &Type, number: usize, fields: &[Atom]) -> Expr {
        let Type::Sum(variants) = ty else { unreachable!("verified Core has a sum here") };
        let mut parts = vec![Atom::Const(tag(number))];
        for (k, v) in variants.iter().enumerate() {
            match k == number {
                true => parts.extend(fields),
                false => v.fields.iter().for_each(|t| parts.push(self.zero(&spelled(t)))),
            }
        }
        Expr::Tuple(parts)
    }

    /// Zeros and empty arrays; the type has no enums.
    pub(super) fn zero(&mut self, ty: &Type) -> Atom {
        match ty {
            Type::Scalar(s) => Atom::Const(Scalar::zero(*s)),
            Type::Tuple(parts) => {
                let parts = parts.iter().map(|t| self.zero(t)).collect();
                self.bind("zero", ty.clone(), Expr::Tuple(parts))
            }
            Type::Array(a) => {
                let expr = Expr::ArrayLiteral { elem: a.elem.without_sizes(), elems: Vec::new() };
                self.bind("none", ty.without_sizes(), expr)
            }
            Type::Sum(_) => unreachable!("enums were spelled out"),
        }
    }

    fn cases(&mut self, value: Atom, arms: Vec<Lambda>, result: Type) -> Expr {
        let Type::Sum(variants) = self.ty(value) else { unreachable!("verified Core has a sum here") };
        let number = self.bind("tag", Type::Scalar(ScalarType::I32), Expr::Project(value, 0));
        let arms: Vec<(usize, Lambda)> = arms.into_iter().enumerate().collect();
        self.case(value, &variants, number, &result, &arms)
    }

    /// The choice between the arms that are left.
    fn case(
        &mut self,
        value: Atom,
        variants: &[VariantType],
        number: Atom,
        result: &Type,
        arms: &[(usize, Lambda)],
    ) -> Expr {
        let [(k, arm), rest @ ..] = arms else { unreachable!("a sum has variants") };
        let first = first_field(variants, *k);
        let taken = |b: &mut Self| {
            for (field, p) in arm.params.iter().enumerate() {
                b.bind_as(*p, Expr::Project(value, first + field));
            }
            b.stmts.extend(arm.body.stmts.iter().cloned());
            arm.body.result
        };
        if rest.is_empty() {
            return Expr::Atom(taken(self));
        }
        let cond = self.binary("is", BinOp::Eq, number, Atom::Const(tag(*k)));
        let then = self.body(taken);
        let otherwise = self.body(|b| {
            let expr = b.case(value, variants, number, result, rest);
            b.bind("chosen", result.clone(), expr)
        });
        Expr::If { cond, then, otherwise }
    }
}
