//! Scalars and their operators as text, and back.
//!
//! A value prints as the literal that a program would write for it: `5` is an `i64`, `1.0` and `1e300` are `f64`, every
//! other type carries its suffix (`5i32`, `2.5f32`). `nan`, `inf` and `-inf` stand for the floats without digits
//! (`nanf32`, `inff32`). Printing and then parsing gives the same bits, so IR dumps lose nothing.
//!
//! Operators have a word for IRs (`add`, `shl`) and, where the source language has one, a symbol (`+`, `<<`).

use crate::scalar::{Scalar, ScalarType};
use crate::scalar_op::{BinOp, UnOp};
use std::fmt;

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Scalar::Bool(b) => f.pad(if b { "true" } else { "false" }),
            Scalar::I64(x) => write!(f, "{x}"),
            Scalar::F64(x) => f.write_str(&real_text(x.is_nan(), x.is_infinite(), x < 0.0, format!("{x:?}"))),
            Scalar::F32(x) => {
                let text = real_text(x.is_nan(), x.is_infinite(), x < 0.0, format!("{x:?}"));
                write!(f, "{text}f32")
            }
            other => write!(f, "{}{}", other.as_i128().unwrap_or_default(), other.ty()),
        }
    }
}

// Rust's shortest round-trip form already has a digit on both sides of every point it prints.
fn real_text(nan: bool, infinite: bool, negative: bool, digits: String) -> String {
    match (nan, infinite, negative) {
        (true, _, _) => "nan".into(),
        (_, true, true) => "-inf".into(),
        (_, true, false) => "inf".into(),
        _ => digits,
    }
}

impl Scalar {
    /// The value that prints as `text`; `None` if there is none or it is out of range.
    pub fn parse(text: &str) -> Option<Scalar> {
        match text {
            "true" => return Some(Scalar::Bool(true)),
            "false" => return Some(Scalar::Bool(false)),
            _ => {}
        }
        let suffix = ScalarType::ALL.into_iter().find(|t| t.is_number() && text.ends_with(t.name()));
        let (ty, body) = match suffix {
            Some(ty) => (ty, &text[..text.len() - ty.name().len()]),
            None => {
                let whole = text.strip_prefix('-').unwrap_or(text).bytes().all(|b| b.is_ascii_digit());
                (if whole { ScalarType::I64 } else { ScalarType::F64 }, text)
            }
        };
        if ty.is_int() {
            if !body.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
                return None;
            }
            let value: i128 = body.parse().ok()?;
            let scalar = Scalar::from_i64(ty, value as i64);
            return (scalar.as_i128() == Some(value)).then_some(scalar);
        }
        let shaped = matches!(body, "nan" | "inf" | "-inf") || is_real(body);
        match ty {
            _ if !shaped => None,
            ScalarType::F32 => body.parse().ok().map(Scalar::F32),
            _ => body.parse().ok().map(Scalar::F64),
        }
    }
}

fn is_real(body: &str) -> bool {
    let body = body.strip_prefix('-').unwrap_or(body);
    let (mantissa, exponent) = body.split_once('e').map_or((body, None), |(m, e)| (m, Some(e)));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    mantissa.split_once('.').map_or(digits(mantissa), |(a, b)| digits(a) && digits(b))
        && exponent.is_none_or(|e| digits(e.strip_prefix(['-', '+']).unwrap_or(e)))
}

