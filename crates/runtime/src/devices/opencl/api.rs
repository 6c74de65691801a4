//! OpenCL 1.2: the functions that are used, opened at run time.
//!
//! One method per function, which turns a status into words. Types are those of `cl.h`: handles are pointers, a `cl_bool` is 32 bits, flags are
//! 64. A text that a driver returns is asked for twice: once for its length.

use std::ffi::{CString, c_char, c_void};
use std::sync::OnceLock;

use libloading::Library;

use super::library;

pub(super) type Platform = *mut c_void;
pub(super) type DeviceId = *mut c_void;
pub(super) type Context = *mut c_void;
pub(super) type Queue = *mut c_void;
pub(super) type Program = *mut c_void;
pub(super) type Kernel = *mut c_void;
pub(super) type Mem = *mut c_void;
pub(super) type Event = *mut c_void;
type Callback = *const c_void;
type Events = *const Event;

/// What `clGet…Info` is asked for, as `cl.h` numbers it.
pub(super) const PLATFORM_VERSION: u32 = 0x0901;
pub(super) const PLATFORM_NAME: u32 = 0x0902;
pub(super) const COMPUTE_UNITS: u32 = 0x1002;
pub(super) const SINGLE_FP: u32 = 0x101B;
pub(super) const MEMORY_BYTES: u32 = 0x101F;
pub(super) const LOCAL_BYTES: u32 = 0x1023;
pub(super) const DEVICE_NAME: u32 = 0x102B;
pub(super) const DRIVER_VERSION: u32 = 0x102D;
pub(super) const DEVICE_VERSION: u32 = 0x102F;
pub(super) const EXTENSIONS: u32 = 0x1030;
pub(super) const C_VERSION: u32 = 0x103D;
const PROGRAM_BINARY_SIZES: u32 = 0x1165;
const PROGRAM_BINARIES: u32 = 0x1166;
const BUILD_LOG: u32 = 0x1183;
const KERNEL_GROUP: u32 = 0x11B0;
const KERNEL_LOCAL: u32 = 0x11B2;
const EVENT_START: u32 = 0x1282;
const EVENT_END: u32 = 0x1283;

/// Bit of [`SINGLE_FP`]: division and square root of f32 can be rounded to the nearest.
pub(super) const ROUNDS_DIVISION: u64 = 1 << 7;

const ALL_DEVICES: u64 = 0xFFFF_FFFF;
const PROFILING: u64 = 2;
const READ_WRITE: u64 = 1;
const NO_DEVICE: i32 = -1;
const NO_PLATFORM: i32 = -1001;
/// No memory for an object, no resources, no host memory, larger than the device allows.
const NO_MEMORY: [i32; 4] = [-4, -5, -6, -61];

macro_rules! functions {
    ($($field:ident = $symbol:literal ($($ty:ty),*) -> $back:ty;)*) => {
        /// The opened loader.
        pub(super) struct Api {
            $($field: unsafe extern "C" fn($($ty),*) -> $back,)*
            _library: Library,
        }

        fn open() -> Result<Api, String> {
            let library = library::loader()?;
            Ok(Api {
                $($field: {
                    // SAFETY: the types are those of cl.h, and the library is kept for ever.
                    let symbol = unsafe { library.get(concat!($symbol, "\0").as_bytes()) };
                    *symbol.map_err(|e| format!("the OpenCL loader is too old, it has no {}: {e}", $symbol))?
                },)*
                _library: library,
            })
        }
    };
}

