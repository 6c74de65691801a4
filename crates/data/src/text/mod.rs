//! Formats that are text: the wanted type directs how they are read.
//!
//! A Parquet file says what its numbers are; a CSV file does not. So the type of the parameter decides: `7` is an `i8` where an `i8` is wanted
//! and an `f64` where an `f64` is, and what does not fit is refused with its line. Values go straight into flat memory, in one pass over
//! the bytes of the file:
//!
//! ```text
//! name,height ⏎ Ada,1.65 ⏎ Grace,1.5 ⏎     wanted []{name: []u8, height: f64}
//!     Equal(2, Parts([Rows([0, 3, 8], "AdaGrace"), Numbers(f64, 1.65 1.5)]))
//! ```
//!
//! The file is read whole before: mapping it into memory would need `unsafe`, which this crate does without.
//!
//! Declines to guess: a reader never looks at values to choose a type. Only a survey does (`survey.rs`), for people.

pub(crate) mod csv;
pub(crate) mod csv_header;
pub(crate) mod infer;
pub(crate) mod infer_json;
pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod matrix_market;
pub(crate) mod number;
pub(crate) mod print;
pub(crate) mod sequences;
pub(crate) mod write;

use crate::append::Builder;
use crate::budget::Budget;
use crate::column::{Column, Value};
use crate::ending::Format;
use crate::error::{DataError, damaged, unreadable};
use crate::gather::Form;
use crate::progress::Steps;
use number::Wrong;
use std::fs::File;
use std::io::Read;
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

/// The text of a file, for a reader.
pub(crate) struct Input<'a> {
    /// The file, for messages.
    pub(crate) name: &'a str,
    /// Its bytes, without the mark that some editors put first.
    pub(crate) bytes: &'a [u8],
    /// How much memory is left.
    pub(crate) budget: Budget,
    /// Who is told how far it is.
    pub(crate) steps: Steps<'a>,
}

/// What some editors put before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads a file of a text format.
pub(crate) fn read(
    file: File,
    name: &str,
    format: Format,
    wanted: &Surface,
    column: Option<&str>,
    budget: Budget,
    form: Form,
) -> Result<Value, DataError> {
    let bytes = load(file, name, &budget)?;
    let form = if matches!(wanted, Surface::Array(_)) { form } else { Form::Nested };
    let mut input = Input::new(name, without_mark(&bytes, format), form.budget(budget));
    let column = column_of(&mut input, format, wanted, column)?;
    Ok(match form {
        Form::Flat => Value::Column(column),
        Form::Nested => Value::Data(column.to_data()),
    })
}

/// The text without the mark; plain text and sound keep every byte.
pub(crate) fn without_mark(bytes: &[u8], format: Format) -> &[u8] {
    match format {
        Format::Text | Format::Wav => bytes,
        _ => bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes),
    }
}

fn column_of(input: &mut Input, format: Format, wanted: &Surface, column: Option<&str>) -> Result<Column, DataError> {
    match (format, column) {
        (Format::Csv, _) => csv::read(input, b',', wanted, column),
        (Format::Tsv, _) => csv::read(input, b'\t', wanted, column),
        (Format::JsonLines, _) => json::read_lines(input, wanted, column),
        (Format::Json, _) => json::read_document(input, wanted, column),
        (Format::MatrixMarket, None) => matrix_market::read(input, wanted),
        (Format::Text, None) => lines::read(input, wanted),
        (Format::Wav, _) => crate::sound::read(input, wanted, column),
        (Format::Fasta, _) => sequences::read(input, wanted, column, false),
        (Format::Fastq, _) => sequences::read(input, wanted, column, true),
        (_, Some(column)) => Err(no_columns(input.name, column)),
        _ => Err(damaged(input.name, "it is no text")),
    }
}

pub(crate) fn no_columns(name: &str, column: &str) -> DataError {
    DataError::new("T0724", format!("`{name}` has no columns, so `{column}` cannot be read from it"))
        .hint(format!("write `{name}` alone"))
}

/// The whole file.
pub(crate) fn load(mut file: File, name: &str, budget: &Budget) -> Result<Vec<u8>, DataError> {
    let length = file.metadata().map_err(|e| unreadable(name, &e))?.len();
    budget.allows_bytes(length, name)?;
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.read_to_end(&mut bytes).map_err(|e| unreadable(name, &e))?;
    Ok(bytes)
}

