//! Programs whose tests all hold, and programs whose tests all stop with an error.
//!
//! `programs/*.tce` must hold. `failing/NAME.txt` has the rendered error of every test of `failing/NAME.tce`.

mod support;

use std::path::Path;
use support::{compare_with_file, compile};
use terrace_base::{Diagnostic, SourceMap, render};
use terrace_frontend::Compiled;
use terrace_interp::core::{Failure, call};
use terrace_ir::core::Role;
use terrace_plan::data::Data;

fn show(reports: &[Diagnostic], map: &SourceMap) -> String {
    let shown: Vec<String> = reports.iter().map(|r| render(r, map, false)).collect();
    shown.join("\n")
}

fn programs(folder: &str) -> Vec<(String, Compiled, SourceMap)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "tce"));
    files.sort();
    let load = |file: std::path::PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy().to_string();
        let (result, map) = compile(&name, &std::fs::read_to_string(&file).unwrap());
        let compiled = result.unwrap_or_else(|reports| panic!("{}", show(&reports, &map)));
        (name.trim_end_matches(".tce").to_string(), compiled, map)
    };
    files.into_iter().map(load).collect()
}

fn run_tests(compiled: &Compiled, mut see: impl FnMut(&str, Result<Data, Failure>)) {
    for (id, function) in compiled.program.functions.enumerate() {
        if let Role::Test { name, arguments } = &function.role {
            see(name, call(&compiled.program, id, arguments.clone()));
        }
    }
}

#[test]
fn tests_hold() {
    for (file, compiled, map) in programs("programs") {
        run_tests(&compiled, |name, result| match result {
            Ok(held) => assert_eq!(held, Data::Scalar(true.into()), "test {name:?} of {file}"),
            Err(failure) => panic!(
                "test {name:?} of {file}\n{}",
                show(&[failure.to_diagnostic()], &map)
            ),
        });
    }
}

#[test]
fn errors_are_reported() {
    for (file, compiled, map) in programs("failing") {
        let mut text = String::new();
        run_tests(&compiled, |name, result| {
            let failure = result.expect_err(name);
            text.push_str(&format!(
                "test {name:?}\n{}\n",
                show(&[failure.to_diagnostic()], &map)
            ));
        });
        compare_with_file(&format!("failing/{file}.txt"), &text);
    }
}

#[test]
fn core_reads_back() {
    for (file, compiled, _) in programs("programs").into_iter().chain(programs("failing")) {
        let mut program = compiled.program;
        let text = terrace_ir::core::print::print(&program);
        let again = terrace_ir::core::parse::parse(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
        terrace_ir::core::parse::erase_spans(&mut program);
        assert_eq!(again, program, "{file}");
    }
}
