//! The search behind the prover: is this polynomial never negative?
//!
//! A goal `p >= 0` is done if constant ranges show it. Else an atom `x` is eliminated with a fact that bounds it, which leaves a goal that
//! implies the first, and so on. With `0 <= i < n` and `0 <= j <= i`, to show that `(i, j)` lies inside a triangle:
//!
//! ```text
//! n^2 + n - i^2 - i - 2j - 2 >= 0     j occurs as -2j, so its upper bound i is the worst case
//! n^2 + n - i^2 - 3i - 2     >= 0     falls as i grows, because one step changes it by -2i - 4; the upper bound is n - 1
//! 0                          >= 0     done
//! ```
//!
//! Linear `x` (`p = A*x + B`, a fact `h = c*x + r >= 0`): if `A` has the sign of `c` then `|c|*p + |c| - 1 - |A|*h >= 0` is enough. That is plain
//! algebra, for integers, and needs no order among variables. For higher powers `p` must be monotone between `x` and its bound: the difference of one step is a goal
//! of lower degree about a fresh variable that lies between the two, and only that is known of it; facts about `x` itself say nothing
//! about the points on the way. Minima and maxima go by cases where their bounds are of no use.
//!
//! Goals that failed are not tried again, depth and steps are bounded, and coefficients that overflow make opaque goals. Declined: combining
//! facts with each other (Fourier and Motzkin), nonlinear facts except by cancelling equal products.

use std::collections::{BTreeMap, BTreeSet};

use crate::expr::{Atom, Monomial, Size, SizeFun, fresh_bound};
use crate::interval::{Interval, Ranges};
use crate::prove::tighten;

const MAX_DEPTH: u32 = 14;
const ROUNDS: usize = 4;

pub(crate) struct Search<'a> {
    facts: Vec<Size>,
    ranges: Ranges<'a>,
    steps: u32,
    failed: BTreeSet<Size>,
}

/// A goal that implies the current one if the condition holds.
struct Reduction {
    goal: Size,
    condition: Condition,
}

enum Condition {
    Holds,
    NeverNegative(Size),
    /// The same for an atom that lies between two sizes.
    Between {
        fresh: Atom,
        low: Size,
        high: Size,
        goal: Size,
    },
}

/// The factor of an atom in a fact, where it is a number and the atom occurs nowhere else in the polynomial.
fn linear_factor(fact: &Size, atom: &Atom) -> Option<i128> {
    let mut with = fact.terms().filter(|(m, _)| m.exponent(atom) > 0);
    let (monomial, factor) = with.next()?;
    (with.next().is_none() && monomial.degree() == 1).then_some(factor)
}

