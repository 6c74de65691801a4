//! Rejected programs and what they are told.
//!
//! `rejected/NAME.tce` holds a program and `rejected/NAME.txt` the rendered messages.

mod support;

use support::{compare_with_file, compile};
use terrace_base::render;

#[test]
fn messages() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rejected");
    let mut names: Vec<String> = std::fs::read_dir(folder.clone())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().to_string())
        .filter_map(|name| name.strip_suffix(".tce").map(str::to_string))
        .collect();
    names.sort();
    assert!(names.len() >= 15, "only {} programs", names.len());
    for name in names {
        let text = std::fs::read_to_string(folder.join(format!("{name}.tce"))).unwrap();
        let (result, map) = compile(&format!("{name}.tce"), &text);
        let reports = match result {
            Err(reports) => reports,
            Ok(compiled) => {
                assert!(name.starts_with("warn_"), "{name} was accepted");
                compiled.warnings
            }
        };
        let shown: Vec<String> = reports.iter().map(|r| render(r, &map, false)).collect();
        compare_with_file(&format!("rejected/{name}.txt"), &shown.join("\n"));
        for report in &reports {
            assert!(
                terrace_frontend::explain(report.code).is_some(),
                "{} has no explanation",
                report.code
            );
        }
    }
}
