//! A program, compiled for a back end and ready to be called.
//!
//! An entry with a parameter such as `[][]f64` may have a second body, for arguments whose rows happen to have one length
//! (`terrace_opt::optimise::regular_entry`). Which body is taken is decided at each call, by one look at the lengths:
//!
//! ```text
//! row_sums([[1.0, 2.0], [3.0]])         the general body
//! row_sums([[1.0, 2.0], [3.0, 4.0]])    the regular body, an engine of its own that is made when it is first wanted
//! ```
//!
//! A regular body that cannot be compiled is no loss: the general one runs.

use crate::backend::{Backend, Settings};
use crate::program::{Failed, Program};
use crate::stages::{Compiled, compile};
use crate::start;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use terrace_base::{Scalar, SourceMap, Timings};
use terrace_interp::core::Failure;
use terrace_interp::{core as core_interp, flat as flat_interp, mem as mem_interp};
use terrace_ir::core::Role;
use terrace_ir::shape::Shapes;
use terrace_ir::{FuncId, core, flat, mem};
use terrace_opt::optimise::regular_entry::{is_rectangular, ragged_dimensions};
use terrace_opt::optimise::spell_out_sums;
use terrace_plan::Plan;
use terrace_plan::data::Data;
use terrace_plan::messages;
use terrace_plan::threshold::Guarded;
use terrace_runtime::{Loaded, RunError, Runtime, Stats, ValueError};

/// The result of a call.
#[derive(Clone, Debug)]
pub struct Outcome<V = Data> {
    /// The value.
    pub value: V,
    /// What it took, on a device.
    pub stats: Option<Stats>,
    /// What it took, in an interpreter: counts by name.
    pub counts: BTreeMap<String, u64>,
    /// The guards that were passed, where the settings ask for them.
    pub guards: Vec<Guarded>,
    /// Which body of the entry ran.
    pub body: Taken,
}

/// Which body of an entry ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The only one.
    Only,
    /// The one for any data, where there is another.
    General,
    /// The one for data whose rows have one length.
    Regular,
}

impl Taken {
    /// What `--stats` says, where there was a choice.
    pub fn text(self) -> Option<&'static str> {
        match self {
            Taken::Only => None,
            Taken::General => Some("the general body ran"),
            Taken::Regular => Some("the regular body ran: all rows have one length"),
        }
    }
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
    pub(crate) sources: SourceMap,
    program: Program,
    pub(crate) machine: Machine,
    backend: Backend,
    pub(crate) settings: Settings,
    /// What the interpreter compares a run with, if it is asked to.
    claims: Option<Arc<Shapes>>,
    /// For the entries that have one: the engine of the regular body, or nothing where it cannot be compiled.
    pub(crate) regular: BTreeMap<FuncId, OnceLock<Made>>,
    timings: Timings,
}

pub(crate) type Made = Result<Option<Box<Engine>>, Failed>;

pub(crate) enum Machine {
    Core(core::Program),
    Flat(flat::Program),
    Mem(mem::Program),
    Device(Arc<Runtime>, Box<Loaded>),
}

impl Program {
    /// Compiles the program for a back end.
    pub fn engine(&self, backend: Backend, settings: &Settings) -> Result<Engine, Failed> {
        let mut timings = self.timings.clone();
        let key = self.plan_key(backend, settings, None);
        let plan = key.as_ref().and_then(|key| timings.measure("find_plan", || start::find(key))).flatten();
        let key = key.as_deref().filter(|_| plan.is_none());
        let program = self.for_options(&settings.options);
        let mut engine = program.engine_on(backend, settings, None, key, plan, timings)?;
        if settings.options.regularity {
            let ragged = |f: &core::Function| f.params.iter().any(|p| ragged_dimensions(&f.values[*p].ty) > 0);
            let entries = self.core.functions.enumerate().filter(|(_, f)| f.role == Role::Entry && ragged(f));
            engine.regular = entries.map(|(id, _)| (id, OnceLock::new())).collect();
        }
        engine.check_thresholds()?;
        Ok(engine)
    }

