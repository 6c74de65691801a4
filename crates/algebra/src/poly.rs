//! Arithmetic on the canonical form.
//!
//! Addition and multiplication expand, so equal polynomials meet in one form: `(n + 1)*(n - 1) + 1` and `n*n` are both the one term `n^2`. They
//! are checked: a coefficient beyond 128 bits, an exponent above 64 or more than 600 terms give `None`, and the operators then hold the
//! operation as it is, as one opaque atom.
//!
//! Two kinds of atoms multiply in their own way: `2^a * 2^b` is `2^(a + b)` (`power`), and a condition times itself is itself (`split`).

use std::collections::BTreeMap;
use std::ops::{Add, Mul, Neg, Sub};

use crate::expr::{Atom, HeldOp, Monomial, Size};
use crate::{power, split};

const MAX_TERMS: usize = 600;
const MAX_EXPONENT: u32 = 64;

pub(crate) fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Monomial {
    /// The product, and the power of two that comes out of it where exponents of two meet.
    fn times(&self, other: &Monomial) -> Option<(Monomial, u32)> {
        let mut factors: BTreeMap<&Atom, u32> = BTreeMap::new();
        for (atom, exponent) in self.0.iter().chain(&other.0) {
            let sum = factors.entry(atom).or_insert(0);
            *sum += *exponent;
            if *sum > MAX_EXPONENT {
                return None;
            }
        }
        let own_way = |m: &Monomial| m.0.iter().any(|(a, _)| matches!(a, Atom::Pow2(_) | Atom::Below(_)));
        if !own_way(self) || !own_way(other) {
            return Some((Monomial(factors.into_iter().map(|(a, e)| (a.clone(), e)).collect()), 0));
        }
        let mut plain: BTreeMap<Atom, u32> = factors.into_iter().map(|(a, e)| (a.clone(), e)).collect();
        let shift = power::merge(&mut plain)?;
        split::merge(&mut plain);
        Some((Monomial(plain.into_iter().collect()), shift))
    }
}

impl Size {
    /// The canonical size of these terms over this positive denominator, unless a coefficient is out of range.
    pub(crate) fn from_terms(mut terms: BTreeMap<Monomial, i128>, den: i128) -> Option<Size> {
        terms.retain(|_, c| *c != 0);
        if terms.len() > MAX_TERMS || den < 1 || terms.values().any(|c| *c == i128::MIN) {
            return None;
        }
        if den == 1 {
            return Some(Size { terms, den });
        }
        let common = terms.values().fold(den.unsigned_abs(), |g, c| gcd(g, c.unsigned_abs()));
        let common = i128::try_from(common).ok()?;
        if common > 1 {
            terms.values_mut().for_each(|c| *c /= common);
        }
        Some(Size { terms, den: den / common })
    }

    pub(crate) fn from_i128(value: i128) -> Size {
        match i64::try_from(value) {
            Ok(small) => Size::constant(small),
            Err(_) => Size { terms: BTreeMap::from([(Monomial::default(), value)]), den: 1 },
        }
    }

    /// The sum, or `None` where the exact polynomial is out of range.
    pub fn checked_add(&self, other: &Size) -> Option<Size> {
        self.combine(other, 1)
    }

    /// The sum with a multiple of the other.
    fn combine(&self, other: &Size, times: i128) -> Option<Size> {
        let common = i128::try_from(gcd(self.den.unsigned_abs(), other.den.unsigned_abs())).ok()?;
        let (left, right) = (other.den / common, (self.den / common).checked_mul(times)?);
        let mut terms = self.terms.clone();
        if left != 1 {
            for coefficient in terms.values_mut() {
                *coefficient = coefficient.checked_mul(left)?;
            }
        }
        for (monomial, coefficient) in &other.terms {
            let scaled = coefficient.checked_mul(right)?;
            match terms.get_mut(monomial) {
                Some(sum) => *sum = i128::checked_add(*sum, scaled)?,
                None => drop(terms.insert(monomial.clone(), scaled)),
            }
        }
        Size::from_terms(terms, self.den.checked_mul(left)?)
    }

