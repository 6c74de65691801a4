//! CSV and TSV: lines of fields.
//!
//! Quotes are those of RFC 4180 (`"a ""b"", c"` is one field), lines end with LF or CRLF, blank lines are skipped. Numbers are scanned where they
//! stand; only a field with quotes, blanks or something unusual is cut out first.
//!
//! ```text
//! []{x: f64, name: []u8}   columns by their names in the first line, others are skipped
//! [](f64, []u8)            all columns in order; a first line without a number where one is wanted is a header
//! []f64                    the only column, or `file.csv:x`, or by its number, `file.csv:2`
//! [][]f64                  every line is a row of as many numbers as it has; a blank line is an empty one
//! [][][]u8                 the same with texts
//! ```
//!
//! Declines fields that are lists; JSON lines have those.

use crate::append::Builder;
use crate::column::Column;
use crate::error::DataError;
use crate::fit::row_of;
use crate::text::csv_header::{Columns, Plan, plan};
use crate::text::{Input, Missing, finish, number};
use std::borrow::Cow;
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

/// What comes behind a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Field,
    Line,
}

/// Fields, one after the other.
pub(crate) struct Fields<'i, 'a> {
    pub(crate) input: &'i mut Input<'a>,
    pub(crate) delimiter: u8,
    /// Where the next field begins.
    pub(crate) at: usize,
    pub(crate) line: usize,
}

impl<'a> Fields<'_, 'a> {
    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.input.bytes.len()
    }

    /// Whether a line without anything begins here; it is passed.
    pub(crate) fn blank_line(&mut self) -> bool {
        let rest = &self.input.bytes[self.at..];
        let length = match rest {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            [b'\r'] => 1,
            _ => return false,
        };
        self.at += length;
        self.line += 1;
        true
    }

    /// Goes past what ends a field, if that stands at a place.
    #[inline]
    fn pass(&mut self, end: usize) -> Option<Next> {
        let (length, next) = match &self.input.bytes[end..] {
            [] => (0, Next::Line),
            [b, ..] if *b == self.delimiter => (1, Next::Field),
            [b'\n', ..] => (1, Next::Line),
            [b'\r', b'\n', ..] => (2, Next::Line),
            [b'\r'] => (1, Next::Line),
            _ => return None,
        };
        self.at = end + length;
        self.line += usize::from(next == Next::Line);
        Some(next)
    }

    /// The next field as bytes.
    pub(crate) fn field(&mut self) -> Result<(Cow<'a, [u8]>, Next), DataError> {
        let bytes = self.input.bytes;
        if bytes.get(self.at) == Some(&b'"') {
            return self.quoted();
        }
        let start = self.at;
        let mut end = start;
        while let Some(b) = bytes.get(end) {
            if *b == self.delimiter || *b == b'\n' {
                break;
            }
            end += 1;
        }
        let ends_line = bytes.get(end) != Some(&self.delimiter);
        let text_end = if ends_line && end > start && bytes[end - 1] == b'\r' { end - 1 } else { end };
        let next = self.pass(text_end).unwrap_or(Next::Line);
        Ok((Cow::Borrowed(&bytes[start..text_end]), next))
    }

    #[cold]
    fn quoted(&mut self) -> Result<(Cow<'a, [u8]>, Next), DataError> {
        let bytes = self.input.bytes;
        let open = self.at;
        let mut text: Cow<'a, [u8]> = Cow::Borrowed(&[]);
        let mut start = open + 1;
        let mut lines = 0;
        loop {
            let Some(length) = bytes[start..].iter().position(|b| *b == b'"') else {
                return Err(self.input.damaged_at(open, "this quotation mark is never closed"));
            };
            let piece = &bytes[start..start + length];
            lines += piece.iter().filter(|b| **b == b'\n').count();
            if text.is_empty() {
                text = Cow::Borrowed(piece);
            } else {
                text.to_mut().extend_from_slice(piece);
            }
            start += length + 1;
            if bytes.get(start) != Some(&b'"') {
                break;
            }
            text.to_mut().push(b'"');
            start += 1;
        }
        self.line += lines;
        match self.pass(start) {
            Some(next) => Ok((text, next)),
            None => Err(self.input.damaged_at(start, "something stands behind the closing quotation mark of a field")),
        }
    }

    /// Appends the next field as a number; false where it is empty.
    #[inline]
    fn number(
        &mut self,
        ty: ScalarType,
        to: &mut Vec<u8>,
        name: &dyn Fn() -> String,
    ) -> Result<(bool, Next), DataError> {
        let before = to.len();
        if let Some(length) = number::scan(ty, &self.input.bytes[self.at..], to) {
            if let Some(next) = self.pass(self.at + length) {
                return Ok((true, next));
            }
            to.truncate(before);
        }
        self.unusual_number(ty, to, name)
    }

    #[cold]
    fn unusual_number(
        &mut self,
        ty: ScalarType,
        to: &mut Vec<u8>,
        name: &dyn Fn() -> String,
    ) -> Result<(bool, Next), DataError> {
        let line = self.line;
        let (field, next) = self.field()?;
        let text = field.trim_ascii();
        if text.is_empty() {
            return Ok((false, next));
        }
        match number::parse(ty, text, to) {
            Ok(()) => Ok((true, next)),
            Err(why) => Err(self.input.no_number(&format!("line {line}, {}", name()), text, ty, why)),
        }
    }
}

