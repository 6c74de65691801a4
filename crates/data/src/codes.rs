//! What each code of this crate means, at length.
//!
//! `T0720` to `T0749` belong to this crate: reading from `T0720`, writing from `T0740`. A code keeps its meaning for ever.

pub(crate) const EXPLANATIONS: [(&str, &str); 13] = [
    (
        "T0720",
        "A data file cannot be opened or read: it does not exist, is a folder, or may not be read. Paths are relative to the folder in which the command is run.",
    ),
    (
        "T0721",
        "The ending of a name says in which format the data are: `.npy` is a numpy array, `.parquet` a Parquet table, `.arrow`, `.ipc` and `.feather` an Arrow table, `.csv` and `.tsv` lines of fields, `.jsonl` and `.ndjson` a JSON value per line, `.json` one JSON document, `.mtx` a matrix of Matrix Market, `.txt`, `.text` and `.log` lines of text, `.wav` sound, `.fasta`, `.fa`, `.fna`, `.faa`, `.fastq` and `.fq` sequences. Other formats must be converted first, for example with pyarrow or pandas.",
    ),
    (
        "T0722",
        "The bytes of a data file do not make sense: it was cut off, changed on the way, or is of another format than its name says. Nothing of it is used.",
    ),
    (
        "T0723",
        "The types in a data file are not those of the parameter. Nothing is converted silently, not even from `i32` to `i64`: columns keep their width in memory, and which one is meant matters for speed and for overflow. Declare the parameter with the type of the file and convert in the program, `[i64(x) for x in xs]`, or convert the file. Depth counts as well: a column of lists is an array of arrays.",
    ),
    (
        "T0724",
        "A table has several columns, and which of them are meant is not clear, or one that is wanted is not there. `file.parquet:column` names one. An array of records takes the columns with the names of its fields; an array of tuples takes all columns in order. A CSV file has names if its first line holds them. An `.npy` file, a matrix and a text have no columns.",
    ),
    (
        "T0725",
        "A column has missing values (null). The language has none: every element of an array of numbers is a number. Fill them (`column.fill_null(0)` in pyarrow, `fillna` in pandas) or drop these rows before. NaN is a number and is read as it is.",
    ),
    (
        "T0726",
        "A data file holds a type that the language does not have. Decimals can be converted to `f64`; dates and times to `i64`, counting days or microseconds; half precision floats to `f32`; maps to lists of pairs. Python objects in `.npy` files are programs and are never loaded.",
    ),
    (
        "T0727",
        "The values of a data file would need more memory than the machine has free. A small file can hold very many values when they are all alike. Read one column with `file.parquet:column`, or split the file.",
    ),
    (
        "T0728",
        "A parameter that is no array takes a file with exactly one row, and an `.npy` file of rank 0. For a file with many rows, declare the parameter as an array.",
    ),
    (
        "T0729",
        "Values of an enum, and tuples and records without any parts, have no form in data files. Pass a number or a record for each case instead.",
    ),
    (
        "T0730",
        "A text file holds something else than is wanted. Text does not say of what type its numbers are, so the type of the parameter decides, and every field must be a number of that type: an integer without a point for `i32`, within its range; `true` or `false` for `bool`. In JSON, a text, an array or an object must stand where one is wanted. The message names the line, and the column where there are any.",
    ),
    (
        "T0740",
        "A data file cannot be written: the disk is full, the folder does not exist, or there is no permission. A file is written beside its place and moved there when it is whole, so nothing half finished is left under its name and an older file of that name stays as it was.",
    ),
    (
        "T0741",
        "A value does not fit the format of the file. An `.npy` file holds one array of numbers whose rows all have the same length; a line of a CSV file holds numbers and texts; Parquet, Arrow and JSON files hold ragged arrays, records and tuples as well.",
    ),
];

/// The explanation of a code of this crate.
pub fn explain(code: &str) -> Option<&'static str> {
    EXPLANATIONS.iter().find(|(c, _)| *c == code).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_in_their_range() {
        assert!(EXPLANATIONS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(EXPLANATIONS.iter().all(|(code, _)| ("T0720"..="T0749").contains(code)));
        assert!(explain("T0725").is_some_and(|text| text.contains("missing")));
        assert_eq!(explain("T0700"), None);
    }
}
