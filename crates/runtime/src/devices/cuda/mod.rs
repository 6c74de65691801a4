//! CUDA: kernels on an NVIDIA GPU.
//!
//! The driver and the compiler are opened at run time. Everything happens on one stream, in order, so a freed block can be handed out again at
//! once: it waits in a pool of ours, which asks the driver's stream-ordered pool where it has none.
//!
//! ```text
//! prepare     NVRTC, a kernel per unit, several at once      when the host comes to statements that launch them
//! launch      cuLaunchKernel, one block per tile
//! replay      cuGraphLaunch, many launches
//! upload      through pinned buffers; the copies overlap with what the host does next (`transfers`)
//! download    cuMemcpyDtoHAsync, then wait: the only place where the host waits
//! ```
//!
//! A plan has kernels for every version of every nest, and a run takes one way through them. So a kernel is compiled when the run comes
//! near it, with the others of its list of statements: `spmv` with its makers has 21 kernels, of which a run launches three.
//!
//! A kernel that reads outside its buffers kills the context; the error appears at the next wait and all later calls fail with it. That
//! is a bug of the compiler, never of a program.
//!
//! Loops whose turns are alike run as graphs (`graph`).
//!
//! Declined: several streams, several GPUs at once.

mod driver;
mod graph;
mod library;
mod nvrtc;
mod report;
mod transfers;

pub use nvrtc::{compile_cubin, cuda_resources, nvrtc_available};
pub(crate) use report::report;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use std::time::{Duration, Instant};
use terrace_plan::{Plan, Target};

use super::pool::{Pool, Source};
use super::replay::{Recorder, Replays};
use super::units::{at_once, text_of};
use super::{AllocError, Code, Device, Handle, KernelResources, Launch, Times, Work, argument_values, phase_name};
use driver::{Driver, Event, Function, Module, Stream, driver};
use graph::Recorded;
use transfers::Transfers;

/// A GPU.
pub(crate) struct Cuda {
    gpu: Arc<Gpu>,
}

struct Gpu {
    driver: &'static Driver,
    device: i32,
    context: driver::Context,
    stream: Stream,
    driver_pool: Option<driver::Pool>,
    pool: Pool,
    transfers: Mutex<Transfers>,
    name: String,
    arch: String,
    memory: u64,
    multiprocessors: usize,
}

// SAFETY: handles of the driver may be used from any thread in whose context they are; every method enters the context first.
unsafe impl Send for Gpu {}
// SAFETY: as above; the driver has its own locks.
unsafe impl Sync for Gpu {}

impl Gpu {
    fn enter(&self) -> Result<&'static Driver, String> {
        self.driver.set_context(self.context)?;
        Ok(self.driver)
    }

    fn transfers(&self) -> MutexGuard<'_, Transfers> {
        self.transfers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Gpu {
    fn fresh(&self, bytes: usize) -> Result<Option<u64>, String> {
        self.driver.alloc(bytes, self.driver_pool.is_some(), self.stream)
    }

    fn release(&self, address: u64, _bytes: usize) {
        self.driver.free(address, self.driver_pool.is_some(), self.stream);
    }

    fn after_trimming(&self) -> Result<(), String> {
        self.driver.wait(self.stream)?;
        self.driver_pool.map_or(Ok(()), |pool| self.driver.trim_pool(pool))
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if let Ok(driver) = self.enter() {
            let _ = driver.wait(self.stream);
            self.pool.trim(self);
            self.transfers().free(driver);
            driver.destroy_stream(self.stream);
        }
        self.driver.release_context(self.device);
    }
}

impl Cuda {
    /// Opens a GPU, counted from 0.
    pub(crate) fn new(index: usize) -> Result<Cuda, String> {
        let driver = driver()?;
        let count = driver.device_count()?;
        if index >= count {
            return Err(format!("there is no GPU number {index}: the NVIDIA driver sees {count}"));
        }
        let device = driver.device(index)?;
        let major = driver.device_attribute(device, driver::COMPUTE_MAJOR)?;
        let minor = driver.device_attribute(device, driver::COMPUTE_MINOR)?;
        let pools = driver.device_attribute(device, driver::MEMORY_POOLS)? != 0;
        let multiprocessors = driver.device_attribute(device, driver::MULTIPROCESSORS)?.max(1) as usize;
        let name = driver.device_name(device)?;
        let memory = driver.device_memory(device)?;
        let context = driver.retain_context(device)?;
        driver.set_context(context)?;
        let stream = driver.create_stream()?;
        let driver_pool = if pools { Some(driver.keeping_pool(device)?) } else { None };
        let (pool, transfers) = (Pool::new(u64::MAX, None), Mutex::default());
        let arch = format!("sm_{major}{minor}");
        let gpu =
            Gpu { driver, device, context, stream, driver_pool, pool, transfers, name, arch, memory, multiprocessors };
        Ok(Cuda { gpu: Arc::new(gpu) })
    }
}

impl Device for Cuda {
    fn name(&self) -> String {
        format!("{} ({})", self.gpu.name, self.gpu.arch)
    }

