//! Why a claim is true: the assumptions that were used, and the steps from them.
//!
//! A yes can be explained. The question is asked again and again with fewer facts: a fact without which the answer is still yes is left
//! out. What remains is a set of assumptions of which each one is needed:
//!
//! ```text
//! i < m
//!   because i < n
//!   and     n <= m
//!   it is enough that m - i - 1 >= 0, with n - i - 1 >= 0
//!   it is enough that m - n >= 0, with m - n >= 0
//! ```
//!
//! The last lines are the steps of the search, which is run once more with only these facts and takes notes.
//!
//! Assumptions may carry a note, a number of the client's (the place of a guard, say), and an explanation gives the notes back. All of this
//! costs nothing where no explanation is asked for.
//!
//! Declined: the smallest set of assumptions; this one is only without surplus.

use std::collections::BTreeSet;

use crate::claim::Claim;
use crate::expr::{Size, SizeFun, SizeVar};
use crate::facts::{Assumptions, Law};
use crate::search::{By, Step};
use crate::store::Source;

const MAX_STEPS: usize = 8;

/// The assumptions behind a yes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    claim: Claim,
    /// The claim follows only because the assumptions contradict each other.
    dead: bool,
    reasons: Vec<Reason>,
    steps: Vec<Step>,
}

/// Something that was assumed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Origin {
    Fact(usize),
    Law(usize),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Reason {
    claim: Option<Claim>,
    law: Option<(SizeFun, Law)>,
    note: Option<u32>,
}

impl Explanation {
    /// The notes of the assumptions used, each once, in order.
    pub fn notes(&self) -> Vec<u32> {
        let notes: BTreeSet<u32> = self.reasons.iter().filter_map(|r| r.note).collect();
        notes.into_iter().collect()
    }

    /// The claims used.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.reasons.iter().filter_map(|r| r.claim.as_ref())
    }

    /// A few lines of text with the caller's names.
    pub fn display(&self, vars: &dyn Fn(SizeVar) -> String, funs: &dyn Fn(SizeFun) -> String) -> String {
        let mut text = self.claim.display(vars, funs);
        if self.dead {
            text += "\n  because nothing gets here: these contradict each other";
        }
        for (at, reason) in self.reasons.iter().enumerate() {
            text += if at == 0 && !self.dead { "\n  because " } else { "\n  and     " };
            text += &reason.display(vars, funs);
        }
        for step in self.steps.iter().take(MAX_STEPS) {
            text += "\n  it is enough that ";
            text += &step.display(vars, funs);
        }
        if self.steps.len() > MAX_STEPS {
            text += "\n  and so on";
        }
        text
    }
}

impl Step {
    fn display(&self, vars: &dyn Fn(SizeVar) -> String, funs: &dyn Fn(SizeFun) -> String) -> String {
        let goal = self.goal.display_with(vars, funs);
        match &self.by {
            By::Ranges => format!("{goal} >= 0, by constant ranges"),
            By::Fact(fact) => format!("{goal} >= 0, with {} >= 0", fact.display_with(vars, funs)),
            By::Bound(fact) => format!("{goal} >= 0, at the bound of {} >= 0", fact.display_with(vars, funs)),
            By::Cases(atom) => format!("{goal} >= 0, for each case of {}", atom.display_with(vars, funs)),
        }
    }
}

impl Reason {
    fn display(&self, vars: &dyn Fn(SizeVar) -> String, funs: &dyn Fn(SizeFun) -> String) -> String {
        match (&self.claim, &self.law) {
            (Some(claim), _) => claim.display(vars, funs),
            (None, Some((fun, Law::NonNegative))) => format!("{} is never negative", funs(*fun)),
            (None, Some((fun, Law::Nondecreasing(arg)))) => {
                format!("{} does not fall where argument {} grows", funs(*fun), arg + 1)
            }
            (None, Some((_, Law::Claim { claim, .. }))) => format!("always {}", claim.display(vars, funs)),
            (None, None) => String::new(),
        }
    }
}

