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
    /// A value of an enum; apart, so that numbers take little room.
    Variant(Box<Variant>),
}

/// A value of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Which variant, counted from 0.
    pub tag: usize,
    /// Its name.
    pub name: String,
    /// What it holds.
    pub fields: Vec<Data>,
}

const _: () = assert!(size_of::<Data>() <= 32);

impl Data {
    /// A value of an enum.
    pub fn variant(tag: usize, name: impl Into<String>, fields: Vec<Data>) -> Data {
        Data::Variant(Box::new(Variant { tag, name: name.into(), fields }))
    }
}
