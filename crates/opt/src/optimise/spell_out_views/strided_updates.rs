//! Strided slices that are written, in one dimension or two.
//!
//! ```text
//! update xs[o; a by s] = vs             generate (k) < n { if s divides k - o, and the quotient q lies in 0..a, then vs[q] else xs[k] }
//! update xs[o; a by s, b by t] = vss    the quotient by the larger stride, and of what is left the quotient by the smaller one
//! ```
//!
//! No two positions of such a slice are one, so the larger stride exceeds all that the smaller one spans, and the two quotients
//! are the only ones there can be. Which stride is larger is found when the program runs. A stride that goes
//! back is counted from its other end; one that is taken at most once counts as 0.
//!
//! Declined: three dimensions and more.

use super::build::{Build, I64};
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Strides};

type Dim = (Atom, Atom);

/// A dimension that counts upwards.
struct Upward {
    /// How far apart its positions are; 0 where there are not two of them.
    stride: Atom,
    count: Atom,
    /// Whether it counted downwards.
    back: Atom,
}

impl Build<'_> {
    pub(super) fn disjoint(&mut self, strides: &Strides) -> Option<Expr> {
        match strides.dims[..] {
            [dim] => Some(Expr::Atom(self.apart(dim))),
            [a, b] => {
                let mut apart = self.none(strides);
                for (x, y) in [(a, b), (b, a)] {
                    // Where one of them is taken once, only the other counts.
                    let once = self.binary("once", BinOp::Le, x.0, Atom::int(1));
                    let other = self.apart(y);
                    let single = self.binary("single", BinOp::And, once, other);
                    let beyond = self.exceeds(x, y);
                    apart = self.binary("apart", BinOp::Or, apart, single);
                    apart = self.binary("apart", BinOp::Or, apart, beyond);
                }
                Some(Expr::Atom(apart))
            }
            _ => None,
        }
    }

    /// Whether no two positions of one dimension are one.
    fn apart(&mut self, (count, stride): Dim) -> Atom {
        let few = self.binary("few", BinOp::Le, count, Atom::int(1));
        let moves = self.binary("moves", BinOp::Ne, stride, Atom::int(0));
        self.binary("apart", BinOp::Or, few, moves)
    }

    /// Whether the stride of `large` exceeds what `small`, which moves, spans: `c - 1 <= (t - 1) / s`, in unsigned numbers.
    fn exceeds(&mut self, small: Dim, large: Dim) -> Atom {
        let (zero, one) = (Atom::Const(0u64.into()), Atom::Const(1u64.into()));
        let [s, t] = [small, large].map(|(_, stride)| {
            let size = self.size_of(stride);
            self.convert("size", ScalarType::U64, size)
        });
        let (s_moves, t_moves) = (self.binary("moves", BinOp::Ne, s, zero), self.binary("moves", BinOp::Ne, t, zero));
        let both = self.binary("both", BinOp::And, s_moves, t_moves);
        let steps = self.sub("steps", small.0, Atom::int(1));
        let steps = self.convert("steps", ScalarType::U64, steps);
        let room = self.sub("room", t, one);
        let divisor = self.binary("divisor", BinOp::Max, s, one);
        let most = self.binary("most", BinOp::Div, room, divisor);
        let fits = self.binary("fits", BinOp::Le, steps, most);
        self.binary("exceeds", BinOp::And, both, fits)
    }

    pub(super) fn update_strided(&mut self, array: Atom, strides: &Strides, values: Atom) -> Option<Expr> {
        match strides.dims[..] {
            [dim] => Some(self.update_line(array, strides.offset, dim, values)),
            [a, b] => Some(self.update_plane(array, strides.offset, [a, b], values)),
            _ => None,
        }
    }

    fn update_line(&mut self, array: Atom, offset: Atom, (count, stride): Dim, values: Atom) -> Expr {
        let n = self.length(array);
        // With a stride of 0 there is at most one position, and then only a distance of 0 is a multiple of the stride.
        let divisor = self.not_zero(stride);
        self.generate("k", n, |b, k| {
            let d = b.sub("d", k, offset);
            let q = b.binary("q", BinOp::Div, d, divisor);
            let mut hit = b.within(q, count);
            if stride != Atom::int(1) {
                let back = b.mul("back", q, stride);
                let divides = b.binary("divides", BinOp::Eq, back, d);
                hit = b.binary("hit", BinOp::And, hit, divides);
            }
            b.choose("x", hit, |b| b.index("x", values, q), |b| b.index("x", array, k))
        })
    }

    fn not_zero(&mut self, stride: Atom) -> Atom {
        let still = self.binary("still", BinOp::Eq, stride, Atom::int(0));
        self.choose("divisor", still, |_| Atom::int(1), |_| stride)
    }

    /// A stride without its sign; the least `i64` stays as it is, and is right as an unsigned number.
    pub(super) fn size_of(&mut self, stride: Atom) -> Atom {
        match stride.constant() {
            Some(c) => Atom::Const(UnOp::Abs.apply(c)),
            None => self.bind("size", I64, Expr::Unary(UnOp::Abs, stride)),
        }
    }

    fn upward(&mut self, offset: &mut Atom, (count, stride): Dim) -> Upward {
        let back = self.binary("back", BinOp::Lt, stride, Atom::int(0));
        let steps = self.sub("steps", count, Atom::int(1));
        let from = *offset;
        let turned = self.choose(
            "start",
            back,
            |b| {
                let reach = b.mul("reach", steps, stride);
                b.add("start", from, reach)
            },
            |_| from,
        );
        let moves = self.binary("moves", BinOp::Gt, count, Atom::int(1));
        let size = self.size_of(stride);
        let stride = self.choose("stride", moves, |_| size, |_| Atom::int(0));
        *offset = turned;
        Upward { stride, count, back }
    }

    fn update_plane(&mut self, array: Atom, offset: Atom, dims: [Dim; 2], values: Atom) -> Expr {
        let n = self.length(array);
        let mut start = offset;
        let [a, b] = dims.map(|dim| self.upward(&mut start, dim));
        let first = self.binary("first", BinOp::Ge, a.stride, b.stride);
        let (s, t) = (a.stride, b.stride);
        let large = self.choose("large", first, |_| s, |_| t);
        let small = self.choose("small", first, |_| t, |_| s);
        let (over_large, over_small) = (self.not_zero(large), self.not_zero(small));
        self.generate("k", n, |build, k| {
            let d = build.sub("d", k, start);
            // A stride of 0 takes part with the quotient 0.
            let quotient = |build: &mut Self, d: Atom, stride: Atom, divisor: Atom| {
                let q = build.binary("q", BinOp::Div, d, divisor);
                let still = build.binary("still", BinOp::Eq, stride, Atom::int(0));
                let q = build.choose("q", still, |_| Atom::int(0), |_| q);
                let taken = build.mul("taken", q, stride);
                (q, build.sub("left", d, taken))
            };
            let (by_large, left) = quotient(build, d, large, over_large);
            let (by_small, left) = quotient(build, left, small, over_small);
            let i = build.choose("i", first, |_| by_large, |_| by_small);
            let j = build.choose("j", first, |_| by_small, |_| by_large);
            let mut hit = build.binary("hit", BinOp::Eq, left, Atom::int(0));
            let inside = build.within(i, a.count);
            hit = build.binary("hit", BinOp::And, hit, inside);
            let inside = build.within(j, b.count);
            hit = build.binary("hit", BinOp::And, hit, inside);
            let mut counted = |dim: &Upward, i: Atom| {
                let steps = build.sub("steps", dim.count, Atom::int(1));
                build.choose("i", dim.back, |b| b.sub("i", steps, i), |_| i)
            };
            let (i, j) = (counted(&a, i), counted(&b, j));
            build.choose(
                "x",
                hit,
                |b| {
                    let row = b.index("row", values, i);
                    b.index("x", row, j)
                },
                |b| b.index("x", array, k),
            )
        })
    }
}
