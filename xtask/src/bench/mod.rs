//! `cargo xtask bench`: every workload of `benchmarks/workloads` checked, and measured beside its peers, from a clean clone, by one command.
//!
//! ```text
//! cargo xtask bench --device cpu               builds, checks results on all back ends, measures, prints the table
//!   --device cuda                              the same on a GPU, beside CUDA by hand and its libraries
//!   --quick                                    only checks: all back ends and the C peers at small sizes
//!   --only spmv,sort                           cases whose name begins with one of these
//!   --backends interp,c                        checks on these only, or on `none`
//!   --rounds N                                 Terrace and peers alternate so often (default 3)
//!   --seconds S                                measured time per way and round (default 0.8)
//!   --scaling                                  also over sizes and threads
//!   --budget S                                 nothing is started after so many seconds; what was measured is kept
//!   --missing                                  only cases that benchmarks/results has no time of
//!   --no-python                                compiled peers only
//!   --keep                                     also writes benchmarks/results, and benchmarks/README.md from all that is kept there
//!   --page                                     measures nothing: writes benchmarks/README.md again
//! cargo xtask bench-library                    the same as bench --library: functions of the standard library beside numpy, scipy and C
//! cargo xtask bench-cpu                        the same as bench --wanted: the table of what is wanted of each case
//!   --growth, --start                          time over work at four sizes; compile time per pass and the start from the cache
//! ```
//!
//! JSON is always in `target/bench`. The binary is the release one, built first, unless `TERRACE_BIN` names another.
//! `benchmarks/README.md` says how to read it.

mod check;
mod compile;
mod cuda;
mod formula;
mod growth;
mod library;
mod limit;
mod lines;
mod measure;
mod page;
mod peers;
mod plot;
mod process;
mod suite;
mod table;
mod threads;
mod warm;
mod workload;

use crate::{cargo, root};
use measure::Terrace;
use peers::{FLAGS, Peers};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use terrace_base::Json;
use workload::Case;

/// Where things run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Device {
    Cpu,
    Cuda,
}

impl Device {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Cuda => "cuda",
        }
    }

    /// Which time counts. On a CPU that others use too the least; a GPU has one program at a time, and its median is what a user sees.
    pub(crate) fn time(self) -> &'static str {
        match self {
            Device::Cpu => "least_ms",
            Device::Cuda => "median_ms",
        }
    }
}

pub(crate) struct Wishes {
    device: Device,
    quick: bool,
    only: Vec<String>,
    backends: Vec<String>,
    rounds: usize,
    seconds: f64,
    budget: Duration,
    missing: bool,
    /// How many sets of flags.
    flags: usize,
    scaling: bool,
    wanted: bool,
    growth: bool,
    start: bool,
    library: bool,
    python: bool,
    keep: bool,
    page: bool,
}

