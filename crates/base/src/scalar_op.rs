//! The meaning of arithmetic on scalars, once, for every interpreter and for the constant folder.
//!
//! | case | meaning |
//! | --- | --- |
//! | integer `+ - *`, unary minus, `abs` | wrap |
//! | integer `/ %` | round towards minus infinity: `-7 / 2 = -4`, `-7 % 2 = 1`, `7 % -2 = -1` |
//! | divisor 0 | gives 0; the check that makes it an error is a statement of its own |
//! | least value `/ -1` | wraps to itself, remainder 0 |
//! | float `%` | `fmod`, moved into the sign of the divisor; a zero result has the sign of the divisor |
//! | shifts | count modulo the width; `>>` keeps the sign of signed types |
//! | `min max` | by the total order (-0 before +0, NaN last); on `bool` they are `and` and `or` |
//! | comparisons | IEEE on floats |
//! | conversion | integers wrap, float to integer saturates, NaN gives 0, `bool` is 0 or 1, and "is not 0" back |
//! | `round` | to the nearest whole number, a half away from zero |
//! | `ordinal` | the place in the total order of the type: `u64` for types of 64 bits, else `u32` |
//!
//! `exp` and `log` are those of [`elementary`], `sin cos cosh` those of [`trigonometry`]. `pow`, `tan`, the inverses, `atan2` and `sinh tanh` call the platform's
//! library, as the functions of Rust's floats do; everything else has the same bits everywhere. Operators are only
//! defined on operands of one type; [`BinOp::try_apply`] gives `None` otherwise and `apply` treats that as a bug of
//! the type checker. `and` and `or` here are strict: short-circuiting is an `if` in the IRs.

use crate::scalar::{Scalar, ScalarType, for_each_int};
use crate::{elementary, trigonometry};
use std::cmp::Ordering;

/// An operator on two scalars of one type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    Pow,
    Atan2,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// An operator on one scalar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum UnOp {
    Neg,
    Not,
    Abs,
    Sqrt,
    Exp,
    Log,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Floor,
    Ceil,
    Round,
    Trunc,
    Ordinal,
}

