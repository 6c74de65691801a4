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
//! A run has a thread of its own with a stack that fits the depth limit, and looks how much of it is left before each
//! body: a deep recursion in the program is an error of the program and never one of the interpreter.

mod arithmetic;
mod claims;
mod eval;
mod failure;
mod last_use;
mod laws;
mod operators;
mod order;
mod rearrange;
mod shape;
mod strides;
mod value;
mod verify_shapes;

#[cfg(test)]
mod tests;

pub use failure::Failure;

use eval::Machine;
use std::sync::{Arc, Mutex};
use terrace_base::Span;
use terrace_ir::FuncId;
use terrace_ir::core::Program;
use terrace_ir::shape::Shapes;
use terrace_plan::data::Data;
pub use terrace_plan::messages::DEPTH_LIMIT;

/// Native stack per open call. A body takes about 450 bytes, with an operator around it 800; a call that is made in the
/// innermost of 30 bodies fits. What does not fit is an error of the program like any recursion that is too deep.
const STACK_PER_CALL: usize = 32 << 10;

/// Address space is cheap and only what is used is memory, but there is an end to it.
const STACK_LIMIT: usize = 4 << 30;

/// What may be used after the last look at the stack.
const STACK_RESERVE: usize = 4 << 20;

/// Limits of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many calls may be open at once.
    pub depth_limit: usize,
    /// How many statements may run.
    pub step_limit: u64,
    /// How many elements one array may have.
    pub element_limit: usize,
    /// Whether the operators of `reduce`, `scan` and `hist` are tried for the laws they must obey.
    pub laws: bool,
    /// What is claimed about sizes: every claim, and every check that is proved, is compared with what happens.
    pub verify: Option<Arc<Shapes>>,
}

impl Default for Options {
    fn default() -> Options {
        Options { depth_limit: DEPTH_LIMIT, step_limit: u64::MAX, element_limit: 1 << 28, laws: false, verify: None }
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
    /// Elements that updates copied because the array they change is used again.
    pub copied: u64,
}

/// Calls a function with the usual limits.
pub fn call(program: &Program, function: FuncId, args: Vec<Data>) -> Result<Data, Failure> {
    run(program, function, args, &Options::default()).0
}

/// What the border of an entry says about the sizes of its arguments, if they are wrong. It comes before everything else that may fail, and compiled
/// programs, which see sizes one by one, take their words from here.
pub fn wrong_sizes(program: &Program, function: FuncId, args: &[Data]) -> Option<Failure> {
    let function = &program.functions[function];
    let types = function.params.iter().map(|p| &function.values[*p].ty);
    let values = args.iter().zip(types).map(|(arg, ty)| value::Value::from_data(arg.clone(), ty));
    let values = values.collect::<Result<Vec<_>, _>>().ok()?;
    eval::check_border(function, &values).err().map(|failure| *failure)
}

/// Calls a function under stated limits, and says how much it did.
pub fn run(program: &Program, function: FuncId, args: Vec<Data>, options: &Options) -> (Result<Data, Failure>, Counts) {
    let mut args = Some(args);
    let mut stack = STACK_LIMIT.min(options.depth_limit.saturating_mul(STACK_PER_CALL)) + STACK_RESERVE;
    loop {
        // The arguments are in a place that both sides see, because a thread that does not start does not give them back.
        let given = Mutex::new(args.take());
        let work = || {
            let code = last_use::mark(program, function, options.verify.is_none());
            let mut machine = Machine::new(program, &code, options, stack - STACK_RESERVE);
            let args = given.lock().ok().and_then(|mut args| args.take()).unwrap_or_default();
            let result = machine.enter(function, args).map_err(|failure| *failure);
            (result, machine.counts)
        };
        let done = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("terrace".to_string()).stack_size(stack);
            let handle = thread.spawn_scoped(scope, work).ok()?;
            Some(handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        match done {
            Some(done) => return done,
            // A smaller stack only means that recursion ends earlier.
            None if stack > 4 * STACK_RESERVE => stack /= 4,
            None => {
                let failure = Failure::new("memory", "", vec![stack as i64], Span::none());
                return (Err(failure), Counts::default());
            }
        }
        args = given.into_inner().ok().flatten();
    }
}
