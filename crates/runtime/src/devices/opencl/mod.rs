//! OpenCL: kernels on a device of any vendor that has a driver for it.
//!
//! Portability, not speed: nothing beyond OpenCL 1.2 is asked for. The loader is opened at run time; devices are counted through all platforms,
//! in the order in which the loader lists them. Everything happens on one queue, in order.
//!
//! ```text
//! alloc       clCreateBuffer: a handle's address is the buffer object, which is no address on the device
//! launch      clEnqueueNDRangeKernel, one work-group per tile; a cell is passed as its buffer and an offset
//! upload      clEnqueueFillBuffer for 8 bytes, which does not wait; clEnqueueWriteBuffer, which does
//! download    clEnqueueReadBuffer, then wait: where the host waits
//! ```
//!
//! Kernels name the extensions that they need in pragmas; a device that lacks one is refused with words before anything is compiled. Binaries are kept in
//! the cache under the text and everything that the driver says of itself and of the device.
//!
//! Declined: several devices at once, buffers that the host and the device share.

mod api;
mod library;
mod report;

pub(crate) use report::report;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use terrace_plan::{KernelParam, Plan, Target};

use super::pool::{Pool, Source};
use super::{AllocError, Arg, Code, Device, Handle, Launch, Times, cache, phase_name, unit_text};
use api::{Api, Context, DeviceId, Event, Kernel, Mem, Program, Queue, api};

/// A device.
pub(crate) struct OpenCl {
    open: Arc<Open>,
}

struct Open {
    api: &'static Api,
    device: DeviceId,
    context: Context,
    queue: Queue,
    name: String,
    /// Everything that compiled kernels depend on.
    identity: String,
    extensions: BTreeSet<String>,
    options: String,
    memory: u64,
    local_memory: u64,
    pool: Pool,
}

// SAFETY: OpenCL objects may be used from any thread; only arguments of a kernel may not be set by two at once, see `ClCode::launch`.
unsafe impl Send for Open {}
// SAFETY: as above.
unsafe impl Sync for Open {}

impl Drop for Open {
    fn drop(&mut self) {
        let _ = self.api.finish(self.queue);
        self.pool.trim(self);
        self.api.release(self.context, self.queue);
    }
}

impl Source for Open {
    fn fresh(&self, bytes: usize) -> Result<Option<u64>, String> {
        Ok(self.api.buffer(self.context, bytes)?.map(|buffer| buffer as u64))
    }

    fn release(&self, address: u64, _bytes: usize) {
        self.api.release_buffer(address as Mem);
    }

    fn after_trimming(&self) -> Result<(), String> {
        // What was freed goes when the commands that use it have run.
        self.api.finish(self.queue)
    }
}

/// All devices of all platforms, each with the words of its platform. Drivers start when they are asked for the first time, and not all of them
/// stand two threads that ask at once.
fn all_devices(api: &Api) -> Result<Vec<(DeviceId, String)>, String> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _only = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all = Vec::new();
    for platform in api.platforms()? {
        let name = api.platform_text(platform, api::PLATFORM_NAME)?;
        let version = api.platform_text(platform, api::PLATFORM_VERSION)?;
        all.extend(api.devices(platform)?.into_iter().map(|d| (d, format!("{name}, {version}"))));
    }
    Ok(all)
}

/// Why there is no device at all, where the loader is there.
fn none_found(api: &Api) -> String {
    match api.platforms() {
        Ok(platforms) if platforms.is_empty() => {
            "no OpenCL driver: the loader is there, but it knows no platform\ninstall the driver of the device (or pocl-opencl-icd, which runs kernels on the CPU)".to_string()
        }
        Ok(_) => "no OpenCL device: there is a driver, but it sees no device".to_string(),
        Err(why) => why,
    }
}

