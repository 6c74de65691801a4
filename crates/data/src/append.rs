//! Columns of Arrow to one column, batch by batch.
//!
//! The memory of the first batch is taken as it is; it is copied when a second batch comes. So a file that was written in one piece is held once, and
//! any other once beside one batch of it:
//!
//! ```text
//! batch 1   offsets 0 2 2, elements 1.0 2.0      lent
//! batch 2   offsets 5 6,   elements … 3.0        own: offsets 0 2 2 3, elements 1.0 2.0 3.0
//! ```
//!
//! The twin of `decode`, which makes nested values, and in the same order, so that both find the same missing value first.
//!
//! Declines dictionaries: they are decoded to nested values.

use crate::budget::Budget;
use crate::column::Column;
use crate::decode::{Nulls, Trouble, deeper, struct_parts};
use crate::describe::{Shape, shape};
use crate::error::{DataError, damaged};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::DataType;
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

/// A column that grows.
pub(crate) enum Builder {
    Numbers(ScalarType, Bytes),
    Rows(Offsets, Box<Builder>),
    Parts(Vec<Builder>),
}

/// Bytes of the first batch, or of all of them.
pub(crate) enum Bytes {
    Lent(Buffer),
    Own(Vec<u8>),
}

/// The same for the places where rows begin.
pub(crate) enum Offsets {
    Lent(ScalarBuffer<i64>),
    Own(Vec<i64>),
}

impl Bytes {
    pub(crate) fn own(&mut self) -> &mut Vec<u8> {
        if let Bytes::Lent(buffer) = self {
            *self = Bytes::Own(buffer.to_vec());
        }
        match self {
            Bytes::Own(bytes) => bytes,
            Bytes::Lent(_) => unreachable!("it was copied"),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Bytes::Lent(buffer) => buffer.len(),
            Bytes::Own(bytes) => bytes.len(),
        }
    }

    fn append(&mut self, more: Buffer, lend: bool) {
        match self {
            Bytes::Own(bytes) if lend && bytes.is_empty() => *self = Bytes::Lent(more),
            _ => self.own().extend_from_slice(&more),
        }
    }
}

impl Offsets {
    pub(crate) fn own(&mut self) -> &mut Vec<i64> {
        if let Offsets::Lent(buffer) = self {
            *self = Offsets::Own(buffer.to_vec());
        }
        match self {
            Offsets::Own(offsets) => offsets,
            Offsets::Lent(_) => unreachable!("they were copied"),
        }
    }

    fn last(&self) -> i64 {
        let all: &[i64] = match self {
            Offsets::Lent(offsets) => offsets,
            Offsets::Own(offsets) => offsets,
        };
        all.last().copied().unwrap_or(0)
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Offsets::Lent(offsets) => offsets.len().saturating_sub(1),
            Offsets::Own(offsets) => offsets.len().saturating_sub(1),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Offsets::Own(offsets) if offsets.len() == 1)
    }
}

impl Builder {
    /// No rows of a type that files have.
    pub(crate) fn new(surface: &Surface) -> Builder {
        let parts = |parts: &mut dyn Iterator<Item = &Surface>| Builder::Parts(parts.map(Builder::new).collect());
        match surface {
            Surface::Scalar(ty) => Builder::Numbers(*ty, Bytes::Own(Vec::new())),
            Surface::Array(element) => Builder::Rows(Offsets::Own(vec![0]), Box::new(Builder::new(element))),
            Surface::Tuple(all) => parts(&mut all.iter()),
            Surface::Record { fields, .. } => parts(&mut fields.iter().map(|(_, part)| part)),
            Surface::Enum { .. } => Builder::Parts(Vec::new()),
        }
    }

    pub(crate) fn finish(self) -> Column {
        match self {
            Builder::Numbers(ty, Bytes::Own(bytes)) => Column::Numbers(ty, Buffer::from_vec(bytes)),
            Builder::Numbers(ty, Bytes::Lent(buffer)) => Column::Numbers(ty, buffer),
            Builder::Rows(Offsets::Own(offsets), inner) => Column::Rows(offsets.into(), Box::new(inner.finish())),
            Builder::Rows(Offsets::Lent(offsets), inner) => Column::Rows(offsets, Box::new(inner.finish())),
            Builder::Parts(parts) => Column::Parts(parts.into_iter().map(Builder::finish).collect()),
        }
    }
}

