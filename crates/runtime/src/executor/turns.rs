//! Loops whose launches are recorded: the executor's part.
//!
//! Which loops these are is a property of the plan (`terrace_plan::capture`). Their first turns run as everything does. Then the host goes
//! through the turns and only collects what it would have asked for; after some turns it hands that over at once, and the device replays a recording
//! (`devices::replay`).
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

/// How many turns a batch may have.
const TURNS: [usize; 5] = [48, 24, 12, 6, 2];

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
    /// What this turn asked for so far, while nothing is collected.
    asked: usize,
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
            let (work, held, places) = (Vec::new(), Vec::new(), BTreeMap::new());
            self.turns = Some(Turns { key: key(body), ended: 0, asked: 0, batch: 0, collected: 0, work, held, places });
        }
    }

    /// A turn of a loop has ended.
    pub(super) fn turn_ends(&mut self, body: &[HostStmt]) -> Result<(), RunError> {
        let (Some(turns), Some(capture)) = (&mut self.turns, self.options.capture) else { return Ok(()) };
        if turns.key != key(body) {
            return Ok(());
        }
        turns.ended += 1;
        let asked = std::mem::take(&mut turns.asked);
        if turns.batch == 0 {
            if turns.ended >= capture.after && asked > 0 {
                turns.batch = TURNS.into_iter().find(|t| t * asked <= capture.launches).unwrap_or(2);
            }
            return Ok(());
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
        match &mut self.turns {
            Some(turns) if turns.batch > 0 => {
                turns.work.push(Work::launch(launch));
                return Ok(());
            }
            Some(turns) => turns.asked += 1,
            None => {}
        }
        self.code.launch(launch).map_err(RunError::Device)
    }

    /// A buffer is zeroed, now or with others.
    pub(super) fn zero(&mut self, block: &Arc<Block>) -> Result<(), RunError> {
        match &mut self.turns {
            Some(turns) if turns.batch > 0 => {
                turns.work.extend(Work::zero(block.handle, block.bytes).map_err(RunError::Device)?);
                turns.hold(block);
                return Ok(());
            }
            Some(turns) => turns.asked += 1,
            None => {}
        }
        self.space.device.zero(block.handle, block.bytes).map_err(RunError::Device)
    }

    /// A buffer that only collected launches use, of so many bytes.
    pub(super) fn used_before(&self, bytes: u64) -> Option<Arc<Block>> {
        let turns = self.turns.as_ref().filter(|turns| turns.batch > 0)?;
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
