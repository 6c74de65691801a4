//! Batches of rows, one after the other, to one value: nested, or flat memory.
//!
//! A large file is never held twice: each batch is decoded and dropped before the next is read. After a missing value nothing is kept
//! any more, and the rest is read only to count:
//!
//! ```text
//! error[T0725]: column `height` of `people.parquet` has 3 missing values, the first in row 17
//! ```

use crate::append::{Appender, Builder};
use crate::budget::Budget;
use crate::column::{Column, Value};
use crate::decode::{Decoder, Nulls, Trouble, tuples};
use crate::describe::{Shape, shape};
use crate::error::{DataError, damaged};
use crate::fit::{Selection, parts_of, row_of};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};
use terrace_plan::data::Data;
use terrace_plan::surface::Surface;

/// What becomes of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A nested value.
    Nested,
    /// Flat memory, where the types allow it.
    Flat,
}

impl Form {
    /// The form that these columns get.
    pub(crate) fn of(self, wanted: &Surface, schema: &Schema, columns: &[usize]) -> Form {
        let plain = columns.iter().all(|at| has_no_dictionary(schema.field(*at).data_type()));
        if matches!(wanted, Surface::Array(_)) && plain { self } else { Form::Nested }
    }

    /// The budget for values of this form.
    pub(crate) fn budget(self, budget: Budget) -> Budget {
        if self == Form::Flat { budget.in_columns() } else { budget }
    }
}

fn has_no_dictionary(found: &DataType) -> bool {
    match (shape(found), found) {
        (_, DataType::Dictionary(..)) => false,
        (Shape::List(item), _) => has_no_dictionary(item.data_type()),
        (Shape::Struct(fields), _) => fields.iter().all(|field| has_no_dictionary(field.data_type())),
        _ => true,
    }
}

enum Kept {
    Nested(Vec<Data>),
    Flat(Builder),
}

impl Kept {
    fn nothing(form: Form, wanted: &Surface) -> Kept {
        match form {
            Form::Nested => Kept::Nested(Vec::new()),
            Form::Flat => Kept::Flat(Builder::new(row_of(wanted))),
        }
    }
}

/// The rows so far.
pub(crate) struct Gather<'a> {
    file: &'a str,
    schema: &'a Schema,
    wanted: &'a Surface,
    selection: &'a Selection,
    /// The columns that batches have, by their numbers in the file.
    present: Vec<usize>,
    budget: Budget,
    form: Form,
    /// Whether batches are parts of a mapped file.
    pub(crate) mapped: bool,
    kept: Kept,
    seen: usize,
    nulls: Option<(usize, Nulls)>,
}

impl<'a> Gather<'a> {
    pub(crate) fn new(
        file: &'a str,
        schema: &'a Schema,
        wanted: &'a Surface,
        selection: &'a Selection,
        present: Vec<usize>,
        budget: Budget,
        form: Form,
    ) -> Self {
        let form = form.of(wanted, schema, &present);
        let (budget, kept) = (form.budget(budget), Kept::nothing(form, wanted));
        Gather { file, schema, wanted, selection, present, budget, form, mapped: false, kept, seen: 0, nulls: None }
    }

