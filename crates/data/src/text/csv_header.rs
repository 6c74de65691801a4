//! Which columns of a CSV file make up the wanted type, and whether its first line names them.
//!
//! ```text
//! wanted []{x: f64, y: f64}     the first line holds the names; x and y are looked up there
//! wanted [](f64, f64)           the first line is a header if none of its two fields is a number
//! wanted [](i64, []u8)          the first line is a header if its first field is no number
//! ```
//!
//! A line that is half right is data, and its wrong field a message: nothing is skipped silently because of a typing mistake.
//!
//! Declines to find headers above columns of text alone, where every line looks alike: name the column, or declare a record.

use crate::error::{DataError, list};
use crate::fit::row_of;
use crate::text::csv::{Fields, Next};
use crate::text::number;
use std::borrow::Cow;
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

/// How lines are read.
pub(crate) enum Plan {
    /// Each has the same columns.
    Columns(Columns),
    /// Each is a row of its own length.
    Ragged,
}

/// The columns of every line.
pub(crate) struct Columns {
    /// For each column of the file, which part of a row it is.
    pub(crate) places: Vec<Option<usize>>,
    /// Their names: of the header, or numbers from 0.
    pub(crate) names: Vec<String>,
}

fn is_text(surface: &Surface) -> bool {
    matches!(surface, Surface::Array(element) if **element == Surface::Scalar(ScalarType::U8))
}

/// Whether a field could hold this.
fn is_plain(surface: &Surface) -> bool {
    matches!(surface, Surface::Scalar(_)) || is_text(surface)
}

/// Whether a field is a number, where one is wanted and something stands.
fn is_number(surface: &Surface, field: &[u8]) -> Option<bool> {
    match (surface, field.trim_ascii()) {
        (_, []) => None,
        (Surface::Scalar(ty), field) => Some(number::parse(*ty, field, &mut Vec::new()) != Err(number::Wrong::Other)),
        _ => None,
    }
}

/// Whether a line is a header: words where numbers are wanted, and not one number.
fn is_header<'s>(parts: impl Iterator<Item = &'s Surface>, line: &[Cow<'_, [u8]>]) -> bool {
    let found: Vec<bool> = parts.zip(line).filter_map(|(part, field)| is_number(part, field)).collect();
    !found.is_empty() && !found.contains(&true)
}

/// The next line, without passing it; none at the end.
fn peek<'a>(fields: &mut Fields<'_, 'a>) -> Result<Option<Vec<Cow<'a, [u8]>>>, DataError> {
    let (at, line) = (fields.at, fields.line);
    while fields.blank_line() {}
    if fields.is_at_end() {
        (fields.at, fields.line) = (at, line);
        return Ok(None);
    }
    let found = one_line(fields);
    (fields.at, fields.line) = (at, line);
    found.map(Some)
}

/// The fields of the line that begins here.
pub(crate) fn one_line<'a>(fields: &mut Fields<'_, 'a>) -> Result<Vec<Cow<'a, [u8]>>, DataError> {
    let mut found = Vec::new();
    loop {
        let (field, next) = fields.field()?;
        found.push(field);
        if next == Next::Line {
            return Ok(found);
        }
    }
}

fn pass_header(fields: &mut Fields) -> Result<(), DataError> {
    while fields.blank_line() {}
    one_line(fields).map(|_| ())
}

