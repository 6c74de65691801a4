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
entry columns(rows: [][]f64) -> []f64 = [sum(column) for column in transpose(rows)]
entry lines(rows: [][]f64) -> []f64 = [sum(row) for row in rows]
entry windows(rows: [][]f32) -> [][]f32 =
  [loop best = row for _ < 9 do [minimum(window) for window in slide(3, 1, pad(1, 1, clamp, best))] for row in rows]
entry spelled(n: i64, f: i64) -> i64 = count(
  [let (a, b) = ([f32(third(i, k)) for k < 3], [third(i, k) for k < 9])
   let (c, d) = ([third(i, k) for k < 27], [f32(third(i, k)) for k < 19])
   in (sum(a) + a[1], sum(b) + b[1], sum(c) + c[1], sum(d) + d[1]) == stored(i, f)
   for i < n])
def stored(i: i64, f: i64) -> (f32, f64, f64, f32) =
  let (a, b) = ([f32(third(i, k)) for k < 3 * f], [third(i, k) for k < 9 * f])
  let (c, d) = ([third(i, k) for k < 27 * f], [f32(third(i, k)) for k < 19 * f])
  in (sum(a) + a[1], sum(b) + b[1], sum(c) + c[1], sum(d) + d[1])
def third(i: i64, k: i64) -> f64 = 1.0 / f64(3 + i % 101 + 7 * k)
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

/// Columns of more than a block, one beside the other, are added up in the order that a row is.
#[test]
fn sums_of_columns_have_the_bits_of_rows() {
    let program = program();
    let (long, wide) = ("9001", "12");
    let of = |entry: &str, rows: &str, columns: &str, i: &str, j: &str| {
        let text = format!("[[1.0 / f64(3 + {i} + 7 * {j} % 1001) for j < {columns}] for i < {rows}]");
        program.argument(entry, 0, &text).expect("a matrix")
    };
    let mut all = Vec::new();
    for strategy in [Strategy::Auto, Strategy::Flat, Strategy::Outer, Strategy::Seq] {
        for threads in [1, 2, 7] {
            let mut settings = Settings { threads, ..Settings::default() };
            settings.options.strategy = strategy;
            let engine = program.engine(Backend::C, &settings).unwrap_or_else(|e| panic!("{e}"));
            let call = |entry, arg| engine.call(entry, vec![arg]).unwrap_or_else(|e| panic!("{e}")).value;
            all.push(format!("{:?}", call("columns", of("columns", long, wide, "j", "i"))));
            all.push(format!("{:?}", call("lines", of("lines", wide, long, "i", "j"))));
        }
    }
    all.dedup();
    assert_eq!(all.len(), 1, "columns and rows differ: {all:?}");
}

/// Rows whose elements are spelled out are added up in the order that rows in memory are.
#[test]
fn sums_of_short_rows_have_the_bits_of_rows() {
    let program = program();
    for strategy in [Strategy::Auto, Strategy::Flat, Strategy::Outer, Strategy::Seq] {
        let mut settings = Settings::default();
        settings.options.strategy = strategy;
        let engine = program.engine(Backend::C, &settings).unwrap_or_else(|e| panic!("{e}"));
        let args = ["1000", "1"].iter().enumerate();
        let args = args.map(|(k, text)| program.argument("spelled", k, text).expect("a number")).collect();
        let found = engine.call("spelled", args).unwrap_or_else(|e| panic!("{e}")).value;
        assert!(format!("{found:?}").contains("1000"), "{strategy:?}: {found:?}");
    }
}

#[test]
fn columns_lie_beside_each_other() {
    let text = kernels("columns");
    assert!(text.contains("parts_p"), "no parts of columns:\n{text}");
    let beside = text.split("#pragma omp simd").any(|part| part.contains("rows_p") && part.contains("lane_a"));
    assert!(beside, "columns are read one after the other:\n{text}");
}

#[test]
fn a_thread_splits_its_loops_at_their_borders() {
    let mut settings = Settings::default();
    settings.options.strategy = Strategy::Auto;
    let text = program().show(Stage::C, Backend::C, &settings).unwrap_or_else(|e| panic!("{e}"));
    let alone = text.split("static void ").find(|part| part.starts_with("alone_k_windows_1_alone_thread_total"));
    let alone = alone.unwrap_or_else(|| panic!("no thread's loop over windows:\n{text}"));
    let inside = |part: &&str| part.contains("x_p") && !part.contains("min_i64(sub_i64(") && !part.contains("max_i64(");
    assert!(alone.split("for (int64_t").skip(1).any(|part| inside(&part)), "borders are asked everywhere:\n{alone}");
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let parts = text.split(|c| !is_part(c)).filter(|part| part.contains(|c: char| c.is_ascii_digit()));
    // What types are called is no number.
    parts.filter(|part| *part != "64").collect()
}
