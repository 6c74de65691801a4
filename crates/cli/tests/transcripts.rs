//! The command line, as a user types it.
//!
//! A transcript is a list of commands with everything they said:
//!
//! ```text
//! $ terrace run examples/spmv.tce '[[(0, 1.5)]]' '[2.0]'
//! [3.0]
//! $ terrace run examples/spmv.tce
//! ! `spmv(rows: [][](i32, f64), v: []f64)` takes 2 arguments, and 0 were given
//! ? 2
//! ```
//!
//! `!` stands before lines of standard error, `?` before an exit code that is not 0. Commands run in the root of the repository;
//! `$TMP` is an empty folder. Besides `terrace` there are `write FILE TEXT…` (one line per text) and `show FILE`. `TERRACE_BLESS=1` writes the
//! transcripts anew: read them before they are kept.

use std::path::{Path, PathBuf};
use std::process::Command;
use typed::words;

mod typed;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(line: &str, folder: &Path) -> String {
    let place = folder.display().to_string();
    let words: Vec<String> = words(line).iter().map(|w| w.replace("$TMP", &place)).collect();
    let mut out = String::new();
    match words.split_first() {
        Some((program, args)) if program == "terrace" => {
            let result = Command::new(env!("CARGO_BIN_EXE_terrace"))
                .args(args)
                .current_dir(root())
                .env("NO_COLOR", "1")
                .env_remove("RUST_BACKTRACE")
                .output()
                .expect("the program starts");
            out += &String::from_utf8_lossy(&result.stdout);
            for line in String::from_utf8_lossy(&result.stderr).lines() {
                out += format!("! {line}").trim_end();
                out += "\n";
            }
            match result.status.code() {
                Some(0) => {}
                Some(code) => out += &format!("? {code}\n"),
                None => out += "? killed\n",
            }
        }
        Some((program, args)) if program == "write" => {
            let text: String = args[1..].iter().map(|line| format!("{line}\n")).collect();
            std::fs::write(&args[0], text).expect("a file can be written");
        }
        Some((program, args)) if program == "show" => {
            out += &std::fs::read_to_string(&args[0]).unwrap_or_else(|why| format!("{why}\n"));
        }
        _ => panic!("unknown command: {line}"),
    }
    out.replace(&place, "$TMP")
}

fn replay(transcript: &str, folder: &Path) -> String {
    let mut out = String::new();
    let mut lines = transcript.lines().peekable();
    while let Some(line) = lines.next() {
        // Other empty lines are a command's own.
        let separates = line.is_empty() && lines.peek().is_some_and(|next| next.starts_with(['#', '$']));
        if line.starts_with('#') || separates {
            out += line;
            out += "\n";
        }
        if let Some(command) = line.strip_prefix("$ ") {
            out += &format!("$ {command}\n{}", run(command, folder));
        }
    }
    out
}

#[test]
fn every_transcript_is_true() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("transcripts").map(|e| e.expect("a file").path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut wrong = Vec::new();
    for path in paths {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let temporary = std::env::temp_dir().join(format!("terrace-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&temporary).expect("a folder");
        let kept = std::fs::read_to_string(&path).expect("a transcript");
        let found = replay(&kept, &temporary);
        std::fs::remove_dir_all(&temporary).expect("the folder can go");
        if std::env::var_os("TERRACE_BLESS").is_some() {
            std::fs::write(&path, found).expect("a transcript can be written");
        } else if found != kept {
            let line = kept.lines().zip(found.lines()).position(|(a, b)| a != b).unwrap_or(0);
            let near = |text: &str| text.lines().skip(line).take(6).collect::<Vec<_>>().join("\n    ");
            wrong.push(format!(
                "{name}, line {}:\n  kept\n    {}\n  found\n    {}",
                line + 1,
                near(&kept),
                near(&found)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
