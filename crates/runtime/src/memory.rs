//! Device memory, counted and limited.
//!
//! A [`Block`] is a piece of device memory that goes back when its last holder lets go, in whatever frame or result that is. All blocks
//! of a runtime are counted in one [`Space`]: a limit holds for arguments, intermediate arrays and results together. Slabs are not counted.
//!
//! Scalars that live on the device (*cells*) are too small for blocks of their own. A run takes them from a *slab*, which also
//! holds the error record, so that reading a few cells and testing the record is one transfer:
//!
//! ```text
//! slab   | error record, 64 bytes | cell | cell | cell | ...
//! read   |<------------- one copy ------------->|
//! ```

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use terrace_base::Span;

use crate::devices::arena::Chunks;
use crate::devices::{AllocError, Device, Handle};
use crate::error::RunError;
use crate::values::Owner;

/// What is in use, and since the last reset, what was.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) current: u64,
    pub(crate) peak: u64,
    pub(crate) to_device: u64,
    pub(crate) from_device: u64,
}

/// The memory of one device.
pub(crate) struct Space {
    pub(crate) device: Arc<dyn Device>,
    limit: u64,
    usage: Mutex<Usage>,
}

impl Space {
    pub(crate) fn new(device: Arc<dyn Device>, limit: Option<u64>) -> Arc<Space> {
        let limit = limit.unwrap_or_else(|| device.memory_bytes());
        Arc::new(Space { device, limit, usage: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What there is.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// What is in use now.
    pub(crate) fn usage(&self) -> Usage {
        *self.lock()
    }

    /// Starts counting the peak and the transfers anew.
    pub(crate) fn reset(&self) {
        let mut usage = self.lock();
        *usage = Usage { current: usage.current, peak: usage.current, ..Usage::default() };
    }

    /// What one wave may plan for: a quarter of what is free, so that its inputs, its outputs and two temporaries fit.
    pub(crate) fn wave_bytes(&self) -> u64 {
        (self.limit.saturating_sub(self.usage().current) / 4).max(1)
    }

    fn take(&self, bytes: u64) -> bool {
        let mut usage = self.lock();
        match usage.current.checked_add(bytes) {
            Some(sum) if sum <= self.limit => {
                usage.current = sum;
                usage.peak = usage.peak.max(sum);
                true
            }
            _ => false,
        }
    }

    fn give(&self, bytes: u64) {
        self.lock().current -= bytes;
    }

    /// A new block, for the array at `span`.
    pub(crate) fn alloc(self: &Arc<Self>, bytes: u64, span: Span) -> Result<Arc<Block>, RunError> {
        let short =
            |space: &Self| RunError::OutOfMemory { span, bytes, in_use: space.usage().current, limit: space.limit };
        if !self.take(bytes) {
            return Err(short(self));
        }
        match self.device.alloc(bytes) {
            Ok(handle) => Ok(Arc::new(Block { space: self.clone(), handle, bytes, owner: None })),
            Err(error) => {
                self.give(bytes);
                Err(match error {
                    AllocError::Full => short(self),
                    AllocError::Failed(text) => RunError::Device(text),
                })
            }
        }
    }

    /// Somebody's bytes as a block, for kernels that only read it; none where the device cannot read them there.
    pub(crate) fn lend(self: &Arc<Self>, owner: &Owner, align: usize) -> Result<Option<Arc<Block>>, RunError> {
        let bytes = (**owner).as_ref();
        if !(bytes.as_ptr() as usize).is_multiple_of(align) {
            return Ok(None);
        }
        let Some(handle) = self.device.lend(bytes) else { return Ok(None) };
        let bytes = handle.bytes();
        if !self.take(bytes) {
            let (span, in_use, limit) = (Span::none(), self.usage().current, self.limit);
            return Err(RunError::OutOfMemory { span, bytes, in_use, limit });
        }
        Ok(Some(Arc::new(Block { space: self.clone(), handle, bytes, owner: Some(owner.clone()) })))
    }

    /// Copies to a block.
    pub(crate) fn upload(&self, block: &Block, offset: u64, bytes: &[u8]) -> Result<(), RunError> {
        self.lock().to_device += bytes.len() as u64;
        self.device.upload(block.handle, offset, bytes).map_err(RunError::Device)
    }

    /// Copies from a block, after all that was launched before.
    pub(crate) fn download(&self, block: &Block, offset: u64, bytes: &mut [u8]) -> Result<(), RunError> {
        self.lock().from_device += bytes.len() as u64;
        self.device.download(block.handle, offset, bytes).map_err(RunError::Device)
    }
}

/// A piece of device memory.
pub(crate) struct Block {
    space: Arc<Space>,
    pub(crate) handle: Handle,
    pub(crate) bytes: u64,
    /// Whose memory it is, where it is only lent.
    owner: Option<Owner>,
}

impl Block {
    /// Whether the host can read it where it is.
    pub(crate) fn is_host(&self) -> bool {
        self.space.device.is_host()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.owner.is_none() {
            self.space.device.free(self.handle);
        }
        self.space.give(self.bytes);
    }
}

/// The chunks of threads that run functions by themselves, as blocks of a space.
pub(crate) struct BlockChunks {
    space: Arc<Space>,
    blocks: Mutex<Vec<Arc<Block>>>,
}

impl BlockChunks {
    pub(crate) fn new(space: &Arc<Space>) -> BlockChunks {
        BlockChunks { space: space.clone(), blocks: Mutex::default() }
    }
}

impl Chunks for BlockChunks {
    fn chunk(&self, bytes: u64) -> Option<u64> {
        let block = self.space.alloc(bytes, Span::none()).ok()?;
        let address = block.handle.address();
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner).push(block);
        Some(address)
    }

    fn give_back(&self) {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The bytes of the error record, at the start of the first slab.
pub(crate) const RECORD_BYTES: usize = 64;
const CELL_BYTES: u64 = 8;
const SLAB_BYTES: u64 = 4096;

/// The cells of one run.
pub(crate) struct Cells {
    space: Arc<Space>,
    slabs: Vec<Arc<Block>>,
    free: Arc<Mutex<Vec<(usize, u64)>>>,
}

/// A scalar on the device; its place is reused when the last holder lets go.
pub(crate) struct Cell {
    pub(crate) block: Arc<Block>,
    pub(crate) offset: u64,
    slab: usize,
    free: Arc<Mutex<Vec<(usize, u64)>>>,
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push((self.slab, self.offset));
    }
}

impl Cells {
    /// A slab with a zeroed error record.
    pub(crate) fn new(space: &Arc<Space>) -> Result<Cells, RunError> {
        let mut cells = Cells { space: space.clone(), slabs: Vec::new(), free: Arc::default() };
        cells.add_slab(RECORD_BYTES as u64)?;
        space.device.zero(cells.slabs[0].handle, RECORD_BYTES as u64).map_err(RunError::Device)?;
        Ok(cells)
    }

    fn add_slab(&mut self, from: u64) -> Result<(), RunError> {
        let slab = self.slabs.len();
        let handle = self.space.device.alloc(SLAB_BYTES).map_err(|error| match error {
            AllocError::Full => RunError::Device("no memory for device scalars".to_string()),
            AllocError::Failed(text) => RunError::Device(text),
        })?;
        self.slabs.push(Arc::new(Block { space: self.space.clone(), handle, bytes: 0, owner: None }));
        let places = (from / CELL_BYTES..SLAB_BYTES / CELL_BYTES).rev();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.extend(places.map(|p| (slab, p * CELL_BYTES)));
        Ok(())
    }

    /// The error record.
    pub(crate) fn record(&self) -> Handle {
        self.slabs[0].handle
    }

    /// A new cell.
    pub(crate) fn cell(&mut self) -> Result<Arc<Cell>, RunError> {
        let take = |free: &Mutex<Vec<_>>| free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let place = match take(&self.free) {
            Some(place) => place,
            None => {
                self.add_slab(0)?;
                take(&self.free).expect("a new slab has cells")
            }
        };
        let (slab, offset) = place;
        Ok(Arc::new(Cell { block: self.slabs[slab].clone(), offset, slab, free: self.free.clone() }))
    }

    /// The error record and the raw bytes of some cells, with one transfer per slab.
    pub(crate) fn read(&self, cells: &[&Cell]) -> Result<(Vec<u64>, Vec<[u8; 8]>), RunError> {
        let mut ends = vec![0; self.slabs.len()];
        ends[0] = RECORD_BYTES;
        for cell in cells {
            ends[cell.slab] = ends[cell.slab].max((cell.offset + CELL_BYTES) as usize);
        }
        let mut copies = Vec::with_capacity(ends.len());
        for (slab, end) in ends.iter().enumerate() {
            let mut bytes = vec![0; *end];
            if *end > 0 {
                self.space.download(&self.slabs[slab], 0, &mut bytes)?;
            }
            copies.push(bytes);
        }
        let eight = |bytes: &[u8]| {
            let mut word = [0; 8];
            word.copy_from_slice(bytes);
            word
        };
        let record = copies[0][..RECORD_BYTES].chunks_exact(8);
        let record = record.map(|w| u64::from_le_bytes(eight(w))).collect();
        let values = cells.iter().map(|c| eight(&copies[c.slab][c.offset as usize..][..8])).collect();
        Ok((record, values))
    }
}

/// A number of bytes as people read it: `23.4 GiB`.
pub(crate) fn bytes_in_words(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let step = (0..units.len() - 1).find(|step| bytes >> (10 * step) < 1024).unwrap_or(units.len() - 1);
    match step {
        0 => format!("{bytes} bytes"),
        _ => format!("{:.1} {}", bytes as f64 / (1_u64 << (10 * step)) as f64, units[step]),
    }
}

/// A number of bytes as people write it: `64M`.
pub fn byte_count(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &text[digits.len()..] {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        "G" | "g" => 1 << 30,
        other => return Err(format!("`{other}` is no unit of memory; there are K, M and G")),
    };
    let count: u64 = digits.parse().map_err(|_| format!("`{text}` is no number of bytes"))?;
    count.checked_mul(scale).ok_or_else(|| format!("`{text}` is more than can be counted"))
}
