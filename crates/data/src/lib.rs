//! Data files to nested values and back.
//!
//! An entry takes arrays of arrays of records; the world keeps them in Parquet, Arrow and numpy files, and in text. Nothing is converted on the way: a
//! column keeps its width, a missing value is an error, and the shape of the file decides the shape of the array. Text does not say what its
//! numbers are; there the wanted type directs the reading.
//!
//! ```text
//! matrix.parquet                                   terrace run spmv.tce matrix.parquet:rows vector.npy
//!   rows: list<struct<column: int32, value: double>>      rows: [][](i32, f64)
//!   name: string                                          v: []f64
//! ```
//!
//! What fits what:
//!
//! | in the file | wanted | remarks |
//! | --- | --- | --- |
//! | column of `int8` … `uint64`, `float`, `double` | `[]i8` … `[]u64`, `[]f32`, `[]f64` | the same width, or it is refused |
//! | column of `bool` | `[]bool` | |
//! | column of text or bytes, of fixed size too | `[][]u8` | text is UTF-8 |
//! | column of lists (large, of fixed size, views) to any depth | `[][]t`, `[][][]t`, … | rows of any lengths |
//! | column of structs | `[]record` or `[](a, b)` | fields by name, or in order and as many |
//! | column with a dictionary | as its values | decoded |
//! | file with one column | `[]t` | the column |
//! | file with several columns | `[]record` | columns by name, others are ignored |
//! | file with several columns | `[](a, b)` | columns in order, exactly as many |
//! | file with several columns | any other `[]t` | a column must be named: `file.parquet:column` |
//! | file with exactly one row | `t` that is no array | that row, as above |
//! | `.npy` of rank 0, 1, 2, … | `t`, `[]t`, `[][]t`, … | `t` a number or `bool`, of the same width |
//! | missing values | nothing | refused: where the first is, and how many |
//! | decimals, dates, times, maps, unions, half floats | nothing | refused: with what to convert to |
//!
//! Text, sound and matrices (`t` is any scalar type, text is `[]u8`):
//!
//! | in the file | wanted | remarks |
//! | --- | --- | --- |
//! | `.csv`, `.tsv` | `[]record` | columns by the names in the first line, others are ignored |
//! | | `[](a, b)` | all columns in order; a first line of words where numbers are wanted is a header |
//! | | `[]t`, `[][]u8` | the only column, `file.csv:column`, or by number, `file.csv:0` |
//! | | `[][]t`, `[][][]u8` | lines of any lengths; a blank one is an empty row |
//! | `.jsonl`, `.ndjson` | `[]t` for any `t` but enums | a value per line; `file.jsonl:field` takes one field of each |
//! | `.json` | any type but enums | objects are records, arrays are arrays or tuples, texts are `[]u8` |
//! | `.mtx` coordinate | `[][](i32, f64)`, `[](i32, i32, f64)` | any integers and numbers; indices from 0; a `pattern` has no values; symmetric ones are completed |
//! | `.mtx` array | `[][]f64` | any numbers |
//! | `.wav` | `[]t`, `[][]t` | frames of channels; `t` as in the file, or floats in [-1, 1); `file.wav:rate` |
//! | `.txt`, `.text`, `.log` | `[][]u8`, `[]u8` | lines, or all bytes |
//! | `.fasta` `.fa` `.fna` `.faa`, `.fastq` `.fq` | `[][]u8`, records or tuples of `name`, `sequence`, `quality` | |
//! | empty fields, `null`, fields that are not there | nothing | refused: where the first is, and how many |
//!
//! [`write()`] goes the other way: a column per field of a record or part of a tuple (`0`, `1`, …), or one column `value`.
//!
//! [`read_flat`] and [`write_flat`] are the same for programs that compute on columns: numbers are never Rust values one by one.
//!
//! [`survey`] is for people: it finds out what a file holds, also where only its values tell.
//!
//! Binary numbers are read straight to where they stay, or are not read at all: `read_mapped` lends large files to the program ([`Map`]).
//!
//! Declines to convert between number types, and to invent values for missing ones.

mod append;
mod budget;
mod codes;
mod column;
mod decode;
mod describe;
mod encode;
mod ending;
mod error;
mod fit;
mod footer;
mod gather;
mod grow;
mod guard;
mod ipc;
mod npy;
mod opened;
mod parquet_file;
mod piece;
mod progress;
mod save;
mod sound;
mod survey;
mod text;

pub use codes::explain;
pub use column::{Column, Value};
pub use ending::is_data_file;
pub use error::DataError;
pub use opened::Map;
pub use progress::{Progress, on_progress};
pub use survey::{Bar, Lengths, Survey, Surveyed, declarations, lengths, spelled, survey};

use budget::Budget;
use encode::Table;
use ending::Format;
use gather::Form;
use opened::Opened;
use std::path::Path;
use terrace_plan::data::Data;
use terrace_plan::surface::Surface;

