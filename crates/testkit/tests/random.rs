//! Random programs agree on every engine; see `terrace_testkit::random`.
//!
//! `TERRACE_RANDOM=20000` runs so many, `TERRACE_RANDOM_FROM=1000` starts elsewhere (a long run can be cut into ranges and taken up again),
//! `TERRACE_RANDOM_ON=flat,c` takes only these engines. A long run tells where it is, in lines such as
//!
//! ```text
//! 4000 to 4400: 400 compared, 82 fail, 0 declined, 0 differences
//! ```

use std::collections::BTreeMap;
use terrace::{Backend, Strategy};
use terrace_testkit::corpus::side_by_side;
use terrace_testkit::random::generate::sample;
use terrace_testkit::random::{Summary, compare};
use terrace_testkit::setup::{Setup, cover};

const COUNT: u64 = 100;
/// Below which number indices of simulated launches have 32 bits: nearly always, in some launches, in few.
const INDICES: [i64; 3] = [1 << 31, 100, 20];
/// Samples in one file.
const BATCH: usize = 10;
/// Files between two lines of a long run.
const STEP: usize = 40;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Flat runs everything in all strategies; of the other engines each batch gets the next setup in turn.
fn setups(batch: usize) -> Vec<Setup> {
    let only = std::env::var("TERRACE_RANDOM_ON").unwrap_or_else(|_| "flat,mem,c,cuda-sim".to_string());
    let on = |backend: Backend| only.split(',').any(|name| name == backend.name());
    let mut out = Vec::new();
    if on(Backend::Flat) {
        out.extend(cover(Backend::Flat));
    }
    let turn = |backend| {
        let all = cover(backend);
        all[batch * 5 / 2 % all.len()].clone()
    };
    if on(Backend::Mem) {
        out.push(turn(Backend::Mem));
    }
    if on(Backend::C) && batch.is_multiple_of(2) {
        out.push(turn(Backend::C));
    }
    if on(Backend::CudaSim) && batch.is_multiple_of(4) {
        let strategy = [Strategy::Flat, Strategy::Outer, Strategy::Block, Strategy::Mix(1)][batch / 4 % 4];
        let setup = Setup::new(Backend::CudaSim).strategy(strategy).tiny();
        out.push(setup.seed(batch as u64 % 3).indices(INDICES[batch % 3]));
    }
    if on(Backend::Cuda) {
        out.push(turn(Backend::Cuda));
    }
    out
}

fn words(summary: &Summary) -> String {
    let (declined, differences) = (summary.declines(), summary.differences.len());
    format!("{} compared, {} fail, {declined} declined, {differences} differences", summary.compared, summary.failing)
}

#[test]
fn random_programs_agree() {
    let (from, count) = (number("TERRACE_RANDOM_FROM", 0), number("TERRACE_RANDOM", COUNT));
    let numbers: Vec<u64> = (from..from + count).collect();
    let batches: Vec<(usize, &[u64])> = numbers.chunks(BATCH).enumerate().collect();
    let mut all = Summary::default();
    for part in batches.chunks(STEP) {
        let mut here = Summary::default();
        side_by_side(part, |(k, batch)| compare(batch, &setups(*k))).into_iter().for_each(|s| here.add(s));
        if count > COUNT {
            let first = part.first().map_or(from, |(_, batch)| batch[0]);
            let last = part.last().and_then(|(_, batch)| batch.last()).map_or(from, |n| n + 1);
            eprintln!("{first} to {last}: {}", words(&here));
            here.differences.iter().for_each(|text| eprintln!("\n{text}\n"));
        }
        all.add(here);
        if all.differences.len() > 20 {
            break;
        }
    }
    let reasons: String = all.declined.iter().map(|(why, n)| format!("{:6} {why}\n", n.len())).collect();
    let counts = words(&all);
    assert!(all.differences.is_empty(), "{counts}\n{reasons}\n{}", all.differences.join("\n\n"));
    assert!(all.declined.is_empty(), "some are declined: {counts}\n{reasons}");
    if count >= COUNT {
        assert!(10 * all.failing > all.compared, "too few programs fail: {counts}");
        eprintln!("{counts}");
    }
}

/// What a random program may contain.
const CONSTRUCTS: &[&str] = &[
    "assert",
    "call",
    "call with sizes",
    "comparison",
    "concat",
    "enum",
    "field",
    "filter",
    "flatten",
    "gather",
    "generate",
    "group_by",
    "hist",
    "hist of arrays",
    "if",
    "if with arrays",
    "index",
    "large argument",
    "loop",
    "loop in",
    "loop over arrays",
    "map",
    "match",
    "match with arrays",
    "mutual recursion",
    "nested four deep",
    "operator on arrays",
    "operator on tuples",
    "operator that does not commute",
    "operator with a loop",
    "pad",
    "parallel operator",
    "partition",
    "record",
    "record update",
    "recursion",
    "recursion on parts",
    "recursive call",
    "reduce",
    "replicate",
    "reverse",
    "rotate",
    "rows by formula",
    "rows picked",
    "rows repeated",
    "scan",
    "scatter",
    "slice",
    "slice by",
    "slide",
    "sort",
    "sort by keys",
    "split",
    "stated sizes",
    "stated sizes of a function",
    "strided slice",
    "strided slice 2d",
    "transpose",
    "tuple",
    "update",
    "update inside a row",
    "update of a slice",
    "update of a strided slice",
    "while",
    "while over arrays",
    "zip",
];

#[test]
fn random_programs_contain_everything() {
    let count = 2000;
    let mut seen: BTreeMap<&str, usize> = CONSTRUCTS.iter().map(|name| (*name, 0)).collect();
    for number in 0..count {
        sample(number).constructs().into_iter().for_each(|name| *seen.entry(name).or_default() += 1);
    }
    let rare: Vec<String> =
        seen.iter().filter(|(_, n)| **n * 50 < count as usize).map(|(c, n)| format!("{c}: {n}")).collect();
    assert!(rare.is_empty(), "in less than 2 % of {count} programs: {}", rare.join(", "));
    let unknown: Vec<&str> = seen.keys().copied().filter(|name| !CONSTRUCTS.contains(name)).collect();
    assert!(unknown.is_empty(), "not in the list: {unknown:?}");
}

/// A sample with everything that shrinking can do done to it is small, and each step is smaller than the one before.
#[test]
fn samples_get_smaller() {
    for number in 0..40 {
        let mut best = sample(number);
        for _ in 0..400 {
            match best.smaller().into_iter().next() {
                Some(less) => {
                    assert!(less.size() < best.size(), "{best}\n{less}");
                    best = less;
                }
                None => break,
            }
        }
        assert!(best.size() < 40, "size {}\n{best}", best.size());
    }
}
