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
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// Which of so many parts of the corpus it is the turn of: another one every day, or the one that `TERRACE_TURN` says.
pub fn turn(parts: usize) -> usize {
    let days = || std::time::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_secs() as usize / 86_400);
    std::env::var("TERRACE_TURN").ok().and_then(|t| t.parse().ok()).unwrap_or_else(days) % parts
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

/// All programs below a folder under `tests`, sorted by path.
pub fn programs_below(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![tests_folder().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(list) = std::fs::read_dir(&folder) else { continue };
        for path in list.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "tce") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What a path is called in reports: `arrays/rotate` for `tests/corpus/arrays/rotate.tce`.
pub fn short_name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    format!("{folder}/{}", path.file_stem().unwrap_or_default().to_string_lossy())
}

/// Works on many things with as many threads as there are cores; results keep the order.
pub fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(2, usize::from).clamp(1, 8);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((k, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|k| Some((k, items.get(k)?)))
                {
                    let result = work(item);
                    results.lock().expect("no thread panics while it holds the lock").push((k, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics while it holds the lock");
    results.sort_by_key(|(k, _)| *k);
    results.into_iter().map(|(_, result)| result).collect()
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