impl Assumptions {
    /// Why a claim is true, where it was shown to be.
    pub fn explain(&self, claim: &Claim) -> Option<Explanation> {
        if !self.proves(claim) {
            return None;
        }
        let never = Claim::Lt(Size::zero(), Size::zero());
        let dead = self.proves(&never);
        let goal = if dead { &never } else { claim };
        let follows = |left_out: &BTreeSet<Origin>| self.without(left_out).proves(goal);
        let all = self.origins();
        let mut needed = if dead { all.clone() } else { self.origins_for(goal) };
        let mut left_out: BTreeSet<Origin> = all.iter().filter(|origin| !needed.contains(origin)).copied().collect();
        if !follows(&left_out) {
            (needed, left_out) = (all, BTreeSet::new());
        }
        // Many at once while that works, then one by one.
        let mut size = needed.len();
        while size > 0 {
            for part in needed.clone().rchunks(size) {
                let mut fewer = left_out.clone();
                fewer.extend(part);
                if follows(&fewer) {
                    left_out = fewer;
                    needed.retain(|origin| !part.contains(origin));
                }
            }
            size /= 2;
        }
        let mut reasons = Vec::new();
        let store = self.store.borrow();
        for origin in needed {
            match origin {
                Origin::Fact(at) => {
                    let fact = &store.facts[at];
                    reasons.push(Reason { claim: Some(fact.claim.clone()), law: None, note: fact.note });
                }
                Origin::Law(at) => {
                    let entry = &store.laws[at];
                    reasons.push(Reason { claim: None, law: Some((entry.fun, entry.law.clone())), note: None });
                }
            }
        }
        let steps = self.without(&left_out).trace(goal);
        Some(Explanation { claim: claim.clone(), dead: dead && !reasons.is_empty(), reasons, steps })
    }

    /// All assumptions and laws.
    fn origins(&self) -> Vec<Origin> {
        let store = self.store.borrow();
        let facts = (0..store.facts.len()).filter(|at| store.facts[*at].source == Source::Client).map(Origin::Fact);
        let laws = (0..store.laws.len()).map(Origin::Law);
        facts.chain(laws).collect()
    }

    /// The assumptions and laws near a claim, and everything that changes others: equations and the order of functions.
    fn origins_for(&self, goal: &Claim) -> Vec<Origin> {
        let mut store = self.store.borrow_mut();
        let mut found: BTreeSet<Origin> = BTreeSet::new();
        for at in store.facts_for(goal) {
            found.insert(match store.facts[at].source {
                Source::Client => Origin::Fact(at),
                Source::Law(law) => Origin::Law(law),
            });
        }
        for (at, fact) in store.facts.iter().enumerate() {
            if matches!(fact.claim, Claim::Eq(..)) && fact.source == Source::Client {
                found.insert(Origin::Fact(at));
            }
        }
        for (at, entry) in store.laws.iter().enumerate() {
            if !matches!(entry.law, Law::Claim { .. }) {
                found.insert(Origin::Law(at));
            }
        }
        found.into_iter().collect()
    }

    /// The same without some assumptions and laws.
    fn without(&self, left_out: &BTreeSet<Origin>) -> Assumptions {
        let store = self.store.borrow();
        let mut fewer = Assumptions::new();
        fewer.set_budget(store.budget);
        for (at, entry) in store.laws.iter().enumerate() {
            if !left_out.contains(&Origin::Law(at)) {
                fewer.store.get_mut().add_law(entry.fun, entry.law.clone());
            }
        }
        for (at, fact) in store.facts.iter().enumerate() {
            if fact.source == Source::Client && !left_out.contains(&Origin::Fact(at)) {
                fewer.store.get_mut().add(&fact.claim, fact.note, Source::Client);
            }
        }
        fewer
    }
}
