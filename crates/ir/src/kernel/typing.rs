//! The types of kernel expressions that obey the rules: `tile < n` is a `bool`, `quotient(q, n)` has the type of `q`.

use super::{Expr, Kernel, ParamKind};
use terrace_base::{ScalarType, ordinal_type};

impl ParamKind {
    /// The type of what a parameter holds.
    pub fn held(self) -> ScalarType {
        match self {
            ParamKind::Input(ty)
            | ParamKind::Output(ty)
            | ParamKind::Scratch(ty)
            | ParamKind::Scalar(ty)
            | ParamKind::CellIn(ty)
            | ParamKind::CellOut(ty) => ty,
        }
    }
}

impl Kernel {
    /// The type of an expression.
    pub fn type_of(&self, e: &Expr) -> ScalarType {
        match e {
            Expr::Const(c) => c.ty(),
            Expr::Local(v) => self.locals[*v].ty,
            Expr::Param(p) | Expr::Load(p, _) | Expr::LoadFresh(p, _) => self.params[*p].kind.held(),
            Expr::Tile | Expr::Thread => ScalarType::I64,
            Expr::Failed => ScalarType::Bool,
            Expr::Binary(op, ..) if op.is_comparison() => ScalarType::Bool,
            Expr::Unary(_, a) | Expr::Binary(_, a, _) | Expr::Fma(a, ..) => self.type_of(a),
            Expr::Quotient(a, _) | Expr::Exact(_, a, _) => self.type_of(a),
            Expr::Select(_, a, _) | Expr::Shuffle(_, a, _) => self.type_of(a),
            Expr::Convert(ty, _) => *ty,
            Expr::Ordinal(a) => ordinal_type(self.type_of(a)),
            Expr::Element(a, _) => self.arrays[*a].elem,
        }
    }
}
