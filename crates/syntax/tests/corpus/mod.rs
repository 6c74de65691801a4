//! All programs of the repository, and small tools for damaging them: shared by the tests of recovery and of the formatter.

#![allow(dead_code, unreachable_pub)]

use std::path::{Path, PathBuf};
use terrace_base::{Diagnostic, FileId, SourceMap};
use terrace_syntax::Module;

/// A small xorshift generator: the tests need variety, not quality.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

/// Every form of the language once or more.
pub const EVERYTHING: &str = include_str!("everything.tce");

/// The text of every program in the repository that has no syntax errors, with its name.
pub fn programs() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(files.len() > 20, "the programs of the repository were not found");
    let texts = files.iter().map(|f| (f.display().to_string(), std::fs::read_to_string(f).expect("a readable file")));
    texts.filter(|(_, text)| parse(text).1.is_empty()).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|e| e.path()) {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            collect(&path, files);
        } else if name.ends_with(".tce") {
            files.push(path);
        }
    }
}

/// Adds a text to a map of its own.
pub fn map(text: &str) -> (SourceMap, FileId) {
    let mut map = SourceMap::new();
    let file = map.add("a.tce", text);
    (map, file)
}

/// The tree and the errors of a text.
pub fn parse(text: &str) -> (Module, Vec<Diagnostic>) {
    let (map, file) = map(text);
    terrace_syntax::parse(&map, file)
}
