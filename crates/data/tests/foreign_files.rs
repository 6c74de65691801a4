//! Files that pyarrow and numpy have written, and what they are read as. `tests/files/make.py` makes them.

mod support;

use support::{fixture, is_of, read, show, surface};
use terrace_data::is_data_file;

/// Reads `file` or `file:column` and compares the value, or the code and the start of the title.
fn check(argument: &str, wanted: &str, expected: &str) {
    let (path, column) = is_data_file(argument).expect("a data file");
    let wanted = surface(wanted);
    let name = path.to_string_lossy().into_owned();
    match read(&fixture(&name), &wanted, column.as_deref()) {
        Ok(value) => {
            assert!(is_of(&value, &wanted), "{argument} as {wanted}: {value:?}");
            assert_eq!(show(&value), expected, "{argument} as {wanted}");
        }
        Err(error) => {
            let folder = fixture("").display().to_string();
            let text = format!("{}: {error}", error.code).replace(&folder, "");
            assert!(
                !expected.is_empty() && text.contains(expected),
                "{argument} as {wanted}\n got: {text}\nwant: {expected}"
            );
        }
    }
}

const NUMBERS: [(&str, &str); 11] = [
    ("i8", "[-128, 0, 127]"),
    ("i16", "[-32768, 0, 32767]"),
    ("i32", "[-2147483648, 0, 2147483647]"),
    ("i64", "[-9223372036854775808, 0, 9223372036854775807]"),
    ("u8", "[0, 1, 255]"),
    ("u16", "[0, 1, 65535]"),
    ("u32", "[0, 1, 4294967295]"),
    ("u64", "[0, 1, 18446744073709551615]"),
    ("f32", "[-1.5, 0.0, 0.25]"),
    ("f64", "[-1.5, 0.0, 1e300]"),
    ("bool", "[true, false, true]"),
];

#[test]
fn scalars_of_every_type() {
    for (name, values) in NUMBERS {
        for file in ["scalars.parquet", "scalars.arrow", "scalars_stream.arrow"] {
            check(&format!("{file}:{name}"), &format!("[]{name}"), values);
        }
        check(&format!("n_{name}_little.npy"), &format!("[]{name}"), values);
        if !["bool", "i8", "u8"].contains(&name) {
            check(&format!("n_{name}_big.npy"), &format!("[]{name}"), values);
        }
    }
}

const RAGGED: [&str; 8] = [
    "ragged_snappy.parquet",
    "ragged_zstd.parquet",
    "ragged_lz4.parquet",
    "ragged_gzip.parquet",
    "ragged.arrow",
    "ragged_zstd.ipc",
    "ragged_stream.ipc",
    "ragged.feather",
];

#[test]
fn columns_of_every_kind_in_every_codec() {
    let text = "[[], [97], [98, 99], [195, 164], [230, 188, 162, 229, 173, 151]]";
    for file in RAGGED {
        let check = |column: &str, wanted: &str, expected: &str| check(&format!("{file}:{column}"), wanted, expected);
        check("list", "[][]i32", "[[1, 2], [], [3], [], [4, 5, 6]]");
        check("large", "[][]i32", "[[1, 2], [], [3], [], [4, 5, 6]]");
        check("fixed", "[][]i32", "[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]");
        check("deep", "[][][]f64", "[[[1.0], []], [], [[], [2.0, 3.0]], [[]], [[4.0]]]");
        let pairs = "[[(1, 0.5), (2, 1.0)], [], [(3, 1.5)], [], [(4, 2.0), (5, 2.5), (6, 3.0)]]";
        check("pairs", "[][](i32, f64)", pairs);
        check("pairs", "[][]{column: i32, value: f64}", pairs);
        check("pairs", "[][]{value: f64}", "[[(0.5), (1.0)], [], [(1.5)], [], [(2.0), (2.5), (3.0)]]");
        check("text", "[][]u8", text);
        check("large_text", "[][]u8", text);
        check("bytes", "[][]u8", "[[], [0], [255, 254], [97, 98, 99], [100]]");
        check("fixed_bytes", "[][]u8", "[[97, 98], [99, 100], [101, 102], [103, 104], [105, 106]]");
        let (yes, no) = ("[121, 101, 115]", "[110, 111]");
        check("words", "[][]u8", &format!("[{yes}, {no}, {yes}, {yes}, {no}]"));
        check("codes", "[]i64", "[10, 20, 10, 10, 20]");
    }
}

