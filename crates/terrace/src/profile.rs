//! Where the time of a call went: per kernel, with the source line that it computes.
//!
//! ```text
//! pagerank: 12.402 ms, of which 0.310 ms on the host
//!       time  share  calls       bytes    GB/s  line                       kernel
//!   8.100 ms  65.3%     20   412000000   50.86  examples/pagerank.tce:21   k_pagerank_reduce_total
//! ```
//!
//! *Host* is what is left of the whole when the kernels are taken away: the host program between launches, allocations, and the start of
//! threads. *Bytes* are those of the buffers that a kernel was given, each counted once per launch: what it moves where it
//! reads and writes everything once, more where it looks at parts only, and then the rate is too high.
//!
//! `flame` draws the same numbers. Declined: interpreters, and the time inside a kernel.

mod flame;

use crate::engine::{Engine, Outcome};
use std::fmt::Write;
use terrace_base::Span;
use terrace_plan::Plan;
use terrace_plan::capture::{self, Found};
use terrace_syntax::ast::ItemKind;

/// Where the time of a call went.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The entry that was called.
    pub entry: String,
    /// From the first statement of the host program to the last.
    pub wall_ms: f64,
    /// The part of it that no kernel ran.
    pub host_ms: f64,
    /// The kernels that ran, the longest first.
    pub kernels: Vec<KernelTime>,
    /// On CUDA, what becomes of the loops that launched something: whether their turns are recorded and replayed (not while kernels are timed one by
    /// one), and why not.
    pub loops: Vec<String>,
}

/// What one kernel took.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelTime {
    /// Its name.
    pub kernel: String,
    /// The function of the source that it is from; empty where it is from none.
    pub function: String,
    /// The file; empty where it is from none.
    pub file: String,
    /// The line, from 1; 0 where it is from none.
    pub line: usize,
    /// The text of that line.
    pub text: String,
    /// How often it was launched.
    pub calls: u64,
    /// All launches together.
    pub ms: f64,
    /// The bytes of the buffers that it was given, all launches together.
    pub bytes: u64,
}

impl KernelTime {
    /// `file:line`, or a dash.
    pub fn place(&self) -> String {
        if self.line == 0 { "-".to_string() } else { format!("{}:{}", self.file, self.line) }
    }

    /// Bytes over time, in GB per second.
    pub fn rate(&self) -> f64 {
        self.bytes as f64 / (self.ms * 1e6).max(f64::MIN_POSITIVE)
    }
}

impl Engine {
    /// Where the time of a call of this engine went; nothing where no device ran it.
    pub fn profile<V>(&self, entry: &str, outcome: &Outcome<V>) -> Option<Profile> {
        let stats = outcome.stats.as_ref()?;
        let plan = self.that_ran(entry, outcome.body).loaded()?.plan();
        let ran = stats.launches_per_kernel.iter().enumerate().filter(|(_, calls)| **calls > 0);
        let time = |(k, calls): (usize, &u64)| {
            let kernel = &plan.kernels[k];
            let known = !kernel.span.is_none() && self.sources.contains(kernel.span);
            let line = if known { self.sources.line_col(kernel.span).line } else { 0 };
            KernelTime {
                kernel: kernel.name.clone(),
                function: self.function_at(kernel.span),
                file: if known { self.sources.name(kernel.span.file).to_string() } else { String::new() },
                line,
                text: if known {
                    self.sources.line_text(kernel.span.file, line).trim().to_string()
                } else {
                    String::new()
                },
                calls: *calls,
                ms: stats.kernel_ms.get(k).copied().unwrap_or(0.0),
                bytes: stats.bytes_per_kernel.get(k).copied().unwrap_or(0),
            }
        };
        let mut kernels: Vec<KernelTime> = ran.map(time).collect();
        kernels.sort_by(|a, b| b.ms.total_cmp(&a.ms));
        let in_kernels: f64 = kernels.iter().map(|k| k.ms).sum();
        let host_ms = (stats.wall_ms - in_kernels).max(0.0);
        let loops = self.loops(plan, &stats.launches_per_kernel);
        Some(Profile { entry: entry.to_string(), wall_ms: host_ms + in_kernels, host_ms, kernels, loops })
    }

