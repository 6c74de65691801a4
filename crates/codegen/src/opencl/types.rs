//! Types and constants of OpenCL C.
//!
//! ```text
//! i64      int64_t, which the preamble makes `long`: 64 bits on every device
//! bool     a byte in memory and a `bool` in variables, so that it never holds anything but 0 or 1
//! inf      f64_of_bits(UINT64_C(9218868437227405312))
//! ```
//!
//! The names are those of C, so that both texts can share helpers; OpenCL C has no `long long` and its `long` is no C type of fixed width.

pub use crate::c::types::{constant, element, variable};

use terrace_base::ScalarType;

/// A value as the 64 bits that go from lane to lane.
pub fn to_bits(ty: ScalarType, text: &str) -> String {
    match ty {
        ScalarType::F64 => format!("as_ulong({text})"),
        ScalarType::F32 => format!("(uint64_t)as_uint({text})"),
        _ => format!("(uint64_t)({text})"),
    }
}

/// What [`to_bits`] made, as a value again.
pub fn of_bits(ty: ScalarType, text: &str) -> String {
    match ty {
        ScalarType::F64 => format!("as_double({text})"),
        ScalarType::F32 => format!("as_float((uint32_t){text})"),
        ScalarType::Bool => format!("({text} != 0)"),
        _ => format!("(({}){text})", variable(ty)),
    }
}
