//! Sound in WAV files: frames of samples, one per channel.
//!
//! ```text
//! 16 bits, 2 channels     [][]i16    [[0, -3], [12, 7], …]      one row per frame
//!                         [][]f32    [[0.0, -0.00009], …]       integers are scaled to [-1, 1)
//! 1 channel               []i16, []f32, …
//! file.wav:rate           i32        frames per second
//! ```
//!
//! Samples of 8 bits are `u8` with silence at 128, those of 24 bits `i32`. Chunks that are not understood are passed over.
//!
//! Declines compressed sound, and files beyond 4 GiB (RF64).
//!
//! Multimedia programming interface and data specifications 1.0, IBM and Microsoft, 1991.

use crate::column::Column;
use crate::error::{DataError, damaged};
use crate::save::Output;
use crate::text::Input;
use crate::text::number::put_integer;
use std::io::Write;
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

const INTEGERS: u16 = 1;
const FLOATS: u16 = 3;
const EXTENSIBLE: u16 = 0xfffe;

/// Frames per second of what is written: the language does not say.
const RATE: u32 = 44_100;

/// What the header says.
pub(crate) struct Sound<'a> {
    floats: bool,
    bits: u16,
    pub(crate) channels: usize,
    rate: u32,
    samples: &'a [u8],
}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<u32> {
    let mut raw = [0; 4];
    raw[..width].copy_from_slice(bytes.get(at..at + width)?);
    Some(u32::from_le_bytes(raw))
}

/// The header, and where the samples are.
pub(crate) fn parse<'a>(input: &Input<'a>) -> Result<Sound<'a>, DataError> {
    let (bytes, name) = (input.bytes, input.name);
    let early = || damaged(name, "it ends too early");
    match (bytes.get(..4), bytes.get(8..12)) {
        (Some(b"RIFF"), Some(b"WAVE")) => {}
        (Some(b"RF64" | b"RIFX"), _) => {
            return Err(DataError::new("T0726", format!("`{name}` is in a variant of WAV that is not known here"))
                .hint("write it again as plain WAV"));
        }
        _ => return Err(damaged(name, "it does not begin like a WAV file")),
    }
    let mut at = 12;
    let mut format = None;
    loop {
        let (id, size) = (bytes.get(at..at + 4), number(bytes, at + 4, 4));
        let (Some(id), Some(size)) = (id, size) else { return Err(early()) };
        let start = at + 8;
        let size = size as usize;
        if id == b"fmt " {
            let body = bytes.get(start..).and_then(|rest| rest.get(..size)).ok_or_else(early)?;
            let word = |at, width| number(body, at, width).ok_or_else(early);
            let mut tag = word(0, 2)? as u16;
            if tag == EXTENSIBLE {
                tag = word(24, 2)? as u16;
            }
            format = Some((tag, word(2, 2)? as usize, word(4, 4)?, word(12, 2)? as usize, word(14, 2)? as u16));
        }
        if id == b"data" {
            let Some((tag, channels, rate, frame, bits)) = format else {
                return Err(damaged(name, "samples come before it is said what they are"));
            };
            // Recorders that were interrupted, and pipes, leave the greatest size or none.
            let rest = bytes.get(start..).ok_or_else(early)?;
            let samples = if size == u32::MAX as usize { rest } else { rest.get(..size).ok_or_else(early)? };
            let known = matches!((tag, bits), (INTEGERS, 8 | 16 | 24 | 32) | (FLOATS, 32 | 64));
            if !known {
                return Err(DataError::new(
                    "T0726",
                    format!("`{name}` holds sound of kind {tag} with {bits} bits, which cannot be read"),
                )
                .note("known are integers of 8, 16, 24 and 32 bits and floats of 32 and 64")
                .hint("convert it to PCM, for example with `ffmpeg -i in.wav -c:a pcm_s16le out.wav`"));
            }
            if channels == 0 || frame != channels * usize::from(bits / 8) {
                return Err(damaged(name, format!("{channels} channels of {bits} bits do not make {frame} bytes")));
            }
            return Ok(Sound { floats: tag == FLOATS, bits, channels, rate, samples });
        }
        // Chunks begin at even places.
        at = start.checked_add(size).and_then(|end| end.checked_add(size % 2)).ok_or_else(early)?;
    }
}

impl Sound<'_> {
    /// The type of a sample in the file.
    pub(crate) fn sample(&self) -> ScalarType {
        match (self.floats, self.bits) {
            (true, 32) => ScalarType::F32,
            (true, _) => ScalarType::F64,
            (false, 8) => ScalarType::U8,
            (false, 16) => ScalarType::I16,
            (false, _) => ScalarType::I32,
        }
    }

    /// A sample, scaled where it is an integer.
    fn scaled(&self, bytes: &[u8]) -> f64 {
        match *bytes {
            [a] => (f64::from(a) - 128.0) / 128.0,
            [a, b] => f64::from(i16::from_le_bytes([a, b])) / 32_768.0,
            [a, b, c] => f64::from(i32::from_le_bytes([0, a, b, c]) >> 8) / 8_388_608.0,
            [a, b, c, d] if self.floats => f64::from(f32::from_le_bytes([a, b, c, d])),
            [a, b, c, d] => f64::from(i32::from_le_bytes([a, b, c, d])) / 2_147_483_648.0,
            _ => bytes.first_chunk::<8>().map_or(0.0, |all| f64::from_le_bytes(*all)),
        }
    }
}

