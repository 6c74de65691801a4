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

use terrace_base::Scalar;
use terrace_plan::data::Data;
use terrace_plan::surface::Surface;

/// The literal of a value without names; arrays of more than `most` elements are abbreviated.
pub fn data(value: &Data, most: usize) -> String {
    literal(value, None, most)
}

/// The literal of a value of a type; arrays of more than `most` elements are abbreviated.
pub fn value(value: &Data, surface: &Surface, most: usize) -> String {
    literal(value, Some(surface), most)
}

fn literal(value: &Data, surface: Option<&Surface>, most: usize) -> String {
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
    fn value(&mut self, value: &Data, surface: Option<&Surface>, most: usize) {
        if let (Data::Array(items), Some(_)) = (value, surface)
            && let Some(text) = text_of(items)
            && self.string(&text, most)
        {
            return;
        }
        match value {
            Data::Scalar(s) => {
                let text = s.to_string();
                // Where the type is known, its name behind every number says nothing new.
                let short = surface.and_then(|_| text.strip_suffix(s.ty().name()));
                self.out.push_str(short.unwrap_or(&text));
            }
            Data::Tuple(parts) => match surface {
                Some(Surface::Record { name, fields }) => {
                    self.out.push_str(constructor(name));
                    self.out.push('{');
                    for (k, (part, (field, surface))) in parts.iter().zip(fields).enumerate() {
                        self.out.push_str(if k == 0 { "" } else { ", " });
                        self.out.push_str(&format!("{field} = "));
                        self.value(part, Some(surface), most);
                    }
                    self.out.push('}');
                }
                _ => self.list(parts, |k| part(surface, k), ['(', ')'], usize::MAX, most),
            },
            // Rows get less room than what they are rows of.
            Data::Array(items) => self.list(items, |_| element(surface), ['[', ']'], most, (most / 2).max(6)),
            Data::Variant(v) => {
                self.out.push_str(&v.name);
                if !v.fields.is_empty() {
                    self.list(&v.fields, |k| field(surface, v.tag, k), ['(', ')'], usize::MAX, most);
                }
            }
        }
    }

    /// Writes bytes that are text as a string; long ones are better off as an array, which is abbreviated.
    fn string(&mut self, text: &str, most: usize) -> bool {
        let fits = text.chars().count() <= most.max(10) * 4;
        if fits {
            let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
            self.out.push_str(&format!("\"{escaped}\""));
        }
        fits
    }

    fn list<'s>(
        &mut self,
        items: &[Data],
        surface: impl Fn(usize) -> Option<&'s Surface>,
        brackets: [char; 2],
        here: usize,
        most: usize,
    ) {
        self.out.push(brackets[0]);
        let shown: Vec<usize> = if items.len() <= here {
            (0..items.len()).collect()
        } else {
            self.abbreviated = true;
            (0..here.div_ceil(2)).chain(items.len() - here / 2..items.len()).collect()
        };
        let mut last = None;
        for k in shown {
            match last {
                None => {}
                Some(before) if before + 1 == k => self.out.push_str(", "),
                Some(_) => self.out.push_str(", …, "),
            }
            self.value(&items[k], surface(k), most);
            last = Some(k);
        }
        self.out.push(brackets[1]);
    }
}

/// The text that bytes are, if they are one that can be read: letters, and no control characters but line breaks and tabs.
fn text_of(items: &[Data]) -> Option<String> {
    let byte = |item: &Data| match item {
        Data::Scalar(Scalar::U8(b)) => Some(*b),
        _ => None,
    };
    let bytes: Vec<u8> = items.iter().map(byte).collect::<Option<_>>()?;
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
fn shape(value: &Data, surface: Option<&Surface>) -> String {
    let mut out = String::new();
    let mut level = vec![value];
    let mut surface = surface;
    while let Some(lengths) = lengths(&level) {
        let (least, greatest) = lengths;
        out += &if least == greatest { format!("[{least}]") } else { format!("[{least}..{greatest}]") };
        level = level.into_iter().flat_map(items).collect();
        surface = element(surface);
    }
    match (surface, level.first()) {
        (Some(surface), _) => out + &surface.to_string(),
        (None, Some(Data::Scalar(s))) => out + s.ty().name(),
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
