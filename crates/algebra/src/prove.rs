//! Comparing sizes under assumptions.
//!
//! [`Assumptions`] are inequalities that hold where a question is asked: ranges of variables, guards passed, facts about functions. A
//! question is answered *yes* (true for every valuation that satisfies the assumptions), *no* (false for every one) or *unknown*:
//!
//! ```text
//! given 0 <= i < n:      i + 1 <= n   yes         i = n   no         i + 2 <= n   unknown
//! ```
//!
//! Every question becomes "is this polynomial never negative?" (`a < b` is `b - a - 1 >= 0`: these are integers), which `search` tries to
//! answer. Only facts connected with the question by shared atoms are looked at, nearest first, so a large set of assumptions costs nothing
//! extra. Each question has a budget of steps: an answer may be *unknown* too early, never wrong and never late. From contradictory
//! assumptions everything follows.
//!
//! Declined: disequalities as assumptions, quantified facts beyond "this function is never negative", explanations of a yes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::expr::{Atom, Size, SizeFun, SizeVar};
use crate::poly::gcd;
use crate::search::Search;

const DEFAULT_BUDGET: u32 = 400;
const MAX_FACTS: usize = 80;

/// What the prover says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// True whenever the assumptions are.
    Yes,
    /// False whenever the assumptions are true.
    No,
    /// Neither was shown.
    Unknown,
}

impl Answer {
    /// Whether it was shown to be true.
    pub fn is_yes(self) -> bool {
        self == Answer::Yes
    }

    /// Whether it was shown to be false.
    pub fn is_no(self) -> bool {
        self == Answer::No
    }

    fn negate(self) -> Answer {
        match self {
            Answer::Yes => Answer::No,
            Answer::No => Answer::Yes,
            Answer::Unknown => Answer::Unknown,
        }
    }
}

/// Inequalities that hold, and the questions that can be asked under them.
#[derive(Clone, Debug)]
pub struct Assumptions {
    /// Each is known to be at least zero; coefficients are integers.
    facts: Vec<Size>,
    facts_with: BTreeMap<Atom, Vec<usize>>,
    nonnegative: BTreeSet<SizeFun>,
    budget: u32,
}

impl Default for Assumptions {
    fn default() -> Self {
        Assumptions::new()
    }
}

impl Assumptions {
    /// Nothing is assumed.
    pub fn new() -> Assumptions {
        Assumptions {
            facts: Vec::new(),
            facts_with: BTreeMap::new(),
            nonnegative: BTreeSet::new(),
            budget: DEFAULT_BUDGET,
        }
    }

    /// How many steps one question may take.
    pub fn set_budget(&mut self, steps: u32) {
        self.budget = steps;
    }

    /// Assumes `0 <= size`.
    pub fn assume_nonnegative(&mut self, size: &Size) {
        let fact = tighten(size);
        if fact.is_constant() && fact.constant_term() >= 0 {
            return;
        }
        for atom in fact.atoms() {
            self.facts_with.entry(atom.clone()).or_default().push(self.facts.len());
        }
        self.facts.push(fact);
    }

    /// Assumes `a <= b`.
    pub fn assume_le(&mut self, a: &Size, b: &Size) {
        self.assume_nonnegative(&(b - a));
    }

    /// Assumes `a < b`.
    pub fn assume_lt(&mut self, a: &Size, b: &Size) {
        self.assume_nonnegative(&(b - a - 1));
    }

    /// Assumes `a = b`.
    pub fn assume_eq(&mut self, a: &Size, b: &Size) {
        self.assume_le(a, b);
        self.assume_le(b, a);
    }

    /// Assumes `lower <= var <= upper`.
    pub fn assume_range(&mut self, var: SizeVar, lower: &Size, upper: &Size) {
        self.assume_le(lower, &Size::var(var));
        self.assume_le(&Size::var(var), upper);
    }

    /// Assumes `0 <= var < count`.
    pub fn assume_index(&mut self, var: SizeVar, count: &Size) {
        self.assume_range(var, &Size::zero(), &(count - 1));
    }

    /// Assumes that a function is never negative, whatever its arguments.
    pub fn assume_fun_nonnegative(&mut self, fun: SizeFun) {
        self.nonnegative.insert(fun);
    }

