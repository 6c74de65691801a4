//! Inputs that once broke something, and a few seconds of new ones.
//!
//! `fuzz/regressions/TARGET-…` are inputs found by `cargo xtask fuzz`; each must be answered.

use std::path::Path;
use std::time::Duration;
use terrace_testkit::fuzz::{attempt, fuzz, targets};

#[test]
fn what_was_found_is_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the folder of regressions") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some(target) = targets().iter().find(|t| name.starts_with(&format!("{}-", t.name))) else { continue };
        let input = std::fs::read(&path).expect("a readable input");
        wrong.extend(attempt(target, input).err().map(|f| format!("{name}: {}", f.what)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_found_in_a_short_run() {
    for target in targets() {
        let (progress, finding) = fuzz(target, Duration::from_secs(1), 7);
        assert!(progress.inputs > 0, "{}: nothing was tried", target.name);
        if let Some(finding) = finding {
            let input = String::from_utf8_lossy(&finding.input).into_owned();
            panic!("{}: {}\n{input}", target.name, finding.what);
        }
    }
}
