//! What is updated in place, counted: a copy that comes back fails here.
//!
//! The interpreter of Mem counts the elements that are copied as they are, by an update that does not take the place of what it updates or by a map
//! that does nothing else, and the blocks that are allocated. Every program runs at two sizes of its array and two numbers of rounds: what is copied may depend on
//! neither, beyond what the table allows.

use terrace::{Backend, Program, Settings, Stage, Strategy};
use terrace_testkit::setup::Setup;

/// What a call may cost, by its size `n` and its number of rounds `k`.
struct Case {
    entry: &'static str,
    args: &'static [&'static str],
    /// Elements copied: so many arrays.
    copies: u64,
    /// Blocks allocated, at most, whatever `k` is.
    blocks: u64,
}

const fn case(entry: &'static str, args: &'static [&'static str], copies: u64, blocks: u64) -> Case {
    Case { entry, args, copies, blocks }
}

const PROGRAM: &str = "
entry consumed(xs: *[]i64, k: i64) -> []i64 = xs with [k] = 7
entry loop_consumed(xs: *[]i64, k: i64) -> []i64 = loop xs = xs for i < k do xs with [i] = xs[i] + i
entry loop_kept(xs: []i64, k: i64) -> []i64 = loop xs = xs for i < k do xs with [i] = xs[i] + i
entry loop_made(xs: []i64, k: i64) -> []i64 = loop ys = [x * 3 for x in xs] for i < k do ys with [i] = ys[i] + xs[i]

entry branch(xs: *[]i64, k: i64) -> []i64 =
  loop xs = xs for i < k do
    if i % 2 == 0 then xs with [i] = 1 else if i % 3 == 0 then xs else xs with [i] = xs[i] * 2

entry tuple(xs: *[]i64, k: i64) -> ([]i64, i64, []i64) =
  loop (xs, s, ys) = (xs, 0, [x + 1 for x in xs]) for i < k do
    (xs with [i] = ys[i], s + xs[i], ys with [i] = i)

def fill(xs: []i64, lo: i64, hi: i64) -> []i64 =
  if hi <= lo then xs
  else
    let mid = (lo + hi) / 2
    let xs = xs with [mid] = xs[mid] + lo
    let xs = fill(xs, lo, mid)
    in fill(xs, mid + 1, hi)

entry call_consumed(xs: *[]i64, k: i64) -> []i64 = fill(xs, 0, k)
entry call_kept(xs: []i64, k: i64) -> ([]i64, i64) = (fill(xs, 0, k), xs[0])

entry cells(n: i64, k: i64) -> [][]i64 =
  loop m = [[i * j for j < n] for i < n] for i < k do m with [i, i + 1] = m[i, i] + 1

entry rows(n: i64, k: i64) -> [][]i64 =
  loop m = [[i * j for j < n] for i < n] for i < k do m with [i] = [x + 1 for x in m[i]]

entry part(n: i64, k: i64) -> [][]i64 =
  loop m = [[i * j for j < n] for i < n] for i < k do
    m with [i..i + 3, i + 1..i + 3] = [[x + 1 for x in row] for row in m[i..i + 3, i + 1..i + 3]]

entry points(n: i64, k: i64) -> [][][]i64 =
  [loop m = [[i * j * l for j < n] for i < n] for i < k do m with [i, i] = m[i, i] + l for l < 4]

entry exchanged(xs: *[]i64, k: i64) -> ([]i64, []i64) =
  loop (a, b) = (xs, [x + 1 for x in xs]) for i < k do (b, a with [i] = b[i] + i)

entry three(xs: *[]i64, k: i64) -> ([]i64, []i64, []i64) =
  loop (a, b, c) = (xs, [x + 1 for x in xs], [x + 2 for x in xs]) for i < k do
    (c, a with [i] = b[i] + c[0], b with [i] = c[i] + a[0])

entry exchanged_points(n: i64, k: i64) -> [](i64, i64) =
  [let (a, b) = loop (a, b) = ([i * l for i < n], [i + l for i < n]) for i < k do (b, a with [i] = b[i] + i)
   in (sum(a), sum(b)) for l < 4]

def dig(xs: []i64, k: i64, depth: i64) -> i64 =
  if depth == 0 then sum(xs)
  else
    let (a, b) = loop (a, b) = ([x + depth for x in xs], [x * 2 for x in xs]) for i < k do (b, a with [i] = b[i] + i)
    in dig(a, k, depth - 1) + sum(b)

entry exchanged_in_threads(n: i64, k: i64) -> []i64 = [dig([i + l for i < n], k, 1 + l % 2) for l < 4]

entry eaten(xs: *[]i64, k: i64) -> []i64 = loop xs = xs for i < k do [x * 3 + i for x in xs]
entry shifted(xs: []i64, k: i64) -> []i64 =
  loop xs = xs for i < k do [xs[max(j - 1, 0)] + xs[min(j + 1, len(xs) - 1)] for j < len(xs)]
";

const XS: &[&str] = &["[i * 7 % 11 for i < $n]", "$k"];
const N: &[&str] = &["$n", "$k"];

const CASES: &[Case] = &[
    case("consumed", XS, 0, 0),
    case("loop_consumed", XS, 0, 0),
    case("loop_kept", XS, 1, 1),
    case("loop_made", XS, 0, 1),
    case("branch", XS, 0, 0),
    case("tuple", XS, 0, 1),
    case("call_consumed", XS, 0, 0),
    case("call_kept", XS, 1, 1),
    // What leaves a function is packed once more.
    case("cells", N, 0, 2),
    case("rows", N, 0, 2),
    // Neither the rows that the part lies in nor what is written to it have a block of their own.
    case("part", N, 0, 2),
    // One of the blocks says where the rows of each point start.
    case("points", N, 0, 3),
    // Arrays that change places.
    case("exchanged", XS, 0, 1),
    case("three", XS, 0, 2),
    case("exchanged_points", N, 0, 4),
    case("eaten", XS, 0, 0),
    // Two blocks that change places.
    case("shifted", XS, 0, 2),
];

fn counts(program: &Program, entry: &str, args: &[&str], n: u64, k: u64) -> (u64, u64) {
    counts_in(&Settings::default(), program, entry, args, n, k)
}

fn counts_in(settings: &Settings, program: &Program, entry: &str, args: &[&str], n: u64, k: u64) -> (u64, u64) {
    let engine = program.engine(Backend::Mem, settings).unwrap_or_else(|e| panic!("{e}"));
    let args = args.iter().enumerate().map(|(i, text)| {
        let text = text.replace("$n", &n.to_string()).replace("$k", &k.to_string());
        program.argument(entry, i, &text).unwrap_or_else(|e| panic!("{e}"))
    });
    let counts = engine.call(entry, args.collect()).unwrap_or_else(|e| panic!("{entry}: {e}")).counts;
    (counts["copied"], counts["blocks"])
}

#[test]
fn updates_copy_nothing_in_loops_branches_calls_and_tuples() {
    let program = Program::from_text("in_place.tce", PROGRAM).unwrap_or_else(|e| panic!("{e}"));
    let mut wrong = Vec::new();
    for case in CASES {
        for (n, k) in [(20, 7), (20, 15), (40, 15)] {
            let (copied, blocks) = counts(&program, case.entry, case.args, n, k);
            if copied != case.copies * n || blocks > case.blocks {
                let entry = case.entry;
                wrong.push(format!("{entry} of {n}, {k} rounds: {copied} elements copied, {blocks} blocks"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whoever runs the loop: rounds neither copy nor allocate.
#[test]
fn arrays_change_places_in_waves_and_in_threads() {
    let program = Program::from_text("in_place.tce", PROGRAM).unwrap_or_else(|e| panic!("{e}"));
    for strategy in [Strategy::Flat, Strategy::Outer, Strategy::Seq] {
        let setup = Setup::new(Backend::Mem).strategy(strategy);
        let of = |k| counts_in(&setup.settings, &program, "exchanged_in_threads", N, 20, k);
        assert_eq!(of(15), of(3), "copied and allocated in 15 and in 3 rounds, {setup}");
    }
}

/// What the runtime says of it, as `--stats` shows it.
#[test]
fn devices_count_what_they_copy() {
    let program = Program::from_text("in_place.tce", PROGRAM).unwrap_or_else(|e| panic!("{e}"));
    for backend in [Backend::C, Backend::CudaSim] {
        let engine = program.engine(backend, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
        for (entry, arrays) in [("loop_consumed", 0), ("loop_kept", 1), ("call_consumed", 0), ("call_kept", 1)] {
            let argument = |k: usize, text: &str| program.argument(entry, k, text).unwrap_or_else(|e| panic!("{e}"));
            let args = vec![argument(0, "[i for i < 30]"), argument(1, "9")];
            let stats = engine.call(entry, args).unwrap_or_else(|e| panic!("{e}")).stats.expect("devices count");
            assert_eq!(stats.copied_bytes, arrays * 30 * 8, "bytes copied by {entry} on {}", backend.name());
        }
    }
}

fn paper(name: &str) -> Program {
    let path = format!("{}/../../tests/corpus/papers/{name}.tce", env!("CARGO_MANIFEST_DIR"));
    Program::from_file(path.as_ref()).unwrap_or_else(|e| panic!("{e}"))
}

/// The matrix, or the table of scores, is copied once or never, in however many steps it is updated.
#[test]
fn factors_and_alignments_are_built_in_place() {
    let lu = paper("lu_decomposition");
    let matrix = "[[if i == j then 20.0 else f64((i * 7 + j) % 5) for j < $n] for i < $n]";
    for (n, blocks_of) in [(16, 4), (24, 4), (24, 8)] {
        let (copied, _) = counts(&lu, "lu_blocked", &["$k", matrix], n, blocks_of);
        assert!(copied <= n * n, "lu of {n} in blocks of {blocks_of}: {copied} elements copied");
    }
    let cells = paper("needleman_wunsch_cells");
    let words = ["1", "[u8(i * 7 % 4) for i < $n]", "[u8(i * 5 % 4) for i < $n]"];
    for n in [8, 16] {
        let (copied, _) = counts(&cells, "alignment_table", &words, n, 0);
        assert!(copied <= (n + 1) * (n + 1), "alignment of {n}: {copied} elements copied");
    }
}

/// A scatter of a few elements in every turn of a loop.
const SCATTERS: &str = "
entry once(xs: *[]i64, at: []i64) -> []i64 = scatter(xs, at, [k * 2 for k in at])
entry turns(xs: *[]i64, at: []i64) -> []i64 =
  loop xs = xs for i < 100 do scatter(xs, [(k + i) % len(xs) for k in at], [k * i for k in at])
";

#[test]
fn a_scatter_goes_over_what_it_writes_and_not_over_its_destination() {
    let program = Program::from_text("scatters.tce", SCATTERS).unwrap_or_else(|e| panic!("{e}"));
    let text = program.show(Stage::Mem, Backend::C, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(!text.contains("hist grid") && !text.contains("grid [xs_len_0]"), "over the whole destination:\n{text}");
    assert_eq!(text.matches("scatter grid").count(), 2, "other scatters:\n{text}");
}
