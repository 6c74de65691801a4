//! Any operator, in waves: in each of them neighbours are combined, all pairs at once.
//!
//! ```text
//! reduce    x0 x1 x2 x3 x4  →  x01 x23 x4  →  x0123 x4  →  x01234  →  e·x01234            n - 1 combinations, and the neutral element's
//! scan      pairs x01 x23; their scan s1 s3 by the same method; then y0 = e·x0, y1 = s1, y2 = s1·x2, y3 = s3, …
//! hist      values sorted by their index; each index reduces its own row of them
//! ```
//!
//! Both do work proportional to the number of elements and take log n steps. The scan is recursive, a function of its own that takes
//! what the operator mentions as parameters; a loop would have to keep all levels in one array and copy it each time. Nothing is
//! combined where there is no element, so an operator with checks runs where the program would have run it: with the neutral
//! element once, and then on results.

use super::{Pass, array_of};
use crate::optimise::spell_out_views::build::{Build, I64};
use std::collections::BTreeMap;
use terrace_base::{BinOp, IdVec};
use terrace_ir::core::visit::{copy_lambda, free_values_of_lambda};
use terrace_ir::core::{Expr, Function, Lambda, LoopForm, Role, Type, Value};
use terrace_ir::{Atom, ValueId};

impl Build<'_> {
    /// Elements `2k` and `2k + 1` combined, for all `k < half`.
    fn pairs(&mut self, operator: &Lambda, array: Atom, half: Atom) -> Atom {
        let ty = self.ty(array);
        let pairs = self.generate("k", half, |b, k| {
            let i = b.add("i", k, k);
            let j = b.add("j", i, Atom::int(1));
            let (x, y) = (b.index("x", array, i), b.index("y", array, j));
            b.apply(operator, &[x, y])
        });
        self.bind("pairs", ty, pairs)
    }

    pub(super) fn reduce_in_waves(&mut self, operator: &Lambda, neutral: Atom, array: Atom) -> Expr {
        let n = self.length(array);
        let some = self.binary("some", BinOp::Lt, Atom::int(0), n);
        let then = self.body(|b| {
            let ty = b.ty(array);
            let Lambda { params, body: cond } = b.lambda(&[("left", ty.clone())], |b, p| {
                let n = b.length(p[0]);
                b.binary("more", BinOp::Lt, Atom::int(1), n)
            });
            let state = params[0];
            let left = Atom::Var(state);
            let body = b.body(|b| {
                let n = b.length(left);
                let half = b.binary("half", BinOp::Div, n, Atom::int(2));
                let pairs = b.pairs(operator, left, half);
                let from = b.add("from", half, half);
                let odd = b.bind("odd", ty.clone(), Expr::Slice { array: left, from, to: n });
                b.bind("left", ty.clone(), Expr::Concat(vec![pairs, odd]))
            });
            let waves = Expr::Loop { state, init: array, form: LoopForm::While(cond), body };
            let last = b.bind("last", ty.clone(), waves);
            let all = b.index("all", last, Atom::int(0));
            b.apply(operator, &[neutral, all])
        });
        let otherwise = self.body(|_| neutral);
        Expr::If { cond: some, then, otherwise }
    }

    pub(super) fn hist_in_waves(
        &mut self,
        operator: &Lambda,
        neutral: Atom,
        count: Atom,
        indices: Atom,
        values: Atom,
    ) -> Expr {
        let m = self.length(indices);
        let (row, elem) = (self.ty(values), self.elem(values));
        let values = self.bind("sorted", row.clone(), Expr::Sort { keys: indices, array: values });
        let places = self.bind("places", Type::array(I64), Expr::Sort { keys: indices, array: indices });
        self.generate("j", count, |b, j| {
            let next = b.add("next", j, Atom::int(1));
            let at_least = |b: &mut Self, j: Atom| {
                b.bisected(Atom::int(0), m, |b, i| {
                    let x = b.index("x", places, i);
                    b.binary("reached", BinOp::Le, j, x)
                })
            };
            let (from, to) = (at_least(b, j), at_least(b, next));
            let row = b.bind("row", row, Expr::Slice { array: values, from, to });
            let all = b.reduce_in_waves(operator, neutral, row);
            b.bind("all", elem, all)
        })
    }
}

