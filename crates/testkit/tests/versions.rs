//! Versions of nests and the guards that choose between them.
//!
//! ```text
//! thresholds at 0               every guard holds: the outer version of each nest
//! thresholds beyond any size    no guard holds: the sequential version
//! ```
//!
//! Whatever is chosen, the answer is the same; what all versions together are as text is bounded; and nothing chooses by the number of threads.

use std::collections::BTreeSet;
use terrace::{Backend, Program, Settings, Stage, Strategy};
use terrace_testkit::corpus::{programs, programs_below, run_file, short_name, side_by_side};
use terrace_testkit::setup::Setup;

const NEVER: i64 = i64::MAX;

fn auto(value: Option<i64>) -> Settings {
    let mut settings = Settings::default();
    settings.options.strategy = Strategy::Auto;
    settings.log_guards = true;
    settings.thresholds.extend(value.map(|v| ("*".to_string(), v)));
    settings
}

fn load(text: &str) -> Program {
    Program::from_text("test.tce", text).unwrap_or_else(|e| panic!("{e}"))
}

const SPMV: &str =
    "entry spmv(rows: [][](i64, f64), v: []f64) -> []f64 = [sum([x * v[j] for (j, x) in row]) for row in rows]";

/// The guards that a run passes, and how they end.
fn guards(backend: Backend, settings: &Settings, args: &[&str]) -> Vec<(String, i64, bool)> {
    let program = load(SPMV);
    let mut settings = settings.clone();
    settings.options.regularity = false;
    let engine = program.engine(backend, &settings).unwrap_or_else(|e| panic!("{e}"));
    let args = args.iter().enumerate();
    let args = args.map(|(k, text)| program.argument("spmv", k, text).unwrap_or_else(|e| panic!("{e}"))).collect();
    let outcome = engine.call("spmv", args).unwrap_or_else(|e| panic!("{e}"));
    outcome.guards.iter().map(|g| (g.name.clone(), g.quantity, g.holds())).collect()
}

#[test]
fn guards_take_the_branch_that_their_thresholds_say() {
    let args = ["[[(0, 1.0), (1, 2.0)], [], [(1, 3.0)]]", "[5.0, 6.0]"];
    let named = |name: &str, quantity, holds| (format!("spmv.1.{name}"), quantity, holds);
    for backend in [Backend::Flat, Backend::Mem] {
        let all = guards(backend, &auto(Some(0)), &args);
        assert_eq!(all, [named("parallel", 3, true), named("outer", 3, true), named("balanced", 1, true)]);
        let none = guards(backend, &auto(Some(NEVER)), &args);
        assert_eq!(none, [named("parallel", 3, false)]);
        let mut settings = auto(Some(0));
        settings.thresholds.insert("spmv.1.balanced".to_string(), 2);
        let skewed = guards(backend, &settings, &args);
        assert_eq!(skewed, [named("parallel", 3, true), named("outer", 3, true), named("balanced", 1, false)]);
    }
}

const NESTS: &str = "
entry beside(texts: [][][]i64) -> []i64 = [sum([sum(word) % 7 for word in text]) for text in texts]
entry kept(texts: [][][]i64) -> []i64 =
  [sum([if len(word) == 0 then 0 else sum([x * word[0] for x in word]) for word in text]) for text in texts]
";

#[test]
fn guards_of_whole_nests_count_all_inner_points() {
    let program = load(NESTS);
    let mut settings = auto(Some(0));
    settings.options.regularity = false;
    let engine = program.engine(Backend::Flat, &settings).unwrap_or_else(|e| panic!("{e}"));
    let guards = |entry: &str, args: &[&str]| {
        let args = args.iter().enumerate();
        let args = args.map(|(k, text)| program.argument(entry, k, text).unwrap_or_else(|e| panic!("{e}"))).collect();
        let outcome = engine.call(entry, args).unwrap_or_else(|e| panic!("{e}"));
        outcome.guards.iter().map(|g| (g.name.clone(), g.quantity)).collect::<Vec<_>>()
    };
    let texts = "[[[1, 2, 3, 4, 5, 6, 7]], [[1]], [[2]], [[3]], [[4]], [[5]], [[6]]]";
    // Six points with one word of one letter make 3 steps each, and one makes 1 + 1 + 7.
    let expected = [("beside.1.outer".to_string(), 7), ("beside.1.balanced".to_string(), 27 / 9)];
    assert_eq!(guards("beside", &[texts]), expected);
    // Where the rows that are kept lie is known only when they have been packed.
    let kept = guards("kept", &[texts]);
    assert!(kept.contains(&("kept.2.balanced".to_string(), (7 + 13) / 8)), "{kept:?}");
}

#[test]
fn a_threshold_that_does_not_exist_is_an_error_with_the_nearest_name() {
    let mut settings = auto(None);
    settings.thresholds.insert("spmv.1.outr".to_string(), 2);
    let Err(failed) = load(SPMV).engine(Backend::Flat, &settings) else { panic!("there is no such threshold") };
    let text = failed.to_string();
    assert!(text.contains("T0709") && text.contains("did you mean `spmv.1.outer`?"), "{text}");
}

#[test]
fn every_branch_gives_the_same_answer() {
    let names = ["spmv", "ragged", "prefixes", "reductions", "filter_sum", "trmv", "regular"];
    let paths = programs("spine", false);
    let paths: Vec<_> = paths.into_iter().filter(|p| names.iter().any(|n| short_name(p).ends_with(n))).collect();
    assert!(paths.len() >= 6, "{paths:?}");
    let setups = [None, Some(0), Some(NEVER)].map(|value| Setup { backend: Backend::Flat, settings: auto(value) });
    let reports = side_by_side(&paths, |path| setups.iter().map(|s| run_file(path, s)).collect::<Vec<_>>());
    reports.iter().flatten().for_each(|r| r.expect_success());
}

#[test]
fn the_text_of_all_versions_stays_within_its_budget() {
    let paths = programs_below("corpus");
    let over = side_by_side(&paths, |path| {
        let program = Program::from_file(path).ok()?;
        let text = |strategy| {
            let mut settings = Settings::default();
            settings.options.strategy = strategy;
            program.show(Stage::Flat, Backend::C, &settings).ok().map(|t| t.len())
        };
        let (one, all) = (text(Strategy::Flat)?, text(Strategy::Auto)?);
        (all > 6 * one).then(|| format!("{}: {all} characters, {one} of one version", short_name(path)))
    });
    let over: BTreeSet<String> = over.into_iter().flatten().collect();
    assert!(over.is_empty(), "{over:#?}");
}
