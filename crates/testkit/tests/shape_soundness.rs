//! What the compiler claims to know about sizes is true: every inferred size, every proved check, every regularity.
//!
//! ```text
//! tests/corpus/arrays/rotate.tce   its tests and its cases, in the interpreter's checking mode
//!                                  error[T0998]: the compiler claims that the length of `ys_3` is n_1 + 1 = 3, but it is 2
//! ```
//!
//! All programs of the repository, among them those of `tests/claims` that were written to mislead (empty rows, rows that change, numbers that
//! wrap, facts that hold in one branch only), the table of the semantics, and random programs. Each runs twice: as it is, where shapes are found
//! function by function, and with all calls inlined, which is what the compiling back ends look at. What a program gives is compared
//! elsewhere; here only a false claim counts.
//!
//! `TERRACE_RANDOM=5000` runs so many random programs, `TERRACE_RANDOM_FROM=1000` starts elsewhere, `TERRACE_LONG=1` takes 20 times as many and
//! the large programs and those that loop long; `TERRACE_CORPUS=arrays/` takes only the programs whose path contains that.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use terrace::{Backend, Data, Engine, Failed, Program};
use terrace_testkit::answer::quietly;
use terrace_testkit::corpus::{programs, programs_below, short_name, side_by_side};
use terrace_testkit::random::generate::sample;
use terrace_testkit::random::sample::Sample;
use terrace_testkit::reference;
use terrace_testkit::setup::Setup;
use terrace_testkit::table::Table;

const RANDOM: u64 = 300;

type Form = fn(&Program) -> Program;

/// Two stages at which the compiler looks at a program.
const STAGES: [(&str, Form); 2] = [("as it is", Program::clone), ("inlined", Program::inlined)];

fn is_long() -> bool {
    std::env::var_os("TERRACE_LONG").is_some()
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// The text of a false claim; other errors are the program's own business.
fn claim(failed: &Failed) -> Option<String> {
    failed.diagnostics.iter().any(|d| d.code == "T0998").then(|| failed.to_string())
}

fn engine(program: &Program) -> Result<Engine, String> {
    quietly(|| program.engine(Backend::Interp, &Setup::new(Backend::Interp).verify().settings))?
        .map_err(|failed| failed.to_string())
}

/// The false claims of a run of something, at both stages; a panic counts as one.
fn false_claims(program: &Program, run: &dyn Fn(&Engine) -> Vec<Failed>) -> Vec<String> {
    let mut out = Vec::new();
    for (stage, form) in STAGES {
        let found = quietly(|| form(program)).and_then(|p| engine(&p)).and_then(|engine| quietly(|| run(&engine)));
        match found {
            Ok(failures) => out.extend(failures.iter().filter_map(claim).map(|text| format!("{stage}: {text}"))),
            Err(why) => out.push(format!("{stage}: {why}")),
        }
    }
    out
}

/// The tests of a file, and the cases beside it.
fn check_file(path: &Path) -> Vec<String> {
    let name = short_name(path);
    let program = match quietly(|| Program::from_file(path)) {
        Ok(Ok(program)) => program,
        Ok(Err(failed)) => return vec![format!("{name}: {failed}")],
        Err(panic) => return vec![format!("{name}: {panic}")],
    };
    let cases = std::fs::read_to_string(path.with_extension("ref")).ok().zip(std::fs::read_to_string(path).ok());
    let cases = cases.map_or(Ok(Vec::new()), |(lines, text)| {
        reference::parse(&lines).and_then(|cases| reference::prepare(path, &text, &program, &cases))
    });
    let cases = match cases {
        Ok(cases) => cases,
        Err(why) => return vec![format!("{name}: {why}")],
    };
    let run = |engine: &Engine| {
        let mut failures: Vec<Failed> = engine.run_tests("").into_iter().filter_map(|t| t.failure).collect();
        failures.extend(cases.iter().filter_map(|case| engine.call(&case.entry, case.args.clone()).err()));
        failures
    };
    let mut wrong = false_claims(&program, &run);
    // Nobody else runs these.
    if path.components().any(|part| part.as_os_str() == "claims") {
        let engine = program.engine(Backend::Interp, &Setup::new(Backend::Interp).settings).expect("the interpreter");
        wrong.extend(engine.run_tests("").into_iter().filter_map(|t| t.failure).map(|failed| failed.to_string()));
        wrong.extend(cases.iter().filter_map(|case| reference::check(&engine, case).err()));
    }
    wrong.into_iter().map(|why| format!("{name} {why}")).collect()
}

fn check_files(paths: Vec<PathBuf>) {
    let only = std::env::var("TERRACE_CORPUS").unwrap_or_default();
    let paths: Vec<PathBuf> = paths.into_iter().filter(|p| p.display().to_string().contains(&only)).collect();
    let wrong: Vec<String> = side_by_side(&paths, |path| check_file(path)).into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} false claims\n{}", wrong.len(), wrong.join("\n"));
    assert!(!paths.is_empty() || !only.is_empty(), "there are no programs");
}

