//! The CPU: kernels are C functions over ranges of tiles.
//!
//! The kernels of a plan are a few C units (`units`), compiled when one of their kernels is first wanted, several at once. A launch of `tiles` tiles is cut into contiguous runs that the threads of a
//! `team` share; which thread takes which run cannot show in a result, because tiles do not depend on each other within a phase.
//!
//! ```text
//! launch of 1000 tiles, 4 threads      k(err, 7, 0, 32, args)  k(err, 7, 32, 64, args)  ...
//! ```
//!
//! Waking threads costs more than a small launch. The time per tile of every kernel is remembered; a launch that will be short is shared with threads that are
//! awake, and a shorter one runs where it is. After many short ones the threads are woken all the same. Memory is ordinary memory: arrays of a caller are read where they are, and results can be.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use libloading::Library;
use terrace_plan::{KernelText, Plan, Target};

use crate::memory::bytes_in_words;

use super::arena::STACK;
use super::compiler::Compiler;
use super::host_memory::HostMemory;
use super::interrupt::stopped;
use super::processor::processor;
use super::report::{Found, Place};
use super::team::{Team, Who};
use super::units::at_once;
use super::{AllocError, Arg, Code, Device, Handle, Launch, Times, phase_name};

/// Runs per thread: enough to even out tiles of different cost. The last rows of a triangle are twice as long as the mean; with eight runs, a
/// thread that takes the last one last is a tenth of the time behind.
const RUNS_PER_THREAD: u64 = 32;

/// The least time that a run is worth, in nanoseconds.
const RUN_NS: u64 = 1000;

/// A launch is shared with threads that are awake from this part of the time on that makes it worth waking them.
const AWAKE: u64 = 8;

/// Threads are woken when short launches took so many times the time that makes one launch worth waking them.
const PATIENCE: u64 = 8;

type Kernel = unsafe extern "C" fn(*mut u64, i64, i64, i64, *const *mut c_void);

/// The CPU as a device.
pub(crate) struct Cpu {
    memory: HostMemory,
    threads: Arc<Threads>,
}

struct Threads {
    count: usize,
    team: Team,
    inline_ns: u64,
    /// How long launches took that others could have shared, had they been awake.
    missed_ns: AtomicU64,
}

impl Cpu {
    /// A device with so many threads (0: one per core); launches expected to take less than `inline_ns` are no reason to wake others.
    pub(crate) fn new(threads: usize, inline_ns: u64, limit: Option<u64>) -> Result<Cpu, String> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let count = if threads == 0 { cores() } else { threads };
        let team = Team::new(count, STACK)?;
        let threads = Threads { count, team, inline_ns, missed_ns: AtomicU64::new(0) };
        Ok(Cpu { memory: HostMemory::new(limit), threads: Arc::new(threads) })
    }
}

impl Threads {
    /// Who should share a launch that one thread would take so long for, if anybody knows how long; nobody where it is too short.
    fn who(&self, expected: Option<u64>) -> Option<Who> {
        let Some(expected) = expected.filter(|ns| *ns < self.inline_ns) else { return Some(Who::All) };
        if expected < self.inline_ns / AWAKE {
            return None;
        }
        if self.team.awake() > 0 {
            return Some(Who::Awake);
        }
        let missed = self.missed_ns.fetch_add(expected, Ordering::Relaxed) + expected;
        let enough = missed >= self.inline_ns * PATIENCE;
        if enough {
            self.missed_ns.store(0, Ordering::Relaxed);
        }
        enough.then_some(Who::All)
    }
}

fn compiler() -> Compiler {
    let flags = "-O3 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math -fPIC -shared -fopenmp-simd -w";
    let mut flags: Vec<String> = flags.split(' ').map(str::to_string).collect();
    let processor = processor();
    if processor.wide_vectors {
        flags.push("-mprefer-vector-width=512".to_string());
    }
    if processor.gathers {
        flags.push("-DTERRACE_GATHER".to_string());
    }
    Compiler { variable: "TERRACE_CC", default: "cc", language: "c", flags, libraries: &["-lm"] }
}

/// Whether this machine has a C compiler; else what is said about it.
pub fn c_compiler() -> Result<(), String> {
    compiler().found()
}

/// The CPU with its compiler.
pub(crate) fn report() -> Place {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = bytes_in_words(HostMemory::new(None).total());
    let s = if threads == 1 { "" } else { "s" };
    let mut found = Found { name: "CPU".to_string(), facts: vec![format!("{threads} thread{s}, {memory}")] };
    match compiler().described() {
        Ok(compiler) => {
            found.facts.push(compiler);
            Place { backend: "c", devices: vec![found], missing: Vec::new() }
        }
        Err(why) => Place { backend: "c", devices: Vec::new(), missing: vec![why] },
    }
}

