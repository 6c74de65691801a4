//! Types and values as text, so that tests are tables.
//!
//! ```text
//! surface("[]{x: f64, y: [](i32, bool)}")      a record is written by its fields
//! show(value)                                  [(1.0, [(2, true)])]
//! ```

#![allow(dead_code)]

use arrow_buffer::Buffer;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use terrace_base::{Scalar, ScalarType};
use terrace_data::{DataError, Value};
use terrace_plan::data::Data;
use terrace_plan::surface::Surface;

pub(crate) fn surface(text: &str) -> Surface {
    let mut rest = text;
    let found = parse(&mut rest);
    assert_eq!(rest.trim(), "", "rest of the type {text}");
    found
}

fn eat(rest: &mut &str, text: &str) -> bool {
    match rest.trim_start().strip_prefix(text) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

fn word(rest: &mut &str) -> String {
    let text = rest.trim_start();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    *rest = &text[end..];
    text[..end].to_string()
}

fn parse(rest: &mut &str) -> Surface {
    if eat(rest, "[]") {
        return Surface::Array(Box::new(parse(rest)));
    }
    if eat(rest, "(") {
        let mut parts = Vec::new();
        while !eat(rest, ")") {
            parts.push(parse(rest));
            eat(rest, ",");
        }
        return Surface::Tuple(parts);
    }
    if eat(rest, "{") {
        let mut fields = Vec::new();
        while !eat(rest, "}") {
            let name = word(rest);
            assert!(eat(rest, ":"), "a colon before {rest}");
            fields.push((name, parse(rest)));
            eat(rest, ",");
        }
        return Surface::Record { name: "rec".into(), fields };
    }
    if eat(rest, "enum") {
        return Surface::Enum { name: "shape".into(), variants: vec![("round".into(), Vec::new())] };
    }
    let name = word(rest);
    Surface::Scalar(ScalarType::from_name(&name).unwrap_or_else(|| panic!("no type {name}")))
}

pub(crate) fn show(value: &Data) -> String {
    let all = |parts: &[Data]| parts.iter().map(show).collect::<Vec<_>>().join(", ");
    match value {
        Data::Scalar(scalar) => match scalar {
            Scalar::Bool(x) => x.to_string(),
            Scalar::I8(x) => x.to_string(),
            Scalar::I16(x) => x.to_string(),
            Scalar::I32(x) => x.to_string(),
            Scalar::I64(x) => x.to_string(),
            Scalar::U8(x) => x.to_string(),
            Scalar::U16(x) => x.to_string(),
            Scalar::U32(x) => x.to_string(),
            Scalar::U64(x) => x.to_string(),
            Scalar::F32(x) => format!("{x:?}"),
            Scalar::F64(x) => format!("{x:?}"),
        },
        Data::Tuple(parts) => format!("({})", all(parts)),
        Data::Array(rows) => format!("[{}]", all(rows)),
        Data::Variant(v) => format!("{}({})", v.name, all(&v.fields)),
    }
}

/// Whether every part of a value is of its type.
pub(crate) fn is_of(value: &Data, surface: &Surface) -> bool {
    match (value, surface) {
        (Data::Scalar(scalar), Surface::Scalar(wanted)) => scalar.ty() == *wanted,
        (Data::Array(rows), Surface::Array(element)) => rows.iter().all(|row| is_of(row, element)),
        (Data::Tuple(parts), Surface::Tuple(wanted)) => {
            parts.len() == wanted.len() && parts.iter().zip(wanted).all(|(part, wanted)| is_of(part, wanted))
        }
        (Data::Tuple(parts), Surface::Record { fields, .. }) => {
            parts.len() == fields.len() && parts.iter().zip(fields).all(|(part, (_, wanted))| is_of(part, wanted))
        }
        _ => false,
    }
}

/// Equal bit by bit, so that NaN equals itself and -0.0 is not 0.0.
pub(crate) fn same(a: &Data, b: &Data) -> bool {
    let all = |a: &[Data], b: &[Data]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    match (a, b) {
        (Data::Scalar(a), Data::Scalar(b)) => a.same_bits(*b),
        (Data::Tuple(a), Data::Tuple(b)) | (Data::Array(a), Data::Array(b)) => all(a, b),
        _ => false,
    }
}

/// What a file holds, read as nested values, as flat memory, and of a mapped file, which must agree in the value or in the message.
pub(crate) fn read(path: &Path, wanted: &Surface, column: Option<&str>) -> Result<Data, DataError> {
    let nested = terrace_data::read(path, wanted, column);
    let flat = terrace_data::read_flat(path, wanted, column).map(Value::into_data);
    let mapped = terrace_data::read_mapped(path, wanted, column, whole).map(Value::into_data);
    for (form, other) in [("flat", flat), ("mapped", mapped)] {
        match (&nested, &other) {
            (Ok(a), Ok(b)) => assert!(same(a, b), "{}: {} and {form} {}", path.display(), show(a), show(b)),
            (Err(a), Err(b)) => assert_eq!((a.code, &a.title), (b.code, &b.title), "{} {form}", path.display()),
            _ => panic!("{}: {nested:?} and {form} {other:?}", path.display()),
        }
    }
    nested
}

/// All bytes of a file, as a map of it would show them.
fn whole(mut file: &File) -> Option<Buffer> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).and_then(|_| file.rewind()).ok()?;
    Some(Buffer::from_vec(bytes))
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

/// A folder for one test, which vanishes with it.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("terrace-data-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(&self.0)
            .expect("the folder exists")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Random numbers that are the same in every run (xorshift).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound
    }
}
