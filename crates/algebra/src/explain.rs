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
use crate::expr::{SizeFun, SizeVar};
use crate::facts::{Assumptions, Law};
use crate::gather::Source;
use crate::search::{By, Step};

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
        let goal = match self.holds_among(claim, &|_| true) {
            true => claim.clone(),
            false => self.prove(claim).is_yes().then(|| self.contradicted()).flatten()?,
        };
        let mut sources: BTreeSet<Source> = BTreeSet::new();
        self.sources(&goal, &mut sources);
        let mut left_out: BTreeSet<Source> = BTreeSet::new();
        for source in sources.iter().rev() {
            left_out.insert(*source);
            if !self.holds_among(&goal, &|s| !left_out.contains(&s)) {
                left_out.remove(source);
            }
        }
        let mut dead = goal != *claim;
        let mut reasons = Vec::new();
        for source in sources.difference(&left_out) {
            match source {
                Source::Fact(at) => {
                    let fact = &self.facts[*at];
                    reasons.push(Reason { claim: Some(fact.claim.clone()), law: None, note: fact.note });
                }
                Source::Law(at) => {
                    let (fun, law, note) = &self.laws[*at];
                    reasons.push(Reason { claim: None, law: Some((*fun, law.clone())), note: *note });
                }
                Source::Meaning => {}
            }
        }
        if dead && let Some(opposite) = self.facts.iter().find(|f| f.claim == goal.negate()) {
            let reason = Reason { claim: Some(opposite.claim.clone()), law: None, note: opposite.note };
            if !reasons.contains(&reason) {
                reasons.insert(0, reason);
            }
        }
        dead &= !reasons.is_empty();
        let steps = self.trace(&goal, &|s| !left_out.contains(&s));
        Some(Explanation { claim: claim.clone(), dead, reasons, steps })
    }
}
