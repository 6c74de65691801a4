//! What programs cost, in numbers that do not depend on the machine: launches, host reads, peak memory.
//!
//! One parallel nest is one kernel (on a GPU, rows that are not regular take two small ones beside it), and a size that the device computes stays there: these are promises, so they are tests.
//! `cargo test -p terrace-testkit --test counts -- --nocapture` prints the figures of the recursion.

use terrace::{Backend, Program, Settings, Stage, Strategy};

struct Cost {
    launches: u64,
    reads: u64,
    waves: u64,
    peak: u64,
}

fn example(name: &str) -> Program {
    let path = format!("{}/../../examples/{name}.tce", env!("CARGO_MANIFEST_DIR"));
    Program::from_file(path.as_ref()).unwrap_or_else(|e| panic!("{e}"))
}

fn cost(program: &Program, backend: Backend, entry: &str, args: &[&str]) -> Cost {
    cost_with(&Settings::default(), program, backend, entry, args)
}

fn cost_with(settings: &Settings, program: &Program, backend: Backend, entry: &str, args: &[&str]) -> Cost {
    let engine = program.engine(backend, settings).unwrap_or_else(|e| panic!("{e}"));
    let args = args.iter().enumerate();
    let args = args.map(|(k, text)| program.argument(entry, k, text).unwrap_or_else(|e| panic!("{e}"))).collect();
    let stats = engine.call(entry, args).unwrap_or_else(|e| panic!("{e}")).stats.expect("devices count");
    Cost { launches: stats.launches, reads: stats.host_reads, waves: stats.calls / 2, peak: stats.peak_bytes }
}

/// Program, entry, arguments, launches on a CPU and on a GPU, host reads.
type Row = (&'static str, &'static str, &'static [&'static str], [u64; 2], u64);

/// On a GPU a reduction of rows that are not regular has two small
/// launches beside the large one: where its tiles begin, and what becomes of rows that are longer than a tile.
const TABLE: &[Row] = &[
    ("saxpy", "saxpy", &["2.0", "[f32(i) for i < 1000]", "[1.0 for _i < 1000]"], [1, 1], 0),
    ("spmv", "spmv", &["[[(i32(j), 0.5) for j < i % 7] for i < 300]", "[1.0 for _i < 9]"], [1, 3], 0),
    ("filter_sum", "filter_sum", &["2.0", "[f64(i % 8) for i < 1000]"], [1, 1], 0),
    // The filtered array is used twice, so it is made: a pack, a sum, a map.
    ("filter_sum", "shares", &["2.0", "[f64(i % 8) for i < 1000]"], [3, 3], 0),
    ("collatz", "collatz", &["[i + 1 for i < 1000]"], [1, 1], 0),
    // The check of the slice is proved, so it has no launch of its own.
    ("trmv", "trmv", &["[[1.0 for _j < i + 1] for i < 50]", "[1.0 for _i < 50]"], [1, 3], 0),
];

fn stencils() -> Program {
    let path = format!("{}/../../tests/corpus/shapes/stencils.tce", env!("CARGO_MANIFEST_DIR"));
    Program::from_file(path.as_ref()).unwrap_or_else(|e| panic!("{e}"))
}

/// (entry, argument, launches, bytes of the argument and the result); where there are weights, a launch writes them down.
const STENCILS: &[(&str, &str, u64, u64)] = &[
    ("clamped", "[f64(i % 8) for i < 4096]", 1, 2 * 8 * 4096),
    ("wrapped", "[f64(i % 8) for i < 4096]", 1, 2 * 8 * 4096),
    ("mirrored", "[f64(i % 8) for i < 4096]", 2, 8 * (4096 + 2049)),
    ("bounded", "[f64(i % 8) for i < 4096]", 1, 2 * 8 * 4096),
    ("grid_clamped", "[[f64(i * j % 8) for j < 64] for i < 50]", 1, 2 * 8 * 64 * 50),
    ("wide", "[[f32(i * j % 8) for j < 64] for i < 50]", 1, 2 * 4 * 64 * 50),
];

