//! The executable plan: the border between compiler and runtime.
//!
//! A plan is all that the runtime needs to run a program: the text of its kernels, a host program that allocates,
//! launches, reads sizes back and branches, and how the columns of an entry make up nested values. The compiler writes it, an
//! executor runs it on any device, and neither knows the other.

pub mod capture;
pub mod data;
pub mod encoding;
pub mod host;
pub mod layout;
pub mod messages;
pub mod print;
pub mod ranges;
pub mod surface;
pub mod threshold;

use host::HostFunction;
use layout::Layout;
use ranges::Small;
use terrace_base::ScalarType;
use terrace_base::Span;
use threshold::Threshold;

/// Raised whenever the meaning of a plan changes.
pub const VERSION: u32 = 4;

/// A whole executable program.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// [`VERSION`] of the compiler that wrote it.
    pub version: u32,
    /// For which kind of device the kernels are.
    pub target: Target,
    /// The host program.
    pub functions: Vec<HostFunction>,
    /// The kernels; launches refer to them by index.
    pub kernels: Vec<KernelText>,
    /// What all kernel texts start with.
    pub preamble: String,
    /// The functions that threads run by themselves: they stand once before the kernels that are [`KernelText::alone`].
    pub alone: String,
    /// What can be called from outside.
    pub entries: Vec<Entry>,
    /// The checks that kernels and the host program refer to by index.
    pub checks: Vec<CheckText>,
    /// What guards of the host program compare with; they refer to it by index.
    pub thresholds: Vec<Threshold>,
}

/// The kinds of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// C functions over ranges of tiles.
    C,
    /// CUDA C kernels, a block per tile.
    Cuda,
    /// OpenCL C kernels, a work-group per tile.
    OpenCl,
}

/// An entry or a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name in the source.
    pub name: String,
    /// Whether it is a test.
    pub is_test: bool,
    /// Index of the host function.
    pub function: usize,
    /// How the function's parameters make up the nested ones.
    pub params: Vec<Layout>,
    /// Which slots of all parameters together it may write over, because it consumes them: whoever shares memory with a caller copies these.
    pub consumed: Vec<usize>,
    /// How its results make up the nested one.
    pub result: Layout,
}

/// A kernel as text.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelText {
    /// The name of the function in the text; with several phases, of the first: phase `p` is `name_p`.
    pub name: String,
    /// The text of all phases.
    pub text: String,
    /// The parameters, in the order of launch arguments.
    pub params: Vec<KernelParam>,
    /// How many functions, run one after the other over their tiles.
    pub phases: usize,
    /// Threads per block (1 on a CPU).
    pub block: u32,
    /// The same with indices of 32 bits, and when that runs instead. Launches name the kernel that has one, never the twin itself.
    pub small: Option<Small>,
    /// Whether its threads run functions by themselves: each gets, behind the arguments, the address of its own memory.
    pub alone: bool,
    /// The source that it computes.
    pub span: Span,
}

/// What a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelParam {
    /// The address of a buffer.
    Buffer(ScalarType),
    /// The address of one scalar that lives on the device.
    Cell(ScalarType),
    /// A scalar by value.
    Scalar(ScalarType),
}

/// A check as the runtime reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckText {
    /// The stable code.
    pub code: &'static str,
    /// Which words the message is made of.
    pub kind: String,
    /// The text that belongs to the kind (an assertion's message, a size as written).
    pub text: String,
    /// Where.
    pub span: Span,
}
