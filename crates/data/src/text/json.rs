//! JSON, one document or a value per line, read by a parser that knows what it looks for.
//!
//! ```text
//! {"name": "Ada", "scores": [1, 2.5], "other": {…}}      wanted {name: []u8, scores: []f64}
//!     name    "Ada" goes to a column of bytes
//!     scores  two numbers and the end of a row
//!     other   passed over
//! ```
//!
//! Objects are records, by the names of their fields and in any order; arrays are arrays, or tuples of as many parts; text is `[]u8`, its escapes
//! decoded, and so is an array of numbers. `NaN` and `Infinity`, which Python writes, are floats. `null` and a field that is not there are missing
//! values: they are counted and refused.
//!
//! The depth of what is wanted is the depth of its type; what is passed over may be [`DEEPEST`] levels deep.

use crate::append::Builder;
use crate::column::Column;
use crate::error::DataError;
use crate::fit::row_of;
use crate::text::{Input, Missing, excerpt, finish, number};
use std::borrow::Cow;
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

/// How deep values may be that nobody wants.
pub(crate) const DEEPEST: usize = 200;

/// A parser somewhere in a text.
pub(crate) struct Parser<'i, 'a> {
    pub(crate) input: &'i mut Input<'a>,
    pub(crate) at: usize,
    /// The field that is being read, for messages: `.height`, `.tags[]`.
    path: String,
    missing: Option<Missing>,
}

type Done = Result<(), DataError>;

impl<'i, 'a> Parser<'i, 'a> {
    pub(crate) fn new(input: &'i mut Input<'a>) -> Self {
        Parser { input, at: 0, path: String::new(), missing: None }
    }

    /// Passes blanks and says what follows; 0 at the end.
    #[inline]
    pub(crate) fn peek(&mut self) -> u8 {
        while let Some(b) = self.input.bytes.get(self.at) {
            if !matches!(b, b' ' | b'\n' | b'\r' | b'\t') {
                return *b;
            }
            self.at += 1;
        }
        0
    }

    pub(crate) fn wrong(&self, what: &str) -> DataError {
        if self.at >= self.input.bytes.len() {
            return self.input.damaged_at(self.at, &format!("it ends where {what} is expected"));
        }
        let found = excerpt(&self.input.bytes[self.at..][..1]);
        self.input.damaged_at(self.at, &format!("{what} is expected, and `{found}` stands there"))
    }

    #[inline]
    fn expect(&mut self, byte: u8, what: &str) -> Done {
        if self.peek() != byte {
            return Err(self.wrong(what));
        }
        self.at += 1;
        Ok(())
    }

