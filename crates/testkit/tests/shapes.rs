//! Sizes that the compiler finds, held against what is expected.
//!
//! ```text
//! tests/shapes/paper_000.tce     programs whose functions say which signature they expect, in `--:` comments
//! tests/shapes/paper_000.shapes  what `terrace shapes` prints for it
//! tests/shapes/named.txt         programs with exactly the checks that must stay
//! tests/shapes/regular.txt       programs that must be regular, position-dependent or irregular inside
//! tests/shapes/corpus.txt        how many checks of each kind are proved in the whole corpus, and in each program
//! ```
//!
//! `TERRACE_BLESS=1` writes the snapshots and the table anew. The other files are written by hand: what they say cannot become
//! right by being found.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use terrace::{Backend, CheckFound, Fate, Program, Settings};
use terrace_testkit::answer::quietly;
use terrace_testkit::corpus::{programs, programs_below, side_by_side, tests_folder};
use terrace_testkit::expected_shapes::{Expected, expected, plain};

fn load(path: &Path) -> Result<Program, String> {
    let wrong = |why: String| format!("{}: {why}", path.display());
    quietly(|| Program::from_file(path)).map_err(wrong)?.map_err(|failed| wrong(failed.to_string()))
}

fn succeed(results: Vec<Result<(), String>>) {
    let failures: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{} programs differ\n{}", failures.len(), failures.join("\n\n"));
}

