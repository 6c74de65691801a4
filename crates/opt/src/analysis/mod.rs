//! Facts about programs. Nothing here rewrites.

pub mod homes;
