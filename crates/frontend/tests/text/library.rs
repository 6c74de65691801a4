//! The standard library: the tests of the prelude hold, every definition is documented, and the examples of the documentation
//! are true.
//!
//! A definition under `--|` lines is for everybody, and has an example: `` `sum([1, 2])` is `3`. `` or `` `x == x` is true. ``. One
//! under a plain comment is for its module; the prelude has none of those, because all its names are in scope everywhere.

use crate::support::{compile_text, sources};
use terrace_base::SourceMap;
use terrace_frontend::library;
use terrace_interp::core::call;
use terrace_ir::core::Role;
use terrace_plan::data::Data;
use terrace_syntax::ast::{Item, ItemKind};

#[test]
fn every_test_of_the_prelude_holds() {
    let mut ran = 0;
    for source in sources("../../../tests/prelude") {
        assert_eq!(source.show(&source.compiled().warnings), "");
        ran += source.tests_hold();
    }
    assert!(ran >= 70, "only {ran} tests");
}

/// The examples in lines of documentation.
fn examples(docs: &[String]) -> Vec<String> {
    let example = |line: &String| {
        let line = line.trim().strip_prefix('`')?;
        match line.strip_suffix("` is true.") {
            Some(holds) => Some(holds.to_string()),
            None => {
                let (left, right) = line.strip_suffix("`.")?.split_once("` is `")?;
                Some(format!("({left}) == {right}"))
            }
        }
    };
    docs.iter().filter_map(example).collect()
}

/// The name of a definition; `None` for an import.
fn name_of(item: &Item) -> Option<&str> {
    match &item.kind {
        ItemKind::Function(f) => Some(&f.name.text),
        ItemKind::Type(t) => Some(&t.name.text),
        ItemKind::Enum(e) => Some(&e.name.text),
        ItemKind::Import(_) => None,
        ItemKind::Test(_) => panic!("the library has only definitions; tests are in tests/library"),
    }
}

/// Whether a plain comment stands directly above a place.
fn has_comment_above(text: &str, at: usize) -> bool {
    text[..at].lines().next_back().is_some_and(|line| line.starts_with("-- "))
}

/// The examples of a module as tests, with the imports that they need; says what is not documented.
fn tests_of(path: &str, text: &str) -> (String, Vec<String>) {
    let mut map = SourceMap::new();
    let file = map.add(path, text);
    let (module, errors) = terrace_syntax::parse(&map, file);
    assert!(errors.is_empty(), "{path}: {errors:?}");
    let is_prelude = path == "std/prelude";
    let mut tests = if is_prelude { String::new() } else { format!("import \"{path}\"\n") };
    let mut missing = Vec::new();
    for item in &module.items {
        let Some(name) = name_of(item) else {
            let ItemKind::Import(import) = &item.kind else { continue };
            tests.push_str(&format!("import \"{}\"\n", import.path));
            continue;
        };
        let found = examples(&item.docs);
        let without = is_prelude && matches!(name, "option" | "pi");
        if item.docs.is_empty() && (is_prelude || !has_comment_above(text, item.span.start as usize)) {
            missing.push(format!("{path}: {name} is not documented"));
        } else if !item.docs.is_empty() && found.is_empty() && !without {
            missing.push(format!("{path}: {name} has no example"));
        }
        found.iter().for_each(|e| tests.push_str(&format!("test \"{path} {name}\" = {e}\n")));
    }
    (tests, missing)
}

#[test]
fn documentation() {
    let mut missing = Vec::new();
    for (path, text) in library() {
        let (tests, more) = tests_of(path, text);
        missing.extend(more);
        let (result, _) = compile_text("examples.tce", &tests);
        let program = result.unwrap_or_else(|reports| panic!("{reports:?}\n{tests}")).program;
        let mut ran = 0;
        for (id, function) in program.functions.enumerate() {
            if let Role::Test { name, arguments } = &function.role {
                assert_eq!(call(&program, id, arguments.clone()).ok(), Some(Data::Scalar(true.into())), "{name}");
                ran += 1;
            }
        }
        assert!(ran >= 4, "{path} has only {ran} examples");
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
