//! Products of matrices whose sizes nobody stated: no product is stored, and what is wrong is said as the interpreter says it.
//!
//! ```text
//! [[sum([x * y for x in r, y in c]) for c in transpose(b)] for r in a]      one matrix turned, one matrix of sums
//! ```

use terrace::{Backend, Data, Engine, Program, Settings, TileSizes};

const PROGRAM: &str = include_str!("../../../tests/spine/products.tce");

fn program() -> Program {
    Program::from_text("products.tce", PROGRAM).unwrap_or_else(|e| panic!("{e}"))
}

fn arguments(program: &Program, entry: &str, args: &[&str]) -> Vec<Data> {
    let args = args.iter().enumerate();
    args.map(|(k, text)| program.argument(entry, k, text).unwrap_or_else(|e| panic!("{e}"))).collect()
}

/// Calls in which lengths differ: everywhere, in one row, only where there is no point, in two ways.
const CALLS: &[(&str, &[&str])] = &[
    ("by_rows", &["[[1.0, 2.0]]", "[[1.0]]"]),
    ("by_rows", &["[[1.0, 2.0], [1.0, 2.0]]", "[[1.0, 3.0], [1.0, 3.0], [1.0, 3.0]]"]),
    ("by_rows", &["[[1.0, 2.0], [1.0]]", "[[1.0], [3.0]]"]),
    ("by_rows", &["[[1.0], [1.0, 2.0]]", "[[1.0, 2.0], [3.0]]"]),
    ("by_rows", &["[[1.0, 2.0]]", "[]"]),
    ("by_rows", &["[[], []]", "[[1.0]]"]),
    ("by_rows", &["[[]]", "[[]]"]),
    ("by_rows", &["[[1.0]]", "[]"]),
    ("by_rows", &["[]", "[[1.0], [2.0]]"]),
    ("by_indices", &["[[1.0, 2.0], [3.0, 4.0]]", "[[1.0], [2.0], [3.0]]", "2", "1", "3"]),
    ("by_indices", &["[[1.0, 2.0], [3.0, 4.0]]", "[[1.0, 1.0], [2.0, 1.0]]", "2", "3", "2"]),
    ("by_indices", &["[[1.0, 2.0], [3.0, 4.0]]", "[[1.0, 1.0], [2.0, 1.0]]", "5", "2", "2"]),
    ("by_indices", &["[[1.0, 2.0], [3.0, 4.0]]", "[[1.0, 1.0], [2.0, 1.0]]", "2", "2", "3"]),
    ("by_indices", &["[[1.0, 2.0], [3.0, 4.0]]", "[[1.0, 1.0]]", "2", "2", "2"]),
    ("by_indices", &["[[1.0, 2.0], [3.0]]", "[[1.0, 1.0], [2.0, 1.0]]", "2", "2", "2"]),
    ("by_indices", &["[]", "[]", "1", "1", "1"]),
    ("by_indices", &["[[]]", "[[]]", "1", "1", "1"]),
    ("by_indices", &["[]", "[]", "3", "2", "0"]),
    ("vector", &["[[1.0, 2.0], [1.0, 2.0]]", "[1.0]"]),
    ("vector", &["[[1.0, 2.0], [1.0]]", "[1.0, 2.0]"]),
    ("vector", &["[[], []]", "[1.0]"]),
    ("vector", &["[]", "[1.0]"]),
    ("distances", &["[[1.0, 2.0], [1.0, 2.0]]", "[[1.0]]"]),
    ("distances", &["[[1.0, 2.0]]", "[[1.0, 2.0], [1.0]]"]),
    ("dots", &["[[1.0, 2.0], [1.0, 2.0]]", "[[1.0], [1.0]]"]),
    ("dots", &["[[1.0], [1.0, 2.0]]", "[[1.0], [1.0]]"]),
    ("dots", &["[[1.0]]", "[]"]),
    ("in_functions", &["[[1.0, 2.0]]", "[[1.0]]"]),
];

fn outcome(program: &Program, engine: &Engine, entry: &str, args: &[&str]) -> String {
    match engine.call(entry, arguments(program, entry, args)) {
        Ok(found) => format!("= {:?}", found.value),
        // What is wrong, and where in the text; where in the data, devices say in their own way, and not at all of what is checked once.
        Err(failed) => failed.to_string().lines().take(2).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn what_does_not_fit_is_said_alike_everywhere() {
    let program = program();
    let interp = program.engine(Backend::Interp, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
    let wanted: Vec<String> = CALLS.iter().map(|(entry, args)| outcome(&program, &interp, entry, args)).collect();
    assert!(wanted.iter().filter(|w| w.contains("error[T09")).count() > 18, "{wanted:#?}");
    for backend in [Backend::Flat, Backend::Mem, Backend::C, Backend::CudaSim] {
        for regularity in [true, false] {
            let mut settings = Settings::default();
            settings.options.regularity = regularity;
            settings.options.tiles = TileSizes::TINY;
            let engine = program.engine(backend, &settings).unwrap_or_else(|e| panic!("{e}"));
            for ((entry, args), wanted) in CALLS.iter().zip(&wanted) {
                let found = outcome(&program, &engine, entry, args);
                assert_eq!(&found, wanted, "{entry}{args:?} on {backend:?}, regularity {regularity}");
            }
        }
    }
}

#[test]
fn no_product_is_stored() {
    const N: u64 = 64;
    let (a, v) = (format!("[[f64(i * j % 9) for j < {N}] for i < {N}]"), format!("[f64(j % 9) for j < {N}]"));
    let n = N.to_string();
    let matrix = 8 * N * N;
    let ragged = format!("[[f64(i * j % 9) for j < {N} - i % 2] for i < {N}]");
    let calls: [(&str, Vec<&str>, u64); 7] = [
        ("by_rows", vec![&a, &a], 4 * matrix),
        ("by_indices", vec![&a, &a, &n, &n, &n], 4 * matrix),
        ("stated", vec![&a, &a], 4 * matrix),
        ("distances", vec![&a, &a], 4 * matrix),
        ("in_functions", vec![&a, &a], 4 * matrix),
        ("vector", vec![&a, &v], matrix + 2 * 8 * N),
        ("dots", vec![&ragged, &ragged], 2 * matrix + 64 * N),
    ];
    let program = program();
    for backend in [Backend::C, Backend::CudaSim] {
        let engine = program.engine(backend, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
        for (entry, args, most) in &calls {
            let found = engine.call(entry, arguments(&program, entry, args)).unwrap_or_else(|e| panic!("{e}"));
            let peak = found.stats.expect("devices count").peak_bytes;
            assert!(peak <= most + 8192, "{entry} on {backend:?}: {peak} bytes, {most} would do");
        }
    }
}
