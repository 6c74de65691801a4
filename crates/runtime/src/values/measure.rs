//! How much of every column belongs to a value.
//!
//! Buffers on a device are allocated by upper bounds, so the extent of a column is known only from the descriptors outside it: the length,
//! then the offsets of that many rows, then as many elements as the last offset says. Measuring walks a layout in that order
//! and asks a [`Source`] for each column just when its extent is known; the source may be a device that is read, or columns
//! that somebody handed over and that are checked against each other.
//!
//! ```text
//! n = 3          ask for off: 4 elements        off = [0, 2, 2, 3]  count = 3        ask for the column: 3 elements
//! ```
//!
//! *Positions* are places in columns, *rows* are counted in the order of the value. They differ below a dimension that is not packed:
//! there the elements of row `r` are at `start[r] ..` of every column below, descriptors included.

use std::rc::Rc;

use terrace_algebra::{Size, SizeVar};
use terrace_base::Scalar;
use terrace_plan::layout::{DimLayout, Layout, Slot};
use terrace_plan::messages::LENGTH_LIMIT;

use super::{Column, ValueError};

/// Where slots come from.
pub(crate) trait Source {
    /// What can go wrong.
    type Error: From<ValueError>;
    /// A scalar slot.
    fn scalar(&mut self, slot: usize) -> Result<Scalar, Self::Error>;
    /// Whether what is declared about columns must be exact, and not just enough.
    fn strict(&self) -> bool;
    /// The first `count` elements or more; where `exact`, a column has no reason to hold more.
    fn column(&mut self, slot: usize, count: usize, exact: bool) -> Result<&Column, Self::Error>;
}

/// A value's extent: everything but the elements.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Row `r` is at position `places[r]`, or `r`.
    Scalar { slot: usize, rows: usize, places: Places },
    /// Several of equally many rows.
    Tuple { rows: usize, parts: Vec<Shape> },
    /// Row `r` is the elements between two offsets.
    Array { rows: usize, level: Rc<Level>, element: Box<Shape> },
}

/// Positions of rows; none where row and position are the same.
pub(crate) type Places = Option<Rc<Vec<usize>>>;

/// Where the elements of each row begin and end, in order.
#[derive(Debug)]
pub(crate) enum Offsets {
    /// All rows have this length.
    Uniform(usize),
    /// One more than there are rows.
    Table(Vec<usize>),
}

impl Offsets {
    pub(crate) fn length(&self, row: usize) -> usize {
        match self {
            Offsets::Uniform(length) => *length,
            Offsets::Table(table) => table[row + 1] - table[row],
        }
    }
}

/// One dimension of a nest, for turning the number of a row into an index.
#[derive(Debug)]
pub(crate) struct Level {
    pub(crate) offsets: Offsets,
    pub(crate) outer: Option<Rc<Level>>,
}

/// The index, from outside, of the row with this number.
pub(crate) fn nest_index(mut level: Option<&Level>, mut row: usize) -> Vec<usize> {
    let mut index = Vec::new();
    while let Some(at) = level {
        let (outer, inner) = match &at.offsets {
            Offsets::Uniform(length) => (row / (*length).max(1), row % (*length).max(1)),
            Offsets::Table(table) => {
                let outer = table.partition_point(|&o| o <= row).saturating_sub(1);
                (outer, row - table[outer])
            }
        };
        index.push(inner);
        row = outer;
        level = at.outer.as_deref();
    }
    index.reverse();
    index
}

/// A closed-form length at an index; none where it is not a length.
pub(crate) fn evaluate(size: &Size, index: &[usize], scalars: &[Option<i64>]) -> Option<i64> {
    let value = size.eval(&|SizeVar(v)| match v {
        0..100 => index.get(v as usize).map(|&i| i as i64),
        _ => scalars.get(v as usize - 100).copied().flatten(),
    })?;
    (0..=LENGTH_LIMIT).contains(&value).then_some(value)
}

