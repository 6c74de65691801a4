//! `scatter` and `hist` by sorting, outside of parallel code.
//!
//! ```text
//! scatter xs is vs      sort the positions by is;   element p is the last one of those with index p, or xs[p]
//! hist f ne n is vs     sort the positions by is;   element j is the reduction of the row of those with index j
//! ```
//!
//! Declined: all of it inside of parallel code, where a loop cannot have an array as its state. Work is n log² n.

use super::build::Build;
use terrace_base::{BinOp, Scalar};
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Lambda};

impl Build<'_> {
    fn gather(&mut self, name: &str, array: Atom, positions: Atom, n: Atom) -> Atom {
        let ty = self.ty(array);
        let gathered = self.gathered(array, positions, n);
        self.bind(name, ty, gathered)
    }

    pub(super) fn scatter(&mut self, array: Atom, indices: Atom, values: Atom) -> Expr {
        let n = self.length(array);
        let m = self.length(indices);
        let order = self.order_of(indices, m);
        let sorted = self.gather("sorted", indices, order, m);
        self.generate("p", n, |b, p| {
            let end = b.bisect(sorted, m, p);
            let last = b.sub("last", end, Atom::int(1));
            let some = b.binary("some", BinOp::Gt, end, Atom::int(0));
            let hit = b.choose(
                "hit",
                some,
                |b| {
                    let found = b.index("found", sorted, last);
                    b.binary("hit", BinOp::Eq, found, p)
                },
                |_| Atom::Const(Scalar::Bool(false)),
            );
            b.choose(
                "x",
                hit,
                |b| {
                    let k = b.index("k", order, last);
                    b.index("x", values, k)
                },
                |b| b.index("x", array, p),
            )
        })
    }

    pub(super) fn hist(&mut self, operator: &Lambda, neutral: Atom, count: Atom, indices: Atom, values: Atom) -> Expr {
        let m = self.length(indices);
        let order = self.order_of(indices, m);
        let sorted = self.gather("sorted", indices, order, m);
        let values = self.gather("values", values, order, m);
        let (row, elem) = (self.ty(values), self.elem(values));
        let operator = operator.clone();
        self.generate("j", count, |b, j| {
            let before = b.sub("before", j, Atom::int(1));
            let (from, to) = (b.bisect(sorted, m, before), b.bisect(sorted, m, j));
            let row = b.bind("row", row, Expr::Slice { array: values, from, to });
            b.bind("total", elem, Expr::Reduce { operator, neutral, array: row })
        })
    }
}
