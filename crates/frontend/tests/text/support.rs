//! What the tests of the front end share.

use std::path::{Path, PathBuf};
use terrace_base::{Diagnostic, SourceMap, render};
use terrace_frontend::Compiled;
use terrace_interp::core::{Failure, call};
use terrace_ir::core::Role;
use terrace_plan::data::Data;

/// A program of a folder.
pub(crate) struct Source {
    /// The name of the file without its ending.
    pub(crate) name: String,
    /// Where everything stands.
    pub(crate) map: SourceMap,
    /// What became of it.
    pub(crate) result: Result<Compiled, Vec<Diagnostic>>,
}

impl Source {
    /// The program, which must compile.
    pub(crate) fn compiled(&self) -> &Compiled {
        match &self.result {
            Ok(compiled) => compiled,
            Err(reports) => panic!("{}", self.show(reports)),
        }
    }

    /// Messages as a person sees them.
    pub(crate) fn show(&self, reports: &[Diagnostic]) -> String {
        let shown: Vec<String> = reports.iter().map(|r| render(r, &self.map, false)).collect();
        shown.join("\n")
    }

    /// Calls every test and hands on its name with what came of it; says how many there are.
    pub(crate) fn run_tests(&self, mut see: impl FnMut(&str, Result<Data, Failure>)) -> usize {
        let program = &self.compiled().program;
        let mut count = 0;
        for (id, function) in program.functions.enumerate() {
            if let Role::Test { name, arguments } = &function.role {
                see(name, call(program, id, arguments.clone()));
                count += 1;
            }
        }
        count
    }

    /// Every test must hold; says how many there are.
    pub(crate) fn tests_hold(&self) -> usize {
        let file = &self.name;
        self.run_tests(|name, result| match result {
            Ok(held) => assert_eq!(held, Data::Scalar(true.into()), "test {name:?} of {file}"),
            Err(f) => panic!("test {name:?} of {file}\n{}", self.show(&[f.to_diagnostic()])),
        })
    }
}

/// The programs of a folder beside the tests, in the order of their names.
pub(crate) fn sources(folder: &str) -> Vec<Source> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    files(folder)
        .into_iter()
        .map(|(name, text)| {
            let (result, map) = compile_in(Some(&path), &format!("{name}.tce"), &text);
            Source { name, map, result }
        })
        .collect()
}

/// The texts of a folder's programs.
pub(crate) fn texts(folder: &str) -> Vec<String> {
    files(folder).into_iter().map(|(_, text)| text).collect()
}

fn files(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder exists");
    let mut files: Vec<_> = entries.map(|e| e.expect("the folder can be read").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "tce"));
    files.sort();
    let read = |file: &PathBuf| {
        let name = file.file_stem().expect("files have names").to_string_lossy().to_string();
        (name, std::fs::read_to_string(file).expect("the file can be read"))
    };
    files.iter().map(read).collect()
}

/// Loads and compiles; syntax errors count as errors. Imports are read from a folder.
pub(crate) fn compile_in(
    folder: Option<&Path>,
    name: &str,
    text: &str,
) -> (Result<Compiled, Vec<Diagnostic>>, SourceMap) {
    let mut map = SourceMap::new();
    let id = map.add(name, text);
    let read = |path: &Path| match folder {
        Some(folder) => std::fs::read(folder.join(path)),
        None => Err(std::io::ErrorKind::NotFound.into()),
    };
    let result = terrace_frontend::compile_file(&mut map, id, &read);
    (result, map)
}

/// Compiles a text that imports nothing.
pub(crate) fn compile_text(name: &str, text: &str) -> (Result<Compiled, Vec<Diagnostic>>, SourceMap) {
    compile_in(None, name, text)
}

/// Compares a text with the file that holds what is expected.
pub(crate) fn compare_with_file(path: &str, found: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, found).expect("the folder exists and can be written");
        return;
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(found, expected, "{} differs; UPDATE=1 accepts", file.display());
}
