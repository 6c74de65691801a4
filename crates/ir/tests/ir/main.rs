//! Every language of the chain: text there and back, rules, walks.

// A test that cannot go on fails.
#![allow(clippy::unwrap_used)]

mod core;
mod core_walks;
mod flat;
mod kernel;
mod mem;
