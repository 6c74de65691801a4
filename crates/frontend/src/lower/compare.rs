//! Comparisons of scalars, tuples, arrays and enums.
//!
//! Tuples and arrays compare lexicographically; arrays are equal if they have one length and equal elements:
//!
//! ```text
//! xs == ys      if len xs == len ys then all (map (x, y) { x == y } xs ys) else false
//! xs < ys       with k = first position where they differ, n = the shorter length:
//!               if k < n then xs[k] < ys[k] else len xs < len ys
//! ```
//!
//! A variant that is declared earlier is less; values of one variant compare by their fields. Nothing of this can fail. `>`
//! and `>=` swap the operands, and `<=` on tuples and arrays is "less or equal", not "not greater": with a NaN in the
//! deciding place neither holds, as for scalars.

use super::body::{BOOL, I64, Lower};
use terrace_base::{BinOp, Scalar, Span};
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Type};

impl Lower<'_, '_> {
    pub(super) fn compare(&mut self, op: BinOp, a: Atom, b: Atom, span: Span) -> Atom {
        if self.type_of(a).scalar().is_some() {
            return self.binary("t", op, a, b, span);
        }
        match op {
            BinOp::Eq => self.equal(a, b, span),
            BinOp::Ne => {
                let equal = self.equal(a, b, span);
                self.emit("t", BOOL, Expr::Unary(terrace_base::UnOp::Not, equal), span)
            }
            BinOp::Gt => self.less(BinOp::Lt, b, a, span),
            BinOp::Ge => self.less(BinOp::Le, b, a, span),
            _ => self.less(op, a, b, span),
        }
    }

    fn equal(&mut self, a: Atom, b: Atom, span: Span) -> Atom {
        match self.type_of(a) {
            Type::Scalar(_) => self.binary("t", BinOp::Eq, a, b, span),
            Type::Tuple(parts) => {
                let mut all = Atom::Const(Scalar::Bool(true));
                for k in 0..parts.len() {
                    let (x, y) = (self.project(a, k, span), self.project(b, k, span));
                    let equal = self.equal(x, y, span);
                    all = if k == 0 { equal } else { self.binary("t", BinOp::And, all, equal, span) };
                }
                all
            }
            Type::Array(array) => {
                let elem = array.elem.without_sizes();
                let (m, n) = (self.length(a, span), self.length(b, span));
                let cond = self.binary("same", BinOp::Eq, m, n, span);
                let then = self.body(|l| {
                    let params = vec![("x".to_string(), elem.clone()), ("y".to_string(), elem)];
                    let lambda = l.lambda(params, |l, p| l.equal(p[0], p[1], span));
                    let map = Expr::Map { lambda, arrays: vec![a, b] };
                    let equal = l.emit("equal", Type::array(BOOL), map, span);
                    l.combined(BinOp::And, equal, Vec::new(), span)
                });
                let otherwise = self.body(|_| Atom::Const(Scalar::Bool(false)));
                self.emit("t", BOOL, Expr::If { cond, then, otherwise }, span)
            }
            Type::Sum(_) => {
                let (m, n) = (self.tag(a, span), self.tag(b, span));
                let cond = self.binary("same", BinOp::Eq, m, n, span);
                self.if_same_variant(cond, BinOp::Eq, a, b, span, |_| Atom::Const(Scalar::Bool(false)))
            }
        }
    }

    /// The number of a value's variant.
    fn tag(&mut self, value: Atom, span: Span) -> Atom {
        let arms = self.arms(value, |_, tag, _| Atom::int(tag as i64));
        self.emit("tag", I64, Expr::Match { value, arms }, span)
    }

    /// Compares the fields of two values where they are of one variant.
    fn if_same_variant(
        &mut self,
        cond: Atom,
        op: BinOp,
        a: Atom,
        b: Atom,
        span: Span,
        otherwise: impl FnOnce(&mut Self) -> Atom,
    ) -> Atom {
        let variants = self.variant_types(a);
        let named = |name: &str, types: &[Type]| types.iter().map(|t| (name.to_string(), t.clone())).collect();
        // Without fields there is nothing left to compare.
        let equal = Atom::Const(Scalar::Bool(op != BinOp::Lt));
        let then = self.body(|l| {
            if variants.iter().all(Vec::is_empty) {
                return equal;
            }
            let arms = variants.iter().enumerate().map(|(tag, types)| {
                l.lambda(named("x", types), |l, xs| {
                    if types.is_empty() {
                        return equal;
                    }
                    let inner = variants.iter().enumerate().map(|(k, types)| {
                        l.lambda(named("y", types), |l, ys| match k == tag {
                            true => l.fields_compare(op, xs, ys, span),
                            false => Atom::Const(Scalar::Bool(false)),
                        })
                    });
                    let arms = inner.collect();
                    l.emit("t", BOOL, Expr::Match { value: b, arms }, span)
                })
            });
            let arms = arms.collect();
            l.emit("t", BOOL, Expr::Match { value: a, arms }, span)
        });
        let otherwise = self.body(otherwise);
        self.emit("t", BOOL, Expr::If { cond, then, otherwise }, span)
    }

