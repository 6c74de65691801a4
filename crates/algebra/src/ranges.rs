//! The atoms of all questions under one set of assumptions: their numbers, what they mean, and their constant ranges.
//!
//! Ranges come from facts as they are assumed: from `2*i <= n` and `n <= 7` follows `i <= 3`. A product of atoms has a range of its own as well:
//! `n*m <= 100` bounds `n*m` where neither `n` nor `m` has a bound, and a bounded square bounds its root. What an operation means bounds it
//! from its parts: `floor(n/2)` from `n`.
//!
//! Numbers and meanings stay, so they are found once. Ranges are narrowed where a fact is assumed or a case entered and widened again behind
//! it: every change is logged, and [`Table::undo`] takes back the newest ones. A range without any number in it says that the facts
//! contradict each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::compact::{MAX_ATOMS, Poly, Product};
use crate::expr::{Atom, Size, SizeFun, fresh_bound};
use crate::facts::tighten;
use crate::interval::{Interval, Known, Ranges};

/// How many atoms one new fact may change.
const MAX_CHANGED: usize = 64;

/// The parts of an atom in which the search looks.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    /// A variable or an application.
    Plain,
    Floor(Poly, i128),
    Least(Vec<Poly>),
    Greatest(Vec<Poly>),
    /// One where the polynomial is negative, else zero.
    Below(Poly),
    Other,
}

#[derive(Clone, Debug)]
enum Change {
    Atom(u32, Interval),
    Product(Product, Option<Interval>),
    Empty,
}

/// An atom with what does not depend on the facts.
#[derive(Clone, Debug)]
struct Entry {
    atom: Atom,
    meaning: Meaning,
    /// Polynomials that are never negative by what the atom means.
    meant: Vec<Arc<Poly>>,
    /// The atoms directly inside.
    parts: Vec<u32>,
    /// The atoms whose ranges follow from this one's.
    users: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    ids: BTreeMap<Atom, u32>,
    entries: Vec<Entry>,
    known: Vec<Interval>,
    products: BTreeMap<Product, Interval>,
    changes: Vec<Change>,
    empty: bool,
    /// The functions that are never negative, and by how many laws.
    pub(crate) nonnegative: BTreeMap<SizeFun, usize>,
}

impl Known for Table {
    fn range_of(&self, atom: &Atom) -> Option<Interval> {
        self.ids.get(atom).map(|id| self.known[*id as usize - 1])
    }

    fn is_nonnegative(&self, fun: SizeFun) -> bool {
        self.nonnegative.contains_key(&fun)
    }
}

impl Table {
    /// The numerator of a size, where it is small enough.
    pub(crate) fn poly(&mut self, size: &Size) -> Option<Poly> {
        let mut terms = Vec::with_capacity(size.terms.len());
        for (monomial, factor) in size.terms() {
            let mut product = Product::ONE;
            for (atom, exponent) in monomial.factors() {
                let id = self.number(atom)?;
                for _ in 0..(*exponent).min(9) {
                    product = product.times(Product::atom(id))?;
                }
            }
            terms.push((product, factor));
        }
        Poly::from_terms(terms)
    }

    /// The size of a polynomial.
    pub(crate) fn size(&self, poly: &Poly) -> Size {
        poly.terms().iter().fold(Size::zero(), |sum, (product, factor)| {
            let factors = product.atoms().map(|id| Size::atom(self.atom(id).clone()));
            sum + factors.fold(Size::from_i128(*factor), |p, a| p * a)
        })
    }

    pub(crate) fn number(&mut self, atom: &Atom) -> Option<u32> {
        if let Some(id) = self.ids.get(atom) {
            return Some(*id);
        }
        let whole = |sizes: &[Size]| sizes.iter().all(|s| s.denominator() == 1);
        let mut all = |sizes: &[Size]| sizes.iter().map(|s| self.poly(s)).collect::<Option<Vec<Poly>>>();
        let meaning = match atom {
            Atom::FloorDiv(inner, by) if inner.denominator() == 1 => {
                self.poly(inner).map(|inner| Meaning::Floor(inner, i128::from(*by)))
            }
            Atom::Min(args) if whole(args) => all(args).map(Meaning::Least),
            Atom::Max(args) if whole(args) => all(args).map(Meaning::Greatest),
            Atom::Below(test) => self.poly(&tighten(test)).map(Meaning::Below),
            Atom::Var(_) | Atom::Apply { .. } => Some(Meaning::Plain),
            _ => None,
        };
        let mut parts = Vec::new();
        for inner in atom.parts().into_iter().flat_map(Size::atoms) {
            parts.push(self.number(inner)?);
        }
        let id = self.add(atom.clone(), meaning.unwrap_or(Meaning::Other), parts)?;
        self.ids.insert(atom.clone(), id);
        let meant = meaning_of(atom).iter().filter_map(|size| self.poly(&tighten(size))).map(Arc::new).collect();
        self.entries[id as usize - 1].meant = meant;
        Some(id)
    }