impl Device for Cpu {
    fn name(&self) -> String {
        format!("CPU, {} threads", self.threads.count)
    }

    fn memory_bytes(&self) -> u64 {
        self.memory.total()
    }

    fn target(&self) -> Target {
        Target::C
    }

    fn workers(&self) -> usize {
        self.threads.count
    }

    fn load(&self, plan: &Plan) -> Result<Box<dyn Code>, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let compiler = compiler();
        if !plan.kernels.is_empty() {
            compiler.found()?;
        }
        let names = |kernel: &KernelText| match kernel.text.is_empty() {
            // Part of the text of others.
            true => Vec::new(),
            false => (0..kernel.phases.max(1)).map(|phase| phase_name(&kernel.name, phase)).collect(),
        };
        let mut places = vec![(0, 0); plan.kernels.len()];
        let mut units = Vec::new();
        for unit in super::units::units(plan, cores) {
            for (at, kernel) in unit.kernels.iter().enumerate() {
                places[*kernel] = (units.len(), at);
            }
            let names = unit.kernels.iter().map(|k| names(&plan.kernels[*k])).collect();
            units.push(Unit { text: unit.text, names, region: unit.region, loaded: OnceLock::new() });
        }
        Ok(Box::new(CpuCode {
            units,
            places,
            alone: plan.kernels.iter().map(|kernel| kernel.alone).collect(),
            compiler,
            cores,
            threads: self.threads.clone(),
            clocks: Mutex::new(vec![Duration::ZERO; plan.kernels.len()]),
            compiling: AtomicU64::new(0),
            remark: OnceLock::new(),
        }))
    }

    fn alloc(&self, bytes: u64) -> Result<Handle, AllocError> {
        self.memory.alloc(bytes)
    }

    fn lend(&self, bytes: &[u8]) -> Option<Handle> {
        Some(Handle { address: bytes.as_ptr() as u64, bytes: bytes.len() as u64 })
    }

    fn is_host(&self) -> bool {
        true
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

struct Phase {
    function: Kernel,
    /// Nanoseconds of one thread per tile, in sixteenths, as last seen; 0 before the first launch.
    tile_ns: AtomicU64,
}

/// Kernels that are compiled together, when one of them is first wanted.
struct Unit {
    text: String,
    /// The functions of each kernel's phases.
    names: Vec<Vec<String>>,
    region: usize,
    loaded: OnceLock<Result<LoadedUnit, String>>,
}

struct LoadedUnit {
    kernels: Vec<Vec<Phase>>,
    // Last, so that it goes after the pointers into it.
    _library: Library,
}

struct CpuCode {
    units: Vec<Unit>,
    /// The unit of each kernel, and its place there.
    places: Vec<(usize, usize)>,
    /// Whether threads need memory of their own.
    alone: Vec<bool>,
    compiler: Compiler,
    cores: usize,
    threads: Arc<Threads>,
    clocks: Mutex<Vec<Duration>>,
    /// Nanoseconds in which somebody waited for the compiler.
    compiling: AtomicU64,
    remark: OnceLock<String>,
}

/// The arguments of one launch, as the kernel wants them.
struct Frame {
    pointers: Vec<*mut c_void>,
    _scalars: Vec<u64>,
}

// SAFETY: threads only read the list; what it points to is device memory, which tiles divide among themselves, and scalars that
// nobody writes.
unsafe impl Sync for Frame {}

impl Frame {
    fn new(args: &[Arg]) -> Frame {
        let bits = |arg: &Arg| match arg {
            Arg::Address(..) => 0,
            Arg::Scalar(s) => s.raw_bits().to_le(),
        };
        let scalars: Vec<u64> = args.iter().map(bits).collect();
        let pointer = |(arg, scalar): (&Arg, &u64)| match arg {
            Arg::Address(handle, offset) => (handle.address + offset) as *mut c_void,
            Arg::Scalar(_) => std::ptr::from_ref(scalar).cast_mut().cast(),
        };
        let pointers = args.iter().zip(&scalars).map(pointer).collect();
        Frame { pointers, _scalars: scalars }
    }

    fn list(&self) -> *const *mut c_void {
        self.pointers.as_ptr()
    }
}

impl CpuCode {
    /// A unit, compiled now if it is not yet.
    fn unit(&self, at: usize) -> Result<&LoadedUnit, String> {
        let unit = self.units.get(at).ok_or_else(|| format!("there is no unit {at}"))?;
        let load = || {
            let (library, remark) = self.compiler.load(&unit.text)?;
            if let Some(remark) = remark {
                let _ = self.remark.set(remark);
            }
            let function = |name: &String| {
                // SAFETY: every phase of a C kernel has this type (the kernel ABI), and the library is kept as long as the pointer.
                let function = unsafe { library.get::<Kernel>(name.as_bytes()) };
                let function = *function.map_err(|e| format!("kernel {name} is not in the unit: {e}"))?;
                Ok(Phase { function, tile_ns: AtomicU64::new(0) })
            };
            let phases = |names: &Vec<String>| names.iter().map(function).collect::<Result<_, String>>();
            let kernels = unit.names.iter().map(phases).collect::<Result<_, String>>()?;
            Ok(LoadedUnit { kernels, _library: library })
        };
        unit.loaded.get_or_init(load).as_ref().map_err(String::clone)
    }

    /// Compiles the regions of these kernels, unless they are compiled, and notes how long that took.
    fn compile(&self, kernels: &[usize]) -> Result<(), String> {
        let unit = |kernel: &usize| self.places.get(*kernel).map(|(unit, _)| &self.units[*unit]);
        let missing = |unit: &&Unit| unit.loaded.get().is_none();
        let regions: BTreeSet<usize> = kernels.iter().filter_map(unit).filter(missing).map(|u| u.region).collect();
        if regions.is_empty() {
            return Ok(());
        }
        let units = self.units.iter().enumerate().filter(|(_, unit)| regions.contains(&unit.region) && missing(unit));
        let missing: Vec<usize> = units.map(|(at, _)| at).collect();
        let start = Instant::now();
        let made = at_once(&missing, self.cores, |at| self.unit(*at).map(|_| ()));
        self.compiling.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        made.map(|_| ())
    }

    fn phase(&self, kernel: usize, phase: usize) -> Result<&Phase, String> {
        let missing = || format!("there is no phase {phase} of kernel {kernel}");
        let (unit, at) = *self.places.get(kernel).ok_or_else(missing)?;
        if self.units[unit].loaded.get().is_none() {
            self.compile(&[kernel])?;
        }
        self.unit(unit)?.kernels[at].get(phase).ok_or_else(missing)
    }

    /// How long the launch took.
    fn run(&self, phase: &Phase, launch: &Launch<'_>) -> Duration {
        let frame = Frame::new(launch.args);
        let alone = self.alone.get(launch.kernel).copied().unwrap_or(false);
        let record = launch.record.address;
        let tiles = launch.tiles;
        let range = |low: u64, high: u64| {
            if stopped() {
                return;
            }
            let call = |list: *const *mut c_void| {
                // SAFETY: the kernel ABI: the record and all arguments live in device memory that is held during the launch, and the
                // tiles are within the launch.
                unsafe { (phase.function)(record as *mut u64, launch.number, low as i64, high as i64, list) };
            };
            match alone {
                false => call(frame.list()),
                true => launch.arena.with_worker(|worker| {
                    let list: Vec<*mut c_void> = frame.pointers.iter().copied().chain([worker]).collect();
                    call(list.as_ptr());
                }),
            }
        };
        let known = phase.tile_ns.load(Ordering::Relaxed);
        let expected = (known > 0).then(|| tiles.saturating_mul(known) / 16);
        let threads = &*self.threads;
        let who = match alone {
            true => Some(Who::Threads),
            false if tiles > 1 && threads.count > 1 => threads.who(expected),
            false => None,
        };
        let start = Instant::now();
        let workers = match who {
            Some(who) => {
                let count = threads.count as u64;
                let worth = expected.map_or(u64::MAX, |ns| ns / RUN_NS).max(count);
                let runs = tiles.min(count * RUNS_PER_THREAD).min(worth);
                let bound = |run: u64| (u128::from(tiles) * u128::from(run) / u128::from(runs)) as u64;
                threads.team.run(runs, who, &|run| range(bound(run), bound(run + 1)))
            }
            None => {
                range(0, tiles);
                1
            }
        };
        let spent = start.elapsed();
        let tile_ns = (spent.as_nanos() as u64).saturating_mul(16 * workers) / tiles.max(1);
        phase.tile_ns.store(tile_ns.max(1), Ordering::Relaxed);
        spent
    }
}

impl Code for CpuCode {
    fn compiles_late(&self) -> bool {
        true
    }

    fn prepare(&self, kernels: &[usize]) -> Result<(), String> {
        self.compile(kernels)
    }

    fn compiling(&self) -> Duration {
        Duration::from_nanos(self.compiling.load(Ordering::Relaxed))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<(), String> {
        let phase = self.phase(launch.kernel, launch.phase)?;
        let spent = self.run(phase, launch);
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)[launch.kernel] += spent;
        Ok(())
    }

    fn remark(&self) -> Option<&str> {
        self.remark.get().map(String::as_str)
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
