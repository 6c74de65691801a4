//! Values as text: Terrace literals, long arrays abbreviated.
//!
//! ```text
//! [1.0, 2.0]                                          every element
//! [0, 1, …, 998, 999]  -- [1000]i64                   the ends, and the shape behind it
//! [[0.5], [], …, [2.5, 1.0]]  -- [300][0..17]f64      rows of 0 to 17 elements
//! [point{x = 1.0, y = 2.0}]                           with the names that the program gave
//! ["the", "fox"]                                      arrays of bytes that are text
//! ```
//!
//! What is not abbreviated reads as it is written: it can be given back as an argument. (Infinities and NaN print as `inf` and `nan`.)
//!
//! Nested values and flat memory print alike; of flat memory only what is shown is looked at, and the places where rows begin.

use terrace_base::Scalar;
use terrace_data::Column;
use terrace_plan::data::{Data, Variant};
use terrace_plan::surface::Surface;

/// What can be shown.
trait Shown: Copy {
    fn kind(self) -> Kind<Self>;
    /// An element of an array.
    fn item(self, k: usize) -> Option<Self>;
    /// The least and the greatest length in each dimension.
    fn lengths(self) -> Vec<(usize, usize)>;
}

enum Kind<T> {
    Scalar(Scalar),
    Tuple(Vec<T>),
    Array(usize),
    Variant(String, usize, Vec<T>),
}

impl Shown for &Data {
    fn kind(self) -> Kind<Self> {
        match self {
            Data::Scalar(scalar) => Kind::Scalar(*scalar),
            Data::Tuple(parts) => Kind::Tuple(parts.iter().collect()),
            Data::Array(items) => Kind::Array(items.len()),
            Data::Variant(v) => {
                let Variant { tag, name, fields } = &**v;
                Kind::Variant(name.clone(), *tag, fields.iter().collect())
            }
        }
    }

    fn item(self, k: usize) -> Option<Self> {
        items(self).get(k)
    }

    fn lengths(self) -> Vec<(usize, usize)> {
        let (mut out, mut level) = (Vec::new(), vec![self]);
        while let Some(lengths) = lengths(&level) {
            out.push(lengths);
            level = level.into_iter().flat_map(items).collect();
        }
        out
    }
}

/// A row of a column.
#[derive(Clone, Copy)]
struct Row<'a> {
    column: &'a Column,
    row: usize,
}

impl Shown for Row<'_> {
    fn kind(self) -> Kind<Self> {
        match self.column {
            Column::Numbers(ty, bytes) => {
                let width = ty.size_bytes();
                let number = bytes.as_slice().chunks_exact(width).nth(self.row);
                Kind::Scalar(number.and_then(|b| Scalar::from_le_bytes(*ty, b)).unwrap_or(Scalar::I64(0)))
            }
            Column::Parts(parts) => Kind::Tuple(parts.iter().map(|column| Row { column, ..self }).collect()),
            Column::Equal(length, _) => Kind::Array(*length),
            Column::Rows(offsets, _) => {
                let row = offsets.windows(2).nth(self.row);
                Kind::Array(row.map_or(0, |row| (row[1] - row[0]) as usize))
            }
        }
    }

    fn item(self, k: usize) -> Option<Self> {
        match self.column {
            Column::Equal(length, column) => Some(Row { column, row: self.row * length + k }),
            Column::Rows(offsets, column) => Some(Row { column, row: *offsets.get(self.row)? as usize + k }),
            _ => None,
        }
    }

    fn lengths(self) -> Vec<(usize, usize)> {
        let (mut out, mut column, mut rows) = (Vec::new(), self.column, 1);
        while rows > 0 {
            let (least, greatest, total, inner) = match column {
                Column::Equal(length, inner) => (*length, *length, rows * length, inner),
                Column::Rows(offsets, inner) => {
                    let lengths = offsets.windows(2).map(|row| (row[1] - row[0]) as usize);
                    let (least, greatest) = lengths.fold((usize::MAX, 0), |(a, b), l| (a.min(l), b.max(l)));
                    (least, greatest, offsets.last().map_or(0, |end| *end as usize), inner)
                }
                _ => break,
            };
            out.push((least, greatest));
            (column, rows) = (inner, total);
        }
        out
    }
}

