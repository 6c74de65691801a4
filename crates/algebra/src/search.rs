//! The search behind the prover: is this polynomial never negative?
//!
//! A goal `p >= 0` is done if constant ranges show it. Else a fact `h >= 0` is used to cancel something in it, which leaves a goal that
//! implies the first, and so on. With `0 <= i < n` and `0 <= j <= i`, to show that `(i, j)` lies inside a triangle:
//!
//! ```text
//! n^2 + n - i^2 - i - 2j - 2 >= 0     j occurs as -2j, so its upper bound i is the worst case
//! n^2 + n - i^2 - 3i - 2     >= 0     falls as i grows, because one step changes it by -2i - 4; the upper bound is n - 1
//! 0                          >= 0     done
//! ```
//!
//! *Cancelling*: if a product `x` of atoms occurs in the goal as `A*x + B` and in the fact as `c*x + r`, and `A` has the sign of `c`, then
//! `|c|*p + |c| - 1 - |A|*h >= 0` is enough. That is plain algebra, for integers; `A` may be a polynomial, so facts are multiplied by whatever is
//! not negative (`i <= n` gives `i*m <= n*m`). *Sliding*, for higher powers of an atom: `p` at a bound of `x` is enough where `p` is monotone
//! between the two. The change over one step is a goal of lower degree about a fresh atom that lies between, and only that is known
//! of it: facts about `x` itself say nothing about the points on the way. *Cases*: minima, maxima and conditions are tried at each
//! of their values, with what holds there as new facts.
//!
//! Goals that failed are not tried again, depth and steps are bounded, and what overflows is skipped. What facts can be had from other facts
//! beforehand is in `learn`. Declined: the sign of sums of squares, facts multiplied with each other except step by step.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::compact::{Poly, Product};
use crate::expr::{Size, SizeFun};
use crate::facts::{Kind, never_zero, reduce, tighten};
use crate::gather::Gathered;
use crate::interval::Interval;
use crate::ranges::{Meaning, Table};
use crate::refute::refuted;

const MAX_DEPTH: u32 = 14;
/// Steps before a counterexample is looked for.
const EASY_STEPS: u32 = 12;
/// So many ways to go on cost a step.
const REDUCTIONS_PER_STEP: u32 = 8;
const ROUNDS: usize = 4;
const CASE_ROUNDS: usize = 2;
/// How many of the terms that pull a goal down are tried.
const MAX_TERMS: usize = 2;
/// How deep the search for a contradiction inside a case may go.
const DEAD_DEPTH: u32 = 4;

/// One step of a proof, for explanations: the goal, and what was done with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) goal: Size,
    pub(crate) by: By,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum By {
    /// Constant ranges suffice.
    Ranges,
    /// A fact cancelled something.
    Fact(Size),
    /// The goal is monotone up to the bound that a fact gives.
    Bound(Size),
    /// Each value of an atom.
    Cases(Size),
}

pub(crate) struct Search<'a> {
    pub(crate) table: Table<'a>,
    /// Polynomials that are never negative.
    pub(crate) facts: Vec<Poly>,
    /// Polynomials that are never zero.
    pub(crate) differing: Vec<Poly>,
    pub(crate) nondecreasing: &'a BTreeSet<(SizeFun, usize)>,
    pub(crate) steps: u32,
    failed: BTreeSet<Poly>,
    trace: Option<Vec<Step>>,
}

/// A goal that implies the current one if the condition holds.
struct Reduction {
    next: Poly,
    condition: Condition,
    fact: usize,
}

