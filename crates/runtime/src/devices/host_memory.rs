//! Host memory as device memory: aligned, pooled, on huge pages where it pays.
//!
//! Sizes are rounded up to one of eight classes per power of two (at most an eighth is lost), and freed blocks wait in their class for the next
//! request: a loop that allocates what it freed a moment ago does not go to the system. Where the class has none, a block of up to twice
//! the size serves: a recursion whose arrays shrink from level to level gets a new class at each, and new memory costs more than what is
//! done with it, because the system clears it first. The pool keeps at most a quarter of the
//! memory, stays below a stated limit together with what is in use, and gives everything back when the system has none.
//!
//! ```text
//! free 80M; alloc 72M      the block of 80M, as one of 72M; its true size is in `larger` until it is freed
//! free 80M; alloc 30M      new memory
//! ```

use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{AllocError, Handle};

const LINE: usize = 64;
const HUGE_PAGE: usize = 2 << 20;

/// The memory of the host.
pub(super) struct HostMemory {
    pool: Mutex<Pool>,
    total: u64,
    /// What the process may hold, pool included.
    limit: u64,
}

#[derive(Default)]
struct Pool {
    free: BTreeMap<usize, Vec<usize>>,
    /// The classes of blocks in use that are larger than their handles say.
    larger: BTreeMap<usize, usize>,
    held: u64,
    in_use: u64,
}

impl Pool {
    /// A free block of this class, or of the next one that has any.
    fn take(&mut self, class: usize) -> Option<(usize, usize)> {
        let (found, blocks) = self.free.range_mut(class..=2 * class).find(|(_, blocks)| !blocks.is_empty())?;
        let (found, address) = (*found, blocks.pop()?);
        self.held -= found as u64;
        if found > class {
            self.larger.insert(address, found);
        }
        Some((address, found))
    }
}

impl HostMemory {
    /// Memory that gives the pool back before it holds more than the limit.
    pub(super) fn new(limit: Option<u64>) -> HostMemory {
        HostMemory { pool: Mutex::default(), total: total_bytes(), limit: limit.unwrap_or(u64::MAX) }
    }

    /// All there is.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn alloc(&self, bytes: u64) -> Result<Handle, AllocError> {
        let class = usize::try_from(bytes).ok().and_then(class_of).ok_or(AllocError::Full)?;
        let pooled = {
            let mut pool = self.pool();
            let found = pool.take(class);
            pool.in_use += found.map_or(class, |(_, class)| class) as u64;
            let over = found.is_none() && pool.held > 0 && pool.in_use + pool.held > self.limit;
            drop(pool);
            if over {
                self.trim();
            }
            found.map(|(address, _)| address)
        };
        let address = match pooled.or_else(|| fresh(class)) {
            Some(address) => address,
            None => {
                self.trim();
                fresh(class).ok_or_else(|| {
                    self.pool().in_use -= class as u64;
                    AllocError::Full
                })?
            }
        };
        Ok(Handle { address: address as u64, bytes })
    }

    pub(super) fn free(&self, handle: Handle) {
        let mut pool = self.pool();
        let larger = pool.larger.remove(&(handle.address as usize));
        let class = larger.unwrap_or_else(|| class_of(handle.bytes as usize).expect("it was allocated"));
        pool.in_use -= class as u64;
        let kept = pool.held + class as u64;
        if kept > self.total / 4 || kept + pool.in_use > self.limit {
            drop(pool);
            release(handle.address as usize, class);
        } else {
            pool.held += class as u64;
            pool.free.entry(class).or_default().push(handle.address as usize);
        }
    }

    fn trim(&self) {
        let mut pool = self.pool();
        for (class, blocks) in std::mem::take(&mut pool.free) {
            blocks.into_iter().for_each(|address| release(address, class));
        }
        pool.held = 0;
    }

    pub(super) fn upload(&self, to: Handle, offset: u64, bytes: &[u8]) -> Result<(), String> {
        let address = to.range(offset, bytes.len() as u64)?;
        // SAFETY: the range is inside an allocated block, and no kernel runs now.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
        Ok(())
    }

    pub(super) fn download(&self, from: Handle, offset: u64, bytes: &mut [u8]) -> Result<(), String> {
        let address = from.range(offset, bytes.len() as u64)?;
        // SAFETY: the range is inside an allocated block, and no kernel runs now. Memory that no kernel wrote has arbitrary
        // contents; the block came from the allocator as raw memory that the program's bounds keep it from reading.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    pub(super) fn zero(&self, handle: Handle, bytes: u64) -> Result<(), String> {
        let address = handle.range(0, bytes)?;
        // SAFETY: the range is inside an allocated block, and no kernel runs now.
        unsafe { std::ptr::write_bytes(address as *mut u8, 0, bytes as usize) };
        Ok(())
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        self.trim();
    }
}

