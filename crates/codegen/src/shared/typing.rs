//! The types of kernel expressions.

use terrace_base::{ScalarType, ordinal_type};
use terrace_ir::kernel::{Expr, Kernel, ParamKind};
use terrace_plan::KernelParam;

/// The type of what a parameter holds.
pub fn held(kind: ParamKind) -> ScalarType {
    match kind {
        ParamKind::Input(ty)
        | ParamKind::Output(ty)
        | ParamKind::Scratch(ty)
        | ParamKind::Scalar(ty)
        | ParamKind::CellIn(ty)
        | ParamKind::CellOut(ty) => ty,
    }
}

/// What the runtime passes for a parameter.
pub fn described(kind: ParamKind) -> KernelParam {
    match kind {
        ParamKind::Input(ty) | ParamKind::Output(ty) | ParamKind::Scratch(ty) => KernelParam::Buffer(ty),
        ParamKind::CellIn(ty) | ParamKind::CellOut(ty) => KernelParam::Cell(ty),
        ParamKind::Scalar(ty) => KernelParam::Scalar(ty),
    }
}

/// The type of an expression.
pub fn type_of(kernel: &Kernel, e: &Expr) -> ScalarType {
    match e {
        Expr::Const(c) => c.ty(),
        Expr::Local(v) => kernel.locals[*v].ty,
        Expr::Param(p) | Expr::Load(p, _) | Expr::LoadFresh(p, _) => held(kernel.params[*p].kind),
        Expr::Tile | Expr::Thread | Expr::Quotient(..) => ScalarType::I64,
        Expr::Failed => ScalarType::Bool,
        Expr::Binary(op, ..) if op.is_comparison() => ScalarType::Bool,
        Expr::Unary(_, a) | Expr::Binary(_, a, _) | Expr::Fma(a, ..) => type_of(kernel, a),
        Expr::Select(_, a, _) | Expr::Shuffle(_, a, _) => type_of(kernel, a),
        Expr::Convert(ty, _) => *ty,
        Expr::Ordinal(a) => ordinal_type(type_of(kernel, a)),
        Expr::Element(a, _) => kernel.arrays[*a].elem,
    }
}
