//! The stages of a compilation, one by one, for engines and for people.

use crate::backend::{Backend, Settings};
use crate::program::{Failed, Program};
use terrace_base::Timings;
use terrace_ir::{flat, kernel, mem};
use terrace_opt::options::Options;
use terrace_opt::pipeline;
use terrace_plan::{Plan, Target};

/// A point in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The program after the front end.
    Core,
    /// Without nesting.
    Flat,
    /// With places in memory.
    Mem,
    /// Kernels and host program.
    Kernels,
    /// The executable plan: host program and kernel texts.
    Plan,
    /// The C text alone.
    C,
    /// The CUDA text alone.
    Cuda,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Stage; 7] =
        [Stage::Core, Stage::Flat, Stage::Mem, Stage::Kernels, Stage::Plan, Stage::C, Stage::Cuda];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Core => "core",
            Stage::Flat => "flat",
            Stage::Mem => "mem",
            Stage::Kernels => "kernels",
            Stage::Plan => "plan",
            Stage::C => "c",
            Stage::Cuda => "cuda",
        }
    }

    /// The stage of that name.
    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|s| s.name() == name)
    }
}

pub(crate) enum Compiled {
    Flat(flat::Program),
    Mem(mem::Program),
    Kernels(kernel::Program),
    Plan(Plan),
}

/// Compiles as far as a stage after Core.
pub(crate) fn compile(
    program: &Program,
    backend: Backend,
    settings: &Settings,
    stage: Stage,
    timings: &mut Timings,
) -> Result<Compiled, Failed> {
    let target = backend.target();
    let options = Options { target, ..settings.options.clone() };
    let limit = |d: Box<terrace_base::Diagnostic>| Failed::new(vec![*d], &program.sources);
    let flat = pipeline::to_flat(&program.core, &options, timings).map_err(limit)?;
    if stage == Stage::Flat {
        return Ok(Compiled::Flat(flat));
    }
    let mem = pipeline::to_mem(&flat, &options, timings).map_err(limit)?;
    if stage == Stage::Mem {
        return Ok(Compiled::Mem(mem));
    }
    let kernels = pipeline::to_kernels(&mem, &options, timings).map_err(limit)?;
    if stage == Stage::Kernels {
        return Ok(Compiled::Kernels(kernels));
    }
    let plan = timings.measure("print_kernels", || match target {
        Target::C => terrace_codegen::c::print(&kernels),
        Target::Cuda => terrace_codegen::cuda::print(&kernels),
    });
    Ok(Compiled::Plan(plan))
}

impl Program {
    /// The program at a stage, as text. Tests are left out: what is asked for is the entries.
    pub fn show(&self, stage: Stage, backend: Backend, settings: &Settings) -> Result<String, Failed> {
        let mut program = self.clone();
        for function in program.core.functions.iter_mut() {
            if matches!(function.role, terrace_ir::core::Role::Test { .. }) {
                function.role = terrace_ir::core::Role::Internal;
            }
        }
        let called = program.reachable();
        let backend = match stage {
            Stage::C => Backend::C,
            Stage::Cuda => Backend::Cuda,
            _ => backend,
        };
        if stage == Stage::Core {
            return Ok(called.to_string());
        }
        let mut timings = Timings::new();
        Ok(match compile(&program, backend, settings, stage, &mut timings)? {
            Compiled::Flat(p) => p.to_string(),
            Compiled::Mem(p) => p.to_string(),
            Compiled::Kernels(p) => p.to_string(),
            Compiled::Plan(plan) if stage == Stage::Plan => plan.to_string(),
            Compiled::Plan(plan) => {
                let kernels: Vec<&str> = plan.kernels.iter().map(|k| k.text.as_str()).collect();
                format!("{}\n{}", plan.preamble, kernels.join("\n"))
            }
        })
    }

    /// The Core program without its tests.
    fn reachable(&self) -> terrace_ir::core::Program {
        let mut core = self.core.clone();
        let kept = core.functions.into_vec().into_iter();
        // Tests come after everything that they call, and nothing calls a test: numbers stay right.
        core.functions =
            kept.filter(|f| !f.name.starts_with("test_") || f.role == terrace_ir::core::Role::Entry).collect();
        core
    }
}
