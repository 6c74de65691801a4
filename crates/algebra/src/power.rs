//! Powers of two with a symbolic exponent, as in the rows of a binary tree.
//!
//! ```text
//! 2^(n + 3)        is   8*2^n
//! 2^n * 2^(m - 1)  is   2^(m + n)/2
//! 2^(n - i) * 2^i  is   2^n
//! ```
//!
//! The contract: an exponent is never negative where its power is used, and neither are the variables and functions that stand in it with a
//! positive factor (they are sizes). Under the contract the laws above are equalities. Outside of it `2^e` alone means zero, which is the
//! fraction rounded down, and the laws are void. Where the exponent subtracts (`2^(n - i + 3)`) the rest without the 3 may well be negative
//! although the whole is not: then nothing comes out. A negative constant always does: what remains is even greater.
//!
//! A product has at most one such factor. A constant beyond 126 would not fit the coefficient: it stays in the exponent, and the size counts
//! as held.
//!
//! Declined: other bases, logarithms.

use std::collections::BTreeMap;

use crate::expr::{Atom, Monomial, Size};

/// The greatest exponent whose power fits a coefficient.
pub(crate) const MAX_SHIFT: i128 = 126;

impl Size {
    /// `2^exponent`, for an exponent that is never negative; see the head of `power`. A negative constant gives zero.
    pub fn pow2(exponent: &Size) -> Size {
        if exponent.as_i128().is_some_and(|e| e < 0) {
            return Size::zero();
        }
        let (shift, rest) = take_shift(exponent);
        let power = if rest.is_zero() { Size::one() } else { Size::atom(Atom::Pow2(Box::new(rest))) };
        match shift {
            0.. => power * Size::from_i128(1 << shift),
            _ => power.divide_exactly(1 << -shift),
        }
    }
}

/// The constant that may leave the exponent, and what stays.
fn take_shift(exponent: &Size) -> (i128, Size) {
    let constant = exponent.constant_term().div_euclid(exponent.denominator());
    let rest = exponent - Size::big(constant);
    match constant {
        1..=MAX_SHIFT if looks_nonnegative(&rest) => (constant, rest),
        ..=-1 if constant >= -MAX_SHIFT => (constant, rest),
        _ => (0, exponent.clone()),
    }
}

/// Joins the powers of two among some factors to one; the result is the shift that comes out.
pub(crate) fn merge(factors: &mut BTreeMap<Atom, u32>) -> Option<u32> {
    let mut exponent = Size::zero();
    let mut count: u32 = 0;
    for (atom, times) in &*factors {
        if let Atom::Pow2(inner) = atom {
            let product = inner.checked_mul(&Size::constant(i64::from(*times)))?;
            exponent = exponent.checked_add(&product)?;
            count += times;
        }
    }
    if count < 2 {
        return Some(0);
    }
    factors.retain(|atom, _| !matches!(atom, Atom::Pow2(_)));
    let (shift, rest) = take_shift(&exponent);
    if !rest.is_zero() {
        factors.insert(Atom::Pow2(Box::new(rest)), 1);
    }
    u32::try_from(shift).ok()
}

/// Whether this is a power that would not fit a number, or has a constant that would not.
pub(crate) fn is_held(atom: &Atom) -> bool {
    let beyond = |e: &Size| e.constant_term().div_euclid(e.denominator()).unsigned_abs() > MAX_SHIFT.unsigned_abs();
    matches!(atom, Atom::Pow2(exponent) if beyond(exponent))
}

/// Whether a size is built from sizes without subtracting. Variables and functions count as sizes here, by the contract.
fn looks_nonnegative(size: &Size) -> bool {
    let product = |m: &Monomial| m.factors().iter().all(|(a, e)| e % 2 == 0 || atom_looks_nonnegative(a));
    size.terms().all(|(m, c)| c > 0 && product(m))
}

fn atom_looks_nonnegative(atom: &Atom) -> bool {
    match atom {
        Atom::Var(_) | Atom::Bound(_) | Atom::Apply { .. } | Atom::Pow2(_) | Atom::Below(_) => true,
        Atom::FloorDiv(inner, _) => looks_nonnegative(inner),
        Atom::Min(args) | Atom::Held { args, .. } => args.iter().all(looks_nonnegative),
        Atom::Max(args) => args.iter().any(looks_nonnegative),
        Atom::Sum(sum) => looks_nonnegative(&sum.body),
    }
}
