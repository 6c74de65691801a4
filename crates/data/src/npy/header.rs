//! The header of an `.npy` file: a Python dictionary, of which only the three known entries may be there.
//!
//! ```text
//! {'descr': '>i4', 'fortran_order': True, 'shape': (3, 4), }
//!     i32, big endian, columns first, [3, 4]
//! ```
//!
//! The text is read by a small parser of Python literals; nothing is evaluated.

use crate::error::{DataError, damaged};
use terrace_base::ScalarType;

/// What a header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The type of the elements.
    pub(crate) element: ScalarType,
    /// Whether the first byte of an element is the highest.
    pub(crate) big_endian: bool,
    /// Whether the first index runs fastest.
    pub(crate) columns_first: bool,
    /// The lengths, outermost first.
    pub(crate) shape: Vec<u64>,
}

/// Reads the text of a header.
pub(crate) fn parse(text: &str, file: &str) -> Result<Header, DataError> {
    let wrong = |what: &str| damaged(file, format!("its header is wrong: {what}"));
    let mut parser = Parser { rest: text, depth: 0 };
    let value = parser.value().ok_or_else(|| wrong("it is no Python dictionary"))?;
    let (Literal::Dict(entries), "") = (value, parser.rest.trim()) else {
        return Err(wrong("it is no Python dictionary"));
    };
    let (mut element, mut columns_first, mut shape) = (None, None, None);
    for (key, value) in entries {
        match (key.as_str(), value) {
            ("descr", Literal::Text(text)) => element = Some(element_type(&text, file)?),
            ("descr", _) => return Err(structured(file)),
            ("fortran_order", Literal::Bool(flag)) => columns_first = Some(flag),
            ("shape", Literal::Tuple(parts)) => {
                let lengths: Option<Vec<u64>> = parts.iter().map(Literal::length).collect();
                shape = Some(lengths.ok_or_else(|| wrong("a length is no number"))?);
            }
            (other, _) => return Err(wrong(&format!("`{other}` is unknown or of a wrong type"))),
        }
    }
    match (element, columns_first, shape) {
        (Some((element, big_endian)), Some(columns_first), Some(shape)) => {
            Ok(Header { element, big_endian, columns_first, shape })
        }
        _ => Err(wrong("type, order or shape is missing")),
    }
}

fn structured(file: &str) -> DataError {
    DataError::new("T0726", format!("`{file}` holds records of numpy, which cannot be read"))
        .hint("save each field as an array of its own, or write the table as Parquet")
}

fn element_type(text: &str, file: &str) -> Result<(ScalarType, bool), DataError> {
    let (order, kind) = match text.chars().next() {
        Some(order @ ('<' | '>' | '=' | '|')) => (order, &text[1..]),
        _ => ('|', text),
    };
    let big_endian = order == '>' || (order == '=' && cfg!(target_endian = "big"));
    let element = match kind {
        "b1" | "?" => ScalarType::Bool,
        "i1" => ScalarType::I8,
        "i2" => ScalarType::I16,
        "i4" => ScalarType::I32,
        "i8" => ScalarType::I64,
        "u1" => ScalarType::U8,
        "u2" => ScalarType::U16,
        "u4" => ScalarType::U32,
        "u8" => ScalarType::U64,
        "f4" => ScalarType::F32,
        "f8" => ScalarType::F64,
        _ => return Err(foreign(kind, file)),
    };
    Ok((element, big_endian))
}

fn foreign(kind: &str, file: &str) -> DataError {
    let (what, hint) = match kind.chars().next() {
        Some('O') => (
            "Python objects, which are never loaded: they are programs",
            "make it an array of numbers: `numpy.save(\"a.npy\", a.astype(\"float64\"))`; ragged rows go to Parquet",
        ),
        Some('f') => ("floats of a width the language does not have", "convert them: `a.astype(\"float32\")` in numpy"),
        Some('c') => ("complex numbers", "save real and imaginary parts: `numpy.stack([a.real, a.imag], -1)`"),
        Some('U' | 'S' | 'a' | 'T') => ("text", "write it as a Parquet column, which is read as [][]u8"),
        Some('M' | 'm') => ("dates or times", "convert them to numbers: `a.astype(\"int64\")` in numpy"),
        Some('V') => ("raw bytes or records", "save each field as an array of its own"),
        _ => ("elements of an unknown type", "convert them: `a.astype(\"float64\")` in numpy"),
    };
    DataError::new("T0726", format!("`{file}` holds {what}"))
        .note(format!("their type in numpy is `{kind}`"))
        .hint(hint)
}

