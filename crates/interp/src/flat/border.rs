//! Nested values as slots, and back.
//!
//! ```text
//! [[1, 2], [], [3]] : [length][off]i32     n = 3,  off = [0, 2, 2, 3],  count = 3,  column = [1, 2, 3]
//! ```
//!
//! Both directions go level by level through all rows of a level at once. Going in, rows are always packed, and stated lengths are compared
//! with what is there once all slots are known, since a closed form may mention a later one. Coming out, a row that is not
//! packed begins where its start says, in every column below.
//!
//! The runtime has a border of its own, made for speed and for devices; this one is made to be read, and to disagree with
//! the other where one of them is wrong.

use super::column::{Column, Slot};
use terrace_algebra::Size;
use terrace_base::{Scalar, ScalarType};
use terrace_plan::data::Data;
use terrace_plan::layout::{DimLayout, Layout};

/// Why a value does not fit a layout.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// It is of another type.
    Shape(String),
    /// An array has another length than stated.
    Size {
        found: i64,
        wanted: i64,
        /// Where, from outside.
        index: Vec<i64>,
    },
}

/// The slots of a nested value.
pub(crate) fn to_slots(data: &Data, layout: &Layout) -> Result<Vec<Slot>, Misfit> {
    let mut gather = Gather::default();
    gather.level(layout, vec![(data, Vec::new())], 0)?;
    for (size, rows) in &gather.closed {
        for (index, found) in rows {
            let wanted = closed_length(size, index, &gather.slots);
            if wanted != Some(*found) {
                let (found, wanted, index) = (*found, wanted.unwrap_or(-1), index.clone());
                return Err(Misfit::Size { found, wanted, index });
            }
        }
    }
    Ok(gather.slots)
}

fn closed_length(size: &Size, index: &[i64], slots: &[Slot]) -> Option<i64> {
    size.eval(&|var| match (var.0 as usize).checked_sub(100) {
        None => index.get(var.0 as usize).copied(),
        Some(slot) => match slots.get(slot)? {
            Slot::Scalar(s) => s.as_i64(),
            Slot::Column(_) => None,
        },
    })
}

/// An array, and where it stands.
type Row<'d> = (&'d Data, Vec<i64>);

/// Where a row stands, and its length.
type Measured = (Vec<i64>, i64);

#[derive(Default)]
struct Gather<'l> {
    slots: Vec<Slot>,
    /// Formulas, and the place and length of each row that must fit them.
    closed: Vec<(&'l Size, Vec<Measured>)>,
}

impl<'l> Gather<'l> {
    fn level(&mut self, layout: &'l Layout, rows: Vec<Row<'_>>, depth: usize) -> Result<(), Misfit> {
        match layout {
            Layout::Scalar(ty) => self.scalars(*ty, &rows, depth),
            Layout::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    let inner = rows.iter().map(|(data, index)| match data {
                        Data::Tuple(found) if found.len() == parts.len() => Ok((&found[k], index.clone())),
                        other => Err(shape(other, &format!("a tuple of {}", parts.len()))),
                    });
                    let inner = inner.collect::<Result<Vec<_>, _>>()?;
                    self.level(part, inner, depth)?;
                }
                Ok(())
            }
            Layout::Array(dim, elem) => self.arrays(dim, elem, rows, depth),
        }
    }

    fn scalars(&mut self, ty: ScalarType, rows: &[Row<'_>], depth: usize) -> Result<(), Misfit> {
        let items = rows.iter().map(|(data, _)| match data {
            Data::Scalar(s) if s.ty() == ty => Ok(*s),
            other => Err(shape(other, ty.name())),
        });
        let items = items.collect::<Result<Vec<Scalar>, _>>()?;
        self.slots.push(match (depth, items.as_slice()) {
            (0, [one]) => Slot::Scalar(*one),
            _ => Slot::Column(Column::new(ty, items)),
        });
        Ok(())
    }

    fn arrays(&mut self, dim: &'l DimLayout, elem: &'l Layout, rows: Vec<Row<'_>>, depth: usize) -> Result<(), Misfit> {
        let mut inner = Vec::new();
        let mut offsets = vec![0];
        for (data, index) in &rows {
            let Data::Array(items) = data else {
                return Err(shape(data, "an array"));
            };
            for (k, item) in items.iter().enumerate() {
                let mut index = index.clone();
                index.push(k as i64);
                inner.push((item, index));
            }
            offsets.push(inner.len() as i64);
        }
        let lengths = offsets.windows(2).map(|w| w[1] - w[0]);
        match dim {
            DimLayout::Length => {
                let wanted = lengths.clone().next().unwrap_or(0);
                if let Some((found, (_, index))) = lengths.zip(&rows).find(|(found, _)| *found != wanted) {
                    let index = index.clone();
                    return Err(Misfit::Size { found, wanted, index });
                }
                self.slots.push(Slot::Scalar(Scalar::I64(wanted)));
            }
            DimLayout::Closed(size) => {
                let places = rows.iter().map(|(_, index)| index.clone());
                self.closed.push((size, places.zip(lengths).collect()));
            }
            DimLayout::Irregular { packed } => {
                self.slots.push(Slot::Column(Column::of_ints(&offsets)));
                if !packed {
                    let starts = &offsets[..rows.len()];
                    self.slots.push(Slot::Column(Column::of_ints(starts)));
                }
                let count = inner.len() as i64;
                self.slots.push(Slot::Scalar(Scalar::I64(count)));
            }
        }
        self.level(elem, inner, depth + 1)
    }
}

