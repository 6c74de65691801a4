//! `terrace shapes` and `terrace check --stats`: what is known about sizes, and what it saves.
//!
//! ```text
//! $ terrace check --stats --list examples/spmv.tce
//! examples/spmv.tce: 1 check: 0 proved, 0 at entry, 1 remaining
//!
//!   kind   proved  at entry  remaining
//!   index       0         0          1
//!
//! remains
//!   examples/spmv.tce:3:13  index  v[j]
//!     nothing says that `j`, read from `rows`, is at least 0 and below the length of `v`
//! ```
//!
//! A file that cannot be read or is wrong is reported as by `check`, and left out of the counts.

use crate::arguments::Listed;
use crate::commands::{files_of, load};
use crate::output::{Messenger, Verdict, error, print};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use terrace::{Backend, CheckFound, Failed, Fate, Program, Settings, quoted};

/// Lines are broken so that they are not longer.
const WIDTH: usize = 100;

pub(crate) fn shapes(
    paths: &[PathBuf],
    function: Option<&str>,
    versions: Option<Backend>,
    messenger: Messenger,
) -> Result<Verdict, Failed> {
    let Some(files) = files_of(paths) else { return Ok(Verdict::Usage) };
    let (programs, good) = load_all(&files, messenger);
    if let Some(name) = function
        && good
        && !programs.iter().any(|(_, p)| p.function_names().iter().any(|n| n == name))
    {
        let mut names: Vec<String> = programs.iter().flat_map(|(_, p)| p.function_names()).collect();
        names.sort();
        names.dedup();
        let have =
            if names.is_empty() { "there is none".to_string() } else { format!("there are {}", names.join(", ")) };
        error(&format!("there is no function `{name}`; {have}\n"));
        return Ok(Verdict::Usage);
    }
    let mut parts = Vec::new();
    for (file, program) in &programs {
        if messenger.is_json() {
            let found = program.shapes_json(function);
            parts.push(format!("{{\"file\": {}, \"functions\": {}}}", name_of(file), found.trim_end()));
        } else {
            let mut found = program.shapes_text(function);
            if let Some(backend) = versions {
                found += &program.missing_versions(backend, &Settings::default())?;
            }
            match files.len() {
                1 => parts.push(found),
                _ if found.is_empty() => {}
                _ => parts.push(format!("──── {} ────\n{found}", file.display())),
            }
        }
    }
    match messenger.is_json() {
        true => print(&format!("[{}]\n", parts.join(",\n "))),
        false => print(&parts.join("\n")),
    }
    Ok(Verdict::of(good))
}

pub(crate) fn check_stats(paths: &[PathBuf], list: Option<Listed>, messenger: Messenger) -> Result<Verdict, Failed> {
    let Some(files) = files_of(paths) else { return Ok(Verdict::Usage) };
    let (programs, good) = load_all(&files, messenger);
    let found: Vec<(&Path, Vec<CheckFound>)> = programs.iter().map(|(f, p)| (f.as_path(), p.checks())).collect();
    print(&if messenger.is_json() { json(&found) } else { text(&found, list) });
    Ok(Verdict::of(good))
}

fn load_all(files: &[PathBuf], messenger: Messenger) -> (Vec<(PathBuf, Program)>, bool) {
    let mut programs = Vec::new();
    for file in files {
        match load(file, messenger) {
            Ok(program) => programs.push((file.clone(), program)),
            Err(failed) => messenger.failed(&failed),
        }
    }
    let good = programs.len() == files.len();
    (programs, good)
}

fn name_of(file: &Path) -> String {
    quoted(&file.display().to_string())
}

/// How many checks there are of each fate.
type Counts = [usize; Fate::ALL.len()];

fn count<'a>(checks: impl Iterator<Item = &'a CheckFound>) -> Counts {
    let mut counts = Counts::default();
    checks.for_each(|c| counts[c.fate as usize] += 1);
    counts
}

fn kinds(found: &[(&Path, Vec<CheckFound>)]) -> BTreeMap<&'static str, Counts> {
    let mut kinds: BTreeMap<&'static str, Counts> = BTreeMap::new();
    for check in found.iter().flat_map(|(_, checks)| checks) {
        kinds.entry(check.kind).or_default()[check.fate as usize] += 1;
    }
    kinds
}

