//! Declared types: records, enums and abbreviations.
//!
//! ```text
//! type point = {x: f64, y: f64}              Record   x, y
//! enum option[t] = none | some(t)            Enum     none, some(Param 0)
//! type matrix[n, m, t] = [n][m]t             Abbreviation, gone once a type has been read
//! ```
//!
//! Records and enums are types of their own: two declarations with the same fields differ. Their parameters are type names,
//! which [`Ty::Param`](crate::types::Ty::Param) counts, and size names, which [`SizeExpr::Param`](crate::signature::SizeExpr::Param) counts.

use crate::signature::SizedType;
use terrace_base::{Span, define_id};

define_id!(
    /// A declared type.
    TypeId
);

/// A declared type.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// The module it stands in.
    pub(crate) module: usize,
    /// What stands in its brackets, in order.
    pub(crate) generics: Vec<Generic>,
    pub(crate) kind: DeclaredKind,
}

/// A parameter of a declared type.
#[derive(Clone, Debug)]
pub(crate) struct Generic {
    pub(crate) name: String,
    pub(crate) is_size: bool,
}

/// What a declared type is.
#[derive(Clone, Debug)]
pub(crate) enum DeclaredKind {
    Record(Vec<Field>),
    Enum(Vec<Variant>),
    Abbreviation(SizedType),
}

/// A field of a record.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) ty: SizedType,
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) fields: Vec<SizedType>,
}