functions! {
    platforms = "clGetPlatformIDs"(u32, *mut Platform, *mut u32) -> i32;
    platform_info = "clGetPlatformInfo"(Platform, u32, usize, *mut c_void, *mut usize) -> i32;
    devices = "clGetDeviceIDs"(Platform, u64, u32, *mut DeviceId, *mut u32) -> i32;
    device_info = "clGetDeviceInfo"(DeviceId, u32, usize, *mut c_void, *mut usize) -> i32;
    create_context = "clCreateContext"(*const isize, u32, *const DeviceId, Callback, *mut c_void, *mut i32) -> Context;
    release_context = "clReleaseContext"(Context) -> i32;
    create_queue = "clCreateCommandQueue"(Context, DeviceId, u64, *mut i32) -> Queue;
    release_queue = "clReleaseCommandQueue"(Queue) -> i32;
    create_from_source = "clCreateProgramWithSource"(Context, u32, *const *const c_char, *const usize, *mut i32) -> Program;
    create_from_binary = "clCreateProgramWithBinary"(Context, u32, *const DeviceId, *const usize, *const *const u8, *mut i32, *mut i32) -> Program;
    build = "clBuildProgram"(Program, u32, *const DeviceId, *const c_char, Callback, *mut c_void) -> i32;
    build_info = "clGetProgramBuildInfo"(Program, DeviceId, u32, usize, *mut c_void, *mut usize) -> i32;
    program_info = "clGetProgramInfo"(Program, u32, usize, *mut c_void, *mut usize) -> i32;
    release_program = "clReleaseProgram"(Program) -> i32;
    create_kernel = "clCreateKernel"(Program, *const c_char, *mut i32) -> Kernel;
    kernel_info = "clGetKernelWorkGroupInfo"(Kernel, DeviceId, u32, usize, *mut c_void, *mut usize) -> i32;
    set_argument = "clSetKernelArg"(Kernel, u32, usize, *const c_void) -> i32;
    release_kernel = "clReleaseKernel"(Kernel) -> i32;
    enqueue = "clEnqueueNDRangeKernel"(Queue, Kernel, u32, *const usize, *const usize, *const usize, u32, Events, *mut Event) -> i32;
    create_buffer = "clCreateBuffer"(Context, u64, usize, *mut c_void, *mut i32) -> Mem;
    release_buffer = "clReleaseMemObject"(Mem) -> i32;
    read = "clEnqueueReadBuffer"(Queue, Mem, u32, usize, usize, *mut c_void, u32, Events, *mut Event) -> i32;
    write = "clEnqueueWriteBuffer"(Queue, Mem, u32, usize, usize, *const c_void, u32, Events, *mut Event) -> i32;
    fill = "clEnqueueFillBuffer"(Queue, Mem, *const c_void, usize, usize, usize, u32, Events, *mut Event) -> i32;
    finish = "clFinish"(Queue) -> i32;
    event_info = "clGetEventProfilingInfo"(Event, u32, usize, *mut c_void, *mut usize) -> i32;
    release_event = "clReleaseEvent"(Event) -> i32;
}

/// The loader, or why there is none.
pub(super) fn api() -> Result<&'static Api, String> {
    static OPENED: OnceLock<Result<Api, String>> = OnceLock::new();
    OPENED.get_or_init(open).as_ref().map_err(Clone::clone)
}

fn words(status: i32) -> &'static str {
    match status {
        -1 => "no device",
        -2 => "the device is not available",
        -3 => "the driver has no compiler",
        -4 => "no memory for a buffer",
        -5 => "the device is out of resources",
        -6 => "the driver is out of memory",
        -11 => "the build failed",
        -14 => "something before it failed on the device",
        -42 => "the binary makes no sense",
        -46 => "there is no such kernel",
        -48 => "the kernel is damaged",
        -51 => "an argument has the wrong size",
        -52 => "an argument is missing",
        -54 => "work-groups of this size are not possible",
        -61 => "a buffer larger than the device allows",
        -63 => "the grid is too large",
        _ => "unknown error",
    }
}

fn check(status: i32, doing: &str) -> Result<(), String> {
    match status {
        0 => Ok(()),
        _ => Err(format!("OpenCL failed at {doing}: {} (error {status})", words(status))),
    }
}

