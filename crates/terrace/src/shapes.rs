//! What the compiler found out about sizes, for people and for tools.
//!
//! ```text
//! spmv[n, k, m](rows: [i < n][k(i)](i32, f64), v: [m]f64) -> [n]f64
//! index `v[j]`, line 3: remains, nothing says that `j`, read from `rows`, is at least 0 and below the length of `v`
//! ```
//!
//! Tests are left out before anything is looked at: a function that only tests call is reported as it is for all arguments.

use crate::program::Program;
use terrace_base::Span;
use terrace_ir::core::{Role, Type};
use terrace_opt::analysis::shapes::{Status, text};

/// What became of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It always holds: nothing is tested.
    Proved,
    /// It is tested once, when the entry is called.
    AtEntry,
    /// It is tested where it stands.
    Remains,
}

impl Fate {
    /// All of them.
    pub const ALL: [Fate; 3] = [Fate::Proved, Fate::AtEntry, Fate::Remains];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Fate::Proved => "proved",
            Fate::AtEntry => "at entry",
            Fate::Remains => "remains",
        }
    }
}

/// A check of the source.
#[derive(Clone, Debug)]
pub struct CheckFound {
    /// Its kind, in a word.
    pub kind: &'static str,
    /// What became of it.
    pub fate: Fate,
    /// The function it stands in.
    pub function: String,
    /// The name of the file.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// The expression that may fail, as it is written; its first line.
    pub text: String,
    /// Why it is proved, or why not.
    pub why: String,
}

impl Program {
    /// The checks of the program, in the order of the source; those of tests are left out.
    pub fn checks(&self) -> Vec<CheckFound> {
        let program = self.without_tests();
        let reports = program.proved().analysis.checks(&program.proved().core);
        let found = reports.into_iter().map(|report| {
            let (file, line, column) = self.place(report.span);
            let fate = match report.status {
                Status::Proved => Fate::Proved,
                Status::AtEntry => Fate::AtEntry,
                Status::Remains | Status::Fails => Fate::Remains,
            };
            CheckFound {
                kind: report.kind.word(),
                fate,
                function: report.function,
                file,
                line,
                column,
                text: self.written(report.span),
                why: report.why,
            }
        });
        let mut found: Vec<CheckFound> = self.stated_arguments().into_iter().chain(found).collect();
        found.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        found
    }

    /// Sizes of rows that the types of an entry's parameters state: whoever calls it is tested, and no check of the program is.
    fn stated_arguments(&self) -> Vec<CheckFound> {
        let mut found = Vec::new();
        for function in self.core.functions.iter().filter(|f| f.role == Role::Entry) {
            let Some(entry) = self.entries().iter().find(|e| e.name == function.name) else { continue };
            for (param, shown) in function.params.iter().zip(&entry.params) {
                if !states_rows(&function.values[*param].ty, false) {
                    continue;
                }
                let (file, line, column) = self.place(function.span);
                found.push(CheckFound {
                    kind: "parameter",
                    fate: Fate::AtEntry,
                    function: entry.name.clone(),
                    file,
                    line,
                    column,
                    text: format!("{}: {}", shown.name, shown.text),
                    why: format!("the rows of `{}` are compared with the type when the entry is called", shown.name),
                });
            }
        }
        found
    }

    /// The inferred signatures of all functions, or of those of one name, with the class of every parallel expression.
    pub fn shapes_text(&self, function: Option<&str>) -> String {
        let program = self.without_tests();
        text::shapes(&program.proved().core, &program.proved().analysis, &self.sources, function)
    }

    /// The same as JSON: a list of functions.
    pub fn shapes_json(&self, function: Option<&str>) -> String {
        let program = self.without_tests();
        text::shapes_json(&program.proved().core, &program.proved().analysis, &self.sources, function)
    }

    /// The names of the functions that have signatures, as they are written.
    pub fn function_names(&self) -> Vec<String> {
        let functions = self.core.functions.enumerate().filter(|(_, f)| !matches!(f.role, Role::Test { .. }));
        let mut names: Vec<String> =
            functions.map(|(id, _)| self.proved().analysis.signature(&self.proved().core, id).name).collect();
        names.dedup();
        names
    }

    fn place(&self, span: Span) -> (String, usize, usize) {
        if !self.sources.contains(span) {
            return (String::new(), 0, 0);
        }
        let at = self.sources.position(span.file, span.start as usize);
        (self.sources.name(span.file).to_string(), at.line, at.col)
    }

    fn written(&self, span: Span) -> String {
        if !self.sources.contains(span) {
            return String::new();
        }
        let text = self.sources.text(span.file).get(span.start as usize..span.end as usize).unwrap_or_default();
        let (first, more) = text.split_once('\n').map_or((text, false), |(first, _)| (first, true));
        if more { format!("{} …", first.trim_end()) } else { first.to_string() }
    }
}

/// Whether a type states the length of arrays inside of others.
fn states_rows(ty: &Type, inside: bool) -> bool {
    match ty {
        Type::Scalar(_) => false,
        Type::Tuple(parts) => parts.iter().any(|t| states_rows(t, inside)),
        Type::Sum(variants) => variants.iter().flat_map(|v| &v.fields).any(|t| states_rows(t, inside)),
        Type::Array(array) => (inside && array.length.is_some()) || states_rows(&array.elem, true),
    }
}
