//! Types and constants of CUDA C.
//!
//! `i64` is `long long`, since that is what CUDA's own functions take. A `bool` is a byte in memory and a `bool` in
//! variables, so that it never holds anything but 0 or 1.

use terrace_base::{Scalar, ScalarType};

/// The type of a variable.
pub fn variable(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "bool",
        ScalarType::I8 => "signed char",
        ScalarType::I16 => "short",
        ScalarType::I32 => "int",
        ScalarType::I64 => "long long",
        ScalarType::U8 => "unsigned char",
        ScalarType::U16 => "unsigned short",
        ScalarType::U32 => "unsigned int",
        ScalarType::U64 => "unsigned long long",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

/// The type of an element in memory.
pub fn element(ty: ScalarType) -> &'static str {
    if ty == ScalarType::Bool { "unsigned char" } else { variable(ty) }
}

/// A constant, of exactly its type.
pub fn constant(c: Scalar) -> String {
    match c {
        Scalar::Bool(b) => b.to_string(),
        Scalar::I32(i32::MIN) => "(-2147483647 - 1)".into(),
        Scalar::I32(n) => n.to_string(),
        Scalar::I64(i64::MIN) => "(-9223372036854775807ll - 1)".into(),
        Scalar::I64(n) => format!("{n}ll"),
        Scalar::U32(n) => format!("{n}u"),
        Scalar::U64(n) => format!("{n}ull"),
        Scalar::F32(x) if x.is_finite() => format!("{x:?}f"),
        Scalar::F32(x) => format!("__uint_as_float({}u)", x.to_bits()),
        Scalar::F64(x) if x.is_finite() => format!("{x:?}"),
        Scalar::F64(x) => format!("__longlong_as_double((long long){}ull)", x.to_bits()),
        small => format!("(({}){})", variable(small.ty()), small.as_i64().unwrap_or(0)),
    }
}
