//! What comes of a program of the corpus on an engine: its tests and its cases hold, it is declined, or something is wrong.
//!
//! ```text
//! arrays/rotate on cuda flat tiny      Holds(14)
//! papers/lu     on opencl auto         Wrong("2 of 9 fail …")
//! ```

use crate::answer::quietly;
use crate::corpus::short_name;
use crate::reference::{self, Ready, check};
use crate::setup::Setup;
use std::path::Path;
use terrace::Program;

/// A program with its cases as values.
pub struct Prepared {
    /// Its path below the corpus.
    pub name: String,
    /// The program.
    pub program: Program,
    /// Calls, and what they give.
    pub cases: Vec<Ready>,
}

/// Reads a program and the reference file beside it.
pub fn prepare(path: &Path) -> Result<Prepared, String> {
    let name = short_name(path);
    let wrong = |why: String| format!("{name}: {why}");
    let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    let program = quietly(|| Program::from_file(path)).map_err(wrong)?.map_err(|failed| wrong(failed.to_string()))?;
    let cases = match std::fs::read_to_string(path.with_extension("ref")) {
        Ok(lines) => reference::parse(&lines).and_then(|cases| reference::prepare(path, &text, &program, &cases)),
        Err(_) if program.entries().is_empty() => Ok(Vec::new()),
        Err(why) => Err(format!("no reference file beside it: {why}")),
    };
    Ok(Prepared { cases: cases.map_err(wrong)?, program, name })
}

/// What came of a program on an engine.
pub enum Outcome {
    /// So many tests and cases hold.
    Holds(usize),
    /// It is beyond a stated limit of the back end.
    Declined,
    /// Something does not hold.
    Wrong(String),
}

/// Runs the tests and the cases of a program.
pub fn run(prepared: &Prepared, setup: &Setup) -> Outcome {
    let wrong = |why: String| Outcome::Wrong(format!("{} on {setup}: {why}", prepared.name));
    let engine = match quietly(|| prepared.program.engine(setup.backend, &setup.settings)) {
        Ok(Ok(engine)) => engine,
        Ok(Err(failed)) if reference::code_of(&failed) == Some("T0801") => return Outcome::Declined,
        Ok(Err(failed)) => return wrong(failed.to_string()),
        Err(panic) => return wrong(panic),
    };
    let tests = match quietly(|| engine.run_tests("")) {
        Ok(tests) => tests,
        Err(panic) => return wrong(panic),
    };
    let failing = tests.iter().filter_map(|t| Some(format!("\"{}\": {}", t.name, t.failure.as_ref()?)));
    let mut failures: Vec<String> = failing.collect();
    failures.extend(prepared.cases.iter().filter_map(|case| check(&engine, case).err()));
    match failures.as_slice() {
        [] => Outcome::Holds(tests.len() + prepared.cases.len()),
        // One program with a wrong operator fails everywhere: a few lines say enough.
        [first, ..] => wrong(format!("{} of {} fail\n{first}", failures.len(), tests.len() + prepared.cases.len())),
    }
}
