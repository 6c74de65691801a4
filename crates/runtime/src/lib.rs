//! The runtime: runs a plan on a device.
//!
//! ```text
//! let runtime = Runtime::new(Backend::Cpu { threads: 0 }, Options::default())?;
//! let loaded = runtime.load(&plan)?;                                 compiles the kernels, or finds them in the cache
//! let (result, stats) = loaded.call("saxpy", &[a, xs, ys])?;
//! ```
//!
//! The rooms: `values` turns nested values into columns and back, `memory` counts and limits what is allocated, `executor` runs the host
//! program, `devices` are where kernels run. The runtime sees plans only: no IR, no source.
//!
//! For measurements, [`Loaded::prepare`] puts arguments on the device once, [`Loaded::run`] runs without bringing results back, and
//! [`Loaded::fetch`] brings them when they are wanted.

mod devices;
mod error;
mod executor;
mod loaded;
mod memory;
mod stats;
mod values;

pub use devices::KernelResources;
pub use devices::cache::{keep, kept};
pub use devices::cpu::c_compiler;
pub use devices::cuda::{compile_cubin, cuda_resources, nvrtc_available};
pub use devices::interrupt::{on_interrupt, request_stop};
pub use devices::mapped_file::map_file;
pub use devices::report::{Found, Place, devices};
pub use error::RunError;
pub use executor::Capture;
pub use loaded::{Args, Argument, DeviceResults, EntryRef, Loaded};
pub use memory::byte_count;
pub use stats::Stats;
pub use values::{Column, Element, Owner, SlotValue, ValueError, check_slots, from_slots, to_slots};

use std::sync::Arc;

use terrace_plan::{Plan, Target, VERSION};

use devices::Device;
use devices::cpu::Cpu;
use devices::cuda::Cuda;
use devices::cuda_sim::CudaSim;
use devices::opencl::OpenCl;
use memory::Space;

/// Where kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// C kernels on this machine's cores.
    Cpu {
        /// How many threads; 0 is one per core.
        threads: usize,
    },
    /// CUDA kernels on the CPU, for testing.
    CudaSim {
        /// Which schedule.
        seed: u64,
    },
    /// CUDA kernels on a GPU.
    Cuda {
        /// Which GPU, from 0.
        device: usize,
    },
    /// OpenCL kernels on any device that has a driver for it.
    OpenCl {
        /// Which device, from 0, through all platforms.
        device: usize,
    },
}

impl Backend {
    /// The kind of plan that it runs.
    pub fn target(&self) -> Target {
        match self {
            Backend::Cpu { .. } => Target::C,
            Backend::CudaSim { .. } | Backend::Cuda { .. } => Target::Cuda,
            Backend::OpenCl { .. } => Target::OpenCl,
        }
    }
}

/// How to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The most bytes of device memory in use at once; all the device has where none is stated.
    pub memory_limit: Option<u64>,
    /// How deeply calls may nest.
    pub depth_limit: usize,
    /// Whether to measure every kernel on a GPU.
    pub profile: bool,
    /// Whether to note what guards compare.
    pub log_guards: bool,
    /// When the launches of loops are recorded, on a device that can; never where there is none.
    pub capture: Option<Capture>,
    /// Kernels run with indices of 32 bits where those of the launch stay below this number: 0 for never.
    pub index_limit: i64,
    /// On the CPU: a launch expected to take fewer nanoseconds is not spread over threads.
    pub inline_ns: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            memory_limit: None,
            depth_limit: terrace_plan::messages::DEPTH_LIMIT,
            profile: false,
            log_guards: false,
            capture: Some(Capture::NORMAL),
            index_limit: terrace_plan::ranges::INDEX_LIMIT,
            inline_ns: 20_000,
        }
    }
}

/// A device that plans can be loaded on.
pub struct Runtime {
    space: Arc<Space>,
    options: Options,
}

impl Runtime {
    /// Opens a device.
    pub fn new(backend: Backend, options: Options) -> Result<Runtime, RunError> {
        let device: Arc<dyn Device> = match backend {
            Backend::Cpu { threads } => {
                Arc::new(Cpu::new(threads, options.inline_ns, options.memory_limit).map_err(RunError::Device)?)
            }
            Backend::CudaSim { seed } => Arc::new(CudaSim::new(seed)),
            Backend::Cuda { device } => Arc::new(Cuda::new(device).map_err(RunError::Device)?),
            Backend::OpenCl { device } => Arc::new(OpenCl::new(device).map_err(RunError::Device)?),
        };
        let space = Space::new(device, options.memory_limit);
        Ok(Runtime { space, options })
    }

    /// What people call the device.
    pub fn device_name(&self) -> String {
        self.space.device.name()
    }

    /// How much memory the device has.
    pub fn device_memory(&self) -> u64 {
        self.space.device.memory_bytes()
    }

    /// Makes a plan ready to run.
    pub fn load(&self, plan: &Plan) -> Result<Loaded, RunError> {
        if plan.version != VERSION {
            let text = format!("the plan has version {}, this runtime runs version {VERSION}", plan.version);
            return Err(RunError::Plan(text));
        }
        if plan.target != self.space.device.target() {
            let text = format!("a plan for {:?} does not run on {}", plan.target, self.device_name());
            return Err(RunError::Plan(text));
        }
        let code = self.space.device.load(plan).map_err(RunError::Device)?;
        Ok(Loaded::new(plan.clone(), code, self.space.clone(), self.options))
    }
}
