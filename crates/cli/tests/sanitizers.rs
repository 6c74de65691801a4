//! Generated C under the address and undefined-behaviour sanitizers.
//!
//! A quarter of the corpus, another one each day (`TERRACE_QUARTER` says which), compiled with both sanitizers and tiny tiles. The library of the
//! address sanitizer is loaded before the program, so that it watches the memory that kernels are given.

#![allow(clippy::print_stdout, reason = "a test says why it was skipped")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FLAGS: &str = "-O0 -fsanitize=address,undefined -fno-sanitize-recover=all";

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    inside.sort();
    for path in inside {
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|e| e == "tce") {
            found.push(path);
        }
    }
}

fn quarter() -> usize {
    let today = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs() / 86400);
    let chosen = std::env::var("TERRACE_QUARTER").ok().and_then(|q| q.parse().ok());
    chosen.unwrap_or(today as usize) % 4
}

/// A compiler that adds the sanitizers to whatever it is told, and then more.
fn compiler(place: &Path, more: &str) -> PathBuf {
    let path = place.join("cc");
    let script = format!("#!/bin/sh\n[ \"$1\" = --version ] && exec cc --version\nexec cc \"$@\" {FLAGS} {more}\n");
    std::fs::write(&path, script).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

/// The library that has to be loaded first, if there is one.
fn library() -> Option<String> {
    let output = Command::new("cc").arg("-print-file-name=libasan.so").output().ok()?;
    let path = String::from_utf8_lossy(&output.stdout).trim().to_string();
    Path::new(&path).is_absolute().then_some(path)
}

fn test(place: &Path, library: &str, more: &str, files: &[PathBuf]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terrace"));
    command.arg("test").args(files).args(["--backend", "c", "--strategy", "flat", "--tiles", "tiny"]);
    command.env("TERRACE_CC", compiler(place, more)).env("TERRACE_CACHE", place.join("cache"));
    command.env("LD_PRELOAD", library).env("ASAN_OPTIONS", "detect_leaks=0").env("NO_COLOR", "1");
    command.output().expect("ends")
}

#[test]
fn a_quarter_of_the_corpus_under_sanitizers() {
    let Some(library) = library() else {
        println!("skipped: this compiler has no address sanitizer");
        return;
    };
    let place = std::env::temp_dir().join(format!("terrace-sanitizers-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    programs(&root.join("tests/corpus"), &mut all);
    let chosen: Vec<PathBuf> =
        all.into_iter().enumerate().filter(|(k, _)| k % 4 == quarter()).map(|(_, p)| p).collect();
    assert!(chosen.len() > 50);
    let output = test(&place, &library, "", &chosen);
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).trim_end().ends_with(" 0 failed"), "{said}");
    // The watch is awake: a kernel that reads where nothing is does not pass.
    let file = place.join("one.tce");
    std::fs::write(&file, "test \"one\" = sum([x * x for x in [1, 2, 3]]) == 14\n").expect("written");
    let trap = place.join("trap.c");
    std::fs::write(
        &trap,
        "__attribute__((constructor)) static void trap(void) { static int a[4]; volatile int i = 5; a[i] = 1; }\n",
    )
    .expect("written");
    let output = test(&place, &library, &trap.display().to_string(), &[file]);
    assert!(!output.status.success(), "a write behind an array was not seen");
    let _ = std::fs::remove_dir_all(&place);
}
