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

use crate::claim::Claim;
use crate::compact::{Poly, Product};
use crate::expr::Size;
use crate::facts::{Assumptions, Kind, never_zero, reduce, tighten};
use crate::gather::Gathered;
use crate::search::{Search, Step};
use crate::store::{Source, Store};

const MAX_MEMO: usize = 4096;
/// A question that failed after so many steps is recognised when it comes again with the same facts.
const HARD_STEPS: u64 = 20;
const ABSURD_BUDGET: u32 = 60;
/// How deep guards of laws are proved inside each other.
const MAX_NESTING: u32 = 2;
/// How many of the newest facts are examined for a contradiction at one question.
const MAX_EXAMINED: usize = 64;
/// How often a question is begun again because a law turned out to be an equation.
const ROUNDS: usize = 3;

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
        let mut store = self.store.borrow_mut();
        if store.holds(claim) {
            Answer::Yes
        } else if store.holds(&claim.negate()) {
            Answer::No
        } else if store.contradictory() {
            Answer::Yes
        } else {
            Answer::Unknown
        }
    }

    /// Whether a claim is shown to be true; cheaper than [`Assumptions::prove`] where a no would not help.
    pub fn proves(&self, claim: &Claim) -> bool {
        let mut store = self.store.borrow_mut();
        store.holds(claim) || store.contradictory()
    }

    /// Whether a claim is shown to be true, not counting that everything is true where the facts contradict each other: a client that
    /// asks much and looks for dead code itself does not pay for the search for contradictions.
    pub fn shows(&self, claim: &Claim) -> bool {
        self.store.borrow_mut().holds(claim)
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
        let mut store = self.store.borrow_mut();
        // One more than the least number is enough, and can be negated.
        let low = low.max(i128::MIN + 1);
        store.holds(&Claim::Le(Size::big(low), size.clone())) && store.holds(&Claim::Le(size.clone(), Size::big(high)))
    }

    /// The steps that lead to a claim.
    pub(crate) fn trace(&self, claim: &Claim) -> Vec<Step> {
        let mut store = self.store.borrow_mut();
        let budget = store.budget;
        let mut trace = Vec::new();
        for (kind, goal) in goals(claim) {
            store.search(kind, &goal, budget, Some(&mut trace));
        }
        trace
    }
}

impl Store {
    /// Whether a claim follows.
    pub(crate) fn holds(&mut self, claim: &Claim) -> bool {
        let budget = self.budget;
        self.is_absurd() || goals(claim).iter().all(|(kind, goal)| self.ask(*kind, goal, budget))
    }

    /// A small question inside another: the guard of a law. A guard may need laws again, but not forever.
    pub(crate) fn holds_inside(&mut self, claim: &Claim) -> bool {
        if self.nesting >= MAX_NESTING {
            return false;
        }
        self.nesting += 1;
        let holds = goals(claim).iter().all(|(kind, goal)| self.search(*kind, goal, ABSURD_BUDGET, None));
        self.nesting -= 1;
        holds
    }

    /// The facts that may matter for a claim.
    pub(crate) fn facts_for(&mut self, claim: &Claim) -> Vec<usize> {
        let mut found = Vec::new();
        for (_, goal) in goals(claim) {
            if let Some(goal) = self.table.poly(&self.substituted(&goal).unwrap_or(goal)) {
                found.extend(self.gather(&goal).facts);
            }
        }
        found
    }

    fn ask(&mut self, kind: Kind, goal: &Size, budget: u32) -> bool {
        if let Some(answer) = known_anyway(kind, goal) {
            return answer;
        }
        self.search(kind, goal, budget, None)
    }

    /// The goal as a polynomial with all equations used, and the facts about it; nothing where it is decided already.
    fn prepare(&mut self, kind: Kind, goal: &Size, again: bool) -> Result<(Poly, Gathered), bool> {
        for _ in 0..ROUNDS {
            let solutions = self.solutions();
            let changed = self.substituted(goal);
            let goal = match (kind, changed.as_ref().unwrap_or(goal)) {
                (_, goal) if goal.is_constant() => return Err(known_anyway(kind, goal).unwrap_or(false)),
                (Kind::NonZero, goal) if never_zero(goal) => return Err(true),
                (Kind::NonZero, goal) if changed.is_some() => reduce(goal),
                (_, goal) if changed.is_some() => tighten(goal),
                (_, goal) => goal.clone(),
            };
            let poly = self.table.poly(&goal).ok_or(false)?;
            if kind == Kind::NonNegative && self.table.range(&poly).low.is_some_and(|low| low >= 0) {
                return Err(true);
            }
            if let Some(known) = self.remembered(kind, &poly).filter(|_| !again) {
                return Err(known);
            }
            let gathered = self.gather(&poly);
            if self.is_absurd() {
                return Err(true);
            }
            if self.solutions() == solutions {
                return Ok((poly, gathered));
            }
        }
        Err(false)
    }

