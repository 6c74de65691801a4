//! What is known at one place of a function: facts, and equations used as rewriting.
//!
//! Facts are claims that hold from some statement on to the end of its body: a check that has passed, the condition of a branch, the
//! range of a counter. An equation between sizes is a fact too, and is also *oriented*: one symbol in it is replaced everywhere by the
//! rest, so that equal sizes meet in one form, which is what unification over canonical forms comes to:
//!
//! ```text
//! check zip (len_a == len_b)           len(b)      becomes   len(a)
//! map (row) { check len(row) == m }    len(rows, c) becomes   m          inside the body, at its position c
//! afterwards                           len(rows, q) becomes   m          for every q: the rows are rectangular
//! ```
//!
//! The last line speaks about all positions. It is stored as a rule whose arguments are `p0`, `p1`, …, and is true wherever the place
//! that it speaks about exists; a size mentions no other places.
//!
//! Everything is scoped: [`Knowledge::mark`] and [`Knowledge::release`] stand around bodies.

use super::truth::Truth;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::{Assumptions, Atom, Claim, Mark, Monomial, Size, SizeFun, SizeVar};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::shape::{POSITIONS, Shape, SymbolId, as_symbol, symbols_of};

/// No array that exists has more elements: in the interpreter, which defines the language, it would take 2^51 bytes. Checks of lengths
/// allow twice as many, so that one more than a length is always a length.
pub(super) const LONGEST: i128 = 1 << 46;

#[derive(Clone, Debug)]
struct Rule {
    symbol: SymbolId,
    args: Vec<Size>,
    body: Size,
}

/// An operator at a width.
pub(super) type Operation = (BinOp, ScalarType);

#[derive(Debug, Default)]
pub(super) struct Knowledge {
    facts: Assumptions,
    rules: Vec<Rule>,
    rules_of: BTreeMap<SymbolId, Vec<usize>>,
    counters: BTreeSet<SymbolId>,
    /// Sizes of arguments that differ between calls in parallel code: equations prefer to replace them.
    unsteady: BTreeSet<SymbolId>,
    /// Symbols from here on are not about parameters.
    first_local: usize,
    /// Products that are known to be something simpler.
    products: Vec<(Vec<(Atom, u32)>, Size)>,
    /// Symbols of which facts speak, other than their ranges.
    spoken: BTreeSet<SymbolId>,
    /// The least and the greatest that symbols can be by what they are.
    ranges: BTreeMap<SymbolId, (i128, i128)>,
    /// 64-bit integers of which nothing was ever said.
    wild: BTreeSet<SymbolId>,
    /// Integers that may have wrapped: what they are if they have not, and whether they may be too high and too low for that.
    wrapping: BTreeMap<SymbolId, (Size, bool, bool)>,
    /// Results of operations that have a name, by the operation.
    computed: BTreeMap<(Operation, Size, Size), Size>,
    computed_here: Vec<(Operation, Size, Size)>,
}

/// How much was known.
pub(super) struct Known {
    facts: Mark,
    rules: usize,
    computed: usize,
    products: usize,
}

/// Steps for one question: most are answered in a few, and those that are not are hopeless.
const BUDGET: u32 = 240;

impl Knowledge {
    pub(super) fn new() -> Knowledge {
        let mut known = Knowledge::default();
        known.facts.set_budget(BUDGET);
        known
    }

    pub(super) fn mark(&mut self) -> Known {
        Known {
            facts: self.facts.mark(),
            rules: self.rules.len(),
            computed: self.computed_here.len(),
            products: self.products.len(),
        }
    }

    pub(super) fn release(&mut self, known: Known) {
        self.facts.release(known.facts);
        self.products.truncate(known.products);
        for operation in self.computed_here.drain(known.computed..) {
            self.computed.remove(&operation);
        }
        for rule in self.rules.drain(known.rules..) {
            if let Some(rules) = self.rules_of.get_mut(&rule.symbol) {
                rules.pop();
            }
        }
    }

