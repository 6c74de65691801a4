//! Loops whose launches are recorded: the executor's part.
//!
//! Which loops these may be is a property of the plan (`terrace_plan::capture`). Their first turns run as everything does, and are compared: kernels, grids, sizes of buffers.
//! Once two turns in a row are alike, the host goes through the turns and only collects what it would have asked for; after some turns it hands that over at once, and the device replays a recording
//! (`devices::replay`). A turn unlike the one before ends that, until turns are alike again.
//!
//! ```text
//! turn   0 … 7            8 … 55                 56 … 103                       the last few
//!        one by one       collected: a batch     collected: the next batch      one by one
//! ```
//!
//! A batch has an even number of turns (24 of them also do for buffers that rotate through three or four places), so that buffers which swap are back where they were
//! and the recording need not be changed. The buffers of collected launches are held until the loop ends, so that nobody else gets them before the launches were asked for;
//! an allocation of the loop takes one of them that nothing in the program holds any more, which makes the turns more alike, and a new one where there is none.
//! What is collected is asked for before anything else is, whether the loop ends or the program fails.

use std::collections::BTreeMap;
use std::sync::Arc;

use terrace_plan::capture::captured;
use terrace_plan::host::{Argument, HostStmt};

use super::{Executor, Value};
use crate::Options;
use crate::devices::{Launch, Work};
use crate::error::RunError;
use crate::memory::Block;

/// Kinds of what a turn asks for, beside kernels.
const ZEROED: u64 = u64::MAX;
const ALLOCATED: u64 = u64::MAX - 1;

/// How many turns a batch may have.
const TURNS: [usize; 5] = [48, 24, 12, 6, 2];

/// How often a loop that is recorded may change its sizes before it is recorded no more.
const PATIENCE: usize = 3;

/// When loops are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// How many turns run first.
    pub after: usize,
    /// How many launches a recording may have; two turns it has in any case.
    pub launches: usize,
}

impl Capture {
    /// Where a recording pays.
    pub const NORMAL: Capture = Capture { after: 8, launches: 128 };
    /// As early and as short as possible, for tests.
    pub const TINY: Capture = Capture { after: 1, launches: 2 };
}

/// The turns of a loop whose launches are recorded.
pub(super) struct Turns {
    /// Which loop.
    key: usize,
    /// How many turns have ended.
    ended: usize,
    /// How many launches and zeroings this turn asked for so far.
    asked: usize,
    /// What this turn asked for so far, sizes included, and what the one before did: a number that differs where they differ.
    looks: u64,
    looked: u64,
    /// How many turns were unlike the one before when work was collected.
    surprises: usize,
    /// How many turns make a batch; none are collected where it is 0.
    batch: usize,
    /// How many turns were collected.
    collected: usize,
    work: Vec<Work>,
    /// The buffers of collected launches, by number in the order in which they were met.
    held: Vec<Arc<Block>>,
    places: BTreeMap<usize, usize>,
}

impl Turns {
    fn new(key: usize) -> Turns {
        let (work, held, places) = (Vec::new(), Vec::new(), BTreeMap::new());
        Turns { key, ended: 0, asked: 0, looks: 0, looked: 0, surprises: 0, batch: 0, collected: 0, work, held, places }
    }

