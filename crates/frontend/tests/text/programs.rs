//! Programs whose tests all hold, and programs whose tests all stop with an error.
//!
//! `programs/*.tce` must hold. `failing/NAME.txt` has the rendered error of every test of `failing/NAME.tce`.

use crate::support::{compare_with_file, sources};

#[test]
fn tests_hold() {
    for source in sources("programs") {
        assert!(source.tests_hold() > 0, "{} has no tests", source.name);
    }
}

#[test]
fn errors_are_reported() {
    for source in sources("failing") {
        let mut text = String::new();
        source.run_tests(|name, result| {
            let failure = result.expect_err(name);
            let shown = source.show(&[failure.to_diagnostic()]);
            text.push_str(&format!("test {name:?}\n{shown}\n"));
        });
        compare_with_file(&format!("failing/{}.txt", source.name), &text);
    }
}

#[test]
fn core_verifies_and_reads_back() {
    for source in sources("programs").into_iter().chain(sources("failing")) {
        let mut program = source.compiled().program.clone();
        assert_eq!(terrace_ir::core::verify::verify(&program), Ok(()), "{}", source.name);
        let text = terrace_ir::core::print::print(&program);
        let again = terrace_ir::core::parse::parse(&text);
        terrace_ir::core::parse::erase_spans(&mut program);
        assert_eq!(again, Ok(program), "{}", source.name);
    }
}
