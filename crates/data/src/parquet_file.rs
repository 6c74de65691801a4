//! Parquet files, read and written batch by batch.
//!
//! Only the columns that are wanted are decoded. The footer is judged before anything is allocated for it: its types must be a tree (see
//! `footer`), every column chunk must lie inside the file, and memory must hold the values that it counts.
//!
//! Declines to read encrypted files, and codecs that hardly anybody uses (LZO, Brotli).

use crate::budget::Budget;
use crate::column::Value;
use crate::encode::Table;
use crate::error::{DataError, damaged, unreadable};
use crate::fit::select;
use crate::footer;
use crate::gather::{Form, Gather};
use crate::progress::Steps;
use crate::save::Output;
use arrow_schema::SchemaRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use terrace_plan::surface::Surface;

/// Rows of a batch: the decoder's own advice for flat columns, and small enough for long rows.
const ROWS: usize = 4096;

fn open(mut file: File, name: &str) -> Result<ParquetRecordBatchReaderBuilder<File>, DataError> {
    let length = check_magic(&mut file, name)?;
    check_footer(&mut file, length, name)?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| not_decoded(name, &e))?;
    check_chunks(builder.metadata(), length, name)?;
    Ok(builder)
}

/// The columns of a file and their types.
pub(crate) fn schema(file: File, name: &str) -> Result<SchemaRef, DataError> {
    open(file, name).map(|builder| builder.schema().clone())
}

pub(crate) fn read(
    file: File,
    name: &str,
    wanted: &Surface,
    column: Option<&str>,
    budget: Budget,
    form: Form,
) -> Result<Value, DataError> {
    let builder = open(file, name)?;
    let total = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
    let mut steps = Steps::reading_rows(name, total);
    let schema = builder.schema().clone();
    let selection = select(&schema, wanted, column, name)?;
    let columns = selection.columns();
    let room = form.of(wanted, &schema, &columns).budget(budget);
    check_values(builder.metadata(), &columns, &room, name)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), columns.clone());
    let batches = builder.with_projection(mask).with_batch_size(ROWS).build().map_err(|e| not_decoded(name, &e))?;
    let mut gather = Gather::new(name, &schema, wanted, &selection, columns, budget, form);
    let mut rows = 0;
    for batch in batches {
        let batch = batch.map_err(|e| damaged(name, format!("the decoder says: {e}")))?;
        gather.push(&batch)?;
        rows += batch.num_rows() as u64;
        steps.reach(rows);
    }
    gather.finish()
}

fn check_magic(file: &mut File, name: &str) -> Result<u64, DataError> {
    let length = file.metadata().map_err(|e| unreadable(name, &e))?.len();
    let mut magic = [0; 4];
    if length < 12 || file.read_exact(&mut magic).is_err() {
        return Err(damaged(name, format!("it has only {length} bytes, too few for a Parquet file")));
    }
    match &magic {
        b"PAR1" => {}
        b"PARE" => return Err(DataError::new("T0726", format!("`{name}` is encrypted")).hint("decrypt it before")),
        b"ARRO" => return Err(damaged(name, "it is an Arrow file").hint("rename it to end in `.arrow`")),
        b"\x93NUM" => return Err(damaged(name, "it is a numpy file").hint("rename it to end in `.npy`")),
        _ => return Err(damaged(name, "it does not begin like a Parquet file")),
    }
    Ok(length)
}

/// The footer ends the file: its bytes, their number, and the magic word again.
fn check_footer(file: &mut File, length: u64, name: &str) -> Result<(), DataError> {
    let early = || damaged(name, "its table of contents is missing: it was not written to its end");
    let mut tail = [0; 8];
    let found = file.seek(SeekFrom::Start(length - 8)).and_then(|_| file.read_exact(&mut tail));
    found.map_err(|e| unreadable(name, &e))?;
    let [a, b, c, d, magic @ ..] = tail;
    let size = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start = (length - 8).checked_sub(size).filter(|_| magic == *b"PAR1").ok_or_else(early)?;
    let mut bytes = vec![0; size as usize];
    let found = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut bytes));
    found.map_err(|e| unreadable(name, &e))?;
    footer::check(&bytes).map_err(|what| damaged(name, what))
}

fn check_chunks(metadata: &ParquetMetaData, length: u64, name: &str) -> Result<(), DataError> {
    for chunk in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let (start, size) = chunk.byte_range();
        if start.checked_add(size).is_none_or(|end| end > length) {
            return Err(damaged(name, "a column lies beyond its end"));
        }
    }
    Ok(())
}

/// Asks for room for all values at once, as far as the footer tells: a page of equal values is small and can hold very many.
fn check_values(metadata: &ParquetMetaData, columns: &[usize], budget: &Budget, name: &str) -> Result<(), DataError> {
    let schema = metadata.file_metadata().schema_descr();
    let mut budget = *budget;
    for group in metadata.row_groups() {
        for (leaf, chunk) in group.columns().iter().enumerate().take(schema.num_columns()) {
            if columns.contains(&schema.get_column_root_idx(leaf)) {
                budget.take(u64::try_from(chunk.num_values()).unwrap_or(0), name)?;
            }
        }
    }
    Ok(())
}

fn not_decoded(name: &str, e: &ParquetError) -> DataError {
    let words = e.to_string();
    let error = damaged(name, format!("the decoder says: {words}"));
    if words.contains("cannot be repeated") {
        return DataError::new(
            "T0726",
            format!("`{name}` has lists of lists in an old form of Parquet, which is not known here"),
        )
        .note(format!("the decoder says: {words}"))
        .hint(
            "write it again in the form of today: `pyarrow.parquet.write_table(pyarrow.parquet.read_table(old), new)`",
        );
    }
    if words.contains("codec") || words.contains("feature") {
        return error.hint("write it again with the codec `snappy` or `zstd`");
    }
    error
}

pub(crate) fn write(out: &mut Output, table: &Table) -> Result<(), DataError> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let failed = |e: ParquetError| DataError::new("T0741", format!("this value cannot be written as Parquet: {e}"));
    let mut writer = ArrowWriter::try_new(out, table.schema(), Some(properties)).map_err(failed)?;
    for batch in table.batches() {
        writer.write(&batch?).map_err(failed)?;
    }
    writer.close().map_err(failed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_old_is_not_damaged() {
        let check = |words: &str, code: &str| {
            assert_eq!(not_decoded("f", &ParquetError::ArrowError(words.to_string())).code, code, "{words}");
        };
        check("List type cannot be repeated", "T0726");
        check("Invalid offset", "T0722");
    }
}
