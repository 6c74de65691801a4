//! Runs the host program of a plan on a device.
//!
//! A small abstract machine: a stack of frames, each with its slots and a stack of cursors into nested statement lists. Frames live on the
//! heap, so a recursion of ten thousand calls uses no native stack, and stops at the depth limit with an error that names the call.
//!
//! ```text
//! frame quicksort   slots xs n pivot ...   cursors   body[4]  then[1]
//! frame quicksort   slots xs n pivot ...   cursors   body[2]
//! ```
//!
//! Launches are asked for and not waited for. The error record of the device is tested whenever the host waits anyway (a `Read`, the end), and
//! before the host reports an error of its own: a check that failed earlier on the device comes first. Buffers and cells are
//! counted references; a slot that gets a new value, a `Free` and the end of a frame let go of them.
//!
//! Launches of a loop whose turns are alike are collected and handed over together (`turns`), in their order.
//!
//! Declined: reordering, overlap of copies with kernels. The order of statements is the order of work.

mod ahead;
mod expression;
mod frame;
mod launch;
mod turns;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use terrace_base::{FileId, Scalar, ScalarType, Span};
use terrace_plan::Plan;
use terrace_plan::host::{HostExpr, HostStmt, SlotId, SlotType};
use terrace_plan::messages::LENGTH_LIMIT;
use terrace_plan::threshold::Guarded;

use crate::Options;
use crate::devices::Code;
use crate::devices::arena::Arena;
use crate::devices::interrupt::stopped;
use crate::error::RunError;
use crate::memory::{Block, BlockChunks, Cell, Cells, Space};
use crate::stats::Stats;
use frame::{After, Frame, Loop};
pub use turns::Capture;
use turns::Turns;

/// What a slot holds.
#[derive(Clone)]
pub(crate) enum Value {
    /// Nothing yet, or nothing any more.
    Empty,
    /// A scalar.
    Host(Scalar),
    /// A scalar on the device.
    Cell(Arc<Cell>),
    /// A buffer.
    Buffer(Arc<Block>),
}

/// What a function is called with from outside.
#[derive(Clone)]
pub(crate) enum Given {
    /// A scalar, for a host slot or a cell.
    Scalar(Scalar),
    /// A buffer.
    Buffer(Arc<Block>),
}

/// One run of one function.
pub(crate) struct Executor<'p> {
    plan: &'p Plan,
    code: &'p dyn Code,
    space: &'p Arc<Space>,
    options: Options,
    cells: Cells,
    arena: Arc<Arena>,
    frames: Vec<Frame<'p>>,
    launches: i64,
    /// Lists of statements whose kernels were compiled, by where they are.
    prepared: BTreeSet<usize>,
    /// Whether the launches of a loop are recorded, by where its body is.
    recorded: BTreeMap<usize, bool>,
    /// The loop that is being recorded or replayed.
    turns: Option<Turns>,
    /// What the run cost.
    pub(crate) stats: Stats,
}

fn bug<T>(text: impl Into<String>) -> Result<T, RunError> {
    Err(RunError::Plan(text.into()))
}

impl<'p> Executor<'p> {
    pub(crate) fn new(
        plan: &'p Plan,
        code: &'p dyn Code,
        space: &'p Arc<Space>,
        options: Options,
    ) -> Result<Self, RunError> {
        let none = vec![0; plan.kernels.len()];
        let stats = Stats { launches_per_kernel: none.clone(), bytes_per_kernel: none, ..Stats::default() };
        let cells = Cells::new(space)?;
        let arena = Arena::new(Box::new(BlockChunks::new(space)), options.depth_limit);
        Ok(Executor {
            plan,
            code,
            space,
            options,
            cells,
            arena: Arc::new(arena),
            frames: Vec::new(),
            launches: 0,
            prepared: BTreeSet::new(),
            recorded: BTreeMap::new(),
            turns: None,
            stats,
        })
    }