    /// The loops that launched something, a line each.
    fn loops(&self, plan: &Plan, launches: &[u64]) -> Vec<String> {
        let line = |found: Found| {
            let kernel = found.kernel.filter(|k| launches.get(*k).is_some_and(|n| *n > 0))?;
            let (span, name) = (plan.kernels[kernel].span, &plan.kernels[kernel].name);
            let known = !span.is_none() && self.sources.contains(span);
            let place = match known {
                true => format!("{}:{}", self.sources.name(span.file), self.sources.line_col(span).line),
                false => "-".to_string(),
            };
            Some(format!("loop of {name}, {place}: {}", found.outcome()))
        };
        capture::loops(plan).into_iter().filter_map(line).collect()
    }

    /// The function of the source around a place.
    fn function_at(&self, span: Span) -> String {
        let modules = self.program().loaded.modules.iter().filter(|m| m.ast.file == span.file && !span.is_none());
        let items = modules.flat_map(|m| &m.ast.items);
        let mut around = items.filter(|i| i.span.start <= span.start && span.end <= i.span.end);
        around
            .find_map(|item| match &item.kind {
                ItemKind::Function(function) => Some(function.name.text.clone()),
                _ => None,
            })
            .unwrap_or_default()
    }
}

impl Profile {
    /// A line per kernel, the longest first.
    pub fn table(&self) -> String {
        let mut out = format!("{}: {:.3} ms, of which {:.3} ms on the host\n", self.entry, self.wall_ms, self.host_ms);
        let width = self.kernels.iter().map(|k| k.place().chars().count()).max().unwrap_or(0).max("line".len());
        let _ = writeln!(
            out,
            "{:>13} {:>6} {:>8} {:>14} {:>8}  {:width$}  kernel",
            "time", "share", "calls", "bytes", "GB/s", "line"
        );
        for k in &self.kernels {
            let share = 100.0 * k.ms / self.wall_ms.max(f64::MIN_POSITIVE);
            let _ = writeln!(
                out,
                "{:>10.3} ms {share:>5.1}% {:>8} {:>14} {:>8.2}  {:width$}  {}",
                k.ms,
                k.calls,
                k.bytes,
                k.rate(),
                k.place(),
                k.kernel
            );
        }
        self.loops.iter().for_each(|line| out += &format!("{line}\n"));
        out
    }

    /// The same as a picture: an SVG in which the width of a box is its time.
    pub fn flame_graph(&self) -> String {
        flame::draw(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Program, Settings};

    pub(super) fn kernel(name: &str, function: &str, line: usize, ms: f64) -> KernelTime {
        KernelTime {
            kernel: name.to_string(),
            function: function.to_string(),
            file: "a.tce".to_string(),
            line,
            text: format!("line {line} <of> it"),
            calls: 2,
            ms,
            bytes: 4_000_000,
        }
    }

    pub(super) fn sample() -> Profile {
        let kernels = vec![kernel("k_a", "f", 3, 4.0), kernel("k_b", "g", 5, 2.0), kernel("k_c", "f", 3, 1.0)];
        Profile { entry: "f".to_string(), wall_ms: 8.0, host_ms: 1.0, kernels, loops: Vec::new() }
    }

    #[test]
    fn a_line_per_kernel() {
        let table = sample().table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "f: 8.000 ms, of which 1.000 ms on the host");
        assert_eq!(lines.len(), 5);
        assert!(lines[2].contains("50.0%") && lines[2].contains("1.00  a.tce:3  k_a"), "{}", lines[2]);
    }

    #[test]
    fn kernels_know_their_lines() {
        let text = "def squares(xs: []f64) -> []f64 =\n  [x * x for x in xs]\nentry f(xs: []f64) -> []f64 =\n  reverse(squares(reverse(xs)))\n";
        let program = Program::from_text("f.tce", text).unwrap_or_else(|e| panic!("{e}"));
        let engine = program.engine(Backend::C, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
        let xs = program.argument("f", 0, "[f64(i) for i < 100]").unwrap_or_else(|e| panic!("{e}"));
        let outcome = engine.call("f", vec![xs]).unwrap_or_else(|e| panic!("{e}"));
        let profile = engine.profile("f", &outcome).expect("a device ran it");
        assert!(!profile.kernels.is_empty());
        let [k] = &profile.kernels[..] else { panic!("one kernel: {profile:?}") };
        assert!(k.file == "f.tce" && [2, 4].contains(&k.line) && k.calls == 1, "{k:?}");
        assert_eq!(k.bytes, 1600, "two columns of a hundred");
        assert_eq!(k.function, if k.line == 2 { "squares" } else { "f" });
        let interp = program.engine(Backend::Interp, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
        let xs = program.argument("f", 0, "[1.0]").unwrap_or_else(|e| panic!("{e}"));
        let outcome = interp.call("f", vec![xs]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(interp.profile("f", &outcome), None);
    }
}
