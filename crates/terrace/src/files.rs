//! Source files: reading them, formatting them, replacing them in one step.

use crate::program::Failed;
use std::io::Write;
use std::path::Path;
use terrace_base::{Diagnostic, SourceMap};

/// The text of a source file.
pub fn read_source(path: &Path) -> Result<String, Failed> {
    let name = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes)
            .map_err(|_| Failed::plain("T0701", format!("`{name}` is not a text file: it is not UTF-8"))),
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
            let message = Diagnostic::error("T0700", format!("there is no file `{name}`"));
            let message = message.hint("paths are relative to the folder in which the command is run");
            Err(Failed::new(vec![message], &SourceMap::new()))
        }
        Err(why) => Err(Failed::plain("T0700", format!("cannot read `{name}`: {why}"))),
    }
}

/// A program in the layout that all programs have; `name` stands for it in messages.
pub fn format(name: &str, text: &str) -> Result<String, Failed> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    terrace_syntax::format(&sources, file).map_err(|messages| Failed::new(messages, &sources))
}

/// Replaces a file by a new text; whatever happens, either the old or the new one is there.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    let failed = |why: std::io::Error| Failed::plain("T0705", format!("cannot write `{}`: {why}", path.display()));
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let write = || {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(bytes)?;
        if let Ok(old) = std::fs::metadata(path) {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    write().map_err(|why| {
        let _ = std::fs::remove_file(&beside);
        failed(why)
    })
}
