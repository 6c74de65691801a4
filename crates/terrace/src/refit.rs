//! Columns that one entry returned, as another entry takes them.
//!
//! A result is laid out as the compiler found it, a parameter as its type says, and the two may differ where the value is the same: rows
//! of equal length come back as a rectangle, and rows whose lengths are a formula may come back with nothing stored.
//!
//! ```text
//! result     [length][length]f64      n, m, elements
//! parameter  [length][off]f64         n, off = [0, m, 2m, …, nm], count = nm, elements
//!
//! result     [length][off]f32         n, off, count, elements
//! parameter  [length][i + 1]f32       n, elements            where every row r of off has r + 1 elements; and the other way round
//! ```
//!
//! Elements are never moved: they have one order in all packed layouts. Declined: rows that are not packed, and formulas below the second
//! dimension. What comes out is checked once more when it is put on the device.

use terrace_algebra::{Size, SizeVar};
use terrace_base::{Scalar, ScalarType};
use terrace_ir::core::Type;
use terrace_plan::layout::{DimLayout, Layout};
use terrace_runtime::{Column, SlotValue};

/// In a closed form, variables from here on are scalars of the same parameter.
const FIRST_SCALAR: u32 = 100;

/// Why columns cannot be handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// A row has another length than the parameter's type says, or than the first row.
    Length {
        /// The row, unless it is the array itself.
        row: Option<usize>,
        /// Its length.
        found: i64,
        /// The length that it should have.
        wanted: i64,
        /// The same in words.
        text: String,
    },
    /// Something else.
    Other(String),
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Misfit::Length { text, .. } | Misfit::Other(text) => f.write_str(text),
        }
    }
}

impl From<String> for Misfit {
    fn from(text: String) -> Misfit {
        Misfit::Other(text)
    }
}

impl From<&str> for Misfit {
    fn from(text: &str) -> Misfit {
        Misfit::Other(text.to_string())
    }
}

/// The slots of a value laid out as `from`, for a parameter laid out as `to`.
pub(crate) fn refit(slots: Vec<SlotValue>, from: &Layout, to: &Layout) -> Result<Vec<SlotValue>, Misfit> {
    let mut work = Refit { slots: slots.into_iter(), out: Vec::new() };
    work.value(from, to, &Rows::One)?;
    Ok(work.out)
}

/// Whether a value laid out as `from` fits the regular body of an entry with a parameter of that type: like
/// `terrace_opt::optimise::regular_entry::is_rectangular`, by the offsets alone.
pub(crate) fn is_rectangular(slots: &[SlotValue], from: &Layout, ty: &Type) -> bool {
    one_length(&mut slots.iter(), from, ty, false)
}

fn one_length(slots: &mut std::slice::Iter<'_, SlotValue>, from: &Layout, ty: &Type, inside: bool) -> bool {
    match (from, ty) {
        (Layout::Scalar(_), Type::Scalar(_)) => slots.next().is_some(),
        (Layout::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
            parts.iter().zip(types).all(|(part, ty)| one_length(slots, part, ty, inside))
        }
        (Layout::Array(dim, inner), Type::Array(array)) => {
            let wanted = inside && array.length.is_none();
            let holds = match dim {
                DimLayout::Length => slots.next().is_some(),
                DimLayout::Closed(_) => !wanted,
                DimLayout::Irregular { packed } => {
                    let offsets = slots.next();
                    slots.nth(usize::from(!packed)).is_some() && (!wanted || offsets.is_some_and(has_one_step))
                }
            };
            match array.position {
                Some(_) => holds && skip(slots, inner),
                None => holds && one_length(slots, inner, &array.elem, true),
            }
        }
        // An enum: the compiler laid it out as a tuple.
        (_, Type::Sum(_)) => skip(slots, from),
        _ => false,
    }
}

fn skip(slots: &mut std::slice::Iter<'_, SlotValue>, layout: &Layout) -> bool {
    layout.slots().iter().all(|_| slots.next().is_some())
}

fn has_one_step(offsets: &SlotValue) -> bool {
    let SlotValue::Column(column) = offsets else { return false };
    let (offsets, _) = column.bytes().as_chunks::<8>();
    let step = |w: &[[u8; 8]]| i64::from_le_bytes(w[1]) - i64::from_le_bytes(w[0]);
    column.ty() == ScalarType::I64 && offsets.windows(3).all(|w| step(&w[..2]) == step(&w[1..]))
}

/// How many values stand side by side.
enum Rows {
    /// The value itself.
    One,
    /// The elements of the outermost array.
    Outer(usize),
    /// The elements of deeper arrays.
    Deeper(usize),
}

impl Rows {
    fn count(&self) -> usize {
        match self {
            Rows::One => 1,
            Rows::Outer(n) | Rows::Deeper(n) => *n,
        }
    }

    fn misfit(&self, row: usize, found: i64, wanted: i64, text: String) -> Misfit {
        match self {
            Rows::One => Misfit::Length { row: None, found, wanted, text },
            Rows::Outer(_) => Misfit::Length { row: Some(row), found, wanted, text },
            Rows::Deeper(_) => Misfit::Other(text),
        }
    }

