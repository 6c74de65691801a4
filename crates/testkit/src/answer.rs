//! What a call gave, in a form that two engines can be compared by.
//!
//! ```text
//! Value("[1, 2.5f32]")                                              every bit shows, except which NaN it is
//! Error { code: "T0904", line: 3, column: 12, title: "division of 7 by zero" }
//! Broken("after fuse: …")                                           the compiler's own fault, which equals nothing expected
//! ```
//!
//! Errors compare by code, place and title, which shows the values. Notes are left out: the trace of calls comes from the
//! interpreter alone. Codes of internal errors (`T0900`, `T0950`, `T0999`) make an answer broken.

use crate::setup::Setup;
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use terrace::{Data, Engine, Failed, Program, show};
use terrace_base::SourceMap;

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A value, as a literal.
    Value(String),
    /// A run-time error.
    Error {
        /// Its code.
        code: String,
        /// Line of its place, from 1.
        line: usize,
        /// Column of its place, from 1.
        column: usize,
        /// What it says, with the values.
        title: String,
    },
    /// The compiler or the engine broke.
    Broken(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Value(text) => write!(f, "= {text}"),
            Answer::Error { code, line, column, title } => write!(f, "! {code} {line}:{column} {title}"),
            Answer::Broken(text) => write!(f, "broken: {text}"),
        }
    }
}

impl Answer {
    /// The answer of a run of a program with this text.
    pub fn of(result: Result<Data, Failed>, text: &str) -> Answer {
        match result {
            Ok(value) => Answer::Value(show::data(&value, usize::MAX)),
            Err(failed) => Answer::of_failure(&failed, text),
        }
    }

    /// The answer of a run that failed.
    pub fn of_failure(failed: &Failed, text: &str) -> Answer {
        let Some(first) = failed.diagnostics.first() else {
            return Answer::Broken("failed without a message".to_string());
        };
        if matches!(first.code, "T0900" | "T0950" | "T0999") || first.code < "T0900" {
            return Answer::Broken(failed.to_string());
        }
        let mut sources = SourceMap::new();
        sources.add("", text);
        let span = first.primary_span();
        let known = !span.is_none() && sources.contains(span);
        let (line, column) = if known { (sources.line_col(span).line, sources.line_col(span).col) } else { (0, 0) };
        Answer::Error { code: first.code.to_string(), line, column, title: first.title.clone() }
    }
}

/// Compiles a program under a setup; what goes wrong is text.
pub fn engine(program: &Program, setup: &Setup) -> Result<Engine, String> {
    quietly(|| program.engine(setup.backend, &setup.settings))?.map_err(|failed| failed.to_string())
}

/// Calls an entry.
pub fn call(engine: &Engine, entry: &str, args: &[Data], text: &str) -> Answer {
    match quietly(|| engine.call(entry, args.to_vec())) {
        Ok(result) => Answer::of(result.map(|outcome| outcome.value), text),
        Err(panic) => Answer::Broken(panic),
    }
}

thread_local! {
    /// Whether panics of this thread are expected, and the place of the last one.
    static WATCHED: RefCell<(bool, String)> = const { RefCell::new((false, String::new())) };
}

/// Runs something that may panic, and gives the words of the panic instead of printing them.
pub fn quietly<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            let watched = WATCHED.with_borrow_mut(|(watched, place)| {
                *place = info.location().map(|l| l.to_string()).unwrap_or_default();
                *watched
            });
            if !watched {
                usual(info);
            }
        }));
    });
    let before = WATCHED.with_borrow_mut(|w| std::mem::replace(&mut w.0, true));
    let result = catch_unwind(AssertUnwindSafe(run));
    let place = WATCHED.with_borrow_mut(|w| {
        w.0 = before;
        w.1.clone()
    });
    result.map_err(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        let words = words.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
        format!("panic at {place}: {}", words.unwrap_or_else(|| "without words".to_string()))
    })
}
