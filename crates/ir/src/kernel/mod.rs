//! Kernels: imperative functions that run tile by tile.
//!
//! A kernel is what a device executes. Its work is cut into *tiles*; on a GPU a tile is the work of one block, on a CPU a
//! range of tiles is one call of a C function. Expressions are trees, so that the printed C reads like C:
//!
//! ```text
//! kernel saxpy_map(out x: f32[], a: f32, xs: f32[], n: i64) block 256 {
//!   let q = tile * 1024 + thread
//!   if q < n { x[q] = fma(a, xs[q], ys[q]) }
//! }
//! ```
//!
//! A kernel may have several phases, run one after the other with a barrier over the whole device between them (CPU
//! kernels use this: partial results, then their combination). Threads of a block meet at `barrier`, which stands only in
//! control flow that is the same for the whole block; the verifier says so. Blocks talk to each other only through
//! `Publish`, `Await`, `LoadFresh`, `AtomicAdd`, `Announce` and `Earlier`; `Atomic` lets them share results that come out the same in any order.
//!
//! Every kernel has two parameters that are not listed: the error record and the number of the launch. A `check` that fails
//! records itself there, least (check, index) first, marks the thread as failed and goes on; the printers make a kernel start
//! with a test whether an *earlier* launch has failed, so what is reported does not depend on timing.

mod parts;
pub mod print;
mod typing;
pub mod verify;

use crate::check::CheckId;
use terrace_base::IdVec;
use terrace_base::Span;
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_plan::host::HostFunction;
use terrace_plan::ranges::Small;
use terrace_plan::threshold::Threshold;
use terrace_plan::{CheckText, Entry, Target};

/// Kernels and the host program that launches them.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// For which kind of device.
    pub target: Target,
    /// The kernels; launches refer to them by index.
    pub kernels: Vec<Kernel>,
    /// The host program.
    pub functions: Vec<HostFunction>,
    /// What can be called from outside.
    pub entries: Vec<Entry>,
    /// The checks.
    pub checks: Vec<CheckText>,
    /// What guards compare with.
    pub thresholds: Vec<Threshold>,
}

terrace_base::define_id!(
    /// A local variable of a kernel.
    LocalId
);
terrace_base::define_id!(
    /// A parameter of a kernel.
    ParamId
);
terrace_base::define_id!(
    /// An array of fixed size: in shared memory, or private to the thread.
    ArrayId
);

/// A kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// A name that says what it computes; unique in the program.
    pub name: String,
    /// The parameters, in the order of launch arguments.
    pub params: IdVec<ParamId, Param>,
    /// The local variables.
    pub locals: IdVec<LocalId, Local>,
    /// Arrays of fixed size.
    pub arrays: IdVec<ArrayId, Array>,
    /// What a tile does, phase by phase.
    pub phases: Vec<Vec<Stmt>>,
    /// Threads per block; 1 on a CPU.
    pub block: u32,
    /// Blocks that a multiprocessor should be able to hold at a time, as far as registers decide that; 1 where it does not matter.
    pub resident: u32,
    /// The same with indices of 32 bits, and when that runs instead.
    pub small: Option<Small>,
    /// The source that it computes.
    pub span: Span,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The name it prints under.
    pub name: String,
    /// What it is.
    pub kind: ParamKind,
    /// Whether each element is read once, while others of the kernel's buffers are read again and again: a cache had better keep those.
    pub once: bool,
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A buffer that is only read. No other buffer of the launch overlaps it.
    Input(ScalarType),
    /// A buffer that is written; nobody else reads or writes it.
    Output(ScalarType),
    /// A buffer that several tiles write and read.
    Scratch(ScalarType),
    /// A scalar by value.
    Scalar(ScalarType),
    /// A scalar on the device, read.
    CellIn(ScalarType),
    /// A scalar on the device, written.
    CellOut(ScalarType),
}

impl ParamKind {
    /// The type of the elements, if it is a buffer.
    pub fn elem(self) -> Option<ScalarType> {
        match self {
            ParamKind::Input(s) | ParamKind::Output(s) | ParamKind::Scratch(s) => Some(s),
            ParamKind::Scalar(_) | ParamKind::CellIn(_) | ParamKind::CellOut(_) => None,
        }
    }
}

/// A local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// The name it prints under.
    pub name: String,
    /// Its type.
    pub ty: ScalarType,
}

/// An array of fixed size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The name it prints under.
    pub name: String,
    /// The type of an element.
    pub elem: ScalarType,
    /// How many.
    pub count: usize,
    /// In shared memory (else private to the thread).
    pub shared: bool,
}

/// Columns of counts that tiles announce.
pub const COLUMNS: usize = 256;

