//! Closed forms of sums.
//!
//! | under the sum | for `0 <= i < n` |
//! | --- | --- |
//! | powers of `i` up to the fourth | polynomials in `n` (Faulhaber) |
//! | `i^k * 2^(a*i + r)` | `2^n - 1` for `2^i`, the rest from it by recursion; falling exponents are summed backwards |
//! | powers of `i` and `floor((i + r)/c)` | full blocks of `c` positions, and a rest that is shorter |
//! | other floors by constants, remainders | one sum for each remainder of `i` by the common divisor, up to twelve |
//!
//! A block sum is a difference: with `G(m)` the sum of `floor(x/c)` for `0 <= x < m` and `q = floor(m/c)`,
//!
//! ```text
//! G(m) = c*(q^2 - q)/2 + q*(m - c*q)        sum(i < n: floor((i + r)/c)) = G(n + r) - G(r)
//! ```
//!
//! `G` steps by the right amount at every integer, negative ones too, so nothing need be known of `r`. For `n` the contract of `sum` holds.
//!
//! Declined: quotients that depend on a product of `i` with a variable, floors with different offsets and a divisor above twelve.

use crate::expr::{Atom, Monomial, Size, fresh_bound};
use crate::poly::gcd;
use crate::sum::{Adding, product_size};

const MAX_REMAINDERS: i128 = 12;
const MAX_RATE: i128 = 40;

impl Adding<'_> {
    /// The closed form of a product of powers of the index and a power of two.
    pub(crate) fn closed(self, upper: &Size, inner: &Monomial) -> Option<Size> {
        let power = inner.exponent(self.index);
        let mut others = inner.factors().iter().filter(|(atom, _)| atom != self.index);
        match (others.next(), others.next()) {
            (None, _) => power_sum(power, upper),
            (Some((Atom::Pow2(exponent), 1)), None) => self.geometric(power, exponent, upper),
            _ => None,
        }
    }

    fn geometric(self, power: u32, exponent: &Size, upper: &Size) -> Option<Size> {
        let (slope, rest) = linear(exponent, self.index)?;
        match slope {
            1..=MAX_RATE if power <= 4 => Some(power_times_two(power, slope, upper) * Size::pow2(&rest)),
            ..=-1 => {
                let body = Size::atom(self.index.clone()).pow(power) * Size::pow2(exponent);
                self.size(upper, &self.backwards(upper, &body))
            }
            _ => None,
        }
    }

    /// The body with the positions counted from the end.
    fn backwards(self, upper: &Size, body: &Size) -> Size {
        body.replace_atom(self.index, &(upper - 1 - Size::atom(self.index.clone())))
    }

    /// Powers of the index and of one floor of it, by full blocks and a rest.
    pub(crate) fn blocks(self, upper: &Size, inner: &Monomial) -> Option<Size> {
        let power = inner.exponent(self.index);
        let mut others = inner.factors().iter().filter(|(atom, _)| atom != self.index);
        let (Some((Atom::FloorDiv(dividend, by), times)), None) = (others.next(), others.next()) else {
            return None;
        };
        let (slope, rest) = linear(dividend, self.index)?;
        if slope != 1 && slope == i128::from(*by) - 1 {
            // The canonical form of a falling dividend, `floor((r - i)/c)`.
            let body = self.backwards(upper, &product_size(inner.0.clone()));
            return Adding { whole: true, residues: false, ..self }.size(upper, &body);
        }
        if slope != 1 {
            return None;
        }
        let block = Block { by: *by, shift: &rest, power, times: *times };
        Some(block.until(&(upper + &rest))? - block.until(&rest)?)
    }

    /// One sum for each remainder of the position by the divisors of all floors.
    pub(crate) fn by_remainder(self, upper: &Size, inner: &Monomial) -> Option<Size> {
        let body = product_size(inner.0.clone());
        let mut divisor: i128 = 1;
        common_divisor(&body, self.index, &mut divisor);
        if !self.residues || !(2..=MAX_REMAINDERS).contains(&divisor) {
            return None;
        }
        let by = i64::try_from(divisor).ok()?;
        let mut total = Size::zero();
        for remainder in 0..by {
            let fresh = fresh_bound();
            let adding = Adding { index: &fresh, residues: false, whole: true, ..self };
            let at = Size::atom(fresh.clone()) * by + remainder;
            let count = (upper + (by - 1 - remainder)).floor_by(by);
            total = total + adding.size(&count, &body.replace_atom(self.index, &at))?;
        }
        Some(total)
    }
}

