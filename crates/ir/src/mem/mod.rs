//! Mem: Flat in which every column also says where it lives.
//!
//! A column's place is a block of memory and an index function that maps its positions to elements of the block:
//!
//! ```text
//! let b_20 : block = alloc f64 n_0
//! let out_6 : f64[n_0] @ b_20 + 0 {n_0 by 1} = reduce grid …
//! ```
//!
//! Nothing else changes: erasing the places (and the `alloc` statements) gives the Flat program back, with the same
//! meaning. So there are two readings of a Mem program, by values and by memory, and the interpreter runs both and compares
//! them; that is how every memory optimisation is tested. (Munksgaard's thesis, chapter 4.)

pub mod erase;
pub mod verify;

use crate::ValueId;
use crate::flat;
use terrace_algebra::Lmad;

/// Where a column lives.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The block.
    pub block: ValueId,
    /// The index function: position in the column to element of the block.
    pub index: Lmad,
}

/// A column has a place; scalars and blocks have none.
pub type Annotation = Option<Place>;

/// A program with places.
pub type Program = flat::Program<Annotation>;
/// A function with places.
pub type Function = flat::Function<Annotation>;
/// A value with its place.
pub type Value = flat::Value<Annotation>;