/// Entries over rows of a few elements, `N` of them: the launches on a CPU for many, and on a GPU for few, where one more makes
/// the rows. Branches, loops and tables around such rows cost nothing but their arithmetic.
const SHORT_ROWS: &[(&str, &[&str], [u64; 2])] = &[
    ("clipped", &["[[f64(i % 5), 1.0, 2.0] for i < N]", "[[2.0, f64(i % 3), 1.0] for i < N]", "4.0"], [1, 2]),
    ("walked", &["[[f64(i % 5), 1.0, 2.0] for i < N]", "[i % 7 for i < N]"], [2, 2]),
    ("until", &["[[i % 50, i % 3] for i < N]"], [1, 2]),
    ("spread", &["[[i, 1, 2, 3, 4] for i < N]", "[i % 3 == 0 for i < N]"], [1, 2]),
    ("norms", &["[[f32(i * k % 8) for k < 9] for i < N]"], [1, 1]),
    ("picked", &["[[f64(i % 5), 1.0, 2.0] for i < N]", "[i % 3 for i < N]"], [1, 1]),
];

#[test]
fn short_rows_are_their_elements() {
    let path = format!("{}/../../tests/spine/short_rows.tce", env!("CARGO_MANIFEST_DIR"));
    let program = Program::from_file(path.as_ref()).unwrap_or_else(|e| panic!("{e}"));
    for (entry, args, launches) in SHORT_ROWS {
        for ((backend, rows), launches) in [(Backend::C, "3000"), (Backend::CudaSim, "300")].into_iter().zip(launches) {
            let args: Vec<String> = args.iter().map(|a| a.replace('N', rows)).collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let mut settings = Settings::default();
            settings.options.strategy = Strategy::Auto;
            let found = cost_with(&settings, &program, backend, entry, &args);
            assert_eq!((found.launches, found.reads), (*launches, 0), "{entry} on {}", backend.name());
        }
    }
}

#[test]
fn windows_are_never_stored() {
    let program = stencils();
    for (entry, argument, launches, bytes) in STENCILS {
        let found = cost(&program, Backend::C, entry, &[argument]);
        let spare = found.peak.saturating_sub(*bytes);
        assert!(
            found.launches == *launches && spare < 1024,
            "{entry}: {} launches, {spare} bytes more",
            found.launches
        );
    }
}

