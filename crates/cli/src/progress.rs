//! One line of progress on a terminal while large files are read and written.
//!
//! ```text
//! reading m.mtx 37 %
//! ```
//!
//! The line appears after a second and is wiped when the file is done or something else is said. Where standard error is no terminal there is none.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use terrace::data::{Progress, on_progress};

/// Nothing is shown before.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long a line stands at least.
const REFRESH: Duration = Duration::from_millis(100);

struct Line {
    file: String,
    since: Instant,
    shown: Option<Instant>,
}

static LINE: Mutex<Option<Line>> = Mutex::new(None);

/// Shows progress from now on.
pub(crate) fn show_progress() {
    if std::io::stderr().is_terminal() {
        on_progress(|step| step_to(&step));
    }
}

fn step_to(step: &Progress<'_>) {
    let Ok(mut line) = LINE.lock() else { return };
    let now = Instant::now();
    let fresh = || Line { file: step.file.to_string(), since: now, shown: None };
    let line = line.get_or_insert_with(fresh);
    if line.file != step.file {
        *line = fresh();
    }
    let due = line.shown.map_or(line.since + PATIENCE, |shown| shown + REFRESH);
    if now >= due {
        line.shown = Some(now);
        let mut out = std::io::stderr().lock();
        let _ = write!(out, "\r\x1b[K{}", text(step));
        let _ = out.flush();
    }
}

/// Wipes the line, if there is one: before anything else is written.
pub(crate) fn wipe() {
    let Ok(mut line) = LINE.lock() else { return };
    if line.take().is_some_and(|line| line.shown.is_some()) {
        let _ = std::io::stderr().lock().write_all(b"\r\x1b[K");
    }
}

fn text(step: &Progress<'_>) -> String {
    match step.of {
        Some(of) if of > 0 => {
            let percent = (step.done.min(of) as f64 / of as f64 * 100.0) as u64;
            format!("{} {} {percent} %", step.verb, step.file)
        }
        _ => format!("{} {} {} MiB", step.verb, step.file, step.done >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let step = Progress { file: "m.mtx", verb: "reading", done: 37, of: Some(100) };
        assert_eq!(text(&step), "reading m.mtx 37 %");
        assert_eq!(text(&Progress { done: 200, ..step }), "reading m.mtx 100 %");
        assert_eq!(text(&Progress { verb: "writing", done: 5 << 20, of: None, ..step }), "writing m.mtx 5 MiB");
    }
}
