//! An `.npy` file to a nested value, or to flat memory.
//!
//! The header is believed only as far as the file is long. Arrays in C order are read as a stream; those in Fortran order are held once as bytes
//! and picked from, because their first row is spread over the whole file.
//!
//! ```text
//! shape (2, 3), C order        0 1 2 3 4 5      [[0, 1, 2], [3, 4, 5]]
//! shape (2, 3), Fortran order  0 1 2 3 4 5      [[0, 2, 4], [1, 3, 5]]
//! ```
//!
//! As flat memory, numbers in C order are read once, to where they stay; of a mapped file they are lent, unless their bytes must be changed.

use crate::budget::Budget;
use crate::column::{Column, Value};
use crate::error::{DataError, damaged, unreadable};
use crate::gather::Form;
use crate::npy::header::{Header, parse};
use crate::opened::Opened;
use arrow_buffer::{Buffer, MutableBuffer};
use std::fs::File;
use std::io::{BufReader, Read};
use terrace_base::{Scalar, ScalarType};
use terrace_plan::data::Data;
use terrace_plan::surface::Surface;

/// Numpy itself allows 64 dimensions and warns about headers beyond this.
const LONGEST_HEADER: u64 = 1 << 20;

pub(crate) fn read(
    opened: Opened,
    name: &str,
    wanted: &Surface,
    column: Option<&str>,
    budget: Budget,
    form: Form,
) -> Result<Value, DataError> {
    if let Some(column) = column {
        return Err(DataError::new("T0724", format!("`{name}` has no columns, so `{column}` cannot be read from it"))
            .note("a numpy file holds one array")
            .hint(format!("write `{name}` alone")));
    }
    let Opened { file, length, mapped } = opened;
    let mut input = BufReader::with_capacity(1 << 16, file);
    let (header, start) = read_header(&mut input, length, name)?;
    check_type(&header, wanted, name)?;
    let form = if matches!(wanted, Surface::Array(_)) { form } else { Form::Nested };
    if let Some(numbers) = mapped.and_then(|file| lent(&file, start, &header)).filter(|_| form == Form::Flat) {
        return Ok(Value::Column(shaped(numbers, &header)));
    }
    let count = check_size(&header, length - start, name, &mut form.budget(budget))?;
    let spread = header.columns_first && header.shape.len() > 1;
    if form == Form::Nested && !spread {
        return stream(&mut input, &header.shape, &header).map(Value::Data).map_err(|e| unreadable(name, &e));
    }
    let width = header.element.size_bytes();
    let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(width));
    let mut all = MutableBuffer::from_len_zeroed(bytes.ok_or_else(|| damaged(name, "it is too large"))?);
    input.read_exact(all.as_slice_mut()).map_err(|e| unreadable(name, &e))?;
    if form == Form::Nested {
        let strides = strides(&header.shape, width);
        return Ok(Value::Data(pick(&all, 0, &header.shape, &strides, &header)));
    }
    if header.big_endian {
        all.as_slice_mut().chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
    if header.element == ScalarType::Bool {
        all.as_slice_mut().iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
    }
    if spread {
        let strides = strides(&header.shape, width);
        let mut ordered = MutableBuffer::with_capacity(all.len());
        put_in_order(&all, 0, &header.shape, &strides, width, &mut ordered);
        all = ordered;
    }
    Ok(Value::Column(shaped(all.into(), &header)))
}

/// The numbers of a mapped file, where they lie in it as they lie in memory and are all there.
fn lent(file: &Buffer, start: u64, header: &Header) -> Option<Buffer> {
    let width = header.element.size_bytes();
    let start = usize::try_from(start).ok().filter(|start| start.is_multiple_of(width))?;
    let as_in_memory = !header.columns_first || header.shape.len() < 2;
    let plain = as_in_memory && !header.big_endian && header.element != ScalarType::Bool;
    let bytes = header.shape.iter().try_fold(width as u64, |product, length| product.checked_mul(*length))?;
    let bytes = usize::try_from(bytes).ok().filter(|bytes| plain && *bytes > 0)?;
    start.checked_add(bytes).filter(|end| *end <= file.len())?;
    Some(file.slice_with_length(start, bytes))
}

