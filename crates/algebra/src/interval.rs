//! Constant ranges of symbolic integers.
//!
//! An [`Interval`] has a lower and an upper end, each a number or absent. From ranges of atoms the range of a size follows by interval
//! arithmetic, term by term: with `0 <= i` and `1 <= n <= 9`, `3n - i + 2` is at most 29 and `i*n + 1` at least 1. An end that would overflow
//! is absent, so ranges are always true, never tight by accident. Terms are treated as independent (`n - n*n` loses much), with three exceptions: a
//! split ranges over what its branches do, a remainder `x - 4*floor(x/4)` over 0 to 3, and a sum over as many times its body as it has terms.
//! The prover substitutes symbolic bounds where that is not enough.

use std::collections::BTreeSet;

use crate::expr::{Atom, HeldOp, Size, SizeFun};
use crate::power::MAX_SHIFT;

/// How many conditions of one size are distinguished.
const MAX_CASES: u32 = 3;

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

    /// The values in either, and those between.
    fn hull(self, other: Interval) -> Interval {
        let wider = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| Some(pick(a?, b?));
        Interval { low: wider(self.low, other.low, i128::min), high: wider(self.high, other.high, i128::max) }
    }

    /// The range of `max(x, 0)`.
    fn at_least_zero(self) -> Interval {
        Interval { low: Some(self.low.map_or(0, |low| low.max(0))), high: self.high.map(|high| high.max(0)) }
    }

    pub(crate) fn plus(self, other: Interval) -> Interval {
        let add = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Interval { low: add(self.low, other.low), high: add(self.high, other.high) }
    }

    pub(crate) fn times(self, other: Interval) -> Interval {
        // The extreme products are at the corners; an infinite end times zero is zero, and an overflow counts as infinite.
        let ends = |i: Interval| [i.low.map_or(End::Below, End::At), i.high.map_or(End::Above, End::At)];
        let ([a, b], [c, d]) = (ends(self), ends(other));
        let corners = [a.times(c), a.times(d), b.times(c), b.times(d)];
        let low = corners.iter().min().and_then(|end| end.value());
        let high = corners.iter().max().and_then(|end| end.value());
        Interval { low, high }
    }

    pub(crate) fn power(self, exponent: u32) -> Interval {
        let product = (0..exponent).fold(Interval::at(1), |product, _| product.times(self));
        if exponent.is_multiple_of(2) { product.meet(Interval::from_zero()) } else { product }
    }

    /// The range of `2^x`, which is zero for negative `x`.
    fn power_of_two(self) -> Interval {
        let power = |end: i128| match end {
            ..=-1 => Some(0),
            0..=MAX_SHIFT => Some(1 << end),
            _ => None,
        };
        Interval {
            low: Some(self.low.map_or(0, |end| power(end).unwrap_or(1 << MAX_SHIFT))),
            high: self.high.and_then(power),
        }
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

/// What is known of atoms.
pub(crate) trait Known {
    /// The range of an atom that was found so far.
    fn range_of(&self, atom: &Atom) -> Option<Interval>;
    /// Whether a function is never negative.
    fn is_nonnegative(&self, fun: SizeFun) -> bool;
}

/// Ranges of sizes from what is known of their atoms.
pub(crate) struct Ranges<'a> {
    known: &'a dyn Known,
    /// The positions of the sums around.
    positions: Vec<(u64, Interval)>,
}

