//! How often one size goes into another.
//!
//! `size = quotient * by + rest` always holds; the quotient is as large as plain polynomial division makes it. Terms divide by the leading
//! term of the divisor, the one of highest degree, so that the rest is small where strides are:
//!
//! ```text
//! n*b          by   n*b - b     is   1        rest b
//! n + 1 - n*b  by   n           is   1 - b    rest 1
//! 7            by   3           is   2        rest 1
//! ```
//!
//! There is no promise about the rest: a caller that needs a small one proves that it is. Sizes with fractions divide by one only.

use std::collections::BTreeMap;

use crate::expr::{Atom, Monomial, Size};

const MAX_STEPS: usize = 64;

/// The quotient and the rest of one size by another.
pub(super) fn divide(size: &Size, by: &Size) -> (Size, Size) {
    if *by == Size::one() {
        return (size.clone(), Size::zero());
    }
    let lead = by.terms().max_by_key(|(m, _)| (m.degree(), *m));
    let Some((lead, factor)) = lead.filter(|_| by.denominator() == 1 && size.denominator() == 1) else {
        return (Size::zero(), size.clone());
    };
    let (mut quotient, mut rest) = (Size::zero(), size.clone());
    for _ in 0..MAX_STEPS {
        let step = rest.terms().find_map(|(monomial, coefficient)| {
            let times = coefficient.checked_div_euclid(factor).filter(|times| *times != 0)?;
            let over = without(monomial, lead)?;
            Size::from_terms(BTreeMap::from([(over, times)]), 1)
        });
        let Some(step) = step else {
            break;
        };
        rest = &rest - &(&step * by);
        quotient = quotient + step;
    }
    (quotient, rest)
}

/// The quotient where nothing is left.
pub(super) fn divide_evenly(size: &Size, by: &Size) -> Option<Size> {
    let (quotient, rest) = divide(size, by);
    (rest.is_zero() && !by.is_zero()).then_some(quotient)
}

/// The product without these factors, if it has them all.
fn without(product: &Monomial, factors: &Monomial) -> Option<Monomial> {
    let has_all = factors.factors().iter().all(|(atom, exponent)| product.exponent(atom) >= *exponent);
    let left = |(atom, exponent): &(Atom, u32)| (atom.clone(), exponent - factors.exponent(atom).min(*exponent));
    has_all.then(|| Monomial(product.factors().iter().map(left).filter(|(_, e)| *e > 0).collect()))
}
