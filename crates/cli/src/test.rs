//! `terrace test`: the tests of many files, as many files at once as the machine has cores.
//!
//! ```text
//! files in order ─▶ workers take the next one: load, compile, run ─▶ what is said, in the order of the files
//! ```
//!
//! Most of the time goes into compilers, the C compiler above all, and those know nothing of each other. What a file's tests say is held
//! back until the files before it have spoken, so the output of two runs is the same. Ctrl-C ends the run after what is under way.

use crate::arguments::How;
use crate::commands::{engine, files_of, runs_interpreted};
use crate::output::{Messenger, Verdict, error, print};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use terrace::{Backend, Failed, Program, Settings, TestOutcome};

/// What is to be done with each file.
struct Task<'a> {
    filter: &'a str,
    settings: &'a Settings,
    how: &'a How,
    /// Whether the interpreter runs, because it was asked something only it knows.
    interpreted: bool,
}

/// What came of a file.
struct Report {
    program: Option<Program>,
    ran: Result<Ran, Failed>,
}

struct Ran {
    outcomes: Vec<TestOutcome>,
    /// Why the interpreter ran, where nobody asked for it.
    interpreted: Option<String>,
    /// Why the kernels could not be kept.
    not_kept: Option<String>,
}

impl Task<'_> {
    fn file(&self, path: &Path) -> Report {
        let program = match Program::from_file(path) {
            Ok(program) => program,
            Err(broken) => return Report { program: None, ran: Err(broken) },
        };
        let made = match self.interpreted {
            true => program.engine(Backend::Interp, self.settings).map(|e| (e, None)),
            false => engine(&program, self.how, self.settings),
        };
        let ran = made.map(|(engine, interpreted)| {
            let outcomes = engine.run_tests(self.filter);
            Ran { outcomes, interpreted, not_kept: engine.remark() }
        });
        Report { program: Some(program), ran }
    }

    /// Gives the report of every file to `take`, in order; where that says no, what has not begun is left.
    fn all(&self, files: &[PathBuf], mut take: impl FnMut(&Path, Report) -> bool) {
        let next = AtomicUsize::new(0);
        let (send, reports) = mpsc::channel();
        let workers = std::thread::available_parallelism().map_or(1, usize::from).min(files.len());
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || {
                    while let Some((k, file)) =
                        Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|k| Some((k, files.get(k)?)))
                    {
                        if send.send((k, self.file(file))).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(send);
            let mut early = BTreeMap::new();
            let mut spoken = 0;
            for (k, report) in reports {
                early.insert(k, report);
                while let Some(report) = early.remove(&spoken) {
                    if !take(&files[spoken], report) {
                        next.store(files.len(), Ordering::Relaxed);
                        return;
                    }
                    spoken += 1;
                }
            }
        });
    }
}

pub(crate) fn test(
    paths: &[PathBuf],
    filter: &str,
    laws: bool,
    verify: bool,
    messenger: Messenger,
    how: &How,
) -> Result<Verdict, Failed> {
    let Some(files) = files_of(paths) else { return Ok(Verdict::Usage) };
    if (laws && !runs_interpreted("--laws", "samples", how))
        || (verify && !runs_interpreted("--verify", "compares", how))
    {
        return Ok(Verdict::Usage);
    }
    let settings = Settings { laws, verify_shapes: verify, ..how.settings()? };
    let task = Task { filter, settings: &settings, how, interpreted: laws || verify };
    let (mut passed, mut failed, mut interpreted, mut not_kept) = (0, 0, Vec::new(), None);
    let mut stopped = None;
    task.all(&files, |file, report| {
        if let Some(program) = &report.program {
            messenger.warnings(program);
        }
        let ran = match report.ran {
            Ok(ran) => ran,
            Err(broken) => {
                messenger.failed(&broken);
                print(&format!("{}: could not be run\n", file.display()));
                failed += 1;
                return true;
            }
        };
        interpreted.extend(ran.interpreted);
        not_kept = not_kept.take().or(ran.not_kept);
        for outcome in ran.outcomes {
            match outcome.failure {
                None => passed += 1,
                Some(why) if why.is_stop() => {
                    stopped = Some(why);
                    return false;
                }
                Some(why) => {
                    failed += 1;
                    print(&format!("{}: \"{}\" failed\n", file.display(), outcome.name));
                    messenger.failed(&why);
                }
            }
        }
        true
    });
    if let Some(why) = stopped {
        return Err(why);
    }
    if let Some(why) = not_kept {
        error(&format!("note: {why}\n"));
    }
    if let Some(why) = interpreted.first() {
        let (n, all) = (interpreted.len(), files.len());
        let s = if all == 1 { "" } else { "s" };
        error(&format!("note: {n} of {all} file{s} ran in the interpreter: {why}\n"));
    }
    print(&format!("{passed} passed, {failed} failed\n"));
    Ok(Verdict::of(failed == 0))
}