/// What a `clGet…Info` function returns, whatever its length.
fn info(mut ask: impl FnMut(usize, *mut c_void, *mut usize) -> i32, doing: &str) -> Result<Vec<u8>, String> {
    let mut size = 0;
    check(ask(0, std::ptr::null_mut(), &mut size), doing)?;
    let mut bytes = vec![0_u8; size];
    check(ask(size, bytes.as_mut_ptr().cast(), std::ptr::null_mut()), doing)?;
    Ok(bytes)
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_string()
}

/// A number of 4 or 8 bytes.
fn number(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let count = bytes.len().min(8);
    word[..count].copy_from_slice(&bytes[..count]);
    u64::from_le_bytes(word)
}

impl Api {
    /// The drivers that the loader knows; none where there are none.
    pub(super) fn platforms(&self) -> Result<Vec<Platform>, String> {
        let mut count = 0;
        // SAFETY: a number to write to, then room for so many handles; so in the next function.
        let status = unsafe { (self.platforms)(0, std::ptr::null_mut(), &mut count) };
        if status == NO_PLATFORM || count == 0 {
            return Ok(Vec::new());
        }
        check(status, "counting platforms")?;
        let mut platforms = vec![std::ptr::null_mut(); count as usize];
        let status = unsafe { (self.platforms)(count, platforms.as_mut_ptr(), std::ptr::null_mut()) };
        check(status, "listing platforms")?;
        Ok(platforms)
    }

    pub(super) fn devices(&self, platform: Platform) -> Result<Vec<DeviceId>, String> {
        let mut count = 0;
        let status = unsafe { (self.devices)(platform, ALL_DEVICES, 0, std::ptr::null_mut(), &mut count) };
        if status == NO_DEVICE || count == 0 {
            return Ok(Vec::new());
        }
        check(status, "counting devices")?;
        let mut devices = vec![std::ptr::null_mut(); count as usize];
        let status =
            unsafe { (self.devices)(platform, ALL_DEVICES, count, devices.as_mut_ptr(), std::ptr::null_mut()) };
        check(status, "listing devices")?;
        Ok(devices)
    }

    pub(super) fn platform_text(&self, platform: Platform, what: u32) -> Result<String, String> {
        // SAFETY: `info` gives room for as many bytes as it says; so in all functions that use it.
        let ask = |size, to, needed| unsafe { (self.platform_info)(platform, what, size, to, needed) };
        info(ask, "asking about a platform").map(|b| text(&b))
    }

    fn device_bytes(&self, device: DeviceId, what: u32) -> Result<Vec<u8>, String> {
        let ask = |size, to, needed| unsafe { (self.device_info)(device, what, size, to, needed) };
        info(ask, "asking about a device")
    }

    pub(super) fn device_text(&self, device: DeviceId, what: u32) -> Result<String, String> {
        self.device_bytes(device, what).map(|b| text(&b))
    }

    pub(super) fn device_number(&self, device: DeviceId, what: u32) -> Result<u64, String> {
        self.device_bytes(device, what).map(|b| number(&b))
    }

    pub(super) fn create_context(&self, device: DeviceId) -> Result<Context, String> {
        let (none, mut status) = (std::ptr::null(), 0);
        // SAFETY: one device, no properties, no callback.
        let context =
            unsafe { (self.create_context)(none, 1, &device, none.cast(), std::ptr::null_mut(), &mut status) };
        check(status, "opening a device").map(|()| context)
    }

    /// Commands of a queue run in order and are timed.
    pub(super) fn create_queue(&self, context: Context, device: DeviceId) -> Result<Queue, String> {
        let mut status = 0;
        let queue = unsafe { (self.create_queue)(context, device, PROFILING, &mut status) };
        check(status, "making a queue").map(|()| queue)
    }

    pub(super) fn release(&self, context: Context, queue: Queue) {
        // SAFETY: made before, used no more; so in the other functions that release.
        let _ = unsafe { (self.release_queue)(queue) };
        let _ = unsafe { (self.release_context)(context) };
    }

