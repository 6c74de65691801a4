//! Files with `test` blocks, run under a setup.
//!
//! ```text
//! tests/spine/spmv.tce   c mix:1 tiny   8 tests hold
//!                                       "no rows": error[T0999] …
//! ```
//!
//! A file whose name starts with `large_` has inputs of a million elements or as many steps; it is run where a run of that
//! size is quick. A file that does not compile is a failure of all its tests.

use crate::answer::{engine, quietly};
use crate::setup::Setup;
use std::path::{Path, PathBuf};
use terrace::Program;

/// What came of a file.
#[derive(Debug, Default)]
pub struct Report {
    /// How many tests held.
    pub passed: usize,
    /// What went wrong, each with the file, the setup and the test.
    pub failures: Vec<String>,
}

impl Report {
    /// Takes in what came of another file.
    pub fn add(&mut self, other: Report) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
    }

    /// Panics with all failures, if there are any, or if nothing was tested.
    pub fn expect_success(&self) {
        assert!(self.failures.is_empty(), "{} failures:\n{}", self.failures.len(), self.failures.join("\n"));
        assert!(self.passed > 0, "no test ran");
    }
}

/// The folder of tests: at the root of the repository, or where `TERRACE_TESTS` says, for a machine that has only the built
/// test programs.
pub fn tests_folder() -> PathBuf {
    match std::env::var_os("TERRACE_TESTS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests"),
    }
}

/// The programs of a folder under `tests`, sorted by name, `large_` ones only if asked for.
pub fn programs(folder: &str, large: bool) -> Vec<PathBuf> {
    let folder = tests_folder().join(folder);
    let entries = std::fs::read_dir(&folder).map(|list| list.filter_map(|e| Some(e.ok()?.path())).collect());
    let mut paths: Vec<PathBuf> = entries.unwrap_or_default();
    let name = |p: &Path| p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    paths.retain(|p| name(p).ends_with(".tce") && name(p).starts_with("large_") == large);
    paths.sort();
    paths
}

/// Runs the tests of a file under a setup.
pub fn run_file(path: &Path, setup: &Setup) -> Report {
    let mut report = Report::default();
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut fail = |what: &str| report.failures.push(format!("{name} on {setup}: {what}"));
    let program = match quietly(|| Program::from_file(path)) {
        Ok(Ok(program)) => program,
        Ok(Err(failed)) => {
            fail(&failed.to_string());
            return report;
        }
        Err(panic) => {
            fail(&panic);
            return report;
        }
    };
    let engine = match engine(&program, setup) {
        Ok(engine) => engine,
        Err(why) => {
            fail(&why);
            return report;
        }
    };
    match quietly(|| engine.run_tests("")) {
        Ok(outcomes) => {
            for outcome in outcomes {
                match outcome.failure {
                    None => report.passed += 1,
                    Some(why) => report.failures.push(format!("{name} on {setup}, \"{}\": {why}", outcome.name)),
                }
            }
        }
        Err(panic) => report.failures.push(format!("{name} on {setup}: {panic}")),
    }
    report
}

/// Runs the tests of many files under many setups.
pub fn run_files(paths: &[PathBuf], setups: &[Setup]) -> Report {
    let mut report = Report::default();
    for path in paths {
        for setup in setups {
            report.add(run_file(path, setup));
        }
    }
    report
}
