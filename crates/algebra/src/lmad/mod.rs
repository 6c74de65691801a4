//! Index functions: linear memory access descriptors.
//!
//! An [`Lmad`] maps an index vector to a position in a flat block: an offset plus one `index * stride` per dimension. Slicing, fixing an
//! index, permuting and reversing change these numbers and move no data:
//!
//! ```text
//! row-major [n][m]             0 + {n : m} {m : 1}
//! its transpose                0 + {m : 1} {n : m}
//! its row i                  i*m + {m : 1}
//! its rows backwards     n*m - m + {n : -m} {m : 1}
//! its anti-diagonal        m - 1 + {n : m - 1}               (as long as n <= m)
//! ```
//!
//! An Lmad is read in three ways, and each file here serves one of them:
//!
//! - as a *function* from indices to positions, and as the *slice* that cuts one index function down to another (`slice`);
//! - as a *list*: the positions in row-major order of the indices. Operations that keep the list are free changes of shape (`reshape`);
//! - as a *set* of positions, where the order does not matter (`set`): do two sets meet, does one reach a position twice (`overlap`)?
//!
//! ```
//! use terrace_algebra::{Assumptions, Lmad, Size, SizeVar, Triplet};
//! let (n, m, i) = (SizeVar(0), SizeVar(1), SizeVar(2));
//! let matrix = Lmad::row_major(&[Size::var(n), Size::var(m)]);
//! let row = matrix.fix(0, &Size::var(i)).unwrap();
//! assert_eq!(row.to_string(), "s1*s2 + {s1 : 1}");
//! // All rows together are the matrix again, as a list.
//! let rows = row.expand(i, &Size::var(n)).unwrap();
//! assert_eq!(rows, matrix);
//! assert!(rows.is_contiguous());
//! // A row and the next one have no position in common.
//! let next = matrix.fix(0, &(Size::var(i) + 1)).unwrap();
//! assert!(row.disjoint(&next, &Assumptions::new()).is_yes());
//! ```
//!
//! Dimensions go from outer to inner. Counts may be zero: the list is then empty, the laws still hold, and an offset may point outside
//! the block (the last element of an empty dimension). Counts below zero mean nothing. Sizes do not wrap, so neither does anything here.
//!
//! Nothing here checks bounds: an operation is as good as its indices. `None` means that a rank does not fit, or that the result is not one
//! Lmad. From paper 004, chapter 3. Declined: rotations, lists of Lmads as one index function, differences and intersections of sets.

mod bounds;
mod exact;
mod gap;
mod overlap;
mod quotient;
mod reshape;
mod set;
mod slice;

use std::fmt;

use crate::expr::{Size, SizeVar};

pub use overlap::Effort;
pub use slice::Triplet;

/// One dimension: how many indices, and how far apart in the block.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dim {
    pub count: Size,
    pub stride: Size,
}

impl Dim {
    /// How far the last element is from the first.
    pub(crate) fn span(&self) -> Size {
        (&self.count - 1) * &self.stride
    }
}

/// A linear index function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lmad {
    pub offset: Size,
    pub dims: Vec<Dim>,
}

impl Lmad {
    /// The index function with this offset and these counts and strides.
    pub fn new(offset: Size, dims: impl IntoIterator<Item = (Size, Size)>) -> Lmad {
        Lmad { offset, dims: dims.into_iter().map(|(count, stride)| Dim { count, stride }).collect() }
    }

    /// The packed layout of an array of this shape, innermost dimension last.
    pub fn row_major(shape: &[Size]) -> Lmad {
        let mut stride = Size::one();
        let mut dims: Vec<Dim> = Vec::new();
        for count in shape.iter().rev() {
            dims.push(Dim { count: count.clone(), stride: stride.clone() });
            stride = &stride * count;
        }
        dims.reverse();
        Lmad { offset: Size::zero(), dims }
    }

    /// The packed layout of an array of this shape, outermost dimension last.
    pub fn column_major(shape: &[Size]) -> Lmad {
        let turned: Vec<Size> = shape.iter().rev().cloned().collect();
        let mut lmad = Lmad::row_major(&turned);
        lmad.dims.reverse();
        lmad
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The counts, outer to inner.
    pub fn shape(&self) -> Vec<Size> {
        self.dims.iter().map(|d| d.count.clone()).collect()
    }

    /// The number of elements.
    pub fn len(&self) -> Size {
        self.dims.iter().fold(Size::one(), |product, d| product * &d.count)
    }

    /// Whether some count is known to be zero.
    pub fn is_empty(&self) -> bool {
        self.dims.iter().any(|d| d.count.is_zero())
    }

    /// The position of one element.
    pub fn apply(&self, indices: &[Size]) -> Option<Size> {
        let fits = indices.len() == self.rank();
        fits.then(|| self.dims.iter().zip(indices).fold(self.offset.clone(), |at, (d, i)| at + i * &d.stride))
    }

    /// The position of the last element, where there is one.
    pub fn last(&self) -> Size {
        self.dims.iter().fold(self.offset.clone(), |at, d| at + d.span())
    }

    /// The same index function in a block that starts elsewhere.
    pub fn shift(&self, by: &Size) -> Lmad {
        Lmad { offset: &self.offset + by, dims: self.dims.clone() }
    }

    /// Replaces one variable everywhere.
    pub fn substitute(&self, var: SizeVar, value: &Size) -> Lmad {
        self.map(&|size| size.substitute(var, value))
    }

    /// Changes every size.
    pub fn map(&self, change: &dyn Fn(&Size) -> Size) -> Lmad {
        let dims = self.dims.iter().map(|d| Dim { count: change(&d.count), stride: change(&d.stride) }).collect();
        Lmad { offset: change(&self.offset), dims }
    }

    /// The text with the caller's names: `offset + {count : stride} ...`.
    pub fn display(&self, vars: &dyn Fn(SizeVar) -> String) -> String {
        let dims = self.dims.iter().map(|d| format!(" {{{} : {}}}", d.count.display(vars), d.stride.display(vars)));
        format!("{} +{}", self.offset.display(vars), dims.collect::<String>())
    }
}

impl fmt::Display for Lmad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display(&|var| format!("s{}", var.0)))
    }
}