    fn below(&self, elements: usize) -> Rows {
        if matches!(self, Rows::One) { Rows::Outer(elements) } else { Rows::Deeper(elements) }
    }
}

/// The lengths of rows.
enum Lengths {
    Uniform(i64),
    Offsets(Column, Vec<i64>),
}

struct Refit {
    slots: std::vec::IntoIter<SlotValue>,
    out: Vec<SlotValue>,
}

impl Refit {
    fn value(&mut self, from: &Layout, to: &Layout, rows: &Rows) -> Result<(), Misfit> {
        match (from, to) {
            (Layout::Scalar(a), Layout::Scalar(b)) if a == b => {
                let slot = self.slots.next().ok_or("the result has too few slots")?;
                self.out.push(slot);
                Ok(())
            }
            (Layout::Tuple(a), Layout::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(b).try_for_each(|(a, b)| self.value(a, b, rows))
            }
            (Layout::Array(a, inner), Layout::Array(b, wanted)) => {
                let lengths = self.lengths(a, rows)?;
                let elements = self.descriptor(lengths, b, rows)?;
                self.value(inner, wanted, &rows.below(elements))
            }
            _ => Err("the types differ".into()),
        }
    }

    fn lengths(&mut self, dim: &DimLayout, rows: &Rows) -> Result<Lengths, Misfit> {
        match dim {
            DimLayout::Length => Ok(Lengths::Uniform(self.scalar()?)),
            DimLayout::Irregular { packed: true } => {
                let Some(SlotValue::Column(column)) = self.slots.next() else {
                    return Err("the result has no offsets where its layout says so".into());
                };
                let offsets = column.to_vec::<i64>().ok_or("the offsets of the result are no i64")?;
                self.scalar()?;
                if offsets.len() != rows.count() + 1 {
                    return Err(format!("the result has {} offsets for {} rows", offsets.len(), rows.count()).into());
                }
                Ok(Lengths::Offsets(column, offsets))
            }
            DimLayout::Irregular { packed: false } => Err("its rows are not packed".into()),
            // In a result, all that the formula speaks of beside the row is the number of rows.
            DimLayout::Closed(size) if matches!(rows, Rows::Outer(_)) => {
                let count = i64::try_from(rows.count()).map_err(|_| "the result has too many rows")?;
                let mut offsets = vec![0];
                for row in 0..count {
                    let length = size.eval(&|SizeVar(v)| Some(if v == 0 { row } else { count }));
                    let end = length.filter(|l| *l >= 0).and_then(|l| l.checked_add(offsets[offsets.len() - 1]));
                    offsets
                        .push(end.ok_or_else(|| format!("the formula for row {row} of the result gives no length"))?);
                }
                Ok(Lengths::Offsets(Column::from_slice(&offsets), offsets))
            }
            DimLayout::Closed(_) => Err("it has a formula below its second dimension".into()),
        }
    }

    fn scalar(&mut self) -> Result<i64, Misfit> {
        match self.slots.next() {
            Some(SlotValue::Scalar(s)) => s.as_i64().ok_or_else(|| "a length of the result is no integer".into()),
            _ => Err("the result has no scalar where its layout says so".into()),
        }
    }

    /// Writes the slots of a dimension; says how many elements it has in all.
    fn descriptor(&mut self, lengths: Lengths, dim: &DimLayout, rows: &Rows) -> Result<usize, Misfit> {
        let count = rows.count();
        let total = match &lengths {
            Lengths::Uniform(length) => length * count as i64,
            Lengths::Offsets(_, offsets) => offsets.last().copied().unwrap_or(0),
        };
        let length_of = |row: usize| match &lengths {
            Lengths::Uniform(length) => *length,
            Lengths::Offsets(_, offsets) => offsets[row + 1] - offsets[row],
        };
        match dim {
            DimLayout::Length => {
                let length = if count == 0 { 0 } else { length_of(0) };
                if let Some(row) = (0..count).find(|r| length_of(*r) != length) {
                    let text = format!("row {row} has {} elements, and row 0 has {length}", length_of(row));
                    return Err(rows.misfit(row, length_of(row), length, text));
                }
                self.out.push(SlotValue::Scalar(Scalar::I64(length)));
            }
            DimLayout::Irregular { packed } => {
                let column = match lengths {
                    Lengths::Offsets(column, _) => column,
                    Lengths::Uniform(length) => {
                        let offsets: Vec<i64> = (0..=count as i64).map(|r| r * length).collect();
                        Column::from_slice(&offsets)
                    }
                };
                if !packed {
                    return Err("the parameter's rows are not packed".into());
                }
                self.out.push(SlotValue::Column(column));
                self.out.push(SlotValue::Scalar(Scalar::I64(total)));
            }
            DimLayout::Closed(size) => {
                if matches!(rows, Rows::Deeper(_)) {
                    return Err("the parameter has a formula below its second dimension".into());
                }
                for row in 0..count {
                    let wanted = self.evaluate(size, row);
                    if wanted != Some(length_of(row)) {
                        let known = wanted.map_or("another number".to_string(), |w| w.to_string());
                        let text = format!("row {row} has {} elements, and its type says {known}", length_of(row));
                        return Err(match wanted {
                            Some(wanted) if wanted >= 0 => rows.misfit(row, length_of(row), wanted, text),
                            _ => Misfit::Other(text),
                        });
                    }
                }
            }
        }
        usize::try_from(total).map_err(|_| "a length of the result is negative".into())
    }

