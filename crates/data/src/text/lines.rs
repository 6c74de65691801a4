//! Plain text: lines as rows of bytes, or the bytes as they are.
//!
//! ```text
//! "one ⏎ ⏎ two"     [][]u8   ["one", "", "two"]
//!                   []u8     "one\n\ntwo"
//! ```
//!
//! A line ends with LF or CRLF, the last one also with the file. Bytes are not looked at: any encoding will do.

use crate::append::Builder;
use crate::column::Column;
use crate::error::DataError;
use crate::text::{Input, finish};
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

const BYTE: Surface = Surface::Scalar(ScalarType::U8);

/// Refuses types that plain text does not have.
pub(crate) fn check_type(surface: &Surface) -> Option<bool> {
    match surface {
        Surface::Array(element) if **element == BYTE => Some(false),
        Surface::Array(row) => matches!(&**row, Surface::Array(element) if **element == BYTE).then_some(true),
        _ => None,
    }
}

/// Reads a file.
pub(crate) fn read(input: &mut Input, wanted: &Surface) -> Result<Column, DataError> {
    let in_lines = check_type(wanted).ok_or_else(|| {
        DataError::new("T0723", format!("`{}` is plain text, and {wanted} is wanted", input.name))
            .note("plain text is read as []u8, all its bytes, or as [][]u8, its lines")
            .hint("numbers are read from `.csv` and `.jsonl` files")
    })?;
    if !in_lines {
        input.take(input.bytes.len())?;
        let mut bytes = Builder::new(&BYTE);
        if let Builder::Numbers(_, to) = &mut bytes {
            to.own().extend_from_slice(input.bytes);
        }
        return finish(input.name, input.bytes.len(), bytes, wanted);
    }
    let mut rows = Builder::new(&Surface::Array(Box::new(BYTE)));
    let mut rest = input.bytes;
    let mut count = 0;
    while !rest.is_empty() {
        let end = rest.iter().position(|b| *b == b'\n');
        let line = &rest[..end.unwrap_or(rest.len())];
        let line = if end.is_some() { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        input.take(1 + line.len())?;
        rows.put_text(line);
        count += 1;
        rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
        input.steps.reach((input.bytes.len() - rest.len()) as u64);
    }
    finish(input.name, count, rows, wanted)
}
