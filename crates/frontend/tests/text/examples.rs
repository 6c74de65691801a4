//! The example programs: they compile, their Core is what it was, and all their tests hold.

use crate::support::{compare_with_file, sources};

const FOLDER: &str = "../../../examples";

#[test]
fn every_test_of_every_example_holds() {
    let mut ran = 0;
    for source in sources(FOLDER) {
        assert_eq!(source.show(&source.compiled().warnings), "");
        ran += source.tests_hold();
    }
    assert!(ran >= 20, "only {ran} tests");
}

#[test]
fn core_of_the_examples() {
    for source in sources(FOLDER) {
        let text = terrace_ir::core::print::print(&source.compiled().program);
        compare_with_file(&format!("core/{}.core", source.name), &text);
    }
}
