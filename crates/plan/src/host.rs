//! The host program: what happens between launches.
//!
//! A small structured language over *slots*. A slot is a scalar on the host, a *cell* (a scalar that lives on the device) or
//! a buffer. A size that a kernel computes stays in a cell; buffers are allocated and grids launched by a host-side upper
//! bound, and kernels read the true size. `Read` is the only statement that waits for the device; how many are executed is a
//! tested property of a program.

use terrace_base::Span;
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};

/// A function of the host program. Its frames live on the heap: recursion does not use the native stack.
#[derive(Clone, Debug, PartialEq)]
pub struct HostFunction {
    /// Its name.
    pub name: String,
    /// What each slot holds, and the name it prints under.
    pub slots: Vec<SlotInfo>,
    /// The slots that arguments are bound to.
    pub params: Vec<SlotId>,
    /// The slots that are handed back.
    pub results: Vec<SlotId>,
    /// The statements.
    pub body: Vec<HostStmt>,
}

terrace_base::define_id!(
    /// A slot of a host function.
    SlotId
);

/// What is known about a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotInfo {
    /// The name it prints under.
    pub name: String,
    /// What it holds.
    pub ty: SlotType,
}

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotType {
    /// A scalar on the host.
    Host(ScalarType),
    /// A scalar on the device.
    Cell(ScalarType),
    /// A buffer on the device; shared, and freed with its last slot.
    Buffer(ScalarType),
}

/// A scalar computation on the host.
#[derive(Clone, Debug, PartialEq)]
pub enum HostExpr {
    /// A constant.
    Const(Scalar),
    /// A host slot.
    Slot(SlotId),
    /// An operation.
    Unary(UnOp, Box<HostExpr>),
    /// An operation.
    Binary(BinOp, Box<HostExpr>, Box<HostExpr>),
    /// `a * b + c`, rounded once.
    Fma(Box<HostExpr>, Box<HostExpr>, Box<HostExpr>),
    /// A conversion.
    Convert(ScalarType, Box<HostExpr>),
    /// `if c then a else b`.
    Select(Box<HostExpr>, Box<HostExpr>, Box<HostExpr>),
    /// The number of bytes that one wave may plan for.
    MemoryLimit,
    /// How many threads share a launch, an `i64`. No result may depend on it.
    Workers,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum HostStmt {
    /// A host scalar gets a value.
    Compute {
        /// The slot.
        to: SlotId,
        /// Its value.
        expr: HostExpr,
    },
    /// A `bool` on the host: whether a quantity reaches a threshold.
    Guard {
        /// The slot.
        to: SlotId,
        /// Index of the threshold in the plan.
        threshold: usize,
        /// What is compared with it, an `i64`.
        quantity: HostExpr,
    },
    /// A new buffer of `count` elements; contents are not defined.
    Alloc {
        /// The slot.
        to: SlotId,
        /// How many elements.
        count: HostExpr,
        /// For whom, in messages.
        span: Span,
    },
    /// A new cell.
    AllocCell {
        /// The slot.
        to: SlotId,
    },
    /// The slot's value is a slot's value (buffers and cells are shared, not copied).
    Alias {
        /// The slot that gets it.
        to: SlotId,
        /// The slot that has it.
        from: SlotId,
    },
    /// The slot lets go of its buffer.
    Free {
        /// The slot.
        slot: SlotId,
    },
    /// Every byte of a buffer becomes zero.
    Zero {
        /// The buffer.
        buffer: SlotId,
    },
    /// What follows copies an array of so many bytes as it is. Only for the books: tests state what is not copied.
    Copies {
        /// How many, at most.
        bytes: HostExpr,
    },
    /// A host scalar is written to a cell.
    WriteCell {
        /// The cell.
        cell: SlotId,
        /// What.
        value: HostExpr,
    },
    /// A kernel runs; `tiles` has one entry per phase.
    Launch {
        /// Index of the kernel in the plan.
        kernel: usize,
        /// How many tiles each phase covers.
        tiles: Vec<HostExpr>,
        /// The arguments, in the order of its parameters.
        args: Vec<Argument>,
    },
    /// Waits for the device, tests the error flag, and brings cells to host slots: one host read, however many cells.
    Read {
        /// Pairs of cell and host slot.
        cells: Vec<(SlotId, SlotId)>,
    },
    /// Stops the program unless the condition holds.
    Check {
        /// Which check of the plan.
        check: u32,
        /// Must be true.
        cond: HostExpr,
        /// What the message shows.
        values: Vec<HostExpr>,
    },
    /// One of two.
    If {
        /// Which.
        cond: HostExpr,
        /// If it holds.
        then: Vec<HostStmt>,
        /// If not.
        otherwise: Vec<HostStmt>,
    },
    /// Runs `cond`, leaves if `test` is false, runs `body`, again.
    While {
        /// Run before each test.
        cond: Vec<HostStmt>,
        /// Whether to go on.
        test: HostExpr,
        /// The body.
        body: Vec<HostStmt>,
    },
    /// A call; the frame lives on the heap.
    Call {
        /// Index of the function in the plan.
        function: usize,
        /// Slots whose values the parameters get.
        args: Vec<SlotId>,
        /// Slots that get the results.
        results: Vec<SlotId>,
        /// Where, for the depth limit's message.
        span: Span,
    },
}

/// A launch argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A buffer or a cell.
    Slot(SlotId),
    /// A scalar by value.
    Value(HostExpr),
}