    /// A new integer of which nothing is known.
    pub(super) fn is_wild(&mut self, symbol: SymbolId) {
        self.wild.insert(symbol);
    }

    /// Something is said about these symbols.
    fn tame(&mut self, claim: &Claim) {
        if !self.wild.is_empty() {
            let (a, b) = claim.sides();
            for symbol in symbols_of(a).into_iter().chain(symbols_of(b)) {
                self.wild.remove(&symbol);
            }
        }
    }

    /// Whether a comparison of a size with zero is hopeless: an integer of which nothing is known stands in it once, by itself.
    fn hopeless(&self, difference: &Size) -> bool {
        if self.wild.is_empty() {
            return false;
        }
        difference.terms().any(|(monomial, _)| {
            let [(atom, 1)] = monomial.factors() else { return false };
            let (symbol, args) = match atom {
                Atom::Var(SizeVar(n)) => (SymbolId::new(*n as usize), Vec::new()),
                Atom::Apply { fun: SizeFun(n), args } => (SymbolId::new(*n as usize), args.clone()),
                _ => return false,
            };
            self.wild.contains(&symbol) && {
                let itself = super::symbols::applied(symbol, args);
                let rest = difference - &itself * &Size::big(coefficient(difference, atom));
                let far = rest.as_i128().is_some_and(|n| n.abs() >= 1 << 62);
                !far && !symbols_of(&rest).contains(&symbol)
            }
        })
    }

    /// A symbol that stands for the position of a parallel body: equations prefer to replace others.
    pub(super) fn is_counter(&mut self, symbol: SymbolId) {
        self.counters.insert(symbol);
    }

    /// All symbols below this one are about parameters and the result.
    pub(super) fn locals_from(&mut self, symbol: SymbolId) {
        self.first_local = symbol.index();
    }

    /// A symbol that differs between calls in parallel code: where it equals another one, the other one is kept.
    pub(super) fn is_unsteady(&mut self, symbol: SymbolId) {
        self.unsteady.insert(symbol);
    }

    /// The size with every equation used.
    pub(super) fn resolve(&self, size: &Size) -> Size {
        let size = self.with_rules(size);
        let size = if self.products.is_empty() { size } else { self.without_products(&size) };
        self.without_nothings(size)
    }

    /// `p*[p < 1]` is nothing where `p` is not negative: rows that do not exist have no elements together.
    fn without_nothings(&self, size: Size) -> Size {
        let nothing = |m: &Monomial| {
            m.factors().iter().any(|(atom, _)| match atom {
                Atom::Below(test) => {
                    let counted = &**test + 1;
                    let factor = m.factors().iter().any(|(a, _)| counted == Size::from(a.clone()));
                    factor && self.facts.shows(&Claim::Le(Size::zero(), counted))
                }
                _ => false,
            })
        };
        if size.denominator() != 1 || !size.terms().any(|(m, _)| nothing(m)) {
            return size;
        }
        let product = |m: &Monomial, factor: i128| {
            m.factors().iter().fold(Size::big(factor), |term, (atom, power)| {
                (0..*power).fold(term, |term, _| term * Size::from(atom.clone()))
            })
        };
        size.terms().filter(|(m, _)| !nothing(m)).fold(Size::zero(), |sum, (m, factor)| sum + product(m, factor))
    }

    fn with_rules(&self, size: &Size) -> Size {
        let mut size = size.clone();
        // Rules are made so that no symbol leads back to itself; the bound is for safety only.
        for _ in 0..64 {
            if self.rules.is_empty() || !symbols_of(&size).iter().any(|s| self.has_rule(*s)) {
                return size;
            }
            let vars = size.substitute_all(&|SizeVar(n)| self.apply(SymbolId::new(n as usize), &[]));
            let next = vars.substitute_funs(&|SizeFun(n), args| self.apply(SymbolId::new(n as usize), args));
            if next == size {
                return size;
            }
            size = next;
        }
        size
    }

