//! Fuzzing: inputs that nobody would write must give a message or a value, never a panic and never a hang.
//!
//! ```text
//! seeds ─▶ pool ─▶ change one at random ─▶ run ─▶ a fingerprint that was never seen? into the pool
//!                                           └──▶ a panic, or no end? a finding: the input is kept
//! ```
//!
//! There is no coverage instrumentation on the stable toolchain. The fingerprint stands in for it: which messages came, how many, and what was
//! read. An input that makes the program do something new is worth changing further. Source text is changed by words as well
//! as by bytes, so that most mutants get past the lexer.

mod change;
mod targets;

pub use targets::{Target, targets};

use crate::random::generate::Random;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// An input that should not be possible.
#[derive(Debug)]
pub struct Finding {
    /// The input.
    pub input: Vec<u8>,
    /// What happened.
    pub what: String,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Inputs tried.
    pub inputs: u64,
    /// Inputs that did something new.
    pub kept: usize,
    /// Distinct fingerprints.
    pub behaviours: usize,
}

/// No input may take longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The pool never grows beyond this: old inputs make room.
const POOL: usize = 4000;

/// Tries inputs until the time is over or something is found.
pub fn fuzz(target: &'static Target, time: Duration, seed: u64) -> (Progress, Option<Finding>) {
    let mut random = Random::new(seed);
    let mut pool = (target.seeds)();
    if pool.is_empty() {
        pool.push(Vec::new());
    }
    let words = change::words(&pool);
    let mut seen = BTreeSet::new();
    let mut progress = Progress::default();
    for input in pool.clone() {
        match attempt(target, input) {
            Ok(print) => seen.insert(print),
            Err(finding) => return (progress, Some(finding)),
        };
    }
    let end = Instant::now() + time;
    while Instant::now() < end {
        let input = change::changed(&pool, &words, target.is_text, &mut random);
        progress.inputs += 1;
        match attempt(target, input.clone()) {
            Ok(print) if seen.insert(print) => {
                progress.kept += 1;
                if pool.len() < POOL {
                    pool.push(input);
                } else {
                    let at = random.below(POOL);
                    pool[at] = input;
                }
            }
            Ok(_) => {}
            Err(finding) => return (progress, Some(finding)),
        }
        progress.behaviours = seen.len();
    }
    (progress, None)
}

/// Runs one input, with a watch on the clock.
pub fn attempt(target: &'static Target, input: Vec<u8>) -> Result<u64, Finding> {
    let (send, receive) = channel();
    let copy = input.clone();
    // A thread per input: one that hangs is left behind, and the run ends with it.
    let thread = std::thread::Builder::new().stack_size(16 << 20).spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&copy)));
        let _ = send.send(outcome.map_err(|panic| {
            let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
            text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_string())
        }));
    });
    if let Err(why) = thread {
        return Err(Finding { input, what: format!("no thread: {why}") });
    }
    match receive.recv_timeout(PATIENCE) {
        Ok(Ok(print)) => Ok(print),
        Ok(Err(what)) => Err(Finding { input, what }),
        Err(RecvTimeoutError::Timeout) => Err(Finding { input, what: format!("no answer after {PATIENCE:?}") }),
        Err(RecvTimeoutError::Disconnected) => Err(Finding { input, what: "the thread died".to_string() }),
    }
}
