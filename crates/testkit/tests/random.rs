//! Random programs agree on every engine; see `terrace_testkit::random`.
//!
//! `TERRACE_RANDOM=5000` runs so many, `TERRACE_RANDOM_FROM=1000` starts elsewhere, `TERRACE_RANDOM_ON=flat,c` takes only these
//! engines.

use terrace::{Backend, Strategy};
use terrace_testkit::random::compare;
use terrace_testkit::setup::{Setup, cover};

const COUNT: u64 = 150;
const BATCH: usize = 10;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// The interpreters run everything; of the compiled engines each batch gets the next setup in turn.
fn setups(batch: usize) -> Vec<Setup> {
    let only = std::env::var("TERRACE_RANDOM_ON").unwrap_or_else(|_| "flat,mem,c,cuda-sim".to_string());
    let on = |backend: Backend| only.split(',').any(|name| name == backend.name());
    let mut out = Vec::new();
    if on(Backend::Flat) {
        out.extend(cover(Backend::Flat));
    }
    let turn = |backend| {
        let all = cover(backend);
        all[batch % all.len()].clone()
    };
    if on(Backend::Mem) {
        out.push(turn(Backend::Mem));
    }
    if on(Backend::C) {
        out.push(turn(Backend::C));
    }
    if on(Backend::CudaSim) {
        out.push(Setup::new(Backend::CudaSim).strategy(Strategy::Flat).tiny().seed(batch as u64 % 3));
    }
    if on(Backend::Cuda) {
        out.push(turn(Backend::Cuda));
    }
    out
}

#[test]
fn random_programs_agree() {
    let (from, count) = (number("TERRACE_RANDOM_FROM", 0), number("TERRACE_RANDOM", COUNT));
    let numbers: Vec<u64> = (from..from + count).collect();
    let (mut compared, mut failing, mut declined) = (0, 0, 0);
    let mut differences = Vec::new();
    for (k, batch) in numbers.chunks(BATCH).enumerate() {
        let summary = compare(batch, &setups(k));
        compared += summary.compared;
        failing += summary.failing;
        declined += summary.declined;
        differences.extend(summary.differences);
        if differences.len() > 10 {
            break;
        }
    }
    let counts = format!("{compared} compared, {failing} of them fail, {declined} declined");
    assert!(differences.is_empty(), "{counts}; {} differences:\n\n{}", differences.len(), differences.join("\n\n"));
    assert!(compared > 2 * declined, "too few programs were compared: {counts}");
    if count >= COUNT {
        assert!(20 * failing > compared, "too few programs fail: {counts}");
    }
}