    /// This turn asks for something of such a kind and size.
    fn look(&mut self, kind: u64, size: u64) {
        for word in [kind, size] {
            self.looks = (self.looks.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn hold(&mut self, block: &Arc<Block>) {
        let place = self.held.len();
        if *self.places.entry(Arc::as_ptr(block) as usize).or_insert(place) == place {
            self.held.push(block.clone());
        }
    }
}

fn key(body: &[HostStmt]) -> usize {
    body.as_ptr() as usize
}

impl Executor<'_> {
    /// A loop begins.
    pub(super) fn loop_begins(&mut self, cond: &[HostStmt], body: &[HostStmt]) {
        let Options { capture: Some(_), profile: false, .. } = self.options else { return };
        if !self.code.replays() {
            return;
        }
        let recorded = *self.recorded.entry(key(body)).or_insert_with(|| captured(cond, body).is_ok());
        if recorded {
            self.turns = Some(Turns::new(key(body)));
        }
    }

    /// A turn of a loop has ended.
    pub(super) fn turn_ends(&mut self, body: &[HostStmt]) -> Result<(), RunError> {
        let (Some(turns), Some(capture)) = (&mut self.turns, self.options.capture) else { return Ok(()) };
        if turns.key != key(body) {
            return Ok(());
        }
        turns.ended += 1;
        let (asked, looks) = (std::mem::take(&mut turns.asked), std::mem::take(&mut turns.looks));
        let alike = looks == std::mem::replace(&mut turns.looked, looks);
        if turns.batch == 0 {
            if turns.ended >= capture.after && asked > 0 && alike && turns.surprises < PATIENCE {
                turns.batch = TURNS.into_iter().find(|t| t * asked <= capture.launches).unwrap_or(2);
            }
            return Ok(());
        }
        if !alike {
            turns.surprises += 1;
            return self.let_go().map(|_| ());
        }
        turns.collected += 1;
        if turns.collected < turns.batch {
            return Ok(());
        }
        turns.collected = 0;
        let replayed = self.code.replay(turns.key, &turns.work).map_err(RunError::Device)?;
        self.stats.replays += u64::from(replayed);
        turns.work.clear();
        Ok(())
    }

    /// A loop has ended.
    pub(super) fn loop_ends(&mut self, body: &[HostStmt]) -> Result<(), RunError> {
        match &self.turns {
            Some(turns) if turns.key == key(body) => self.ask_for_the_rest(),
            _ => Ok(()),
        }
    }

    /// What was collected and not handed over is asked for.
    pub(super) fn ask_for_the_rest(&mut self) -> Result<(), RunError> {
        let Some(turns) = self.turns.take() else { return Ok(()) };
        turns.work.iter().try_for_each(|work| self.code.one(work)).map_err(RunError::Device)
    }

    /// A launch, now or with others.
    pub(super) fn ask(&mut self, launch: &Launch<'_>) -> Result<(), RunError> {
        if let Some(turns) = &mut self.turns {
            turns.asked += 1;
            turns.look((launch.kernel as u64) << 8 | launch.phase as u64, launch.tiles);
            if turns.batch > 0 {
                turns.work.push(Work::launch(launch));
                return Ok(());
            }
        }
        self.code.launch(launch).map_err(RunError::Device)
    }

    /// A buffer is zeroed, now or with others.
    pub(super) fn zero(&mut self, block: &Arc<Block>) -> Result<(), RunError> {
        if let Some(turns) = &mut self.turns {
            turns.asked += 1;
            turns.look(ZEROED, block.bytes);
            if turns.batch > 0 {
                turns.work.extend(Work::zero(block.handle, block.bytes).map_err(RunError::Device)?);
                turns.hold(block);
                return Ok(());
            }
        }
        self.space.device.zero(block.handle, block.bytes).map_err(RunError::Device)
    }

    /// A buffer that only collected launches use, of so many bytes.
    pub(super) fn used_before(&mut self, bytes: u64) -> Option<Arc<Block>> {
        let turns = self.turns.as_mut()?;
        turns.look(ALLOCATED, bytes);
        if turns.batch == 0 {
            return None;
        }
        let free = |block: &&Arc<Block>| block.bytes == bytes && Arc::strong_count(block) == 1;
        turns.held.iter().find(free).cloned()
    }

    /// Where memory runs short, nothing is held any more. Whether that may help.
    pub(super) fn let_go(&mut self) -> Result<bool, RunError> {
        let Some(turns) = &mut self.turns else { return Ok(false) };
        let work = std::mem::take(&mut turns.work);
        turns.collected = 0;
        turns.batch = 0;
        turns.places.clear();
        let held = std::mem::take(&mut turns.held);
        work.iter().try_for_each(|work| self.code.one(work)).map_err(RunError::Device)?;
        Ok(!held.is_empty())
    }

    /// Buffers that a collected launch uses stay.
    pub(super) fn hold(&mut self, args: &[Argument]) -> Result<(), RunError> {
        let (Some(turns), Some(frame)) = (&mut self.turns, self.frames.last()) else { return Ok(()) };
        if turns.batch == 0 {
            return Ok(());
        }
        for arg in args {
            if let Argument::Slot(slot) = arg
                && let Value::Buffer(block) = frame.get(*slot)?
            {
                turns.hold(block);
            }
        }
        Ok(())
    }
}