#[test]
fn slices_and_views() {
    check("sliced.arrow:list", "[][]i32", "[[], [3], []]");
    check("sliced.arrow:fixed", "[][]i32", "[[3, 4], [5, 6], [7, 8]]");
    check("sliced.arrow:deep", "[][][]f64", "[[], [[], [2.0, 3.0]], [[]]]");
    check("sliced.arrow:pairs", "[][](i32, f64)", "[[], [(3, 1.5)], []]");
    check("sliced.arrow:codes", "[]i64", "[20, 10, 10]");
    check("views.arrow:views", "[][]i64", "[[3, 4], [1, 2], [], [1, 2, 3, 4]]");
    check("large_views.arrow", "[][]i64", "[[1, 2], [3, 4]]");
    let long: Vec<String> = "a text that is longer than twelve bytes".bytes().map(|b| b.to_string()).collect();
    let strings = format!("[[115, 104, 111, 114, 116], [{}], [], [120]]", long.join(", "));
    check("views.arrow:strings", "[][]u8", &strings);
}

#[test]
fn tables() {
    check("points.parquet", "[]{x: f64, y: f64}", "[(1.0, 2.0), (3.0, 4.0)]");
    check("points.parquet", "[]{id: i64}", "[(7), (8)]");
    check("points.parquet", "[](f64, i64, f64)", "[(2.0, 7, 1.0), (4.0, 8, 3.0)]");
    check("points.parquet:id", "[]i64", "[7, 8]");
    check("structs.parquet", "[]{x: f64, y: f64}", "[(1.0, 2.0), (3.0, 4.0)]");
    check("structs.parquet", "[](f64, f64)", "[(2.0, 1.0), (4.0, 3.0)]");
    check("structs.parquet:point", "[]{x: f64}", "[(1.0), (3.0)]");
    check("structs.parquet", "[]{point: {x: f64}}", "[((1.0)), ((3.0))]");
    check("one_row.parquet", "{x: f64, y: f64}", "(1.0, 2.0)");
    check("one_row.parquet", "[]{x: f64, y: f64}", "[(1.0, 2.0)]");
    check("one_row.parquet:id", "i64", "7");
    check("no_rows.parquet", "[]{x: f64, y: f64}", "[]");
    check("no_rows.parquet:x", "[]f64", "[]");
}

#[test]
fn columns_must_be_clear() {
    check("points.parquet", "[]f64", "T0724: `points.parquet` has 3 columns, and one is wanted for []f64");
    check("points.parquet", "[]f64", "its columns are `y`: []f64, `id`: []i64 and `x`: []f64");
    check("points.parquet", "[]f64", "hint: name one of them: `points.parquet:y`");
    check("points.parquet:z", "[]f64", "T0724: `points.parquet` has no column `z`; its columns are `y`");
    check("points.parquet:ID", "[]i64", "did you mean `id`?");
    check("points.parquet", "[]{x: f64, z: f64}", "T0724: `points.parquet` has no column `z`");
    check("points.parquet", "[](f64, i64)", "T0724: `points.parquet` has 3 columns, and [](f64, i64) takes 2 columns");
    check("twins.arrow:a", "[]i64", "T0724: `twins.arrow` has two columns `a`");
    check("twins.arrow", "[](i64, i64)", "[(1, 2)]");
    check("grid_c.npy:x", "[][]i32", "T0724: `grid_c.npy` has no columns");
    check("points.parquet:id", "i64", "T0728: `points.parquet` has 2 rows, and one i64 is wanted");
    check("no_rows.parquet:id", "i64", "T0728");
}

