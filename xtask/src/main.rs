//! Chores of the repository: `cargo xtask test` runs every test and counts them, `cargo xtask fuzz` looks for inputs that break something,
//! `cargo xtask costs` counts what programs do on growing inputs, `cargo xtask gpu-check` runs everything on a GPU, `cargo xtask bench`
//! measures speed beside programs written by hand.
//! `cargo xtask package` packs what is installed without a network, `cargo xtask grammars` checks the grammars of editors, `cargo xtask public-files` reads other people's files.
//!
//! ```text
//! NVRTC   target/nvrtc/…/libnvrtc.so.13          found, or fetched with pip; without it a line says what is skipped
//! OpenCL  target/pocl/opened/…/libOpenCL.so.1       found, or PoCL is fetched with apt-get; see `pocl`
//! tests   cargo test --no-fail-fast --workspace   passed on as they run
//! end     1234 passed, 0 failed                   the sum over all of cargo's result lines
//! ```
//!
//! Nothing needs to be installed first but Rust and a C and C++ compiler. NVRTC (the compiler for CUDA text, which needs no GPU) is
//! optional: it comes from `$TERRACE_NVRTC`, or from the package `nvidia-cuda-nvrtc` in a folder below `target`. Set
//! `TERRACE_NVRTC=none` to do without. Arguments after `test` go to `cargo test`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod grammars;
mod package;
mod pocl;
mod public_files;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        Some((task, rest)) if task == "test" => test(rest),
        Some((task, rest)) if task == "fuzz" => example("fuzz", &["--release"], rest),
        Some((task, rest)) if task == "costs" => example("costs", &[], rest),
        Some((task, rest)) if task == "gpu-check" => example("gpu_check", &["--release"], rest),
        Some((task, rest)) if task == "bench" => bench::bench(&[], rest),
        Some((task, rest)) if task == "package" => package::package(rest),
        Some((task, [])) if task == "grammars" => grammars::grammars(),
        Some((task, [])) if task == "public-files" => public_files::public_files(),
        Some((task, rest)) if task == "bench-cpu" => bench::bench(&["--wanted"], rest),
        Some((task, rest)) if task == "bench-library" => bench::bench(&["--library"], rest),
        _ => {
            eprintln!(
                "cargo xtask test [ARGUMENTS OF cargo test]\ncargo xtask fuzz TARGET [SECONDS] [SEED]\ncargo xtask costs [STRATEGY]\ncargo xtask gpu-check [--backend NAME] [--seconds S] [--state FILE] [--random N] [--only TEXT]\ncargo xtask bench [--device cpu|cuda] [--quick] [--only NAMES] [--rounds N] [--seconds S] [--scaling] [--keep] [--page]\ncargo xtask bench-cpu [--quick] [--only NAMES] [--rounds N] [--growth] [--start] [--keep]\ncargo xtask bench-library [--quick] [--only NAMES] [--rounds N] [--seconds S] [--keep] [--page]\ncargo xtask package [--check] [--debug]\ncargo xtask grammars\ncargo xtask public-files"
            );
            ExitCode::from(2)
        }
    }
}

/// The repository: where this was compiled, or the current folder on a machine that only the binary was carried to.
fn root() -> &'static Path {
    static ROOT: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    ROOT.get_or_init(|| {
        let compiled = Path::new(env!("CARGO_MANIFEST_DIR")).parent().filter(|p| p.exists()).map(Path::to_path_buf);
        compiled.or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("."))
    })
}

fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root());
    command
}

/// The folder of build products.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The files below a folder that end like this, in order of their names.
fn files_below(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    inside.sort();
    let mut out = Vec::new();
    for path in inside {
        if path.is_dir() {
            out.extend(files_below(&path, endings));
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
            out.push(path);
        }
    }
    out
}

/// How a chore ends: well, with something that is wrong and was said already, or with a reason why it could not be done.
fn ended(outcome: Result<bool, String>) -> ExitCode {
    outcome.map_or_else(
        |why| {
            eprintln!("{why}");
            ExitCode::from(1)
        },
        |well| if well { ExitCode::SUCCESS } else { ExitCode::from(1) },
    )
}

fn example(name: &str, options: &[&str], args: &[String]) -> ExitCode {
    let mut command = cargo();
    command.arg("run").args(options).args(["--package", "terrace-testkit", "--example", name, "--"]).args(args);
    match command.status() {
        Ok(status) => ExitCode::from(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1)),
        Err(why) => {
            eprintln!("cargo does not start: {why}");
            ExitCode::from(1)
        }
    }
}

