//! Strided slices: reading them, and how far they reach. Writing them is in `strided_updates.rs`.
//!
//! ```text
//! strided xs[o; a by s, b by t]      generate (i) < a { generate (j) < b { xs[o + i*s + j*t] } }
//! strided xs[o; a by b, b by 1]      reshape xs[o .. o + a*b] to (a, b)
//! extent [o; a by s]                 (o, o + (a - 1)*s)
//! ```
//!
//! How far a slice reaches is kept within `i64`, and so it is here. The least and the greatest position move away from the
//! offset one dimension at a time. Between the position so far and the end of `i64` lie `room` positions, an unsigned
//! number; a further reach of `a*b` fits exactly if `a <= room / b`, and then wrapping arithmetic gives it.

use super::build::{Build, I64};
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Strides, Type};

impl Build<'_> {
    pub(super) fn strided(&mut self, array: Atom, strides: &Strides) -> Expr {
        let one = Atom::int(1);
        match strides.dims[..] {
            [(count, stride)] if stride == one => {
                let to = self.add("to", strides.offset, count);
                Expr::Slice { array, from: strides.offset, to }
            }
            [(n, stride), (m, next)] if next == one && stride == m => {
                let count = self.mul("count", n, m);
                let to = self.add("to", strides.offset, count);
                let ty = self.ty(array);
                let all = self.bind("all", ty, Expr::Slice { array, from: strides.offset, to });
                Expr::Reshape { array: all, dims: vec![n, m] }
            }
            _ => self.strided_from(array, strides.offset, &strides.dims),
        }
    }

    fn strided_from(&mut self, array: Atom, start: Atom, dims: &[(Atom, Atom)]) -> Expr {
        let (count, stride) = dims[0];
        self.generate("i", count, |b, i| {
            let offset = b.mul("offset", i, stride);
            let at = b.add("at", start, offset);
            if dims.len() == 1 {
                return b.index("x", array, at);
            }
            let ty = (1..dims.len()).fold(b.elem(array), |ty, _| Type::array(ty));
            let row = b.strided_from(array, at, &dims[1..]);
            b.bind("row", ty, row)
        })
    }

    /// A stride without its sign; the least `i64` stays as it is, and is right as an unsigned number.
    pub(super) fn size_of(&mut self, stride: Atom) -> Atom {
        match stride.constant() {
            Some(c) => Atom::Const(UnOp::Abs.apply(c)),
            None => self.bind("size", I64, Expr::Unary(UnOp::Abs, stride)),
        }
    }

    /// Whether there is no position.
    pub(super) fn none(&mut self, strides: &Strides) -> Atom {
        strides.dims.iter().fold(Atom::Const(Scalar::Bool(false)), |none, (count, _)| {
            let empty = self.binary("empty", BinOp::Le, *count, Atom::int(0));
            self.binary("none", BinOp::Or, none, empty)
        })
    }

    pub(super) fn extent(&mut self, strides: &Strides) -> Expr {
        let none = self.none(strides);
        let (mut low, mut high) = (strides.offset, strides.offset);
        for (count, stride) in &strides.dims {
            let steps = self.sub("steps", *count, Atom::int(1));
            let back = self.binary("back", BinOp::Lt, *stride, Atom::int(0));
            let (was_low, was_high) = (low, high);
            low = self.choose("low", back, |b| b.further(was_low, steps, *stride, BinOp::Sub), |_| was_low);
            high = self.choose("high", back, |_| was_high, |b| b.further(was_high, steps, *stride, BinOp::Add));
        }
        low = self.choose("low", none, |_| Atom::int(0), |_| low);
        high = self.choose("high", none, |_| Atom::int(-1), |_| high);
        Expr::Tuple(vec![low, high])
    }

    /// `from` plus or minus `steps * |stride|`, at most as far as `i64` goes.
    fn further(&mut self, from: Atom, steps: Atom, stride: Atom, way: BinOp) -> Atom {
        let end = Atom::int(if way == BinOp::Add { i64::MAX } else { i64::MIN });
        let room = match way {
            BinOp::Add => self.sub("room", end, from),
            _ => self.sub("room", from, end),
        };
        let room = self.convert("room", ScalarType::U64, room);
        let size = self.size_of(stride);
        let (steps, size) =
            (self.convert("steps", ScalarType::U64, steps), self.convert("size", ScalarType::U64, size));
        let divisor = self.binary("divisor", BinOp::Max, size, Atom::Const(Scalar::U64(1)));
        let most = self.binary("most", BinOp::Div, room, divisor);
        let over = self.binary("over", BinOp::Gt, steps, most);
        let moves = self.binary("moves", BinOp::Ne, size, Atom::Const(Scalar::U64(0)));
        let over = self.binary("over", BinOp::And, over, moves);
        self.choose(
            "reached",
            over,
            |_| end,
            |b| {
                let reach = b.mul("reach", steps, size);
                let reach = b.convert("reach", ScalarType::I64, reach);
                b.binary("reached", way, from, reach)
            },
        )
    }
}
