//! `cargo xtask grammars`: generates the tree-sitter parser, and runs it over every program of the repository.
//!
//! ```text
//! generator   a program of ten lines over the crate `tree-sitter-generate`, built in target/grammars; it runs node
//! parser      editors/tree-sitter-terrace, copied to target/grammars and generated there, then compiled by cc
//! programs    every .tce file that `terrace fmt` can read: `check.py` parses them with the package `tree-sitter` of Python
//! ```
//!
//! A tree with an error in it fails the command, and so does a query that names what the grammar has not. It needs node, Python and, the first
//! time, a network, so it is no part of the tests; those check what needs none (`crates/frontend/tests/editors.rs`). The generated parser is not kept in the
//! repository. The tool of tree-sitter itself does the same (`tree-sitter generate`, `tree-sitter parse`), and takes much longer to get.

use crate::{cargo, ended, files_below, root, run, target};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const MANIFEST: &str = "[package]
name = \"generate\"
version = \"0.1.0\"
edition = \"2024\"

[workspace]

[dependencies]
tree-sitter-generate = \"=0.25.10\"
";

const GENERATOR: &str = "fn main() {
    let folder = std::env::args().nth(1).expect(\"a folder\");
    let folder = std::path::Path::new(&folder);
    if let Err(why) = tree_sitter_generate::generate_parser_in_directory(folder, None, None, 14, None, None) {
        eprintln!(\"{why}\");
        std::process::exit(1);
    }
}
";

pub(crate) fn grammars() -> ExitCode {
    ended(check())
}

fn check() -> Result<bool, String> {
    let home = target().join("grammars");
    let folder = home.join("tree-sitter-terrace");
    copy(&root().join("editors/tree-sitter-terrace"), &folder)?;
    run(Command::new(generator(&home)?).arg(".").current_dir(&folder))?;
    let bytes = std::fs::metadata(folder.join("src/parser.c")).map_or(0, |m| m.len());
    println!("generated: {}, {bytes} bytes", folder.join("src/parser.c").display());
    let library = home.join("terrace.so");
    run(Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-I", "src", "src/parser.c", "-o"])
        .arg(&library)
        .current_dir(&folder))?;
    let (accepted, refused) = programs()?;
    println!("programs: {} that the compiler's parser accepts, {refused} that it refuses", accepted.len());
    let mut child = Command::new(python(&home)?)
        .arg(folder.join("check.py"))
        .args([&library, &folder.join("queries/highlights.scm")])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|why| format!("python: {why}"))?;
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all((accepted.join("\n") + "\n").as_bytes());
    }
    child.wait().map(|status| status.success()).map_err(|why| format!("python: {why}"))
}

/// The program that generates parsers, built where it is not there yet.
fn generator(home: &Path) -> Result<PathBuf, String> {
    let folder = home.join("generator");
    let program = folder.join("target/debug/generate");
    if !program.exists() {
        let write = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).map_err(|why| format!("{}: {why}", folder.join(name).display()))
        };
        std::fs::create_dir_all(folder.join("src")).map_err(|why| format!("{}: {why}", folder.display()))?;
        write("Cargo.toml", MANIFEST)?;
        write("src/main.rs", GENERATOR)?;
        let mut build = cargo();
        build.current_dir(&folder).args(["build", "--quiet", "--target-dir", "target"]);
        run(&mut build)?;
    }
    Ok(program)
}

/// A Python with the runtime of tree-sitter.
fn python(home: &Path) -> Result<PathBuf, String> {
    let python = home.join("python/bin/python");
    let ready = || run(Command::new(&python).args(["-c", "import tree_sitter"])).is_ok();
    if !ready() {
        run(Command::new("python3").args(["-m", "venv"]).arg(home.join("python")))?;
        run(Command::new(&python).args(["-m", "pip", "--quiet", "install", "tree-sitter"]))?;
    }
    Ok(python)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |why: std::io::Error| format!("{}: {why}", from.display());
    std::fs::create_dir_all(to).map_err(failed)?;
    for entry in std::fs::read_dir(from).map_err(failed)?.flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            std::fs::copy(&path, &target).map_err(failed)?;
        }
    }
    Ok(())
}

/// The programs of the repository that can be read, and how many cannot: tests hold some with mistakes in them.
fn programs() -> Result<(Vec<String>, usize), String> {
    run(cargo().args(["build", "--quiet", "--package", "terrace-cli"]))?;
    let terrace = target().join("debug/terrace");
    let rooms = ["examples", "lib", "tests", "benchmarks", "crates", "docs"];
    let files: Vec<PathBuf> = rooms.iter().flat_map(|room| files_below(&root().join(room), &["tce"])).collect();
    let (mut accepted, mut refused) = (Vec::new(), 0);
    for file in files {
        let text = std::fs::read(&file).map_err(|why| format!("{}: {why}", file.display()))?;
        let mut child = Command::new(&terrace)
            .args(["fmt", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|why| format!("{}: {why}", terrace.display()))?;
        if let Some(mut input) = child.stdin.take() {
            let _ = input.write_all(&text);
        }
        match child.wait().is_ok_and(|status| status.success()) {
            true => accepted.push(file.display().to_string()),
            false => refused += 1,
        }
    }
    Ok((accepted, refused))
}
