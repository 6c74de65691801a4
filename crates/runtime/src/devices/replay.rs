//! Recording the launches of a loop once and starting them again: what devices that can do so share.
//!
//! The executor hands over the work of some turns of a loop at a time. The first batch of a loop runs as it is; the second is recorded, and from then on
//! a batch is compared with the recording, which is changed where it differs (another buffer, another scalar, another grid), and started.
//!
//! ```text
//! batch 1   one by one             batch 2   record, start             batch 3, 4, …   change what differs, start
//! ```
//!
//! Launches carry numbers for the error record, and a recording must not be changed for them alone. So its launches have numbers of their own, from 2, and it
//! begins with a *gate*, a kernel that gives the number 1 to whatever failed before: then all launches of the recording come later than the failure, and do nothing.
//! Launches after the recording have larger numbers than all in it, because the host counted them too.
//!
//! A recording outlives the run, so that the next run of the same plan begins with it. Loops whose work looks different every time are given up.
//!
//! Declined: recordings across loops, and several streams inside one.

use std::collections::BTreeMap;

use super::{Handle, Launch, argument_values};

/// The gate: a kernel of one thread.
pub(super) const GATE: &str = "extern \"C\" __global__ void terrace_gate(unsigned long long* terrace_err) { if (terrace_err[1] > 1) terrace_err[1] = 1; }\n";

/// Its name.
pub(super) const GATE_NAME: &str = "terrace_gate";

/// How often the work of a loop may look different before it is given up.
const PATIENCE: usize = 3;

/// Something that a device is asked for in a loop.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Work {
    /// One phase of one kernel.
    Launch {
        /// Index of the kernel in the plan.
        kernel: usize,
        /// Which of its phases.
        phase: usize,
        /// How many tiles.
        tiles: u64,
        /// The record, the number of the launch, the arguments.
        values: Vec<u64>,
    },
    /// Bytes become zero.
    Zero {
        /// From where.
        address: u64,
        /// How many.
        bytes: u64,
    },
}

impl Work {
    /// A launch, to be asked for later.
    pub(crate) fn launch(of: &Launch<'_>) -> Work {
        Work::Launch { kernel: of.kernel, phase: of.phase, tiles: of.tiles, values: argument_values(of) }
    }

    /// A part of a buffer, to be zeroed later; nothing where there is nothing to do.
    pub(crate) fn zero(of: Handle, bytes: u64) -> Result<Option<Work>, String> {
        let address = of.range(0, bytes)?;
        Ok((bytes > 0).then_some(Work::Zero { address, bytes }))
    }

    /// Whether a recording of one can become the other.
    fn like(&self, other: &Work) -> bool {
        match (self, other) {
            (
                Work::Launch { kernel, phase, values, .. },
                Work::Launch { kernel: other_kernel, phase: other_phase, values: other_values, .. },
            ) => (kernel, phase, values.first()) == (other_kernel, other_phase, other_values.first()),
            (Work::Zero { .. }, Work::Zero { .. }) => true,
            _ => false,
        }
    }

    /// The same with another number.
    fn numbered(&self, number: u64) -> Work {
        let mut work = self.clone();
        if let Work::Launch { values, .. } = &mut work {
            values[1] = number;
        }
        work
    }

    fn number(&self) -> u64 {
        if let Work::Launch { values, .. } = self { values[1] } else { 0 }
    }

    /// Whether both ask for the same, numbers aside.
    fn same(&self, other: &Work) -> bool {
        match (self, other) {
            (Work::Launch { tiles, values, .. }, Work::Launch { tiles: other_tiles, values: other_values, .. }) => {
                tiles == other_tiles && values[2..] == other_values[2..]
            }
            _ => self == other,
        }
    }
}

/// A device that can record.
pub(super) trait Recorder {
    /// A recording: the gate, then the work in order.
    type Recording;
    /// Asks for one thing.
    fn one(&self, work: &Work) -> Result<(), String>;
    /// Records a gate for this error record, and work.
    fn record(&self, err: u64, work: &[Work]) -> Result<Self::Recording, String>;
    /// From now on, the recording does this at the place of what it did.
    fn change(&self, recording: &mut Self::Recording, at: usize, work: &Work) -> Result<(), String>;
    /// Asks for all of it.
    fn start(&self, recording: &mut Self::Recording) -> Result<(), String>;
    /// It is not needed any more.
    fn forget(&self, _recording: Self::Recording) {}
}

/// The recordings of a plan's loops.
pub(super) struct Replays<R>(BTreeMap<usize, Seen<R>>);

struct Seen<R> {
    recorded: Option<(R, Vec<Work>)>,
    /// How often it was recorded; a loop that could not be, or too often, has no more patience.
    times: usize,
}

impl<R> Default for Replays<R> {
    fn default() -> Self {
        Replays(BTreeMap::new())
    }
}