fn test(args: &[String]) -> ExitCode {
    let mut command = cargo();
    command.arg("test").arg("--no-fail-fast").stdout(Stdio::piped());
    if !args.iter().any(|a| a == "-p" || a.starts_with("--package")) {
        command.arg("--workspace");
    }
    command.args(args);
    if std::env::var_os("TERRACE_CC").is_none() && std::env::var_os("TERRACE_LONG").is_none() {
        match quick_compiler() {
            Ok(compiler) => {
                println!(
                    "C: one unit of kernels in {TURNS} is optimised today; TERRACE_CC=cc optimises all, as users' are"
                );
                command.env("TERRACE_CC", compiler);
            }
            Err(why) => println!("C: all kernels are optimised ({why})"),
        }
    }
    match nvrtc() {
        Ok(found) => {
            println!("NVRTC: {}", found.display());
            command.env("TERRACE_NVRTC", found);
        }
        Err(why) => {
            println!("NVRTC: none ({why}); CUDA text is run by the simulator, and not compiled for GPUs");
            command.env_remove("TERRACE_NVRTC");
        }
    }
    match pocl::pocl() {
        Ok(found) => {
            println!("OpenCL: {}", found.what);
            command.envs(found.environment);
        }
        Err(why) => println!("OpenCL: none ({why}); the tests of the OpenCL back end DO NOTHING"),
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(why) => {
            eprintln!("cargo does not start: {why}");
            return ExitCode::from(1);
        }
    };
    let mut total = (0, 0);
    let lines = child.stdout.take().map(BufReader::new).into_iter().flat_map(BufReader::lines);
    for line in lines.map_while(Result::ok) {
        if let Some((passed, failed)) = result_line(&line) {
            total = (total.0 + passed, total.1 + failed);
        }
        println!("{line}");
    }
    let good = child.wait().is_ok_and(|status| status.success());
    if !good && total.1 == 0 {
        println!("cargo test ended early: something did not build, or a test took its process down");
        total.1 = 1;
    }
    println!("{} passed, {} failed", total.0, total.1);
    let _ = std::io::stdout().flush();
    if good { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// One unit of kernels in so many is compiled as users' are, another one every day: most of a test run's time would go into it.
const TURNS: u64 = 6;

/// A C compiler that optimises only the units whose turn it is, which their text decides.
fn quick_compiler() -> Result<PathBuf, String> {
    let turn = turn() % TURNS;
    // Kernels are kept under the compiler's name: that of another day is another compiler.
    let path = target().join(format!("tmp/cc-{turn}"));
    let script = format!(
        "#!/bin/sh\nfor word; do\n  case $word in\n    *.source) sum=$(cksum <\"$word\"); \
         [ $((${{sum%% *}} % {TURNS})) = {turn} ] || set -- \"$@\" -O0;;\n  esac\ndone\nexec cc \"$@\"\n"
    );
    let at = |e: std::io::Error| format!("{}: {e}", path.display());
    std::fs::create_dir_all(target().join("tmp")).map_err(at)?;
    // Another run may be using it: it is replaced as a whole.
    let draft = path.with_extension(std::process::id().to_string());
    std::fs::write(&draft, script).map_err(at)?;
    std::fs::set_permissions(&draft, std::os::unix::fs::PermissionsExt::from_mode(0o755)).map_err(at)?;
    std::fs::rename(&draft, &path).map_err(at)?;
    Ok(path)
}

/// Which day it is, or `TERRACE_TURN`: what takes long takes turns.
fn turn() -> u64 {
    let today = || std::time::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_secs() / 86_400);
    std::env::var("TERRACE_TURN").ok().and_then(|t| t.parse().ok()).unwrap_or_else(today)
}

/// The numbers in `test result: ok. 12 passed; 0 failed; …`.
fn result_line(line: &str) -> Option<(u64, u64)> {
    let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let number = |what: &str| counts.split(';').find_map(|part| part.trim().strip_suffix(what)?.trim().parse().ok());
    Some((number("passed")?, number("failed")?))
}

/// A folder with NVRTC in it, or why there is none.
fn nvrtc() -> Result<PathBuf, String> {
    match std::env::var_os("TERRACE_NVRTC") {
        Some(no) if no == "none" => return Err("TERRACE_NVRTC=none".to_string()),
        Some(named) if !named.is_empty() => return Ok(PathBuf::from(named)),
        _ => {}
    }
    let home = root().join("target/nvrtc");
    if let Some(found) = library_below(&home, 8) {
        return Ok(found);
    }
    let install = ["install", "--quiet", "--retries", "1", "nvidia-cuda-nvrtc>=13,<14"];
    let made = run(Command::new("python3").args(["-m", "venv"]).arg(&home))
        .and_then(|()| run(Command::new(home.join("bin/python")).args(["-m", "pip"]).args(install)));
    // A Python without venv may still have pip.
    let made = made.or_else(|why| {
        let pip = run(Command::new("python3").args(["-m", "pip"]).args(install).arg("--target").arg(&home));
        pip.map_err(|_| why)
    });
    made?;
    library_below(&home, 8).ok_or_else(|| "the package has no libnvrtc".to_string())
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|why| format!("{name}: {why}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = text.lines().rfind(|l| !l.trim().is_empty()).unwrap_or("failed").trim();
    Err(format!("{name}: {last}"))
}

/// The first folder below this one, in order of names, that holds `libnvrtc.so`.
fn library_below(folder: &Path, depth: usize) -> Option<PathBuf> {
    let mut inside: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    inside.sort();
    let named = |p: &PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("libnvrtc.so"));
    if inside.iter().any(named) {
        return Some(folder.to_path_buf());
    }
    let folders = inside.iter().filter(|p| depth > 0 && p.is_dir() && !p.is_symlink());
    folders.into_iter().find_map(|p| library_below(p, depth - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_counted() {
        let check = |line: &str, expected| assert_eq!(result_line(line), expected, "{line}");
        check(
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            Some((12, 0)),
        );
        check("test result: FAILED. 3 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out", Some((3, 4)));
        check("test a_test ... ok", None);
        check("running 3 tests", None);
    }
}
