//! Calling an entry with arrays that are already there: Rust slices and Arrow arrays.
//!
//! An array of any type is a set of flat columns plus the places where rows begin, in Terrace as in Arrow, so [`Columns`] go over
//! without a look at single elements:
//!
//! ```
//! use terrace::{Columns, Program, Settings};
//!
//! let text = "entry scale(a: f64, rows: [][]f64) -> [][]f64 = [[a * x for x in row if x > 0.0] for row in rows]";
//! let program = Program::from_text("scale.tce", text)?;
//! let (engine, _) = program.default_engine(&Settings::default())?;
//! let rows = Columns::rows(&[0, 2, 2, 3], &[1.0, -4.0, 3.0]);
//! let result = engine.call_columns("scale", vec![Columns::scalar(2.0), rows])?;
//! assert_eq!(result.to_rows(), Some((vec![0, 1, 1, 2], vec![2.0, 6.0])));
//! # Ok::<(), terrace::Failed>(())
//! ```
//!
//! On the CPU, nothing is copied that need not be. Numbers of an Arrow array, its 64-bit offsets that begin at 0, and what
//! [`Columns::from_vec`] is given are read where they are; results are the memory that the program left them in, and
//! [`Columns::to_arrow`] hands that on. What is copied: slices, because nobody knows how long they live, and what the entry
//! consumes, because it writes over it. What is converted: booleans (bits to bytes), 32-bit offsets, offsets that do not begin at 0, numbers that are not aligned. Nulls
//! are refused. Fields of a struct are taken in their order. On a GPU a column is copied once on its way there and once on its way back. In an
//! interpreter everything is converted element by element.
//!
//! Declined: enums, whose columns are the compiler's business.

use crate::engine::{Engine, Machine};
use crate::program::Failed;
use crate::refit::{is_rectangular, refit};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray, LargeListArray, OffsetSizeTrait, PrimitiveArray, StructArray};
use arrow_buffer::{ArrowNativeType, Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};
use std::sync::Arc;
use terrace_base::{Scalar, ScalarType};
use terrace_plan::layout::{DimLayout, Layout};
use terrace_plan::surface::Surface;
use terrace_runtime::{Argument, Column, Element, Owner, SlotValue, Stats, from_slots, to_slots};

/// A value as columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    pub(crate) layout: Layout,
    pub(crate) slots: Vec<SlotValue>,
}

pub(crate) const RAGGED: DimLayout = DimLayout::Irregular { packed: true };

pub(crate) fn length(n: usize) -> SlotValue {
    SlotValue::Scalar(Scalar::I64(n as i64))
}

impl Columns {
    /// A number or a boolean.
    pub fn scalar<T: Element>(value: T) -> Columns {
        let scalar = Column::from_slice(&[value]).get(0).expect("there is one");
        Columns { layout: Layout::Scalar(T::TYPE), slots: vec![SlotValue::Scalar(scalar)] }
    }

    /// An array of numbers or booleans.
    pub fn slice<T: Element>(elements: &[T]) -> Columns {
        let slots = vec![length(elements.len()), SlotValue::Column(Column::from_slice(elements))];
        Columns { layout: Layout::Array(DimLayout::Length, Box::new(Layout::Scalar(T::TYPE))), slots }
    }

    /// An array of numbers, which is not copied.
    pub fn from_vec<T: Element + ArrowNativeType>(elements: Vec<T>) -> Columns {
        let count = elements.len();
        let column = held(T::TYPE, ScalarBuffer::from(elements).into_inner()).expect("whole numbers");
        let slots = vec![length(count), SlotValue::Column(column)];
        Columns { layout: Layout::Array(DimLayout::Length, Box::new(Layout::Scalar(T::TYPE))), slots }
    }

    /// An array of rows: row `r` has the elements from `offsets[r]` to `offsets[r + 1]`.
    pub fn rows<T: Element>(offsets: &[i64], elements: &[T]) -> Columns {
        let rows = offsets.len().saturating_sub(1);
        let slots = vec![
            length(rows),
            SlotValue::Column(Column::from_slice(offsets)),
            length(elements.len()),
            SlotValue::Column(Column::from_slice(elements)),
        ];
        let row = Layout::Array(RAGGED, Box::new(Layout::Scalar(T::TYPE)));
        Columns { layout: Layout::Array(DimLayout::Length, Box::new(row)), slots }
    }

