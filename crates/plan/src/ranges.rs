//! Whether the indices of a launch fit in 32 bits: intervals, computed when its arguments are known.
//!
//! Every index of the language has 64 bits, and on a GPU a 64-bit product, quotient or comparison is several instructions. A kernel may
//! therefore have a twin whose indices have 32. Which of the two runs is decided at the launch, where every scalar argument and the number
//! of tiles are known, by a list of steps that the compiler has written down:
//!
//! ```text
//! let q = tile * 256 + thread          0: tile          0 .. tiles - 1        small: 2, 3
//! if q < n { … }                       1: 0 * 256
//!                                      2: 1 + [0, 255]
//!                                      3: n             the argument, exactly
//! ```
//!
//! A step is an interval that holds whatever the kernel computes there. The twin may run if all steps of `small` stay below the limit and
//! every pair of `within` is nested: what a loop assigns to a variable stays in the interval that was assumed for it. Bounds saturate far
//! beyond 64 bits, so nothing here wraps; what wraps in the kernel is any number of its type ([`Step::Fit`]).

use terrace_base::{BinOp, ScalarType};

/// Below this number, and not below minus this number, an integer fits in 32 bits.
pub const INDEX_LIMIT: i64 = 1 << 31;

/// The twin of a kernel, with indices of 32 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Small {
    /// Its place among the kernels of the plan. It takes the same arguments.
    pub kernel: usize,
    /// When it may run.
    pub ranges: Ranges,
}

/// Conditions on the arguments of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    /// The intervals, each made of earlier ones.
    pub steps: Vec<Step>,
    /// Those that must stay below the limit.
    pub small: Vec<usize>,
    /// The first of each pair must lie in the second.
    pub within: Vec<(usize, usize)>,
}

/// An interval.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// From the first to the second, both included.
    Between(i64, i64),
    /// A scalar argument, by its place among the parameters.
    Param(usize),
    /// The number of any tile.
    Tile,
    /// An operation on integers of a type.
    Binary(BinOp, ScalarType, usize, usize),
    /// Either of two.
    Either(usize, usize),
    /// An integer, brought to a type.
    Fit(ScalarType, usize),
}

/// What is known of an integer: its least and its largest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least.
    pub least: i128,
    /// The largest.
    pub most: i128,
}

impl Interval {
    /// One number.
    pub fn exactly(n: i64) -> Interval {
        Interval::between(n, n)
    }

    /// Both included.
    pub fn between(least: i64, most: i64) -> Interval {
        Interval { least: least.into(), most: most.into() }
    }

    /// All integers of a type; those of 64 bits where it is none.
    pub fn of(ty: ScalarType) -> Interval {
        let bits = 8 * ty.size_bytes() as u32;
        let (least, most) = match ty {
            ScalarType::Bool => (0, 1),
            ty if ty.is_int() && !ty.is_signed() => (0, (1i128 << bits) - 1),
            ty if ty.is_int() => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            _ => (i64::MIN.into(), i64::MAX.into()),
        };
        Interval { least, most }
    }

    /// Whether all of it lies in the other.
    pub fn is_in(self, other: Interval) -> bool {
        other.least <= self.least && self.most <= other.most
    }

    /// Whether all of it fits in 32 bits, or in less where the limit is lower.
    pub fn is_small(self, limit: i64) -> bool {
        let limit = i128::from(limit.min(INDEX_LIMIT));
        -limit <= self.least && self.most < limit
    }