enum Condition {
    Holds,
    NeverNegative(Poly),
    /// The goal is monotone in an atom between two polynomials: the factor tells in which direction.
    Monotone {
        atom: u16,
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

impl<'a> Search<'a> {
    pub(crate) fn new(gathered: &'a Gathered, nonnegative: &'a dyn Fn(SizeFun) -> bool, steps: u32) -> Search<'a> {
        let mut table = Table::new(nonnegative);
        let (mut facts, mut differing) = (Vec::with_capacity(gathered.facts.len()), Vec::new());
        for given in &gathered.facts {
            match (table.poly(&given.size), given.kind) {
                (Some(poly), Kind::NonZero) => differing.push(poly),
                (Some(poly), _) => facts.push(poly),
                (None, _) => {}
            }
        }
        let nondecreasing = &gathered.nondecreasing;
        Search { table, facts, differing, nondecreasing, steps, failed: BTreeSet::new(), trace: None }
    }

    /// Records the steps of the proof.
    pub(crate) fn record(&mut self) {
        self.trace = Some(Vec::new());
    }

    pub(crate) fn into_trace(self) -> Vec<Step> {
        self.trace.unwrap_or_default()
    }

    /// Whether a goal is never negative, or never zero.
    pub(crate) fn answer(&mut self, kind: Kind, goal: &Size) -> bool {
        let goal = match kind {
            Kind::NonZero if never_zero(goal) => return true,
            Kind::NonZero => reduce(goal),
            _ => tighten(goal),
        };
        let Some(goal) = self.table.poly(&goal) else {
            return false;
        };
        self.learn_ranges();
        self.table.refine_others();
        self.learn_order();
        if kind == Kind::NonZero && self.differing.iter().any(|d| d.same_or_opposite(&goal)) {
            return true;
        }
        let goals = match kind {
            Kind::NonZero => vec![goal.plus_constant(-1), goal.negated().plus_constant(-1)],
            _ => vec![Some(goal)],
        };
        let goals: Vec<Poly> = goals.into_iter().flatten().collect();
        if self.table.is_empty() || self.prove_within(&goals, EASY_STEPS) {
            return true;
        }
        if self.steps == 0 || refuted(&self.table, &self.facts, &self.differing, &goals) {
            return false;
        }
        self.prove_within(&goals, self.steps / 3 * 2) || goals.iter().any(|g| self.prove_harder(g))
    }

    /// One of some goals, with a part of the steps.
    fn prove_within(&mut self, goals: &[Poly], steps: u32) -> bool {
        let reserve = self.steps.saturating_sub(steps);
        self.steps -= reserve;
        self.failed.clear();
        let proved = goals.iter().any(|g| self.never_negative(g.clone(), MAX_DEPTH));
        self.steps += reserve;
        proved
    }

    pub(crate) fn learn_ranges(&mut self) {
        self.table.learn(self.facts.iter(), ROUNDS);
    }

    /// With facts combined, and by cases that the goal does not mention.
    fn prove_harder(&mut self, goal: &Poly) -> bool {
        if self.steps == 0 {
            return false;
        }
        if self.combine_facts(goal) {
            self.failed.clear();
            self.learn_ranges();
            if self.table.is_empty() || self.never_negative(goal.clone(), MAX_DEPTH) {
                return true;
            }
        }
        let differing = self.differing.clone();
        for size in differing.iter().take(2) {
            let sides = [size.plus_constant(-1), size.negated().plus_constant(-1)];
            let cases: Vec<Vec<Poly>> = sides.into_iter().flatten().map(|side| vec![side]).collect();
            if cases.len() == 2 && cases.into_iter().all(|case| self.in_case(&case, goal, MAX_DEPTH / 2)) {
                return true;
            }
        }
        let atoms: BTreeSet<u16> = self.facts.iter().flat_map(Poly::atoms).collect();
        let extremes = atoms.into_iter().filter(|id| self.cases(*id).is_some());
        let extremes: Vec<u16> = extremes.take(2).collect();
        extremes.into_iter().any(|id| self.by_cases(goal, id, MAX_DEPTH / 2))
    }

    /// A question of its own: what fails here may still be tried elsewhere, and it may not take all the steps.
    pub(crate) fn prove_apart(&mut self, goal: &Poly, steps: u32) -> bool {
        let outer = std::mem::take(&mut self.failed);
        let trace = self.trace.take();
        let left = self.steps;
        self.steps = left.min(steps);
        let allowed = self.steps;
        let proved = self.never_negative(goal.clone(), MAX_DEPTH / 2);
        self.steps = left - (allowed - self.steps);
        self.failed = outer;
        self.trace = trace;
        proved
    }

    fn note(&mut self, goal: &Poly, by: impl FnOnce(&Table) -> By) {
        if let Some(trace) = &mut self.trace {
            trace.push(Step { goal: self.table.size(goal), by: by(&self.table) });
        }
    }

    fn noted(&self) -> usize {
        self.trace.as_ref().map_or(0, Vec::len)
    }

    fn forget(&mut self, noted: usize) {
        if let Some(trace) = &mut self.trace {
            trace.truncate(noted);
        }
    }

    fn never_negative(&mut self, goal: Poly, depth: u32) -> bool {
        let goal = goal.tightened();
        if goal.is_constant() {
            return goal.constant_term() >= 0;
        }
        let range = self.table.range(&goal);
        if range.low.is_some_and(|low| low >= 0) {
            self.note(&goal, |_| By::Ranges);
            return true;
        }
        if range.high.is_some_and(|high| high < 0) || depth == 0 || self.steps == 0 || self.failed.contains(&goal) {
            return false;
        }
        self.steps -= 1;
        self.failed.insert(goal.clone());
        // At least minus one and never minus one.
        if let Some(next) = goal.plus_constant(1)
            && self.differing.iter().any(|d| d.same_or_opposite(&next))
            && self.never_negative(next, depth - 1)
        {
            return true;
        }
        if let Some(split) = self.splittable(&goal) {
            return self.by_cases(&goal, split, depth);
        }
        let mut reductions = self.reductions(&goal);
        self.steps = self.steps.saturating_sub(reductions.len() as u32 / REDUCTIONS_PER_STEP);
        reductions.sort_by_cached_key(|r| (r.condition.effort(), r.next.atoms().len(), r.next.terms().len()));
        let noted = self.noted();
        for reduction in reductions {
            let fact = reduction.fact;
            let slides = matches!(reduction.condition, Condition::Monotone { .. });
            if !self.holds(&goal, reduction.condition, depth - 1) {
                continue;
            }
            self.forget(noted);
            if self.trace.is_some() {
                let line = self.facts[fact].clone();
                self.note(&goal, |t| if slides { By::Bound(t.size(&line)) } else { By::Fact(t.size(&line)) });
            }
            if self.never_negative(reduction.next, depth - 1) {
                return true;
            }
            self.forget(noted);
        }
        false
    }

    fn holds(&mut self, goal: &Poly, condition: Condition, depth: u32) -> bool {
        match condition {
            Condition::Holds => true,
            Condition::NeverNegative(poly) => self.never_negative(poly, depth),
            Condition::Monotone { atom, low, high, rising } => {
                let Some(fresh) = self.table.fresh() else {
                    return false;
                };
                let proved = self.monotone(goal, atom, fresh, (&low, &high), rising, depth).unwrap_or(false);
                self.table.drop_fresh();
                proved
            }
        }
    }

    /// Whether one step from any point between `low` and `high` changes the goal in the right direction.
    fn monotone(
        &mut self,
        goal: &Poly,
        atom: u16,
        fresh: u16,
        (low, high): (&Poly, &Poly),
        rising: bool,
        depth: u32,
    ) -> Option<bool> {
        let here = Poly::atom(fresh);
        let step = goal.at(atom, &here.plus_constant(1)?)?.minus(&goal.at(atom, &here)?)?;
        let step = if rising { step } else { step.negated() };
        let range = Interval { low: self.table.range(low).low, high: self.table.range(high).high };
        self.table.set_range(fresh, range);
        let between = [here.minus(low)?, high.minus(&here)?];
        Some(self.with_facts(&between, |search| search.never_negative(step, depth)))
    }

    /// Runs with more facts; everything is as before afterwards.
    fn with_facts(&mut self, more: &[Poly], run: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = self.facts.len();
        let outer = std::mem::take(&mut self.failed);
        self.facts.extend(more.iter().map(|p| p.clone().tightened()));
        let proved = run(self);
        self.facts.truncate(before);
        self.failed = outer;
        proved
    }

    /// Whether the goal holds where some facts hold, be it that they cannot.
    fn in_case(&mut self, facts: &[Poly], goal: &Poly, depth: u32) -> bool {
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        let changes = self.table.changes();
        let noted = self.noted();
        let proved = self.with_facts(facts, |search| {
            search.table.learn(search.facts.iter(), CASE_ROUNDS);
            if search.table.is_empty() || search.never_negative(goal.clone(), depth.saturating_sub(1)) {
                return true;
            }
            search.forget(noted);
            let opposites = facts.iter().filter_map(|f| f.negated().plus_constant(-1));
            opposites.into_iter().any(|opposite| search.never_negative(opposite, depth.min(DEAD_DEPTH)))
        });
        self.table.undo(changes);
        proved
    }

    /// Ways to cancel something that pulls the goal down. A proof must cancel every such term, in some order: terms of higher degree go
    /// first, because cancelling them changes lower ones, and then those with the fewest ways. None at all, and the goal fails.
    fn reductions(&self, goal: &Poly) -> Vec<Reduction> {
        let mut ways: Vec<(usize, bool, Vec<(usize, Product, i128)>)> = Vec::new();
        for (product, factor) in goal.terms() {
            if *product == Product::ONE {
                continue;
            }
            let low = self.table.term(*product, *factor).low;
            if low.is_none_or(|low| low < 0) {
                ways.push((product.degree(), low.is_none(), self.ways(*product, *factor)));
            }
        }
        let highest = ways.iter().map(|(degree, _, _)| *degree).max().unwrap_or(0);
        let mut found = self.slides(goal);
        self.multiples(goal, &mut found);
        if ways.iter().any(|(degree, unbounded, ways)| *degree == highest && *unbounded && ways.is_empty()) {
            return found;
        }
        ways.sort_by_key(|(degree, unbounded, ways)| (Reverse(*degree), !unbounded, ways.len()));
        let mut chosen: Vec<_> = ways.into_iter().take(MAX_TERMS).flat_map(|(_, _, ways)| ways).collect();
        chosen.sort_unstable();
        chosen.dedup();
        for (fact, product, factor) in chosen {
            self.cancel(goal, &goal.quotient(product), &self.facts[fact], factor, fact, &mut found);
        }
        found
    }

    /// `n*m - n` is `n*(m - 1)`: a term is cancelled by the constant of a fact, where the goal has the other terms of the product.
    fn multiples(&self, goal: &Poly, found: &mut Vec<Reduction>) {
        for (product, factor) in goal.terms() {
            let usable = *product != Product::ONE && *factor < 0;
            if !usable || self.table.product(*product).low.is_none_or(|low| low < 0) {
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
    fn ways(&self, product: Product, factor: i128) -> Vec<(usize, Product, i128)> {
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
                let range = self.table.product(rest);
                let (falls, rises) = (range.low.is_some_and(|l| l >= 0), range.high.is_some_and(|h| h <= 0));
                let same_sign = (factor > 0) == (*by > 0);
                if !(falls && !same_sign || rises && same_sign) {
                    found.push((fact, *part, *by));
                }
            }
        }
        found
    }

    /// `|c|*p + |c| - 1 - |A|*h` for `p = A*x + B` and `h = c*x + r`; else with the part of `A` whose sign is known.
    fn cancel(&self, goal: &Poly, slope: &Poly, line: &Poly, factor: i128, fact: usize, found: &mut Vec<Reduction>) {
        let rising = if factor > 0 { slope.clone() } else { slope.negated() };
        let times = factor.abs();
        let next = |by: &Poly| goal.combine(times, &by.times(line)?, -1)?.plus_constant(times - 1);
        let range = self.table.range(&rising);
        let sure = range.low.is_some_and(|low| low >= 0);
        if !sure && rising.terms().len() > 1 {
            let known = rising.part(|p, c| {
                let range = self.table.product(p);
                if c > 0 { range.low.is_some_and(|l| l >= 0) } else { range.high.is_some_and(|h| h <= 0) }
            });
            if !known.terms().is_empty()
                && let Some(next) = next(&known)
            {
                found.push(Reduction { next, condition: Condition::Holds, fact });
            }
        }
        if !range.high.is_some_and(|high| high < 0)
            && let Some(next) = next(&rising)
        {
            let condition = if sure { Condition::Holds } else { Condition::NeverNegative(rising) };
            found.push(Reduction { next, condition, fact });
        }
    }

    /// An atom in the goal that must be tried at each of its values: its defining bounds are on the wrong side.
    fn splittable(&self, goal: &Poly) -> Option<u16> {
        goal.atoms().into_iter().find(|id| {
            let slope = || {
                let slope = goal.quotient(Product::atom(*id));
                if slope.has(*id) { Interval::ALL } else { self.table.range(&slope) }
            };
            match self.table.meaning(*id) {
                Meaning::Least(_) => slope().high.is_none_or(|high| high > 0),
                Meaning::Greatest(_) => slope().low.is_none_or(|low| low < 0),
                Meaning::Below(_) => true,
                _ => false,
            }
        })
    }

    /// The values an atom may have, each with what holds then.
    fn cases(&self, id: u16) -> Option<Vec<(Poly, Vec<Poly>)>> {
        let chosen = |args: &[Poly], sign: i128| -> Option<Vec<(Poly, Vec<Poly>)>> {
            let one = |(at, arg): (usize, &Poly)| {
                let others = args.iter().enumerate().filter(|(o, _)| *o != at);
                let facts = others.map(|(_, other)| other.combine(sign, arg, -sign));
                Some((arg.clone(), facts.collect::<Option<Vec<Poly>>>()?))
            };
            args.iter().enumerate().map(one).collect()
        };
        match self.table.meaning(id) {
            Meaning::Least(args) => chosen(args, 1),
            Meaning::Greatest(args) => chosen(args, -1),
            Meaning::Below(test) => Some(vec![
                (Poly::constant(1), vec![test.negated().plus_constant(-1)?]),
                (Poly::constant(0), vec![test.clone()]),
            ]),
            _ => None,
        }
    }

    fn by_cases(&mut self, goal: &Poly, id: u16, depth: u32) -> bool {
        let Some(cases) = self.cases(id) else {
            return false;
        };
        let itself = Poly::atom(id);
        let noted = self.noted();
        self.note(goal, |t| By::Cases(t.size(&itself)));
        let proved = cases.into_iter().all(|(value, mut facts)| {
            let (Some(goal), Some(above), Some(below)) =
                (goal.at(id, &value), itself.minus(&value), value.minus(&itself))
            else {
                return false;
            };
            facts.extend([above, below]);
            self.in_case(&facts, &goal, depth)
        });
        if !proved {
            self.forget(noted);
        }
        proved
    }
}

/// For higher powers: the goal at the bound, if the goal is monotone from there to `x`.
fn slide(goal: &Poly, atom: u16, line: &Poly, factor: i128, fact: usize) -> Option<Reduction> {
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