    /// The shape with every equation used.
    pub(super) fn resolve_shape(&self, shape: &Shape) -> Shape {
        shape.map(0, &|_, size| self.resolve(size))
    }

    fn has_rule(&self, symbol: SymbolId) -> bool {
        self.rules_of.get(&symbol).is_some_and(|rules| !rules.is_empty())
    }

    fn apply(&self, symbol: SymbolId, args: &[Size]) -> Option<Size> {
        let rules = self.rules_of.get(&symbol)?;
        rules.iter().rev().find_map(|at| {
            let rule = &self.rules[*at];
            let bound = matches(&rule.args, args)?;
            Some(rule.body.substitute_all(&|var| bound.get(&var).cloned()))
        })
    }

    /// From here on the claim holds.
    pub(super) fn assume(&mut self, claim: &Claim) {
        self.tame(claim);
        let claim = claim.map(&|size| self.resolve(size));
        if let Some(exact) = self.below_limit(&claim) {
            return self.assume(&exact);
        }
        let rules = self.rules.len();
        if let Claim::Eq(a, b) = &claim {
            self.orient(&(a - b), None);
        }
        // A name that is replaced from now on, and of which nothing but its range was said before, needs no fact beside the rule.
        let replaced = self.rules.get(rules).map(|rule| (rule.symbol, rule.body.clone()));
        match replaced.filter(|(symbol, _)| !self.spoken.contains(symbol)) {
            None => self.assume_fact(&claim),
            Some((symbol, body)) => {
                let range = self.ranges.get(&symbol).copied();
                let known = as_symbol(&body).and_then(|(s, _)| self.ranges.get(&s).copied());
                if let Some((low, high)) = range.filter(|_| range != known) {
                    self.assume_fact(&Claim::Le(Size::big(low), body.clone()));
                    self.assume_fact(&Claim::Le(body, Size::big(high)));
                }
            }
        }
    }

    fn assume_fact(&mut self, claim: &Claim) {
        self.tame(claim);
        self.facts.assume(claim);
        let (a, b) = claim.sides();
        self.spoken.extend(symbols_of(a).into_iter().chain(symbols_of(b)));
    }

    /// A truth that was just found to hold, said more simply.
    pub(super) fn exact(&self, truth: Truth) -> Truth {
        match &truth {
            Truth::Claim(claim) => self.below_limit(claim).map_or(truth, Truth::Claim),
            _ => truth,
        }
    }

    /// A sum that stops at a limit is the sum where it is below the limit: `min(2^47 + 1, s) = n` says `s = n`.
    fn below_limit(&self, claim: &Claim) -> Option<Claim> {
        let Claim::Eq(a, b) = claim else { return None };
        [(a, b), (b, a)].into_iter().find_map(|(least, other)| {
            let Some(Atom::Min(parts)) = least.as_atom() else { return None };
            let [x, y] = parts.as_slice() else { return None };
            let (limit, sum) = [(x, y), (y, x)].into_iter().find(|(l, _)| l.is_constant())?;
            let below = self.proves_claim(&Claim::Lt(other.clone(), limit.clone()));
            below.then(|| Claim::Eq(sum.clone(), other.clone()))
        })
    }

    pub(super) fn assume_truth(&mut self, truth: &Truth) {
        match truth {
            Truth::Claim(claim) => self.assume(claim),
            Truth::All(parts) => parts.iter().for_each(|p| self.assume_truth(p)),
            Truth::Any(parts) => {
                let possible: Vec<&Truth> = parts.iter().filter(|p| !self.proves(&p.negate())).collect();
                if let [only] = possible.as_slice() {
                    self.assume_truth(only);
                }
            }
            Truth::Known(false) => self.facts.assume(&Claim::Lt(Size::zero(), Size::zero())),
            Truth::Known(true) | Truth::Unknown => {}
        }
    }

    /// The name of an operation's result, where it was computed before.
    pub(super) fn computed(&self, op: Operation, a: &Size, b: &Size) -> Option<Size> {
        self.computed.get(&(op, a.clone(), b.clone())).cloned()
    }

