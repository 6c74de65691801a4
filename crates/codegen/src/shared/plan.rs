//! A plan from kernels: everything but their texts is the same for all targets.

use super::names;
use super::typing::described;
use terrace_ir::kernel::{Kernel, Program, Stmt};
use terrace_plan::{KernelText, Plan, Target, VERSION};

/// The plan of a program, given the text before all kernels and how one is printed.
pub fn of(program: &Program, target: Target, preamble: String, kernel: fn(&Kernel) -> KernelText) -> Plan {
    Plan {
        version: VERSION,
        target,
        functions: program.functions.clone(),
        kernels: program.kernels.iter().map(kernel).collect(),
        preamble,
        alone: String::new(),
        entries: program.entries.clone(),
        checks: program.checks.clone(),
        thresholds: program.thresholds.clone(),
    }
}

/// A kernel, given how a phase of it is printed under a name.
pub fn kernel(k: &Kernel, phase: fn(&Kernel, &str, &[Stmt]) -> String) -> KernelText {
    let texts: Vec<String> = k.phases.iter().enumerate().map(|(p, s)| phase(k, &names::phase(k, p), s)).collect();
    KernelText {
        name: k.name.clone(),
        text: texts.join("\n"),
        params: k.params.iter().map(|p| described(p.kind)).collect(),
        phases: k.phases.len(),
        block: k.block,
        small: k.small.clone(),
        alone: false,
        span: k.span,
    }
}
