//! A piece of a column to an array of Arrow, for a batch of a file.
//!
//! Numbers are the memory that they are in. Offsets are made anew: those of a batch begin at 0 and have 32 bits, as everybody reads them.
//!
//! ```text
//! Rows([0, 2, 2, 5], 1.0 2.0 3.0 4.0 5.0), rows 1 and 2      offsets 0 0 3, elements 3.0 4.0 5.0
//! ```
//!
//! The twin of `encode`, which builds the same arrays from nested values.

use crate::column::Column;
use crate::encode::{contradiction, fields, item, not_of_its_type, parts, too_long};
use crate::error::DataError;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, ListArray, PrimitiveArray, StructArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use std::sync::Arc;
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

/// The rows of a column from `start` on.
pub(crate) fn piece(column: &Column, start: usize, count: usize, surface: &Surface) -> Result<ArrayRef, DataError> {
    let wrong = || not_of_its_type(surface);
    match (column, surface) {
        (Column::Numbers(ty, bytes), Surface::Scalar(_)) => {
            let width = ty.size_bytes();
            let end = (start + count) * width;
            if bytes.len() < end {
                return Err(wrong());
            }
            Ok(numbers(*ty, &bytes.slice_with_length(start * width, end - start * width)))
        }
        (Column::Equal(length, inner), Surface::Array(element)) => {
            let place = |row: usize| i32::try_from(row * length).map_err(|_| too_long());
            let offsets = (0..=count).map(place).collect::<Result<Vec<i32>, _>>()?;
            list(offsets, piece(inner, start * length, count * length, element)?, element)
        }
        (Column::Rows(offsets, inner), Surface::Array(element)) => {
            let places = offsets.get(start..start + count + 1).ok_or_else(wrong)?;
            let (first, last) = (places[0], places[count]);
            let place = |at: &i64| i32::try_from(at - first).map_err(|_| too_long());
            let offsets = places.iter().map(place).collect::<Result<Vec<i32>, _>>()?;
            list(offsets, piece(inner, first as usize, (last - first) as usize, element)?, element)
        }
        (Column::Parts(columns), Surface::Tuple(_) | Surface::Record { .. }) => {
            let pairs = columns.iter().zip(parts(surface));
            let arrays = pairs.map(|(column, (_, part))| piece(column, start, count, part));
            let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
            let structs = StructArray::try_new(fields(surface)?, arrays, None).map_err(|e| contradiction(&e))?;
            Ok(Arc::new(structs))
        }
        _ => Err(wrong()),
    }
}

fn list(offsets: Vec<i32>, elements: ArrayRef, element: &Surface) -> Result<ArrayRef, DataError> {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let list = ListArray::try_new(item(element)?, offsets, elements, None).map_err(|e| contradiction(&e))?;
    Ok(Arc::new(list))
}

fn numbers(ty: ScalarType, bytes: &Buffer) -> ArrayRef {
    fn all<T: ArrowPrimitiveType>(bytes: &Buffer) -> ArrayRef {
        let aligned = (bytes.as_ptr() as usize).is_multiple_of(align_of::<T::Native>());
        // Arrow's typed buffers must be aligned; a copy always is.
        let bytes = if aligned { bytes.clone() } else { Buffer::from_slice_ref(bytes.as_slice()) };
        Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(bytes), None))
    }
    match ty {
        ScalarType::Bool => Arc::new(BooleanArray::from(bytes.iter().map(|b| *b != 0).collect::<Vec<bool>>())),
        ScalarType::I8 => all::<Int8Type>(bytes),
        ScalarType::I16 => all::<Int16Type>(bytes),
        ScalarType::I32 => all::<Int32Type>(bytes),
        ScalarType::I64 => all::<Int64Type>(bytes),
        ScalarType::U8 => all::<UInt8Type>(bytes),
        ScalarType::U16 => all::<UInt16Type>(bytes),
        ScalarType::U32 => all::<UInt32Type>(bytes),
        ScalarType::U64 => all::<UInt64Type>(bytes),
        ScalarType::F32 => all::<Float32Type>(bytes),
        ScalarType::F64 => all::<Float64Type>(bytes),
    }
}