/// The literal of flat memory, whose only row is the value.
pub fn column(column: &Column, surface: &Surface, most: usize) -> String {
    literal(Row { column, row: 0 }, Some(surface), most)
}

/// The literal of a value without names; arrays of more than `most` elements are abbreviated.
pub fn data(value: &Data, most: usize) -> String {
    literal(value, None, most)
}

/// The literal of a value of a type; arrays of more than `most` elements are abbreviated.
pub fn value(value: &Data, surface: &Surface, most: usize) -> String {
    literal(value, Some(surface), most)
}

fn literal<T: Shown>(value: T, surface: Option<&Surface>, most: usize) -> String {
    let mut writer = Writer { out: String::new(), abbreviated: false };
    writer.value(value, surface, most);
    if writer.abbreviated {
        writer.out.push_str(&format!("  -- {}", shape(value, surface)));
    }
    writer.out
}

struct Writer {
    out: String,
    abbreviated: bool,
}

impl Writer {
    fn value<T: Shown>(&mut self, value: T, surface: Option<&Surface>, most: usize) {
        let kind = value.kind();
        if let (Kind::Array(count), Some(_)) = (&kind, surface)
            && let Some(text) = text_of(value, *count, most)
            && self.string(&text, most)
        {
            return;
        }
        match kind {
            Kind::Scalar(s) => {
                let text = s.to_string();
                // Where the type is known, its name behind every number says nothing new.
                let short = surface.and_then(|_| text.strip_suffix(s.ty().name()));
                self.out.push_str(short.unwrap_or(&text));
            }
            Kind::Tuple(parts) => match surface {
                Some(Surface::Record { name, fields }) => {
                    self.out.push_str(constructor(name));
                    self.out.push('{');
                    for (k, (part, (field, surface))) in parts.into_iter().zip(fields).enumerate() {
                        self.out.push_str(if k == 0 { "" } else { ", " });
                        self.out.push_str(&format!("{field} = "));
                        self.value(part, Some(surface), most);
                    }
                    self.out.push('}');
                }
                _ => {
                    let part = |k: usize| Some((*parts.get(k)?, part(surface, k)));
                    self.list(parts.len(), part, ['(', ')'], usize::MAX, most);
                }
            },
            // Rows get less room than what they are rows of.
            Kind::Array(count) => {
                let item = |k| Some((value.item(k)?, element(surface)));
                self.list(count, item, ['[', ']'], most, (most / 2).max(6));
            }
            Kind::Variant(name, tag, fields) => {
                self.out.push_str(&name);
                if !fields.is_empty() {
                    let part = |k: usize| Some((*fields.get(k)?, field(surface, tag, k)));
                    self.list(fields.len(), part, ['(', ')'], usize::MAX, most);
                }
            }
        }
    }

    /// Writes bytes that are text as a string; long ones are better off as an array, which is abbreviated.
    fn string(&mut self, text: &str, most: usize) -> bool {
        let fits = text.chars().count() <= longest_text(most);
        if fits {
            let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
            self.out.push_str(&format!("\"{escaped}\""));
        }
        fits
    }

    fn list<'s, T: Shown>(
        &mut self,
        count: usize,
        item: impl Fn(usize) -> Option<(T, Option<&'s Surface>)>,
        brackets: [char; 2],
        here: usize,
        most: usize,
    ) {
        self.out.push(brackets[0]);
        let shown: Vec<usize> = if count <= here {
            (0..count).collect()
        } else {
            self.abbreviated = true;
            (0..here.div_ceil(2)).chain(count - here / 2..count).collect()
        };
        let mut last = None;
        for k in shown {
            match last {
                None => {}
                Some(before) if before + 1 == k => self.out.push_str(", "),
                Some(_) => self.out.push_str(", …, "),
            }
            if let Some((value, surface)) = item(k) {
                self.value(value, surface, most);
            }
            last = Some(k);
        }
        self.out.push(brackets[1]);
    }
}

/// The longest text that is written as one.
fn longest_text(most: usize) -> usize {
    most.max(10) * 4
}

