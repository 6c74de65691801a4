//! The total order of values, by which keys are sorted.
//!
//! ```text
//! numbers    -inf … -0.0, 0.0 … inf, NaN              false before true
//! tuples     (1, 9) before (2, 0)                     component by component
//! arrays     [] before [1] before [1, 5] before [2]   a prefix stands before what it begins
//! sums       circle(9.0) before rect(0.0, 0.0)        in the order of the variants, then by what they hold
//! ```
//!
//! Two values are equal in it exactly if no program can tell them apart. The comparisons `<` and `==` of the language are
//! others: on floats they are those of IEEE.

use super::value::Value;
use std::cmp::Ordering;
use terrace_base::Scalar;

/// How two values of one type stand to each other.
pub(super) fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Scalar(Scalar::I64(a)), Value::Scalar(Scalar::I64(b))) => a.cmp(b),
        (Value::Scalar(a), Value::Scalar(b)) => a.total_cmp(*b),
        (Value::Tuple(_), Value::Tuple(_)) => lexicographic(a.as_tuple(), b.as_tuple()),
        (Value::Array(a), Value::Array(b)) => lexicographic(a.items(), b.items()),
        (Value::Bare(_) | Value::Variant(_), Value::Bare(_) | Value::Variant(_)) => {
            let ((a_tag, a), (b_tag, b)) = (a.as_variant(), b.as_variant());
            a_tag.cmp(&b_tag).then_with(|| lexicographic(a, b))
        }
        _ => unreachable!("verified Core compares values of one type"),
    }
}

fn lexicographic(a: &[Value], b: &[Value]) -> Ordering {
    let differing = a.iter().zip(b).map(|(a, b)| compare(a, b)).find(|order| order.is_ne());
    differing.unwrap_or_else(|| a.len().cmp(&b.len()))
}

/// The positions of the keys in the order of the keys; equal keys stay in place.
pub(super) fn sorted_positions(keys: &[Value]) -> Vec<usize> {
    if let Some(Value::Scalar(_)) = keys.first() {
        let mut ranked: Vec<(u64, usize)> = keys.iter().map(|key| rank(*key.as_scalar())).zip(0..).collect();
        ranked.sort_unstable();
        return ranked.into_iter().map(|(_, position)| position).collect();
    }
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|a, b| compare(&keys[*a], &keys[*b]));
    order
}

/// A number that stands to others as the scalar stands to others of its type.
fn rank(scalar: Scalar) -> u64 {
    const SIGN: u64 = 1 << 63;
    let float = |x: f64| match x.to_bits() {
        _ if x.is_nan() => u64::MAX,
        bits if bits & SIGN == 0 => bits | SIGN,
        bits => !bits,
    };
    match scalar {
        Scalar::F64(x) => float(x),
        Scalar::F32(x) => float(f64::from(x)),
        Scalar::U64(x) => x,
        Scalar::Bool(x) => u64::from(x),
        other => other.as_i64().expect("all other types are integers") as u64 ^ SIGN,
    }
}
