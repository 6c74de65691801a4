//! Polynomials over numbered atoms, for the inner loop of the search.
//!
//! A [`Size`](crate::Size) owns its atoms, which may be large; the search adds and multiplies thousands of polynomials over the same few. So
//! each question numbers its atoms, and a product of atoms becomes one 128-bit word: up to seven numbers of 18 bits, greatest first.
//!
//! ```text
//! atoms  1: n   2: i            i^2*n   is   [2, 2, 1, 0, 0, 0, 0]
//! ```
//!
//! Equal products are equal words, and dividing and comparing them is cheap. Coefficients are integers. Everything is checked: a coefficient
//! beyond 128 bits, an eighth factor or too many terms give `None`, and the search goes another way.

use crate::poly::gcd;

const PLACES: u32 = 7;
const WIDTH: u32 = 18;
/// Where the first number stands.
const TOP: u32 = u128::BITS - WIDTH;
/// The greatest number of an atom.
pub(crate) const MAX_ATOMS: usize = (1 << WIDTH) - 1;
const MAX_TERMS: usize = 150;

/// A product of up to seven numbered atoms; zero is the empty product.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Product(u128);

impl Product {
    pub(crate) const ONE: Product = Product(0);

    pub(crate) fn atom(id: u32) -> Product {
        Product(u128::from(id) << TOP)
    }

    /// The product as a number.
    pub(crate) fn word(self) -> u128 {
        self.0
    }

    /// The atoms, greatest number first, repeated as often as they occur.
    pub(crate) fn atoms(self) -> impl Iterator<Item = u32> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let first = (rest >> TOP) as u32;
            rest <<= WIDTH;
            (first != 0).then_some(first)
        })
    }

    fn from_atoms(atoms: impl Iterator<Item = u32>) -> Product {
        let mut word = 0;
        for (place, atom) in (0..PLACES).zip(atoms) {
            word |= u128::from(atom) << (TOP - WIDTH * place);
        }
        Product(word)
    }

    pub(crate) fn degree(self) -> usize {
        self.atoms().count()
    }

    /// The atom, where the product is just one.
    pub(crate) fn single(self) -> Option<u32> {
        let first = (self.0 >> TOP) as u32;
        (first != 0 && self.0 << WIDTH == 0).then_some(first)
    }

    pub(crate) fn has(self, id: u32) -> bool {
        self.atoms().any(|a| a == id)
    }

    pub(crate) fn times(self, other: Product) -> Option<Product> {
        if self.0 == 0 || other.0 == 0 {
            return Some(Product(self.0 | other.0));
        }
        if self.degree() + other.degree() > PLACES as usize {
            return None;
        }
        let (mut left, mut right) = (self.atoms().peekable(), other.atoms().peekable());
        let merged = std::iter::from_fn(|| if left.peek() >= right.peek() { left.next() } else { right.next() });
        Some(Product::from_atoms(merged))
    }

    /// The quotient, where it is a product.
    pub(crate) fn without(self, other: Product) -> Option<Product> {
        let mut gone = other.atoms().peekable();
        let rest = Product::from_atoms(self.atoms().filter(|atom| gone.next_if_eq(atom).is_none()));
        gone.peek().is_none().then_some(rest)
    }
}

/// A polynomial with integer coefficients, none zero, in the order of its products.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Poly {
    terms: Vec<(Product, i128)>,
}

impl Poly {
    pub(crate) fn constant(value: i128) -> Poly {
        Poly { terms: if value == 0 { Vec::new() } else { vec![(Product::ONE, value)] } }
    }

    pub(crate) fn atom(id: u32) -> Poly {
        Poly { terms: vec![(Product::atom(id), 1)] }
    }

