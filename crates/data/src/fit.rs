//! Which columns of a file make up the wanted type, and whether their types are the wanted ones.
//!
//! All of this is decided from the schema, before any data are read, so that a file without rows is judged like any other.
//!
//! ```text
//! x: double, y: double, id: int64     []point  (record with x, y)     columns x and y
//!                                     [](f64, f64, i64)               all, in order
//!                                     []f64                           T0724: name one, file:x
//! file:id                             []i32                           T0723: i64 in the file
//! ```
//!
//! Declines to convert: not even a number to a wider one.

use crate::describe::{Shape, describe, shape};
use crate::error::{DataError, list};
use arrow_schema::{DataType, Schema};
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

/// What a row of the file is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// One column, which holds the whole.
    Whole(usize),
    /// A column for each part of a tuple or record.
    Parts(Vec<usize>),
}

impl Selection {
    /// The columns that are needed, in the order of the file.
    pub(crate) fn columns(&self) -> Vec<usize> {
        match self {
            Selection::Whole(one) => vec![*one],
            Selection::Parts(parts) => {
                let mut columns = parts.clone();
                columns.sort_unstable();
                columns.dedup();
                columns
            }
        }
    }
}

/// Refuses types that no file holds.
pub(crate) fn readable(wanted: &Surface, file: &str) -> Result<(), DataError> {
    match foreign_part(wanted) {
        None => Ok(()),
        Some(what) => Err(DataError::new("T0729", format!("`{file}` cannot be read as {wanted}: {what}"))
            .hint("write the value on the command line, or pass numbers and make it of them in the program")),
    }
}

/// What in a type has no form in data files.
pub(crate) fn foreign_part(surface: &Surface) -> Option<String> {
    match surface {
        Surface::Scalar(_) => None,
        Surface::Array(element) => foreign_part(element),
        Surface::Enum { name, .. } => Some(format!("values of the enum `{name}` have no form in data files")),
        Surface::Tuple(parts) if parts.is_empty() => Some("a tuple without parts has no form in data files".into()),
        Surface::Record { name, fields } if fields.is_empty() => {
            Some(format!("the record `{name}` without fields has no form in data files"))
        }
        Surface::Tuple(parts) => parts.iter().find_map(foreign_part),
        Surface::Record { fields, .. } => fields.iter().find_map(|(_, part)| foreign_part(part)),
    }
}

/// The columns for rows of type `row`, judged by the schema.
pub(crate) fn select(
    schema: &Schema,
    wanted: &Surface,
    column: Option<&str>,
    file: &str,
) -> Result<Selection, DataError> {
    let row = row_of(wanted);
    let selection = choose(schema, row, wanted, column, file)?;
    let whole = matches!(selection, Selection::Whole(_));
    let parts = if whole { vec![row] } else { parts_of(row) };
    let columns = match &selection {
        Selection::Whole(one) => std::slice::from_ref(one),
        Selection::Parts(many) => many,
    };
    for (index, part) in columns.iter().zip(parts) {
        let field = schema.field(*index);
        if let Err(at) = fits(field.data_type(), part) {
            let rows = if matches!(wanted, Surface::Array(_)) { "[]" } else { "" };
            return Err(misfit(&at, field.name(), field.data_type(), part, rows, file));
        }
    }
    Ok(selection)
}

/// The type of a row.
pub(crate) fn row_of(wanted: &Surface) -> &Surface {
    match wanted {
        Surface::Array(element) => element,
        other => other,
    }
}

/// The types of the parts of a row.
pub(crate) fn parts_of(row: &Surface) -> Vec<&Surface> {
    match row {
        Surface::Tuple(parts) => parts.iter().collect(),
        Surface::Record { fields, .. } => fields.iter().map(|(_, part)| part).collect(),
        _ => Vec::new(),
    }
}

fn choose(
    schema: &Schema,
    row: &Surface,
    wanted: &Surface,
    column: Option<&str>,
    file: &str,
) -> Result<Selection, DataError> {
    let count = schema.fields().len();
    if count == 0 {
        return Err(DataError::new("T0724", format!("`{file}` has no columns")));
    }
    if let Some(name) = column {
        return find(schema, name, file).map(Selection::Whole);
    }
    let only_is_struct = count == 1 && matches!(shape(schema.field(0).data_type()), Shape::Struct(_));
    match row {
        Surface::Record { fields, .. } => {
            let has = |name: &str| schema.fields().iter().any(|field| field.name() == name);
            if only_is_struct && !fields.iter().all(|(name, _)| has(name)) {
                return Ok(Selection::Whole(0));
            }
            fields.iter().map(|(name, _)| find(schema, name, file)).collect::<Result<_, _>>().map(Selection::Parts)
        }
        Surface::Tuple(parts) if parts.len() == count => Ok(Selection::Parts((0..count).collect())),
        _ if only_is_struct => Ok(Selection::Whole(0)),
        Surface::Tuple(parts) => {
            let title = format!("`{file}` has {}, and {wanted} takes {}", columns(count), columns(parts.len()));
            Err(DataError::new("T0724", title).note(names(schema)).hint(format!(
                "leave only the {} in the file, or declare a record, which takes columns by their names",
                columns(parts.len())
            )))
        }
        _ if count == 1 => Ok(Selection::Whole(0)),
        _ => {
            let first = schema.field(0).name();
            Err(DataError::new("T0724", format!("`{file}` has {}, and one is wanted for {wanted}", columns(count)))
                .note(names(schema))
                .hint(format!("name one of them: `{file}:{first}`")))
        }
    }
}

