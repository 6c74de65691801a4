//! Rejected programs and what they are told.
//!
//! `rejected/NAME.tce` holds a program and `rejected/NAME.txt` the rendered messages; `warn_*` are accepted with warnings.
//! What they import is in `rejected/modules`.

use crate::support::{compare_with_file, sources};
use std::collections::BTreeSet;
use std::path::Path;
use terrace_base::{SourceMap, render};

#[test]
fn messages() {
    let sources = sources("rejected");
    assert!(sources.len() >= 100, "only {} programs", sources.len());
    for source in sources {
        let accepted = source.name.starts_with("warn_");
        let reports = match &source.result {
            Err(reports) => reports,
            Ok(compiled) => &compiled.warnings,
        };
        assert_eq!(source.result.is_ok(), accepted, "{}", source.name);
        assert!(!reports.is_empty(), "{} has no message", source.name);
        compare_with_file(&format!("rejected/{}.txt", source.name), &source.show(reports));
    }
}

#[test]
fn imported_file_is_not_text() {
    let mut map = SourceMap::new();
    let root = map.add("main.tce", "import \"image\"\n\nentry f(x: i64) -> i64 = x\n");
    let result = terrace_frontend::compile_file(&mut map, root, &|_| Ok(vec![b'a', 0xff, 0xfe]));
    let reports = result.expect_err("the import is not text");
    let shown: Vec<String> = reports.iter().map(|r| render(r, &map, false)).collect();
    compare_with_file("rejected/import_not_text.txt", &shown.join("\n"));
}

#[test]
fn every_code_is_explained_and_shown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut used = BTreeSet::new();
    codes_in(&folder.join("src"), &mut |_, code| {
        used.insert(code);
    });
    assert!(used.len() >= 60, "only {} codes", used.len());
    let mut shown = BTreeSet::new();
    codes_in(&folder.join("tests/rejected"), &mut |_, code| {
        shown.insert(code);
    });
    for code in used {
        assert!(terrace_frontend::explain(&code).is_some(), "{code} has no explanation");
        assert!(shown.contains(&code), "no rejected program shows {code}");
    }
}

/// The codes of the front end that files mention: in quotes in programs, in brackets in messages.
fn codes_in(folder: &Path, see: &mut dyn FnMut(&Path, String)) {
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            codes_in(&path, see);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        for (at, _) in text.match_indices("T0") {
            let before = text[..at].chars().next_back();
            let after = text.get(at + 5..at + 6);
            let code = text.get(at..at + 5).unwrap_or_default();
            let is_use = matches!((before, after), (Some('"'), Some("\"")) | (Some('['), Some("]")));
            if is_use && ("T0050".."T0200").contains(&code) {
                see(&path, code.to_string());
            }
        }
    }
}
