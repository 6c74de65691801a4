//! Every program in the repository, there and back: Core and Mem through their text, source through the formatter.
//!
//! ```text
//! Core ─print─▶ text ─parse─▶ Core ─print─▶ the same text, and the rules of Core hold
//! source ─format─▶ source ─format─▶ the same source, and the same Core
//! ```

use std::path::{Path, PathBuf};
use terrace_base::SourceMap;
use terrace_ir::core::parse::parse;
use terrace_ir::core::print;
use terrace_ir::core::verify::verify;
use terrace_testkit::corpus::{programs_below, tests_folder};

fn programs() -> Vec<PathBuf> {
    let of = |folder: &str| programs_below(folder);
    let all = ["corpus", "spine", "semantics", "prelude", "failures", "../examples", "../lib"];
    all.into_iter().flat_map(of).collect()
}

/// The Core of a text, as text (a NaN is not equal to itself); imports are looked for beside the file. Programs that are meant to be refused have none.
fn core(path: &Path, text: &str) -> Option<String> {
    let mut sources = SourceMap::new();
    let file = sources.add(path.display().to_string(), text);
    let program = terrace_frontend::compile_file(&mut sources, file, &|path| std::fs::read(path)).ok()?.program;
    Some(print::print(&program))
}

fn name(path: &Path) -> String {
    path.strip_prefix(tests_folder()).unwrap_or(path).display().to_string()
}

#[test]
fn core_prints_and_parses_back() {
    let (mut count, mut wrong) = (0, Vec::new());
    for path in programs() {
        let text = std::fs::read_to_string(&path).expect("a readable program");
        let Some(printed) = core(&path, &text) else { continue };
        count += 1;
        match parse(&printed) {
            Ok(again) if print::print(&again) == printed && verify(&again).is_ok() => {}
            Ok(_) => wrong.push(format!("{}: another program came back", name(&path))),
            Err(why) => wrong.push(format!("{}: {why}", name(&path))),
        }
    }
    assert!(count > 300, "only {count} programs");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mem_prints_and_parses_back() {
    let (mut count, mut wrong) = (0, Vec::new());
    for path in ["corpus/updates", "corpus/papers", "spine"].into_iter().flat_map(programs_below) {
        let Ok(program) = terrace::Program::from_file(&path) else { continue };
        let shown = program.show(terrace::Stage::Mem, terrace::Backend::C, &terrace::Settings::default());
        let Ok(printed) = shown else { continue };
        count += 1;
        match terrace_ir::flat::parse::parse::<terrace_ir::mem::Annotation>(&printed) {
            Ok(again) if terrace_ir::flat::print::print(&again) == printed => {
                match terrace_ir::mem::verify::verify(&again) {
                    Ok(()) => {}
                    Err(rule) => wrong.push(format!("{}: {rule}", name(&path))),
                }
            }
            Ok(_) => wrong.push(format!("{}: another program came back", name(&path))),
            Err(why) => wrong.push(format!("{}: {why}", name(&path))),
        }
    }
    assert!(count > 40, "only {count} programs");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn formatting_is_stable_and_keeps_the_meaning() {
    let (mut count, mut wrong) = (0, Vec::new());
    for path in programs() {
        let text = std::fs::read_to_string(&path).expect("a readable program");
        let Ok(formatted) = terrace::format("program", &text) else { continue };
        count += 1;
        if terrace::format("formatted", &formatted).ok().as_ref() != Some(&formatted) {
            wrong.push(format!("{}: formatting again changes it", name(&path)));
        }
        let comments = |text: &str| text.matches("--").count();
        if comments(&text) != comments(&formatted) {
            wrong.push(format!("{}: a comment was lost", name(&path)));
        }
        if core(&path, &text) != core(&path, &formatted) {
            wrong.push(format!("{}: formatted it means something else", name(&path)));
        }
    }
    assert!(count > 300, "only {count} programs");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs that people read to learn from have the one layout.
#[test]
fn programs_are_formatted() {
    let folders = ["corpus", "library", "prelude", "spine", "../examples", "../lib"];
    let mut wrong = Vec::new();
    for path in folders.into_iter().flat_map(programs_below) {
        let text = std::fs::read_to_string(&path).expect("a readable program");
        if terrace::format("program", &text).ok().as_ref() != Some(&text) {
            wrong.push(name(&path));
        }
    }
    assert!(wrong.is_empty(), "`terrace fmt` changes\n{}", wrong.join("\n"));
}
