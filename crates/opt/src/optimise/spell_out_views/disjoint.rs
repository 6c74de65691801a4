//! Whether no two positions of a strided slice are one.
//!
//! ```text
//! disjoint [o; a by s, b by t]      in the order of their sizes, each stride exceeds what the smaller ones span:
//!                                   s is not 0, and |t| > (a - 1)*|s| if |t| is the larger one
//! ```
//!
//! Only dimensions with two positions or more count, and a slice without positions has none in common. Which stride is larger
//! is found when the program runs: for each one, all that are smaller (or as large, and written before) are taken from the
//! room that it leaves. The room is an unsigned number, and a span of `a*b` fits exactly if `a <= room / b`, so
//! nothing overflows.

use super::build::Build;
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Strides};

/// A dimension: its steps and its stride without sign, as unsigned numbers, and whether it has steps.
struct Dim {
    steps: Atom,
    size: Atom,
    moves: Atom,
}

impl Build<'_> {
    pub(super) fn disjoint(&mut self, strides: &Strides) -> Expr {
        let none = self.none(strides);
        let dims: Vec<Dim> = strides.dims.iter().map(|dim| self.dim(*dim)).collect();
        let mut apart = Atom::Const(Scalar::Bool(true));
        for k in 0..dims.len() {
            let alone = self.exceeds_smaller(&dims, k);
            let still = self.not(dims[k].moves);
            let fine = self.binary("fine", BinOp::Or, still, alone);
            apart = self.binary("apart", BinOp::And, apart, fine);
        }
        Expr::Atom(self.binary("apart", BinOp::Or, none, apart))
    }

    fn not(&mut self, a: Atom) -> Atom {
        self.binary("not", BinOp::Eq, a, Atom::Const(Scalar::Bool(false)))
    }

    fn dim(&mut self, (count, stride): (Atom, Atom)) -> Dim {
        let moves = self.binary("moves", BinOp::Gt, count, Atom::int(1));
        let steps = self.sub("steps", count, Atom::int(1));
        let steps = self.convert("steps", ScalarType::U64, steps);
        let size = self.size_of(stride);
        Dim { steps, size: self.convert("size", ScalarType::U64, size), moves }
    }

    /// Whether a stride is not 0 and exceeds what the smaller ones span.
    fn exceeds_smaller(&mut self, dims: &[Dim], k: usize) -> Atom {
        let (zero, one) = (Atom::Const(0u64.into()), Atom::Const(1u64.into()));
        let own = dims[k].size;
        let mut fits = self.binary("some", BinOp::Ne, own, zero);
        // Without a stride the room wraps around, and plays no part.
        let mut room = self.sub("room", own, one);
        for (j, other) in dims.iter().enumerate().filter(|(j, _)| *j != k) {
            let before = if j < k { BinOp::Le } else { BinOp::Lt };
            let smaller = self.binary("smaller", before, other.size, own);
            let counts = self.binary("counts", BinOp::And, smaller, other.moves);
            let divisor = self.binary("divisor", BinOp::Max, other.size, one);
            let most = self.binary("most", BinOp::Div, room, divisor);
            let inside = self.binary("inside", BinOp::Le, other.steps, most);
            let passed = self.not(counts);
            let inside = self.binary("inside", BinOp::Or, passed, inside);
            fits = self.binary("fits", BinOp::And, fits, inside);
            let (left, steps, size) = (room, other.steps, other.size);
            room = self.choose(
                "room",
                counts,
                |b| {
                    let span = b.mul("span", steps, size);
                    b.sub("room", left, span)
                },
                |_| left,
            );
        }
        fits
    }
}