/// Runs the command; exits with 1 where results differ or something failed. `more` stands before the arguments.
pub(crate) fn bench(more: &[&str], args: &[String]) -> ExitCode {
    let args: Vec<String> = more.iter().map(|a| a.to_string()).chain(args.iter().cloned()).collect();
    let done = wishes(&args).and_then(|w| match w.page {
        true if w.library => library::page().map(|()| true),
        true => page::write().map(|()| true),
        false => chosen(&w).and_then(|cases| measure_all(&w, &cases, binary()?)),
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn wishes(args: &[String]) -> Result<Wishes, String> {
    let mut w = Wishes {
        device: Device::Cpu,
        quick: false,
        only: Vec::new(),
        backends: Vec::new(),
        rounds: 0,
        seconds: 0.8,
        budget: Duration::MAX,
        missing: false,
        flags: FLAGS.len(),
        scaling: false,
        wanted: false,
        growth: false,
        start: false,
        library: false,
        python: true,
        keep: false,
        page: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
        let list = |text: &String| text.split(',').map(|n| n.trim().to_string()).collect();
        match arg.as_str() {
            "--device" => {
                let named = value()?;
                let known = [Device::Cpu, Device::Cuda].into_iter().find(|d| d.name() == named);
                w.device = known.ok_or_else(|| format!("`{named}` is no device; there are cpu and cuda"))?;
            }
            "--quick" => w.quick = true,
            "--scaling" => w.scaling = true,
            "--missing" => w.missing = true,
            "--wanted" => w.wanted = true,
            "--growth" => w.growth = true,
            "--start" => w.start = true,
            "--library" => {
                (w.library, w.seconds) = (true, 0.3);
                w.backends = list(&"interp,c".to_string());
            }
            "--no-python" => w.python = false,
            "--keep" => w.keep = true,
            "--page" => w.page = true,
            "--only" => w.only = list(value()?),
            "--backends" => w.backends = list(value()?),
            "--rounds" => w.rounds = value()?.parse().map_err(|_| "`--rounds` is a number")?,
            "--seconds" => w.seconds = value()?.parse().map_err(|_| "`--seconds` is a number")?,
            "--budget" => {
                let seconds = value()?.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
                w.budget = seconds.ok_or("`--budget` is a number of seconds")?;
            }
            other => {
                return Err(format!("`{other}` is no option of bench; they stand in xtask/src/bench/mod.rs"));
            }
        }
    }
    if w.quick {
        w.seconds = 0.02;
    }
    if w.rounds == 0 {
        w.rounds = if w.quick || w.growth || w.device == Device::Cuda { 1 } else { 3 };
    }
    Ok(w)
}

/// The cases that are wished for.
fn chosen(w: &Wishes) -> Result<Vec<Case>, String> {
    let mut cases = if w.library { workload::library()? } else { workload::cases()? };
    cases.retain(|c| w.device == Device::Cpu && !c.full.is_empty() || w.device == Device::Cuda && !c.gpu.is_empty());
    let name = |c: &Case| if w.library { c.own_name.clone() } else { c.name.clone() };
    let names: Vec<String> = cases.iter().map(name).collect();
    cases.retain(|c| w.only.is_empty() || w.only.iter().any(|n| name(c).starts_with(n.as_str())));
    if w.missing {
        let known = suite::measured(w.device);
        cases.retain(|c| !known.contains(&c.name));
        if cases.is_empty() {
            return Err("no case is missing".to_string());
        }
    }
    if cases.is_empty() { Err(format!("no case begins so; there are: {}", names.join(", "))) } else { Ok(cases) }
}

fn measure_all(w: &Wishes, cases: &[Case], binary: PathBuf) -> Result<bool, String> {
    let backend = if w.device == Device::Cpu { "c" } else { "cuda" };
    let limit = Duration::from_secs(if w.device == Device::Cpu { 240 } else { 60 });
    let terrace = Terrace { binary, seconds: w.seconds, cache: None, backend, limit };
    peers::folder()?;
    if w.library {
        return library::library(w, cases, &terrace);
    }
    if !w.wanted && !w.growth && !w.start {
        return suite::suite(w, cases, &terrace);
    }
    let python = w.python && !w.growth && !w.start;
    // How a peer grows does not depend on its flags.
    let flags = if w.growth { &FLAGS[..1] } else { &FLAGS[..w.flags] };
    let peers = Peers::prepare(if w.start { &[] } else { cases }, flags, python, w.seconds)?;
    if let Some(why) = peers.without_python().filter(|_| python) {
        println!("no Python peers: {why}");
    }
    let began = Instant::now();
    let (name, good, text, found) = if w.start {
        let all: Vec<_> = told(cases, |case| compile::start(&terrace, case));
        let good = all.iter().all(|s| s.failed.is_none());
        ("cpu-start", good, table::start_table(&all), all.iter().map(compile::Start::json).collect())
    } else if w.growth {
        let all: Vec<_> = told(cases, |case| growth::growth(&terrace, &peers, case, w.rounds));
        let good = all.iter().all(|g| g.failed.is_none());
        ("cpu-growth", good, table::growth_table(&all), all.iter().map(growth::Growth::json).collect())
    } else {
        let all = told(cases, |case| {
            let sizes = if w.quick { &case.quick } else { &case.full };
            let record = measure::measure(&terrace, &peers, case, sizes, w.rounds);
            record.tell();
            record
        });
        let good = all.iter().all(measure::Record::whole);
        let text = format!("{}\n{}", table::table(&all), table::verdict(&all));
        ("cpu-wanted", good, text, all.iter().map(measure::Record::json).collect())
    };
    println!("\n{text}{}; {:.0} s", machine(), began.elapsed().as_secs_f64());
    write(w, name, found)?;
    Ok(good)
}

/// Does something for each case and says how long it took.
fn told<T>(cases: &[Case], mut one: impl FnMut(&Case) -> T) -> Vec<T> {
    let each = |case: &Case| {
        let began = Instant::now();
        let found = one(case);
        println!("{}: {:.1} s", case.name, began.elapsed().as_secs_f64());
        found
    };
    cases.iter().map(each).collect()
}

fn binary() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("TERRACE_BIN") {
        return std::fs::canonicalize(&named).map_err(|why| format!("{}: {why}", PathBuf::from(&named).display()));
    }
    println!("building the release binary");
    let built = cargo().args(["build", "--release", "--package", "terrace-cli"]).status();
    match built {
        Ok(status) if status.success() => {
            let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
            Ok(target.join("release/terrace"))
        }
        Ok(status) => Err(format!("the release binary does not build: {status}")),
        Err(why) => Err(format!("cargo does not start: {why}; TERRACE_BIN can name a binary")),
    }
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find(|l| l.starts_with("model name")).and_then(|l| l.split(':').nth(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cc = process::run(Command::new("cc").arg("--version"), Duration::from_secs(10)).out;
    let cc = cc.lines().next().unwrap_or("no cc").to_string();
    format!("{} cores of {}, {cc}", cores, model.unwrap_or(" an unknown machine").trim())
}

/// The date in UTC, `2026-01-31`.
fn today() -> String {
    date(std::time::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_secs() / 86_400))
}

/// The date so many days after 1970-01-01. Years begin in March, so that the day that some have not is their last: Howard Hinnant, "chrono-compatible low-level date
/// algorithms".
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    format!("{:04}-{month:02}-{day:02}", year + 400 * era + u64::from(month <= 2))
}

/// An object of JSON.
fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(n, v)| (n.to_string(), v)).collect())
}

