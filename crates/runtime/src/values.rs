//! Nested values as slots, and back.
//!
//! A program computes on columns; people write nested lists. A [`Layout`] says how the one makes up the other:
//!
//! ```text
//! [[1, 2], [], [3]] : Array(Length, Array(Irregular { packed }, i32))
//! becomes   n = 3,  off = [0, 2, 2, 3],  count = 3,  column = [1, 2, 3]
//! ```
//!
//! Going in, every level is gathered as one list of rows (`gather`): lengths, then the elements of all rows. Coming out, the extent of
//! every column is *measured* from the outside in, because a buffer may be longer than what is in it (`measure`), and the nested value
//! is built from the inside out (`build`). Columns that a caller hands over ready-made are measured too, so that no kernel ever
//! meets an offset that points outside.
//!
//! Declined: views and strides. Arrow and friends are converted before they come here.

mod build;
mod column;
mod gather;
mod measure;

pub use column::{Column, Element, Owner};
pub(crate) use measure::{Source, measure};

use std::fmt;

use terrace_base::Scalar;
use terrace_plan::data::Data;
use terrace_plan::layout::Layout;

/// What one slot of a layout holds.
#[derive(Clone, Debug, PartialEq)]
pub enum SlotValue {
    /// A scalar.
    Scalar(Scalar),
    /// A column.
    Column(Column),
}

impl SlotValue {
    /// The same in a form whose copies share their bytes, so that a call can read them where they are.
    pub fn shared(self) -> SlotValue {
        match self {
            SlotValue::Scalar(scalar) => SlotValue::Scalar(scalar),
            SlotValue::Column(column) => SlotValue::Column(column.shared()),
        }
    }
}

/// Why a value does not fit a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueError {
    /// A number where an array belongs, and the like.
    Shape {
        /// Where, as positions from outside.
        index: Vec<usize>,
        /// What was found and what belongs there.
        text: String,
    },
    /// An array has another length than its type says.
    Size {
        /// Where, as positions from outside.
        index: Vec<usize>,
        /// Its length.
        found: i64,
        /// The length that its type says.
        wanted: i64,
    },
    /// The columns contradict each other.
    Columns {
        /// Which slot of the layout.
        slot: usize,
        /// What is wrong with it.
        text: String,
    },
}

impl ValueError {
    /// Where in the nested value, as positions from outside.
    pub fn index(&self) -> &[usize] {
        match self {
            ValueError::Shape { index, .. } | ValueError::Size { index, .. } => index,
            ValueError::Columns { .. } => &[],
        }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::Shape { text, .. } => f.write_str(text)?,
            ValueError::Size { found, wanted, .. } => {
                write!(f, "the array has length {found}, but its type says {wanted}")?;
            }
            ValueError::Columns { slot, text } => write!(f, "slot {slot}: {text}")?,
        }
        if !self.index().is_empty() {
            f.write_str(" (at ")?;
            for i in self.index() {
                write!(f, "[{i}]")?;
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}

/// The slots of a nested value.
pub fn to_slots(data: &Data, layout: &Layout) -> Result<Vec<SlotValue>, ValueError> {
    gather::gather(data, layout)
}

/// The nested value that slots make up.
pub fn from_slots(slots: &[SlotValue], layout: &Layout) -> Result<Data, ValueError> {
    let shape = measure(layout, &mut Given::new(slots, false))?;
    build::build(&shape, slots)
}

/// Whether ready-made slots fit a layout: types, lengths and offsets.
pub fn check_slots(slots: &[SlotValue], layout: &Layout) -> Result<(), ValueError> {
    let wanted = layout.slots().len();
    if slots.len() != wanted {
        let text = format!("{} slots are given, the layout has {wanted}", slots.len());
        return Err(ValueError::Columns { slot: 0, text });
    }
    measure(layout, &mut Given::new(slots, true)).map(|_| ())
}

/// Slots that are already here.
struct Given<'a> {
    slots: &'a [SlotValue],
    strict: bool,
}

impl<'a> Given<'a> {
    fn new(slots: &'a [SlotValue], strict: bool) -> Self {
        Given { slots, strict }
    }

    fn wrong<T>(slot: usize, text: impl Into<String>) -> Result<T, ValueError> {
        let text = text.into();
        Err(ValueError::Columns { slot, text })
    }
}

impl Source for Given<'_> {
    type Error = ValueError;

    fn strict(&self) -> bool {
        self.strict
    }

    fn scalar(&mut self, slot: usize) -> Result<Scalar, ValueError> {
        match self.slots.get(slot) {
            Some(SlotValue::Scalar(s)) => Ok(*s),
            Some(SlotValue::Column(_)) => Self::wrong(slot, "a scalar belongs here, not a column"),
            None => Self::wrong(slot, "missing"),
        }
    }

    fn column(&mut self, slot: usize, count: usize, exact: bool) -> Result<&Column, ValueError> {
        match self.slots.get(slot) {
            Some(SlotValue::Column(c)) if c.len() < count => {
                Self::wrong(slot, format!("the column has {} elements of {count}", c.len()))
            }
            Some(SlotValue::Column(c)) if self.strict && exact && c.len() != count => {
                Self::wrong(slot, format!("the column has {} elements, but only {count} belong to the array", c.len()))
            }
            Some(SlotValue::Column(c)) => Ok(c),
            Some(SlotValue::Scalar(_)) => Self::wrong(slot, "a column belongs here, not a scalar"),
            None => Self::wrong(slot, "missing"),
        }
    }
}

#[cfg(test)]
mod tests;
