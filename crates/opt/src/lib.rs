//! What the compiler does between the front end and the printers.
//!
//! `pipeline.rs` is the whole chain as a list. `analysis` holds facts and never rewrites; `optimise` goes from a language to
//! itself; `lower` goes to the next language.

pub mod analysis;
pub mod lower;
pub mod optimise;
pub mod options;
pub mod pipeline;
