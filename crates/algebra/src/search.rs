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

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::cancel::Condition;
use crate::compact::{Poly, Product};
use crate::expr::Size;
use crate::facts::Kind;
use crate::gather::Gathered;
use crate::interval::Interval;
use crate::ranges::{Meaning, Table};
use crate::refute::refuted;
use crate::store::Store;

const MAX_DEPTH: u32 = 14;
const SHORT_DEPTHS: [u32; 2] = [4, 7];
/// Steps before a counterexample is looked for.
const EASY_STEPS: u32 = 12;
/// So many ways to go on cost a step.
const REDUCTIONS_PER_STEP: u32 = 8;
pub(crate) const ROUNDS: usize = 4;
const CASE_ROUNDS: usize = 2;
/// How many facts may cancel a minimum before its cases are tried.
const CANCELLED_FIRST: usize = 2;
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
    pub(crate) store: &'a mut Store,
    /// Polynomials that are never negative.
    pub(crate) facts: Vec<Arc<Poly>>,
    /// Polynomials that are never zero.
    pub(crate) differing: Vec<Arc<Poly>>,
    /// The atoms that occur in the facts.
    pub(crate) atoms: Vec<u32>,
    pub(crate) steps: u32,
    failed: BTreeSet<Poly>,
    trace: Option<Vec<Step>>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(store: &'a mut Store, gathered: Gathered, steps: u32) -> Search<'a> {
        let Gathered { lines: facts, differing, atoms, .. } = gathered;
        Search { store, facts, differing, atoms, steps, failed: BTreeSet::new(), trace: None }
    }

    /// Records the steps of the proof.
    pub(crate) fn record(&mut self) {
        self.trace = Some(Vec::new());
    }

    pub(crate) fn into_trace(self) -> Vec<Step> {
        self.trace.unwrap_or_default()
    }

    /// Whether a goal is never negative, or never zero.
    pub(crate) fn answer(&mut self, kind: Kind, goal: &Poly) -> bool {
        if kind == Kind::NonZero && self.differing.iter().any(|d| d.same_or_opposite(goal)) {
            return true;
        }
        goal.atoms().into_iter().for_each(|id| self.store.table.refresh(id));
        let goals = match kind {
            Kind::NonZero => vec![goal.plus_constant(-1), goal.negated().plus_constant(-1)],
            _ => vec![Some(goal.clone())],
        };
        let goals: Vec<Poly> = goals.into_iter().flatten().collect();
        self.learn_order();
        if self.refuted(&goals, false) {
            return false;
        }
        self.learn_differences();
        self.learn_ends();
        let within = |depth: u32| {
            let goals = &goals;
            move |search: &mut Self| goals.iter().any(|g| search.never_negative(g.clone(), depth))
        };
        if self.store.table.is_empty() || self.with_steps(EASY_STEPS, within(MAX_DEPTH)) {
            return true;
        }
        if self.steps == 0 || self.refuted(&goals, true) {
            return false;
        }
        // Short proofs first: a wrong turn early on would take all the steps.
        SHORT_DEPTHS.iter().any(|depth| self.with_steps(self.steps / 4, within(*depth)))
            || self.with_steps(self.steps / 2, within(MAX_DEPTH))
            || goals.iter().any(|g| self.prove_harder(g))
    }

    /// Whether there seems to be a counterexample to all goals.
    pub(crate) fn refuted(&mut self, goals: &[Poly], effort: bool) -> bool {
        let Store { table, kept, .. } = &mut *self.store;
        refuted(table, kept, (&self.facts, &self.differing), goals, effort)
    }

    /// Runs with a part of the steps; what failed before may be tried again.
    fn with_steps(&mut self, steps: u32, run: impl FnOnce(&mut Self) -> bool) -> bool {
        let reserve = self.steps.saturating_sub(steps);
        self.steps -= reserve;
        self.failed.clear();
        let proved = run(self);
        self.steps += reserve;
        proved
    }

    /// Ranges from the facts after the first so many, and what follows for the others.
    pub(crate) fn learn_ranges(&mut self, from: usize, rounds: usize) {
        let table = &mut self.store.table;
        let mut start = table.changes();
        self.facts[from..].iter().for_each(|fact| table.learn_from(fact));
        for _ in 1..rounds {
            if table.changes() == start || table.is_empty() {
                break;
            }
            let changed = table.changed_since(start);
            start = table.changes();
            for fact in self.facts.iter().filter(|fact| changed.iter().any(|id| fact.has(*id))) {
                table.learn_from(fact);
            }
        }
    }

    /// By cases that the search does not go through by itself, and with facts combined.
    fn prove_harder(&mut self, goal: &Poly) -> bool {
        let atoms: BTreeSet<u32> = self.facts.iter().flat_map(|fact| fact.atoms()).collect();
        let mut extremes: Vec<u32> = atoms.into_iter().filter(|id| self.cases(*id).is_some()).collect();
        extremes.sort_by_key(|id| !goal.has(*id));
        for id in extremes.into_iter().take(2) {
            if self.with_steps(self.steps / 3, |search| search.by_cases(goal, id, MAX_DEPTH / 2)) {
                return true;
            }
        }
        for size in self.differing.clone().iter().take(2) {
            let sides = [size.plus_constant(-1), size.negated().plus_constant(-1)];
            let both = |search: &mut Self| {
                sides.iter().all(|side| side.clone().is_some_and(|side| search.in_case(&[side], goal, MAX_DEPTH / 2)))
            };
            if self.with_steps(self.steps / 3, both) {
                return true;
            }
        }
        let before = self.facts.len();
        if self.steps == 0 || !self.combine_facts(goal) {
            return false;
        }
        self.learn_ranges(before, ROUNDS);
        self.store.table.is_empty()
            || self.with_steps(self.steps, |search| search.never_negative(goal.clone(), MAX_DEPTH))
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
            trace.push(Step { goal: self.store.table.size(goal), by: by(&self.store.table) });
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
        let range = self.store.table.range(&goal);
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
            // A fact that speaks of the same minimum or maximum may cancel it.
            let mut cancelling = self.reductions(&goal);
            cancelling.retain(|r| {
                matches!(r.condition, Condition::Holds) && self.facts[r.fact].has(split) && !r.next.has(split)
            });
            let noted = self.noted();
            for reduction in cancelling.into_iter().take(CANCELLED_FIRST) {
                if self.trace.is_some() {
                    let line = self.facts[reduction.fact].clone();
                    self.note(&goal, |t| By::Fact(t.size(&line)));
                }
                if self.never_negative(reduction.next, depth - 1) {
                    return true;
                }
                self.forget(noted);
            }
            return self.by_cases(&goal, split, depth);
        }
        let reductions = self.reductions(&goal);
        self.steps = self.steps.saturating_sub(reductions.len() as u32 / REDUCTIONS_PER_STEP);
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
                let Some(fresh) = self.store.table.fresh() else {
                    return false;
                };
                let proved = self.monotone(goal, atom, fresh, (&low, &high), rising, depth).unwrap_or(false);
                self.store.table.drop_fresh();
                proved
            }
        }
    }

    /// Whether one step from any point between `low` and `high` changes the goal in the right direction.
    fn monotone(
        &mut self,
        goal: &Poly,
        atom: u32,
        fresh: u32,
        (low, high): (&Poly, &Poly),
        rising: bool,
        depth: u32,
    ) -> Option<bool> {
        let here = Poly::atom(fresh);
        let step = goal.at(atom, &here.plus_constant(1)?)?.minus(&goal.at(atom, &here)?)?;
        let step = if rising { step } else { step.negated() };
        let range = Interval { low: self.store.table.range(low).low, high: self.store.table.range(high).high };
        self.store.table.set_range(fresh, range);
        let between = [here.minus(low)?, high.minus(&here)?];
        Some(self.with_facts(&between, |search| search.never_negative(step, depth)))
    }

    /// Runs with more facts; everything is as before afterwards.
    fn with_facts(&mut self, more: &[Poly], run: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = self.facts.len();
        let outer = std::mem::take(&mut self.failed);
        self.facts.extend(more.iter().map(|p| Arc::new(p.clone().tightened())));
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
        let changes = self.store.table.changes();
        let (noted, before) = (self.noted(), self.facts.len());
        let proved = self.with_facts(facts, |search| {
            search.learn_ranges(before, CASE_ROUNDS);
            if search.store.table.is_empty() || search.never_negative(goal.clone(), depth.saturating_sub(1)) {
                return true;
            }
            search.forget(noted);
            let opposites = facts.iter().filter_map(|f| f.negated().plus_constant(-1));
            opposites.into_iter().any(|opposite| search.never_negative(opposite, depth.min(DEAD_DEPTH)))
        });
        self.store.table.undo(changes);
        proved
    }

    /// An atom in the goal that must be tried at each of its values: its defining bounds are on the wrong side.
    fn splittable(&self, goal: &Poly) -> Option<u32> {
        goal.atoms().into_iter().find(|id| {
            let slope = || {
                let slope = goal.quotient(Product::atom(*id));
                if slope.has(*id) { Interval::ALL } else { self.store.table.range(&slope) }
            };
            match self.store.table.meaning(*id) {
                Meaning::Least(_) => slope().high.is_none_or(|high| high > 0),
                Meaning::Greatest(_) => slope().low.is_none_or(|low| low < 0),
                Meaning::Below(_) => true,
                _ => false,
            }
        })
    }

    /// The values an atom may have, each with what holds then.
    fn cases(&self, id: u32) -> Option<Vec<(Poly, Vec<Poly>)>> {
        let chosen = |args: &[Poly], sign: i128| -> Option<Vec<(Poly, Vec<Poly>)>> {
            let one = |(at, arg): (usize, &Poly)| {
                let others = args.iter().enumerate().filter(|(o, _)| *o != at);
                let facts = others.map(|(_, other)| other.combine(sign, arg, -sign));
                Some((arg.clone(), facts.collect::<Option<Vec<Poly>>>()?))
            };
            args.iter().enumerate().map(one).collect()
        };
        match self.store.table.meaning(id) {
            Meaning::Least(args) => chosen(args, 1),
            Meaning::Greatest(args) => chosen(args, -1),
            Meaning::Below(test) => Some(vec![
                (Poly::constant(1), vec![test.negated().plus_constant(-1)?]),
                (Poly::constant(0), vec![test.clone()]),
            ]),
            _ => None,
        }
    }

    fn by_cases(&mut self, goal: &Poly, id: u32, depth: u32) -> bool {
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
