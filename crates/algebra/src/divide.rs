//! Division by constants.
//!
//! Division rounds down and takes out what divides; only what remains becomes an atom:
//!
//! ```text
//! floor((6n + k + 5) / 3)   becomes   2n + 1 + floor((k + 2) / 3)
//! floor((n^2 - n) / 2)      becomes   (n^2 - n)/2
//! floor(floor(n / 2) / 3)   becomes   floor(n / 6)
//! ```
//!
//! The second line needs to know that `n^2 - n` is even for every integer `n`. A polynomial takes integer values everywhere exactly if it
//! does on the grid `0 ..= d` for each atom of degree `d` (its coefficients in the binomial basis are differences of those values), so the
//! question is a small loop in modular arithmetic. Grids above a few thousand points are not tried.
//!
//! Declined: division by anything but constants; equal quotients that differ by more than these three rules.

use crate::expr::{Atom, HeldOp, Size};
use crate::poly::gcd;

const MAX_GRID: u64 = 4096;

impl Size {
    /// Division where the caller knows that it leaves no rest.
    pub(crate) fn divide_exactly(&self, by: i128) -> Size {
        let exact = self.den.checked_mul(by).and_then(|den| Size::from_terms(self.terms.clone(), den));
        exact.unwrap_or_else(|| {
            let args = vec![self.clone(), Size::from_i128(by)];
            Size::atom(Atom::Held { op: HeldOp::Div, args })
        })
    }

    /// Division by a constant, rounded down; `None` for zero.
    pub fn floor_div(&self, by: i64) -> Option<Size> {
        match by {
            0 => None,
            1.. => Some(self.floor_by(by)),
            i64::MIN => Some((-self).floor_by(1 << 62).floor_by(2)),
            _ => Some((-self).floor_by(-by)),
        }
    }

    /// The rest of [`Size::floor_div`]: between zero and the divisor, with the divisor's sign; `None` for zero.
    pub fn floor_mod(&self, by: i64) -> Option<Size> {
        Some(self - &(&self.floor_div(by)? * &Size::constant(by)))
    }

    /// Division by a positive constant, rounded down.
    pub(crate) fn floor_by(&self, by: i64) -> Size {
        if by == 1 {
            return self.clone();
        }
        self.take_out(by).unwrap_or_else(|| Size::atom(Atom::FloorDiv(Box::new(self.clone()), by)))
    }

    fn take_out(&self, by: i64) -> Option<Size> {
        let modulus = self.den.checked_mul(i128::from(by))?;
        let part = |f: &dyn Fn(i128) -> i128| self.terms.iter().map(|(m, c)| (m.clone(), f(*c))).collect();
        let whole = Size::from_terms(part(&|c| c.div_euclid(modulus)), 1)?;
        let rest = Size::from_terms(part(&|c| c.rem_euclid(modulus)), self.den)?;
        let exact = Size::from_terms(rest.terms.clone(), rest.den.checked_mul(i128::from(by))?)?;
        if exact.is_integer_valued() {
            return whole.checked_add(&exact);
        }
        if rest.is_constant() {
            // A fraction below one times the divisor; only for a size that is not integer-valued.
            return whole.checked_add(&Size::from_i128(rest.constant_term().div_euclid(modulus)));
        }
        let (rest, by) = rest.cancel_common(by);
        let (rest, by) = rest.merge_nested(by).unwrap_or((rest, by));
        whole.checked_add(&Size::atom(Atom::FloorDiv(Box::new(rest), by)))
    }

    /// `floor((g*r + c) / (g*d))` is `floor((r + floor(c/g)) / d)`.
    fn cancel_common(self, by: i64) -> (Size, i64) {
        let nonconstant = self.terms.iter().filter(|(m, _)| !m.0.is_empty());
        let common = nonconstant.fold(u128::from(by.unsigned_abs()), |g, (_, c)| gcd(g, c.unsigned_abs()));
        let Ok(common) = i64::try_from(common) else {
            return (self, by);
        };
        if self.den != 1 || common == 1 {
            return (self, by);
        }
        let terms = self.terms.iter().map(|(m, c)| (m.clone(), c.div_euclid(i128::from(common)))).collect();
        match Size::from_terms(terms, 1) {
            Some(rest) => (rest, by / common),
            None => (self, by),
        }
    }

    /// `floor((floor(a/b) + e) / c)` is `floor((a + b*e) / (b*c))`.
    fn merge_nested(&self, by: i64) -> Option<(Size, i64)> {
        let nested = self.terms.iter().find_map(|(m, c)| match m.0.as_slice() {
            [(atom @ Atom::FloorDiv(inner, b), 1)] if *c == self.den => Some((atom, inner, *b)),
            _ => None,
        });
        let (atom, inner, b) = nested?;
        let others = self.checked_add(&-Size::atom(atom.clone()))?;
        let merged = inner.checked_add(&others.checked_mul(&Size::constant(b))?)?;
        let by = b.checked_mul(by)?;
        // The merged dividend may have multiples of the product in it, which are whole again: only the plain case is taken.
        let plain = merged.terms.values().all(|c| (0..i128::from(by)).contains(c)) && merged.den == 1;
        plain.then(|| merged.cancel_common(by))
    }

    /// Whether the polynomial is an integer for all integer values of its atoms; `false` also where that is too much work to find out.
    pub fn is_integer_valued(&self) -> bool {
        if self.den == 1 {
            return true;
        }
        if self.den > i128::from(i64::MAX) {
            return false;
        }
        let atoms: Vec<&Atom> = self.atoms().into_iter().collect();
        let degrees: Vec<u32> =
            atoms.iter().map(|a| self.terms.keys().map(|m| m.exponent(a)).max().unwrap_or(0)).collect();
        let points = degrees.iter().try_fold(1u64, |n, d| n.checked_mul(u64::from(*d) + 1));
        if points.is_none_or(|n| n > MAX_GRID) {
            return false;
        }
        let terms: Vec<(Vec<u32>, i128)> = self
            .terms
            .iter()
            .map(|(m, c)| (atoms.iter().map(|a| m.exponent(a)).collect(), c.rem_euclid(self.den)))
            .collect();
        let mut point = vec![0u32; atoms.len()];
        loop {
            let value = terms.iter().fold(0, |sum, (exponents, coefficient)| {
                let product = point
                    .iter()
                    .zip(exponents)
                    .fold(*coefficient, |product, (x, e)| (0..*e).fold(product, |p, _| p * i128::from(*x) % self.den));
                (sum + product) % self.den
            });
            if value != 0 {
                return false;
            }
            let Some(place) = (0..point.len()).find(|p| point[*p] < degrees[*p]) else {
                return true;
            };
            point[place] += 1;
            point[..place].fill(0);
        }
    }
}
