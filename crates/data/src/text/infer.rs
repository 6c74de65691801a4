//! What type the fields of a text seem to have, for a survey.
//!
//! Every value leaves a mark in a set, and the set names a type that holds them all:
//!
//! ```text
//! 1, 2, -3         i64           18446744073709551615        u64
//! 1, 2.5, nan      f64           true, false                 bool
//! 1, two           []u8          nothing at all              no type
//! ```
//!
//! Readers never ask this: a parameter has the type that its program states.

use crate::error::DataError;
use crate::text::Input;
use crate::text::csv::{Fields, Next};
use crate::text::csv_header::{Columns, names_of, one_line};
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

const BOOL: u8 = 1;
const NATURAL: u8 = 2;
const NEGATIVE: u8 = 4;
const BIG: u8 = 8;
const FLOAT: u8 = 16;
const TEXT: u8 = 32;

/// The kinds of scalars that were seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn truth(&mut self) {
        self.0 |= BOOL;
    }

    pub(crate) fn float(&mut self) {
        self.0 |= FLOAT;
    }

    pub(crate) fn text(&mut self) {
        self.0 |= TEXT;
    }

    /// A number, or else a text.
    pub(crate) fn word(&mut self, word: &[u8]) {
        let text = std::str::from_utf8(word).unwrap_or("?");
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        self.0 |= match text {
            _ if whole && text.parse::<i64>().is_ok_and(|x| x >= 0) => NATURAL,
            _ if whole && text.parse::<i64>().is_ok() => NEGATIVE,
            _ if whole && text.parse::<u64>().is_ok() => BIG,
            "true" | "false" | "True" | "False" | "TRUE" | "FALSE" => BOOL,
            _ if text.parse::<f64>().is_ok() => FLOAT,
            _ => TEXT,
        };
    }

    /// The type that holds everything seen; none where nothing was.
    pub(crate) fn surface(self) -> Option<Surface> {
        let text = Surface::Array(Box::new(Surface::Scalar(ScalarType::U8)));
        Some(match self.0 {
            0 => return None,
            BOOL => Surface::Scalar(ScalarType::Bool),
            kinds if kinds & (TEXT | BOOL) != 0 => text,
            kinds if kinds & FLOAT != 0 || kinds & (BIG | NEGATIVE) == BIG | NEGATIVE => {
                Surface::Scalar(ScalarType::F64)
            }
            kinds if kinds & BIG != 0 => Surface::Scalar(ScalarType::U64),
            _ => Surface::Scalar(ScalarType::I64),
        })
    }

    /// Whether there is more than one kind that no type holds together.
    pub(crate) fn is_mixed(self) -> bool {
        let groups = [BOOL, TEXT, NATURAL | NEGATIVE | BIG | FLOAT];
        groups.iter().filter(|group| self.0 & **group != 0).count() > 1
    }
}

/// What a CSV file seems to hold.
pub(crate) enum Found {
    /// Lines with the same columns: where the first line of data begins, the names, and what was seen in each.
    Table { start: (usize, usize), columns: Columns, seen: Vec<(Kinds, usize)> },
    /// Lines of any lengths.
    Ragged(Surface),
}

/// Looks at every field of a CSV file.
pub(crate) fn csv(input: &mut Input, delimiter: u8) -> Result<Found, DataError> {
    let mut fields = Fields { input, delimiter, at: 0, line: 1 };
    while fields.blank_line() {}
    let first_at = (fields.at, fields.line);
    let first = if fields.is_at_end() { Vec::new() } else { one_line(&mut fields)? };
    let second_at = (fields.at, fields.line);
    let see = |field: &[u8], to: &mut (Kinds, usize)| match field.trim_ascii() {
        [] => to.1 += 1,
        word => to.0.word(word),
    };
    let mut heads = vec![(Kinds::default(), 0); first.len()];
    first.iter().zip(&mut heads).for_each(|(field, to)| see(field, to));
    let mut seen: Vec<(Kinds, usize)> = vec![(Kinds::default(), 0); first.len()];
    let (mut all, mut ragged, mut lines) = (Kinds::default(), false, 0);
    while !fields.is_at_end() {
        if fields.blank_line() {
            continue;
        }
        lines += 1;
        let mut k = 0;
        loop {
            let (field, next) = fields.field()?;
            match seen.get_mut(k) {
                Some(to) => see(&field, to),
                None => ragged = true,
            }
            match field.trim_ascii() {
                [] => all.text(),
                word => all.word(word),
            }
            k += 1;
            if next == Next::Line {
                break;
            }
        }
        ragged |= k != seen.len();
        fields.input.steps.reach(fields.at as u64);
    }
    if ragged {
        // The first line belongs to them as well.
        heads.iter().for_each(|(kinds, empty)| {
            all.0 |= kinds.0 | if *empty > 0 { TEXT } else { 0 };
        });
        let element = all.surface().unwrap_or(Surface::Scalar(ScalarType::F64));
        return Ok(Found::Ragged(Surface::Array(Box::new(Surface::Array(Box::new(element))))));
    }
    let is_text = |kinds: &Kinds| kinds.0 & TEXT != 0;
    let differs =
        heads.iter().zip(&seen).any(|((head, _), (body, _))| is_text(head) && !body.is_empty() && !is_text(body));
    let names = names_of(&first);
    let mut distinct = names.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let words = heads.iter().all(|(head, empty)| is_text(head) && *empty == 0) && distinct.len() == names.len();
    let header = differs || (words && (names.len() > 1 || lines == 0));
    let names = if header { names } else { (0..first.len()).map(|k| k.to_string()).collect() };
    if !header {
        for ((kinds, empty), (head, missing)) in seen.iter_mut().zip(&heads) {
            kinds.0 |= head.0;
            *empty += missing;
        }
    }
    let columns = Columns { places: vec![None; names.len()], names };
    Ok(Found::Table { start: if header { second_at } else { first_at }, columns, seen })
}