impl OpenCl {
    /// Opens a device, counted from 0 through all platforms.
    pub(crate) fn new(index: usize) -> Result<OpenCl, String> {
        let api = api()?;
        let devices = all_devices(api)?;
        if devices.is_empty() {
            return Err(none_found(api));
        }
        let Some((device, platform)) = devices.get(index).cloned() else {
            let count = devices.len();
            return Err(format!(
                "there is no OpenCL device number {index}: there are {count}, counted from 0\n`terrace devices` lists them"
            ));
        };
        let text = |what| api.device_text(device, what);
        let name = text(api::DEVICE_NAME)?;
        let versions = [platform.clone(), name.clone(), text(api::DEVICE_VERSION)?, text(api::DRIVER_VERSION)?];
        let extensions = text(api::EXTENSIONS)?.split_whitespace().map(str::to_string).collect();
        let rounds = api.device_number(device, api::SINGLE_FP)? & api::ROUNDS_DIVISION != 0;
        let rounded = if rounds { " -cl-fp32-correctly-rounded-divide-sqrt -D TERRACE_ROUNDED" } else { "" };
        // It takes minutes to optimise a kernel with many barriers, and has the C back end for speed.
        let plain = if platform.contains("Portable Computing Language") { " -cl-opt-disable" } else { "" };
        let options = format!("-cl-std=CL1.2 -w{rounded}{plain}");
        let memory = api.device_number(device, api::MEMORY_BYTES)?;
        let local_memory = api.device_number(device, api::LOCAL_BYTES)?;
        let context = api.create_context(device)?;
        let queue = api.create_queue(context, device)?;
        let identity = versions.join("\n");
        let open = Open {
            api,
            device,
            context,
            queue,
            name,
            identity,
            extensions,
            options,
            memory,
            local_memory,
            pool: Pool::new(u64::MAX, None),
        };
        Ok(OpenCl { open: Arc::new(open) })
    }
}

impl Open {
    /// Refuses a plan whose kernels need what the device does not have.
    fn check_extensions(&self, plan: &Plan) -> Result<(), String> {
        let needs = plan.kernels.iter().flat_map(|k| extensions_of(&k.text).map(move |e| (k, e)));
        let Some((kernel, lacking)) = needs.into_iter().find(|(_, e)| !self.extensions.contains(*e)) else {
            return Ok(());
        };
        let (what, instead) = match lacking {
            "cl_khr_fp64" => ("64-bit floats", "use f32, or "),
            "cl_khr_int64_base_atomics" => ("atomic operations on 64 bits", "use 32-bit values in `hist`, or "),
            _ => ("this extension", ""),
        };
        let (name, kernel) = (&self.name, &kernel.name);
        Err(format!(
            "the device {name} lacks {lacking} ({what}), which kernel {kernel} needs\n{instead}run on another device or back end"
        ))
    }

    fn built(&self, program: Program) -> Result<Program, String> {
        match self.api.build(program, self.device, &self.options) {
            Ok(()) => Ok(program),
            Err(why) => {
                self.api.release_program(program);
                Err(format!("{}: {why}", self.name))
            }
        }
    }

    fn compiled(&self, text: &str) -> Result<Program, String> {
        self.api.program_from_source(self.context, text).and_then(|p| self.built(p))
    }

    /// The program of a text: from the cache, or compiled now and kept.
    fn program(&self, text: &str) -> Result<(Program, cache::Remark), String> {
        let key = format!("opencl\n{}\n{}\n{text}", self.identity, self.options);
        let fresh = Cell::new(None);
        let build = |to: &std::path::Path| {
            let program = match fresh.take() {
                Some(program) => program,
                None => self.compiled(text)?,
            };
            fresh.set(Some(program));
            let write = |bytes: Vec<u8>| std::fs::write(to, bytes).map_err(|e| format!("{}: {e}", to.display()));
            self.api.binary(program).and_then(write)
        };
        let made = cache::find_or_build(&key, "clbin", &build);
        if let Some(program) = fresh.take() {
            // It runs, whether or not it could be kept.
            return Ok((program, made.map_or_else(Some, |made| made.remark.clone())));
        }
        let made = made?;
        let bytes = std::fs::read(&made.path).map_err(|e| format!("{}: {e}", made.path.display()))?;
        let loaded = self.api.program_from_binary(self.context, self.device, &bytes).and_then(|p| self.built(p));
        if let Ok(program) = loaded {
            return Ok((program, made.remark.clone()));
        }
        // The driver does not want it any more.
        cache::forget(&made.path);
        Ok((self.compiled(text)?, made.remark.clone()))
    }

