//! The programs of `tests/spine`, on every engine and in every strategy.
//!
//! Each test below is an engine; the files are the data. The quick run takes a cover of the choices on the compiled engines,
//! where a file takes seconds to compile, and parts of it in turn on the interpreters; `TERRACE_LONG=1` takes all of them. `TERRACE_SPINE=spmv` runs only the files whose
//! name contains that.

use std::path::PathBuf;
use terrace::{Backend, Program, Strategy};
use terrace_testkit::answer::{call, engine};
use terrace_testkit::corpus::{programs, run_files, turn};
use terrace_testkit::setup::{STRATEGIES, Setup, cover, cuda_present, opencl_missing};

fn files(large: bool) -> Vec<PathBuf> {
    let only = std::env::var("TERRACE_SPINE").unwrap_or_default();
    programs("spine", large).into_iter().filter(|p| p.display().to_string().contains(&only)).collect()
}

fn small() -> Vec<PathBuf> {
    files(false)
}

fn of_names(names: &[&str]) -> Vec<PathBuf> {
    small().into_iter().filter(|p| names.iter().any(|n| p.ends_with(n))).collect()
}

fn long() -> bool {
    std::env::var_os("TERRACE_LONG").is_some()
}

fn check(paths: Vec<PathBuf>, setups: &[Setup]) {
    if !paths.is_empty() {
        run_files(&paths, setups).expect_success();
    }
}

fn each_strategy(backend: Backend) -> Vec<Setup> {
    STRATEGIES.iter().map(|s| Setup::new(backend).strategy(*s)).collect()
}

/// Every strategy once, every other choice in both ways.
fn short_cover(backend: Backend) -> Vec<Setup> {
    let of = |strategy| Setup::new(backend).strategy(strategy);
    vec![
        of(Strategy::Flat).tiny(),
        of(Strategy::Outer),
        of(Strategy::Block).tiny().regularity(false),
        of(Strategy::Seq).fusion(false),
        of(Strategy::Mix(1)).tiny().fusion(false),
        of(Strategy::Mix(2)).regularity(false),
    ]
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
    check_by_turns(&each_strategy(Backend::Flat));
}

/// Each file in all of the setups; in a quick run in a sixth of them, another sixth every day.
fn check_by_turns(all: &[Setup]) {
    const PARTS: usize = 6;
    for (k, path) in small().into_iter().enumerate() {
        let taken = all.iter().enumerate().filter(|(at, _)| long() || (at + k) % PARTS == turn(PARTS));
        check(vec![path], &taken.map(|(_, setup)| setup.clone()).collect::<Vec<_>>());
    }
}

#[test]
fn spine_on_flat_cover() {
    check_by_turns(&cover(Backend::Flat));
}

#[test]
fn spine_in_split_waves() {
    let names = ["quicksort.tce", "recursion.tce", "trees.tce"];
    check(of_names(&names), &[Setup::new(Backend::Flat).memory(1)]);
}

#[test]
fn large_spine_on_flat() {
    let setups = if long() { each_strategy(Backend::Flat) } else { vec![Setup::new(Backend::Flat)] };
    check(files(true), &setups);
}

#[test]
fn spine_on_mem() {
    check_by_turns(&short_cover(Backend::Mem));
}

/// The six programs under all of the setups, the others under two of them in turn.
fn check_in_turn(backend: Backend) {
    const SIX: [&str; 6] = ["saxpy.tce", "spmv.tce", "filter_sum.tce", "collatz.tce", "quicksort.tce", "trmv.tce"];
    let all = short_cover(backend);
    for (k, path) in small().into_iter().enumerate() {
        let two = [all[k % all.len()].clone(), all[(k + all.len() / 2) % all.len()].clone()];
        let of_six = SIX.iter().any(|n| path.ends_with(n));
        check(vec![path], if of_six { &all } else { &two });
    }
}

#[test]
fn spine_on_c_all_strategies() {
    check_in_turn(Backend::C);
    if long() {
        check(small(), &short_cover(Backend::C));
        check(small(), &each_strategy(Backend::C));
        check(small(), &cover(Backend::C));
    }
}

#[test]
fn large_spine_on_c() {
    let quick = [Setup::new(Backend::C), Setup::new(Backend::C).strategy(Strategy::Outer)];
    if long() { check(files(true), &each_strategy(Backend::C)) } else { check(files(true), &quick) }
}

#[test]
fn spine_on_cuda_sim() {
    check(small(), &[Setup::new(Backend::CudaSim).tiny()]);
    if long() {
        check(small(), &short_cover(Backend::CudaSim));
    }
}

#[test]
fn small_spine_on_cuda_sim_in_three_schedules() {
    let names = ["all_pairs.tce", "prefixes.tce", "zips.tce"];
    let of = |seed| Setup::new(Backend::CudaSim).tiny().seed(seed);
    check(of_names(&names), &[of(0), of(1), of(2)]);
    check(of_names(&["all_pairs.tce"]), &[of(1).strategy(Strategy::Block), of(2).strategy(Strategy::Mix(1))]);
}

#[test]
fn spine_on_cuda() {
    if cuda_present() {
        check(small(), &each_strategy(Backend::Cuda));
        check(small(), &cover(Backend::Cuda));
        check(files(true), &each_strategy(Backend::Cuda));
    }
}

/// Every strategy on a few programs; all programs in a long run.
#[test]
fn spine_on_opencl() {
    if opencl_missing().is_none() {
        let sample = of_names(&["saxpy.tce", "spmv.tce", "filter_sum.tce"]);
        check(if long() { small() } else { sample }, &short_cover(Backend::OpenCl));
    }
}

/// Sums that round: another order of adding would show. The number of threads must not.
#[test]
fn threads_do_not_change_a_bit() {
    let text = "
entry total(n: i64) -> f64 = sum([1.0 / f64(i + 1) for i < n])
entry rows(n: i64) -> []f32 = [sum([1.0f32 / f32(j + 1) for j < (7919 * i) % 3000]) for i < n]
entry kept(n: i64) -> (f64, []f64) =
  let xs = [1.0 / f64(i + 1) for i < n if i % 3 != 0] in (sum(xs), scan((+), 0.0, xs))
entry binned(n: i64) -> ([]f64, []i64) =
  let bins = [(i * i) % 11 for i < n]
  in (hist((+), 0.0, 11, bins, [1.0 / f64(i + 1) for i < n]), hist((+), 0, 11, bins, [i for i < n]))
";
    let program = Program::from_text("threads", text).expect("a right program");
    for setup in
        [Setup::new(Backend::C), Setup::new(Backend::C).tiny(), Setup::new(Backend::C).strategy(Strategy::Outer)]
    {
        let answers = [1, 2, 7].map(|threads| {
            let engine =
                engine(&program, &setup.clone().threads(threads)).unwrap_or_else(|why| panic!("{setup}: {why}"));
            [("total", "100000"), ("rows", "300"), ("kept", "20000"), ("binned", "200000")].map(|(entry, n)| {
                let n = program.argument(entry, 0, n).expect("a number");
                let first = call(&engine, entry, std::slice::from_ref(&n), text);
                assert_eq!(first, call(&engine, entry, &[n], text), "{setup}: two runs of `{entry}`");
                first
            })
        });
        assert_eq!(answers[0], answers[1], "{setup}: 1 and 2 threads");
        assert_eq!(answers[0], answers[2], "{setup}: 1 and 7 threads");
    }
}
