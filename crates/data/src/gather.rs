//! Batches of rows, one after the other, to one value.
//!
//! A large file is never held twice: each batch is decoded and dropped before the next is read. After a missing value nothing is kept
//! any more, and the rest is read only to count:
//!
//! ```text
//! error[T0725]: column `height` of `people.parquet` has 3 missing values, the first in row 17
//! ```

use crate::budget::Budget;
use crate::decode::{Decoder, Nulls, Trouble, tuples};
use crate::error::{DataError, damaged};
use crate::fit::{Selection, row_of};
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use terrace_plan::data::Data;
use terrace_plan::surface::Surface;

/// The rows so far.
pub(crate) struct Gather<'a> {
    file: &'a str,
    schema: &'a Schema,
    wanted: &'a Surface,
    selection: &'a Selection,
    /// The columns that batches have, by their numbers in the file.
    present: Vec<usize>,
    budget: Budget,
    rows: Vec<Data>,
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
    ) -> Self {
        Gather { file, schema, wanted, selection, present, budget, rows: Vec::new(), seen: 0, nulls: None }
    }

    /// Adds the rows of a batch.
    pub(crate) fn push(&mut self, batch: &RecordBatch) -> Result<(), DataError> {
        let row = row_of(self.wanted);
        let decoded = match self.selection {
            Selection::Whole(column) => self.column(batch, *column, row)?,
            Selection::Parts(columns) => {
                let parts: Vec<&Surface> = match row {
                    Surface::Tuple(parts) => parts.iter().collect(),
                    Surface::Record { fields, .. } => fields.iter().map(|(_, part)| part).collect(),
                    _ => Vec::new(),
                };
                let mut decoded = Vec::new();
                for (column, part) in columns.iter().zip(parts) {
                    decoded.push(self.column(batch, *column, part)?);
                }
                self.budget.take(batch.num_rows() as u64, self.file)?;
                tuples(batch.num_rows(), decoded)
            }
        };
        self.seen += batch.num_rows();
        if self.nulls.is_none() {
            self.rows.extend(decoded);
        }
        Ok(())
    }

    fn column(&mut self, batch: &RecordBatch, column: usize, wanted: &Surface) -> Result<Vec<Data>, DataError> {
        let at = self.present.iter().position(|present| *present == column).filter(|at| *at < batch.num_columns());
        let array = at.map(|at| batch.column(at)).ok_or_else(|| damaged(self.file, "a batch lacks a column"))?;
        let before = self.budget;
        let decoded = Decoder { file: self.file, budget: &mut self.budget }.rows(array, wanted);
        if self.nulls.is_some() {
            self.budget = before;
        }
        match decoded {
            Ok(rows) => Ok(rows),
            Err(Trouble::Other(error)) => Err(error),
            Err(Trouble::Nulls(found)) => {
                match &mut self.nulls {
                    None => self.nulls = Some((column, Nulls { row: found.row + self.seen, ..found })),
                    Some((known, nulls)) if *known == column && nulls.path == found.path => nulls.count += found.count,
                    Some(_) => {}
                }
                self.rows = Vec::new();
                Ok(Vec::new())
            }
        }
    }

    /// The whole value.
    pub(crate) fn finish(mut self) -> Result<Data, DataError> {
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
        match self.wanted {
            Surface::Array(_) => Ok(Data::Array(self.rows)),
            _ if self.rows.len() == 1 => self.rows.pop().ok_or_else(|| damaged(self.file, "it has no rows")),
            wanted => Err(DataError::new(
                "T0728",
                format!("`{}` has {} rows, and one {wanted} is wanted", self.file, self.rows.len()),
            )
            .hint(format!("declare the parameter as []{wanted} to take all rows"))),
        }
    }
}
