//! Asking: is a claim true under the assumptions?
//!
//! A question is answered *yes* (true for every valuation that satisfies the assumptions), *no* (false for every one) or *unknown*:
//!
//! ```text
//! given 0 <= i < n:      i + 1 <= n   yes         i = n   no         i + 2 <= n   unknown
//! ```
//!
//! Every question becomes "is this polynomial never negative?" (`a < b` is `b - a - 1 >= 0`: these are integers) or "is it never zero?".
//! `gather` finds the facts that matter, `search` tries to answer. Each question has a budget of steps: an answer may be *unknown* too
//! early, never wrong and never late. Answers are kept as long as the facts stay the same.
//!
//! From contradictory assumptions everything follows, and yes is asked before no: in dead code every claim is true. Contradictions are
//! looked for only when an answer would be unknown, once for every fact.

use std::collections::BTreeSet;

use crate::claim::Claim;
use crate::expr::Size;
use crate::facts::{Assumptions, Kind, Law, never_zero, reduce, tighten};
use crate::gather::{Gathered, Source};
use crate::search::{Search, Step};

const MAX_MEMO: usize = 4096;
const ABSURD_BUDGET: u32 = 60;
/// How deep guards of laws are proved inside each other.
const MAX_NESTING: u32 = 2;
/// How many of the newest facts are examined for a contradiction at one question.
const MAX_EXAMINED: usize = 64;

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
}

impl Assumptions {
    /// Whether a claim is true.
    pub fn prove(&self, claim: &Claim) -> Answer {
        if self.holds(claim) {
            Answer::Yes
        } else if self.holds(&claim.negate()) {
            Answer::No
        } else if self.contradictory() {
            Answer::Yes
        } else {
            Answer::Unknown
        }
    }

    /// Whether a claim is shown to be true; cheaper than [`Assumptions::prove`] where a no would not help.
    pub fn proves(&self, claim: &Claim) -> bool {
        self.holds(claim) || self.contradictory()
    }

    /// Whether a claim is shown to be true, not counting that everything is true where the facts contradict each other: a client that
    /// asks much and looks for dead code itself does not pay for the search for contradictions.
    pub fn shows(&self, claim: &Claim) -> bool {
        self.holds(claim)
    }

    /// Whether `a <= b`.
    pub fn prove_le(&self, a: &Size, b: &Size) -> Answer {
        self.prove(&Claim::Le(a.clone(), b.clone()))
    }

    /// Whether `a < b`.
    pub fn prove_lt(&self, a: &Size, b: &Size) -> Answer {
        self.prove(&Claim::Lt(a.clone(), b.clone()))
    }

    /// Whether `a = b`.
    pub fn prove_eq(&self, a: &Size, b: &Size) -> Answer {
        self.prove(&Claim::Eq(a.clone(), b.clone()))
    }

    /// Whether `a` and `b` differ.
    pub fn prove_ne(&self, a: &Size, b: &Size) -> Answer {
        self.prove(&Claim::Ne(a.clone(), b.clone()))
    }

    /// Whether `low <= size <= high`: a number of the program in this range does not wrap.
    pub fn fits(&self, size: &Size, low: i128, high: i128) -> bool {
        self.holds(&Claim::Le(Size::from_i128(low), size.clone()))
            && self.holds(&Claim::Le(size.clone(), Size::from_i128(high)))
    }

    fn holds(&self, claim: &Claim) -> bool {
        self.absurd.get().is_some() || self.holds_within(claim, self.budget)
    }

    /// A small question inside another: the guard of a law. A guard may need laws again, but not forever.
    pub(crate) fn holds_inside(&self, claim: &Claim, allowed: &dyn Fn(Source) -> bool) -> bool {
        let outer = self.nesting.get();
        if outer >= MAX_NESTING {
            return false;
        }
        self.nesting.set(outer + 1);
        let holds = goals(claim).iter().all(|(kind, goal)| match known_anyway(*kind, goal) {
            Some(answer) => answer,
            None => self.search(*kind, goal, ABSURD_BUDGET, allowed),
        });
        self.nesting.set(outer);
        holds
    }

    fn holds_within(&self, claim: &Claim, budget: u32) -> bool {
        goals(claim).iter().all(|(kind, goal)| self.ask(*kind, goal, budget))
    }

    /// Whether a claim follows from some of the facts; nothing is remembered.
    pub(crate) fn holds_among(&self, claim: &Claim, allowed: &dyn Fn(Source) -> bool) -> bool {
        goals(claim).iter().all(|(kind, goal)| match known_anyway(*kind, goal) {
            Some(answer) => answer,
            None => self.search(*kind, goal, self.budget, allowed),
        })
    }

