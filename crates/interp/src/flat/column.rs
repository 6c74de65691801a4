//! Columns and slots: the values that Flat programs take, compute and give.
//!
//! A column knows which of its elements exist. An operator that stores rows with room between them leaves gaps, and a gap
//! that is read is a bug of the compiler, not a zero:
//!
//! ```text
//! rows = [0, 3, 6], local arrays [1, 2] and [5]   column  1 2 · 5 · ·
//! ```

use terrace_base::{Scalar, ScalarType};

/// A flat array of scalars of one type; gaps have no element.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    elem: ScalarType,
    items: Vec<Option<Scalar>>,
}

/// A scalar or a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Slot {
    /// A scalar.
    Scalar(Scalar),
    /// A column.
    Column(Column),
}

impl Column {
    /// A column without gaps.
    pub fn new(elem: ScalarType, items: Vec<Scalar>) -> Column {
        Column { elem, items: items.into_iter().map(Some).collect() }
    }

    /// A column of offsets, lengths or positions.
    pub fn of_ints(items: &[i64]) -> Column {
        Column::new(ScalarType::I64, items.iter().map(|n| Scalar::I64(*n)).collect())
    }

    pub(crate) fn with_gaps(elem: ScalarType, items: Vec<Option<Scalar>>) -> Column {
        Column { elem, items }
    }

    /// The type of an element.
    pub fn elem(&self) -> ScalarType {
        self.elem
    }

    /// How many elements, gaps included.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The element at a position; `None` for a gap and outside.
    pub fn get(&self, at: usize) -> Option<Scalar> {
        self.items.get(at).copied().flatten()
    }

    /// All elements in order, with gaps.
    pub fn items(&self) -> &[Option<Scalar>] {
        &self.items
    }
}