    fn add(&mut self, atom: Atom, meaning: Meaning, mut parts: Vec<u32>) -> Option<u32> {
        let id = u32::try_from(self.entries.len() + 1).ok().filter(|id| *id as usize <= MAX_ATOMS)?;
        parts.sort_unstable();
        parts.dedup();
        if !matches!(atom, Atom::Apply { .. }) {
            parts.iter().for_each(|part| self.entries[*part as usize - 1].users.push(id));
        }
        self.entries.push(Entry { atom, meaning, meant: Vec::new(), parts, users: Vec::new() });
        self.known.push(Interval::ALL);
        Some(id)
    }

    /// An atom of which nothing is known; taken away again by [`Table::drop_fresh`].
    pub(crate) fn fresh(&mut self) -> Option<u32> {
        self.add(fresh_bound(), Meaning::Plain, Vec::new())
    }

    pub(crate) fn drop_fresh(&mut self) {
        self.entries.pop();
        self.known.pop();
    }

    fn entry(&self, id: u32) -> &Entry {
        &self.entries[id as usize - 1]
    }

    pub(crate) fn atom(&self, id: u32) -> &Atom {
        &self.entry(id).atom
    }

    /// How many atoms there are; their numbers begin with one.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn meaning(&self, id: u32) -> &Meaning {
        &self.entry(id).meaning
    }

    /// Polynomials that are never negative by what an atom means.
    pub(crate) fn meant(&self, id: u32) -> &[Arc<Poly>] {
        &self.entry(id).meant
    }

    /// The atoms directly inside an atom.
    pub(crate) fn parts(&self, id: u32) -> &[u32] {
        &self.entry(id).parts
    }

    /// Whether some range has become empty: the facts contradict each other.
    pub(crate) fn is_empty(&self) -> bool {
        self.empty
    }

    /// Whether a size under a sum or the like is never negative, as far as constant ranges show.
    pub(crate) fn never_negative(&self, size: &Size) -> bool {
        Ranges::new(self).size(size).low.is_some_and(|low| low >= 0)
    }

    /// What follows from the ranges of its parts for an atom and those inside it.
    pub(crate) fn refresh(&mut self, id: u32) {
        for at in 0..self.entry(id).parts.len() {
            self.refresh(self.entry(id).parts[at]);
        }
        self.narrow(id, self.implied(id));
    }

    /// The atoms that were changed since there were so many changes, and what follows for the atoms made of them.
    pub(crate) fn changed_since(&mut self, from: usize) -> Vec<u32> {
        let mut changed: Vec<u32> = Vec::new();
        let mut at = from;
        while at < self.changes.len() && changed.len() < MAX_CHANGED {
            match self.changes[at] {
                Change::Atom(id, _) if !changed.contains(&id) => {
                    changed.push(id);
                    for user in 0..self.entry(id).users.len() {
                        let user = self.entry(id).users[user];
                        self.narrow(user, self.implied(user));
                    }
                }
                Change::Product(product, _) => changed.extend(product.atoms().find(|id| !changed.contains(id))),
                _ => {}
            }
            at += 1;
        }
        changed
    }

    /// The atoms whose ranges follow from an atom's.
    pub(crate) fn users(&self, id: u32) -> &[u32] {
        &self.entry(id).users
    }

    /// What the fact `poly >= 0` says of the ranges of its products.
    pub(crate) fn learn_from(&mut self, fact: &Poly) {
        let mut total: Option<i128> = Some(0);
        let mut unbounded = None;
        for (at, (product, factor)) in fact.terms().iter().enumerate() {
            match (self.term(*product, *factor).high, unbounded) {
                (Some(high), _) => total = total.and_then(|sum| sum.checked_add(high)),
                (None, None) => unbounded = Some(at),
                (None, Some(_)) => return,
            }
        }
        let Some(total) = total else {
            return;
        };
        for (at, (product, factor)) in fact.terms().iter().enumerate() {
            if *product == Product::ONE || unbounded.is_some_and(|only| only != at) {
                continue;
            }
            let own = if unbounded.is_some() { Some(0) } else { self.term(*product, *factor).high };
            let Some(rest) = own.and_then(|own| total.checked_sub(own)) else {
                continue;
            };
            // factor * product >= -rest
            let found = match factor {
                1.. => Interval { low: rest.div_euclid(*factor).checked_neg(), high: None },
                _ => Interval { low: None, high: Some(rest.div_euclid(-factor)) },
            };
            self.narrow_product(*product, found);
        }
    }

    fn narrow_product(&mut self, product: Product, found: Interval) {
        if let Some(id) = product.single() {
            return self.narrow(id, found);
        }
        let mut atoms = product.atoms();
        if let (Some(a), Some(b), None) = (atoms.next(), atoms.next(), atoms.next())
            && a == b
            && let Some(square @ 0..) = found.high
        {
            let root = square.isqrt();
            self.narrow(a, Interval { low: Some(-root), high: Some(root) });
        }
        let old = self.products.get(&product).copied();
        let new = old.map_or(found, |old| old.meet(found));
        if Some(new) != old {
            self.changes.push(Change::Product(product, old));
            self.products.insert(product, new);
        }
    }

    fn narrow(&mut self, id: u32, found: Interval) {
        let known = &mut self.known[id as usize - 1];
        let better = known.meet(found);
        if better == *known {
            return;
        }
        self.changes.push(Change::Atom(id, *known));
        *known = better;
        if !self.empty && matches!((better.low, better.high), (Some(low), Some(high)) if low > high) {
            self.changes.push(Change::Empty);
            self.empty = true;
        }
    }

    pub(crate) fn set_range(&mut self, id: u32, range: Interval) {
        self.known[id as usize - 1] = range;
    }

    /// How many changes were made so far.
    pub(crate) fn changes(&self) -> usize {
        self.changes.len()
    }

    /// Takes back all changes but the first so many.
    pub(crate) fn undo(&mut self, keep: usize) {
        while self.changes.len() > keep
            && let Some(change) = self.changes.pop()
        {
            match change {
                Change::Atom(id, old) => self.known[id as usize - 1] = old,
                Change::Product(product, Some(old)) => drop(self.products.insert(product, old)),
                Change::Product(product, None) => drop(self.products.remove(&product)),
                Change::Empty => self.empty = false,
            }
        }
    }

    fn implied(&self, id: u32) -> Interval {
        match self.meaning(id) {
            Meaning::Plain => match self.atom(id) {
                Atom::Apply { fun, .. } if self.is_nonnegative(*fun) => Interval::from_zero(),
                _ => Interval::ALL,
            },
            Meaning::Other => Ranges::new(self).implied(self.atom(id)),
            Meaning::Below(test) => match self.range(test) {
                Interval { high: Some(..=-1), .. } => Interval::at(1),
                Interval { low: Some(0..), .. } => Interval::at(0),
                _ => Interval { low: Some(0), high: Some(1) },
            },
            Meaning::Floor(inner, by) => {
                let inner = self.range(inner);
                Interval { low: inner.low.map(|v| v.div_euclid(*by)), high: inner.high.map(|v| v.div_euclid(*by)) }
            }
            Meaning::Least(args) => {
                let ranges = || args.iter().map(|arg| self.range(arg));
                Interval { low: ranges().map(|r| r.low).min().flatten(), high: ranges().filter_map(|r| r.high).min() }
            }
            Meaning::Greatest(args) => {
                let ranges = || args.iter().map(|arg| self.range(arg));
                let unbounded = ranges().any(|r| r.high.is_none());
                let high = if unbounded { None } else { ranges().filter_map(|r| r.high).max() };
                Interval { low: ranges().filter_map(|r| r.low).max(), high }
            }
        }
    }

    /// The range of a polynomial.
    pub(crate) fn range(&self, poly: &Poly) -> Interval {
        let mut total = Interval::at(0);
        for (product, factor) in poly.terms() {
            total = total.plus(self.term(*product, *factor));
            if total == Interval::ALL {
                break;
            }
        }
        total
    }

    /// The range of one term.
    pub(crate) fn term(&self, product: Product, factor: i128) -> Interval {
        if product == Product::ONE {
            return Interval::at(factor);
        }
        let range = self.product(product);
        let scale = |end: Option<i128>| end?.checked_mul(factor);
        let (low, high) = (scale(range.low), scale(range.high));
        if factor > 0 { Interval { low, high } } else { Interval { low: high, high: low } }
    }

    /// The range of a product.
    pub(crate) fn product(&self, product: Product) -> Interval {
        if let Some(id) = product.single() {
            return self.known[id as usize - 1];
        }
        let mut atoms = product.atoms().peekable();
        let mut range: Option<Interval> = None;
        let mut several = false;
        while let Some(id) = atoms.next() {
            let mut exponent = 1;
            while atoms.next_if_eq(&id).is_some() {
                exponent += 1;
            }
            let one = self.known[id as usize - 1];
            let power = if exponent == 1 { one } else { one.power(exponent) };
            several |= exponent > 1 || range.is_some();
            range = Some(range.map_or(power, |r| r.times(power)));
        }
        let range = range.unwrap_or(Interval::at(1));
        match self.products.get(&product).filter(|_| several) {
            Some(known) => range.meet(*known),
            None => range,
        }
    }
}

/// Sizes that are never negative by what an atom means.
fn meaning_of(atom: &Atom) -> Vec<Size> {
    let itself = Size::atom(atom.clone());
    match atom {
        Atom::FloorDiv(inner, by) => {
            let rest = &**inner - itself * *by;
            vec![rest.clone(), -rest + (*by - 1)]
        }
        Atom::Min(args) => args.iter().map(|arg| arg - &itself).collect(),
        Atom::Max(args) => args.iter().map(|arg| &itself - arg).collect(),
        // Also where the exponent is negative and the power zero.
        Atom::Pow2(exponent) => vec![itself - &**exponent - 1],
        _ => Vec::new(),
    }
}
