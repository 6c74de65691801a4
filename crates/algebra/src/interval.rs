//! Constant ranges of symbolic integers.
//!
//! An [`Interval`] has a lower and an upper end, each a number or absent. From ranges of atoms the range of a size follows by interval
//! arithmetic, term by term: with `0 <= i` and `1 <= n <= 9`, `3n - i + 2` is at most 29 and `i*n + 1` at least 1. An end that would overflow
//! is absent, so ranges are always true, never tight by accident. Terms are treated as independent (`n - n*n` loses much): the prover
//! substitutes symbolic bounds where that matters.

use std::collections::BTreeMap;

use crate::expr::{Atom, HeldOp, Size, SizeFun};

/// The integers from `low` to `high`, both inclusive; an absent end is infinite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub(crate) low: Option<i128>,
    pub(crate) high: Option<i128>,
}

impl Interval {
    pub(crate) const ALL: Interval = Interval { low: None, high: None };

    pub(crate) fn at(value: i128) -> Interval {
        Interval { low: Some(value), high: Some(value) }
    }

    pub(crate) fn from_zero() -> Interval {
        Interval { low: Some(0), high: None }
    }

    /// The values in both; the tighter end where both have one.
    pub(crate) fn meet(self, other: Interval) -> Interval {
        let tighter = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        Interval { low: tighter(self.low, other.low, i128::max), high: tighter(self.high, other.high, i128::min) }
    }

    pub(crate) fn plus(self, other: Interval) -> Interval {
        let add = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Interval { low: add(self.low, other.low), high: add(self.high, other.high) }
    }

    pub(crate) fn times(self, other: Interval) -> Interval {
        // The extreme products are at the corners; an infinite end times zero is zero, and an overflow counts as infinite.
        let ends = |i: Interval| [i.low.map_or(End::Below, End::At), i.high.map_or(End::Above, End::At)];
        let mut corners = Vec::with_capacity(4);
        for a in ends(self) {
            for b in ends(other) {
                corners.push(a.times(b));
            }
        }
        let low = corners.iter().min().and_then(|end| end.value());
        let high = corners.iter().max().and_then(|end| end.value());
        Interval { low, high }
    }

    pub(crate) fn power(self, exponent: u32) -> Interval {
        let product = (0..exponent).fold(Interval::at(1), |product, _| product.times(self));
        if exponent.is_multiple_of(2) { product.meet(Interval::from_zero()) } else { product }
    }

    /// The range of the quotient by a positive number, rounded down.
    fn floor_div(self, by: i128) -> Interval {
        Interval { low: self.low.map(|v| v.div_euclid(by)), high: self.high.map(|v| v.div_euclid(by)) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Below,
    At(i128),
    Above,
}

impl End {
    fn sign(self) -> i128 {
        match self {
            End::Below => -1,
            End::At(value) => value.signum(),
            End::Above => 1,
        }
    }

    fn times(self, other: End) -> End {
        let finite = match (self, other) {
            (End::At(a), End::At(b)) => a.checked_mul(b),
            _ => None,
        };
        match (finite, self.sign() * other.sign()) {
            (Some(value), _) => End::At(value),
            (None, 0) => End::At(0),
            (None, 1) => End::Above,
            (None, _) => End::Below,
        }
    }

    fn value(self) -> Option<i128> {
        match self {
            End::At(value) => Some(value),
            _ => None,
        }
    }
}

/// What is known of atoms: ranges found so far, and which functions are never negative.
#[derive(Default)]
pub(crate) struct Ranges<'a> {
    pub(crate) known: BTreeMap<Atom, Interval>,
    pub(crate) nonnegative: Option<&'a dyn Fn(SizeFun) -> bool>,
}

impl Ranges<'_> {
    /// The range of a size.
    pub(crate) fn size(&self, size: &Size) -> Interval {
        self.without(size, None)
    }

    /// The range of the numerator less the terms that contain `left_out`, over the denominator.
    pub(crate) fn without(&self, size: &Size, left_out: Option<&Atom>) -> Interval {
        let mut total = Interval::at(0);
        for (monomial, coefficient) in size.terms() {
            if left_out.is_some_and(|atom| monomial.exponent(atom) > 0) {
                continue;
            }
            let mut product = Interval::at(coefficient);
            for (atom, exponent) in monomial.factors() {
                product = product.times(self.atom(atom).power(*exponent));
            }
            total = total.plus(product);
        }
        // Integer-valued: the low end may be rounded up, but rounding it down is true as well.
        total.floor_div(size.denominator())
    }

