//! Ways to go on from a goal: cancelling terms with facts, and sliding atoms to their bounds.
//!
//! Which fact to use on what decides how long a search takes. A goal `p >= 0` fails because of the terms that pull it down, and a proof must get
//! rid of all of them; so it is enough to look at one or two of them at a time, and at the facts that can cancel those:
//!
//! ```text
//! n*m - i*m - j - 1 >= 0      pulled down by i*m: use i <= n - 1, times m
//!             m - j - 1 >= 0  pulled down by j: use j <= m - 1
//! ```
//!
//! A term may also be cancelled by the constant of a fact: `n*m - n` is `n*(m - 1)`. Or it is cancelled by what another term is at least:
//! `n - b` is at least `p*b - b` where `p*b <= n`.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::compact::{Poly, Product};
use crate::search::Search;

/// How many of the terms that pull a goal down are tried.
const MAX_TERMS: usize = 2;
/// How many ways to replace terms that hold a goal up.
const MAX_UP: usize = 12;

/// A goal that implies the current one if the condition holds.
pub(crate) struct Reduction {
    pub(crate) next: Poly,
    pub(crate) condition: Condition,
    pub(crate) fact: usize,
}

/// A product in a fact that may cancel a term of the goal, with its factor there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    fact: usize,
    product: Product,
    factor: i128,
}

/// A term that pulls the goal down, and how it may be cancelled.
struct Ways {
    degree: usize,
    unbounded: bool,
    ways: Vec<Way>,
}

pub(crate) enum Condition {
    Holds,
    NeverNegative(Poly),
    /// The goal is monotone in an atom between two polynomials: the factor tells in which direction.
    Monotone {
        atom: u32,
        low: Poly,
        high: Poly,
        rising: bool,
    },
}

impl Condition {
    fn effort(&self) -> u32 {
        match self {
            Condition::Holds => 0,
            Condition::NeverNegative(_) | Condition::Monotone { .. } => 1,
        }
    }
}

