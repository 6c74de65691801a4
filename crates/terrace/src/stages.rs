//! The stages of a compilation, one by one, for engines and for people.

use crate::backend::{Backend, Settings};
use crate::program::{Failed, Program};
use crate::versions::tune;
use std::collections::BTreeMap;
use std::sync::Arc;
use terrace_base::{IdVec, SourceMap, Span, Timings};
use terrace_ir::core::print::print_with_shapes;
use terrace_ir::core::visit::walk_mut;
use terrace_ir::core::{Expr, Role, StmtKind};
use terrace_ir::{flat, kernel, mem};
use terrace_opt::optimise::fuse::Refusal;
use terrace_opt::optimise::prove_checks::{forget_proofs, prove_checks};
use terrace_opt::options::Options;
use terrace_opt::pipeline;
use terrace_plan::{Plan, Target};

/// A point in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The program after the front end.
    Core,
    /// The same, with the inferred shapes of its values.
    Shapes,
    /// Without nesting.
    Flat,
    /// What was not fused on the way there, and why.
    Fusion,
    /// Which versions there are of each nest, and what chooses between them.
    Versions,
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
    /// The OpenCL text alone.
    OpenCl,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Stage; 11] = [
        Stage::Core,
        Stage::Shapes,
        Stage::Flat,
        Stage::Fusion,
        Stage::Versions,
        Stage::Mem,
        Stage::Kernels,
        Stage::Plan,
        Stage::C,
        Stage::Cuda,
        Stage::OpenCl,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Core => "core",
            Stage::Shapes => "shapes",
            Stage::Flat => "flat",
            Stage::Fusion => "fusion",
            Stage::Versions => "versions",
            Stage::Mem => "mem",
            Stage::Kernels => "kernels",
            Stage::Plan => "plan",
            Stage::C => "c",
            Stage::Cuda => "cuda",
            Stage::OpenCl => "opencl",
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
    let parallel = program.parallel_flat(&options, timings).map_err(limit)?;
    let mut flat = pipeline::with_versions(&parallel, &options, timings);
    tune(flat.thresholds.iter_mut(), settings);
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
        Target::OpenCl => terrace_codegen::opencl::print(&kernels),
    });
    Ok(Compiled::Plan(plan))
}

impl Program {
    /// The program at a stage, as text. Tests are left out: what is asked for is the entries.
    pub fn show(&self, stage: Stage, backend: Backend, settings: &Settings) -> Result<String, Failed> {
        let program = self.without_tests();
        let program = program.for_options(&settings.options);
        let backend = match stage {
            Stage::C => Backend::C,
            Stage::Cuda => Backend::Cuda,
            Stage::OpenCl => Backend::OpenCl,
            _ => backend,
        };
        if stage == Stage::Core {
            return Ok(program.proved().core.to_string());
        }
        if stage == Stage::Shapes {
            return Ok(print_with_shapes(&program.proved().core, &program.proved().analysis.shapes));
        }
        if stage == Stage::Versions {
            return self.versions_text(backend, settings);
        }
        let mut timings = Timings::new();
        if stage == Stage::Fusion {
            let options = Options { target: backend.target(), ..settings.options.clone() };
            let refusals = pipeline::refused_fusions(&program.proved().core, &options, &mut timings);
            let refusals = refusals.map_err(|d| Failed::new(vec![*d], &program.sources))?;
            return Ok(explain_fusion(&refusals, &program.sources));
        }
        Ok(match compile(&program, backend, settings, stage, &mut timings)? {
            Compiled::Flat(p) => p.to_string(),
            Compiled::Mem(p) => p.to_string(),
            Compiled::Kernels(p) => p.to_string(),
            Compiled::Plan(plan) if stage == Stage::Plan => plan.to_string(),
            Compiled::Plan(plan) => {
                let kernels: Vec<&str> = plan.kernels.iter().map(|k| k.text.as_str()).collect();
                format!("{}\n{}{}", plan.preamble, plan.alone, kernels.join("\n"))
            }
        })
    }

    /// The program without its tests. Nothing calls a test, but functions may come after one: calls are renumbered. What is known about
    /// sizes is found anew: a function that only tests call is for all arguments then, and not only for theirs.
    pub(crate) fn without_tests(&self) -> Program {
        let mut program = self.clone();
        let mut new_ids = BTreeMap::new();
        let mut kept = IdVec::new();
        for (old, function) in self.core.functions.enumerate() {
            if !matches!(function.role, Role::Test { .. }) {
                new_ids.insert(old, kept.push(function.clone()));
            }
        }
        for function in kept.iter_mut() {
            walk_mut(&mut function.body, &mut |stmt| {
                if let StmtKind::Let { expr: Expr::Call { function, .. }, .. } = &mut stmt.kind {
                    *function = new_ids[function];
                }
            });
        }
        let mut core = terrace_ir::core::Program { functions: kept, checks: self.core.checks.clone() };
        forget_proofs(&mut core);
        let analysis = Arc::new(prove_checks(&mut core));
        program.set(core, analysis);
        program
    }
}

/// One line per fusion that was refused.
fn explain_fusion(refusals: &[Refusal], sources: &SourceMap) -> String {
    let at = |(name, span): &(String, Span)| match sources.contains(*span) {
        true => format!("`{name}` (line {})", sources.line_col(*span).line),
        false => format!("`{name}`"),
    };
    let mut lines: Vec<String> = Vec::new();
    for refusal in refusals {
        let into = refusal.consumer.as_ref().map(|c| format!(" into {}", at(c))).unwrap_or_default();
        let line = format!("{} is not fused{into}: {}\n", at(&refusal.producer), refusal.reason);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    match lines.is_empty() {
        true => "everything that could be fused was\n".into(),
        false => lines.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_left_out_and_calls_still_name_their_functions() {
        let text = "def twice[t: Num](x: t) -> t = x + x
                    def test_f(x: i64) -> i64 = twice(x)
                    entry f(x: i64) -> i64 = test_f(x)
                    test \"a\" = f(1) == 2";
        let program = Program::from_text("f.tce", text).unwrap_or_else(|e| panic!("{e}"));
        let core = program.show(Stage::Core, Backend::C, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
        assert!(core.contains("call test_f(") && core.contains("call twice_i64("), "{core}");
        assert!(!core.contains("test \""), "{core}");
    }

    fn check_fusion(text: &str, expected: &str) {
        let program = Program::from_text("f.tce", text).unwrap_or_else(|e| panic!("{e}"));
        let found = program.show(Stage::Fusion, Backend::Flat, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn refused_fusions_are_listed_with_the_reason() {
        check_fusion("entry f(xs: []f64) -> f64 = sum([x * x for x in xs])", "everything that could be fused was\n");
        check_fusion(
            "entry softmax(xs: []f64) -> []f64 =
               let t = [exp(x) for x in xs]
               let s = sum(t)
               in [x / s for x in t]",
            "`t` (line 2) is not fused into `s` (line 3): it is used by 2 operators and contains a function that is costly to compute\n",
        );
        check_fusion(
            "entry f(xs: []f64, at: []i64) -> f64 =
               let t = [sin(x) for x in xs]
               in sum([t[i] for i in at])",
            "`t` (line 2) is not fused into `total` (line 3): it is read at computed positions and contains a function that is \
             costly to compute\n",
        );
        check_fusion(
            "entry f(xs: []f64) -> ([]f64, f64) =
               let t = [x + 1.0 for x in xs]
               in (t, sum(t))",
            "`t` (line 2) is not fused into `total` (line 3): it is a result, so it is stored anyway\n",
        );
    }
}
