//! Rejected programs and what they are told.
//!
//! `rejected/NAME.tce` holds a program and `rejected/NAME.txt` the rendered messages; `warn_*` are accepted with warnings.

use crate::support::{compare_with_file, sources};

#[test]
fn messages() {
    let sources = sources("rejected");
    assert!(sources.len() >= 15, "only {} programs", sources.len());
    for source in sources {
        let accepted = source.name.starts_with("warn_");
        let reports = match &source.result {
            Err(reports) => reports,
            Ok(compiled) => &compiled.warnings,
        };
        assert_eq!(source.result.is_ok(), accepted, "{}", source.name);
        compare_with_file(&format!("rejected/{}.txt", source.name), &source.show(reports));
        for report in reports {
            let code = report.code;
            assert!(terrace_frontend::explain(code).is_some(), "{code} has no explanation");
        }
    }
}
