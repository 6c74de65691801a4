//! Small programs and the Core that is written for them.
//!
//! `constructs/NAME.tce` has a group of constructs, and `constructs/NAME.core` what becomes of each.

use crate::support::{compare_with_file, compile_text, sources};

#[test]
fn core_of_constructs() {
    let sources = sources("constructs");
    assert!(sources.len() >= 5, "only {} files", sources.len());
    for source in sources {
        let text = terrace_ir::core::print::print(&source.compiled().program);
        compare_with_file(&format!("constructs/{}.core", source.name), &text);
    }
}

/// Entries as their callers see them, one line each.
fn check_entries(text: &str, expected: &[&str]) {
    let (result, _) = compile_text("entries.tce", text);
    let compiled = result.unwrap_or_else(|reports| panic!("{reports:?}"));
    let shown = compiled.entries.iter().map(|e| {
        let params: Vec<String> = e.params.iter().map(|p| format!("{}: {}", p.name, p.text)).collect();
        format!("{}({}) -> {} as {:?}", e.name, params.join(", "), e.result_text, e.result)
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}

#[test]
fn entries_as_written() {
    check_entries(
        "type point = {x: f64, y: f64}
         enum maybe[t] = nothing | just(t)
         def hidden(x: i64) -> i64 = x
         entry norm(p: point, (a, _b): (f64, bool)) -> f64 = p.x + a
         entry shift[n](ps: *[n]point, n0: i64) -> ?[m]. [m]point = ps[hidden(n0)..]
         entry open(m: [i < 3][i + 1]i64) = just(m[0, 0])",
        &[
            "norm(p: point, _: (f64, bool)) -> f64 as Scalar(F64)",
            "shift(ps: *[n]point, n0: i64) -> ?[m]. [m]point as Array(Record { name: \"point\", fields: \
             [(\"x\", Scalar(F64)), (\"y\", Scalar(F64))] })",
            "open(m: [i < 3][i + 1]i64) -> maybe[i64] as Enum { name: \"maybe[i64]\", variants: [(\"nothing\", []), \
             (\"just\", [Scalar(I64)])] }",
        ],
    );
}
