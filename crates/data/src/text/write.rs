//! Columns to files of text formats: what is written is read back as the same value.
//!
//! ```text
//! csv     [](i64, []u8)      1,one ⏎ 2,"a ""quoted"", text" ⏎       records begin with a line of names
//! jsonl   []{x: f64}         {"x": 1.5} ⏎ {"x": 2.5} ⏎
//! mtx     [][](i32, f64)     coordinate; [][]f64 is array
//! ```
//!
//! Whether a type fits a format is asked before a long run, whether the values do (lines without line breaks, rows of one length) only when they are there.

use crate::column::Column;
use crate::encode::not_of_its_type;
use crate::ending::Format;
use crate::error::DataError;
use crate::fit::{parts_of, row_of};
use crate::save::Output;
use crate::sound;
use crate::text::print::{Printer, Spelling};
use crate::text::{lines, sequences};
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

fn is_text(surface: &Surface) -> bool {
    matches!(surface, Surface::Array(element) if **element == Surface::Scalar(ScalarType::U8))
}

fn is_plain(surface: &Surface) -> bool {
    matches!(surface, Surface::Scalar(_)) || is_text(surface)
}

fn refuse(surface: &Surface, ending: &str, what: &str) -> DataError {
    DataError::new("T0741", format!("a value of type {surface} cannot be written as `{ending}`"))
        .note(what)
        .hint("write `.jsonl`, `.arrow` or `.parquet`, which hold everything")
}

/// Refuses types that a format does not have.
pub(crate) fn check_type(format: Format, surface: &Surface) -> Result<(), DataError> {
    // Enums and empty tuples are nowhere.
    crate::encode::check_type(surface)?;
    let (row, is_array) = (row_of(surface), matches!(surface, Surface::Array(_)));
    match format {
        Format::Csv | Format::Tsv => {
            let fits = match row {
                _ if is_plain(row) => true,
                Surface::Array(element) => is_plain(element),
                _ => parts_of(row).into_iter().all(is_plain),
            };
            let what = "a line holds numbers and texts, and nothing in each other";
            if fits { Ok(()) } else { Err(refuse(surface, ".csv", what)) }
        }
        Format::MatrixMarket => match matrix(surface) {
            Some(_) => Ok(()),
            None => Err(refuse(surface, ".mtx", "a matrix is [][](i32, f64), [](i32, i32, f64), [][]f64 or alike")),
        },
        Format::Text => match lines::check_type(surface) {
            Some(_) => Ok(()),
            None => Err(refuse(surface, ".txt", "plain text is []u8, or lines, [][]u8")),
        },
        Format::Wav => match sound::samples(surface) {
            Some(_) => Ok(()),
            None => Err(refuse(
                surface,
                ".wav",
                "sound is []t, or [][]t with a sample per channel; t is u8, i16, i32, f32 or f64",
            )),
        },
        Format::Fasta => match sequences::places(row, None, false).filter(|places| places.contains(&1)) {
            Some(_) if is_array => Ok(()),
            _ => Err(refuse(surface, ".fasta", "it holds [][]u8, or records and tuples of name and sequence")),
        },
        Format::Fastq => match sequences::places(row, None, true).filter(|p| p.contains(&1) && p.contains(&2)) {
            Some(_) if is_array => Ok(()),
            _ => Err(refuse(surface, ".fastq", "it holds records and tuples of name, sequence and quality")),
        },
        _ => Ok(()),
    }
}

/// Writes the only row of a column.
pub(crate) fn write(out: &mut Output, format: Format, value: &Column, surface: &Surface) -> Result<(), DataError> {
    if format == Format::Wav {
        return sound::write(out, value);
    }
    let spelling = if matches!(format, Format::Json | Format::JsonLines) { Spelling::Json } else { Spelling::Plain };
    let mut to = Printer::new(out, spelling);
    let (count, rows) = match (value, surface) {
        (Column::Equal(count, rows), Surface::Array(_)) => (*count, &**rows),
        _ => (1, value),
    };
    let row = row_of(surface);
    match format {
        Format::Csv => csv(&mut to, b',', count, rows, row),
        Format::Tsv => csv(&mut to, b'\t', count, rows, row),
        Format::JsonLines => (0..count).try_for_each(|k| {
            json(&mut to, rows, k, row)?;
            to.put(b"\n");
            to.rest()
        }),
        Format::Json => {
            json(&mut to, value, 0, surface)?;
            to.put(b"\n");
            Ok(())
        }
        Format::MatrixMarket => market(&mut to, count, rows, surface),
        Format::Fasta => sequences::write(&mut to, count, rows, row, false),
        Format::Fastq => sequences::write(&mut to, count, rows, row, true),
        _ => text(&mut to, count, rows, row),
    }?;
    to.flush()
}