    fn evaluate(&self, size: &Size, row: usize) -> Option<i64> {
        size.eval(&|SizeVar(v)| match v {
            0 => i64::try_from(row).ok(),
            v if v >= FIRST_SCALAR => match self.out.get((v - FIRST_SCALAR) as usize)? {
                SlotValue::Scalar(s) => s.as_i64(),
                SlotValue::Column(_) => None,
            },
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(dim: DimLayout) -> Layout {
        let inner = Layout::Array(dim, Box::new(Layout::Scalar(ScalarType::I32)));
        Layout::Array(DimLayout::Length, Box::new(inner))
    }

    fn number(n: i64) -> SlotValue {
        SlotValue::Scalar(Scalar::I64(n))
    }

    fn check(slots: Vec<SlotValue>, from: DimLayout, to: DimLayout, wanted: Result<Vec<SlotValue>, &str>) {
        let found = refit(slots, &rows(from), &rows(to)).map_err(|why| why.to_string());
        assert_eq!(found, wanted.map_err(str::to_string));
    }

    #[test]
    fn between_layouts() {
        let ragged = || DimLayout::Irregular { packed: true };
        let triangle = || DimLayout::Closed(&Size::var(SizeVar(0)) + &Size::one());
        let data = |n: i32| SlotValue::Column(Column::from_slice(&(0..n).collect::<Vec<_>>()));
        let off = |o: &[i64]| SlotValue::Column(Column::from_slice(o));

        let two_by_three = vec![number(2), off(&[0, 3, 6]), number(6), data(6)];
        check(vec![number(2), number(3), data(6)], DimLayout::Length, ragged(), Ok(two_by_three.clone()));
        check(two_by_three.clone(), ragged(), ragged(), Ok(two_by_three.clone()));
        check(two_by_three.clone(), ragged(), DimLayout::Length, Ok(vec![number(2), number(3), data(6)]));
        check(two_by_three, ragged(), triangle(), Err("row 0 has 3 elements, and its type says 1"));
        let steps = vec![number(3), off(&[0, 1, 3, 6]), number(6), data(6)];
        check(steps.clone(), ragged(), triangle(), Ok(vec![number(3), data(6)]));
        check(vec![number(3), data(6)], triangle(), triangle(), Ok(vec![number(3), data(6)]));
        check(vec![number(3), data(6)], triangle(), ragged(), Ok(steps.clone()));
        let fewer = || DimLayout::Closed(&Size::var(SizeVar(100)) - &Size::var(SizeVar(0)));
        let falling = vec![number(3), off(&[0, 3, 5, 6]), number(6), data(6)];
        check(vec![number(3), data(6)], fewer(), ragged(), Ok(falling));
        check(vec![number(3), data(6)], fewer(), triangle(), Err("row 0 has 3 elements, and its type says 1"));
        check(steps, ragged(), DimLayout::Length, Err("row 1 has 2 elements, and row 0 has 1"));
        check(vec![number(1), number(1), data(1)], DimLayout::Length, triangle(), Ok(vec![number(1), data(1)]));
    }

    #[test]
    fn which_offsets_are_rectangular() {
        let ty = Type::array(Type::array(Type::Scalar(ScalarType::I32)));
        let check = |offsets: &[i64], expected: bool| {
            let total = offsets.last().copied().unwrap_or(0);
            let elements = SlotValue::Column(Column::from_slice(&vec![0; total as usize]));
            let offsets = SlotValue::Column(Column::from_slice(offsets));
            let slots = [number(offsets_len(&offsets) - 1), offsets, number(total), elements];
            assert_eq!(is_rectangular(&slots, &rows(DimLayout::Irregular { packed: true }), &ty), expected);
        };
        check(&[0], true);
        check(&[0, 0], true);
        check(&[0, 5], true);
        check(&[0, 0, 0], true);
        check(&[0, 2, 4, 6], true);
        check(&[0, 2, 4, 5], false);
        check(&[0, 0, 1], false);
        let regular = [number(1), number(2), SlotValue::Column(Column::from_slice(&[1, 2]))];
        assert!(is_rectangular(&regular, &rows(DimLayout::Length), &ty));
        assert!(!is_rectangular(&regular[..2], &rows(DimLayout::Length), &ty));
    }

    fn offsets_len(slot: &SlotValue) -> i64 {
        match slot {
            SlotValue::Column(column) => column.len() as i64,
            SlotValue::Scalar(_) => 0,
        }
    }
}
