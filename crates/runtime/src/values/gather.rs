//! From a nested value to slots: one level of all rows at a time.
//!
//! ```text
//! level 0   [ [[1, 2], [], [3]] ]       the value itself      n   = 3
//! level 1   [ [1, 2], [], [3] ]         all its rows          off = [0, 2, 2, 3]
//! level 2   [ 1, 2, 3 ]                 all their elements    column = [1, 2, 3]
//! ```
//!
//! Closed-form lengths may mention scalars of later slots, so they are compared when all slots are there.

use std::rc::Rc;

use terrace_algebra::Size;
use terrace_base::{Scalar, ScalarType};
use terrace_plan::data::Data;
use terrace_plan::layout::{DimLayout, Layout};

use super::measure::{Level, Offsets, evaluate, nest_index};
use super::{Column, SlotValue, ValueError};

/// The slots of `data`.
pub(super) fn gather(data: &Data, layout: &Layout) -> Result<Vec<SlotValue>, ValueError> {
    let mut work = Gather { slots: Vec::new(), closed: Vec::new() };
    work.level(layout, &[data], None)?;
    let scalars: Vec<Option<i64>> = work.slots.iter().map(scalar_of).collect();
    for closed in &work.closed {
        closed.check(&scalars)?;
    }
    Ok(work.slots)
}

fn scalar_of(slot: &SlotValue) -> Option<i64> {
    match slot {
        SlotValue::Scalar(s) => s.as_i64(),
        SlotValue::Column(_) => None,
    }
}

struct Gather<'a> {
    slots: Vec<SlotValue>,
    closed: Vec<Closed<'a>>,
}

/// Rows whose lengths have to be what a formula says.
struct Closed<'a> {
    size: &'a Size,
    level: Option<Rc<Level>>,
    lengths: Vec<usize>,
}

impl Closed<'_> {
    fn check(&self, scalars: &[Option<i64>]) -> Result<(), ValueError> {
        for (row, &found) in self.lengths.iter().enumerate() {
            let index = nest_index(self.level.as_deref(), row);
            let wanted = evaluate(self.size, &index, scalars);
            if wanted != Some(found as i64) {
                let (found, wanted) = (found as i64, wanted.unwrap_or(-1));
                return Err(ValueError::Size { index, found, wanted });
            }
        }
        Ok(())
    }
}

impl<'a> Gather<'a> {
    fn level(&mut self, layout: &'a Layout, rows: &[&Data], at: Option<Rc<Level>>) -> Result<(), ValueError> {
        match layout {
            Layout::Scalar(ty) => self.scalars(*ty, rows, at.as_deref()),
            Layout::Tuple(parts) => {
                let fits = |data: &&Data| matches!(data, Data::Tuple(found) if found.len() == parts.len());
                if let Some(row) = rows.iter().position(|data| !fits(data)) {
                    let text = format!("a tuple of {} belongs here, not {}", parts.len(), describe(rows[row]));
                    return Err(ValueError::Shape { index: nest_index(at.as_deref(), row), text });
                }
                for (p, part) in parts.iter().enumerate() {
                    let inner: Vec<&Data> = rows.iter().filter_map(|data| part_of(data, p)).collect();
                    self.level(part, &inner, at.clone())?;
                }
                Ok(())
            }
            Layout::Array(dim, element) => self.arrays(dim, element, rows, at),
        }
    }

    fn scalars(&mut self, ty: ScalarType, rows: &[&Data], at: Option<&Level>) -> Result<(), ValueError> {
        let mut column = Column::new(ty);
        for (row, data) in rows.iter().enumerate() {
            let fits = match data {
                Data::Scalar(s) => column.push(*s),
                _ => false,
            };
            if !fits {
                let text = format!("a value of type {ty} belongs here, not {}", describe(data));
                return Err(ValueError::Shape { index: nest_index(at, row), text });
            }
        }
        let outside = at.is_none().then(|| column.get(0)).flatten();
        self.slots.push(outside.map_or(SlotValue::Column(column), SlotValue::Scalar));
        Ok(())
    }

    fn arrays(
        &mut self,
        dim: &'a DimLayout,
        element: &'a Layout,
        rows: &[&Data],
        at: Option<Rc<Level>>,
    ) -> Result<(), ValueError> {
        let mut lengths = Vec::with_capacity(rows.len());
        let mut inner: Vec<&Data> = Vec::new();
        for (row, data) in rows.iter().enumerate() {
            let Data::Array(elements) = data else {
                let text = format!("an array belongs here, not {}", describe(data));
                return Err(ValueError::Shape { index: nest_index(at.as_deref(), row), text });
            };
            lengths.push(elements.len());
            inner.extend(elements);
        }
        let mut table = Vec::with_capacity(lengths.len() + 1);
        table.push(0);
        table.extend(lengths.iter().scan(0, |sum, l| {
            *sum += l;
            Some(*sum)
        }));
        match dim {
            DimLayout::Length => {
                let wanted = lengths.first().copied().unwrap_or(0);
                if let Some(row) = lengths.iter().position(|&l| l != wanted) {
                    let index = nest_index(at.as_deref(), row);
                    return Err(ValueError::Size { index, found: lengths[row] as i64, wanted: wanted as i64 });
                }
                self.slots.push(SlotValue::Scalar(Scalar::I64(wanted as i64)));
            }
            DimLayout::Closed(size) => self.closed.push(Closed { size, level: at.clone(), lengths }),
            DimLayout::Irregular { packed } => {
                let offsets: Vec<i64> = table.iter().map(|&o| o as i64).collect();
                let starts = Column::from_slice(&offsets[..rows.len()]);
                self.slots.push(SlotValue::Column(Column::from_slice(&offsets)));
                if !packed {
                    self.slots.push(SlotValue::Column(starts));
                }
                self.slots.push(SlotValue::Scalar(Scalar::I64(inner.len() as i64)));
            }
        }
        let level = Level { offsets: Offsets::Table(table), outer: at };
        self.level(element, &inner, Some(Rc::new(level)))
    }
}

fn part_of(data: &Data, part: usize) -> Option<&Data> {
    match data {
        Data::Tuple(parts) => parts.get(part),
        _ => None,
    }
}

fn describe(data: &Data) -> String {
    match data {
        Data::Scalar(s) => format!("{s} of type {}", s.ty()),
        Data::Tuple(parts) => format!("a tuple of {}", parts.len()),
        Data::Array(_) => "an array".to_string(),
        Data::Variant(v) => format!("the variant {}", v.name),
    }
}
