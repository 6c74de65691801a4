//! JSON as a value: what one tool wrote and another reads.
//!
//! ```text
//! {"median_ms": 0.5, "runs": 40, "checksums": [{"count": 3}]}
//! value.get("median_ms").and_then(Json::number)      Some(0.5)
//! value.at("checksums").list()[0].at("count")        3
//! ```
//!
//! Numbers are `f64`, objects keep the order of their members, and printing gives text that reads back as the same value. It declines
//! what JSON has not: comments, infinities, commas at the end.

use crate::json::quoted;
use std::fmt;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// Members in their order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one value; what is wrong is said with the place in bytes.
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.blank();
        match reader.rest().is_empty() {
            true => Ok(value),
            false => Err(reader.wrong("the end")),
        }
    }

    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// A member, or null.
    pub fn at(&self, name: &str) -> &Json {
        self.get(name).unwrap_or(&Json::Null)
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Json::Number(x) => Some(*x),
            _ => None,
        }
    }

    /// The string, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(s) => Some(s),
            _ => None,
        }
    }

    /// The elements; none where it is no array.
    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    /// The value on lines of its own, indented: objects and arrays of objects are broken, everything else stays on its line.
    pub fn lines(&self) -> String {
        let mut out = String::new();
        self.write_lines(0, &mut out);
        out + "\n"
    }

    fn write_lines(&self, depth: usize, out: &mut String) {
        let (open, close, items): (_, _, Vec<(Option<&str>, &Json)>) = match self {
            Json::Object(members) if members.iter().any(|(_, v)| v.is_broken()) || depth == 0 => {
                ("{", "}", members.iter().map(|(n, v)| (Some(n.as_str()), v)).collect())
            }
            Json::List(items) if self.is_broken() => ("[", "]", items.iter().map(|v| (None, v)).collect()),
            flat => return out.push_str(&flat.to_string()),
        };
        let pad = " ".repeat(depth + 1);
        out.push_str(open);
        for (k, (name, value)) in items.iter().enumerate() {
            out.push_str(if k == 0 { "\n" } else { ",\n" });
            out.push_str(&pad);
            if let Some(name) = name {
                out.push_str(&format!("{}: ", quoted(name)));
            }
            value.write_lines(depth + 1, out);
        }
        out.push('\n');
        out.push_str(&pad[1..]);
        out.push_str(close);
    }

    fn is_broken(&self) -> bool {
        match self {
            Json::List(items) => items.iter().any(|i| matches!(i, Json::Object(_))),
            Json::Object(members) => members.iter().any(|(_, v)| v.is_broken()),
            _ => false,
        }
    }
}

impl From<f64> for Json {
    /// JSON has no infinities and no NaN: they become strings.
    fn from(x: f64) -> Json {
        if x.is_finite() { Json::Number(x) } else { Json::Text(x.to_string()) }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_string())
    }
}