    /// Where the facts that may matter for a claim come from.
    pub(crate) fn sources(&self, claim: &Claim, sources: &mut BTreeSet<Source>) {
        for (_, goal) in goals(claim) {
            let gathered = Gathered::about(self, &goal, &|_| true);
            sources.extend(gathered.sources);
        }
    }

    /// A claim that follows although its opposite is assumed.
    pub(crate) fn contradicted(&self) -> Option<Claim> {
        let opposites = self.facts.iter().rev().map(|fact| fact.claim.negate());
        opposites.into_iter().find(|opposite| self.holds_among(opposite, &|_| true))
    }

    fn ask(&self, kind: Kind, goal: &Size, budget: u32) -> bool {
        if let Some(answer) = known_anyway(kind, goal) {
            return answer;
        }
        let key = (self.state, kind, goal.clone());
        if let Some(known) = self.memo.borrow().get(&key) {
            return *known;
        }
        let answer = self.search(kind, goal, budget, &|_| true);
        let mut memo = self.memo.borrow_mut();
        if memo.len() >= MAX_MEMO {
            memo.clear();
        }
        if answer || budget == self.budget {
            memo.insert(key, answer);
        }
        answer
    }

    fn search(&self, kind: Kind, goal: &Size, budget: u32, allowed: &dyn Fn(Source) -> bool) -> bool {
        self.run(kind, goal, budget, allowed, None)
    }

    fn run(
        &self,
        kind: Kind,
        goal: &Size,
        budget: u32,
        allowed: &dyn Fn(Source) -> bool,
        trace: Option<&mut Vec<Step>>,
    ) -> bool {
        let gathered = Gathered::about(self, goal, allowed);
        if gathered.absurd {
            return true;
        }
        let nonnegative = |fun| {
            let mut laws = self.laws_of(fun);
            laws.any(|(at, law)| matches!(law, Law::NonNegative) && allowed(Source::Law(at)))
        };
        let goal = gathered.substitute(goal);
        let mut search = Search::new(&gathered, &nonnegative, budget);
        if trace.is_some() {
            search.record();
        }
        let answer = search.answer(kind, &goal);
        self.steps.set(self.steps.get() + u64::from(budget.saturating_sub(search.steps)));
        if let Some(trace) = trace {
            trace.extend(search.into_trace());
        }
        answer
    }

    /// The steps that lead to a claim.
    pub(crate) fn trace(&self, claim: &Claim, allowed: &dyn Fn(Source) -> bool) -> Vec<Step> {
        let mut trace = Vec::new();
        for (kind, goal) in goals(claim).iter().filter(|(_, goal)| !goal.is_constant()) {
            self.run(*kind, goal, self.budget, allowed, Some(&mut trace));
        }
        trace
    }

    /// Whether the facts contradict each other, as far as was found out: each fact is asked for its opposite once.
    fn contradictory(&self) -> bool {
        if self.absurd.get().is_some() {
            return true;
        }
        let start = self.examined.get().max(self.facts.len().saturating_sub(MAX_EXAMINED));
        for at in start..self.facts.len() {
            let fact = &self.facts[at];
            let opposite = match fact.kind {
                Kind::NonNegative => self.ask(Kind::NonNegative, &tighten(&(-&fact.size - 1)), ABSURD_BUDGET),
                Kind::Zero => self.ask(Kind::NonZero, &fact.size, ABSURD_BUDGET),
                Kind::NonZero => {
                    self.ask(Kind::NonNegative, &fact.size, ABSURD_BUDGET)
                        && self.ask(Kind::NonNegative, &-&fact.size, ABSURD_BUDGET)
                }
            };
            if opposite {
                self.absurd.set(Some((self.facts.len(), self.laws.len())));
                return true;
            }
            self.examined.set(at + 1);
        }
        false
    }
}

/// What has to be shown for a claim, all of it.
fn goals(claim: &Claim) -> Vec<(Kind, Size)> {
    match claim {
        Claim::Le(a, b) => vec![(Kind::NonNegative, tighten(&(b - a)))],
        Claim::Lt(a, b) => vec![(Kind::NonNegative, tighten(&(b - a - 1)))],
        Claim::Eq(a, b) => match reduce(&(a - b)) {
            difference if difference.is_zero() => Vec::new(),
            difference if never_zero(&difference) => vec![(Kind::NonNegative, Size::constant(-1))],
            difference => {
                vec![(Kind::NonNegative, tighten(&difference)), (Kind::NonNegative, tighten(&-&difference))]
            }
        },
        Claim::Ne(a, b) => match reduce(&(a - b)) {
            difference if never_zero(&difference) => Vec::new(),
            difference => vec![(Kind::NonZero, difference)],
        },
    }
}

fn known_anyway(kind: Kind, goal: &Size) -> Option<bool> {
    goal.is_constant().then(|| match kind {
        Kind::NonNegative => goal.constant_term() >= 0,
        _ => !goal.is_zero(),
    })
}
