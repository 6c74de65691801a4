//! The types of kernel expressions, and of what the runtime passes.

use terrace_base::ScalarType;
use terrace_ir::kernel::{Expr, Kernel, ParamKind};
use terrace_plan::KernelParam;

/// The type of what a parameter holds.
pub fn held(kind: ParamKind) -> ScalarType {
    kind.held()
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
    kernel.type_of(e)
}
