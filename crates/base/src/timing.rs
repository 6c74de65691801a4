//! How long each pass took.
//!
//! A [`Timings`] is a plain list that the driver carries along: `timings.measure("fuse", || fuse(program))`. There is no
//! global registry, so two compilations in one process never see each other's numbers, and a nested measurement is
//! simply an entry of its own. It declines to measure threads, memory or devices; the runtime counts those.

use std::fmt;
use std::time::{Duration, Instant};

/// One measured step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Name of the step, usually of a pass.
    pub name: String,
    /// How long it took.
    pub duration: Duration,
}

/// The measured steps of one compilation, in the order in which they ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Timings {
    entries: Vec<Timing>,
}

impl Timings {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs a step and notes how long it took.
    pub fn measure<T>(&mut self, name: impl Into<String>, step: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = step();
        self.record(name, start.elapsed());
        result
    }

    /// Notes a step that was measured elsewhere.
    pub fn record(&mut self, name: impl Into<String>, duration: Duration) {
        self.entries.push(Timing { name: name.into(), duration });
    }

    /// The steps in order.
    pub fn entries(&self) -> &[Timing] {
        &self.entries
    }

    /// The sum over all steps with this name.
    pub fn of(&self, name: &str) -> Duration {
        self.entries.iter().filter(|t| t.name == name).map(|t| t.duration).sum()
    }

    /// The sum over all steps.
    pub fn total(&self) -> Duration {
        self.entries.iter().map(|t| t.duration).sum()
    }
}

impl fmt::Display for Timings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.entries.iter().map(|t| t.name.len()).max().unwrap_or(0).max("total".len());
        let mut line =
            |name: &str, duration: Duration| writeln!(f, "{name:width$} {:>10.3} ms", duration.as_secs_f64() * 1e3);
        for timing in &self.entries {
            line(&timing.name, timing.duration)?;
        }
        line("total", self.total())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_add_up() {
        let mut timings = Timings::new();
        assert_eq!(timings.measure("parse", || 42), 42);
        timings.record("fuse", Duration::from_micros(1500));
        timings.record("fuse", Duration::from_micros(500));
        assert_eq!(timings.of("fuse"), Duration::from_millis(2));
        assert_eq!(timings.entries().len(), 3);
        assert!(timings.to_string().contains("fuse       1.500 ms\n"), "{timings}");
    }
}
