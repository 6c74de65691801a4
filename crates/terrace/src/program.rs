//! A program that passed the front end.

use crate::files::read_source;
use crate::kept::Kept;
use crate::start::{self, Origin};
use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use terrace_base::{Diagnostic, SourceMap, Timings, render, render_json};
use terrace_frontend::Loaded;
use terrace_ir::FuncId;
use terrace_ir::core::{self, Role};
use terrace_opt::analysis::shapes::Analysis;
use terrace_opt::optimise::{inline_calls, prove_checks};
use terrace_opt::options::Options;
use terrace_opt::pipeline;
use terrace_plan::data::Data;
use terrace_plan::surface::EntrySignature;

/// Why something could not be done: messages, and the sources they point into.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The messages.
    pub diagnostics: Vec<Diagnostic>,
    sources: SourceMap,
}

impl Failed {
    pub(crate) fn new(diagnostics: Vec<Diagnostic>, sources: &SourceMap) -> Failed {
        Failed { diagnostics, sources: sources.clone() }
    }

    pub(crate) fn plain(code: &'static str, title: impl Into<String>) -> Failed {
        Failed { diagnostics: vec![Diagnostic::error(code, title.into())], sources: SourceMap::new() }
    }

    /// Whether a mistake of Terrace itself is behind it.
    pub fn is_bug(&self) -> bool {
        self.diagnostics.iter().any(|d| matches!(d.code, "T0900" | "T0998" | "T0999"))
    }

    /// Whether somebody asked for an end.
    pub fn is_stop(&self) -> bool {
        self.diagnostics.iter().any(|d| d.code == "T0951")
    }

    /// The messages as JSON, one per line.
    pub fn render_json(&self) -> String {
        self.diagnostics.iter().map(|d| render_json(d, &self.sources)).collect()
    }

    /// The messages as text.
    pub fn render(&self, colour: bool) -> String {
        self.diagnostics.iter().map(|d| render(d, &self.sources, colour)).collect::<Vec<_>>().join("\n")
    }
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Failed {}

/// A program whose sizes are known.
#[derive(Clone, Debug)]
pub(crate) struct Proved {
    /// Its functions, with the checks marked that always hold.
    pub(crate) core: core::Program,
    /// What is known about the sizes of `core`.
    pub(crate) analysis: Arc<Analysis>,
}

/// A checked program, in the form that every engine starts from.
#[derive(Clone, Debug)]
pub struct Program {
    /// Functions as the front end made them; what they take and give is the same when checks are proved.
    pub(crate) core: core::Program,
    /// The same with checks proved, when somebody asks for it.
    proved: Arc<OnceLock<Proved>>,
    pub(crate) sources: SourceMap,
    pub(crate) loaded: Loaded,
    pub(crate) kept: Arc<Kept>,
    entries: Vec<EntrySignature>,
    /// Whether a plan made from it may be kept for programs of the same text.
    pub(crate) origin: Origin,
    /// How long the front end and the analysis of sizes took.
    pub(crate) timings: Timings,
    /// What the checker remarked without refusing.
    pub warnings: Vec<Diagnostic>,
}

impl Program {
    /// Reads and checks a file and the modules that it imports.
    pub fn from_file(path: &Path) -> Result<Program, Failed> {
        let text = read_source(path)?;
        Program::from_text(&path.display().to_string(), &text)
    }

    /// Checks a text; `name` stands for it in messages, and imports are looked for beside the file of that name.
    pub fn from_text(name: &str, text: &str) -> Result<Program, Failed> {
        let program = Program::analysed(name, text)?;
        if program.warnings.iter().any(Diagnostic::is_error) {
            return Err(Failed::new(program.warnings, &program.sources));
        }
        Ok(program)
    }

    /// The same with every check made and nothing refused for its sizes: what the analysis says can be compared with what happens.
    pub fn unproved(name: &str, text: &str) -> Result<Program, Failed> {
        let mut program = Program::analysed(name, text)?;
        program.change(prove_checks::forget_proofs);
        Ok(program)
    }

