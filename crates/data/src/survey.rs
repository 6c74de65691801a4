//! What a file holds, for somebody who has never seen it.
//!
//! ```text
//! survey("people.csv")     CSV, 3 columns
//!     name    [][]u8   2 rows of 3 to 8 bytes
//!     age     []i64
//!     height  []f64    2 missing values: no reader takes it
//! ```
//!
//! Binary files state their types; of text files they are inferred from every value (`text/infer.rs`). Then the columns are read as any
//! program would read them, so what a survey shows is what an entry gets.
//!
//! Declines to sample: it reads the whole file, because the one value that does not fit is what people look for.

use crate::budget::Budget;
use crate::column::{Column, Value};
use crate::describe::{describe, surface_of};
use crate::ending::Format;
use crate::error::{DataError, open, unreadable};
use crate::gather::Form;
use crate::text::csv::Fields;
use crate::text::csv_header::Columns;
use crate::text::{Input, csv, infer, infer_json, load, matrix_market, without_mark};
use crate::{grow, guard, ipc, npy, parquet_file, read_within, sound};
use std::path::Path;
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

/// What a file holds.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The format, as people call it.
    pub format: &'static str,
    /// The size of the file.
    pub bytes: u64,
    /// How many rows its columns have, where that is known.
    pub rows: Option<usize>,
    /// Its columns; one without a name where the format has none.
    pub columns: Vec<Surveyed>,
    /// The type of a parameter that takes all columns that can be read.
    pub whole: Option<Surface>,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Surveyed {
    /// Its name.
    pub name: String,
    /// Its type, if a program can take it.
    pub surface: Option<Surface>,
    /// What it holds; its only row is the value.
    pub value: Option<Column>,
    /// Why it has no type or no value.
    pub remark: Option<String>,
}

fn array(element: Surface) -> Surface {
    Surface::Array(Box::new(element))
}

/// Looks at a file, or at one column of it.
pub fn survey(path: &Path, column: Option<&str>) -> Result<Survey, DataError> {
    let format = Format::of(path)?;
    let name = path.display().to_string();
    let file = open(path)?;
    let bytes = file.metadata().map_err(|e| unreadable(&name, &e))?.len();
    let budget = Budget::of_this_machine();
    let mut columns = match format {
        Format::Npy => vec![one(path, npy::read::type_of(file, &name)?)],
        Format::Arrow | Format::Parquet => {
            let schema = guard::against_damage(&name, || match format {
                Format::Arrow => ipc::schema(file, &name, budget),
                _ => parquet_file::schema(file, &name),
            })?;
            let wanted = |field: &str| column.is_none_or(|column| column == field);
            let fields = schema.fields().iter().filter(|field| wanted(field.name()));
            fields
                .map(|field| match surface_of(field.data_type(), field.name()) {
                    Some(surface) => taken(path, field.name(), array(surface), Some(field.name())),
                    None => refused(field.name(), describe(field.data_type())),
                })
                .collect()
        }
        _ => {
            let all = load(file, &name, &budget)?;
            let mut input = Input::new(&name, without_mark(&all, format), budget.in_columns());
            texts(path, format, &mut input)?
        }
    };
    if let Some(wanted) = column {
        let names: Vec<String> = columns.iter().map(|column| format!("`{}`", column.name)).collect();
        columns.retain(|column| column.name == wanted);
        if columns.is_empty() {
            let error = DataError::new("T0724", format!("`{name}` has no column `{wanted}`"));
            return Err(if names.is_empty() || names == ["``"] {
                error
            } else {
                error.note(format!("its columns are {}", crate::error::list(&names)))
            });
        }
    }
    let rows = columns.iter().find_map(|column| match (&column.surface, &column.value) {
        (Some(Surface::Array(_)), Some(Column::Equal(rows, _))) => Some(*rows),
        _ => None,
    });
    Ok(Survey { format: format.name(), bytes, rows, whole: whole(&columns), columns })
}

/// The type that takes all columns.
fn whole(columns: &[Surveyed]) -> Option<Surface> {
    if let [only, ..] = columns
        && (columns.len() == 1 || only.name.is_empty())
    {
        return only.surface.clone();
    }
    let row = |surface: &Surface| match surface {
        Surface::Array(element) => Some((**element).clone()),
        _ => None,
    };
    let fields: Vec<(String, Surface)> =
        columns.iter().filter_map(|c| Some((c.name.clone(), row(c.surface.as_ref()?)?))).collect();
    (!fields.is_empty()).then(|| array(Surface::Record { name: "row".to_string(), fields }))
}

fn refused(name: &str, why: String) -> Surveyed {
    Surveyed { name: name.to_string(), surface: None, value: None, remark: Some(why) }
}

fn kept(name: &str, surface: Surface, value: Column) -> Surveyed {
    Surveyed { name: name.to_string(), surface: Some(surface), value: Some(value), remark: None }
}