    /// Runs a function to its end; its results, cells brought to the host.
    pub(crate) fn run(&mut self, function: usize, args: Vec<Given>) -> Result<Vec<Given>, RunError> {
        let result = self.start(function, args).and_then(|()| self.steps());
        let values = match result {
            Ok(values) => values,
            Err(error @ (RunError::Device(_) | RunError::Stopped)) => return Err(error),
            Err(error) => {
                self.ask_for_the_rest()?;
                return Err(self.earlier_failure()?.unwrap_or(error));
            }
        };
        // The last launch may have left ranges out.
        if stopped() {
            return Err(RunError::Stopped);
        }
        self.code.all_asked().map_err(RunError::Device)?;
        let cells: Vec<&Cell> = values.iter().filter_map(as_cell).map(|(c, _)| c).collect();
        let (record, bytes) = self.cells.read(&cells)?;
        self.stats.result_transfers += u64::from(!cells.is_empty());
        if let Some(error) = failure(&record, self.space) {
            return Err(error);
        }
        let mut bytes = bytes.into_iter();
        let outside = |(value, ty): (Value, SlotType)| match value {
            Value::Host(scalar) => Ok(Given::Scalar(scalar)),
            Value::Buffer(block) => Ok(Given::Buffer(block)),
            Value::Cell(_) => {
                let SlotType::Cell(ty) = ty else {
                    return bug("a cell in a slot of another kind");
                };
                let raw = bytes.next().map(|b| from_cell(ty, b));
                raw.flatten().map_or_else(|| bug("a result cell was not read"), |s| Ok(Given::Scalar(s)))
            }
            Value::Empty => bug("a result was never computed"),
        };
        values.into_iter().map(outside).collect()
    }

    fn start(&mut self, function: usize, args: Vec<Given>) -> Result<(), RunError> {
        let Some(function) = self.plan.functions.get(function) else {
            return bug(format!("there is no function {function}"));
        };
        let mut frame = Frame::new(function, &[]);
        if function.params.len() != args.len() {
            return bug(format!("{} takes {} slots, not {}", function.name, function.params.len(), args.len()));
        }
        for (slot, given) in function.params.iter().zip(args) {
            let value = match (frame.ty(*slot)?, given) {
                (SlotType::Host(_), Given::Scalar(scalar)) => Value::Host(scalar),
                (SlotType::Cell(_), Given::Scalar(scalar)) => {
                    let cell = self.cells.cell()?;
                    self.space.upload(&cell.block, cell.offset, &scalar.raw_bits().to_le_bytes())?;
                    Value::Cell(cell)
                }
                (SlotType::Buffer(_), Given::Buffer(block)) => Value::Buffer(block),
                _ => {
                    return bug(format!("parameter {slot} of {} has another kind", function.name));
                }
            };
            frame.set(*slot, value)?;
        }
        self.prepare(&function.body)?;
        self.frames.push(frame);
        Ok(())
    }

    /// Runs until the first frame returns.
    fn steps(&mut self) -> Result<Vec<(Value, SlotType)>, RunError> {
        loop {
            let Some(frame) = self.frames.last_mut() else {
                return bug("no frame");
            };
            if let Some(statement) = frame.next_statement() {
                if stopped() {
                    return Err(RunError::Stopped);
                }
                self.step(statement)?;
                continue;
            }
            match frame.leave_list() {
                Some(After::Nothing) => {}
                Some(After::Test(of)) => {
                    if self.truth(of.test)? {
                        self.frame()?.enter(of.body, After::Again(of));
                    } else {
                        self.loop_ends(of.body)?;
                    }
                }
                Some(After::Again(of)) => {
                    frame.enter(of.cond, After::Test(of));
                    self.turn_ends(of.body)?;
                }
                None => {
                    let results = frame.results()?;
                    let to = frame.results_to;
                    self.frames.pop();
                    if self.frames.is_empty() {
                        return Ok(results);
                    }
                    let caller = self.frame()?;
                    for (slot, (value, _)) in to.iter().zip(results) {
                        caller.set(*slot, value)?;
                    }
                }
            }
        }
    }