/// Measures a value.
pub(crate) fn measure<S: Source>(layout: &Layout, source: &mut S) -> Result<Shape, S::Error> {
    let mut scalars = Vec::new();
    for (slot, kind) in layout.slots().iter().enumerate() {
        scalars.push(match kind {
            Slot::Scalar(ty) => {
                let scalar = source.scalar(slot)?;
                if scalar.ty() != *ty {
                    let text = format!("a {ty} belongs here, not a {}", scalar.ty());
                    return Err(ValueError::Columns { slot, text }.into());
                }
                scalar.as_i64()
            }
            Slot::Column(_) => None,
        });
    }
    let mut walk = Walk { source, scalars, slot: 0 };
    let one = Rows { count: 1, places: None, extent: 1, exact: true, level: None };
    walk.rows(layout, one)
}

struct Walk<'s, S> {
    source: &'s mut S,
    scalars: Vec<Option<i64>>,
    slot: usize,
}

/// All rows of one level.
#[derive(Clone)]
struct Rows {
    count: usize,
    places: Places,
    /// How many positions the columns of this level have.
    extent: usize,
    /// No dimension outside leaves gaps.
    exact: bool,
    level: Option<Rc<Level>>,
}

/// The rows of the next level, and how they make up those of this one.
type Inner = (Rows, Rc<Level>);

impl Rows {
    fn inside(&self, offsets: Offsets, count: usize, places: Places, extent: usize, exact: bool) -> Inner {
        let level = Rc::new(Level { offsets, outer: self.level.clone() });
        (Rows { count, places, extent, exact, level: Some(level.clone()) }, level)
    }

    fn place(&self, row: usize) -> usize {
        self.places.as_ref().map_or(row, |p| p[row])
    }
}

impl<S: Source> Walk<'_, S> {
    fn rows(&mut self, layout: &Layout, rows: Rows) -> Result<Shape, S::Error> {
        match layout {
            Layout::Scalar(ty) => {
                let slot = self.next_slot();
                if rows.level.is_some() {
                    let found = self.source.column(slot, rows.extent, rows.exact)?.ty();
                    if found != *ty {
                        let text = format!("a column of {ty} belongs here, not one of {found}");
                        return Err(ValueError::Columns { slot, text }.into());
                    }
                }
                Ok(Shape::Scalar { slot, rows: rows.count, places: rows.places })
            }
            Layout::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.rows(p, rows.clone())).collect::<Result<_, _>>()?;
                Ok(Shape::Tuple { rows: rows.count, parts })
            }
            Layout::Array(dim, element) => {
                let count = rows.count;
                let inner = match dim {
                    DimLayout::Length => {
                        let slot = self.next_slot();
                        let length = self.scalars.get(slot).copied().flatten().unwrap_or(-1);
                        let length = as_length(slot, length)?;
                        uniform(slot, &rows, length)?
                    }
                    DimLayout::Closed(size) => self.closed(size, &rows)?,
                    DimLayout::Irregular { packed } => self.irregular(*packed, &rows)?,
                };
                let (inner, level) = inner;
                let element = Box::new(self.rows(element, inner)?);
                Ok(Shape::Array { rows: count, level, element })
            }
        }
    }

    fn next_slot(&mut self) -> usize {
        self.slot += 1;
        self.slot - 1
    }

    fn closed(&mut self, size: &Size, rows: &Rows) -> Result<Inner, ValueError> {
        let slot = self.slot;
        let wrong = |index: &[usize]| {
            let text = format!("the length {size} is not between 0 and 2^47 at {index:?}");
            ValueError::Columns { slot, text }
        };
        if size.vars().iter().all(|v| v.0 >= 100) {
            let length = evaluate(size, &[], &self.scalars).ok_or_else(|| wrong(&[]))?;
            return uniform(slot, rows, length as usize);
        }
        let mut table = vec![0];
        let mut sum = 0usize;
        for row in 0..rows.count {
            let index = nest_index(rows.level.as_deref(), row);
            let length = evaluate(size, &index, &self.scalars).ok_or_else(|| wrong(&index))?;
            sum =
                sum.checked_add(length as usize).filter(|s| *s as i64 <= LENGTH_LIMIT).ok_or_else(|| wrong(&index))?;
            table.push(sum);
        }
        Ok(rows.inside(Offsets::Table(table), sum, None, sum, rows.exact))
    }

    fn irregular(&mut self, packed: bool, rows: &Rows) -> Result<Inner, S::Error> {
        let slot = self.next_slot();
        let offsets = self.integers(slot, rows.extent + 1, rows.exact)?;
        check_offsets(slot, &offsets)?;
        let starts = match packed {
            true => None,
            false => {
                let slot = self.next_slot();
                Some((slot, self.integers(slot, rows.extent, rows.exact)?))
            }
        };
        let slot = self.next_slot();
        let count = self.scalars.get(slot).copied().flatten().unwrap_or(-1);
        let count = as_length(slot, count)?;
        let mut table = Vec::with_capacity(rows.count + 1);
        table.push(0usize);
        let mut places = Vec::new();
        let plain = packed && rows.places.is_none() && offsets[0] == 0;
        let mut extent = if packed { offsets[rows.extent] as usize } else { 0 };
        let mut sum = 0usize;
        for row in 0..rows.count {
            let place = rows.place(row);
            let length = (offsets[place + 1] - offsets[place]) as usize;
            sum += length;
            table.push(sum);
            let start = match &starts {
                None => offsets[place],
                Some((slot, starts)) => in_columns(*slot, place, starts[place], length, count)?,
            };
            if !plain && length > 0 {
                let end = start as usize + length;
                places.extend(start as usize..end);
                extent = extent.max(end);
            }
        }
        let strict = self.source.strict();
        if extent > count || strict && packed && extent != count {
            let text = format!("the columns below have {count} elements, the offsets say {extent}");
            return Err(ValueError::Columns { slot, text }.into());
        }
        if strict {
            extent = count;
        }
        let places = (!plain).then(|| Rc::new(places));
        let exact = rows.exact && packed;
        Ok(rows.inside(Offsets::Table(table), sum, places, extent, exact))
    }

    fn integers(&mut self, slot: usize, count: usize, exact: bool) -> Result<Vec<i64>, S::Error> {
        let column = self.source.column(slot, count, exact)?;
        let wrong = || {
            let text = format!("a column of i64 belongs here, not one of {}", column.ty());
            ValueError::Columns { slot, text }
        };
        Ok(column.to_vec::<i64>().ok_or_else(wrong)?)
    }
}

