//! The interpreter of Flat: what flattening and its optimisations are tested against.
//!
//! ```text
//! call(program, spmv, [[[(0, 2.0)], []], [3.0]])    gives   [6.0, 0.0] and what it took:
//!                                                           one grid reduction, one point
//! ```
//!
//! It runs every operator point by point and in order, and checks as it goes what the types promise: each column has the
//! length that its type states, each bound holds, offsets are consistent, nothing is read outside a column or in a gap between
//! rows. What breaks such a promise is a *bug* of the compiler and stops the run with kind `bug`; what breaks a check of the
//! program stops it with the kind of the check, as in the Core interpreter. Of several points of an operator
//! that fail, the one with the least check, then the least index, is reported.
//!
//! The machine also runs Mem: see [`crate::mem`] and `memory.rs`. It declines to be parallel, and to fold in any order but
//! left to right.

mod bind;
mod border;
mod column;
mod entry;
mod frame;
mod machine;
mod memory;
mod operator;
mod space;
mod writes;

#[cfg(test)]
pub(crate) mod tests;

pub use crate::core::Failure;
pub use column::{Column, Slot};

pub(crate) use machine::Machine;
pub(crate) use memory::{EVERYONE, Memory};

use machine::BODIES_PER_CALL;
use memory::Nowhere;
use std::collections::BTreeMap;
use terrace_base::Span;
use terrace_ir::FuncId;
use terrace_ir::flat::note::Note;
use terrace_ir::flat::{Level, Program};
use terrace_plan::data::Data;
use terrace_plan::threshold::Guarded;

/// Limits of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many calls may be open at once.
    pub depth_limit: usize,
    /// How many statements may run.
    pub step_limit: u64,
    /// How many elements one column may have.
    pub element_limit: usize,
    /// What `memory_limit` gives: the bytes that one wave may plan for.
    pub memory_limit: u64,
    /// Whether to note what guards compare.
    pub log_guards: bool,
}

/// Little, so that large recursions stay in waves, which take far fewer steps than a thread per point, and so that waves are split now and then.
const WAVE_BYTES: u64 = 5 << 20;

impl Default for Options {
    fn default() -> Options {
        Options {
            depth_limit: crate::core::DEPTH_LIMIT,
            step_limit: u64::MAX,
            element_limit: 1 << 28,
            memory_limit: WAVE_BYTES,
            log_guards: false,
        }
    }
}

/// How much a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Statements evaluated.
    pub statements: u64,
    /// Calls made.
    pub calls: u64,
    /// Operators run, by kind and level.
    pub operators: BTreeMap<(&'static str, Level), u64>,
    /// Points visited, of all operators.
    pub points: u64,
    /// Elements of the columns made by statements at the host level.
    pub elements: u64,
    /// Elements of local arrays.
    pub local_elements: u64,
    /// Elements copied as they are: by maps that do nothing else, and by scatters that do not take the place of their destination (Mem).
    pub copied: u64,
    /// Blocks allocated (Mem).
    pub blocks: u64,
    /// Elements of these blocks (Mem).
    pub block_elements: u64,
    /// The guards that were passed, in order, where they are asked for.
    pub guards: Vec<Guarded>,
}

/// Calls an entry or a test with the usual limits.
pub fn call<A: Note + Sync>(
    program: &Program<A>,
    function: FuncId,
    args: Vec<Data>,
) -> Result<(Data, Counts), Failure> {
    let (result, counts) = run(program, function, args, &Options::default());
    result.map(|data| (data, counts))
}

/// Calls an entry or a test under stated limits, and says how much it did.
pub fn run<A: Note + Sync>(
    program: &Program<A>,
    function: FuncId,
    args: Vec<Data>,
    options: &Options,
) -> (Result<Data, Failure>, Counts) {
    on_own_stack(program, options, || Nowhere, |machine| machine.enter(function, &args))
}

/// Calls any function with scalars and columns; blocks of Mem are no arguments.
pub fn call_slots<A: Note + Sync>(
    program: &Program<A>,
    function: FuncId,
    args: Vec<Slot>,
    options: &Options,
) -> (Result<Vec<Slot>, Failure>, Counts) {
    on_own_stack(program, options, || Nowhere, |machine| machine.enter_slots(function, args))
}

/// Runs a machine in a thread whose stack fits the depth limit.
pub(crate) fn on_own_stack<A: Note + Sync, M: Memory, T: Send>(
    program: &Program<A>,
    options: &Options,
    memory: impl FnOnce() -> M + Send,
    work: impl FnOnce(&mut Machine<'_, A, M>) -> Result<T, Box<Failure>> + Send,
) -> (Result<T, Failure>, Counts) {
    let stack = options.depth_limit.saturating_mul(BODIES_PER_CALL).saturating_add(4096).saturating_mul(2048);
    let work = move || {
        let mut machine = Machine::new(program, options, memory());
        let result = work(&mut machine).map_err(|failure| *failure);
        (result, machine.counts())
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("terrace".to_string()).stack_size(stack);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => {
                let failure = machine::failure("memory", "", vec![stack as i64], Span::none());
                (Err(failure), Counts::default())
            }
        }
    })
}