    /// The place of a range of a buffer, which must be inside.
    fn place(&self, handle: Handle, offset: u64, bytes: usize) -> Result<(Mem, usize), String> {
        handle.range(offset, bytes as u64)?;
        Ok((handle.address as Mem, offset as usize))
    }
}

/// The extensions that a text enables.
fn extensions_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|l| l.strip_prefix("#pragma OPENCL EXTENSION ")?.split_whitespace().next())
}

impl Device for OpenCl {
    fn name(&self) -> String {
        self.open.name.clone()
    }

    fn memory_bytes(&self) -> u64 {
        self.open.memory
    }

    fn target(&self) -> Target {
        Target::OpenCl
    }

    fn load(&self, plan: &Plan) -> Result<Box<dyn Code>, String> {
        let open = &self.open;
        let clocks = Mutex::new(Clocks::default());
        let mut code = ClCode { open: open.clone(), program: None, kernels: Vec::new(), clocks, remark: None };
        if plan.kernels.is_empty() {
            return Ok(Box::new(code));
        }
        open.check_extensions(plan)?;
        let (program, remark) = open.program(&unit_text(plan))?;
        code.program = Some(program);
        code.remark = remark;
        for kernel in &plan.kernels {
            let mut loaded = Loaded { phases: Vec::new(), block: kernel.block, params: kernel.params.clone() };
            for phase in 0..kernel.phases.max(1) {
                let function = open.api.kernel(program, &phase_name(&kernel.name, phase))?;
                loaded.phases.push(function);
                let (threads, local) = open.api.kernel_limits(function, open.device)?;
                if threads < kernel.block.into() || local > open.local_memory {
                    let (name, block, most) = (&open.name, kernel.block, open.local_memory);
                    return Err(format!(
                        "kernel {} does not fit the device {name}: it needs work-groups of {block} threads with {local} bytes of local memory, and there are {threads} threads and {most} bytes",
                        kernel.name
                    ));
                }
            }
            code.kernels.push(loaded);
        }
        Ok(Box::new(code))
    }

    fn alloc(&self, bytes: u64) -> Result<Handle, AllocError> {
        self.open.pool.alloc(bytes, &*self.open)
    }

    fn free(&self, handle: Handle) {
        self.open.pool.free(handle, &*self.open);
    }

    fn upload(&self, to: Handle, offset: u64, bytes: &[u8]) -> Result<(), String> {
        let open = &self.open;
        let (buffer, at) = open.place(to, offset, bytes.len())?;
        match bytes.len() {
            0 => Ok(()),
            8 if at.is_multiple_of(8) => open.api.fill(open.queue, buffer, bytes, at, 8),
            _ => open.api.write(open.queue, buffer, at, bytes),
        }
    }

    fn download(&self, from: Handle, offset: u64, bytes: &mut [u8]) -> Result<(), String> {
        let open = &self.open;
        let (buffer, at) = open.place(from, offset, bytes.len())?;
        match bytes.is_empty() {
            true => open.api.finish(open.queue),
            false => open.api.read(open.queue, buffer, at, bytes),
        }
    }

    fn zero(&self, handle: Handle, bytes: u64) -> Result<(), String> {
        let open = &self.open;
        let (buffer, _) = open.place(handle, 0, bytes as usize)?;
        let whole = bytes as usize / 16 * 16;
        if whole > 0 {
            open.api.fill(open.queue, buffer, &[0; 16], 0, whole)?;
        }
        match bytes as usize - whole {
            0 => Ok(()),
            rest => open.api.fill(open.queue, buffer, &[0], whole, rest),
        }
    }

