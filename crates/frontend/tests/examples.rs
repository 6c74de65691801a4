//! The example programs: they compile, their Core is what it was, and all their tests hold.

mod support;

use std::path::{Path, PathBuf};
use support::{compare_with_file, compile};
use terrace_base::{Diagnostic, SourceMap, render};
use terrace_interp::core::call;
use terrace_ir::core::Role;
use terrace_plan::data::Data;

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "tce"));
    files.sort();
    files
}

fn show(reports: &[Diagnostic], map: &SourceMap) -> String {
    reports.iter().map(|r| render(r, map, false)).collect()
}

#[test]
fn every_test_of_every_example_holds() {
    let mut ran = 0;
    for file in examples() {
        let text = std::fs::read_to_string(&file).unwrap();
        let (result, map) = compile(&file.display().to_string(), &text);
        let compiled = result.unwrap_or_else(|reports| panic!("{}", show(&reports, &map)));
        assert_eq!(show(&compiled.warnings, &map), "");
        for (id, function) in compiled.program.functions.enumerate() {
            if let Role::Test { name, arguments } = &function.role {
                let result = call(&compiled.program, id, arguments.clone());
                let held =
                    result.unwrap_or_else(|f| panic!("{}", show(&[f.to_diagnostic()], &map)));
                assert_eq!(
                    held,
                    Data::Scalar(true.into()),
                    "test {name:?} of {}",
                    file.display()
                );
                ran += 1;
            }
        }
    }
    assert!(ran >= 20, "only {ran} tests");
}

#[test]
fn core_of_the_examples() {
    for file in examples() {
        let name = file.file_stem().unwrap().to_string_lossy().to_string();
        let text = std::fs::read_to_string(&file).unwrap();
        let (result, map) = compile(&name, &text);
        let compiled = result.unwrap_or_else(|reports| panic!("{}", show(&reports, &map)));
        compare_with_file(
            &format!("core/{name}.core"),
            &terrace_ir::core::print::print(&compiled.program),
        );
    }
}
