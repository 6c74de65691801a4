//! A program that was compiled before starts from its plan.
//!
//! Most of a start is the compiler: its passes take tens of milliseconds where loading kernels from the cache takes one. What comes out of them
//! depends on the text of the program, on how it is compiled and on the compiler, and on nothing else. So the plan is kept beside the
//! kernels, under all of these:
//!
//! ```text
//! plan  0.1.0 9b2f…            the version and the build of the compiler
//! general                      which body: an entry may have another for rectangular data
//! Options { … }  { … }         how it is compiled, and the thresholds that are not the default ones
//! f.tce, its imports, prelude  whole, in the order in which the front end reads them: spans name a file by its number
//! ```
//!
//! The front end still runs: messages and warnings are the same, arguments can be checked, and it is the cheap part. Its last step, the analysis of
//! sizes, is not: where it had nothing to say about a text whose plan is kept, that is kept too, and it runs when somebody asks for what it
//! found. A plan that is damaged, or that another build wrote, is not found, and compiling makes it anew.
//!
//! Declined: programs that were changed after the front end (`Program::unproved`, `Program::inlined`), for which nothing is kept.

use crate::backend::{Backend, Settings};
use crate::program::Program;
use std::fmt::Write;
use terrace_base::SourceMap;
use terrace_opt::options::Options;
use terrace_plan::Plan;
use terrace_plan::encoding::{decode, encode};

/// How a program came from its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// As the front end made it.
    Text {
        /// Whether the analysis of sizes is known to have nothing to say about it.
        quiet: bool,
    },
    /// Something was changed since.
    Changed,
}

/// A plan that was kept; or that there is none, for the body of an entry that gains nothing from rectangular data.
pub(crate) type Kept = Option<Plan>;

impl Program {
    /// What the plan of a body is kept under: of all entries, or of one for rectangular data.
    pub(crate) fn plan_key(&self, backend: Backend, settings: &Settings, regular: Option<&str>) -> Option<String> {
        let plans = matches!(backend, Backend::C | Backend::Cuda | Backend::CudaSim | Backend::OpenCl);
        if self.origin == Origin::Changed || !plans || !settings.keep_plans {
            return None;
        }
        let options = Options { target: backend.target(), ..settings.options.clone() };
        let body = regular.map_or("general".to_string(), |name| format!("regular {name}"));
        Some(key(&format!("{body}\n{options:?} {:?}", settings.thresholds), &self.sources))
    }

    /// Keeps the plan of all entries, and that no message came from the analysis of sizes.
    pub(crate) fn keep_plan(&self, key: &str, plan: &Plan) {
        keep(key, Some(plan));
        if self.origin == (Origin::Text { quiet: true }) && !is_quiet(&self.sources) {
            terrace_runtime::keep(&quiet_key(&self.sources), &[]);
        }
    }
}

fn key(what: &str, sources: &SourceMap) -> String {
    let mut key = format!("plan {} {}\n{what}\n", env!("CARGO_PKG_VERSION"), env!("TERRACE_BUILD"));
    for text in sources.texts() {
        let _ = write!(key, "{}\n{text}\n", text.len());
    }
    key
}

fn quiet_key(sources: &SourceMap) -> String {
    key("no message about sizes", sources)
}

/// Whether the analysis of sizes is known to have nothing to say about a program.
pub(crate) fn is_quiet(sources: &SourceMap) -> bool {
    terrace_runtime::kept(&quiet_key(sources)).is_some()
}

/// What was kept under a key.
pub(crate) fn find(key: &str) -> Option<Kept> {
    let bytes = terrace_runtime::kept(key)?;
    match bytes.as_slice() {
        [] => Some(None),
        bytes => decode(bytes).map(Some),
    }
}

/// Keeps a plan, or that there is none.
pub(crate) fn keep(key: &str, plan: Option<&Plan>) {
    match plan.map(encode) {
        None => terrace_runtime::keep(key, &[]),
        Some(Some(bytes)) => terrace_runtime::keep(key, &bytes),
        Some(None) => {}
    }
}