    /// Whether a list goes on behind an element.
    #[inline]
    pub(crate) fn goes_on(&mut self, close: u8, what: &str) -> Result<bool, DataError> {
        match self.peek() {
            b',' => {
                self.at += 1;
                Ok(true)
            }
            b if b == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.wrong(what)),
        }
    }

    /// Opens a list; false if it is empty.
    #[inline]
    pub(crate) fn opens(&mut self, close: u8) -> bool {
        self.at += 1;
        let empty = self.peek() == close;
        self.at += usize::from(empty);
        !empty
    }

    fn misfit(&mut self, wanted: &Surface) -> DataError {
        let found = match self.peek() {
            b'"' => "a text",
            b'{' => "an object",
            b'[' => "an array",
            b't' | b'f' => "a truth value",
            b'-' | b'0'..=b'9' | b'N' | b'I' => "a number",
            _ => return self.wrong("a value"),
        };
        let field = if self.path.is_empty() { String::new() } else { format!(", `{}`", self.path) };
        let place = self.input.place(self.at);
        DataError::new(
            "T0730",
            format!("`{}`, {place}{field}: {found} stands where {wanted} is wanted", self.input.name),
        )
    }

    /// A word, if it stands here.
    fn word(&mut self, word: &[u8]) -> bool {
        let here = self.input.bytes[self.at..].starts_with(word);
        self.at += if here { word.len() } else { 0 };
        here
    }

    fn value(&mut self, wanted: &Surface, to: &mut Builder) -> Done {
        let first = self.peek();
        if first == b'n' && self.word(b"null") {
            let line = self.at;
            Missing::note(&mut self.missing, &self.path, || self.input.line(line));
            to.put_anything();
            return Ok(());
        }
        match (wanted, to) {
            (Surface::Scalar(ty), Builder::Numbers(_, bytes)) => {
                self.input.take(1)?;
                self.number(*ty, first, bytes.own(), wanted)
            }
            (Surface::Array(_), text) if first == b'"' && text.takes_text() => {
                self.at += 1;
                let found = self.string()?;
                self.input.take(1 + found.len())?;
                text.put_text(&found);
                Ok(())
            }
            (Surface::Array(element), rows) if first == b'[' => {
                self.input.take(1)?;
                if let Builder::Rows(_, inner) = rows {
                    self.elements(element, inner)?;
                }
                rows.end_row();
                Ok(())
            }
            (Surface::Tuple(parts), Builder::Parts(to)) if first == b'[' => {
                let open = self.at;
                self.at += 1;
                for (k, (part, to)) in parts.iter().zip(to).enumerate() {
                    if k > 0 && !self.goes_on(b']', "`,`")? {
                        let what = format!("this array has {k} elements, and {wanted} has {} parts", parts.len());
                        return Err(self.input.damaged_at(open, &what));
                    }
                    self.value(part, to)?;
                }
                self.expect(b']', &format!("`]` behind the {} parts of {wanted}", parts.len()))
            }
            (Surface::Record { fields, .. }, Builder::Parts(to)) if first == b'{' => self.object(fields, to),
            _ => Err(self.misfit(wanted)),
        }
    }

    fn elements(&mut self, element: &Surface, to: &mut Builder) -> Result<usize, DataError> {
        let mut count = 0;
        if self.opens(b']') {
            loop {
                self.value(element, to)?;
                count += 1;
                if !self.goes_on(b']', "`,` or `]`")? {
                    break;
                }
            }
        }
        Ok(count)
    }

    fn object(&mut self, fields: &[(String, Surface)], to: &mut [Builder]) -> Done {
        let before = to.first().map_or(0, Builder::len);
        let open = self.at;
        if self.opens(b'}') {
            // Objects mostly have their fields in the same order.
            let mut expected = 0;
            loop {
                self.expect(b'"', "the name of a field")?;
                let at = self.at;
                let name = self.string()?;
                self.expect(b':', "`:`")?;
                let is = |k: &usize| fields.get(*k).is_some_and(|(field, _)| field.as_bytes() == &*name);
                match Some(expected).filter(is).or_else(|| (0..fields.len()).find(is)) {
                    Some(k) => {
                        if to[k].len() != before {
                            return Err(self.input.damaged_at(at, "this object has two fields of one name"));
                        }
                        let length = self.path.len();
                        self.path.push('.');
                        self.path.push_str(&fields[k].0);
                        self.value(&fields[k].1, &mut to[k])?;
                        self.path.truncate(length);
                        expected = k + 1;
                    }
                    None => self.skip(0)?,
                }
                if !self.goes_on(b'}', "`,` or `}`")? {
                    break;
                }
            }
        }
        for ((name, _), to) in fields.iter().zip(to) {
            if to.len() == before {
                let what = format!("{}.{name}", self.path);
                Missing::note(&mut self.missing, &what, || self.input.line(open));
                to.put_anything();
            }
        }
        Ok(())
    }

    fn number(&mut self, ty: ScalarType, first: u8, to: &mut Vec<u8>, wanted: &Surface) -> Done {
        let rest = &self.input.bytes[self.at..];
        if let Some(length) = number::scan(ty, rest, to)
            && !has_leading_zero(rest)
        {
            self.at += length;
            return Ok(());
        }
        if ty.is_float() {
            for (word, value) in [(&b"NaN"[..], "nan"), (b"Infinity", "inf"), (b"-Infinity", "-inf")] {
                if self.word(word) {
                    let _ = number::parse(ty, value.as_bytes(), to);
                    return Ok(());
                }
            }
        }
        if !matches!(first, b'-' | b'0'..=b'9') || ty == ScalarType::Bool {
            return Err(self.misfit(wanted));
        }
        let start = self.at;
        let token = self.number_token()?;
        let field = if self.path.is_empty() { String::new() } else { format!(", `{}`", self.path) };
        let place = || format!("{}{field}", self.input.place(start));
        number::parse(ty, token, to).map_err(|why| self.input.no_number(&place(), token, ty, why))
    }

    /// A number as the grammar has it.
    pub(crate) fn number_token(&mut self) -> Result<&'a [u8], DataError> {
        let rest = &self.input.bytes[self.at..];
        let length = rest.iter().take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let token = &rest[..length];
        let whole = token.strip_prefix(b"-").unwrap_or(token);
        let starts = whole.first().is_some_and(u8::is_ascii_digit) && !has_leading_zero(token);
        let point = whole.iter().position(|b| *b == b'.');
        let has_places = point.is_none_or(|p| whole.get(p + 1).is_some_and(u8::is_ascii_digit));
        let is_number = std::str::from_utf8(token).is_ok_and(|text| text.parse::<f64>().is_ok());
        if !starts || !has_places || !is_number {
            return Err(self.wrong("a number"));
        }
        self.at += length;
        Ok(token)
    }

    /// The rest of a string whose opening mark was passed.
    pub(crate) fn string(&mut self) -> Result<Cow<'a, [u8]>, DataError> {
        let bytes = self.input.bytes;
        let start = self.at;
        let mut text: Option<Vec<u8>> = None;
        let mut piece = start;
        loop {
            match bytes.get(self.at) {
                Some(b'"') => {
                    let rest = &bytes[piece..self.at];
                    self.at += 1;
                    return Ok(match text {
                        None => Cow::Borrowed(rest),
                        Some(mut text) => {
                            text.extend_from_slice(rest);
                            Cow::Owned(text)
                        }
                    });
                }
                Some(b'\\') => {
                    let text = text.get_or_insert_with(Vec::new);
                    text.extend_from_slice(&bytes[piece..self.at]);
                    self.at += 1;
                    self.escape(text)?;
                    piece = self.at;
                }
                Some(b) if *b >= 0x20 => self.at += 1,
                Some(_) => return Err(self.input.damaged_at(self.at, "a text may not go over the end of a line")),
                None => return Err(self.input.damaged_at(start, "this text is never closed")),
            }
        }
    }

    fn escape(&mut self, to: &mut Vec<u8>) -> Done {
        let letter = self.input.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        to.push(match letter {
            b'"' | b'\\' | b'/' => letter,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let wrong = |s: &Self, at| s.input.damaged_at(at, "`\\u` and four digits are expected");
                let start = self.at.saturating_sub(2);
                let mut code = self.four_digits().ok_or_else(|| wrong(self, start))?;
                if (0xd800..0xdc00).contains(&code) && self.word(b"\\u") {
                    let low = self.four_digits().filter(|low| (0xdc00..0xe000).contains(low));
                    let low = low.ok_or_else(|| wrong(self, start))?;
                    code = 0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                }
                let letter = char::from_u32(code)
                    .ok_or_else(|| self.input.damaged_at(start, "half of a letter: a surrogate without its pair"))?;
                to.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(self.input.damaged_at(self.at.saturating_sub(2), "no such escape in JSON")),
        });
        Ok(())
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.input.bytes.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |code, b| Some(code * 16 + char::from(*b).to_digit(16)?))
    }

    /// Passes a value that nobody wants.
    pub(crate) fn skip(&mut self, depth: usize) -> Done {
        if depth > DEEPEST {
            return Err(self.input.damaged_at(self.at, &format!("values lie more than {DEEPEST} deep in each other")));
        }
        match self.peek() {
            b'"' => {
                self.at += 1;
                self.string().map(|_| ())
            }
            open @ (b'[' | b'{') => {
                let close = open + 2;
                if !self.opens(close) {
                    return Ok(());
                }
                loop {
                    if open == b'{' {
                        self.expect(b'"', "the name of a field")?;
                        self.string()?;
                        self.expect(b':', "`:`")?;
                    }
                    self.skip(depth + 1)?;
                    if !self.goes_on(close, "`,` or the end of the list")? {
                        return Ok(());
                    }
                }
            }
            _ if [&b"null"[..], b"true", b"false", b"NaN", b"Infinity", b"-Infinity"].iter().any(|w| self.word(w)) => {
                Ok(())
            }
            b'-' | b'0'..=b'9' => self.number_token().map(|_| ()),
            _ => Err(self.wrong("a value")),
        }
    }

    fn finish(self, count: usize, rows: Builder, wanted: &Surface) -> Result<Column, DataError> {
        match &self.missing {
            Some(missing) => Err(missing.error(self.input.name)),
            None => finish(self.input.name, count, rows, wanted),
        }
    }
}