    fn synchronise(&self) -> Result<(), String> {
        self.open.api.finish(self.open.queue)
    }
}

struct Loaded {
    phases: Vec<Kernel>,
    block: u32,
    params: Vec<KernelParam>,
}

struct ClCode {
    open: Arc<Open>,
    program: Option<Program>,
    kernels: Vec<Loaded>,
    clocks: Mutex<Clocks>,
    remark: cache::Remark,
}

// SAFETY: as for `Open`.
unsafe impl Send for ClCode {}
// SAFETY: as for `Open`.
unsafe impl Sync for ClCode {}

/// The clocks of one run.
#[derive(Default)]
struct Clocks {
    profile: bool,
    start: Option<Instant>,
    launches: Vec<(usize, Event)>,
}

impl ClCode {
    fn clocks(&self) -> MutexGuard<'_, Clocks> {
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Code for ClCode {
    fn launch(&self, launch: &Launch<'_>) -> Result<(), String> {
        let kernel = self.kernels.get(launch.kernel).ok_or_else(|| format!("there is no kernel {}", launch.kernel))?;
        let function = *kernel.phases.get(launch.phase).ok_or_else(|| format!("there is no phase {}", launch.phase))?;
        let groups = usize::try_from(launch.tiles).ok().filter(|g| *g < 1 << 31);
        let groups = groups.ok_or_else(|| format!("a launch of {} work-groups is too large", launch.tiles))?;
        // Held until the kernel is asked for: its arguments belong to this launch.
        let mut clocks = self.clocks();
        let mut count = 0;
        let mut pass = |word: u64, bytes: usize| {
            count += 1;
            self.open.api.set_argument(function, count - 1, word, bytes)
        };
        pass(launch.record.address, 8)?;
        pass(launch.number as u64, 8)?;
        for (param, arg) in kernel.params.iter().zip(launch.args) {
            match (param, arg) {
                (KernelParam::Cell(_), Arg::Address(handle, offset)) => {
                    pass(handle.address, 8)?;
                    pass(*offset, 8)?;
                }
                (_, Arg::Address(handle, _)) => pass(handle.address, 8)?,
                (_, Arg::Scalar(scalar)) => pass(scalar.raw_bits(), scalar.ty().size_bytes())?,
            }
        }
        let event = self.open.api.launch(self.open.queue, function, groups, kernel.block as usize, clocks.profile)?;
        clocks.launches.extend(event.map(|event| (launch.kernel, event)));
        Ok(())
    }

    fn begin(&self, profile: bool) -> Result<(), String> {
        self.open.api.finish(self.open.queue)?;
        let mut clocks = self.clocks();
        let old = std::mem::take(&mut clocks.launches);
        old.into_iter().for_each(|(_, event)| drop(self.open.api.milliseconds(event)));
        clocks.profile = profile;
        clocks.start = Some(Instant::now());
        Ok(())
    }

    fn end(&self) -> Result<Times, String> {
        self.open.api.finish(self.open.queue)?;
        let mut clocks = self.clocks();
        let Some(start) = clocks.start.take() else {
            return Ok(Times::default());
        };
        let device_ms = start.elapsed().as_secs_f64() * 1e3;
        let mut kernel_ms = if clocks.profile { vec![0.0; self.kernels.len()] } else { Vec::new() };
        for (kernel, event) in std::mem::take(&mut clocks.launches) {
            kernel_ms[kernel] += self.open.api.milliseconds(event)?;
        }
        Ok(Times { device_ms, kernel_ms })
    }

    fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
    }
}

impl Drop for ClCode {
    fn drop(&mut self) {
        let _ = self.open.api.finish(self.open.queue);
        self.kernels.iter().flat_map(|k| &k.phases).for_each(|k| self.open.api.release_kernel(*k));
        if let Some(program) = self.program.take() {
            self.open.api.release_program(program);
        }
    }
}
