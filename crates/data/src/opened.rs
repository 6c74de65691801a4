//! An open file: read piece by piece, or seen as memory.
//!
//! Numbers that lie in a file as they lie in memory need not be read at all. Whoever may use `unsafe` (this crate has none) hands in a way to
//! map a file; then a large file of numbers is lent to the program as it is, and only what the program looks at comes from the disk:
//!
//! ```text
//! read      disk ──▶ the system's cache ──▶ memory of ours      40 GB of `xs.npy` take 40 GB and are refused where there is less
//! mapped    disk ──▶ the system's cache                         40 GB take nothing; `xs[7]` reads a page
//! ```
//!
//! Declines text, Parquet and compressed buffers, whose numbers are made and not found.

use arrow_buffer::Buffer;
use std::fs::File;

/// A way to see a whole file as memory; where there is none, the file is read.
pub type Map = fn(&File) -> Option<Buffer>;

/// A file, its length, and its bytes where they are mapped.
pub(crate) struct Opened {
    pub(crate) file: File,
    pub(crate) length: u64,
    pub(crate) mapped: Option<Buffer>,
}

impl Opened {
    pub(crate) fn new(file: File, map: Option<Map>) -> std::io::Result<Opened> {
        let length = file.metadata()?.len();
        let mapped = map.and_then(|map| map(&file)).filter(|bytes| bytes.len() as u64 == length);
        Ok(Opened { file, length, mapped })
    }
}