/// A column that is read as everybody reads it.
fn taken(path: &Path, name: &str, surface: Surface, column: Option<&str>) -> Surveyed {
    let read = read_within(path, &surface, column, Budget::of_this_machine(), Form::Flat, None);
    let value = read.and_then(|value| match value {
        Value::Column(column) => Ok(column),
        Value::Data(data) => grow::column_of(&data, &surface),
    });
    match value {
        Ok(value) => kept(name, surface, value),
        Err(e) => {
            let surface = Some(surface).filter(|_| e.code != "T0725");
            Surveyed { name: name.to_string(), surface, value: None, remark: Some(e.title) }
        }
    }
}

fn one(path: &Path, surface: Surface) -> Surveyed {
    taken(path, "", surface, None)
}

fn texts(path: &Path, format: Format, input: &mut Input) -> Result<Vec<Surveyed>, DataError> {
    match format {
        Format::Csv | Format::Tsv => {
            let delimiter = if format == Format::Csv { b',' } else { b'\t' };
            table(path, input, delimiter)
        }
        Format::JsonLines | Format::Json => documents(path, input, format == Format::JsonLines),
        Format::MatrixMarket => {
            let head = matrix_market::head(input)?;
            let number = Surface::Scalar(if head.integer { ScalarType::I64 } else { ScalarType::F64 });
            let mut parts = vec![Surface::Scalar(ScalarType::I32)];
            parts.extend(vec![number.clone(); head.numbers]);
            let entry = match (head.dense, head.numbers) {
                (true, 1) => number,
                (true, _) => Surface::Tuple(parts[1..].to_vec()),
                (false, 0) => Surface::Scalar(ScalarType::I32),
                (false, _) => Surface::Tuple(parts),
            };
            Ok(vec![one(path, array(array(entry)))])
        }
        Format::Wav => {
            let sound = sound::parse(input)?;
            let sample = array(Surface::Scalar(sound.sample()));
            let rate = taken(path, "rate", Surface::Scalar(ScalarType::I64), Some("rate"));
            Ok(vec![one(path, if sound.channels == 1 { sample } else { array(sample) }), rate])
        }
        Format::Fasta | Format::Fastq => {
            let names =
                if format == Format::Fasta { &["name", "sequence"][..] } else { &["name", "sequence", "quality"] };
            Ok(names
                .iter()
                .map(|name| taken(path, name, array(array(Surface::Scalar(ScalarType::U8))), Some(name)))
                .collect())
        }
        _ => Ok(vec![one(path, array(array(Surface::Scalar(ScalarType::U8))))]),
    }
}

fn table(path: &Path, input: &mut Input, delimiter: u8) -> Result<Vec<Surveyed>, DataError> {
    let (start, columns, seen) = match infer::csv(input, delimiter)? {
        infer::Found::Ragged(surface) => return Ok(vec![one(path, surface)]),
        infer::Found::Table { start, columns, seen } => (start, columns, seen),
    };
    let Columns { mut places, names } = columns;
    let mut types = Vec::new();
    let mut found = Vec::new();
    for (k, (name, (kinds, missing))) in names.iter().zip(seen).enumerate() {
        let is_text = matches!(kinds.surface(), Some(Surface::Array(_)));
        match kinds.surface() {
            Some(surface) if missing == 0 || is_text => {
                places[k] = Some(types.len());
                types.push(surface.clone());
                found.push(Surveyed { name: name.clone(), surface: Some(array(surface)), value: None, remark: None });
            }
            Some(surface) => {
                found.push(refused(name, format!("{surface}, with {}", crate::text::missing_values(missing))))
            }
            None => found.push(refused(name, "no values".to_string())),
        }
    }
    let mut fields = Fields { input, delimiter, at: start.0, line: start.1 };
    let parts = csv::read_parts(&mut fields, &Columns { places, names }, &types)?;
    let readable = found.iter_mut().filter(|column| column.surface.is_some());
    readable.zip(parts).for_each(|(column, part)| column.value = Some(part));
    Ok(found)
}

fn documents(path: &Path, input: &mut Input, in_lines: bool) -> Result<Vec<Surveyed>, DataError> {
    let seen = infer_json::json(input, in_lines)?;
    let mut remarks = Vec::new();
    let surface = seen.surface("", &mut remarks);
    let others = |prefix: &str| {
        let short = remarks.iter().map(|(place, what)| (place.strip_prefix(prefix).unwrap_or(place), what));
        short.map(|(place, what)| refused(place.trim_start_matches('.'), what.clone())).collect::<Vec<_>>()
    };
    let Some(surface) = surface else { return Ok(others("[]")) };
    let mut all = one(path, surface.clone());
    // A table of objects is shown as its columns.
    let mut columns = match (&surface, all.value.take()) {
        (Surface::Array(row), Some(Column::Equal(count, rows))) => match (&**row, *rows) {
            (Surface::Record { fields, .. }, Column::Parts(parts)) => {
                let each = fields.iter().zip(parts);
                each.map(|((name, part), column)| {
                    kept(name, array(part.clone()), Column::Equal(count, Box::new(column)))
                })
                .collect()
            }
            (_, rows) => vec![kept("", surface.clone(), Column::Equal(count, Box::new(rows)))],
        },
        (_, value) => {
            all.value = value;
            vec![all]
        }
    };
    columns.extend(others("[]"));
    Ok(columns)
}

