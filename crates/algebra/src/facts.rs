//! The facts that hold where a question is asked.
//!
//! [`Assumptions`] is a stack. A walk over a program assumes what it passes (ranges, guards, equations, laws of functions), asks, and
//! on the way out releases what it assumed:
//!
//! ```text
//! let outside = known.mark();
//! known.assume(&Claim::Lt(i, n));           inside the guard `i < n`
//! known.prove(&Claim::Le(i + 1, n));        yes
//! known.release(outside);                   behind the guard: unknown again
//! ```
//!
//! Nothing is copied: every fact is prepared once and filed under the atoms that occur in it (`store`), and releasing takes the newest
//! entries away again. So a scope costs what was added in it, and a question costs what it touches (`gather`), however many facts there are.
//!
//! A *law* is a fact about a function for all its arguments, `0 <= k(i)` for every `i`. It is used at the applications `k(a)` that occur in
//! a question, with `a` for `i`. A law with a guard is used only where its guard can be proved.

use std::cell::RefCell;

use crate::claim::Claim;
use crate::expr::{Size, SizeFun, SizeVar};
use crate::poly::gcd;
use crate::store::{Source, Store};

/// What a fact says of its size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    NonNegative,
    Zero,
    NonZero,
}

/// What is known of a function at all arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Law {
    /// The value is never negative, whatever the number of arguments.
    NonNegative,
    /// The value does not fall where this argument grows.
    Nondecreasing(usize),
    /// A claim in terms of the parameters, where the guards hold.
    Claim { params: Vec<SizeVar>, guards: Vec<Claim>, claim: Claim },
}

/// A place in the stack of facts, to go back to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    pub(crate) facts: usize,
    pub(crate) laws: usize,
    pub(crate) state: u64,
}

/// Facts that hold, and the questions that can be asked under them.
#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    /// Questions number atoms and use laws, and so change what is stored, but never what is known.
    pub(crate) store: RefCell<Store>,
}

impl Assumptions {
    /// Nothing is assumed.
    pub fn new() -> Assumptions {
        Assumptions::default()
    }

    /// How many steps one question may take.
    pub fn set_budget(&mut self, steps: u32) {
        self.store.get_mut().set_budget(steps);
    }

    /// How many steps all questions took so far.
    pub fn steps_taken(&self) -> u64 {
        self.store.borrow().steps
    }

    /// The place to release to.
    pub fn mark(&self) -> Mark {
        self.store.borrow().mark()
    }

    /// Forgets what was assumed since the mark. Marks are released innermost first; one that is gone already changes nothing.
    pub fn release(&mut self, mark: Mark) {
        self.store.get_mut().release(mark);
    }

    /// Assumes a claim.
    pub fn assume(&mut self, claim: &Claim) {
        self.store.get_mut().add(claim, None, Source::Client);
    }

    /// Assumes a claim for a reason, which explanations give back as [`Explanation::notes`](crate::Explanation::notes).
    pub fn assume_because(&mut self, claim: &Claim, note: u32) {
        self.store.get_mut().add(claim, Some(note), Source::Client);
    }

    /// Assumes `0 <= size`.
    pub fn assume_nonnegative(&mut self, size: &Size) {
        self.assume(&Claim::Le(Size::zero(), size.clone()));
    }

    /// Assumes `a <= b`.
    pub fn assume_le(&mut self, a: &Size, b: &Size) {
        self.assume(&Claim::Le(a.clone(), b.clone()));
    }

    /// Assumes `a < b`.
    pub fn assume_lt(&mut self, a: &Size, b: &Size) {
        self.assume(&Claim::Lt(a.clone(), b.clone()));
    }

    /// Assumes `a = b`.
    pub fn assume_eq(&mut self, a: &Size, b: &Size) {
        self.assume(&Claim::Eq(a.clone(), b.clone()));
    }

    /// Assumes `a != b`.
    pub fn assume_ne(&mut self, a: &Size, b: &Size) {
        self.assume(&Claim::Ne(a.clone(), b.clone()));
    }

    /// Assumes `lower <= var <= upper`.
    pub fn assume_range(&mut self, var: SizeVar, lower: &Size, upper: &Size) {
        self.assume_le(lower, &Size::var(var));
        self.assume_le(&Size::var(var), upper);
    }

