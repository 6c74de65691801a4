//! Nested values as people write them, for passing arguments in and results out.
//!
//! Nothing computes on these: interpreters and devices have their own forms and convert at the border.

use terrace_base::Scalar;

/// A value of any Terrace type.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A number or a boolean.
    Scalar(Scalar),
    /// A tuple.
    Tuple(Vec<Data>),
    /// An array; rows may have any lengths.
    Array(Vec<Data>),
    /// A value of an enum.
    Variant {
        /// Which variant, counted from 0.
        tag: usize,
        /// Its name.
        name: String,
        /// What it holds.
        fields: Vec<Data>,
    },
}