impl<'a> Search<'a> {
    pub(crate) fn new(facts: Vec<Size>, nonnegative: &'a dyn Fn(SizeFun) -> bool, steps: u32) -> Search<'a> {
        let ranges = Ranges { known: BTreeMap::new(), nonnegative: Some(nonnegative) };
        let mut search = Search { facts, ranges, steps, failed: BTreeSet::new() };
        search.find_ranges();
        search
    }

    /// Constant ranges of atoms from the facts, a few rounds.
    fn find_ranges(&mut self) {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for fact in &self.facts {
                for atom in fact.atoms() {
                    let Some(factor) = linear_factor(fact, atom) else {
                        continue;
                    };
                    let Some(rest) = self.ranges.without(fact, Some(atom)).high else {
                        continue;
                    };
                    // factor * atom >= -rest
                    let found = match factor {
                        1.. => Interval { low: rest.div_euclid(factor).checked_neg(), high: None },
                        _ => Interval { low: None, high: Some(rest.div_euclid(-factor)) },
                    };
                    let known = self.ranges.atom(atom);
                    let better = known.meet(found);
                    if better != known {
                        self.ranges.known.insert(atom.clone(), better);
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// Facts about pairs of sums of the same nonnegative body: the longer is the greater, by at least one term if strictly longer.
    pub(crate) fn learn_sums(&mut self, goal: &Size) {
        let mut sums = Vec::new();
        for atom in self.facts.iter().chain([goal]).flat_map(Size::atoms) {
            if let Atom::Sum(sum) = atom
                && !sums.contains(sum)
                && self.ranges.size(&sum.body).low.is_some_and(|low| low >= 0)
            {
                sums.push(sum.clone());
            }
        }
        let mut learnt = Vec::new();
        for short in &sums {
            for long in sums.iter().filter(|l| *l != short && l.body == short.body) {
                let more = Size::atom(Atom::Sum(long.clone())) - Size::atom(Atom::Sum(short.clone()));
                let longer = &*long.upper - &*short.upper;
                if !self.prove_apart(&longer) {
                    continue;
                }
                if !self.prove_apart(&short.upper) || !self.prove_apart(&(&longer - 1)) {
                    learnt.push(more);
                    continue;
                }
                let first = short.body_at(&short.upper);
                learnt.push(&more - &first);
                if longer == Size::one() {
                    learnt.push(first - more);
                }
            }
        }
        self.facts.extend(learnt.iter().map(tighten));
        self.find_ranges();
    }

    pub(crate) fn prove(&mut self, goal: &Size) -> bool {
        self.never_negative(goal, MAX_DEPTH)
    }

    /// A question of its own: what fails here may still be tried elsewhere.
    fn prove_apart(&mut self, goal: &Size) -> bool {
        let outer = std::mem::take(&mut self.failed);
        let proved = self.never_negative(goal, MAX_DEPTH / 2);
        self.failed = outer;
        proved
    }

    fn never_negative(&mut self, goal: &Size, depth: u32) -> bool {
        let goal = tighten(goal);
        if goal.is_constant() {
            return goal.constant_term() >= 0;
        }
        let range = self.ranges.size(&goal);
        if range.low.is_some_and(|low| low >= 0) {
            return true;
        }
        if range.high.is_some_and(|high| high < 0) || depth == 0 || self.steps == 0 || self.failed.contains(&goal) {
            return false;
        }
        self.steps -= 1;
        self.failed.insert(goal.clone());
        if let Some(split) = self.splittable(&goal) {
            return self.by_cases(&goal, &split, depth);
        }
        let mut reductions = self.reductions(&goal);
        reductions.sort_by_cached_key(|r| (r.goal.atoms().len(), r.goal.terms.len()));
        reductions.into_iter().any(|r| self.holds(r.condition, depth - 1) && self.never_negative(&r.goal, depth - 1))
    }

    fn holds(&mut self, condition: Condition, depth: u32) -> bool {
        match condition {
            Condition::Holds => true,
            Condition::NeverNegative(size) => self.never_negative(&size, depth),
            Condition::Between { fresh, low, high, goal } => {
                let range = Interval { low: self.ranges.size(&low).low, high: self.ranges.size(&high).high };
                self.ranges.known.insert(fresh.clone(), range);
                let between = Size::atom(fresh.clone());
                let proved = self.with_facts(&[&between - &low, high - between], &goal, depth);
                self.ranges.known.remove(&fresh);
                proved
            }
        }
    }

    fn with_facts(&mut self, more: &[Size], goal: &Size, depth: u32) -> bool {
        let before = self.facts.len();
        let outer = std::mem::take(&mut self.failed);
        self.facts.extend(more.iter().map(tighten));
        let proved = self.never_negative(goal, depth);
        self.facts.truncate(before);
        self.failed = outer;
        proved
    }

    fn reductions(&self, goal: &Size) -> Vec<Reduction> {
        let mut found = Vec::new();
        for atom in goal.atoms() {
            let powers = goal.by_powers(atom);
            for fact in &self.facts {
                let Some(factor) = linear_factor(fact, atom) else {
                    continue;
                };
                match powers.as_slice() {
                    [_, slope] => found.extend(self.eliminate(goal, slope, fact, factor)),
                    _ => found.extend(slide(&powers, atom, fact, factor)),
                }
            }
        }
        for fact in &self.facts {
            found.extend(cancel_product(goal, fact));
        }
        found
    }

    /// `|c|*p + |c| - 1 - |A|*h` for `p = A*x + B` and `h = c*x + r`.
    fn eliminate(&self, goal: &Size, slope: &Size, fact: &Size, factor: i128) -> Option<Reduction> {
        let rising = if factor > 0 { slope.clone() } else { -slope };
        let range = self.ranges.size(&rising);
        let condition = match (range.low, range.high) {
            (Some(0..), _) => Condition::Holds,
            (_, Some(..=-1)) => return None,
            _ => Condition::NeverNegative(rising.clone()),
        };
        let next = scaled(goal, factor.checked_abs()?) - rising * fact;
        Some(Reduction { goal: next, condition })
    }
}

/// A size that is negative exactly where an integer-valued goal is: `c*p + c - 1 >= 0` says `p > -1`.
fn scaled(goal: &Size, by: i128) -> Size {
    goal * Size::from_i128(by) + Size::from_i128(by - 1)
}

/// For higher powers: the goal at the bound, if the goal is monotone from there to `x`.
fn slide(powers: &[Size], atom: &Atom, fact: &Size, factor: i128) -> Option<Reduction> {
    let x = Size::atom(atom.clone());
    let fresh = fresh_bound();
    let here = Size::atom(fresh.clone());
    let step = Size::at_point(powers, &(&here + 1)) - Size::at_point(powers, &here);
    let (bound, low, high, goal) = match factor {
        1 => {
            let lower = &x - fact;
            (lower.clone(), lower, x - 1, step)
        }
        -1 => {
            let upper = &x + fact;
            (upper.clone(), x, upper - 1, -step)
        }
        _ => return None,
    };
    Some(Reduction { goal: Size::at_point(powers, &bound), condition: Condition::Between { fresh, low, high, goal } })
}

/// `|c|*p + |c| - 1 - |a|*h` where a product occurs in both with factors of the same sign.
fn cancel_product(goal: &Size, fact: &Size) -> Option<Reduction> {
    let shared = |m: &Monomial, c: i128| match fact.terms.get(m) {
        Some(d) if m.degree() > 1 && (c > 0) == (*d > 0) => Some((c.checked_abs()?, d.checked_abs()?)),
        _ => None,
    };
    let (in_goal, in_fact) = goal.terms().find_map(|(m, c)| shared(m, c))?;
    let next = scaled(goal, in_fact) - fact * Size::from_i128(in_goal);
    Some(Reduction { goal: next, condition: Condition::Holds })
}

impl Search<'_> {
    /// A minimum or maximum in the goal that its defining bounds cannot eliminate.
    fn splittable(&self, goal: &Size) -> Option<Atom> {
        let wrong_side = |atom: &&Atom| {
            let powers = goal.by_powers(atom);
            let slope = powers.get(1).map_or(Interval::ALL, |slope| self.ranges.size(slope));
            match atom {
                Atom::Min(_) => powers.len() > 2 || slope.high.is_none_or(|high| high > 0),
                Atom::Max(_) => powers.len() > 2 || slope.low.is_none_or(|low| low < 0),
                _ => false,
            }
        };
        goal.atoms().into_iter().find(wrong_side).cloned()
    }

    fn by_cases(&mut self, goal: &Size, split: &Atom, depth: u32) -> bool {
        let (args, sign) = match split {
            Atom::Min(args) => (args, 1),
            Atom::Max(args) => (args, -1),
            _ => return false,
        };
        let powers = goal.by_powers(split);
        args.iter().all(|chosen| {
            let others = args.iter().filter(|a| *a != chosen).map(|a| (a - chosen) * sign);
            let facts: Vec<Size> = others.collect();
            self.with_facts(&facts, &Size::at_point(&powers, chosen), depth - 1)
        })
    }
}