fn text(found: &[(&Path, Vec<CheckFound>)], list: Option<Listed>) -> String {
    let mut out = String::new();
    let total = count(found.iter().flat_map(|(_, checks)| checks));
    match found {
        [] => return out,
        [(file, _)] => {
            let _ = writeln!(out, "{}: {}", file.display(), sentence(total));
        }
        several => {
            let rows = several.iter().map(|(file, checks)| (file.display().to_string(), count(checks.iter())));
            let rows: Vec<(String, Counts)> = rows.chain([("total".to_string(), total)]).collect();
            out += &table("file", &rows);
        }
    }
    let kinds = kinds(found);
    if !kinds.is_empty() {
        out += "\n";
        out += &table("kind", &kinds.into_iter().map(|(kind, counts)| (kind.to_string(), counts)).collect::<Vec<_>>());
    }
    let Some(list) = list else { return out };
    for fate in [Fate::Remains, Fate::AtEntry, Fate::Proved] {
        let wanted = fate == Fate::Remains || list == Listed::All;
        let all = found.iter().flat_map(|(_, checks)| checks).filter(|c| wanted && c.fate == fate);
        let listed: String = all.map(one).collect();
        if !listed.is_empty() {
            let _ = write!(out, "\n{}\n{listed}", fate.word());
        }
    }
    out
}

fn sentence(counts: Counts) -> String {
    let all: usize = counts.iter().sum();
    let [proved, at_entry, remain] = counts;
    match all {
        0 => "no checks".to_string(),
        1 => format!("1 check: {proved} proved, {at_entry} at entry, {remain} remaining"),
        _ => format!("{all} checks: {proved} proved, {at_entry} at entry, {remain} remaining"),
    }
}

fn table(head: &str, rows: &[(String, Counts)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(head.len());
    let mut out = format!("  {head:<width$}  proved  at entry  remaining\n");
    for (name, [proved, at_entry, remain]) in rows {
        let _ = writeln!(out, "  {name:<width$}  {proved:>6}  {at_entry:>8}  {remain:>9}");
    }
    out
}

/// A check and its reason, on lines of their own.
fn one(check: &CheckFound) -> String {
    let mut out = format!("  {}:{}:{}  {}  ", check.file, check.line, check.column, check.kind);
    let room = WIDTH.saturating_sub(out.chars().count()).max(20);
    match check.text.chars().count() > room {
        true => out.extend(check.text.chars().take(room - 1).chain(['…'])),
        false => out += &check.text,
    }
    out += "\n";
    for line in broken(&check.why, WIDTH - 4) {
        let _ = writeln!(out, "    {line}");
    }
    out
}

/// A text in lines of at most this many characters, where its words allow it.
fn broken(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

fn json(found: &[(&Path, Vec<CheckFound>)]) -> String {
    let numbers = |[proved, at_entry, remain]: Counts| {
        format!("{{\"proved\": {proved}, \"at_entry\": {at_entry}, \"remaining\": {remain}}}")
    };
    let check = |c: &CheckFound| {
        let (file, function, text, why) = (quoted(&c.file), quoted(&c.function), quoted(&c.text), quoted(&c.why));
        format!(
            "    {{\"kind\": \"{}\", \"fate\": \"{}\", \"file\": {file}, \"line\": {}, \"column\": {}, \
             \"function\": {function}, \"text\": {text}, \"why\": {why}}}",
            c.kind,
            c.fate.word(),
            c.line,
            c.column
        )
    };
    let files = found.iter().map(|(file, checks)| {
        let list: Vec<String> = checks.iter().map(check).collect();
        let list = if list.is_empty() { String::new() } else { format!("\n{}\n  ", list.join(",\n")) };
        format!(
            "  {{\"file\": {}, \"counts\": {}, \"checks\": [{list}]}}",
            name_of(file),
            numbers(count(checks.iter()))
        )
    });
    let files = files.collect::<Vec<_>>().join(",\n");
    let files = if files.is_empty() { String::new() } else { format!("\n{files}\n ") };
    let kinds = kinds(found).into_iter().map(|(kind, counts)| format!("  \"{kind}\": {}", numbers(counts)));
    let kinds = kinds.collect::<Vec<_>>().join(",\n");
    let kinds = if kinds.is_empty() { String::new() } else { format!("\n{kinds}\n ") };
    let total = numbers(count(found.iter().flat_map(|(_, checks)| checks)));
    format!("{{\"files\": [{files}],\n \"kinds\": {{{kinds}}},\n \"total\": {total}}}\n")
}
