//! How long an entry takes: prepared once, run many times, nothing brought back.
//!
//! Arguments are put on the device first. The entry is run to warm up (memory pools, caches, clocks), and then until the estimate is
//! stable: the quartiles of all times so far, over the root of their number, are within half a percent of the median. A stated number of runs
//! or a limit on time ends it too.
//!
//! ```text
//! times 1.02 0.99 1.00 1.31 1.00 …    median 1.00, quartiles 0.99 and 1.02, least 0.99
//! ```
//!
//! Literals of a hundred million elements are impossible to write, so arguments may come from another entry of the same program, the
//! *maker*: it is called on the same device, and its result, a tuple with one component per parameter (or one value for one parameter), is
//! the arguments.
//!
//! ```text
//! entry dot(xs: []f64, ys: []f64) -> f64 = …
//! entry make(n: i64) -> ([]f64, []f64) = ([f64(i) for i < n], [f64(n - i) for i < n])
//! terrace bench dot.tce --entry dot --from make 100000000
//! ```
//!
//! The interpreters are measured too, so that results can be compared (`interpreted`); their times say little.
//!
//! An entry that consumes a parameter gets a new one before every run, outside the measured time. Bytes moved are those of the arguments and of the
//! result, each once: what an ideal program must read and write.

mod interpreted;

use crate::backend::Backend;
use crate::engine::{Engine, Taken};
use crate::program::Failed;
use crate::refit::{is_rectangular, refit};
use std::time::{Duration, Instant};
use terrace_ir::FuncId;
use terrace_plan::data::Data;
use terrace_plan::layout::Layout;
use terrace_runtime::{Args, Argument, Column, Loaded, RunError, SlotValue, Stats};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The entry.
    pub entry: &'a str,
    /// The entry that makes its arguments, if another does.
    pub maker: Option<&'a str>,
    /// The arguments, of the maker where there is one.
    pub args: Vec<Data>,
    /// How many runs; none for as many as a stable estimate needs.
    pub repeat: Option<usize>,
    /// The most time for the measured runs.
    pub limit: Duration,
    /// Whether to read the result once, for its checksums.
    pub checksum: bool,
    /// Which clock.
    pub clock: Clock,
}

/// Whose time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The device's, between two events around the run.
    Device,
    /// The host's, from the first statement to the last.
    Wall,
}

impl Clock {
    /// A GPU has a clock of its own.
    pub fn of(backend: Backend) -> Clock {
        if backend == Backend::Cuda { Clock::Device } else { Clock::Wall }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Clock::Device => "device",
            Clock::Wall => "wall",
        }
    }
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The time of every run in milliseconds, in order of their size.
    pub times: Vec<f64>,
    /// The counts of the last run.
    pub stats: Stats,
    /// Whether the estimate became stable before runs or time ran out.
    pub stable: bool,
    /// One per slot of the result's layout, if wanted; in an interpreter, one per scalar component.
    pub checksums: Vec<Checksum>,
    /// Which body of the entry was measured.
    pub body: Taken,
    /// The bytes of the arguments and of the result.
    pub moved_bytes: u64,
}

/// A slot of a result in three numbers, for comparison with other programs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checksum {
    /// How many elements.
    pub count: usize,
    /// Their sum, from the left.
    pub sum: f64,
    /// The same with element `i` counted `1 + i % 1021` times, so that order matters.
    pub weighted: f64,
}

impl Measured {
    /// The time at a fraction of the sorted runs.
    pub fn quantile(&self, fraction: f64) -> f64 {
        quantile(&self.times, fraction)
    }

    /// The time in the middle.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Billions of bytes moved per second at the median; none where nothing large moves.
    pub fn gigabytes_per_second(&self) -> Option<f64> {
        let median = self.median();
        (self.moved_bytes >= SMALL && median > 0.0).then(|| self.moved_bytes as f64 / median / 1e6)
    }
}

/// Between the two runs nearest to the fraction, in proportion.
fn quantile(sorted: &[f64], fraction: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = fraction.clamp(0.0, 1.0) * last as f64;
    let (low, part) = (place.floor() as usize, place.fract());
    sorted[low] + part * (sorted[(low + 1).min(last)] - sorted[low])
}

const WARM_RUNS: usize = 3;
const FEWEST: usize = 9;
const MOST: usize = 1000;
const STABLE: f64 = 0.005;
/// Fewer bytes say nothing about memory.
const SMALL: u64 = 1 << 10;

