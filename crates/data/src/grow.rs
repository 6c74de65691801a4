//! A column that grows number by number, as text is read.
//!
//! Whoever reads a text keeps one [`Builder`] and puts numbers, bytes and ends of rows into it; nothing else is made for a number:
//!
//! ```text
//! 1.5,2.5 ⏎ ⏎ 3 ⏎      number 1.5, number 2.5, end of row, end of row, number 3, end of row
//!                      Rows([0, 2, 2, 3], 1.5 2.5 3.0)
//! ```
//!
//! Nested values become columns the same way, so that every text format has one writer.

use crate::append::Builder;
use crate::column::Column;
use crate::encode::not_of_its_type;
use crate::error::DataError;
use terrace_base::{Scalar, ScalarType};
use terrace_plan::data::Data;
use terrace_plan::surface::Surface;

impl Builder {
    /// How many values it holds.
    pub(crate) fn len(&self) -> usize {
        match self {
            Builder::Numbers(ty, bytes) => bytes.len() / ty.size_bytes(),
            Builder::Rows(offsets, _) => offsets.rows(),
            Builder::Parts(parts) => parts.first().map_or(0, Builder::len),
        }
    }

    /// Whether it takes text: rows of bytes.
    pub(crate) fn takes_text(&self) -> bool {
        matches!(self, Builder::Rows(_, inner) if matches!(**inner, Builder::Numbers(ScalarType::U8, _)))
    }

    /// Ends a row: what came since the last end is its elements.
    pub(crate) fn end_row(&mut self) {
        if let Builder::Rows(offsets, inner) = self {
            offsets.own().push(inner.len() as i64);
        }
    }

    /// Appends a row of bytes.
    pub(crate) fn put_text(&mut self, text: &[u8]) {
        if let Builder::Rows(_, inner) = self
            && let Builder::Numbers(ScalarType::U8, bytes) = &mut **inner
        {
            bytes.own().extend_from_slice(text);
            self.end_row();
        }
    }

    /// Appends something of the right shape where a value is missing: reading goes on only to count.
    pub(crate) fn put_anything(&mut self) {
        match self {
            Builder::Numbers(ty, bytes) => {
                let bytes = bytes.own();
                bytes.resize(bytes.len() + ty.size_bytes(), 0);
            }
            Builder::Rows(..) => self.end_row(),
            Builder::Parts(parts) => parts.iter_mut().for_each(Builder::put_anything),
        }
    }

    /// Appends a nested value.
    fn put(&mut self, value: &Data, surface: &Surface) -> Result<(), DataError> {
        match (self, value, surface) {
            (Builder::Numbers(ty, bytes), Data::Scalar(scalar), _) if scalar.ty() == *ty => {
                put_scalar(*scalar, bytes.own());
                Ok(())
            }
            (rows @ Builder::Rows(..), Data::Array(items), Surface::Array(element)) => {
                if let Builder::Rows(_, inner) = rows {
                    items.iter().try_for_each(|item| inner.put(item, element))?;
                }
                rows.end_row();
                Ok(())
            }
            (Builder::Parts(parts), Data::Tuple(values), _) if parts.len() == values.len() => {
                let surfaces = crate::fit::parts_of(surface);
                let mut all = parts.iter_mut().zip(values).zip(surfaces);
                all.try_for_each(|((part, value), surface)| part.put(value, surface))
            }
            _ => Err(not_of_its_type(surface)),
        }
    }
}

fn put_scalar(scalar: Scalar, to: &mut Vec<u8>) {
    let bits = scalar.raw_bits().to_le_bytes();
    to.extend_from_slice(&bits[..scalar.ty().size_bytes()]);
}

/// The column of which a nested value is the only row.
pub(crate) fn column_of(value: &Data, surface: &Surface) -> Result<Column, DataError> {
    if let (Data::Array(items), Surface::Array(element)) = (value, surface) {
        let mut builder = Builder::new(element);
        items.iter().try_for_each(|item| builder.put(item, element))?;
        return Ok(Column::Equal(items.len(), Box::new(builder.finish())));
    }
    let mut builder = Builder::new(surface);
    builder.put(value, surface)?;
    Ok(builder.finish())
}