fn as_length(slot: usize, length: i64) -> Result<usize, ValueError> {
    if (0..=LENGTH_LIMIT).contains(&length) {
        return Ok(length as usize);
    }
    let text = format!("the length {length} is not between 0 and 2^47");
    Err(ValueError::Columns { slot, text })
}

/// The start of a row, which must end inside its columns.
fn in_columns(slot: usize, row: usize, start: i64, length: usize, count: usize) -> Result<i64, ValueError> {
    let inside = |start: i64| usize::try_from(start).is_ok_and(|s| s <= count && length <= count - s);
    if length == 0 || inside(start) {
        return Ok(start);
    }
    let text = format!("row {row} starts at {start} and has {length} of {count} elements");
    Err(ValueError::Columns { slot, text })
}

fn uniform(slot: usize, rows: &Rows, length: usize) -> Result<Inner, ValueError> {
    let total = |n: usize| {
        let product = n.checked_mul(length).filter(|t| *t as u64 <= LENGTH_LIMIT as u64);
        product.ok_or_else(|| {
            let text = format!("{n} rows of length {length} are more than 2^47 elements");
            ValueError::Columns { slot, text }
        })
    };
    let (count, extent) = (total(rows.count)?, total(rows.extent)?);
    let spread = |places: &Rc<Vec<usize>>| {
        let all = places.iter().flat_map(|p| p * length..(p + 1) * length);
        Rc::new(all.collect::<Vec<_>>())
    };
    let places = rows.places.as_ref().map(spread);
    Ok(rows.inside(Offsets::Uniform(length), count, places, extent, rows.exact))
}

fn check_offsets(slot: usize, offsets: &[i64]) -> Result<(), ValueError> {
    let wrong = |text: String| Err(ValueError::Columns { slot, text });
    if offsets.first().is_some_and(|o| *o < 0) {
        return wrong(format!("the first offset is {}", offsets[0]));
    }
    if let Some(r) = offsets.windows(2).position(|w| w[0] > w[1]) {
        return wrong(format!("offset {} is {} after {}", r + 1, offsets[r + 1], offsets[r]));
    }
    match offsets.last() {
        Some(&last) if last <= LENGTH_LIMIT => Ok(()),
        Some(&last) => wrong(format!("the last offset {last} is above 2^47")),
        None => wrong("there are no offsets".to_string()),
    }
}