/// The factor and the rest, where a size is a whole multiple of a leaf (not none) and a rest without it.
pub(crate) fn linear(size: &Size, leaf: &Atom) -> Option<(i128, Size)> {
    match size.by_powers(leaf).as_slice() {
        [rest, slope] if !rest.mentions(leaf) => Some((slope.as_i128()?, rest.clone())),
        _ => None,
    }
}

/// The sum of `i^power` for `0 <= i < n` (Faulhaber), as numerator coefficients of n, n^2, ... over a denominator.
fn power_sum(power: u32, n: &Size) -> Option<Size> {
    let (coefficients, denominator): (&[i64], i128) = match power {
        0 => (&[1], 1),
        1 => (&[-1, 1], 2),
        2 => (&[1, -3, 2], 6),
        3 => (&[0, 1, -2, 1], 4),
        4 => (&[-1, 0, 10, -15, 6], 30),
        _ => return None,
    };
    let by_horner = coefficients.iter().rev().fold(Size::zero(), |sum, c| (sum + *c) * n);
    Some(by_horner.divide_exactly(denominator))
}

/// The sum of a polynomial, as a polynomial also where the end is negative.
fn polynomial_sum(index: &Atom, end: &Size, body: &Size) -> Option<Size> {
    let powers = body.by_powers(index);
    let terms = (0..).zip(&powers).map(|(power, factor)| Some(power_sum(power, end)? * factor));
    terms.sum::<Option<Size>>()
}

/// The sum of `i^power * b^i` for `0 <= i < n` and `b = 2^rate`. The differences of `i^k * b^i` add up to `n^k * b^n`, and each of them is
/// `(b - 1)*i^k*b^i` and lower powers of `i`.
fn power_times_two(power: u32, rate: i128, n: &Size) -> Size {
    let base = Size::from_i128(1 << rate);
    let last = Size::pow2(&(n * Size::from_i128(rate)));
    let mut sums: Vec<Size> = Vec::new();
    for k in 0..=power {
        let mut total = n.pow(k) * &last;
        if k == 0 {
            total = total - 1;
        }
        let mut choose = 1;
        for (j, lower) in (0..k).zip(&sums) {
            total = total - lower * &base * choose;
            choose = choose * i64::from(k - j) / i64::from(j + 1);
        }
        sums.push(total.divide_exactly((1 << rate) - 1));
    }
    sums.pop().unwrap_or_else(Size::zero)
}

/// `(x - shift)^power * floor(x/by)^times`.
struct Block<'a> {
    by: i64,
    shift: &'a Size,
    power: u32,
    times: u32,
}

impl Block<'_> {
    /// The sum for `0 <= x < end`, continued to negative ends so that it steps by the same rule.
    fn until(&self, end: &Size) -> Option<Size> {
        let (block, place) = (fresh_bound(), fresh_bound());
        let term = |q: &Size| {
            let x = q * self.by + Size::atom(place.clone());
            (x - self.shift).pow(self.power) * q.pow(self.times)
        };
        let one = polynomial_sum(&place, &Size::constant(self.by), &term(&Size::atom(block.clone())))?;
        let count = end.floor_by(self.by);
        let rest = polynomial_sum(&place, &(end - &count * self.by), &term(&count))?;
        Some(polynomial_sum(&block, &count, &one)? + rest)
    }
}

/// The least common multiple of what floors divide an expression of the index by; more than the limit where it is too great.
fn common_divisor(size: &Size, index: &Atom, found: &mut i128) {
    for atom in size.atoms() {
        if !atom.mentions(index) {
            continue;
        }
        if let Atom::FloorDiv(inner, by) = atom {
            let whole = i128::from(*by).saturating_mul(inner.denominator());
            let shared = i128::try_from(gcd(found.unsigned_abs(), whole.unsigned_abs())).unwrap_or(1);
            *found = (*found / shared).saturating_mul(whole);
        }
        for part in atom.parts() {
            common_divisor(part, index, found);
        }
    }
}
