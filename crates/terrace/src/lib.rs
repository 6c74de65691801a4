//! Terrace as a library: from source text to a running program.
//!
//! ```
//! use terrace::{Columns, Program, Settings};
//!
//! let text = "entry saxpy[n](a: f32, xs: [n]f32, ys: [n]f32) -> [n]f32 = [a * x + y for x in xs, y in ys]";
//! let program = Program::from_text("saxpy.tce", text)?;
//! let (engine, _) = program.default_engine(&Settings::default())?;
//! let (xs, ys) = ([1.0f32, 2.0], [10.0f32, 20.0]);
//! let result = engine.call_columns("saxpy", vec![Columns::scalar(3.0f32), Columns::slice(&xs), Columns::slice(&ys)])?;
//! assert_eq!(result.to_vec(), Some(vec![13.0f32, 26.0]));
//!
//! let wrong = engine.call_columns("saxpy", vec![Columns::scalar(3.0f32), Columns::slice(&xs), Columns::slice(&ys[1..])]);
//! assert_eq!(wrong.err().map(|e| e.diagnostics[0].code), Some("T0906"));
//! # Ok::<(), terrace::Failed>(())
//! ```
//!
//! A program is compiled once and called often, from as many threads as there are: calls of one engine take turns, and each uses all
//! threads of its device. [`Columns`] take Rust slices and Arrow arrays; [`Data`] are nested values, as expressions make them.
//!
//! This crate joins the two halves: the compiler, which ends in a plan, and the runtime, which starts from one. Nothing here
//! prints; what goes wrong comes back as [`Failed`], with messages that can be rendered.

mod backend;
pub mod bench;
mod border;
mod codes;
mod columns;
mod engine;
mod files;
mod kept;
mod profile;
mod program;
mod refit;
mod shapes;
pub mod show;
mod stages;
mod start;
mod value;
mod versions;

pub use backend::{Backend, Settings};
pub use columns::Columns;
pub use engine::{Engine, Outcome, Taken, TestOutcome};
pub use files::{format, read_source, replace_file};
pub use profile::{KernelTime, Profile};
pub use program::{Failed, Program};
pub use shapes::{CheckFound, Fate};
pub use stages::Stage;
pub use terrace_base::json::quoted;
pub use terrace_base::{Diagnostic, Json, nearest};
pub use terrace_data as data;
pub use terrace_opt::options::{Options, Strategy, TileSizes};
pub use terrace_plan::data::Data;
pub use terrace_plan::surface::{EntryParam, EntrySignature, Surface};
pub use terrace_plan::threshold::{Guarded, Threshold};
pub use terrace_runtime as runtime;
pub use value::Value;
pub use versions::thresholds;

/// The functions that every program has without an import.
pub fn known_functions() -> impl Iterator<Item = &'static str> {
    terrace_frontend::known_functions()
}

/// The longer explanation of an error code.
pub fn explain(code: &str) -> Option<&'static str> {
    terrace_syntax::explain(code)
        .or_else(|| terrace_frontend::explain(code))
        .or_else(|| terrace_data::explain(code))
        .or_else(|| codes::explain(code))
}
