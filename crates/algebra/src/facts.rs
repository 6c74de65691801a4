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
//! Nothing is copied: every fact is filed under the atoms that occur in it, and releasing takes the newest entries away again. So a scope
//! costs what was added in it, and a question costs what it touches (`gather`), however many facts there are.
//!
//! A *law* is a fact about a function for all its arguments, `0 <= k(i)` for every `i`. It is used at the applications `k(a)` that occur in
//! a question, with `a` for `i`. A law with a guard is used only where its guard can be proved.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::claim::Claim;
use crate::expr::{Atom, Size, SizeFun, SizeVar};
use crate::poly::gcd;

pub(crate) const DEFAULT_BUDGET: u32 = 400;

/// What a fact says of its size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    NonNegative,
    Zero,
    NonZero,
}

/// One assumption, prepared: integer coefficients without a common factor.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) claim: Claim,
    pub(crate) kind: Kind,
    pub(crate) size: Size,
    pub(crate) note: Option<u32>,
}

/// What is known of a function at all arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    facts: usize,
    laws: usize,
    state: u64,
}

/// Facts that hold, and the questions that can be asked under them.
#[derive(Clone, Debug)]
pub struct Assumptions {
    pub(crate) facts: Vec<Fact>,
    /// Facts by their atoms.
    pub(crate) facts_with: BTreeMap<Atom, Vec<usize>>,
    /// Facts by the atoms inside applications and sums.
    pub(crate) facts_inside: BTreeMap<Atom, Vec<usize>>,
    pub(crate) laws: Vec<(SizeFun, Law, Option<u32>)>,
    pub(crate) laws_of: BTreeMap<SizeFun, Vec<usize>>,
    /// Names the set of facts: a set that comes back after a release has its old name.
    pub(crate) state: u64,
    pub(crate) last_state: u64,
    pub(crate) budget: u32,
    /// Where a contradiction was found: how many facts and laws there were.
    pub(crate) absurd: Cell<Option<(usize, usize)>>,
    /// How many facts were looked at for that.
    pub(crate) examined: Cell<usize>,
    /// Steps of all questions so far.
    pub(crate) steps: Cell<u64>,
    /// How many guards of laws are being proved, one inside another.
    pub(crate) nesting: Cell<u32>,
    pub(crate) memo: RefCell<BTreeMap<(u64, Kind, Size), bool>>,
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
            facts_inside: BTreeMap::new(),
            laws: Vec::new(),
            laws_of: BTreeMap::new(),
            state: 0,
            last_state: 0,
            budget: DEFAULT_BUDGET,
            absurd: Cell::new(None),
            examined: Cell::new(0),
            steps: Cell::new(0),
            nesting: Cell::new(0),
            memo: RefCell::new(BTreeMap::new()),
        }
    }

    /// How many steps one question may take.
    pub fn set_budget(&mut self, steps: u32) {
        self.budget = steps;
        self.new_state();
    }

    /// How many steps all questions took so far.
    pub fn steps_taken(&self) -> u64 {
        self.steps.get()
    }

    /// The place to release to.
    pub fn mark(&self) -> Mark {
        Mark { facts: self.facts.len(), laws: self.laws.len(), state: self.state }
    }

    /// Forgets what was assumed since the mark. Marks are released innermost first; one that is gone already changes nothing.
    pub fn release(&mut self, mark: Mark) {
        while self.facts.len() > mark.facts
            && let Some(fact) = self.facts.pop()
        {
            let (open, inside) = filed_under(&fact.size);
            open.iter().for_each(|atom| take_newest(&mut self.facts_with, atom));
            inside.iter().for_each(|atom| take_newest(&mut self.facts_inside, atom));
        }
        while self.laws.len() > mark.laws
            && let Some((fun, _, _)) = self.laws.pop()
        {
            take_newest(&mut self.laws_of, &fun);
        }
        self.examined.set(self.examined.get().min(self.facts.len()));
        let still = |(facts, laws): &(usize, usize)| *facts <= self.facts.len() && *laws <= self.laws.len();
        self.absurd.set(self.absurd.get().filter(still));
        self.state = mark.state;
    }

    fn new_state(&mut self) {
        self.last_state += 1;
        self.state = self.last_state;
    }

    /// Assumes a claim.
    pub fn assume(&mut self, claim: &Claim) {
        self.add(claim, None);
    }

    /// Assumes a claim for a reason, which explanations give back as [`Explanation::notes`](crate::Explanation::notes).
    pub fn assume_because(&mut self, claim: &Claim, note: u32) {
        self.add(claim, Some(note));
    }

    fn add(&mut self, claim: &Claim, note: Option<u32>) {
        let Some((kind, size)) = prepare(claim) else {
            return;
        };
        let at = self.facts.len();
        if size.is_constant() && self.absurd.get().is_none() {
            self.absurd.set(Some((at + 1, self.laws.len())));
        }
        let (open, inside) = filed_under(&size);
        open.into_iter().for_each(|atom| self.facts_with.entry(atom).or_default().push(at));
        inside.into_iter().for_each(|atom| self.facts_inside.entry(atom).or_default().push(at));
        self.facts.push(Fact { claim: claim.clone(), kind, size, note });
        self.new_state();
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
            self.add_law(fun, Law::NonNegative);
        }
        self.add_law(fun, Law::Claim { params: params.to_vec(), guards: guards.to_vec(), claim });
    }

    /// Assumes that a function is never negative, whatever its arguments.
    pub fn assume_fun_nonnegative(&mut self, fun: SizeFun) {
        self.add_law(fun, Law::NonNegative);
    }

    /// Assumes that a function does not fall where its argument number `arg` grows and the others stay.
    pub fn assume_fun_nondecreasing(&mut self, fun: SizeFun, arg: usize) {
        self.add_law(fun, Law::Nondecreasing(arg));
    }

    fn add_law(&mut self, fun: SizeFun, law: Law) {
        self.laws_of.entry(fun).or_default().push(self.laws.len());
        self.laws.push((fun, law, None));
        self.new_state();
    }

    /// The laws of a function, with their numbers.
    pub(crate) fn laws_of(&self, fun: SizeFun) -> impl Iterator<Item = (usize, &Law)> {
        self.laws_of.get(&fun).into_iter().flatten().map(|at| (*at, &self.laws[*at].1))
    }
}

fn take_newest<K: Ord>(filed: &mut BTreeMap<K, Vec<usize>>, key: &K) {
    if let Some(places) = filed.get_mut(key) {
        places.pop();
        if places.is_empty() {
            filed.remove(key);
        }
    }
}

/// The atoms of a size at any depth, and those inside applications and sums: `i < min(n, k(j))` is a fact about `n`, hardly about `j`.
fn filed_under(size: &Size) -> (BTreeSet<Atom>, BTreeSet<Atom>) {
    let (mut open, mut inside) = (BTreeSet::new(), BTreeSet::new());
    let mut rest: Vec<&Size> = vec![size];
    while let Some(size) = rest.pop() {
        for atom in size.atoms() {
            match atom {
                Atom::Apply { .. } | Atom::Sum(_) => {
                    for part in atom.parts() {
                        part.visit_atoms(&mut |inner| inside.extend([inner.clone()]));
                    }
                }
                _ => rest.extend(atom.parts()),
            }
            open.insert(atom.clone());
        }
    }
    (open, inside)
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
