//! Programs with mistakes and the messages they give, whole.
//!
//! Each file in `tests/errors` holds cases of the form
//!
//! ```text
//! === name of the case
//! source
//! ---
//! rendered messages, and which items could still be read
//! ```
//!
//! After a wanted change, `TERRACE_BLESS=1 cargo test -p terrace-syntax --test errors` writes the files anew; read the
//! difference before keeping it.

use std::fmt::Write;
use std::path::Path;
use terrace_base::{SourceMap, render};
use terrace_syntax::ast::{Item, ItemKind};
use terrace_syntax::parse;

fn item_name(item: &Item) -> String {
    match &item.kind {
        ItemKind::Function(f) => f.name.text.clone(),
        ItemKind::Test(test) => format!("{:?}", test.name),
    }
}

fn messages(source: &str) -> String {
    let mut map = SourceMap::new();
    let file = map.add("a.ter", source);
    let (module, errors) = parse(&map, file);
    assert!(!errors.is_empty(), "no mistake found in\n{source}");
    let mut out: String = errors.iter().map(|e| render(e, &map, false)).collect();
    let names: Vec<String> = module.items.iter().map(item_name).collect();
    let _ = writeln!(out, "items: {}", if names.is_empty() { "none".into() } else { names.join(", ") });
    out
}

fn check(group: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/errors/{group}.txt"));
    let stored = std::fs::read_to_string(&path).expect("the file of the group");
    let mut fresh = String::new();
    for case in stored.split("=== ").filter(|c| !c.is_empty()) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (source, _) = rest.split_once("---\n").expect("a line `---`");
        let _ = write!(fresh, "=== {name}\n{source}---\n{}", messages(source));
    }
    if std::env::var_os("TERRACE_BLESS").is_some() {
        std::fs::write(&path, fresh).expect("the file can be written");
        return;
    }
    for (want, got) in stored.split("=== ").zip(fresh.split("=== ")) {
        assert_eq!(want, got, "want:\n{want}\ngot:\n{got}");
    }
}

#[test]
fn lexical() {
    check("lexical");
}

#[test]
fn items() {
    check("items");
}

#[test]
fn chains() {
    check("chains");
}

#[test]
fn brackets() {
    check("brackets");
}

#[test]
fn comprehensions() {
    check("comprehensions");
}

#[test]
fn operators() {
    check("operators");
}
