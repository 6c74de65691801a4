//! Sums of strided intervals, and the proof that one is never zero.
//!
//! A [`Gap`] is `offset + [l1, h1]*s1 + [l2, h2]*s2 + ...`: all values that the sum takes while each factor moves through its interval on its
//! own. Strides are at least zero. The proof goes stride by stride, largest first, in three steps:
//!
//! ```text
//! n + 1 + [1 - c, c - 1]*(n*b - b) + [-b, b - 1]*n + [0, b - 1]*1          with n = p*b + 1, 1 <= c <= p
//!
//! distribute   how often the stride goes into the offset is added to its interval: n + 1 by n*b - b is 0, the rest n + 1 stays
//! bound        what remains lies between n + 1 - n*b and n*b + b: less than two strides, so the factor is -2 < e < 1
//! split        e = 0 leaves n + 1 + [-b, b - 1]*n + [0, b - 1]       = [1 - b, b]*n + [1, b]         never zero, because b < n
//!              e = -1 leaves n + 1 - n*b + b + [-b, b - 1]*n + ...   = [1 - 2b, 0]*n + [b + 1, 2b]   never zero, because 2b < n
//! ```
//!
//! If the tail cannot reach one whole stride the factor must be zero and there is nothing to split; paper 004 calls this *no self-overlap*.
//! Else the values that the tail can make up for become cases. The paper cuts the last row off the next smaller dimension instead, and
//! distributes again: the same cases, seen from the other side. In a case, that the value lies in the interval is one more fact: `e = -1`
//! needs `c >= 2`, hence `p >= 2`, hence `2b < n`. Two far values are excluded by their bound alone.
//!
//! Nothing depends on the order of strides except success, so a stride that does not work is followed by the next. From paper 004,
//! section 3.6.2. Declined: more than two splits on a side, factors that depend on each other.

use super::exact::{self, Interval};
use super::overlap::Effort;
use super::quotient::{divide, divide_evenly};
use super::set::{at_least, falling};
use super::{Dim, Lmad};
use crate::expr::Size;
use crate::poly::gcd;
use crate::{Assumptions, Claim};

const BUDGET: u32 = 120;
const MAX_SUMS: u32 = 60;
const MAX_QUESTIONS: u32 = 200;
const MAX_LEADS: usize = 3;
const MAX_SPLITS: i64 = 2;

/// `[low, high] * stride`, with a stride of at least zero.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Term {
    low: Size,
    high: Size,
    stride: Size,
}

/// A sum of strided intervals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Gap {
    offset: Size,
    terms: Vec<Term>,
}

impl Gap {
    /// Positions of the first set minus positions of the second; both have strides of at least zero.
    pub(super) fn between(a: &Lmad, b: &Lmad) -> Gap {
        let mut gap = Gap { offset: &a.offset - &b.offset, terms: Vec::new() };
        for dim in &a.dims {
            gap.add(Size::zero(), &dim.count - 1, &dim.stride);
        }
        for dim in &b.dims {
            gap.add(-(&dim.count - 1), Size::zero(), &dim.stride);
        }
        gap
    }

    /// Differences of positions in one set whose first different index is that of `first`, and is the larger one there.
    pub(super) fn within(first: &Dim, later: &[Dim]) -> Gap {
        let mut gap = Gap { offset: Size::zero(), terms: Vec::new() };
        gap.add(Size::one(), &first.count - 1, &first.stride);
        for dim in later {
            gap.add(-(&dim.count - 1), &dim.count - 1, &dim.stride);
        }
        gap
    }

    /// One more term; intervals of one stride add up.
    fn add(&mut self, low: Size, high: Size, stride: &Size) {
        if low == high {
            self.offset = &self.offset + low * stride;
            return;
        }
        match self.terms.iter_mut().find(|t| t.stride == *stride) {
            Some(term) => (term.low, term.high) = (&term.low + low, &term.high + high),
            None => self.terms.push(Term { low, high, stride: stride.clone() }),
        }
    }

    fn negate(&self) -> Gap {
        let turn = |t: &Term| Term { low: -&t.high, high: -&t.low, stride: t.stride.clone() };
        Gap { offset: -&self.offset, terms: self.terms.iter().map(turn).collect() }
    }

    fn without(&self, at: usize) -> Gap {
        let mut gap = self.clone();
        gap.terms.remove(at);
        gap
    }

