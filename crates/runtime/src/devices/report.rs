//! What there is to run on, and what is missing and why: what `terrace devices` says.
//!
//! ```text
//! c        0  16 threads        /usr/bin/cc, gcc 12.2
//! cuda     none: no NVIDIA driver: libcuda.so.1 …
//! opencl   0  pthread-…         2 compute units, 23 GiB; OpenCL C 1.2 …
//! ```
//!
//! Nothing is run and nothing is kept open. What is missing is no error: a program runs on the rest.

use super::{cpu, cuda, opencl};

/// A back end: what it can run on, and what it lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name on the command line.
    pub backend: &'static str,
    /// Its devices, in the order of their numbers.
    pub devices: Vec<Found>,
    /// What is missing; each a line that says what, and perhaps more lines that say what to do.
    pub missing: Vec<String>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What people call it.
    pub name: String,
    /// What is worth knowing about it.
    pub facts: Vec<String>,
}

/// All back ends that run kernels.
pub fn devices() -> Vec<Place> {
    vec![cpu::report(), cuda::report(), opencl::report()]
}
