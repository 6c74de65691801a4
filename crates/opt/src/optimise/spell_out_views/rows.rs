//! `partition` and `flatten`: rows from lengths, and elements from rows.
//!
//! ```text
//! partition xs by sizes      ends = scan (+) sizes          row i is xs[ends[i] - sizes[i] .. ends[i]]
//! flatten xss                ends = scan (+) lengths        element k is in the first row i with k < ends[i], found by bisection
//! ```

use super::build::{Build, I64};
use terrace_base::BinOp;
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Lambda, LoopForm, Type};

impl Build<'_> {
    /// The sums of all prefixes.
    fn ends(&mut self, sizes: Atom) -> Atom {
        let operator = self.lambda(&[("a", I64), ("b", I64)], |b, p| b.add("c", p[0], p[1]));
        self.bind("ends", Type::array(I64), Expr::Scan { operator, neutral: Atom::int(0), array: sizes })
    }

    pub(super) fn partition(&mut self, sizes: Atom, array: Atom) -> Expr {
        let ends = self.ends(sizes);
        let row = self.ty(array);
        let lambda = self.lambda(&[("end", I64), ("size", I64)], |b, p| {
            let from = b.sub("from", p[0], p[1]);
            b.bind("row", row, Expr::Slice { array, from, to: p[0] })
        });
        Expr::Map { lambda, arrays: vec![ends, sizes] }
    }

    pub(super) fn flatten(&mut self, rows: Atom) -> Expr {
        let n = self.length(rows);
        let row = self.elem(rows);
        let lambda = self.lambda(&[("row", row)], |b, p| b.length(p[0]));
        let lengths = self.bind("lengths", Type::array(I64), Expr::Map { lambda, arrays: vec![rows] });
        let ends = self.ends(lengths);
        let operator = self.lambda(&[("a", I64), ("b", I64)], |b, p| b.add("c", p[0], p[1]));
        let total = self.bind("total", I64, Expr::Reduce { operator, neutral: Atom::int(0), array: lengths });
        self.generate("k", total, |b, k| {
            let i = b.bisect(ends, n, k);
            let end = b.index("end", ends, i);
            let length = b.index("length", lengths, i);
            let start = b.sub("start", end, length);
            let at = b.sub("at", k, start);
            let row = b.index("row", rows, i);
            b.index("x", row, at)
        })
    }

    /// The first position whose element exceeds `k`, or `n`; `sorted` has `n` elements in order.
    pub(super) fn bisect(&mut self, sorted: Atom, n: Atom, k: Atom) -> Atom {
        self.bisected(Atom::int(0), n, |b, i| {
            let x = b.index("x", sorted, i);
            b.binary("beyond", BinOp::Lt, k, x)
        })
    }

    /// The first number from `low` to `high` for which a test holds, or `high`; from there on it must hold for all.
    pub(in crate::optimise) fn bisected(
        &mut self,
        low: Atom,
        high: Atom,
        test: impl FnOnce(&mut Self, Atom) -> Atom,
    ) -> Atom {
        let pair = Type::Tuple(vec![I64, I64]);
        let init = self.bind("range", pair.clone(), Expr::Tuple(vec![low, high]));
        let Lambda { params, body: cond } = self.lambda(&[("range", pair.clone())], |b, p| {
            let low = b.bind("low", I64, Expr::Project(p[0], 0));
            let high = b.bind("high", I64, Expr::Project(p[0], 1));
            b.binary("more", BinOp::Lt, low, high)
        });
        let state = params[0];
        let body = self.body(|b| {
            let low = b.bind("low", I64, Expr::Project(Atom::Var(state), 0));
            let high = b.bind("high", I64, Expr::Project(Atom::Var(state), 1));
            let sum = b.add("sum", low, high);
            let middle = b.binary("middle", BinOp::Div, sum, Atom::int(2));
            let holds = test(b, middle);
            let next = b.add("next", middle, Atom::int(1));
            let low = b.choose("low", holds, |_| low, |_| next);
            let high = b.choose("high", holds, |_| middle, |_| high);
            b.bind("range", Type::Tuple(vec![I64, I64]), Expr::Tuple(vec![low, high]))
        });
        let found = self.bind("range", pair, Expr::Loop { state, init, form: LoopForm::While(cond), body });
        self.bind("i", I64, Expr::Project(found, 0))
    }
}