    /// The program; errors that the analysis of sizes found are among its warnings.
    fn analysed(name: &str, text: &str) -> Result<Program, Failed> {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text);
        let mut timings = Timings::new();
        let (loaded, mut warnings) =
            timings.measure("load", || terrace_frontend::load(&mut sources, file, &|path| std::fs::read(path)));
        if warnings.iter().any(Diagnostic::is_error) {
            return Err(Failed::new(warnings, &sources));
        }
        let compiled = timings.measure("check_and_lower", || terrace_frontend::compile(&loaded));
        let compiled = compiled.map_err(|d| Failed::new(d, &sources))?;
        warnings.extend(compiled.warnings);
        let mut core = compiled.program;
        pipeline::finish_core(&mut core, &Options::default(), &mut timings);
        let (kept, proved, entries) = (Arc::default(), Arc::default(), compiled.entries);
        let origin = Origin::Text { quiet: start::is_quiet(&sources) };
        let mut program = Program { core, proved, sources, loaded, kept, entries, origin, timings, warnings };
        if program.origin == (Origin::Text { quiet: false }) {
            let mut timings = std::mem::take(&mut program.timings);
            let found = program.prove(&mut timings);
            let errors = found.analysis.errors(&found.core);
            program.origin = Origin::Text { quiet: errors.is_empty() };
            program.timings = timings;
            program.warnings.extend(errors);
        }
        Ok(program)
    }

    /// The program with its checks proved as far as they can be.
    pub(crate) fn proved(&self) -> &Proved {
        self.prove(&mut Timings::new())
    }

    fn prove(&self, timings: &mut Timings) -> &Proved {
        self.proved.get_or_init(|| {
            let mut core = self.core.clone();
            let analysis = Arc::new(pipeline::prove_core(&mut core, &Options::default(), timings));
            Proved { core, analysis }
        })
    }

    /// Changes the functions of the program, without a change to what is known about sizes.
    fn change(&mut self, how: impl FnOnce(&mut core::Program)) {
        let Proved { mut core, analysis } = self.proved().clone();
        how(&mut core);
        self.set(core, analysis);
    }

    /// Replaces the functions of the program, and what is known about their sizes.
    pub(crate) fn set(&mut self, core: core::Program, analysis: Arc<Analysis>) {
        self.core = core.clone();
        self.proved = Arc::new(OnceLock::from(Proved { core, analysis }));
        self.origin = Origin::Changed;
    }

    /// The program as the options want it: without proofs, every check is made.
    pub(crate) fn for_options(&self, options: &Options) -> Cow<'_, Program> {
        if options.prove {
            return Cow::Borrowed(self);
        }
        let mut program = self.clone();
        program.change(prove_checks::forget_proofs);
        // The options are part of what a plan is kept under.
        program.origin = self.origin;
        Cow::Owned(program)
    }

    /// The same with another body, of which other things are known.
    pub(crate) fn with_core(&self, core: core::Program, analysis: Analysis) -> Program {
        let mut program = Program { kept: Arc::default(), ..self.clone() };
        program.set(core, Arc::new(analysis));
        program
    }

    /// The same program with its calls inlined as far as they can be: what the compiling back ends look at.
    pub fn inlined(&self) -> Program {
        let mut program = self.clone();
        let mut core = self.proved().core.clone();
        inline_calls::inline_calls(&mut core);
        let analysis = Arc::new(prove_checks::prove_checks(&mut core));
        program.set(core, analysis);
        program
    }

    /// The warnings as text.
    pub fn render_warnings(&self, colour: bool) -> String {
        self.warnings.iter().map(|d| render(d, &self.sources, colour)).collect()
    }

    /// The warnings as JSON, one per line.
    pub fn warnings_json(&self) -> String {
        self.warnings.iter().map(|d| render_json(d, &self.sources)).collect()
    }

    /// The entries in source order.
    pub fn entries(&self) -> &[EntrySignature] {
        &self.entries
    }

    /// An entry as its caller sees it.
    pub fn signature(&self, name: &str) -> Result<&EntrySignature, Failed> {
        self.entries.iter().find(|e| e.name == name).ok_or_else(|| self.no_entry(name))
    }

    pub(crate) fn entry(&self, name: &str) -> Result<FuncId, Failed> {
        let found = self.core.functions.enumerate().find(|(_, f)| f.role == Role::Entry && f.name == name);
        found.map(|(id, _)| id).ok_or_else(|| self.no_entry(name))
    }

    fn no_entry(&self, name: &str) -> Failed {
        let names: Vec<String> = self.entries.iter().map(|e| format!("`{}`", e.name)).collect();
        let have = if names.is_empty() { "it has none".to_string() } else { format!("it has {}", names.join(", ")) };
        Failed::plain("T0702", format!("the program has no entry `{name}`; {have}"))
    }

    /// The tests: their functions and names.
    pub(crate) fn tests(&self) -> Vec<(FuncId, &str, &[Data])> {
        let tests = self.core.functions.enumerate().filter_map(|(id, f)| match &f.role {
            Role::Test { name, arguments } => Some((id, name.as_str(), arguments.as_slice())),
            _ => None,
        });
        tests.collect()
    }
}
