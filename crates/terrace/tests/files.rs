//! Data files go in and results go out as columns: counted, and with the same results and messages as nested values.

use std::path::{Path, PathBuf};
use terrace::{Backend, Engine, Failed, Outcome, Program, Settings, Value};

const TEXT: &str = "
    type point = {x: f64, n: i32}
    enum shape = dot | box(f64)
    entry total(xs: []f64) -> f64 = sum(xs)
    entry scale(a: f64, xs: []f64) -> []f64 = [a * x for x in xs]
    entry sums(rows: [][]f64) -> []f64 = [sum(row) for row in rows]
    entry kept(rows: [][]f64) -> [][]f64 = [[x for x in row if x > 1.0] for row in rows]
    entry grid(n: i64) -> [][]f64 = [[f64(i * 10 + j) for j < 3] for i < n]
    entry steps(n: i64) -> [][]f64 = [[f64(i * 10 + j) for j < i] for i < n]
    entry deep(n: i64) -> [][][]i32 = [[[i32(k) for k < j] for j < i % 3] for i < n]
    entry points(n: i64) -> []point = [point{x = f64(i) / 2.0, n = i32(i)} for i < n]
    entry pairs(n: i64) -> ([]i64, bool, [][]u8) = ([i for i < n], n > 2, [\"ab\", \"\", \"cde\"])
    entry right(ps: []point) -> []f64 = [p.x + f64(p.n) for p in ps if p.n > 0]
    entry square[n](rows: [n][n]f64) -> f64 = sum([sum(row) for row in rows])
    entry even[n, m](rows: [n][m]f64) -> i64 = n * m
    entry below[n](rows: [i < n][i]f64) -> []f64 = [sum(row) for row in rows]
    entry count(rows: [][][]i32) -> []i64 = [sum([len(row) for row in rows]) for rows in rows]
    entry shapes(xs: []f64) -> []shape = [if x > 1.0 then box(x) else dot for x in xs]
    entry at(xs: []f64, i: i64) -> f64 = xs[i]
    entry agree[n](xs: [n]f64, ys: [n]f64) -> f64 = sum([x * y for x in xs, y in ys])
    entry first_is(x: f64, xs: *[]f64) -> []f64 = xs with [0] = x";

/// Large enough that nobody takes it for a small thing.
const N: usize = 300_000;
const SIZE: u64 = 8 * N as u64;
/// What scalars and error records take.
const LITTLE: u64 = 4096;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("terrace-files-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn program() -> Program {
    Program::from_text("t.tce", TEXT).unwrap_or_else(|e| panic!("{e}"))
}

fn compiled(program: &Program) -> Engine {
    program.engine(Backend::C, &Settings::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// A call as `terrace run` makes it.
fn run(program: &Program, engine: &Engine, entry: &str, args: &[&str]) -> Result<Outcome<Value>, Failed> {
    let values = args.iter().enumerate().map(|(k, text)| program.argument_value(entry, k, text));
    engine.call_values(entry, values.collect::<Result<_, _>>()?)
}

/// The same with nested values, which is what the interpreter has.
fn run_nested(program: &Program, engine: &Engine, entry: &str, args: &[&str]) -> Result<Outcome, Failed> {
    let values = args.iter().enumerate().map(|(k, text)| program.argument(entry, k, text));
    engine.call(entry, values.collect::<Result<_, _>>()?)
}

/// Writes what an entry gives to a file.
fn make(program: &Program, engine: &Engine, call: (&str, &[&str]), to: &Path) {
    let outcome = run(program, engine, call.0, call.1).unwrap_or_else(|e| panic!("{e}"));
    program.write_output(call.0, &outcome.value, to).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn files_are_read_to_where_they_stay() {
    let (folder, program) = (Folder::new("stay"), program());
    let engine = compiled(&program);
    let n = N.to_string();
    let (numbers, rows) = (folder.file("xs.npy"), folder.file("rows.arrow"));
    let texts = ["xs.npy", "rows.arrow", "ys.npy"].map(|name| folder.file(name).display().to_string());
    make(&program, &engine, ("scale", &["0.125", &format!("[f64(i % 64) for i < {n}]")]), &numbers);
    make(&program, &engine, ("kept", &[&format!("[[f64(j) for j < i % 40] for i < {}]", N / 18)]), &rows);
    assert!(std::fs::metadata(&numbers).expect("written").len() > SIZE);

    let check = |entry: &str, args: &[&str], most_in: u64, most_held: u64| {
        for (k, text) in args.iter().enumerate().filter(|(_, text)| Path::new(text).is_file()) {
            let read = program.argument_value(entry, k, text).unwrap_or_else(|e| panic!("{e}"));
            assert!(matches!(read, Value::Columns(_)), "{text}");
        }
        let outcome = run(&program, &engine, entry, args).unwrap_or_else(|e| panic!("{e}"));
        let stats = outcome.stats.as_ref().expect("a device");
        assert!(matches!(outcome.value, Value::Columns(_)), "{entry}");
        assert!(stats.bytes_to_device <= most_in, "{entry}: {} bytes were copied in", stats.bytes_to_device);
        assert!(stats.bytes_from_device < LITTLE, "{entry}: {} bytes were copied out", stats.bytes_from_device);
        assert!(stats.peak_bytes < most_held, "{entry}: {} bytes were held", stats.peak_bytes);
        let nested = run_nested(&program, &engine, entry, args).unwrap_or_else(|e| panic!("{e}"));
        let shown = |value: &Value| program.show_result(entry, value, 40).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(shown(&outcome.value), shown(&Value::Data(nested.value)));
        outcome.value
    };
    check("total", &[&texts[0]], LITTLE, SIZE + (1 << 16));
    let scaled = check("scale", &["2.0", &texts[0]], LITTLE, 2 * SIZE + (1 << 16));
    check("sums", &[&texts[1]], LITTLE, 3 * SIZE);
    check("kept", &[&texts[1]], LITTLE, 4 * SIZE);
    // What is written over is the program's own copy.
    check("first_is", &["9.0", &texts[0]], SIZE + LITTLE, 2 * SIZE + (1 << 16));
    program.write_output("scale", &scaled, &folder.file("ys.npy")).unwrap_or_else(|e| panic!("{e}"));
    drop(scaled);
    check("agree", &[&texts[0], &texts[2]], LITTLE, 2 * SIZE + (1 << 16));
}

#[test]
fn large_files_are_mapped() {
    let (folder, program) = (Folder::new("mapped"), program());
    let engine = compiled(&program);
    let (numbers, rows, few) = (folder.file("xs.npy"), folder.file("rows.arrow"), folder.file("few.npy"));
    make(&program, &engine, ("scale", &["1.0", "[0.5 for i < 2200000]"]), &numbers);
    make(&program, &engine, ("kept", &["[[2.0 for j < 40] for i < 60000]"]), &rows);
    make(&program, &engine, ("scale", &["1.0", "[0.5, 0.5]"]), &few);
    let check = |entry: &str, file: &Path, expected: &str| {
        let value = program.argument_for_now(entry, 0, &file.display().to_string()).unwrap_or_else(|e| panic!("{e}"));
        // Who maps a file sees what others write into it.
        let mut all = std::fs::read(file).expect("written");
        // Numbers are aligned in either kind of file; what says where they are may have the same bytes elsewhere.
        let mut words = all.chunks_exact(8);
        let last = words.rposition(|w| w == 0.5f64.to_le_bytes() || w == 2.0f64.to_le_bytes());
        let last = 8 * last.expect("there are numbers");
        all[last..last + 8].copy_from_slice(&8.0f64.to_le_bytes());
        let mut over = std::fs::OpenOptions::new().write(true).open(file).expect("it is there");
        std::io::Write::write_all(&mut over, &all).expect("room");
        let outcome = engine.call_values(entry, vec![value]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(program.show_result(entry, &outcome.value, 4).unwrap_or_else(|e| panic!("{e}")), expected);
        let stats = outcome.stats.expect("a device");
        assert!(stats.bytes_to_device < LITTLE, "{entry}: {} bytes were copied in", stats.bytes_to_device);
    };
    check("total", &numbers, "1100007.5");
    check("sums", &rows, "[80.0, 80.0, …, 80.0, 86.0]  -- [60000]f64");
    check("total", &few, "1.0");
}

#[test]
fn results_are_written_and_shown_alike_in_both_forms() {
    let (folder, program) = (Folder::new("alike"), program());
    let engine = compiled(&program);
    let calls: [(&str, &[&str]); 14] = [
        ("total", &["[1.0, 2.5]"]),
        ("scale", &["2.0", "[]"]),
        ("scale", &["2.0", "[f64(i) for i < 100]"]),
        ("kept", &["[[1.0, 2.0, 3.0], [], [4.0]]"]),
        ("kept", &["[[f64(i + j) for j < i % 50] for i < 100]"]),
        ("kept", &["[]"]),
        ("grid", &["4"]),
        ("grid", &["0"]),
        ("steps", &["5"]),
        ("deep", &["60"]),
        ("points", &["3"]),
        ("points", &["0"]),
        ("pairs", &["100"]),
        ("shapes", &["[0.5, 1.5]"]),
    ];
    for (entry, args) in calls {
        let flat = run(&program, &engine, entry, args).unwrap_or_else(|e| panic!("{e}")).value;
        let nested = run_nested(&program, &engine, entry, args).unwrap_or_else(|e| panic!("{e}")).value;
        let nested = Value::Data(nested);
        for most in [3, 40, 1000] {
            let shown = |value: &Value| program.show_result(entry, value, most).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(shown(&flat), shown(&nested), "{entry} {args:?}");
        }
        for ending in ["npy", "arrow", "parquet"] {
            let (a, b) = (folder.file(&format!("a.{ending}")), folder.file(&format!("b.{ending}")));
            let write = |value: &Value, to: &Path| program.write_output(entry, value, to).map_err(|e| e.to_string());
            let written = (write(&flat, &a), write(&nested, &b));
            assert_eq!(written.0, written.1, "{entry} {args:?} to {ending}");
            if written.0.is_ok() {
                let bytes = |path| std::fs::read(path).expect("written");
                assert_eq!(bytes(&a), bytes(&b), "{entry} {args:?} to {ending}");
            }
        }
    }
}

#[test]
fn messages_are_the_same_in_both_forms() {
    let (folder, program) = (Folder::new("messages"), program());
    let engine = compiled(&program);
    let file = |name: &str| folder.file(name).display().to_string();
    make(&program, &engine, ("grid", &["4"]), &folder.file("grid.npy"));
    make(&program, &engine, ("grid", &["3"]), &folder.file("square.npy"));
    make(&program, &engine, ("steps", &["4"]), &folder.file("steps.arrow"));
    make(&program, &engine, ("kept", &["[[2.0, 3.0], [4.0]]"]), &folder.file("ragged.parquet"));
    make(&program, &engine, ("deep", &["5"]), &folder.file("deep.arrow"));
    make(&program, &engine, ("points", &["5"]), &folder.file("points.parquet"));
    make(&program, &engine, ("scale", &["2.0", "[1.0, 2.0, 3.0]"]), &folder.file("three.npy"));
    let whole = std::fs::read(file("grid.npy")).expect("written");
    std::fs::write(file("cut.npy"), &whole[..whole.len() - 5]).expect("a file");
    let whole = std::fs::read(file("steps.arrow")).expect("written");
    std::fs::write(file("cut.arrow"), &whole[..whole.len() - 5]).expect("a file");

    let entries = ["total", "sums", "square", "even", "below", "count", "right", "kept"];
    let files = ["grid.npy", "square.npy", "steps.arrow", "ragged.parquet", "deep.arrow", "points.parquet"];
    let rest = ["three.npy", "cut.npy", "cut.arrow", "none.npy", "points.parquet:x", "points.parquet:y"];
    let mut held = 0;
    for entry in entries {
        for name in files.iter().chain(&rest) {
            held += usize::from(compare(&program, &engine, entry, &[&file(name)]));
        }
    }
    assert_eq!(held, 16, "calls that succeed");
    compare(&program, &engine, "at", &[&file("three.npy"), "3"]);
    compare(&program, &engine, "agree", &[&file("three.npy"), "[1.0]"]);
    compare(&program, &engine, "agree", &[&file("three.npy"), &file("three.npy")]);
    compare(&program, &engine, "total", &[]);
}

/// Whether a call succeeds, in both forms or in none.
fn compare(program: &Program, engine: &Engine, entry: &str, args: &[&str]) -> bool {
    let text = |value: Result<Value, Failed>| match value {
        Ok(value) => program.show_result(entry, &value, 1000).map_err(|e| e.to_string()),
        Err(failed) => Err(failed.to_string()),
    };
    let flat = text(run(program, engine, entry, args).map(|o| o.value));
    let nested = text(run_nested(program, engine, entry, args).map(|o| Value::Data(o.value)));
    assert_eq!(flat, nested, "{entry} {args:?}");
    flat.is_ok()
}
