//! The kernel cache and the compiler, in folders of their own: each test is a process of its own, because it sets variables.

mod plans;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use plans::*;
use terrace_plan::Target;
use terrace_runtime::{Backend, Options, Runtime};

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("terrace-cache-test-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

/// Runs the test `in_a_process` of this file as another process.
fn start(cache: &Path, compiler: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "in_a_process", "--ignored", "--nocapture"]);
    command.env("TERRACE_CACHE", cache).env("TERRACE_CC", compiler);
    command
}

fn text(output: &Output) -> String {
    let both = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn libraries(cache: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir(cache).expect("the folder").map(|e| e.expect("an entry").path());
    all.filter(|p| p.extension().is_some_and(|e| e == "so")).collect()
}

#[test]
#[ignore = "the other tests of this file start it"]
fn in_a_process() {
    let runtime = Runtime::new(Backend::Cpu { threads: 1 }, Options::default()).expect("a CPU");
    let loaded = runtime.load(&saxpy(Target::C)).unwrap_or_else(|error| panic!("{error}"));
    let (args, wanted) = saxpy_case(100);
    assert_eq!(loaded.call("saxpy", &args).expect("runs").0, wanted);
}

#[test]
fn many_processes_share_a_cache() {
    let cache = folder("shared");
    let piped = |mut c: Command| c.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let children: Vec<_> = (0..8).map(|_| piped(start(&cache, "cc"))).collect();
    for child in children {
        let output = child.wait_with_output().expect("ends");
        assert!(output.status.success(), "{}", text(&output));
    }
    assert_eq!(libraries(&cache).len(), 1);
    let left = std::fs::read_dir(&cache).expect("the folder").count();
    assert_eq!(left, 2, "a library and its key, and nothing temporary");
    // A hit needs no compilation: a compiler that only knows its version is enough.
    let version = Command::new("cc").arg("--version").output().expect("cc");
    let fake = cache.join("cc");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] || exit 1\ncat <<'END'\n{}END\n",
        String::from_utf8_lossy(&version.stdout)
    );
    write_script(&fake, &script);
    let path = format!("{}:{}", cache.display(), std::env::var("PATH").unwrap_or_default());
    let output = start(&cache, "cc").env("PATH", path).output().expect("ends");
    assert!(output.status.success(), "{}", text(&output));
    let _ = std::fs::remove_dir_all(&cache);
}

fn write_script(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, script).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("executable");
}

#[test]
fn a_damaged_entry_is_made_again() {
    let cache = folder("damaged");
    assert!(start(&cache, "cc").output().expect("ends").status.success());
    let [library] = &libraries(&cache)[..] else { panic!("one library") };
    let whole = std::fs::read(library).expect("the library");
    std::fs::write(library, &whole[..100]).expect("damaged");
    let output = start(&cache, "cc").output().expect("ends");
    assert!(output.status.success(), "{}", text(&output));
    assert!(std::fs::read(library).expect("the library").len() > 100);
    // A library without its key is not trusted.
    std::fs::write(library, b"nonsense").expect("damaged");
    std::fs::remove_file(library.with_extension("key")).expect("removed");
    assert!(start(&cache, "cc").output().expect("ends").status.success());
    let _ = std::fs::remove_dir_all(&cache);
}

#[test]
fn a_missing_compiler_is_named() {
    let cache = folder("missing");
    let output = start(&cache, "no-such-compiler").output().expect("ends");
    assert!(!output.status.success());
    let said = text(&output);
    assert!(said.contains("no compiler for kernels: `no-such-compiler`"), "{said}");
    assert!(said.contains("TERRACE_CC"), "{said}");
    let _ = std::fs::remove_dir_all(&cache);
}