    /// From terms in any order; equal products are added.
    pub(crate) fn from_terms(mut terms: Vec<(Product, i128)>) -> Option<Poly> {
        terms.sort_unstable_by_key(|(p, _)| *p);
        let mut kept: Vec<(Product, i128)> = Vec::with_capacity(terms.len());
        for (product, factor) in terms {
            match kept.last_mut() {
                Some((last, sum)) if *last == product => *sum = sum.checked_add(factor)?,
                _ => kept.push((product, factor)),
            }
        }
        kept.retain(|(_, c)| *c != 0);
        (kept.len() <= MAX_TERMS && kept.iter().all(|(_, c)| *c != i128::MIN)).then_some(Poly { terms: kept })
    }

    pub(crate) fn terms(&self) -> &[(Product, i128)] {
        &self.terms
    }

    pub(crate) fn constant_term(&self) -> i128 {
        match self.terms.first() {
            Some((Product::ONE, value)) => *value,
            _ => 0,
        }
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.terms.iter().all(|(p, _)| *p == Product::ONE)
    }

    /// The factor of a product, zero where it does not occur.
    pub(crate) fn factor(&self, product: Product) -> i128 {
        self.terms.binary_search_by_key(&product, |(p, _)| *p).map_or(0, |at| self.terms[at].1)
    }

    /// The different atoms, in order.
    pub(crate) fn atoms(&self) -> Vec<u32> {
        let mut atoms: Vec<u32> = self.terms.iter().flat_map(|(p, _)| p.atoms()).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    pub(crate) fn has(&self, id: u32) -> bool {
        self.terms.iter().any(|(p, _)| p.has(id))
    }

    /// `a*self + b*other`.
    pub(crate) fn combine(&self, a: i128, other: &Poly, b: i128) -> Option<Poly> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (l, r) = (left.peek().map(|t| t.0), right.peek().map(|t| t.0));
            let from_left = l.is_some() && r.is_none_or(|r| l.is_some_and(|l| l <= r));
            let from_right = r.is_some() && l.is_none_or(|l| r.is_some_and(|r| r <= l));
            let mut sum: i128 = 0;
            let Some(product) = (if from_left { l } else { r }) else {
                break;
            };
            if from_left && let Some((_, c)) = left.next() {
                sum = sum.checked_add(c.checked_mul(a)?)?;
            }
            if from_right && let Some((_, c)) = right.next() {
                sum = sum.checked_add(c.checked_mul(b)?)?;
            }
            if sum == i128::MIN {
                return None;
            }
            if sum != 0 {
                terms.push((product, sum));
            }
        }
        (terms.len() <= MAX_TERMS).then_some(Poly { terms })
    }

    pub(crate) fn plus(&self, other: &Poly) -> Option<Poly> {
        self.combine(1, other, 1)
    }

    pub(crate) fn minus(&self, other: &Poly) -> Option<Poly> {
        self.combine(1, other, -1)
    }

    pub(crate) fn plus_constant(&self, value: i128) -> Option<Poly> {
        self.combine(1, &Poly::constant(value), 1)
    }

    pub(crate) fn negated(&self) -> Poly {
        Poly { terms: self.terms.iter().map(|(p, c)| (*p, -c)).collect() }
    }

    pub(crate) fn times(&self, other: &Poly) -> Option<Poly> {
        if self.terms.len() * other.terms.len() > 8 * MAX_TERMS {
            return None;
        }
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (p, c) in &self.terms {
            for (q, d) in &other.terms {
                terms.push((p.times(*q)?, c.checked_mul(*d)?));
            }
        }
        Poly::from_terms(terms)
    }

    /// What a product is multiplied with: the sum of the quotients of the terms that it divides.
    pub(crate) fn quotient(&self, by: Product) -> Poly {
        let mut terms: Vec<(Product, i128)> =
            self.terms.iter().filter_map(|(p, c)| Some((p.without(by)?, *c))).collect();
        terms.sort_unstable_by_key(|(p, _)| *p);
        Poly { terms }
    }

    /// The terms of which the test holds.
    pub(crate) fn part(&self, wanted: impl Fn(Product, i128) -> bool) -> Poly {
        Poly { terms: self.terms.iter().filter(|(p, c)| wanted(*p, *c)).copied().collect() }
    }

    /// The polynomial with a value in the place of an atom.
    pub(crate) fn at(&self, id: u32, value: &Poly) -> Option<Poly> {
        let atom = Product::atom(id);
        let mut total = self.part(|p, _| !p.has(id));
        let mut rest = self.part(|p, _| p.has(id));
        let mut power = value.clone();
        while !rest.terms.is_empty() {
            let quotient = rest.quotient(atom);
            total = total.plus(&quotient.part(|p, _| !p.has(id)).times(&power)?)?;
            rest = quotient.part(|p, _| p.has(id));
            power = if rest.terms.is_empty() { power } else { power.times(value)? };
        }
        Some(total)
    }

    /// Without a common factor; negative exactly where this one is.
    pub(crate) fn tightened(mut self) -> Poly {
        let varying = self.terms.iter().filter(|(p, _)| *p != Product::ONE);
        let common = varying.fold(0, |g, (_, c)| if g == 1 { 1 } else { gcd(g, c.unsigned_abs()) });
        if common > 1
            && let Ok(common) = i128::try_from(common)
        {
            self.terms.iter_mut().for_each(|(_, c)| *c = c.div_euclid(common));
            self.terms.retain(|(_, c)| *c != 0);
        }
        self
    }

    /// Whether the two are zero at the same points: equal up to the sign.
    pub(crate) fn same_or_opposite(&self, other: &Poly) -> bool {
        let mut pairs = self.terms.iter().zip(&other.terms);
        self.terms.len() == other.terms.len() && (self == other || pairs.all(|(a, b)| a.0 == b.0 && a.1 == -b.1))
    }
}

