//! CUDA kernels on the CPU, for testing: threads as fibres under a seeded schedule.
//!
//! The header of `crates/testkit/cuda_sim` gives CUDA text a C++ compiler's meaning. It is embedded here, so that the simulator works from any
//! folder. One seed is one schedule: a program that gives other answers under another seed has a race.
//!
//! ```text
//! -include header.h   kernels.cu   TERRACE_SIM_KERNEL(k) ...       then k__sim(grid, block, 0, args, seed, message, length)
//! ```
//!
//! Not for speed: thousands of times slower than a GPU.

use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use libloading::Library;
use terrace_plan::{KernelText, Plan, Target};

use super::compiler::Compiler;
use super::host_memory::HostMemory;
use super::regions::units_in_turn;
use super::replay::{GATE, GATE_NAME, Recorder, Replays};
use super::units::text_of;
use super::{AllocError, Code, Device, Handle, Launch, Times, Work, cache, phase_name};

const HEADER: &str = concat!(
    include_str!("../../../testkit/cuda_sim/fibre.h"),
    "\n",
    include_str!("../../../testkit/cuda_sim/schedule.h"),
    "\n",
    include_str!("../../../testkit/cuda_sim/vocabulary.h"),
    "\n",
    include_str!("../../../testkit/cuda_sim/launch.h"),
);

type Launcher = unsafe extern "C" fn(u32, u32, u32, *mut *mut c_void, u64, *mut c_char, usize) -> i32;

/// The simulator as a device.
pub(crate) struct CudaSim {
    memory: HostMemory,
    seed: u64,
}

impl CudaSim {
    /// A device that runs every launch under this seed.
    pub(crate) fn new(seed: u64) -> CudaSim {
        CudaSim { memory: HostMemory::new(None), seed }
    }
}

/// Kernels of tests run for milliseconds and are compiled for seconds: nothing is optimised.
fn compiler() -> Result<Compiler, String> {
    let flags = "-std=c++17 -O0 -fPIC -shared -ffp-contract=off -fno-strict-aliasing -fno-exceptions -fvisibility=hidden -w -include";
    let header = cache::fixed_file("h", HEADER)?;
    let mut flags: Vec<String> = flags.split(' ').map(str::to_string).collect();
    flags.push(header.display().to_string());
    Ok(Compiler { variable: "TERRACE_CXX", default: "c++", language: "c++", flags, libraries: &[] })
}

impl Device for CudaSim {
    fn name(&self) -> String {
        format!("simulated CUDA, seed {}", self.seed)
    }

    fn memory_bytes(&self) -> u64 {
        self.memory.total()
    }

    fn target(&self) -> Target {
        Target::Cuda
    }

    fn load(&self, plan: &Plan) -> Result<Box<dyn Code>, String> {
        let names = |k: &KernelText| (0..k.phases.max(1)).map(|phase| phase_name(&k.name, phase)).collect::<Vec<_>>();
        let unit = |kernels: &[usize]| {
            let mut text = text_of(plan, kernels);
            text.push_str(GATE);
            let names = kernels.iter().flat_map(|k| names(&plan.kernels[*k]));
            for name in names.chain([GATE_NAME.to_string()]) {
                text.push_str(&format!("TERRACE_SIM_KERNEL({name})\n"));
            }
            Unit { text, library: OnceLock::new() }
        };
        let (mut units, mut places) = (Vec::new(), vec![0; plan.kernels.len()]);
        for kernels in units_in_turn(plan) {
            kernels.iter().for_each(|k| places[*k] = units.len());
            units.push(unit(&kernels));
        }
        let kernel = |(k, unit): (&KernelText, usize)| Kernel { names: names(k), unit, block: k.block };
        let kernels: Vec<Kernel> = plan.kernels.iter().zip(places).map(kernel).collect();
        if !kernels.is_empty() {
            compiler()?.found()?;
        }
        let clocks = Mutex::new(vec![Duration::ZERO; kernels.len()]);
        Ok(Box::new(SimCode { kernels, seed: self.seed, clocks, replays: Mutex::default(), units }))
    }

    fn alloc(&self, bytes: u64) -> Result<Handle, AllocError> {
        let handle = self.memory.alloc(bytes)?;
        // Fresh memory is garbage on a GPU; zeros would hide a missing initialisation.
        let garbage = vec![0xa5; bytes.min(1 << 16) as usize];
        self.memory.upload(handle, 0, &garbage).map_err(AllocError::Failed)?;
        Ok(handle)
    }

    fn free(&self, handle: Handle) {
        self.memory.free(handle);
    }

    fn upload(&self, to: Handle, offset: u64, bytes: &[u8]) -> Result<(), String> {
        self.memory.upload(to, offset, bytes)
    }

    fn download(&self, from: Handle, offset: u64, bytes: &mut [u8]) -> Result<(), String> {
        self.memory.download(from, offset, bytes)
    }

    fn zero(&self, handle: Handle, bytes: u64) -> Result<(), String> {
        self.memory.zero(handle, bytes)
    }

