//! A mistake in a corpus program is noticed: by the checker, by its tests, or by its cases.
//!
//! ```text
//! arrays/rotate   `+` becomes `-`   refused, a test fails, a case differs, or it takes too long     noticed
//!                                   everything still holds                                          survives, and is printed
//! ```
//!
//! A quick run tries six changes of every program; `TERRACE_MUTANTS=20` tries twenty, `TERRACE_MUTANTS=all` every one, and
//! `TERRACE_CORPUS=arrays/` only the programs whose name contains that. At least 95 of 100 changes must be noticed. A change that leaves the meaning as
//! it is may be named in `tests/corpus/equivalent.txt`, by program, changed line and reason; it then does not count.

use std::path::{Path, PathBuf};
use terrace::{Backend, Program, Settings};
use terrace_testkit::answer::quietly;
use terrace_testkit::corpus::{programs_below, short_name, side_by_side, tests_folder};
use terrace_testkit::mutant::{self, Mutant};
use terrace_testkit::reference::{self, Ready, check};

/// Limits that grow with the level. A mistake often makes a loop run for ever, and an array grow with it.
fn limits(level: u32) -> Settings {
    let (step_limit, element_limit) = (20_000 << (2 * level), 1024 << level);
    Settings { step_limit, element_limit, depth_limit: 1_000, ..Settings::default() }
}

/// Whether the tests and cases of a program hold within limits.
fn holds(program: &Program, cases: &[Ready], limits: &Settings) -> bool {
    let Ok(Ok(engine)) = quietly(|| program.engine(Backend::Interp, limits)) else { return false };
    let tests_hold = quietly(|| engine.run_tests("").iter().all(|test| test.failure.is_none())).unwrap_or(false);
    tests_hold && cases.iter().all(|case| check(&engine, case).is_ok())
}

/// Whether everything still holds.
fn survives(path: &Path, mutant: &Mutant, cases: &[Ready], limits: &Settings) -> bool {
    match quietly(|| Program::from_text(&path.display().to_string(), &mutant.text)) {
        Ok(Ok(program)) => holds(&program, cases, limits),
        _ => false,
    }
}

/// Limits that the program itself stays well below.
fn room(program: &Program, cases: &[Ready]) -> Result<Settings, String> {
    let level = (0..12).find(|level| holds(program, cases, &limits(*level)));
    level.map(|level| limits(level + 1)).ok_or_else(|| "it does not hold, whatever the limits".to_string())
}

fn prepare(path: &Path) -> Result<(String, Vec<Ready>, Settings), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let program = Program::from_file(path).map_err(|failed| failed.to_string())?;
    let lines = std::fs::read_to_string(path.with_extension("ref")).unwrap_or_default();
    let cases = reference::prepare(path, &text, &program, &reference::parse(&lines)?)?;
    let room = room(&program, &cases)?;
    Ok((text, cases, room))
}

/// `program: changed line -- reason`.
fn equivalent() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(tests_folder().join("corpus/equivalent.txt")).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let parts = lines.map(|line| {
        let (change, reason) = line.rsplit_once(" -- ").expect("`program: changed line -- reason`");
        assert!(reason.trim().len() >= 10, "a reason is missing: {line}");
        let (program, now) = change.split_once(": ").expect("`program: changed line -- reason`");
        (program.to_string(), now.trim().to_string())
    });
    parts.collect()
}

#[test]
fn mistakes_in_corpus_programs_are_noticed() {
    let count = std::env::var("TERRACE_MUTANTS").unwrap_or_else(|_| "6".to_string());
    let count = if count == "all" { usize::MAX } else { count.parse().expect("a number, or `all`") };
    let only = std::env::var("TERRACE_CORPUS").unwrap_or_default();
    let paths: Vec<PathBuf> = programs_below("corpus").into_iter().filter(|p| short_name(p).contains(&only)).collect();
    let equivalent = equivalent();
    let results = side_by_side(&paths, |path| {
        let name = short_name(path);
        let (text, cases, room) = prepare(path).map_err(|why| format!("{name}: {why}"))?;
        // The seed is the name, so that a new program does not change the sample of the others.
        let seed = name.bytes().fold(17u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        // A module without entries is tested through its importers.
        let count = if cases.is_empty() { 0 } else { count };
        let mutants = mutant::sample(&text, count, seed).into_iter();
        let mutants: Vec<Mutant> =
            mutants.filter(|m| !equivalent.iter().any(|(p, now)| *p == name && *now == m.now)).collect();
        let survivors = mutants.iter().filter(|m| survives(path, m, &cases, &room));
        let survivors = survivors.map(|m| format!("{name}:{} `{}` -> `{}`: {}", m.line, m.change.0, m.change.1, m.now));
        Ok((mutants.len(), survivors.collect::<Vec<String>>()))
    });
    let (mut tried, mut survivors, mut failures) = (0, Vec::new(), Vec::<String>::new());
    for result in results {
        match result {
            Ok((count, more)) => {
                tried += count;
                survivors.extend(more);
            }
            Err(why) => failures.push(why),
        }
    }
    assert!(failures.is_empty(), "{} programs do not run\n{}", failures.len(), failures.join("\n\n"));
    let noticed = tried - survivors.len();
    let score = format!("{noticed} of {tried} changes are noticed; these are not:\n{}", survivors.join("\n"));
    println!("{score}");
    assert!(tried > 0 && noticed * 100 >= tried * 95, "{score}");
}
