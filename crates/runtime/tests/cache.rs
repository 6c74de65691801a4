//! The kernel cache and the compiler, in folders of their own: each test is a process of its own, because it sets variables.

#![allow(clippy::print_stdout, reason = "a test says why it was skipped")]

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

fn with_ending(cache: &Path, ending: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(cache).expect("the folder").map(|e| e.expect("an entry").path());
    all.filter(|p| p.extension().is_some_and(|e| e == ending)).collect()
}

fn libraries(cache: &Path) -> Vec<PathBuf> {
    with_ending(cache, "so")
}

#[test]
#[ignore = "the other tests of this file start it"]
fn in_a_process() {
    let runtime = Runtime::new(Backend::Cpu { threads: 1 }, Options::default()).expect("a CPU");
    let mut plan = saxpy(Target::C);
    plan.preamble += &std::env::var("CACHE_TEST_REMARK").map_or(String::new(), |text| format!("// {text}\n"));
    let loaded = runtime.load(&plan).unwrap_or_else(|error| panic!("{error}"));
    let (args, wanted) = saxpy_case(100);
    assert_eq!(loaded.call("saxpy", &args).unwrap_or_else(|error| panic!("{error}")).0, wanted);
    if let Some(remark) = loaded.remark() {
        println!("remark: {remark}");
    }
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
    assert_eq!(left, 3, "a library, its key, what the compiler said of itself, and nothing temporary");
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
    // One byte is enough.
    let mut changed = std::fs::read(library).expect("the library");
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    std::fs::write(library, &changed).expect("damaged");
    assert!(start(&cache, "cc").output().expect("ends").status.success());
    assert!(std::fs::read(library).expect("the library") != changed, "it was made again");
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

#[test]
fn a_process_that_is_killed_leaves_nothing_broken() {
    let cache = folder("killed");
    // A compiler that has written half of its output when it is interrupted.
    let slow = cache.join("slow-cc");
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && exec echo slow\n\
        while [ $# -gt 0 ]; do [ \"$1\" = -o ] && printf half > \"$2\"; shift; done\nexec sleep 3\n";
    write_script(&slow, script);
    let mut child = start(&cache, &slow.display().to_string()).stdout(Stdio::null()).spawn().expect("starts");
    let began = std::time::Instant::now();
    while with_ending(&cache, "tmp").is_empty() && began.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    child.kill().expect("killed");
    child.wait().expect("ends");
    assert!(libraries(&cache).is_empty() && with_ending(&cache, "key").is_empty());
    assert!(!with_ending(&cache, "tmp").is_empty(), "it was killed while it compiled");
    let output = start(&cache, "cc").output().expect("ends");
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(libraries(&cache).len(), 1);
    let _ = std::fs::remove_dir_all(&cache);
}

#[test]
fn the_least_recently_used_entries_go() {
    let cache = folder("limit");
    let with = |text: &str, limit: &str| {
        let output = start(&cache, "cc").env("CACHE_TEST_REMARK", text).env("TERRACE_CACHE_LIMIT", limit).output();
        let output = output.expect("ends");
        assert!(output.status.success(), "{}", self::text(&output));
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let keys = |text: &str| {
        let named = |p: &PathBuf| std::fs::read_to_string(p).is_ok_and(|key| key.contains(&format!("// {text}\n")));
        with_ending(&cache, "key").iter().filter(|p| named(p)).count()
    };
    with("one", "1G");
    let size: u64 = with_ending(&cache, "so")
        .iter()
        .chain(&with_ending(&cache, "key"))
        .map(|p| p.metadata().map_or(0, |d| d.len()))
        .sum();
    let room = format!("{}", 2 * size + size / 2);
    with("two", &room);
    with("one", &room);
    with("three", &room);
    assert_eq!((keys("one"), keys("two"), keys("three")), (1, 0, 1), "the second was used least recently");
    assert_eq!(libraries(&cache).len(), 2);
    with("four", "1");
    assert_eq!((keys("four"), libraries(&cache).len()), (1, 1), "what is used now stays");
    let _ = std::fs::remove_dir_all(&cache);
}

#[test]
fn a_limit_that_is_no_number_is_said_once() {
    let cache = folder("limit");
    for (limit, remarks) in [("12Q", 1), ("many", 1), ("", 0), (" 64M ", 0)] {
        let output = start(&cache, "cc").env("TERRACE_CACHE_LIMIT", limit).output().expect("ends");
        let said = text(&output);
        assert!(output.status.success(), "{said}");
        assert_eq!(said.matches("remark: TERRACE_CACHE_LIMIT is no number of bytes").count(), remarks, "{said}");
    }
    let _ = std::fs::remove_dir_all(&cache);
}

#[test]
fn a_folder_that_cannot_be_written_is_no_obstacle() {
    use std::os::unix::fs::PermissionsExt;
    let check = |cache: &Path| {
        let output = start(cache, "cc").output().expect("ends");
        let said = text(&output);
        assert!(output.status.success(), "{said}");
        assert_eq!(said.matches("remark: the kernel cache cannot be written").count(), 1, "{said}");
    };
    // Below a file there is no folder, whoever asks.
    let place = folder("read-only");
    std::fs::write(place.join("file"), "").expect("written");
    check(&place.join("file").join("cache"));
    let cache = place.join("cache");
    std::fs::create_dir(&cache).expect("a folder");
    std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(0o555)).expect("read-only");
    if std::fs::write(cache.join("try"), "").is_ok() {
        println!("skipped: this user may write to read-only folders");
    } else {
        check(&cache);
        assert_eq!(std::fs::read_dir(&cache).expect("the folder").count(), 0);
    }
    let _ = std::fs::remove_dir_all(&place);
}

#[test]
fn a_full_disk_is_no_obstacle() {
    let cache = folder("full");
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=16k", "none"]).arg(&cache).output();
    if !mounted.is_ok_and(|m| m.status.success()) {
        println!("skipped: no small disk can be made here without more rights");
        let _ = std::fs::remove_dir_all(&cache);
        return;
    }
    let output = start(&cache, "cc").output().expect("ends");
    let left = libraries(&cache).len() + with_ending(&cache, "key").len();
    let _ = Command::new("umount").arg(&cache).output();
    let _ = std::fs::remove_dir_all(&cache);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("remark: "), "{said}");
    assert_eq!(left, 0, "nothing that is cut short");
}
