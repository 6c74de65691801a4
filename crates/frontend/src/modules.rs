//! Modules: which files a program consists of.
//!
//! ```text
//! main.tce        import "shapes/circle"          circle.area(2.0)
//! shapes/circle.tce                               def area(r) = pi * r * r
//! std/prelude     in every module, without an import and without `prelude.`
//! ```
//!
//! A path is relative to the file that imports it and has no ending; `std/…` names a module of the standard library, whose
//! text is part of the compiler. [`load`] reads each file once and puts imported modules before those that import them, so
//! that a chain of imports may not come back to its beginning.
//!
//! Nothing here opens files: the caller says how a path becomes text, and a test passes a list of texts.

use crate::errors;
use std::collections::BTreeMap;
use std::path::Path;
use terrace_base::{Diagnostic, FileId, SourceMap, Span};
use terrace_syntax::ast::{self, ItemKind};

/// How to get the bytes of a file.
pub type Read<'r> = &'r dyn Fn(&Path) -> std::io::Result<Vec<u8>>;

/// Paths and texts of the files of `lib` that have these names.
macro_rules! library {
    ($($name:literal)*) => { &[$((concat!("std/", $name), include_str!(concat!("../../../lib/", $name, ".tce")))),*] };
}

/// The standard library: paths and texts. The first one is the prelude.
const LIBRARY: &[(&str, &str)] = library! {
    "prelude" "bits" "complex" "fft" "geometry" "graph" "matrix" "random" "search" "sets" "sparse" "stats" "text"
};

/// The modules of the standard library: their paths and their texts, the prelude first.
pub fn library() -> &'static [(&'static str, &'static str)] {
    LIBRARY
}

/// All modules of a program.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The prelude first; every module behind those that it imports.
    pub modules: Vec<LoadedModule>,
    /// The module that the program is about.
    pub root: usize,
}

/// One module.
#[derive(Clone, Debug)]
pub struct LoadedModule {
    /// The last part of its path.
    pub name: String,
    /// Whether it belongs to the standard library.
    pub library: bool,
    /// What it defines.
    pub ast: ast::Module,
    /// The names of imported modules, and which they are.
    pub imports: Vec<(String, usize)>,
}

impl Loaded {
    /// The files of the program, without those of the standard library.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        self.modules.iter().filter(|m| !m.library).map(|m| m.ast.file)
    }
}

/// Parses a file and everything that it imports. Errors of syntax are among the messages.
pub fn load(sources: &mut SourceMap, root: FileId, read: Read<'_>) -> (Loaded, Vec<Diagnostic>) {
    let mut loader =
        Loader { sources, read, modules: Vec::new(), known: BTreeMap::new(), open: Vec::new(), reports: Vec::new() };
    let (path, text) = LIBRARY[0];
    let is_prelude = loader.sources.text(root) == text;
    if is_prelude {
        let root = loader.module(root, path, true);
        return (Loaded { modules: loader.modules, root }, loader.reports);
    }
    loader.library(path, text);
    let name = loader.sources.name(root).to_string();
    let key = normal(&name);
    loader.open.push((key.clone(), Span::none()));
    let root = loader.module(root, &key, false);
    (Loaded { modules: loader.modules, root }, loader.reports)
}

struct Loader<'l> {
    sources: &'l mut SourceMap,
    read: Read<'l>,
    modules: Vec<LoadedModule>,
    /// Modules that are complete, by path.
    known: BTreeMap<String, Option<usize>>,
    /// Modules whose imports are being followed, with the import that led there.
    open: Vec<(String, Span)>,
    reports: Vec<Diagnostic>,
}

