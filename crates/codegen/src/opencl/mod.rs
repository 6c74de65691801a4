//! Kernels as OpenCL C 1.2.
//!
//! A kernel becomes a function per phase; a tile is a work-group:
//!
//! ```text
//! kernel saxpy_map(out x: f32[], a: f32, …)     __kernel __attribute__((reqd_work_group_size(256, 1, 1)))
//!                                               void saxpy_map(volatile __global uint64_t *terrace_err, int64_t terrace_launch,
//!                                                              __global float *restrict x_p0, float a_p1, …) {
//! ```
//!
//! What a warp does with shuffles, a work-group does through an array in local memory and two barriers: kernels have shuffles
//! only where the whole block comes along, and the order in which values are combined is the same, so the bits are. A
//! cell is a buffer and a place in it: a pointer into the middle of a buffer cannot be passed.
//!
//! The text says what it needs of the device, in the pragmas that OpenCL wants anyway:
//!
//! ```text
//! #pragma OPENCL EXTENSION cl_khr_fp64 : enable                  f64
//! #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable    atomic operations on 8 bytes
//! ```
//!
//! Contraction is off: a fused multiply-add is written as one.

pub mod expr;
pub mod preamble;
pub mod stmt;
pub mod types;

use crate::shared::names;
use crate::shared::plan;
use crate::shared::typing::held;
use crate::shared::used::Used;
use stmt::Lines;
use terrace_base::ScalarType;
use terrace_ir::kernel::{Kernel, Param, ParamId, ParamKind, Program, Stmt};
use terrace_plan::{KernelText, Plan, Target};

/// The plan of a program for OpenCL devices.
pub fn print(program: &Program) -> Plan {
    plan::of(program, Target::OpenCl, preamble::text(), kernel)
}

/// The text of one kernel.
pub fn kernel(k: &Kernel) -> KernelText {
    plan::kernel(k, phase)
}

fn phase(k: &Kernel, name: &str, stmts: &[Stmt]) -> String {
    let used = Used::of(stmts);
    let mut params = vec!["volatile __global uint64_t *terrace_err".to_string(), "int64_t terrace_launch".to_string()];
    params.extend(k.params.enumerate().map(|(id, p)| parameter(k, id, p)));

    let mut lines = Lines::new(used.failed);
    // Local memory belongs to the outermost block of a kernel.
    for (id, a) in k.arrays.enumerate().filter(|(id, _)| used.arrays.contains(id)) {
        let place = if a.shared { "__local " } else { "" };
        lines.line(&format!("{place}{} {}[{}];", types::element(a.elem), names::array(k, id), a.count.max(1)));
    }
    if used.shuffles {
        lines.line(&format!("__local uint64_t terrace_exchange[{}];", k.block));
    }
    lines.line("if (terrace_stopped(terrace_err, terrace_launch)) return;");
    for (id, p) in k.params.enumerate().filter(|(id, _)| used.params.contains(id)) {
        let name = names::param(k, id);
        match p.kind {
            ParamKind::CellIn(ty) => {
                let is = if ty == ScalarType::Bool { " != 0" } else { "" };
                let cell = format!("*(__global const {} *)({name}_cells + {name}_at)", types::element(ty));
                lines.line(&format!("const {} {name} = {cell}{is};", types::variable(ty)));
            }
            ParamKind::CellOut(ty) => {
                let ty = types::element(ty);
                lines.line(&format!("__global {ty} *{name} = (__global {ty} *)({name}_cells + {name}_at);"));
            }
            ParamKind::Scalar(ScalarType::Bool) => lines.line(&format!("const bool {name} = {name}_byte != 0;")),
            _ => {}
        }
    }
    if used.failed {
        lines.line("bool failed = false;");
    }
    lines.stmts(k, stmts);
    let mut needs = String::new();
    let mut need = |extension: &str| needs.push_str(&format!("#pragma OPENCL EXTENSION {extension} : enable\n"));
    if used.f64 || has_f64(k) {
        need("cl_khr_fp64");
    }
    if lines.wide_atomics {
        need("cl_khr_int64_base_atomics");
    }
    format!(
        "{needs}__kernel __attribute__((reqd_work_group_size({}, 1, 1))) void {name}({}) {{\n{}}}\n",
        k.block,
        params.join(", "),
        lines.finish()
    )
}

fn has_f64(k: &Kernel) -> bool {
    let params = k.params.iter().map(|p| held(p.kind));
    let all = params.chain(k.locals.iter().map(|l| l.ty)).chain(k.arrays.iter().map(|a| a.elem));
    all.into_iter().any(|ty| ty == ScalarType::F64)
}

fn parameter(k: &Kernel, id: ParamId, p: &Param) -> String {
    let name = names::param(k, id);
    match p.kind {
        ParamKind::Input(ty) => format!("__global const {} *restrict {name}", types::element(ty)),
        ParamKind::Output(ty) => format!("__global {} *restrict {name}", types::element(ty)),
        ParamKind::Scratch(ty) => format!("__global {} *{name}", types::element(ty)),
        ParamKind::Scalar(ScalarType::Bool) => format!("uint8_t {name}_byte"),
        ParamKind::Scalar(ty) => format!("{} {name}", types::variable(ty)),
        ParamKind::CellIn(_) | ParamKind::CellOut(_) => format!("__global uint8_t *{name}_cells, int64_t {name}_at"),
    }
}