impl From<bool> for Json {
    fn from(b: bool) -> Json {
        Json::Bool(b)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Json {
        Json::List(items.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => write!(f, "null"),
            Json::Bool(b) => write!(f, "{b}"),
            Json::Number(x) => write!(f, "{x}"),
            Json::Text(s) => write!(f, "{}", quoted(s)),
            Json::List(items) => {
                let items: Vec<String> = items.iter().map(Json::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Json::Object(members) => {
                let members: Vec<String> = members.iter().map(|(n, v)| format!("{}: {v}", quoted(n))).collect();
                write!(f, "{{{}}}", members.join(", "))
            }
        }
    }
}

/// Deeper nesting is refused, so that no text exhausts the stack.
const DEEPEST: usize = 128;

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn wrong(&self, wanted: &str) -> String {
        format!("expected {wanted} at byte {}", self.at)
    }

    fn takes(&mut self, word: &str) -> bool {
        self.blank();
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        self.blank();
        if depth > DEEPEST {
            return Err(format!("more than {DEEPEST} levels at byte {}", self.at));
        }
        match self.rest().chars().next() {
            Some('{') => {
                let mut members = Vec::new();
                self.items('{', '}', |reader| {
                    let name = reader.string()?;
                    if !reader.takes(":") {
                        return Err(reader.wrong("`:`"));
                    }
                    members.push((name, reader.value(depth + 1)?));
                    Ok(())
                })?;
                Ok(Json::Object(members))
            }
            Some('[') => {
                let mut items = Vec::new();
                self.items('[', ']', |reader| {
                    items.push(reader.value(depth + 1)?);
                    Ok(())
                })?;
                Ok(Json::List(items))
            }
            Some('"') => self.string().map(Json::Text),
            _ if self.takes("null") => Ok(Json::Null),
            _ if self.takes("true") => Ok(Json::Bool(true)),
            _ if self.takes("false") => Ok(Json::Bool(false)),
            _ => self.numeral(),
        }
    }

    fn items(
        &mut self,
        open: char,
        close: char,
        mut one: impl FnMut(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        self.at += open.len_utf8();
        let close = close.to_string();
        if self.takes(&close) {
            return Ok(());
        }
        loop {
            one(self)?;
            if self.takes(&close) {
                return Ok(());
            }
            if !self.takes(",") {
                return Err(self.wrong(&format!("`,` or `{close}`")));
            }
        }
    }

    fn numeral(&mut self) -> Result<Json, String> {
        let rest = self.rest();
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        let plain = rest.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        match rest[..end].parse::<f64>() {
            Ok(x) if plain && x.is_finite() => {
                self.at += end;
                Ok(Json::Number(x))
            }
            _ => Err(self.wrong("a value")),
        }
    }

    fn string(&mut self) -> Result<String, String> {
        if !self.takes("\"") {
            return Err(self.wrong("a string"));
        }
        let mut out = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else { return Err(self.wrong("the end of a string")) };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(out),
                '\\' => out.push(self.escaped()?),
                c if (c as u32) < 0x20 => return Err(self.wrong("no control character in a string")),
                c => out.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        let Some(c) = self.rest().chars().next() else { return Err(self.wrong("an escaped character")) };
        self.at += c.len_utf8();
        Ok(match c {
            '"' | '\\' | '/' => c,
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let high = self.four_digits()?;
                let whole = match high {
                    0xd800..=0xdbff if self.rest().starts_with("\\u") => {
                        self.at += 2;
                        let low = self.four_digits()?;
                        0x10000 + ((high - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff)
                    }
                    other => other,
                };
                char::from_u32(whole).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(self.wrong("a known escape")),
        })
    }

    fn four_digits(&mut self) -> Result<u32, String> {
        let digits = self.rest().get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let value = digits.and_then(|d| u32::from_str_radix(d, 16).ok()).ok_or_else(|| self.wrong("four digits"))?;
        self.at += 4;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_and_print() {
        let check = |text: &str, printed: &str| {
            let value = Json::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(value.to_string(), printed);
            assert_eq!(Json::parse(&value.to_string()), Ok(value.clone()));
            assert_eq!(Json::parse(&value.lines()), Ok(value));
        };
        check(" [1, -2.5e3 , true,null,false]", "[1, -2500, true, null, false]");
        check(r#"{"a":{"b":[]}, "c":{}}"#, r#"{"a": {"b": []}, "c": {}}"#);
        check(r#""é\n\"\\\u0041\ud83d\ude00""#, r#""é\n\"\\A😀""#);
        check("0.1", "0.1");
        check(r#"[{"x": [{"y": 1}]}, 2]"#, r#"[{"x": [{"y": 1}]}, 2]"#);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let check = |text: &str, wanted: &str| assert_eq!(Json::parse(text), Err(wanted.to_string()), "{text}");
        check("", "expected a value at byte 0");
        check("[1, ]", "expected a value at byte 4");
        check("[1 2]", "expected `,` or `]` at byte 3");
        check("{\"a\" 1}", "expected `:` at byte 5");
        check("{a: 1}", "expected a string at byte 1");
        check("1 2", "expected the end at byte 2");
        check("\"ab", "expected the end of a string at byte 3");
        check("NaN", "expected a value at byte 0");
        check("+1", "expected a value at byte 0");
        check(&"[".repeat(200), "more than 128 levels at byte 129");
    }

    #[test]
    fn members_and_elements() {
        let value = Json::parse(r#"{"a": [3, "x"]}"#).expect("JSON");
        assert_eq!(value.at("a").list()[0].number(), Some(3.0));
        assert_eq!(value.at("a").list()[1].text(), Some("x"));
        assert_eq!(value.at("b"), &Json::Null);
        assert_eq!(Json::from(f64::NAN), Json::Text("NaN".to_string()));
    }
}