/// The value of type `wanted` that a file, or the named column of it, holds.
pub fn read(path: &Path, wanted: &Surface, column: Option<&str>) -> Result<Data, DataError> {
    read_within(path, wanted, column, Budget::of_this_machine(), Form::Nested, None).map(Value::into_data)
}

/// The same as flat memory, where it is an array; a column with a dictionary, or one row of a file, is a nested value all the same.
pub fn read_flat(path: &Path, wanted: &Surface, column: Option<&str>) -> Result<Value, DataError> {
    read_within(path, wanted, column, Budget::of_this_machine(), Form::Flat, None)
}

/// The same, and large files whose numbers lie in them as they lie in memory are not read but mapped.
pub fn read_mapped(path: &Path, wanted: &Surface, column: Option<&str>, map: Map) -> Result<Value, DataError> {
    read_within(path, wanted, column, Budget::of_this_machine(), Form::Flat, Some(map))
}

fn read_within(
    path: &Path,
    wanted: &Surface,
    column: Option<&str>,
    budget: Budget,
    form: Form,
    map: Option<Map>,
) -> Result<Value, DataError> {
    let format = Format::of(path)?;
    let name = path.display().to_string();
    fit::readable(wanted, &name)?;
    let file = error::open(path)?;
    let opened = |file| Opened::new(file, map).map_err(|e| error::unreadable(&name, &e));
    match format {
        Format::Npy => npy::read::read(opened(file)?, &name, wanted, column, budget, form),
        Format::Arrow => {
            let opened = opened(file)?;
            guard::against_damage(&name, || ipc::read(opened, &name, wanted, column, budget, form))
        }
        Format::Parquet => {
            guard::against_damage(&name, || parquet_file::read(file, &name, wanted, column, budget, form))
        }
        text => text::read(file, &name, text, wanted, column, budget, form),
    }
}

/// A nested value without enums as flat memory.
pub fn flat_memory(value: &Data, surface: &Surface) -> Result<Column, DataError> {
    grow::column_of(value, surface)
}

/// Writes a value in the format that the ending of the path names. The file appears whole or not at all.
pub fn write(path: &Path, value: &Data, surface: &Surface) -> Result<(), DataError> {
    check_target(path, surface)?;
    match Format::of(path)? {
        Format::Npy => npy::write::write(path, value, surface),
        Format::Arrow => save::save(path, |out| ipc::write(out, &Table::nested(value, surface)?)),
        Format::Parquet => save::save(path, |out| parquet_file::write(out, &Table::nested(value, surface)?)),
        text => {
            let column = grow::column_of(value, surface)?;
            save::save(path, |out| text::write::write(out, text, &column, surface))
        }
    }
}

/// The same for flat memory: the only row of the column is the value.
pub fn write_flat(path: &Path, value: &Column, surface: &Surface) -> Result<(), DataError> {
    check_target(path, surface)?;
    match Format::of(path)? {
        Format::Npy => npy::write::write_column(path, value, surface),
        Format::Arrow => save::save(path, |out| ipc::write(out, &Table::flat(value, surface)?)),
        Format::Parquet => save::save(path, |out| parquet_file::write(out, &Table::flat(value, surface)?)),
        text => save::save(path, |out| text::write::write(out, text, value, surface)),
    }
}

/// Whether a value of this type could be written there: asked before a long run, not after it.
pub fn check_target(path: &Path, surface: &Surface) -> Result<(), DataError> {
    match Format::for_writing(path)? {
        Format::Npy => npy::write::check_type(surface)?,
        Format::Arrow | Format::Parquet => encode::check_type(surface)?,
        text => text::write::check_type(text, surface)?,
    }
    save::check_folder(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_base::{Scalar, ScalarType};

    #[test]
    fn values_that_do_not_fit_in_memory_are_refused() {
        let folder = std::env::temp_dir().join(format!("terrace-data-{}-memory", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        // So many equal values are a few hundred bytes of Parquet.
        let value = Data::Array(vec![Data::Scalar(Scalar::I64(7)); 100_000]);
        let surface = Surface::Array(Box::new(Surface::Scalar(ScalarType::I64)));
        let forms = [(Form::Nested, size_of::<Data>() as u64), (Form::Flat, 8)];
        for ending in ["parquet", "arrow", "npy", "csv", "jsonl", "json"] {
            let path = folder.join(format!("value.{ending}"));
            write(&path, &value, &surface).expect("it can be written");
            for (form, each) in forms {
                let read = |count| read_within(&path, &surface, None, Budget::of_bytes(count * each), form, None);
                let read = |count| read(count).map(Value::into_data).map_err(|e| e.code);
                assert_eq!(read(99_999), Err("T0727"), "{ending}");
                assert_eq!(read(120_001).as_ref(), Ok(&value), "{ending}");
            }
        }
        std::fs::remove_dir_all(&folder).expect("the folder is there");
    }
}