fn field(
    to: &mut Printer,
    column: &Column,
    row: usize,
    surface: &Surface,
    delimiter: u8,
    only: bool,
) -> Result<(), DataError> {
    if let Some((ty, bytes)) = column.number(row) {
        to.number(ty, bytes);
        return Ok(());
    }
    let text = column.text(row).ok_or_else(|| not_of_its_type(surface))?;
    let special = |b: &u8| matches!(*b, b'"' | b'\n' | b'\r') || *b == delimiter;
    // An empty line is no field, and the first bytes of a file might look like a mark.
    if text.iter().any(special) || (only && text.is_empty()) || text.first() == Some(&0xef) {
        to.put(b"\"");
        for b in text {
            to.put(if *b == b'"' { b"\"\"" } else { std::slice::from_ref(b) });
        }
        to.put(b"\"");
    } else {
        to.put(text);
    }
    Ok(())
}

fn csv(to: &mut Printer, delimiter: u8, count: usize, rows: &Column, row: &Surface) -> Result<(), DataError> {
    let wrong = || not_of_its_type(row);
    if let Surface::Record { fields, .. } = row {
        for (k, (name, _)) in fields.iter().enumerate() {
            to.put(if k == 0 { b"" } else { std::slice::from_ref(&delimiter) });
            to.put(name.as_bytes());
        }
        to.put(b"\n");
    }
    let parts = parts_of(row);
    for at in 0..count {
        match (row, rows) {
            _ if is_plain(row) => field(to, rows, at, row, delimiter, true)?,
            (Surface::Array(element), _) => {
                let (range, inner) = rows.elements(at).ok_or_else(wrong)?;
                let only = range.len() == 1;
                for (k, at) in range.enumerate() {
                    to.put(if k == 0 { b"" } else { std::slice::from_ref(&delimiter) });
                    field(to, inner, at, element, delimiter, only)?;
                }
            }
            (_, Column::Parts(columns)) => {
                for (k, (column, part)) in columns.iter().zip(&parts).enumerate() {
                    to.put(if k == 0 { b"" } else { std::slice::from_ref(&delimiter) });
                    field(to, column, at, part, delimiter, parts.len() == 1)?;
                }
            }
            _ => return Err(wrong()),
        }
        to.put(b"\n");
        to.rest()?;
    }
    Ok(())
}

fn json(to: &mut Printer, column: &Column, row: usize, surface: &Surface) -> Result<(), DataError> {
    let wrong = || not_of_its_type(surface);
    match surface {
        Surface::Scalar(_) => {
            let (ty, bytes) = column.number(row).ok_or_else(wrong)?;
            to.number(ty, bytes);
        }
        Surface::Array(element) => {
            if let Some(text) =
                column.text(row).and_then(|bytes| std::str::from_utf8(bytes).ok()).filter(|t| readable(t))
            {
                quoted(to, text);
                return Ok(());
            }
            let (range, inner) = column.elements(row).ok_or_else(wrong)?;
            to.put(b"[");
            for (k, at) in range.enumerate() {
                to.put(if k == 0 { b"" } else { b", " });
                json(to, inner, at, element)?;
                to.rest()?;
            }
            to.put(b"]");
        }
        Surface::Tuple(parts) => {
            let Column::Parts(columns) = column else { return Err(wrong()) };
            to.put(b"[");
            for (k, (column, part)) in columns.iter().zip(parts).enumerate() {
                to.put(if k == 0 { b"" } else { b", " });
                json(to, column, row, part)?;
            }
            to.put(b"]");
        }
        Surface::Record { fields, .. } => {
            let Column::Parts(columns) = column else { return Err(wrong()) };
            to.put(b"{");
            for (k, (column, (name, part))) in columns.iter().zip(fields).enumerate() {
                to.put(if k == 0 { b"" } else { b", " });
                quoted(to, name);
                to.put(b": ");
                json(to, column, row, part)?;
            }
            to.put(b"}");
        }
        Surface::Enum { .. } => return Err(wrong()),
    }
    Ok(())
}

/// Bytes that look like text; others are numbers.
fn readable(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r'))
}

fn quoted(to: &mut Printer, text: &str) {
    to.put(b"\"");
    for b in text.bytes() {
        match b {
            b'"' => to.put(b"\\\""),
            b'\\' => to.put(b"\\\\"),
            b'\n' => to.put(b"\\n"),
            b'\t' => to.put(b"\\t"),
            b'\r' => to.put(b"\\r"),
            _ => to.put(&[b]),
        }
    }
    to.put(b"\"");
}

/// What of a matrix a type is: the numbers of an entry, and how it is laid out.
enum Matrix {
    Rows(usize),
    Entries(usize),
    Dense,
}

