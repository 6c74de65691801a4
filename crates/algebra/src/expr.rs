//! Symbolic integers in canonical form.
//!
//! A [`Size`] is a polynomial with rational coefficients: integer coefficients over one common denominator, in lowest terms. It ranges
//! over *atoms*: variables, applications of uninterpreted functions, and the operations that polynomials cannot express. Two sizes
//! that are equal as polynomials are equal as Rust values, whatever way they were built:
//!
//! ```text
//! (n + 1) * (n - 1) + 1        is   n^2
//! floor((n^2 + n) / 2)         is   (n^2 + n)/2        always even above, so the division is exact
//! sum(i < n: k(i))             is   sum(j < n: k(j))   bound names do not exist
//! ```
//!
//! Every size is integer-valued where its atoms are, although its coefficients may be fractions. A result whose coefficients would leave
//! 128 bits, or which would have too many terms, is kept as a *held* operation, an opaque atom: nothing wraps, nothing panics, and
//! equality stays sound.
//!
//! The bound variable of a sum is named by the height of the sums inside its body, which is the same for all alpha-equivalent
//! bodies. While a body is open its variable has a fresh name from above 2^32, so that nothing is ever captured.
//!
//! Declined: fractions as values, powers of anything but two with a symbolic exponent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sum::sum_over;

/// A size variable; the number is chosen by the client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SizeVar(pub u32);

/// An uninterpreted size function `k`; the number is chosen by the client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SizeFun(pub u32);

/// What a polynomial ranges over: an integer whose inside the polynomial does not see.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Atom {
    /// A variable.
    Var(SizeVar),
    /// The variable of an enclosing sum; occurs only inside a `SumAtom`.
    Bound(u64),
    /// `k(args)`, of which only the functional law is known.
    Apply { fun: SizeFun, args: Vec<Size> },
    /// Division by a constant above one, rounded down.
    FloorDiv(Box<Size>, i64),
    /// The least of two or more sizes, sorted.
    Min(Vec<Size>),
    /// The greatest of two or more sizes, sorted.
    Max(Vec<Size>),
    /// A sum without a closed form.
    Sum(SumAtom),
    /// An operation whose expansion would overflow.
    Held { op: HeldOp, args: Vec<Size> },
    /// Two to the power of a size; zero where that is negative. See `power`.
    Pow2(Box<Size>),
    /// One where the size is negative, else zero. See `split`.
    Below(Box<Size>),
}

/// The operation of [`Atom::Held`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HeldOp {
    /// The sum of two sizes.
    Add,
    /// The product of two sizes.
    Mul,
    /// A division by a constant that leaves no rest.
    Div,
}

/// `sum(i < upper: body)` with the name of `i` fixed by the body; zero where `upper` is not positive.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SumAtom {
    pub(crate) bound: u64,
    pub(crate) upper: Box<Size>,
    pub(crate) body: Box<Size>,
}

impl SumAtom {
    /// How many terms are added.
    pub fn upper(&self) -> &Size {
        &self.upper
    }

    /// One term: the body at position `at`.
    pub fn body_at(&self, at: &Size) -> Size {
        self.body.replace_atom(&Atom::Bound(self.bound), at)
    }
}

/// A product of powers of atoms; the empty product is one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Monomial(pub(crate) Vec<(Atom, u32)>);

impl Monomial {
    /// The factors in canonical order, each with its exponent (at least one).
    pub fn factors(&self) -> &[(Atom, u32)] {
        &self.0
    }

    /// The sum of the exponents.
    pub fn degree(&self) -> u32 {
        self.0.iter().fold(0, |sum, (_, e)| sum.saturating_add(*e))
    }

    /// The exponent of one atom, zero where it does not occur.
    pub fn exponent(&self, atom: &Atom) -> u32 {
        self.0.iter().find(|(a, _)| a == atom).map_or(0, |(_, e)| *e)
    }

    pub(crate) fn without(&self, atom: &Atom) -> Monomial {
        Monomial(self.0.iter().filter(|(a, _)| a != atom).cloned().collect())
    }
}

/// A symbolic integer in canonical form; see the head of the file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size {
    // No coefficient is zero or i128::MIN; den >= 1; the coefficients and den have no common factor.
    pub(crate) terms: BTreeMap<Monomial, i128>,
    pub(crate) den: i128,
}

static FRESH: AtomicU64 = AtomicU64::new(1 << 32);

/// A bound variable that occurs nowhere else; it never survives in a finished size.
pub(crate) fn fresh_bound() -> Atom {
    Atom::Bound(FRESH.fetch_add(1, Ordering::Relaxed))
}

impl Size {
    /// A known number.
    pub fn constant(value: i64) -> Size {
        let mut terms = BTreeMap::new();
        if value != 0 {
            terms.insert(Monomial::default(), i128::from(value));
        }
        Size { terms, den: 1 }
    }

