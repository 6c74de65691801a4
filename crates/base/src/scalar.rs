//! Scalar types and values.
//!
//! A [`Scalar`] is one number or truth value together with its type. Every interpreter, the constant folder and the
//! host side of the runtime compute with it, so there is one place that says what `7 / -2` is (see
//! [`scalar_op`](crate::scalar_op)).
//!
//! Two notions of equality are kept apart. `==` is the equality of the language: `-0.0 == 0.0`, and NaN equals
//! nothing. [`Scalar::same_bits`] is the equality of tests and of IR: `-0.0` and `0.0` differ, and all NaNs are one
//! value, because nothing in the language can tell them apart.

use std::cmp::Ordering;

/// The type of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScalarType {
    /// `true` or `false`, one byte in memory.
    Bool,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits; the type of lengths.
    I64,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
}

impl ScalarType {
    /// Every scalar type, in the order of the enumeration.
    pub const ALL: [ScalarType; 11] = [
        ScalarType::Bool,
        ScalarType::I8,
        ScalarType::I16,
        ScalarType::I32,
        ScalarType::I64,
        ScalarType::U8,
        ScalarType::U16,
        ScalarType::U32,
        ScalarType::U64,
        ScalarType::F32,
        ScalarType::F64,
    ];

    /// The name in source text and in every IR.
    pub const fn name(self) -> &'static str {
        match self {
            ScalarType::Bool => "bool",
            ScalarType::I8 => "i8",
            ScalarType::I16 => "i16",
            ScalarType::I32 => "i32",
            ScalarType::I64 => "i64",
            ScalarType::U8 => "u8",
            ScalarType::U16 => "u16",
            ScalarType::U32 => "u32",
            ScalarType::U64 => "u64",
            ScalarType::F32 => "f32",
            ScalarType::F64 => "f64",
        }
    }

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<ScalarType> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }

    /// Bytes per element in memory.
    pub const fn size_bytes(self) -> usize {
        match self {
            ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 1,
            ScalarType::I16 | ScalarType::U16 => 2,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
        }
    }

    /// Number of bits of an integer or float; 1 for `bool`.
    pub const fn bits(self) -> u32 {
        match self {
            ScalarType::Bool => 1,
            _ => self.size_bytes() as u32 * 8,
        }
    }

    /// Whether this is one of the eight integer types.
    pub const fn is_int(self) -> bool {
        !matches!(self, ScalarType::Bool | ScalarType::F32 | ScalarType::F64)
    }

    /// Whether this is `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, ScalarType::F32 | ScalarType::F64)
    }

    /// Whether values may be negative: signed integers and floats.
    pub const fn is_signed(self) -> bool {
        matches!(
            self,
            ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 | ScalarType::F32 | ScalarType::F64
        )
    }

    /// Whether arithmetic is defined: everything but `bool`.
    pub const fn is_number(self) -> bool {
        !matches!(self, ScalarType::Bool)
    }
}

impl std::fmt::Display for ScalarType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// One scalar value with its type. `==` is IEEE; values of different types are not equal.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
}

/// Evaluates `$body` with `$x` bound to the payload of an integer scalar, wrapped again by `$make`; `$other` otherwise.
macro_rules! for_each_int {
    ($value:expr, |$make:ident, $x:ident| $body:expr, $other:expr) => {
        match $value {
            Scalar::I8($x) => {
                let $make = Scalar::I8;
                $body
            }
            Scalar::I16($x) => {
                let $make = Scalar::I16;
                $body
            }
            Scalar::I32($x) => {
                let $make = Scalar::I32;
                $body
            }
            Scalar::I64($x) => {
                let $make = Scalar::I64;
                $body
            }
            Scalar::U8($x) => {
                let $make = Scalar::U8;
                $body
            }
            Scalar::U16($x) => {
                let $make = Scalar::U16;
                $body
            }
            Scalar::U32($x) => {
                let $make = Scalar::U32;
                $body
            }
            Scalar::U64($x) => {
                let $make = Scalar::U64;
                $body
            }
            _ => $other,
        }
    };
}
pub(crate) use for_each_int;

impl Scalar {
    /// The type of this value.
    pub const fn ty(self) -> ScalarType {
        match self {
            Scalar::Bool(_) => ScalarType::Bool,
            Scalar::I8(_) => ScalarType::I8,
            Scalar::I16(_) => ScalarType::I16,
            Scalar::I32(_) => ScalarType::I32,
            Scalar::I64(_) => ScalarType::I64,
            Scalar::U8(_) => ScalarType::U8,
            Scalar::U16(_) => ScalarType::U16,
            Scalar::U32(_) => ScalarType::U32,
            Scalar::U64(_) => ScalarType::U64,
            Scalar::F32(_) => ScalarType::F32,
            Scalar::F64(_) => ScalarType::F64,
        }
    }

