//! Kernels as CUDA C.
//!
//! A kernel becomes a function per phase; a tile is a block of threads:
//!
//! ```text
//! kernel saxpy_map(out x: f32[], a: f32, …)     extern "C" __global__ void __launch_bounds__(256)
//!                                               saxpy_map(unsigned long long* terrace_err, long long terrace_launch,
//!                                                         float* __restrict__ x_p0, float a_p1, …) {
//! ```
//!
//! The text is compiled with contraction off (a fused multiply-add is written as one) and also runs under the simulator
//! of the test kit. A kernel starts with the test whether an earlier launch has failed; that is the same for all
//! threads, because only this launch can be writing the record, and under its own number.

pub mod expr;
pub mod preamble;
pub mod stmt;
pub mod types;

use crate::shared::names;
use crate::shared::plan;
use crate::shared::used::Used;
use stmt::Lines;
use terrace_base::ScalarType;
use terrace_ir::kernel::{Kernel, Param, ParamId, ParamKind, Program, Stmt};
use terrace_plan::{KernelText, Plan, Target};

/// The plan of a program for CUDA devices.
pub fn print(program: &Program) -> Plan {
    plan::of(program, Target::Cuda, preamble::PREAMBLE.to_string(), kernel)
}

/// The text of one kernel.
pub fn kernel(k: &Kernel) -> KernelText {
    plan::kernel(k, phase)
}

fn phase(k: &Kernel, name: &str, stmts: &[Stmt]) -> String {
    let used = Used::of(stmts);
    let mut params = vec!["unsigned long long* terrace_err".to_string(), "long long terrace_launch".to_string()];
    params.extend(k.params.enumerate().map(|(id, p)| parameter(k, id, p)));

    let mut lines = Lines::new(used.failed);
    lines.line("if (terrace_stopped(terrace_err, terrace_launch)) return;");
    for (id, p) in k.params.enumerate() {
        if !used.params.contains(&id) {
            continue;
        }
        let name = names::param(k, id);
        match p.kind {
            ParamKind::CellIn(ty) => lines.line(&format!("const {} {name} = *{name}_cell;", types::variable(ty))),
            ParamKind::Scalar(ScalarType::Bool) => {
                lines.line(&format!("const bool {name} = {name}_byte != 0;"));
            }
            // The compiler joins neighbouring loads where it knows that memory of a device begins at such an address.
            ParamKind::Input(_) if used.groups.contains(&id) => lines.line(&format!("TERRACE_ALIGNED({name});")),
            _ => {}
        }
    }
    if used.failed {
        lines.line("bool failed = false;");
    }
    for (id, a) in k.arrays.enumerate() {
        if used.arrays.contains(&id) {
            let place = if a.shared { "__shared__ __align__(16) " } else { "" };
            lines.line(&format!("{place}{} {}[{}];", types::element(a.elem), names::array(k, id), a.count.max(1)));
        }
    }
    lines.stmts(k, stmts);
    format!(
        "extern \"C\" __global__ void __launch_bounds__({}{}) {name}({}) {{\n{}}}\n",
        k.block,
        if k.resident > 1 { format!(", {}", k.resident) } else { String::new() },
        params.join(", "),
        lines.finish()
    )
}

fn parameter(k: &Kernel, id: ParamId, p: &Param) -> String {
    let name = names::param(k, id);
    match p.kind {
        ParamKind::Input(ty) => format!("const {}* __restrict__ {name}", types::element(ty)),
        ParamKind::Output(ty) => format!("{}* __restrict__ {name}", types::element(ty)),
        ParamKind::Scratch(ty) => format!("{}* {name}", types::element(ty)),
        ParamKind::Scalar(ScalarType::Bool) => format!("unsigned char {name}_byte"),
        ParamKind::Scalar(ty) => format!("{} {name}", types::variable(ty)),
        ParamKind::CellIn(ty) => format!("const {}* {name}_cell", types::element(ty)),
        ParamKind::CellOut(ty) => format!("{}* {name}", types::element(ty)),
    }
}