    /// A known number of up to 128 bits.
    pub fn big(value: i128) -> Size {
        match value {
            // The one number whose negation does not fit is kept as a sum.
            i128::MIN => Size::from_i128(value + 1) - 1,
            _ => Size::from_i128(value),
        }
    }

    /// The number zero.
    pub fn zero() -> Size {
        Size::constant(0)
    }

    /// The number one.
    pub fn one() -> Size {
        Size::constant(1)
    }

    /// A variable.
    pub fn var(var: SizeVar) -> Size {
        Size::atom(Atom::Var(var))
    }

    /// An uninterpreted application `fun(args)`.
    pub fn apply(fun: SizeFun, args: Vec<Size>) -> Size {
        Size::atom(Atom::Apply { fun, args })
    }

    pub(crate) fn atom(atom: Atom) -> Size {
        let terms = BTreeMap::from([(Monomial(vec![(atom, 1)]), 1)]);
        Size { terms, den: 1 }
    }

    /// Whether this is the number zero.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether this is a known number.
    pub fn is_constant(&self) -> bool {
        self.terms.keys().all(|m| m.0.is_empty())
    }

    /// The known number, where it is one that fits.
    pub fn as_constant(&self) -> Option<i64> {
        let known = self.is_constant() && self.den == 1;
        known.then(|| i64::try_from(self.constant_term()).ok()).flatten()
    }

    /// The known number, where it is one.
    pub fn as_i128(&self) -> Option<i128> {
        (self.is_constant() && self.den == 1).then(|| self.constant_term())
    }

    /// The variable, where the size is exactly one.
    pub fn as_var(&self) -> Option<SizeVar> {
        match self.as_atom() {
            Some(Atom::Var(var)) => Some(*var),
            _ => None,
        }
    }

    /// The atom, where the size is exactly one.
    pub fn as_atom(&self) -> Option<&Atom> {
        let (monomial, coefficient) = self.terms.first_key_value()?;
        match monomial.0.as_slice() {
            [(atom, 1)] if self.terms.len() == 1 && *coefficient == 1 && self.den == 1 => Some(atom),
            _ => None,
        }
    }

    /// The greatest degree of a term, counting every atom as one.
    pub fn degree(&self) -> u32 {
        self.terms.keys().map(Monomial::degree).max().unwrap_or(0)
    }

    /// The terms of the numerator in canonical order.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.terms.iter().map(|(m, c)| (m, *c))
    }

    /// The common denominator, at least one.
    pub fn denominator(&self) -> i128 {
        self.den
    }

    /// Numerator with integer coefficients and denominator; the division is exact.
    pub fn as_integer_form(&self) -> (Size, i128) {
        (Size { terms: self.terms.clone(), den: 1 }, self.den)
    }

    /// The coefficient of the empty product, in the numerator.
    pub(crate) fn constant_term(&self) -> i128 {
        self.terms.get(&Monomial::default()).copied().unwrap_or(0)
    }

    /// The atoms of the polynomial itself, not those inside other atoms.
    pub fn atoms(&self) -> BTreeSet<&Atom> {
        self.terms.keys().flat_map(|m| m.0.iter().map(|(a, _)| a)).collect()
    }

    /// All variables, at any depth.
    pub fn vars(&self) -> BTreeSet<SizeVar> {
        let mut found = BTreeSet::new();
        self.visit_atoms(&mut |atom| {
            if let Atom::Var(var) = atom {
                found.insert(*var);
            }
        });
        found
    }

    /// All uninterpreted functions, at any depth.
    pub fn funs(&self) -> BTreeSet<SizeFun> {
        let mut found = BTreeSet::new();
        self.visit_atoms(&mut |atom| {
            if let Atom::Apply { fun, .. } = atom {
                found.insert(*fun);
            }
        });
        found
    }

    /// Shows all atoms at any depth, each as often as it occurs.
    pub(crate) fn visit_atoms(&self, see: &mut dyn FnMut(&Atom)) {
        for (atom, _) in self.terms.keys().flat_map(|monomial| &monomial.0) {
            see(atom);
            for part in atom.parts() {
                part.visit_atoms(see);
            }
        }
    }

    /// Replaces one variable everywhere.
    pub fn substitute(&self, var: SizeVar, value: &Size) -> Size {
        self.replace_atom(&Atom::Var(var), value)
    }

    /// Replaces variables everywhere and at once; `None` keeps one.
    pub fn substitute_all(&self, value: &dyn Fn(SizeVar) -> Option<Size>) -> Size {
        self.rewrite(&|atom| match atom {
            Atom::Var(var) => value(*var),
            _ => None,
        })
    }

    /// Replaces applications of size functions, whose arguments are already rewritten; `None` keeps one.
    pub fn substitute_funs(&self, value: &dyn Fn(SizeFun, &[Size]) -> Option<Size>) -> Size {
        self.rewrite(&|atom| match atom {
            Atom::Apply { fun, args } => {
                let args: Vec<Size> = args.iter().map(|a| a.substitute_funs(value)).collect();
                value(*fun, &args)
            }
            _ => None,
        })
    }

    /// Replaces the free occurrences of one atom that is a leaf.
    pub(crate) fn replace_atom(&self, from: &Atom, to: &Size) -> Size {
        if !self.mentions(from) {
            return self.clone();
        }
        self.rewrite(&|atom| (atom == from).then(|| to.clone()))
    }

    /// Whether a leaf atom occurs free at any depth.
    pub(crate) fn mentions(&self, leaf: &Atom) -> bool {
        self.terms.keys().any(|m| m.0.iter().any(|(a, _)| a.mentions(leaf)))
    }

    /// Rebuilds the size with atoms replaced, outermost first. A replacement for an atom inside a sum must not be captured there: it has
    /// no bound variables other than fresh ones.
    pub(crate) fn rewrite(&self, change: &dyn Fn(&Atom) -> Option<Size>) -> Size {
        self.rewritten(change).unwrap_or_else(|| self.clone())
    }

    /// The same, where anything changes.
    fn rewritten(&self, change: &dyn Fn(&Atom) -> Option<Size>) -> Option<Size> {
        let mut rebuilt: Vec<(&Atom, Option<Size>)> = Vec::new();
        for (atom, _) in self.terms.keys().flat_map(|monomial| &monomial.0) {
            if !rebuilt.iter().any(|(known, _)| *known == atom) {
                rebuilt.push((atom, change(atom).or_else(|| atom.rebuilt(change))));
            }
        }
        if rebuilt.iter().all(|(_, size)| size.is_none()) {
            return None;
        }
        let mut numerator = Size::zero();
        for (monomial, coefficient) in &self.terms {
            let changed =
                |atom: &Atom| rebuilt.iter().find(|(known, _)| *known == atom).and_then(|(_, size)| size.as_ref());
            let kept = monomial.0.iter().filter(|(atom, _)| changed(atom).is_none()).cloned().collect();
            let mut term = Size { terms: BTreeMap::from([(Monomial(kept), *coefficient)]), den: 1 };
            for (atom, exponent) in &monomial.0 {
                if let Some(size) = changed(atom) {
                    for _ in 0..*exponent {
                        term = &term * size;
                    }
                }
            }
            numerator = &numerator + &term;
        }
        Some(numerator.divide_exactly(self.den))
    }
}