    fn shift(&self, by: &Size) -> Gap {
        Gap { offset: &self.offset + by, terms: self.terms.clone() }
    }

    /// The least value.
    fn least(&self) -> Size {
        self.terms.iter().fold(self.offset.clone(), |sum, t| sum + &t.low * &t.stride)
    }

    /// Whether zero is a value, where all numbers are known.
    pub(super) fn reaches_zero(&self) -> Option<bool> {
        let number = |size: &Size| size.as_constant().map(i128::from);
        let interval =
            |t: &Term| Some(Interval { low: number(&t.low)?, high: number(&t.high)?, stride: number(&t.stride)? });
        let intervals = self.terms.iter().map(interval).collect::<Option<Vec<_>>>()?;
        exact::reaches_zero(number(&self.offset)?, &intervals)
    }

    /// Whether a common divisor of all strides, a number, excludes zero.
    fn is_off_grid(&self) -> bool {
        let whole = |s: &Size| s.denominator() == 1;
        if !whole(&self.offset) || !self.terms.iter().all(|t| whole(&t.stride)) {
            return false;
        }
        let strides = self.terms.iter().flat_map(|t| t.stride.terms());
        let varying = self.offset.terms().filter(|(m, _)| !m.factors().is_empty());
        let common = strides.chain(varying).fold(0, |g, (_, c)| gcd(g, c.unsigned_abs()));
        common != 0 && !self.offset.constant_term().unsigned_abs().is_multiple_of(common)
    }
}

/// A proof in progress: what is known in the current case, and the work so far.
pub(super) struct Proof {
    known: Assumptions,
    steps_before: u64,
    effort: Effort,
}

impl Proof {
    pub(super) fn new(known: &Assumptions) -> Proof {
        let mut known = known.clone();
        known.set_budget(BUDGET);
        Proof { steps_before: known.steps_taken(), known, effort: Effort::default() }
    }

    /// The work so far.
    pub(super) fn effort(&self) -> Effort {
        Effort { steps: self.known.steps_taken() - self.steps_before, ..self.effort }
    }

    /// Whether `size >= least`.
    pub(super) fn at_least(&mut self, size: &Size, least: i64) -> bool {
        if let Some(number) = size.as_constant() {
            return number >= least;
        }
        if self.effort.questions >= MAX_QUESTIONS {
            return false;
        }
        self.effort.questions += 1;
        at_least(&self.known, size, least)
    }

    fn differs_from_zero(&mut self, size: &Size) -> bool {
        self.effort.questions += 1;
        self.known.proves(&Claim::Ne(size.clone(), Size::zero()))
    }

    /// Something done where these sizes are known to be at least zero.
    pub(super) fn given<T>(&mut self, facts: &[Size], work: impl FnOnce(&mut Proof) -> T) -> T {
        let outside = self.known.mark();
        facts.iter().for_each(|fact| self.known.assume_nonnegative(fact));
        let done = work(self);
        self.known.release(outside);
        done
    }

    /// The same set with no stride below zero, or a stride whose sign is not known.
    pub(super) fn forwards(&mut self, lmad: &Lmad) -> Result<Lmad, Size> {
        lmad.forwards(&self.known)
    }

    /// The items by stride, greatest first as far as it is known.
    pub(super) fn falling<T: Clone>(&mut self, items: &[T], stride: fn(&T) -> &Size) -> Vec<T> {
        falling(items, stride, |a, b| self.at_least(&(b - a), 0))
    }

    /// Whether no value of the sum is zero.
    pub(super) fn never_zero(&mut self, gap: &Gap) -> bool {
        if self.effort.sums >= MAX_SUMS {
            return false;
        }
        self.effort.sums += 1;
        if gap.terms.is_empty() {
            return self.differs_from_zero(&gap.offset);
        }
        if gap.is_off_grid() {
            return true;
        }
        let sorted = Gap { offset: gap.offset.clone(), terms: self.falling(&gap.terms, |t| &t.stride) };
        let mut leads = 0..sorted.terms.len().min(MAX_LEADS);
        if let Some(settled) = leads.find_map(|lead| self.by_leading(&sorted, lead)) {
            return settled;
        }
        self.by_joining(&sorted) || self.at_least(&gap.least(), 1) || self.at_least(&gap.negate().least(), 1)
    }

