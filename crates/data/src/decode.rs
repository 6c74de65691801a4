//! Columns of Arrow to nested values.
//!
//! A list column is one long column of elements and the places where rows begin. The elements are decoded once and handed out to the rows:
//!
//! ```text
//! offsets 0 2 2 3, elements 1.0 2.0 3.0      [[1.0, 2.0], [], [3.0]]
//! ```
//!
//! A missing value found deep inside is reported by the row of the file that holds it: each level of lists turns the index
//! of the element into the index of its row on the way out.
//!
//! Declines to judge types: `fit` has done that, so what does not match here is a damaged file.

use crate::budget::Budget;
use crate::error::{DataError, damaged};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, StructArray};
use arrow_schema::DataType;
use terrace_base::Scalar;
use terrace_plan::data::Data;
use terrace_plan::surface::Surface;

/// Why a column could not be decoded.
pub(crate) enum Trouble {
    /// There are missing values.
    Nulls(Nulls),
    /// Anything else.
    Other(DataError),
}

/// Missing values of one column.
pub(crate) struct Nulls {
    /// The first row that has one.
    pub(crate) row: usize,
    /// How many there are.
    pub(crate) count: usize,
    /// Where in the column: `[].value`.
    pub(crate) path: String,
}

impl From<DataError> for Trouble {
    fn from(error: DataError) -> Self {
        Trouble::Other(error)
    }
}

/// Decodes columns of one file.
pub(crate) struct Decoder<'a> {
    /// The file, for messages.
    pub(crate) file: &'a str,
    /// How much memory is left.
    pub(crate) budget: &'a mut Budget,
}

type Rows = Result<Vec<Data>, Trouble>;

