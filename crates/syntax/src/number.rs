//! Number literals.
//!
//! ```text
//! 42   1_000   0xFF   0b1010   0o17      integers, `i64` unless a suffix says otherwise
//! 1.5   1e9   2.5e-3   2f32              reals, `f64` unless a suffix says otherwise
//! ```
//!
//! The value is read here, and rounded to the type of the suffix; whether an integer fits its type depends on the minus
//! sign before it and is the parser's question.

use crate::lexer::word;
use crate::token::TokenKind;
use terrace_base::{Diagnostic, FileId, ScalarType, Span};

/// A number at the beginning of a text.
pub(crate) struct Number {
    /// How many bytes it takes.
    pub(crate) length: usize,
    /// The token, best guess if there is an error.
    pub(crate) kind: TokenKind,
    /// What is wrong with it.
    pub(crate) error: Option<Diagnostic>,
}

/// The error for `1.` and `.5`.
pub(crate) fn missing_digits(span: Span, better: String) -> Diagnostic {
    Diagnostic::error("T0003", "digits are required on both sides of a decimal point")
        .primary(span, "a digit is missing here")
        .hint(format!("write `{better}`"))
}

/// Reads the number that `text` begins with; its first character is a digit.
pub(crate) fn read(file: FileId, start: usize, text: &str) -> Number {
    for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] {
        if let Some(rest) = text.strip_prefix(prefix) {
            return with_radix(file, start, rest, radix);
        }
    }
    decimal(file, start, text)
}

fn with_radix(file: FileId, start: usize, rest: &str, radix: u32) -> Number {
    let digits_end = rest.find(|c: char| !(c.is_digit(radix) || c == '_')).unwrap_or(rest.len());
    let (digits, suffix) = (&rest[..digits_end], word(&rest[digits_end..]));
    let length = 2 + digits.len() + suffix.len();
    let span = Span::new(file, start, start + length);
    let clean: String = digits.chars().filter(|c| *c != '_').collect();
    if clean.is_empty() {
        let error = Diagnostic::error("T0003", "a number without digits")
            .primary(span, format!("digits of base {radix} must follow the prefix"));
        return Number { length, kind: TokenKind::Int(0, None), error: Some(error) };
    }
    let ty = match integer_suffix(span, suffix) {
        Ok(ty) => ty,
        Err(error) => {
            return Number { length, kind: TokenKind::Int(0, None), error: Some(*error) };
        }
    };
    match u64::from_str_radix(&clean, radix) {
        Ok(value) => Number { length, kind: TokenKind::Int(value, ty), error: None },
        Err(_) => Number { length, kind: TokenKind::Int(0, ty), error: Some(too_large(span)) },
    }
}

fn decimal(file: FileId, start: usize, text: &str) -> Number {
    let digits = |from: usize| {
        let end = text[from..].find(|c: char| !(c.is_ascii_digit() || c == '_'));
        end.map_or(text.len(), |n| from + n)
    };
    let digit_at = |i: usize| text[i..].starts_with(|c: char| c.is_ascii_digit());
    let mut end = digits(0);
    let mut real = false;
    let mut error = None;
    if text[end..].starts_with('.') && !text[end..].starts_with("..") {
        real = true;
        if digit_at(end + 1) {
            end = digits(end + 1);
        } else {
            let better = format!("{}.0", &text[..end]);
            end += 1;
            error = Some(missing_digits(Span::new(file, start, start + end), better));
        }
    }
    if text[end..].starts_with(['e', 'E']) && error.is_none() {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        if digit_at(end + 1 + sign) {
            real = true;
            end = digits(end + 1 + sign);
        }
    }
    let suffix = if error.is_none() { word(&text[end..]) } else { "" };
    let length = end + suffix.len();
    let span = Span::new(file, start, start + length);
    let clean: String = text[..end].chars().filter(|c| *c != '_').collect();
    let (ty, suffix_error) = match number_suffix(span, suffix) {
        Ok(ty) => (ty, None),
        Err(error) => (None, Some(*error)),
    };
    error = error.or(suffix_error);
    if real || ty.is_some_and(ScalarType::is_float) {
        if let Some(ty) = ty.filter(|t| t.is_int()) {
            error = error.or(Some(
                Diagnostic::error("T0005", format!("a number with a fraction or exponent cannot be `{ty}`"))
                    .primary(span, "this is a real number"),
            ));
        }
        let ty = ty.filter(|t| t.is_float());
        let value = match ty {
            Some(ScalarType::F32) => clean.parse::<f32>().map(f64::from),
            _ => clean.parse::<f64>(),
        };
        let value = value.unwrap_or(0.0);
        if value.is_infinite() {
            error = error.or_else(|| Some(too_large(span)));
        }
        return Number { length, kind: TokenKind::Real(value, ty), error };
    }
    match clean.parse::<u64>() {
        Ok(value) => Number { length, kind: TokenKind::Int(value, ty), error },
        Err(_) => Number { length, kind: TokenKind::Int(0, ty), error: error.or_else(|| Some(too_large(span))) },
    }
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error("T0004", "this number is too large for any type").primary(span, "out of range")
}

fn number_suffix(span: Span, suffix: &str) -> Result<Option<ScalarType>, Box<Diagnostic>> {
    if suffix.is_empty() {
        return Ok(None);
    }
    match ScalarType::from_name(suffix).filter(|t| t.is_number()) {
        Some(ty) => Ok(Some(ty)),
        None => Err(Box::new(
            Diagnostic::error("T0005", format!("`{suffix}` is not a number type"))
                .primary(span, "unknown suffix")
                .hint("the suffixes are `i8 i16 i32 i64`, `u8 u16 u32 u64`, `f32` and `f64`"),
        )),
    }
}

fn integer_suffix(span: Span, suffix: &str) -> Result<Option<ScalarType>, Box<Diagnostic>> {
    match number_suffix(span, suffix)? {
        Some(ty) if ty.is_float() => Err(Box::new(
            Diagnostic::error("T0005", format!("a number with a base prefix cannot be `{ty}`"))
                .primary(span, "only integers have a base prefix"),
        )),
        ty => Ok(ty),
    }
}