    /// Whether every value of one stride's factor is excluded; `None` where the tail reaches too far to tell the values.
    fn by_leading(&mut self, gap: &Gap, lead: usize) -> Option<bool> {
        let term = &gap.terms[lead];
        let (times, rest) = divide(&gap.offset, &term.stride);
        let mut tail = gap.without(lead);
        tail.offset = rest;
        let moved = Term { low: &term.low + &times, high: &term.high + &times, stride: term.stride.clone() };
        let turned = Term { low: -&moved.high, high: -&moved.low, stride: moved.stride.clone() };
        let above = self.first_excluded(&moved, &tail)?;
        let below = self.first_excluded(&turned, &tail.negate())?;
        Some((1 - below..above).all(|factor| self.excludes(factor, &moved, &tail)))
    }

    /// The least number above zero from which on no factor makes the sum zero.
    fn first_excluded(&mut self, term: &Term, tail: &Gap) -> Option<i64> {
        let least = tail.least();
        if self.at_least(&-&term.high, 0) {
            return Some(1);
        }
        let mut excluded = |from: i64| {
            let far = &least + &term.stride * from;
            self.given(&[&term.high - from], |proof| proof.at_least(&far, 1))
        };
        // Most often the first number does, or none: the last is asked next.
        let last = MAX_SPLITS + 1;
        if excluded(1) {
            return Some(1);
        }
        excluded(last).then(|| (2..last).find(|from| excluded(*from)).unwrap_or(last))
    }

    /// Whether one factor does not make the sum zero.
    fn excludes(&mut self, factor: i64, term: &Term, tail: &Gap) -> bool {
        let (after_low, before_high) = (Size::constant(factor) - &term.low, &term.high - factor);
        self.at_least(&-&after_low, 1)
            || self.at_least(&-&before_high, 1)
            || self.given(&[after_low, before_high], |proof| proof.never_zero(&tail.shift(&(&term.stride * factor))))
    }

    /// Two strides as one, where the larger is a multiple of the smaller and the smaller leaves no hole.
    fn by_joining(&mut self, gap: &Gap) -> bool {
        for (outer, large) in gap.terms.iter().enumerate() {
            for small in &gap.terms {
                let Some(times) = divide_evenly(&large.stride, &small.stride).filter(|_| small != large) else {
                    continue;
                };
                let width = &small.high - &small.low + 1;
                if !self.at_least(&times, 1) || !self.at_least(&(width - &times), 0) {
                    continue;
                }
                let mut joined = gap.without(outer);
                joined.add(&large.low * &times, &large.high * &times, &small.stride);
                return self.never_zero(&joined);
            }
        }
        false
    }

    /// Whether plain division of the offset by the strides gives factors that make the sum zero.
    pub(super) fn has_zero(&mut self, gap: &Gap) -> bool {
        let mut offset = gap.offset.clone();
        for term in self.falling(&gap.terms, |t| &t.stride) {
            let choices = [-divide(&offset, &term.stride).0, term.low.clone(), term.high.clone()];
            let inside = |e: &&Size| self.at_least(&(*e - &term.low), 0) && self.at_least(&(&term.high - *e), 0);
            let Some(factor) = choices.iter().find(inside) else {
                return false;
            };
            offset = offset + factor * &term.stride;
        }
        offset.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::{Assumptions, Gap, Proof, Size};

    /// Sums of up to three terms with small numbers, one after the other.
    fn numbered(mut code: i64) -> Gap {
        let mut digit = |base: i64| {
            let digit = code % base;
            code /= base;
            digit
        };
        let offset = digit(25) - 12;
        let mut gap = Gap { offset: Size::constant(offset), terms: Vec::new() };
        for _ in 0..digit(4) {
            let low = digit(5) - 3;
            gap.add(Size::constant(low), Size::constant(low + digit(4)), &Size::constant(digit(9)));
        }
        gap
    }

    #[test]
    fn the_symbolic_proof_is_sound_for_numbers() {
        let known = Assumptions::new();
        let (mut proved, mut apart) = (0, 0);
        for round in 0..20_000 {
            let gap = numbered(round * 7_919);
            let truth = gap.reaches_zero().expect("small numbers");
            let claim = Proof::new(&known).never_zero(&gap);
            assert!(!(claim && truth), "{gap:?}");
            proved += i64::from(claim);
            apart += i64::from(!truth);
        }
        assert!(proved * 10 > apart * 8, "{proved} of {apart}");
    }
}