/// Compares a text with a file, or writes the file.
fn compare(path: &Path, text: &str) -> Result<(), String> {
    if std::env::var_os("TERRACE_BLESS").is_some() {
        return std::fs::write(path, text).map_err(|why| format!("{}: {why}", path.display()));
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    if kept == text {
        return Ok(());
    }
    let lines: Vec<&str> = kept.lines().collect();
    let news: Vec<&str> = text.lines().collect();
    let gone = lines.iter().filter(|l| !news.contains(l)).map(|l| format!("- {l}"));
    let come = news.iter().filter(|l| !lines.contains(l)).map(|l| format!("+ {l}"));
    let changes: Vec<String> = gone.chain(come).collect();
    Err(format!("{} says something else (TERRACE_BLESS=1 writes it anew)\n{}", path.display(), changes.join("\n")))
}

/// One function as `terrace shapes` prints it.
#[derive(Default)]
struct Printed {
    signature: String,
    facts: Vec<String>,
    /// The classes of the operators inside other ones.
    inside: Vec<String>,
}

/// The class in an operator's line, if the operator stands inside of another one.
fn class_inside(line: &str) -> Option<String> {
    let classes = ["regular", "position-dependent", "irregular"];
    let mut cells = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
    let class = cells.find(|cell| classes.contains(cell))?;
    (cells.next() != Some("no parallel code is around it")).then(|| class.to_string())
}

fn printed(program: &Program, function: Option<&str>) -> Vec<Printed> {
    let mut all: Vec<Printed> = Vec::new();
    for line in program.shapes_text(function).lines() {
        if let Some(fact) = line.strip_prefix("  where ") {
            all.last_mut().expect("a signature comes first").facts.push(fact.to_string());
        } else if line.starts_with(' ') {
            all.last_mut().expect("a signature comes first").inside.extend(class_inside(line));
        } else if !line.is_empty() {
            all.push(Printed { signature: line.to_string(), ..Printed::default() });
        }
    }
    all
}

/// The kinds of the checks that stay, in the order of the text.
fn remaining(checks: &[CheckFound], function: Option<&str>) -> Vec<String> {
    let stays = checks.iter().filter(|c| c.fate == Fate::Remains && function.is_none_or(|f| c.function == f));
    stays.map(|c| c.kind.to_string()).collect()
}

fn meets(path: &Path, program: &Program, checks: &[CheckFound], want: &Expected) -> Result<(), String> {
    let place = format!("{}:{}: {}", path.display(), want.line, want.function);
    let found = printed(program, Some(&want.function));
    let Some(found) = found.first() else { return Err(format!("{place} was not found")) };
    let mut wrong = Vec::new();
    if let Some(signature) = &want.signature {
        let (plain_want, facts_want) = plain(signature, &want.facts);
        let (plain_found, facts_found) = plain(&found.signature, &found.facts);
        if plain_want != plain_found {
            wrong.push(format!("  expected {signature}\n  found    {}", found.signature));
        }
        for (fact, written) in facts_want.iter().zip(&want.facts) {
            if !facts_found.contains(fact) {
                wrong.push(format!("  expected {written}\n  found    {:?}", found.facts));
            }
        }
    }
    let stay = remaining(checks, Some(&want.function));
    if stay != want.checks {
        wrong.push(format!("  checks expected to stay: {:?}\n  checks that stay:        {stay:?}", want.checks));
    }
    if let Some(inside) = &want.inside
        && *inside != found.inside
    {
        wrong.push(format!("  expected inside: {inside:?}\n  found inside:    {:?}", found.inside));
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{place}\n{}", wrong.join("\n"))) }
}

#[test]
fn signatures_are_as_expected() {
    succeed(side_by_side(&programs("shapes", false), |path| {
        let text = std::fs::read_to_string(path).map_err(|why| why.to_string())?;
        let wanted = expected(&text).map_err(|why| format!("{}: {why}", path.display()))?;
        let program = load(path)?;
        let checks = program.checks();
        let wrong: Vec<String> = wanted.iter().filter_map(|w| meets(path, &program, &checks, w).err()).collect();
        if wanted.is_empty() {
            return Err(format!("{} expects nothing", path.display()));
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    }));
}

#[test]
fn snapshots_have_not_changed() {
    succeed(side_by_side(&programs("shapes", false), |path| {
        compare(&path.with_extension("shapes"), &load(path)?.shapes_text(None))
    }));
}

/// Their own tests hold, on the engine that defines the language.
#[test]
fn the_programs_are_right() {
    succeed(side_by_side(&programs("shapes", false), |path| {
        let engine = load(path)?.engine(Backend::Interp, &Settings::default()).map_err(|failed| failed.to_string())?;
        let failing = engine.run_tests("").into_iter().filter_map(|t| Some(format!("\"{}\": {}", t.name, t.failure?)));
        let failing: Vec<String> = failing.collect();
        if failing.is_empty() { Ok(()) } else { Err(format!("{}: {}", path.display(), failing.join("\n"))) }
    }));
}

/// The lines of a list: `program function…: what is said of them`; `#` starts a comment.
fn list(name: &str) -> Vec<(PathBuf, Vec<String>, String)> {
    let text = std::fs::read_to_string(tests_folder().join("shapes").join(name)).expect("a list");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let parts = lines.map(|line| {
        let (who, what) = line.split_once(": ").expect("`program function…: what`");
        let mut words = who.split(' ');
        let path = tests_folder().join("..").join(words.next().expect("a program")).with_extension("tce");
        (path, words.map(str::to_string).collect(), what.trim().to_string())
    });
    parts.collect()
}

/// A check as a list names it: its kind and what is written there.
fn named(check: &CheckFound) -> String {
    format!("{} `{}`", check.kind, check.text)
}

#[test]
fn named_programs_keep_exactly_their_checks() {
    succeed(side_by_side(&list("named.txt"), |(path, functions, what)| {
        let checks = load(path)?.checks();
        let of = |c: &&CheckFound| functions.is_empty() || functions.contains(&c.function);
        let stay: Vec<&CheckFound> = checks.iter().filter(|c| c.fate == Fate::Remains).filter(of).collect();
        let names: Vec<String> = stay.iter().map(|c| named(c)).collect();
        let found = if names.is_empty() { "none".to_string() } else { names.join(", ") };
        let seen = functions.iter().find(|f| checks.iter().all(|c| c.function != **f));
        if let Some(name) = seen {
            return Err(format!("{}: `{name}` has no checks at all", path.display()));
        }
        let whys: Vec<String> = stay.iter().map(|c| format!("\n  line {}: {}", c.line, c.why)).collect();
        let wrong = format!("{} {functions:?}\n  expected {what}\n  found    {found}{}", path.display(), whys.concat());
        if found == *what { Ok(()) } else { Err(wrong) }
    }));
}

#[test]
fn named_programs_are_as_regular_as_expected() {
    succeed(side_by_side(&list("regular.txt"), |(path, functions, what)| {
        let program = load(path)?;
        let of = |p: &Printed| {
            let name = p.signature.split(['[', '(']).next().unwrap_or_default();
            functions.is_empty() || functions.iter().any(|f| f == name)
        };
        let inside: Vec<String> = printed(&program, None).into_iter().filter(of).flat_map(|p| p.inside).collect();
        let has = |class: &str| inside.iter().any(|c| c == class);
        let right = match what.as_str() {
            "regular" => !inside.is_empty() && !has("irregular") && !has("position-dependent"),
            "position-dependent" => has("position-dependent") && !has("irregular"),
            "irregular" => has("irregular"),
            other => return Err(format!("`{other}` is no class")),
        };
        let shown = program.shapes_text(None);
        if right { Ok(()) } else { Err(format!("{} {functions:?}: expected {what}\n{shown}", path.display())) }
    }));
}

#[test]
fn the_table_of_the_corpus_has_not_changed() {
    let paths = programs_below("corpus");
    let loaded = side_by_side(&paths, |path| Ok::<_, String>((path.clone(), load(path)?.checks())));
    let mut kinds: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut rows = String::new();
    for result in loaded {
        let (path, checks) = result.expect("a program of the corpus");
        let mut counts = [0; 3];
        for check in &checks {
            let column = Fate::ALL.iter().position(|fate| *fate == check.fate).expect("one of all");
            counts[column] += 1;
            kinds.entry(check.kind).or_default()[column] += 1;
        }
        if counts != [0; 3] {
            let name = terrace_testkit::corpus::short_name(&path);
            let _ = writeln!(rows, "{name:<40} {:>6} {:>8} {:>9}", counts[0], counts[1], counts[2]);
        }
    }
    let mut text =
        "# Checks of the corpus: proved, tested when an entry is called, tested where they stand.\n\n".to_string();
    let _ = writeln!(text, "{:<40} proved at entry remaining", "kind");
    for (kind, counts) in &kinds {
        let _ = writeln!(text, "{kind:<40} {:>6} {:>8} {:>9}", counts[0], counts[1], counts[2]);
    }
    let total = |k: usize| kinds.values().map(|c| c[k]).sum::<usize>();
    let _ = writeln!(text, "{:<40} {:>6} {:>8} {:>9}\n", "all", total(0), total(1), total(2));
    let _ = writeln!(text, "{:<40} proved at entry remaining\n{}", "program", rows.trim_end());
    succeed(vec![compare(&tests_folder().join("shapes/corpus.txt"), &text)]);
}
