//! Scalar operators in a hurry.
//!
//! `BinOp::apply` is the meaning: it computes every integer type in 128 bits and asks for types first. Most elements are
//! `i64` or `f64`, and for these the common operators are worth a shorter way to the same answer:
//!
//! ```text
//! -7 / 2 on i64      machine division gives -3, remainder -1; the signs differ, so -4
//! ```
//!
//! Whatever is not listed here goes the long way, and the test at the end compares the two on all operators.

use super::value::Value;
use terrace_base::{BinOp, Scalar};

/// A result that was found the short way.
#[derive(Clone, Copy)]
pub(super) enum Short {
    Int(i64),
    Float(f64),
    Truth(bool),
}

impl Short {
    // Not by way of a `Scalar`: one of unknown type is slow to pass on.
    #[inline(always)]
    pub(super) fn put(self, slot: &mut Value) {
        match self {
            Short::Int(n) => *slot = Value::Scalar(Scalar::I64(n)),
            Short::Float(x) => *slot = Value::Scalar(Scalar::F64(x)),
            Short::Truth(b) => *slot = Value::Scalar(Scalar::Bool(b)),
        }
    }
}

/// The result of an operator, if there is a short way to it.
#[inline(always)]
pub(super) fn short(op: BinOp, a: &Scalar, b: &Scalar) -> Option<Short> {
    match (a, b) {
        (Scalar::I64(x), Scalar::I64(y)) => integers(op, *x, *y),
        (Scalar::F64(x), Scalar::F64(y)) => floats(op, *x, *y),
        (Scalar::Bool(x), Scalar::Bool(y)) => truths(op, *x, *y),
        _ => None,
    }
}

#[inline(always)]
fn integers(op: BinOp, a: i64, b: i64) -> Option<Short> {
    let apart = || a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
    Some(match op {
        BinOp::Add => Short::Int(a.wrapping_add(b)),
        BinOp::Sub => Short::Int(a.wrapping_sub(b)),
        BinOp::Mul => Short::Int(a.wrapping_mul(b)),
        BinOp::Div if b != 0 => Short::Int(a.wrapping_div(b) - i64::from(apart())),
        BinOp::Rem if b != 0 => Short::Int(a.wrapping_rem(b) + if apart() { b } else { 0 }),
        BinOp::Min => Short::Int(a.min(b)),
        BinOp::Max => Short::Int(a.max(b)),
        BinOp::Lt => Short::Truth(a < b),
        BinOp::Le => Short::Truth(a <= b),
        BinOp::Gt => Short::Truth(a > b),
        BinOp::Ge => Short::Truth(a >= b),
        BinOp::Eq => Short::Truth(a == b),
        BinOp::Ne => Short::Truth(a != b),
        _ => return None,
    })
}

#[inline(always)]
fn floats(op: BinOp, a: f64, b: f64) -> Option<Short> {
    Some(match op {
        BinOp::Add => Short::Float(a + b),
        BinOp::Sub => Short::Float(a - b),
        BinOp::Mul => Short::Float(a * b),
        BinOp::Div => Short::Float(a / b),
        BinOp::Lt => Short::Truth(a < b),
        BinOp::Le => Short::Truth(a <= b),
        BinOp::Gt => Short::Truth(a > b),
        BinOp::Ge => Short::Truth(a >= b),
        BinOp::Eq => Short::Truth(a == b),
        BinOp::Ne => Short::Truth(a != b),
        _ => return None,
    })
}

#[inline(always)]
fn truths(op: BinOp, a: bool, b: bool) -> Option<Short> {
    match op {
        BinOp::And => Some(Short::Truth(a & b)),
        BinOp::Or => Some(Short::Truth(a | b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_gives_what_the_long_way_gives() {
        let integers = [i64::MIN, i64::MIN + 1, -7, -2, -1, 0, 1, 2, 7, 63, 64, i64::MAX].map(Scalar::I64);
        let floats = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, 5e-324, 1.5, f64::INFINITY, f64::NAN].map(Scalar::F64);
        let truths = [false, true].map(Scalar::Bool);
        for values in [&integers[..], &floats, &truths] {
            for op in BinOp::ALL {
                for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))) {
                    if let Some(found) = short(op, &a, &b) {
                        let mut slot = Value::NOTHING;
                        found.put(&mut slot);
                        assert!(slot.as_scalar().same_bits(op.apply(a, b)), "{a} {op:?} {b}");
                    }
                }
            }
        }
    }
}
