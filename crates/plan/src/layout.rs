//! How a nested value is laid out as scalars and columns.
//!
//! An array of any type is a column per scalar component plus a descriptor per level of nesting. `[][](i32, f64)` is
//!
//! ```text
//! Array(Length, Array(Irregular { packed: true }, Tuple(i32, f64)))
//!        │               │                               │
//!        n : i64         off : i64[n + 1], count : i64   col : i32[count], val : f64[count]
//! ```
//!
//! The *slots* of a layout are these scalars and columns in this order, depth first: a dimension's own slots come before
//! those of its elements.

use terrace_algebra::Size;
use terrace_base::ScalarType;

/// The layout of a nested value.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// One slot: a scalar outside every array, a column inside.
    Scalar(ScalarType),
    /// The slots of each component.
    Tuple(Vec<Layout>),
    /// The slots of the dimension, then of the elements.
    Array(DimLayout, Box<Layout>),
}

/// The layout of one dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum DimLayout {
    /// One slot, an `i64` scalar: the length of an array outside every other, or of every row of a rectangular one.
    Length,
    /// No slot: the length is a function of position. `SizeVar(d)` stands for the index in the `d`-th dimension from outside,
    /// `SizeVar(100 + s)` for the scalar in slot `s` of the same parameter.
    Closed(Size),
    /// A column of scanned lengths, one more than there are rows; where rows are not packed, a column of starts; and an
    /// `i64` scalar, the number of elements in the columns below.
    Irregular {
        /// Row `r` starts at its offset.
        packed: bool,
    },
}

/// One slot of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A scalar on the host.
    Scalar(ScalarType),
    /// A column.
    Column(ScalarType),
}

impl Layout {
    /// The slots in order.
    pub fn slots(&self) -> Vec<Slot> {
        let mut out = Vec::new();
        self.collect(0, &mut out);
        out
    }

    fn collect(&self, depth: usize, out: &mut Vec<Slot>) {
        match self {
            Layout::Scalar(s) if depth == 0 => out.push(Slot::Scalar(*s)),
            Layout::Scalar(s) => out.push(Slot::Column(*s)),
            Layout::Tuple(parts) => parts.iter().for_each(|p| p.collect(depth, out)),
            Layout::Array(dim, elem) => {
                match dim {
                    DimLayout::Length => out.push(Slot::Scalar(ScalarType::I64)),
                    DimLayout::Closed(_) => {}
                    DimLayout::Irregular { packed } => {
                        out.push(Slot::Column(ScalarType::I64));
                        if !packed {
                            out.push(Slot::Column(ScalarType::I64));
                        }
                        out.push(Slot::Scalar(ScalarType::I64));
                    }
                }
                elem.collect(depth + 1, out);
            }
        }
    }
}
