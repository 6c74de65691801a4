//! Recursive calls that a thread runs by itself: when `auto` leaves them to threads, and what is said when a thread cannot go on.
//!
//! That threads run a call is seen from the counts: the host makes none. What a thread says is compared with what waves say of the same program, word by word but for
//! how much memory was asked for, which is less.

use terrace::{Backend, Failed, Outcome, Program, Strategy};
use terrace_testkit::setup::Setup;

const SORT: &str = "
def quicksort(xs: []i64) -> []i64 =
  if len(xs) < 2 then xs
  else
    let p = xs[len(xs) / 2]
    let parts = [quicksort(part) for part in [[x for x in xs if x < p], [x for x in xs if x > p]]]
    in parts[0] ++ [x for x in xs if x == p] ++ parts[1]
entry f(n: i64, m: i64, longest: i64) -> []i64 =
  [sum([x * k for (x, k) in zip(quicksort(row), iota(len(row)))])
    for row in [[(i * 31 + j * j * 7919) % 10007 for j < (if i == 0 then longest else m)] for i < n]]
";

fn run(text: &str, setup: &Setup, args: &[&str]) -> Result<Outcome, Failed> {
    let program = Program::from_text("threads.tce", text).unwrap_or_else(|e| panic!("{e}"));
    let engine = program.engine(setup.backend, &setup.settings).unwrap_or_else(|e| panic!("{e}"));
    let one = |(k, text): (usize, &&str)| program.argument("f", k, text).unwrap_or_else(|e| panic!("{e}"));
    engine.call("f", args.iter().enumerate().map(one).collect())
}

fn on_c(strategy: Strategy) -> Setup {
    Setup::new(Backend::C).strategy(strategy)
}

#[test]
fn auto_leaves_points_to_threads_where_they_are_many_and_alike() {
    let right = |args: &[&str]| run(SORT, &Setup::new(Backend::Interp), args).unwrap_or_else(|e| panic!("{e}")).value;
    // Points, elements of each, elements of the first one; whether the host calls nothing itself.
    let cases = [
        (["100", "20", "20"], true),
        (["64", "9", "9"], true),
        (["63", "9", "9"], false),
        (["100", "1", "3000"], false),
        (["2", "50", "50"], false),
        (["0", "1", "1"], false),
    ];
    for (args, threads) in cases {
        let mut setup = on_c(Strategy::Auto);
        setup.settings.log_guards = true;
        let found = run(SORT, &setup, &args).unwrap_or_else(|e| panic!("{args:?}: {e}"));
        assert_eq!(found.value, right(&args), "{args:?}");
        let (calls, guards) = (found.stats.expect("a device").calls, &found.guards);
        let first =
            guards.iter().find(|g| g.name.ends_with(".outer")).unwrap_or_else(|| panic!("{args:?}: {guards:?}"));
        assert_eq!(first.quantity.to_string(), args[0], "{args:?}: {guards:?}");
        assert_eq!(calls == 0 && args[0] != "0", threads, "{args:?}: {calls} calls, {guards:?}");
    }
}

/// A large array falls into parts, in waves; when there are enough, threads go on.
#[test]
fn waves_end_in_threads() {
    let args = ["1", "4000", "4000"];
    let of = |strategy| run(SORT, &on_c(strategy), &args).unwrap_or_else(|e| panic!("{strategy:?}: {e}"));
    let (auto, flat, outer) = (of(Strategy::Auto), of(Strategy::Flat), of(Strategy::Outer));
    assert_eq!((&auto.value, &outer.value), (&flat.value, &flat.value));
    let calls = [&outer, &auto, &flat].map(|o| o.stats.as_ref().expect("a device").calls);
    assert!(calls[0] < calls[1] && calls[1] < calls[2], "calls of outer, auto, flat: {calls:?}");
}

/// Rows of one length, halved until they have one element: a call for all points is one operator or two, in waves.
const EVEN: &str = "
def combined(xs: []i64) -> []i64 =
  if len(xs) == 1 then xs
  else
    let h = len(xs) / 2
    let parts = [combined([xs[2 * i + k] for i < h]) for k < 2]
    in [parts[0][i % h] + parts[1][i % h] * i for i < len(xs)]
entry f(n: i64) -> i64 = sum([sum(combined([i * j for j < 16])) for i < n])
";

