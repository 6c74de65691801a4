//! A program, compiled for a back end and ready to be called.

use crate::backend::{Backend, Settings};
use crate::program::{Failed, Program};
use crate::stages::{Compiled, compile};
use std::collections::BTreeMap;
use terrace_base::{Scalar, SourceMap, Timings};
use terrace_interp::core::Failure;
use terrace_interp::{core as core_interp, flat as flat_interp, mem as mem_interp};
use terrace_ir::{FuncId, core, flat, mem};
use terrace_opt::optimise::spell_out_sums;
use terrace_plan::data::Data;
use terrace_plan::messages;
use terrace_runtime::{Loaded, RunError, Runtime, Stats, ValueError};

/// The result of a call.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The value.
    pub value: Data,
    /// What it took, on a device.
    pub stats: Option<Stats>,
    /// What it took, in an interpreter: counts by name.
    pub counts: BTreeMap<String, u64>,
}

/// The result of a test.
#[derive(Debug)]
pub struct TestOutcome {
    /// The name as written.
    pub name: String,
    /// Nothing if it holds; else why not.
    pub failure: Option<Failed>,
}

/// A program, ready to be called. Safe to use from several threads.
pub struct Engine {
    sources: SourceMap,
    program: Program,
    machine: Machine,
    settings: Settings,
    /// How long each stage of the compilation took.
    pub timings: Timings,
}

enum Machine {
    Core(core::Program),
    Flat(flat::Program),
    Mem(mem::Program),
    Device(Box<Loaded>),
}

impl Program {
    /// Compiles the program for a back end.
    pub fn engine(&self, backend: Backend, settings: &Settings) -> Result<Engine, Failed> {
        let mut timings = Timings::new();
        let machine = match backend {
            Backend::Interp => Machine::Core(self.core.clone()),
            Backend::Flat => match compile(self, backend, settings, crate::Stage::Flat, &mut timings)? {
                Compiled::Flat(p) => Machine::Flat(p),
                _ => unreachable!("asked for Flat"),
            },
            Backend::Mem => match compile(self, backend, settings, crate::Stage::Mem, &mut timings)? {
                Compiled::Mem(p) => Machine::Mem(p),
                _ => unreachable!("asked for Mem"),
            },
            Backend::C | Backend::Cuda | Backend::CudaSim => {
                let Compiled::Plan(plan) = compile(self, backend, settings, crate::Stage::Plan, &mut timings)? else {
                    unreachable!("asked for a plan")
                };
                let device = match backend {
                    Backend::Cuda => terrace_runtime::Backend::Cuda { device: settings.device },
                    Backend::CudaSim => terrace_runtime::Backend::CudaSim { seed: settings.seed },
                    _ => terrace_runtime::Backend::Cpu { threads: settings.threads },
                };
                let options = terrace_runtime::Options {
                    memory_limit: settings.memory_limit,
                    depth_limit: settings.depth_limit,
                    profile: settings.profile,
                    ..terrace_runtime::Options::default()
                };
                let device_error = |e: RunError| Failed::new(vec![e.diagnostic(&plan)], &self.sources);
                let runtime = Runtime::new(device, options).map_err(device_error)?;
                let loaded = timings.measure("compile_kernels", || runtime.load(&plan)).map_err(device_error)?;
                Machine::Device(Box::new(loaded))
            }
        };
        let (sources, program) = (self.sources.clone(), self.clone());
        Ok(Engine { sources, program, machine, settings: settings.clone(), timings })
    }
}

impl Program {
    /// Compiled C, or the interpreter and the reason where the program cannot be compiled here.
    pub fn default_engine(&self, settings: &Settings) -> Result<(Engine, Option<String>), Failed> {
        let why = match self.engine(Backend::C, settings) {
            Ok(engine) => return Ok((engine, None)),
            Err(failed) => match failed.diagnostics.as_slice() {
                [limit] if limit.code == "T0801" => format!("this runs in the interpreter: {}", limit.title),
                [none] if none.title.starts_with(terrace_runtime::NO_COMPILER) => {
                    format!("this runs in the interpreter: {}", none.title)
                }
                _ => return Err(failed),
            },
        };
        Ok((self.engine(Backend::Interp, settings)?, Some(why)))
    }
}

/// A failure of an interpreter as a message. Library code is not what the reader wrote: the message points at its caller.
pub(crate) fn diagnose(failure: &Failure, sources: &SourceMap) -> terrace_base::Diagnostic {
    failure.to_diagnostic_with(&|file| sources.name(file).starts_with("std/"))
}

impl Engine {
    /// Calls an entry.
    pub fn call(&self, entry: &str, args: Vec<Data>) -> Result<Outcome, Failed> {
        let id = self.program.entry(entry)?;
        let wanted = self.program.core.functions[id].params.len();
        if wanted != args.len() {
            let s = if wanted == 1 { "" } else { "s" };
            let text = format!("`{entry}` takes {wanted} argument{s}, and {} were given", args.len());
            return Err(Failed::plain("T0703", text));
        }
        self.run(id, args)
    }

