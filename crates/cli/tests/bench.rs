//! `terrace bench` as a user types it: what it prints and writes, times aside.

use std::path::{Path, PathBuf};
use std::process::Command;
use terrace::Json;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("terrace-bench-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// What it says, and what it writes.
fn bench(folder: &Path, args: &[&str]) -> (String, Json) {
    let out = folder.join("out.json");
    let result = Command::new(env!("CARGO_BIN_EXE_terrace"))
        .arg("bench")
        .args(args)
        .arg("--json")
        .arg(&out)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&result.stdout).into_owned();
    assert!(result.status.success(), "{said}{}", String::from_utf8_lossy(&result.stderr));
    let written = std::fs::read_to_string(&out).expect("the file is written");
    (said, Json::parse(&written).unwrap_or_else(|why| panic!("{why}: {written}")))
}

fn number(json: &Json, name: &str) -> f64 {
    json.at(name).number().unwrap_or_else(|| panic!("no `{name}` in {json}"))
}

#[test]
fn a_stated_number_of_runs_with_bytes_and_passes() {
    let folder = folder("saxpy");
    let (said, json) =
        bench(&folder, &["examples/saxpy.tce", "1.5", "[1.0 for _i < 1000]", "[2.0 for _i < 1000]", "--repeat", "4"]);
    assert_eq!(number(&json, "runs"), 4.0);
    assert_eq!(json.at("times_ms").list().len(), 4);
    assert_eq!(number(&json, "moved_bytes"), 12000.0, "two arguments and a result of 4000 bytes each");
    assert!(said.contains("  moves 12000 bytes, arguments and result once: "), "{said}");
    assert!(said.contains("; 4 runs)") && !said.contains("not settled"), "{said}");
    assert!(number(&json, "least_ms") <= number(&json, "median_ms"));
    let passes: Vec<&str> = json.at("timings_ms").list().iter().filter_map(|t| t.at("pass").text()).collect();
    assert!(passes.contains(&"compile_kernels") && passes.len() > 5, "{passes:?}");
    std::fs::remove_dir_all(folder).expect("the folder can go");
}

#[test]
fn data_files_are_arguments() {
    let folder = folder("files");
    let args = [
        "examples/spmv.tce",
        "examples/data/matrix.parquet:rows",
        "examples/data/vector.npy",
        "--repeat",
        "1",
        "--checksum",
    ];
    let (said, json) = bench(&folder, &args);
    let sums = json.at("checksums").list();
    let last = sums.last().expect("a checksum");
    assert!(number(last, "count") > 0.0 && said.contains("checksum 1: "), "{said}");
    std::fs::remove_dir_all(folder).expect("the folder can go");
}

#[test]
fn a_consumed_argument_is_new_in_every_run() {
    let folder = folder("consumed");
    let program = folder.join("twice.tce");
    let text =
        "entry first(xs: *[]i64) -> []i64 = xs with [0] = xs[0] + 1\nentry make(n: i64) -> []i64 = [5 for _i < n]\n";
    std::fs::write(&program, text).expect("a program");
    let path = program.display().to_string();
    let (_, json) = bench(&folder, &[&path, "--entry", "first", "--from", "make", "3", "--repeat", "6", "--checksum"]);
    let last = json.at("checksums").list().last().cloned().expect("a checksum");
    assert_eq!((number(&last, "count"), number(&last, "sum")), (3.0, 16.0));
    std::fs::remove_dir_all(folder).expect("the folder can go");
}
