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

/// The positions of the keys in the order of the keys; equal keys stay in place. Most comparisons are decided by a number that
/// each key gets once.
pub(super) fn sorted_positions(keys: &[Value]) -> Vec<usize> {
    let mut ranked: Vec<(u64, usize)> = keys.iter().map(beginning).zip(0..).collect();
    match keys.first() {
        None | Some(Value::Scalar(_)) => ranked.sort_unstable(),
        Some(_) => ranked
            .sort_unstable_by(|(a, i), (b, j)| a.cmp(b).then_with(|| compare(&keys[*i], &keys[*j])).then(i.cmp(j))),
    }
    ranked.into_iter().map(|(_, position)| position).collect()
}

/// A number that is never greater than that of a key which stands behind; keys with one number may differ in what follows.
fn beginning(key: &Value) -> u64 {
    match key {
        Value::Scalar(scalar) => rank(*scalar),
        Value::Tuple(_) => key.as_tuple().first().map_or(0, beginning),
        // An empty array stands first of all.
        Value::Array(array) => array.items().first().map_or(0, |first| (beginning(first) >> 1) | (1 << 63)),
        Value::Bare(_) | Value::Variant(_) => key.as_variant().0 as u64,
    }
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
