//! What is known about scalar operations, for Core and Flat alike.
//!
//! ```text
//! 2 + 3 → 5      x + 0 → x      x & true → x      x - x → 0 (integers only)      convert i64 (3 : i32) → 3
//! ```
//!
//! Nothing here changes a rounding or the sign of a zero: floats are folded where all operands are constants, and by no identity.

use terrace_base::{BinOp, Scalar, ScalarType, UnOp, convert, fma};
use terrace_ir::Atom;

/// The value of an operation on a constant.
pub(crate) fn unary(op: UnOp, a: Atom) -> Option<Atom> {
    op.try_apply(a.constant()?).map(Atom::Const)
}

/// The value of a conversion of a constant.
pub(crate) fn converted(ty: ScalarType, a: Atom) -> Option<Atom> {
    Some(Atom::Const(convert(a.constant()?, ty)))
}

/// The value of `a * b + c` of constants.
pub(crate) fn fused(a: Atom, b: Atom, c: Atom) -> Option<Atom> {
    Some(Atom::Const(fma(a.constant()?, b.constant()?, c.constant()?)))
}

/// The value of an operation on two constants, or on operands for which it is the identity or a constant; `ty` is the operands' type.
pub(crate) fn binary(op: BinOp, a: Atom, b: Atom, ty: Option<ScalarType>) -> Option<Atom> {
    if let (Some(x), Some(y)) = (a.constant(), b.constant()) {
        return op.try_apply(x, y).map(Atom::Const);
    }
    let ty = ty.filter(|ty| !ty.is_float())?;
    let (x, y) = (a.constant(), b.constant());
    let is = |c: Option<Scalar>, n: i64| c.is_some_and(|c| c == Scalar::from_i64(c.ty(), n) && c.ty().is_int());
    let truth = |c: Option<Scalar>, t: bool| c == Some(Scalar::Bool(t));
    match op {
        BinOp::Add if is(x, 0) => Some(b),
        BinOp::Add | BinOp::Sub if is(y, 0) => Some(a),
        BinOp::Mul | BinOp::Div if is(y, 1) => Some(a),
        BinOp::Mul if is(x, 1) => Some(b),
        BinOp::And if truth(x, true) => Some(b),
        BinOp::And if truth(y, true) => Some(a),
        BinOp::Or if truth(x, false) => Some(b),
        BinOp::Or if truth(y, false) => Some(a),
        BinOp::And if truth(x, false) || truth(y, false) => Some(Atom::Const(Scalar::Bool(false))),
        BinOp::And | BinOp::Or | BinOp::Min | BinOp::Max if a == b => Some(a),
        BinOp::Sub if a == b => Some(Atom::Const(Scalar::zero(ty))),
        BinOp::Eq | BinOp::Le | BinOp::Ge if a == b => Some(Atom::Const(Scalar::Bool(true))),
        BinOp::Ne | BinOp::Lt | BinOp::Gt if a == b => Some(Atom::Const(Scalar::Bool(false))),
        _ => None,
    }
}