    /// Compiles the program for a back end, with the device that another engine has opened, if it needs one. A plan that is there already
    /// is taken; one that is made is kept under the key.
    fn engine_on(
        &self,
        backend: Backend,
        settings: &Settings,
        opened: Option<&Arc<Runtime>>,
        key: Option<&str>,
        plan: Option<Plan>,
        mut timings: Timings,
    ) -> Result<Engine, Failed> {
        let machine = match backend {
            Backend::Interp => Machine::Core(self.proved().core.clone()),
            Backend::Flat => match compile(self, backend, settings, crate::Stage::Flat, &mut timings)? {
                Compiled::Flat(p) => Machine::Flat(p),
                _ => unreachable!("asked for Flat"),
            },
            Backend::Mem => match compile(self, backend, settings, crate::Stage::Mem, &mut timings)? {
                Compiled::Mem(p) => Machine::Mem(p),
                _ => unreachable!("asked for Mem"),
            },
            Backend::C | Backend::Cuda | Backend::CudaSim | Backend::OpenCl => {
                let plan = match plan {
                    Some(plan) => plan,
                    None => match compile(self, backend, settings, crate::Stage::Plan, &mut timings)? {
                        Compiled::Plan(plan) => plan,
                        _ => unreachable!("asked for a plan"),
                    },
                };
                let device = match backend {
                    Backend::Cuda => terrace_runtime::Backend::Cuda { device: settings.device },
                    Backend::CudaSim => terrace_runtime::Backend::CudaSim { seed: settings.seed },
                    Backend::OpenCl => terrace_runtime::Backend::OpenCl { device: settings.device },
                    _ => terrace_runtime::Backend::Cpu { threads: settings.threads },
                };
                let tiny = settings.options.tiles == crate::TileSizes::TINY;
                let capture = if tiny { terrace_runtime::Capture::TINY } else { terrace_runtime::Capture::NORMAL };
                let options = terrace_runtime::Options {
                    memory_limit: settings.memory_limit,
                    depth_limit: settings.depth_limit,
                    profile: settings.profile,
                    log_guards: settings.log_guards,
                    capture: settings.capture.then_some(capture),
                    index_limit: settings.index_limit,
                    ..terrace_runtime::Options::default()
                };
                let device_error = |e: RunError| Failed::new(vec![e.diagnostic(&plan)], &self.sources);
                let runtime = match opened {
                    Some(runtime) => runtime.clone(),
                    None => Arc::new(Runtime::new(device, options).map_err(device_error)?),
                };
                let loaded = timings.measure("load_plan", || runtime.load(&plan)).map_err(device_error)?;
                if let Some(key) = key {
                    timings.measure("keep_plan", || self.keep_plan(key, &plan));
                }
                Machine::Device(runtime, Box::new(loaded))
            }
        };
        let (sources, program, settings) = (self.sources.clone(), self.clone(), settings.clone());
        let claims = match (backend, settings.verify_shapes) {
            (Backend::Interp, true) => Some(Arc::new(program.proved().analysis.shapes.clone())),
            _ => None,
        };
        Ok(Engine { sources, program, machine, backend, settings, claims, regular: BTreeMap::new(), timings })
    }
}

impl Program {
    /// Compiled C, or the interpreter and the reason where the program cannot be compiled here.
    pub fn default_engine(&self, settings: &Settings) -> Result<(Engine, Option<String>), Failed> {
        let why = match terrace_runtime::c_compiler() {
            Err(none) => none.replace('\n', "; "),
            Ok(()) => match self.engine(Backend::C, settings) {
                Ok(engine) => return Ok((engine, None)),
                Err(failed) => match failed.diagnostics.as_slice() {
                    [limit] if limit.code == "T0801" => limit.title.clone(),
                    _ => return Err(failed),
                },
            },
        };
        Ok((self.engine(Backend::Interp, settings)?, Some(why)))
    }
}

/// A failure of an interpreter as a message. Library code is not what the reader wrote: the message points at its caller.
pub(crate) fn diagnose(failure: &Failure, sources: &SourceMap) -> terrace_base::Diagnostic {
    failure.to_diagnostic_with(&|file| sources.name(file).starts_with("std/"))
}

/// Whether a parameter's type states sizes below its outermost dimension.
fn states_rows(ty: &core::Type) -> bool {
    match ty {
        core::Type::Array(array) => array.elem != array.elem.without_sizes(),
        other => *other != other.without_sizes(),
    }
}