    /// The number or boolean; none where it is something else.
    pub fn to_scalar<T: Element>(&self) -> Option<T> {
        match (&self.layout, self.slots.as_slice()) {
            (Layout::Scalar(ty), [SlotValue::Scalar(s)]) => {
                let mut column = Column::new(*ty);
                column.push(*s).then(|| column.to_vec()?.pop())?
            }
            _ => None,
        }
    }

    /// The elements of an array of numbers or booleans; none where it is something else.
    pub fn to_vec<T: Element>(&self) -> Option<Vec<T>> {
        match (&self.layout, self.slots.as_slice()) {
            (Layout::Array(DimLayout::Length, inner), [_, SlotValue::Column(c)])
                if matches!(**inner, Layout::Scalar(_)) =>
            {
                c.to_vec()
            }
            _ => None,
        }
    }

    /// The offsets and elements of an array of rows; none where it is something else.
    pub fn to_rows<T: Element>(&self) -> Option<(Vec<i64>, Vec<T>)> {
        match self.slots.as_slice() {
            [_, SlotValue::Column(off), _, SlotValue::Column(elements)] => Some((off.to_vec()?, elements.to_vec()?)),
            [SlotValue::Scalar(n), SlotValue::Scalar(width), SlotValue::Column(elements)] => {
                let offsets = (0..=n.as_i64()?).map(|r| Some(r * width.as_i64()?)).collect::<Option<_>>()?;
                Some((offsets, elements.to_vec()?))
            }
            _ => None,
        }
    }

    /// The components of a tuple or record; anything else alone.
    pub fn into_parts(self) -> Vec<Columns> {
        let Layout::Tuple(parts) = self.layout else { return vec![self] };
        let mut slots = self.slots.into_iter();
        let part = |layout: Layout| {
            let own = slots.by_ref().take(layout.slots().len()).collect();
            Columns { layout, slots: own }
        };
        parts.into_iter().map(part).collect()
    }

    /// The array that an Arrow array is.
    pub fn from_arrow(array: &dyn Array) -> Result<Columns, Failed> {
        let mut slots = vec![length(array.len())];
        let element = from_column(array, &mut slots)?;
        Ok(Columns { layout: Layout::Array(DimLayout::Length, Box::new(element)), slots })
    }

    /// The Arrow array that an array is; rows become large lists, tuples and records structs with fields `0`, `1`, ….
    pub fn to_arrow(&self) -> Result<ArrayRef, Failed> {
        let mut slots = self.slots.iter();
        match (&self.layout, slots.next()) {
            (Layout::Array(DimLayout::Length, element), Some(SlotValue::Scalar(n))) => {
                to_column(element, &mut slots, n.as_i64().unwrap_or(0) as usize)
            }
            _ => Err(unfit("only an array becomes an Arrow array: take the parts of a tuple, and numbers as numbers")),
        }
    }
}

/// The bytes of an Arrow buffer, which stays whose it is.
struct ArrowBytes(Buffer);

impl AsRef<[u8]> for ArrowBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.as_slice()
    }
}

pub(crate) fn held(ty: ScalarType, buffer: Buffer) -> Option<Column> {
    Column::held(ty, Arc::new(ArrowBytes(buffer)))
}

/// Whoever has bytes, as Arrow's memory wants it.
struct Held(Owner);

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

/// The numbers of a column as an Arrow buffer: the same memory, where it is aligned for them.
pub(crate) fn buffer_of<T: Element + ArrowNativeType>(column: &Column) -> Option<ScalarBuffer<T>> {
    (column.ty() == T::TYPE).then_some(())?;
    if !(column.bytes().as_ptr() as usize).is_multiple_of(align_of::<T>()) {
        return column.to_vec().map(ScalarBuffer::from);
    }
    Some(ScalarBuffer::from(bytes_of(column)))
}

/// The bytes of a column: the same memory, where others may have it.
pub(crate) fn bytes_of(column: &Column) -> Buffer {
    as_buffer(column.clone().into_owner())
}

