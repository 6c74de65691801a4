//! Three phases that go over the tiles together.
//!
//! A scan needs the total of all tiles before a tile, and so reads its elements twice. One phase after the other, both times come from memory. By turns,
//! a thread takes a few tiles, in order, and does everything with them:
//!
//! ```text
//! thread 0   totals of tiles 0-3      carry 0-3   results 0-3         totals of 8-11   …
//! thread 1   totals of tiles 4-7   (waits)   carry 4-7   results 4-7          …
//! ```
//!
//! Only the phase in the middle waits, for the same phase of the tiles before, and it is short; the results find their elements in the cache. Turns
//! are taken in order by threads that then work, so whoever waits waits for somebody who does not wait for him: one thread is enough.
//! Which thread takes a turn cannot show in a result.
//!
//! Whoever stops in the middle (Ctrl-C) leaves turns undone, and all others leave too: what they would read was never written.

use std::sync::atomic::{AtomicU64, Ordering};
use terrace_plan::TILES_PER_TURN;

/// In place of a number of turns: somebody has left.
const LEFT: u64 = u64::MAX;

/// How often a thread looks before it lets others work.
const LOOKS: u32 = 200;

/// Turns of one launch.
pub(super) struct Turns {
    tiles: u64,
    at_a_time: u64,
    /// The next turn that nobody has.
    next: AtomicU64,
    /// How many turns have the phase in the middle behind them.
    carried: AtomicU64,
}

impl Turns {
    /// Turns for so many threads: as long as they may be only where everybody gets `each` of them.
    pub(super) fn new(tiles: u64, threads: u64, each: u64) -> Turns {
        let at_a_time = (tiles / (threads * each)).clamp(1, TILES_PER_TURN);
        Turns { tiles, at_a_time, next: AtomicU64::new(0), carried: AtomicU64::new(0) }
    }

    /// Takes turns until there are none, or somebody has left; `work` does a phase over a range of tiles.
    pub(super) fn take(&self, stopped: impl Fn() -> bool, work: impl Fn(usize, u64, u64)) {
        let mut leaving = Leaving { turns: self, leaves: true };
        while !stopped() {
            let turn = self.next.fetch_add(1, Ordering::Relaxed);
            let low = turn.saturating_mul(self.at_a_time);
            if low >= self.tiles {
                leaving.leaves = false;
                return;
            }
            let high = (low + self.at_a_time).min(self.tiles);
            work(0, low, high);
            if !self.wait_for(turn) {
                return;
            }
            work(1, low, high);
            // It stays as it is where somebody has left.
            let _ = self.carried.compare_exchange(turn, turn + 1, Ordering::Release, Ordering::Relaxed);
            work(2, low, high);
        }
    }

    /// Waits until all turns before this one are carried; false where they will never be.
    fn wait_for(&self, turn: u64) -> bool {
        let mut looks = 0;
        loop {
            match self.carried.load(Ordering::Acquire) {
                LEFT => return false,
                carried if carried >= turn => return true,
                _ if looks < LOOKS => std::hint::spin_loop(),
                _ => std::thread::yield_now(),
            }
            looks += 1;
        }
    }
}

/// Tells the others, also where a thread panics.
struct Leaving<'t> {
    turns: &'t Turns,
    leaves: bool,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if self.leaves {
            self.turns.carried.store(LEFT, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    /// What happens to each tile, in order, on so many threads.
    fn events(tiles: u64, threads: u64, each: u64) -> Vec<(usize, u64)> {
        let (turns, events) = (Turns::new(tiles, threads, each), Mutex::new(Vec::new()));
        let work = |phase: usize, low: u64, high: u64| {
            let mut events = events.lock().expect("nobody panics");
            (low..high).for_each(|tile| events.push((phase, tile)));
        };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| turns.take(|| false, work));
            }
        });
        events.into_inner().expect("nobody panics")
    }

    #[test]
    fn the_middle_is_in_order_and_every_tile_passes_all() {
        for (tiles, threads, each) in [(1, 1, 8), (1, 3, 8), (10, 1, 2), (100, 2, 8), (1000, 3, 8), (1001, 4, 1)] {
            let events = events(tiles, threads, each);
            let of = |phase: usize| -> Vec<u64> { events.iter().filter(|e| e.0 == phase).map(|e| e.1).collect() };
            assert_eq!(of(1), (0..tiles).collect::<Vec<u64>>());
            for tile in 0..tiles {
                let at = |phase: usize| events.iter().position(|e| *e == (phase, tile)).expect("every tile passes");
                assert!(at(0) < at(1) && at(1) < at(2), "tile {tile} of {tiles}");
            }
            assert_eq!(events.len() as u64, 3 * tiles);
        }
    }

    #[test]
    fn turns_are_long_only_in_long_launches() {
        let length = |tiles| Turns::new(tiles, 2, 32).at_a_time;
        assert_eq!([0, 1, 64, 128, 255].map(length), [1, 1, 1, 2, 3]);
        assert_eq!([256, 257, 1 << 40].map(length), [TILES_PER_TURN; 3]);
    }

    #[test]
    fn who_stops_lets_the_others_go() {
        let (turns, stop) = (Turns::new(1000, 2, 1), AtomicBool::new(false));
        let carried = Mutex::new(Vec::new());
        let work = |phase: usize, low: u64, _: u64| {
            if phase == 1 {
                carried.lock().expect("nobody panics").push(low);
            }
            if low >= 40 {
                stop.store(true, Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| turns.take(|| stop.load(Ordering::Relaxed), work));
            }
        });
        let carried = carried.into_inner().expect("nobody panics");
        let in_order = (0..).step_by(TILES_PER_TURN as usize).take(carried.len());
        assert_eq!(carried, in_order.collect::<Vec<u64>>(), "none is carried after one that is not");
        assert!(carried.len() < 250);
    }
}
