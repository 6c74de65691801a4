//! Reductions that must be vector code on a CPU, by the text that the C compiler gets; and sums that have the same bits alone and in company.
//!
//! ```text
//! (sum(xs), minimum(xs), maximum(xs))      lanes of all three in registers: the least and the greatest among integers
//! ```

use terrace::{Backend, Program, Settings, Stage, Strategy};

const PROGRAM: &str = "
entry least(rows: [][]f64) -> []f64 = [minimum(row) for row in rows]
entry three(xs: []f32) -> (f32, f32, f32) = (sum(xs), minimum(xs), maximum(xs))
entry place(xs: []f64) -> (f64, i64) = (sum(xs), argmax(xs))
entry thirds(n: i64, m: i64) -> []f64 = [sum(some(i, m)) for i < n]
entry company(n: i64, m: i64) -> [](f64, f64, i64) =
  [let xs = some(i, m) in (sum(xs), minimum(xs), argmax(xs)) for i < n]
def some(i: i64, m: i64) -> []f64 = [1.0 / f64(3 + i + 7 * j % 1001) for j < m + i % 3]
";

fn program() -> Program {
    Program::from_text("vectors.tce", PROGRAM).unwrap_or_else(|e| panic!("{e}"))
}

/// The kernels of an entry as C.
fn kernels(entry: &str) -> String {
    let text = program().show(Stage::C, Backend::C, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
    let of_entry = |part: &&str| part.starts_with(&format!("k_{entry}_"));
    text.split("static void ").filter(of_entry).collect()
}

#[test]
fn the_least_float_is_found_among_integers() {
    let text = kernels("least");
    assert!(text.contains("_k = min_i64(") && !text.contains("= min_f64(total_16, rows"), "other kernels:\n{text}");
}

#[test]
fn components_of_a_tuple_have_lanes() {
    let text = kernels("three");
    let all = ["_v + lane", "_v = min_i32x16(lane", "_v = max_i32x16(lane"];
    assert!(all.iter().all(|part| text.contains(part)), "other kernels:\n{text}");
}

#[test]
fn a_sum_has_lanes_beside_what_combines_in_turn() {
    let text = kernels("place");
    assert!(text.contains("_v + lane") && !text.contains("x8("), "other kernels:\n{text}");
}

#[test]
fn sums_have_the_same_bits_alone_and_in_company() {
    let program = program();
    let arguments = |entry: &str| {
        ["9", "9001"].iter().enumerate().map(|(k, text)| program.argument(entry, k, text).expect("a number")).collect()
    };
    for strategy in [Strategy::Auto, Strategy::Flat, Strategy::Outer, Strategy::Seq] {
        for threads in [1, 2, 7] {
            let mut settings = Settings { threads, ..Settings::default() };
            settings.options.strategy = strategy;
            let engine = program.engine(Backend::C, &settings).unwrap_or_else(|e| panic!("{e}"));
            let call = |entry| engine.call(entry, arguments(entry)).unwrap_or_else(|e| panic!("{e}")).value;
            let alone = format!("{:?}", call("thirds"));
            let company = format!("{:?}", call("company"));
            let sums: Vec<&str> = numbers(&company).into_iter().step_by(3).collect();
            assert_eq!(numbers(&alone), sums, "{strategy:?}, {threads} threads");
        }
    }
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let parts = text.split(|c| !is_part(c)).filter(|part| part.contains(|c: char| c.is_ascii_digit()));
    // What types are called is no number.
    parts.filter(|part| *part != "64").collect()
}