impl BinOp {
    /// The word for this operator in IRs.
    pub const fn word(self) -> &'static str {
        match self {
            BinOp::Add => "add",
            BinOp::Sub => "sub",
            BinOp::Mul => "mul",
            BinOp::Div => "div",
            BinOp::Rem => "rem",
            BinOp::Min => "min",
            BinOp::Max => "max",
            BinOp::Pow => "pow",
            BinOp::Atan2 => "atan2",
            BinOp::And => "and",
            BinOp::Or => "or",
            BinOp::Xor => "xor",
            BinOp::Shl => "shl",
            BinOp::Shr => "shr",
            BinOp::Eq => "eq",
            BinOp::Ne => "ne",
            BinOp::Lt => "lt",
            BinOp::Le => "le",
            BinOp::Gt => "gt",
            BinOp::Ge => "ge",
        }
    }

    /// The operator with this word.
    pub fn from_word(word: &str) -> Option<BinOp> {
        Self::ALL.into_iter().find(|op| op.word() == word)
    }

    /// The symbol of the source language; `min`, `max`, `pow` and `atan2` are functions there and keep their words.
    pub const fn symbol(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::Min | BinOp::Max | BinOp::Pow | BinOp::Atan2 => self.word(),
        }
    }
}

impl UnOp {
    /// The word for this operator in IRs.
    pub const fn word(self) -> &'static str {
        match self {
            UnOp::Neg => "neg",
            UnOp::Not => "not",
            UnOp::Abs => "abs",
            UnOp::Sqrt => "sqrt",
            UnOp::Exp => "exp",
            UnOp::Log => "log",
            UnOp::Sin => "sin",
            UnOp::Cos => "cos",
            UnOp::Tan => "tan",
            UnOp::Asin => "asin",
            UnOp::Acos => "acos",
            UnOp::Atan => "atan",
            UnOp::Sinh => "sinh",
            UnOp::Cosh => "cosh",
            UnOp::Tanh => "tanh",
            UnOp::Floor => "floor",
            UnOp::Ceil => "ceil",
            UnOp::Round => "round",
            UnOp::Trunc => "trunc",
            UnOp::Ordinal => "ordinal",
        }
    }

    /// The operator with this word.
    pub fn from_word(word: &str) -> Option<UnOp> {
        Self::ALL.into_iter().find(|op| op.word() == word)
    }

    /// The symbol of the source language; functions keep their words.
    pub const fn symbol(self) -> &'static str {
        match self {
            UnOp::Neg => "-",
            UnOp::Not => "!",
            _ => self.word(),
        }
    }
}

impl fmt::Display for BinOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl fmt::Display for UnOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_round_trip() {
        let check = |value: Scalar, text: &str| {
            assert_eq!(value.to_string(), text);
            let back = Scalar::parse(text).unwrap_or_else(|| panic!("{text} does not parse"));
            assert!(back.same_bits(value), "{text} became {back:?}");
        };
        check(Scalar::I64(5), "5");
        check(Scalar::I64(i64::MIN), "-9223372036854775808");
        check(Scalar::I32(-5), "-5i32");
        check(Scalar::U8(255), "255u8");
        check(Scalar::U64(u64::MAX), "18446744073709551615u64");
        check(Scalar::F64(1.0), "1.0");
        check(Scalar::F64(-0.0), "-0.0");
        check(Scalar::F64(1e300), "1e300");
        check(Scalar::F64(2.5e-9), "2.5e-9");
        check(Scalar::F64(123456.75), "123456.75");
        check(Scalar::F32(2.5), "2.5f32");
        check(Scalar::F32(0.1), "0.1f32");
        check(Scalar::F64(f64::NAN), "nan");
        check(Scalar::F64(f64::INFINITY), "inf");
        check(Scalar::F64(f64::NEG_INFINITY), "-inf");
        check(Scalar::F32(f32::NAN), "nanf32");
        check(Scalar::F32(f32::NEG_INFINITY), "-inff32");
        check(Scalar::Bool(true), "true");
    }

    #[test]
    fn nonsense_does_not_parse() {
        for text in
            ["", "-", "x", "1.", ".5", "256u8", "-1u8", "9223372036854775808", "1.5i32", "e5", "1e", "--1", "+1", "1_0"]
        {
            assert_eq!(Scalar::parse(text), None, "{text}");
        }
    }

    #[test]
    fn words_round_trip() {
        for op in BinOp::ALL {
            assert_eq!(BinOp::from_word(op.word()), Some(op));
        }
        for op in UnOp::ALL {
            assert_eq!(UnOp::from_word(op.word()), Some(op));
        }
    }
}