impl Engine {
    /// Measures an entry.
    pub fn bench(&self, request: &Request<'_>) -> Result<Measured, Failed> {
        let Some(loaded) = self.loaded() else { return self.bench_interpreted(request) };
        let (body, given) = self.prepared(loaded, request)?;
        let loaded = self.that_ran(request.entry, body).loaded().unwrap_or(loaded);
        let failed = |e| self.failed(loaded, &e);
        let put = || given.put(loaded, request.entry).map_err(failed);
        let consumes = self.program().core.functions[self.program().entry(request.entry)?].consumed.contains(&true);
        let (mut args, mut fresh) = (put()?, true);
        let argument_bytes = args.bytes();
        let mut run = || {
            if consumes && !fresh {
                args = put()?;
            }
            fresh = false;
            loaded.run(&args).map_err(failed)
        };
        let warm = Instant::now();
        for _ in 0..if request.repeat == Some(1) { 0 } else { WARM_RUNS } {
            run()?;
            if warm.elapsed() > request.limit {
                break;
            }
        }
        let (mut times, mut stable) = (Vec::new(), false);
        let began = Instant::now();
        loop {
            let (results, stats) = run()?;
            let time = match request.clock {
                Clock::Device => stats.device_ms,
                Clock::Wall => stats.wall_ms,
            };
            let at = times.partition_point(|t: &f64| *t < time);
            times.insert(at, time);
            let enough = match request.repeat {
                Some(n) => times.len() >= n.max(1),
                None => {
                    stable = times.len() >= FEWEST && unsteadiness(&times) < STABLE;
                    stable || times.len() >= MOST || began.elapsed() > request.limit
                }
            };
            if enough {
                let slots = loaded.fetch(&results).map_err(failed)?;
                let moved_bytes = argument_bytes + slots.iter().map(bytes_of).sum::<u64>();
                let checksums = if request.checksum { slots.iter().map(checksum).collect() } else { Vec::new() };
                return Ok(Measured { times, stats, stable, checksums, body, moved_bytes });
            }
        }
    }

    fn prepared<'r>(&self, loaded: &Loaded, request: &'r Request<'_>) -> Result<(Taken, Given<'r>), Failed> {
        let failed = |e| self.failed(loaded, &e);
        let id = self.program().entry(request.entry)?;
        let given: Vec<Argument<'_>> = request.args.iter().map(Argument::Data).collect();
        let Some(maker) = request.maker else {
            let (body, _) = self.chosen(id, loaded, self.regular_for(id, &request.args)?);
            return Ok((body, Given::Data(&request.args)));
        };
        let made = {
            let args = loaded.prepare(maker, &given).map_err(failed)?;
            let (results, _) = loaded.run(&args).map_err(failed)?;
            loaded.fetch(&results).map_err(failed)?
        };
        let entry_of = |loaded: &'_ Loaded, name: &str| {
            let at = loaded.entry(name);
            at.map(|at| loaded.plan().entries[at].clone())
                .ok_or_else(|| Failed::plain("T0702", format!("the program has no entry `{name}`")))
        };
        let result = entry_of(loaded, maker)?.result;
        let function = &self.program().core.functions[id];
        let types = function.params.iter().map(|p| &function.values[*p].ty);
        let mut rest = made.as_slice();
        let rectangular = parts_of(&result, function.params.len()).iter().zip(types).all(|(part, ty)| {
            let (own, behind) = rest.split_at(part.slots().len().min(rest.len()));
            rest = behind;
            is_rectangular(own, part, ty)
        });
        let regular = if rectangular { self.regular_body(id)? } else { None };
        let (body, loaded) = self.chosen(id, loaded, regular);
        let params = entry_of(loaded, request.entry)?.params;
        let parts = handed_over(made, &result, &params).map_err(|why| {
            let text = format!("what `{maker}` returns cannot be handed to `{}`: {why}", request.entry);
            Failed::plain("T0707", text)
        })?;
        Ok((body, Given::Slots(parts)))
    }

    fn chosen<'a>(&'a self, id: FuncId, loaded: &'a Loaded, regular: Option<&'a Engine>) -> (Taken, &'a Loaded) {
        match regular.and_then(Engine::loaded) {
            Some(regular) => (Taken::Regular, regular),
            None => (self.without_regular(id), loaded),
        }
    }
}

/// Arguments that can be put on the device as often as needed.
enum Given<'a> {
    Data(&'a [Data]),
    Slots(Vec<Vec<SlotValue>>),
}

impl Given<'_> {
    fn put(&self, loaded: &Loaded, entry: &str) -> Result<Args, RunError> {
        let arguments: Vec<Argument<'_>> = match self {
            Given::Data(data) => data.iter().map(Argument::Data).collect(),
            Given::Slots(parts) => parts.iter().map(|p| Argument::Columns(p)).collect(),
        };
        loaded.prepare(entry, &arguments)
    }
}

fn bytes_of(slot: &SlotValue) -> u64 {
    match slot {
        SlotValue::Scalar(_) => 0,
        SlotValue::Column(column) => column.bytes().len() as u64,
    }
}

