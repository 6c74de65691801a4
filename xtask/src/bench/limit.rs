//! What the machine can do at most, measured in the same run, and how near a case comes to it.
//!
//! ```text
//! limit.c     22 GB/s through memory, 150 Gflop/s           12 bytes per element and 2^26 elements: 36 ms
//! ours        40 ms                                         0.90 of the limit
//! ```
//!
//! A case must move its bytes and do its operations; the limit is the longer of both times. It knows nothing of caches: data that stay in them, or places
//! that are read at random, are on one or the other side of it.

use super::object;
use super::peers::compile;
use super::process::run;
use super::workload::Case;
use crate::root;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use terrace_base::Json;

/// Per second: bytes through memory, operations in single and in double precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) bytes: f64,
    pub(crate) f32: f64,
    pub(crate) f64: f64,
}

impl Limit {
    /// Measures this machine's CPU.
    pub(crate) fn of_cpu() -> Result<Limit, String> {
        let binary = root().join("target/bench/limit");
        compile(&root().join("benchmarks/peers/limit.c"), "-mprefer-vector-width=512", &binary)?;
        Limit::said_by(&binary)
    }

    /// Of several runs the best: what others do on the machine only ever takes away.
    pub(crate) fn said_by(binary: &Path) -> Result<Limit, String> {
        let mut best = Limit { bytes: 0.0, f32: 0.0, f64: 0.0 };
        for _ in 0..2 {
            let said = run(&mut Command::new(binary), Duration::from_secs(120));
            said.failed.map_or(Ok(()), Err)?;
            let json = Json::parse(said.out.trim())?;
            let number = |name: &str| json.at(name).number().unwrap_or(0.0);
            best.bytes = best.bytes.max(number("bytes_per_second"));
            best.f32 = best.f32.max(number("f32_per_second"));
            best.f64 = best.f64.max(number("f64_per_second"));
        }
        Ok(best)
    }

    /// The least milliseconds that a case can take, which must move so many bytes.
    pub(crate) fn least_ms(&self, case: &Case, sizes: &[i64], bytes: f64) -> f64 {
        let operations = case.operations.as_ref().map_or(0.0, |o| o.at(sizes));
        let speed = if case.single { self.f32 } else { self.f64 };
        let moving = bytes / self.bytes;
        let computing = if speed > 0.0 { operations / speed } else { 0.0 };
        1e3 * moving.max(computing)
    }

    pub(crate) fn json(&self) -> Json {
        object([
            ("bytes_per_second", self.bytes.into()),
            ("f32_per_second", self.f32.into()),
            ("f64_per_second", self.f64.into()),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::super::workload::cases;
    use super::*;

    #[test]
    fn the_longer_of_both_times() {
        let of = |name: &str| cases().expect("workloads").into_iter().find(|c| c.name == name).expect("a case");
        let limit = Limit { bytes: 12e9, f32: 2e9, f64: 1e9 };
        assert_eq!(limit.least_ms(&of("saxpy"), &[1_000_000], 12e6), 1.0);
        // 2 n³ operations in single precision, and 12 n² bytes.
        assert_eq!(limit.least_ms(&of("matmul"), &[1000], 12e6), 1000.0);
    }
}
