//! The peers: C compiled with several sets of flags, and Python in an environment of its own.
//!
//! ```text
//! spmv/peer.c     -O3 -march=native …               target/bench/spmv.plain
//!                 … -funroll-loops                  target/bench/spmv.wide
//!                 … -ffast-math                     target/bench/spmv.fast
//! spmv/peers.py   numpy scipy numba awkward …       target/bench-python
//! ```
//!
//! A peer prints one line of JSON per *way* of doing the work; ways of one peer compete, the best counts. Where there is no Python, or its
//! packages cannot be had, a line says so and the table has none of it.

use super::Device;
use super::process::run;
use super::workload::Case;
use crate::root;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use terrace_base::Json;

const PLAIN: &str = "-O3 -march=native -fopenmp -fno-math-errno";

/// Names of flag sets, and what each adds.
pub(crate) const FLAGS: &[(&str, &str)] =
    &[("plain", ""), ("wide", "-mprefer-vector-width=512 -funroll-loops"), (UNSAFE, "-ffast-math")];

/// The set with which a C compiler may change results.
pub(crate) const UNSAFE: &str = "fast";

/// One way to do the work, as measured.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) peer: String,
    pub(crate) way: String,
    pub(crate) flags: String,
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) held: Option<f64>,
    pub(crate) checksums: Vec<[f64; 3]>,
    pub(crate) tolerance: f64,
    pub(crate) agrees: bool,
}

impl Way {
    /// `c: by rows, gather`.
    pub(crate) fn label(&self) -> String {
        format!("{}: {}", self.peer, self.way)
    }

    /// The time that counts.
    pub(crate) fn time(&self, device: Device) -> f64 {
        match device {
            Device::Cpu => self.least,
            Device::Cuda => self.median,
        }
    }

    /// Whether a want is about this way: `c`, or `c: by rows`.
    pub(crate) fn is(&self, wanted: &str) -> bool {
        self.peer == wanted || (wanted.contains(':') && self.label().starts_with(wanted))
    }

    pub(crate) fn json(&self) -> Json {
        let mut members = vec![
            ("peer", Json::from(self.peer.as_str())),
            ("way", self.way.as_str().into()),
            ("flags", self.flags.as_str().into()),
            ("median_ms", self.median.into()),
            ("least_ms", self.least.into()),
            ("agrees", self.agrees.into()),
        ];
        members.extend(self.held.map(|h| ("held_bytes", Json::from(h))));
        Json::Object(members.into_iter().map(|(n, v)| (n.to_string(), v)).collect())
    }
}

/// What peers said.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) ways: Vec<Way>,
    /// Processes that ended badly, and lines that say nothing.
    pub(crate) failures: Vec<String>,
    /// What a peer says that it cannot do, and why.
    pub(crate) left_out: Vec<String>,
}

impl Found {
    /// One line of output. What is no object is talk; an object is a way, or a way that is left out (`{"peer": "cub", "left out": "w", "why": "…"}`).
    fn take(&mut self, line: &str, flags: &str) {
        if !line.starts_with('{') {
            return;
        }
        // C compilers that may change results make sums that are no numbers, and JSON has no word for those.
        let words = [": -nan", ": nan", ": -inf", ": inf"];
        let line = words.iter().fold(line.to_string(), |line, word| line.replace(word, ": null"));
        let json = Json::parse(&line).unwrap_or(Json::Null);
        let text = |name: &str| json.at(name).text().unwrap_or_default();
        match (parsed(&json, flags), text("left out"), text("missing")) {
            (Some(way), _, _) => self.ways.push(way),
            (None, "", "") => self.failures.push(format!("peer {flags} said: {line}")),
            (None, "", package) => self.left_out.push(format!("{package}, which is not installed")),
            (None, way, _) => self.left_out.push(format!("{}: {way} ({})", text("peer"), text("why"))),
        }
    }
}

/// Everything that runs beside Terrace.
pub(crate) struct Peers {
    pub(crate) folder: PathBuf,
    pub(crate) device: Device,
    pub(crate) flags: &'static [(&'static str, &'static str)],
    /// The workloads that have a compiled peer.
    pub(crate) built: Vec<String>,
    pub(crate) python: Result<PathBuf, String>,
    pub(crate) seconds: f64,
    pub(crate) limit: Duration,
}

/// A peer to compile: of which workload, with which set of flags, and what the set adds.
type Job<'a> = (&'a str, &'static str, &'static str);

