//! Kernels of a plan on an OpenCL device: compiled region by region when they are first wanted, launched on the one queue.
//!
//! ```text
//! launch k   ->   the unit of k   ->   compiled before?   take its functions
//!                                      not yet?           from the cache, or by the driver; do its kernels fit the device?
//! ```
//!
//! A driver for CPUs takes seconds for a program of a page, and most runs do not come near most of it (`regions`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use terrace_plan::{KernelParam, KernelText, Plan};

use super::super::regions::units_in_turn;
use super::super::units::text_of;
use super::super::{Arg, Code, Launch, Times, cache, phase_name};
use super::Open;
use super::api::{Event, Kernel, Program};

/// What is known of a kernel before it is compiled.
struct Known {
    name: String,
    phases: usize,
    block: u32,
    params: Vec<KernelParam>,
    /// Its unit, and its place there.
    place: (usize, usize),
}

/// Kernels that are compiled together.
struct Unit {
    text: String,
    kernels: Vec<usize>,
    built: OnceLock<Result<Built, String>>,
}

struct Built {
    program: Program,
    /// The functions of each kernel's phases.
    functions: Vec<Vec<Kernel>>,
    remark: cache::Remark,
}

pub(super) struct ClCode {
    open: Arc<Open>,
    kernels: Vec<Known>,
    units: Vec<Unit>,
    clocks: Mutex<Clocks>,
    /// Nanoseconds in which somebody waited for the compiler.
    compiling: AtomicU64,
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
    pub(super) fn new(open: Arc<Open>, plan: &Plan) -> ClCode {
        let mut places = vec![(0, 0); plan.kernels.len()];
        let mut units = Vec::new();
        for kernels in units_in_turn(plan) {
            kernels.iter().enumerate().for_each(|(at, kernel)| places[*kernel] = (units.len(), at));
            units.push(Unit { text: text_of(plan, &kernels), kernels, built: OnceLock::new() });
        }
        let known = |(kernel, place): (&KernelText, (usize, usize))| Known {
            name: kernel.name.clone(),
            phases: kernel.phases.max(1),
            block: kernel.block,
            params: kernel.params.clone(),
            place,
        };
        let kernels = plan.kernels.iter().zip(places).map(known).collect();
        ClCode { open, kernels, units, clocks: Mutex::default(), compiling: AtomicU64::new(0) }
    }

    /// A unit, compiled now if it is not yet.
    fn unit(&self, at: usize) -> Result<&Built, String> {
        let unit = self.units.get(at).ok_or_else(|| format!("there is no unit {at}"))?;
        let build = || {
            let start = Instant::now();
            let built = self.build(unit);
            self.compiling.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
            built
        };
        unit.built.get_or_init(build).as_ref().map_err(String::clone)
    }

    fn build(&self, unit: &Unit) -> Result<Built, String> {
        let (program, remark) = self.open.program(&unit.text)?;
        // What it has is released with it, also where a kernel does not fit.
        let mut built = Built { program, functions: Vec::new(), remark };
        for kernel in unit.kernels.iter().map(|k| &self.kernels[*k]) {
            built.functions.push(Vec::new());
            for phase in 0..kernel.phases {
                let function = self.open.api.kernel(program, &phase_name(&kernel.name, phase));
                let fits = function.and_then(|function| {
                    built.functions.last_mut().expect("just pushed").push(function);
                    self.fits(kernel, function)
                });
                if let Err(why) = fits {
                    self.release(&built);
                    return Err(why);
                }
            }
        }
        Ok(built)
    }

    fn fits(&self, kernel: &Known, function: Kernel) -> Result<(), String> {
        let open = &self.open;
        let (threads, local) = open.api.kernel_limits(function, open.device)?;
        if threads >= kernel.block.into() && local <= open.local_memory {
            return Ok(());
        }
        let (name, block, most) = (&open.name, kernel.block, open.local_memory);
        Err(format!(
            "kernel {} does not fit the device {name}: it needs work-groups of {block} threads with {local} bytes of local memory, and there are {threads} threads and {most} bytes",
            kernel.name
        ))
    }

    fn release(&self, built: &Built) {
        built.functions.iter().flatten().for_each(|k| self.open.api.release_kernel(*k));
        self.open.api.release_program(built.program);
    }

    fn clocks(&self) -> MutexGuard<'_, Clocks> {
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Code for ClCode {
    fn compiling(&self) -> Duration {
        Duration::from_nanos(self.compiling.load(Ordering::Relaxed))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), String> {
        let kernel = self.kernels.get(launch.kernel).ok_or_else(|| format!("there is no kernel {}", launch.kernel))?;
        let (unit, at) = kernel.place;
        let phases = &self.unit(unit)?.functions[at];
        let function = *phases.get(launch.phase).ok_or_else(|| format!("there is no phase {}", launch.phase))?;
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
        let built = self.units.iter().filter_map(|unit| unit.built.get()?.as_ref().ok());
        built.into_iter().find_map(|built| built.remark.as_deref())
    }
}

impl Drop for ClCode {
    fn drop(&mut self) {
        let _ = self.open.api.finish(self.open.queue);
        let built = self.units.iter().filter_map(|unit| unit.built.get()?.as_ref().ok());
        built.for_each(|built| self.release(built));
    }
}
