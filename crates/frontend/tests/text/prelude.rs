//! The prelude: its tests hold, every definition is documented, and the examples of the documentation are true.

use crate::support::{compile_text, sources};
use terrace_base::SourceMap;
use terrace_interp::core::call;
use terrace_ir::core::Role;
use terrace_plan::data::Data;
use terrace_syntax::ast::ItemKind;

const PRELUDE: &str = include_str!("../../../../lib/prelude.tce");

#[test]
fn every_test_of_the_prelude_holds() {
    let mut ran = 0;
    for source in sources("../../../tests/prelude") {
        assert_eq!(source.show(&source.compiled().warnings), "");
        ran += source.tests_hold();
    }
    assert!(ran >= 70, "only {ran} tests");
}

/// The examples in lines of documentation: `` `sum([1, 2])` is `3`. ``
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

#[test]
fn documentation() {
    let mut map = SourceMap::new();
    let file = map.add("prelude.tce", PRELUDE);
    let (module, errors) = terrace_syntax::parse(&map, file);
    assert!(errors.is_empty(), "{errors:?}");
    let mut tests = String::new();
    for item in &module.items {
        let name = match &item.kind {
            ItemKind::Function(f) => &f.name.text,
            ItemKind::Type(t) => &t.name.text,
            ItemKind::Enum(e) => &e.name.text,
            _ => panic!("the prelude has only definitions"),
        };
        assert!(!item.docs.is_empty(), "{name} is not documented");
        let found = examples(&item.docs);
        assert!(!found.is_empty() || matches!(name.as_str(), "option" | "pi"), "{name} has no example");
        found.iter().for_each(|e| tests.push_str(&format!("test \"{name}\" = {e}\n")));
    }
    let (result, _) = compile_text("examples.tce", &tests);
    let program = result.unwrap_or_else(|reports| panic!("{reports:?}\n{tests}")).program;
    for (id, function) in program.functions.enumerate() {
        if let Role::Test { name, arguments } = &function.role {
            assert_eq!(call(&program, id, arguments.clone()).ok(), Some(Data::Scalar(true.into())), "{name}");
        }
    }
}