/// The size that a block really has.
fn class_of(bytes: usize) -> Option<usize> {
    let bytes = bytes.max(LINE);
    let step = (bytes.checked_next_power_of_two()? / 16).max(LINE);
    bytes.checked_next_multiple_of(step)
}

fn layout(class: usize) -> Option<Layout> {
    let align = if class >= 2 * HUGE_PAGE { HUGE_PAGE } else { LINE };
    Layout::from_size_align(class, align).ok()
}

fn fresh(class: usize) -> Option<usize> {
    // SAFETY: the layout has a size above zero.
    let pointer = unsafe { alloc(layout(class)?) };
    if pointer.is_null() {
        return None;
    }
    if class >= 2 * HUGE_PAGE {
        ask_for_huge_pages(pointer, class);
    }
    Some(pointer as usize)
}

fn release(address: usize, class: usize) {
    if let Some(layout) = layout(class) {
        // SAFETY: `fresh` made it with this layout, and its handle is gone.
        unsafe { dealloc(address as *mut u8, layout) };
    }
}

#[cfg(target_os = "linux")]
fn ask_for_huge_pages(pointer: *mut u8, bytes: usize) {
    unsafe extern "C" {
        fn madvise(address: *mut std::ffi::c_void, bytes: usize, advice: i32) -> i32;
    }
    const MADV_HUGEPAGE: i32 = 14;
    // SAFETY: advice about a range that is ours; refusal is harmless.
    unsafe { madvise(pointer.cast(), bytes, MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_pointer: *mut u8, _bytes: usize) {}

fn total_bytes() -> u64 {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = info.lines().find_map(|l| l.strip_prefix("MemTotal:"));
    let kilobytes = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or(8 << 30, |k| k * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn freed_blocks_come_back() {
        let memory = HostMemory::new(None);
        let a = memory.alloc(1000).expect("memory");
        assert!(a.address.is_multiple_of(64));
        memory.free(a);
        let b = memory.alloc(1010).expect("memory");
        assert_eq!(a.address, b.address);
        assert!(memory.upload(b, 1008, &[1, 2, 3]).is_err());
        assert!(memory.upload(b, 1008, &[1, 2]).is_ok());
        let mut two = [0; 2];
        assert!(memory.download(b, 1008, &mut two).is_ok());
        assert_eq!(two, [1, 2]);
        memory.free(b);
        assert_eq!(memory.alloc(1 << 62), Err(AllocError::Full));
    }

    #[test]
    fn a_larger_block_serves_up_to_twice_its_size() {
        let memory = HostMemory::new(None);
        let a = memory.alloc(80 << 20).expect("memory");
        memory.free(a);
        let b = memory.alloc(44 << 20).expect("memory");
        assert_eq!((a.address, b.bytes), (b.address, 44 << 20));
        assert_eq!(counts(&memory), (0, 80 << 20));
        memory.free(b);
        assert_eq!(counts(&memory), (80 << 20, 0), "it is as large as it was");
        let c = memory.alloc(36 << 20).expect("memory");
        assert_ne!(a.address, c.address);
        memory.free(c);
        assert_eq!(memory.alloc(80 << 20).map(|d| d.address), Ok(a.address));
    }

    fn counts(memory: &HostMemory) -> (u64, u64) {
        let pool = memory.pool();
        (pool.held, pool.in_use)
    }

    #[test]
    fn the_pool_gives_way_to_a_limit() {
        let memory = HostMemory::new(Some(3 << 20));
        let [a, b] = [1 << 20, 1 << 20].map(|n| memory.alloc(n).expect("memory"));
        memory.free(a);
        memory.free(b);
        assert_eq!(counts(&memory), (2 << 20, 0));
        let c = memory.alloc(2 << 20).expect("memory");
        assert_eq!(counts(&memory), (0, 2 << 20), "two blocks of the pool went");
        memory.free(c);
        assert_eq!(counts(&memory), (2 << 20, 0));
        let d = memory.alloc(100).expect("memory");
        memory.free(d);
        assert_eq!(counts(&memory).1, 0);
    }
}