    /// The product, or `None` where the exact polynomial is out of range.
    pub fn checked_mul(&self, other: &Size) -> Option<Size> {
        if self.terms.len().saturating_mul(other.terms.len()) > 16 * MAX_TERMS {
            return None;
        }
        let mut terms: BTreeMap<Monomial, i128> = BTreeMap::new();
        for (m1, c1) in &self.terms {
            for (m2, c2) in &other.terms {
                let (product, shift) = m1.times(m2)?;
                let sum = terms.entry(product).or_insert(0);
                *sum = sum.checked_add(c1.checked_mul(*c2)?.checked_mul(1 << shift)?)?;
            }
        }
        Size::from_terms(terms, self.den.checked_mul(other.den)?)
    }

    fn held(op: HeldOp, a: &Size, b: &Size) -> Size {
        let mut args = vec![a.clone(), b.clone()];
        args.sort();
        Size::atom(Atom::Held { op, args })
    }

    /// Whether some operation inside overflowed and is kept unexpanded.
    pub fn is_held(&self) -> bool {
        let mut held = false;
        self.visit_atoms(&mut |atom| held |= matches!(atom, Atom::Held { .. }) || power::is_held(atom));
        held
    }

    /// The power with a small exponent.
    pub fn pow(&self, exponent: u32) -> Size {
        (0..exponent).fold(Size::one(), |product, _| &product * self)
    }

    /// The polynomial in one atom: the coefficient of each of its powers.
    pub(crate) fn by_powers(&self, atom: &Atom) -> Vec<Size> {
        let mut powers: Vec<Size> = Vec::new();
        for (monomial, coefficient) in &self.terms {
            let exponent = monomial.exponent(atom) as usize;
            powers.resize_with(powers.len().max(exponent + 1), || Size { terms: BTreeMap::new(), den: self.den });
            powers[exponent].terms.insert(monomial.without(atom), *coefficient);
        }
        let reduce = |p: Size| Size::from_terms(p.terms, p.den).expect("fewer terms of a size that is in range");
        powers.into_iter().map(reduce).collect()
    }

    /// The value of such a polynomial at a point.
    pub(crate) fn at_point(powers: &[Size], point: &Size) -> Size {
        powers.iter().rev().fold(Size::zero(), |sum, c| sum * point + c)
    }
}

impl Add for &Size {
    type Output = Size;
    fn add(self, other: &Size) -> Size {
        self.checked_add(other).unwrap_or_else(|| Size::held(HeldOp::Add, self, other))
    }
}

impl Neg for &Size {
    type Output = Size;
    fn neg(self) -> Size {
        Size { terms: self.terms.iter().map(|(m, c)| (m.clone(), -c)).collect(), den: self.den }
    }
}

impl Sub for &Size {
    type Output = Size;
    fn sub(self, other: &Size) -> Size {
        self.combine(other, -1).unwrap_or_else(|| Size::held(HeldOp::Add, self, &-other))
    }
}

impl Mul for &Size {
    type Output = Size;
    fn mul(self, other: &Size) -> Size {
        self.checked_mul(other).unwrap_or_else(|| Size::held(HeldOp::Mul, self, other))
    }
}

impl Neg for Size {
    type Output = Size;
    fn neg(mut self) -> Size {
        self.terms.values_mut().for_each(|c| *c = -*c);
        self
    }
}

impl std::iter::Sum for Size {
    fn sum<I: Iterator<Item = Size>>(terms: I) -> Size {
        terms.fold(Size::zero(), |total, term| total + term)
    }
}

impl From<i64> for Size {
    fn from(value: i64) -> Size {
        Size::constant(value)
    }
}

macro_rules! owned {
    ($($op:ident $name:ident),*) => {$(
        impl $op<Size> for Size {
            type Output = Size;
            fn $name(self, other: Size) -> Size { (&self).$name(&other) }
        }
        impl $op<&Size> for Size {
            type Output = Size;
            fn $name(self, other: &Size) -> Size { (&self).$name(other) }
        }
        impl $op<Size> for &Size {
            type Output = Size;
            fn $name(self, other: Size) -> Size { self.$name(&other) }
        }
        impl $op<i64> for Size {
            type Output = Size;
            fn $name(self, other: i64) -> Size { (&self).$name(&Size::constant(other)) }
        }
        impl $op<i64> for &Size {
            type Output = Size;
            fn $name(self, other: i64) -> Size { self.$name(&Size::constant(other)) }
        }
    )*};
}
owned!(Add add, Sub sub, Mul mul);