    pub(super) fn compute(&mut self, op: Operation, a: &Size, b: &Size, result: Size) {
        let operation = (op, a.clone(), b.clone());
        self.computed_here.push(operation.clone());
        self.computed.insert(operation, result);
    }

    /// An integer is a sum or difference unless it wrapped.
    pub(super) fn may_wrap(&mut self, symbol: SymbolId, exact: Size, above: bool, below: bool) {
        self.wrapping.insert(symbol, (exact, above, below));
    }

    /// Assumes a truth; integers in it that now cannot have wrapped are what they were computed to be. A sum that is too high for 64 bits
    /// comes out negative, one that is too low comes out above 2^62.
    pub(super) fn learn(&mut self, truth: &Truth) {
        self.assume_truth(truth);
        if self.wrapping.is_empty() {
            return;
        }
        let mut symbols = Vec::new();
        truth.claims(&mut |claim| {
            let (a, b) = claim.sides();
            symbols.extend(symbols_of(a).into_iter().chain(symbols_of(b)));
        });
        for symbol in symbols {
            let Some((exact, above, below)) = self.wrapping.get(&symbol).cloned() else { continue };
            if self.has_rule(symbol) {
                continue;
            }
            let itself = super::symbols::applied(symbol, Vec::new());
            if (!above || self.never_negative(&itself))
                && (!below || self.proves_claim(&Claim::Le(itself.clone(), Size::big(1 << 62))))
            {
                self.assume(&Claim::Eq(itself, exact));
            }
        }
    }

    /// From here on the claim holds for all values of `p0`, `p1`, … for which there are places of the symbols in `about`: only
    /// applications of those are looked at.
    pub(super) fn assume_everywhere(&mut self, claim: &Claim, about: &[SymbolId]) {
        self.assume_where(claim, about, &[]);
    }

    /// The range of a symbol, at all positions.
    pub(super) fn assume_range(&mut self, symbol: SymbolId, size: &Size, (low, high): (i128, i128)) {
        let spoken = self.spoken.contains(&symbol);
        self.ranges.insert(symbol, (low, high));
        self.assume_everywhere(&Claim::Le(Size::big(low), size.clone()), &[symbol]);
        self.assume_everywhere(&Claim::Le(size.clone(), Size::big(high)), &[symbol]);
        if !spoken {
            self.spoken.remove(&symbol);
        }
    }

    /// The same, used only where the guards hold, which may speak of the positions too: a place that does not exist has no bounds, and bounds
    /// that contradict each other there must not be believed.
    pub(super) fn assume_where(&mut self, claim: &Claim, about: &[SymbolId], guards: &[Claim]) {
        self.tame(claim);
        let resolved = claim.map(&|size| self.resolve(size));
        if at_positions(claim) && !at_positions(&resolved) {
            // It says nothing where there is no such place.
            return;
        }
        let claim = resolved;
        let (a, b) = claim.sides();
        let difference = a - b;
        let positions: Vec<SizeVar> = difference.vars().into_iter().filter(|v| (v.0 as usize) < POSITIONS).collect();
        // What is said of all places holds without one only where there is one: `2 = m` of rows that nobody has is not a fact.
        if positions.is_empty() && !guards.iter().all(|guard| self.holds_somewhere(guard)) {
            return;
        }
        let oriented = matches!(claim, Claim::Eq(..)) && self.orient(&difference, Some(about));
        if positions.is_empty() {
            if difference.funs().is_empty() {
                self.facts.assume(&claim);
                self.spoken.extend(symbols_of(&difference));
            }
            return;
        }
        // A fact about a function is found where an application of it occurs that has all the positions as its arguments.
        let pattern = difference.atoms().into_iter().find_map(|atom| match atom {
            Atom::Apply { fun, args } if about.contains(&SymbolId::new(fun.0 as usize)) => {
                let params: Option<Vec<SizeVar>> = args.iter().map(Size::as_var).collect();
                let params = params?;
                let all = positions.iter().all(|p| params.contains(p)) && params.len() == positions.len();
                all.then_some((*fun, params))
            }
            _ => None,
        });
        if let Some((fun, params)) = pattern
            && !oriented
        {
            self.spoken.extend(symbols_of(&difference));
            let guards: Vec<Claim> = guards.iter().map(|g| g.map(&|size| self.resolve(size))).collect();
            self.facts.assume_fun_where(fun, &params, &guards, claim);
        }
    }

