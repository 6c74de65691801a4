//! The CUDA simulator, tested on kernels that are right and on kernels that are wrong.
//!
//! Each file of `cuda_sim/cases` is a program that launches small kernels under twelve seeds and prints a line for each.
//! A right kernel prints the known answer for every seed; a kernel with a race prints several answers; a kernel that
//! breaks a rule prints the message that says which:
//!
//! ```text
//! halving 0: 4656 36656 68656                  halving_without_barrier 0: 687 6687 12687
//! halving 1: 4656 36656 68656                  halving_without_barrier 1: 4656 36656 68656
//! ```
//!
//! Declined: comparing with a real device, which is the business of the conformance suite. Needs a C++ compiler: `c++`,
//! or the one that `TERRACE_CXX` names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the lines of a case look like, over all seeds.
enum Expect {
    /// This answer every time.
    Answer(&'static str),
    /// Three answers or more: a race, seen in more than the two orderly schedules.
    Disagreement,
    /// A message every time, with these parts.
    Message(&'static [&'static str]),
}
use Expect::{Answer, Disagreement, Message};

const SUMS: Expect = Answer("4656 36656 68656");
const SCANNED: Expect = Answer("11.125 11.5 11.625 0.75 1.25");

#[test]
fn blocks() {
    check(
        "block",
        &[
            ("halving", SUMS),
            ("after_failure", SUMS),
            ("halving_without_barrier", Disagreement),
            ("reverse_dynamic", Answer("3 2 1 0 7 6 5 4 11 10 9 8")),
            ("votes", Answer("1 0 1 0 14")),
            ("keep_own", Answer("0")),
            ("wide_block", Answer("done")),
            ("unwritten", Disagreement),
            (
                "dynamic_too_small",
                Message(&["kernel reverse_dynamic: ", "past the end of its 24 bytes of dynamic shared memory"]),
            ),
            ("early_return", Message(&["kernel early_return: ", "waits at __syncthreads", "thread 31 has returned"])),
            (
                "two_barriers",
                Message(&["kernel two_barriers: ", "thread 0 waits at __syncthreads", "thread 16 waits at"]),
            ),
            ("uneven_loop", Message(&["kernel uneven_loop: ", "thread 4 waits", "thread 0 has returned"])),
            ("empty_grid", Message(&["kernel nothing: cannot launch 0 blocks of 32 threads"])),
            ("big_block", Message(&["kernel nothing: cannot launch 1 blocks of 1025 threads"])),
            ("trap", Message(&["kernel trap: block 0, thread 40: __trap"])),
        ],
    );
}

#[test]
fn warps() {
    check(
        "warp",
        &[
            ("warp_scan", SCANNED),
            ("shared_scan", SCANNED),
            ("shared_scan_without_barrier", Disagreement),
            ("shuffles", Answer("5 9 11 14 15 6 15 13 17 17")),
            ("warp_votes", Answer("2863311530 1145324612 1 0 496 21 1")),
            ("halves", Answer("120 1108344832 8")),
            ("outside_mask", Disagreement),
            ("lane_gone", Message(&["kernel lane_gone: ", "__shfl_sync", "thread 9 has returned"])),
            ("lane_elsewhere", Message(&["kernel lane_elsewhere: ", "__shfl_sync", "thread 9 waits at __syncthreads"])),
            ("not_in_mask", Message(&["kernel not_in_mask: ", "mask 0000000f, which leaves out the caller"])),
        ],
    );
}

#[test]
fn grids() {
    check(
        "grid",
        &[
            ("look_back", Answer("0 6002")),
            ("look_back_by_index", Answer("0 6002")),
            ("look_ahead_resident", Answer("1 1")),
            ("look_ahead", Message(&["kernel look_ahead: no progress", "of 20 blocks were started"])),
            ("spin", Message(&["kernel spin: no progress", "3 blocks were started"])),
            ("spin_together", Message(&["kernel spin_together: no progress"])),
            ("lock", Answer("165")),
            ("unlocked", Disagreement),
            ("histogram", Answer("1 18002 545 819 545 546 545")),
            ("arrival", Disagreement),
        ],
    );
}

#[test]
fn words() {
    check(
        "words",
        &[
            ("arguments", Answer("2.5 1099511627776 0.5 -3 1 6 7.5 2003 2")),
            ("bits", Answer("8 64 32 31 63 4 0 2147483648 3 3 -1 2 1065353216 2 2.5 55")),
            ("numbers", Answer("-4 4 5 1.5 2147483647 -7 0 0 1 1 0 1 1 1.5 4.5 58")),
        ],
    );
}

/// The slow way to switch stacks gives the same schedules, line by line, as the fast one.
#[test]
fn ucontext_is_a_twin() {
    let fast = run(&build("warp", "fast", &[]));
    let slow = run(&build("warp", "slow", &["-DTERRACE_SIM_UCONTEXT"]));
    assert_eq!(fast, slow);
}

fn check(file: &str, cases: &[(&str, Expect)]) {
    let program = build(file, "plain", &[]);
    let output = run(&program);
    assert_eq!(output, run(&program), "{file}: the same seeds gave another schedule");

    let mut lines: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in output.lines() {
        let (head, text) = line.split_once(": ").expect("a line is `case seed: text`");
        let (case, _seed) = head.split_once(' ').expect("a line is `case seed: text`");
        lines.entry(case).or_default().push(text);
    }
    for (case, expect) in cases {
        let seen = lines.remove(case).unwrap_or_else(|| panic!("{file}: no case {case}"));
        assert_eq!(seen.len(), 12, "{case}: one line for each seed");
        let failed = |text: &&str| text.starts_with("kernel ");
        let right = match expect {
            Answer(answer) => seen.iter().all(|text| text == answer),
            Disagreement => !seen.iter().any(failed) && seen.iter().collect::<BTreeSet<_>>().len() > 2,
            Message(parts) => seen.iter().all(|text| failed(text) && parts.iter().all(|part| text.contains(part))),
        };
        assert!(right, "{file}, {case}:\n{}", seen.join("\n"));
    }
    assert!(lines.is_empty(), "{file}: cases without an expectation: {:?}", lines.keys());
}

fn build(file: &str, variant: &str, flags: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda_sim");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cuda_sim_{file}_{variant}"));
    let compiler = std::env::var_os("TERRACE_CXX").unwrap_or_else(|| "c++".into());
    let output = Command::new(&compiler)
        .args(["-std=c++17", "-O1", "-ffp-contract=off", "-fno-strict-aliasing"])
        .args(["-fno-exceptions", "-Werror=frame-larger-than=65536"])
        .args(flags)
        .arg("-include")
        .arg(folder.join("terrace_cuda_sim.h"))
        .args(["-x", "c++"])
        .arg(folder.join("cases").join(format!("{file}.cu")))
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", compiler.to_string_lossy()));
    assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    program
}

fn run(program: &Path) -> String {
    let output = Command::new(program).output().expect("the program was just built");
    assert!(output.status.success(), "{}: {}", program.display(), output.status);
    String::from_utf8(output.stdout).expect("the driver prints ASCII")
}
