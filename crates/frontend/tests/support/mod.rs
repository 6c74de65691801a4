//! What the tests of the front end share.
//!
//! Expected texts live in files beside the tests; `UPDATE=1 cargo test -p terrace-frontend` writes them anew.

use std::path::Path;
use terrace_base::{Diagnostic, SourceMap};
use terrace_frontend::Compiled;

/// Parses and compiles; syntax errors count as errors.
pub(crate) fn compile(name: &str, text: &str) -> (Result<Compiled, Vec<Diagnostic>>, SourceMap) {
    let mut map = SourceMap::new();
    let file = map.add(name, text);
    let (module, errors) = terrace_syntax::parse(&map, file);
    let result = if errors.iter().any(Diagnostic::is_error) {
        Err(errors)
    } else {
        terrace_frontend::compile(&module)
    };
    (result, map)
}

/// Compares a text with the file that holds what is expected.
pub(crate) fn compare_with_file(path: &str, found: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, found).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        found,
        expected,
        "{} differs; UPDATE=1 accepts",
        file.display()
    );
}