#[test]
fn types_must_be_the_same() {
    check("scalars.parquet:i32", "[]i64", "T0723: column `i32` of `scalars.parquet` holds []i32, and []i64 is wanted");
    check("scalars.parquet:i32", "[]i64", "declare the parameter with i32 and write `i64(x)` in the program");
    check("scalars.parquet:f32", "[]f64", "T0723");
    check("scalars.parquet:u8", "[]i8", "T0723");
    check("scalars.parquet:bool", "[]i8", "T0723");
    check("ragged.arrow:list", "[]i32", "T0723: column `list` of `ragged.arrow` holds [][]i32, and []i32 is wanted");
    check("ragged.arrow:list", "[]i32", "hint: a column of lists is an array of arrays");
    check("ragged.arrow:text", "[]i32", "T0723: column `text` of `ragged.arrow` holds [][]u8");
    check("ragged.arrow:codes", "[][]i64", "T0723");
    check("ragged.arrow:pairs", "[][](i64, f64)", "they differ at `pairs[].column`: i32 in the file, i64 wanted");
    check(
        "ragged.arrow:pairs",
        "[][](i32, f64, f64)",
        "T0723: column `pairs` of `ragged.arrow` holds [][]{column: i32, value: f64}",
    );
    check("ragged.arrow:pairs", "[][]{row: i32}", "the fields of `rec` are `row`: i32");
    check("no_rows.parquet:x", "[]i64", "T0723");
    check("grid_c.npy", "[][]i64", "T0723: `grid_c.npy` holds [][]i32, and [][]i64 is wanted");
    check("grid_c.npy", "[][]i64", "save `a.astype(\"int64\")`");
    check("grid_c.npy", "[]i32", "T0723");
    check("grid_c.npy", "[](i32, i32)", "a numpy file holds one array of numbers");
    check("grid_c.npy", "[]enum", "T0729: `grid_c.npy` cannot be read as []shape");
    check("points.parquet", "[]()", "T0729");
}

#[test]
fn missing_values() {
    for file in ["nulls.parquet", "nulls.arrow"] {
        let check = |column: &str, wanted: &str, place: &str, rest: &str| {
            check(&format!("{file}:{column}"), wanted, &format!("T0725: column `{place}` of `{file}` has {rest}"));
        };
        check("flat", "[]i64", "flat", "2 missing values, the first in row 2");
        check("list", "[][]i64", "list", "1 missing value, in row 2");
        check("item", "[][]i64", "item[]", "2 missing values, the first in row 3");
        check("field", "[][]{v: i64}", "field[].v", "1 missing value, in row 3");
        check("text", "[][]u8", "text", "1 missing value, in row 1");
        check("words", "[][]u8", "words", "1 missing value, in row 4");
        check("flat", "[]i64", "flat", "2 missing values");
    }
    check("nulls.parquet:none", "[]i64", "[1, 2, 3, 4, 5]");
    check("nulls.parquet", "[]{none: i64}", "[(1), (2), (3), (4), (5)]");
    check("nulls.parquet", "[]{none: i64, flat: i64}", "T0725: column `flat`");
}

#[test]
fn types_that_the_language_has_not() {
    for file in ["foreign.parquet", "foreign.arrow"] {
        for (column, wanted, words) in [
            ("decimal", "[]f64", "holds decimals"),
            ("timestamp", "[]i64", "holds timestamps"),
            ("date", "[]i32", "holds dates"),
            ("time", "[]i64", "holds times"),
            ("map", "[][]([]u8, i64)", "holds maps"),
            ("half", "[]f32", "holds floats of half precision"),
            ("null", "[]i64", "holds nothing but missing values"),
            ("dates", "[][]i32", "column `dates[]` of"),
        ] {
            check(&format!("{file}:{column}"), wanted, "T0726: column");
            check(&format!("{file}:{column}"), wanted, words);
        }
    }
    check("foreign.arrow:duration", "[]i64", "T0726");
    check("foreign.arrow:runs", "[]i64", "T0726");
    check("preview.arrow", "[]i64", "T0726: `preview.arrow` is compressed as only a preview in Arrow 0.17 did it");
}

