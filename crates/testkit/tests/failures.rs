//! Programs that stop while they run, and what they say.
//!
//! ```text
//! tests/failures/index_in_rows.tce    -- run: pick([[1, 2], [3]], 1)     the first line says what is called
//! tests/failures/index_in_rows.txt    the message as a person sees it
//! ```
//!
//! A second line `-- limit: 1000 steps` or `-- limit: 1000 elements` lowers a limit. `TERRACE_BLESS=1` writes the messages anew; read what changed: somebody who has
//! never seen the language must understand what is wrong, where, and what to do.

use std::path::Path;
use terrace::{Backend, Data, Failed, Program, Settings};
use terrace_testkit::corpus::{programs_below, side_by_side};
use terrace_testkit::reference;

fn settings(text: &str) -> Settings {
    let mut settings = Settings::default();
    if let Some(limit) = text.lines().find_map(|line| line.strip_prefix("-- limit: ")) {
        let (number, what) = limit.split_once(' ').expect("`-- limit: number what`");
        match what {
            "steps" => settings.step_limit = number.parse().expect("a number of steps"),
            "elements" => settings.element_limit = number.parse().expect("a number of elements"),
            _ => panic!("a limit on steps or elements, not on {what}"),
        }
    }
    settings
}

/// The message of a program, or why there is none.
fn message(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let call = text.lines().next().and_then(|line| line.strip_prefix("-- run: ")).ok_or("no `-- run:` line")?;
    let case = reference::parse(&format!("{call} ! T0900"))?.remove(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let words = |failed: Failed| failed.to_string();
    let program = Program::from_text(&name, &text).map_err(words)?;
    let args = case.args.iter().enumerate().map(|(k, arg)| program.argument(&case.entry, k, arg));
    let args: Vec<Data> = args.collect::<Result<_, _>>().map_err(words)?;
    let engine = program.engine(Backend::Interp, &settings(&text)).map_err(words)?;
    match engine.call(&case.entry, args) {
        Ok(_) => Err("it does not fail".to_string()),
        Err(failed) => Ok(failed.to_string()),
    }
}

fn check(path: &Path) -> Result<(), String> {
    let kept = path.with_extension("txt");
    let found = message(path).map_err(|why| format!("{}: {why}", path.display()))?;
    if std::env::var_os("TERRACE_BLESS").is_some() {
        return std::fs::write(&kept, found).map_err(|e| e.to_string());
    }
    let wanted = std::fs::read_to_string(&kept).map_err(|e| format!("{}: {e}", kept.display()))?;
    if wanted == found { Ok(()) } else { Err(format!("{}\n--- kept\n{wanted}\n--- now\n{found}", path.display())) }
}

#[test]
fn failures_say_what_is_kept() {
    let paths = programs_below("failures");
    let failures: Vec<String> = side_by_side(&paths, |path| check(path)).into_iter().filter_map(Result::err).collect();
    assert!(paths.len() >= 60, "{} programs", paths.len());
    assert!(failures.is_empty(), "{} messages differ\n{}", failures.len(), failures.join("\n\n"));
}

/// Every code of a run-time error that a program can cause has a message here.
#[test]
fn every_code_is_shown() {
    let codes: Vec<String> = (901..=918).filter(|code| *code != 910).map(|code| format!("[T0{code}]")).collect();
    let texts = programs_below("failures").into_iter();
    let texts: Vec<String> =
        texts.map(|p| std::fs::read_to_string(p.with_extension("txt")).unwrap_or_default()).collect();
    let missing: Vec<&String> = codes.iter().filter(|code| !texts.iter().any(|t| t.contains(*code))).collect();
    assert!(missing.is_empty(), "no program fails with {missing:?}");
}