    pub(super) fn program_from_source(&self, context: Context, source: &str) -> Result<Program, String> {
        let (start, length, mut status) = (source.as_ptr().cast(), source.len(), 0);
        // SAFETY: one text with its length.
        let program = unsafe { (self.create_from_source)(context, 1, &start, &length, &mut status) };
        check(status, "reading kernels").map(|()| program)
    }

    pub(super) fn program_from_binary(
        &self,
        context: Context,
        device: DeviceId,
        bytes: &[u8],
    ) -> Result<Program, String> {
        let (start, length, mut loaded, mut status) = (bytes.as_ptr(), bytes.len(), 0, 0);
        // SAFETY: one binary with its length, for one device.
        let program =
            unsafe { (self.create_from_binary)(context, 1, &device, &length, &start, &mut loaded, &mut status) };
        check(status, "loading kernels").map(|()| program)
    }

    /// Builds a program; where that fails, with what the compiler said.
    pub(super) fn build(&self, program: Program, device: DeviceId, options: &str) -> Result<(), String> {
        let options = CString::new(options).map_err(|_| "a build option with a zero byte")?;
        let none = std::ptr::null();
        // SAFETY: one device, a text that ends with a zero, no callback.
        let status = unsafe { (self.build)(program, 1, &device, options.as_ptr(), none, std::ptr::null_mut()) };
        check(status, "compiling kernels").map_err(|why| {
            let ask = |size, to, needed| unsafe { (self.build_info)(program, device, BUILD_LOG, size, to, needed) };
            let log = info(ask, "reading the log").map(|b| text(&b)).unwrap_or_default();
            let log: Vec<&str> = log.lines().take(40).collect();
            format!("{why}\n{}", log.join("\n"))
        })
    }

    /// What a built program is on its one device.
    pub(super) fn binary(&self, program: Program) -> Result<Vec<u8>, String> {
        let ask = |size, to, needed| unsafe { (self.program_info)(program, PROGRAM_BINARY_SIZES, size, to, needed) };
        let size = info(ask, "asking for a binary").map(|b| number(&b))?;
        let mut bytes = vec![0_u8; size as usize];
        let mut place = bytes.as_mut_ptr();
        let to = std::ptr::from_mut(&mut place).cast();
        // SAFETY: one place for each device, and there is one, with as much room as the driver asked for.
        let status =
            unsafe { (self.program_info)(program, PROGRAM_BINARIES, size_of::<*mut u8>(), to, std::ptr::null_mut()) };
        check(status, "reading a binary").map(|()| bytes)
    }

    pub(super) fn release_program(&self, program: Program) {
        let _ = unsafe { (self.release_program)(program) };
    }

    pub(super) fn kernel(&self, program: Program, name: &str) -> Result<Kernel, String> {
        let text = CString::new(name).map_err(|_| "a kernel name with a zero byte")?;
        let mut status = 0;
        // SAFETY: a text that ends with a zero.
        let kernel = unsafe { (self.create_kernel)(program, text.as_ptr(), &mut status) };
        check(status, &format!("finding kernel {name}")).map(|()| kernel)
    }

    /// How many threads a work-group of a kernel may have, and how many bytes of local memory it uses.
    pub(super) fn kernel_limits(&self, kernel: Kernel, device: DeviceId) -> Result<(u64, u64), String> {
        let ask = |what: u32| {
            let ask = |size, to, needed| unsafe { (self.kernel_info)(kernel, device, what, size, to, needed) };
            info(ask, "asking about a kernel").map(|b| number(&b))
        };
        Ok((ask(KERNEL_GROUP)?, ask(KERNEL_LOCAL)?))
    }

    pub(super) fn release_kernel(&self, kernel: Kernel) {
        let _ = unsafe { (self.release_kernel)(kernel) };
    }

    /// Sets an argument to the first bytes of a word; a handle of a buffer is such a word too.
    pub(super) fn set_argument(&self, kernel: Kernel, at: u32, word: u64, bytes: usize) -> Result<(), String> {
        let word = word.to_le_bytes();
        // SAFETY: at most 8 bytes of the word are read.
        let status = unsafe { (self.set_argument)(kernel, at, bytes.min(8), word.as_ptr().cast()) };
        check(status, &format!("passing argument {at}"))
    }