impl Peers {
    /// Builds the C peers of some cases, each with some sets of flags; Python only where wanted.
    pub(crate) fn prepare(
        cases: &[Case],
        flags: &'static [(&'static str, &'static str)],
        python: bool,
        seconds: f64,
    ) -> Result<Peers, String> {
        let folder = folder()?;
        let built = workloads_with(cases, "peer.c");
        let jobs: Vec<Job<'_>> =
            built.iter().flat_map(|name| flags.iter().map(move |(set, more)| (name.as_str(), *set, *more))).collect();
        let done = side_by_side(&jobs, cores(), |(name, set, flags)| {
            let source =
                cases.iter().find(|c| c.workload() == *name).and_then(|c| c.file("peer.c")).unwrap_or_default();
            compile(&source, flags, &folder.join(format!("{name}.{set}")))
        });
        done.into_iter().collect::<Result<(), String>>()?;
        let python = if python { environment() } else { Err("left out".to_string()) };
        let limit = Duration::from_secs(240);
        Ok(Peers { folder, device: Device::Cpu, flags, built, python, seconds, limit })
    }

    /// Why there are no Python peers.
    pub(crate) fn without_python(&self) -> Option<&str> {
        self.python.as_ref().err().map(String::as_str)
    }

    /// All ways; with `only`, the ways named there.
    pub(crate) fn measure(&self, case: &Case, sizes: &[i64], only: Option<&[Way]>) -> Found {
        self.measure_with(case, sizes, only, None)
    }

    /// The same with so many threads.
    pub(crate) fn measure_with(
        &self,
        case: &Case,
        sizes: &[i64],
        only: Option<&[Way]>,
        threads: Option<usize>,
    ) -> Found {
        let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
        let (words, script) = match self.device {
            Device::Cpu => (&case.words, "peers.py"),
            Device::Cuda => (&case.gpu_words, "gpu.py"),
        };
        let mut found = Found::default();
        let mut one = |mut command: Command, flags: &str, chosen: Option<&str>| {
            command.env("PEER_SECONDS", self.seconds.to_string());
            command.envs(threads.map(|t| ("OMP_NUM_THREADS", t.to_string())));
            if self.seconds < 0.1 {
                // Nothing is measured in so short a time, and threads that spin only keep others from working.
                command.env("OMP_WAIT_POLICY", "passive");
            }
            if let Some(way) = chosen {
                command.env("PEER_WAY", way);
            }
            let said = run(&mut command, self.limit);
            said.out.lines().for_each(|line| found.take(line, flags));
            found.failures.extend(said.failed.map(|why| format!("peer {flags}: {why}")));
        };
        for (set, _) in self.flags.iter().filter(|_| self.built.contains(&case.workload())) {
            let command = || {
                let mut command = Command::new(self.folder.join(format!("{}.{set}", case.workload())));
                command.args(words).args(&sizes);
                command
            };
            match only {
                None => one(command(), set, None),
                Some(best) => {
                    best.iter().filter(|w| w.flags == *set).for_each(|w| one(command(), set, Some(&w.way)));
                }
            }
        }
        let again = only.is_none_or(|ways| ways.iter().any(|w| w.flags == "python"));
        if let Ok(python) = &self.python
            && let Some(file) = case.file(script)
            && case.python
            && again
        {
            one(self.script(python, &file, words, &sizes), "python", None);
        }
        found
    }

    fn script(&self, python: &Path, file: &Path, words: &[String], sizes: &[String]) -> Command {
        let frame = if self.device == Device::Cpu { "peer.py" } else { "gpu_peer.py" };
        let mut command = Command::new(python);
        command.arg("-B").arg(root().join("benchmarks/peers").join(frame)).arg(file).args(words).args(sizes);
        command
    }

    /// Runs the peers of Python on a GPU once at the sizes of a check: what they compile stays in caches of their own.
    pub(crate) fn warm_script(&self, case: &Case, limit: Duration) {
        if let (Ok(python), Some(file)) = (&self.python, case.file("gpu.py")) {
            let sizes: Vec<String> = case.quick.iter().map(i64::to_string).collect();
            let mut command = self.script(python, &file, &case.gpu_words, &sizes);
            let _ = run(command.env("PEER_SECONDS", "0"), limit);
        }
    }
}

/// Where everything that is made goes.
pub(crate) fn folder() -> Result<PathBuf, String> {
    let folder = root().join("target/bench");
    std::fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    Ok(folder)
}

/// The workloads of some cases that have a file.
pub(crate) fn workloads_with(cases: &[Case], file: &str) -> Vec<String> {
    let mut names: Vec<String> = cases.iter().filter(|c| c.file(file).is_some()).map(Case::workload).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// How many things this machine does at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does all jobs, so many at once, in their order as far as that goes; what each gave is in their order too.
pub(crate) fn side_by_side<J: Sync, R: Send>(jobs: &[J], at_once: usize, one: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let (next, one) = (AtomicUsize::new(0), &one);
    let work = || {
        let mut done = Vec::new();
        while let Some((at, job)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|k| Some((k, jobs.get(k)?))) {
            done.push((at, one(job)));
        }
        done
    };
    let mut all = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a job does not panic")).collect::<Vec<_>>()
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, given)| given).collect()
}