#[test]
fn what_only_branches_want_is_not_stored_before_them() {
    let path = format!("{}/../../tests/spine/wanted_in_branches.tce", env!("CARGO_MANIFEST_DIR"));
    let program = Program::from_file(path.as_ref()).unwrap_or_else(|e| panic!("{e}"));
    let text = program.show(Stage::Flat, Backend::C, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
    let near =
        text.split("\nentry ").find(|part| part.starts_with("near(")).unwrap_or_else(|| panic!("no entry:\n{text}"));
    let (before, behind) = near.split_once("= if ").unwrap_or_else(|| panic!("no branch:\n{near}"));
    assert!(!before.contains("][xs_len"), "all pairs are stored:\n{before}");
    assert!(!near.contains("let ids_"), "numbers in order are an array:\n{near}");
    assert!(behind.contains("pack grid [places_len_2][xs_len"), "they are filtered in another way:\n{behind}");
}

/// Loops that each point runs on arrays of its own, with updates in branches.
const OWN_ARRAYS: &str = "
entry mended(rows: [][]i64) -> [][]i64 =
  [loop xs = row for i < len(row) do if xs[i] < 0 then xs with [i] = -xs[i] else xs for row in rows]
entry dealt(rows: [][]i64) -> []([]i64, []i64) =
  [loop (a, b) = (row, row) for i < len(row) do
     if row[i] % 2 == 0 then (a with [i] = 0, b)
     else if row[i] > 5 then (a, (b with [i] = i) with [0] = a[i])
     else let a = a with [i] = b[0] in (a, b with [i] = a[0])
   for row in rows]
";

#[test]
fn loops_that_update_in_branches_stay_in_their_threads() {
    let program = Program::from_text("own", OWN_ARRAYS).unwrap_or_else(|e| panic!("{e}"));
    for entry in ["mended", "dealt"] {
        let found = cost(&program, Backend::C, entry, &["[[j * i % 9 - 3 for j < 20] for i < 30]"]);
        assert_eq!((found.launches, found.reads), (1, 0), "{entry}");
    }
}

/// Two arrays that a loop carries: of columns, which are as long as there are rows; of rows of their own lengths.
const CARRIED: &str = "
def solved[n](b: [n]f64, d: [n]f64) -> [n]f64 =
  let (cs, ds) =
    loop (cs, ds) = (replicate(n, 0.0), d) for k < n - 1 do
      (cs with [k + 1] = cs[k] + b[k], ds with [k + 1] = ds[k] * b[k] + cs[k])
  in loop xs = ds for k < n - 1 do xs with [n - 2 - k] = xs[n - 2 - k] + cs[k] * xs[n - 1 - k]
entry columns[n, m](bs: [m][n]f64, ds: [n][m]f64) -> [m][n]f64 = [solved(b, d) for b in bs, d in transpose(ds)]
entry rows(bs: [][]f64) -> [][]f64 = [solved(b, [x + 1.0 for x in b]) for b in bs]
";

#[test]
fn a_loop_that_carries_several_arrays_takes_no_launch_per_turn() {
    let program = Program::from_text("carried", CARRIED).unwrap_or_else(|e| panic!("{e}"));
    for backend in [Backend::C, Backend::CudaSim] {
        let columns = |n: usize| {
            let bs = format!("[[f64(i + j) for j < {n}] for i < 9]");
            let ds = format!("[[f64(i * j) for j < 9] for i < {n}]");
            cost(&program, backend, "columns", &[&bs, &ds]).launches
        };
        assert_eq!(columns(200), columns(10), "{backend:?}");
        let rows =
            |n: usize| cost(&program, backend, "rows", &[&format!("[[f64(j) for j < {n} - i] for i < 9]")]).launches;
        assert_eq!(rows(200), rows(10), "{backend:?}");
    }
}

/// Sums of sums of rows that lie one after the other, of the same rows for every point, and of rows that lie elsewhere.
const NESTS: &str = "
entry beside(texts: [][][]i64) -> []i64 = [sum([sum(word) % 7 for word in text]) for text in texts]
entry alike(places: []i64, shapes: [][][]i64) -> []i64 =
  [sum([sum([count([x > p for x in ring]) for ring in rings]) % 2 for rings in shapes]) for p in places]
entry elsewhere(rows: [][]i64, groups: [][]i64) -> []i64 =
  [sum([sum([x * k for x in rows[k]]) for k in group]) for group in groups]
";

#[test]
fn a_cpu_runs_nests_of_sums_whole_where_points_are_alike() {
    let program = Program::from_text("nests", NESTS).unwrap_or_else(|e| panic!("{e}"));
    let mut settings = Settings::default();
    settings.options.strategy = Strategy::Auto;
    let launches = |entry: &str, args: &[&str]| cost_with(&settings, &program, Backend::C, entry, args).launches;
    let texts = "[[[i + j + k for k < (i + j) % 5] for j < i % 7] for i < 1500]";
    // What a thread has to do is counted first, unless all have the same.
    assert_eq!(launches("beside", &[texts]), 2);
    assert_eq!(launches("alike", &["[i % 9 for i < 1500]", texts]), 1);
    let rows = "[[i * j for j < i % 9] for i < 40]";
    // Where rows are picked, the indices are checked before.
    assert_eq!(launches("elsewhere", &[rows, "[[(i * 7 + j) % 40 for j < i % 6] for i < 1500]"]), 3);
    let one_has_most = "[[(i * 7 + j) % 40 for j < (if i == 3 then 9000 else i % 6)] for i < 1500]";
    assert!(launches("elsewhere", &[rows, one_has_most]) > 3);
}

#[test]
fn a_nest_takes_the_launches_it_should_and_sizes_stay_on_the_device() {
    for (k, backend) in [Backend::C, Backend::CudaSim].into_iter().enumerate() {
        for (file, entry, args, launches, reads) in TABLE {
            let found = cost(&example(file), backend, entry, args);
            let name = format!("{file}.{entry} on {}", backend.name());
            assert_eq!((found.launches, found.reads), (launches[k], *reads), "launches and host reads of {name}");
        }
    }
}

#[test]
fn a_wave_of_the_recursion_reads_three_times_and_holds_a_bounded_part() {
    let program = example("quicksort");
    for n in [1_000_u64, 10_000, 100_000] {
        let data = format!("[(i * 7919) % 1000003 for i < {n}]");
        let found = cost(&program, Backend::C, "sort_one", &[&data]);
        let per_wave = found.reads as f64 / found.waves as f64;
        let held = found.peak as f64 / (8 * n * found.waves) as f64;
        println!(
            "quicksort of {n}: {} waves, {} launches, {per_wave:.2} host reads per wave, peak {} bytes = {held:.2} of n a wave",
            found.waves, found.launches, found.peak
        );
        // One on the way down (how many points and elements are left), two on the way up (how long the results are).
        assert!(found.reads <= 3 * (found.waves + 1) + 1, "{} reads in {} waves", found.reads, found.waves);
        // What a filter keeps is allocated by its bound, and one such array per wave lives until the recursion below it ends.
        assert!(held < 1.5, "peak memory is {held:.2} arrays of the input's size per wave");
    }
}

#[test]
fn regularity_off_costs_descriptors() {
    let text = "entry sums(m: [][]f64) -> []f64 = [sum([x * x for x in row[..3]]) for row in m]";
    let program = Program::from_text("sums.tce", text).unwrap_or_else(|e| panic!("{e}"));
    let m = program.argument("sums", 0, "[[1.0, 2.0, 3.0, 4.0] for _i < 20]").unwrap_or_else(|e| panic!("{e}"));
    let mut launches = Vec::new();
    for regularity in [true, false] {
        let mut settings = Settings::default();
        settings.options.regularity = regularity;
        let engine = program.engine(Backend::C, &settings).unwrap_or_else(|e| panic!("{e}"));
        let outcome = engine.call("sums", vec![m.clone()]).unwrap_or_else(|e| panic!("{e}"));
        launches.push(outcome.stats.expect("devices count").launches);
    }
    assert!(launches[0] < launches[1], "regular {} launches, irregular {}", launches[0], launches[1]);
}

/// Loops that stop at different turns, and how much all of them together do.
const APART: &str = "
entry rows(ns: []i64) -> [][]i64 =
  [let (xs, _) = loop (xs, m) = ([n], n) while m > 0 do ([x + 1 for x in xs], m - 1) in xs for n in ns]
entry sums(ns: []i64, xs: []i64) -> []i64 = [loop s = 0 for i < n do s + sum([x * i for x in xs]) for n in ns]
";

#[test]
fn loops_that_stop_at_different_turns_cost_the_sum_of_their_turns() {
    let program = Program::from_text("apart.tce", APART).unwrap_or_else(|e| panic!("{e}"));
    let engine = program.engine(Backend::Flat, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
    // One loop is long, the others are short: all together take about 4 n turns, the longest takes n.
    for n in [500_u64, 1000, 2000] {
        let ns = program.argument("rows", 0, &format!("[if i == 7 then {n} else 3 for i < {n}]"));
        let counts =
            engine.call("rows", vec![ns.unwrap_or_else(|e| panic!("{e}"))]).unwrap_or_else(|e| panic!("{e}")).counts;
        println!("rows of {n}: {} points, {} elements", counts["points"], counts["elements"]);
        assert!(counts["points"] < 4 * n * 20, "{} points for {} turns", counts["points"], 4 * n);
        assert!(counts["elements"] < 4 * n * 20, "{} elements for {} turns", counts["elements"], 4 * n);
    }
}

#[test]
fn a_turn_of_a_loop_of_many_points_reads_once() {
    let program = Program::from_text("apart.tce", APART).unwrap_or_else(|e| panic!("{e}"));
    let found = cost(&program, Backend::C, "sums", &["[i % 40 for i < 100]", "[i for i < 10]"]);
    assert!(found.reads <= 41, "{} reads in 40 turns", found.reads);
}

/// Breadth-first search where every vertex that has no level yet looks whether one of its neighbours got one.
const LEVELS: &str = "
entry levels(neighbours: [][]i32, root: i64) -> []i64 =
  let (levels, _, _) = loop (levels, depth, more) = ([if v == root then 0 else -1 for v < len(neighbours)], 0, true) while more do
    let next = [if l < 0 && any([levels[w] == depth for w in row]) then depth + 1 else l for l in levels, row in neighbours]
    in (next, depth + 1, any([l == depth + 1 for l in next]))
  in levels
";

#[test]
fn a_step_reads_no_more_than_it_decides() {
    let pagerank = example("pagerank");
    let levels = Program::from_text("levels.tce", LEVELS).unwrap_or_else(|e| panic!("{e}"));
    for backend in [Backend::C, Backend::CudaSim] {
        let links = "[[i32((i * 7 + j) % 50) for j < i % 5] for i < 50]";
        let [one, many] = ["1", "9"].map(|steps| cost(&pagerank, backend, "pagerank", &[links, steps]));
        assert!(many.launches > one.launches, "steps launch kernels");
        assert_eq!(many.reads, one.reads, "a step of PageRank reads nothing on {}", backend.name());
        let path = |n: u64| format!("[[i32(w) for w in [i - 1, i + 1] if w >= 0 && w < {n}] for i < {n}]");
        let [short, long] = [5, 20].map(|n| cost(&levels, backend, "levels", &[&path(n), "0"]).reads);
        let name = backend.name();
        assert_eq!(long - short, 15, "a level of the search reads once, whether there is another, on {name}");
    }
}

/// Rows that are counted through.
const PLACES: &str = "
entry weighed(rows: [][]f64) -> [][]f64 = [[row[i] * f64(i) for i < len(row)] for row in rows]
entry places(rows: [][]f64) -> []i64 = [if len(row) == 0 then -1 else argmax(row) for row in rows]
";

#[test]
fn rows_as_long_as_others_have_their_offsets() {
    let program = Program::from_text("places.tce", PLACES).unwrap_or_else(|e| panic!("{e}"));
    for (entry, launches) in [("weighed", 1), ("places", 2)] {
        let rows = "[[f64(j) for j < i % 7] for i < 3000]";
        let found = cost(&program, Backend::C, entry, &[rows]);
        assert_eq!((found.launches, found.reads), (launches, 0), "{entry}: launches and host reads");
    }
}

/// Words are sorted by their first letters as numbers, without comparing; only words that begin alike are compared.
#[test]
fn words_are_sorted_without_comparing() {
    let program = Program::from_text("words", "entry sorted(words: [][]u8) -> []i64 = argsort(words)\n");
    let program = program.unwrap_or_else(|e| panic!("{e}"));
    let few = cost(&program, Backend::C, "sorted", &["[[u8(i % 7), u8(i)] for i < 10]"]).launches;
    let many = cost(&program, Backend::C, "sorted", &["[[u8(i % 7), u8(i)] for i < 5000]"]).launches;
    assert!(few == many && many < 20, "{few} and {many} launches");
}
