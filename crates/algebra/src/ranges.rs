//! The atoms of one question: their numbers, what they mean, and their constant ranges.
//!
//! Ranges come from facts, a few rounds of it: from `2*i <= n` and `n <= 7` follows `i <= 3`. A product of atoms has a range of its own as well:
//! `n*m <= 100` bounds `n*m` where neither `n` nor `m` has a bound, and a bounded square bounds its root. What an operation means bounds it
//! from its parts: `floor(n/2)` from `n`.
//!
//! The search narrows ranges inside a case and widens them again behind it: every change is logged, and [`Table::undo`] takes back the
//! newest ones. A range without any number in it says that the facts contradict each other.

use std::collections::BTreeMap;

use crate::compact::{Poly, Product};
use crate::expr::{Atom, Size, SizeFun, fresh_bound};
use crate::facts::tighten;
use crate::interval::{Interval, Ranges};

/// The parts of an atom in which the search looks.
#[derive(Clone)]
pub(crate) enum Meaning {
    Plain,
    Floor(Poly, i128),
    Least(Vec<Poly>),
    Greatest(Vec<Poly>),
    /// One where the polynomial is negative, else zero.
    Below(Poly),
    Other,
}

enum Change {
    Atom(u16, Interval),
    Product(usize, Interval),
    NewProduct,
    Empty,
}

pub(crate) struct Table<'a> {
    ids: BTreeMap<Atom, u16>,
    atoms: Vec<Atom>,
    meanings: Vec<Meaning>,
    known: Vec<Interval>,
    products: Vec<(Product, Interval)>,
    changes: Vec<Change>,
    empty: bool,
    nonnegative: &'a dyn Fn(SizeFun) -> bool,
}

impl<'a> Table<'a> {
    pub(crate) fn new(nonnegative: &'a dyn Fn(SizeFun) -> bool) -> Table<'a> {
        Table {
            ids: BTreeMap::new(),
            atoms: Vec::new(),
            meanings: Vec::new(),
            known: Vec::new(),
            products: Vec::new(),
            changes: Vec::new(),
            empty: false,
            nonnegative,
        }
    }

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

    fn number(&mut self, atom: &Atom) -> Option<u16> {
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
            Atom::Var(_) => Some(Meaning::Plain),
            _ => None,
        };
        let id = self.add(atom.clone(), meaning.unwrap_or(Meaning::Other))?;
        self.ids.insert(atom.clone(), id);
        Some(id)
    }

    fn add(&mut self, atom: Atom, meaning: Meaning) -> Option<u16> {
        let id = u16::try_from(self.atoms.len() + 1).ok()?;
        let range = match meaning {
            Meaning::Other => Ranges { known: BTreeMap::new(), nonnegative: Some(self.nonnegative) }.atom(&atom),
            _ => Interval::ALL,
        };
        self.atoms.push(atom);
        self.meanings.push(meaning);
        self.known.push(range);
        Some(id)
    }

    /// An atom of which nothing is known; taken away again by [`Table::drop_fresh`].
    pub(crate) fn fresh(&mut self) -> Option<u16> {
        self.add(fresh_bound(), Meaning::Plain)
    }

    pub(crate) fn drop_fresh(&mut self) {
        self.atoms.pop();
        self.meanings.pop();
        self.known.pop();
    }

    pub(crate) fn atom(&self, id: u16) -> &Atom {
        &self.atoms[usize::from(id) - 1]
    }

    pub(crate) fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    pub(crate) fn meaning(&self, id: u16) -> &Meaning {
        &self.meanings[usize::from(id) - 1]
    }

    /// Whether some range has become empty: the facts contradict each other.
    pub(crate) fn is_empty(&self) -> bool {
        self.empty
    }

    /// Ranges of atoms under operations that the table does not look into, from what is known by now.
    pub(crate) fn refine_others(&mut self) {
        if !self.meanings.iter().any(|m| matches!(m, Meaning::Other)) {
            return;
        }
        let known = self.atoms.iter().cloned().zip(self.known.iter().copied()).filter(|(_, i)| *i != Interval::ALL);
        let ranges = Ranges { known: known.collect(), nonnegative: Some(self.nonnegative) };
        for at in 0..self.atoms.len() {
            if matches!(self.meanings[at], Meaning::Other) {
                let range = ranges.atom(&self.atoms[at]);
                self.narrow(at as u16 + 1, range);
            }
        }
    }

    /// Whether a size under a sum or the like is never negative, as far as constant ranges show.
    pub(crate) fn never_negative(&self, size: &Size) -> bool {
        let known = self.atoms.iter().cloned().zip(self.known.iter().copied());
        let ranges = Ranges { known: known.collect(), nonnegative: Some(self.nonnegative) };
        ranges.size(size).low.is_some_and(|low| low >= 0)
    }