impl Decoder<'_> {
    /// A value for each row of a column.
    pub(crate) fn rows(&mut self, column: &dyn Array, wanted: &Surface) -> Rows {
        let nulls = column.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        if let Some(nulls) = nulls {
            let row = nulls.iter().position(|valid| !valid).unwrap_or(0);
            return Err(Trouble::Nulls(Nulls { row, count: nulls.null_count(), path: String::new() }));
        }
        self.valid_rows(column, wanted)
    }

    /// As [`Decoder::rows`], where missing values are known to be used by nobody.
    fn valid_rows(&mut self, column: &dyn Array, wanted: &Surface) -> Rows {
        self.budget.take(column.len() as u64, self.file)?;
        match wanted {
            Surface::Scalar(_) if !matches!(column.data_type(), DataType::Dictionary(..)) => self.scalars(column),
            _ => match column.data_type() {
                DataType::Dictionary(..) => self.dictionary(column, wanted),
                DataType::Struct(_) => self.structs(column, wanted),
                _ => match wanted {
                    Surface::Array(element) => self.arrays(column, element),
                    _ => Err(self.contradiction().into()),
                },
            },
        }
    }

    fn contradiction(&self) -> DataError {
        damaged(self.file, "its data are not of the type it states")
    }

    fn scalars(&mut self, column: &dyn Array) -> Rows {
        fn all<T: ArrowPrimitiveType>(column: &dyn Array, make: fn(T::Native) -> Scalar) -> Option<Vec<Data>> {
            let values = column.as_primitive_opt::<T>()?.values();
            Some(values.iter().map(|value| Data::Scalar(make(*value))).collect())
        }
        let rows = match column.data_type() {
            DataType::Boolean => column
                .as_boolean_opt()
                .map(|bits| bits.values().iter().map(|bit| Data::Scalar(Scalar::Bool(bit))).collect()),
            DataType::Int8 => all::<Int8Type>(column, Scalar::I8),
            DataType::Int16 => all::<Int16Type>(column, Scalar::I16),
            DataType::Int32 => all::<Int32Type>(column, Scalar::I32),
            DataType::Int64 => all::<Int64Type>(column, Scalar::I64),
            DataType::UInt8 => all::<UInt8Type>(column, Scalar::U8),
            DataType::UInt16 => all::<UInt16Type>(column, Scalar::U16),
            DataType::UInt32 => all::<UInt32Type>(column, Scalar::U32),
            DataType::UInt64 => all::<UInt64Type>(column, Scalar::U64),
            DataType::Float32 => all::<Float32Type>(column, Scalar::F32),
            DataType::Float64 => all::<Float64Type>(column, Scalar::F64),
            _ => None,
        };
        rows.ok_or_else(|| self.contradiction().into())
    }

    fn structs(&mut self, column: &dyn Array, wanted: &Surface) -> Rows {
        let column = column.as_struct_opt().ok_or_else(|| self.contradiction())?;
        let parts = struct_parts(column, wanted).ok_or_else(|| self.contradiction())?;
        let mut columns = Vec::new();
        for (name, part, want) in parts {
            columns.push(self.rows(part, want).map_err(|trouble| deeper(trouble, &format!(".{name}"), |row| row))?);
        }
        Ok(tuples(column.len(), columns))
    }

    fn dictionary(&mut self, column: &dyn Array, wanted: &Surface) -> Rows {
        let column = column.as_any_dictionary_opt().ok_or_else(|| self.contradiction())?;
        if column.is_empty() {
            return Ok(Vec::new());
        }
        let values = self.valid_rows(column.values(), wanted)?;
        let sizes: Vec<u64> = values.iter().map(|value| nodes(value) - 1).collect();
        let mut rows = Vec::with_capacity(column.len());
        for key in column.normalized_keys() {
            let value = values.get(key).ok_or_else(|| self.contradiction())?;
            self.budget.take(sizes[key], self.file)?;
            rows.push(value.clone());
        }
        Ok(rows)
    }

    fn arrays(&mut self, column: &dyn Array, element: &Surface) -> Rows {
        use DataType as D;
        match column.data_type() {
            D::Utf8 => self.bytes(column.as_string::<i32>().iter().map(|text| text.map(str::as_bytes))),
            D::LargeUtf8 => self.bytes(column.as_string::<i64>().iter().map(|text| text.map(str::as_bytes))),
            D::Utf8View => self.bytes(column.as_string_view().iter().map(|text| text.map(str::as_bytes))),
            D::Binary => self.bytes(column.as_binary::<i32>().iter()),
            D::LargeBinary => self.bytes(column.as_binary::<i64>().iter()),
            D::BinaryView => self.bytes(column.as_binary_view().iter()),
            D::FixedSizeBinary(_) => self.bytes(column.as_fixed_size_binary().iter()),
            D::List(_) => self.list::<i32>(column, element),
            D::LargeList(_) => self.list::<i64>(column, element),
            D::FixedSizeList(..) => {
                let list = column.as_fixed_size_list();
                let width = usize::try_from(list.value_length()).map_err(|_| self.contradiction())?;
                let spans = (0..list.len()).map(|row| (list.value_offset_at(row), width)).collect();
                self.spans(list.values(), spans, element)
            }
            D::ListView(_) => self.list_view::<i32>(column, element),
            D::LargeListView(_) => self.list_view::<i64>(column, element),
            _ => Err(self.contradiction().into()),
        }
    }

    fn bytes<'b>(&mut self, texts: impl Iterator<Item = Option<&'b [u8]>>) -> Rows {
        let mut rows = Vec::new();
        for text in texts {
            // Only values of a dictionary that nobody uses can be missing here.
            let text = text.unwrap_or(&[]);
            self.budget.take(text.len() as u64, self.file)?;
            rows.push(Data::Array(text.iter().map(|byte| Data::Scalar(Scalar::U8(*byte))).collect()));
        }
        Ok(rows)
    }

    fn list<O: OffsetSizeTrait>(&mut self, column: &dyn Array, element: &Surface) -> Rows {
        let list = column.as_list::<O>();
        let spans = list.offsets().windows(2).map(|pair| (pair[0].as_usize(), pair[1].as_usize() - pair[0].as_usize()));
        let spans = spans.collect();
        self.spans(list.values(), spans, element)
    }

    fn list_view<O: OffsetSizeTrait>(&mut self, column: &dyn Array, element: &Surface) -> Rows {
        let list = column.as_list_view::<O>();
        let spans = list.offsets().iter().zip(list.sizes().iter()).map(|(at, size)| (at.as_usize(), size.as_usize()));
        let spans = spans.collect();
        self.spans(list.values(), spans, element)
    }

    /// Rows that lie at `(start, length)` of the elements.
    fn spans(&mut self, values: &ArrayRef, spans: Vec<(usize, usize)>, element: &Surface) -> Rows {
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return Ok(Vec::new()) };
        let (start, end) = (first.0, last.0.checked_add(last.1).ok_or_else(|| self.contradiction())?);
        let packed = spans.windows(2).all(|pair| pair[0].0.checked_add(pair[0].1) == Some(pair[1].0));
        if !packed {
            return self.scattered(values, &spans, element);
        }
        if end > values.len() || start > end {
            return Err(self.contradiction().into());
        }
        let elements = self.rows(&values.slice(start, end - start), element).map_err(|trouble| {
            deeper(trouble, "[]", |index| spans.partition_point(|(at, _)| at - start <= index).saturating_sub(1))
        })?;
        let mut elements = elements.into_iter();
        Ok(spans.iter().map(|(_, length)| Data::Array(elements.by_ref().take(*length).collect())).collect())
    }

    /// Rows that overlap or leave gaps, as views may.
    fn scattered(&mut self, values: &ArrayRef, spans: &[(usize, usize)], element: &Surface) -> Rows {
        let mut rows = Vec::with_capacity(spans.len());
        for (row, (at, length)) in spans.iter().enumerate() {
            if at.checked_add(*length).is_none_or(|end| end > values.len()) {
                return Err(self.contradiction().into());
            }
            let elements = self.rows(&values.slice(*at, *length), element);
            rows.push(Data::Array(elements.map_err(|trouble| deeper(trouble, "[]", |_| row))?));
        }
        Ok(rows)
    }
}