    /// Whether a claim about positions holds at the first ones.
    fn holds_somewhere(&self, guard: &Claim) -> bool {
        let first = |size: &Size| size.substitute_all(&|v| ((v.0 as usize) < POSITIONS).then(Size::zero));
        self.proves_claim(&guard.map(&first))
    }

    /// Makes a rule of `difference = 0` where one symbol in it can be replaced by the rest; at positions only one of those given.
    fn orient(&mut self, difference: &Size, about: Option<&[SymbolId]>) -> bool {
        let mut best: Option<(u8, SymbolId, Rule)> = None;
        for (monomial, factor) in difference.terms() {
            let [(atom, 1)] = monomial.factors() else { continue };
            if factor.abs() != difference.denominator() {
                continue;
            }
            let (symbol, args) = match atom {
                Atom::Var(SizeVar(n)) => (SymbolId::new(*n as usize), Vec::new()),
                Atom::Apply { fun: SizeFun(n), args } => (SymbolId::new(*n as usize), args.clone()),
                _ => continue,
            };
            if symbol.index() < POSITIONS {
                continue;
            }
            let itself = super::symbols::applied(symbol, args.clone());
            let body = if factor > 0 { &itself - difference } else { &itself + difference };
            if symbols_of(&body).contains(&symbol) || !binds(&args, &body) {
                continue;
            }
            let everywhere = args.iter().flat_map(Size::vars).any(|v| (v.0 as usize) < POSITIONS);
            if everywhere && about.is_some_and(|about| !about.contains(&symbol)) {
                continue;
            }
            let rank = match (args.is_empty(), self.counters.contains(&symbol)) {
                (false, _) => 3,
                (true, false) if self.unsteady.contains(&symbol) => 2,
                (true, false) => 1,
                (true, true) => 0,
            };
            // A name that is given later may not exist where the older one is used: it is the one to be replaced.
            let younger = symbols_of(&body).into_iter().any(|s| s > symbol && s.index() >= self.first_local);
            let rank = match younger {
                true if args.is_empty() => continue,
                true => 0,
                false => rank + 1,
            };
            if best.as_ref().is_none_or(|(r, s, _)| (rank, symbol) > (*r, *s)) {
                best = Some((rank, symbol, Rule { symbol, args, body }));
            }
        }
        let Some((_, symbol, rule)) = best else {
            if about.is_none() {
                self.orient_product(difference);
            }
            return false;
        };
        self.rules_of.entry(symbol).or_default().push(self.rules.len());
        self.rules.push(rule);
        true
    }

    /// Makes a rule for a product with a young name in it: after `n % b == 0` the product `q*b` is `n`.
    fn orient_product(&mut self, difference: &Size) {
        for (monomial, factor) in difference.terms() {
            if factor.abs() != 1 || difference.denominator() != 1 || monomial.degree() != 2 {
                continue;
            }
            let product = monomial
                .factors()
                .iter()
                .fold(Size::one(), |p, (atom, power)| (0..*power).fold(p, |p, _| p * Size::from(atom.clone())));
            let rest = if factor > 0 { &product - difference } else { &product + difference };
            let Some(youngest) = symbols_of(&product).into_iter().max() else { continue };
            if symbols_of(&rest).into_iter().all(|s| s < youngest) {
                let atoms = monomial.factors().iter().map(|(atom, power)| (atom.clone(), *power)).collect();
                self.products.push((atoms, rest));
                return;
            }
        }
    }

