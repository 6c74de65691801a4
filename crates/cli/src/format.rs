//! `terrace fmt`: one layout for all programs.
//!
//! ```text
//! $ terrace fmt --check examples
//! examples/spmv.tce is not formatted
//! 1 of 6 files would change
//! ```
//!
//! A file with a syntax error is left as it is. A file is replaced in one step, so an interrupted run leaves it whole.

use crate::commands::files_of;
use crate::output::{Messenger, Verdict, error, print};
use std::io::Read;
use std::path::{Path, PathBuf};
use terrace::Failed;

pub(crate) fn format(paths: &[PathBuf], check: bool) -> Result<Verdict, Failed> {
    if let [only] = paths
        && only.as_os_str() == "-"
    {
        return standard_input(check);
    }
    let Some(files) = files_of(paths) else { return Ok(Verdict::Usage) };
    let (mut changed, mut broken) = (0, 0);
    for file in &files {
        match one(file, check) {
            Ok(true) => {
                changed += 1;
                print(&format!("{} {}\n", file.display(), if check { "is not formatted" } else { "formatted" }));
            }
            Ok(false) => {}
            Err(failed) => {
                broken += 1;
                Messenger::default().failed(&failed);
            }
        }
    }
    if check && changed > 0 {
        let s = if files.len() == 1 { "" } else { "s" };
        print(&format!("{changed} of {} file{s} would change\n", files.len()));
    }
    Ok(Verdict::of(broken == 0 && (changed == 0 || !check)))
}

/// Whether the file changes.
fn one(file: &Path, check: bool) -> Result<bool, Failed> {
    let text = terrace::read_source(file)?;
    let formatted = terrace::format(&file.display().to_string(), &text)?;
    if formatted == text {
        return Ok(false);
    }
    if !check {
        terrace::replace_file(file, formatted.as_bytes())?;
    }
    Ok(true)
}

fn standard_input(check: bool) -> Result<Verdict, Failed> {
    let mut text = String::new();
    if let Err(why) = std::io::stdin().lock().read_to_string(&mut text) {
        error(&format!("cannot read standard input: {why}\n"));
        return Ok(Verdict::Bad);
    }
    let formatted = terrace::format("standard input", &text)?;
    if check {
        return Ok(Verdict::of(formatted == text));
    }
    print(&formatted);
    Ok(Verdict::Good)
}
