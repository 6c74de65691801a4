//! Which arguments are data files, and in which format: the ending of the name says it.
//!
//! ```text
//! v.npy                 numpy
//! m.parquet:rows        Parquet, the column `rows`
//! t.arrow t.ipc         Arrow; whether file or stream, its first bytes say
//! t.csv:height t.tsv    lines of fields
//! t.jsonl t.json        a value per line, one document
//! m.mtx                 Matrix Market
//! words.txt             lines of text
//! a.wav:rate            sound
//! genome.fa reads.fq    sequences
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
    /// Lines of fields with commas between them.
    Csv,
    /// The same with tabulators.
    Tsv,
    /// A value per line.
    JsonLines,
    /// One document.
    Json,
    /// Matrix Market.
    MatrixMarket,
    /// Lines of text.
    Text,
    /// Sound.
    Wav,
    /// Sequences of letters.
    Fasta,
    /// The same with qualities.
    Fastq,
}

const ENDINGS: [(&str, Format); 21] = [
    (".npy", Format::Npy),
    (".arrow", Format::Arrow),
    (".ipc", Format::Arrow),
    (".feather", Format::Arrow),
    (".parquet", Format::Parquet),
    (".csv", Format::Csv),
    (".tsv", Format::Tsv),
    (".jsonl", Format::JsonLines),
    (".ndjson", Format::JsonLines),
    (".json", Format::Json),
    (".mtx", Format::MatrixMarket),
    (".txt", Format::Text),
    (".text", Format::Text),
    (".log", Format::Text),
    (".wav", Format::Wav),
    (".fasta", Format::Fasta),
    (".fa", Format::Fasta),
    (".fna", Format::Fasta),
    (".faa", Format::Fasta),
    (".fastq", Format::Fastq),
    (".fq", Format::Fastq),
];

fn format_of(text: &str) -> Option<Format> {
    let text = text.to_ascii_lowercase();
    ENDINGS.iter().find(|(ending, _)| text.len() > ending.len() && text.ends_with(ending)).map(|(_, format)| *format)
}

impl Format {
    /// What people call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Npy => "numpy",
            Format::Arrow => "Arrow",
            Format::Parquet => "Parquet",
            Format::Csv => "CSV",
            Format::Tsv => "TSV",
            Format::JsonLines => "JSON lines",
            Format::Json => "JSON",
            Format::MatrixMarket => "Matrix Market",
            Format::Text => "text",
            Format::Wav => "WAV",
            Format::Fasta => "FASTA",
            Format::Fastq => "FASTQ",
        }
    }

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
        check("m.csv", Some(("m.csv", None)));
        check("m.csv:a b", Some(("m.csv", Some("a b"))));
        check("m.xlsx", None);
        check("", None);
    }
}
