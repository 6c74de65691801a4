//! `precedes` on numbers and tuples of them.
//!
//! ```text
//! integers, bool     a < b
//! floats             a < b,  or a == b and 1/a < 1/b (only -0.0 and 0.0 are equal with different inverses),  or only b is NaN
//! tuples             the first component decides, unless neither stands before the other
//! ```
//!
//! Nothing here can fail, so all parts are computed without branches.

use super::build::{BOOL, Build};
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Type};

impl Build<'_> {
    pub(super) fn precedes(&mut self, a: Atom, b: Atom) -> Option<Expr> {
        let ty = self.ty(a);
        is_plain(&ty).then(|| Expr::Atom(self.before(&ty, a, b)))
    }

    /// Whether `a` stands before `b`; both are numbers or tuples of them.
    pub(super) fn before(&mut self, ty: &Type, a: Atom, b: Atom) -> Atom {
        match ty {
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

    fn float_before(&mut self, ty: ScalarType, a: Atom, b: Atom) -> Atom {
        let one = Atom::Const(Scalar::one(ty));
        let less = self.binary("less", BinOp::Lt, a, b);
        let equal = self.binary("equal", BinOp::Eq, a, b);
        let (x, y) = (self.binary("x", BinOp::Div, one, a), self.binary("y", BinOp::Div, one, b));
        let signs = self.binary("signs", BinOp::Lt, x, y);
        let zeros = self.binary("zeros", BinOp::And, equal, signs);
        let number = self.binary("number", BinOp::Eq, a, a);
        let nan = self.binary("nan", BinOp::Ne, b, b);
        let last = self.binary("last", BinOp::And, number, nan);
        let before = self.binary("before", BinOp::Or, less, zeros);
        self.binary("before", BinOp::Or, before, last)
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
