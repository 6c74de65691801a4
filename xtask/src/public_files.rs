//! `cargo xtask public-files`: `terrace data` on Arrow and Parquet files that other projects test with.
//!
//! ```text
//! fetched   packages of Python and of npm that carry such files, unpacked below target/public-files
//! read      every .parquet, .arrow, .feather and .ipc file in them
//! compared  with pyarrow: rows, names of columns, first values
//!
//! files/node-parquet/…/alltypes_plain.parquet
//!   read      equal
//! files/awkward/…/list-depths.parquet
//!   refused   T0726 `…` has lists of lists in an old form of Parquet, which is not known here
//! N files: N read, N refused, 0 panicked; N equal, 0 different
//! ```
//!
//! What is refused must say why; a panic, or a value that pyarrow reads otherwise, fails the command. Needs a network the first time.

use crate::{cargo, ended, files_below, run, target};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use terrace_base::Json;

/// Packages of Python, with how they come: built ones as they are, sources with what their own build asks for.
const WHEELS: [&str; 1] = ["pyarrow"];
const SOURCES: [(&str, &[&str]); 1] = [("awkward", &["hatchling", "hatch-fancy-pypi-readme"])];
const NPM: [&str; 2] = ["node-parquet", "vega-datasets"];

pub(crate) fn public_files() -> ExitCode {
    ended(check())
}

fn check() -> Result<bool, String> {
    let home = target().join("public-files");
    let python = home.join("python/bin/python");
    fetch(&home, &python);
    run(cargo().args(["build", "--quiet", "--package", "terrace-cli"]))?;
    let terrace = target().join("debug/terrace");
    let files = files_below(&home.join("files"), &["parquet", "arrow", "feather", "ipc"]);
    if files.is_empty() {
        return Err("no package could be fetched, so there are no files".to_string());
    }
    let (mut counts, mut lines) = ([0; 3], String::new());
    let mut rows: Vec<(PathBuf, Option<String>)> = Vec::new();
    for file in files {
        let output = Command::new(&terrace).args(["data", "--json"]).arg(&file).output();
        let output = output.map_err(|why| format!("{}: {why}", terrace.display()))?;
        let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        match output.status.code() {
            Some(0) => {
                counts[0] += 1;
                lines += &said;
                rows.push((file, None));
            }
            Some(1) => {
                counts[1] += 1;
                let message = errors.lines().find_map(|line| Json::parse(line).ok());
                let part = |name: &str| message.as_ref().and_then(|m| m.at(name).text().map(str::to_string));
                let title = part("title").unwrap_or_default().replace(&file.display().to_string(), "…");
                let why = format!("{} {title}", part("code").unwrap_or_default());
                rows.push((file, Some(format!("refused   {why}"))));
            }
            _ => {
                counts[2] += 1;
                rows.push((file, Some(format!("PANICKED  {}", errors.trim()))));
            }
        }
    }
    let compared = compare(&python, &home, &lines);
    let mut compared = compared.lines();
    let (mut equal, mut different) = (0, 0);
    for (file, row) in rows {
        let shown = file.strip_prefix(&home).unwrap_or(&file).display().to_string();
        let row = row.unwrap_or_else(|| {
            let line = compared.next().unwrap_or("not compared");
            equal += usize::from(line == "equal");
            different += usize::from(line != "equal" && !line.starts_with("pyarrow") && line != "not compared");
            format!("read      {line}")
        });
        println!("{shown}\n  {row}");
    }
    let [read, refused, panicked] = counts;
    let all = read + refused + panicked;
    println!("{all} files: {read} read, {refused} refused, {panicked} panicked; {equal} equal, {different} different");
    Ok(panicked == 0 && different == 0)
}

/// Brings what is not there yet; what cannot be had is said and left out.
fn fetch(home: &Path, python: &Path) {
    let files = home.join("files");
    let said = |what: &str, done: Result<(), String>| {
        if let Err(why) = done {
            println!("{what} is left out: {why}");
        }
    };
    let _ = std::fs::create_dir_all(&files);
    if !python.exists() {
        said("Python", run(Command::new("python3").args(["-m", "venv"]).arg(home.join("python"))));
    }
    let pip = || {
        let mut command = Command::new(python);
        command.args(["-m", "pip", "--quiet"]).current_dir(home);
        command
    };
    for name in WHEELS.into_iter().filter(|name| !files.join(name).exists()) {
        let target = files.join(name);
        said(name, run(pip().arg("install").arg(name)));
        said(name, run(pip().args(["install", "--no-deps", "--target"]).arg(&target).arg(name)));
    }
    for (name, needs) in SOURCES.into_iter().filter(|(name, _)| !files.join(name).exists()) {
        let parts = home.join(format!("{name}-package"));
        let options = ["download", "--no-deps", "--no-build-isolation", "--no-binary", ":all:", "--dest"];
        let done = run(pip().arg("install").args(needs))
            .and_then(|()| run(pip().args(options).arg(&parts).arg(name)))
            .and_then(|()| unpack(&parts, &files.join(name)));
        said(name, done);
    }
    for name in NPM.into_iter().filter(|name| !files.join(name).exists()) {
        let parts = home.join(format!("{name}-package"));
        let _ = std::fs::create_dir_all(&parts);
        let packed = run(Command::new("npm").args(["pack", "--silent", name]).current_dir(&parts));
        said(name, packed.and_then(|()| unpack(&parts, &files.join(name))));
    }
}

/// Unpacks the archives of a folder.
fn unpack(parts: &Path, to: &Path) -> Result<(), String> {
    std::fs::create_dir_all(to).map_err(|why| format!("{}: {why}", to.display()))?;
    for entry in std::fs::read_dir(parts).map_err(|why| format!("{}: {why}", parts.display()))?.flatten() {
        run(Command::new("tar").arg("-C").arg(to).arg("-xzf").arg(entry.path()))?;
    }
    Ok(())
}

/// A line for every file that was read: whether pyarrow reads the same.
fn compare(python: &Path, home: &Path, lines: &str) -> String {
    let script = home.join("compare.py");
    if std::fs::write(&script, include_str!("compare_with_pyarrow.py")).is_err() {
        return String::new();
    }
    let child = Command::new(python).arg(&script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else { return String::new() };
    let (input, lines) = (child.stdin.take(), lines.to_string());
    let writer = std::thread::spawn(move || input.map(|mut input| input.write_all(lines.as_bytes())));
    let output = child.wait_with_output().map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    let _ = writer.join();
    output.unwrap_or_default()
}
