//! From each language to the next.

pub mod flatten;
pub mod kernels;
pub mod place_in_memory;
