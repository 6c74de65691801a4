//! Kernels that take points in groups, compiled for a CPU, against the interpreter, and sums of floats against one thread: the same
//! bits with any number of threads.
//!
//! ```text
//! scans, filters, histograms      none, one, a group of eight and its neighbours, several tiles
//! matrix products                 sides that are no multiple of four, lengths that are no multiple of a vector or of a block
//! ```
//!
//! The programs make their data by formula. Sums of floats are not exact, so another association would show.

use terrace::{Backend, Data, Program, Strategy};
use terrace_base::Scalar;
use terrace_testkit::setup::Setup;

const TEXT: &str = "
entry prefixes(n: i64) -> []i64 = scan((+), 0, [i * i % 17 - 8 for i < n])
entry float_prefixes(n: i64) -> []f64 = scan((+), 0.0, [1.0 / f64(i + 1) for i < n])
entry tops(n: i64) -> []i32 = scan(max, 0, [i32(i * 7919 % 1009) for i < n])
entry some(n: i64) -> []i64 = [x for x in [i * 7919 % 1009 for i < n] if x % 3 == 1]
entry few(n: i64) -> []i64 = [i for i < n if i % 1000 == 999]
entry all(n: i64) -> []f64 = [f64(i) for i < n if i >= 0]
entry counts(n: i64) -> []i32 = hist((+), 0, 13, [i * i % 13 for i < n], [1 for _ in [0 for i < n]])
entry in_one(n: i64) -> []i64 = hist((+), 0, 3, [1 for i < n], [i for i < n])
entry many_bins(n: i64) -> []i64 = hist(max, -1, 5000, [i * 7919 % 5000 for i < n], [i for i < n])
entry float_bins(n: i64) -> []f64 = hist((+), 0.0, 7, [i % 7 for i < n], [1.0 / f64(i + 1) for i < n])
entry float_product(n: i64, k: i64, m: i64) -> [][]f32 = product(left(n, k), right(k, m))
entry product_of_floats(n: i64, k: i64, m: i64) -> bool =
  let (a, b) = (left(n, k), right(k, m))
  let (i, j) = (n - 1, m / 2)
  in product(a, b)[i][j] == sum([a[i][l] * b[l][j] for l < k])
def left(n: i64, k: i64) -> [][]f32 = [[1.0 / f32(i * 7 + j + 1) for j < k] for i < n]
def right(k: i64, m: i64) -> [][]f32 = [[1.0 / f32(i + j * 3 + 2) for j < m] for i < k]
def product[n, k, m](a: [n][k]f32, b: [k][m]f32) -> [n][m]f32 =
  [[sum([x * y for x in row, y in column]) for column in transpose(b)] for row in a]
";

fn calls() -> Vec<(&'static str, Vec<i64>)> {
    let in_rows =
        ["prefixes", "float_prefixes", "tops", "some", "few", "all", "counts", "in_one", "many_bins", "float_bins"];
    let lengths = [0, 1, 7, 8, 9, 1000, 40_003];
    let mut calls: Vec<_> = in_rows.into_iter().flat_map(|e| lengths.map(|n| (e, vec![n]))).collect();
    let sides = [[1, 16, 1], [8, 15, 8], [9, 33, 7], [70, 40, 66], [5, 4200, 6]];
    calls.extend(["float_product", "product_of_floats"].into_iter().flat_map(|e| sides.map(|s| (e, s.to_vec()))));
    calls
}

#[test]
fn groups_of_points_give_what_points_give() {
    let program = Program::from_text("groups", TEXT).expect("a right program");
    let engine =
        |setup: &Setup| program.engine(setup.backend, &setup.settings).unwrap_or_else(|why| panic!("{setup}: {why}"));
    let answer = |engine: &terrace::Engine, entry: &str, sizes: &[i64]| {
        let args = sizes.iter().map(|n| Data::Scalar(Scalar::I64(*n))).collect();
        engine.call(entry, args).unwrap_or_else(|why| panic!("{entry}: {why}")).value
    };
    let meaning = engine(&Setup::new(Backend::Interp));
    let of = |strategy: Strategy, threads: usize| Setup::new(Backend::C).strategy(strategy).threads(threads);
    let setups = [of(Strategy::Flat, 1), of(Strategy::Auto, 2), of(Strategy::Flat, 7), of(Strategy::Flat, 7).tiny()];
    let engines: Vec<_> = setups.iter().map(&engine).collect();
    for (entry, sizes) in calls() {
        // Sums of floats depend on the size of tiles, and on nothing else.
        let is_float = entry.starts_with("float");
        let (first, count) = if is_float { (&engines[0], setups.len() - 1) } else { (&meaning, setups.len()) };
        let right = answer(first, entry, &sizes);
        for (setup, engine) in setups.iter().zip(&engines).take(count) {
            assert!(answer(engine, entry, &sizes) == right, "{setup}: `{entry}` of {sizes:?}");
        }
    }
}