/// Reads a file.
pub(crate) fn read(
    input: &mut Input,
    delimiter: u8,
    wanted: &Surface,
    column: Option<&str>,
) -> Result<Column, DataError> {
    let mut fields = Fields { input, delimiter, at: 0, line: 1 };
    let row = row_of(wanted);
    let plan = plan(&mut fields, wanted, column)?;
    let mut rows = Builder::new(row);
    let mut missing = None;
    let count = match plan {
        Plan::Columns(columns) => {
            let builders = match &mut rows {
                Builder::Parts(parts) if column.is_none() => parts.as_mut_slice(),
                one => std::slice::from_mut(one),
            };
            columns_of(&mut fields, &columns.places, &columns.names, builders, &mut missing)?
        }
        Plan::Ragged => ragged(&mut fields, &mut rows, &mut missing)?,
    };
    match missing {
        Some(missing) => Err(missing.error(fields.input.name)),
        None => finish(fields.input.name, count, rows, wanted),
    }
}

/// Reads some columns, for a survey: the parts of the rows from here on.
pub(crate) fn read_parts(fields: &mut Fields, columns: &Columns, types: &[Surface]) -> Result<Vec<Column>, DataError> {
    let mut builders: Vec<Builder> = types.iter().map(Builder::new).collect();
    let mut missing = None;
    let count = columns_of(fields, &columns.places, &columns.names, &mut builders, &mut missing)?;
    match missing {
        Some(missing) => Err(missing.error(fields.input.name)),
        None => Ok(builders.into_iter().map(|b| Column::Equal(count, Box::new(b.finish()))).collect()),
    }
}

/// Lines with the same columns: of column `k`, `places[k]` says which part it is, if any.
fn columns_of(
    fields: &mut Fields,
    places: &[Option<usize>],
    names: &[String],
    builders: &mut [Builder],
    missing: &mut Option<Missing>,
) -> Result<usize, DataError> {
    let mut count = 0;
    while !fields.is_at_end() {
        if fields.blank_line() {
            continue;
        }
        let (line, start) = (fields.line, fields.at);
        fields.input.take(builders.len())?;
        let mut k = 0;
        loop {
            let builder = places.get(k).copied().flatten().and_then(|place| builders.get_mut(place));
            let next = match builder {
                Some(Builder::Numbers(ty, bytes)) => {
                    let name = || names.get(k).map_or(format!("field {}", k + 1), |name| format!("column `{name}`"));
                    let (found, next) = fields.number(*ty, bytes.own(), &name)?;
                    if !found {
                        Missing::note(missing, names.get(k).map_or("", |name| name), || line);
                        let bytes = bytes.own();
                        bytes.resize(bytes.len() + ty.size_bytes(), 0);
                    }
                    next
                }
                Some(text) => {
                    let (field, next) = fields.field()?;
                    fields.input.take(field.len())?;
                    text.put_text(&field);
                    next
                }
                None => fields.field()?.1,
            };
            k += 1;
            if next == Next::Line {
                break;
            }
        }
        if k != places.len() {
            let what = format!("this line has {}, and {} are expected", fields_in_words(k), places.len());
            return Err(fields.input.damaged_at(start, &what));
        }
        count += 1;
        fields.input.steps.reach(fields.at as u64);
    }
    Ok(count)
}

fn fields_in_words(count: usize) -> String {
    if count == 1 { "1 field".into() } else { format!("{count} fields") }
}

/// Lines of any lengths.
fn ragged(fields: &mut Fields, rows: &mut Builder, missing: &mut Option<Missing>) -> Result<usize, DataError> {
    let mut count = 0;
    while !fields.is_at_end() {
        fields.input.take(1)?;
        count += 1;
        if fields.blank_line() {
            rows.end_row();
            continue;
        }
        let line = fields.line;
        let Builder::Rows(_, inner) = rows else { break };
        let mut k = 0;
        loop {
            fields.input.take(1)?;
            let next = match &mut **inner {
                Builder::Numbers(ty, bytes) => {
                    let (found, next) = fields.number(*ty, bytes.own(), &|| format!("field {}", k + 1))?;
                    if !found {
                        Missing::note(missing, "", || line);
                    }
                    next
                }
                text => {
                    let (field, next) = fields.field()?;
                    fields.input.take(field.len())?;
                    text.put_text(&field);
                    next
                }
            };
            k += 1;
            if next == Next::Line {
                break;
            }
        }
        rows.end_row();
        fields.input.steps.reach(fields.at as u64);
    }
    Ok(count)
}