impl Search<'_> {
    /// What may be tried on a goal, best first. A proof must cancel every term that pulls the goal down, in some order: terms of higher degree
    /// go first, because cancelling them changes lower ones, and then those with the fewest ways. Terms that hold the goal up may have
    /// to be replaced by what they are at least, so that they meet the others; that comes last.
    pub(crate) fn reductions(&self, goal: &Poly) -> Vec<Reduction> {
        let mut down: Vec<Ways> = Vec::new();
        let mut up: Vec<Way> = Vec::new();
        for (product, factor) in goal.terms() {
            if *product == Product::ONE {
                continue;
            }
            let low = self.store.table.term(*product, *factor).low;
            let ways = self.ways(*product, *factor);
            if low.is_none_or(|low| low < 0) {
                down.push(Ways { degree: product.degree(), unbounded: low.is_none(), ways });
            } else {
                up.extend(ways);
            }
        }
        down.sort_by_key(|t| (Reverse(t.degree), !t.unbounded, t.ways.len()));
        // No way for the first: it cannot be cancelled unless something else changes.
        let stuck = down.first().is_some_and(|t| t.unbounded && t.ways.is_empty());
        let first: BTreeSet<Way> = match stuck {
            true => BTreeSet::new(),
            false => down.into_iter().take(MAX_TERMS).flat_map(|t| t.ways).collect(),
        };
        let mut found = self.slides(goal);
        self.multiples(goal, &mut found);
        for way in &first {
            self.cancel(goal, *way, &mut found);
        }
        let best_first = |r: &Reduction| (r.condition.effort(), r.next.atoms().len(), r.next.terms().len());
        found.sort_by_cached_key(best_first);
        let mut last = Vec::new();
        for way in up.into_iter().filter(|way| !first.contains(way)).take(MAX_UP) {
            self.cancel(goal, way, &mut last);
        }
        last.sort_by_cached_key(best_first);
        found.extend(last);
        found
    }

    /// `n*m - n` is `n*(m - 1)`: a term is cancelled by the constant of a fact, where the goal has the other terms of the product.
    fn multiples(&self, goal: &Poly, found: &mut Vec<Reduction>) {
        for (product, factor) in goal.terms() {
            let usable = *product != Product::ONE && *factor < 0;
            if !usable || self.store.table.product(*product).low.is_none_or(|low| low < 0) {
                continue;
            }
            for (fact, line) in self.facts.iter().enumerate() {
                let by = line.constant_term();
                let mut others = line.terms().iter().filter(|(p, c)| *p != Product::ONE && *c > 0);
                if by >= 0 || !others.all(|(p, _)| product.times(*p).is_some_and(|whole| goal.factor(whole) > 0)) {
                    continue;
                }
                let multiplier = Poly::from_terms(vec![(*product, factor.saturating_neg())]);
                let multiple = multiplier.and_then(|multiplier| multiplier.times(line));
                let next = multiple.and_then(|m| goal.combine(by.saturating_neg(), &m, -1));
                if let Some(next) = next.and_then(|next| next.plus_constant(by.saturating_neg() - 1)) {
                    found.push(Reduction { next, condition: Condition::Holds, fact });
                }
            }
        }
    }

    /// The goal at the bounds of atoms that occur in higher powers.
    fn slides(&self, goal: &Poly) -> Vec<Reduction> {
        let mut found = Vec::new();
        for atom in goal.atoms() {
            let repeated = |(p, _): &(Product, i128)| p.atoms().filter(|a| *a == atom).count() > 1;
            if !goal.terms().iter().any(repeated) {
                continue;
            }
            for (fact, line) in self.facts.iter().enumerate() {
                let factor = line.factor(Product::atom(atom));
                if factor.abs() == 1 && line.terms().iter().filter(|(p, _)| p.has(atom)).count() == 1 {
                    found.extend(slide(goal, atom, line, factor, fact));
                }
            }
        }
        found
    }

    /// Facts with a product that divides this one and a sign that may cancel it.
    fn ways(&self, product: Product, factor: i128) -> Vec<Way> {
        let mut found = Vec::new();
        for (fact, line) in self.facts.iter().enumerate() {
            for (part, by) in line.terms() {
                if *part == Product::ONE {
                    continue;
                }
                let Some(rest) = product.without(*part) else {
                    continue;
                };
                let single = part.single();
                if single.is_some_and(|atom| line.terms().iter().filter(|(p, _)| p.has(atom)).count() > 1) {
                    continue;
                }
                let range = self.store.table.product(rest);
                let (falls, rises) = (range.low.is_some_and(|l| l >= 0), range.high.is_some_and(|h| h <= 0));
                let same_sign = (factor > 0) == (*by > 0);
                if !(falls && !same_sign || rises && same_sign) {
                    found.push(Way { fact, product: *part, factor: *by });
                }
            }
        }
        found
    }

    /// `|c|*p + |c| - 1 - |A|*h` for `p = A*x + B` and `h = c*x + r`; else with the part of `A` whose sign is known.
    fn cancel(&self, goal: &Poly, Way { fact, product, factor }: Way, found: &mut Vec<Reduction>) {
        let line = &self.facts[fact];
        let slope = goal.quotient(product);
        let rising = if factor > 0 { slope } else { slope.negated() };
        let times = factor.abs();
        let next = |by: &Poly| goal.combine(times, &by.times(line)?, -1)?.plus_constant(times - 1);
        let range = self.store.table.range(&rising);
        let sure = range.low.is_some_and(|low| low >= 0);
        if !sure && rising.terms().len() > 1 {
            let known = rising.part(|p, c| {
                let range = self.store.table.product(p);
                if c > 0 { range.low.is_some_and(|l| l >= 0) } else { range.high.is_some_and(|h| h <= 0) }
            });
            if !known.terms().is_empty()
                && let Some(next) = next(&known)
            {
                found.push(Reduction { next, condition: Condition::Holds, fact });
            }
        }
        if range.high.is_none_or(|high| high >= 0)
            && let Some(next) = next(&rising)
        {
            let condition = if sure { Condition::Holds } else { Condition::NeverNegative(rising) };
            found.push(Reduction { next, condition, fact });
        }
    }
}

/// For higher powers: the goal at the bound, if the goal is monotone from there to `x`.
fn slide(goal: &Poly, atom: u32, line: &Poly, factor: i128, fact: usize) -> Option<Reduction> {
    let x = Poly::atom(atom);
    let (bound, low, high, rising) = match factor {
        1 => {
            let lower = x.minus(line)?;
            (lower.clone(), lower, x.plus_constant(-1)?, true)
        }
        -1 => {
            let upper = x.plus(line)?;
            (upper.clone(), x, upper.plus_constant(-1)?, false)
        }
        _ => return None,
    };
    let condition = Condition::Monotone { atom, low, high, rising };
    Some(Reduction { next: goal.at(atom, &bound)?, condition, fact })
}