    fn memory_bytes(&self) -> u64 {
        self.gpu.memory
    }

    fn target(&self) -> Target {
        Target::Cuda
    }

    fn workers(&self) -> usize {
        self.gpu.multiprocessors
    }

    fn load(&self, plan: &Plan) -> Result<Box<dyn Code>, String> {
        let kernel = |at: usize| {
            let kernel = &plan.kernels[at];
            let names = (0..kernel.phases.max(1)).map(|phase| phase_name(&kernel.name, phase)).collect();
            Kernel { text: text_of(plan, &[at]), names, block: kernel.block, loaded: OnceLock::new() }
        };
        let kernels = (0..plan.kernels.len()).map(kernel).collect();
        let (clocks, replays) = (Mutex::default(), Mutex::default());
        Ok(Box::new(CudaCode {
            gpu: self.gpu.clone(),
            kernels,
            gate: OnceLock::new(),
            clocks,
            compiling: AtomicU64::new(0),
            replays,
        }))
    }

    fn alloc(&self, bytes: u64) -> Result<Handle, AllocError> {
        self.gpu.enter().map_err(AllocError::Failed)?;
        self.gpu.pool.alloc(bytes, &*self.gpu)
    }

    fn free(&self, handle: Handle) {
        if self.gpu.enter().is_ok() {
            self.gpu.pool.free(handle, &*self.gpu);
        }
    }

    fn upload(&self, to: Handle, offset: u64, bytes: &[u8]) -> Result<(), String> {
        let address = to.range(offset, bytes.len() as u64)?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.gpu.transfers().upload(self.gpu.enter()?, address, bytes, self.gpu.stream)
    }

    fn download(&self, from: Handle, offset: u64, bytes: &mut [u8]) -> Result<(), String> {
        let address = from.range(offset, bytes.len() as u64)?;
        let driver = self.gpu.enter()?;
        if bytes.is_empty() {
            return driver.wait(self.gpu.stream);
        }
        self.gpu.transfers().download(driver, address, bytes, self.gpu.stream)
    }

    fn zero(&self, handle: Handle, bytes: u64) -> Result<(), String> {
        let address = handle.range(0, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        self.gpu.enter()?.zero(address, bytes as usize, self.gpu.stream)
    }

    fn synchronise(&self) -> Result<(), String> {
        self.gpu.enter()?.wait(self.gpu.stream)
    }
}

struct Kernel {
    text: String,
    /// The functions of its phases.
    names: Vec<String>,
    block: u32,
    loaded: OnceLock<Result<LoadedKernel, String>>,
}

struct LoadedKernel {
    module: Module,
    phases: Vec<Function>,
}

struct CudaCode {
    gpu: Arc<Gpu>,
    kernels: Vec<Kernel>,
    /// The first kernel of every recording.
    gate: OnceLock<Result<LoadedKernel, String>>,
    clocks: Mutex<Clocks>,
    /// Nanoseconds in which somebody waited for the compiler.
    compiling: AtomicU64,
    replays: Mutex<Replays<Recorded>>,
}

// SAFETY: as for `Gpu`.
unsafe impl Send for CudaCode {}
// SAFETY: as for `Gpu`.
unsafe impl Sync for CudaCode {}

/// The events of one run.
#[derive(Default)]
struct Clocks {
    profile: bool,
    /// Made once, used again by every run.
    events: Vec<Event>,
    used: usize,
    /// Kernel, and the events before and after it.
    launches: Vec<(usize, Event, Event)>,
    start: Option<Event>,
    end: Option<Event>,
}

impl Clocks {
    fn stamp(&mut self, driver: &Driver, stream: Stream) -> Result<Event, String> {
        if self.used == self.events.len() {
            self.events.push(driver.create_event()?);
        }
        let event = self.events[self.used];
        self.used += 1;
        driver.record(event, stream)?;
        Ok(event)
    }
}

impl CudaCode {
    fn clocks(&self) -> MutexGuard<'_, Clocks> {
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A kernel, compiled now if it is not yet.
    fn kernel(&self, at: usize) -> Result<(&Kernel, &LoadedKernel), String> {
        let kernel = self.kernels.get(at).ok_or_else(|| format!("there is no kernel {at}"))?;
        let load = || {
            let cubin = compile_cubin(&kernel.text, &self.gpu.arch)?;
            let driver = self.gpu.enter()?;
            let module = driver.load_module(&cubin)?;
            let phases = kernel.names.iter().map(|name| driver.function(module, name)).collect::<Result<_, _>>()?;
            Ok(LoadedKernel { module, phases })
        };
        let loaded = kernel.loaded.get_or_init(load).as_ref().map_err(String::clone)?;
        Ok((kernel, loaded))
    }

