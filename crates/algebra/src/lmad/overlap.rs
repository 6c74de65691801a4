//! Whether two Lmads have a position in common, and whether one Lmad reaches a position twice.
//!
//! Both are questions about a *sum of strided intervals*. Two indices meet where the difference of their positions is zero, and
//! that difference is an offset plus, for every stride, a number from an interval: an index of the first set minus one of the second. For the
//! blocks `W` that Needleman-Wunsch writes and the columns `R` that it reads (each row has `n` elements, the blocks are `b` by `b`):
//!
//! ```text
//! W = n + 1 + {c : n*b - b} {b : n} {b : 1}          R = 0 + {c : n*b - b} {b + 1 : n}
//! W - R = n + 1 + [1 - c, c - 1]*(n*b - b) + [-b, b - 1]*n + [0, b - 1]*1
//! ```
//!
//! `gap` shows that such a sum is never zero, stride by stride; here the sums are set up. A count of zero makes a set empty, and an empty
//! set meets nothing, so every count may be assumed to be at least one. A stride below zero is turned around; one whose sign is unknown
//! is tried both ways.
//!
//! ```
//! use terrace_algebra::{Assumptions, Lmad, Size, SizeVar};
//! let [p, b, c] = [0, 1, 2].map(|v| Size::var(SizeVar(v)));
//! let n = &p * &b + 1;
//! let apart = &n * &b - &b;
//! let written = [(c.clone(), apart.clone()), (b.clone(), n.clone()), (b.clone(), Size::one())];
//! let written = Lmad::new(&n + 1, written);
//! let read = Lmad::new(Size::zero(), [(c.clone(), apart), (&b + 1, n)]);
//! let mut known = Assumptions::new();
//! known.assume_le(&c, &p);
//! assert!(written.disjoint(&read, &known).is_yes());
//! assert!(written.injective(&known).is_yes());
//! // One position to the left the written blocks cover the borders that are read.
//! assert!(!written.shift(&Size::constant(-1)).disjoint(&read, &known).is_yes());
//! ```
//!
//! An Lmad is *injective* if only equal indices have equal positions: the difference of the set with itself is zero only where all differences
//! of indices are. So for every dimension in turn: if this is the first index that differs, and is the larger one, the sum is never zero.
//!
//! *No* is said where a meeting point is at hand; *unknown* is common and harmless. From paper 004, section 3.6, with corrections: a
//! one-dimensional set ends at `offset + (count - 1)*stride`. Declined: sets that only differ because a count is prime to another, and
//! other number theory beyond a common divisor.

use super::Lmad;
use super::bounds::loosen;
use super::gap::{Gap, Proof};
use crate::expr::Size;
use crate::{Answer, Assumptions};

const MAX_UNKNOWN_SIGNS: u32 = 2;

/// How much work a proof took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Sums of strided intervals looked at.
    pub sums: u32,
    /// Questions put to the prover.
    pub questions: u32,
    /// Steps that the prover took for them.
    pub steps: u64,
}

impl Lmad {
    /// Whether no position belongs to both sets.
    pub fn disjoint(&self, other: &Lmad, known: &Assumptions) -> Answer {
        self.disjoint_with_effort(other, known).0
    }

    /// Whether no position belongs to both sets, and what it took to find out.
    pub fn disjoint_with_effort(&self, other: &Lmad, known: &Assumptions) -> (Answer, Effort) {
        let mut proof = Proof::new(known);
        let answer = answer(&[self, other], &mut proof, &apart);
        (answer, proof.effort())
    }

    /// Whether different indices always have different positions.
    pub fn injective(&self, known: &Assumptions) -> Answer {
        self.injective_with_effort(known).0
    }

    /// Whether different indices always have different positions, and what it took to find out.
    pub fn injective_with_effort(&self, known: &Assumptions) -> (Answer, Effort) {
        let mut proof = Proof::new(known);
        let answer = answer(&[self], &mut proof, &distinct);
        (answer, proof.effort())
    }
}

type Question = dyn Fn(&[Lmad], &mut Proof) -> Answer;

/// A yes for larger counts with simple bounds, else the answer for the counts as they are.
fn answer(sets: &[&Lmad], proof: &mut Proof, ask: &Question) -> Answer {
    if let Some((larger, facts)) = loosen(sets)
        && proof.given(&facts, |proof| if_not_empty(&larger.iter().collect::<Vec<_>>(), proof, ask)).is_yes()
    {
        return Answer::Yes;
    }
    if_not_empty(sets, proof, ask)
}

/// An empty set meets nothing and repeats nothing: yes is asked for counts of at least one, and no holds only if they always are.
fn if_not_empty(sets: &[&Lmad], proof: &mut Proof, ask: &Question) -> Answer {
    if sets.iter().any(|set| set.is_empty()) {
        return Answer::Yes;
    }
    let counts: Vec<&Size> = sets.iter().flat_map(|set| &set.dims).map(|d| &d.count).collect();
    let joined: Vec<Lmad> = sets.iter().map(|set| set.joined_freely()).collect();
    let nonempty: Vec<Size> = counts.iter().map(|count| *count - 1).collect();
    match proof.given(&nonempty, |proof| by_signs(&joined, MAX_UNKNOWN_SIGNS, proof, ask)) {
        Answer::No if counts.iter().any(|c| proof.at_least(&-*c, 0)) => Answer::Yes,
        Answer::No if !counts.iter().all(|c| proof.at_least(c, 1)) => Answer::Unknown,
        answer => answer,
    }
}

fn apart(sets: &[Lmad], proof: &mut Proof) -> Answer {
    let gap = Gap::between(&sets[0], &sets[1]);
    match gap.reaches_zero() {
        Some(true) => Answer::No,
        Some(false) => Answer::Yes,
        None if proof.never_zero(&gap) => Answer::Yes,
        None if proof.has_zero(&gap) => Answer::No,
        None => Answer::Unknown,
    }
}

fn distinct(sets: &[Lmad], proof: &mut Proof) -> Answer {
    let dims = proof.falling(&sets[0].dims, |d| &d.stride);
    for (first, dim) in dims.iter().enumerate() {
        let gap = Gap::within(dim, &dims[first + 1..]);
        let exact = gap.reaches_zero();
        if exact == Some(false) || (exact.is_none() && proof.given(&[&dim.count - 2], |p| p.never_zero(&gap))) {
            continue;
        }
        let twice = proof.at_least(&dim.count, 2) && (exact == Some(true) || proof.has_zero(&gap));
        return if twice { Answer::No } else { Answer::Unknown };
    }
    Answer::Yes
}

/// The answer for strides of at least zero; where a sign is not known, one that holds for both signs.
fn by_signs(sets: &[Lmad], guesses: u32, proof: &mut Proof, ask: &Question) -> Answer {
    let turned: Result<Vec<Lmad>, Size> = sets.iter().map(|set| proof.forwards(set)).collect();
    let stride = match turned {
        Ok(sets) => return ask(&sets, proof),
        Err(_) if guesses == 0 => return Answer::Unknown,
        Err(stride) => stride,
    };
    let up = proof.given(std::slice::from_ref(&stride), |proof| by_signs(sets, guesses - 1, proof, ask));
    if up == Answer::Unknown {
        return up;
    }
    let down = proof.given(&[-stride - 1], |proof| by_signs(sets, guesses - 1, proof, ask));
    if up == down { up } else { Answer::Unknown }
}
