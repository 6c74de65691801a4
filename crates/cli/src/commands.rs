//! What each command does.

use crate::arguments::How;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use terrace::{Data, Engine, Failed, Outcome, Program, Stage, show};

/// How many elements of an array are printed.
const MOST: usize = 40;

/// Whether messages may be coloured.
pub(crate) fn colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

pub(crate) fn load(path: &Path) -> Result<Program, Failed> {
    let program = Program::from_file(path)?;
    eprint!("{}", program.render_warnings(colour()));
    Ok(program)
}

pub(crate) fn check(files: &[PathBuf]) -> Result<bool, Failed> {
    let mut good = true;
    for file in files {
        if let Err(failed) = load(file) {
            eprint!("{}", failed.render(colour()));
            good = false;
        }
    }
    Ok(good)
}

pub(crate) fn run(file: &Path, entry: Option<&str>, args: &[String], how: &How) -> Result<bool, Failed> {
    let program = load(file)?;
    let Some(name) = chosen_entry(&program, file, entry) else { return Ok(false) };
    let Some(data) = arguments(&program, &name, args)? else { return Ok(false) };
    let engine = program.engine(how.backend, &how.settings())?;
    let outcome = engine.call(&name, data)?;
    println!("{}", show::data(&outcome.value, MOST));
    if how.stats {
        stats(&engine, &outcome);
    }
    Ok(true)
}

/// The entry that was named, or the only one; says what is wrong where there is no such.
pub(crate) fn chosen_entry(program: &Program, file: &Path, entry: Option<&str>) -> Option<String> {
    match (entry, program.entries().as_slice()) {
        (Some(name), _) => return Some(name.to_string()),
        (None, [only]) => return Some(only.name.clone()),
        (None, []) => eprintln!("`{}` has no entry to run", file.display()),
        (None, several) => {
            let names: Vec<&str> = several.iter().map(|e| e.name.as_str()).collect();
            eprintln!("`{}` has several entries; choose one with --entry: {}", file.display(), names.join(", "));
        }
    }
    None
}

/// The values of the arguments of an entry; says what is wrong where their number is.
pub(crate) fn arguments(program: &Program, name: &str, args: &[String]) -> Result<Option<Vec<Data>>, Failed> {
    if let Some(info) = program.entries().iter().find(|e| e.name == name)
        && info.params.len() != args.len()
    {
        let params: Vec<String> = info.params.iter().map(|(n, t)| format!("{n}: {t}")).collect();
        eprintln!("`{name}({})` takes {} arguments, and {} were given", params.join(", "), params.len(), args.len());
        return Ok(None);
    }
    let data = args.iter().enumerate().map(|(k, text)| program.argument(name, k, text));
    data.collect::<Result<Vec<_>, Failed>>().map(Some)
}

pub(crate) fn test(paths: &[PathBuf], filter: &str, how: &How) -> Result<bool, Failed> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files);
    }
    if files.is_empty() {
        eprintln!("there are no `.tce` files there");
        return Ok(false);
    }
    let (mut passed, mut failed) = (0, 0);
    for file in &files {
        let outcomes = match load(file).and_then(|p| p.engine(how.backend, &how.settings())) {
            Ok(engine) => engine.run_tests(filter),
            Err(broken) => {
                eprint!("{}", broken.render(colour()));
                println!("{}: could not be run", file.display());
                failed += 1;
                continue;
            }
        };
        for outcome in outcomes {
            match outcome.failure {
                None => passed += 1,
                Some(why) => {
                    failed += 1;
                    println!("{}: \"{}\" failed", file.display(), outcome.name);
                    eprint!("{}", why.render(colour()));
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(failed == 0)
}

/// The `.tce` files of a folder and of those inside it, in order of their names.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return;
    }
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(path).into_iter().flatten().filter_map(|e| e.ok().map(|e| e.path())).collect();
    inside.sort();
    for path in inside {
        if path.is_dir() || path.extension().is_some_and(|e| e == "tce") {
            collect(&path, files);
        }
    }
}

pub(crate) fn ir(file: &Path, stage: Stage, all: bool, how: &How) -> Result<bool, Failed> {
    let program = load(file)?;
    let stages = if all { Stage::ALL.to_vec() } else { vec![stage] };
    for stage in stages {
        if all {
            println!("──── {} ────", stage.name());
        }
        print!("{}", program.show(stage, how.backend, &how.settings())?);
    }
    Ok(true)
}

pub(crate) fn explain(code: &str) -> Result<bool, Failed> {
    match terrace::explain(code) {
        Some(text) => println!("{code}: {text}"),
        None => eprintln!("there is no explanation of `{code}`"),
    }
    Ok(terrace::explain(code).is_some())
}

fn stats(engine: &Engine, outcome: &Outcome) {
    if let Some(s) = &outcome.stats {
        eprintln!("launches {}, host reads {}, calls {} (deepest {})", s.launches, s.host_reads, s.calls, s.deepest);
        eprintln!("allocations {}, peak {} bytes, zeroed {} bytes", s.allocations, s.peak_bytes, s.zeroed_bytes);
        eprintln!("to device {} bytes, from device {} bytes", s.bytes_to_device, s.bytes_from_device);
        eprintln!("wall {:.3} ms, device {:.3} ms", s.wall_ms, s.device_ms);
        for (kernel, n) in s.launches_per_kernel.iter().enumerate().filter(|(_, n)| **n > 0) {
            let name = engine.loaded().map_or("", |l| l.plan().kernels[kernel].name.as_str());
            let ms = s.kernel_ms.get(kernel).copied().unwrap_or(0.0);
            eprintln!("  {name}: {n} launches, {ms:.3} ms");
        }
    }
    for (what, count) in &outcome.counts {
        eprintln!("{what} {count}");
    }
    eprint!("{}", engine.timings);
}
