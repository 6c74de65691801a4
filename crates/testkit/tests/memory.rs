//! Limits on memory: waves of a recursion are split until they fit, with the same bits; and where nothing helps, the message names the array.
//!
//! Results are small here and what is made on the way is large, so that there is something to gain: each program runs without a limit, then with less
//! and less of the memory that its waves took. A thread per point (`outer`) needs less than waves, so there only the limit counts, not the number of calls.

use terrace::{Backend, Data, Engine, Outcome, Program, Settings, Strategy};
use terrace_testkit::setup::Setup;

/// A program, its arguments, and the least part of its memory (one in so many) that it must still run in.
const PROGRAMS: &[(&str, &str, &[&str], u64)] = &[
    (
        "rows as long as the data say",
        "def quicksort(xs: []i64) -> []i64 =
           if len(xs) < 2 then xs
           else
             let p = xs[len(xs) / 2]
             let parts = [quicksort(part) for part in [[x for x in xs if x < p], [x for x in xs if x > p]]]
             in parts[0] ++ [x for x in xs if x == p] ++ parts[1]
         entry f(n: i64, m: i64) -> []i64 =
           [sum([x * (k % 7) for (x, k) in zip(quicksort(row), iota(len(row)))])
             for row in [[(i * 31 + j * j * 7919) % 10007 for j < m] for i < n]]",
        &["40", "60"],
        3,
    ),
    (
        "a table at every call",
        "def curve(x: f64) -> f64 = 1.0 / (0.01 + x * x)
         def area(a: f64, b: f64, depth: i64) -> f64 =
           let points = [curve(a + (b - a) * f64(i) / 64.0) for i < 64]
           in if depth == 0 || abs(points[0] - points[63]) < 0.000001 then sum(points) * (b - a)
              else sum([area(a + f64(k) * (b - a) / 2.0, a + f64(k + 1) * (b - a) / 2.0, depth - 1) for k < 2])
         entry f(n: i64, depth: i64) -> f64 = sum([area(f64(i), f64(i + 1), depth) for i < n])",
        &["6", "8"],
        10,
    ),
    (
        "a table of a length that all share",
        "def walk(n: i64, seed: i64, depth: i64) -> i64 =
           let table = scan((+), 0, [(seed * 31 + i) % 17 for i < n])
           in if depth == 0 || table[0] > 100 then table[n - 1]
              else sum([walk(n, table[(k + 1) * n / 4] + k, depth - 1) for k < 3])
         entry f(n: i64, depth: i64) -> i64 = walk(n, 5, depth)",
        &["50", "6"],
        6,
    ),
];

/// All points end at the same depth, so no wave is split; each point takes more memory with every level.
const UNIFORM: &str = "
def halves(xs: []i64, depth: i64) -> i64 =
  if depth == 0 then sum(xs)
  else sum([halves([x * 2 + k for x in xs], depth - 1) for k < 2])
entry f(n: i64, depth: i64) -> i64 = sum([halves([i + j for j < n], depth) for i < 8])";

fn engine(text: &str, strategy: Strategy, limit: Option<u64>) -> (Program, Engine) {
    let program = Program::from_text("memory.tce", text).unwrap_or_else(|e| panic!("{e}"));
    let setup = Setup::new(Backend::C).strategy(strategy);
    let settings = Settings { memory_limit: limit, ..setup.settings };
    let engine = program.engine(Backend::C, &settings).unwrap_or_else(|e| panic!("{e}"));
    (program, engine)
}

fn arguments(program: &Program, args: &[&str]) -> Vec<Data> {
    let one = |(k, text): (usize, &&str)| program.argument("f", k, text).unwrap_or_else(|e| panic!("{e}"));
    args.iter().enumerate().map(one).collect()
}

fn run(text: &str, strategy: Strategy, limit: Option<u64>, args: &[&str]) -> Result<Outcome, terrace::Failed> {
    let (program, engine) = engine(text, strategy, limit);
    engine.call("f", arguments(&program, args))
}

#[test]
fn waves_are_split_to_fit() {
    for (name, text, args, least) in PROGRAMS {
        let whole = run(text, Strategy::Flat, None, args).unwrap_or_else(|e| panic!("{name}: {e}"));
        let stats = whole.stats.expect("a device");
        for strategy in [Strategy::Flat, Strategy::Outer, Strategy::Auto] {
            for part in [2, *least] {
                let limit = stats.peak_bytes / part;
                let found = run(text, strategy, Some(limit), args);
                let found = found.unwrap_or_else(|e| panic!("{name}, {strategy:?}, {limit} bytes: {e}"));
                assert_eq!(found.value, whole.value, "{name}, {strategy:?}, {limit} bytes");
                let split = found.stats.expect("a device");
                assert!(split.peak_bytes <= limit, "{name}, {strategy:?}: {} of {limit} bytes", split.peak_bytes);
                let more = split.calls > stats.calls || strategy == Strategy::Outer;
                assert!(more, "{name}, {strategy:?}: {} calls", split.calls);
            }
        }
    }
}

/// Where all points take the same branch, a wave that is too large says which array it is, and of how much.
#[test]
fn waves_of_points_that_end_together_name_the_array() {
    let args = ["200", "6"];
    let whole = run(UNIFORM, Strategy::Flat, None, &args).unwrap_or_else(|e| panic!("{e}"));
    let peak = whole.stats.expect("a device").peak_bytes;
    for strategy in [Strategy::Flat, Strategy::Auto] {
        let enough = run(UNIFORM, strategy, Some(peak * 2), &args).unwrap_or_else(|e| panic!("{strategy:?}: {e}"));
        assert_eq!(enough.value, whole.value, "{strategy:?}");
        let failed = run(UNIFORM, strategy, Some(peak / 3), &args).map(|o| o.value).expect_err("too little");
        let (first, message) = (&failed.diagnostics[0], failed.render(false));
        assert_eq!(first.code, "T0911", "{message}");
        assert!(message.contains("--> memory.tce:4:21") && message.contains("this array is too large"), "{message}");
        assert!(first.notes[0].ends_with(&format!("of {} bytes are in use", peak / 3)), "{message}");
    }
}

#[test]
fn where_nothing_helps_the_array_is_named() {
    for (name, text, args, _) in PROGRAMS {
        let failed = run(text, Strategy::Flat, Some(300), args).map(|o| o.value).expect_err(name);
        let message = failed.render(false);
        assert_eq!(failed.diagnostics[0].code, "T0911", "{name}: {message}");
        assert!(message.contains("--> memory.tce:"), "{name}: {message}");
    }
}