#[cfg(test)]
mod tests {
    use super::{Poly, Product};

    fn poly(terms: &[(&[u32], i128)]) -> Poly {
        let product = |ids: &[u32]| {
            ids.iter().fold(Product::ONE, |p, id| p.times(Product::atom(*id)).expect("at most seven factors"))
        };
        Poly::from_terms(terms.iter().map(|(ids, c)| (product(ids), *c)).collect()).expect("small")
    }

    #[test]
    fn arithmetic_agrees_with_values() {
        let polys = [
            poly(&[]),
            poly(&[(&[], 3)]),
            poly(&[(&[1], 2), (&[2, 1], -1), (&[], 5)]),
            poly(&[(&[1, 1, 2], 1), (&[3], 4), (&[2], -4)]),
            poly(&[(&[1], 1), (&[1, 1], -1)]),
        ];
        let value = |p: &Poly, at: [i128; 4]| -> i128 {
            p.terms().iter().map(|(p, c)| c * p.atoms().map(|a| at[a as usize]).product::<i128>()).sum()
        };
        for a in &polys {
            for b in &polys {
                for at in [[0, 2, 3, 5], [0, -1, 4, 0], [0, 7, -2, 1]] {
                    let (x, y) = (value(a, at), value(b, at));
                    assert_eq!(value(&a.combine(3, b, -2).expect("small"), at), 3 * x - 2 * y);
                    assert_eq!(value(&a.times(b).expect("small"), at), x * y);
                    let mut moved = at;
                    moved[1] = y;
                    assert_eq!(value(&a.at(1, b).expect("small"), at), value(a, moved), "{a:?} {b:?}");
                    let quotient = a.quotient(Product::atom(1));
                    assert_eq!(value(&quotient, at) * at[1] + value(&a.part(|p, _| !p.has(1)), at), x);
                }
            }
        }
    }

    #[test]
    fn ten_factors_are_too_many() {
        let p = poly(&[(&[1, 2, 3, 4, 5], 1)]);
        assert_eq!(p.times(&p), None);
        assert_eq!(Poly::constant(i128::MAX).plus_constant(1), None);
        assert_eq!(poly(&[(&[1], 4), (&[], 3)]).tightened(), poly(&[(&[1], 1)]));
        assert_eq!(poly(&[(&[1], -4), (&[], -3)]).tightened(), poly(&[(&[1], -1), (&[], -1)]));
    }
}
