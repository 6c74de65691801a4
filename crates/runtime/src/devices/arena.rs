//! Memory of single threads, for kernels whose threads run whole functions by themselves.
//!
//! A thread that runs a recursion allocates and frees as often as it computes. It has a *worker* for that: a chunk to cut blocks from, and lists of blocks
//! that came back, by size class. All that is C, in the text of the kernel (`terrace_worker` in the generated code); the runtime only gives chunks:
//!
//! ```text
//! worker    at ──▶ | block | block |        free        | ◀── end      spare: 96 bytes ─▶ block ─▶ block
//! no room:  the next chunk, twice as large as all before; no memory: the kernel reports for which array
//! ```
//!
//! Chunks come from the memory of the device, counted and limited as everything is ([`Chunks`]). A worker belongs to whoever runs a range of tiles; between
//! launches it waits. What a kernel keeps for a later one lies in the chunks, so they go back when nothing is held any more.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

/// Size classes, as in the generated code.
const CLASSES: usize = 192;

/// The first chunk of a worker.
const FIRST: u64 = 64 << 10;

/// The stack of a thread that runs functions by itself, and what of it is left when calls are nested too deeply.
pub(crate) const STACK: usize = 256 << 20;
const LEFT: usize = 1 << 20;

/// Where chunks come from.
pub(crate) trait Chunks: Send + Sync {
    /// The address of a new chunk; nothing where there is no memory. It stays until [`Chunks::give_back`].
    fn chunk(&self, bytes: u64) -> Option<u64>;
    /// All chunks go back.
    fn give_back(&self);
}

/// What a thread needs to run functions by itself. The generated code has the same structure.
#[repr(C)]
struct Worker {
    err: [u64; 8],
    at: *mut u8,
    end: *mut u8,
    floor: *mut u8,
    depth: i64,
    depth_limit: i64,
    held: i64,
    more: unsafe extern "C" fn(*mut Worker, u64) -> bool,
    owner: *const Arena,
    spare: [*mut c_void; CLASSES],
    taken: u64,
}

/// A worker on its way between threads.
struct Idle(Box<Worker>);

// SAFETY: one thread at a time has it; its memory is not shared.
unsafe impl Send for Idle {}

/// The workers of a run.
pub(crate) struct Arena {
    chunks: Box<dyn Chunks>,
    depth_limit: i64,
    idle: Mutex<Vec<Idle>>,
}

impl Arena {
    pub(crate) fn new(chunks: Box<dyn Chunks>, depth_limit: usize) -> Arena {
        Arena { chunks, depth_limit: depth_limit as i64, idle: Mutex::new(Vec::new()) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the closure the address of a worker that nobody else has meanwhile. The stack has [`STACK`] bytes.
    pub(crate) fn with_worker(&self, f: impl FnOnce(*mut c_void)) {
        let mut worker = self.lock().pop().unwrap_or_else(|| Idle(Box::new(self.worker())));
        let here = 0_u8;
        worker.0.floor = (std::ptr::from_ref(&here) as usize).saturating_sub(STACK - LEFT) as *mut u8;
        worker.0.owner = std::ptr::from_ref(self);
        f(std::ptr::from_mut(&mut *worker.0).cast());
        self.lock().push(worker);
    }

    fn worker(&self) -> Worker {
        Worker {
            err: [0; 8],
            at: std::ptr::null_mut(),
            end: std::ptr::null_mut(),
            floor: std::ptr::null_mut(),
            depth: 0,
            depth_limit: self.depth_limit,
            held: 0,
            more,
            owner: std::ptr::null(),
            spare: [std::ptr::null_mut(); CLASSES],
            taken: 0,
        }
    }

    /// After a launch: where nothing is held for another one, all memory goes back.
    pub(crate) fn after_launch(&self) {
        let mut idle = self.lock();
        if idle.iter().map(|w| w.0.held).sum::<i64>() == 0 {
            idle.clear();
            self.chunks.give_back();
        }
    }
}

/// A worker has no room for so many bytes.
unsafe extern "C" fn more(worker: *mut Worker, bytes: u64) -> bool {
    // SAFETY: the kernel passes on what it was given, and nobody else has it now; the arena lives as long as the launch.
    let (worker, arena) = unsafe { (&mut *worker, &*(*worker).owner) };
    let wanted = bytes.max(FIRST).max(worker.taken);
    // Where there is no room for a large chunk there may be for what is needed.
    let found = [wanted, bytes].into_iter().find_map(|size| Some((arena.chunks.chunk(size)?, size)));
    let Some((address, size)) = found else { return false };
    worker.taken += size;
    worker.at = address as *mut u8;
    worker.end = (address + size) as *mut u8;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Memory of so many bytes, of which nobody reads anything.
    struct Counted {
        left: AtomicU64,
        given: Mutex<Vec<u64>>,
        backs: AtomicU64,
    }

    impl Counted {
        fn new(left: u64) -> Arc<Counted> {
            Arc::new(Counted { left: AtomicU64::new(left), given: Mutex::default(), backs: AtomicU64::new(0) })
        }
    }

    impl Chunks for Arc<Counted> {
        fn chunk(&self, bytes: u64) -> Option<u64> {
            let left = self.left.load(Ordering::Relaxed);
            self.left.store(left.checked_sub(bytes)?, Ordering::Relaxed);
            self.given.lock().expect("no thread panics").push(bytes);
            Some(1 << 20)
        }

        fn give_back(&self) {
            self.backs.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn ask(worker: *mut c_void, bytes: u64) -> bool {
        // SAFETY: it is a worker of an arena that lives.
        unsafe { more(worker.cast(), bytes) }
    }

    #[test]
    fn chunks_grow_until_there_is_no_memory() {
        let memory = Counted::new(FIRST * 6);
        let arena = Arena::new(Box::new(memory.clone()), 100);
        arena.with_worker(|w| {
            assert!(ask(w, 100));
            assert!(ask(w, 100));
            assert!(ask(w, 100));
            // 4 of 6 are gone: not 4 more, but what is needed.
            assert!(ask(w, FIRST * 2));
            assert!(!ask(w, 100));
        });
        assert_eq!(*memory.given.lock().expect("no thread panics"), [FIRST, FIRST, FIRST * 2, FIRST * 2]);
    }

    #[test]
    fn workers_serve_again_and_memory_goes_back_when_nothing_is_held() {
        let memory = Counted::new(FIRST * 6);
        let arena = Arena::new(Box::new(memory.clone()), 100);
        let mut first = std::ptr::null_mut();
        arena.with_worker(|w| {
            first = w;
            // SAFETY: it is a worker that nobody else has.
            unsafe { (*w.cast::<Worker>()).held = 1 };
        });
        arena.after_launch();
        assert_eq!(memory.backs.load(Ordering::Relaxed), 0);
        arena.with_worker(|w| {
            assert_eq!(w, first);
            // SAFETY: it is a worker that nobody else has.
            unsafe { (*w.cast::<Worker>()).held = 0 };
        });
        arena.after_launch();
        assert_eq!(memory.backs.load(Ordering::Relaxed), 1);
        assert!(arena.lock().is_empty());
    }
}
