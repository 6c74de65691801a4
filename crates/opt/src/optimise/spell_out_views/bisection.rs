//! Bisection: the first number for which a test holds.
//!
//! ```text
//! bisected 0 n { ends[i] > k }      loop (low, high) = (0, n) while low < high { … the half that has it … }
//! ```
//!
//! The test must hold for all numbers behind one for which it holds.

use super::build::{Build, I64};
use terrace_base::BinOp;
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Lambda, LoopForm, Type};

impl Build<'_> {
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