    /// The size with products replaced that are known to be something simpler.
    fn without_products(&self, size: &Size) -> Size {
        let mut size = size.clone();
        for (atoms, by) in &self.products {
            let holds = |m: &Monomial| atoms.iter().all(|(atom, power)| m.exponent(atom) >= *power);
            if !size.terms().any(|(m, _)| holds(m)) || size.denominator() != 1 {
                continue;
            }
            size = size.terms().fold(Size::zero(), |sum, (m, factor)| {
                let left = |atom: &Atom| {
                    let taken = atoms.iter().find(|(a, _)| a == atom).map_or(0, |(_, power)| *power);
                    if holds(m) { taken } else { 0 }
                };
                let start = if holds(m) { by * &Size::big(factor) } else { Size::big(factor) };
                let term = m.factors().iter().fold(start, |term, (atom, power)| {
                    (left(atom)..*power).fold(term, |term, _| term * Size::from(atom.clone()))
                });
                sum + term
            });
        }
        size
    }

    pub(super) fn proves_claim(&self, claim: &Claim) -> bool {
        let claim = claim.map(&|size| self.resolve(size));
        let (a, b) = claim.sides();
        if a != b && self.hopeless(&(a - b)) {
            return false;
        }
        self.facts.shows(&claim)
    }

    /// Whether a claim can never hold here.
    pub(super) fn refutes(&self, claim: &Claim) -> bool {
        self.facts.prove(&claim.map(&|size| self.resolve(size))).is_no()
    }

    pub(super) fn proves(&self, truth: &Truth) -> bool {
        match truth {
            Truth::Unknown => false,
            Truth::Known(value) => *value,
            Truth::Claim(claim) => self.proves_claim(claim),
            Truth::All(parts) => parts.iter().all(|p| self.proves(p)),
            Truth::Any(parts) => parts.iter().any(|p| self.proves(p)),
        }
    }

    /// Whether a size always lies between two numbers.
    pub(super) fn fits(&self, size: &Size, (low, high): (i128, i128)) -> bool {
        let size = self.resolve(size);
        if self.hopeless(&size) && as_symbol(&size).is_none() {
            return false;
        }
        self.facts.fits(&size, low, high)
    }

    pub(super) fn never_negative(&self, size: &Size) -> bool {
        self.proves_claim(&Claim::Le(Size::zero(), size.clone()))
    }

    pub(super) fn equal(&self, a: &Size, b: &Size) -> bool {
        a == b || self.proves_claim(&Claim::Eq(a.clone(), b.clone()))
    }
}

/// The factor of an atom that stands by itself.
fn coefficient(size: &Size, atom: &Atom) -> i128 {
    let found = size.terms().find(|(m, _)| m.factors() == [(atom.clone(), 1)]);
    found.map_or(0, |(_, factor)| factor)
}

/// Whether a claim speaks about positions.
fn at_positions(claim: &Claim) -> bool {
    let (a, b) = claim.sides();
    a.vars().into_iter().chain(b.vars()).any(|v| (v.0 as usize) < POSITIONS)
}

/// The positions in a pattern that make it equal to some arguments.
fn matches(pattern: &[Size], args: &[Size]) -> Option<BTreeMap<SizeVar, Size>> {
    if pattern.len() != args.len() {
        return None;
    }
    let mut bound: BTreeMap<SizeVar, Size> = BTreeMap::new();
    for (part, arg) in pattern.iter().zip(args) {
        match part.as_var().filter(|v| (v.0 as usize) < POSITIONS) {
            Some(var) if bound.get(&var).is_some_and(|b| b != arg) => return None,
            Some(var) => {
                bound.insert(var, arg.clone());
            }
            None if part != arg => return None,
            None => {}
        }
    }
    Some(bound)
}

/// Whether the positions that a rule's body mentions are arguments of its left side.
fn binds(args: &[Size], body: &Size) -> bool {
    let bound: BTreeSet<SizeVar> = args.iter().filter_map(Size::as_var).collect();
    body.vars().into_iter().all(|v| v.0 as usize >= POSITIONS || bound.contains(&v))
}
