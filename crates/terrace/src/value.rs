//! Values as a command line has them: nested where somebody wrote them, columns where a file held them.
//!
//! A file of numbers becomes columns without a Rust value for any number, and a compiled program reads these where they are. What it
//! returns goes to a file, or to the screen, the same way:
//!
//! ```text
//! terrace run scale.tce 2.0 xs.npy -o ys.npy
//!     2.0       an expression: Value::Data
//!     xs.npy    read once: Value::Columns, lent to the program
//!     ys.npy    written from the memory that the program left its result in
//! ```
//!
//! Interpreters compute on nested values, so columns are taken apart for them; so are results with enums in them.
//!
//! What is wrong with an argument is said in the same words in both forms.

use crate::columns::{Columns, RAGGED, buffer_of, bytes_of, held, is_packed, length, plain_layout, unfit};
use crate::engine::{Engine, Machine, Outcome, Taken, takes};
use crate::program::Failed;
use crate::refit::{self, Misfit, refit};
use arrow_buffer::Buffer;
use std::collections::BTreeMap;
use terrace_base::ScalarType;
use terrace_opt::optimise::{regular_entry, spell_out_sums};
use terrace_plan::data::Data;
use terrace_plan::layout::{DimLayout, Layout};
use terrace_plan::surface::Surface;
use terrace_runtime::{Argument, RunError, SlotValue, ValueError, from_slots};

/// A value in one of its two forms.
#[derive(Clone, Debug)]
pub enum Value {
    /// Nested.
    Data(Data),
    /// As columns.
    Columns(Columns),
}

impl Value {
    /// The nested value.
    pub fn into_data(self) -> Result<Data, Failed> {
        match self {
            Value::Data(data) => Ok(data),
            Value::Columns(columns) => columns.to_data(),
        }
    }

    /// What a file held.
    pub(crate) fn from_file(read: terrace_data::Value) -> Result<Value, Failed> {
        let column = match read {
            terrace_data::Value::Data(data) => return Ok(Value::Data(data)),
            terrace_data::Value::Column(column) => column,
        };
        let mut slots = Vec::new();
        let layout = laid_out(column, &mut slots).ok_or_else(|| unfit("a file whose numbers are not whole"))?;
        Ok(Value::Columns(Columns { layout, slots }))
    }
}

impl Columns {
    pub(crate) fn to_data(&self) -> Result<Data, Failed> {
        from_slots(&self.slots, &self.layout).map_err(|e| unfit(e.to_string()))
    }

    /// The same as flat memory for a file.
    pub(crate) fn to_file(&self) -> Option<terrace_data::Column> {
        flat(&self.layout, &mut self.slots.iter())
    }
}

/// The layout of a column; its slots are added.
fn laid_out(column: terrace_data::Column, slots: &mut Vec<SlotValue>) -> Option<Layout> {
    use terrace_data::Column as C;
    Some(match column {
        C::Numbers(ty, bytes) => {
            slots.push(SlotValue::Column(held(ty, bytes)?));
            Layout::Scalar(ty)
        }
        C::Equal(count, inner) => {
            slots.push(length(count));
            Layout::Array(DimLayout::Length, Box::new(laid_out(*inner, slots)?))
        }
        C::Rows(offsets, inner) => {
            let count = offsets.last().copied().unwrap_or(0);
            slots.push(SlotValue::Column(held(ScalarType::I64, offsets.into_inner())?));
            slots.push(length(usize::try_from(count).ok()?));
            Layout::Array(RAGGED, Box::new(laid_out(*inner, slots)?))
        }
        C::Parts(parts) => Layout::Tuple(parts.into_iter().map(|part| laid_out(part, slots)).collect::<Option<_>>()?),
    })
}

fn flat(layout: &Layout, slots: &mut std::slice::Iter<'_, SlotValue>) -> Option<terrace_data::Column> {
    use terrace_data::Column as C;
    Some(match layout {
        Layout::Scalar(ty) => match slots.next()? {
            SlotValue::Scalar(scalar) => {
                let bits = scalar.raw_bits().to_le_bytes();
                C::Numbers(*ty, Buffer::from_slice_ref(&bits[..ty.size_bytes()]))
            }
            SlotValue::Column(column) => C::Numbers(*ty, bytes_of(column)),
        },
        Layout::Tuple(parts) => C::Parts(parts.iter().map(|part| flat(part, slots)).collect::<Option<_>>()?),
        Layout::Array(DimLayout::Length, element) => {
            let SlotValue::Scalar(count) = slots.next()? else { return None };
            C::Equal(usize::try_from(count.as_i64()?).ok()?, Box::new(flat(element, slots)?))
        }
        Layout::Array(DimLayout::Irregular { packed: true }, element) => {
            let SlotValue::Column(offsets) = slots.next()? else { return None };
            slots.next()?;
            C::Rows(buffer_of(offsets).filter(|o| o.first() == Some(&0))?, Box::new(flat(element, slots)?))
        }
        Layout::Array(..) => return None,
    })
}

