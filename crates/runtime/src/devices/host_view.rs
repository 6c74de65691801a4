//! A block of device memory as the host reads it, where device memory is the host's own.
//!
//! ```text
//! result of a run     block of 4096 bytes, 3000 of them the column      View { block, 3000 }: the column, without a copy
//! ```
//!
//! A view takes the last hold on a block with it: nobody is left who could launch a kernel over it, so that the bytes stay as they are
//! until the view goes, and the block with it.

use std::sync::Arc;

use crate::memory::Block;

/// The first bytes of a block that nobody writes any more.
pub(crate) struct View {
    block: Arc<Block>,
    bytes: usize,
}

impl View {
    /// A view of the first bytes, which must be inside. The holders of the block, so many of them, all have to be views in the end.
    pub(crate) fn new(block: Arc<Block>, bytes: u64) -> Option<View> {
        let inside = bytes <= block.bytes && bytes <= block.handle.bytes;
        (block.is_host() && inside).then_some(View { block, bytes: bytes as usize })
    }
}

impl AsRef<[u8]> for View {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the bytes are inside a block of host memory that this view keeps. No kernel runs over it: whoever makes a view sees to it
        // that only views hold the block. Memory that no kernel wrote has arbitrary contents, as for a download.
        unsafe { std::slice::from_raw_parts(self.block.handle.address as *const u8, self.bytes) }
    }
}