/// A computation without effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Const(Scalar),
    /// A local variable.
    Local(LocalId),
    /// A scalar parameter, or the value in a cell (read once, when the kernel starts).
    Param(ParamId),
    /// The number of the tile, an `i64`.
    Tile,
    /// The number of the thread in its block, an `i64`; 0 on a CPU.
    Thread,
    /// Whether a check of this thread has failed.
    Failed,
    /// An operation.
    Unary(UnOp, Box<Expr>),
    /// An operation. `Div` and `Rem` round towards minus infinity, and are 0 where the divisor is.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `a / b` of `i64` or `i32` operands known to be `a >= 0`, `b > 0`: plain machine division.
    Quotient(Box<Expr>, Box<Expr>),
    /// A sum, difference or product of `i32` operands that is known to fit: nothing wraps, so an address may be computed from its parts.
    Exact(BinOp, Box<Expr>, Box<Expr>),
    /// `a * b + c`, rounded once.
    Fma(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A conversion.
    Convert(ScalarType, Box<Expr>),
    /// The place of a value in the total order of its type, as an unsigned integer: `u64` where the type has 64 bits, else
    /// `u32` ([`terrace_base::ordinal_type`]).
    Ordinal(Box<Expr>),
    /// `if c then a else b`; only one of the two is computed.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// An element of a buffer.
    Load(ParamId, Box<Expr>),
    /// An element of a scratch buffer that another block may have written during this launch: never from a stale cache.
    LoadFresh(ParamId, Box<Expr>),
    /// An element of an array of fixed size.
    Element(ArrayId, Box<Expr>),
    /// The value of another lane of the warp (every lane of the warp takes part).
    Shuffle(Shuffle, Box<Expr>, Box<Expr>),
}

/// From which lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// That many lanes below; own value where there is none.
    Up,
    /// That many lanes above; own value where there is none.
    Down,
    /// This lane.
    Lane,
}

/// What a function that a thread runs gets.
#[derive(Clone, Debug, PartialEq)]
pub enum RunArg {
    /// A scalar.
    Value(Expr),
    /// A buffer, which is only read.
    Buffer(ParamId),
}

/// Where the elements are of which some are kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// The first ones of an array of fixed size, private to the thread.
    Array(ArrayId),
    /// Those of a buffer from a position on.
    Buffer(ParamId, Expr),
}

/// What a function that a thread runs gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A scalar.
    Scalar(LocalId),
    /// A number that stands for a buffer of elements of this type, as many as the other variable says.
    Held(LocalId, ScalarType, LocalId),
}