fn has_leading_zero(number: &[u8]) -> bool {
    let number = number.strip_prefix(b"-").unwrap_or(number);
    number.first() == Some(&b'0') && number.get(1).is_some_and(u8::is_ascii_digit)
}

/// With a column, rows are objects of which one field is wanted.
fn with_column(row: &Surface, column: Option<&str>) -> Surface {
    match column {
        Some(column) => Surface::Record { name: String::new(), fields: vec![(column.to_string(), row.clone())] },
        None => row.clone(),
    }
}

fn without_column(rows: Builder, column: Option<&str>) -> Builder {
    match rows {
        Builder::Parts(mut parts) if column.is_some() => parts.pop().unwrap_or(Builder::Parts(Vec::new())),
        rows => rows,
    }
}

/// A value per line.
pub(crate) fn read_lines(input: &mut Input, wanted: &Surface, column: Option<&str>) -> Result<Column, DataError> {
    let row = with_column(row_of(wanted), column);
    let mut rows = Builder::new(&row);
    let mut parser = Parser::new(input);
    let mut count = 0;
    while parser.peek() != 0 || parser.at < parser.input.bytes.len() {
        parser.value(&row, &mut rows)?;
        count += 1;
        parser.end_of_line()?;
        let at = parser.at as u64;
        parser.input.steps.reach(at);
    }
    parser.finish(count, without_column(rows, column), wanted)
}

