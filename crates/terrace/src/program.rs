//! A program that passed the front end.

use crate::files::read_source;
use crate::kept::Kept;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
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

/// A checked program, in the form that every engine starts from.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) core: core::Program,
    /// What is known about the sizes of `core`.
    pub(crate) analysis: Arc<Analysis>,
    pub(crate) sources: SourceMap,
    pub(crate) loaded: Loaded,
    pub(crate) kept: Arc<Kept>,
    entries: Vec<EntrySignature>,
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
        prove_checks::forget_proofs(&mut program.core);
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
        let analysis = Arc::new(pipeline::prepare_core(&mut core, &Options::default(), &mut timings));
        warnings.extend(analysis.errors(&core));
        let kept = Arc::default();
        Ok(Program { core, analysis, sources, loaded, kept, entries: compiled.entries, timings, warnings })
    }

    /// The program as the options want it: without proofs, every check is made.
    pub(crate) fn for_options(&self, options: &Options) -> Cow<'_, Program> {
        if options.prove {
            return Cow::Borrowed(self);
        }
        let mut program = self.clone();
        prove_checks::forget_proofs(&mut program.core);
        Cow::Owned(program)
    }

    /// The same with another body, of which other things are known.
    pub(crate) fn with_core(&self, core: core::Program, analysis: Analysis) -> Program {
        Program { core, analysis: Arc::new(analysis), kept: Arc::default(), ..self.clone() }
    }

    /// The same program with its calls inlined as far as they can be: what the compiling back ends look at.
    pub fn inlined(&self) -> Program {
        let mut program = self.clone();
        inline_calls::inline_calls(&mut program.core);
        program.analysis = Arc::new(prove_checks::prove_checks(&mut program.core));
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
