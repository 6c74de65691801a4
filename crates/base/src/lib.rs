//! What every other crate stands on: places in source text, messages about them, ids, and the meaning of scalars.
//!
//! | module | idea |
//! | --- | --- |
//! | [`span`] | a byte range of one source file, and the map from ranges back to lines |
//! | [`diagnostic`], [`mod@render`], [`json`] | an error is data; one function turns it into text, another into JSON |
//! | [`json_value`] | JSON that is read back: what one tool measured, another compares |
//! | [`ids`] | numbers that cannot be mixed up, and vectors indexed by them |
//! | [`scalar`], [`scalar_op`], [`scalar_text`] | the one meaning of arithmetic on scalars, shared by every interpreter |
//! | [`elementary`] | `exp` and `log` as sums and products |
//! | [`trigonometry`] | `sin`, `cos` and `cosh`, likewise |
//! | [`timing`] | how long each pass took, without global state |
//!
//! Names are plain strings: there is no interner, because nothing here has needed one yet.
//! This crate has no dependencies and declines to know anything about syntax, types of arrays, or devices.

pub mod diagnostic;
pub mod elementary;
pub mod ids;
pub mod json;
pub mod json_value;
pub mod render;
pub mod scalar;
pub mod scalar_op;
pub mod scalar_text;
pub mod span;
pub mod timing;
pub mod trigonometry;

mod nearest;
mod snippet;
mod text_width;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use ids::{Id, IdGen, IdVec};
pub use json::render_json;
pub use json_value::Json;
pub use nearest::nearest;
pub use render::render;
pub use scalar::{Scalar, ScalarType};
pub use scalar_op::{BinOp, UnOp, convert, fma, is_exact, neutral, ordinal_type, result_type};
pub use span::{FileId, LineCol, SourceMap, Span};
pub use timing::{Timing, Timings};