    /// Runs every test whose name contains `filter`.
    pub fn run_tests(&self, filter: &str) -> Vec<TestOutcome> {
        let tests = self.program.tests().into_iter().filter(|(_, name, _)| name.contains(filter));
        tests
            .map(|(id, name, arguments)| {
                let failure = match self.run(id, arguments.to_vec()) {
                    Ok(Outcome { value: Data::Scalar(Scalar::Bool(true)), .. }) => None,
                    Ok(_) => Some(self.does_not_hold(id)),
                    Err(failed) => Some(failed),
                };
                TestOutcome { name: name.to_string(), failure }
            })
            .collect()
    }

    fn does_not_hold(&self, id: FuncId) -> Failed {
        let span = self.program.core.functions[id].span;
        let message = terrace_base::Diagnostic::error("T0704", "this test does not hold").primary(span, "gives false");
        Failed::new(vec![message], &self.sources)
    }

    /// The loaded plan of a device back end, for measuring.
    pub fn loaded(&self) -> Option<&Loaded> {
        match &self.machine {
            Machine::Device(loaded) => Some(loaded),
            _ => None,
        }
    }

    /// What went wrong with a call. The plan does not know what the parameters are called; the program does.
    fn call_failed(&self, loaded: &Loaded, id: FuncId, error: &RunError) -> Failed {
        let function = &self.program.core.functions[id];
        let RunError::Argument { param, error: ValueError::Size { index, found, wanted } } = error else {
            return self.failed(loaded, error);
        };
        let name = function.params.get(*param).map_or("", |p| function.values[*p].name.as_str());
        let index: Vec<i64> = index.iter().map(|i| *i as i64).collect();
        let message = messages::diagnostic("parameter", name, &[*found, *wanted], function.span, &index);
        Failed::new(vec![message], &self.sources)
    }

    pub(crate) fn failed(&self, loaded: &Loaded, error: &RunError) -> Failed {
        Failed::new(vec![loaded.diagnose(error)], &self.sources)
    }

    fn run(&self, id: FuncId, args: Vec<Data>) -> Result<Outcome, Failed> {
        if let Machine::Core(_) = &self.machine {
            return self.run_as_is(id, args);
        }
        let function = &self.program.core.functions[id];
        let types = function.params.iter().map(|p| &function.values[*p].ty);
        let args = args.into_iter().zip(types).map(|(data, ty)| spell_out_sums::enter(data, ty)).collect();
        let mut outcome = self.run_as_is(id, args)?;
        outcome.value = spell_out_sums::leave(outcome.value, &function.result);
        Ok(outcome)
    }

    /// Calls a function with data in the form that the machine has: compiled programs know no enums.
    fn run_as_is(&self, id: FuncId, args: Vec<Data>) -> Result<Outcome, Failed> {
        let failed = |f: Failure| Failed::new(vec![diagnose(&f, &self.sources)], &self.sources);
        let name = &self.program.core.functions[id].name;
        match &self.machine {
            Machine::Core(program) => {
                let options = core_interp::Options {
                    depth_limit: self.settings.depth_limit,
                    step_limit: self.settings.step_limit,
                    element_limit: self.settings.element_limit,
                    laws: self.settings.laws,
                };
                let (value, counts) = core_interp::run(program, id, args, &options);
                let counts = [("statements", counts.statements), ("elements", counts.elements)];
                let counts = counts.into_iter().map(|(k, n)| (k.to_string(), n)).collect();
                Ok(Outcome { value: value.map_err(failed)?, stats: None, counts })
            }
            Machine::Flat(program) => {
                let (value, counts) = flat_interp::run(program, flat_id(program, name), args, &self.flat_options());
                Ok(Outcome { value: value.map_err(failed)?, stats: None, counts: flat_counts(&counts) })
            }
            Machine::Mem(program) => {
                let (value, counts) = mem_interp::run(program, flat_id(program, name), args, &self.flat_options());
                Ok(Outcome { value: value.map_err(failed)?, stats: None, counts: flat_counts(&counts) })
            }
            Machine::Device(loaded) => {
                let plan = loaded.plan();
                let entry = plan.entries.iter().position(|e| plan.functions[e.function].name == *name);
                let entry = entry.expect("every entry and test is in the plan");
                let (value, stats) = loaded.call(entry, &args).map_err(|e| self.call_failed(loaded, id, &e))?;
                Ok(Outcome { value, stats: Some(stats), counts: BTreeMap::new() })
            }
        }
    }

    fn flat_options(&self) -> flat_interp::Options {
        let default = flat_interp::Options::default();
        flat_interp::Options {
            depth_limit: self.settings.depth_limit,
            memory_limit: self.settings.memory_limit.unwrap_or(default.memory_limit),
            ..default
        }
    }
}

/// Functions of Flat are numbered anew; entries and tests keep their names.
fn flat_id<A>(program: &flat::Program<A>, name: &str) -> FuncId {
    let found = program.functions.enumerate().find(|(_, f)| f.role != flat::Role::Internal && f.name == name);
    found.map(|(id, _)| id).expect("every entry and test is in the flattened program")
}

fn flat_counts(counts: &flat_interp::Counts) -> BTreeMap<String, u64> {
    let operators = counts.operators.iter().map(|((kind, level), n)| (format!("{kind} {level}"), *n));
    let rest = [("points", counts.points), ("elements", counts.elements), ("calls", counts.calls)];
    operators.chain(rest.into_iter().map(|(k, n)| (k.to_string(), n))).collect()
}
