//! Entries have a second body for data whose rows happen to have one length: it is taken for exactly these data, and nobody can
//! tell by the results.
//!
//! Every case runs on several engines with the regular body and without it, and all answers are one.

use terrace::{Backend, Data, Failed, Options, Outcome, Program, Settings, Taken, TileSizes};

const PROGRAM: &str = "
def total[n](xs: [n]f64) -> f64 = sum(xs)

entry row_sums(rows: [][]f64) -> []f64 = [total(row) for row in rows]

entry spmv(rows: [][](i32, f64), v: []f64) -> []f64 = [sum([x * v[j] for (j, x) in row]) for row in rows]

entry deep(a: [][][]i64) -> [][]i64 = [[sum([2 * x for x in r]) for r in row] for row in a]

entry both(a: [][]i64, b: ([][]i64, i64)) -> (i64, [][]i64) =
  (sum([len(row) for row in a]), [[x + b.1 for x in row] for row in b.0])

entry thirds(rows: [][]i64) -> []i64 = [row[2] for row in rows]

entry sums_from(rows: [][]i64, k: i64) -> []i64 = [sum(row[k..]) for row in rows]

entry added[n](rows: [n][]i64, ys: [n]i64) -> []i64 = [sum(row) + y for (row, y) in zip(rows, ys)]

entry plain(xs: []i64) -> i64 = sum(xs)

entry stated[n, m](rows: [n][m]i64) -> i64 = sum([sum(row) for row in rows])
";

const BACKENDS: [Backend; 5] = [Backend::Interp, Backend::Flat, Backend::Mem, Backend::C, Backend::CudaSim];

fn program() -> Program {
    Program::from_text("rows.tce", PROGRAM).unwrap_or_else(|e| panic!("{e}"))
}

fn settings(regularity: bool) -> Settings {
    Settings { options: Options { regularity, ..Options::default() }, ..Settings::default() }
}

/// (entry, arguments, which body runs)
const CASES: &[(&str, &[&str], Taken)] = &[
    ("row_sums", &["[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]"], Taken::Regular),
    ("row_sums", &["[[1.0, 2.0], [3.0, 4.0], [5.0]]"], Taken::General),
    ("row_sums", &["[[], [1.0]]"], Taken::General),
    ("row_sums", &["[]"], Taken::Regular),
    ("row_sums", &["[[]]"], Taken::Regular),
    ("row_sums", &["[[], []]"], Taken::Regular),
    ("row_sums", &["[[1.0, 2.0, 3.0]]"], Taken::Regular),
    ("row_sums", &["[[f64(i * j % 7) for j < 300] for i < 50]"], Taken::Regular),
    ("row_sums", &["[[f64(i * j % 7) for j < 300 - i % 2] for i < 50]"], Taken::General),
    ("row_sums", &["[[f64(i * j % 7) for j < 3] for i < 9000]"], Taken::Regular),
    ("row_sums", &["[[f64(i * j % 7) for j < 9000] for i < 5]"], Taken::Regular),
    ("row_sums", &["[[f64(i * j % 7) for j < 40000] for i < 2]"], Taken::Regular),
    ("spmv", &["[[(0, 1.0), (1, 0.5)], [(1, 2.0), (0, 3.0)]]", "[8.0, 4.0]"], Taken::Regular),
    ("spmv", &["[[(0, 1.0)], []]", "[8.0]"], Taken::General),
    ("spmv", &["[[], []]", "[]"], Taken::Regular),
    ("deep", &["[[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]]"], Taken::Regular),
    ("deep", &["[[[1, 2], [3, 4]], [[5, 6]]]"], Taken::General),
    ("deep", &["[[[1, 2], [3, 4]], [[5, 6], [7]]]"], Taken::General),
    ("deep", &["[[], []]"], Taken::Regular),
    ("deep", &["[[[], []]]"], Taken::Regular),
    ("both", &["[[1], [2]]", "([[1, 2], [3, 4]], 10)"], Taken::Regular),
    ("both", &["[[1], [2]]", "([[1, 2], [3]], 10)"], Taken::General),
    ("both", &["[[1], []]", "([[1, 2], [3, 4]], 10)"], Taken::General),
    // Nothing runs over these rows, so there is nothing to gain.
    ("thirds", &["[[1, 2, 3], [4, 5, 6]]"], Taken::General),
    ("sums_from", &["[[1, 2, 3], [4, 5, 6]]", "1"], Taken::Regular),
    ("added", &["[[1, 2], [3, 4]]", "[10, 20]"], Taken::Regular),
    ("added", &["[[1, 2], [3]]", "[10, 20]"], Taken::General),
    ("plain", &["[1, 2, 3]"], Taken::Only),
    ("stated", &["[[1, 2], [3, 4]]"], Taken::Only),
];

