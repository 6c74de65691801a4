//! Interpreters: what programs mean, said by running them.
//!
//! `core` is the meaning of the language. Every other way of running a program (Flat, Mem, a device) is right exactly if it
//! gives the same answer or the same error as `core`.

// A run fails at most once, so its report may be large.
#![allow(clippy::result_large_err)]

pub mod core;
pub mod flat;
pub mod mem;
