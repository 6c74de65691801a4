//! `precedes`, the total order.
//!
//! ```text
//! integers, bool     a < b
//! floats             ordinal a < ordinal b, their places in the order
//! tuples             the first component decides, unless neither stands before the other
//! arrays             signs = generate (k) < min(n, m) { compare a[k], b[k] };  the first that is not 0 decides, else the lengths
//! ```
//!
//! Nothing here can fail, so all parts are computed without branches. Arrays are compared by a reduction, also where their first
//! elements differ: the work is their length, the depth its logarithm.

use super::build::{BOOL, Build, I64};
use terrace_base::{BinOp, Scalar, ScalarType, UnOp, ordinal_type};
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Type};

impl Build<'_> {
    pub(super) fn precedes(&mut self, a: Atom, b: Atom) -> Expr {
        let ty = self.ty(a);
        Expr::Atom(self.before(&ty, a, b))
    }

    /// Whether `a` stands before `b`.
    pub(super) fn before(&mut self, ty: &Type, a: Atom, b: Atom) -> Atom {
        match ty {
            ty if !is_plain(ty) => {
                let sign = self.compared(ty, a, b);
                self.binary("before", BinOp::Lt, sign, Atom::int(0))
            }
            Type::Scalar(s) if s.is_float() => self.float_before(*s, a, b),
            Type::Tuple(parts) => {
                let mut found = Atom::Const(Scalar::Bool(false));
                for (k, part) in parts.iter().enumerate().rev() {
                    let x = self.bind("a", part.clone(), Expr::Project(a, k));
                    let y = self.bind("b", part.clone(), Expr::Project(b, k));
                    let before = self.before(part, x, y);
                    if k + 1 == parts.len() {
                        found = before;
                        continue;
                    }
                    let behind = self.before(part, y, x);
                    let level = self.bind("level", BOOL, Expr::Unary(UnOp::Not, behind));
                    let later = self.binary("later", BinOp::And, level, found);
                    found = self.binary("before", BinOp::Or, before, later);
                }
                found
            }
            _ => self.binary("before", BinOp::Lt, a, b),
        }
    }

    /// -1, 0 or 1: whether `a` stands before `b`, neither before the other, or behind.
    fn compared(&mut self, ty: &Type, a: Atom, b: Atom) -> Atom {
        match ty {
            ty if is_plain(ty) => {
                let (before, behind) = (self.before(ty, a, b), self.before(ty, b, a));
                let low = self.choose("low", before, |_| Atom::int(-1), |_| Atom::int(0));
                self.choose("sign", behind, |_| Atom::int(1), |_| low)
            }
            Type::Tuple(parts) => {
                let mut found = Atom::int(0);
                for (k, part) in parts.iter().enumerate().rev() {
                    let x = self.bind("a", part.clone(), Expr::Project(a, k));
                    let y = self.bind("b", part.clone(), Expr::Project(b, k));
                    let sign = self.compared(part, x, y);
                    found = self.first_sign(sign, found);
                }
                found
            }
            Type::Array(of) => {
                let (n, m) = (self.length(a), self.length(b));
                let both = self.binary("both", BinOp::Min, n, m);
                let signs = self.generate("k", both, |s, k| {
                    let (x, y) = (s.index("x", a, k), s.index("y", b, k));
                    s.compared(&of.elem, x, y)
                });
                let array = self.bind("signs", Type::array(I64), signs);
                let operator = self.lambda(&[("a", I64), ("b", I64)], |s, p| s.first_sign(p[0], p[1]));
                let sign = self.bind("sign", I64, Expr::Reduce { operator, neutral: Atom::int(0), array });
                let length = self.compared(&I64, n, m);
                self.first_sign(sign, length)
            }
            Type::Scalar(_) | Type::Sum(_) => unreachable!("numbers are plain, and enums were spelled out"),
        }
    }

    /// The first of two signs, unless it does not decide.
    fn first_sign(&mut self, first: Atom, second: Atom) -> Atom {
        if second == Atom::int(0) {
            return first;
        }
        let decides = self.binary("decides", BinOp::Ne, first, Atom::int(0));
        self.choose("sign", decides, |_| first, |_| second)
    }

    fn float_before(&mut self, ty: ScalarType, a: Atom, b: Atom) -> Atom {
        let (a, b) = (self.ordinal(ty, a), self.ordinal(ty, b));
        self.binary("before", BinOp::Lt, a, b)
    }

    /// The place of a number in the total order.
    pub(super) fn ordinal(&mut self, ty: ScalarType, a: Atom) -> Atom {
        match a {
            Atom::Const(c) => Atom::Const(UnOp::Ordinal.apply(c)),
            a => self.bind("place", Type::Scalar(ordinal_type(ty)), Expr::Unary(UnOp::Ordinal, a)),
        }
    }
}

/// Numbers and tuples of them.
pub(super) fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => true,
        Type::Tuple(parts) => parts.iter().all(is_plain),
        Type::Array(_) | Type::Sum(_) => false,
    }
}
