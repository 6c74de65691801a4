//! The programs of `tests/corpus`: their tests, and the cases that something else than Terrace computed.
//!
//! ```text
//! tests/corpus/arrays/rotate.tce    the program, with a few tests
//! tests/corpus/arrays/rotate.ref    cases: calls and what they give
//! tests/corpus/not-compiled.txt     programs that a compiling back end declines so far (`T0801`, a stated limit)
//! ```
//!
//! The interpreter runs everything. The other engines run what they compile; what they decline is in the list, and the list must be
//! true both ways, so that it can only get shorter by work and longer by decision. `TERRACE_BLESS=1` writes it anew;
//! `TERRACE_CORPUS=arrays/` runs only the programs whose name contains that, `TERRACE_BACKEND=flat` only one of the compiling
//! back ends; both leave the list alone. A quick run compiles all programs for the simulated GPU and runs a sixth of them
//! there, another one every day; `TERRACE_LONG=1` runs all, and all in other strategies too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use terrace::{Backend, Stage, Strategy};
use terrace_testkit::answer::quietly;
use terrace_testkit::corpus::{programs_below, short_name, side_by_side, tests_folder, turn};
use terrace_testkit::outcome::{Outcome, Prepared, prepare, run};
use terrace_testkit::reference;
use terrace_testkit::setup::{Setup, cover, opencl_missing};

fn only() -> String {
    std::env::var("TERRACE_CORPUS").unwrap_or_default()
}

/// Every program, prepared once for all engines.
fn corpus() -> &'static [Result<Prepared, String>] {
    static ALL: OnceLock<Vec<Result<Prepared, String>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let paths = programs_below("corpus").into_iter().filter(|p| short_name(p).contains(&only()));
        side_by_side(&paths.collect::<Vec<_>>(), |path| prepare(path))
    })
}

/// Whether a program is compiled as far as to the text of its kernels.
fn lower(prepared: &Prepared, setup: &Setup) -> Outcome {
    match quietly(|| prepared.program.show(Stage::Plan, setup.backend, &setup.settings)) {
        Ok(Ok(_)) => Outcome::Holds(0),
        Ok(Err(failed)) if reference::code_of(&failed) == Some("T0801") => Outcome::Declined,
        Ok(Err(failed)) => Outcome::Wrong(format!("{} on {setup}: {failed}", prepared.name)),
        Err(panic) => Outcome::Wrong(format!("{} on {setup}: {panic}", prepared.name)),
    }
}

#[test]
fn corpus_on_interp() {
    let setup = Setup::new(Backend::Interp);
    let results = side_by_side(corpus(), |prepared| match prepared {
        Ok(prepared) => run(prepared, &setup),
        Err(why) => Outcome::Wrong(why.clone()),
    });
    let mut held = 0;
    let mut failures = Vec::new();
    for result in results {
        match result {
            Outcome::Holds(count) => held += count,
            Outcome::Declined => failures.push("the interpreter declines nothing".to_string()),
            Outcome::Wrong(why) => failures.push(why),
        }
    }
    assert!(failures.is_empty(), "{} programs fail\n{}", failures.len(), failures.join("\n\n"));
    assert!(held > corpus().len(), "{held} tests and cases in {} programs", corpus().len());
}

/// A number that a program keeps, whatever others come and go.
fn number_of(name: &str) -> usize {
    name.bytes().map(usize::from).sum()
}

/// Other ways to compile, on the interpreters of Flat and Mem and on C: one for each program, on Flat and on Mem every other day, or all in a long run. Nothing is
/// declined that the list does not know, so what is declined is passed over.
#[test]
fn corpus_in_other_setups() {
    let (flat, mem) = (cover(Backend::Flat), cover(Backend::Mem));
    let c = |strategy| Setup::new(Backend::C).strategy(strategy).tiny();
    let all = [flat.clone(), mem.clone(), vec![c(Strategy::Flat), c(Strategy::Mix(1))]].concat();
    let long = std::env::var_os("TERRACE_LONG").is_some();
    let setups = |name: &str| match long {
        true => all.clone(),
        false if (number_of(name) + turn(2)).is_multiple_of(2) => vec![flat[number_of(name) / 2 % flat.len()].clone()],
        false => vec![mem[number_of(name) / 2 % mem.len()].clone()],
    };
    let prepared = corpus().iter().filter_map(|p| p.as_ref().ok());
    let work: Vec<(&Prepared, Setup)> =
        prepared.flat_map(|p| setups(&p.name).into_iter().map(move |s| (p, s))).collect();
    let outcomes = side_by_side(&work, |(prepared, setup)| run(prepared, setup)).into_iter();
    let failures = outcomes.filter_map(|outcome| if let Outcome::Wrong(why) = outcome { Some(why) } else { None });
    let failures: Vec<String> = failures.collect();
    assert!(failures.is_empty(), "{} programs differ\n{}", failures.len(), failures.join("\n\n"));
}