impl<'a> Ranges<'a> {
    pub(crate) fn new(known: &'a dyn Known) -> Ranges<'a> {
        Ranges { known, positions: Vec::new() }
    }

    /// The range of a size.
    pub(crate) fn size(&self, size: &Size) -> Interval {
        self.by_cases(size, MAX_CASES)
    }

    /// The range of a size as the hull of its ranges where a condition holds and where it does not.
    fn by_cases(&self, size: &Size, cases: u32) -> Interval {
        let atoms = size.atoms();
        let condition = atoms.iter().find(|atom| matches!(atom, Atom::Below(_)));
        match condition {
            Some(condition) if cases > 0 => {
                let powers = size.by_powers(condition);
                let holds = self.atom(condition);
                let side = |value: i64| {
                    let possible = holds.low <= Some(value.into()) && Some(value.into()) <= holds.high;
                    possible.then(|| self.by_cases(&Size::at_point(&powers, &Size::constant(value)), cases - 1))
                };
                match (side(0), side(1)) {
                    (Some(a), Some(b)) => a.hull(b),
                    (a, b) => a.or(b).unwrap_or(Interval::ALL),
                }
            }
            _ => self.without(size, None).meet(self.by_remainders(size, &atoms)),
        }
    }

    /// The range that follows from `floor(x/c) = (x - r)/c` with `0 <= r < c`, where that cancels something: a remainder is at least zero.
    fn by_remainders(&self, size: &Size, atoms: &BTreeSet<&Atom>) -> Interval {
        let mut range = Interval::ALL;
        for atom in atoms {
            let Atom::FloorDiv(inner, by) = atom else {
                continue;
            };
            let powers = size.by_powers(atom);
            let [rest, slope] = powers.as_slice() else {
                continue;
            };
            let whole = rest * *by + slope * &**inner;
            if !slope.is_constant() || whole.terms.len() > rest.terms.len() {
                continue;
            }
            // by * size = whole - slope * remainder
            let remainder = Interval { low: Some(0), high: Some(i128::from(*by) - 1) };
            let taken = self.without(&-slope, None).times(remainder);
            range = range.meet(self.without(&whole, None).plus(taken).floor_div(i128::from(*by)));
        }
        range
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
        let found = match atom {
            Atom::Bound(name) => self.positions.iter().rev().find(|(n, _)| n == name).map(|(_, range)| *range),
            _ => None,
        };
        let known = found.or_else(|| self.known.range_of(atom)).unwrap_or(Interval::ALL);
        known.meet(self.implied(atom))
    }

    /// What the parts of an atom imply for it.
    pub(crate) fn implied(&self, atom: &Atom) -> Interval {
        match atom {
            Atom::Var(_) => Interval::ALL,
            // Positions of a sum are never negative, and a fresh variable has its range among the known ones.
            Atom::Bound(name) if *name < 1 << 32 => Interval::from_zero(),
            Atom::Bound(_) => Interval::ALL,
            Atom::Apply { fun, .. } if self.known.is_nonnegative(*fun) => Interval::from_zero(),
            Atom::Apply { .. } => Interval::ALL,
            Atom::FloorDiv(inner, by) => self.size(inner).floor_div(i128::from(*by)),
            Atom::Min(args) => self.extreme(args, true),
            Atom::Max(args) => self.extreme(args, false),
            Atom::Sum(sum) => {
                let count = self.size(&sum.upper).at_least_zero();
                let last = count.high.and_then(|high| high.checked_sub(1)).map(|last| last.max(0));
                let mut inside = Ranges { known: self.known, positions: self.positions.clone() };
                inside.positions.push((sum.bound, Interval { low: Some(0), high: last }));
                inside.size(&sum.body).times(count)
            }
            Atom::Pow2(exponent) => self.size(exponent).power_of_two(),
            Atom::Below(test) => match self.size(test) {
                Interval { high: Some(..=-1), .. } => Interval::at(1),
                Interval { low: Some(0..), .. } => Interval::at(0),
                _ => Interval { low: Some(0), high: Some(1) },
            },
            Atom::Held { op: HeldOp::Div, args } => match args[1].as_i128() {
                Some(by @ 1..) => self.size(&args[0]).floor_div(by),
                _ => Interval::ALL,
            },
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
    use super::{Interval, Known, Ranges};
    use crate::expr::{Atom, Size, SizeFun, SizeVar};
    use crate::sum::sum;

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

    /// Ranges with the first variables in boxes and functions that are never negative.
    struct Boxed(Vec<Interval>);

    impl Known for Boxed {
        fn range_of(&self, atom: &Atom) -> Option<Interval> {
            match atom {
                Atom::Var(SizeVar(v)) => self.0.get(*v as usize).copied(),
                _ => None,
            }
        }

        fn is_nonnegative(&self, _: SizeFun) -> bool {
            true
        }
    }

    fn boxed(ranges: &[(i128, i128)]) -> Boxed {
        Boxed(ranges.iter().map(|(low, high)| interval(*low, *high)).collect())
    }

    fn samples() -> Vec<Size> {
        let [n, m, i] = [0, 1, 9].map(|v| Size::var(SizeVar(v)));
        let call = |arg: &Size| Size::apply(SizeFun(0), vec![arg.clone()]);
        let mut all = vec![
            Size::pow2(&n),
            Size::pow2(&(&n - &m)),
            Size::pow2(&(&n + 3)) - Size::pow2(&m),
            Size::split(&n, &m, &n, &m),
            Size::split(&n, &Size::constant(1), &(&n * &m), &(&m - &n)),
            Size::split(&n, &m, &Size::split(&m, &Size::constant(2), &n, &m), &(&m * 3)),
            n.floor_mod(4).expect("not zero"),
            (&n - &m).floor_mod(3).expect("not zero") * 2 - 5,
            (&n * 2 + &m).floor_div(3).expect("not zero"),
            (&n * &m).minimum(&(&n + 2)).maximum(&-&m),
            n.clone() - n.floor_div(4).expect("not zero"),
        ];
        for body in [call(&i), &n * call(&(&i + &m)), &i * call(&i) - &m * call(&i), Size::pow2(&call(&i))] {
            all.push(sum(SizeVar(9), &n, &body));
            all.push(sum(SizeVar(9), &(&n - &m), &body) * -1 + &n);
        }
        all
    }

    #[test]
    fn ranges_contain_every_value() {
        let ends = || (-2..=4).flat_map(|low| (low..=4).step_by(2).map(move |high| (low, high)));
        for size in samples() {
            for first in ends() {
                for second in ends() {
                    let range = Ranges::new(&boxed(&[first, second])).size(&size);
                    for (n, m) in (first.0..=first.1).flat_map(|n| (second.0..=second.1).map(move |m| (n, m))) {
                        let env = |v: SizeVar| i64::try_from([n, m][v.0 as usize]).ok();
                        let value = size.eval_with(&env, &|_, args| Some(args[0].rem_euclid(3))).map(i128::from);
                        let inside = range.low.is_none_or(|low| Some(low) <= value)
                            && range.high.is_none_or(|high| value <= Some(high));
                        assert!(inside || value.is_none(), "{size} at {n}, {m} is {value:?}, not in {range:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn ranges_are_tight_where_promised() {
        let check = |size: &Size, low: i128, high: Option<i128>| {
            assert_eq!(Ranges::new(&boxed(&[(0, 5), (2, 3)])).size(size), Interval { low: Some(low), high }, "{size}");
        };
        let [n, m, i] = [0, 1, 9].map(|v| Size::var(SizeVar(v)));
        check(&Size::pow2(&n), 1, Some(32));
        check(&Size::pow2(&(&n + &m)), 4, Some(256));
        check(&Size::pow2(&(&m - &n)), 0, Some(8));
        check(&Size::pow2(&(&n * 100)), 1, None);
        check(&Size::split(&n, &m, &n, &m), 0, Some(5));
        check(&Size::split(&n, &Size::constant(7), &m, &(&n * 100)), 2, Some(3));
        check(&Size::split(&m, &Size::constant(2), &(&n * 100), &n), 0, Some(5));
        check(&n.floor_mod(4).expect("not zero"), 0, Some(3));
        check(&n.floor_div(2).expect("not zero"), 0, Some(2));
        let body = Size::apply(SizeFun(0), vec![i.clone()]);
        check(&sum(SizeVar(9), &n, &body), 0, None);
        check(&sum(SizeVar(9), &n, &Size::split(&body, &m, &i, &Size::zero())), 0, Some(20));
    }
}
