//! Facts about programs. Nothing here rewrites.

pub mod homes;
pub mod shapes;
