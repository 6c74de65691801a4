//! Kernels with indices of 32 and of 64 bits give the same results, and the sizes of a launch decide which of them runs.
//!
//! The limit is so low that small data lie on both sides of it: with 100, a launch over 90 points is small and one over 110 is not.

use terrace::{Backend, Data, Program, Settings, Strategy, TileSizes};

const TEXT: &str = "
entry grid(n: i64, m: i64) -> [][]i64 = [[i * 1000 + j - (i * j) % 7 for j < m] for i < n]
entry sums(rows: [][]i64) -> []i64 = [sum(row) for row in rows]
entry kept(xs: []i64) -> []i64 = [x for x in xs if x % 3 != 1]
entry prefixes(xs: []i64) -> []i64 = scan((+), 0, xs)
entry hashes(n: i64) -> []i64 = [let h = (i * 1103515245 + 12345) % 2147483647 in (h * h + i) * 4294967291 for i < n]
entry picked(xs: []i64, at: []i64) -> []i64 = [xs[k] for k in at]
entry far(xs: []i64, k: i64) -> []bool = [x + k < k + 2 for x in xs]
";

const CALLS: &[(&str, &[&str])] = &[
    ("grid", &["9", "10"]),
    ("grid", &["11", "10"]),
    ("grid", &["0", "5"]),
    ("sums", &["[[i * j - 50 for j < i % 13] for i < 60]"]),
    ("sums", &["[[i64(1) << 40 for _j < 200], [], [7]]"]),
    ("kept", &["[i * 4294967296 for i < 130]"]),
    ("prefixes", &["[(i - 40) * 8589934592 for i < 110]"]),
    ("hashes", &["90"]),
    ("hashes", &["300"]),
    ("picked", &["[i * i for i < 40]", "[(7 * i) % 40 for i < 120]"]),
    ("picked", &["[i * i for i < 40]", "[if i == 77 then 4294967300 else i % 40 for i < 120]"]),
    ("far", &["[i - 5 for i < 30]", "6000000000"]),
    ("far", &["[i - 5 for i < 30]", "3"]),
];

fn run(engine: &terrace::Engine, program: &Program, entry: &str, args: &[&str]) -> (Result<Data, String>, u64, u64) {
    let args = args.iter().enumerate();
    let args = args.map(|(k, text)| program.argument(entry, k, text).unwrap_or_else(|e| panic!("{e}"))).collect();
    match engine.call(entry, args) {
        Ok(outcome) => {
            let stats = outcome.stats.map_or((0, 0), |s| (s.launches, s.small_launches));
            (Ok(outcome.value), stats.0, stats.1)
        }
        // Devices count the elements around an error in words of their own.
        Err(failed) => (Err(failed.to_string().split("= note").next().unwrap_or_default().to_string()), 0, 0),
    }
}

#[test]
fn both_widths_give_the_same_results_and_errors() {
    let program = Program::from_text("indices", TEXT).unwrap_or_else(|e| panic!("{e}"));
    let meaning = program.engine(Backend::Interp, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
    let expected: Vec<_> = CALLS.iter().map(|(entry, args)| run(&meaning, &program, entry, args).0).collect();
    let mut shares = Vec::new();
    for index_limit in [0, 100, Settings::default().index_limit] {
        let mut settings = Settings { index_limit, keep_plans: false, ..Settings::default() };
        settings.options.strategy = Strategy::Flat;
        settings.options.tiles = TileSizes::TINY;
        let engine = program.engine(Backend::CudaSim, &settings).unwrap_or_else(|e| panic!("{e}"));
        let (mut launches, mut small) = (0, 0);
        for ((entry, args), expected) in CALLS.iter().zip(&expected) {
            let (found, all, narrow) = run(&engine, &program, entry, args);
            assert_eq!(&found, expected, "{entry}{args:?} with indices below {index_limit}");
            launches += all;
            small += narrow;
        }
        shares.push((launches, small));
    }
    let [(_, never), (_, sometimes), (launches, always)] = shares[..] else { panic!("three") };
    assert_eq!(never, 0);
    assert!(0 < sometimes && sometimes < always && always <= launches, "{shares:?}");
}