/// Each program in one strategy. A driver for CPUs takes seconds to compile a program: a quick run takes a part, and parts take turns.
#[test]
fn corpus_on_opencl() {
    const PARTS: usize = 24;
    if opencl_missing().is_some() {
        return;
    }
    let (long, turn) = (std::env::var_os("TERRACE_LONG").is_some() || !only().is_empty(), turn(PARTS));
    let setups = [Setup::new(Backend::OpenCl), Setup::new(Backend::OpenCl).tiny()];
    let prepared: Vec<&Prepared> = corpus().iter().filter_map(|p| p.as_ref().ok()).collect();
    let taken = |p: &&&Prepared| long || number_of(&p.name) % PARTS == turn;
    let taken: Vec<&&Prepared> = prepared.iter().filter(taken).collect();
    let outcomes = side_by_side(&taken, |p| run(p, &setups[number_of(&p.name) / PARTS % 2]));
    let wrong = outcomes.into_iter().filter_map(|o| if let Outcome::Wrong(why) = o { Some(why) } else { None });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "TERRACE_TURN={turn}: {} programs differ\n{}", wrong.len(), wrong.join("\n\n"));
}

fn list_path() -> PathBuf {
    tests_folder().join("corpus/not-compiled.txt")
}

#[test]
fn corpus_on_compiling_back_ends() {
    let mut setups = vec![Setup::new(Backend::Flat), Setup::new(Backend::C), Setup::new(Backend::CudaSim).tiny()];
    let chosen = std::env::var("TERRACE_BACKEND").unwrap_or_default();
    setups.retain(|setup| chosen.is_empty() || setup.backend.name() == chosen);
    let prepared: Vec<&Prepared> = corpus().iter().filter_map(|p| p.as_ref().ok()).collect();
    let work: Vec<(&Prepared, &Setup)> = prepared.iter().flat_map(|p| setups.iter().map(move |s| (*p, s))).collect();
    // A C++ compiler takes a second for each program on the simulated GPU: a quick run has time for a part of them, and parts take turns.
    const PARTS: usize = 6;
    let turn = turn(PARTS);
    let all = std::env::var_os("TERRACE_LONG").is_some() || !only().is_empty() || !chosen.is_empty();
    let taken = |name: &str| all || number_of(name) % PARTS == turn;
    let results = side_by_side(&work, |(prepared, setup)| {
        if setup.backend == Backend::CudaSim && !taken(&prepared.name) {
            lower(prepared, setup)
        } else {
            run(prepared, setup)
        }
    });
    let mut declined = BTreeSet::new();
    let mut failures = Vec::new();
    for ((prepared, setup), result) in work.iter().zip(results) {
        match result {
            Outcome::Holds(_) => {}
            Outcome::Declined => {
                declined.insert(format!("{} {}", setup.backend.name(), prepared.name));
            }
            Outcome::Wrong(why) => failures.push(why),
        }
    }
    if only().is_empty() && chosen.is_empty() {
        failures.extend(compare_list(&declined, &list_path()).err());
    }
    assert!(failures.is_empty(), "TERRACE_TURN={turn}: {} programs differ\n{}", failures.len(), failures.join("\n\n"));
}

/// Compares what is declined with the list, or writes the list.
fn compare_list(declined: &BTreeSet<String>, path: &Path) -> Result<(), String> {
    if std::env::var_os("TERRACE_BLESS").is_some() {
        let lines: String = declined.iter().map(|line| format!("{line}\n")).collect();
        return std::fs::write(path, lines).map_err(|e| e.to_string());
    }
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let known: BTreeSet<String> = text.lines().map(str::to_string).collect();
    let lost: Vec<&String> = declined.difference(&known).collect();
    let gained: Vec<&String> = known.difference(declined).collect();
    if lost.is_empty() && gained.is_empty() {
        return Ok(());
    }
    Err(format!("not compiled any more: {lost:#?}\ncompiled now: {gained:#?}\nTERRACE_BLESS=1 writes the list anew"))
}
