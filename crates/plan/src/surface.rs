//! The face that a program shows to its caller: entries with the types their author wrote.
//!
//! The compiler forgets the names of record fields and of types, because nothing computes with them. Whoever reads data for
//! an entry or shows its result needs them again:
//!
//! ```text
//! type point = {x: f64, y: f64}
//! entry centre(ps: []point) -> point
//!
//!     ps      Array(Record point { x: f64, y: f64 })     a table with the columns x and y will do
//!     result  Record point { x: f64, y: f64 }            printed as point{x = 0.5, y = 2.0}
//! ```
//!
//! A [`Data`](crate::data::Data) of a record is the tuple of its fields in the order of declaration.

use terrace_base::ScalarType;

/// A type as the author of a program sees it, without sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Surface {
    /// A number or a truth value.
    Scalar(ScalarType),
    /// A tuple.
    Tuple(Vec<Surface>),
    /// A record declared by name; its data are tuples.
    Record {
        /// The name of the type.
        name: String,
        /// Names and types of the fields.
        fields: Vec<(String, Surface)>,
    },
    /// A sum of types declared by name.
    Enum {
        /// The name of the type.
        name: String,
        /// Names and fields of the variants.
        variants: Vec<(String, Vec<Surface>)>,
    },
    /// An array.
    Array(Box<Surface>),
}

/// A parameter of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryParam {
    /// Its name; `_` if it takes a tuple apart.
    pub name: String,
    /// Its type.
    pub surface: Surface,
    /// Its type as written, with sizes and the star of a consumed parameter.
    pub text: String,
}

/// An entry as its caller sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntrySignature {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<EntryParam>,
    /// The type of its result.
    pub result: Surface,
    /// The type of its result as written or inferred.
    pub result_text: String,
    /// The documentation above it.
    pub docs: Vec<String>,
}

impl std::fmt::Display for Surface {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Surface::Scalar(s) => f.write_str(s.name()),
            Surface::Tuple(parts) => {
                f.write_str("(")?;
                for (k, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if k == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Surface::Record { name, .. } | Surface::Enum { name, .. } => f.write_str(name),
            Surface::Array(elem) => write!(f, "[]{elem}"),
        }
    }
}
