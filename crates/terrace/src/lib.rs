//! Terrace as a library: from source text to a running program.
//!
//! ```no_run
//! use terrace::{Backend, Program, Settings};
//!
//! let program = Program::from_text("saxpy.tce", "entry twice(x: i64) -> i64 = 2 * x")?;
//! let engine = program.engine(Backend::Interp, &Settings::default())?;
//! let x = program.argument("twice", 0, "21")?;
//! let outcome = engine.call("twice", vec![x])?;
//! assert_eq!(terrace::show::data(&outcome.value, usize::MAX), "42");
//! # Ok::<(), terrace::Failed>(())
//! ```
//!
//! This crate joins the two halves: the compiler, which ends in a plan, and the runtime, which starts from one. Nothing here
//! prints; what goes wrong comes back as [`Failed`], with messages that can be rendered.

mod backend;
pub mod bench;
mod border;
mod codes;
mod engine;
mod files;
mod kept;
mod profile;
mod program;
mod refit;
mod shapes;
pub mod show;
mod stages;
mod versions;

pub use backend::{Backend, Settings};
pub use engine::{Engine, Outcome, Taken, TestOutcome};
pub use files::{format, read_source, replace_file};
pub use profile::{KernelTime, Profile};
pub use program::{Failed, Program};
pub use shapes::{CheckFound, Fate};
pub use stages::Stage;
pub use terrace_base::Json;
pub use terrace_base::json::quoted;
pub use terrace_opt::options::{Options, Strategy, TileSizes};
pub use terrace_plan::data::Data;
pub use terrace_plan::surface::{EntryParam, EntrySignature, Surface};
pub use terrace_plan::threshold::{Guarded, Threshold};
pub use terrace_runtime as runtime;
pub use versions::thresholds;

/// The longer explanation of an error code.
pub fn explain(code: &str) -> Option<&'static str> {
    terrace_syntax::explain(code)
        .or_else(|| terrace_frontend::explain(code))
        .or_else(|| terrace_data::explain(code))
        .or_else(|| codes::explain(code))
}
