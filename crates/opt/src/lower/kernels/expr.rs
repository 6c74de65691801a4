//! Kernel expressions, written short.
//!
//! `add(mul(tile, int(1024)), thread)` builds the tree that prints as `tile * 1024 + thread`. Only what needs no facts is
//! simplified (constants, `x + 0`, `x * 1`); anything cleverer belongs to the size algebra or to the C compiler.

use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_ir::kernel::{Expr, LocalId};

/// An `i64` constant.
pub fn int(n: i64) -> Expr {
    Expr::Const(Scalar::I64(n))
}

/// A constant of any type.
pub fn constant(value: Scalar) -> Expr {
    Expr::Const(value)
}

/// A local variable.
pub fn local(id: LocalId) -> Expr {
    Expr::Local(id)
}

/// The constant `i64`, if it is one.
pub fn as_int(e: &Expr) -> Option<i64> {
    match e {
        Expr::Const(Scalar::I64(n)) => Some(*n),
        _ => None,
    }
}

/// An operation on two expressions, folded where both are constants.
pub fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    if let (Expr::Const(x), Expr::Const(y)) = (&a, &b)
        && let Some(value) = op.try_apply(*x, *y)
    {
        return Expr::Const(value);
    }
    Expr::Binary(op, Box::new(a), Box::new(b))
}

/// `a + b` on `i64`.
pub fn add(a: Expr, b: Expr) -> Expr {
    match (as_int(&a), as_int(&b)) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        _ => binary(BinOp::Add, a, b),
    }
}

/// `a - b` on `i64`.
pub fn sub(a: Expr, b: Expr) -> Expr {
    if as_int(&b) == Some(0) { a } else { binary(BinOp::Sub, a, b) }
}

/// `a * b` on `i64`.
pub fn mul(a: Expr, b: Expr) -> Expr {
    match (as_int(&a), as_int(&b)) {
        (Some(0), _) | (_, Some(0)) => int(0),
        (Some(1), _) => b,
        (_, Some(1)) => a,
        _ => binary(BinOp::Mul, a, b),
    }
}

/// The smaller.
pub fn min(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Min, a, b)
}

/// The larger.
pub fn max(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Max, a, b)
}

/// `a < b`.
pub fn lt(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Lt, a, b)
}

/// `a <= b`.
pub fn le(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Le, a, b)
}

/// `a >= b`.
pub fn ge(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Ge, a, b)
}

/// `a == b`.
pub fn eq(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Eq, a, b)
}

/// Both.
pub fn and(a: Expr, b: Expr) -> Expr {
    binary(BinOp::And, a, b)
}

/// Either.
pub fn or(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Or, a, b)
}

/// Not.
pub fn not(a: Expr) -> Expr {
    Expr::Unary(UnOp::Not, Box::new(a))
}

/// `op a`.
pub fn unary(op: UnOp, a: Expr) -> Expr {
    match op {
        UnOp::Ordinal => Expr::Ordinal(Box::new(a)),
        op => Expr::Unary(op, Box::new(a)),
    }
}

/// `a / b` where `a >= 0` and `b > 0`.
pub fn quot(a: Expr, b: Expr) -> Expr {
    match (as_int(&a), as_int(&b)) {
        (_, Some(1)) => a,
        (Some(x), Some(y)) if x >= 0 && y > 0 => int(x / y),
        _ => Expr::Quotient(Box::new(a), Box::new(b)),
    }
}

/// `a / b` rounded up, where `a >= 0` and `b > 0`.
pub fn ceil_quot(a: Expr, b: i64) -> Expr {
    quot(add(a, int(b - 1)), int(b))
}

/// `if c then a else b`.
pub fn select(c: Expr, a: Expr, b: Expr) -> Expr {
    match c {
        Expr::Const(Scalar::Bool(true)) => a,
        Expr::Const(Scalar::Bool(false)) => b,
        c => Expr::Select(Box::new(c), Box::new(a), Box::new(b)),
    }
}

/// A conversion.
pub fn convert(to: ScalarType, a: Expr) -> Expr {
    Expr::Convert(to, Box::new(a))
}

/// A truth value.
pub fn truth(value: bool) -> Expr {
    Expr::Const(Scalar::Bool(value))
}
