//! A regular array of numbers to an `.npy` file.
//!
//! ```text
//! [[1, 2], [3, 4]]     shape (2, 2), <i8
//! [[], []]             shape (2, 0): a length that nothing shows is 0
//! [[1], [2, 3]]        refused: rows of different lengths
//! ```

use crate::column::Column;
use crate::error::DataError;
use crate::save::{Output, save};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use terrace_base::{Scalar, ScalarType};
use terrace_plan::data::Data;
use terrace_plan::surface::Surface;

/// Refuses types that have no form in a numpy file.
pub(crate) fn check_type(surface: &Surface) -> Result<(), DataError> {
    element(surface).map(|_| ())
}

fn element(surface: &Surface) -> Result<(usize, ScalarType), DataError> {
    let mut depth = 0;
    let mut inner = surface;
    while let Surface::Array(next) = inner {
        inner = next;
        depth += 1;
    }
    match inner {
        Surface::Scalar(scalar) => Ok((depth, *scalar)),
        _ => Err(DataError::new("T0741", format!("a value of type {surface} cannot be written as `.npy`"))
            .note("a numpy file holds one array of numbers")
            .hint("write it as `.arrow` or `.parquet`, with a column for each part")),
    }
}

pub(crate) fn write(path: &Path, value: &Data, surface: &Surface) -> Result<(), DataError> {
    let (depth, scalar) = element(surface)?;
    let shape = shape(value, depth)?;
    save(path, |out| {
        let written = head(scalar, &shape).and_then(|head| out.write_all(&head)).and_then(|()| numbers(value, out));
        written.map_err(|e| DataError::new("T0741", format!("`{}` cannot be written: {e}", path.display())))
    })
}

/// Writes flat memory, of which the numbers are written as they are.
pub(crate) fn write_column(path: &Path, value: &Column, surface: &Surface) -> Result<(), DataError> {
    let (_, scalar) = element(surface)?;
    let mut shape = Vec::new();
    let bytes = flat(value, 1, &mut shape)?;
    save(path, |out| {
        let written = head(scalar, &shape).and_then(|head| out.write_all(&head)).and_then(|()| out.write_all(bytes));
        written.map_err(|e| DataError::new("T0741", format!("`{}` cannot be written: {e}", path.display())))
    })
}

/// The numbers of so many rows; the length of each dimension is added.
fn flat<'a>(value: &'a Column, rows: usize, shape: &mut Vec<usize>) -> Result<&'a [u8], DataError> {
    let (length, inner) = match value {
        Column::Numbers(_, bytes) => return Ok(bytes),
        // A length that nothing shows is 0.
        Column::Equal(length, inner) => (if rows == 0 { 0 } else { *length }, inner),
        Column::Rows(offsets, inner) => {
            let length = offsets.get(1).map_or(0, |end| *end - offsets[0]);
            if offsets.windows(2).any(|row| row[1] - row[0] != length) {
                return Err(ragged());
            }
            (length as usize, inner)
        }
        Column::Parts(_) => return Err(DataError::new("T0741", "it holds something that is no number")),
    };
    shape.push(length);
    flat(inner, rows * length, shape)
}

fn ragged() -> DataError {
    DataError::new("T0741", "this array cannot be written as `.npy`: rows of different lengths")
        .hint("write `.arrow` or `.parquet`")
}

/// The lengths of a regular array.
fn shape(value: &Data, depth: usize) -> Result<Vec<usize>, DataError> {
    let mut lengths = vec![None; depth];
    measure(value, &mut lengths).ok_or_else(ragged)?;
    Ok(lengths.into_iter().map(|length| length.unwrap_or(0)).collect())
}

fn measure(value: &Data, lengths: &mut [Option<usize>]) -> Option<()> {
    match (value, lengths) {
        (Data::Array(rows), [length, inner @ ..]) => {
            if *length.get_or_insert(rows.len()) != rows.len() {
                return None;
            }
            // Rows of numbers all have the length that was just compared.
            if inner.is_empty() { Some(()) } else { rows.iter().try_for_each(|row| measure(row, inner)) }
        }
        _ => Some(()),
    }
}

fn head(scalar: ScalarType, shape: &[usize]) -> io::Result<Vec<u8>> {
    let kind = match scalar {
        ScalarType::Bool => "|b1",
        ScalarType::I8 => "|i1",
        ScalarType::I16 => "<i2",
        ScalarType::I32 => "<i4",
        ScalarType::I64 => "<i8",
        ScalarType::U8 => "|u1",
        ScalarType::U16 => "<u2",
        ScalarType::U32 => "<u4",
        ScalarType::U64 => "<u8",
        ScalarType::F32 => "<f4",
        ScalarType::F64 => "<f8",
    };
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (");
    for (k, length) in shape.iter().enumerate() {
        let _ = write!(text, "{}{length}", if k == 0 { "" } else { ", " });
    }
    text += if shape.len() == 1 { ",), }" } else { "), }" };
    // The numbers start at a multiple of 64, and a line break ends the header.
    let before = 10;
    let padding = (64 - (before + text.len() + 1) % 64) % 64;
    text += &" ".repeat(padding);
    text.push('\n');
    let size = u16::try_from(text.len()).map_err(|_| io::Error::other("it has too many dimensions"))?;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(size.to_le_bytes());
    bytes.extend(text.as_bytes());
    Ok(bytes)
}

fn numbers(value: &Data, out: &mut Output) -> io::Result<()> {
    match value {
        Data::Array(rows) => rows.iter().try_for_each(|row| numbers(row, out)),
        Data::Scalar(scalar) => match scalar {
            Scalar::Bool(x) => out.write_all(&[u8::from(*x)]),
            Scalar::I8(x) => out.write_all(&x.to_le_bytes()),
            Scalar::I16(x) => out.write_all(&x.to_le_bytes()),
            Scalar::I32(x) => out.write_all(&x.to_le_bytes()),
            Scalar::I64(x) => out.write_all(&x.to_le_bytes()),
            Scalar::U8(x) => out.write_all(&x.to_le_bytes()),
            Scalar::U16(x) => out.write_all(&x.to_le_bytes()),
            Scalar::U32(x) => out.write_all(&x.to_le_bytes()),
            Scalar::U64(x) => out.write_all(&x.to_le_bytes()),
            Scalar::F32(x) => out.write_all(&x.to_le_bytes()),
            Scalar::F64(x) => out.write_all(&x.to_le_bytes()),
        },
        Data::Tuple(_) | Data::Variant(_) => Err(io::Error::other("it holds something that is no number")),
    }
}