    /// The answer to a question that was asked before: a yes stays true while facts are only added.
    fn remembered(&self, kind: Kind, goal: &Poly) -> Option<bool> {
        let (answer, state) = self.memo.get(&(kind, goal.clone()))?;
        let still = if *answer { self.has_state(*state) } else { *state == self.state() };
        still.then_some(*answer)
    }

    fn search(&mut self, kind: Kind, goal: &Size, budget: u32, trace: Option<&mut Vec<Step>>) -> bool {
        let (goal, gathered) = match self.prepare(kind, goal, trace.is_some()) {
            Ok(prepared) => prepared,
            Err(answer) => return answer,
        };
        let state = self.state();
        let key = (kind, goal);
        let print = self.fingerprint(&gathered);
        if trace.is_none() && self.hopeless.get(&key).is_some_and(|seen| seen.contains(&print)) {
            return false;
        }
        let changes = self.table.changes();
        let mut search = Search::new(self, gathered, budget);
        if trace.is_some() {
            search.record();
        }
        let answer = search.answer(key.0, &key.1);
        let taken = u64::from(budget.saturating_sub(search.steps));
        if let Some(trace) = trace {
            trace.extend(search.into_trace());
        }
        self.table.undo(changes);
        self.steps += taken;
        if !answer && taken >= HARD_STEPS && budget == self.budget {
            if self.hopeless.len() >= MAX_MEMO {
                self.hopeless.clear();
            }
            self.hopeless.entry(key.clone()).or_default().push(print);
        }
        if answer || budget == self.budget {
            if self.memo.len() >= MAX_MEMO {
                self.memo.clear();
            }
            self.memo.insert(key, (answer, state));
        }
        answer
    }

    /// A number for the facts of a question and the ranges in it. Where two are the same by chance, a yes may become unknown.
    fn fingerprint(&self, gathered: &Gathered) -> u64 {
        let mix = |hash: u64, value: u64| (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        let wide = |hash: u64, value: u128| mix(mix(hash, value as u64), (value >> 64) as u64);
        let line = |start: u64| {
            move |line: &std::sync::Arc<Poly>| {
                line.terms().iter().fold(start, |hash, (product, c)| {
                    wide(wide(hash, product.word()), c.unsigned_abs() << 1 | u128::from(*c < 0))
                })
            }
        };
        let range = |id: &u32| {
            let range = self.table.product(Product::atom(*id));
            let end = |hash, end: Option<i128>| end.map_or(mix(hash, 1), |end| wide(hash, end as u128));
            end(end(mix(3, u64::from(*id)), range.low), range.high)
        };
        let lines = gathered.lines.iter().map(line(1)).chain(gathered.differing.iter().map(line(2)));
        lines.chain(gathered.atoms.iter().map(range)).fold(0, u64::wrapping_add)
    }

    /// Whether a valuation was found for the facts around a polynomial; they need not be looked at again.
    fn satisfiable(&mut self, line: &Poly) -> bool {
        let gathered = self.gather(line);
        let facts = gathered.facts.clone();
        let changes = self.table.changes();
        let mut search = Search::new(self, gathered, ABSURD_BUDGET);
        search.learn_order();
        let found = search.facts.is_empty() || search.refuted(&[], true);
        self.table.undo(changes);
        if found {
            facts.into_iter().for_each(|at| self.facts[at].examined = true);
        }
        found
    }

    /// Whether the facts contradict each other, as far as was found out: each fact is asked for its opposite once.
    pub(crate) fn contradictory(&mut self) -> bool {
        if self.is_absurd() {
            return true;
        }
        let start = self.examined.max(self.facts.len().saturating_sub(MAX_EXAMINED));
        let until = self.facts.len();
        for at in start..until {
            if self.facts[at].examined || self.facts[at].source != Source::Client {
                continue;
            }
            let (kind, size) = (self.facts[at].now.kind, self.facts[at].now.size.clone());
            // What has no lines is a substitution, or known already.
            let Some(line) = self.facts[at].now.lines.first().cloned() else {
                continue;
            };
            if self.satisfiable(&line) {
                continue;
            }
            let opposite = match kind {
                _ if size.is_constant() => false,
                Kind::NonNegative => self.ask(Kind::NonNegative, &tighten(&(-&size - 1)), ABSURD_BUDGET),
                Kind::Zero => self.ask(Kind::NonZero, &size, ABSURD_BUDGET),
                Kind::NonZero => {
                    self.ask(Kind::NonNegative, &size, ABSURD_BUDGET)
                        && self.ask(Kind::NonNegative, &-&size, ABSURD_BUDGET)
                }
            };
            if opposite {
                self.set_absurd();
                return true;
            }
        }
        self.examined = until;
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