    /// What lies in this or in the other.
    pub fn or(self, other: Interval) -> Interval {
        Interval { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// The same, or any integer of the type if some would wrap.
    pub fn fit(self, ty: ScalarType) -> Interval {
        let all = Interval::of(ty);
        if self.is_in(all) { self } else { all }
    }

    fn magnitude(self) -> i128 {
        self.least.saturating_neg().max(self.most)
    }

    fn around_zero(most: i128) -> Interval {
        Interval { least: -most, most }
    }

    fn corners(a: Interval, b: Interval, f: impl Fn(i128, i128) -> i128) -> Interval {
        let all = [f(a.least, b.least), f(a.least, b.most), f(a.most, b.least), f(a.most, b.most)];
        Interval { least: all.into_iter().fold(i128::MAX, i128::min), most: all.into_iter().fold(i128::MIN, i128::max) }
    }
}

/// Where the results of an operation on integers of a type lie. Quotients round towards minus infinity and are 0 where the divisor is.
pub fn binary(op: BinOp, ty: ScalarType, a: Interval, b: Interval) -> Interval {
    let corners = |f: fn(i128, i128) -> i128| Interval::corners(a, b, f);
    let bits = 8 * ty.size_bytes() as i128;
    let not_negative = 0 <= a.least && 0 <= b.least;
    let found = match op {
        BinOp::Add => corners(i128::saturating_add),
        BinOp::Sub => corners(i128::saturating_sub),
        BinOp::Mul => corners(i128::saturating_mul),
        BinOp::Min => corners(i128::min),
        BinOp::Max => corners(i128::max),
        BinOp::Div if 0 < b.least => corners(i128::div_euclid),
        BinOp::Div if 0 <= a.least && 0 <= b.least => Interval { least: 0, most: a.most },
        BinOp::Div => Interval::around_zero(a.magnitude()),
        BinOp::Rem if not_negative => Interval { least: 0, most: (b.most - 1).max(0).min(a.most) },
        BinOp::Rem if 0 <= b.least => Interval { least: 0, most: (b.most - 1).max(0) },
        BinOp::Rem => Interval::around_zero(b.magnitude()),
        BinOp::And if not_negative => Interval { least: 0, most: a.most.min(b.most) },
        BinOp::And if 0 <= b.least => Interval { least: 0, most: b.most },
        BinOp::And if 0 <= a.least => Interval { least: 0, most: a.most },
        BinOp::Or | BinOp::Xor if not_negative => Interval { least: 0, most: ones(a.most.max(b.most)) },
        BinOp::Shl if 0 <= b.least && b.most < bits => corners(|x, by| x.saturating_mul(1 << by)),
        BinOp::Shr if 0 <= b.least && b.most < bits => corners(|x, by| x >> by),
        op if op.is_comparison() => return Interval::of(ScalarType::Bool),
        _ => Interval::of(ty),
    };
    found.fit(ty)
}

/// The least `2^k - 1` that is not less.
fn ones(n: i128) -> i128 {
    let bits = i128::BITS - n.leading_zeros();
    if bits > 120 { i128::MAX } else { (1 << bits) - 1 }
}

impl Step {
    /// The interval, given those of earlier steps, of tile numbers and of scalar arguments.
    pub fn interval(
        &self,
        earlier: &[Interval],
        tile: Interval,
        scalar: &dyn Fn(usize) -> Option<Interval>,
    ) -> Interval {
        let at = |step: &usize| earlier.get(*step).copied().unwrap_or(Interval::of(ScalarType::I64));
        match self {
            Step::Between(least, most) => Interval::between(*least, *most),
            Step::Param(place) => scalar(*place).unwrap_or(Interval::of(ScalarType::I64)),
            Step::Tile => tile,
            Step::Binary(op, ty, a, b) => binary(*op, *ty, at(a), at(b)),
            Step::Either(a, b) => at(a).or(at(b)),
            Step::Fit(ty, a) => at(a).fit(*ty),
        }
    }
}

impl Ranges {
    /// Whether a launch over so many tiles with these scalar arguments stays below the limit.
    pub fn hold(&self, limit: i64, tiles: i64, scalar: &dyn Fn(usize) -> Option<i64>) -> bool {
        let tile = Interval::between(0, tiles.saturating_sub(1).max(0));
        let scalar = |place: usize| scalar(place).map(Interval::exactly);
        let mut found: Vec<Interval> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let interval = step.interval(&found, tile, &scalar);
            found.push(interval);
        }
        self.small.iter().all(|s| found.get(*s).is_some_and(|i| i.is_small(limit)))
            && self.within.iter().all(|(a, b)| found.get(*a).zip(found.get(*b)).is_some_and(|(a, b)| a.is_in(*b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_base::Scalar;

    /// Every result of every operation on small numbers lies where it should, wrapping included.
    #[test]
    fn intervals_hold_what_is_computed() {
        let ops = BinOp::ALL.into_iter().filter(|op| op.result_type(ScalarType::I64) == Some(ScalarType::I64));
        let numbers = [i64::MIN, -(1 << 33), -9, -4, -1, 0, 1, 2, 5, 8, 31, 63, 1 << 31, i64::MAX];
        let mut tight = 0;
        for op in ops {
            for (a, b) in numbers.iter().enumerate().flat_map(|(k, a)| numbers[k..].iter().map(move |b| (*a, *b))) {
                for (c, d) in numbers.iter().enumerate().flat_map(|(k, c)| numbers[k..].iter().map(move |d| (*c, *d))) {
                    let range = binary(op, ScalarType::I64, Interval::between(a, b), Interval::between(c, d));
                    tight += usize::from(range != Interval::of(ScalarType::I64));
                    for x in numbers.iter().filter(|x| (a..=b).contains(x)) {
                        for y in numbers.iter().filter(|y| (c..=d).contains(y)) {
                            let z = op.apply(Scalar::I64(*x), Scalar::I64(*y)).as_i64().expect("it is defined");
                            assert!(Interval::exactly(z).is_in(range), "{x} {op} {y} = {z}, not in {range:?}");
                        }
                    }
                }
            }
        }
        assert!(tight > 10_000, "{tight}");
    }

    #[test]
    fn a_launch_is_small_until_a_number_is_not() {
        let ranges = Ranges {
            steps: vec![
                Step::Tile,
                Step::Between(256, 256),
                Step::Binary(BinOp::Mul, ScalarType::I64, 0, 1),
                Step::Param(3),
                Step::Binary(BinOp::Mul, ScalarType::I64, 3, 3),
                Step::Between(0, 100),
            ],
            small: vec![2, 4],
            within: vec![(0, 5)],
        };
        let holds = |limit, tiles, n: i64| ranges.hold(limit, tiles, &|place| (place == 3).then_some(n));
        assert!(holds(INDEX_LIMIT, 5, 100));
        assert!(!holds(1000, 5, 100) && !holds(INDEX_LIMIT, 5, 46341) && holds(INDEX_LIMIT, 5, -46340));
        assert!(!holds(INDEX_LIMIT, 102, 100), "tile 101 is not within 0 .. 100");
        assert!(!holds(0, 1, 0), "a limit of nothing turns twins off");
        assert!(!holds(INDEX_LIMIT, 5, i64::MAX), "what wraps may be anything");
    }
}