    fn step(&mut self, statement: &'p HostStmt) -> Result<(), RunError> {
        match statement {
            HostStmt::Compute { to, expr } => {
                let value = self.eval(expr)?;
                self.frame()?.set(*to, Value::Host(value))
            }
            HostStmt::Guard { to, threshold, quantity } => self.guard(*to, *threshold, quantity),
            HostStmt::Alloc { to, count, span } => self.alloc(*to, count, *span),
            HostStmt::AllocCell { to } => {
                let cell = self.cells.cell()?;
                self.frame()?.set(*to, Value::Cell(cell))
            }
            HostStmt::Alias { to, from } => {
                let value = self.frame()?.get(*from)?.clone();
                self.frame()?.set(*to, value)
            }
            HostStmt::Free { slot } => self.frame()?.set(*slot, Value::Empty),
            HostStmt::Zero { buffer } => {
                let Value::Buffer(block) = self.frame()?.get(*buffer)?.clone() else {
                    return bug("zeroing what is no buffer");
                };
                self.stats.zeroed_bytes += block.bytes;
                self.zero(&block)
            }
            HostStmt::Copies { bytes } => {
                self.stats.copied_bytes += u64::try_from(self.integer(bytes)?).unwrap_or(0);
                Ok(())
            }
            HostStmt::WriteCell { cell, value } => {
                let value = self.eval(value)?;
                let frame = self.frame()?;
                let (Value::Cell(cell), SlotType::Cell(ty)) = (frame.get(*cell)?.clone(), frame.ty(*cell)?) else {
                    return bug("writing to what is no cell");
                };
                if ty != value.ty() {
                    return bug(format!("writing {value:?} to a cell of {ty}"));
                }
                self.space.upload(&cell.block, cell.offset, &value.raw_bits().to_le_bytes())
            }
            HostStmt::Launch { kernel, tiles, args } => self.launch(*kernel, tiles, args),
            HostStmt::Read { cells } => self.read(cells),
            HostStmt::Check { check, cond, values } => {
                if self.truth(cond)? {
                    return Ok(());
                }
                let value = |v| Ok(self.eval(v)?.as_i64().unwrap_or(0));
                let values = values.iter().map(value).collect::<Result<_, RunError>>()?;
                Err(RunError::Check { check: *check, index: -1, values })
            }
            HostStmt::If { cond, then, otherwise } => {
                let list = if self.truth(cond)? { then } else { otherwise };
                self.prepare(list)?;
                self.frame()?.enter(list, After::Nothing);
                Ok(())
            }
            HostStmt::While { cond, test, body } => {
                self.loop_begins(cond, body);
                self.frame()?.enter(cond, After::Test(Loop { cond, test, body }));
                Ok(())
            }
            HostStmt::Call { function, args, results, span } => self.call(*function, args, results, *span),
        }
    }

    fn guard(&mut self, to: SlotId, threshold: usize, quantity: &HostExpr) -> Result<(), RunError> {
        let quantity = self.integer(quantity)?;
        let Some(threshold) = self.plan.thresholds.get(threshold) else {
            return bug(format!("there is no threshold {threshold}"));
        };
        let passed = Guarded { name: threshold.name.clone(), quantity, threshold: threshold.value };
        self.frame()?.set(to, Value::Host(Scalar::Bool(passed.holds())))?;
        if self.options.log_guards {
            self.stats.guards.push(passed);
        }
        Ok(())
    }

    fn alloc(&mut self, to: SlotId, count: &HostExpr, span: Span) -> Result<(), RunError> {
        let count = self.integer(count)?;
        if !(0..=LENGTH_LIMIT).contains(&count) {
            return Err(RunError::Length { span, count });
        }
        let SlotType::Buffer(ty) = self.frame()?.ty(to)? else {
            return bug("allocating for what is no buffer");
        };
        // What the slot held goes first, so that a loop does not hold two.
        self.frame()?.set(to, Value::Empty)?;
        let bytes = count as u64 * ty.size_bytes() as u64;
        let block = match self.used_before(bytes) {
            Some(block) => block,
            None => match self.space.alloc(bytes, span) {
                Err(_) if self.let_go()? => self.space.alloc(bytes, span)?,
                found => found?,
            },
        };
        self.stats.allocations += 1;
        self.frame()?.set(to, Value::Buffer(block))
    }

