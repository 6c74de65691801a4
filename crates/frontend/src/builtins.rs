//! The functions that every program has.
//!
//! Each is named here with the form of its type; how it becomes Core stands in `lower/builtin.rs`. A program may define a
//! function of the same name, which then counts instead.

use terrace_base::{BinOp, UnOp};

/// A function that every program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    /// `([]t) -> t` for numbers: `sum product`.
    Sum,
    Product,
    /// `([]t) -> t` for ordered `t`; an empty array is an error.
    Minimum,
    Maximum,
    /// `([]bool) -> bool`.
    Any,
    All,
    /// `([]bool) -> i64`.
    Count,
    /// `([]t) -> i64`.
    Len,
    /// `(integer) -> []i64`.
    Iota,
    /// `(integer, t) -> []t`.
    Replicate,
    /// `([]a, []b, …) -> [](a, b, …)`.
    Zip,
    /// `(t, t) -> t` for ordered `t`, by the total order.
    Min,
    Max,
    /// `abs` on numbers, the others on floats.
    Unary(UnOp),
    /// `((a, b, …) -> c, []a, []b, …) -> []c`.
    Map,
    /// `((t) -> bool, []t) -> []t`.
    Filter,
    /// `((t, t) -> t, t, []t) -> t`.
    Reduce,
    /// `((t, t) -> t, t, []t) -> []t`.
    Scan,
    /// `(t, t) -> t` for floats: `pow atan2`.
    Binary(BinOp),
    /// `([](a, b, …)) -> ([]a, []b, …)`.
    Unzip,
    /// `([][]t) -> []t`.
    Flatten,
    /// `([]t, []integer, []t) -> []t`.
    Scatter,
    /// `((t, t) -> t, t, integer, []integer, []t) -> []t`.
    Hist,
    /// `([]k, []t) -> []t` for ordered `k`.
    SortByKeys,
    /// `(t, t) -> bool` for ordered `t`.
    Precedes,
    /// `([]integer, []t) -> [][]t`.
    PartitionBy,
    /// `(integer, []t) -> [][]t`.
    Split,
    /// `(integer, integer, []t) -> [][]t`.
    Slide,
    /// `(integer, integer, border[t], []t) -> []t`.
    Pad,
    /// `(integer, []t) -> []t`.
    Rotate,
    /// `([][]t) -> [][]t`.
    Transpose,
}

const TABLE: [(&str, Builtin); 48] = [
    ("sum", Builtin::Sum),
    ("product", Builtin::Product),
    ("minimum", Builtin::Minimum),
    ("maximum", Builtin::Maximum),
    ("any", Builtin::Any),
    ("all", Builtin::All),
    ("count", Builtin::Count),
    ("len", Builtin::Len),
    ("iota", Builtin::Iota),
    ("replicate", Builtin::Replicate),
    ("zip", Builtin::Zip),
    ("min", Builtin::Min),
    ("max", Builtin::Max),
    ("abs", Builtin::Unary(UnOp::Abs)),
    ("sqrt", Builtin::Unary(UnOp::Sqrt)),
    ("exp", Builtin::Unary(UnOp::Exp)),
    ("log", Builtin::Unary(UnOp::Log)),
    ("sin", Builtin::Unary(UnOp::Sin)),
    ("cos", Builtin::Unary(UnOp::Cos)),
    ("map", Builtin::Map),
    ("filter", Builtin::Filter),
    ("reduce", Builtin::Reduce),
    ("scan", Builtin::Scan),
    ("tan", Builtin::Unary(UnOp::Tan)),
    ("asin", Builtin::Unary(UnOp::Asin)),
    ("acos", Builtin::Unary(UnOp::Acos)),
    ("atan", Builtin::Unary(UnOp::Atan)),
    ("sinh", Builtin::Unary(UnOp::Sinh)),
    ("cosh", Builtin::Unary(UnOp::Cosh)),
    ("tanh", Builtin::Unary(UnOp::Tanh)),
    ("floor", Builtin::Unary(UnOp::Floor)),
    ("ceil", Builtin::Unary(UnOp::Ceil)),
    ("round", Builtin::Unary(UnOp::Round)),
    ("trunc", Builtin::Unary(UnOp::Trunc)),
    ("pow", Builtin::Binary(BinOp::Pow)),
    ("atan2", Builtin::Binary(BinOp::Atan2)),
    ("unzip", Builtin::Unzip),
    ("flatten", Builtin::Flatten),
    ("scatter", Builtin::Scatter),
    ("hist", Builtin::Hist),
    ("sort_by_keys", Builtin::SortByKeys),
    ("precedes", Builtin::Precedes),
    ("partition_by", Builtin::PartitionBy),
    ("split", Builtin::Split),
    ("slide", Builtin::Slide),
    ("pad", Builtin::Pad),
    ("rotate", Builtin::Rotate),
    ("transpose", Builtin::Transpose),
];

impl Builtin {
    pub(crate) fn named(name: &str) -> Option<Builtin> {
        TABLE.iter().find(|(n, _)| *n == name).map(|(_, b)| *b)
    }

    pub(crate) fn name(self) -> &'static str {
        TABLE.iter().find(|(_, b)| *b == self).map_or("?", |(n, _)| n)
    }

    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|(n, _)| *n)
    }

    /// Whether the first argument is a function.
    pub(crate) fn takes_function(self) -> bool {
        matches!(self, Builtin::Map | Builtin::Filter | Builtin::Reduce | Builtin::Scan | Builtin::Hist)
    }

    /// How many arguments it takes, the function among them; none if any number from two on will do.
    pub(crate) fn arity(self) -> Option<usize> {
        match self {
            Builtin::Zip | Builtin::Map => None,
            Builtin::Replicate | Builtin::Min | Builtin::Max | Builtin::Filter => Some(2),
            Builtin::Binary(_) | Builtin::SortByKeys | Builtin::Precedes | Builtin::PartitionBy => Some(2),
            Builtin::Split | Builtin::Rotate => Some(2),
            Builtin::Reduce | Builtin::Scan | Builtin::Scatter | Builtin::Slide => Some(3),
            Builtin::Pad => Some(4),
            Builtin::Hist => Some(5),
            _ => Some(1),
        }
    }
}
