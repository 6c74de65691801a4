//! The reference interpreter: what a Core program means.
//!
//! ```text
//! call(program, spmv, [[[(0, 2.0)], []], [3.0]])   gives   Ok([6.0, 0.0])
//! call(program, spmv, [[[(9, 2.0)]], [3.0]])       gives   Err(index 9 is out of bounds … at position 0, 0)
//! ```
//!
//! It is strict, runs everything in index order and reports the least check that fails, with the call trace. It is meant to
//! be obviously right, and fast enough to run every test: about 100 nanoseconds per element and operation. It declines
//! to share work, to run anything side by side, and to look at types while it runs: Core must have passed `verify`.
//!
//! A run has a thread of its own with a stack that fits the depth limit, so that a deep recursion in the program is an
//! error of the program and never one of the interpreter.

mod eval;
mod failure;
mod shape;
mod value;

#[cfg(test)]
mod tests;

pub use failure::Failure;

use eval::{BODIES_PER_CALL, Machine};
use terrace_base::Span;
use terrace_ir::FuncId;
use terrace_ir::core::Program;
use terrace_plan::data::Data;

/// Limits of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many calls may be open at once.
    pub depth_limit: usize,
    /// How many statements may run.
    pub step_limit: u64,
    /// How many elements one array may have.
    pub element_limit: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { depth_limit: 10_000, step_limit: u64::MAX, element_limit: 1 << 32 }
    }
}

/// How much a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Statements evaluated.
    pub statements: u64,
    /// Calls made.
    pub calls: u64,
    /// Elements that operators ran a function on.
    pub elements: u64,
}

/// Calls a function with the usual limits.
pub fn call(program: &Program, function: FuncId, args: Vec<Data>) -> Result<Data, Failure> {
    run(program, function, args, &Options::default()).0
}

/// Calls a function under stated limits, and says how much it did.
pub fn run(program: &Program, function: FuncId, args: Vec<Data>, options: &Options) -> (Result<Data, Failure>, Counts) {
    // A body with the operator around it takes 700 to 1000 bytes; the rest is room for other builds.
    let stack = options.depth_limit.saturating_mul(BODIES_PER_CALL).saturating_add(4096) * 2048;
    let work = || {
        let mut machine = Machine::new(program, options);
        let result = machine.enter(function, args).map_err(|failure| *failure);
        (result, machine.counts)
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("terrace".to_string()).stack_size(stack);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => {
                let failure = Failure::new("memory", "", vec![stack as i64], Span::none());
                (Err(failure), Counts::default())
            }
        }
    })
}