    fn read(&mut self, pairs: &[(SlotId, SlotId)]) -> Result<(), RunError> {
        let Some(frame) = self.frames.last_mut() else {
            return bug("no frame");
        };
        let mut cells = Vec::with_capacity(pairs.len());
        let mut types = Vec::with_capacity(pairs.len());
        for (cell, _) in pairs {
            match (frame.get(*cell)?, frame.ty(*cell)?) {
                (Value::Cell(c), SlotType::Cell(ty)) => {
                    cells.push(&**c);
                    types.push(ty);
                }
                _ => return bug("reading what is no cell"),
            }
        }
        let (record, bytes) = self.cells.read(&cells)?;
        self.stats.host_reads += 1;
        if let Some(error) = failure(&record, self.space) {
            return Err(error);
        }
        for (((_, to), ty), bytes) in pairs.iter().zip(types).zip(bytes) {
            let Some(scalar) = from_cell(ty, bytes) else {
                return bug("a cell of no type");
            };
            frame.set(*to, Value::Host(scalar))?;
        }
        Ok(())
    }

    fn call(&mut self, function: usize, args: &'p [SlotId], results: &'p [SlotId], span: Span) -> Result<(), RunError> {
        let Some(function) = self.plan.functions.get(function) else {
            return bug(format!("there is no function {function}"));
        };
        if function.params.len() != args.len() || function.results.len() != results.len() {
            return bug(format!("a call of {} with other slots than it has", function.name));
        }
        let limit = self.options.depth_limit;
        if self.frames.len() > limit {
            return Err(RunError::DepthLimit { span, limit });
        }
        let mut frame = Frame::new(function, results);
        for (param, arg) in function.params.iter().zip(args) {
            frame.set(*param, self.frame()?.get(*arg)?.clone())?;
        }
        // Slots that die with this call die now: the callee may then be the last to hold them.
        self.frame()?.free_ahead(results)?;
        self.prepare(&function.body)?;
        self.frames.push(frame);
        self.stats.calls += 1;
        self.stats.deepest = self.stats.deepest.max(self.frames.len() as u64 - 1);
        Ok(())
    }

    fn frame(&mut self) -> Result<&mut Frame<'p>, RunError> {
        self.frames.last_mut().ok_or_else(|| RunError::Plan("no frame".to_string()))
    }

    fn earlier_failure(&self) -> Result<Option<RunError>, RunError> {
        let (record, _) = self.cells.read(&[])?;
        Ok(failure(&record, self.space))
    }
}

fn as_cell((value, ty): &(Value, SlotType)) -> Option<(&Cell, SlotType)> {
    match value {
        Value::Cell(cell) => Some((cell, *ty)),
        _ => None,
    }
}

fn from_cell(ty: ScalarType, bytes: [u8; 8]) -> Option<Scalar> {
    Scalar::from_le_bytes(ty, &bytes[..ty.size_bytes()])
}

// What kernels report that is no check of the program; as in the generated code (`terrace_machine`).
const NO_MEMORY: u32 = 0x7fff_fff0;
const TOO_DEEP: u32 = NO_MEMORY + 1;
const NO_LENGTH: u32 = NO_MEMORY + 2;

/// What the error record says: lock, launch, check, index, four values. What the machine refused to a thread has the place in the source among them.
fn failure(record: &[u64], space: &Space) -> Option<RunError> {
    let word = |i: usize| record.get(i).copied().unwrap_or(0);
    if word(1) == 0 {
        return None;
    }
    let span = match usize::try_from(word(5)) {
        Ok(file) if file < u32::MAX as usize => {
            Span::new(FileId::new(file), (word(6) >> 32) as usize, (word(6) & u64::from(u32::MAX)) as usize)
        }
        _ => Span::none(),
    };
    Some(match word(2) as u32 {
        NO_MEMORY => {
            RunError::OutOfMemory { span, bytes: word(4), in_use: space.usage().current, limit: space.limit() }
        }
        TOO_DEEP => RunError::DepthLimit { span, limit: word(4) as usize },
        NO_LENGTH => RunError::Length { span, count: word(4) as i64 },
        check => RunError::Check { check, index: word(3) as i64, values: (4..8).map(|i| word(i) as i64).collect() },
    })
}
