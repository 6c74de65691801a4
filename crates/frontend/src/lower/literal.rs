//! Literals in tests become arguments.
//!
//! ```text
//! test "…" = sum([1, 2, 3]) == 6
//!
//! test_1(arg_0 : []i64) called with [1, 2, 3]:  sum(arg_0) == 6
//! ```
//!
//! An optimiser that could see `[1, 2, 3]` would compute the answer, and the test would say nothing about the code that runs.
//! Arrays of literals become arguments wherever they stand; numbers, records and variants where they are arguments of a call.
//! What a library function writes stays as it is.

use super::body::Lower;
use crate::typed::{Expr, Kind};
use terrace_base::Scalar;
use terrace_ir::Atom;
use terrace_ir::core::Type;
use terrace_plan::data::Data;

impl<'a> Lower<'_, 'a> {
    /// The parameter that stands for an array of literals, in a test.
    pub(super) fn opaque_array(&mut self, expr: &Expr) -> Option<Atom> {
        match expr.kind {
            Kind::Array(_) | Kind::Str(_) => self.opaque(expr),
            _ => None,
        }
    }

    /// The parameter that stands for a number or truth value, in a test.
    pub(super) fn opaque_scalar(&mut self, expr: &Expr) -> Option<Atom> {
        match expr.kind {
            Kind::Int(_) | Kind::NegativeInt(_) | Kind::Real(_) | Kind::Bool(_) => self.opaque(expr),
            _ => None,
        }
    }

    /// The parameter that stands for a number, a record or a variant, in a test.
    pub(super) fn opaque_value(&mut self, expr: &Expr) -> Option<Atom> {
        match expr.kind {
            Kind::Record(_) | Kind::Variant { .. } => self.opaque(expr),
            _ => self.opaque_scalar(expr),
        }
    }

    /// A literal of a pattern, which stays one.
    pub(super) fn plain_literal(&mut self, literal: &'a Expr) -> Atom {
        let arguments = self.arguments.take();
        let atom = self.expr(literal);
        self.arguments = arguments;
        atom
    }

    fn opaque(&mut self, expr: &Expr) -> Option<Atom> {
        if self.arguments.is_none() || self.at != 0 {
            return None;
        }
        let data = self.data(expr)?;
        let ty = self.ty(&expr.ty);
        let value = self.value("arg", ty);
        self.arguments.as_mut()?.push((value, data));
        self.may_be_named(&[value.into()]);
        Some(value.into())
    }

    fn data(&self, expr: &Expr) -> Option<Data> {
        let scalar = || self.ty(&expr.ty).scalar();
        Some(match &expr.kind {
            Kind::Int(value) => Data::Scalar(number(scalar()?, *value, false)),
            Kind::NegativeInt(value) => Data::Scalar(number(scalar()?, *value, true)),
            Kind::Real(value) => Data::Scalar(Scalar::from_f64(scalar()?, *value)?),
            Kind::Unary(terrace_base::UnOp::Neg, operand) => match &operand.kind {
                Kind::Real(value) => Data::Scalar(Scalar::from_f64(scalar()?, -*value)?),
                _ => return None,
            },
            Kind::Bool(b) => Data::Scalar(Scalar::Bool(*b)),
            Kind::Str(bytes) => Data::Array(bytes.iter().map(|b| Data::Scalar(Scalar::U8(*b))).collect()),
            Kind::Tuple(parts) => Data::Tuple(parts.iter().map(|p| self.data(p)).collect::<Option<_>>()?),
            Kind::Record(fields) => {
                let mut parts = vec![None; fields.len()];
                for (k, field) in fields {
                    *parts.get_mut(*k)? = Some(self.data(field)?);
                }
                Data::Tuple(parts.into_iter().collect::<Option<_>>()?)
            }
            Kind::Variant { tag, fields } => match self.ty(&expr.ty) {
                Type::Sum(variants) => {
                    let fields = fields.iter().map(|f| self.data(f)).collect::<Option<_>>()?;
                    Data::variant(*tag, &variants.get(*tag)?.name, fields)
                }
                _ => return None,
            },
            Kind::Array(elems) => Data::Array(elems.iter().map(|e| self.data(e)).collect::<Option<_>>()?),
            _ => return None,
        })
    }
}

/// A literal as a scalar of the type it got.
pub(super) fn number(ty: terrace_base::ScalarType, value: u64, negative: bool) -> Scalar {
    let signed = if negative { (value as i64).wrapping_neg() } else { value as i64 };
    let real = if negative { -(value as f64) } else { value as f64 };
    Scalar::from_f64(ty, real).unwrap_or_else(|| Scalar::from_i64(ty, signed))
}
