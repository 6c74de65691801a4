//! Loops whose launches are recorded and replayed: which they are, that results do not change, and that the first failure is still the one that is reported.
//!
//! The simulator records a list of launches and runs it again, behind the same gate as a GPU's graph; with tiny tiles it does so from the second turn on.

use terrace::{Backend, Program, Settings, Stage, Strategy, TileSizes};

const PROGRAM: &str = "
entry turns(xs: []f64, n: i64) -> []f64 = loop ys = xs for i < n do [y * 0.5 + f64(i) for y in ys]
entry sums(xs: []f64, n: i64) -> []f64 = loop ys = xs for _i < n do [y * 0.5 for y in scan((+), 0.0, ys)]
entry chase(table: []i64, xs: []i64, n: i64) -> []i64 = loop ys = xs for _i < n do [table[y] + 1 for y in ys]
entry strides(table: []i64, xs: []i64, steps: []i64, n: i64) -> []i64 =
  loop ys = xs for _i < n do [table[y] + b for y in ys, b in steps]
entry until(xs: []f64) -> []f64 = loop ys = xs while any([y > 1.0 for y in ys]) do [y * 0.5 for y in ys]
entry smooth(xs: []f64, n: i64) -> []f64 = loop ys = xs for _i < n do [sum(w) * 0.25 for w in slide(3, 1, pad(1, 1, clamp, ys))]
entry steps(xs: []f64, n: i64) -> []f64 = loop ys = xs for i < n do if i % 9 == 8 then ys ++ [8.0] else [y * 0.5 for y in ys]
entry shrink(xs: []f64, n: i64) -> []f64 = loop ys = xs for _i < n do [a + b for a in ys[1..], b in ys[..len(ys) - 1]]
entry shorter(xs: []f64) -> []f64 = loop ys = xs while len(ys) > 1 do [a + b for a in ys[1..], b in ys[..len(ys) - 1]]
";

fn program() -> Program {
    Program::from_text("capture.tce", PROGRAM).unwrap_or_else(|e| panic!("{e}"))
}

fn settings(capture: bool) -> Settings {
    let mut settings = Settings { capture, ..Settings::default() };
    settings.options.tiles = TileSizes::TINY;
    settings
}

/// The result or the message, launches, and how often a recording was started.
fn run(backend: Backend, capture: bool, entry: &str, args: &[&str]) -> (String, u64, u64) {
    let program = program();
    let engine = program.engine(backend, &settings(capture)).unwrap_or_else(|e| panic!("{e}"));
    let args = args.iter().enumerate();
    let args = args.map(|(k, text)| program.argument(entry, k, text).unwrap_or_else(|e| panic!("{e}"))).collect();
    match engine.call(entry, args) {
        Ok(outcome) => {
            let stats = outcome.stats.expect("devices count");
            (format!("{:?}", outcome.value), stats.launches, stats.replays)
        }
        Err(why) => (why.to_string(), 0, 0),
    }
}

#[test]
fn the_plan_says_which_loops_are_recorded() {
    let mut settings = Settings::default();
    settings.options.strategy = Strategy::Flat;
    let plan = program().show(Stage::Plan, Backend::Cuda, &settings).unwrap_or_else(|e| panic!("{e}"));
    let lines: Vec<&str> = plan.lines().filter(|l| l.starts_with("loop in")).collect();
    let find = |function: &str| {
        let start = format!("loop in {function} ");
        let line = lines.iter().find(|l| l.starts_with(&start));
        line.and_then(|l| l.split_once(" : ")).unwrap_or_else(|| panic!("no loop in {function}: {lines:?}")).1
    };
    assert_eq!(find("turns"), "captured");
    assert_eq!(find("chase"), "captured");
    assert_eq!(find("until"), "not captured, it waits for what the device computes");
    assert_eq!(find("smooth"), "captured while its sizes stay the same");
    assert_eq!(find("shrink"), "captured while its sizes stay the same");
}

#[test]
fn replayed_turns_give_the_same_results() {
    for (entry, args) in [
        ("turns", vec!["[f64(i) for i < 10]", "23"]),
        ("sums", vec!["[f64(i % 4) for i < 20]", "14"]),
        ("chase", vec!["[(7 * i) % 30 for i < 31]", "[i for i < 10]", "25"]),
        ("smooth", vec!["[f64(i % 4) for i < 20]", "16"]),
        ("steps", vec!["[f64(i % 4) for i < 20]", "30"]),
        ("shrink", vec!["[f64(i % 4) for i < 40]", "19"]),
    ] {
        let expected = run(Backend::C, true, entry, &args).0;
        let (plain, launches, none) = run(Backend::CudaSim, false, entry, &args);
        assert_eq!((plain.as_str(), none), (expected.as_str(), 0), "{entry} without recording");
        let (replayed, same, replays) = run(Backend::CudaSim, true, entry, &args);
        assert_eq!((replayed, same), (expected, launches), "{entry} with recording");
        println!("{entry}: {launches} launches, {replays} replays");
        match entry {
            "sums" => {}
            "shrink" => assert_eq!(replays, 0, "turns that are never alike"),
            _ => assert!(replays >= 4, "{entry}: {replays} replays"),
        }
    }
}

#[test]
fn the_first_failure_is_reported_though_launches_repeat_their_numbers() {
    // The second point fails in turn 4 with index 10; were the launches behind it not stopped, the first one would fail in turn 8, in a launch of the same number.
    let args = ["[i for i < 9]", "[1, 2]", "[1, 2]", "20"];
    let (expected, ..) = run(Backend::CudaSim, false, "strides", &args);
    assert!(expected.contains("index 10"), "{expected}");
    assert_eq!(run(Backend::CudaSim, true, "strides", &args).0, expected);
}
