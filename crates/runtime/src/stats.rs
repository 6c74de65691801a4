//! What a run cost, in numbers that do not depend on the weather, and in milliseconds, which do.
//!
//! The counts are properties of a program: tests state them (one host read, no allocation in the loop, peak of two arrays). Bytes are
//! as the program asked for them, before a device rounds them up.

use terrace_plan::threshold::Guarded;

/// What one run cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Launches that covered at least one tile.
    pub launches: u64,
    /// The same, by kernel.
    pub launches_per_kernel: Vec<u64>,
    /// How many of them ran with indices of 32 bits.
    pub small_launches: u64,
    /// The bytes of the buffers that launches were given, by kernel.
    pub bytes_per_kernel: Vec<u64>,
    /// How often a recording of a loop's launches was started; the launches in it are counted too.
    pub replays: u64,
    /// `Read` statements: how often the host waited for the device in the middle of the program.
    pub host_reads: u64,
    /// Transfers that bring results back.
    pub result_transfers: u64,
    /// Buffers allocated, arguments not counted.
    pub allocations: u64,
    /// Calls between host functions.
    pub calls: u64,
    /// The deepest nesting of calls.
    pub deepest: u64,
    /// The guards that were passed, in order, where they are asked for.
    pub guards: Vec<Guarded>,
    /// Bytes set to zero.
    pub zeroed_bytes: u64,
    /// Bytes of arrays that were copied as they are, because something else still needs them: updates that are not done in place.
    pub copied_bytes: u64,
    /// Bytes copied to the device.
    pub bytes_to_device: u64,
    /// Bytes copied from the device.
    pub bytes_from_device: u64,
    /// The most bytes in use at any time, arguments included, device scalars not.
    pub peak_bytes: u64,
    /// Bytes in use at the end.
    pub current_bytes: u64,
    /// Time from the first statement to the last, on the host's clock, without waiting for a compiler.
    pub wall_ms: f64,
    /// Time on the device's clock: launches and what lies between them.
    pub device_ms: f64,
    /// Time in each kernel; on a GPU only when profiling.
    pub kernel_ms: Vec<f64>,
}
