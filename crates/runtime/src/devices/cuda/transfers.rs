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

use std::sync::{Mutex, PoisonError};

use super::driver::{Driver, Event, Pinned, Stream};
use crate::devices::team::{Team, Who};

/// The small buffer: reads of a few cells.
const SMALL: usize = 4 << 10;
/// Copies in of up to this size are taken by the driver before the call returns.
const STAGED: usize = 64 << 10;
/// A large buffer.
const LARGE: usize = 8 << 20;
/// What one core copies at a time.
const SHARE: usize = 512 << 10;
/// The stack of a thread that copies.
const STACK: usize = 64 << 10;

/// The pinned buffers of a GPU.
#[derive(Default)]
pub(super) struct Transfers {
    small: Option<Buffer>,
    large: Option<Large>,
}

/// The large buffers, and those who fill and empty them.
struct Large {
    buffers: [Buffer; 2],
    team: Team,
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
    fn send(&self, driver: &Driver, team: Option<&Team>, to: u64, bytes: &[u8], stream: Stream) -> Result<(), String> {
        driver.wait_for(self.done)?;
        // SAFETY: the buffer has room for the bytes, and no copy uses it now.
        copy(team, unsafe { std::slice::from_raw_parts_mut(self.memory.cast(), bytes.len()) }, bytes);
        driver.copy_in(to, self.memory, bytes.len(), stream)?;
        driver.record(self.done, stream)
    }

    /// Asks the GPU to fill the buffer.
    fn ask(&self, driver: &Driver, from: u64, bytes: usize, stream: Stream) -> Result<(), String> {
        driver.copy_out(self.memory, from, bytes, stream)?;
        driver.record(self.done, stream)
    }

    /// Waits until the buffer is full, and empties it.
    fn receive(&self, driver: &Driver, team: Option<&Team>, bytes: &mut [u8]) -> Result<(), String> {
        driver.wait_for(self.done)?;
        // SAFETY: the copy that filled as many bytes is over, and nothing else uses the buffer.
        copy(team, bytes, unsafe { std::slice::from_raw_parts(self.memory.cast(), bytes.len()) });
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

    fn large(&mut self, driver: &Driver) -> Result<&Large, String> {
        if self.large.is_none() {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let buffers = [Buffer::new(driver, LARGE)?, Buffer::new(driver, LARGE)?];
            self.large = Some(Large { buffers, team: Team::new(cores, STACK)? });
        }
        self.large.as_ref().ok_or_else(|| "no pinned memory".to_string())
    }

    /// Copies to the GPU; the bytes may be changed as soon as this returns.
    pub(super) fn upload(&mut self, driver: &Driver, to: u64, bytes: &[u8], stream: Stream) -> Result<(), String> {
        if bytes.len() <= STAGED {
            return driver.copy_in(to, bytes.as_ptr().cast(), bytes.len(), stream);
        }
        let Large { buffers, team } = self.large(driver)?;
        for (k, part) in bytes.chunks(LARGE).enumerate() {
            buffers[k % 2].send(driver, Some(team), to + (k * LARGE) as u64, part, stream)?;
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
            return small.receive(driver, None, bytes);
        }
        let Large { buffers, team } = self.large(driver)?;
        let mut parts = bytes.chunks_mut(LARGE).enumerate().peekable();
        if let Some((_, first)) = parts.peek() {
            buffers[0].ask(driver, from, first.len(), stream)?;
        }
        while let Some((k, part)) = parts.next() {
            if let Some((next, ahead)) = parts.peek() {
                buffers[next % 2].ask(driver, from + (next * LARGE) as u64, ahead.len(), stream)?;
            }
            buffers[k % 2].receive(driver, Some(team), part)?;
        }
        Ok(())
    }

    /// Lets go of the buffers; nothing may be on its way.
    pub(super) fn free(&mut self, driver: &Driver) {
        self.small.take().iter().for_each(|b| b.free(driver));
        self.large.take().iter().flat_map(|large| &large.buffers).for_each(|b| b.free(driver));
    }
}

/// A copy by all cores.
fn copy(team: Option<&Team>, to: &mut [u8], from: &[u8]) {
    let Some(team) = team.filter(|_| from.len() > SHARE) else { return to.copy_from_slice(from) };
    let shares = from.len().div_ceil(SHARE) as u64;
    let left = Mutex::new(to.chunks_mut(SHARE).zip(from.chunks(SHARE)));
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    team.run(shares, Who::All, &|_| {
        if let Some((to, from)) = next() {
            to.copy_from_slice(from);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cores_copy_every_byte() {
        let team = Team::new(3, STACK).expect("threads");
        for length in [0, 1, SHARE, SHARE + 1, 5 * SHARE - 7] {
            let from: Vec<u8> = (0..length).map(|k| (k % 251) as u8).collect();
            for team in [None, Some(&team)] {
                let mut to = vec![0; length];
                copy(team, &mut to, &from);
                assert!(to == from, "{length} bytes");
            }
        }
    }
}
