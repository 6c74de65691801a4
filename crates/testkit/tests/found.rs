//! The programs of `tests/found`, which some engine once got wrong: see `terrace_testkit::found`.
//!
//! The quick run takes a cover of the choices on the interpreters of Flat and Mem, and C; `TERRACE_LONG=1` adds all choices on C and the
//! simulated GPU. `TERRACE_FOUND=rows` takes only the files whose name contains that.

use std::path::PathBuf;
use terrace::{Backend, Strategy};
use terrace_testkit::corpus::{programs_below, short_name, side_by_side};
use terrace_testkit::found::check;
use terrace_testkit::setup::{Setup, cover};

fn files() -> Vec<PathBuf> {
    let only = std::env::var("TERRACE_FOUND").unwrap_or_default();
    programs_below("found").into_iter().filter(|p| short_name(p).contains(&only)).collect()
}

fn check_all(setups: &[Setup]) {
    let wrong: Vec<String> = side_by_side(&files(), |path| check(path, setups)).into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn found_programs_on_the_interpreters() {
    check_all(&[cover(Backend::Flat), cover(Backend::Mem)].concat());
}

#[test]
fn found_programs_on_compiled_engines() {
    let of = |backend| Setup::new(backend).strategy(Strategy::Flat).tiny();
    match std::env::var_os("TERRACE_LONG") {
        Some(_) => check_all(&[cover(Backend::C), vec![of(Backend::CudaSim)]].concat()),
        None => check_all(&[of(Backend::C)]),
    }
}
