//! Facts about programs. Nothing here rewrites.

pub mod closed;
mod components;
mod exchanges;
pub mod homes;
pub mod in_place;
pub mod index_ranges;
pub mod places;
pub mod shapes;
pub mod sharing;
