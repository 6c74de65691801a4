//! `cargo xtask bench-cpu`: every workload of `benchmarks/cpu` beside its peers, from a clean clone, by one command.
//!
//! ```text
//! cargo xtask bench-cpu                        builds, checks that results agree, measures, prints the table
//!   --quick                                    tiny sizes: does everything work, do all results agree?
//!   --only spmv,sort                           cases whose name begins with one of these
//!   --rounds N                                 Terrace and peers alternate so often (default 3)
//!   --seconds S                                measured time per way and round (default 0.8)
//!   --growth                                   time over work at four sizes instead
//!   --start                                    compile time per pass, and the start from the cache instead
//!   --no-python                                C peers only
//!   --keep                                     also writes benchmarks/results/cpu.json (with --growth, --start: cpu-growth, cpu-start)
//! ```
//!
//! JSON is always in `target/bench-cpu/cpu.json`. The binary is the release one, built first, unless `TERRACE_BIN` names another.
//! `benchmarks/cpu/README.md` says how to read it.

mod cases;
mod compile;
mod growth;
mod measure;
mod peers;
mod process;
mod table;

use crate::{cargo, root};
use cases::{CASES, Case};
use measure::Terrace;
use peers::{FLAGS, Peers};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use terrace_base::Json;

struct Wishes {
    quick: bool,
    only: Vec<String>,
    rounds: usize,
    seconds: f64,
    /// How many sets of flags.
    flags: usize,
    growth: bool,
    start: bool,
    python: bool,
    keep: bool,
}

/// Runs the command; exits with 1 where results differ or something failed.
pub(crate) fn bench_cpu(args: &[String]) -> ExitCode {
    match wishes(args).and_then(|w| measure_all(&w, binary()?)) {
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
        quick: false,
        only: Vec::new(),
        rounds: 0,
        seconds: 0.8,
        flags: FLAGS.len(),
        growth: false,
        start: false,
        python: true,
        keep: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
        match arg.as_str() {
            "--quick" => w.quick = true,
            "--growth" => w.growth = true,
            "--start" => w.start = true,
            "--no-python" => w.python = false,
            "--keep" => w.keep = true,
            "--only" => w.only = value()?.split(',').map(|n| n.trim().to_string()).collect(),
            "--rounds" => w.rounds = value()?.parse().map_err(|_| "`--rounds` is a number")?,
            "--seconds" => w.seconds = value()?.parse().map_err(|_| "`--seconds` is a number")?,
            other => {
                return Err(format!("`{other}` is no option of bench-cpu; they stand in benchmarks/cpu/README.md"));
            }
        }
    }
    if w.quick {
        w.seconds = 0.02;
    }
    if w.rounds == 0 {
        w.rounds = if w.quick || w.growth { 1 } else { 3 };
    }
    Ok(w)
}

fn measure_all(w: &Wishes, binary: PathBuf) -> Result<bool, String> {
    let chosen = |c: &&Case| w.only.is_empty() || w.only.iter().any(|n| c.name.starts_with(n.as_str()));
    let cases: Vec<Case> = CASES.iter().filter(chosen).copied().collect();
    if cases.is_empty() {
        let names: Vec<&str> = CASES.iter().map(|c| c.name).collect();
        return Err(format!("no case begins so; there are: {}", names.join(", ")));
    }
    let terrace = Terrace { binary, seconds: w.seconds, cache: None };
    let python = w.python && !w.growth && !w.start;
    // How a peer grows does not depend on its flags.
    let flags = if w.growth { &FLAGS[..1] } else { &FLAGS[..w.flags] };
    let peers = Peers::prepare(if w.start { &[] } else { &cases }, flags, python, w.seconds)?;
    if let Some(why) = peers.without_python().filter(|_| python) {
        println!("no Python peers: {why}");
    }
    let began = Instant::now();
    let (name, good, text, found) = if w.start {
        let all: Vec<_> = told(&cases, |case| compile::start(&terrace, case));
        let good = all.iter().all(|s| s.failed.is_none());
        ("cpu-start", good, table::start_table(&all), all.iter().map(compile::Start::json).collect())
    } else if w.growth {
        let all: Vec<_> = told(&cases, |case| growth::growth(&terrace, &peers, case, w.rounds));
        let good = all.iter().all(|g| g.failed.is_none());
        ("cpu-growth", good, table::growth_table(&all), all.iter().map(growth::Growth::json).collect())
    } else {
        let all = told(&cases, |case| {
            let record =
                measure::measure(&terrace, &peers, case, if w.quick { case.quick } else { case.full }, w.rounds);
            record.ours.as_ref().err().into_iter().chain(&record.failures).for_each(|why| println!("  FAILED {why}"));
            for way in record.ways.iter().filter(|way| !way.agrees && record.ours.is_ok()) {
                println!("  NOT AGREED {} ({}): {:?}", way.label(), way.flags, way.checksums);
            }
            record
        });
        let good = all.iter().all(measure::Record::agrees);
        let text = format!("{}\n{}", table::table(&all), table::verdict(&all));
        ("cpu", good, text, all.iter().map(measure::Record::json).collect())
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
        Err(why) => Err(format!("cargo does not start: {why}")),
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

fn write(w: &Wishes, name: &str, found: Vec<Json>) -> Result<(), String> {
    let members = [
        ("machine", Json::from(machine().as_str())),
        ("quick", w.quick.into()),
        ("rounds", (w.rounds as f64).into()),
        ("seconds", w.seconds.into()),
        ("cases", Json::List(found)),
    ];
    let text = Json::Object(members.into_iter().map(|(n, v)| (n.to_string(), v)).collect()).lines();
    let mut places = vec![root().join(format!("target/bench-cpu/{name}.json"))];
    if w.keep {
        places.push(root().join(format!("benchmarks/results/{name}.json")));
    }
    for place in places {
        std::fs::write(&place, &text).map_err(|why| format!("{}: {why}", place.display()))?;
        println!("wrote {}", place.strip_prefix(root()).unwrap_or(&place).display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every program compiles, runs and gives what the C peer gives.
    #[test]
    fn results_agree_at_quick_sizes() {
        let built = cargo().args(["build", "--package", "terrace-cli"]).status().expect("cargo starts");
        assert!(built.success());
        let own = std::env::current_exe().expect("a path");
        let binary = own.ancestors().nth(2).expect("tests lie two folders down").join("terrace");
        let w = Wishes { flags: 1, ..wishes(&["--quick".to_string(), "--no-python".to_string()]).expect("options") };
        assert_eq!(measure_all(&w, binary), Ok(true));
    }

    #[test]
    fn options() {
        let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        let w = wishes(&words("--quick --only spmv,sort --no-python")).expect("options");
        assert!(w.quick && !w.python && w.rounds == 1 && w.only == ["spmv", "sort"]);
        assert_eq!(wishes(&words("--rounds")).err().as_deref(), Some("`--rounds` needs a value"));
        assert_eq!(wishes(&words("--rounds x")).err().as_deref(), Some("`--rounds` is a number"));
        assert!(wishes(&words("--fast")).is_err_and(|why| why.starts_with("`--fast` is no option")));
    }
}