fn write(w: &Wishes, name: &str, found: Vec<Json>) -> Result<(), String> {
    let json = object([
        ("machine", machine().as_str().into()),
        ("quick", w.quick.into()),
        ("rounds", (w.rounds as f64).into()),
        ("seconds", w.seconds.into()),
        ("cases", Json::List(found)),
    ]);
    suite::save(&root().join(format!("target/bench/{name}.json")), &json.lines())?;
    if w.keep { suite::save(&root().join(format!("benchmarks/results/{name}.json")), &json.lines()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    /// Workloads take turns, a part every day: what the reference gives, every interpreter, C and the C peer give.
    #[test]
    fn results_agree_at_quick_sizes() {
        const PARTS: u64 = 5;
        let built = cargo().args(["build", "--package", "terrace-cli"]).status().expect("cargo starts");
        assert!(built.success());
        let own = std::env::current_exe().expect("a path");
        let binary = own.ancestors().nth(2).expect("tests lie two folders down").join("terrace");
        let w =
            Wishes { flags: 1, ..wishes(&words("--quick --no-python --backends interp,flat,mem,c")).expect("options") };
        let (mut cases, turn) = (chosen(&w).expect("cases"), crate::turn());
        let mut names: Vec<String> = cases.iter().map(Case::workload).collect();
        names.sort_unstable();
        names.dedup();
        let place = |c: &Case| names.iter().position(|n| *n == c.workload()).unwrap_or(0) as u64;
        cases.retain(|c| place(c) % PARTS == turn % PARTS);
        assert_eq!(measure_all(&w, &cases, binary.clone()), Ok(true), "TERRACE_TURN={turn}");
        // The simulator's C++ takes long to compile.
        let w = Wishes { backends: words("cuda-sim"), ..w };
        cases.retain(|c| c.workload() == cases_turn(&names, turn, PARTS));
        assert_eq!(measure_all(&w, &cases, binary), Ok(true), "TERRACE_TURN={turn}");
    }

    /// The library's functions take turns too.
    #[test]
    fn functions_of_the_library_agree_at_quick_sizes() {
        let built = cargo().args(["build", "--package", "terrace-cli"]).status().expect("cargo starts");
        assert!(built.success());
        let own = std::env::current_exe().expect("a path");
        let binary = own.ancestors().nth(2).expect("tests lie two folders down").join("terrace");
        let w = wishes(&words("--library --quick --no-python")).expect("options");
        let mut cases = chosen(&w).expect("cases");
        assert!(cases.len() >= 20, "only {}", cases.len());
        let (parts, turn) = (4, crate::turn());
        let names: Vec<String> = cases.iter().map(|c| c.name.clone()).collect();
        cases.retain(|c| names.iter().position(|n| *n == c.name).unwrap_or(0) as u64 % parts == turn % parts);
        assert_eq!(measure_all(&w, &cases, binary), Ok(true), "TERRACE_TURN={turn}");
    }

    /// One of the workloads of today's part.
    fn cases_turn(names: &[String], turn: u64, parts: u64) -> String {
        let own: Vec<&String> =
            names.iter().enumerate().filter(|(k, _)| *k as u64 % parts == turn % parts).map(|(_, n)| n).collect();
        own[(turn / parts) as usize % own.len()].clone()
    }

    #[test]
    fn options() {
        let w = wishes(&words("--device cuda --quick --only spmv,sort --no-python")).expect("options");
        assert!(w.quick && !w.python && w.rounds == 1 && w.only == ["spmv", "sort"] && w.device == Device::Cuda);
        assert_eq!(wishes(&words("--rounds")).err().as_deref(), Some("`--rounds` needs a value"));
        assert_eq!(wishes(&words("--rounds x")).err().as_deref(), Some("`--rounds` is a number"));
        assert_eq!(wishes(&words("--device x")).err().as_deref(), Some("`x` is no device; there are cpu and cuda"));
        assert!(wishes(&words("--fast")).is_err_and(|why| why.starts_with("`--fast` is no option")));
    }

    #[test]
    fn dates() {
        let check = |days, wanted: &str| assert_eq!(date(days), wanted);
        check(0, "1970-01-01");
        check(59, "1970-03-01");
        check(19_782, "2024-02-29");
        check(20_773, "2026-11-16");
    }
}