/// The tuples whose parts are the rows of the columns.
pub(crate) fn tuples(count: usize, columns: Vec<Vec<Data>>) -> Vec<Data> {
    let mut parts: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    (0..count).map(|_| Data::Tuple(parts.iter_mut().filter_map(Iterator::next).collect())).collect()
}

/// The parts of a struct column that a tuple or a record wants, each with its name and type; none where one is missing.
pub(crate) fn struct_parts<'a>(
    column: &'a StructArray,
    wanted: &'a Surface,
) -> Option<Vec<(&'a str, &'a ArrayRef, &'a Surface)>> {
    match wanted {
        Surface::Tuple(wants) => {
            let columns = column.fields().iter().zip(column.columns());
            Some(columns.zip(wants).map(|((field, part), want)| (field.name().as_str(), part, want)).collect())
        }
        Surface::Record { fields, .. } => {
            fields.iter().map(|(name, want)| Some((name.as_str(), column.column_by_name(name)?, want))).collect()
        }
        _ => None,
    }
}

/// The same trouble as seen from one level further out.
pub(crate) fn deeper(trouble: Trouble, step: &str, row: impl Fn(usize) -> usize) -> Trouble {
    match trouble {
        Trouble::Nulls(nulls) => {
            Trouble::Nulls(Nulls { row: row(nulls.row), path: format!("{step}{}", nulls.path), ..nulls })
        }
        other => other,
    }
}

fn nodes(value: &Data) -> u64 {
    match value {
        Data::Scalar(_) => 1,
        Data::Tuple(parts) | Data::Array(parts) => 1 + parts.iter().map(nodes).sum::<u64>(),
        Data::Variant(v) => 1 + v.fields.iter().map(nodes).sum::<u64>(),
    }
}
