//! Finite half-open sums.
//!
//! `sum(i, n, body)` adds `body` for `0 <= i < n`. The sum is taken term by term; factors without `i` come out, what has a closed form gets
//! it (`closed`), a split point divides the sum in two (`pieces`), and what remains is one [`SumAtom`](crate::SumAtom) for each product that
//! really depends on `i`:
//!
//! ```text
//! sum(i < n: i + 1)            becomes   (n^2 + n)/2
//! sum(i < n: 2^i)              becomes   2^n - 1
//! sum(i < n: m*k(i) + 2)       becomes   m*sum(i < n: k(i)) + 2n
//! sum(i < 2: k(i))             becomes   k(0) + k(1)
//! ```
//!
//! So two sums that differ by linearity or by the name of `i` are equal. A sum that starts elsewhere is a difference of two that start at
//! zero: neighbours join (`sum(0 .. m) + sum(m .. n)` is `sum(0 .. n)`) without a rule of their own.
//!
//! The contract: an upper end is never negative where the sum is used, as sizes and positions never are; zero is fine. A sum that stays
//! one means zero for a negative upper end, but closed forms are polynomials and cannot know: `(n^2 - n)/2` is 1 at `n = -1`. Where an end may
//! be negative the caller writes `max(n, 0)`. Inner sums have the same contract at every position of the outer one: `sum(j < i - 3: ...)` under
//! `i < n` needs `max(i - 3, 0)`, which has a closed form as well.
//!
//! Declined: powers of `i` above the fourth, sums swapped with each other, bounds that the body decides. Paper 003, section 5, mixes
//! closed and half-open bounds in its rules; here everything is half-open.

use std::cell::Cell;

use crate::expr::{Atom, Monomial, Size, SizeVar, SumAtom, fresh_bound};

const MAX_UNROLLED: i64 = 8;
/// How many split points one product may be divided at, one inside the other.
const MAX_SPLITS: u32 = 6;
/// How often one sum may be divided in all.
const MAX_WORK: u32 = 32;

/// The sum of `body` for `0 <= var < upper`.
pub fn sum(var: SizeVar, upper: &Size, body: &Size) -> Size {
    // The bound may mention `var` itself; there it is not the bound one.
    let open = fresh_bound();
    sum_over(&open, upper, &body.substitute(var, &Size::atom(open.clone())))
}

/// The sum of `body` for `lower <= var < upper`, where `0 <= lower <= upper`, or where `lower <= upper` and `lower` is a number.
pub fn sum_between(var: SizeVar, lower: &Size, upper: &Size, body: &Size) -> Size {
    if lower.as_i128().is_some_and(|l| l < 0) {
        let open = fresh_bound();
        let moved = body.substitute(var, &(Size::atom(open.clone()) + lower));
        return sum_over(&open, &(upper - lower), &moved);
    }
    sum(var, upper, body) - sum(var, lower, body)
}

/// The sum over a bound variable that occurs in the body only.
pub(crate) fn sum_over(index: &Atom, upper: &Size, body: &Size) -> Size {
    let work = Cell::new(MAX_WORK);
    let adding = Adding { index, splits: MAX_SPLITS, residues: true, whole: false, work: &work };
    adding.size(upper, body).expect("a sum that may stay a sum exists")
}

/// How one sum is taken.
#[derive(Clone, Copy)]
pub(crate) struct Adding<'a> {
    pub(crate) index: &'a Atom,
    /// How many split points may still be tried.
    pub(crate) splits: u32,
    /// Whether the positions may still be divided by their remainders.
    pub(crate) residues: bool,
    /// Whether only a full closed form will do.
    pub(crate) whole: bool,
    /// How many sums may still be divided.
    pub(crate) work: &'a Cell<u32>,
}

impl Adding<'_> {
    /// The sum of a body; `None` only where a full closed form is wanted and there is none.
    pub(crate) fn size(self, upper: &Size, body: &Size) -> Option<Size> {
        if upper.as_i128().is_some_and(|count| count <= 0) {
            return Some(Size::zero());
        }
        let mut total = Size::zero();
        for (monomial, coefficient) in &body.terms {
            let (inner, outer): (Vec<_>, Vec<_>) =
                monomial.0.iter().cloned().partition(|(atom, _)| atom.mentions(self.index));
            let summed = self.product(upper, &Monomial(inner))?;
            total = &total + &(&(&summed * &product_size(outer)) * &Size::from_i128(*coefficient));
        }
        Some(total.divide_exactly(body.den))
    }

    /// The sum of a product of atoms that all depend on the position.
    fn product(self, upper: &Size, inner: &Monomial) -> Option<Size> {
        let closed = self.closed(upper, inner).or_else(|| self.divided(upper, inner));
        if closed.is_some() {
            return closed;
        }
        if self.whole {
            return None;
        }
        let body = product_size(inner.0.clone());
        match upper.as_constant() {
            Some(count @ 1..=MAX_UNROLLED) => {
                let terms = (0..count).map(|at| body.replace_atom(self.index, &Size::constant(at)));
                Some(terms.fold(Size::zero(), |total, term| &total + &term))
            }
            _ => Some(self.stays(upper, &body)),
        }
    }

    /// The sum in parts that may have closed forms.
    fn divided(self, upper: &Size, inner: &Monomial) -> Option<Size> {
        // An inner sum that depends on the position has no closed form, so its parts would have none either.
        if inner.0.iter().any(|(atom, _)| has_sum(atom, self.index)) {
            return None;
        }
        self.work.set(self.work.get().checked_sub(1)?);
        let pieces = self.pieces(upper, inner).or_else(|| self.blocks(upper, inner));
        pieces.or_else(|| self.by_remainder(upper, inner))
    }

    fn stays(self, upper: &Size, body: &Size) -> Size {
        let bound = height(body) + 1;
        let body = body.replace_atom(self.index, &Size::atom(Atom::Bound(bound)));
        Size::atom(Atom::Sum(SumAtom { bound, upper: Box::new(upper.clone()), body: Box::new(body) }))
    }
}

pub(crate) fn product_size(factors: Vec<(Atom, u32)>) -> Size {
    Size { terms: [(Monomial(factors), 1)].into(), den: 1 }
}

/// Whether an atom is or has a sum in it that mentions a leaf.
fn has_sum(atom: &Atom, leaf: &Atom) -> bool {
    let inside = |part: &&Size| part.atoms().into_iter().any(|atom| has_sum(atom, leaf));
    atom.mentions(leaf) && (matches!(atom, Atom::Sum(_)) || atom.parts().iter().any(inside))
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