/// Appends columns of one file.
pub(crate) struct Appender<'a> {
    /// The file, for messages.
    pub(crate) file: &'a str,
    /// How much memory is left.
    pub(crate) budget: &'a mut Budget,
    /// Whether memory of a batch may be kept as it is.
    pub(crate) lend: bool,
}

type Done = Result<(), Trouble>;

impl Appender<'_> {
    /// Appends the rows of a column.
    pub(crate) fn rows(&mut self, to: &mut Builder, column: &dyn Array, wanted: &Surface) -> Done {
        let nulls = column.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        if let Some(nulls) = nulls {
            let row = nulls.iter().position(|valid| !valid).unwrap_or(0);
            return Err(Trouble::Nulls(Nulls { row, count: nulls.null_count(), path: String::new() }));
        }
        self.budget.take(column.len() as u64, self.file)?;
        match (wanted, to) {
            (Surface::Scalar(_), Builder::Numbers(ty, bytes)) => self.numbers(*ty, bytes, column),
            (Surface::Array(element), Builder::Rows(offsets, inner)) => self.arrays(offsets, inner, column, element),
            (_, Builder::Parts(parts)) => self.structs(parts, column, wanted),
            _ => Err(self.contradiction().into()),
        }
    }

    fn contradiction(&self) -> DataError {
        damaged(self.file, "its data are not of the type it states")
    }

    fn numbers(&self, ty: ScalarType, to: &mut Bytes, column: &dyn Array) -> Done {
        fn all<T: ArrowPrimitiveType>(column: &dyn Array) -> Option<Buffer> {
            column.as_primitive_opt::<T>().map(|numbers| numbers.values().inner().clone())
        }
        if !matches!(shape(column.data_type()), Shape::Scalar(found) if found == ty) {
            return Err(self.contradiction().into());
        }
        let found = match ty {
            ScalarType::Bool => {
                let bits = column.as_boolean_opt().ok_or_else(|| self.contradiction())?;
                to.own().extend(bits.values().iter().map(u8::from));
                return Ok(());
            }
            ScalarType::I8 => all::<Int8Type>(column),
            ScalarType::I16 => all::<Int16Type>(column),
            ScalarType::I32 => all::<Int32Type>(column),
            ScalarType::I64 => all::<Int64Type>(column),
            ScalarType::U8 => all::<UInt8Type>(column),
            ScalarType::U16 => all::<UInt16Type>(column),
            ScalarType::U32 => all::<UInt32Type>(column),
            ScalarType::U64 => all::<UInt64Type>(column),
            ScalarType::F32 => all::<Float32Type>(column),
            ScalarType::F64 => all::<Float64Type>(column),
        };
        to.append(found.ok_or_else(|| self.contradiction())?, self.lend);
        Ok(())
    }

    fn structs(&mut self, to: &mut [Builder], column: &dyn Array, wanted: &Surface) -> Done {
        let column = column.as_struct_opt().ok_or_else(|| self.contradiction())?;
        let parts = struct_parts(column, wanted).ok_or_else(|| self.contradiction())?;
        for ((name, part, want), to) in parts.into_iter().zip(to) {
            self.rows(to, part, want).map_err(|trouble| deeper(trouble, &format!(".{name}"), |row| row))?;
        }
        Ok(())
    }

    fn arrays(&mut self, at: &mut Offsets, inner: &mut Builder, column: &dyn Array, element: &Surface) -> Done {
        use DataType as D;
        match column.data_type() {
            D::Utf8 => self.bytes(at, inner, column.as_string::<i32>().iter().map(|text| text.map(str::as_bytes))),
            D::LargeUtf8 => self.bytes(at, inner, column.as_string::<i64>().iter().map(|text| text.map(str::as_bytes))),
            D::Utf8View => self.bytes(at, inner, column.as_string_view().iter().map(|text| text.map(str::as_bytes))),
            D::Binary => self.bytes(at, inner, column.as_binary::<i32>().iter()),
            D::LargeBinary => self.bytes(at, inner, column.as_binary::<i64>().iter()),
            D::BinaryView => self.bytes(at, inner, column.as_binary_view().iter()),
            D::FixedSizeBinary(_) => self.bytes(at, inner, column.as_fixed_size_binary().iter()),
            D::List(_) => self.list::<i32>(at, inner, column, element),
            D::LargeList(_) => self.list::<i64>(at, inner, column, element),
            D::FixedSizeList(..) => {
                let list = column.as_fixed_size_list();
                let width = usize::try_from(list.value_length()).map_err(|_| self.contradiction())?;
                if list.is_empty() {
                    return Ok(());
                }
                let start = list.value_offset_at(0);
                let places: Vec<i64> = (0..=list.len()).map(|row| (start + row * width) as i64).collect();
                self.packed(at, inner, &places, list.values(), element)
            }
            D::ListView(_) => self.list_view::<i32>(at, inner, column, element),
            D::LargeListView(_) => self.list_view::<i64>(at, inner, column, element),
            _ => Err(self.contradiction().into()),
        }
    }

    fn bytes<'b>(
        &mut self,
        at: &mut Offsets,
        inner: &mut Builder,
        texts: impl Iterator<Item = Option<&'b [u8]>>,
    ) -> Done {
        let Builder::Numbers(ScalarType::U8, bytes) = inner else { return Err(self.contradiction().into()) };
        let mut end = at.last();
        for text in texts {
            let text = text.unwrap_or(&[]);
            self.budget.take(text.len() as u64, self.file)?;
            bytes.own().extend_from_slice(text);
            end += text.len() as i64;
            at.own().push(end);
        }
        Ok(())
    }

    fn list<O: OffsetSizeTrait>(
        &mut self,
        at: &mut Offsets,
        inner: &mut Builder,
        column: &dyn Array,
        element: &Surface,
    ) -> Done {
        let list = column.as_list::<O>();
        let lend = self.lend && at.is_empty();
        let whole = column.as_list_opt::<i64>().filter(|l| lend && l.offsets()[0] == 0);
        let Some(whole) = whole else { return self.packed(at, inner, list.offsets(), list.values(), element) };
        self.elements(inner, list.offsets(), list.values(), element)?;
        *at = Offsets::Lent(whole.offsets().inner().clone());
        Ok(())
    }

    /// Rows that lie one behind the other.
    fn packed<O: OffsetSizeTrait>(
        &mut self,
        at: &mut Offsets,
        inner: &mut Builder,
        places: &[O],
        values: &ArrayRef,
        element: &Surface,
    ) -> Done {
        self.elements(inner, places, values, element)?;
        let Some(start) = places.first().map(|place| place.as_usize()) else { return Ok(()) };
        let before = at.last();
        at.own().extend(places[1..].iter().map(|place| before + (place.as_usize() - start) as i64));
        Ok(())
    }

    /// The elements of such rows.
    fn elements<O: OffsetSizeTrait>(
        &mut self,
        inner: &mut Builder,
        places: &[O],
        values: &ArrayRef,
        element: &Surface,
    ) -> Done {
        let [rows @ .., last] = places else { return Ok(()) };
        let Some(first) = rows.first() else { return Ok(()) };
        let (start, end) = (first.as_usize(), last.as_usize());
        if end > values.len() || places.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(self.contradiction().into());
        }
        self.rows(inner, &values.slice(start, end - start), element).map_err(|trouble| {
            deeper(trouble, "[]", |index| {
                rows.partition_point(|place| place.as_usize() - start <= index).saturating_sub(1)
            })
        })
    }

    /// Rows that may overlap or leave gaps.
    fn list_view<O: OffsetSizeTrait>(
        &mut self,
        at: &mut Offsets,
        inner: &mut Builder,
        column: &dyn Array,
        element: &Surface,
    ) -> Done {
        let list = column.as_list_view::<O>();
        let spans = list.offsets().iter().zip(list.sizes().iter()).map(|(at, size)| (at.as_usize(), size.as_usize()));
        let spans: Vec<(usize, usize)> = spans.collect();
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return Ok(()) };
        if spans.windows(2).all(|pair| pair[0].0.checked_add(pair[0].1) == Some(pair[1].0)) {
            let end = last.0.checked_add(last.1).filter(|end| *end >= first.0).ok_or_else(|| self.contradiction())?;
            let places: Vec<i64> = spans.iter().map(|(at, _)| *at as i64).chain([end as i64]).collect();
            return self.packed(at, inner, &places, list.values(), element);
        }
        for (row, (start, length)) in spans.iter().enumerate() {
            if start.checked_add(*length).is_none_or(|end| end > list.values().len()) {
                return Err(self.contradiction().into());
            }
            let elements = self.rows(inner, &list.values().slice(*start, *length), element);
            elements.map_err(|trouble| deeper(trouble, "[]", |_| row))?;
            let end = at.last() + *length as i64;
            at.own().push(end);
        }
        Ok(())
    }
}