impl Loader<'_> {
    fn library(&mut self, path: &str, text: &str) -> usize {
        if let Some(Some(known)) = self.known.get(path) {
            return *known;
        }
        let file = self.sources.add(path, text);
        let module = self.module(file, path, true);
        self.known.insert(path.to_string(), Some(module));
        module
    }

    /// Parses a file that is in the map, after the modules it imports.
    fn module(&mut self, file: FileId, path: &str, library: bool) -> usize {
        let (tree, mut errors) = terrace_syntax::parse(self.sources, file);
        self.reports.append(&mut errors);
        let mut imports: Vec<(String, Span, Option<usize>)> = Vec::new();
        for item in &tree.items {
            let ItemKind::Import(import) = &item.kind else { continue };
            let Some((name, span)) = self.name_of(import) else { continue };
            if let Some((_, first, _)) = imports.iter().find(|(n, _, _)| *n == name) {
                self.reports.push(errors::imported_twice(&name, span, *first));
                continue;
            }
            let module = self.import(import, path, library);
            imports.push((name, span, module));
        }
        let imports = imports.into_iter().filter_map(|(name, _, module)| Some((name, module?))).collect();
        let name = last_part(path).to_string();
        self.modules.push(LoadedModule { name, library, ast: tree, imports });
        self.modules.len() - 1
    }

    /// The name under which an import is used.
    fn name_of(&mut self, import: &ast::Import) -> Option<(String, Span)> {
        let path = &import.path;
        let problem = if path.is_empty() {
            Some("the path is empty")
        } else if path.starts_with('/') || path.contains('\\') || path.contains(':') {
            Some("paths are relative to this file, with `/` between their parts")
        } else if path.ends_with('/') {
            Some("this names a folder")
        } else if path.ends_with(".tce") {
            Some("the ending `.tce` is left out")
        } else {
            None
        };
        if let Some(problem) = problem {
            let report = errors::import_path(path, import.path_span, problem);
            self.reports.push(match path.strip_suffix(".tce") {
                Some(bare) => report.hint(format!("write `import \"{bare}\"`")),
                None => report,
            });
            return None;
        }
        if let Some(alias) = &import.alias {
            return Some((alias.text.clone(), alias.span));
        }
        let name = last_part(path);
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
            && name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if !is_name {
            self.reports.push(errors::import_name(path, name, import.path_span));
            return None;
        }
        Some((name.to_string(), import.path_span))
    }

    fn import(&mut self, import: &ast::Import, from: &str, library: bool) -> Option<usize> {
        let (path, span) = (&import.path, import.path_span);
        if let Some((path, text)) = LIBRARY.iter().find(|(p, _)| p == path) {
            return Some(self.library(path, text));
        }
        if library || path.starts_with("std/") {
            let names: Vec<String> = LIBRARY.iter().map(|(p, _)| p.to_string()).collect();
            self.reports.push(errors::unknown_library(path, span, &names));
            return None;
        }
        let key = beside(from, path);
        if let Some(at) = self.open.iter().position(|(open, _)| *open == key) {
            let mut chain: Vec<(String, Span)> = self.open[at + 1..].to_vec();
            chain.push((key, span));
            self.reports.push(errors::import_cycle(&chain));
            return None;
        }
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let module = self.file(&key, from, import);
        self.known.insert(key, module);
        module
    }

    fn file(&mut self, key: &str, from: &str, import: &ast::Import) -> Option<usize> {
        let name = format!("{key}.tce");
        let text = match (self.read)(Path::new(&name)) {
            Err(why) => {
                let guess = self.guess(from, &import.path);
                self.reports.push(errors::missing_file(&name, &why, import.path_span, guess.as_deref()));
                return None;
            }
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(why) => {
                    let at = why.utf8_error().valid_up_to();
                    self.reports.push(errors::not_text(&name, at, import.path_span));
                    return None;
                }
            },
        };
        let file = self.sources.add(name, text);
        self.open.push((key.to_string(), import.path_span));
        let module = self.module(file, key, false);
        self.open.pop();
        Some(module)
    }

    /// Another path under which there is a file.
    fn guess(&self, from: &str, path: &str) -> Option<String> {
        let (bare, last) = (path, last_part(path));
        let guesses = [
            last.to_string(),
            format!("../{bare}"),
            format!("../{last}"),
            bare.to_lowercase(),
            bare.replace('-', "_"),
            format!("{bare}s"),
            bare.strip_suffix('s').unwrap_or(bare).to_string(),
            format!("lib/{bare}"),
            format!("src/{bare}"),
        ];
        let library = LIBRARY.iter().map(|(p, _)| *p).find(|p| last_part(p) == last);
        let there = |guess: &&String| {
            let key = beside(from, guess);
            guess.as_str() != path
                && self.open.iter().all(|(open, _)| *open != key)
                && (self.read)(Path::new(&format!("{key}.tce"))).is_ok()
        };
        library.map(str::to_string).or_else(|| guesses.iter().find(there).cloned())
    }
}

/// The part behind the last slash.
fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The path of a module as seen from a file, without an ending.
fn beside(from: &str, path: &str) -> String {
    match from.rsplit_once('/') {
        Some((folder, _)) => normal(&format!("{folder}/{path}")),
        None => normal(path),
    }
}

/// A path without its ending, without `.`, and with `..` only at its beginning.
fn normal(path: &str) -> String {
    let path = path.replace('\\', "/");
    let path = path.strip_suffix(".tce").unwrap_or(&path);
    let mut parts: Vec<&str> = Vec::new();
    for (k, part) in path.split('/').enumerate() {
        match part {
            "." => {}
            "" if k > 0 => {}
            ".." if parts.last().is_some_and(|p| *p != ".." && !p.is_empty()) => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let check = |from: &str, path: &str, expected: &str| assert_eq!(beside(&normal(from), path), expected);
        check("main.tce", "shapes/circle", "shapes/circle");
        check("src/main.tce", "shapes/circle", "src/shapes/circle");
        check("src/a/main.tce", "../circle", "src/circle");
        check("main.tce", "../circle", "../circle");
        check("/shapes/x/main.tce", "../circle", "/shapes/circle");
        check("./main.tce", "./circle", "circle");
        check("a/../main.tce", "circle", "circle");
    }
}
