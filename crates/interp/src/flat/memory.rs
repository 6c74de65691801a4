//! What the interpreter asks of memory; in Flat there is none.
//!
//! Flat and Mem are run by one machine. Wherever it binds an element of a column it also tells the memory, and wherever it
//! reads one it asks the memory whether it agrees:
//!
//! ```text
//! let y : f64[n] @ b + 0 {n by 1} = map …     write(place of y, p, value)   at each point p
//! let v = y[3]                                read(place of y, 3, value)    an error where b holds something else
//! ```
//!
//! [`Nowhere`] says yes to everything and costs nothing; the heap of [`crate::mem`] keeps books.

use terrace_algebra::Size;
use terrace_base::{Scalar, ScalarType};
use terrace_ir::mem::Place;

/// Stands for every point of an operator at once, in [`Memory::point`].
pub(crate) const EVERYONE: u64 = u64::MAX;

/// Stands for the machinery that stores result `k` of an operator: `RESULT + k` in [`Memory::point`].
pub(crate) const RESULT: u64 = 1 << 62;

/// The second reading of a program.
pub(crate) trait Memory {
    /// A block of memory.
    type Block: Clone;
    /// Where a column lives, with all sizes known.
    type Place: Clone;

    /// An operator starts; the points of a parallel one run side by side.
    fn begin(&mut self, parallel: bool);
    /// On behalf of which point of the innermost operator things happen from now on.
    fn point(&mut self, point: u64);
    /// The innermost operator ends.
    fn end(&mut self);

    /// A block for some elements.
    fn alloc(&mut self, elem: ScalarType, count: i64) -> Result<Self::Block, String>;
    /// The place that an annotation states; `size` gives the values of sizes.
    fn place(
        &self,
        place: Option<&Place>,
        block: Option<&Self::Block>,
        size: &dyn Fn(&Size) -> Option<i64>,
    ) -> Result<Self::Place, String>;

    /// Whether two columns live in the same place, element by element.
    fn same_place(&self, one: &Self::Place, other: &Self::Place) -> bool;
    /// An element of a column comes to be.
    fn write(&mut self, place: &Self::Place, at: usize, value: Scalar) -> Result<(), String>;
    /// The program reads an element, whose value is this.
    fn read(&mut self, place: &Self::Place, at: usize, value: Scalar) -> Result<(), String>;
    /// Whether an element is there, without the program reading it.
    fn holds(&self, place: &Self::Place, at: usize, value: Scalar) -> Result<(), String>;
}

/// No memory at all.
pub(crate) struct Nowhere;

impl Memory for Nowhere {
    type Block = ();
    type Place = ();

    fn begin(&mut self, _: bool) {}
    fn point(&mut self, _: u64) {}
    fn end(&mut self) {}

    fn alloc(&mut self, _: ScalarType, _: i64) -> Result<(), String> {
        Ok(())
    }

    fn place(&self, _: Option<&Place>, _: Option<&()>, _: &dyn Fn(&Size) -> Option<i64>) -> Result<(), String> {
        Ok(())
    }

    fn same_place(&self, _: &(), _: &()) -> bool {
        true
    }

    fn write(&mut self, _: &(), _: usize, _: Scalar) -> Result<(), String> {
        Ok(())
    }

    fn read(&mut self, _: &(), _: usize, _: Scalar) -> Result<(), String> {
        Ok(())
    }

    fn holds(&self, _: &(), _: usize, _: Scalar) -> Result<(), String> {
        Ok(())
    }
}
