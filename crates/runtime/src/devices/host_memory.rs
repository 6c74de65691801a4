//! Host memory as device memory: aligned, pooled, on huge pages where it pays.
//!
//! New memory costs more on a CPU than what is done with it, because the system clears it first, so blocks are kept in a pool of at most a
//! quarter of the memory.

use std::alloc::{Layout, alloc, dealloc};

use super::pool::{LINE, Pool, Source};
use super::{AllocError, Handle};

const HUGE_PAGE: usize = 2 << 20;

/// The memory of the host.
pub(super) struct HostMemory {
    pool: Pool,
    total: u64,
}

/// The system's allocator.
struct System;

impl Source for System {
    fn fresh(&self, bytes: usize) -> Result<Option<u64>, String> {
        let Some(layout) = layout(bytes) else { return Ok(None) };
        // SAFETY: the layout has a size above zero.
        let pointer = unsafe { alloc(layout) };
        if pointer.is_null() {
            return Ok(None);
        }
        if bytes >= 2 * HUGE_PAGE {
            ask_for_huge_pages(pointer, bytes);
        }
        Ok(Some(pointer as u64))
    }

    fn release(&self, address: u64, bytes: usize) {
        if let Some(layout) = layout(bytes) {
            // SAFETY: `fresh` made it with this layout, and its handle is gone.
            unsafe { dealloc(address as *mut u8, layout) };
        }
    }
}

impl HostMemory {
    /// Memory that gives the pool back before it holds more than the limit.
    pub(super) fn new(limit: Option<u64>) -> HostMemory {
        let total = total_bytes();
        HostMemory { pool: Pool::new(total / 4, limit), total }
    }

    /// All there is.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn alloc(&self, bytes: u64) -> Result<Handle, AllocError> {
        self.pool.alloc(bytes, &System)
    }

    pub(super) fn free(&self, handle: Handle) {
        self.pool.free(handle, &System);
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
        self.pool.trim(&System);
    }
}

fn layout(class: usize) -> Option<Layout> {
    let align = if class >= 2 * HUGE_PAGE { HUGE_PAGE } else { LINE };
    Layout::from_size_align(class, align).ok()
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
}
