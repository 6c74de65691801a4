//! The command line around a run: profiles, a machine without a compiler, Ctrl-C, limits.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn terrace(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terrace"));
    command.args(args).current_dir(root()).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("terrace-tools-test-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

#[test]
fn a_profile_names_kernels_and_lines() {
    let place = folder("profile");
    let picture = place.join("ranks.svg");
    let option = format!("--profile={}", picture.display());
    let links = "[[i32(7 * i + j) % 100 for j < i % 5] for i < 100]";
    let output = terrace(&["run", &option, "examples/pagerank.tce", links, "7"]).output().expect("ends");
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.starts_with("pagerank: ") && text.contains(" on the host\n"), "{text}");
    assert!(text.contains("examples/pagerank.tce:21  k_pagerank_"), "{text}");
    for pass in ["reading the program", "calling the entry", "check_and_lower", "flatten", "compile_kernels"] {
        assert!(text.contains(pass), "{pass} is missing: {text}");
    }
    let drawn = std::fs::read_to_string(&picture).expect("a picture");
    assert!(
        drawn.starts_with("<svg ")
            && drawn.contains("<title>incoming: ")
            && drawn.contains("<title>examples/pagerank.tce:21: "),
        "{drawn}"
    );
    let output = terrace(&["run", "--profile", "--backend", "interp", "examples/pagerank.tce", "[[]]", "1"]).output();
    let output = output.expect("ends");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let _ = std::fs::remove_dir_all(&place);
}

#[test]
fn without_a_compiler_the_interpreter_runs_and_says_so_once() {
    let without = |args: &[&str]| terrace(args).env("TERRACE_CC", "no-such-compiler").output().expect("ends");
    let output = without(&["run", "examples/collatz.tce", "[1, 2, 3]"]);
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "[0, 1, 7]\n");
    let note = "note: this runs in the interpreter: no compiler for kernels: `no-such-compiler` cannot be run";
    assert!(said(&output).starts_with(note) && said(&output).contains("TERRACE_CC"), "{}", said(&output));
    let output = without(&["test", "examples/saxpy.tce", "examples/spmv.tce"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(said(&output).matches("in the interpreter").count(), 1, "{}", said(&output));
    assert!(said(&output).starts_with("note: 2 of 2 files ran in the interpreter: no compiler"), "{}", said(&output));
    let output = without(&["run", "examples/collatz.tce", "[1]", "--backend", "c"]);
    assert_eq!(output.status.code(), Some(1), "who asks for C gets C or an error");
}

/// How a run ends that is interrupted after a while.
fn interrupted(program: &str, args: &[&str]) {
    let place = folder(args[1]);
    let file = place.join("long.tce");
    std::fs::write(&file, program).expect("written");
    let result = place.join("result.npy");
    let (path, out) = (file.display().to_string(), result.display().to_string());
    let mut command = terrace(&["run", &path, "-o", &out]);
    let child = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    std::thread::sleep(Duration::from_secs(3));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    let began = Instant::now();
    let output = child.wait_with_output().expect("ends");
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert_eq!(said(&output), "stopped\n");
    assert_eq!(std::fs::read_dir(&place).expect("the folder").count(), 1, "only the program is there");
    let _ = std::fs::remove_dir_all(&place);
}

#[test]
fn ctrl_c_stops_a_long_kernel_and_a_long_loop() {
    interrupted(
        "entry f(n: i64) -> []f64 = [sum([sqrt(f64(i + k)) for i < n]) for k < 2]",
        &["--entry", "f", "1000000000000"],
    );
    interrupted(
        "entry g(n: i64) -> []i64 = loop xs = iota(10) for _ < n do reverse(xs)",
        &["--entry", "g", "1000000000000"],
    );
}

#[test]
fn a_limit_on_memory_names_the_array() {
    let place = folder("memory");
    let file = place.join("large.tce");
    let program = "entry f(n: i64) -> []f64 =\n  [f64(i) for i < n]\n";
    std::fs::write(&file, program).expect("written");
    let path = file.display().to_string();
    let output = terrace(&["run", &path, "1000000", "--memory", "1M"]).output().expect("ends");
    assert_eq!(output.status.code(), Some(1));
    let text = said(&output);
    assert!(text.contains("error[T0911]: no memory for 8000000 bytes") && text.contains("large.tce:2:"), "{text}");
    assert!(text.contains("of 1048576 bytes are in use"), "{text}");
    let output = terrace(&["run", &path, "1000000", "--memory", "8M"]).output().expect("ends");
    assert!(output.status.success(), "{}", said(&output));
    let _ = std::fs::remove_dir_all(&place);
}

#[test]
fn results_do_not_depend_on_threads() {
    let place = folder("threads");
    let file = place.join("sums.tce");
    let program = "entry f(n: i64) -> (f64, []f64, []f64) =\n  let xs = [sin(f64(i)) / f64(i + 1) for i < n]\n  \
                   in (sum(xs), scan((+), 0.0, xs), [sum([xs[j] * 0.1 for j < i * i % 5000]) for i < 300])\n";
    std::fs::write(&file, program).expect("written");
    let path = file.display().to_string();
    let links = "[[i32(7 * i + j * j) % 3000 for j < i * i % 37] for i < 3000]";
    for args in [vec![path.as_str(), "300000"], vec!["examples/pagerank.tce", links, "9"]] {
        let result = |threads: &str| {
            let mut command = terrace(&["run", "--threads", threads]);
            let output = command.args(&args).output().expect("ends");
            assert!(output.status.success(), "{}", said(&output));
            output.stdout
        };
        let one = result("1");
        assert!(one == result("2") && one == result("7"), "{args:?}");
    }
    let _ = std::fs::remove_dir_all(&place);
}