pub(crate) fn names_of(first: &[Cow<'_, [u8]>]) -> Vec<String> {
    first.iter().map(|field| String::from_utf8_lossy(field.trim_ascii()).into_owned()).collect()
}

fn refuse(file: &str, wanted: &Surface, what: &Surface) -> DataError {
    DataError::new("T0723", format!("`{file}` holds lines of fields, and {wanted} is wanted"))
        .note(format!("a field is one number or one text, and no {what}"))
        .hint("JSON lines (`.jsonl`), Arrow and Parquet hold arrays in arrays and records in records")
}

/// How the lines of a file become rows of the wanted type.
pub(crate) fn plan(fields: &mut Fields, wanted: &Surface, column: Option<&str>) -> Result<Plan, DataError> {
    let (row, file) = (row_of(wanted), fields.input.name);
    if column.is_none() {
        match row {
            Surface::Array(element) if !is_text(row) => {
                if !is_plain(element) {
                    return Err(refuse(file, wanted, element));
                }
                // Nothing but words above rows of numbers.
                let starts_blank = matches!(fields.input.bytes.first(), Some(b'\n' | b'\r'));
                if let Some(first) = peek(fields)?.filter(|_| !starts_blank)
                    && is_header(std::iter::repeat(&**element), &first)
                {
                    pass_header(fields)?;
                }
                return Ok(Plan::Ragged);
            }
            Surface::Record { fields: parts, .. } => return by_name(fields, wanted, parts).map(Plan::Columns),
            Surface::Tuple(parts) => return in_order(fields, wanted, parts).map(Plan::Columns),
            _ => {}
        }
    }
    if !is_plain(row) {
        return Err(refuse(file, wanted, row));
    }
    let Some(first) = peek(fields)? else {
        let names = column.map(str::to_string).into_iter().collect();
        return match column {
            Some(name) => Err(DataError::new("T0724", format!("`{file}` is empty and has no column `{name}`"))),
            None => Ok(Plan::Columns(Columns { places: vec![Some(0)], names })),
        };
    };
    let count = first.len();
    let (at, named) = match column {
        None if count == 1 => (0, false),
        None => {
            let error =
                DataError::new("T0724", format!("`{file}` has {count} columns, and one is wanted for {wanted}"));
            let names = names_of(&first);
            return Err(error.note(shown(&names)).hint(format!("name one of them: `{file}:{}`", names[0])));
        }
        Some(name) => match find(&first, name, file) {
            Ok(at) => (at, true),
            Err(error) => match name.parse::<usize>() {
                Ok(at) if at < count => (at, false),
                _ => return Err(error),
            },
        },
    };
    if named || is_header([row].into_iter(), &first[at..=at]) {
        pass_header(fields)?;
    }
    let names = if named { names_of(&first) } else { (0..count).map(|k| k.to_string()).collect() };
    let places = (0..count).map(|k| (k == at).then_some(0)).collect();
    Ok(Plan::Columns(Columns { places, names }))
}

fn shown(names: &[String]) -> String {
    let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("its first line reads {}", list(&all))
}

fn find(first: &[Cow<'_, [u8]>], name: &str, file: &str) -> Result<usize, DataError> {
    let names = names_of(first);
    let mut found = names.iter().enumerate().filter(|(_, n)| *n == name);
    match (found.next(), found.next()) {
        (Some((at, _)), None) => Ok(at),
        (Some(_), Some(_)) => Err(DataError::new("T0724", format!("`{file}` has two columns `{name}`"))
            .hint("give one of them another name in the file")),
        (None, _) => {
            let error = DataError::new("T0724", format!("`{file}` has no column `{name}`")).note(shown(&names));
            Err(match names.iter().find(|other| other.eq_ignore_ascii_case(name.trim())) {
                Some(alike) => error.hint(format!("did you mean `{alike}`?")),
                None => error,
            })
        }
    }
}

fn by_name(fields: &mut Fields, wanted: &Surface, parts: &[(String, Surface)]) -> Result<Columns, DataError> {
    let file = fields.input.name;
    if let Some((_, part)) = parts.iter().find(|(_, part)| !is_plain(part)) {
        return Err(refuse(file, wanted, part));
    }
    let Some(first) = peek(fields)? else {
        let names: Vec<String> = parts.iter().map(|(name, _)| format!("`{name}`")).collect();
        return Err(DataError::new("T0724", format!("`{file}` is empty, and a first line with names is wanted"))
            .note(format!("a record takes columns by their names, here {}", list(&names))));
    };
    let mut places = vec![None; first.len()];
    for (part, (name, _)) in parts.iter().enumerate() {
        let at = find(&first, name, file).map_err(|error| {
            let fits = first.len() == parts.len() && !is_header(parts.iter().map(|(_, part)| part), &first);
            match &error.hint {
                None if fits => error.hint("without a line of names, declare a tuple: it takes the columns in order"),
                _ => error,
            }
        })?;
        places[at] = Some(part);
    }
    pass_header(fields)?;
    Ok(Columns { places, names: names_of(&first) })
}

fn in_order(fields: &mut Fields, wanted: &Surface, parts: &[Surface]) -> Result<Columns, DataError> {
    let file = fields.input.name;
    if let Some(part) = parts.iter().find(|part| !is_plain(part)) {
        return Err(refuse(file, wanted, part));
    }
    let mut names: Vec<String> = (0..parts.len()).map(|k| k.to_string()).collect();
    let places = (0..parts.len()).map(Some).collect();
    if let Some(first) = peek(fields)? {
        if first.len() != parts.len() {
            let title = format!("`{file}` has {} columns, and {wanted} takes {} of them", first.len(), parts.len());
            return Err(DataError::new("T0724", title)
                .note(shown(&names_of(&first)))
                .hint("declare a record, which takes columns by their names, or as many parts as there are columns"));
        }
        if is_header(parts.iter(), &first) {
            names = names_of(&first);
            pass_header(fields)?;
        }
    }
    Ok(Columns { places, names })
}