impl<R> Replays<R> {
    /// Runs some turns of a loop; whether a recording did it.
    pub(super) fn run<D: Recorder<Recording = R>>(
        &mut self,
        device: &D,
        key: usize,
        work: &[Work],
    ) -> Result<bool, String> {
        let one_by_one = || work.iter().try_for_each(|w| device.one(w)).map(|()| false);
        let err = work.iter().find_map(|w| if let Work::Launch { values, .. } = w { values.first() } else { None });
        let Some(err) = err else { return one_by_one() };
        let Some(seen) = self.0.get_mut(&key) else {
            self.0.insert(key, Seen { recorded: None, times: 0 });
            return one_by_one();
        };
        let fits = seen
            .recorded
            .as_ref()
            .is_some_and(|(_, old)| old.len() == work.len() && old.iter().zip(work).all(|(old, new)| old.like(new)));
        if !fits {
            if let Some((recording, _)) = seen.recorded.take() {
                device.forget(recording);
            }
            if seen.times >= PATIENCE {
                return one_by_one();
            }
            seen.times += 1;
            let numbers = work.iter().scan(1, |number, w| {
                *number += u64::from(matches!(w, Work::Launch { .. }));
                Some(*number)
            });
            let numbered: Vec<Work> = work.iter().zip(numbers).map(|(w, number)| w.numbered(number)).collect();
            match device.record(*err, &numbered) {
                Ok(recording) => seen.recorded = Some((recording, numbered)),
                // Nothing was asked for yet: the launches do without, and so they do below where a recording cannot be changed.
                Err(_) => {
                    seen.times = PATIENCE;
                    return one_by_one();
                }
            }
        }
        let Some((recording, old)) = &mut seen.recorded else { return one_by_one() };
        let differs = old.iter_mut().zip(work).enumerate().filter(|(_, (old, new))| !old.same(new));
        let mut changed = differs.map(|(at, (old, new))| {
            *old = new.numbered(old.number());
            device.change(recording, at, old)
        });
        if changed.all(|done| done.is_ok()) {
            drop(changed);
            device.start(recording)?;
            return Ok(true);
        }
        drop(changed);
        seen.times = PATIENCE;
        if let Some((recording, _)) = seen.recorded.take() {
            device.forget(recording);
        }
        one_by_one()
    }

    /// The recordings, for whoever has to give them back.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = R> {
        std::mem::take(&mut self.0).into_values().filter_map(|seen| Some(seen.recorded?.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Writes down what it is asked for.
    #[derive(Default)]
    struct Diary(RefCell<Vec<String>>);

    fn shown(work: &Work) -> String {
        match work {
            Work::Launch { kernel, tiles, values, .. } => format!("k{kernel} x{tiles} {values:?}"),
            Work::Zero { address, bytes } => format!("zero {address} {bytes}"),
        }
    }

    impl Recorder for Diary {
        type Recording = Vec<String>;

        fn one(&self, work: &Work) -> Result<(), String> {
            self.0.borrow_mut().push(shown(work));
            Ok(())
        }

        fn record(&self, err: u64, work: &[Work]) -> Result<Vec<String>, String> {
            self.0.borrow_mut().push(format!("record {err}"));
            Ok(work.iter().map(shown).collect())
        }

        fn change(&self, recording: &mut Vec<String>, at: usize, work: &Work) -> Result<(), String> {
            self.0.borrow_mut().push(format!("change {at}"));
            recording[at] = shown(work);
            Ok(())
        }

        fn start(&self, recording: &mut Vec<String>) -> Result<(), String> {
            self.0.borrow_mut().push(format!("start {}", recording.join("; ")));
            Ok(())
        }
    }

    fn launch(kernel: usize, number: u64, argument: u64) -> Work {
        Work::Launch { kernel, phase: 0, tiles: 1, values: vec![64, number, argument] }
    }

    #[test]
    fn only_what_differs_is_changed() {
        let (diary, mut replays) = (Diary::default(), Replays::default());
        let batch = |number, argument| {
            vec![launch(0, number, 5), Work::Zero { address: 8, bytes: 4 }, launch(1, number + 1, argument)]
        };
        for (number, argument) in [(10, 1), (12, 1), (14, 1), (16, 2)] {
            replays.run(&diary, 7, &batch(number, argument)).expect("it writes");
        }
        let expected = [
            "k0 x1 [64, 10, 5]",
            "zero 8 4",
            "k1 x1 [64, 11, 1]",
            "record 64",
            "start k0 x1 [64, 2, 5]; zero 8 4; k1 x1 [64, 3, 1]",
            "start k0 x1 [64, 2, 5]; zero 8 4; k1 x1 [64, 3, 1]",
            "change 2",
            "start k0 x1 [64, 2, 5]; zero 8 4; k1 x1 [64, 3, 2]",
        ];
        assert_eq!(*diary.0.borrow(), expected);
    }

    #[test]
    fn loops_that_are_never_alike_are_given_up() {
        let (diary, mut replays) = (Diary::default(), Replays::default());
        let replayed: Vec<bool> =
            (0..8).map(|k| replays.run(&diary, 7, &[launch(k % 2, 9, 5)]).expect("it writes")).collect();
        assert_eq!(replayed, [false, true, true, true, false, false, false, false]);
    }
}