/// Anybody's bytes as Arrow's memory.
pub(crate) fn as_buffer(owner: Owner) -> Buffer {
    Buffer::from(bytes::Bytes::from_owner(Held(owner)))
}

pub(crate) fn unfit(text: impl Into<String>) -> Failed {
    Failed::plain("T0710", text)
}

macro_rules! primitive {
    ($ty:expr, $name:ident => $body:expr) => {
        match $ty {
            ScalarType::I8 => {
                type $name = Int8Type;
                $body
            }
            ScalarType::I16 => {
                type $name = Int16Type;
                $body
            }
            ScalarType::I32 => {
                type $name = Int32Type;
                $body
            }
            ScalarType::I64 => {
                type $name = Int64Type;
                $body
            }
            ScalarType::U8 => {
                type $name = UInt8Type;
                $body
            }
            ScalarType::U16 => {
                type $name = UInt16Type;
                $body
            }
            ScalarType::U32 => {
                type $name = UInt32Type;
                $body
            }
            ScalarType::U64 => {
                type $name = UInt64Type;
                $body
            }
            ScalarType::F32 => {
                type $name = Float32Type;
                $body
            }
            ScalarType::F64 | ScalarType::Bool => {
                type $name = Float64Type;
                $body
            }
        }
    };
}

fn scalar_type(ty: &DataType) -> Option<ScalarType> {
    Some(match ty {
        DataType::Boolean => ScalarType::Bool,
        DataType::Int8 => ScalarType::I8,
        DataType::Int16 => ScalarType::I16,
        DataType::Int32 => ScalarType::I32,
        DataType::Int64 => ScalarType::I64,
        DataType::UInt8 => ScalarType::U8,
        DataType::UInt16 => ScalarType::U16,
        DataType::UInt32 => ScalarType::U32,
        DataType::UInt64 => ScalarType::U64,
        DataType::Float32 => ScalarType::F32,
        DataType::Float64 => ScalarType::F64,
        _ => return None,
    })
}

/// The layout of the rows of an Arrow array; their slots are added.
fn from_column(array: &dyn Array, slots: &mut Vec<SlotValue>) -> Result<Layout, Failed> {
    if array.logical_null_count() > 0 {
        return Err(unfit(format!("an Arrow array with {} missing values", array.logical_null_count())));
    }
    if let Some(ty) = scalar_type(array.data_type()) {
        let column = match array.as_boolean_opt() {
            Some(bits) => Some(Column::from_slice(&bits.values().iter().collect::<Vec<bool>>())),
            None => primitive!(ty, T => {
                array.as_primitive_opt::<T>().and_then(|a| held(ty, a.values().inner().clone()))
            }),
        };
        slots.push(SlotValue::Column(column.ok_or_else(|| unfit("an Arrow array that is not of its type"))?));
        return Ok(Layout::Scalar(ty));
    }
    match array.data_type() {
        DataType::List(_) => from_list::<i32>(array, slots),
        DataType::LargeList(_) => from_list::<i64>(array, slots),
        DataType::FixedSizeList(_, width) => {
            let list = array.as_fixed_size_list();
            let width = usize::try_from(*width).map_err(|_| unfit("a list of negative size"))?;
            slots.push(length(width));
            let values = list.values().slice(list.value_offset_at(0), array.len() * width);
            Ok(Layout::Array(DimLayout::Length, Box::new(from_column(&values, slots)?)))
        }
        DataType::Struct(_) => {
            let parts = array.as_struct().columns().iter().map(|c| from_column(c, slots));
            Ok(Layout::Tuple(parts.collect::<Result<_, _>>()?))
        }
        other => Err(unfit(format!("an Arrow array of {other}; there are numbers, booleans, lists and structs"))),
    }
}

