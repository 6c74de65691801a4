//! The cost of programs grows as it should: see `terrace_testkit::costs`, whose table `cargo xtask costs` prints.

use terrace::Strategy;
use terrace_testkit::corpus::side_by_side;
use terrace_testkit::costs::{CASES, measure, program, table};

fn check(strategy: Strategy) {
    let program = program().unwrap_or_else(|why| panic!("{why}"));
    let cases: Vec<_> = CASES.iter().collect();
    let measured = side_by_side(&cases, |case| measure(&program, case, strategy));
    let measured: Vec<_> = measured.into_iter().map(|m| m.unwrap_or_else(|why| panic!("{why}"))).collect();
    assert!(measured.iter().all(|m| m.holds()), "\n{}", table(&measured));
}

#[test]
fn costs_of_the_flat_version() {
    check(Strategy::Flat);
}

#[test]
fn costs_of_the_outer_version() {
    check(Strategy::Outer);
}

#[test]
fn costs_of_the_sequential_version() {
    check(Strategy::Seq);
}