/// Whether an entry takes so many arguments.
pub(crate) fn takes(entry: &str, wanted: usize, given: usize) -> Result<(), Failed> {
    if wanted == given {
        return Ok(());
    }
    let s = if wanted == 1 { "" } else { "s" };
    Err(Failed::plain("T0703", format!("`{entry}` takes {wanted} argument{s}, and {given} were given")))
}

impl Engine {
    /// Calls an entry.
    pub fn call(&self, entry: &str, args: Vec<Data>) -> Result<Outcome, Failed> {
        let id = self.program.entry(entry)?;
        let wanted = self.program.core.functions[id].params.len();
        takes(entry, wanted, args.len())?;
        match self.regular_for(id, &args)? {
            Some(regular) => {
                let outcome = regular.run(regular.program.entry(entry)?, args)?;
                Ok(Outcome { body: Taken::Regular, ..outcome })
            }
            None => {
                let outcome = self.run(id, args)?;
                Ok(Outcome { body: self.without_regular(id), ..outcome })
            }
        }
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// What is taken where the regular body is not.
    pub(crate) fn without_regular(&self, id: FuncId) -> Taken {
        if self.regular.contains_key(&id) { Taken::General } else { Taken::Only }
    }

    /// The engine of the body that arguments are for, if it is the regular one.
    pub(crate) fn regular_for(&self, id: FuncId, args: &[Data]) -> Result<Option<&Engine>, Failed> {
        let function = &self.program.core.functions[id];
        let mut types = function.params.iter().map(|p| &function.values[*p].ty).zip(args);
        if !self.regular.contains_key(&id) || !types.all(|(ty, arg)| is_rectangular(ty, arg)) {
            return Ok(None);
        }
        self.regular_body(id)
    }

    /// The engine of the regular body of an entry, made if it is not there yet.
    pub(crate) fn regular_body(&self, id: FuncId) -> Result<Option<&Engine>, Failed> {
        let Some(cell) = self.regular.get(&id) else { return Ok(None) };
        match cell.get_or_init(|| self.make_regular(id)) {
            Ok(engine) => Ok(engine.as_deref()),
            Err(failed) => Err(failed.clone()),
        }
    }

    fn make_regular(&self, id: FuncId) -> Made {
        let mut timings = Timings::new();
        if !self.settings.options.regularity {
            return Ok(None);
        }
        let opened = match &self.machine {
            Machine::Device(runtime, _) => Some(runtime),
            _ => None,
        };
        let (backend, settings) = (self.backend, &self.settings);
        let name = &self.program.core.functions[id].name;
        let key = self.program.plan_key(backend, settings, Some(name));
        match key.as_ref().and_then(|key| timings.measure("find_plan", || start::find(key))) {
            Some(None) => return Ok(None),
            // The general program will do beside the plan: the entry has its name and its parameters there too.
            Some(plan) => {
                let made = self.program.engine_on(backend, settings, opened, None, plan, timings);
                return made.map(|engine| Some(Box::new(engine)));
            }
            None => {}
        }
        let made = match self.program.regular(id, &settings.options, &mut timings) {
            Some(program) => program.engine_on(backend, settings, opened, key.as_deref(), None, timings).map(Some),
            None => Ok(None),
        };
        let made = match made {
            Err(failed) if failed.diagnostics.iter().all(|d| d.code == "T0801") => Ok(None),
            made => made,
        };
        if let (Ok(None), Some(key)) = (&made, &key) {
            start::keep(key, None);
        }
        made.map(|engine| engine.map(Box::new))
    }

    /// The engine that ran a body of an entry: this one, or that of the regular body.
    pub fn that_ran(&self, entry: &str, body: Taken) -> &Engine {
        let id = self.program.entry(entry).ok().filter(|_| body == Taken::Regular);
        id.and_then(|id| self.regular_body(id).ok().flatten()).unwrap_or(self)
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

    /// How long each stage of the compilation has taken. Kernels are compiled when they are first wanted, so a call may add to it.
    pub fn timings(&self) -> Timings {
        let mut timings = self.timings.clone();
        if let Some(loaded) = self.loaded() {
            timings.record("compile_kernels", loaded.compiling());
        }
        timings
    }

    /// What people should know about how the kernels came to be: that the cache could not keep them, and why.
    pub fn remark(&self) -> Option<String> {
        let own = self.loaded()?.remark().map(|why| why.replace('\n', "; "));
        let regular = || self.regular.values().filter_map(|made| made.get()?.as_ref().ok()?.as_ref()?.remark()).next();
        own.or_else(regular)
    }

    /// The loaded plan of a device back end, for measuring.
    pub fn loaded(&self) -> Option<&Loaded> {
        match &self.machine {
            Machine::Device(_, loaded) => Some(loaded),
            _ => None,
        }
    }

    /// What went wrong with a call. The plan does not know what the parameters are called; the program does.
    pub(crate) fn call_failed(&self, loaded: &Loaded, id: FuncId, error: &RunError) -> Failed {
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
        let kept = types.clone().any(states_rows).then(|| args.clone());
        let args = args.into_iter().zip(types).map(|(data, ty)| spell_out_sums::enter(data, ty)).collect();
        let ran = self.run_as_is(id, args);
        let mut outcome = ran.map_err(|failed| self.border_first(id, failed, kept.as_deref().unwrap_or_default()))?;
        outcome.value = spell_out_sums::leave(outcome.value, &function.result);
        Ok(outcome)
    }

    /// What went wrong with a call of a compiled program: first of all, sizes of the arguments that differ from what the types state.
    pub(crate) fn border_first(&self, id: FuncId, failed: Failed, args: &[Data]) -> Failed {
        if failed.diagnostics.first().is_none_or(|d| d.code != "T0906") {
            return failed;
        }
        match core_interp::wrong_sizes(&self.program.core, id, args) {
            Some(wrong) => Failed::new(vec![diagnose(&wrong, &self.sources)], &self.sources),
            None => failed,
        }
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
                    verify: self.claims.clone(),
                };
                let (value, counts) = core_interp::run(program, id, args, &options);
                let counts = [("statements", counts.statements), ("elements", counts.elements)];
                let counts = counts.into_iter().map(|(k, n)| (k.to_string(), n)).collect();
                let value = value.map_err(failed)?;
                Ok(Outcome { value, stats: None, counts, guards: Vec::new(), body: Taken::Only })
            }
            Machine::Flat(program) => {
                let (value, counts) = flat_interp::run(program, flat_id(program, name), args, &self.flat_options());
                Ok(Outcome {
                    value: value.map_err(failed)?,
                    stats: None,
                    counts: flat_counts(&counts),
                    guards: counts.guards,
                    body: Taken::Only,
                })
            }
            Machine::Mem(program) => {
                let (value, counts) = mem_interp::run(program, flat_id(program, name), args, &self.flat_options());
                Ok(Outcome {
                    value: value.map_err(failed)?,
                    stats: None,
                    counts: flat_counts(&counts),
                    guards: counts.guards,
                    body: Taken::Only,
                })
            }
            Machine::Device(_, loaded) => {
                let plan = loaded.plan();
                let entry = plan.entries.iter().position(|e| plan.functions[e.function].name == *name);
                let entry = entry.expect("every entry and test is in the plan");
                let (value, stats) = loaded.call(entry, &args).map_err(|e| self.call_failed(loaded, id, &e))?;
                let guards = stats.guards.clone();
                Ok(Outcome { value, stats: Some(stats), counts: BTreeMap::new(), guards, body: Taken::Only })
            }
        }
    }

    fn flat_options(&self) -> flat_interp::Options {
        let default = flat_interp::Options::default();
        flat_interp::Options {
            depth_limit: self.settings.depth_limit,
            memory_limit: self.settings.memory_limit.unwrap_or(default.memory_limit),
            log_guards: self.settings.log_guards,
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
    let rest = [
        ("statements", counts.statements),
        ("points", counts.points),
        ("elements", counts.elements),
        ("local elements", counts.local_elements),
        ("calls", counts.calls),
        ("copied", counts.copied),
        ("blocks", counts.blocks),
    ];
    operators.chain(rest.into_iter().map(|(k, n)| (k.to_string(), n))).collect()
}