    /// Adds the rows of a batch.
    pub(crate) fn push(&mut self, batch: &RecordBatch) -> Result<(), DataError> {
        let row = row_of(self.wanted);
        let parts: Vec<(usize, &Surface)> = match self.selection {
            Selection::Whole(column) => vec![(*column, row)],
            Selection::Parts(columns) => columns.iter().copied().zip(parts_of(row)).collect(),
        };
        let whole = matches!(self.selection, Selection::Whole(_));
        // After a missing value the rest is only counted.
        let mut kept = match self.nulls {
            None => std::mem::replace(&mut self.kept, Kept::Nested(Vec::new())),
            Some(_) => Kept::nothing(self.form, self.wanted),
        };
        match &mut kept {
            Kept::Nested(rows) => {
                let mut decoded = Vec::new();
                for (column, part) in parts {
                    let found = self.column(batch, column, |decoder, array| decoder.nested(array, part))?;
                    decoded.push(found.unwrap_or_default());
                }
                if whole {
                    rows.extend(decoded.pop().unwrap_or_default());
                } else {
                    self.budget.take(batch.num_rows() as u64, self.file)?;
                    rows.extend(tuples(batch.num_rows(), decoded));
                }
            }
            Kept::Flat(builder) => {
                let builders = match builder {
                    Builder::Parts(builders) if !whole => builders.as_mut_slice(),
                    one => std::slice::from_mut(one),
                };
                // What is not wanted would be held along with what is; of a mapped file, nothing is held.
                let lend = self.mapped || self.present.len() == self.schema.fields().len();
                for ((column, part), to) in parts.into_iter().zip(builders) {
                    self.column(batch, column, |decoder, array| decoder.flat(array, part, to, lend))?;
                }
            }
        }
        self.seen += batch.num_rows();
        if self.nulls.is_none() {
            self.kept = kept;
        }
        Ok(())
    }

    fn column<T>(
        &mut self,
        batch: &RecordBatch,
        column: usize,
        take: impl FnOnce(Taking<'_>, &dyn Array) -> Result<T, Trouble>,
    ) -> Result<Option<T>, DataError> {
        let at = self.present.iter().position(|present| *present == column).filter(|at| *at < batch.num_columns());
        let array = at.map(|at| batch.column(at)).ok_or_else(|| damaged(self.file, "a batch lacks a column"))?;
        let before = self.budget;
        let taken = take(Taking { file: self.file, budget: &mut self.budget }, array);
        if self.nulls.is_some() {
            self.budget = before;
        }
        match taken {
            Ok(taken) => Ok(Some(taken)),
            Err(Trouble::Other(error)) => Err(error),
            Err(Trouble::Nulls(found)) => {
                match &mut self.nulls {
                    None => self.nulls = Some((column, Nulls { row: found.row + self.seen, ..found })),
                    Some((known, nulls)) if *known == column && nulls.path == found.path => nulls.count += found.count,
                    Some(_) => {}
                }
                Ok(None)
            }
        }
    }

    /// The whole value.
    pub(crate) fn finish(self) -> Result<Value, DataError> {
        if let Some((column, nulls)) = self.nulls {
            let place = format!("{}{}", self.schema.field(column).name(), nulls.path);
            let values =
                if nulls.count == 1 { "1 missing value".into() } else { format!("{} missing values", nulls.count) };
            let first = if nulls.count == 1 { "" } else { "the first " };
            let title = format!("column `{place}` of `{}` has {values}, {first}in row {}", self.file, nulls.row);
            return Err(DataError::new("T0725", title)
                .note("rows are counted from 0; the language has no missing values")
                .hint("fill or drop them before: `column.fill_null(0)` or `column.drop_null()` in pyarrow"));
        }
        let mut rows = match self.kept {
            Kept::Flat(builder) => return Ok(Value::Column(Column::Equal(self.seen, Box::new(builder.finish())))),
            Kept::Nested(rows) => rows,
        };
        match self.wanted {
            Surface::Array(_) => Ok(Value::Data(Data::Array(rows))),
            _ if rows.len() == 1 => rows.pop().map(Value::Data).ok_or_else(|| damaged(self.file, "it has no rows")),
            wanted => Err(DataError::new(
                "T0728",
                format!("`{}` has {} rows, and one {wanted} is wanted", self.file, rows.len()),
            )
            .hint(format!("declare the parameter as []{wanted} to take all rows"))),
        }
    }
}

/// What takes a column of a batch.
struct Taking<'a> {
    file: &'a str,
    budget: &'a mut Budget,
}

impl Taking<'_> {
    fn nested(self, array: &dyn Array, wanted: &Surface) -> Result<Vec<Data>, Trouble> {
        Decoder { file: self.file, budget: self.budget }.rows(array, wanted)
    }

    fn flat(self, array: &dyn Array, wanted: &Surface, to: &mut Builder, lend: bool) -> Result<(), Trouble> {
        Appender { file: self.file, budget: self.budget, lend }.rows(to, array, wanted)
    }
}
