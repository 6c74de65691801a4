//! Finite half-open sums.
//!
//! `sum(i, n, body)` adds `body` for `0 <= i < n`. The sum is taken term by term; factors without `i` come out, powers of `i` up to the
//! fourth have closed forms, and what remains is one [`SumAtom`](crate::SumAtom) for each product that really depends on `i`:
//!
//! ```text
//! sum(i < n: i + 1)            becomes   (n^2 + n)/2
//! sum(i < n: m*k(i) + 2)       becomes   m*sum(i < n: k(i)) + 2n
//! sum(i < 2: k(i))             becomes   k(0) + k(1)
//! ```
//!
//! So two sums that differ by linearity or by the name of `i` are equal. A sum whose upper end is negative means zero. The closed forms
//! are polynomials and cannot know that: they assume an upper end of at least zero, which sizes and positions always are.
//! They do hold for zero.
//!
//! Declined for now: `2^i`, pieces at a split point, higher powers, floors and minima under the sum (they stay sums). Paper 003, section 5,
//! mixes closed and half-open bounds in its rules; here everything is half-open.

use crate::expr::{Atom, Monomial, Size, SizeVar, SumAtom, fresh_bound};

const MAX_UNROLLED: i64 = 8;

/// The sum of `body` for `0 <= var < upper`.
pub fn sum(var: SizeVar, upper: &Size, body: &Size) -> Size {
    sum_over(&Atom::Var(var), upper, body)
}

/// The sum of `body` for `lower <= var < upper`, where `lower <= upper`.
pub fn sum_between(var: SizeVar, lower: &Size, upper: &Size, body: &Size) -> Size {
    // The bounds may mention `var` themselves; there it is not the bound one.
    let open = fresh_bound();
    let moved = body.substitute(var, &(Size::atom(open.clone()) + lower));
    sum_over(&open, &(upper - lower), &moved)
}

/// The sum over a leaf atom, which does not occur free in the result unless it does in `upper`.
pub(crate) fn sum_over(index: &Atom, upper: &Size, body: &Size) -> Size {
    match upper.as_constant() {
        Some(..=0) => return Size::zero(),
        Some(count @ 1..=MAX_UNROLLED) if !has_closed_form(index, body) => {
            let terms = (0..count).map(|at| body.replace_atom(index, &Size::constant(at)));
            return terms.fold(Size::zero(), |total, term| &total + &term);
        }
        _ => {}
    }
    let mut total = Size::zero();
    for (monomial, coefficient) in &body.terms {
        let (inner, outer): (Vec<_>, Vec<_>) =
            monomial.0.iter().cloned().partition(|(atom, _)| Size::atom(atom.clone()).mentions(index));
        let inner = Monomial(inner);
        let summed = match power_of(index, &inner).and_then(|power| power_sum(power, upper)) {
            Some(closed) => closed,
            None => held_sum(index, upper, inner),
        };
        total = &total + &(&(&summed * &monomial_size(outer)) * &Size::from_i128(*coefficient));
    }
    total.divide_exactly(body.den)
}

fn monomial_size(factors: Vec<(Atom, u32)>) -> Size {
    Size { terms: [(Monomial(factors), 1)].into(), den: 1 }
}

fn has_closed_form(index: &Atom, body: &Size) -> bool {
    body.terms.keys().all(|monomial| {
        let inner = monomial.0.iter().filter(|(atom, _)| Size::atom(atom.clone()).mentions(index));
        inner.into_iter().all(|(atom, exponent)| atom == index && *exponent <= 4)
    })
}

/// The exponent, where the product is a power of the index.
fn power_of(index: &Atom, inner: &Monomial) -> Option<u32> {
    match inner.0.as_slice() {
        [] => Some(0),
        [(atom, exponent)] if atom == index => Some(*exponent),
        _ => None,
    }
}

/// The sum of `i^power` for `0 <= i < n` (Faulhaber), as numerator coefficients of n, n^2, ... over a denominator.
fn power_sum(power: u32, n: &Size) -> Option<Size> {
    let (coefficients, denominator): (&[i64], i128) = match power {
        0 => (&[1], 1),
        1 => (&[-1, 1], 2),
        2 => (&[1, -3, 2], 6),
        3 => (&[0, 1, -2, 1], 4),
        4 => (&[-1, 0, 10, -15, 6], 30),
        _ => return None,
    };
    let by_horner = coefficients.iter().rev().fold(Size::zero(), |sum, c| (sum + *c) * n);
    Some(by_horner.divide_exactly(denominator))
}

fn held_sum(index: &Atom, upper: &Size, inner: Monomial) -> Size {
    let body = Size { terms: [(inner, 1)].into(), den: 1 };
    let bound = height(&body) + 1;
    let body = body.replace_atom(index, &Size::atom(Atom::Bound(bound)));
    Size::atom(Atom::Sum(SumAtom { bound, upper: Box::new(upper.clone()), body: Box::new(body) }))
}

/// How deeply sums are nested inside.
fn height(size: &Size) -> u64 {
    let mut highest = 0;
    size.visit_atoms(&mut |atom| {
        if let Atom::Sum(sum) = atom {
            highest = highest.max(sum.bound);
        }
    });
    highest
}