/// The text that bytes are, if they are one that can be read: letters, and no control characters but line breaks and tabs.
fn text_of<T: Shown>(value: T, count: usize, most: usize) -> Option<String> {
    let byte = |k: usize| match value.item(k)?.kind() {
        Kind::Scalar(Scalar::U8(b)) => Some(b),
        _ => None,
    };
    // A letter has four bytes at most.
    if count > 4 * longest_text(most) {
        return None;
    }
    let bytes: Vec<u8> = (0..count).map(byte).collect::<Option<_>>()?;
    let text = String::from_utf8(bytes).ok()?;
    let readable = !text.is_empty() && text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t');
    readable.then_some(text)
}

/// What stands in front of the braces: `pair` of `pair[i64, f64]`.
fn constructor(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

fn part(surface: Option<&Surface>, k: usize) -> Option<&Surface> {
    match surface? {
        Surface::Tuple(parts) => parts.get(k),
        _ => None,
    }
}

fn field(surface: Option<&Surface>, tag: usize, k: usize) -> Option<&Surface> {
    match surface? {
        Surface::Enum { variants, .. } => variants.get(tag)?.1.get(k),
        _ => None,
    }
}

fn element(surface: Option<&Surface>) -> Option<&Surface> {
    match surface? {
        Surface::Array(elem) => Some(elem),
        _ => None,
    }
}

/// The lengths of an array, dimension by dimension: one number where rows agree, the least and the greatest where not.
fn shape<T: Shown>(value: T, surface: Option<&Surface>) -> String {
    let mut out = String::new();
    let (mut surface, mut inside) = (surface, Some(value));
    for (least, greatest) in value.lengths() {
        out += &if least == greatest { format!("[{least}]") } else { format!("[{least}..{greatest}]") };
        surface = element(surface);
        inside = inside.and_then(|value| value.item(0));
    }
    match (surface, inside.map(Shown::kind)) {
        (Some(surface), _) => out + &surface.to_string(),
        (None, Some(Kind::Scalar(s))) => out + s.ty().name(),
        _ => out,
    }
}

fn items(value: &Data) -> &[Data] {
    match value {
        Data::Array(items) => items,
        _ => &[],
    }
}

fn lengths(level: &[&Data]) -> Option<(usize, usize)> {
    if level.is_empty() || !level.iter().all(|v| matches!(v, Data::Array(_))) {
        return None;
    }
    let lengths = level.iter().map(|v| items(v).len());
    Some((lengths.clone().min()?, lengths.max()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_base::ScalarType;

    fn ints(n: i64) -> Data {
        Data::Array((0..n).map(|k| Data::Scalar(Scalar::I64(k))).collect())
    }

    fn check(v: &Data, surface: Surface, most: usize, expected: &str) {
        assert_eq!(value(v, &surface, most), expected);
    }

    #[test]
    fn values_print_as_they_are_written() {
        let i64s = Surface::Array(Box::new(Surface::Scalar(ScalarType::I64)));
        check(&ints(0), i64s.clone(), 4, "[]");
        check(&ints(4), i64s.clone(), 4, "[0, 1, 2, 3]");
        check(&ints(9), i64s.clone(), 4, "[0, 1, …, 7, 8]  -- [9]i64");
        let rows = Data::Array(vec![ints(1), ints(0), ints(30)]);
        let rows_type = Surface::Array(Box::new(i64s.clone()));
        check(
            &rows,
            rows_type,
            40,
            "[[0], [], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]]  -- [3][0..30]i64",
        );
        let point = Surface::Record {
            name: "pair[i64]".to_string(),
            fields: vec![("a".to_string(), Surface::Scalar(ScalarType::I64)), ("b".to_string(), i64s)],
        };
        check(&Data::Tuple(vec![Data::Scalar(Scalar::I64(1)), ints(2)]), point, 4, "pair{a = 1, b = [0, 1]}");
        let shape = Surface::Enum { name: "e".to_string(), variants: vec![("none".to_string(), vec![])] };
        let none = Data::variant(0, "none", vec![]);
        check(&none, shape, 4, "none");
        let bytes = |text: &[u8]| Data::Array(text.iter().map(|b| Data::Scalar(Scalar::U8(*b))).collect());
        let u8s = Surface::Array(Box::new(Surface::Scalar(ScalarType::U8)));
        check(&bytes("a \"é\"\n".as_bytes()), u8s.clone(), 40, "\"a \\\"é\\\"\\n\"");
        check(&bytes(&[1, 255]), u8s, 40, "[1, 255]");
    }
}
