//! How far reading and writing are, told to whoever wants to know.
//!
//! This crate never prints. A command line that shows a line of progress says once what is to be called; everybody else hears nothing:
//!
//! ```text
//! on_progress(show)     Progress { file: "m.mtx", verb: "reading", done: 52428800, of: Some(400000000) }
//! ```
//!
//! Declines to be exact: steps are some megabytes long, and what a decoder does inside of a batch does not count.

use std::sync::OnceLock;

/// A step.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The file.
    pub file: &'a str,
    /// `reading` or `writing`.
    pub verb: &'static str,
    /// What is done, in bytes or in rows.
    pub done: u64,
    /// Of how many, where that is known.
    pub of: Option<u64>,
}

type Listener = Box<dyn Fn(Progress<'_>) + Send + Sync>;

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// Says what is called while files are read and written: the first to ask is heard.
pub fn on_progress(listener: impl Fn(Progress<'_>) + Send + Sync + 'static) {
    let _ = LISTENER.set(Box::new(listener));
}

/// How much is done between two calls.
const STEP: u64 = 4 << 20;

/// Where one file is.
pub(crate) struct Steps<'a> {
    file: &'a str,
    verb: &'static str,
    of: Option<u64>,
    step: u64,
    next: u64,
}

impl<'a> Steps<'a> {
    /// A file of so many bytes is read.
    pub(crate) fn reading(file: &'a str, of: u64) -> Self {
        Steps { file, verb: "reading", of: Some(of), step: STEP, next: STEP }
    }

    /// A file of so many rows is read.
    pub(crate) fn reading_rows(file: &'a str, of: u64) -> Self {
        Steps { file, verb: "reading", of: Some(of), step: 1, next: 1 }
    }

    /// A file is written.
    pub(crate) fn writing(file: &'a str) -> Self {
        Steps { file, verb: "writing", of: None, step: STEP, next: STEP }
    }

    /// So much is done.
    #[inline]
    pub(crate) fn reach(&mut self, done: u64) {
        if done >= self.next {
            self.tell(done);
        }
    }

    #[cold]
    fn tell(&mut self, done: u64) {
        self.next = done.saturating_add(self.step);
        if let Some(listener) = LISTENER.get() {
            listener(Progress { file: self.file, verb: self.verb, done, of: self.of });
        }
    }
}
