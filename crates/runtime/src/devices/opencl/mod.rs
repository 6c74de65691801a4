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
//! the cache under the text and everything that the driver says of itself and of the device, unless the driver has a cache of its own.
//!
//! Declined: several devices at once, buffers that the host and the device share.

mod api;
mod code;
mod library;
mod report;

pub(crate) use report::report;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use terrace_plan::{Plan, Target};

use super::pool::{Pool, Source};
use super::{AllocError, Code, Device, Handle, cache};
use api::{Api, Context, DeviceId, Mem, Program, Queue, api};
use code::ClCode;

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
    /// Whether the driver keeps kernels in a cache of its own.
    keeps: bool,
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
        // PoCL takes minutes to optimise a kernel with many barriers, and the C back end is there for speed. It keeps kernels itself, one by one
        // as they are launched; asked for a binary, it compiles all of them first.
        let keeps = platform.contains("Portable Computing Language");
        let plain = if keeps { " -cl-opt-disable" } else { "" };
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
            keeps,
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
        if self.keeps {
            return Ok((self.compiled(text)?, None));
        }
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
        self.open.check_extensions(plan)?;
        Ok(Box::new(ClCode::new(self.open.clone(), plan)))
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
