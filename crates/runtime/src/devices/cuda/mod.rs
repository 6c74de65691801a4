//! CUDA: kernels on an NVIDIA GPU.
//!
//! The driver and the compiler are opened at run time. Everything happens on one stream, in order, so a freed block can be handed out again at
//! once: memory comes from the driver's stream-ordered pool, which is told to keep what is freed.
//!
//! ```text
//! alloc       cuMemAllocAsync          free       cuMemFreeAsync
//! launch      cuLaunchKernel, one block per tile
//! download    cuMemcpyDtoHAsync, then wait: the only place where the host waits
//! ```
//!
//! A kernel that reads outside its buffers kills the context; the error appears at the next wait and all later calls fail with it. That
//! is a bug of the compiler, never of a program.
//!
//! Declined: several streams, several GPUs at once, graphs.

mod driver;
mod library;
mod nvrtc;
mod report;

pub use nvrtc::{compile_cubin, nvrtc_available};
pub(crate) use report::report;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use terrace_plan::{Plan, Target};

use super::cuda_sim::argument_values;
use super::{AllocError, Code, Device, Handle, KernelResources, Launch, Times, phase_name, unit_text};
use driver::{Driver, Event, Function, Module, Pool, Staging, Stream, driver};

/// The smallest allocation, so that every buffer has an address.
const LEAST_BYTES: u64 = 256;
/// Copies up to this size are staged by the driver before the call returns.
const STAGED_BYTES: usize = 64 << 10;

/// A GPU.
pub(crate) struct Cuda {
    gpu: Arc<Gpu>,
}