    fn fields_compare(&mut self, op: BinOp, xs: &[Atom], ys: &[Atom], span: Span) -> Atom {
        let (x, y) = (xs[0], ys[0]);
        if op == BinOp::Eq {
            let mut all = self.equal(x, y, span);
            for (x, y) in xs.iter().zip(ys).skip(1) {
                let equal = self.equal(*x, *y, span);
                all = self.binary("t", BinOp::And, all, equal, span);
            }
            return all;
        }
        if xs.len() == 1 {
            return self.less(op, x, y, span);
        }
        let cond = self.equal(x, y, span);
        let then = self.body(|l| l.fields_compare(op, &xs[1..], &ys[1..], span));
        let otherwise = self.body(|l| l.less(BinOp::Lt, x, y, span));
        self.emit("t", BOOL, Expr::If { cond, then, otherwise }, span)
    }

    /// `a < b` or `a <= b`.
    fn less(&mut self, op: BinOp, a: Atom, b: Atom, span: Span) -> Atom {
        match self.type_of(a) {
            Type::Scalar(_) => self.binary("t", op, a, b, span),
            Type::Tuple(parts) => self.less_from(op, a, b, 0, parts.len(), span),
            Type::Array(array) => {
                let elem = array.elem.without_sizes();
                let (m, n) = (self.length(a, span), self.length(b, span));
                let shorter = self.binary("shorter", BinOp::Min, m, n, span);
                self.mark_length(shorter);
                let lambda = self.lambda(vec![("k".to_string(), I64)], |l, k| {
                    let x = l.emit("x", elem.clone(), Expr::Index { array: a, index: k[0] }, span);
                    let y = l.emit("y", elem.clone(), Expr::Index { array: b, index: k[0] }, span);
                    let cond = l.equal(x, y, span);
                    let then = l.body(|_| shorter);
                    let otherwise = l.body(|_| k[0]);
                    l.emit("at", I64, Expr::If { cond, then, otherwise }, span)
                });
                let places = Expr::Generate { lambda, count: shorter };
                let places = self.emit("places", Type::array(I64), places, span);
                let first = self.combined(BinOp::Min, places, Vec::new(), span);
                let cond = self.binary("differ", BinOp::Lt, first, shorter, span);
                let then = self.body(|l| {
                    let x = l.emit("x", elem.clone(), Expr::Index { array: a, index: first }, span);
                    let y = l.emit("y", elem.clone(), Expr::Index { array: b, index: first }, span);
                    l.less(op, x, y, span)
                });
                let otherwise = self.body(|l| l.binary("t", op, m, n, span));
                self.emit("t", BOOL, Expr::If { cond, then, otherwise }, span)
            }
            Type::Sum(_) => {
                let (m, n) = (self.tag(a, span), self.tag(b, span));
                let cond = self.binary("same", BinOp::Eq, m, n, span);
                self.if_same_variant(cond, op, a, b, span, |l| l.binary("t", BinOp::Lt, m, n, span))
            }
        }
    }

    // The last component decides by `op` itself; an earlier one that differs decides by `<`, and for `<=` too.
    fn less_from(&mut self, op: BinOp, a: Atom, b: Atom, k: usize, count: usize, span: Span) -> Atom {
        if k >= count {
            return Atom::Const(Scalar::Bool(op == BinOp::Le));
        }
        let (x, y) = (self.project(a, k, span), self.project(b, k, span));
        if k + 1 == count {
            return self.less(op, x, y, span);
        }
        let cond = self.equal(x, y, span);
        let then = self.body(|l| l.less_from(op, a, b, k + 1, count, span));
        let otherwise = self.body(|l| l.less(BinOp::Lt, x, y, span));
        self.emit("t", BOOL, Expr::If { cond, then, otherwise }, span)
    }
}