    /// Constant ranges from facts.
    pub(crate) fn learn<'f>(&mut self, facts: impl Iterator<Item = &'f Poly> + Clone, rounds: usize) {
        for _ in 0..rounds {
            let before = self.changes.len();
            for fact in facts.clone() {
                self.learn_from(fact);
            }
            for id in 1..=self.atoms.len() as u16 {
                let implied = self.implied(id);
                self.narrow(id, implied);
            }
            if self.changes.len() == before || self.empty {
                break;
            }
        }
    }

    fn learn_from(&mut self, fact: &Poly) {
        let ranges: Vec<Interval> = fact.terms().iter().map(|(p, c)| self.term(*p, *c)).collect();
        let unbounded = ranges.iter().filter(|r| r.high.is_none()).count();
        if unbounded > 1 {
            return;
        }
        for (at, (product, factor)) in fact.terms().iter().enumerate() {
            if *product == Product::ONE || (unbounded == 1 && ranges[at].high.is_some()) {
                continue;
            }
            let others = ranges.iter().enumerate().filter(|(o, _)| *o != at).map(|(_, r)| r.high);
            let Some(rest) = others.into_iter().try_fold(0i128, |sum, high| sum.checked_add(high?)) else {
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
        let atoms: Vec<u16> = product.atoms().collect();
        match atoms.as_slice() {
            [id] => return self.narrow(*id, found),
            [a, b] if a == b => {
                if let Some(square @ 0..) = found.high {
                    let root = square.isqrt();
                    self.narrow(*a, Interval { low: Some(-root), high: Some(root) });
                }
            }
            _ => {}
        }
        match self.products.iter().position(|(p, _)| *p == product) {
            Some(at) => {
                let (old, new) = (self.products[at].1, self.products[at].1.meet(found));
                if new != old {
                    self.changes.push(Change::Product(at, old));
                    self.products[at].1 = new;
                }
            }
            None => {
                self.changes.push(Change::NewProduct);
                self.products.push((product, found));
            }
        }
    }

    fn narrow(&mut self, id: u16, found: Interval) {
        let known = &mut self.known[usize::from(id) - 1];
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

    pub(crate) fn set_range(&mut self, id: u16, range: Interval) {
        self.known[usize::from(id) - 1] = range;
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
                Change::Atom(id, old) => self.known[usize::from(id) - 1] = old,
                Change::Product(at, old) => self.products[at].1 = old,
                Change::NewProduct => drop(self.products.pop()),
                Change::Empty => self.empty = false,
            }
        }
    }

    fn implied(&self, id: u16) -> Interval {
        match self.meaning(id) {
            Meaning::Plain | Meaning::Other => Interval::ALL,
            Meaning::Below(_) => Interval { low: Some(0), high: Some(1) },
            Meaning::Floor(inner, by) => {
                let inner = self.range(inner);
                Interval { low: inner.low.map(|v| v.div_euclid(*by)), high: inner.high.map(|v| v.div_euclid(*by)) }
            }
            Meaning::Least(args) => {
                let (lows, highs) = self.ends(args);
                Interval { low: every(lows).and_then(|l| l.into_iter().min()), high: highs.into_iter().flatten().min() }
            }
            Meaning::Greatest(args) => {
                let (lows, highs) = self.ends(args);
                Interval { low: lows.into_iter().flatten().max(), high: every(highs).and_then(|h| h.into_iter().max()) }
            }
        }
    }

    fn ends(&self, args: &[Poly]) -> (Vec<Option<i128>>, Vec<Option<i128>>) {
        args.iter().map(|a| self.range(a)).map(|i| (i.low, i.high)).unzip()
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
        let mut atoms = product.atoms().peekable();
        let mut range: Option<Interval> = None;
        let mut several = false;
        while let Some(id) = atoms.next() {
            let mut exponent = 1;
            while atoms.next_if_eq(&id).is_some() {
                exponent += 1;
            }
            let one = self.known[usize::from(id) - 1];
            let power = if exponent == 1 { one } else { one.power(exponent) };
            several |= exponent > 1 || range.is_some();
            range = Some(range.map_or(power, |r| r.times(power)));
        }
        let range = range.unwrap_or(Interval::at(1));
        match self.products.iter().find(|(p, _)| several && *p == product) {
            Some((_, known)) => range.meet(*known),
            None => range,
        }
    }
}

fn every(ends: Vec<Option<i128>>) -> Option<Vec<i128>> {
    ends.into_iter().collect()
}