    /// The range of an atom: what is known of it, and what its parts imply.
    pub(crate) fn atom(&self, atom: &Atom) -> Interval {
        let known = self.known.get(atom).copied().unwrap_or(Interval::ALL);
        known.meet(self.implied(atom))
    }

    fn implied(&self, atom: &Atom) -> Interval {
        match atom {
            Atom::Var(_) => Interval::ALL,
            // Positions of a sum are never negative, and a fresh variable has its range among the known ones.
            Atom::Bound(name) if *name < 1 << 32 => Interval::from_zero(),
            Atom::Bound(_) => Interval::ALL,
            Atom::Apply { fun, .. } => match self.nonnegative {
                Some(nonnegative) if nonnegative(*fun) => Interval::from_zero(),
                _ => Interval::ALL,
            },
            Atom::FloorDiv(inner, by) => self.size(inner).floor_div(i128::from(*by)),
            Atom::Min(args) => self.extreme(args, true),
            Atom::Max(args) => self.extreme(args, false),
            Atom::Sum(sum) => match self.size(&sum.body) {
                Interval { low: Some(0..), .. } => Interval::from_zero(),
                _ => Interval::ALL,
            },
            Atom::Held { op: HeldOp::Div, .. } => Interval::ALL,
            Atom::Held { op: HeldOp::Add, args } => args.iter().fold(Interval::at(0), |sum, a| sum.plus(self.size(a))),
            Atom::Held { op: HeldOp::Mul, args } => args.iter().fold(Interval::at(1), |p, a| p.times(self.size(a))),
        }
    }

    fn extreme(&self, args: &[Size], least: bool) -> Interval {
        let all: Vec<Interval> = args.iter().map(|a| self.size(a)).collect();
        let every = |ends: Vec<Option<i128>>| ends.into_iter().collect::<Option<Vec<_>>>();
        let (lows, highs): (Vec<_>, Vec<_>) = all.iter().map(|i| (i.low, i.high)).unzip();
        let some = |ends: &[Option<i128>]| ends.iter().copied().flatten().collect::<Vec<_>>();
        if least {
            let high = some(&highs).into_iter().min();
            Interval { low: every(lows).and_then(|v| v.into_iter().min()), high }
        } else {
            let low = some(&lows).into_iter().max();
            Interval { low, high: every(highs).and_then(|v| v.into_iter().max()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Interval;

    fn interval(low: i128, high: i128) -> Interval {
        Interval { low: Some(low), high: Some(high) }
    }

    #[test]
    fn products_cover_every_pair() {
        let all = || (-3..=3).flat_map(|low| (low..=3).map(move |high| (low, high)));
        for (a, b) in all() {
            for (c, d) in all() {
                let pairs = || (a..=b).flat_map(|x| (c..=d).map(move |y| x * y));
                let exact = interval(pairs().min().unwrap(), pairs().max().unwrap());
                assert_eq!(interval(a, b).times(interval(c, d)), exact);
                for e in 0..4 {
                    let power = interval(a, b).power(e);
                    assert!((a..=b).all(|x| power.low <= Some(x.pow(e)) && Some(x.pow(e)) <= power.high));
                }
            }
        }
    }

    #[test]
    fn ends_beyond_the_limits_are_absent() {
        let wide = interval(-4, i128::MAX / 2);
        let up = Interval { low: Some(2), high: None };
        assert_eq!(wide.times(interval(3, 3)), Interval { low: Some(-12), high: None });
        assert_eq!(wide.times(interval(-3, -3)), Interval { low: None, high: Some(12) });
        assert_eq!(wide.plus(wide).plus(wide), Interval { low: Some(-12), high: None });
        assert_eq!(up.times(up), Interval { low: Some(4), high: None });
        assert_eq!(up.times(Interval::at(0)), Interval::at(0));
        assert_eq!(up.times(interval(-1, 1)), Interval::ALL);
    }
}
