//! A plan on a device, ready to be called.
//!
//! A call goes: nested arguments to slots (checked against their layouts), slots to the device, the host program, result slots back,
//! slots to a nested value. The steps are open one by one for measurements.
//!
//! ```text
//! call(entry, data)  =  prepare(entry, arguments)  run(args)  fetch_data(results)
//! ```
//!
//! Runs of one loaded plan take turns. The counts of memory belong to the whole device, so statistics of runs that overlap on one
//! runtime mix.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use terrace_base::{Diagnostic, Scalar, Span};
use terrace_plan::data::Data;
use terrace_plan::layout::{Layout, Slot};
use terrace_plan::{Entry, Plan};

use crate::Options;
use crate::devices::host_view::View;
use crate::devices::{Code, KernelResources};
use crate::error::RunError;
use crate::executor::{Executor, Given};
use crate::memory::{Block, Space};
use crate::stats::Stats;
use crate::values::{self, Column, SlotValue, Source, ValueError};

/// A block of fewer bytes may be kept for the sake of a few of them.
const SMALL: u64 = 1 << 16;

/// A plan on a device.
pub struct Loaded {
    plan: Plan,
    // Before the space, which holds the device that the code runs on.
    code: Box<dyn Code>,
    space: Arc<Space>,
    options: Options,
    turn: Mutex<()>,
}

/// An entry, by name or number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryRef<'a> {
    /// Its name.
    Name(&'a str),
    /// Its place in the plan.
    Index(usize),
}

impl<'a> From<&'a str> for EntryRef<'a> {
    fn from(name: &'a str) -> Self {
        EntryRef::Name(name)
    }
}