    /// A phase of a kernel, its name, and how it is launched over so many tiles.
    fn phase(&self, at: usize, phase: usize, tiles: u64) -> Result<(Function, &str, u32, u32), String> {
        self.prepare(&[at])?;
        let (kernel, loaded) = self.kernel(at)?;
        let (Some(function), Some(name)) = (loaded.phases.get(phase), kernel.names.get(phase)) else {
            return Err(format!("there is no phase {phase}"));
        };
        let grid = u32::try_from(tiles).ok().filter(|g| *g < 1 << 31);
        let grid = grid.ok_or_else(|| format!("kernel {name} needs {tiles} blocks, a grid has fewer"))?;
        Ok((*function, name, grid, kernel.block))
    }

    fn replays(&self) -> MutexGuard<'_, Replays<Recorded>> {
        self.replays.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Code for CudaCode {
    fn compiles_late(&self) -> bool {
        true
    }

    fn prepare(&self, kernels: &[usize]) -> Result<(), String> {
        let missing = |at: &usize| self.kernels.get(*at).is_some_and(|kernel| kernel.loaded.get().is_none());
        let kernels: Vec<usize> = kernels.iter().copied().filter(missing).collect();
        if kernels.is_empty() {
            // Asking the system for its cores takes longer than a launch.
            return Ok(());
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let start = Instant::now();
        let made = at_once(&kernels, cores, |at| self.kernel(*at).map(|_| ()));
        self.compiling.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        made.map(|_| ())
    }

    fn compiling(&self) -> Duration {
        Duration::from_nanos(self.compiling.load(Ordering::Relaxed))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), String> {
        let (function, name, grid, block) = self.phase(launch.kernel, launch.phase, launch.tiles)?;
        let driver = self.gpu.enter()?;
        let stream = self.gpu.stream;
        let mut values = argument_values(launch);
        let mut run = || driver.launch(function, name, grid, block, &mut values, stream);
        let mut clocks = self.clocks();
        if !clocks.profile {
            return run();
        }
        let before = clocks.stamp(driver, stream)?;
        run()?;
        let after = clocks.stamp(driver, stream)?;
        clocks.launches.push((launch.kernel, before, after));
        Ok(())
    }

    fn replays(&self) -> bool {
        true
    }

    fn replay(&self, key: usize, work: &[Work]) -> Result<bool, String> {
        self.replays().run(self, key, work)
    }

    fn one(&self, work: &Work) -> Result<(), String> {
        Recorder::one(self, work)
    }

    fn begin(&self, profile: bool) -> Result<(), String> {
        let driver = self.gpu.enter()?;
        let mut clocks = self.clocks();
        clocks.profile = profile;
        clocks.used = 0;
        clocks.launches.clear();
        clocks.end = None;
        clocks.start = Some(clocks.stamp(driver, self.gpu.stream)?);
        Ok(())
    }

    fn all_asked(&self) -> Result<(), String> {
        let driver = self.gpu.enter()?;
        let mut clocks = self.clocks();
        clocks.end = Some(clocks.stamp(driver, self.gpu.stream)?);
        Ok(())
    }

    fn end(&self) -> Result<Times, String> {
        let driver = self.gpu.enter()?;
        let mut clocks = self.clocks();
        let (Some(start), Some(end)) = (clocks.start.take(), clocks.end.take()) else {
            return Ok(Times::default());
        };
        let device_ms = driver.elapsed(start, end)?;
        if !clocks.profile {
            return Ok(Times { device_ms, kernel_ms: Vec::new() });
        }
        let mut kernel_ms = vec![0.0; self.kernels.len()];
        for (kernel, before, after) in &clocks.launches {
            kernel_ms[*kernel] += driver.elapsed(*before, *after)?;
        }
        Ok(Times { device_ms, kernel_ms })
    }

    fn resources(&self) -> Vec<KernelResources> {
        let Ok(driver) = self.gpu.enter() else {
            return Vec::new();
        };
        let of = |(function, name): (&Function, &String)| KernelResources {
            name: name.clone(),
            registers: driver.function_attribute(*function, driver::REGISTERS),
            shared_bytes: driver.function_attribute(*function, driver::SHARED_BYTES),
            local_bytes: driver.function_attribute(*function, driver::LOCAL_BYTES),
        };
        let loaded = (0..self.kernels.len()).filter_map(|at| self.kernel(at).ok());
        loaded.flat_map(|(kernel, loaded)| loaded.phases.iter().zip(&kernel.names).map(of)).collect()
    }
}

impl Drop for CudaCode {
    fn drop(&mut self) {
        let Ok(driver) = self.gpu.enter() else { return };
        let _ = driver.wait(self.gpu.stream);
        let clocks = self.clocks.get_mut().unwrap_or_else(PoisonError::into_inner);
        clocks.events.drain(..).for_each(|event| driver.destroy_event(event));
        let replays = self.replays.get_mut().unwrap_or_else(PoisonError::into_inner);
        replays.drain().for_each(|recorded| recorded.destroy(driver));
        let kernels = self.kernels.iter_mut().map(|kernel| &mut kernel.loaded).chain([&mut self.gate]);
        for loaded in kernels.filter_map(|loaded| loaded.take()?.ok()) {
            driver.unload_module(loaded.module);
        }
    }
}
