//! From measured slots to a nested value: elements first, then the rows they make.

use terrace_plan::data::Data;

use super::measure::Shape;
use super::{SlotValue, ValueError};

/// The value of a shape.
pub(super) fn build(shape: &Shape, slots: &[SlotValue]) -> Result<Data, ValueError> {
    let mut rows = all_rows(shape, slots)?;
    rows.pop().ok_or_else(|| missing(0))
}

fn missing(slot: usize) -> ValueError {
    let text = "the column is too short".to_string();
    ValueError::Columns { slot, text }
}

fn all_rows(shape: &Shape, slots: &[SlotValue]) -> Result<Vec<Data>, ValueError> {
    match shape {
        Shape::Scalar { slot, rows, places } => match slots.get(*slot) {
            Some(SlotValue::Scalar(s)) => Ok(vec![Data::Scalar(*s); *rows]),
            Some(SlotValue::Column(column)) => {
                let at = |row: usize| places.as_ref().map_or(row, |p| p[row]);
                let element = |row| column.get(at(row)).map(Data::Scalar).ok_or_else(|| missing(*slot));
                (0..*rows).map(element).collect()
            }
            None => Err(missing(*slot)),
        },
        Shape::Tuple { rows, parts } => {
            let mut tuples = vec![Vec::with_capacity(parts.len()); *rows];
            for part in parts {
                for (tuple, data) in tuples.iter_mut().zip(all_rows(part, slots)?) {
                    tuple.push(data);
                }
            }
            Ok(tuples.into_iter().map(Data::Tuple).collect())
        }
        Shape::Array { rows, level, element } => {
            let mut elements = all_rows(element, slots)?.into_iter();
            let row = |r| Data::Array(elements.by_ref().take(level.offsets.length(r)).collect());
            Ok((0..*rows).map(row).collect())
        }
    }
}