impl From<usize> for EntryRef<'_> {
    fn from(index: usize) -> Self {
        EntryRef::Index(index)
    }
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// A nested value.
    Data(&'a Data),
    /// All slots of the parameter's layout.
    Columns(&'a [SlotValue]),
}

/// Arguments on the device.
pub struct Args {
    entry: usize,
    values: Vec<Given>,
}

impl Args {
    /// The bytes of their columns.
    pub fn bytes(&self) -> u64 {
        let column = |g: &Given| if let Given::Buffer(block) = g { block.bytes } else { 0 };
        self.values.iter().map(column).sum()
    }
}

/// Results on the device.
pub struct DeviceResults {
    entry: usize,
    values: Vec<Given>,
}

impl Loaded {
    pub(crate) fn new(plan: Plan, code: Box<dyn Code>, space: Arc<Space>, options: Options) -> Loaded {
        Loaded { plan, code, space, options, turn: Mutex::new(()) }
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The place of an entry in the plan.
    pub fn entry(&self, name: &str) -> Option<usize> {
        self.plan.entries.iter().position(|e| e.name == name)
    }

    /// What the device's compiler made of the kernels, where it says.
    pub fn resources(&self) -> Vec<KernelResources> {
        self.code.resources()
    }

    /// What people should know about how the kernels came to be: that they could not be kept, and why.
    pub fn remark(&self) -> Option<&str> {
        self.code.remark()
    }

    /// How long calls have waited for a compiler: kernels are compiled when they are first wanted.
    pub fn compiling(&self) -> Duration {
        self.code.compiling()
    }

    /// An error of this plan as a message for people.
    pub fn diagnose(&self, error: &RunError) -> Diagnostic {
        error.diagnostic(&self.plan)
    }

    /// Runs an entry on nested values.
    pub fn call<'e>(&self, entry: impl Into<EntryRef<'e>>, args: &[Data]) -> Result<(Data, Stats), RunError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.space.reset();
        let arguments: Vec<Argument<'_>> = args.iter().map(Argument::Data).collect();
        let entry = entry.into();
        let layout = &self.entry_at(self.find(entry)?)?.result;
        let (slots, stats) = self.put_and_run(entry, &arguments)?;
        let data = values::from_slots(&slots, layout).map_err(bad_result)?;
        Ok((data, stats))
    }

    /// Runs an entry on columns. Where device memory is the host's own, columns that others hold ([`Column::held`]) are read where they are,
    /// unless the entry consumes them, and results are the memory that the run left them in.
    pub fn call_columns<'e>(
        &self,
        entry: impl Into<EntryRef<'e>>,
        args: &[Argument<'_>],
    ) -> Result<(Vec<SlotValue>, Stats), RunError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.space.reset();
        self.put_and_run(entry.into(), args)
    }

    fn put_and_run(&self, entry: EntryRef<'_>, args: &[Argument<'_>]) -> Result<(Vec<SlotValue>, Stats), RunError> {
        let args = self.put(entry, args)?;
        let (results, mut stats) = self.execute(args)?;
        let mut source = Fetch::new(self, &results, true)?;
        values::measure(source.layout, &mut source)?;
        stats.result_transfers += source.transfers;
        let slots = source.done();
        let usage = self.space.usage();
        stats.bytes_to_device = usage.to_device;
        stats.bytes_from_device = usage.from_device;
        Ok((slots, stats))
    }

    /// Puts arguments on the device.
    pub fn prepare<'e>(&self, entry: impl Into<EntryRef<'e>>, args: &[Argument<'_>]) -> Result<Args, RunError> {
        let args = self.put(entry.into(), args)?;
        self.space.device.synchronise().map_err(RunError::Device)?;
        Ok(args)
    }

    /// Runs an entry on prepared arguments; results stay on the device. An entry that consumes a parameter overwrites the prepared
    /// argument: prepare it again before the next run.
    pub fn run(&self, args: &Args) -> Result<(DeviceResults, Stats), RunError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.space.reset();
        self.execute(Args { entry: args.entry, values: args.values.clone() })
    }

    /// Brings results back as slots: columns have their true lengths.
    pub fn fetch(&self, results: &DeviceResults) -> Result<Vec<SlotValue>, RunError> {
        let mut source = Fetch::new(self, results, false)?;
        values::measure(source.layout, &mut source)?;
        Ok(source.done())
    }

    /// Brings results back as a nested value.
    pub fn fetch_data(&self, results: &DeviceResults) -> Result<Data, RunError> {
        let slots = self.fetch(results)?;
        values::from_slots(&slots, &self.entry_at(results.entry)?.result).map_err(bad_result)
    }

    fn entry_at(&self, index: usize) -> Result<&Entry, RunError> {
        let entry = self.plan.entries.get(index);
        entry.ok_or_else(|| RunError::Call(format!("there is no entry number {index}")))
    }

    fn find(&self, entry: EntryRef<'_>) -> Result<usize, RunError> {
        match entry {
            EntryRef::Index(index) => self.entry_at(index).map(|_| index),
            EntryRef::Name(name) => self.entry(name).ok_or_else(|| {
                let names: Vec<&str> = self.plan.entries.iter().map(|e| e.name.as_str()).collect();
                RunError::Call(format!("there is no entry `{name}`; there are: {}", names.join(", ")))
            }),
        }
    }

    fn put(&self, entry: EntryRef<'_>, args: &[Argument<'_>]) -> Result<Args, RunError> {
        let index = self.find(entry)?;
        let entry = self.entry_at(index)?;
        if entry.params.len() != args.len() {
            let text = format!("`{}` takes {} arguments, not {}", entry.name, entry.params.len(), args.len());
            return Err(RunError::Call(text));
        }
        let mut given = Vec::new();
        for (param, (layout, arg)) in entry.params.iter().zip(args).enumerate() {
            let wrong = |error| RunError::Argument { param, error };
            match arg {
                Argument::Data(data) => {
                    let slots = values::to_slots(data, layout).map_err(wrong)?;
                    let slots: Vec<SlotValue> = slots.into_iter().map(SlotValue::shared).collect();
                    self.put_slots(entry, &slots, &mut given)?;
                }
                Argument::Columns(slots) => {
                    values::check_slots(slots, layout).map_err(wrong)?;
                    self.put_slots(entry, slots, &mut given)?;
                }
            }
        }
        Ok(Args { entry: index, values: given })
    }

    fn put_slots(&self, entry: &Entry, slots: &[SlotValue], to: &mut Vec<Given>) -> Result<(), RunError> {
        for slot in slots {
            let column = match slot {
                SlotValue::Scalar(scalar) => {
                    to.push(Given::Scalar(*scalar));
                    continue;
                }
                SlotValue::Column(column) => column,
            };
            let lent = match column.owner().filter(|_| !entry.consumed.contains(&to.len())) {
                Some(owner) => self.space.lend(owner, column.ty().size_bytes())?,
                None => None,
            };
            let block = match lent {
                Some(block) => block,
                None => {
                    let block = self.space.alloc(column.bytes().len() as u64, Span::none())?;
                    self.space.upload(&block, 0, column.bytes())?;
                    block
                }
            };
            to.push(Given::Buffer(block));
        }
        Ok(())
    }

    /// The executor owns the arguments, so that a program can let go of them early.
    fn execute(&self, args: Args) -> Result<(DeviceResults, Stats), RunError> {
        let (start, compiled) = (Instant::now(), self.code.compiling());
        let entry = self.entry_at(args.entry)?;
        let mut executor = Executor::new(&self.plan, &*self.code, &self.space, self.options)?;
        self.code.begin(self.options.profile).map_err(RunError::Device)?;
        let values = executor.run(entry.function, args.values)?;
        let mut stats = std::mem::take(&mut executor.stats);
        drop(executor);
        let times = self.code.end().map_err(RunError::Device)?;
        stats.device_ms = times.device_ms;
        stats.kernel_ms = times.kernel_ms;
        // A twin is the same kernel to everyone who asks.
        for (kernel, small) in
            self.plan.kernels.iter().enumerate().filter_map(|(k, text)| Some((k, text.small.as_ref()?)))
        {
            if let Some(ms) = stats.kernel_ms.get(small.kernel).copied() {
                stats.kernel_ms[kernel] += ms;
                stats.kernel_ms[small.kernel] = 0.0;
            }
        }
        let waited = self.code.compiling().saturating_sub(compiled);
        stats.wall_ms = start.elapsed().saturating_sub(waited).as_secs_f64() * 1e3;
        let usage = self.space.usage();
        stats.peak_bytes = usage.peak;
        stats.current_bytes = usage.current;
        stats.bytes_to_device = usage.to_device;
        stats.bytes_from_device = usage.from_device;
        Ok((DeviceResults { entry: args.entry, values }, stats))
    }
}

