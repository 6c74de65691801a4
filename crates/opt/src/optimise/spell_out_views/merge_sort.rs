//! `sort` by keys of any type, arrays too: a merge sort in Core.
//!
//! It merges runs of 1, 2, 4, … positions until one is left. All positions of a merge are found at once: output `d` of
//! two runs takes `i` elements from the first and `d - i` from the second, and bisection finds the `i` (the *merge path* of
//! Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path: parallel merging made simple", 2012). Positions are sorted, not
//! elements, and the first run wins ties, so the sort is stable.
//!
//! ```text
//! positions = iota n;  loop width = 1, 2, 4, … while width < n { positions = generate (k) < n { … } }
//! ```
//!
//! Work is n log² n comparisons.

use super::build::{BOOL, Build, I64};
use terrace_base::{BinOp, UnOp};
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Lambda, LoopForm, Type};

impl Build<'_> {
    pub(super) fn sort(&mut self, keys: Atom, array: Atom) -> Expr {
        let n = self.length(keys);
        let order = self.order_of(keys, n);
        self.gathered(array, order, n)
    }

    /// The elements of an array at positions.
    pub(super) fn gathered(&mut self, array: Atom, positions: Atom, n: Atom) -> Expr {
        self.generate("k", n, |b, k| {
            let p = b.index("p", positions, k);
            b.index("x", array, p)
        })
    }

    /// The positions of keys in the order of the keys, by comparing them.
    pub(super) fn order_by_merging(&mut self, keys: Atom, n: Atom) -> Atom {
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
}
