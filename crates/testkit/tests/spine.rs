//! The programs of `tests/spine`, on every engine and in every strategy.
//!
//! Each test below is an engine; the files are the data. `TERRACE_SPINE=spmv` runs only the files whose name contains that.

use std::path::PathBuf;
use terrace::{Backend, Strategy};
use terrace_testkit::corpus::{programs, run_files};
use terrace_testkit::setup::{STRATEGIES, Setup, cover, cuda_present};

fn files(large: bool) -> Vec<PathBuf> {
    let only = std::env::var("TERRACE_SPINE").unwrap_or_default();
    programs("spine", large).into_iter().filter(|p| p.display().to_string().contains(&only)).collect()
}

fn small() -> Vec<PathBuf> {
    files(false)
}

fn check(paths: Vec<PathBuf>, setups: &[Setup]) {
    run_files(&paths, setups).expect_success();
}

fn each_strategy(backend: Backend) -> Vec<Setup> {
    STRATEGIES.iter().map(|s| Setup::new(backend).strategy(*s)).collect()
}

#[test]
fn spine_on_interp() {
    check(small(), &[Setup::new(Backend::Interp)]);
}

#[test]
fn large_spine_on_interp() {
    check(files(true), &[Setup::new(Backend::Interp)]);
}

#[test]
fn spine_on_flat_all_strategies() {
    check(small(), &each_strategy(Backend::Flat));
}

#[test]
fn spine_on_flat_cover() {
    check(small(), &cover(Backend::Flat));
}

#[test]
fn spine_on_flat_split_waves() {
    let setup = Setup::new(Backend::Flat).memory(1);
    let paths = small().into_iter().filter(|p| p.ends_with("quicksort.tce") || p.ends_with("recursion.tce"));
    check(paths.collect(), &[setup]);
}

#[test]
fn large_spine_on_flat() {
    check(files(true), &[Setup::new(Backend::Flat)]);
}

#[test]
fn spine_on_mem() {
    check(small(), &[Setup::new(Backend::Mem), Setup::new(Backend::Mem).strategy(Strategy::Mix(1))]);
}

#[test]
fn spine_on_c_all_strategies() {
    check(small(), &each_strategy(Backend::C));
}

#[test]
fn spine_on_c_cover() {
    check(small(), &cover(Backend::C));
}

#[test]
fn large_spine_on_c() {
    check(files(true), &each_strategy(Backend::C));
}

#[test]
fn spine_on_cuda_sim() {
    let of = |s| Setup::new(Backend::CudaSim).strategy(s).tiny();
    check(small(), &[of(Strategy::Flat)]);
}

#[test]
fn spine_on_cuda() {
    if cuda_present() {
        check(small(), &each_strategy(Backend::Cuda));
        check(small(), &cover(Backend::Cuda));
        check(files(true), &each_strategy(Backend::Cuda));
    }
}