impl Pass {
    pub(super) fn scan_in_waves(
        &mut self,
        build: &mut Build<'_>,
        operator: &Lambda,
        neutral: Atom,
        array: Atom,
    ) -> Expr {
        let ty = build.ty(array);
        let free: Vec<ValueId> = free_values_of_lambda(operator).into_iter().collect();
        let function = self.next_function();
        let made = self.scan_function(build, operator, &free, &ty);
        self.made.push(made);
        let n = build.length(array);
        let some = build.binary("some", BinOp::Lt, Atom::int(0), n);
        let then = build.body(|b| {
            let first = b.index("first", array, Atom::int(0));
            let first = b.apply(operator, &[neutral, first]);
            let head = array_of(b, first);
            let head = b.bind("head", head, Expr::ArrayLiteral { elem: b.ty(first), elems: vec![first] });
            let rest = b.bind("rest", ty.clone(), Expr::Slice { array, from: Atom::int(1), to: n });
            let all = b.bind("all", ty.clone(), Expr::Concat(vec![head, rest]));
            let mut args = vec![all];
            args.extend(free.iter().map(|v| Atom::Var(*v)));
            b.bind("prefixes", ty.clone(), Expr::Call { function, args })
        });
        let otherwise = build.body(|_| array);
        Expr::If { cond: some, then, otherwise }
    }

    /// The scan of an array whose first element is combined with the neutral element already.
    fn scan_function(&mut self, build: &mut Build<'_>, operator: &Lambda, free: &[ValueId], ty: &Type) -> Function {
        let function = self.next_function();
        let span = build.span();
        let mut values: IdVec<ValueId, Value> = IdVec::new();
        let array = values.push(Value { name: "xs".to_string(), ty: ty.clone() });
        let mut params = vec![array];
        let mut map = BTreeMap::new();
        for v in free {
            let value = Value { name: build.values()[*v].name.clone(), ty: build.ty(Atom::Var(*v)) };
            let param = values.push(value);
            map.insert(*v, Atom::Var(param));
            params.push(param);
        }
        let operator = copy_lambda(operator, build.values(), &mut values, &mut map);
        let first = params.len();
        for v in (first..values.len()).map(ValueId::new) {
            // Sizes in the caller's types name values that this function does not have.
            values[v].ty = values[v].ty.without_sizes();
        }
        let args: Vec<Atom> = params[1..].iter().map(|p| Atom::Var(*p)).collect();
        let mut b = Build::new(&mut values, span, Vec::new());
        let array = Atom::Var(array);
        let body = b.body(|b| {
            let n = b.length(array);
            let few = b.binary("few", BinOp::Le, n, Atom::int(1));
            let then = b.body(|_| array);
            let otherwise = b.body(|b| {
                let half = b.binary("half", BinOp::Div, n, Atom::int(2));
                let pairs = b.pairs(&operator, array, half);
                let mut all = vec![pairs];
                all.extend(args);
                let odd = b.bind("odd", ty.clone(), Expr::Call { function, args: all });
                // Between two prefixes of pairs lies one element more than the first of them has.
                let last = b.sub("last", n, Atom::int(1));
                let between = b.binary("between", BinOp::Div, last, Atom::int(2));
                let even = b.generate("k", between, |b, k| {
                    let next = b.add("next", k, Atom::int(1));
                    let at = b.add("at", next, next);
                    let (x, y) = (b.index("x", odd, k), b.index("y", array, at));
                    b.apply(&operator, &[x, y])
                });
                let even = b.bind("even", ty.clone(), even);
                let first = b.bind("first", ty.clone(), Expr::Slice { array, from: Atom::int(0), to: Atom::int(1) });
                let even = b.bind("even", ty.clone(), Expr::Concat(vec![first, even]));
                let all = b.generate("k", n, |b, k| {
                    let pair = b.binary("pair", BinOp::Div, k, Atom::int(2));
                    let left = b.binary("left", BinOp::Rem, k, Atom::int(2));
                    let is_even = b.binary("is_even", BinOp::Eq, left, Atom::int(0));
                    b.choose("x", is_even, |b| b.index("x", even, pair), |b| b.index("x", odd, pair))
                });
                b.bind("all", ty.clone(), all)
            });
            b.bind("prefixes", ty.clone(), Expr::If { cond: few, then, otherwise })
        });
        let consumed = vec![false; params.len()];
        Function {
            name: format!("{}_scan{}", self.name, self.made.len()),
            source: "scan".to_string(),
            role: Role::Internal,
            values,
            params,
            consumed,
            result: ty.clone(),
            body,
            span,
        }
    }
}
