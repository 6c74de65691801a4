//! `cargo xtask gpu-check`: the corpus and random programs on a GPU, in every strategy, a sample of them under a memory checker.
//!
//! ```text
//! cargo xtask gpu-check --seconds 500 --state check.txt       runs for so long, and can be taken up again where it stopped
//! cargo xtask gpu-check --backend cuda-sim --only arrays/     tries the command without a GPU
//! ```
//!
//! Single-precision quotients and roots come first: every significand under a root, on hardware (`terrace_testkit::rounding`).
//!
//! Every piece of work is a line of the state file once it is done; what is there and was right is not done again. The order
//! goes through all programs in one strategy each before any program has a second one, so an early end has seen much. Programs that write
//! out of bounds may spoil what comes after them in a process: the sample runs under `compute-sanitizer`, each in a process of its own.
//!
//! It needs no Rust on the machine: the built example runs by itself, with `TERRACE_TESTS` naming the folder of tests.

#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use terrace::{Backend, Program, Settings};
use terrace_testkit::corpus::{programs_below, short_name};
use terrace_testkit::outcome::{Outcome, Prepared, prepare, run};
use terrace_testkit::random::compare;
use terrace_testkit::rounding::{self, Counted};
use terrace_testkit::setup::{Setup, cover};

/// Random samples that are compiled as one program.
const BATCH: u64 = 10;
/// Every so many programs, one runs under the memory checker.
const SAMPLE: usize = 12;
const TOOLS: [&str; 2] = ["memcheck", "racecheck"];

struct Wishes {
    backend: Backend,
    seconds: u64,
    random: u64,
    from: u64,
    jobs: usize,
    only: String,
    state: Option<String>,
    checker: bool,
    /// One program in one setup, by numbers: what a checked process does.
    single: Option<(usize, usize)>,
}

enum Work<'p> {
    Program(&'p Prepared, Setup),
    Random(u64, Setup),
    /// Quotients and roots.
    Rounding(Counted),
    /// A tool, the number of a program and that of a setup.
    Checked(&'static str, &'p Prepared, usize, usize),
}

impl Work<'_> {
    fn name(&self) -> String {
        match self {
            Work::Program(prepared, setup) => format!("{} on {setup}", prepared.name),
            Work::Random(from, setup) => format!("random {from} to {} on {setup}", from + BATCH),
            Work::Rounding((entry, xs, _)) => format!("rounding {entry} of {xs}"),
            Work::Checked(tool, prepared, _, setup) => format!("{} in setup {setup} under {tool}", prepared.name),
        }
    }

    /// What came of it: a word or more, `WRONG` first where something is.
    fn done(&self, wishes: &Wishes) -> String {
        match self {
            Work::Program(prepared, setup) => outcome(prepared, setup),
            Work::Random(from, setup) => {
                let numbers: Vec<u64> = (*from..*from + BATCH).collect();
                let found = compare(&numbers, std::slice::from_ref(setup));
                match found.differences.as_slice() {
                    [] => format!("{} agree", found.compared),
                    differences => format!("WRONG {}", differences.join("\n")),
                }
            }
            Work::Rounding(counted) => match rounding::wrong(wishes.backend, *counted) {
                Ok(0) => "right".to_string(),
                Ok(count) => format!("WRONG {count} times"),
                Err(why) => format!("WRONG {why}"),
            },
            Work::Checked(tool, _, program, setup) => checked(tool, *program, *setup, wishes),
        }
    }
}

fn outcome(prepared: &Prepared, setup: &Setup) -> String {
    match run(prepared, setup) {
        Outcome::Holds(count) => format!("{count} hold"),
        Outcome::Declined => "declined".to_string(),
        Outcome::Wrong(why) => format!("WRONG {why}"),
    }
}

fn checked(tool: &str, program: usize, setup: usize, wishes: &Wishes) -> String {
    let Ok(itself) = std::env::current_exe() else { return "WRONG this program has no path".to_string() };
    let mut command = Command::new("compute-sanitizer");
    command.args(["--tool", tool, "--error-exitcode", "9"]).arg(itself);
    command.args(["--backend", wishes.backend.name(), "--only", &wishes.only]);
    command.args(["--single", &program.to_string(), &setup.to_string()]);
    match command.output() {
        Err(why) => format!("not run: compute-sanitizer: {why}"),
        Ok(output) if output.status.success() => "clean".to_string(),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            // The first mistake says most; what follows it is often only its consequence.
            let told = text.lines().filter(|line| !line.contains("Host Frame") && line.len() > "========= ".len());
            format!("WRONG {}", told.take(30).collect::<Vec<_>>().join("\n"))
        }
    }
}

fn wishes() -> Result<Wishes, String> {
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
    let mut wishes = Wishes {
        backend: Backend::Cuda,
        seconds: 3600,
        random: 2000,
        from: 0,
        jobs,
        only: String::new(),
        state: None,
        checker: true,
        single: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is no number"));
        match arg.as_str() {
            "--backend" => {
                let name = value()?;
                let named = [Backend::Cuda, Backend::CudaSim, Backend::OpenCl, Backend::C]
                    .into_iter()
                    .find(|b| b.name() == name);
                wishes.backend = named.ok_or_else(|| format!("no back end `{name}` is checked here"))?;
            }
            "--seconds" => wishes.seconds = number(value()?)?,
            "--random" => wishes.random = number(value()?)?,
            "--from" => wishes.from = number(value()?)?,
            "--jobs" => wishes.jobs = number(value()?)?.max(1) as usize,
            "--only" => wishes.only = value()?,
            "--state" => wishes.state = Some(value()?),
            "--no-checker" => wishes.checker = false,
            "--single" => wishes.single = Some((number(value()?)? as usize, number(value()?)? as usize)),
            other => return Err(format!("`{other}` is no option of gpu-check")),
        }
    }
    Ok(wishes)
}