impl BinOp {
    /// Every operator, in the order of the enumeration.
    pub const ALL: [BinOp; 20] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::Min,
        BinOp::Max,
        BinOp::Pow,
        BinOp::Atan2,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Lt,
        BinOp::Le,
        BinOp::Gt,
        BinOp::Ge,
    ];

    /// Whether the result is a `bool` that compares the operands.
    pub const fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
    }

    /// Whether swapping the operands never changes the result.
    pub const fn is_commutative(self) -> bool {
        use BinOp::*;
        matches!(self, Add | Mul | Min | Max | And | Or | Xor | Eq | Ne)
    }

    /// The type of the result on operands of type `ty`; `None` where the operator is not defined.
    pub const fn result_type(self, ty: ScalarType) -> Option<ScalarType> {
        use BinOp::*;
        let defined = match self {
            Add | Sub | Mul | Div | Rem => ty.is_number(),
            And | Or | Xor => !ty.is_float(),
            Shl | Shr => ty.is_int(),
            Pow | Atan2 => ty.is_float(),
            Min | Max | Eq | Ne | Lt | Le | Gt | Ge => true,
        };
        match (defined, self.is_comparison()) {
            (false, _) => None,
            (true, true) => Some(ScalarType::Bool),
            (true, false) => Some(ty),
        }
    }

    /// The result; the operands must have one type on which the operator is defined.
    pub fn apply(self, a: Scalar, b: Scalar) -> Scalar {
        self.try_apply(a, b).expect("operands of a type on which the operator is defined")
    }

    /// The result; `None` if the operands differ in type or the operator is not defined on them.
    pub fn try_apply(self, a: Scalar, b: Scalar) -> Option<Scalar> {
        let ty = a.ty();
        if ty != b.ty() || self.result_type(ty).is_none() {
            return None;
        }
        Some(match self {
            BinOp::Min => {
                if a.total_cmp(b) == Ordering::Greater {
                    b
                } else {
                    a
                }
            }
            BinOp::Max => {
                if a.total_cmp(b) == Ordering::Less {
                    b
                } else {
                    a
                }
            }
            BinOp::Eq => Scalar::Bool(a == b),
            BinOp::Ne => Scalar::Bool(a != b),
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Scalar::Bool(self.compare(a, b)),
            _ => match (a, b) {
                (Scalar::Bool(a), Scalar::Bool(b)) => Scalar::Bool(match self {
                    BinOp::And => a && b,
                    BinOp::Or => a || b,
                    _ => a != b,
                }),
                (Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(match self {
                    BinOp::Add => a + b,
                    BinOp::Sub => a - b,
                    BinOp::Mul => a * b,
                    BinOp::Div => a / b,
                    BinOp::Pow => a.powf(b),
                    BinOp::Atan2 => a.atan2(b),
                    _ => floored_rem_f32(a, b),
                }),
                (Scalar::F64(a), Scalar::F64(b)) => Scalar::F64(match self {
                    BinOp::Add => a + b,
                    BinOp::Sub => a - b,
                    BinOp::Mul => a * b,
                    BinOp::Div => a / b,
                    BinOp::Pow => a.powf(b),
                    BinOp::Atan2 => a.atan2(b),
                    _ => floored_rem_f64(a, b),
                }),
                _ => self.on_ints(ty, a.as_i128()?, b.as_i128()?),
            },
        })
    }

    fn compare(self, a: Scalar, b: Scalar) -> bool {
        // IEEE on floats: a NaN is neither below, equal nor above.
        let order = match (a.as_f64(), b.as_f64()) {
            (Some(x), Some(y)) => x.partial_cmp(&y),
            _ => Some(a.total_cmp(b)),
        };
        match self {
            BinOp::Lt => order == Some(Ordering::Less),
            BinOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            BinOp::Gt => order == Some(Ordering::Greater),
            _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }

    // Every result of two 64-bit operands fits 128 bits (a product of two u64 wraps, which truncation makes harmless),
    // so one wide computation and one truncation give the wrapped result for all eight types.
    fn on_ints(self, ty: ScalarType, a: i128, b: i128) -> Scalar {
        let count = (b as u32) % ty.bits();
        let wide = match self {
            BinOp::Add => a + b,
            BinOp::Sub => a - b,
            BinOp::Mul => a.wrapping_mul(b),
            BinOp::Div if b == 0 => 0,
            BinOp::Rem if b == 0 => 0,
            BinOp::Div => floored_div(a, b),
            BinOp::Rem => a - floored_div(a, b) * b,
            BinOp::And => a & b,
            BinOp::Or => a | b,
            BinOp::Xor => a ^ b,
            BinOp::Shl => a << count,
            _ => a >> count,
        };
        Scalar::from_i64(ty, wide as i64)
    }
}

fn floored_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

macro_rules! floored_rem {
    ($name:ident, $float:ty) => {
        fn $name(a: $float, b: $float) -> $float {
            let r = a % b;
            if r == 0.0 {
                (0.0 as $float).copysign(b)
            } else if (r < 0.0) != (b < 0.0) {
                r + b
            } else {
                r
            }
        }
    };
}
floored_rem!(floored_rem_f32, f32);
floored_rem!(floored_rem_f64, f64);

macro_rules! on_float {
    ($op:expr, $x:expr) => {
        match $op {
            UnOp::Neg | UnOp::Not => -$x,
            UnOp::Abs => $x.abs(),
            UnOp::Sqrt => $x.sqrt(),
            UnOp::Exp => elementary::exp($x.into()) as _,
            UnOp::Log => elementary::log($x.into()) as _,
            UnOp::Sin => trigonometry::sin($x.into()) as _,
            UnOp::Cos => trigonometry::cos($x.into()) as _,
            UnOp::Tan => $x.tan(),
            UnOp::Asin => $x.asin(),
            UnOp::Acos => $x.acos(),
            UnOp::Atan => $x.atan(),
            UnOp::Sinh => $x.sinh(),
            UnOp::Cosh => trigonometry::cosh($x.into()) as _,
            UnOp::Tanh => $x.tanh(),
            UnOp::Floor => $x.floor(),
            UnOp::Ceil => $x.ceil(),
            UnOp::Round => $x.round(),
            UnOp::Trunc | UnOp::Ordinal => $x.trunc(),
        }
    };
}

impl UnOp {
    /// Every operator, in the order of the enumeration.
    pub const ALL: [UnOp; 20] = [
        UnOp::Neg,
        UnOp::Not,
        UnOp::Abs,
        UnOp::Sqrt,
        UnOp::Exp,
        UnOp::Log,
        UnOp::Sin,
        UnOp::Cos,
        UnOp::Tan,
        UnOp::Asin,
        UnOp::Acos,
        UnOp::Atan,
        UnOp::Sinh,
        UnOp::Cosh,
        UnOp::Tanh,
        UnOp::Floor,
        UnOp::Ceil,
        UnOp::Round,
        UnOp::Trunc,
        UnOp::Ordinal,
    ];

    /// The type of the result, which is that of the operand unless it is an ordinal; `None` where the operator is not defined.
    pub const fn result_type(self, ty: ScalarType) -> Option<ScalarType> {
        let defined = match self {
            UnOp::Neg | UnOp::Abs => ty.is_number(),
            UnOp::Not => !ty.is_float(),
            UnOp::Ordinal => return Some(ordinal_type(ty)),
            _ => ty.is_float(),
        };
        if defined { Some(ty) } else { None }
    }

    /// The result; the operand must have a type on which the operator is defined.
    pub fn apply(self, a: Scalar) -> Scalar {
        self.try_apply(a).expect("an operand of a type on which the operator is defined")
    }

    /// The result; `None` if the operator is not defined on the operand.
    pub fn try_apply(self, a: Scalar) -> Option<Scalar> {
        self.result_type(a.ty())?;
        Some(match (self, a) {
            (UnOp::Ordinal, _) => ordinal(a),
            (UnOp::Not, Scalar::Bool(b)) => Scalar::Bool(!b),
            (_, Scalar::F32(x)) => Scalar::F32(on_float!(self, x)),
            (_, Scalar::F64(x)) => Scalar::F64(on_float!(self, x)),
            (UnOp::Not, _) => for_each_int!(a, |make, x| make(!x), a),
            (UnOp::Neg, _) => BinOp::Sub.on_ints(a.ty(), 0, a.as_i128()?),
            _ => BinOp::Add.on_ints(a.ty(), 0, a.as_i128()?.abs()),
        })
    }
}

/// The type of the ordinals of a type.
pub const fn ordinal_type(of: ScalarType) -> ScalarType {
    if of.size_bytes() == 8 { ScalarType::U64 } else { ScalarType::U32 }
}

/// The place of a value in the total order of its type: what stands before another has the smaller one, all NaNs have one.
fn ordinal(a: Scalar) -> Scalar {
    let flipped = |bits: u64, sign: u64| if bits & sign == 0 { bits | sign } else { !bits };
    match a {
        Scalar::F64(x) if x.is_nan() => Scalar::U64(u64::MAX),
        Scalar::F64(x) => Scalar::U64(flipped(x.to_bits(), 1 << 63)),
        Scalar::F32(x) if x.is_nan() => Scalar::U32(u32::MAX),
        Scalar::F32(x) => Scalar::U32(flipped(u64::from(x.to_bits()), 1 << 31) as u32),
        Scalar::I64(x) => Scalar::U64(x as u64 ^ 1 << 63),
        Scalar::I32(x) => Scalar::U32(x as u32 ^ 1 << 31),
        Scalar::I16(x) => Scalar::U32(u32::from(x as u16 ^ 1 << 15)),
        Scalar::I8(x) => Scalar::U32(u32::from(x as u8 ^ 1 << 7)),
        other => convert(other, ordinal_type(other.ty())),
    }
}

/// `a * b + c`, rounded once on floats and wrapped on integers; the operands must have one numeric type.
pub fn fma(a: Scalar, b: Scalar, c: Scalar) -> Scalar {
    match (a, b, c) {
        (Scalar::F32(a), Scalar::F32(b), Scalar::F32(c)) => Scalar::F32(a.mul_add(b, c)),
        (Scalar::F64(a), Scalar::F64(b), Scalar::F64(c)) => Scalar::F64(a.mul_add(b, c)),
        _ => BinOp::Add.apply(BinOp::Mul.apply(a, b), c),
    }
}

/// The value brought to another type, as the calls `i32(x)`, `f64(x)`, `bool(x)` do it.
pub fn convert(a: Scalar, to: ScalarType) -> Scalar {
    if a.ty() == to {
        return a;
    }
    match a {
        Scalar::F32(x) => convert_float(f64::from(x), to),
        Scalar::F64(x) => convert_float(x, to),
        Scalar::Bool(b) => Scalar::from_i64(to, i64::from(b)),
        // A u64 above the range of i64 must not turn negative on its way to a float.
        Scalar::U64(x) if to == ScalarType::F32 => Scalar::F32(x as f32),
        Scalar::U64(x) if to == ScalarType::F64 => Scalar::F64(x as f64),
        _ => for_each_int!(a, |_make, x| Scalar::from_i64(to, x as i64), a),
    }
}

fn convert_float(x: f64, to: ScalarType) -> Scalar {
    // Rust's float to integer `as` saturates and sends NaN to 0, which is the rule of the language.
    match to {
        ScalarType::Bool => Scalar::Bool(x != 0.0 && !x.is_nan()),
        ScalarType::I8 => Scalar::I8(x as i8),
        ScalarType::I16 => Scalar::I16(x as i16),
        ScalarType::I32 => Scalar::I32(x as i32),
        ScalarType::I64 => Scalar::I64(x as i64),
        ScalarType::U8 => Scalar::U8(x as u8),
        ScalarType::U16 => Scalar::U16(x as u16),
        ScalarType::U32 => Scalar::U32(x as u32),
        ScalarType::U64 => Scalar::U64(x as u64),
        ScalarType::F32 => Scalar::F32(x as f32),
        ScalarType::F64 => Scalar::F64(x),
    }
}

/// The type of `op` on operands of type `ty`; see [`BinOp::result_type`].
pub const fn result_type(op: BinOp, ty: ScalarType) -> Option<ScalarType> {
    op.result_type(ty)
}

/// Whether `op` on `ty` may be combined in any order and grouping without changing a bit of the result.
pub const fn is_exact(op: BinOp, ty: ScalarType) -> bool {
    match op {
        BinOp::Min | BinOp::Max => true,
        BinOp::Add | BinOp::Mul => ty.is_int(),
        BinOp::And | BinOp::Or | BinOp::Xor => !ty.is_float(),
        _ => false,
    }
}

/// The element that `op` leaves alone, `op(e, x) = x`; `None` where there is none.
///
/// `min` on floats has NaN, which the total order puts last; `max` has minus infinity, which it puts first. The sum of
/// floats has `0.0` although `0.0 + -0.0` is `0.0`: IEEE equality is what neutrality means here.
pub fn neutral(op: BinOp, ty: ScalarType) -> Option<Scalar> {
    use ScalarType::*;
    op.result_type(ty)?;
    match op {
        BinOp::Add | BinOp::Or | BinOp::Xor => Some(Scalar::zero(ty)),
        BinOp::Mul => Some(Scalar::one(ty)),
        BinOp::And => Some(if ty == Bool { Scalar::one(ty) } else { Scalar::from_i64(ty, -1) }),
        BinOp::Min => Some(greatest(ty)),
        BinOp::Max => Some(least(ty)),
        _ => None,
    }
}

/// The last value of a type in the total order: NaN for floats.
pub fn greatest(ty: ScalarType) -> Scalar {
    match ty {
        ScalarType::Bool => Scalar::Bool(true),
        ScalarType::I8 => Scalar::I8(i8::MAX),
        ScalarType::I16 => Scalar::I16(i16::MAX),
        ScalarType::I32 => Scalar::I32(i32::MAX),
        ScalarType::I64 => Scalar::I64(i64::MAX),
        ScalarType::U8 => Scalar::U8(u8::MAX),
        ScalarType::U16 => Scalar::U16(u16::MAX),
        ScalarType::U32 => Scalar::U32(u32::MAX),
        ScalarType::U64 => Scalar::U64(u64::MAX),
        ScalarType::F32 => Scalar::F32(f32::NAN),
        ScalarType::F64 => Scalar::F64(f64::NAN),
    }
}

/// The first value of a type in the total order: minus infinity for floats.
pub fn least(ty: ScalarType) -> Scalar {
    match ty {
        ScalarType::I8 => Scalar::I8(i8::MIN),
        ScalarType::I16 => Scalar::I16(i16::MIN),
        ScalarType::I32 => Scalar::I32(i32::MIN),
        ScalarType::I64 => Scalar::I64(i64::MIN),
        ScalarType::F32 => Scalar::F32(f32::NEG_INFINITY),
        ScalarType::F64 => Scalar::F64(f64::NEG_INFINITY),
        _ => Scalar::zero(ty),
    }
}

#[cfg(test)]
#[path = "scalar_op_tests.rs"]
mod tests;
