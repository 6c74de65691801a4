//! Freed blocks of memory, kept for the next request.
//!
//! Sizes are rounded up to one of eight classes per power of two (at most an eighth is lost), and freed blocks wait in their class: a loop that
//! allocates what it freed a moment ago asks nobody. Where the class has none, a block of up to twice the size serves: a recursion
//! whose arrays shrink from level to level gets a new class at each, and new memory costs more than what is done with it.
//!
//! ```text
//! free 80M; alloc 72M      the block of 80M, as one of 72M; its true size is in `larger` until it is freed
//! free 80M; alloc 30M      new memory
//! ```
//!
//! The pool keeps no more than it is told, stays below a stated limit together with what is in use, and gives everything back when its
//! source has no more. The source is the device's: where new memory comes from, and where it goes. On a GPU a block may be handed
//! out again at once, because all work is done in the order in which it was asked for.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{AllocError, Handle};

/// The least size, and what all sizes are multiples of.
pub(super) const LINE: usize = 64;

/// Where memory comes from.
pub(super) trait Source {
    /// A new block of so many bytes; none where there is not enough.
    fn fresh(&self, bytes: usize) -> Result<Option<u64>, String>;
    /// Takes a block back.
    fn release(&self, address: u64, bytes: usize);
    /// The pool gave back what it had; something may have to be done before that can be had again.
    fn after_trimming(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Blocks that wait, and the size of those that do not.
pub(super) struct Pool {
    state: Mutex<State>,
    keep: u64,
    limit: u64,
}

#[derive(Default)]
struct State {
    free: BTreeMap<usize, Vec<u64>>,
    /// The classes of blocks in use that are larger than their handles say.
    larger: BTreeMap<u64, usize>,
    held: u64,
    in_use: u64,
}

impl State {
    /// A free block of this class, or of the next one that has any.
    fn take(&mut self, class: usize) -> Option<u64> {
        let (found, blocks) = self.free.range_mut(class..=2 * class).find(|(_, blocks)| !blocks.is_empty())?;
        let (found, address) = (*found, blocks.pop()?);
        self.held -= found as u64;
        self.in_use += found as u64;
        if found > class {
            self.larger.insert(address, found);
        }
        Some(address)
    }
}

impl Pool {
    /// A pool that keeps at most so many bytes, and together with what is in use at most `limit`.
    pub(super) fn new(keep: u64, limit: Option<u64>) -> Pool {
        Pool { state: Mutex::default(), keep, limit: limit.unwrap_or(u64::MAX) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block from the pool, or else a new one.
    pub(super) fn alloc(&self, bytes: u64, source: &impl Source) -> Result<Handle, AllocError> {
        let class = usize::try_from(bytes).ok().and_then(class_of).ok_or(AllocError::Full)?;
        let mut state = self.state();
        if let Some(address) = state.take(class) {
            return Ok(Handle { address, bytes });
        }
        state.in_use += class as u64;
        let over = state.held > 0 && state.in_use + state.held > self.limit;
        drop(state);
        let found = self.new_block(class, over, source);
        if found.is_err() {
            self.state().in_use -= class as u64;
        }
        found.map(|address| Handle { address, bytes })
    }

    fn new_block(&self, class: usize, over: bool, source: &impl Source) -> Result<u64, AllocError> {
        if over {
            self.trim(source);
        }
        if let Some(address) = source.fresh(class).map_err(AllocError::Failed)? {
            return Ok(address);
        }
        self.trim(source);
        source.after_trimming().map_err(AllocError::Failed)?;
        source.fresh(class).map_err(AllocError::Failed)?.ok_or(AllocError::Full)
    }

    /// Keeps a block for later, or lets it go.
    pub(super) fn free(&self, handle: Handle, source: &impl Source) {
        let mut state = self.state();
        let larger = state.larger.remove(&handle.address);
        let class = larger.unwrap_or_else(|| class_of(handle.bytes as usize).expect("it was allocated"));
        state.in_use -= class as u64;
        let kept = state.held + class as u64;
        if kept > self.keep || kept + state.in_use > self.limit {
            drop(state);
            source.release(handle.address, class);
        } else {
            state.held += class as u64;
            state.free.entry(class).or_default().push(handle.address);
        }
    }

    /// Gives back everything that waits.
    pub(super) fn trim(&self, source: &impl Source) {
        let mut state = self.state();
        let free = std::mem::take(&mut state.free);
        state.held = 0;
        drop(state);
        for (class, blocks) in free {
            blocks.into_iter().for_each(|address| source.release(address, class));
        }
    }
}

/// The size that a block really has.
fn class_of(bytes: usize) -> Option<usize> {
    let bytes = bytes.max(LINE);
    let step = (bytes.checked_next_power_of_two()? / 16).max(LINE);
    bytes.checked_next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers instead of memory: so many bytes, handed out in order.
    struct Numbers {
        left: Mutex<u64>,
        next: Mutex<u64>,
    }

    impl Numbers {
        fn new(bytes: u64) -> Numbers {
            Numbers { left: Mutex::new(bytes), next: Mutex::new(1 << 20) }
        }
    }

    impl Source for Numbers {
        fn fresh(&self, bytes: usize) -> Result<Option<u64>, String> {
            let mut left = self.left.lock().expect("one thread");
            let Some(rest) = left.checked_sub(bytes as u64) else { return Ok(None) };
            *left = rest;
            let mut next = self.next.lock().expect("one thread");
            *next += bytes as u64;
            Ok(Some(*next - bytes as u64))
        }

        fn release(&self, _address: u64, bytes: usize) {
            *self.left.lock().expect("one thread") += bytes as u64;
        }
    }

    fn counts(pool: &Pool) -> (u64, u64) {
        let state = pool.state();
        (state.held, state.in_use)
    }

    #[test]
    fn classes_lose_at_most_an_eighth() {
        for bytes in (0..5000).chain([1 << 20, (1 << 20) + 1, (1 << 40) - 1, 1 << 47]) {
            let class = class_of(bytes).expect("small enough");
            assert!(class >= bytes && class.is_multiple_of(LINE));
            assert!(class - bytes <= (bytes / 8).max(LINE), "{bytes} became {class}");
            assert_eq!(class_of(class), Some(class));
        }
        assert_eq!(class_of(usize::MAX), None);
    }

    #[test]
    fn a_larger_block_serves_up_to_twice_its_size() {
        let (pool, numbers) = (Pool::new(u64::MAX, None), Numbers::new(u64::MAX));
        let a = pool.alloc(80 << 20, &numbers).expect("memory");
        pool.free(a, &numbers);
        let b = pool.alloc(44 << 20, &numbers).expect("memory");
        assert_eq!((a.address, b.bytes), (b.address, 44 << 20));
        assert_eq!(counts(&pool), (0, 80 << 20));
        pool.free(b, &numbers);
        assert_eq!(counts(&pool), (80 << 20, 0), "it is as large as it was");
        let c = pool.alloc(36 << 20, &numbers).expect("memory");
        assert_ne!(a.address, c.address);
        pool.free(c, &numbers);
        assert_eq!(pool.alloc(80 << 20, &numbers).map(|d| d.address), Ok(a.address));
    }

    #[test]
    fn the_pool_gives_way_to_a_limit() {
        let (pool, numbers) = (Pool::new(u64::MAX, Some(3 << 20)), Numbers::new(u64::MAX));
        let [a, b] = [1 << 20, 1 << 20].map(|n| pool.alloc(n, &numbers).expect("memory"));
        pool.free(a, &numbers);
        pool.free(b, &numbers);
        assert_eq!(counts(&pool), (2 << 20, 0));
        let c = pool.alloc(2 << 20, &numbers).expect("memory");
        assert_eq!(counts(&pool), (0, 2 << 20), "two blocks of the pool went");
        pool.free(c, &numbers);
        assert_eq!(counts(&pool), (2 << 20, 0));
    }

    #[test]
    fn the_pool_is_given_back_when_the_source_is_empty() {
        let (pool, numbers) = (Pool::new(u64::MAX, None), Numbers::new(4 << 20));
        let [a, b] = [1 << 20, 1 << 20].map(|n| pool.alloc(n, &numbers).expect("memory"));
        pool.free(a, &numbers);
        pool.free(b, &numbers);
        let c = pool.alloc(3 << 20, &numbers).expect("the two that waited are part of it");
        assert_eq!(counts(&pool), (0, 3 << 20));
        assert_eq!(pool.alloc(2 << 20, &numbers), Err(AllocError::Full));
        assert_eq!(counts(&pool), (0, 3 << 20));
        pool.free(c, &numbers);
        assert!(pool.alloc(2 << 20, &numbers).is_ok());
    }

    #[test]
    fn a_pool_keeps_no_more_than_it_may() {
        let (pool, numbers) = (Pool::new(1 << 20, None), Numbers::new(u64::MAX));
        let [a, b] = [1 << 20, 1 << 20].map(|n| pool.alloc(n, &numbers).expect("memory"));
        pool.free(a, &numbers);
        pool.free(b, &numbers);
        assert_eq!(counts(&pool), (1 << 20, 0));
    }
}
