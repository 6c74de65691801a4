//! Nested values to columns of Arrow.
//!
//! The rows of an array become the rows of a table. Each column is built from references to its values, one level of nesting after the other:
//!
//! ```text
//! [[1.0, 2.0], [], [3.0]]      value: list<double>      offsets 0 2 2 3, elements 1.0 2.0 3.0
//! [(1, true), (2, false)]      0: int64, 1: bool
//! ```
//!
//! Types come from the declared type, never from the data, so that an empty array keeps its own. No column admits missing values.
//! Declines to write enums.

use crate::column::Column;
use crate::error::DataError;
use crate::fit::{foreign_part, row_of};
use crate::piece::piece;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, ListArray, PrimitiveArray, RecordBatch, StructArray};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use std::sync::Arc;
use terrace_base::{Scalar, ScalarType};
use terrace_plan::data::Data;
use terrace_plan::surface::Surface;

/// Rows of a batch: enough to be fast, few enough that a batch is small beside the value.
const ROWS: usize = 1 << 16;

/// Refuses types that have no form in a table.
pub(crate) fn check_type(surface: &Surface) -> Result<(), DataError> {
    match foreign_part(surface) {
        None => Ok(()),
        Some(what) => Err(DataError::new("T0729", format!("a value of type {surface} cannot be written: {what}"))
            .hint("let the entry return numbers, arrays, tuples or records")),
    }
}

/// The rows of a table.
enum Rows<'a> {
    Nested(Vec<&'a Data>),
    Flat(&'a Column, usize),
}

/// A value as a table.
pub(crate) struct Table<'a> {
    rows: Rows<'a>,
    columns: Vec<(String, &'a Surface)>,
    /// Whether rows are taken apart, a column for each part.
    in_parts: bool,
    schema: SchemaRef,
}

impl<'a> Table<'a> {
    /// The table of a nested value.
    pub(crate) fn nested(value: &'a Data, surface: &'a Surface) -> Result<Self, DataError> {
        let rows = match (value, surface) {
            (Data::Array(rows), Surface::Array(_)) => rows.iter().collect(),
            _ => vec![value],
        };
        Table::new(Rows::Nested(rows), surface)
    }

    /// The table of the only row of a column.
    pub(crate) fn flat(value: &'a Column, surface: &'a Surface) -> Result<Self, DataError> {
        let rows = match (value, surface) {
            (Column::Equal(count, rows), Surface::Array(_)) => Rows::Flat(rows, *count),
            _ => Rows::Flat(value, 1),
        };
        Table::new(rows, surface)
    }

    fn new(rows: Rows<'a>, surface: &'a Surface) -> Result<Self, DataError> {
        let row = row_of(surface);
        let columns = match row {
            Surface::Tuple(parts) => parts.iter().enumerate().map(|(k, part)| (k.to_string(), part)).collect(),
            Surface::Record { fields, .. } => fields.iter().map(|(name, part)| (name.clone(), part)).collect(),
            _ => vec![("value".to_string(), row)],
        };
        let in_parts = matches!(row, Surface::Tuple(_) | Surface::Record { .. });
        let fields: Fields = columns
            .iter()
            .map(|(name, part)| data_type(part).map(|found| Field::new(name.as_str(), found, false)))
            .collect::<Result<_, _>>()?;
        Ok(Table { rows, columns, in_parts, schema: Arc::new(Schema::new(fields)) })
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The rows, some at a time.
    pub(crate) fn batches(&self) -> impl Iterator<Item = Result<RecordBatch, DataError>> {
        let count = match &self.rows {
            Rows::Nested(rows) => rows.len(),
            Rows::Flat(_, count) => *count,
        };
        (0..count).step_by(ROWS).map(move |start| self.batch(start, ROWS.min(count - start)))
    }

    fn batch(&self, start: usize, count: usize) -> Result<RecordBatch, DataError> {
        let mut arrays = Vec::new();
        for (k, (_, part)) in self.columns.iter().enumerate() {
            arrays.push(match &self.rows {
                Rows::Nested(rows) if self.in_parts => column(&nth(&rows[start..start + count], k)?, part)?,
                Rows::Nested(rows) => column(&rows[start..start + count], part)?,
                Rows::Flat(rows, _) => {
                    let whole = match rows {
                        Column::Parts(parts) if self.in_parts => parts.get(k).ok_or_else(|| not_of_its_type(part))?,
                        whole => whole,
                    };
                    piece(whole, start, count, part)?
                }
            });
        }
        RecordBatch::try_new(self.schema.clone(), arrays).map_err(|e| contradiction(&e))
    }
}

pub(crate) fn contradiction(e: &ArrowError) -> DataError {
    DataError::new("T0741", format!("this value cannot be written as a table: {e}"))
}

pub(crate) fn not_of_its_type(surface: &Surface) -> DataError {
    DataError::new("T0741", format!("a part of this value is not of its type {surface}"))
        .note("this is a mistake in the compiler, not in your program")
}

fn nth<'a>(rows: &[&'a Data], k: usize) -> Result<Vec<&'a Data>, DataError> {
    let part = |row: &&'a Data| match row {
        Data::Tuple(parts) => parts.get(k),
        _ => None,
    };
    let parts: Option<Vec<&Data>> = rows.iter().map(part).collect();
    parts.ok_or_else(|| DataError::new("T0741", "a row of this value is no tuple of its type"))
}