#[test]
fn numpy() {
    for file in ["grid_c.npy", "grid_fortran.npy", "grid_big.npy", "grid_big_fortran.npy"] {
        check(file, "[][]i32", "[[0, 1, 2], [3, 4, 5]]");
    }
    let cube = "[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]";
    check("cube_fortran.npy", "[][][]i64", cube);
    check("scalar.npy", "f64", "2.5");
    check("scalar.npy", "[]f64", "T0723");
    check("empty_rows.npy", "[][]f32", "[[], [], []]");
    check("flags.npy", "[]bool", "[true, false, true]");
    for version in 1..=3 {
        check(&format!("version_{version}.npy"), "[]f64", "[1.5, -2.5]");
    }
    check("half.npy", "[]f32", "convert them: `a.astype(\"float32\")` in numpy");
    check("complex.npy", "[]f64", "T0726: `complex.npy` holds complex numbers");
    check("text.npy", "[]f64", "T0726: `text.npy` holds text");
    check("objects.npy", "[][]i64", "T0726: `objects.npy` holds Python objects");
    check("records.npy", "[](i32, f64)", "T0726: `records.npy` holds records of numpy");
    check("lie_2_60.npy", "[]f64", "T0722: `lie_2_60.npy` is damaged");
    check("lie_product.npy", "[][]f64", "T0722");
    check("lie_short.npy", "[]f64", "its shape [3] needs more bytes than the 16 it has");
    check("lie_empty.npy", "[][]f64", "T0727: `lie_empty.npy` holds more values than fit in memory");
}

#[test]
fn files_that_are_not_there() {
    check("nowhere.parquet", "[]f64", "T0720: there is no file `nowhere.parquet`");
    let error = read(&fixture("make.py"), &surface("[]f64"), None).expect_err("not a data file");
    assert_eq!(error.code, "T0721");
    let folder = support::Folder::new("folder.npy");
    let path = folder.0.join("x.npy");
    std::fs::create_dir(&path).expect("a folder");
    assert_eq!(read(&path, &surface("[]f64"), None).map_err(|e| e.code), Err("T0720"));
}

#[test]
fn files_of_another_format() {
    let folder = support::Folder::new("renamed");
    for (from, to, words) in [
        ("points.parquet", "a.arrow", "it is a Parquet file; hint: rename it to end in `.parquet`"),
        ("points.parquet", "a.npy", "it is a Parquet file"),
        ("scalars.arrow", "a.parquet", "it is an Arrow file; hint: rename it to end in `.arrow`"),
        ("flags.npy", "b.parquet", "it is a numpy file"),
        ("flags.npy", "b.ipc", "it is a numpy file"),
        ("make.py", "c.parquet", "it does not begin like a Parquet file"),
        ("make.py", "c.npy", "it does not begin like a numpy file"),
        ("make.py", "c.arrow", "it ends too early"),
    ] {
        let path = folder.0.join(to);
        std::fs::copy(fixture(from), &path).expect("a copy");
        let error = read(&path, &surface("[]f64"), None).expect_err("of another format");
        assert!(error.code == "T0722" && error.to_string().contains(words), "{from} as {to}: {error}");
    }
}

#[test]
fn text_formats_as_python_writes_them() {
    let values = "[(1, 0.1), (-2, 1e300), (3, -0.0), (4, inf)]";
    check("table.csv", "[]{count: i16, value: f64}", values);
    check(
        "table.csv:text",
        "[][]u8",
        "[[112, 108, 97, 105, 110], [97, 32, 34, 113, 117, 111, 116, 101, 100, 34, 44, 32, 116, 101, 120, 116], [116, 119, 111, 10, 108, 105, 110, 101, 115], [195, 169]]",
    );
    check("table.tsv", "[](i64, f64)", values);
    check("records.jsonl", "[]{count: i64, value: f64}", values);
    check(
        "document.json",
        "{flag: bool, rows: [](i32, f64), names: [][]u8}",
        "(true, [(1, 2.5), (3, 1e-7)], [[97], [226, 130, 172, 240, 159, 152, 128, 8]])",
    );
    check("matrix.mtx", "[][](i32, f64)", "[[(0, 2.0), (1, -1.0)], [(0, -1.0), (2, -1.5)], [(1, -1.5), (2, 2.0)]]");
    check("sequences.fasta", "[][]u8", "[[65, 67, 71, 84, 65, 67, 71], [], [78, 78]]");
    check("reads.fastq:quality", "[][]u8", "[[33, 33, 64, 43], [64]]");
    check("lines.txt", "[][]u8", "[[111, 110, 101], [], [116, 119, 111]]");
    check("stereo.wav", "[][]i16", "[[0, -32768], [1, 2], [32767, -1]]");
    check("stereo.wav:rate", "i64", "22050");
    check("mono24.wav", "[]i32", "[1, -1, -8388608]");
    check("mono24.wav", "[]f64", "[1.1920928955078125e-7, -1.1920928955078125e-7, -1.0]");
}