fn shape(found: &Data, wanted: &str) -> Misfit {
    let found = match found {
        Data::Scalar(s) => format!("the {} {s}", s.ty()),
        Data::Tuple(parts) => format!("a tuple of {}", parts.len()),
        Data::Array(items) => format!("an array of {}", items.len()),
        Data::Variant(v) => format!("the variant {}", v.name),
    };
    Misfit::Shape(format!("{found} where {wanted} is wanted"))
}

/// The nested value that slots make up; says what is wrong if they make up none.
pub(crate) fn from_slots(slots: &[Slot], layout: &Layout) -> Result<Data, String> {
    let mut build = Build { slots, next: 0 };
    let top = Spot { position: 0, index: Vec::new() };
    let mut whole = build.level(layout, &[top], 0)?;
    match whole.pop() {
        Some(data) if build.next == slots.len() => Ok(data),
        _ => Err(format!("{} slots for another layout", slots.len())),
    }
}

/// Where a row or an element lies in its columns, and where it stands in the value.
struct Spot {
    position: i64,
    index: Vec<i64>,
}

struct Build<'s> {
    slots: &'s [Slot],
    next: usize,
}

impl<'s> Build<'s> {
    fn slot(&mut self) -> Result<&'s Slot, String> {
        let slot = self.slots.get(self.next).ok_or("a slot is missing")?;
        self.next += 1;
        Ok(slot)
    }

    fn length(&mut self) -> Result<i64, String> {
        match self.slot()? {
            Slot::Scalar(Scalar::I64(n)) if *n >= 0 => Ok(*n),
            other => Err(format!("{other:?} is not a length")),
        }
    }

    fn column(&mut self) -> Result<&'s Column, String> {
        match self.slot()? {
            Slot::Column(column) => Ok(column),
            Slot::Scalar(s) => Err(format!("{s} is not a column")),
        }
    }

    fn level(&mut self, layout: &Layout, spots: &[Spot], depth: usize) -> Result<Vec<Data>, String> {
        match layout {
            Layout::Scalar(ty) => {
                let slot = self.slot()?;
                spots
                    .iter()
                    .map(|spot| match slot {
                        Slot::Scalar(s) if depth == 0 && s.ty() == *ty => Ok(Data::Scalar(*s)),
                        Slot::Column(c) if depth > 0 && c.elem() == *ty => Ok(Data::Scalar(element(c, spot.position)?)),
                        _ => Err("a slot is of another type".to_string()),
                    })
                    .collect()
            }
            Layout::Tuple(parts) => {
                let mut tuples = vec![Vec::new(); spots.len()];
                for part in parts {
                    for (tuple, item) in tuples.iter_mut().zip(self.level(part, spots, depth)?) {
                        tuple.push(item);
                    }
                }
                Ok(tuples.into_iter().map(Data::Tuple).collect())
            }
            Layout::Array(dim, elem) => {
                let rows = self.rows(dim, spots)?;
                let mut inner = Vec::new();
                for (spot, (start, length)) in spots.iter().zip(&rows) {
                    for k in 0..*length {
                        let mut index = spot.index.clone();
                        index.push(k);
                        inner.push(Spot { position: start + k, index });
                    }
                }
                let mut items = self.level(elem, &inner, depth + 1)?.into_iter();
                let row = |(_, length): &(i64, i64)| Data::Array(items.by_ref().take(*length as usize).collect());
                Ok(rows.iter().map(row).collect())
            }
        }
    }

    /// Start and length of every row.
    fn rows(&mut self, dim: &DimLayout, spots: &[Spot]) -> Result<Vec<(i64, i64)>, String> {
        match dim {
            DimLayout::Length => {
                let n = self.length()?;
                Ok(spots.iter().map(|spot| (spot.position * n, n)).collect())
            }
            DimLayout::Closed(size) => {
                let mut start = 0;
                let rows = spots.iter().map(|spot| {
                    let n = closed_length(size, &spot.index, self.slots);
                    let n = n
                        .filter(|n| *n >= 0)
                        .ok_or_else(|| format!("the length {size} has no value at {:?}", spot.index))?;
                    start += n;
                    Ok((start - n, n))
                });
                rows.collect()
            }
            DimLayout::Irregular { packed } => {
                let off = self.column()?;
                let starts = if *packed { off } else { self.column()? };
                let count = self.length()?;
                let rows = spots.iter().map(|spot| {
                    let from = integer(off, spot.position)?;
                    let length = integer(off, spot.position + 1)? - from;
                    let start = integer(starts, spot.position)?;
                    if length < 0 || start < 0 || start + length > count {
                        return Err(format!("row {start}, {length} long, of {count} elements"));
                    }
                    Ok((start, length))
                });
                rows.collect()
            }
        }
    }
}

fn element(column: &Column, at: i64) -> Result<Scalar, String> {
    let found = usize::try_from(at).ok().and_then(|k| column.get(k));
    found.ok_or_else(|| format!("no element {at} in a column of {}", column.len()))
}

fn integer(column: &Column, at: i64) -> Result<i64, String> {
    let value = element(column, at)?;
    value.as_i64().ok_or_else(|| format!("{value} is not an integer"))
}