/// Calls that stop the program.
const FAILURES: &[(&str, &[&str])] = &[
    ("thirds", &["[[1, 2], [3, 4]]"]),
    ("thirds", &["[[], []]"]),
    ("spmv", &["[[(0, 1.0), (1, 0.5)], [(1, 2.0), (7, 3.0)]]", "[8.0, 4.0]"]),
    ("sums_from", &["[[1, 2, 3], [4, 5, 6]]", "4"]),
    ("added", &["[[1, 2], [3, 4]]", "[10]"]),
    ("added", &["[[1, 2], [3]]", "[10]"]),
];

fn arguments(program: &Program, entry: &str, texts: &[&str]) -> Vec<Data> {
    let one = |(k, text): (usize, &&str)| program.argument(entry, k, text).unwrap_or_else(|e| panic!("{e}"));
    texts.iter().enumerate().map(one).collect()
}

/// What every engine says of every call, the reference first.
fn on_all(calls: &[(&str, &[&str])], mut see: impl FnMut(usize, &str, bool, Result<Outcome, Failed>)) {
    let program = program();
    for backend in BACKENDS {
        for (regularity, tiles) in [(false, TileSizes::NORMAL), (true, TileSizes::NORMAL), (true, TileSizes::TINY)] {
            let mut settings = settings(regularity);
            settings.options.tiles = tiles;
            let engine = program.engine(backend, &settings).unwrap_or_else(|e| panic!("{e}"));
            for (k, (entry, texts)) in calls.iter().enumerate() {
                let how = if tiles == TileSizes::TINY { "tiny tiles" } else { "normal tiles" };
                let name = format!("{entry}({}) on {}, {how}, {regularity}", texts.join(", "), backend.name());
                see(k, &name, regularity, engine.call(entry, arguments(&program, entry, texts)));
            }
        }
    }
}

#[test]
fn both_bodies_give_one_answer_and_the_data_choose() {
    let calls: Vec<(&str, &[&str])> = CASES.iter().map(|(entry, args, _)| (*entry, *args)).collect();
    let mut wanted: Vec<Data> = Vec::new();
    on_all(&calls, |k, name, regularity, found| {
        let found = found.unwrap_or_else(|e| panic!("{name}: {e}"));
        if wanted.len() == k {
            wanted.push(found.value.clone());
        }
        assert_eq!(found.value, wanted[k], "{name}");
        assert_eq!(found.body, if regularity { CASES[k].2 } else { Taken::Only }, "{name}");
    });
}

#[test]
fn both_bodies_fail_with_one_message() {
    let mut wanted: Vec<String> = Vec::new();
    on_all(FAILURES, |k, name, _, found| {
        let message = found.map(|o| o.value).expect_err(name);
        // The interpreter has a trace, which the others do not.
        let mut first = message.diagnostics[0].clone();
        first.notes.clear();
        let text =
            format!("{} {:?} {:?}", first.title, first.labels.iter().find(|l| l.primary).map(|l| l.span), first.code);
        if wanted.len() == k {
            wanted.push(text.clone());
        }
        assert_eq!(text, wanted[k], "{name}");
    });
}

#[test]
fn rows_of_one_length_need_no_offsets() {
    let program = program();
    let bytes = |regularity: bool| {
        let engine = program.engine(Backend::CudaSim, &settings(regularity)).unwrap_or_else(|e| panic!("{e}"));
        let args = arguments(&program, "row_sums", &["[[f64(j) for j < 4] for _i < 1000]"]);
        engine.call("row_sums", args).unwrap_or_else(|e| panic!("{e}")).stats.expect("devices count").bytes_to_device
    };
    assert_eq!((bytes(true), bytes(false)), (32_000, 32_000 + 8 * 1001));
}

#[test]
fn an_engine_is_made_once_for_many_callers() {
    let program = program();
    let engine = program.engine(Backend::C, &settings(true)).unwrap_or_else(|e| panic!("{e}"));
    let args = arguments(&program, "row_sums", &["[[1.0, 2.0], [3.0, 4.0]]"]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let found = engine.call("row_sums", args.clone()).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(terrace::show::data(&found.value, 9), "[3.0, 7.0]");
            });
        }
    });
    let regular = engine.that_ran("row_sums", Taken::Regular);
    assert!(std::ptr::eq(regular, engine.that_ran("row_sums", Taken::Regular)) && !std::ptr::eq(regular, &engine));
}