impl Given {
    /// The variable.
    pub fn local(self) -> LocalId {
        let (Given::Scalar(v) | Given::Held(v, ..)) = self;
        v
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A local variable gets a value; the first assignment declares it.
    Let(LocalId, Expr),
    /// A local variable, declared before, gets a new value.
    Assign(LocalId, Expr),
    /// An element of a buffer is written.
    Store(ParamId, Expr, Expr),
    /// A cell is written.
    StoreCell(ParamId, Expr),
    /// An element of an array of fixed size is written.
    SetElement(ArrayId, Expr, Expr),
    /// Elements of an array of fixed size go to a buffer, one beside the other. They are not read soon.
    StoreRun {
        /// Written.
        buffer: ParamId,
        /// Where the first one goes.
        at: Expr,
        /// Private to the thread.
        array: ArrayId,
        /// Where the first one is.
        from: Expr,
        /// How many.
        count: usize,
    },
    /// A few elements of a buffer, one beside the other, come to an array of fixed size by one load.
    LoadWide {
        /// Gets them; private to the thread.
        array: ArrayId,
        /// Where the first one goes.
        into: Expr,
        /// Read. It begins at a multiple of 16 bytes.
        buffer: ParamId,
        /// Where the first one is: a multiple of `count`.
        at: Expr,
        /// How many: a power of two, 16 bytes at most.
        count: usize,
    },
    /// A few elements of an array of fixed size go to a buffer, one beside the other, by one store.
    StoreWide {
        /// Written. It begins at a multiple of 16 bytes.
        buffer: ParamId,
        /// Where the first one goes: a multiple of `count`.
        at: Expr,
        /// Private to the thread.
        array: ArrayId,
        /// Where the first one is.
        from: Expr,
        /// How many: a power of two, 16 bytes at most.
        count: usize,
    },
    /// Of some neighbouring elements, those that stay go to a buffer, one beside the other.
    StoreKept {
        /// Gets their number.
        into: LocalId,
        /// Written.
        buffer: ParamId,
        /// Where the first one goes.
        at: Expr,
        /// Behind the last place of whoever writes: what lies between those that stay and this may be written over with anything, and is written later.
        end: Expr,
        /// What is looked at.
        from: Kept,
        /// Which of them stay: truths in an array of fixed size, private to the thread.
        keep: ArrayId,
        /// How many are looked at.
        count: Expr,
    },
    /// One of two.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Repetition while the condition holds and no check of this thread has failed.
    While(Expr, Vec<Stmt>),
    /// The variable counts from `from` while less than `to`, in steps of `step`.
    For {
        /// An `i64` or `i32`, as are the three that follow; declared by the statement.
        var: LocalId,
        /// First value.
        from: Expr,
        /// Bound, exclusive.
        to: Expr,
        /// Positive.
        step: Expr,
        /// The body.
        body: Vec<Stmt>,
        /// Iterations are independent or lane-wise: the compiler may vectorise.
        simd: bool,
    },
    /// All threads of the block meet.
    Barrier,
    /// A check: where it fails, the least (check, index) is recorded and the thread is marked as failed.
    Check {
        /// Which.
        check: CheckId,
        /// Must be true.
        cond: Expr,
        /// The position that is reported, an `i64`.
        index: Expr,
        /// What the message shows, each an `i64`; three at most.
        values: Vec<Expr>,
    },
    /// `local = buffer[at]; buffer[at] += value`, atomically.
    AtomicAdd {
        /// Gets the old value.
        into: LocalId,
        /// Scratch.
        buffer: ParamId,
        /// Which element.
        at: Expr,
        /// What is added.
        value: Expr,
    },
    /// `buffer[at] = operator(buffer[at], value)`, atomically, without any order among threads.
    Atomic {
        /// Gives the same result in any order.
        operator: BinOp,
        /// Scratch.
        buffer: ParamId,
        /// Which element.
        at: Expr,
        /// The other operand.
        value: Expr,
    },
    /// `array[at] = operator(array[at], value)`, atomically among the threads of the block, without any order.
    AtomicElement {
        /// Gives the same result in any order.
        operator: BinOp,
        /// In shared memory, of 4 or 8 bytes.
        array: ArrayId,
        /// Which element.
        at: Expr,
        /// The other operand.
        value: Expr,
    },
    /// Numbers equal places within a warp: `into` is `counts[at]` and one more for every lower lane with the same `at`; then `counts[at]`
    /// grows by the number of lanes that have it. Every lane of the warp takes part, and no other warp uses these elements meanwhile.
    Rank {
        /// Gets the number, a `u32`.
        into: LocalId,
        /// `u32`, in shared memory.
        counts: ArrayId,
        /// As long as `counts`, and all zero before and afterwards.
        marks: ArrayId,
        /// Which element.
        at: Expr,
    },
    /// A count becomes known to other blocks; nothing else does. See [`Stmt::Earlier`].
    Announce {
        /// Scratch, `i32`, all zero when the kernel starts.
        words: ParamId,
        /// Which element.
        at: Expr,
        /// An `i32`, not negative.
        count: Expr,
    },
    /// The counts of all earlier tiles in one of [`COLUMNS`] columns, added up. A tile announces its own count at `tile * COLUMNS + column`
    /// before it asks; it waits only for tiles with smaller numbers.
    /// Tiles are counted in base 8: there are words for every tile, every 8 and every 64, and tops for every 512 (one more of each).
    Earlier {
        /// Gets the sum, an `i64`.
        into: LocalId,
        /// Where tiles announce, `i32`.
        words: ParamId,
        /// Where sums of many tiles are, `i64`, all zero when the kernel starts.
        tops: ParamId,
        /// How many tiles there are, an `i64`.
        tiles: Expr,
        /// The number of this one, an `i64`.
        tile: Expr,
        /// An `i64`.
        column: Expr,
        /// What this tile has announced, an `i32`.
        own: Expr,
    },
    /// All writes of this thread become visible to other blocks, then the flag is written.
    Publish {
        /// Scratch.
        flags: ParamId,
        /// Which element.
        at: Expr,
        /// Not zero.
        value: Expr,
    },
    /// A value and a flag go to other blocks, both or neither. No other write becomes visible by it.
    Send {
        /// Scratch of `i32`; a value takes two elements, of 8 bytes four.
        words: ParamId,
        /// The first element: an even number.
        at: Expr,
        /// Any scalar.
        value: Expr,
        /// An `i32`, not zero.
        flag: Expr,
    },
    /// Takes what was sent, if it is there: else the flag is zero and the value anything.
    Receive {
        /// Gets the value.
        value: LocalId,
        /// Gets the flag, an `i32`.
        flag: LocalId,
        /// Scratch of `i32`.
        words: ParamId,
        /// The first element.
        at: Expr,
        /// Whether it waits until something is there.
        wait: bool,
    },
    /// The thread runs a function of the host program by itself, all of it, with memory of its own; only on a CPU. Where a check fails inside, the
    /// failure is recorded for `index`.
    Run {
        /// Index of the function in the program.
        function: usize,
        /// What it gets.
        args: Vec<RunArg>,
        /// Variables that are declared and get what the function gives.
        into: Vec<Given>,
        /// A `bool` that is declared: whether nothing has failed.
        ok: LocalId,
        /// The position that is reported, an `i64`.
        index: Expr,
        /// The call, for the depth limit's message.
        span: Span,
    },
    /// Elements of a buffer that [`Stmt::Run`] has kept go to their place; what was kept is gone.
    Take {
        /// Written.
        buffer: ParamId,
        /// Where the first one goes.
        at: Expr,
        /// What stands for the buffer, an `i64`.
        handle: Expr,
        /// How many.
        count: Expr,
    },
    /// Waits until the flag is not zero and takes its value; what was published before it is visible afterwards.
    Await {
        /// Gets the flag.
        into: LocalId,
        /// Scratch.
        flags: ParamId,
        /// Which element.
        at: Expr,
    },
}