    /// Assumes `0 <= var < count`.
    pub fn assume_index(&mut self, var: SizeVar, count: &Size) {
        self.assume_nonnegative(&Size::var(var));
        self.assume_lt(&Size::var(var), count);
    }

    /// Assumes a claim for all values of the parameters; it is used at the applications `fun(args)` in a question, with the arguments for
    /// the parameters.
    pub fn assume_fun(&mut self, fun: SizeFun, params: &[SizeVar], claim: Claim) {
        self.assume_fun_where(fun, params, &[], claim);
    }

    /// The same for those values of the parameters for which the guards hold.
    pub fn assume_fun_where(&mut self, fun: SizeFun, params: &[SizeVar], guards: &[Claim], claim: Claim) {
        let itself = Size::apply(fun, params.iter().map(|p| Size::var(*p)).collect());
        if guards.is_empty()
            && let Some((Kind::NonNegative, size)) = prepare(&claim)
            && (itself - size).as_constant().is_some_and(|least| least >= 0)
        {
            self.store.get_mut().add_law(fun, Law::NonNegative);
        }
        self.store.get_mut().add_law(fun, Law::Claim { params: params.to_vec(), guards: guards.to_vec(), claim });
    }

    /// Assumes that a function is never negative, whatever its arguments.
    pub fn assume_fun_nonnegative(&mut self, fun: SizeFun) {
        self.store.get_mut().add_law(fun, Law::NonNegative);
    }

    /// Assumes that a function does not fall where its argument number `arg` grows and the others stay.
    pub fn assume_fun_nondecreasing(&mut self, fun: SizeFun, arg: usize) {
        self.store.get_mut().add_law(fun, Law::Nondecreasing(arg));
    }
}

/// A claim as a statement about one size; `None` where it holds anyway, a constant where it never does.
pub(crate) fn prepare(claim: &Claim) -> Option<(Kind, Size)> {
    let (kind, size) = match claim {
        Claim::Le(a, b) => (Kind::NonNegative, tighten(&(b - a))),
        Claim::Lt(a, b) => (Kind::NonNegative, tighten(&(b - a - 1))),
        Claim::Eq(a, b) if never_zero(&(a - b)) => (Kind::Zero, Size::one()),
        Claim::Ne(a, b) if never_zero(&(a - b)) => return None,
        Claim::Eq(a, b) => (Kind::Zero, reduce(&(a - b))),
        Claim::Ne(a, b) => (Kind::NonZero, reduce(&(a - b))),
    };
    let holds = size.is_constant()
        && match kind {
            Kind::NonNegative => size.constant_term() >= 0,
            Kind::Zero => size.is_zero(),
            Kind::NonZero => !size.is_zero(),
        };
    (!holds).then_some((kind, size))
}

fn content(size: &Size) -> i128 {
    let varying = size.terms.iter().filter(|(m, _)| !m.factors().is_empty());
    let common = varying.fold(0, |g, (_, c)| gcd(g, c.unsigned_abs()));
    i128::try_from(common).unwrap_or(1)
}

/// A size with integer coefficients, without a common factor, that is negative exactly where the given one is.
pub(crate) fn tighten(size: &Size) -> Size {
    let common = content(size).max(1);
    if common == 1 && size.denominator() == 1 {
        return size.clone();
    }
    let terms = size.terms.iter().map(|(m, c)| (m.clone(), c.div_euclid(common))).collect();
    Size::from_terms(terms, 1).unwrap_or_else(|| size.as_integer_form().0)
}

/// A size with integer coefficients, the first one positive, that is zero exactly where the given one is.
pub(crate) fn reduce(size: &Size) -> Size {
    let whole = size.as_integer_form().0;
    let common = whole.terms.values().fold(0, |g, c| gcd(g, c.unsigned_abs()));
    let common = i128::try_from(common).unwrap_or(1).max(1);
    let reduced = whole.divide_exactly(common);
    let falling = reduced.terms.last_key_value().is_some_and(|(_, c)| *c < 0);
    if falling { -reduced } else { reduced }
}

/// Whether divisibility alone excludes zero: `2n + 1` is odd.
pub(crate) fn never_zero(size: &Size) -> bool {
    match content(size).unsigned_abs() {
        0 => !size.is_zero(),
        common => !size.constant_term().unsigned_abs().is_multiple_of(common),
    }
}