/// Compiles C with the plain flags and more.
pub(crate) fn compile(source: &Path, flags: &str, binary: &Path) -> Result<(), String> {
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command.args(PLAIN.split(' ')).args(flags.split_whitespace());
    command.arg("-I").arg(root().join("benchmarks/peers")).arg(source).arg("-o").arg(binary).arg("-lm");
    let failed = run(&mut command, Duration::from_secs(120)).failed;
    failed.map_or(Ok(()), |why| Err(format!("{} does not compile: {why}", source.display())))
}

fn parsed(json: &Json, flags: &str) -> Option<Way> {
    // A peer on a GPU has one checksum, and writes it without a list.
    let sums = match json.get("count") {
        Some(_) => vec![checksum(json)],
        None => json.at("checksums").list().iter().map(checksum).collect(),
    };
    Some(Way {
        peer: json.at("peer").text()?.to_string(),
        way: json.at("way").text()?.to_string(),
        flags: flags.to_string(),
        median: json.at("median_ms").number()?,
        least: json.at("least_ms").number()?,
        held: json.at("held_bytes").number(),
        checksums: sums,
        tolerance: json.at("tolerance").number().unwrap_or(1e-9),
        agrees: false,
    })
}

/// Count, sum and weighted sum.
pub(crate) fn checksum(json: &Json) -> [f64; 3] {
    ["count", "sum", "weighted"].map(|name| json.at(name).number().unwrap_or(f64::NAN))
}

/// A Python with the packages: below `target`, the system's, or one that is made below `target`.
fn environment() -> Result<PathBuf, String> {
    let home = root().join("target/bench-python");
    let python = home.join("bin/python");
    let ready = |python: &Path| {
        let test = "import numpy, scipy, numba, awkward";
        run(Command::new(python).args(["-c", test]), Duration::from_secs(120)).failed.is_none()
    };
    if let Some(python) = [python.clone(), PathBuf::from("python3")].into_iter().find(|p| ready(p)) {
        return Ok(python);
    }
    let minutes = Duration::from_secs(900);
    let last = |why: String| why.lines().last().unwrap_or_default().trim().to_string();
    let made = run(Command::new("python3").args(["-m", "venv"]).arg(&home), minutes);
    made.failed.map_or(Ok(()), Err).map_err(last)?;
    let install = ["-m", "pip", "install", "--quiet", "--retries", "1"];
    let needed = run(Command::new(&python).args(install).args(["numpy", "scipy", "numba", "awkward"]), minutes);
    needed.failed.map_or(Ok(()), Err).map_err(last)?;
    // Some peers want these too, and do without.
    for extra in ["polars", "duckdb"] {
        let _ = run(Command::new(&python).args(install).arg(extra), minutes);
    }
    if ready(&python) { Ok(python) } else { Err("the packages do not load".to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_jobs() {
        let jobs: Vec<usize> = (0..40).collect();
        for at_once in [0, 1, 7] {
            assert_eq!(side_by_side(&jobs, at_once, |k| 3 * k), (0..40).map(|k| 3 * k).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_line_is_a_way() {
        let line = r#"{"peer": "c", "way": "by rows, gather", "median_ms": 2.5, "least_ms": 2, "held_bytes": 80,
                       "checksums": [{"count": 3, "sum": 6, "weighted": 14}]}"#;
        let mut found = Found::default();
        found.take(line, "plain");
        let way = &found.ways[0];
        assert_eq!((way.median, way.least, way.held), (2.5, 2.0, Some(80.0)));
        assert_eq!(way.checksums, [[3.0, 6.0, 14.0]]);
        assert!(way.is("c") && way.is("c: by rows") && !way.is("c: by elements") && !way.is("numpy"));
        let gpu = r#"{"peer": "cub", "way": "w", "median_ms": 2, "least_ms": 1, "count": 3, "sum": 6, "weighted": 14}"#;
        found.take(gpu, "cuda");
        assert_eq!(found.ways[1].checksums, [[3.0, 6.0, 14.0]]);
        found.take("peer: c", "plain");
        found.take(r#"{"peer": "cub", "left out": "w", "why": "too many"}"#, "cuda");
        found.take(r#"{"missing": "torch"}"#, "python");
        assert_eq!(found.left_out, ["cub: w (too many)", "torch, which is not installed"]);
        assert_eq!((found.ways.len(), found.failures.len()), (2, 0));
        found.take(r#"{"peer": "cupy", "way": "w", "median_ms": NaN}"#, "python");
        assert_eq!(found.failures, [r#"peer python said: {"peer": "cupy", "way": "w", "median_ms": NaN}"#]);
    }
}