fn from_list<O: OffsetSizeTrait>(array: &dyn Array, slots: &mut Vec<SlotValue>) -> Result<Layout, Failed> {
    let list = array.as_list::<O>();
    let first = list.offsets().first().as_usize();
    let count = list.offsets().last().as_usize() - first;
    let whole = array.as_list_opt::<i64>().filter(|_| first == 0usize);
    let offsets = match whole {
        Some(list) => held(ScalarType::I64, list.offsets().inner().inner().clone()),
        None => {
            let offsets = list.offsets().iter().map(|o| (o.as_usize() - first) as i64);
            Some(Column::from_slice(&offsets.collect::<Vec<_>>()))
        }
    };
    slots.push(SlotValue::Column(offsets.ok_or_else(|| unfit("a list without whole offsets"))?));
    slots.push(length(count));
    Ok(Layout::Array(RAGGED, Box::new(from_column(&list.values().slice(first, count), slots)?)))
}

/// The Arrow array of so many rows.
fn to_column(layout: &Layout, slots: &mut std::slice::Iter<'_, SlotValue>, rows: usize) -> Result<ArrayRef, Failed> {
    let wrong = |e: arrow_schema::ArrowError| unfit(format!("this is no Arrow array: {e}"));
    let short = || unfit("a result with fewer columns than its layout");
    match layout {
        Layout::Scalar(ty) => {
            let Some(SlotValue::Column(column)) = slots.next() else { return Err(short()) };
            if *ty == ScalarType::Bool {
                return Ok(Arc::new(BooleanArray::from(column.to_vec::<bool>().ok_or_else(short)?)));
            }
            primitive!(*ty, T => {
                let values = buffer_of::<<T as ArrowPrimitiveType>::Native>(column).ok_or_else(short)?;
                Ok(Arc::new(PrimitiveArray::<T>::new(values, None)))
            })
        }
        Layout::Tuple(parts) => {
            let arrays = parts.iter().map(|p| to_column(p, slots, rows)).collect::<Result<Vec<_>, _>>()?;
            let field = |(k, a): (usize, &ArrayRef)| Field::new(k.to_string(), a.data_type().clone(), false);
            let fields: Fields = arrays.iter().enumerate().map(field).collect();
            Ok(Arc::new(StructArray::try_new_with_length(fields, arrays, None, rows).map_err(wrong)?))
        }
        Layout::Array(dim, element) => {
            let offsets: ScalarBuffer<i64> = match (dim, slots.next()) {
                (DimLayout::Length, Some(SlotValue::Scalar(n))) => {
                    let n = n.as_i64().unwrap_or(0);
                    (0..=rows as i64).map(|r| r * n).collect::<Vec<_>>().into()
                }
                (DimLayout::Irregular { packed: true }, Some(SlotValue::Column(off))) => {
                    slots.next();
                    buffer_of(off).ok_or_else(short)?
                }
                _ => return Err(short()),
            };
            let count = offsets.last().copied().unwrap_or(0) as usize;
            let elements = to_column(element, slots, count)?;
            let field = Arc::new(Field::new("item", elements.data_type().clone(), false));
            let offsets = OffsetBuffer::new(offsets);
            Ok(Arc::new(LargeListArray::try_new(field, offsets, elements, None).map_err(wrong)?))
        }
    }
}

/// The layout of a type in which every row may have its own length.
pub(crate) fn plain_layout(surface: &Surface, inside: bool) -> Result<Layout, Failed> {
    Ok(match surface {
        Surface::Scalar(ty) => Layout::Scalar(*ty),
        Surface::Tuple(parts) => {
            Layout::Tuple(parts.iter().map(|p| plain_layout(p, inside)).collect::<Result<_, _>>()?)
        }
        Surface::Record { fields, .. } => {
            Layout::Tuple(fields.iter().map(|(_, p)| plain_layout(p, inside)).collect::<Result<_, _>>()?)
        }
        Surface::Array(element) => {
            let dim = if inside { RAGGED } else { DimLayout::Length };
            Layout::Array(dim, Box::new(plain_layout(element, true)?))
        }
        Surface::Enum { .. } => return Err(unfit(format!("{surface} has no columns"))),
    })
}

pub(crate) fn is_packed(layout: &Layout) -> bool {
    match layout {
        Layout::Scalar(_) => true,
        Layout::Tuple(parts) => parts.iter().all(is_packed),
        Layout::Array(dim, element) => {
            matches!(dim, DimLayout::Length | DimLayout::Irregular { packed: true }) && is_packed(element)
        }
    }
}

