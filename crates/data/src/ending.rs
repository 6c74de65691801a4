//! Which arguments are data files, and in which format: the ending of the name says it.
//!
//! ```text
//! v.npy                 numpy
//! m.parquet:rows        Parquet, the column `rows`
//! t.arrow t.ipc         Arrow; whether file or stream, its first bytes say
//! [1.0, 2.0]            not a data file
//! ```
//!
//! Declines to look into the file or to ask whether it exists.

use crate::error::{DataError, list};
use std::path::{Path, PathBuf};

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// One regular array of numbers.
    Npy,
    /// Arrow's own file or stream.
    Arrow,
    /// Parquet.
    Parquet,
}

const ENDINGS: [(&str, Format); 5] = [
    (".npy", Format::Npy),
    (".arrow", Format::Arrow),
    (".ipc", Format::Arrow),
    (".feather", Format::Arrow),
    (".parquet", Format::Parquet),
];

fn format_of(text: &str) -> Option<Format> {
    let text = text.to_ascii_lowercase();
    ENDINGS.iter().find(|(ending, _)| text.len() > ending.len() && text.ends_with(ending)).map(|(_, format)| *format)
}

impl Format {
    /// The format of a file that is to be written.
    pub(crate) fn for_writing(path: &Path) -> Result<Format, DataError> {
        Format::of(path).map_err(|e| e.hint("give the file one of these endings"))
    }

    pub(crate) fn of(path: &Path) -> Result<Format, DataError> {
        format_of(&path.to_string_lossy()).ok_or_else(|| {
            let known: Vec<String> = ENDINGS.iter().map(|(ending, _)| format!("`{ending}`")).collect();
            DataError::new("T0721", format!("`{}` is not a data file that this program knows", path.display()))
                .note(format!("the ending of the name says the format; known are {}", list(&known)))
                .hint("convert the file, for example with pyarrow or pandas: `table.to_parquet(\"data.parquet\")`")
        })
    }
}

/// The path and the column, if a text names a data file, `file.parquet` or `file.parquet:column`; none if it is something else.
pub fn is_data_file(text: &str) -> Option<(PathBuf, Option<String>)> {
    if let Some((at, _)) = text.match_indices(':').find(|(at, _)| format_of(&text[..*at]).is_some()) {
        return Some((PathBuf::from(&text[..at]), Some(text[at + 1..].to_string())));
    }
    format_of(text).map(|_| (PathBuf::from(text), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, Option<&str>)>) {
        let expected = expected.map(|(path, column)| (PathBuf::from(path), column.map(String::from)));
        assert_eq!(is_data_file(text), expected, "{text}");
    }

    #[test]
    fn arguments() {
        check("v.npy", Some(("v.npy", None)));
        check("a/b.PARQUET", Some(("a/b.PARQUET", None)));
        check("m.parquet:rows", Some(("m.parquet", Some("rows"))));
        check("m.parquet:a:b.npy", Some(("m.parquet", Some("a:b.npy"))));
        check("c:/data/m.feather", Some(("c:/data/m.feather", None)));
        check("m.ipc:", Some(("m.ipc", Some(""))));
        check("[1.0, 2.0]", None);
        check("\"v.npy\"", None);
        check(".npy", None);
        check("m.csv", None);
        check("", None);
    }
}
