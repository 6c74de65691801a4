//! `cargo xtask fuzz TARGET`: fuzzes one target for a while, and keeps what it finds under `fuzz/findings`.

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use terrace_testkit::fuzz::{fuzz, targets};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default: u64| args.get(k).and_then(|a| a.parse().ok()).unwrap_or(default);
    let Some(target) = args.first().and_then(|name| targets().iter().find(|t| t.name == name)) else {
        let names: Vec<&str> = targets().iter().map(|t| t.name).collect();
        println!("usage: cargo xtask fuzz TARGET [SECONDS] [SEED]; the targets are {}", names.join(", "));
        return ExitCode::from(2);
    };
    let (seconds, seed) = (number(1, 600), number(2, 1));
    // Panics are findings, reported once at the end.
    std::panic::set_hook(Box::new(|_| {}));
    let (progress, finding) = fuzz(target, Duration::from_secs(seconds), seed);
    println!(
        "{}: {} inputs in {seconds} s, {} kept, {} behaviours, seed {seed}",
        target.name, progress.inputs, progress.kept, progress.behaviours
    );
    let Some(finding) = finding else {
        println!("nothing found");
        return ExitCode::SUCCESS;
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/findings");
    let path = folder.join(format!("{}-{seed}-{}", target.name, progress.inputs));
    let kept = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, &finding.input));
    println!("found: {}", finding.what);
    match kept {
        Ok(()) => println!("the input is in {}", path.display()),
        Err(why) => println!("the input could not be kept: {why}"),
    }
    ExitCode::from(1)
}