    fn synchronise(&self) -> Result<(), String> {
        Ok(())
    }
}

struct Kernel {
    /// The functions of its phases.
    names: Vec<String>,
    unit: usize,
    block: u32,
}

/// Kernels that are compiled together, when one of them is wanted, and the first kernel of every recording.
struct Unit {
    text: String,
    library: OnceLock<Result<Library, String>>,
}

impl Unit {
    fn library(&self) -> Result<&Library, String> {
        let compiled = || Ok(compiler()?.load(&self.text)?.0);
        self.library.get_or_init(compiled).as_ref().map_err(String::clone)
    }

    fn launcher(&self, name: &str) -> Result<Launcher, String> {
        // SAFETY: TERRACE_SIM_KERNEL makes functions of this type, and the library is kept as long as the code that calls them.
        let function = unsafe { self.library()?.get::<Launcher>(format!("{name}__sim").as_bytes()) };
        function.map(|f| *f).map_err(|e| format!("kernel {name} is not in the unit: {e}"))
    }
}

struct SimCode {
    kernels: Vec<Kernel>,
    seed: u64,
    clocks: Mutex<Vec<Duration>>,
    replays: Mutex<Replays<Tape>>,
    units: Vec<Unit>,
}

/// A recording is a list, and starting it is running the list.
struct Tape {
    err: u64,
    work: Vec<Work>,
}

impl SimCode {
    fn call(&self, function: Launcher, grid: u32, block: u32, mut values: Vec<u64>) -> Result<(), String> {
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|v| std::ptr::from_mut(v).cast()).collect();
        let mut message = [0 as c_char; 1024];
        // SAFETY: one pointer per parameter of the kernel, each to a value of at least its size, as the plan declares them.
        let status =
            unsafe { function(grid, block, 0, pointers.as_mut_ptr(), self.seed, message.as_mut_ptr(), message.len()) };
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the simulator ends its message with a zero; the last byte is one in any case.
        message[message.len() - 1] = 0;
        let text = unsafe { CStr::from_ptr(message.as_ptr()) }.to_string_lossy().into_owned();
        Err(format!("simulated CUDA (seed {}): {text}", self.seed))
    }
}

impl Recorder for SimCode {
    type Recording = Tape;

    fn one(&self, work: &Work) -> Result<(), String> {
        match work {
            Work::Launch { kernel: at, phase, tiles, values } => {
                let kernel = self.kernels.get(*at).ok_or_else(|| format!("there is no kernel {at}"))?;
                let name = kernel.names.get(*phase).ok_or_else(|| format!("there is no phase {phase}"))?;
                let function = self.units[kernel.unit].launcher(name)?;
                let grid = u32::try_from(*tiles).map_err(|_| format!("a grid of {tiles} blocks is too large"))?;
                let start = Instant::now();
                let done = self.call(function, grid, kernel.block, values.clone());
                self.clocks.lock().unwrap_or_else(PoisonError::into_inner)[*at] += start.elapsed();
                done
            }
            Work::Zero { address, bytes } => {
                // SAFETY: a part of a buffer, as `Work::zero` has checked; the executor holds it until this work is done.
                unsafe { std::ptr::write_bytes(*address as *mut u8, 0, *bytes as usize) };
                Ok(())
            }
        }
    }

    fn record(&self, err: u64, work: &[Work]) -> Result<Tape, String> {
        Ok(Tape { err, work: work.to_vec() })
    }

    fn change(&self, tape: &mut Tape, at: usize, work: &Work) -> Result<(), String> {
        tape.work[at] = work.clone();
        Ok(())
    }

    fn start(&self, tape: &mut Tape) -> Result<(), String> {
        // Every unit has one; what is recorded has run before, so a unit is compiled.
        let compiled = self.units.iter().find(|unit| unit.library.get().is_some());
        let gate = compiled.ok_or("nothing has run that could be recorded")?.launcher(GATE_NAME)?;
        self.call(gate, 1, 1, vec![tape.err])?;
        tape.work.iter().try_for_each(|work| Recorder::one(self, work))
    }
}

impl Code for SimCode {
    fn launch(&self, launch: &Launch<'_>) -> Result<(), String> {
        Recorder::one(self, &Work::launch(launch))
    }

    fn replays(&self) -> bool {
        true
    }

    fn replay(&self, key: usize, work: &[Work]) -> Result<bool, String> {
        self.replays.lock().unwrap_or_else(PoisonError::into_inner).run(self, key, work)
    }

    fn one(&self, work: &Work) -> Result<(), String> {
        Recorder::one(self, work)
    }

    fn begin(&self, _profile: bool) -> Result<(), String> {
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner).fill(Duration::ZERO);
        Ok(())
    }

    fn end(&self) -> Result<Times, String> {
        let clocks = self.clocks.lock().unwrap_or_else(PoisonError::into_inner);
        let kernel_ms: Vec<f64> = clocks.iter().map(|c| c.as_secs_f64() * 1e3).collect();
        Ok(Times { device_ms: kernel_ms.iter().sum(), kernel_ms })
    }
}