#[test]
fn claims_about_the_corpus_hold() {
    check_files(programs_below("corpus"));
}

/// Programs whose tests fill long arrays element by element: whoever looks at every array after every turn takes minutes for them.
const LONG_LOOPS: [&str; 3] = ["long_rows_filtered.tce", "running_totals.tce", "neighbours.tce"];

#[test]
fn claims_about_the_standard_library_and_the_spine_hold() {
    let mut paths = [programs("prelude", false), programs("spine", false), programs("failures", false)].concat();
    paths.retain(|path| is_long() || !LONG_LOOPS.iter().any(|name| path.ends_with(name)));
    paths.extend(programs_below("../examples"));
    paths.extend(programs_below("shapes"));
    paths.extend(programs("claims", false));
    if is_long() {
        paths.extend(programs("spine", true));
    }
    check_files(paths);
}

#[test]
fn claims_about_the_table_of_the_semantics_hold() {
    let mut wrong = Vec::new();
    for path in programs("semantics", false) {
        let table = Table::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let report = terrace_testkit::table::run(&short_name(&path), &table, &Setup::new(Backend::Interp).verify());
        wrong.extend(report.failures.into_iter().filter(|why| why.contains("T0998")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The false claims about a random program.
fn check_sample(sample: &Sample) -> Vec<String> {
    let text = sample.to_string();
    let Ok(Ok(program)) = quietly(|| Program::from_text("sample", &text)) else { return Vec::new() };
    let args = sample.args();
    let args = args.iter().enumerate().map(|(k, a)| program.argument(&sample.entry(), k, a));
    let Ok(args) = args.collect::<Result<Vec<Data>, _>>() else { return Vec::new() };
    false_claims(&program, &|engine| engine.call(&sample.entry(), args.clone()).err().into_iter().collect())
}

/// A false claim about a random program, on the smallest program found in reasonable time.
fn explain(sample: &Sample, mut why: Vec<String>) -> String {
    let mut best = sample.clone();
    let end = Instant::now() + Duration::from_secs(20);
    'smaller: while Instant::now() < end {
        for less in best.smaller() {
            let found = check_sample(&less);
            if !found.is_empty() {
                (best, why) = (less, found);
                continue 'smaller;
            }
            if Instant::now() > end {
                break;
            }
        }
        break;
    }
    format!("sample {}, {}({})\n{best}\n{}", sample.number, best.entry(), best.args().join(", "), why.join("\n"))
}

#[test]
fn claims_about_random_programs_hold() {
    let from = number("TERRACE_RANDOM_FROM", 0);
    let count = number("TERRACE_RANDOM", if is_long() { 20 * RANDOM } else { RANDOM });
    let samples: Vec<Sample> = (from..from + count).map(sample).collect();
    let found = side_by_side(&samples, check_sample);
    let wrong: Vec<_> = samples.iter().zip(found).filter(|(_, why)| !why.is_empty()).collect();
    let shown: Vec<String> = wrong.iter().take(5).map(|(sample, why)| explain(sample, why.clone())).collect();
    assert!(shown.is_empty(), "{} programs with false claims\n{}", wrong.len(), shown.join("\n\n"));
}