impl<'a> Input<'a> {
    pub(crate) fn new(name: &'a str, bytes: &'a [u8], budget: Budget) -> Self {
        Input { name, bytes, budget, steps: Steps::reading(name, bytes.len() as u64) }
    }

    /// The line of a place, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        1 + self.bytes[..at.min(self.bytes.len())].iter().filter(|b| **b == b'\n').count()
    }

    /// Line and column of a place, in words.
    pub(crate) fn place(&self, at: usize) -> String {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
        format!("line {}, column {}", self.line(at), String::from_utf8_lossy(&before[start..]).chars().count() + 1)
    }

    /// A text that makes no sense at a place.
    pub(crate) fn damaged_at(&self, at: usize, what: &str) -> DataError {
        damaged(self.name, format!("{}: {what}", self.place(at)))
    }

    /// Takes room for so many values.
    #[inline]
    pub(crate) fn take(&mut self, values: usize) -> Result<(), DataError> {
        self.budget.take(values as u64, self.name)
    }

    /// A text that is not the wanted number; `where_` names its place.
    pub(crate) fn no_number(&self, where_: &str, text: &[u8], ty: ScalarType, why: Wrong) -> DataError {
        let shown = excerpt(text);
        let what = match why {
            Wrong::Other if ty == ScalarType::Bool => "is neither `true` nor `false`".to_string(),
            Wrong::Other => format!("is no number, and {ty} is wanted"),
            Wrong::OutOfRange => format!("is out of the range of {ty}"),
            Wrong::Fraction => format!("is not written as an integer, and {ty} is wanted"),
        };
        let error = DataError::new("T0730", format!("`{}`, {where_}: `{shown}` {what}", self.name));
        match why {
            Wrong::Fraction => error.hint("declare the parameter with f64 and convert in the program, as in `i64(x)`"),
            Wrong::OutOfRange => error.hint("declare the parameter with a wider type"),
            Wrong::Other if is_missing_word(text) => {
                error.hint("the language has no missing values: fill or drop them before")
            }
            Wrong::Other => error,
        }
    }
}

fn is_missing_word(text: &[u8]) -> bool {
    ["na", "n/a", "null", "none", "nil", "-", "?", "missing"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

/// The beginning of a text, for a message.
pub(crate) fn excerpt(text: &[u8]) -> String {
    const SHOWN: usize = 40;
    let whole = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]);
    let cut: String = whole.chars().take(SHOWN).map(|c| if c.is_control() { '·' } else { c }).collect();
    if cut.len() < text.len() && whole.chars().count() > SHOWN { cut + "…" } else { cut }
}

/// The rows that were read, as the wanted value.
pub(crate) fn finish(name: &str, count: usize, rows: Builder, wanted: &Surface) -> Result<Column, DataError> {
    match wanted {
        Surface::Array(_) => Ok(Column::Equal(count, Box::new(rows.finish()))),
        _ if count == 1 => Ok(rows.finish()),
        _ => Err(DataError::new("T0728", format!("`{name}` has {count} rows, and one {wanted} is wanted"))
            .hint(format!("declare the parameter as []{wanted} to take all rows"))),
    }
}

/// How many are missing, in words.
pub(crate) fn missing_values(count: usize) -> String {
    if count == 1 { "1 missing value".into() } else { format!("{count} missing values") }
}

/// Values that are missing: where the first is, and how many there are.
#[derive(Clone, Debug)]
pub(crate) struct Missing {
    pub(crate) what: String,
    pub(crate) line: usize,
    pub(crate) count: usize,
}

impl Missing {
    /// Counts one more, at a place of the same name.
    pub(crate) fn note(so_far: &mut Option<Missing>, what: &str, line: impl FnOnce() -> usize) {
        match so_far {
            None => *so_far = Some(Missing { what: what.to_string(), line: line(), count: 1 }),
            Some(missing) if missing.what == what => missing.count += 1,
            Some(_) => {}
        }
    }

    pub(crate) fn error(&self, name: &str) -> DataError {
        let values = missing_values(self.count);
        let first = if self.count == 1 { "" } else { "the first " };
        let place = if self.what.is_empty() { String::new() } else { format!("`{}` of ", self.what) };
        DataError::new("T0725", format!("{place}`{name}` has {values}, {first}in line {}", self.line))
            .note("the language has no missing values")
            .hint("fill or drop them before, or take only columns that have all their values")
    }
}