    /// Runs a kernel, later; with the event that times it, if that is wanted.
    pub(super) fn launch(
        &self,
        queue: Queue,
        kernel: Kernel,
        groups: usize,
        group: usize,
        timed: bool,
    ) -> Result<Option<Event>, String> {
        let (all, mut event) = (groups * group, std::ptr::null_mut());
        let (none, to) = (std::ptr::null(), if timed { &raw mut event } else { std::ptr::null_mut() });
        // SAFETY: one dimension; all arguments are set.
        let status = unsafe { (self.enqueue)(queue, kernel, 1, none, &all, &group, 0, none.cast(), to) };
        check(status, "starting a kernel")?;
        Ok(timed.then_some(event))
    }

    /// The milliseconds of a command that has ended; the event goes.
    pub(super) fn milliseconds(&self, event: Event) -> Result<f64, String> {
        let ask = |what: u32| {
            let ask = |size, to, needed| unsafe { (self.event_info)(event, what, size, to, needed) };
            info(ask, "reading a clock").map(|b| number(&b))
        };
        let times = ask(EVENT_START).and_then(|start| Ok((start, ask(EVENT_END)?)));
        let _ = unsafe { (self.release_event)(event) };
        times.map(|(start, end)| end.saturating_sub(start) as f64 * 1e-6)
    }

    /// New memory; none where there is not enough.
    pub(super) fn buffer(&self, context: Context, bytes: usize) -> Result<Option<Mem>, String> {
        let mut status = 0;
        // SAFETY: no host memory is given.
        let buffer = unsafe { (self.create_buffer)(context, READ_WRITE, bytes, std::ptr::null_mut(), &mut status) };
        match NO_MEMORY.contains(&status) {
            true => Ok(None),
            false => check(status, "allocating memory").map(|()| Some(buffer)),
        }
    }

    /// Gives memory back, once all commands that use it have run.
    pub(super) fn release_buffer(&self, buffer: Mem) {
        let _ = unsafe { (self.release_buffer)(buffer) };
    }

    /// Copies out, after all that was asked for before.
    pub(super) fn read(&self, queue: Queue, buffer: Mem, offset: usize, to: &mut [u8]) -> Result<(), String> {
        let (none, place) = (std::ptr::null(), to.as_mut_ptr().cast());
        // SAFETY: the call returns when the bytes are there.
        let status = unsafe { (self.read)(queue, buffer, 1, offset, to.len(), place, 0, none, std::ptr::null_mut()) };
        check(status, "running kernels and reading memory")
    }

    /// Copies in; the bytes have been taken when this returns.
    pub(super) fn write(&self, queue: Queue, buffer: Mem, offset: usize, from: &[u8]) -> Result<(), String> {
        let (none, place) = (std::ptr::null(), from.as_ptr().cast());
        // SAFETY: as above.
        let status =
            unsafe { (self.write)(queue, buffer, 1, offset, from.len(), place, 0, none, std::ptr::null_mut()) };
        check(status, "writing memory")
    }

    /// Repeats a pattern, later; its length is a power of two that divides the place and the size.
    pub(super) fn fill(
        &self,
        queue: Queue,
        buffer: Mem,
        pattern: &[u8],
        offset: usize,
        bytes: usize,
    ) -> Result<(), String> {
        let (none, place) = (std::ptr::null(), pattern.as_ptr().cast());
        // SAFETY: the pattern is copied before the call returns.
        let status =
            unsafe { (self.fill)(queue, buffer, place, pattern.len(), offset, bytes, 0, none, std::ptr::null_mut()) };
        check(status, "filling memory")
    }

    /// Waits for everything.
    pub(super) fn finish(&self, queue: Queue) -> Result<(), String> {
        check(unsafe { (self.finish)(queue) }, "running kernels")
    }
}