enum Literal {
    Text(String),
    Bool(bool),
    Number(u64),
    Tuple(Vec<Literal>),
    Dict(Vec<(String, Literal)>),
}

impl Literal {
    fn length(&self) -> Option<u64> {
        match self {
            Literal::Number(number) => Some(*number),
            _ => None,
        }
    }
}

const DEEPEST: usize = 16;

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn eat(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self) -> Option<Literal> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = self.literal();
        self.depth -= 1;
        value
    }

    fn literal(&mut self) -> Option<Literal> {
        if self.eat("True") {
            return Some(Literal::Bool(true));
        }
        if self.eat("False") {
            return Some(Literal::Bool(false));
        }
        if self.eat("(") {
            return self.items(")").map(Literal::Tuple);
        }
        if self.eat("[") {
            return self.items("]").map(Literal::Tuple);
        }
        if self.eat("{") {
            return self.entries().map(Literal::Dict);
        }
        if self.rest.starts_with(['\'', '"']) {
            return self.text().map(Literal::Text);
        }
        let digits = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let number = self.rest[..digits].parse().ok()?;
        self.rest = &self.rest[digits..];
        // Numpy under Python 2 wrote its long integers with a letter.
        self.eat("L");
        Some(Literal::Number(number))
    }

    fn text(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        let quote = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let (text, rest) = self.rest[1..].split_once(quote)?;
        self.rest = rest;
        Some(text.to_string())
    }

    fn items(&mut self, end: &str) -> Option<Vec<Literal>> {
        let mut items = Vec::new();
        while !self.eat(end) {
            items.push(self.value()?);
            if !self.eat(",") {
                return self.eat(end).then_some(items);
            }
        }
        Some(items)
    }

    fn entries(&mut self) -> Option<Vec<(String, Literal)>> {
        let mut entries = Vec::new();
        while !self.eat("}") {
            let key = self.text()?;
            if !self.eat(":") {
                return None;
            }
            entries.push((key, self.value()?));
            if !self.eat(",") {
                return self.eat("}").then_some(entries);
            }
        }
        Some(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(ScalarType, bool, bool, &[u64]), &str>) {
        let got = parse(text, "f").map_err(|e| e.code);
        let expected = expected.map(|(element, big_endian, columns_first, shape)| Header {
            element,
            big_endian,
            columns_first,
            shape: shape.to_vec(),
        });
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn headers() {
        use ScalarType::*;
        check("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n", Ok((F64, false, false, &[3, 4])));
        check("{'shape': (), 'descr': '|b1', 'fortran_order': False}", Ok((Bool, false, false, &[])));
        check("{'descr': '>i2', 'fortran_order': True, 'shape': (3L,), }", Ok((I16, true, true, &[3])));
        check("{\"descr\": 'u1', 'fortran_order': False, 'shape': [5]}", Ok((U8, false, false, &[5])));
        check("{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}", Err("T0726"));
        check("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", Err("T0726"));
        check("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}", Err("T0726"));
        check("{'descr': '<f8', 'fortran_order': False}", Err("T0722"));
        check("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", Err("T0722"));
        check("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", Err("T0722"));
        check("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", Err("T0722"));
        check("{'descr", Err("T0722"));
        check("", Err("T0722"));
        check(&"(".repeat(100_000), Err("T0722"));
        check("{'descr': 'é8', 'fortran_order': False, 'shape': (1,)}", Err("T0726"));
        check("{'descr': '', 'fortran_order': False, 'shape': (1,)}", Err("T0726"));
    }
}