/// Numbers in C order, in rows.
fn shaped(numbers: Buffer, header: &Header) -> Column {
    let numbers = Column::Numbers(header.element, numbers);
    header.shape.iter().rev().fold(numbers, |inner, length| {
        // There are as many numbers, or the budget has been asked.
        Column::Equal(usize::try_from(*length).unwrap_or(usize::MAX), Box::new(inner))
    })
}

/// The type of the array in a file.
pub(crate) fn type_of(file: File, name: &str) -> Result<Surface, DataError> {
    let length = file.metadata().map_err(|e| unreadable(name, &e))?.len();
    let (header, _) = read_header(&mut BufReader::new(file), length, name)?;
    let element = Surface::Scalar(header.element);
    Ok(header.shape.iter().fold(element, |inner, _| Surface::Array(Box::new(inner))))
}

/// The header, and where the numbers start.
fn read_header(input: &mut impl Read, length: u64, name: &str) -> Result<(Header, u64), DataError> {
    let mut start = [0; 8];
    if length < 10 || input.read_exact(&mut start).is_err() {
        return Err(damaged(name, format!("it has only {length} bytes, too few for a numpy file")));
    }
    match &start[..4] {
        b"\x93NUM" if &start[..6] == b"\x93NUMPY" => {}
        b"PK\x03\x04" => {
            return Err(damaged(name, "it is a packed collection of arrays")
                .hint("save each array on its own with `numpy.save`"));
        }
        b"PAR1" => return Err(damaged(name, "it is a Parquet file").hint("rename it to end in `.parquet`")),
        _ => return Err(damaged(name, "it does not begin like a numpy file")),
    }
    let size_bytes = match start[6] {
        1 => 2,
        2 | 3 => 4,
        other => {
            return Err(DataError::new("T0726", format!("`{name}` is in version {other} of numpy's format"))
                .note("versions 1, 2 and 3 are known")
                .hint("save it again with another version of numpy"));
        }
    };
    let mut size = [0; 4];
    input.read_exact(&mut size[..size_bytes]).map_err(|e| unreadable(name, &e))?;
    let size = u64::from(u32::from_le_bytes(size));
    let end = 8 + size_bytes as u64 + size;
    if end > length || size > LONGEST_HEADER {
        return Err(damaged(name, format!("it says that its header has {size} bytes")));
    }
    let mut text = vec![0; size as usize];
    input.read_exact(&mut text).map_err(|e| unreadable(name, &e))?;
    let text = String::from_utf8_lossy(&text);
    Ok((parse(&text, name)?, end))
}

fn check_type(header: &Header, wanted: &Surface, name: &str) -> Result<(), DataError> {
    let mut element = wanted;
    let mut depth = 0;
    while let Surface::Array(inner) = element {
        element = inner;
        depth += 1;
    }
    let found = format!("{}{}", "[]".repeat(header.shape.len()), header.element);
    if depth == header.shape.len() && *element == Surface::Scalar(header.element) {
        return Ok(());
    }
    let error = DataError::new("T0723", format!("`{name}` holds {found}, and {wanted} is wanted"));
    let scalar = match element {
        Surface::Scalar(scalar) => *scalar,
        _ => {
            return Err(error
                .note("a numpy file holds one array of numbers")
                .hint("write tuples and records as columns of a Parquet file"));
        }
    };
    Err(if depth != header.shape.len() {
        error.note(format!("its shape in numpy is {:?}", header.shape)).hint(format!(
            "an array of numpy with {depth} dimensions fits {wanted}: `a.reshape(…)`, or declare the parameter as {found}"
        ))
    } else {
        error.hint(format!(
            "nothing is converted silently: declare the parameter as {found} and write `{scalar}(x)` in the program, or save `a.astype(\"{}\")`",
            numpy_name(scalar)
        ))
    })
}

