//! A value as flat memory: what a file holds, without a Rust value for each number.
//!
//! Numbers of one kind lie side by side, and rows are the places where they begin, as in Arrow and as in a running program:
//!
//! ```text
//! [[1.0, 2.0], [], [3.0]]        Equal(3, Rows([0, 2, 2, 3], Numbers(f64, 1.0 2.0 3.0)))
//! numpy, shape (2, 3)            Equal(2, Equal(3, Numbers(f64, …)))
//! [(1, true), (2, false)]        Equal(2, Parts([Numbers(i64, …), Numbers(bool, …)]))
//! ```
//!
//! A nested value takes 32 bytes for every number and as much for every row; these take what the numbers take.
//!
//! Declines enums, which have no form in data files.

use arrow_buffer::{Buffer, ScalarBuffer};
use terrace_base::{Scalar, ScalarType};
use terrace_plan::data::Data;

/// Values of one type, one after the other.
#[derive(Clone, Debug)]
pub enum Column {
    /// Numbers, the lowest byte first; booleans are bytes.
    Numbers(ScalarType, Buffer),
    /// Rows of equally many elements.
    Equal(usize, Box<Column>),
    /// Rows of any lengths: where each begins, from 0, and where the last ends.
    Rows(ScalarBuffer<i64>, Box<Column>),
    /// Tuples or records: a column for each part.
    Parts(Vec<Column>),
}

/// What was read.
#[derive(Clone, Debug)]
pub enum Value {
    /// A nested value.
    Data(Data),
    /// The same as flat memory.
    Column(Column),
}

impl Value {
    /// The nested value.
    pub fn into_data(self) -> Data {
        match self {
            Value::Data(data) => data,
            Value::Column(column) => column.to_data(),
        }
    }
}

impl Column {
    /// The number of a row, as bytes.
    pub(crate) fn number(&self, row: usize) -> Option<(ScalarType, &[u8])> {
        let Column::Numbers(ty, bytes) = self else { return None };
        let width = ty.size_bytes();
        Some((*ty, bytes.as_slice().get(row * width..(row + 1) * width)?))
    }

    /// The elements of a row: from where to where, and of what.
    pub(crate) fn elements(&self, row: usize) -> Option<(std::ops::Range<usize>, &Column)> {
        match self {
            Column::Equal(length, inner) => Some((row * length..(row + 1) * length, inner)),
            Column::Rows(offsets, inner) => Some((*offsets.get(row)? as usize..*offsets.get(row + 1)? as usize, inner)),
            _ => None,
        }
    }

    /// A row of bytes.
    pub(crate) fn text(&self, row: usize) -> Option<&[u8]> {
        let (range, inner) = self.elements(row)?;
        match inner {
            Column::Numbers(ScalarType::U8, bytes) => bytes.as_slice().get(range),
            _ => None,
        }
    }

    /// Its numbers as `f64`, for those who look at them and do not compute with them; booleans are 0 and 1. None of rows and tuples.
    pub fn to_f64s(&self) -> Option<Vec<f64>> {
        let Column::Numbers(ty, bytes) = self else { return None };
        let number = |b: &[u8]| {
            let scalar = Scalar::from_le_bytes(*ty, b)?;
            let truth = || scalar.as_bool().map(|truth| f64::from(u8::from(truth)));
            scalar.as_f64().or_else(|| Some(scalar.as_i128()? as f64)).or_else(truth)
        };
        bytes.as_slice().chunks_exact(ty.size_bytes()).map(number).collect()
    }

    /// The nested value of which this is the only row.
    pub fn to_data(&self) -> Data {
        self.rows(0, 1).pop().unwrap_or(Data::Tuple(Vec::new()))
    }

    fn rows(&self, start: usize, count: usize) -> Vec<Data> {
        match self {
            Column::Numbers(ty, bytes) => {
                let width = ty.size_bytes();
                let numbers = bytes.as_slice().chunks_exact(width).skip(start).take(count);
                numbers.filter_map(|b| Scalar::from_le_bytes(*ty, b).map(Data::Scalar)).collect()
            }
            Column::Equal(length, inner) => {
                let row = |r| Data::Array(inner.rows((start + r) * length, *length));
                (0..count).map(row).collect()
            }
            Column::Rows(offsets, inner) => {
                let row = |w: &[i64]| Data::Array(inner.rows(w[0] as usize, (w[1] - w[0]) as usize));
                offsets.windows(2).skip(start).take(count).map(row).collect()
            }
            Column::Parts(parts) => {
                let columns = parts.iter().map(|part| part.rows(start, count)).collect();
                crate::decode::tuples(count, columns)
            }
        }
    }
}
