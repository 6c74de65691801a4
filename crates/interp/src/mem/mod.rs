//! The interpreter of Mem: both readings at once.
//!
//! A Mem program says what every column is and where it lives. The machine of [`crate::flat`] computes what it is; a heap
//! (`heap.rs`) follows where it lives, and the two are compared at every read:
//!
//! ```text
//! let ys : f64[n] @ b + 0 {n by 1} = map …        each element goes to the column and to b
//! let zs : f64[n] @ b + 0 {n by 1} = map …        the same block again: fine, if ys is dead
//! let y  : f64    = ys[0]                         bug: memory holds 2.0 where the value is 1.0
//! ```
//!
//! So an optimisation that lets two columns share memory wrongly is found by running a program, on the first read that
//! would have gone wrong on a device; and so are elements that were never written, accesses outside a block, and points of one
//! parallel operator that write what another point reads or writes (a race, even where the order of this
//! interpreter makes it harmless).
//!
//! What writes: operators and literals, element by element as they come to be, and the arguments of a call from outside, each in a
//! block of its own. What only hands on: names, branches, loops, calls. There a column stays where it is, and its new place
//! must already hold it. Columns whose place is unknown (a parameter or result that says none) are followed by value only.

mod heap;

#[cfg(test)]
mod tests;

pub use crate::flat::{Column, Counts, Failure, Options, Slot};

use crate::flat::on_own_stack;
use heap::Heap;
use terrace_ir::FuncId;
use terrace_ir::mem::Program;
use terrace_plan::data::Data;

/// Calls an entry or a test with the usual limits.
pub fn call(program: &Program, function: FuncId, args: Vec<Data>) -> Result<(Data, Counts), Failure> {
    let (result, counts) = run(program, function, args, &Options::default());
    result.map(|data| (data, counts))
}

/// Calls an entry or a test under stated limits, and says how much it did.
pub fn run(program: &Program, function: FuncId, args: Vec<Data>, options: &Options) -> (Result<Data, Failure>, Counts) {
    on_own_stack(program, options, Heap::default, |machine| machine.enter(function, &args))
}

/// Calls any function with scalars and columns; blocks are no arguments and no results.
pub fn call_slots(
    program: &Program,
    function: FuncId,
    args: Vec<Slot>,
    options: &Options,
) -> (Result<Vec<Slot>, Failure>, Counts) {
    on_own_stack(program, options, Heap::default, |machine| machine.enter_slots(function, args))
}