fn matrix(surface: &Surface) -> Option<(Matrix, Vec<ScalarType>)> {
    let Surface::Array(outer) = surface else { return None };
    let (row, in_rows) = match &**outer {
        Surface::Array(element) => (&**element, true),
        other => (other, false),
    };
    if let (Surface::Scalar(ty), true) = (row, in_rows) {
        return ty.is_number().then(|| (Matrix::Dense, vec![*ty]));
    }
    let scalar = |part: &Surface| match part {
        Surface::Scalar(ty) if ty.is_number() => Some(*ty),
        _ => None,
    };
    let types: Vec<ScalarType> = parts_of(row).into_iter().map(scalar).collect::<Option<_>>()?;
    let indices = if in_rows { 1 } else { 2 };
    let numbers = types.len().checked_sub(indices).filter(|n| *n <= 1)?;
    // A row of single columns is a dense row of numbers, so a pattern has rows of its own only as entries.
    let fits = types[..indices].iter().all(|ty| ty.is_int()) && (numbers == 1 || !in_rows);
    fits.then_some((if in_rows { Matrix::Rows(numbers) } else { Matrix::Entries(numbers) }, types))
}

fn market(to: &mut Printer, count: usize, rows: &Column, surface: &Surface) -> Result<(), DataError> {
    let wrong = || not_of_its_type(surface);
    let (matrix, types) = matrix(surface).ok_or_else(wrong)?;
    let kind = match types.last() {
        _ if matches!(matrix, Matrix::Rows(0) | Matrix::Entries(0)) => "pattern",
        Some(ty) if ty.is_int() => "integer",
        _ => "real",
    };
    if matches!(matrix, Matrix::Dense) {
        let length = if count == 0 { 0 } else { rows.elements(0).ok_or_else(wrong)?.0.len() };
        if (0..count).any(|row| rows.elements(row).is_none_or(|(range, _)| range.len() != length)) {
            return Err(DataError::new("T0741", "this array cannot be written as `.mtx`: rows of different lengths")
                .hint("write `.jsonl`, `.arrow` or `.parquet`"));
        }
        to.put(format!("%%MatrixMarket matrix array {kind} general\n{count} {length}\n").as_bytes());
        for column in 0..length {
            for row in 0..count {
                let (range, inner) = rows.elements(row).ok_or_else(wrong)?;
                let (ty, bytes) = inner.number(range.start + column).ok_or_else(wrong)?;
                to.number(ty, bytes);
                to.put(b"\n");
            }
            to.rest()?;
        }
        return Ok(());
    }
    // Entries: in rows, or one after the other.
    let in_rows = matches!(matrix, Matrix::Rows(_));
    let (entries, total) = if in_rows {
        let total = if count == 0 { 0 } else { rows.elements(count - 1).ok_or_else(wrong)?.0.end };
        let (Column::Rows(_, inner) | Column::Equal(_, inner)) = rows else { return Err(wrong()) };
        (&**inner, total)
    } else {
        (rows, count)
    };
    let Column::Parts(parts) = entries else { return Err(wrong()) };
    let index = |part: usize, at: usize| {
        let (ty, bytes) = parts.get(part).and_then(|part| part.number(at)).ok_or_else(wrong)?;
        let index = terrace_base::Scalar::from_le_bytes(ty, bytes).and_then(|s| s.as_i64());
        index.filter(|index| *index >= 0 && *index < i64::MAX).ok_or_else(|| {
            DataError::new("T0741", "this array cannot be written as `.mtx`: it has a negative row or column")
        })
    };
    let places = if in_rows { 1 } else { 2 };
    let mut sizes = [if in_rows { count as i64 } else { 0 }, 0];
    for at in 0..total {
        for part in 0..places {
            let size = &mut sizes[part + 2 - places];
            *size = (*size).max(index(part, at)? + 1);
        }
    }
    to.put(format!("%%MatrixMarket matrix coordinate {kind} general\n{} {} {total}\n", sizes[0], sizes[1]).as_bytes());
    let mut entry = |row: Option<usize>, at: usize| {
        if let Some(row) = row {
            to.put(format!("{} ", row + 1).as_bytes());
        }
        for part in 0..places {
            to.put(format!("{}{}", if part == 0 { "" } else { " " }, index(part, at)? + 1).as_bytes());
        }
        for part in &parts[places..] {
            let (ty, bytes) = part.number(at).ok_or_else(wrong)?;
            to.put(b" ");
            to.number(ty, bytes);
        }
        to.put(b"\n");
        to.rest()
    };
    if in_rows {
        for row in 0..count {
            let (range, _) = rows.elements(row).ok_or_else(wrong)?;
            range.into_iter().try_for_each(|at| entry(Some(row), at))?;
        }
        return Ok(());
    }
    (0..total).try_for_each(|at| entry(None, at))
}

fn text(to: &mut Printer, count: usize, rows: &Column, row: &Surface) -> Result<(), DataError> {
    if let Column::Numbers(ScalarType::U8, bytes) = rows {
        to.put(bytes);
        return Ok(());
    }
    for at in 0..count {
        let line = rows.text(at).ok_or_else(|| not_of_its_type(row))?;
        if line.contains(&b'\n') || line.last() == Some(&b'\r') {
            return Err(DataError::new(
                "T0741",
                format!("line {at} cannot be written as text: it has a line break in it"),
            )
            .note("lines are counted from 0")
            .hint("write `.jsonl`, `.arrow` or `.parquet`"));
        }
        to.put(line);
        to.put(b"\n");
        to.rest()?;
    }
    Ok(())
}
