//! Where a program runs, and the choices a run depends on.

use std::collections::BTreeMap;
use terrace_opt::options::Options;
use terrace_plan::Target;

/// The engines. The first three are interpreters, of the three languages that have a meaning of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The reference interpreter, on Core: it defines the language.
    Interp,
    /// The interpreter of Flat.
    Flat,
    /// The interpreter of Mem, which compares memory with values.
    Mem,
    /// C on all cores of this machine.
    C,
    /// CUDA on a GPU.
    Cuda,
    /// The CUDA text on the CPU, under a seeded schedule.
    CudaSim,
    /// OpenCL on a device of any vendor.
    OpenCl,
}

impl Backend {
    /// All of them, in the order in which a program passes through their languages.
    pub const ALL: [Backend; 7] =
        [Backend::Interp, Backend::Flat, Backend::Mem, Backend::C, Backend::CudaSim, Backend::Cuda, Backend::OpenCl];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Interp => "interp",
            Backend::Flat => "flat",
            Backend::Mem => "mem",
            Backend::C => "c",
            Backend::Cuda => "cuda",
            Backend::CudaSim => "cuda-sim",
            Backend::OpenCl => "opencl",
        }
    }

    /// The back end of that name.
    pub fn from_name(name: &str) -> Option<Backend> {
        Backend::ALL.into_iter().find(|b| b.name() == name)
    }

    /// The kind of device that its kernels are for.
    pub fn target(self) -> Target {
        match self {
            Backend::Cuda | Backend::CudaSim => Target::Cuda,
            Backend::OpenCl => Target::OpenCl,
            _ => Target::C,
        }
    }
}

/// What a run depends on beside the program.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How the program is compiled; the target follows from the back end.
    pub options: Options,
    /// Threads of the CPU device; 0 for all cores.
    pub threads: usize,
    /// The schedule of the simulated GPU.
    pub seed: u64,
    /// The device of CUDA or OpenCL to use.
    pub device: usize,
    /// How many bytes of device memory the program may hold.
    pub memory_limit: Option<u64>,
    /// How deep calls may nest.
    pub depth_limit: usize,
    /// The thresholds that are not the default ones, by name.
    pub thresholds: BTreeMap<String, i64>,
    /// Whether to note what guards compare.
    pub log_guards: bool,
    /// On a GPU, kernels run with indices of 32 bits where those of the launch stay below this number: 0 for never.
    pub index_limit: i64,
    /// Whether kernels are timed one by one.
    pub profile: bool,
    /// Whether a GPU records the launches of loops whose turns are alike; with tiny tiles as early as possible.
    pub capture: bool,
    /// Whether plans are kept on disk beside kernels, so that the same program starts sooner.
    pub keep_plans: bool,
    /// How many statements the interpreter may run.
    pub step_limit: u64,
    /// How many elements an array of the interpreter may have.
    pub element_limit: usize,
    /// Whether the interpreter samples the laws that operators of reductions obey.
    pub laws: bool,
    /// Whether the interpreter compares what the compiler claims about sizes with what happens.
    pub verify_shapes: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            options: Options::default(),
            threads: 0,
            seed: 0,
            device: 0,
            memory_limit: None,
            depth_limit: terrace_plan::messages::DEPTH_LIMIT,
            thresholds: BTreeMap::new(),
            log_guards: false,
            index_limit: terrace_plan::ranges::INDEX_LIMIT,
            profile: false,
            capture: true,
            keep_plans: true,
            step_limit: u64::MAX,
            element_limit: terrace_interp::core::Options::default().element_limit,
            laws: false,
            verify_shapes: false,
        }
    }
}
