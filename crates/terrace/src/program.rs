//! A program that passed the front end.

use std::path::Path;
use terrace_base::{Diagnostic, FileId, SourceMap, Timings, render};
use terrace_ir::FuncId;
use terrace_ir::core::{self, Role, Type};
use terrace_opt::options::Options;
use terrace_opt::pipeline;
use terrace_plan::data::Data;

/// Why something could not be done: messages, and the sources they point into.
#[derive(Debug)]
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
    pub(crate) sources: SourceMap,
    /// What the checker remarked without refusing.
    pub warnings: Vec<Diagnostic>,
}

/// An entry, as its caller sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryInfo {
    /// The name.
    pub name: String,
    /// The names and types of the parameters, as text.
    pub params: Vec<(String, String)>,
    /// The type of the result, as text.
    pub result: String,
}

impl Program {
    /// Reads and checks a file.
    pub fn from_file(path: &Path) -> Result<Program, Failed> {
        let name = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Program::from_text(&name, &text),
                Err(_) => Err(Failed::plain("T0701", format!("`{name}` is not a text file: it is not UTF-8"))),
            },
            Err(why) => Err(Failed::plain("T0700", format!("cannot read `{name}`: {why}"))),
        }
    }

    /// Checks a text; `name` stands for it in messages.
    pub fn from_text(name: &str, text: &str) -> Result<Program, Failed> {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text);
        let (mut core, warnings) = front_end(&sources, file).map_err(|d| Failed::new(d, &sources))?;
        pipeline::prepare_core(&mut core, &Options::default(), &mut Timings::new());
        Ok(Program { core, sources, warnings })
    }

    /// The warnings as text.
    pub fn render_warnings(&self, colour: bool) -> String {
        self.warnings.iter().map(|d| render(d, &self.sources, colour)).collect()
    }

    /// The entries in source order.
    pub fn entries(&self) -> Vec<EntryInfo> {
        let entries = self.core.functions.iter().filter(|f| f.role == Role::Entry);
        entries
            .map(|f| EntryInfo {
                name: f.name.clone(),
                params: f.params.iter().map(|p| (f.values[*p].name.clone(), type_text(&f.values[*p].ty))).collect(),
                result: type_text(&f.result),
            })
            .collect()
    }

    pub(crate) fn entry(&self, name: &str) -> Result<FuncId, Failed> {
        let found = self.core.functions.enumerate().find(|(_, f)| f.role == Role::Entry && f.name == name);
        found.map(|(id, _)| id).ok_or_else(|| {
            let names: Vec<String> = self.entries().into_iter().map(|e| format!("`{}`", e.name)).collect();
            let have =
                if names.is_empty() { "it has none".to_string() } else { format!("it has {}", names.join(", ")) };
            Failed::plain("T0702", format!("the program has no entry `{name}`; {have}"))
        })
    }

    /// The tests: their functions and names.
    pub(crate) fn tests(&self) -> Vec<(FuncId, &str, &[Data])> {
        let tests = self.core.functions.enumerate().filter_map(|(id, f)| match &f.role {
            Role::Test { name, arguments } => Some((id, name.as_str(), arguments.as_slice())),
            _ => None,
        });
        tests.collect()
    }

    /// The value of an expression, written in Terrace, for a parameter of an entry. Any expression will do: it is evaluated
    /// by the interpreter.
    pub fn argument(&self, entry: &str, index: usize, text: &str) -> Result<Data, Failed> {
        let function = &self.core.functions[self.entry(entry)?];
        let Some(param) = function.params.get(index) else {
            return Err(Failed::plain("T0703", format!("`{entry}` takes {} arguments", function.params.len())));
        };
        let value = &function.values[*param];
        let source = format!("entry argument() -> {} =\n{text}", type_text(&value.ty));
        let mut sources = SourceMap::new();
        let file = sources.add(format!("argument {} (`{}`)", index + 1, value.name), source);
        let (core, _) = front_end(&sources, file).map_err(|d| Failed::new(d, &sources))?;
        terrace_interp::core::call(&core, FuncId::new(0), Vec::new())
            .map_err(|failure| Failed::new(vec![failure.to_diagnostic()], &sources))
    }
}

fn front_end(sources: &SourceMap, file: FileId) -> Result<(core::Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (module, messages) = terrace_syntax::parse(sources, file);
    if messages.iter().any(Diagnostic::is_error) {
        return Err(messages);
    }
    let compiled = terrace_frontend::compile(&module)?;
    let mut warnings = messages;
    warnings.extend(compiled.warnings);
    Ok((compiled.program, warnings))
}

/// A type as it is written, without the sizes that it states.
pub(crate) fn type_text(ty: &Type) -> String {
    match ty {
        Type::Scalar(s) => s.name().to_string(),
        Type::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(type_text).collect();
            format!("({})", parts.join(", "))
        }
        Type::Array(a) => format!("[]{}", type_text(&a.elem)),
    }
}
