//! Programs that an engine once got wrong, kept as the shrinker left them.
//!
//! ```text
//! tests/found/row_of_empty_rows.tce    -- run: main_17([[1], []], 2)     what is called; several lines are several calls
//!                                      -- loose                          engines may meet the error with other values
//! ```
//!
//! The interpreter says what is right; every setup must say the same. Tests in the file must hold too.

use crate::answer::{Answer, call, engine, quietly};
use crate::corpus::run_file;
use crate::random::agree;
use crate::reference;
use crate::setup::Setup;
use std::path::Path;
use terrace::{Backend, Data, Program};

/// What a file gives under some setups that it should not.
pub fn check(path: &Path, setups: &[Setup]) -> Vec<String> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let told = |why: String| vec![format!("{name}: {why}")];
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(why) => return told(why.to_string()),
    };
    let program = match quietly(|| Program::from_text(&name, &text)) {
        Ok(Ok(program)) => program,
        Ok(Err(failed)) => return told(failed.to_string()),
        Err(panic) => return told(panic),
    };
    let calls = match calls(&program, &text) {
        Ok(calls) => calls,
        Err(why) => return told(why),
    };
    let tests = text.lines().any(|line| line.starts_with("test "));
    if !tests && calls.is_empty() {
        return told("neither a test nor a `-- run:` line".to_string());
    }
    let mut wrong: Vec<String> = compare(&program, &text, &calls, setups).into_iter().flat_map(told).collect();
    if tests {
        wrong.extend(setups.iter().flat_map(|setup| run_file(path, setup).failures));
    }
    wrong
}

type Call = (String, Vec<Data>);

fn calls(program: &Program, text: &str) -> Result<Vec<Call>, String> {
    let lines: String =
        text.lines().filter_map(|l| Some(format!("{} ! T0900\n", l.strip_prefix("-- run: ")?))).collect();
    let ready = |case: reference::Case| {
        let args = case.args.iter().enumerate().map(|(k, arg)| program.argument(&case.entry, k, arg));
        Ok((case.entry.clone(), args.collect::<Result<Vec<Data>, _>>().map_err(|failed| failed.to_string())?))
    };
    reference::parse(&lines)?.into_iter().map(ready).collect()
}

fn compare(program: &Program, text: &str, calls: &[Call], setups: &[Setup]) -> Vec<String> {
    let loose = text.lines().any(|line| line == "-- loose");
    let answers = |setup: &Setup| -> Result<Vec<Answer>, String> {
        let engine = engine(program, setup)?;
        Ok(calls.iter().map(|(entry, args)| call(&engine, entry, args, text)).collect())
    };
    let wanted = match answers(&Setup::new(Backend::Interp)) {
        Ok(wanted) => wanted,
        Err(why) => return vec![why],
    };
    let mut wrong = Vec::new();
    for setup in setups {
        match answers(setup) {
            Ok(found) => {
                let differ = wanted.iter().zip(&found).filter(|(w, f)| !agree(w, f, loose));
                wrong.extend(differ.map(|(w, f)| format!("on {setup}\n  interp {w}\n  found  {f}")));
            }
            Err(why) => wrong.push(format!("on {setup}: {why}")),
        }
    }
    wrong
}
