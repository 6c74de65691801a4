//! Types and constants of C.
//!
//! A `bool` is a byte in memory and a `bool` in variables, so that it never holds anything but 0 or 1.

use terrace_base::{Scalar, ScalarType};

/// The type of a variable.
pub fn variable(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "bool",
        ScalarType::I8 => "int8_t",
        ScalarType::I16 => "int16_t",
        ScalarType::I32 => "int32_t",
        ScalarType::I64 => "int64_t",
        ScalarType::U8 => "uint8_t",
        ScalarType::U16 => "uint16_t",
        ScalarType::U32 => "uint32_t",
        ScalarType::U64 => "uint64_t",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

/// The type of an element in memory.
pub fn element(ty: ScalarType) -> &'static str {
    if ty == ScalarType::Bool { "uint8_t" } else { variable(ty) }
}

/// A constant of exactly its type, as far as promotion allows.
pub fn constant(c: Scalar) -> String {
    match c {
        Scalar::Bool(b) => b.to_string(),
        Scalar::I32(i32::MIN) => "INT32_MIN".into(),
        Scalar::I64(i64::MIN) => "INT64_MIN".into(),
        Scalar::I64(n) if i32::try_from(n).is_err() => format!("INT64_C({n})"),
        Scalar::U32(n) => format!("{n}u"),
        Scalar::U64(n) => format!("UINT64_C({n})"),
        Scalar::F32(x) if x.is_finite() => format!("{x:?}f"),
        Scalar::F32(x) => format!("f32_of_bits({}u)", x.to_bits()),
        Scalar::F64(x) if x.is_finite() => format!("{x:?}"),
        Scalar::F64(x) => format!("f64_of_bits(UINT64_C({}))", x.to_bits()),
        int => int.as_i64().unwrap_or(0).to_string(),
    }
}