impl Parser<'_, '_> {
    /// Nothing but blanks may stand behind a value.
    pub(crate) fn end_of_line(&mut self) -> Done {
        while let Some(b) = self.input.bytes.get(self.at) {
            match b {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => break,
                _ => return Err(self.wrong("the end of the line")),
            }
        }
        Ok(())
    }

    /// Nothing may stand behind the document.
    pub(crate) fn end(&mut self) -> Done {
        self.peek();
        if self.at < self.input.bytes.len() { Err(self.wrong("the end of the file")) } else { Ok(()) }
    }
}

/// One document.
pub(crate) fn read_document(input: &mut Input, wanted: &Surface, column: Option<&str>) -> Result<Column, DataError> {
    let mut parser = Parser::new(input);
    let is_object = parser.peek() == b'{';
    if let (Surface::Array(element), false) = (wanted, column.is_some() && is_object) {
        if parser.peek() != b'[' && !(parser.peek() == b'"' && **element == Surface::Scalar(ScalarType::U8)) {
            return Err(parser.misfit(wanted));
        }
        let row = with_column(element, column);
        let mut rows = Builder::new(&row);
        let count = if parser.peek() == b'"' {
            parser.at += 1;
            let text = parser.string()?;
            parser.input.take(text.len())?;
            if let Builder::Numbers(_, bytes) = &mut rows {
                bytes.own().extend_from_slice(&text);
            }
            text.len()
        } else {
            parser.elements(&row, &mut rows)?
        };
        parser.end()?;
        return parser.finish(count, without_column(rows, column), wanted);
    }
    let whole = with_column(wanted, column);
    let mut rows = Builder::new(&whole);
    parser.value(&whole, &mut rows)?;
    parser.end()?;
    let rows = without_column(rows, column);
    if let Some(missing) = &parser.missing {
        return Err(missing.error(parser.input.name));
    }
    Ok(rows.finish())
}