/// The components of a result, one per parameter.
fn parts_of(result: &Layout, params: usize) -> &[Layout] {
    match result {
        Layout::Tuple(parts) if params != 1 => parts.as_slice(),
        one => std::slice::from_ref(one),
    }
}

/// The slots of each parameter, from the slots of a result.
fn handed_over(slots: Vec<SlotValue>, result: &Layout, params: &[Layout]) -> Result<Vec<Vec<SlotValue>>, String> {
    let parts = parts_of(result, params.len());
    if parts.len() != params.len() {
        return Err(format!("it has {} components for {} parameters", parts.len(), params.len()));
    }
    let mut slots = slots.into_iter();
    let hand = |(k, (part, param)): (usize, (&Layout, &Layout))| {
        let own: Vec<SlotValue> = slots.by_ref().take(part.slots().len()).collect();
        refit(own, part, param).map_err(|why| format!("parameter {}: {why}", k + 1))
    };
    parts.iter().zip(params).enumerate().map(hand).collect()
}

/// How far off the median may be, in parts of it.
fn unsteadiness(sorted: &[f64]) -> f64 {
    let width = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    width / quantile(sorted, 0.5).max(f64::MIN_POSITIVE) / (sorted.len() as f64).sqrt()
}

fn checksum(slot: &SlotValue) -> Checksum {
    match slot {
        SlotValue::Scalar(s) => {
            let column = Column::from_bytes(s.ty(), s.raw_bits().to_le_bytes()[..s.ty().size_bytes()].to_vec());
            column.map_or(Checksum { count: 0, sum: 0.0, weighted: 0.0 }, |c| column_checksum(&c))
        }
        SlotValue::Column(column) => column_checksum(column),
    }
}

fn column_checksum(column: &Column) -> Checksum {
    use terrace_base::ScalarType as T;
    let bytes = column.bytes();
    match column.ty() {
        T::F32 => add_up(bytes, |b: [u8; 4]| f64::from(f32::from_le_bytes(b))),
        T::F64 => add_up(bytes, f64::from_le_bytes),
        T::I64 => add_up(bytes, |b: [u8; 8]| i64::from_le_bytes(b) as f64),
        T::U64 => add_up(bytes, |b: [u8; 8]| u64::from_le_bytes(b) as f64),
        T::I32 => add_up(bytes, |b: [u8; 4]| f64::from(i32::from_le_bytes(b))),
        T::U32 => add_up(bytes, |b: [u8; 4]| f64::from(u32::from_le_bytes(b))),
        T::I16 => add_up(bytes, |b: [u8; 2]| f64::from(i16::from_le_bytes(b))),
        T::U16 => add_up(bytes, |b: [u8; 2]| f64::from(u16::from_le_bytes(b))),
        T::I8 => add_up(bytes, |b: [u8; 1]| f64::from(i8::from_le_bytes(b))),
        T::U8 | T::Bool => add_up(bytes, |b: [u8; 1]| f64::from(b[0])),
    }
}

fn add_up<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Checksum {
    let (elements, _) = bytes.as_chunks::<N>();
    let (mut sum, mut weighted) = (0.0, 0.0);
    for (i, element) in elements.iter().enumerate() {
        let x = number(*element);
        sum += x;
        weighted += x * (1 + i % 1021) as f64;
    }
    Checksum { count: elements.len(), sum, weighted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles() {
        let check = |times: &[f64], fraction, wanted| assert_eq!(quantile(times, fraction), wanted);
        check(&[], 0.5, 0.0);
        check(&[3.0], 0.25, 3.0);
        check(&[1.0, 2.0], 0.5, 1.5);
        check(&[1.0, 2.0, 4.0, 8.0, 16.0], 0.5, 4.0);
        check(&[1.0, 2.0, 4.0, 8.0, 16.0], 1.0, 16.0);
    }

    #[test]
    fn checksums() {
        let sums = |slot: &SlotValue| {
            let c = checksum(slot);
            (c.count, c.sum, c.weighted)
        };
        assert_eq!(sums(&SlotValue::Column(Column::from_slice(&[1.5f32, -2.0, 4.0]))), (3, 3.5, 1.5 - 4.0 + 12.0));
        assert_eq!(
            sums(&SlotValue::Column(Column::from_slice(&[i64::from(u32::MAX)]))),
            (1, 4294967295.0, 4294967295.0)
        );
        assert_eq!(sums(&SlotValue::Scalar(terrace_base::Scalar::I64(-7))), (1, -7.0, -7.0));
        assert_eq!(sums(&SlotValue::Scalar(terrace_base::Scalar::Bool(true))), (1, 1.0, 1.0));
    }
}