/// All programs in one setup each, then in another one, and random programs in between.
fn all_work<'p>(prepared: &'p [Prepared], wishes: &Wishes) -> Vec<Work<'p>> {
    let setups = cover(wishes.backend);
    let batches = wishes.random / BATCH;
    let counted = if wishes.backend == Backend::CudaSim { rounding::SOME } else { rounding::ALL };
    let mut work: Vec<Work<'p>> = counted.map(Work::Rounding).into();
    if wishes.checker && wishes.backend == Backend::Cuda {
        for (k, p) in prepared.iter().enumerate().step_by(SAMPLE) {
            let setup = k / SAMPLE % setups.len();
            work.extend(TOOLS.map(|tool| Work::Checked(tool, p, k, setup)));
        }
    }
    for round in 0..setups.len() {
        let setup = |k: usize| setups[(k + round) % setups.len()].clone();
        work.extend(prepared.iter().enumerate().map(|(k, p)| Work::Program(p, setup(k))));
        let per = batches / setups.len() as u64 + 1;
        let these = (round as u64 * per)..((round as u64 + 1) * per).min(batches);
        work.extend(these.map(|k| Work::Random(wishes.from + k * BATCH, setup(k as usize))));
    }
    work
}

fn main() -> ExitCode {
    let wishes = match wishes() {
        Ok(wishes) => wishes,
        Err(why) => {
            println!("{why}");
            return ExitCode::from(2);
        }
    };
    let mut paths = programs_below("corpus").into_iter().filter(|p| short_name(p).contains(&wishes.only));
    if let Some((program, setup)) = wishes.single {
        let (Some(path), Some(setup)) = (paths.nth(program), cover(wishes.backend).into_iter().nth(setup)) else {
            return ExitCode::from(2);
        };
        let text = prepare(&path).map_or_else(|why| format!("WRONG {why}"), |prepared| outcome(&prepared, &setup));
        println!("{text}");
        return if text.starts_with("WRONG") { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let (mut prepared, mut wrong) = (Vec::new(), 0);
    for path in paths {
        match prepare(&path) {
            Ok(p) => prepared.push(p),
            Err(why) => {
                println!("WRONG {why}");
                wrong += 1;
            }
        }
    }
    let probe = Program::from_text("probe", "entry probe(x: i64) -> i64 = x + 1");
    if let Err(why) = probe.and_then(|p| p.engine(wishes.backend, &Settings::default()).map(|_| ())) {
        println!("nothing was run: {why}");
        return ExitCode::FAILURE;
    }
    let known = wishes.state.as_deref().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let right: BTreeSet<&str> = known
        .lines()
        .filter_map(|l| l.split_once(": "))
        .filter(|(_, r)| !r.starts_with("WRONG"))
        .map(|(n, _)| n)
        .collect();
    let work: Vec<Work<'_>> =
        all_work(&prepared, &wishes).into_iter().filter(|w| !right.contains(w.name().as_str())).collect();
    println!("{} programs; {} pieces of work were done before, {} are left", prepared.len(), right.len(), work.len());
    let state = wishes.state.as_ref().map(|path| std::fs::OpenOptions::new().create(true).append(true).open(path));
    let state = match state.transpose() {
        Ok(file) => Mutex::new(file),
        Err(why) => {
            println!("the state file cannot be written: {why}");
            return ExitCode::FAILURE;
        }
    };
    let until = Instant::now() + Duration::from_secs(wishes.seconds);
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(wrong));
    std::thread::scope(|scope| {
        for _ in 0..wishes.jobs {
            scope.spawn(|| {
                while Instant::now() < until {
                    let Some(piece) = work.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                    let result = piece.done(&wishes);
                    let mut file = state.lock().expect("no thread panics with the file");
                    if result.starts_with("WRONG") {
                        failed.fetch_add(1, Ordering::Relaxed);
                        println!("{}: {result}\n", piece.name());
                    }
                    if let Some(file) = file.as_mut() {
                        let line = result.lines().next().unwrap_or_default();
                        let _ = writeln!(file, "{}: {line}", piece.name());
                    }
                }
            });
        }
    });
    let begun = next.load(Ordering::Relaxed).min(work.len());
    let failed = failed.load(Ordering::Relaxed);
    println!("{begun} pieces of work done, {failed} wrong, {} not run", work.len() - begun);
    let mut kinds = [0; 4];
    work[begun..].iter().for_each(|w| {
        kinds[match w {
            Work::Program(..) => 0,
            Work::Random(..) => 1,
            Work::Rounding(..) => 2,
            Work::Checked(..) => 3,
        }] += 1
    });
    if begun < work.len() {
        println!(
            "not run: {} programs in setups, {} batches of random programs, {} counts of quotients and roots, {} under a checker",
            kinds[0], kinds[1], kinds[2], kinds[3]
        );
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
