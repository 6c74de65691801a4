//! Facts from facts, before the search begins.
//!
//! - *Longer sums are greater*: of two sums of the same body that is never negative, by at least one term if strictly longer. So
//!   `sum(j < i: k(j)) + k(i) <= sum(j < n: k(j))` where `i < n`.
//! - *Order through functions*: `off(a) <= off(b)` where `a <= b` and `off` does not fall; the same for powers of two, which double,
//!   and whose products are powers again.
//! - *Ends*: where constant ranges show that `p` is at least 1, that is a fact, and may be multiplied.
//! - *Differences*: `i <= k` and `i != k` give `i < k`.
//! - *Combinations* (after Fourier and Motzkin): `x + y >= 0` and `x - y >= 0` give `x >= 0`, which cancelling one fact at a time does not find. One
//!   round, only where the result is no longer than its parents, and only after the plain search failed.
//!
//! The questions asked here are small ones: each has a few steps of the budget.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::compact::{Poly, Product};
use crate::expr::{Atom, Size};
use crate::facts::tighten;
use crate::search::{ROUNDS, Search};

const APART_STEPS: u32 = 20;
const MAX_PAIRS: usize = 10;
const MAX_COMBINED: usize = 24;
const MAX_PARENTS: usize = 40;

impl Search<'_> {
    /// Whether an atom may be compared with others of its kind.
    fn is_ordered(&self, id: u32) -> bool {
        match self.store.table.atom(id) {
            Atom::Sum(_) | Atom::Pow2(_) => true,
            Atom::Apply { fun, .. } => self.store.has_order(*fun),
            _ => false,
        }
    }

    /// What follows from the order of arguments.
    pub(crate) fn learn_order(&mut self) {
        let before = self.facts.len();
        let ordered = self.atoms.iter().filter(|id| self.is_ordered(**id));
        let atoms: Vec<Atom> = ordered.map(|id| self.store.table.atom(*id).clone()).collect();
        let sums = atoms.iter().filter(|a| matches!(a, Atom::Sum(sum) if self.store.table.never_negative(&sum.body)));
        let sums: Vec<&Atom> = sums.take(MAX_PAIRS).collect();
        let applied: Vec<&Atom> = atoms.iter().filter(|a| matches!(a, Atom::Apply { .. })).take(MAX_PAIRS).collect();
        for (short, long) in pairs(&sums) {
            self.compare_sums(short, long);
        }
        for (low, high) in pairs(&applied) {
            self.compare_values(low, high);
        }
        let powers: Vec<&Atom> = atoms.iter().filter(|a| matches!(a, Atom::Pow2(_))).take(MAX_PAIRS).collect();
        for (low, high) in pairs(&powers) {
            self.compare_powers(low, high);
        }
        if self.facts.len() > before {
            self.learn_ranges(before, ROUNDS);
        }
    }

    /// The constant lower ends of atoms as facts of their own: `p - 1 >= 0` where `p >= c` and `c >= 1`.
    pub(crate) fn learn_ends(&mut self) {
        for id in self.atoms.clone() {
            if let Some(low @ 1..) = self.store.table.range(&Poly::atom(id)).low
                && let Some(fact) = Poly::atom(id).plus_constant(-low)
                && !self.facts.iter().any(|known| **known == fact)
            {
                self.facts.push(Arc::new(fact));
            }
        }
    }

    /// The polynomial of a size that did not occur before.
    fn number(&mut self, size: &Size) -> Option<Poly> {
        let poly = self.store.table.poly(&tighten(size))?;
        poly.atoms().into_iter().for_each(|id| self.store.table.refresh(id));
        Some(poly)
    }

    fn learn(&mut self, size: &Size) {
        if let Some(poly) = self.number(size) {
            self.facts.push(Arc::new(poly));
        }
    }

    fn shows(&mut self, size: &Size) -> bool {
        let Some(poly) = self.number(size) else {
            return false;
        };
        !self.refuted(std::slice::from_ref(&poly), false) && self.prove_apart(&poly, APART_STEPS)
    }

    fn compare_sums(&mut self, short: &Atom, long: &Atom) {
        let (Atom::Sum(first), Atom::Sum(second)) = (short, long) else {
            return;
        };
        let longer = &*second.upper - &*first.upper;
        if first.body != second.body || !self.shows(&longer) {
            return;
        }
        let more = Size::atom(long.clone()) - Size::atom(short.clone());
        if !self.shows(&first.upper) || !self.shows(&(&longer - 1)) {
            self.learn(&more);
            return;
        }
        let term = first.body_at(&first.upper);
        self.learn(&(&more - &term));
        if longer == Size::one() {
            self.learn(&(term - more));
        }
    }

    fn compare_values(&mut self, low: &Atom, high: &Atom) {
        let (Atom::Apply { fun, args }, Atom::Apply { fun: same, args: others }) = (low, high) else {
            return;
        };
        if fun != same || args.len() != others.len() {
            return;
        }
        let mut apart = (0..args.len()).filter(|at| args[*at] != others[*at]);
        if let (Some(at), None) = (apart.next(), apart.next())
            && self.store.is_nondecreasing(*fun, at)
            && self.shows(&(&others[at] - &args[at]))
        {
            self.learn(&(Size::atom(high.clone()) - Size::atom(low.clone())));
        }
    }

    fn compare_powers(&mut self, low: &Atom, high: &Atom) {
        let (Atom::Pow2(less), Atom::Pow2(more)) = (low, high) else {
            return;
        };
        if low < high {
            self.multiply_powers(low, high, &Size::pow2(&(&**less + &**more)));
        }
        let (low, high) = (Size::atom(low.clone()), Size::atom(high.clone()));
        if self.shows(&(&**more - &**less - 1)) {
            self.learn(&(high - low * 2));
        } else if self.shows(&(&**more - &**less)) {
            self.learn(&(high - low));
        }
    }

    /// `2^a * 2^b = 2^(a + b)` where all three occur: sizes know that, but here a product is only a product.
    fn multiply_powers(&mut self, first: &Atom, second: &Atom, whole: &Size) {
        let known = |atom: &Atom| self.atoms.iter().any(|id| self.store.table.atom(*id) == atom);
        if whole.denominator() != 1 || !whole.atoms().into_iter().all(known) {
            return;
        }
        let exponents = [first, second].map(|atom| atom.parts().into_iter().cloned().collect::<Vec<_>>());
        if !exponents.iter().flatten().all(|exponent| self.shows(exponent)) {
            return;
        }
        let [first, second] = [first, second].map(|atom| self.store.table.poly(&Size::atom(atom.clone())));
        let product = first.zip(second).and_then(|(first, second)| first.times(&second));
        let more = product.zip(self.store.table.poly(whole)).and_then(|(product, whole)| product.minus(&whole));
        self.facts.extend(more.iter().flat_map(|more| [more.clone(), more.negated()]).map(Arc::new));
    }

    /// A size that is never zero and never negative is at least one.
    pub(crate) fn learn_differences(&mut self) {
        for poly in self.differing.clone() {
            for side in [(*poly).clone(), poly.negated()] {
                if !self.refuted(std::slice::from_ref(&side), false)
                    && self.prove_apart(&side, APART_STEPS)
                    && let Some(poly) = side.plus_constant(-1)
                {
                    self.facts.push(Arc::new(poly.tightened()));
                    self.learn_ranges(self.facts.len() - 1, ROUNDS);
                }
            }
        }
    }

    /// Sums of two facts in which a product cancels, the shortest ones; whether there are new ones.
    pub(crate) fn combine_facts(&mut self, goal: &Poly) -> bool {
        let mut found: BTreeSet<(usize, Poly)> = BTreeSet::new();
        let parents = &self.facts[..self.facts.len().min(MAX_PARENTS)];
        for (at, first) in parents.iter().enumerate() {
            for second in &parents[at + 1..] {
                for (product, factor) in first.terms().iter().filter(|(p, _)| *p != Product::ONE) {
                    let other = second.factor(*product);
                    if other.signum() != -factor.signum() {
                        continue;
                    }
                    let Some(sum) = first.combine(other.abs(), second, factor.abs()) else {
                        continue;
                    };
                    let sum = sum.tightened();
                    let short = sum.terms().len() <= first.terms().len().max(second.terms().len());
                    let new = || {
                        self.store.table.range(&sum).low.is_none_or(|low| low < 0)
                            && !self.facts.iter().any(|f| **f == sum)
                    };
                    if short && sum.atoms().iter().any(|a| goal.has(*a)) && new() {
                        found.insert((sum.terms().len(), sum));
                    }
                }
            }
        }
        let any = !found.is_empty();
        self.facts.extend(found.into_iter().take(MAX_COMBINED).map(|(_, sum)| Arc::new(sum)));
        any
    }
}

fn pairs<'a>(atoms: &[&'a Atom]) -> Vec<(&'a Atom, &'a Atom)> {
    let with = |a: &'a Atom| atoms.iter().filter(move |b| **b != a).map(move |b| (a, *b));
    atoms.iter().flat_map(|a| with(a)).collect()
}