fn columns(count: usize) -> String {
    if count == 1 { "1 column".into() } else { format!("{count} columns") }
}

fn names(schema: &Schema) -> String {
    let all: Vec<_> =
        schema.fields().iter().map(|f| format!("`{}`: []{}", f.name(), describe(f.data_type()))).collect();
    format!("its columns are {}", list(&all))
}

fn find(schema: &Schema, name: &str, file: &str) -> Result<usize, DataError> {
    let mut found = schema.fields().iter().enumerate().filter(|(_, field)| field.name() == name);
    match (found.next(), found.next()) {
        (Some((index, _)), None) => Ok(index),
        (Some(_), Some(_)) => Err(DataError::new("T0724", format!("`{file}` has two columns `{name}`"))
            .hint("give one of them another name in the file")),
        (None, _) => {
            let error = DataError::new("T0724", format!("`{file}` has no column `{name}`")).note(names(schema));
            let alike = schema.fields().iter().find(|field| field.name().eq_ignore_ascii_case(name.trim()));
            Err(match alike {
                Some(field) => error.hint(format!("did you mean `{}`?", field.name())),
                None => error,
            })
        }
    }
}

/// Where two types differ: the path below the column, what is there, and what is wanted there.
struct Difference<'a> {
    path: String,
    found: &'a DataType,
    wanted: &'a Surface,
}

fn fits<'a>(found: &'a DataType, wanted: &'a Surface) -> Result<(), Difference<'a>> {
    let here = || Difference { path: String::new(), found, wanted };
    let below = |step: &str, result: Result<(), Difference<'a>>| {
        result.map_err(|d| Difference { path: format!("{step}{}", d.path), ..d })
    };
    match (shape(found), wanted) {
        (Shape::Scalar(scalar), Surface::Scalar(want)) if scalar == *want => Ok(()),
        (Shape::Bytes, Surface::Array(element)) if **element == Surface::Scalar(ScalarType::U8) => Ok(()),
        (Shape::List(item), Surface::Array(element)) => below("[]", fits(item.data_type(), element)),
        (Shape::Struct(fields), Surface::Record { fields: wants, .. }) => {
            for (name, want) in wants {
                let mut same = fields.iter().filter(|field| field.name() == name);
                let field = same.next().filter(|_| same.next().is_none()).ok_or_else(here)?;
                below(&format!(".{name}"), fits(field.data_type(), want))?;
            }
            Ok(())
        }
        (Shape::Struct(fields), Surface::Tuple(wants)) if fields.len() == wants.len() => {
            for (field, want) in fields.iter().zip(wants) {
                below(&format!(".{}", field.name()), fits(field.data_type(), want))?;
            }
            Ok(())
        }
        _ => Err(here()),
    }
}

fn misfit(at: &Difference, column: &str, whole: &DataType, wanted: &Surface, rows: &str, file: &str) -> DataError {
    let place = format!("{column}{}", at.path);
    if let Shape::Foreign(what, hint) = shape(at.found) {
        return DataError::new("T0726", format!("column `{place}` of `{file}` holds {what}, which cannot be read"))
            .note(format!("its type in the file is {}", at.found))
            .hint(hint);
    }
    let title = format!("column `{column}` of `{file}` holds {rows}{}, and {rows}{wanted} is wanted", describe(whole));
    let mut error = DataError::new("T0723", title);
    if !at.path.is_empty() {
        error =
            error.note(format!("they differ at `{place}`: {} in the file, {} wanted", describe(at.found), at.wanted));
    }
    if let Surface::Record { name, fields } = at.wanted {
        let parts: Vec<_> = fields.iter().map(|(name, part)| format!("`{name}`: {part}")).collect();
        error = error.note(format!("the fields of `{name}` are {}", list(&parts)));
    }
    match (shape(at.found), at.wanted) {
        (Shape::Scalar(found), Surface::Scalar(want)) if want.is_number() => error.hint(format!(
            "nothing is converted silently: declare the parameter with {found} and write `{want}(x)` in the program, or convert the file"
        )),
        (Shape::List(_), Surface::Scalar(_)) => error.hint("a column of lists is an array of arrays"),
        (Shape::Bytes, _) => error.hint("text is read as []u8, the bytes of its letters"),
        (Shape::Struct(_), Surface::Tuple(_)) => error.hint("a struct fits a tuple of as many parts, or a record"),
        _ => error,
    }
}
