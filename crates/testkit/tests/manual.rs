//! Every example in `docs` is true, those in tables too, and every function that programs have without importing anything has one.

use std::path::{Path, PathBuf};
use terrace_testkit::manual::{blocks, run, run_tables};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages(folder: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("a readable folder").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "md"));
    paths.sort();
    let name = |p: &Path| format!("{folder}/{}", p.file_name().expect("a file").to_string_lossy());
    paths.iter().map(|p| (name(p), std::fs::read_to_string(p).expect("a text"))).collect()
}

/// Runs the examples of a folder, of which there must be so many.
fn check(folder: &str, least: usize) {
    let (mut count, mut wrong) = (0, Vec::new());
    for (name, text) in pages(folder) {
        for block in blocks(&text) {
            count += usize::from(block.info.starts_with("terrace"));
            wrong.extend(run(&name, &block).err());
        }
        let (rows, wrong_rows) = run_tables(&name, &text);
        count += rows;
        wrong.extend(wrong_rows);
    }
    assert!(count >= least, "{folder}: only {count} examples were found");
    assert!(wrong.is_empty(), "{} examples do not hold\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_example_of_the_manual_holds() {
    check("docs/reference", 50);
}

#[test]
fn every_example_of_the_tour_holds() {
    check("docs/tour", 25);
}

#[test]
fn every_comparison_holds() {
    check("docs/howto", 120);
}

#[test]
fn every_program_of_the_stages_is_right() {
    check("docs/stages", 2);
}

/// Names that are defined in the prelude or built in.
fn given_names() -> Vec<String> {
    let prelude = std::fs::read_to_string(root().join("lib/prelude.tce")).expect("the prelude");
    let defined = prelude.lines().filter_map(|line| line.strip_prefix("def "));
    let defined =
        defined.map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or(rest).to_string());
    let built_in = terrace_frontend::builtin_names().map(str::to_string);
    defined.chain(built_in).collect()
}

#[test]
fn every_function_has_an_example() {
    let page = std::fs::read_to_string(root().join("docs/reference/prelude.md")).expect("the page of the prelude");
    let examples: String =
        blocks(&page).into_iter().filter(|b| b.info.starts_with("terrace")).map(|b| b.text).collect();
    let uses = |name: &str| examples.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
    let missing: Vec<String> = given_names().into_iter().filter(|n| !n.starts_with('_') && !uses(n)).collect();
    assert!(missing.is_empty(), "no example in docs/reference/prelude.md: {}", missing.join(", "));
}
