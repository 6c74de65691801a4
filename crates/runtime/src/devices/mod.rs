//! What a device can do.
//!
//! A device has memory and runs code. The executor knows nothing else: a new device implements these two traits and passes the conformance
//! suite. All work of a device happens in the order in which it was asked for; only `download` and `synchronise` wait for it.
//!
//! ```text
//! Device  alloc  free  upload  download  zero  synchronise  load        one per runtime
//! Code    prepare  launch  replay  begin  end                           one per plan
//! ```
//!
//! This folder is the only one with `unsafe`. What it rests on: handles are made by `alloc` alone and the executor drops them after
//! `free`; every copy is checked against the handle's size; a kernel gets the arguments that the plan declares, and that its text is
//! right is the compiler's word.

pub(crate) mod arena;
pub(crate) mod cache;
mod compiler;
pub(crate) mod cpu;
pub(crate) mod cuda;
pub(crate) mod cuda_sim;
mod host_memory;
pub(crate) mod host_view;
pub(crate) mod interrupt;
pub(crate) mod mapped_file;
pub(crate) mod opencl;
mod pool;
mod processor;
mod regions;
mod replay;
pub(crate) mod report;
mod team;
mod units;

use std::time::Duration;
use terrace_base::Scalar;
use terrace_plan::{Plan, Target};

pub(crate) use replay::Work;

/// A piece of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle {
    address: u64,
    bytes: u64,
}

impl Handle {
    /// Where it begins, for memory that the host shares.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// How many bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The address of a range, which must be inside.
    fn range(&self, offset: u64, bytes: u64) -> Result<u64, String> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(self.address + offset),
            _ => Err(format!("bytes {offset} and {bytes} more of a buffer of {} bytes", self.bytes)),
        }
    }
}

/// Why there is no memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AllocError {
    /// There is not enough.
    Full,
    /// Something else.
    Failed(String),
}

/// An argument of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg {
    /// An address inside a piece of device memory.
    Address(Handle, u64),
    /// A scalar by value.
    Scalar(Scalar),
}

impl Arg {
    /// The address and the size of a whole buffer.
    pub(crate) fn buffer(&self) -> Option<(u64, u64)> {
        match self {
            Arg::Address(handle, 0) => Some((handle.address, handle.bytes)),
            _ => None,
        }
    }
}

/// One phase of one kernel over all its tiles.
pub(crate) struct Launch<'a> {
    /// Index of the kernel in the plan.
    pub(crate) kernel: usize,
    /// Which of its phases.
    pub(crate) phase: usize,
    /// How many tiles; at least one.
    pub(crate) tiles: u64,
    /// The error record.
    pub(crate) record: Handle,
    /// The number of the launch in its run, from 1.
    pub(crate) number: i64,
    /// The arguments.
    pub(crate) args: &'a [Arg],
    /// The memory of threads that run functions by themselves.
    pub(crate) arena: &'a arena::Arena,
}

/// How long a run took on the device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    /// All of it.
    pub(crate) device_ms: f64,
    /// By kernel; empty where it was not measured.
    pub(crate) kernel_ms: Vec<f64>,
}

/// What the compiler made of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelResources {
    /// The function.
    pub name: String,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of shared memory per block.
    pub shared_bytes: u32,
    /// Bytes of local memory per thread: spilled registers and arrays.
    pub local_bytes: u32,
}

/// Memory, and a way to load code.
pub(crate) trait Device: Send + Sync {
    /// What people call it.
    fn name(&self) -> String;
    /// How much memory it has.
    fn memory_bytes(&self) -> u64;
    /// Which kernels it runs.
    fn target(&self) -> Target;
    /// How many threads (of a GPU: multiprocessors) share a launch, where that is known.
    fn workers(&self) -> usize {
        1
    }
    /// Compiles and loads the kernels of a plan.
    fn load(&self, plan: &Plan) -> Result<Box<dyn Code>, String>;
    /// New memory, aligned for any scalar and any vector of them; contents are not defined.
    fn alloc(&self, bytes: u64) -> Result<Handle, AllocError>;
    /// Memory of the host as memory of this device, where that is one and the same. Kernels only read it; it is aligned for its elements,
    /// and there is nothing behind its end.
    fn lend(&self, _bytes: &[u8]) -> Option<Handle> {
        None
    }
    /// Whether the host can read the memory where it is.
    fn is_host(&self) -> bool {
        false
    }
    /// Gives memory back.
    fn free(&self, handle: Handle);
    /// Copies in.
    fn upload(&self, to: Handle, offset: u64, bytes: &[u8]) -> Result<(), String>;
    /// Waits for everything and copies out.
    fn download(&self, from: Handle, offset: u64, bytes: &mut [u8]) -> Result<(), String>;
    /// Sets the first bytes to zero.
    fn zero(&self, handle: Handle, bytes: u64) -> Result<(), String>;
    /// Waits for everything.
    fn synchronise(&self) -> Result<(), String>;
}

/// Loaded kernels.
pub(crate) trait Code: Send + Sync {
    /// Whether kernels are compiled when they are first wanted.
    fn compiles_late(&self) -> bool {
        false
    }
    /// Compiles those of these kernels that are not yet, several at once.
    fn prepare(&self, _kernels: &[usize]) -> Result<(), String> {
        Ok(())
    }
    /// How long callers have waited for a compiler since the code was loaded.
    fn compiling(&self) -> Duration {
        Duration::ZERO
    }
    /// Runs one phase of a kernel, perhaps later.
    fn launch(&self, launch: &Launch<'_>) -> Result<(), String>;
    /// Whether the launches of a loop can be recorded; only then is it asked for the next two.
    fn replays(&self) -> bool {
        false
    }
    /// Runs the work of some turns of a loop, perhaps later; whether a recording of earlier turns did it. A loop always comes with the same key.
    fn replay(&self, _key: usize, work: &[Work]) -> Result<bool, String> {
        work.iter().try_for_each(|w| self.one(w)).map(|()| false)
    }
    /// Runs what was meant for a recording and came too late.
    fn one(&self, _work: &Work) -> Result<(), String> {
        Err("this device records nothing".to_string())
    }
    /// Starts the clocks.
    fn begin(&self, profile: bool) -> Result<(), String>;
    /// Says that nothing more will be launched: the clock of the device stops there, and not when the host has heard of it.
    fn all_asked(&self) -> Result<(), String> {
        Ok(())
    }
    /// Waits for everything and reads the clocks.
    fn end(&self) -> Result<Times, String>;
    /// What people should know about how the kernels came to be: that they could not be kept, and why.
    fn remark(&self) -> Option<&str> {
        None
    }
    /// What the compiler made of the kernels, where it says.
    fn resources(&self) -> Vec<KernelResources> {
        Vec::new()
    }
}

/// The record, the launch number and the arguments, eight bytes each; a driver reads as many of them as the parameter has.
fn argument_values(launch: &Launch<'_>) -> Vec<u64> {
    let mut values = vec![launch.record.address, launch.number as u64];
    values.extend(launch.args.iter().map(|arg| match arg {
        Arg::Address(handle, offset) => handle.address + offset,
        Arg::Scalar(s) => s.raw_bits().to_le(),
    }));
    values
}

/// The name of a phase's function.
fn phase_name(kernel: &str, phase: usize) -> String {
    match phase {
        0 => kernel.to_string(),
        _ => format!("{kernel}_{phase}"),
    }
}