fn numpy_name(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::Bool => "bool",
        ScalarType::I8 => "int8",
        ScalarType::I16 => "int16",
        ScalarType::I32 => "int32",
        ScalarType::I64 => "int64",
        ScalarType::U8 => "uint8",
        ScalarType::U16 => "uint16",
        ScalarType::U32 => "uint32",
        ScalarType::U64 => "uint64",
        ScalarType::F32 => "float32",
        ScalarType::F64 => "float64",
    }
}

/// How many numbers there are, if the file has them and memory will hold them with all rows around them.
fn check_size(header: &Header, bytes: u64, name: &str, budget: &mut Budget) -> Result<u64, DataError> {
    let wrong = || damaged(name, format!("its shape {:?} needs more bytes than the {bytes} it has", header.shape));
    let empty = header.shape.contains(&0);
    let count = if empty {
        0
    } else {
        header.shape.iter().try_fold(1u64, |product, length| product.checked_mul(*length)).ok_or_else(wrong)?
    };
    if count.checked_mul(header.element.size_bytes() as u64).is_none_or(|needed| needed > bytes) {
        return Err(wrong());
    }
    let mut rows: u64 = 1;
    budget.take(1, name)?;
    for length in &header.shape {
        rows = rows.saturating_mul(*length);
        budget.take(rows, name)?;
    }
    Ok(count)
}

fn stream(input: &mut dyn Read, shape: &[u64], header: &Header) -> std::io::Result<Data> {
    match shape {
        [] => {
            let mut bytes = [0; 8];
            let width = header.element.size_bytes();
            input.read_exact(&mut bytes[..width])?;
            Ok(Data::Scalar(scalar(&bytes[..width], header)))
        }
        [length, inner @ ..] => {
            let rows: std::io::Result<Vec<Data>> = (0..*length).map(|_| stream(input, inner, header)).collect();
            Ok(Data::Array(rows?))
        }
    }
}

fn strides(shape: &[u64], width: usize) -> Vec<usize> {
    let mut step = width;
    shape
        .iter()
        .map(|length| {
            let this = step;
            step = step.saturating_mul(*length as usize);
            this
        })
        .collect()
}

fn pick(all: &[u8], at: usize, shape: &[u64], strides: &[usize], header: &Header) -> Data {
    match (shape, strides) {
        ([length, inner @ ..], [stride, steps @ ..]) => {
            let rows = (0..*length as usize).map(|row| pick(all, at + row * stride, inner, steps, header));
            Data::Array(rows.collect())
        }
        _ => Data::Scalar(scalar(&all[at..at + header.element.size_bytes()], header)),
    }
}

/// The numbers in C order, of numbers in Fortran order.
fn put_in_order(all: &[u8], at: usize, shape: &[u64], strides: &[usize], width: usize, to: &mut MutableBuffer) {
    match (shape, strides) {
        ([length], [stride]) => {
            for row in 0..*length as usize {
                to.extend_from_slice(&all[at + row * stride..][..width]);
            }
        }
        ([length, inner @ ..], [stride, steps @ ..]) => {
            for row in 0..*length as usize {
                put_in_order(all, at + row * stride, inner, steps, width, to);
            }
        }
        _ => {}
    }
}

/// The number in these bytes.
fn scalar(bytes: &[u8], header: &Header) -> Scalar {
    let mut raw = [0; 8];
    raw[..bytes.len()].copy_from_slice(bytes);
    if header.big_endian {
        raw[..bytes.len()].reverse();
    }
    let bits = u64::from_le_bytes(raw);
    match header.element {
        ScalarType::Bool => Scalar::Bool(bits != 0),
        ScalarType::I8 => Scalar::I8(bits as i8),
        ScalarType::I16 => Scalar::I16(bits as i16),
        ScalarType::I32 => Scalar::I32(bits as i32),
        ScalarType::I64 => Scalar::I64(bits as i64),
        ScalarType::U8 => Scalar::U8(bits as u8),
        ScalarType::U16 => Scalar::U16(bits as u16),
        ScalarType::U32 => Scalar::U32(bits as u32),
        ScalarType::U64 => Scalar::U64(bits),
        ScalarType::F32 => Scalar::F32(f32::from_bits(bits as u32)),
        ScalarType::F64 => Scalar::F64(f64::from_bits(bits)),
    }
}