    /// The value 0, 0.0 or `false`: also the safe value that a failed operation gives.
    pub const fn zero(ty: ScalarType) -> Scalar {
        Self::from_i64(ty, 0)
    }

    /// The value 1, 1.0 or `true`.
    pub const fn one(ty: ScalarType) -> Scalar {
        Self::from_i64(ty, 1)
    }

    /// An integer brought to a type: wraps for integers, rounds for floats, "is not 0" for `bool`.
    pub const fn from_i64(ty: ScalarType, x: i64) -> Scalar {
        match ty {
            ScalarType::Bool => Scalar::Bool(x != 0),
            ScalarType::I8 => Scalar::I8(x as i8),
            ScalarType::I16 => Scalar::I16(x as i16),
            ScalarType::I32 => Scalar::I32(x as i32),
            ScalarType::I64 => Scalar::I64(x),
            ScalarType::U8 => Scalar::U8(x as u8),
            ScalarType::U16 => Scalar::U16(x as u16),
            ScalarType::U32 => Scalar::U32(x as u32),
            ScalarType::U64 => Scalar::U64(x as u64),
            ScalarType::F32 => Scalar::F32(x as f32),
            ScalarType::F64 => Scalar::F64(x as f64),
        }
    }

    /// A real number brought to a float type; `None` for other types.
    pub const fn from_f64(ty: ScalarType, x: f64) -> Option<Scalar> {
        match ty {
            ScalarType::F32 => Some(Scalar::F32(x as f32)),
            ScalarType::F64 => Some(Scalar::F64(x)),
            _ => None,
        }
    }

    /// The value of an integer; `None` for `bool`, floats, and `u64` values that do not fit.
    pub fn as_i64(self) -> Option<i64> {
        i64::try_from(self.as_i128()?).ok()
    }

    /// The value of an integer of any type; `None` for `bool` and floats.
    pub fn as_i128(self) -> Option<i128> {
        for_each_int!(self, |_make, x| Some(i128::from(x)), None)
    }

    /// The value of a float, widened; `None` for other types.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Scalar::F32(x) => Some(f64::from(x)),
            Scalar::F64(x) => Some(x),
            _ => None,
        }
    }

    /// The value of a `bool`.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Scalar::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// Whether this is a NaN.
    pub fn is_nan(self) -> bool {
        self.as_f64().is_some_and(f64::is_nan)
    }

    /// Whether two values are indistinguishable: same type and same bits, all NaNs of one type counted as one.
    pub fn same_bits(self, other: Scalar) -> bool {
        self.ty() == other.ty() && ((self.is_nan() && other.is_nan()) || self.raw_bits() == other.raw_bits())
    }

    /// The bits of the value, zero-extended. Use [`Scalar::same_bits`] to compare: NaNs have many encodings.
    pub fn raw_bits(self) -> u64 {
        match self {
            Scalar::Bool(b) => u64::from(b),
            Scalar::I8(x) => u64::from(x as u8),
            Scalar::I16(x) => u64::from(x as u16),
            Scalar::I32(x) => u64::from(x as u32),
            Scalar::I64(x) => x as u64,
            Scalar::U8(x) => u64::from(x),
            Scalar::U16(x) => u64::from(x),
            Scalar::U32(x) => u64::from(x),
            Scalar::U64(x) => x,
            Scalar::F32(x) => u64::from(x.to_bits()),
            Scalar::F64(x) => x.to_bits(),
        }
    }

    /// The value with these bits; higher bits are ignored, and any bit set makes a `bool` true.
    pub fn from_raw_bits(ty: ScalarType, bits: u64) -> Scalar {
        match ty {
            ScalarType::F32 => Scalar::F32(f32::from_bits(bits as u32)),
            ScalarType::F64 => Scalar::F64(f64::from_bits(bits)),
            _ => Scalar::from_i64(ty, bits as i64),
        }
    }

    /// The bytes in memory, lowest first: `size_bytes()` many.
    pub fn to_le_bytes(self) -> Vec<u8> {
        self.raw_bits().to_le_bytes()[..self.ty().size_bytes()].to_vec()
    }

    /// The value of the first `size_bytes()` bytes; `None` if there are fewer.
    pub fn from_le_bytes(ty: ScalarType, bytes: &[u8]) -> Option<Scalar> {
        let mut raw = [0; 8];
        let n = ty.size_bytes();
        raw[..n].copy_from_slice(bytes.get(..n)?);
        Some(Scalar::from_raw_bits(ty, u64::from_le_bytes(raw)))
    }

    /// The total order of `sort`, `min` and `max`: -0 before +0, NaN last, all NaNs equal, `false` before `true`.
    ///
    /// Values of different types, which checked programs never compare, are ordered by type.
    pub fn total_cmp(self, other: Scalar) -> Ordering {
        match (self, other) {
            (Scalar::F32(a), Scalar::F32(b)) => float_order(f64::from(a), f64::from(b)),
            (Scalar::F64(a), Scalar::F64(b)) => float_order(a, b),
            (Scalar::Bool(a), Scalar::Bool(b)) => a.cmp(&b),
            _ if self.ty() == other.ty() => self.as_i128().cmp(&other.as_i128()),
            _ => self.ty().cmp(&other.ty()),
        }
    }
}