impl Engine {
    /// Calls an entry with values in any form. On a device, columns are lent to it and its result is columns.
    pub fn call_values(&self, entry: &str, args: Vec<Value>) -> Result<Outcome<Value>, Failed> {
        let id = self.program().entry(entry)?;
        let function = &self.program().core.functions[id];
        takes(entry, function.params.len(), args.len())?;
        let Machine::Device(..) = &self.machine else {
            let data = args.into_iter().map(Value::into_data).collect::<Result<_, _>>()?;
            let Outcome { value, stats, counts, guards, body } = self.call(entry, data)?;
            return Ok(Outcome { value: Value::Data(value), stats, counts, guards, body });
        };
        let types: Vec<_> = function.params.iter().map(|p| &function.values[*p].ty).collect();
        let fits = |(arg, ty): (&Value, &&terrace_ir::core::Type)| match arg {
            Value::Data(data) => regular_entry::is_rectangular(ty, data),
            Value::Columns(columns) => refit::is_rectangular(&columns.slots, &columns.layout, ty),
        };
        let rectangular = self.regular.contains_key(&id) && args.iter().zip(&types).all(fits);
        let regular = if rectangular { self.regular_body(id)? } else { None };
        let (engine, body) = match regular {
            Some(regular) => (regular, Taken::Regular),
            None => (self, self.without_regular(id)),
        };
        let loaded = engine.loaded().ok_or_else(|| unfit("only a device takes columns"))?;
        let found = loaded.entry(entry).map(|at| &loaded.plan().entries[at]);
        let found = found.ok_or_else(|| Failed::plain("T0702", format!("the program has no entry `{entry}`")))?;
        // The regular body is a function of a program of its own.
        let own = engine.program().entry(entry)?;
        let failed = |e: RunError| engine.call_failed(loaded, own, &e);
        // What is wrong with sizes is said of the nested values, in the words of the interpreter.
        let wrong = |error: RunError, args: &[Value]| {
            let data: Result<Vec<Data>, Failed> = args.iter().map(|v| v.clone().into_data()).collect();
            self.border_first(id, failed(error), &data.unwrap_or_default())
        };
        let (mut given, mut args) = (Vec::new(), args.into_iter());
        for (param, (layout, ty)) in found.params.iter().zip(&types).enumerate() {
            match args.next() {
                Some(Value::Data(data)) => given.push(Value::Data(spell_out_sums::enter(data, ty))),
                Some(Value::Columns(columns)) => {
                    let slots = columns.slots.into_iter().map(SlotValue::shared).collect();
                    let columns = Columns { layout: columns.layout, slots };
                    match fitted(columns.clone(), layout, param) {
                        Ok(value) => given.push(value),
                        Err(error) => {
                            given.push(Value::Columns(columns));
                            given.extend(args);
                            return Err(wrong(error, &given));
                        }
                    }
                }
                None => {}
            }
        }
        let arguments: Vec<Argument<'_>> = given.iter().map(as_argument).collect();
        let (slots, stats) = loaded.call_columns(entry, &arguments).map_err(|e| wrong(e, &given))?;
        let surface = &self.program().signature(entry)?.result;
        let value = match plain_columns(slots, &found.result, surface) {
            Ok(columns) => Value::Columns(columns),
            Err(slots) => {
                let wrong = |e: ValueError| RunError::Plan(format!("the result does not fit its layout: {e}"));
                let data = from_slots(&slots, &found.result).map_err(wrong).map_err(failed)?;
                Value::Data(spell_out_sums::leave(data, &function.result))
            }
        };
        let guards = stats.guards.clone();
        Ok(Outcome { value, stats: Some(stats), counts: BTreeMap::new(), guards, body })
    }
}

fn as_argument(value: &Value) -> Argument<'_> {
    match value {
        Value::Data(data) => Argument::Data(data),
        Value::Columns(columns) => Argument::Columns(&columns.slots),
    }
}

/// Columns as a parameter takes them. What a parameter's formulas ask of deeper rows is asked of the nested value.
fn fitted(columns: Columns, layout: &Layout, param: usize) -> Result<Value, RunError> {
    let slots: Vec<SlotValue> = columns.slots.into_iter().map(SlotValue::shared).collect();
    match refit(slots.clone(), &columns.layout, layout) {
        Ok(slots) => {
            let slots = slots.into_iter().map(SlotValue::shared).collect();
            Ok(Value::Columns(Columns { layout: layout.clone(), slots }))
        }
        Err(Misfit::Length { row, found, wanted, .. }) => {
            let index = row.into_iter().collect();
            Err(RunError::Argument { param, error: ValueError::Size { index, found, wanted } })
        }
        Err(Misfit::Other(_)) => {
            from_slots(&slots, &columns.layout).map(Value::Data).map_err(|error| RunError::Argument { param, error })
        }
    }
}

/// A result as columns that files have too; the slots again where there are none.
fn plain_columns(slots: Vec<SlotValue>, layout: &Layout, surface: &Surface) -> Result<Columns, Vec<SlotValue>> {
    let Ok(plain) = plain_layout(surface, false) else { return Err(slots) };
    if is_packed(layout) {
        return Ok(Columns { layout: layout.clone(), slots });
    }
    match refit(slots.clone(), layout, &plain) {
        Ok(slots) => Ok(Columns { layout: plain, slots }),
        Err(_) => Err(slots),
    }
}