/// The same with a call for each half.
const EVEN_HALVES: &str = "
def combined(xs: []i64) -> []i64 =
  if len(xs) == 1 then xs
  else
    let h = len(xs) / 2
    let even = combined(xs[..2 * h by 2])
    let odd = combined(xs[1..2 * h by 2])
    in [even[i % h] + odd[i % h] * i for i < len(xs)]
entry f(n: i64) -> i64 = sum([sum(combined([i * j for j < 16])) for i < n])
";

#[test]
fn points_that_all_take_the_same_branches_stay_in_waves() {
    for text in [EVEN, EVEN_HALVES] {
        let of = |strategy| run(text, &on_c(strategy), &["100"]).unwrap_or_else(|e| panic!("{strategy:?}: {e}"));
        let (auto, flat, outer) = (of(Strategy::Auto), of(Strategy::Flat), of(Strategy::Outer));
        assert_eq!((&auto.value, &outer.value), (&flat.value, &flat.value));
        let calls = [&outer, &auto, &flat].map(|o| o.stats.as_ref().expect("a device").calls);
        assert!(calls[0] == 0 && calls[1] == calls[2], "calls of outer, auto, flat: {calls:?}");
    }
}

/// Strategies in which threads run recursive calls, and whether there are enough points for that.
const BY_THREADS: [Strategy; 3] = [Strategy::Outer, Strategy::Seq, Strategy::Auto];

#[test]
fn a_recursion_without_end_is_reported_as_in_waves() {
    for text in [
        // Scalars; only the last point does not end.
        "def steps(n: i64) -> i64 = if n == 1 then 0 else 1 + steps(if n % 2 == 0 then n / 2 else 3 * n + 1)
         entry f(n: i64) -> i64 = sum([steps((i + 1) % n) for i < n])",
        // Arrays, each of them alive until the end.
        "def down(xs: []i64, k: i64) -> i64 = if k == 0 then len(xs) else down([x + k for x in xs], k + 1) + xs[0]
         entry f(n: i64) -> i64 = sum([down([i, 1, 2], i % n + 1) for i < n])",
        // A call within the parallel code of a thread.
        "def wide(k: i64) -> i64 = if k == 0 then 1 else sum([if j == 1 then wide(k + j) else 0 for j < 2])
         entry f(n: i64) -> i64 = sum([wide(if i == 3 then 1 else 0) for i < n])",
    ] {
        let say = |strategy| {
            let setup = on_c(strategy);
            let failed = run(text, &setup, &["100"]).map(|o| o.value).expect_err("it has no end");
            assert_eq!(failed.diagnostics[0].code, "T0909", "{setup}: {failed}");
            failed.to_string()
        };
        let waves = say(Strategy::Flat);
        assert!(waves.contains("this call goes too deep"), "{waves}");
        for strategy in BY_THREADS {
            assert_eq!(say(strategy), waves, "{strategy:?}");
        }
    }
}

#[test]
fn a_thread_without_memory_names_the_array() {
    const LIMIT: u64 = 40 << 20;
    for text in [
        // One point wants all of it.
        "def grow(xs: []i64, k: i64) -> i64 = if k == 0 then len(xs) else grow(xs ++ xs, k - 1) + xs[0]
         entry f(n: i64) -> i64 = sum([grow([i], if i == 70 then 40 else 1) for i < n])",
        // What is kept for the next operator is counted, too.
        "def make(k: i64) -> []i64 = if k == 0 then [i for i < 100000] else [x + 1 for x in make(k - 1)]
         entry f(n: i64) -> i64 = sum([sum(make(1 + i % 2)) for i < n])",
    ] {
        let say = |strategy| {
            let setup = on_c(strategy).memory(LIMIT);
            let failed = run(text, &setup, &["100"]).map(|o| o.value).expect_err("there is no memory");
            let first = failed.diagnostics[0].clone();
            assert_eq!(first.code, "T0911", "{setup}: {failed}");
            assert!(first.title.starts_with("no memory for "), "{setup}: {failed}");
            assert!(
                first.notes.iter().any(|n| n.ends_with(&format!("of {LIMIT} bytes are in use"))),
                "{setup}: {failed}"
            );
            (first.labels[0].clone(), failed.to_string())
        };
        let (label, text) = say(Strategy::Flat);
        for strategy in BY_THREADS {
            let (found, said) = say(strategy);
            assert_eq!(found, label, "{strategy:?} says\n{said}\nwaves say\n{text}");
        }
    }
}
