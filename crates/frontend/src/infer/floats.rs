//! Exact comparisons of computed floating-point numbers in tests.
//!
//! ```text
//! test "thirds" = 1.0 / 3.0 * 3.0 == 1.0       warned: a division rounds
//! test "sum" = sum([0.1, 0.2]) == 0.3          warned: 0.1 is not a number that floats can hold
//! test "spmv" = spmv(m, [3.0]) == [6.0]        not warned: small whole numbers are exact
//! ```
//!
//! Only what the test itself says is looked at. What a function computes may round as well, but whether it does for these
//! arguments the author of the test knows better.

use crate::builtins::Builtin;
use crate::errors;
use crate::typed::{Arg, Checked, Expr, Kind};
use crate::types::{Ty, Unifier};
use terrace_base::{BinOp, Diagnostic, ScalarType, Span, UnOp};
use terrace_syntax::ast::BinaryOp;

/// Warns about comparisons that rounding may decide.
pub(super) fn warn(test: &Checked, reports: &mut Vec<Diagnostic>) {
    look(&test.body, &test.unifier, reports);
}

fn look(expr: &Expr, unifier: &Unifier, reports: &mut Vec<Diagnostic>) {
    if let Kind::Binary(BinaryOp::Scalar(BinOp::Eq | BinOp::Ne), left, right) = &expr.kind
        && holds_floats(&unifier.resolve(&left.ty))
        && !(is_literal(left) && is_literal(right))
        && let Some((why, what)) = rounding(left, unifier).or_else(|| rounding(right, unifier))
    {
        reports.push(errors::float_equality(expr.span, why, what));
        return;
    }
    children(expr).into_iter().for_each(|e| look(e, unifier, reports));
}

fn holds_floats(ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(s) => s.is_float(),
        Ty::Tuple(parts) | Ty::Named(_, parts) => parts.iter().any(holds_floats),
        Ty::Array(elem) => holds_floats(elem),
        _ => false,
    }
}

fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Int(_) | Kind::NegativeInt(_) | Kind::Real(_) => true,
        Kind::Unary(UnOp::Neg, inner) => is_literal(inner),
        Kind::Tuple(parts) | Kind::Array(parts) => parts.iter().all(is_literal),
        _ => false,
    }
}

/// The first thing in an expression that rounds.
fn rounding(expr: &Expr, unifier: &Unifier) -> Option<(Span, &'static str)> {
    let is_float = matches!(unifier.head(&expr.ty), Ty::Scalar(s) if s.is_float());
    let is_single = matches!(unifier.head(&expr.ty), Ty::Scalar(ScalarType::F32));
    match &expr.kind {
        Kind::Real(value) if inexact(*value, is_single) => Some((expr.span, "floats cannot hold this number exactly")),
        Kind::Binary(BinaryOp::Scalar(BinOp::Div), ..) if is_float => Some((expr.span, "a division rounds")),
        Kind::Builtin { which: Builtin::Unary(op), .. } if is_float && rounds(*op) => {
            Some((expr.span, "this function rounds"))
        }
        Kind::Builtin { which: Builtin::Binary(_), .. } => Some((expr.span, "this function rounds")),
        _ => children(expr).into_iter().find_map(|e| rounding(e, unifier)),
    }
}

fn rounds(op: UnOp) -> bool {
    !matches!(op, UnOp::Neg | UnOp::Abs | UnOp::Floor | UnOp::Ceil | UnOp::Round | UnOp::Trunc)
}

/// Whether a number as written is probably not the number that is held: 2^20 times it has a fraction.
fn inexact(value: f64, single: bool) -> bool {
    let bits = if single { 12 } else { 20 };
    (value * f64::from(1u32 << bits)).fract() != 0.0
}

fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        Kind::Call { args, .. } => args
            .iter()
            .filter_map(|a| match a {
                Arg::Value(value) => Some(value),
                Arg::Function(_) => None,
            })
            .collect(),
        Kind::Apply { args, .. }
        | Kind::Builtin { args, .. }
        | Kind::Tuple(args)
        | Kind::Array(args)
        | Kind::Variant { fields: args, .. } => args.iter().collect(),
        Kind::Convert(_, inner) | Kind::ConvertTo(inner) | Kind::Unary(_, inner) | Kind::Project(inner, _) => {
            vec![inner]
        }
        Kind::Binary(_, left, right) => vec![left, right],
        Kind::Record(fields) => fields.iter().map(|(_, e)| e).collect(),
        Kind::RecordUpdate { record, fields } => [&**record].into_iter().chain(fields.iter().map(|(_, e)| e)).collect(),
        Kind::If { condition, then, otherwise } => vec![condition, then, otherwise],
        Kind::Index { array, .. } => vec![array],
        Kind::Let { body, .. } => vec![body],
        _ => Vec::new(),
    }
}