impl From<Atom> for Size {
    fn from(atom: Atom) -> Size {
        Size::atom(atom)
    }
}

impl Atom {
    /// The sizes directly inside.
    pub fn parts(&self) -> Vec<&Size> {
        match self {
            Atom::Var(_) | Atom::Bound(_) => Vec::new(),
            Atom::Apply { args, .. } | Atom::Min(args) | Atom::Max(args) | Atom::Held { args, .. } => {
                args.iter().collect()
            }
            Atom::FloorDiv(inner, _) | Atom::Pow2(inner) | Atom::Below(inner) => vec![inner],
            Atom::Sum(sum) => vec![&sum.upper, &sum.body],
        }
    }

    pub(crate) fn mentions(&self, leaf: &Atom) -> bool {
        match self {
            Atom::Sum(sum) => sum.upper.mentions(leaf) || (*leaf != Atom::Bound(sum.bound) && sum.body.mentions(leaf)),
            _ => self == leaf || self.parts().iter().any(|part| part.mentions(leaf)),
        }
    }

    /// The atom with the sizes inside rewritten, where anything changes.
    fn rebuilt(&self, change: &dyn Fn(&Atom) -> Option<Size>) -> Option<Size> {
        let parts: Vec<Option<Size>> = self.parts().into_iter().map(|part| part.rewritten(change)).collect();
        if parts.iter().all(Option::is_none) {
            return None;
        }
        let mut parts: Vec<Size> =
            parts.into_iter().zip(self.parts()).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect();
        Some(match self {
            Atom::Var(_) | Atom::Bound(_) => Size::atom(self.clone()),
            Atom::Apply { fun, .. } => Size::apply(*fun, parts),
            Atom::FloorDiv(_, by) => parts.remove(0).floor_by(*by),
            Atom::Pow2(_) => Size::pow2(&parts.remove(0)),
            Atom::Below(_) => Size::below(&parts.remove(0)),
            Atom::Min(_) => Size::min_of(&parts),
            Atom::Max(_) => Size::max_of(&parts),
            Atom::Held { op: HeldOp::Add, .. } => parts.iter().fold(Size::zero(), |a, b| &a + b),
            Atom::Held { op: HeldOp::Mul, .. } => parts.iter().fold(Size::one(), |a, b| &a * b),
            Atom::Held { op: HeldOp::Div, args } => {
                let by = args[1].constant_term();
                parts.remove(0).divide_exactly(by)
            }
            Atom::Sum(sum) => {
                let open = fresh_bound();
                let body = sum.body_at(&Size::atom(open.clone()));
                sum_over(&open, &parts[0], &body.rewrite(change))
            }
        })
    }
}
