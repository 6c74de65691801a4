//! Vector code for CPUs, which only the C printer writes.
//!
//! What a kernel computes is the same for every printer; how a processor does many points at once is not. On a GPU the hardware runs the threads
//! of a warp side by side. On a CPU the text must be such that the compiler finds the lanes, or say them itself:
//!
//! ```text
//! lanes        points with a loop of their own run side by side, under masks
//! least        the least and the greatest float are found among integers
//! operands     what several reductions share is loaded once
//! registers    the lanes of a float reduction stay in a register while its loop runs
//! totals       running totals of integers are vectors of totals
//! stages       points that compute several functions go through them one after the other
//! turning      sines and cosines of large arguments are looked for after the loop
//! stream       large results that nobody reads soon go past the cache
//! ```

pub mod lanes;
pub mod least;
pub mod operands;
pub mod registers;
pub mod stages;
pub mod stream;
pub mod totals;
pub mod turning;