fn data_type(surface: &Surface) -> Result<DataType, DataError> {
    Ok(match surface {
        Surface::Scalar(scalar) => match scalar {
            ScalarType::Bool => DataType::Boolean,
            ScalarType::I8 => DataType::Int8,
            ScalarType::I16 => DataType::Int16,
            ScalarType::I32 => DataType::Int32,
            ScalarType::I64 => DataType::Int64,
            ScalarType::U8 => DataType::UInt8,
            ScalarType::U16 => DataType::UInt16,
            ScalarType::U32 => DataType::UInt32,
            ScalarType::U64 => DataType::UInt64,
            ScalarType::F32 => DataType::Float32,
            ScalarType::F64 => DataType::Float64,
        },
        Surface::Array(element) => DataType::List(item(element)?),
        Surface::Tuple(_) | Surface::Record { .. } => DataType::Struct(fields(surface)?),
        Surface::Enum { .. } => {
            check_type(surface)?;
            return Err(not_of_its_type(surface));
        }
    })
}

pub(crate) fn item(element: &Surface) -> Result<Arc<Field>, DataError> {
    Ok(Arc::new(Field::new("item", data_type(element)?, false)))
}

pub(crate) fn fields(surface: &Surface) -> Result<Fields, DataError> {
    parts(surface).iter().map(|(name, part)| Ok(Field::new(name.as_str(), data_type(part)?, false))).collect()
}

pub(crate) fn parts(surface: &Surface) -> Vec<(String, &Surface)> {
    match surface {
        Surface::Tuple(parts) => parts.iter().enumerate().map(|(k, part)| (k.to_string(), part)).collect(),
        Surface::Record { fields, .. } => fields.iter().map(|(name, part)| (name.clone(), part)).collect(),
        _ => Vec::new(),
    }
}

pub(crate) fn too_long() -> DataError {
    DataError::new("T0741", "the rows of this value are too long: more than 2^31 elements in a batch")
}

/// The column of these values.
fn column(values: &[&Data], surface: &Surface) -> Result<ArrayRef, DataError> {
    match surface {
        Surface::Scalar(scalar) => scalars(values, *scalar).ok_or_else(|| not_of_its_type(surface)),
        Surface::Array(element) => {
            let mut offsets: Vec<i32> = Vec::with_capacity(values.len() + 1);
            offsets.push(0);
            let mut elements = Vec::new();
            for value in values {
                let Data::Array(row) = value else { return Err(not_of_its_type(surface)) };
                elements.extend(row);
                offsets.push(i32::try_from(elements.len()).map_err(|_| too_long())?);
            }
            let elements = column(&elements, element)?;
            let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
            let list = ListArray::try_new(item(element)?, offsets, elements, None).map_err(|e| contradiction(&e))?;
            Ok(Arc::new(list))
        }
        Surface::Tuple(_) | Surface::Record { .. } => {
            let mut arrays = Vec::new();
            for (k, (_, part)) in parts(surface).iter().enumerate() {
                arrays.push(column(&nth(values, k)?, part)?);
            }
            let structs = StructArray::try_new(fields(surface)?, arrays, None).map_err(|e| contradiction(&e))?;
            Ok(Arc::new(structs))
        }
        Surface::Enum { .. } => {
            check_type(surface)?;
            Err(not_of_its_type(surface))
        }
    }
}

/// None if a value is not of the type.
fn scalars(values: &[&Data], scalar: ScalarType) -> Option<ArrayRef> {
    fn all<T: ArrowPrimitiveType>(values: &[&Data], get: fn(&Scalar) -> Option<T::Native>) -> Option<ArrayRef> {
        let natives: Option<Vec<T::Native>> = values
            .iter()
            .map(|value| match value {
                Data::Scalar(scalar) => get(scalar),
                _ => None,
            })
            .collect();
        Some(Arc::new(PrimitiveArray::<T>::new(natives?.into(), None)))
    }
    macro_rules! column_of {
        ($arrow:ty, $variant:ident) => {
            all::<$arrow>(values, |scalar| match scalar {
                Scalar::$variant(value) => Some(*value),
                _ => None,
            })
        };
    }
    match scalar {
        ScalarType::Bool => {
            let bits: Option<Vec<bool>> = values
                .iter()
                .map(|value| match value {
                    Data::Scalar(Scalar::Bool(bit)) => Some(*bit),
                    _ => None,
                })
                .collect();
            Some(Arc::new(BooleanArray::from(bits?)))
        }
        ScalarType::I8 => column_of!(Int8Type, I8),
        ScalarType::I16 => column_of!(Int16Type, I16),
        ScalarType::I32 => column_of!(Int32Type, I32),
        ScalarType::I64 => column_of!(Int64Type, I64),
        ScalarType::U8 => column_of!(UInt8Type, U8),
        ScalarType::U16 => column_of!(UInt16Type, U16),
        ScalarType::U32 => column_of!(UInt32Type, U32),
        ScalarType::U64 => column_of!(UInt64Type, U64),
        ScalarType::F32 => column_of!(Float32Type, F32),
        ScalarType::F64 => column_of!(Float64Type, F64),
    }
}
