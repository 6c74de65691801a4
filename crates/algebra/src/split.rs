//! Sizes that differ on the two sides of a split point.
//!
//! `split(i, c, a, b)` is `a` where `i < c` and `b` elsewhere. It is not an operation of its own but a polynomial over the condition
//! `[i < c]`, which is one where it holds and else zero:
//!
//! ```text
//! split(i, c, a, b)                     is   b + [i < c]*(a - b)
//! split(i, c, a, b) + split(i, c, b, a) is   a + b
//! split(2i + 1, 6, a, b)                is   b + [i < 3]*(a - b)
//! split(n, n + 1, a, b)                 is   a
//! ```
//!
//! So splits add and multiply like everything else, equal branches merge by themselves, and a case distinction sets an atom to one or zero. A
//! condition is about the sign of a difference, with coefficients as small as possible and the last one positive (`c <= i` is `1 - [i < c]`, as
//! later variables are mostly the positions); the floor of a quotient is below zero exactly if the dividend is. In a product a condition
//! stands once, and the stronger of `[i < c]` and `[i < c + 1]` suffices.
//!
//! Declined: finding that two conditions exclude each other unless they are opposites.

use std::collections::BTreeMap;

use crate::expr::{Atom, Size};
use crate::facts::tighten;

const MAX_FLOORS: u32 = 8;

impl Size {
    /// `if subject < bound then below else above`.
    pub fn split(subject: &Size, bound: &Size, below: &Size, above: &Size) -> Size {
        let holds = Size::below(&(subject - bound));
        match holds.as_constant() {
            Some(0) => above.clone(),
            Some(_) => below.clone(),
            None => above + holds * (below - above),
        }
    }

    /// `(subject, bound, below, above)` of which the size is the split, if a condition stands in it.
    pub fn cases(&self) -> Option<(Size, Size, Size, Size)> {
        let (atom, test) = self.atoms().into_iter().find_map(|atom| match atom {
            Atom::Below(test) => Some((atom, test)),
            _ => None,
        })?;
        let part = |sign: i128| {
            let terms = test.terms.iter().filter(|(_, c)| **c * sign > 0).map(|(m, c)| (m.clone(), *c * sign));
            Size { terms: terms.collect(), den: 1 }
        };
        let (below, above) = (self.replace_atom(atom, &Size::one()), self.replace_atom(atom, &Size::zero()));
        Some((part(1), part(-1), below, above))
    }

    /// One where the size is negative, else zero.
    pub(crate) fn below(size: &Size) -> Size {
        let (test, negated) = condition(size);
        let holds = match test.as_i128() {
            Some(value) => Size::constant(i64::from(value < 0)),
            None => Size::atom(Atom::Below(Box::new(test))),
        };
        if negated { Size::one() - holds } else { holds }
    }
}

/// The simplest size that is negative exactly where the given one is; or, with `true`, exactly where that is not.
pub(crate) fn condition(size: &Size) -> (Size, bool) {
    let mut test = tighten(size);
    let mut negated = false;
    for _ in 0..=MAX_FLOORS {
        if falling(&test) {
            test = tighten(&(-test - 1));
            negated = !negated;
        }
        match without_floor(&test) {
            Some(simpler) => test = tighten(&simpler),
            None => return (test, negated),
        }
    }
    (test, negated)
}

/// Whether the opposite condition is the canonical one. This looks at no constant, so that all conditions on one size have one direction.
fn falling(test: &Size) -> bool {
    test.terms().filter(|(m, _)| !m.factors().is_empty()).last().is_some_and(|(_, factor)| factor < 0)
}

/// `floor(x/c) + r < 0` is `x + c*r < 0`, and `r - floor(x/c) < 0` is `c*r + c - 1 - x < 0`.
fn without_floor(test: &Size) -> Option<Size> {
    let (inner, by, atom, factor) = test.terms().find_map(|(monomial, factor)| match monomial.factors() {
        [(atom @ Atom::FloorDiv(inner, by), 1)] if factor.abs() == 1 => Some((inner, *by, atom, factor)),
        _ => None,
    })?;
    let floor = Size::atom(atom.clone());
    let rest = test.checked_add(&if factor > 0 { -floor } else { floor })?.checked_mul(&Size::constant(by))?;
    if factor > 0 {
        inner.checked_add(&rest)
    } else {
        rest.checked_add(&Size::constant(by - 1))?.checked_add(&-&**inner)
    }
}

/// Leaves each condition once among some factors, and of two that differ by a constant the stronger.
pub(crate) fn merge(factors: &mut BTreeMap<Atom, u32>) {
    let conditions: Vec<Size> = factors
        .keys()
        .filter_map(|atom| match atom {
            Atom::Below(test) => Some((**test).clone()),
            _ => None,
        })
        .collect();
    let weaker = |test: &Size| {
        conditions.iter().any(|other| other != test && (other - test).as_i128().is_some_and(|more| more > 0))
    };
    for test in &conditions {
        let atom = Atom::Below(Box::new(test.clone()));
        if weaker(test) {
            factors.remove(&atom);
        } else {
            factors.insert(atom, 1);
        }
    }
}