/// How long the rows of a ragged column are, at one depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Lengths {
    /// How many rows there are.
    pub rows: usize,
    /// The shortest.
    pub least: usize,
    /// Half of them are at most as long.
    pub median: usize,
    /// Elements per row.
    pub mean: f64,
    /// The longest.
    pub greatest: usize,
    /// Rows without elements.
    pub empty: usize,
    /// How many rows have lengths from where to where.
    pub bars: Vec<Bar>,
}

/// Rows of similar lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The least length.
    pub from: usize,
    /// The greatest.
    pub to: usize,
    /// How many rows.
    pub rows: usize,
}

/// The lengths of the rows of a column, depth by depth, where they are not all alike.
pub fn lengths(column: &Column) -> Vec<Lengths> {
    let mut found = Vec::new();
    let mut inner = column;
    loop {
        inner = match inner {
            Column::Equal(_, inner) => inner,
            Column::Rows(offsets, inner) => {
                found.extend(measured(offsets));
                inner
            }
            Column::Parts(parts) if parts.len() == 1 => &parts[0],
            _ => return found,
        };
    }
}

/// Up to so many lengths have a bar each; more are put together by powers of two.
const SINGLE_BARS: usize = 12;

fn measured(offsets: &[i64]) -> Option<Lengths> {
    let mut lengths: Vec<usize> = offsets.windows(2).map(|pair| (pair[1] - pair[0]) as usize).collect();
    lengths.sort_unstable();
    let (least, greatest) = (*lengths.first()?, *lengths.last()?);
    let mut bars: Vec<Bar> = Vec::new();
    let mut next = if greatest - least < SINGLE_BARS { least } else { 0 };
    while next <= greatest {
        let width = if greatest - least < SINGLE_BARS { 1 } else { next.max(1) };
        let to = next.saturating_add(width - 1);
        let rows = lengths.partition_point(|l| *l <= to) - lengths.partition_point(|l| *l < next);
        bars.push(Bar { from: next, to: to.min(greatest), rows });
        next = to + 1;
    }
    let first = bars.iter().position(|bar| bar.rows > 0).unwrap_or(0);
    bars.drain(..first);
    Some(Lengths {
        rows: lengths.len(),
        least,
        median: lengths[(lengths.len() - 1) / 2],
        mean: lengths.iter().sum::<usize>() as f64 / lengths.len() as f64,
        greatest,
        empty: lengths.partition_point(|l| *l == 0),
        bars,
    })
}

/// A type in full: records by their fields.
pub fn spelled(surface: &Surface) -> String {
    let all = |parts: Vec<String>| parts.join(", ");
    match surface {
        Surface::Array(element) => format!("[]{}", spelled(element)),
        Surface::Tuple(parts) => format!("({})", all(parts.iter().map(spelled).collect())),
        Surface::Record { fields, .. } => {
            format!("{{{}}}", all(fields.iter().map(|(name, part)| format!("{name}: {}", spelled(part))).collect()))
        }
        other => other.to_string(),
    }
}

/// The lines of a program that declare the records of a type, and the type by their names; none where a name is not one of the language.
pub fn declarations(surface: &Surface) -> Option<(Vec<String>, String)> {
    let mut lines = Vec::new();
    let text = declared(surface, "row", &mut lines)?;
    Some((lines, text))
}

fn declared(surface: &Surface, name: &str, lines: &mut Vec<String>) -> Option<String> {
    let is_name = |text: &str| {
        let mut letters = text.chars();
        letters.next().is_some_and(|c| c.is_ascii_lowercase()) && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    Some(match surface {
        Surface::Array(element) => format!("[]{}", declared(element, name, lines)?),
        Surface::Tuple(parts) => {
            let parts: Option<Vec<String>> = parts.iter().map(|part| declared(part, name, lines)).collect();
            format!("({})", parts?.join(", "))
        }
        Surface::Record { fields, .. } => {
            let mut parts = Vec::new();
            for (field, part) in fields {
                if !is_name(field) {
                    return None;
                }
                parts.push(format!("{field}: {}", declared(part, &format!("{name}_{field}"), lines)?));
            }
            lines.push(format!("type {name} = {{{}}}", parts.join(", ")));
            name.to_string()
        }
        other => other.to_string(),
    })
}
