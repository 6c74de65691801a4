//! `sort`, `scatter` and `hist`, outside of parallel code.
//!
//! A sort merges runs of 1, 2, 4, … positions until one is left. All positions of a merge are found at once: output `d` of
//! two runs takes `i` elements from the first and `d - i` from the second, and bisection finds the `i` (the *merge path* of
//! Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path: parallel merging made simple", 2012). Positions are sorted, not
//! elements, and the first run wins ties, so the sort is stable.
//!
//! ```text
//! positions = iota n;  loop width = 1, 2, 4, … while width < n { positions = generate (k) < n { … } }
//! scatter xs is vs      sort the positions by is;   element p is the last one of those with index p, or xs[p]
//! hist f ne n is vs     sort the positions by is;   element j is the reduction of the row of those with index j
//! ```
//!
//! Declined: keys that contain arrays, and all of it inside of parallel code, where a loop cannot have an array as its
//! state. Work is n log² n.

use super::build::{BOOL, Build, I64};
use super::order::is_plain;
use terrace_base::{BinOp, Scalar, UnOp};
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Lambda, LoopForm, Type};

impl Build<'_> {
    pub(super) fn sort(&mut self, keys: Atom, array: Atom) -> Option<Expr> {
        if !is_plain(&self.elem(keys)) {
            return None;
        }
        let n = self.length(keys);
        let order = self.order_of(keys, n);
        Some(self.gathered(array, order, n))
    }

    /// The elements of an array at positions.
    fn gathered(&mut self, array: Atom, positions: Atom, n: Atom) -> Expr {
        self.generate("k", n, |b, k| {
            let p = b.index("p", positions, k);
            b.index("x", array, p)
        })
    }

    fn gather(&mut self, name: &str, array: Atom, positions: Atom, n: Atom) -> Atom {
        let ty = self.ty(array);
        let gathered = self.gathered(array, positions, n);
        self.bind(name, ty, gathered)
    }

    /// The positions of keys in the order of the keys.
    fn order_of(&mut self, keys: Atom, n: Atom) -> Atom {
        let positions = self.bind("positions", Type::array(I64), Expr::Iota(n));
        let ty = Type::Tuple(vec![I64, Type::array(I64)]);
        let init = self.bind("runs", ty.clone(), Expr::Tuple(vec![Atom::int(1), positions]));
        let Lambda { params, body: cond } = self.lambda(&[("runs", ty.clone())], |b, p| {
            let width = b.bind("width", I64, Expr::Project(p[0], 0));
            b.binary("more", BinOp::Lt, width, n)
        });
        let state = params[0];
        let body = self.body(|b| {
            let width = b.bind("width", I64, Expr::Project(Atom::Var(state), 0));
            let runs = b.bind("positions", Type::array(I64), Expr::Project(Atom::Var(state), 1));
            let both = b.add("both", width, width);
            let merged = b.generate("k", n, |b, k| b.merged(keys, runs, n, width, both, k));
            let merged = b.bind("merged", Type::array(I64), merged);
            b.bind("runs", Type::Tuple(vec![I64, Type::array(I64)]), Expr::Tuple(vec![both, merged]))
        });
        let sorted = self.bind("runs", ty, Expr::Loop { state, init, form: LoopForm::While(cond), body });
        self.bind("order", Type::array(I64), Expr::Project(sorted, 1))
    }

    /// What stands at `k` when neighbouring runs of `width` positions are merged.
    fn merged(&mut self, keys: Atom, runs: Atom, n: Atom, width: Atom, both: Atom, k: Atom) -> Atom {
        let d = self.binary("d", BinOp::Rem, k, both);
        let base = self.sub("base", k, d);
        let rest = self.sub("rest", n, base);
        let first = self.binary("first", BinOp::Min, width, rest);
        let second = self.sub("second", rest, first);
        let second = self.binary("second", BinOp::Min, width, second);
        let middle = self.add("middle", base, width);
        let low = self.sub("low", d, second);
        let low = self.binary("low", BinOp::Max, low, Atom::int(0));
        let high = self.binary("high", BinOp::Min, d, first);
        let i = self.bisected(low, high, |b, i| {
            let last = b.sub("last", d, Atom::int(1));
            let j = b.sub("j", last, i);
            b.second_first(keys, runs, (base, i), (middle, j))
        });
        let j = self.sub("j", d, i);
        let (in_first, in_second) =
            (self.binary("left", BinOp::Lt, i, first), self.binary("right", BinOp::Lt, j, second));
        let open = self.binary("open", BinOp::And, in_first, in_second);
        let from_second = self.choose(
            "behind",
            open,
            |b| b.second_first(keys, runs, (base, i), (middle, j)),
            |b| b.bind("behind", BOOL, Expr::Unary(UnOp::Not, in_first)),
        );
        let at = self.choose("at", from_second, |b| b.add("at", middle, j), |b| b.add("at", base, i));
        self.index("p", runs, at)
    }

    /// Whether an element of the second run stands strictly before one of the first.
    fn second_first(&mut self, keys: Atom, runs: Atom, first: (Atom, Atom), second: (Atom, Atom)) -> Atom {
        let ty = self.elem(keys);
        let mut key = |at: (Atom, Atom)| {
            let at = self.add("at", at.0, at.1);
            let p = self.index("p", runs, at);
            self.index("key", keys, p)
        };
        let (a, b) = (key(first), key(second));
        self.before(&ty, b, a)
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