fn bad_result(error: ValueError) -> RunError {
    RunError::Plan(format!("the result does not fit its layout: {error}"))
}

/// Results on their way back: each column is fetched when its extent is known.
struct Fetch<'a> {
    space: &'a Arc<Space>,
    layout: &'a Layout,
    kinds: Vec<Slot>,
    values: &'a [Given],
    columns: Vec<Option<Column>>,
    /// Which buffers nobody but these results has: they are the columns.
    given_up: Vec<bool>,
    transfers: u64,
}

/// A failure while fetching; values that contradict each other are the compiler's doing.
struct FetchError(RunError);

impl From<ValueError> for FetchError {
    fn from(error: ValueError) -> Self {
        FetchError(bad_result(error))
    }
}

impl From<FetchError> for RunError {
    fn from(error: FetchError) -> Self {
        error.0
    }
}

impl<'a> Fetch<'a> {
    /// With `last`, nobody asks for the results again.
    fn new(loaded: &'a Loaded, results: &'a DeviceResults, last: bool) -> Result<Self, RunError> {
        let layout = &loaded.entry_at(results.entry)?.result;
        let kinds = layout.slots();
        if kinds.len() != results.values.len() {
            let text = format!("{} results where the layout has {} slots", results.values.len(), kinds.len());
            return Err(RunError::Plan(text));
        }
        let columns = vec![None; kinds.len()];
        let holds = |block: &Arc<Block>| {
            let same = |v: &&Given| matches!(v, Given::Buffer(other) if Arc::ptr_eq(block, other));
            results.values.iter().filter(same).count()
        };
        let alone = |v: &Given| matches!(v, Given::Buffer(block) if last && Arc::strong_count(block) == holds(block));
        let given_up = results.values.iter().map(alone).collect();
        Ok(Fetch { space: &loaded.space, layout, kinds, values: &results.values, columns, given_up, transfers: 0 })
    }

    fn done(self) -> Vec<SlotValue> {
        let slot = |(given, column): (&Given, Option<Column>)| match (given, column) {
            (Given::Scalar(scalar), _) => Some(SlotValue::Scalar(*scalar)),
            (Given::Buffer(_), column) => column.map(SlotValue::Column),
        };
        self.values.iter().zip(self.columns).filter_map(slot).collect()
    }

    fn download(&mut self, block: &Arc<Block>, slot: usize, count: usize) -> Result<Column, RunError> {
        let Slot::Column(ty) = self.kinds[slot] else {
            return Err(RunError::Plan(format!("result slot {slot} is a buffer, not a scalar")));
        };
        let bytes = count as u64 * ty.size_bytes() as u64;
        if bytes > block.bytes {
            let text = format!("result slot {slot} needs {bytes} bytes, its buffer has {}", block.bytes);
            return Err(RunError::Plan(text));
        }
        let bad = || RunError::Plan(format!("result slot {slot} holds a boolean that is neither 0 nor 1"));
        // A small part of a large block is not worth the block.
        let worth = bytes >= block.bytes / 2 || block.bytes < SMALL;
        if self.given_up[slot]
            && worth
            && let Some(view) = View::new(block.clone(), bytes)
        {
            return Column::held(ty, Arc::new(view)).ok_or_else(bad);
        }
        let mut contents = vec![0; bytes as usize];
        if bytes > 0 {
            self.space.download(block, 0, &mut contents)?;
            self.transfers += 1;
        }
        Column::from_bytes(ty, contents).ok_or_else(bad)
    }
}

impl Source for Fetch<'_> {
    type Error = FetchError;

    fn strict(&self) -> bool {
        false
    }

    fn scalar(&mut self, slot: usize) -> Result<Scalar, FetchError> {
        match self.values.get(slot) {
            Some(Given::Scalar(scalar)) => Ok(*scalar),
            _ => Err(FetchError(RunError::Plan(format!("result slot {slot} is no scalar")))),
        }
    }

    fn column(&mut self, slot: usize, count: usize, _exact: bool) -> Result<&Column, FetchError> {
        let column = match self.values.get(slot) {
            Some(Given::Buffer(block)) => self.download(block, slot, count).map_err(FetchError)?,
            _ => {
                return Err(FetchError(RunError::Plan(format!("result slot {slot} is no buffer"))));
            }
        };
        Ok(self.columns[slot].insert(column))
    }
}
