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
use terrace_syntax::{codes, parse};

fn item_name(item: &Item) -> String {
    match &item.kind {
        ItemKind::Function(f) => f.name.text.clone(),
        ItemKind::Test(test) => format!("{:?}", test.name),
        ItemKind::Import(import) => format!("{:?}", import.path),
        ItemKind::Type(def) => def.name.text.clone(),
        ItemKind::Enum(def) => def.name.text.clone(),
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

#[test]
fn habits() {
    check("habits");
}

#[test]
fn declarations() {
    check("declarations");
}

#[test]
fn matches() {
    check("matches");
}

#[test]
fn updates() {
    check("updates");
}

#[test]
fn recovery() {
    check("recovery");
}

/// Every code that the crate mentions is explained, and every explained code is mentioned.
#[test]
fn codes_are_explained() {
    let mut sources = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut sources);
    let text: String = sources.iter().filter(|(name, _)| name != "codes.rs").map(|(_, text)| text.as_str()).collect();
    let mentioned = |code: &str| text.contains(&format!("\"{code}\""));
    for number in 0..10_000 {
        let code = format!("T{number:04}");
        let explained = codes::explain(&code);
        assert_eq!(mentioned(&code), explained.is_some(), "{code}");
        assert!(explained.is_none_or(|text| text.ends_with('.') && text.len() > 20), "{code}");
    }
    assert!(codes::EXPLANATIONS.is_sorted_by_key(|(code, _)| *code));
}

fn collect(folder: &Path, sources: &mut Vec<(String, String)>) {
    for path in std::fs::read_dir(folder).expect("the folder exists").flatten().map(|e| e.path()) {
        if path.is_dir() {
            collect(&path, sources);
        } else {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_string();
            sources.push((name, std::fs::read_to_string(&path).expect("a readable file")));
        }
    }
}