fn float_order(a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) => a.total_cmp(&b),
        (a_is_nan, b_is_nan) => a_is_nan.cmp(&b_is_nan),
    }
}

macro_rules! scalar_from {
    ($($rust:ty => $variant:ident),*) => {
        $(impl From<$rust> for Scalar {
            fn from(x: $rust) -> Scalar {
                Scalar::$variant(x)
            }
        })*
    };
}
scalar_from!(bool => Bool, i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32,
    u64 => U64, f32 => F32, f64 => F64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for ty in ScalarType::ALL {
            assert_eq!(ScalarType::from_name(ty.name()), Some(ty));
            assert_eq!(Scalar::zero(ty).ty(), ty);
            assert_eq!(Scalar::one(ty).ty(), ty);
            assert_eq!(Scalar::one(ty).to_le_bytes().len(), ty.size_bytes());
        }
        assert_eq!(ScalarType::from_name("int"), None);
    }

    #[test]
    fn bytes_round_trip() {
        let values = [
            Scalar::Bool(true),
            Scalar::I8(-3),
            Scalar::I16(-300),
            Scalar::I32(i32::MIN),
            Scalar::I64(-1),
            Scalar::U8(255),
            Scalar::U16(65535),
            Scalar::U32(u32::MAX),
            Scalar::U64(u64::MAX),
            Scalar::F32(-0.0),
            Scalar::F64(f64::NAN),
        ];
        for v in values {
            let back = Scalar::from_le_bytes(v.ty(), &v.to_le_bytes()).unwrap();
            assert!(v.same_bits(back), "{v:?} became {back:?}");
        }
        assert_eq!(Scalar::I32(1).to_le_bytes(), [1, 0, 0, 0]);
        assert_eq!(Scalar::from_le_bytes(ScalarType::I32, &[1, 0, 0]), None);
        assert_eq!(Scalar::from_le_bytes(ScalarType::Bool, &[4]), Some(Scalar::Bool(true)));
    }

    #[test]
    fn two_equalities() {
        let check = |a: Scalar, b: Scalar, equal: bool, same: bool| {
            assert_eq!((a == b, a.same_bits(b)), (equal, same), "{a:?} {b:?}");
        };
        check(Scalar::F64(0.0), Scalar::F64(-0.0), true, false);
        check(Scalar::F64(f64::NAN), Scalar::F64(-f64::NAN), false, true);
        check(Scalar::F32(f32::NAN), Scalar::F64(f64::NAN), false, false);
        check(Scalar::I32(1), Scalar::I64(1), false, false);
        check(Scalar::U8(7), Scalar::U8(7), true, true);
    }

    #[test]
    fn total_order() {
        let rising = [f64::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-300, 1.0, f64::INFINITY, f64::NAN];
        for (i, &a) in rising.iter().enumerate() {
            for (j, &b) in rising.iter().enumerate() {
                assert_eq!(Scalar::F64(a).total_cmp(Scalar::F64(b)), i.cmp(&j), "{a} {b}");
                let (a, b) = (a as f32, b as f32);
                if b != 0.0 && a != 0.0 {
                    assert_eq!(Scalar::F32(a).total_cmp(Scalar::F32(b)), i.cmp(&j), "{a} {b}");
                }
            }
        }
        assert_eq!(Scalar::F64(-f64::NAN).total_cmp(Scalar::F64(f64::NAN)), Ordering::Equal);
        assert_eq!(Scalar::U64(u64::MAX).total_cmp(Scalar::U64(1)), Ordering::Greater);
        assert_eq!(Scalar::I64(-1).total_cmp(Scalar::I64(1)), Ordering::Less);
        assert_eq!(Scalar::Bool(false).total_cmp(Scalar::Bool(true)), Ordering::Less);
    }

    #[test]
    fn integers_as_i64() {
        assert_eq!(Scalar::U64(u64::MAX).as_i64(), None);
        assert_eq!(Scalar::U64(7).as_i64(), Some(7));
        assert_eq!(Scalar::I8(-7).as_i64(), Some(-7));
        assert_eq!(Scalar::F64(7.0).as_i64(), None);
        assert_eq!(Scalar::from_i64(ScalarType::U8, -1), Scalar::U8(255));
        assert_eq!(Scalar::from_i64(ScalarType::I8, 200), Scalar::I8(-56));
    }
}
