//! What type the values of a JSON file seem to have, for a survey.
//!
//! One pass, which gathers for every field and element what was seen there:
//!
//! ```text
//! {"x": 1, "tags": ["a"]} ⏎ {"x": 2.5, "tags": [], "y": null}
//!     x: f64, tags: [][]u8, and y has no type: it is missing or null
//! ```

use crate::error::DataError;
use crate::text::infer::Kinds;
use crate::text::json::{DEEPEST, Parser};
use crate::text::{Input, missing_values};
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

/// More names than this are data, not names.
const MOST_FIELDS: usize = 1000;

/// What was seen in one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    count: usize,
    nulls: usize,
    kinds: Kinds,
    arrays: usize,
    element: Option<Box<Seen>>,
    objects: usize,
    fields: Vec<(String, Seen)>,
}

impl Seen {
    fn value(&mut self, parser: &mut Parser, depth: usize) -> Result<(), DataError> {
        if depth > DEEPEST {
            return parser.skip(depth);
        }
        self.count += 1;
        match parser.peek() {
            b'[' => {
                self.arrays += 1;
                let element = self.element.get_or_insert_default();
                if parser.opens(b']') {
                    loop {
                        element.value(parser, depth + 1)?;
                        if !parser.goes_on(b']', "`,` or `]`")? {
                            break;
                        }
                    }
                }
                Ok(())
            }
            b'{' => self.object(parser, depth),
            b'"' => {
                parser.at += 1;
                self.kinds.text();
                parser.string().map(|_| ())
            }
            b'n' => {
                self.nulls += 1;
                parser.skip(depth)
            }
            b't' | b'f' => {
                self.kinds.truth();
                parser.skip(depth)
            }
            first @ (b'-' | b'0'..=b'9' | b'N' | b'I') => {
                let start = parser.at;
                parser.skip(depth)?;
                match first {
                    b'N' | b'I' => self.kinds.float(),
                    _ => self.kinds.word(&parser.input.bytes[start..parser.at]),
                }
                Ok(())
            }
            _ => Err(parser.wrong("a value")),
        }
    }

    fn object(&mut self, parser: &mut Parser, depth: usize) -> Result<(), DataError> {
        self.objects += 1;
        if !parser.opens(b'}') {
            return Ok(());
        }
        let mut expected = 0;
        loop {
            if parser.peek() != b'"' {
                return Err(parser.wrong("the name of a field"));
            }
            parser.at += 1;
            let name = parser.string()?;
            if parser.peek() != b':' {
                return Err(parser.wrong("`:`"));
            }
            parser.at += 1;
            let is = |k: &usize| self.fields.get(*k).is_some_and(|(field, _)| field.as_bytes() == &*name);
            let found = Some(expected).filter(is).or_else(|| (0..self.fields.len()).find(is));
            match found {
                None if self.fields.len() == MOST_FIELDS => parser.skip(depth)?,
                _ => {
                    let k = found.unwrap_or_else(|| {
                        self.fields.push((String::from_utf8_lossy(&name).into_owned(), Seen::default()));
                        self.fields.len() - 1
                    });
                    self.fields[k].1.value(parser, depth + 1)?;
                    expected = k + 1;
                }
            }
            if !parser.goes_on(b'}', "`,` or `}`")? {
                return Ok(());
            }
        }
    }

    /// The type that holds everything seen. What has none is left out and said in `remarks`, with its path.
    pub(crate) fn surface(&self, path: &str, remarks: &mut Vec<(String, String)>) -> Option<Surface> {
        let mut refuse = |what: String| {
            remarks.push((path.to_string(), what));
            None
        };
        if self.nulls > 0 {
            return refuse(missing_values(self.nulls));
        }
        let kinds = usize::from(!self.kinds.is_empty()) + usize::from(self.arrays > 0) + usize::from(self.objects > 0);
        if kinds > 1 || self.kinds.is_mixed() {
            return refuse("values of different kinds".to_string());
        }
        if self.arrays > 0 {
            let element = self.element.as_deref().filter(|element| element.count > 0);
            let element = match element {
                Some(element) => element.surface(&format!("{path}[]"), remarks)?,
                None => Surface::Scalar(ScalarType::F64),
            };
            return Some(Surface::Array(Box::new(element)));
        }
        if self.objects > 0 {
            let mut fields = Vec::new();
            for (name, seen) in &self.fields {
                let path = format!("{path}.{name}");
                let twice = self.fields.iter().filter(|(other, _)| other == name).count() > 1;
                match self.objects - seen.count.min(self.objects) {
                    0 if !twice => fields.extend(seen.surface(&path, remarks).map(|s| (name.clone(), s))),
                    0 => remarks.push((path, "its name stands twice".to_string())),
                    absent => remarks.push((path, missing_values(absent + seen.nulls))),
                }
            }
            let name = path.rsplit('.').next().unwrap_or_default().replace("[]", "");
            let name = if name.is_empty() { "row".to_string() } else { name };
            return (!fields.is_empty()).then_some(Surface::Record { name, fields });
        }
        self.kinds.surface()
    }
}

/// Looks at every value of a file.
pub(crate) fn json(input: &mut Input, in_lines: bool) -> Result<Seen, DataError> {
    let mut seen = Seen::default();
    let mut parser = Parser::new(input);
    if !in_lines {
        seen.value(&mut parser, 0)?;
        parser.end()?;
        return Ok(seen);
    }
    // Lines are the elements of an array.
    (seen.count, seen.arrays) = (1, 1);
    let row = seen.element.get_or_insert_default();
    while parser.peek() != 0 || parser.at < parser.input.bytes.len() {
        row.value(&mut parser, 0)?;
        parser.end_of_line()?;
    }
    Ok(seen)
}
