//! The standard library: `tests/library` on every engine, and the page about it.
//!
//! Each file of `tests/library` calls the functions of one module on rows of many lengths; what they should give was computed by
//! Python's libraries. A file takes seconds to compile: a quick run takes all of them on the interpreters of Core and Flat, and a
//! part of them, another one every day, on the others. `TERRACE_LONG=1` takes all, `TERRACE_LIBRARY=stats` those with that name.

use std::path::{Path, PathBuf};
use terrace::{Backend, Strategy};
use terrace_testkit::corpus::{programs, run_files, turn};
use terrace_testkit::library::page;
use terrace_testkit::setup::{Setup, cuda_present};

fn only() -> String {
    std::env::var("TERRACE_LIBRARY").unwrap_or_default()
}

fn files() -> Vec<PathBuf> {
    programs("library", false).into_iter().filter(|p| p.display().to_string().contains(&only())).collect()
}

/// One of so many parts of the files, or all of them.
fn part(parts: usize) -> Vec<PathBuf> {
    let all = std::env::var_os("TERRACE_LONG").is_some() || !only().is_empty();
    let turn = turn(parts);
    let taken = files().into_iter().enumerate().filter(|(k, _)| all || k % parts == turn);
    taken.map(|(_, path)| path).collect()
}

#[test]
fn library_on_interp() {
    run_files(&files(), &[Setup::new(Backend::Interp)]).expect_success();
}

#[test]
fn library_on_flat() {
    run_files(&files(), &[Setup::new(Backend::Flat)]).expect_success();
}

#[test]
fn library_on_mem() {
    run_files(&part(4), &[Setup::new(Backend::Mem).strategy(Strategy::Mix(1)).tiny()]).expect_success();
}

#[test]
fn library_on_c() {
    run_files(&part(6), &[Setup::new(Backend::C)]).expect_success();
}

#[test]
fn library_on_cuda_sim() {
    run_files(&part(12), &[Setup::new(Backend::CudaSim).tiny()]).expect_success();
}

#[test]
fn library_on_cuda() {
    if cuda_present() {
        run_files(&files(), &[Setup::new(Backend::Cuda)]).expect_success();
    }
}

/// Every module has a file of tests, and every file tests a module.
#[test]
fn every_module_is_tested() {
    let name = |path: &PathBuf| path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let tested: Vec<String> = programs("library", false).iter().map(name).collect();
    let modules = terrace_frontend::library().iter().filter_map(|(path, _)| path.strip_prefix("std/"));
    let modules: Vec<&str> = modules.filter(|name| *name != "prelude").collect();
    assert_eq!(tested, modules);
}

#[test]
fn the_page_is_what_the_comments_say() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/library.md");
    if std::env::var_os("TERRACE_BLESS").is_some() {
        std::fs::write(&file, page()).expect("the folder can be written");
        return;
    }
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        text == page(),
        "docs/reference/library.md is not what the comments of `lib` say; TERRACE_BLESS=1 writes it anew"
    );
}
