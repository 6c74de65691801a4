//! Time over work at four sizes: a program whose work is n must not take n log n, nor lose its way when arrays get long.
//!
//! ```text
//! spmv banded   6.8M, 13.8M, 27M, 54M elements    0.41, 0.42, 0.42, 0.43 ns each    greatest over least 1.05
//! ```
//!
//! The best C way is measured at the same sizes: where a vector that is read at random outgrows a cache, both of them slow down.

use super::measure::{Terrace, measure};
use super::peers::Peers;
use super::workload::Case;
use terrace_base::Json;

/// Nanoseconds per unit of work, least size first.
pub(crate) struct Growth {
    pub(crate) case: Case,
    pub(crate) ours: Vec<f64>,
    pub(crate) c: Vec<f64>,
    pub(crate) failed: Option<String>,
}

impl Growth {
    /// Greatest over least.
    pub(crate) fn spread(&self, times: &[f64]) -> f64 {
        let greatest = times.iter().copied().fold(f64::MIN, f64::max);
        let least = times.iter().copied().fold(f64::MAX, f64::min);
        if times.is_empty() { f64::NAN } else { greatest / least }
    }

    pub(crate) fn json(&self) -> Json {
        let members = [
            ("case", Json::from(self.case.name.as_str())),
            ("terrace_ns_per_unit", self.ours.clone().into()),
            ("c_ns_per_unit", self.c.clone().into()),
            ("greatest_over_least", self.spread(&self.ours).into()),
        ];
        Json::Object(members.into_iter().map(|(n, v)| (n.to_string(), v)).collect())
    }
}

/// Measures a case at its four sizes.
pub(crate) fn growth(terrace: &Terrace, peers: &Peers, case: &Case, rounds: usize) -> Growth {
    let mut found = Growth { case: case.clone(), ours: Vec::new(), c: Vec::new(), failed: None };
    for sizes in case.smaller.iter().chain([&case.full]) {
        let record = measure(terrace, peers, case, sizes, rounds);
        let per_unit = |ms: f64| ms * 1e6 / case.work.at(sizes);
        found.ours.extend(record.ours("least_ms").map(per_unit));
        found.c.extend(record.best("c").map(|w| per_unit(w.least)));
        found.failed = found.failed.or(record.ours.err());
    }
    found
}
