//! Facts about programs. Nothing here rewrites.

pub mod closed;
pub mod homes;
pub mod in_place;
pub mod places;
pub mod shapes;
pub mod sharing;
