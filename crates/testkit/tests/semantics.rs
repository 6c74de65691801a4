//! The table of `tests/semantics`, on every engine.
//!
//! Each file is a program with its cases; see `terrace_testkit::table`. The last test says that the table has no part that
//! nobody runs: every file has cases, and what cannot be reached has a reason.

use std::path::PathBuf;
use terrace::{Backend, Strategy};
use terrace_testkit::corpus::{Report, programs};
use terrace_testkit::setup::{STRATEGIES, Setup, cover, cuda_present};
use terrace_testkit::table::{Table, run};

fn tables() -> Vec<(String, Table)> {
    let name = |p: &PathBuf| p.file_name().expect("a file").to_string_lossy().into_owned();
    let read = |p: PathBuf| (name(&p), Table::read(&p).unwrap_or_else(|e| panic!("{}: {e}", p.display())));
    programs("semantics", false).into_iter().map(read).collect()
}

fn check(setups: &[Setup]) {
    let mut report = Report::default();
    for (name, table) in tables() {
        for setup in setups {
            report.add(run(&name, &table, setup));
        }
    }
    report.expect_success();
}

#[test]
fn semantics_on_interp() {
    check(&[Setup::new(Backend::Interp)]);
}

#[test]
fn semantics_on_flat() {
    check(&STRATEGIES.map(|s| Setup::new(Backend::Flat).strategy(s)));
    check(&cover(Backend::Flat));
}

#[test]
fn semantics_on_mem() {
    check(&[Setup::new(Backend::Mem), Setup::new(Backend::Mem).strategy(Strategy::Seq)]);
}

#[test]
fn semantics_on_c() {
    check(&STRATEGIES.map(|s| Setup::new(Backend::C).strategy(s)));
    check(&[Setup::new(Backend::C).tiny(), Setup::new(Backend::C).regularity(false).fusion(false)]);
}

#[test]
fn semantics_on_cuda_sim() {
    check(&[0, 1, 2].map(|seed| Setup::new(Backend::CudaSim).tiny().seed(seed)));
}

#[test]
fn semantics_on_cuda() {
    if cuda_present() {
        check(&STRATEGIES.map(|s| Setup::new(Backend::Cuda).strategy(s)));
    }
}

#[test]
fn the_table_has_no_silent_holes() {
    let tables = tables();
    assert!(!tables.is_empty());
    for (name, table) in tables {
        assert!(table.cases.len() + table.unreachable.len() > 0, "{name} says nothing");
        for (what, why) in &table.unreachable {
            assert!(!what.is_empty() && !why.is_empty(), "{name}: `{what}` needs a reason");
        }
    }
}
