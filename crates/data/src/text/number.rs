//! Numbers in text, straight to the bytes of a column.
//!
//! [`scan`] takes the number at the beginning of a text in one pass and leaves everything unusual to [`parse`], which takes a whole
//! field and says what is wrong with it:
//!
//! ```text
//! scan   "12.5,3"     12.5, and 4 bytes are read
//! scan   "nan,3"      nothing; the caller cuts the field out and asks parse
//! parse  "300" as u8  out of range
//! ```
//!
//! A decimal whose digits fit 53 bits and whose power of ten is exact is one exact product or quotient (W. Clinger, How to read floating point
//! numbers accurately, 1990); all others go to the standard library, which rounds correctly too.

use terrace_base::ScalarType;

/// Why a field is not a number of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It is something else.
    Other,
    /// Its type does not reach so far.
    OutOfRange,
    /// It is a fraction, and an integer is wanted.
    Fraction,
}

/// Digits that always fit 63 bits.
const SAFE_DIGITS: usize = 18;

const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Appends the number that a text begins with and says how long it is; nothing, where it takes a closer look.
#[inline]
pub(crate) fn scan(ty: ScalarType, text: &[u8], to: &mut Vec<u8>) -> Option<usize> {
    match ty {
        ScalarType::Bool => {
            let (value, length) = match text {
                [b't', b'r', b'u', b'e', ..] => (1, 4),
                [b'f', b'a', b'l', b's', b'e', ..] => (0, 5),
                _ => return None,
            };
            to.push(value);
            Some(length)
        }
        ScalarType::F64 => {
            let (value, end) = decimal(text)?;
            to.extend_from_slice(&value.to_le_bytes());
            Some(end)
        }
        ScalarType::F32 => {
            let end = extent(text)?;
            let value: f32 = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
            to.extend_from_slice(&value.to_le_bytes());
            Some(end)
        }
        _ => {
            let (value, end) = integer(text)?;
            put_integer(ty, i128::from(value), to).ok()?;
            Some(end)
        }
    }
}

#[inline]
fn digits(text: &[u8], from: usize, value: &mut u64) -> usize {
    let mut at = from;
    while let Some(digit) = text.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        *value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    at
}

#[inline]
fn integer(text: &[u8]) -> Option<(i64, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut value = 0;
    let end = digits(text, start, &mut value);
    // A point or an exponent behind it: not a whole number, or not plainly.
    if end == start || end - start > SAFE_DIGITS || matches!(text.get(end), Some(b'.' | b'e' | b'E')) {
        return None;
    }
    Some((if negative { -(value as i64) } else { value as i64 }, end))
}

#[inline]
fn decimal(text: &[u8]) -> Option<(f64, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut value = 0;
    let mut end = digits(text, start, &mut value);
    let (mut places, mut count) = (0, end - start);
    if count == 0 {
        return None;
    }
    if text.get(end) == Some(&b'.') {
        let point = end + 1;
        end = digits(text, point, &mut value);
        places = end - point;
        if places == 0 {
            return None;
        }
        count += places;
    }
    let exact = count <= SAFE_DIGITS && value < 1 << 53 && places < TENS.len();
    if !exact || matches!(text.get(end), Some(b'e' | b'E')) {
        let end = extent(text)?;
        let value = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
        return Some((value, end));
    }
    let value = value as f64 / TENS[places];
    Some((if negative { -value } else { value }, end))
}

