//! Arguments in, results out: expressions and files, with the types that the entry's author wrote.
//!
//! ```text
//! '[1.0, 2.0]'                       any Terrace expression; it may use the program's own types and functions
//! matrix.parquet:rows                a column of a file, where its type is that of the parameter
//! ```
//!
//! An expression is checked as a function of the program's own module and run by the interpreter.

use crate::columns::as_buffer;
use crate::engine::diagnose;
use crate::program::{Failed, Program};
use crate::show;
use crate::value::Value;
use std::path::{Path, PathBuf};
use terrace_base::Diagnostic;
use terrace_data::DataError;
use terrace_ir::core::Role;
use terrace_plan::data::Data;
use terrace_plan::surface::{EntryParam, Surface};
use terrace_syntax::ast::ItemKind;

/// Files from this size on are mapped. Of smaller ones nothing is gained, and whoever writes over a file in place changes what is mapped.
const MAPPED_FROM: u64 = 16 << 20;

impl Program {
    /// The value of an argument of an entry, as written on a command line: an expression, or the name of a data file.
    pub fn argument(&self, entry: &str, index: usize, text: &str) -> Result<Data, Failed> {
        let nested = |path: &Path, wanted: &Surface, column: Option<&str>| {
            terrace_data::read(path, wanted, column).map(terrace_data::Value::Data)
        };
        self.read_argument(entry, index, text, nested)?.into_data()
    }

    /// The same, with what is in files as columns, for an engine on a device.
    pub fn argument_value(&self, entry: &str, index: usize, text: &str) -> Result<Value, Failed> {
        self.read_argument(entry, index, text, terrace_data::read_flat)
    }

    /// The same for a value that is used at once: large files may be mapped into memory instead of read. They must not be cut short as long as the
    /// value is there.
    pub fn argument_for_now(&self, entry: &str, index: usize, text: &str) -> Result<Value, Failed> {
        let mapped = |path: &Path, wanted: &Surface, column: Option<&str>| {
            terrace_data::read_mapped(path, wanted, column, |file| {
                let large = file.metadata().is_ok_and(|about| about.len() >= MAPPED_FROM);
                large.then(|| terrace_runtime::map_file(file).ok().map(as_buffer)).flatten()
            })
        };
        self.read_argument(entry, index, text, mapped)
    }

    fn read_argument(
        &self,
        entry: &str,
        index: usize,
        text: &str,
        read: impl Fn(&Path, &Surface, Option<&str>) -> Result<terrace_data::Value, DataError>,
    ) -> Result<Value, Failed> {
        let signature = self.signature(entry)?;
        let Some(param) = signature.params.get(index) else {
            return Err(Failed::plain("T0703", format!("`{entry}` takes {} arguments", signature.params.len())));
        };
        // A file of another kind is a mistake that deserves better words than an expression that makes no sense.
        let other_file = || Path::new(text).is_file().then(|| (PathBuf::from(text), None));
        match terrace_data::is_data_file(text).or_else(other_file) {
            Some((path, column)) => {
                let found = read(&path, &param.surface, column.as_deref()).map_err(|e| {
                    let note = format!("this is argument {} of `{entry}`, `{}: {}`", index + 1, param.name, param.text);
                    Failed::from(e.to_diagnostic().note(note))
                });
                Value::from_file(found?)
            }
            None => self.expression(param, index, text).map(Value::Data).map_err(|mut failed| {
                for message in &mut failed.diagnostics {
                    // The header around the expression is not the user's.
                    message.labels.retain(|l| l.primary || !l.text.contains("`argument`"));
                    let note = format!("this is argument {} of `{entry}`, `{}: {}`", index + 1, param.name, param.text);
                    message.notes.push(note);
                }
                failed
            }),
        }
    }

    fn expression(&self, param: &EntryParam, index: usize, text: &str) -> Result<Data, Failed> {
        let mut sources = self.sources.clone();
        let source = format!("entry argument() -> {} =\n{text}", param.surface);
        let file = sources.add(format!("argument {} (`{}`)", index + 1, param.name), source);
        let (module, messages) = terrace_syntax::parse(&sources, file);
        if messages.iter().any(Diagnostic::is_error) {
            return Err(Failed::new(messages, &sources));
        }
        let mut loaded = self.loaded.clone();
        let items = &mut loaded.modules[self.loaded.root].ast.items;
        items.retain(|item| !matches!(item.kind, ItemKind::Test(_)));
        for item in items.iter_mut() {
            if let ItemKind::Function(function) = &mut item.kind {
                function.exported = false;
                // The program's own `argument` gives way.
                if function.name.text == "argument" {
                    function.name.text = "argument_".to_string();
                }
            }
        }
        items.extend(module.items);
        let compiled = terrace_frontend::compile(&loaded).map_err(|d| Failed::new(d, &sources))?;
        let program = compiled.program;
        let id = program.functions.enumerate().find(|(_, f)| f.role == Role::Entry).map(|(id, _)| id);
        let id = id.expect("the argument is an entry");
        terrace_interp::core::call(&program, id, Vec::new())
            .map_err(|failure| Failed::new(vec![diagnose(&failure, &sources)], &sources))
    }

    /// The result of an entry as text; arrays of more than `most` elements are abbreviated.
    pub fn show_result(&self, entry: &str, value: &Value, most: usize) -> Result<String, Failed> {
        let surface = &self.signature(entry)?.result;
        Ok(match value {
            Value::Data(data) => show::value(data, surface, most),
            Value::Columns(columns) => match columns.to_file() {
                Some(column) => show::column(&column, surface, most),
                None => show::value(&columns.to_data()?, surface, most),
            },
        })
    }

    /// The result of an entry as flat memory, of which it is the only row; enums have none.
    pub fn result_column(&self, entry: &str, value: &Value) -> Result<terrace_data::Column, Failed> {
        let nested = |data: &Data| {
            let column = terrace_data::flat_memory(data, &self.signature(entry)?.result);
            column.map_err(|e| Failed::from(e.to_diagnostic()))
        };
        match value {
            Value::Data(data) => nested(data),
            Value::Columns(columns) => match columns.to_file() {
                Some(column) => Ok(column),
                None => nested(&columns.to_data()?),
            },
        }
    }

    /// Whether the result of an entry could be written to a file, before anything is computed.
    pub fn check_output(&self, entry: &str, path: &Path) -> Result<(), Failed> {
        terrace_data::check_target(path, &self.signature(entry)?.result).map_err(|e| Failed::from(e.to_diagnostic()))
    }

    /// Writes the result of an entry to a file, in the format of its ending.
    pub fn write_output(&self, entry: &str, value: &Value, path: &Path) -> Result<(), Failed> {
        let surface = &self.signature(entry)?.result;
        let written = match value {
            Value::Data(data) => terrace_data::write(path, data, surface),
            Value::Columns(columns) => match columns.to_file() {
                Some(column) => terrace_data::write_flat(path, &column, surface),
                None => terrace_data::write(path, &columns.to_data()?, surface),
            },
        };
        written.map_err(|e| Failed::from(e.to_diagnostic()))
    }
}

impl From<Diagnostic> for Failed {
    fn from(message: Diagnostic) -> Failed {
        Failed::new(vec![message], &terrace_base::SourceMap::new())
    }
}