/// Reads a file.
pub(crate) fn read(input: &mut Input, wanted: &Surface, column: Option<&str>) -> Result<Column, DataError> {
    let sound = parse(input)?;
    match (column, wanted) {
        (None, _) => {}
        (Some("rate"), Surface::Scalar(ty)) if ty.is_number() => {
            let mut bytes = Vec::new();
            put_integer(*ty, i128::from(sound.rate), &mut bytes).map_err(|_| {
                DataError::new(
                    "T0730",
                    format!("`{}` has {} frames per second, out of the range of {ty}", input.name, sound.rate),
                )
            })?;
            return Ok(Column::Numbers(*ty, bytes.into()));
        }
        (Some(column), _) => {
            return Err(DataError::new("T0724", format!("`{}` has no column `{column}` of type {wanted}", input.name))
                .note("a WAV file has only `rate`, the frames per second, which is a number"));
        }
    }
    let (ty, mono) = match wanted {
        Surface::Array(row) => match &**row {
            Surface::Scalar(ty) => (Some(*ty), true),
            Surface::Array(element) => match **element {
                Surface::Scalar(ty) => (Some(ty), false),
                _ => (None, false),
            },
            _ => (None, false),
        },
        _ => (None, false),
    };
    let found = sound.sample();
    let fits = |ty: ScalarType| ty == found || (ty.is_float() && !(found == ScalarType::F64 && ty == ScalarType::F32));
    let Some(ty) = ty.filter(|ty| fits(*ty) && !(mono && sound.channels != 1)) else {
        let rows = if sound.channels == 1 { "[]" } else { "[][]" };
        let title = format!("`{}` holds {rows}{found}, and {wanted} is wanted", input.name);
        return Err(DataError::new("T0723", title)
            .note(format!("{} channels, {} bits per sample", sound.channels, sound.bits))
            .hint(format!(
                "declare the parameter as {rows}{found}, or as {rows}f64, which holds samples between -1 and 1"
            )));
    };
    let width = usize::from(sound.bits / 8);
    let frames = sound.samples.len() / (width * sound.channels);
    let samples = &sound.samples[..frames * width * sound.channels];
    input.take(frames)?;
    input.take(frames * sound.channels)?;
    let bytes = match ty {
        _ if ty == found && width == ty.size_bytes() => samples.to_vec(),
        ScalarType::I32 => samples
            .chunks_exact(3)
            .flat_map(|s| (i32::from_le_bytes([0, s[0], s[1], s[2]]) >> 8).to_le_bytes())
            .collect(),
        ScalarType::F32 => samples.chunks_exact(width).flat_map(|s| (sound.scaled(s) as f32).to_le_bytes()).collect(),
        _ => samples.chunks_exact(width).flat_map(|s| sound.scaled(s).to_le_bytes()).collect::<Vec<u8>>(),
    };
    let numbers = Column::Numbers(ty, bytes.into());
    Ok(match mono {
        true => Column::Equal(frames, Box::new(numbers)),
        false => Column::Equal(frames, Box::new(Column::Equal(sound.channels, Box::new(numbers)))),
    })
}

/// The type of samples, if a type is sound.
pub(crate) fn samples(surface: &Surface) -> Option<ScalarType> {
    let Surface::Array(row) = surface else { return None };
    let element = match &**row {
        Surface::Array(element) => element,
        other => other,
    };
    let Surface::Scalar(ty) = element else { return None };
    let known = [ScalarType::U8, ScalarType::I16, ScalarType::I32, ScalarType::F32, ScalarType::F64];
    known.contains(ty).then_some(*ty)
}

/// Writes frames.
pub(crate) fn write(out: &mut Output, value: &Column) -> Result<(), DataError> {
    let refuse = |what: &str| DataError::new("T0741", format!("this array cannot be written as `.wav`: {what}"));
    let Column::Equal(frames, rows) = value else { return Err(refuse("it is no array")) };
    let (channels, numbers) = match &**rows {
        numbers @ Column::Numbers(..) => (1, numbers),
        Column::Equal(_, inner) | Column::Rows(_, inner) => {
            let length = |row| rows.elements(row).map_or(0, |(range, _)| range.len());
            let channels = if *frames == 0 { 1 } else { length(0) };
            if channels == 0 || (1..*frames).any(|row| length(row) != channels) {
                return Err(refuse("each frame needs a sample for every channel"));
            }
            (channels, &**inner)
        }
        Column::Parts(_) => return Err(refuse("it is no array of numbers")),
    };
    let Column::Numbers(ty, bytes) = numbers else { return Err(refuse("it is nested too deeply")) };
    let width = ty.size_bytes();
    let size = u32::try_from(bytes.len()).ok().filter(|size| *size < u32::MAX - 64);
    let size = size.ok_or_else(|| refuse("it is longer than 4 GiB"))?;
    let frame = u16::try_from(channels * width).map_err(|_| refuse("it has too many channels"))?;
    let padding = size % 2;
    let mut head = b"RIFF".to_vec();
    head.extend((36 + size + padding).to_le_bytes());
    head.extend(b"WAVEfmt \x10\0\0\0");
    head.extend(if ty.is_float() { FLOATS } else { INTEGERS }.to_le_bytes());
    head.extend((channels as u16).to_le_bytes());
    head.extend(RATE.to_le_bytes());
    head.extend((RATE.saturating_mul(u32::from(frame))).to_le_bytes());
    head.extend(frame.to_le_bytes());
    head.extend((8 * width as u16).to_le_bytes());
    head.extend(b"data");
    head.extend(size.to_le_bytes());
    let written =
        out.write_all(&head).and_then(|()| out.write_all(bytes)).and_then(|()| out.write_all(&[0][..padding as usize]));
    written.map_err(|e| refuse(&e.to_string()))
}