/// Where a plain decimal ends: digits, perhaps a point and digits, perhaps an exponent.
fn extent(text: &[u8]) -> Option<usize> {
    let run = |from: usize| text[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let start = usize::from(text.first() == Some(&b'-'));
    let whole = run(start);
    let mut end = start + whole;
    if whole == 0 {
        return None;
    }
    if text.get(end) == Some(&b'.') {
        let places = run(end + 1);
        if places == 0 {
            return None;
        }
        end += 1 + places;
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let power = run(end + 1 + sign);
        if power == 0 {
            return None;
        }
        end += 1 + sign + power;
    }
    Some(end)
}

/// Appends an integer, if its type reaches so far.
pub(crate) fn put_integer(ty: ScalarType, value: i128, to: &mut Vec<u8>) -> Result<(), Wrong> {
    fn put<const N: usize, E>(bytes: Result<[u8; N], E>, to: &mut Vec<u8>) -> Result<(), Wrong> {
        to.extend_from_slice(&bytes.map_err(|_| Wrong::OutOfRange)?);
        Ok(())
    }
    match ty {
        ScalarType::I8 => put(i8::try_from(value).map(i8::to_le_bytes), to),
        ScalarType::I16 => put(i16::try_from(value).map(i16::to_le_bytes), to),
        ScalarType::I32 => put(i32::try_from(value).map(i32::to_le_bytes), to),
        ScalarType::I64 => put(i64::try_from(value).map(i64::to_le_bytes), to),
        ScalarType::U8 => put(u8::try_from(value).map(u8::to_le_bytes), to),
        ScalarType::U16 => put(u16::try_from(value).map(u16::to_le_bytes), to),
        ScalarType::U32 => put(u32::try_from(value).map(u32::to_le_bytes), to),
        ScalarType::U64 => put(u64::try_from(value).map(u64::to_le_bytes), to),
        ScalarType::F32 => put(Ok::<_, ()>((value as f32).to_le_bytes()), to),
        ScalarType::F64 => put(Ok::<_, ()>((value as f64).to_le_bytes()), to),
        ScalarType::Bool => Err(Wrong::Other),
    }
}

/// Appends the number that a whole field is.
pub(crate) fn parse(ty: ScalarType, field: &[u8], to: &mut Vec<u8>) -> Result<(), Wrong> {
    let text = std::str::from_utf8(field).map_err(|_| Wrong::Other)?;
    match ty {
        ScalarType::Bool => {
            to.push(match text {
                "true" | "True" | "TRUE" | "1" => 1,
                "false" | "False" | "FALSE" | "0" => 0,
                _ => return Err(Wrong::Other),
            });
            Ok(())
        }
        ScalarType::F64 => {
            let value: f64 = text.parse().map_err(|_| Wrong::Other)?;
            to.extend_from_slice(&value.to_le_bytes());
            Ok(())
        }
        ScalarType::F32 => {
            let value: f32 = text.parse().map_err(|_| Wrong::Other)?;
            to.extend_from_slice(&value.to_le_bytes());
            Ok(())
        }
        _ => {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                let number = text.parse::<f64>().is_ok_and(f64::is_finite);
                return Err(if number { Wrong::Fraction } else { Wrong::Other });
            }
            put_integer(ty, text.parse().map_err(|_| Wrong::OutOfRange)?, to)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_as_the_standard_library_does() {
        let texts = [
            "0",
            "-0.0",
            "1",
            "12.5",
            "0.1",
            "123456789.125",
            "9007199254740993",
            "9007199254740992.5",
            "1e22",
            "1e-5",
            "1.7976931348623157e308",
            "4.9e-324",
            "123456789012345678901234567890",
            "0.000000000000000000000001",
            "3.14e2",
            "2.2250738585072011e-308",
            "1e400",
            "00012",
            "179769313486231570000000000000000000000.5",
        ];
        for text in texts {
            for ty in [ScalarType::F64, ScalarType::F32] {
                let (mut scanned, mut parsed) = (Vec::new(), Vec::new());
                assert_eq!(scan(ty, format!("{text},9").as_bytes(), &mut scanned), Some(text.len()), "{text}");
                assert_eq!(parse(ty, text.as_bytes(), &mut parsed), Ok(()), "{text}");
                assert_eq!(scanned, parsed, "{text} as {ty}");
            }
        }
        for text in ["", "-", ".5", "1.", "+1", "nan", "inf", "1e", "x", "e5"] {
            assert_eq!(scan(ScalarType::F64, text.as_bytes(), &mut Vec::new()), None, "{text}");
        }
    }

    #[test]
    fn integers_reach_as_far_as_their_type() {
        for (ty, text, expected) in [
            (ScalarType::U8, "255", Ok(vec![255])),
            (ScalarType::U8, "256", Err(Wrong::OutOfRange)),
            (ScalarType::I8, "-128", Ok(vec![128])),
            (ScalarType::U64, "18446744073709551615", Ok(vec![255; 8])),
            (ScalarType::U64, "-1", Err(Wrong::OutOfRange)),
            (ScalarType::I64, "99999999999999999999999999999999999999999", Err(Wrong::OutOfRange)),
            (ScalarType::I32, "1.0", Err(Wrong::Fraction)),
            (ScalarType::I32, "inf", Err(Wrong::Other)),
            (ScalarType::I32, "+7", Ok(vec![7, 0, 0, 0])),
            (ScalarType::I32, "--7", Err(Wrong::Other)),
            (ScalarType::I32, "é", Err(Wrong::Other)),
            (ScalarType::Bool, "True", Ok(vec![1])),
            (ScalarType::Bool, "2", Err(Wrong::Other)),
        ] {
            let mut to = Vec::new();
            assert_eq!(parse(ty, text.as_bytes(), &mut to).map(|()| to), expected, "{text} as {ty}");
        }
        let mut to = Vec::new();
        assert_eq!(scan(ScalarType::I16, b"-32768\n", &mut to), Some(6));
        assert_eq!(scan(ScalarType::I16, b"32768\n", &mut to), None);
        assert_eq!(scan(ScalarType::I16, b"1.5", &mut to), None);
        assert_eq!(to, [0, 128]);
    }
}
