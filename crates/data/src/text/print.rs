//! Values to text, through one buffer.
//!
//! ```text
//! f64 0.1     0.1      the shortest digits that are read back as the same number
//! f64 nan     nan      in JSON NaN, as Python writes it
//! bool        true, false
//! ```

use crate::error::DataError;
use crate::save::Output;
use std::io::Write;
use terrace_base::{Scalar, ScalarType};

/// How numbers are spelled that have no digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `nan`, `inf`.
    Plain,
    /// `NaN`, `Infinity`.
    Json,
}

/// Where text goes.
pub(crate) struct Printer<'o, 'a> {
    out: &'o mut Output<'a>,
    pub(crate) buffer: Vec<u8>,
    spelling: Spelling,
}

const FULL: usize = 1 << 16;

impl<'o, 'a> Printer<'o, 'a> {
    pub(crate) fn new(out: &'o mut Output<'a>, spelling: Spelling) -> Self {
        Printer { out, buffer: Vec::with_capacity(FULL + 1024), spelling }
    }

    #[inline]
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// A number in its bytes.
    pub(crate) fn number(&mut self, ty: ScalarType, bytes: &[u8]) {
        match Scalar::from_le_bytes(ty, bytes) {
            Some(Scalar::F32(x)) if !x.is_finite() => self.unusual(f64::from(x)),
            Some(Scalar::F64(x)) if !x.is_finite() => self.unusual(x),
            Some(scalar) => self.finite(scalar),
            None => {}
        }
    }

    fn finite(&mut self, scalar: Scalar) {
        let to = &mut self.buffer;
        // Writing to a vector cannot fail.
        let _ = match scalar {
            Scalar::Bool(x) => write!(to, "{x}"),
            Scalar::I8(x) => write!(to, "{x}"),
            Scalar::I16(x) => write!(to, "{x}"),
            Scalar::I32(x) => write!(to, "{x}"),
            Scalar::I64(x) => write!(to, "{x}"),
            Scalar::U8(x) => write!(to, "{x}"),
            Scalar::U16(x) => write!(to, "{x}"),
            Scalar::U32(x) => write!(to, "{x}"),
            Scalar::U64(x) => write!(to, "{x}"),
            Scalar::F32(x) => write!(to, "{x:?}"),
            Scalar::F64(x) => write!(to, "{x:?}"),
        };
    }

    fn unusual(&mut self, x: f64) {
        let words: [&[u8]; 3] = match self.spelling {
            Spelling::Plain => [b"nan", b"inf", b"-inf"],
            Spelling::Json => [b"NaN", b"Infinity", b"-Infinity"],
        };
        self.put(words[if x.is_nan() { 0 } else { 1 + usize::from(x < 0.0) }]);
    }

    /// A place where the buffer may be emptied.
    pub(crate) fn rest(&mut self) -> Result<(), DataError> {
        if self.buffer.len() >= FULL { self.flush() } else { Ok(()) }
    }

    pub(crate) fn flush(&mut self) -> Result<(), DataError> {
        let written = self.out.write_all(&self.buffer);
        self.buffer.clear();
        written.map_err(|e| DataError::new("T0741", format!("the text cannot be written: {e}")))
    }
}
