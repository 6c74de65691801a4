//! Copies between the host and a GPU, through pinned memory.
//!
//! A GPU copies by itself only from and to memory that the system cannot move. Ordinary memory goes through two pinned buffers in turn: while
//! the GPU copies one, all cores fill (or empty) the other.
//!
//! ```text
//! upload      cores   fill 0 | fill 1 | fill 0 | fill 1          the caller goes on here; the last two copies are on their way
//!             GPU             | copy 0 | copy 1 | copy 0 | copy 1
//! ```
//!
//! An upload is over for the caller when its bytes are in the buffers: what is launched next waits on the stream, and the host meanwhile
//! compiles a kernel or fills the next argument. A download waits, as it must. A few bytes out (a size, the error record) go through a small buffer
//! of their own, so that no run pays for the large ones. A few bytes in are left to the driver, which puts them into the stream itself: to wait for a
//! buffer would be to wait for every kernel before the copy that used it last.

use rayon::prelude::*;

use super::driver::{Driver, Event, Pinned, Stream};

/// The small buffer: reads of a few cells.
const SMALL: usize = 4 << 10;
/// Copies in of up to this size are taken by the driver before the call returns.
const STAGED: usize = 64 << 10;
/// A large buffer.
const LARGE: usize = 8 << 20;
/// What one core copies at a time.
const SHARE: usize = 512 << 10;

/// The pinned buffers of a GPU.
#[derive(Default)]
pub(super) struct Transfers {
    small: Option<Buffer>,
    large: Option<[Buffer; 2]>,
}

struct Buffer {
    memory: Pinned,
    /// Recorded after the last copy that used it.
    done: Event,
}

impl Buffer {
    fn new(driver: &Driver, bytes: usize) -> Result<Buffer, String> {
        Ok(Buffer { memory: driver.alloc_pinned(bytes)?, done: driver.create_event()? })
    }

    fn free(&self, driver: &Driver) {
        driver.free_pinned(self.memory);
        driver.destroy_event(self.done);
    }

    /// Copies in: waits until the buffer is free, fills it, asks the GPU.
    fn send(&self, driver: &Driver, to: u64, bytes: &[u8], stream: Stream) -> Result<(), String> {
        driver.wait_for(self.done)?;
        // SAFETY: the buffer has room for the bytes, and no copy uses it now.
        copy(unsafe { std::slice::from_raw_parts_mut(self.memory.cast(), bytes.len()) }, bytes);
        driver.copy_in(to, self.memory, bytes.len(), stream)?;
        driver.record(self.done, stream)
    }

    /// Asks the GPU to fill the buffer.
    fn ask(&self, driver: &Driver, from: u64, bytes: usize, stream: Stream) -> Result<(), String> {
        driver.copy_out(self.memory, from, bytes, stream)?;
        driver.record(self.done, stream)
    }

    /// Waits until the buffer is full, and empties it.
    fn receive(&self, driver: &Driver, bytes: &mut [u8]) -> Result<(), String> {
        driver.wait_for(self.done)?;
        // SAFETY: the copy that filled as many bytes is over, and nothing else uses the buffer.
        copy(bytes, unsafe { std::slice::from_raw_parts(self.memory.cast(), bytes.len()) });
        Ok(())
    }
}

impl Transfers {
    fn small(&mut self, driver: &Driver) -> Result<&Buffer, String> {
        if self.small.is_none() {
            self.small = Some(Buffer::new(driver, SMALL)?);
        }
        self.small.as_ref().ok_or_else(|| "no pinned memory".to_string())
    }

    fn large(&mut self, driver: &Driver) -> Result<&[Buffer; 2], String> {
        if self.large.is_none() {
            self.large = Some([Buffer::new(driver, LARGE)?, Buffer::new(driver, LARGE)?]);
        }
        self.large.as_ref().ok_or_else(|| "no pinned memory".to_string())
    }

    /// Copies to the GPU; the bytes may be changed as soon as this returns.
    pub(super) fn upload(&mut self, driver: &Driver, to: u64, bytes: &[u8], stream: Stream) -> Result<(), String> {
        if bytes.len() <= STAGED {
            return driver.copy_in(to, bytes.as_ptr().cast(), bytes.len(), stream);
        }
        let buffers = self.large(driver)?;
        for (k, part) in bytes.chunks(LARGE).enumerate() {
            buffers[k % 2].send(driver, to + (k * LARGE) as u64, part, stream)?;
        }
        Ok(())
    }

    /// Copies from the GPU, when everything that was asked for before is done.
    pub(super) fn download(
        &mut self,
        driver: &Driver,
        from: u64,
        bytes: &mut [u8],
        stream: Stream,
    ) -> Result<(), String> {
        if bytes.len() <= SMALL {
            let small = self.small(driver)?;
            small.ask(driver, from, bytes.len(), stream)?;
            return small.receive(driver, bytes);
        }
        let buffers = self.large(driver)?;
        let mut parts = bytes.chunks_mut(LARGE).enumerate().peekable();
        if let Some((_, first)) = parts.peek() {
            buffers[0].ask(driver, from, first.len(), stream)?;
        }
        while let Some((k, part)) = parts.next() {
            if let Some((next, ahead)) = parts.peek() {
                buffers[next % 2].ask(driver, from + (next * LARGE) as u64, ahead.len(), stream)?;
            }
            buffers[k % 2].receive(driver, part)?;
        }
        Ok(())
    }

    /// Lets go of the buffers; nothing may be on its way.
    pub(super) fn free(&mut self, driver: &Driver) {
        self.small.take().iter().for_each(|b| b.free(driver));
        self.large.take().iter().flatten().for_each(|b| b.free(driver));
    }
}

/// A copy by all cores.
fn copy(to: &mut [u8], from: &[u8]) {
    if from.len() <= SHARE {
        return to.copy_from_slice(from);
    }
    to.par_chunks_mut(SHARE).zip(from.par_chunks(SHARE)).for_each(|(to, from)| to.copy_from_slice(from));
}
