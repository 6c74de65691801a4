//! From source to loaded code with nothing in the cache, pass by pass; and the start of a program whose kernels are in the cache.
//!
//! ```text
//! terrace bench FILE … --repeat 1            an empty cache: the times of all passes and of the C compiler, from the JSON; least of three
//! terrace run FILE --entry MAKER …           the same cache again: the whole process, least of nine
//! ```

use super::measure::Terrace;
use super::process::run;
use super::workload::Case;
use crate::root;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use terrace_base::Json;

/// How long a program takes until it can run.
pub(crate) struct Start {
    pub(crate) case: Case,
    /// Milliseconds per pass; a pass that ran several times is one entry.
    pub(crate) passes: Vec<(String, f64)>,
    /// Milliseconds of a whole process.
    pub(crate) cached: f64,
    pub(crate) failed: Option<String>,
}

/// The step that hands kernels to the C compiler and loads what comes back.
const KERNELS: &str = "compile_kernels";

impl Start {
    fn nothing(case: &Case) -> Start {
        Start { case: case.clone(), passes: Vec::new(), cached: f64::MAX, failed: None }
    }

    pub(crate) fn total(&self) -> f64 {
        self.passes.iter().map(|(_, t)| t).sum()
    }

    pub(crate) fn kernels(&self) -> f64 {
        self.passes.iter().filter(|(n, _)| n == KERNELS).map(|(_, t)| t).sum()
    }

    /// The passes that take longest, the C compiler aside.
    pub(crate) fn slowest(&self, count: usize) -> Vec<(String, f64)> {
        let mut passes: Vec<_> = self.passes.iter().filter(|(n, _)| n != KERNELS).cloned().collect();
        passes.sort_by(|a, b| b.1.total_cmp(&a.1));
        passes.truncate(count);
        passes
    }

    pub(crate) fn json(&self) -> Json {
        let passes = self.passes.iter().map(|(n, t)| (n.clone(), Json::from(*t)));
        let members = [
            ("case", Json::from(self.case.name.as_str())),
            ("compile_ms", self.total().into()),
            ("kernels_ms", self.kernels().into()),
            ("cached_start_ms", self.cached.into()),
            ("passes_ms", Json::Object(passes.collect())),
        ];
        Json::Object(members.into_iter().map(|(n, v)| (n.to_string(), v)).collect())
    }
}

/// Compiles a case with an empty cache, then starts it from the cache.
pub(crate) fn start(terrace: &Terrace, case: &Case) -> Start {
    let mut found = Start::nothing(case);
    let cache = root().join("target/bench/empty-cache");
    let cold = Terrace { cache: Some(cache.clone()), binary: terrace.binary.clone(), ..*terrace };
    // Kernels for a GPU take long to compile, and nobody else is on its machine.
    let times = if terrace.backend == "c" { 3 } else { 1 };
    for _ in 0..times {
        let _ = std::fs::remove_dir_all(&cache);
        // At the full size: kernels are compiled when a run wants them, and a small run may want others.
        match cold.bench(case, &case.full, &["--repeat", "1"]) {
            Ok(json) => {
                let new = Start { passes: passes(&json), ..Start::nothing(case) };
                if found.passes.is_empty() || new.total() < found.total() {
                    found.passes = new.passes;
                }
            }
            Err(why) => found.failed = Some(why),
        }
    }
    for _ in 0..3 * times {
        let said = run(&mut maker(terrace, case, &cache), Duration::from_secs(60));
        found.cached = found.cached.min(said.took.as_secs_f64() * 1e3);
        found.failed = found.failed.or(said.failed);
    }
    found
}

fn maker(terrace: &Terrace, case: &Case, cache: &Path) -> Command {
    let mut command = Command::new(&terrace.binary);
    command.current_dir(root()).arg("run").arg(&case.program);
    command.args(["--entry", &case.maker]).args(case.quick.iter().map(i64::to_string));
    command.args(["--backend", terrace.backend]).args(&case.options).env("TERRACE_CACHE", cache);
    command
}

fn passes(json: &Json) -> Vec<(String, f64)> {
    let mut all: Vec<(String, f64)> = Vec::new();
    for timing in json.at("timings_ms").list() {
        let (Some(name), Some(ms)) = (timing.at("pass").text(), timing.at("ms").number()) else { continue };
        match all.iter_mut().find(|(n, _)| n == name) {
            Some((_, sum)) => *sum += ms,
            None => all.push((name.to_string(), ms)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_of_one_name_add_up() {
        let text = r#"{"timings_ms": [{"pass": "fuse", "ms": 1}, {"pass": "compile_kernels", "ms": 9}, {"pass": "fuse", "ms": 2}]}"#;
        let passes = passes(&Json::parse(text).expect("JSON"));
        let case = super::super::workload::cases().expect("workloads").swap_remove(0);
        let start = Start { case, passes, cached: 1.0, failed: None };
        assert_eq!((start.total(), start.kernels()), (12.0, 9.0));
        assert_eq!(start.slowest(3), [("fuse".to_string(), 3.0)]);
    }
}