    /// Whether `a <= b`.
    pub fn prove_le(&self, a: &Size, b: &Size) -> Answer {
        let difference = b - a;
        if self.never_negative(&difference) {
            Answer::Yes
        } else if self.never_negative(&(-difference - 1)) {
            Answer::No
        } else {
            Answer::Unknown
        }
    }

    /// Whether `a < b`.
    pub fn prove_lt(&self, a: &Size, b: &Size) -> Answer {
        self.prove_le(b, a).negate()
    }

    /// Whether `a = b`.
    pub fn prove_eq(&self, a: &Size, b: &Size) -> Answer {
        let difference = a - b;
        if difference.is_zero() {
            return Answer::Yes;
        }
        if never_zero(&difference) {
            return Answer::No;
        }
        match (self.prove_le(a, b), self.prove_le(b, a)) {
            (Answer::Yes, Answer::Yes) => Answer::Yes,
            (Answer::No, _) | (_, Answer::No) => Answer::No,
            _ => Answer::Unknown,
        }
    }

    /// Whether `a` and `b` differ.
    pub fn prove_ne(&self, a: &Size, b: &Size) -> Answer {
        self.prove_eq(a, b).negate()
    }

    fn never_negative(&self, size: &Size) -> bool {
        let goal = tighten(size);
        if goal.is_constant() {
            return goal.constant_term() >= 0;
        }
        let nonnegative = |fun| self.nonnegative.contains(&fun);
        let mut search = Search::new(self.relevant(&goal), &nonnegative, self.budget);
        search.learn_sums(&goal);
        search.prove(&goal)
    }

    /// The assumptions connected with a goal, and what holds of the operations in it by definition.
    fn relevant(&self, goal: &Size) -> Vec<Size> {
        let mut queue: VecDeque<Atom> = goal.atoms().into_iter().cloned().collect();
        let mut seen: BTreeSet<Atom> = queue.iter().cloned().collect();
        let mut taken = vec![false; self.facts.len()];
        let mut facts: Vec<Size> = Vec::new();
        while let Some(atom) = queue.pop_front() {
            let first = facts.len();
            for at in self.facts_with.get(&atom).into_iter().flatten() {
                if !std::mem::replace(&mut taken[*at], true) {
                    facts.push(self.facts[*at].clone());
                }
            }
            facts.extend(definition(&atom));
            if facts.len() > MAX_FACTS {
                facts.truncate(MAX_FACTS);
                break;
            }
            let inside = if matches!(atom, Atom::Apply { .. }) { Vec::new() } else { atom.parts() };
            for found in facts[first..].iter().chain(inside).flat_map(Size::atoms) {
                if seen.insert(found.clone()) {
                    queue.push_back(found.clone());
                }
            }
        }
        facts
    }
}

/// Inequalities that hold of an atom by what it means.
fn definition(atom: &Atom) -> Vec<Size> {
    let itself = Size::atom(atom.clone());
    let facts = match atom {
        Atom::FloorDiv(inner, by) => {
            let rest = &**inner - itself * *by;
            vec![rest.clone(), -rest + (*by - 1)]
        }
        Atom::Min(args) => args.iter().map(|arg| arg - &itself).collect(),
        Atom::Max(args) => args.iter().map(|arg| &itself - arg).collect(),
        _ => Vec::new(),
    };
    facts.iter().map(tighten).collect()
}

/// A size with integer coefficients, without a common factor, that is negative exactly where the given one is.
pub(crate) fn tighten(size: &Size) -> Size {
    let varying = size.terms.iter().filter(|(m, _)| !m.factors().is_empty());
    let common = varying.fold(0, |g, (_, c)| gcd(g, c.unsigned_abs()));
    let common = i128::try_from(common).unwrap_or(1).max(1);
    let terms = size.terms.iter().map(|(m, c)| (m.clone(), c.div_euclid(common))).collect();
    Size::from_terms(terms, 1).unwrap_or_else(|| size.as_integer_form().0)
}

/// Whether divisibility alone excludes zero: `2n + 1` is odd.
fn never_zero(size: &Size) -> bool {
    let varying = size.terms.iter().filter(|(m, _)| !m.factors().is_empty());
    match varying.fold(0, |g, (_, c)| gcd(g, c.unsigned_abs())) {
        0 => !size.is_zero(),
        common => !size.constant_term().unsigned_abs().is_multiple_of(common),
    }
}