impl Engine {
    /// Calls an entry with columns.
    pub fn call_columns(&self, entry: &str, args: Vec<Columns>) -> Result<Columns, Failed> {
        self.call_counted(entry, args).map(|(columns, _)| columns)
    }

    /// The same, with what it took on a device.
    pub fn call_counted(&self, entry: &str, args: Vec<Columns>) -> Result<(Columns, Option<Stats>), Failed> {
        let signature = self.program().signature(entry)?;
        let plain = plain_layout(&signature.result, false)?;
        if signature.params.len() != args.len() {
            let text = format!("`{entry}` takes {} arguments, and {} were given", signature.params.len(), args.len());
            return Err(Failed::plain("T0703", text));
        }
        let bad = |e: terrace_runtime::ValueError| unfit(e.to_string());
        let Machine::Device(_, loaded) = &self.machine else {
            let data = args.iter().map(|a| from_slots(&a.slots, &a.layout).map_err(bad)).collect::<Result<_, _>>()?;
            let slots = to_slots(&self.call(entry, data)?.value, &plain).map_err(bad)?;
            return Ok((Columns { layout: plain, slots }, None));
        };
        let id = self.program().entry(entry)?;
        let function = &self.program().core.functions[id];
        let mut types = function.params.iter().map(|p| &function.values[*p].ty).zip(&args);
        let regular = match types.all(|(ty, a)| is_rectangular(&a.slots, &a.layout, ty)) {
            true => self.regular_body(id)?,
            false => None,
        };
        let loaded = regular.and_then(Engine::loaded).unwrap_or(loaded);
        let failed = |e| self.failed(loaded, &e);
        let found = loaded.entry(entry).map(|at| &loaded.plan().entries[at]);
        let found = found.ok_or_else(|| Failed::plain("T0702", format!("the program has no entry `{entry}`")))?;
        let mut parts = Vec::new();
        for (k, (arg, param)) in args.into_iter().zip(&found.params).enumerate() {
            let slots = arg.slots.into_iter().map(SlotValue::shared).collect();
            let fitted = refit(slots, &arg.layout, param);
            let name = &signature.params[k];
            parts.push(
                fitted.map_err(|why| unfit(format!("argument {} (`{}: {}`): {why}", k + 1, name.name, name.text)))?,
            );
        }
        let given: Vec<Argument<'_>> = parts.iter().map(|p| Argument::Columns(p)).collect();
        let (slots, stats) = loaded.call_columns(entry, &given).map_err(failed)?;
        if is_packed(&found.result) {
            return Ok((Columns { layout: found.result.clone(), slots }, Some(stats)));
        }
        let data = from_slots(&slots, &found.result).map_err(bad)?;
        Ok((Columns { layout: plain.clone(), slots: to_slots(&data, &plain).map_err(bad)? }, Some(stats)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Program, Settings};
    use arrow_array::{Float64Array, Int32Array, Int64Array, ListArray};

    const TEXT: &str = "
        entry sums(rows: [][]f64) -> []f64 = [sum(row) for row in rows]
        entry pairs(ps: [](i32, f64)) -> ([]i32, f64) = ([i for (i, _) in ps if i > 0], sum([x for (_, x) in ps]))
        entry steps(n: i64) -> [][]i64 = [iota(i) for i < n]
        entry pick(xs: []f64, at: []i64) -> []f64 = [xs[i] for i in at]";

    fn engines() -> Vec<Engine> {
        let program = Program::from_text("t.tce", TEXT).unwrap_or_else(|e| panic!("{e}"));
        let make = |b| program.engine(b, &Settings::default()).unwrap_or_else(|e| panic!("{e}"));
        vec![make(Backend::C), make(Backend::Interp)]
    }

    fn call(engine: &Engine, entry: &str, args: Vec<Columns>) -> Columns {
        engine.call_columns(entry, args).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn slices_go_in_and_come_out() {
        for engine in engines() {
            let sums = call(&engine, "sums", vec![Columns::rows(&[0, 2, 2, 3], &[1.0, 2.0, 3.0])]);
            assert_eq!(sums.to_vec(), Some(vec![3.0, 0.0, 3.0]));
            let square = call(&engine, "sums", vec![Columns::rows(&[0, 2, 4], &[1.0, 2.0, 3.0, 4.0])]);
            assert_eq!(square.to_vec(), Some(vec![3.0, 7.0]));
            let steps = call(&engine, "steps", vec![Columns::scalar(3i64)]);
            assert_eq!(steps.to_rows(), Some((vec![0, 0, 1, 3], vec![0i64, 0, 1])));
            assert_eq!(steps.to_vec::<i64>(), None);
        }
    }

    #[test]
    fn arrow_arrays_go_in_and_come_out() {
        let rows = ListArray::from_iter_primitive::<Float64Type, _, _>([
            Some(vec![Some(9.0)]),
            Some(vec![Some(1.0), Some(2.0)]),
            Some(vec![]),
        ]);
        let ints = Arc::new(Int32Array::from(vec![3, -1, 4])) as ArrayRef;
        let floats = Arc::new(Float64Array::from(vec![0.5, 1.5, 2.0])) as ArrayRef;
        let fields: Fields = [("i", DataType::Int32), ("x", DataType::Float64)]
            .map(|(name, ty)| Field::new(name, ty, false))
            .into_iter()
            .collect();
        let pairs = StructArray::new(fields, vec![ints, floats], None);
        let arrow = |array: &dyn Array| Columns::from_arrow(array).unwrap_or_else(|e| panic!("{e}"));
        for engine in engines() {
            let sums =
                call(&engine, "sums", vec![arrow(&rows.slice(1, 2))]).to_arrow().unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(sums.as_primitive::<Float64Type>(), &Float64Array::from(vec![3.0, 0.0]));
            let [kept, total] = &call(&engine, "pairs", vec![arrow(&pairs)]).into_parts()[..] else { panic!("two") };
            let kept = kept.to_arrow().unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(kept.as_primitive::<Int32Type>(), &Int32Array::from(vec![3, 4]));
            assert_eq!(total.to_scalar(), Some(4.0));
            let steps =
                call(&engine, "steps", vec![Columns::scalar(3i64)]).to_arrow().unwrap_or_else(|e| panic!("{e}"));
            let last = steps.as_list::<i64>().value(2);
            assert_eq!(last.as_primitive::<Int64Type>(), &Int64Array::from(vec![0, 1]));
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error_with_a_code() {
        let code = |r: Result<Columns, Failed>| r.err().map(|e| e.diagnostics[0].code);
        for engine in engines() {
            let xs = || Columns::slice(&[1.0, 2.0]);
            assert_eq!(code(engine.call_columns("sums", vec![])), Some("T0703"));
            assert_eq!(code(engine.call_columns("none", vec![])), Some("T0702"));
            assert_eq!(code(engine.call_columns("pick", vec![xs(), Columns::slice(&[7i64])])), Some("T0901"));
        }
        let c = &engines()[0];
        assert_eq!(code(c.call_columns("sums", vec![Columns::slice(&[1.0])])), Some("T0710"));
        assert_eq!(code(c.call_columns("sums", vec![Columns::rows(&[0, 5], &[1.0])])), Some("T0910"));
        assert_eq!(code(Columns::from_arrow(&Int32Array::from(vec![Some(1), None]))), Some("T0710"));
    }

    #[test]
    fn several_threads_share_an_engine() {
        fn shared<T: Send + Sync>(_: &T) {}
        let engine = engines().remove(0);
        shared(&engine);
        std::thread::scope(|scope| {
            for t in 0..4 {
                let engine = &engine;
                scope.spawn(move || {
                    for n in 0..20 {
                        let xs: Vec<f64> = (0..n * 100 + t).map(|i| i as f64).collect();
                        let at: Vec<i64> = (0..xs.len() as i64).rev().collect();
                        let found = call(engine, "pick", vec![Columns::slice(&xs), Columns::slice(&at)]);
                        let wanted: Vec<f64> = xs.iter().rev().copied().collect();
                        assert_eq!(found.to_vec(), Some(wanted));
                    }
                });
            }
        });
    }
}
