//! Types of files in the words of the language.
//!
//! ```text
//! list<struct<column: int32, value: double>>      []{column: i32, value: f64}
//! dictionary<int8, utf8>                          []u8
//! timestamp[us]                                   timestamp: nothing in the language
//! ```

use arrow_schema::{DataType, FieldRef};
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

/// What a type of a file is, once dictionaries are decoded.
pub(crate) enum Shape<'a> {
    /// A number or a truth value.
    Scalar(ScalarType),
    /// Text or bytes.
    Bytes,
    /// Lists of any kind.
    List(&'a FieldRef),
    /// A struct.
    Struct(&'a [FieldRef]),
    /// What the language has not: what it is, and what to make of it.
    Foreign(&'static str, &'static str),
}

/// What a type of a file is.
pub(crate) fn shape(found: &DataType) -> Shape<'_> {
    use DataType as D;
    match found {
        D::Boolean => Shape::Scalar(ScalarType::Bool),
        D::Int8 => Shape::Scalar(ScalarType::I8),
        D::Int16 => Shape::Scalar(ScalarType::I16),
        D::Int32 => Shape::Scalar(ScalarType::I32),
        D::Int64 => Shape::Scalar(ScalarType::I64),
        D::UInt8 => Shape::Scalar(ScalarType::U8),
        D::UInt16 => Shape::Scalar(ScalarType::U16),
        D::UInt32 => Shape::Scalar(ScalarType::U32),
        D::UInt64 => Shape::Scalar(ScalarType::U64),
        D::Float32 => Shape::Scalar(ScalarType::F32),
        D::Float64 => Shape::Scalar(ScalarType::F64),
        D::Utf8 | D::LargeUtf8 | D::Utf8View => Shape::Bytes,
        D::Binary | D::LargeBinary | D::BinaryView | D::FixedSizeBinary(_) => Shape::Bytes,
        D::List(item) | D::LargeList(item) | D::FixedSizeList(item, _) | D::ListView(item) | D::LargeListView(item) => {
            Shape::List(item)
        }
        D::Struct(fields) => Shape::Struct(fields),
        D::Dictionary(_, values) => shape(values),
        D::Null => Shape::Foreign("nothing but missing values", "give the column a type and fill it before"),
        D::Float16 => {
            Shape::Foreign("floats of half precision", "convert them before: `column.cast(\"float32\")` in pyarrow")
        }
        D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..) | D::Decimal256(..) => {
            Shape::Foreign("decimals", "convert them before: `column.cast(\"float64\")` in pyarrow")
        }
        D::Timestamp(..) => Shape::Foreign(
            "timestamps",
            "convert them to numbers before: `column.cast(\"int64\")` in pyarrow counts since 1970 in the unit of the column",
        ),
        D::Date32 => {
            Shape::Foreign("dates", "convert them to days since 1970 before: `column.cast(\"int32\")` in pyarrow")
        }
        D::Date64 => Shape::Foreign(
            "dates",
            "convert them to milliseconds since 1970 before: `column.cast(\"int64\")` in pyarrow",
        ),
        D::Time32(_) => {
            Shape::Foreign("times of day", "convert them to numbers before: `column.cast(\"int32\")` in pyarrow")
        }
        D::Time64(_) | D::Duration(_) => {
            Shape::Foreign("times", "convert them to numbers before: `column.cast(\"int64\")` in pyarrow")
        }
        D::Interval(_) => Shape::Foreign("intervals of time", "convert them to numbers of days or microseconds before"),
        D::Map(..) => Shape::Foreign("maps", "convert them to lists of structs with a key and a value before"),
        D::Union(..) => Shape::Foreign("unions", "keep a column for each case instead"),
        D::RunEndEncoded(..) => {
            Shape::Foreign("values by runs", "write the column plainly: `pyarrow.compute.run_end_decode(column)`")
        }
        // The library may learn new types.
        #[allow(unreachable_patterns)]
        _ => Shape::Foreign("values of a type unknown here", "convert them to numbers, text or lists before"),
    }
}

/// The type in the words of the language.
pub(crate) fn describe(found: &DataType) -> String {
    match shape(found) {
        Shape::Scalar(scalar) => scalar.name().into(),
        Shape::Bytes => "[]u8".into(),
        Shape::List(item) => format!("[]{}", describe(item.data_type())),
        Shape::Struct(fields) => {
            let parts: Vec<_> = fields.iter().map(|f| format!("{}: {}", f.name(), describe(f.data_type()))).collect();
            format!("{{{}}}", parts.join(", "))
        }
        Shape::Foreign(what, _) => what.into(),
    }
}

/// The same as a type that a reader can be asked for; none where a part of it is foreign.
pub(crate) fn surface_of(found: &DataType, name: &str) -> Option<Surface> {
    Some(match shape(found) {
        Shape::Scalar(scalar) => Surface::Scalar(scalar),
        Shape::Bytes => Surface::Array(Box::new(Surface::Scalar(ScalarType::U8))),
        Shape::List(item) => Surface::Array(Box::new(surface_of(item.data_type(), name)?)),
        Shape::Struct(fields) => {
            let part = |f: &FieldRef| Some((f.name().clone(), surface_of(f.data_type(), f.name())?));
            Surface::Record { name: name.to_string(), fields: fields.iter().map(part).collect::<Option<_>>()? }
        }
        Shape::Foreign(..) => return None,
    })
}