struct Gpu {
    driver: &'static Driver,
    device: i32,
    context: driver::Context,
    stream: Stream,
    pool: Option<Pool>,
    staging: Mutex<Staging>,
    name: String,
    arch: String,
    memory: u64,
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
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if let Ok(driver) = self.enter() {
            let _ = driver.wait(self.stream);
            let staging = self.staging.get_mut().unwrap_or_else(PoisonError::into_inner);
            driver.free_staging(staging);
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
        let name = driver.device_name(device)?;
        let memory = driver.device_memory(device)?;
        let context = driver.retain_context(device)?;
        driver.set_context(context)?;
        let stream = driver.create_stream()?;
        let pool = if pools { Some(driver.keeping_pool(device)?) } else { None };
        let staging = Mutex::new(driver.create_staging()?);
        let arch = format!("sm_{major}{minor}");
        Ok(Cuda { gpu: Arc::new(Gpu { driver, device, context, stream, pool, staging, name, arch, memory }) })
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

    fn load(&self, plan: &Plan) -> Result<Box<dyn Code>, String> {
        let driver = self.gpu.enter()?;
        let clocks = Mutex::new(Clocks::default());
        let mut code = CudaCode { gpu: self.gpu.clone(), module: None, kernels: Vec::new(), clocks };
        if plan.kernels.is_empty() {
            return Ok(Box::new(code));
        }
        let cubin = compile_cubin(&unit_text(plan), &self.gpu.arch)?;
        let module = driver.load_module(&cubin)?;
        code.module = Some(module);
        for kernel in &plan.kernels {
            let mut phases = Vec::new();
            for phase in 0..kernel.phases.max(1) {
                let name = phase_name(&kernel.name, phase);
                phases.push((driver.function(module, &name)?, name));
            }
            code.kernels.push(Kernel { phases, block: kernel.block });
        }
        Ok(Box::new(code))
    }

    fn alloc(&self, bytes: u64) -> Result<Handle, AllocError> {
        let gpu = &self.gpu;
        let driver = gpu.enter().map_err(AllocError::Failed)?;
        let size = usize::try_from(bytes.max(LEAST_BYTES)).map_err(|_| AllocError::Full)?;
        let ask = || driver.alloc(size, gpu.pool.is_some(), gpu.stream).map_err(AllocError::Failed);
        let address = match ask()? {
            Some(address) => address,
            None => {
                driver.wait(gpu.stream).map_err(AllocError::Failed)?;
                if let Some(pool) = gpu.pool {
                    driver.trim_pool(pool).map_err(AllocError::Failed)?;
                }
                ask()?.ok_or(AllocError::Full)?
            }
        };
        Ok(Handle { address, bytes })
    }

    fn free(&self, handle: Handle) {
        if let Ok(driver) = self.gpu.enter() {
            driver.free(handle.address, self.gpu.pool.is_some(), self.gpu.stream);
        }
    }

    fn upload(&self, to: Handle, offset: u64, bytes: &[u8]) -> Result<(), String> {
        let address = to.range(offset, bytes.len() as u64)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let driver = self.gpu.enter()?;
        driver.copy_in(address, bytes, self.gpu.stream)?;
        // The caller may change the bytes as soon as this returns.
        if bytes.len() > STAGED_BYTES { driver.wait(self.gpu.stream) } else { Ok(()) }
    }

    fn download(&self, from: Handle, offset: u64, bytes: &mut [u8]) -> Result<(), String> {
        let address = from.range(offset, bytes.len() as u64)?;
        let driver = self.gpu.enter()?;
        if bytes.is_empty() {
            return driver.wait(self.gpu.stream);
        }
        let staging = self.gpu.staging.lock().unwrap_or_else(PoisonError::into_inner);
        driver.copy_out(address, bytes, &staging, self.gpu.stream)
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
    phases: Vec<(Function, String)>,
    block: u32,
}

struct CudaCode {
    gpu: Arc<Gpu>,
    module: Option<Module>,
    kernels: Vec<Kernel>,
    clocks: Mutex<Clocks>,
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
}

impl Code for CudaCode {
    fn launch(&self, launch: &Launch<'_>) -> Result<(), String> {
        let kernel = self.kernels.get(launch.kernel).ok_or_else(|| format!("there is no kernel {}", launch.kernel))?;
        let phase = kernel.phases.get(launch.phase).ok_or_else(|| format!("there is no phase {}", launch.phase))?;
        let (function, name) = phase;
        let grid = u32::try_from(launch.tiles).ok().filter(|g| *g < 1 << 31);
        let grid = grid.ok_or_else(|| format!("kernel {name} needs {} blocks, a grid has fewer", launch.tiles))?;
        let driver = self.gpu.enter()?;
        let stream = self.gpu.stream;
        let mut values = argument_values(launch);
        let mut run = || driver.launch(*function, name, grid, kernel.block, &mut values, stream);
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

    fn begin(&self, profile: bool) -> Result<(), String> {
        let driver = self.gpu.enter()?;
        let mut clocks = self.clocks();
        clocks.profile = profile;
        clocks.used = 0;
        clocks.launches.clear();
        clocks.start = Some(clocks.stamp(driver, self.gpu.stream)?);
        Ok(())
    }

    fn end(&self) -> Result<Times, String> {
        let driver = self.gpu.enter()?;
        let mut clocks = self.clocks();
        let end = clocks.stamp(driver, self.gpu.stream)?;
        let Some(start) = clocks.start.take() else {
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
        let of = |(function, name): &(Function, String)| KernelResources {
            name: name.clone(),
            registers: driver.function_attribute(*function, driver::REGISTERS),
            shared_bytes: driver.function_attribute(*function, driver::SHARED_BYTES),
            local_bytes: driver.function_attribute(*function, driver::LOCAL_BYTES),
        };
        self.kernels.iter().flat_map(|k| &k.phases).map(of).collect()
    }
}

impl Drop for CudaCode {
    fn drop(&mut self) {
        let Ok(driver) = self.gpu.enter() else { return };
        let _ = driver.wait(self.gpu.stream);
        let clocks = self.clocks.get_mut().unwrap_or_else(PoisonError::into_inner);
        clocks.events.drain(..).for_each(|event| driver.destroy_event(event));
        if let Some(module) = self.module.take() {
            driver.unload_module(module);
        }
    }
}
