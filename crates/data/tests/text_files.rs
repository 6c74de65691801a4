//! Files of text formats, written down here: what they are read as, and what is said about those that do not fit.

mod support;

use support::{Folder, is_of, read, show, surface};
use terrace_data::is_data_file;

/// Writes `text` to `file`, reads `file` or `file:column`, and compares the value, or a part of the message.
fn check(argument: &str, text: &str, wanted: &str, expected: &str) {
    let (name, column) = is_data_file(argument).expect("a data file");
    let folder = Folder::new(&format!("text-{:?}", std::thread::current().id()).replace(['(', ')'], ""));
    let path = folder.0.join(&name);
    std::fs::write(&path, text).expect("written");
    let wanted = surface(wanted);
    match read(&path, &wanted, column.as_deref()) {
        Ok(value) => {
            assert!(is_of(&value, &wanted), "{argument} as {wanted}: {value:?}");
            assert_eq!(show(&value), expected, "{text:?} as {wanted}");
        }
        Err(error) => {
            let text_of = format!("{}: {error}", error.code).replace(&format!("{}/", folder.0.display()), "");
            assert!(
                !expected.is_empty() && text_of.contains(expected),
                "{text:?} as {wanted}\n got: {text_of}\nwant: {expected}"
            );
        }
    }
}

#[test]
fn csv_columns() {
    let people = "name,age,height\nAda,36,1.65\r\n\n\"Grace \"\"G\"\", H.\",85,1.5\n";
    let record = "[]{height: f64, age: i32}";
    check("a.csv", people, record, "[(1.65, 36), (1.5, 85)]");
    check("a.csv:age", people, "[]u8", "[36, 85]");
    check("a.csv:2", people, "[]f32", "[1.65, 1.5]");
    check("a.csv:name", "name\nAda\n", "[][]u8", "[[65, 100, 97]]");
    check(
        "a.csv",
        people,
        "[]([]u8, i64, f64)",
        "[([65, 100, 97], 36, 1.65), ([71, 114, 97, 99, 101, 32, 34, 71, 34, 44, 32, 72, 46], 85, 1.5)]",
    );
    check("a.tsv", "x\ty\n1\t 2 \n", "[]{y: i64, x: i64}", "[(2, 1)]");
    check("a.csv", "\u{feff}x,y\n1,2", "[]{x: i64}", "[(1)]");
    check("a.csv", "1,2\n3,4\n", "[](i64, f64)", "[(1, 2.0), (3, 4.0)]");
    check("a.csv", ",x\n0,2\n", "[](i64, f64)", "[(0, 2.0)]");
    check("a.csv", "x\n1\n-2.5e3\nNaN\n-inf\n.5\n+7\n", "[]f64", "[1.0, -2500.0, NaN, -inf, 0.5, 7.0]");
    check("a.csv", "true\nFalse\n1\n0\n", "[]bool", "[true, false, true, false]");
    check("a.csv", "", "[]f64", "[]");
    check("a.csv", "x,y\n1,2\n", "(f64, f64)", "(1.0, 2.0)");
    check("a.csv", "\"1\",\"2\"\n", "[](i8, i8)", "[(1, 2)]");
}

#[test]
fn csv_rows_of_any_length() {
    check("a.csv", "1,2\n\n3\n4,5,6", "[][]f64", "[[1.0, 2.0], [], [3.0], [4.0, 5.0, 6.0]]");
    check("a.csv", "\n\n1\n", "[][]i32", "[[], [], [1]]");
    check("a.csv", "a,b\n1,2\n", "[][]i32", "[[1, 2]]");
    check("a.csv", "a,\"b,c\"\n\nd\n", "[][][]u8", "[[[97], [98, 44, 99]], [], [[100]]]");
}

#[test]
fn csv_that_does_not_fit() {
    let people = "name,age\nAda,36\nGrace,old\n";
    check(
        "a.csv",
        people,
        "[]{age: i32}",
        "T0730: `a.csv`, line 3, column `age`: `old` is no number, and i32 is wanted",
    );
    check("a.csv", "x\n1\n1.5\n", "[]i64", "T0730: `a.csv`, line 3, column `0`: `1.5` is not written as an integer");
    check("a.csv", "x\n300\n", "[]u8", "`300` is out of the range of u8");
    check("a.csv", "1,oops\n", "[](f64, f64)", "`oops` is no number");
    check("a.csv", "x\nNA\n", "[]f64", "hint: the language has no missing values");
    check(
        "a.csv",
        "x,y\n1,\n2,3\n,4\n5,\n",
        "[]{x: f64, y: f64}",
        "T0725: `y` of `a.csv` has 2 missing values, the first in line 2",
    );
    check("a.csv", "x,y\n1,2\n", "[]{z: f64}", "T0724: `a.csv` has no column `z`; its first line reads `x` and `y`");
    check("a.csv", "X,y\n1,2\n", "[]{x: f64}", "hint: did you mean `X`?");
    check("a.csv", "1,2\n", "[]{x: f64, y: f64}", "hint: without a line of names, declare a tuple");
    check("a.csv", "x,x\n1,2\n", "[]{x: f64}", "T0724: `a.csv` has two columns `x`");
    check("a.csv", "x,y\n1,2\n", "[]f64", "T0724: `a.csv` has 2 columns, and one is wanted for []f64");
    check("a.csv", "x,y\n1,2\n", "[](f64, f64, f64)", "T0724: `a.csv` has 2 columns, and [](f64, f64, f64) takes 3");
    check("a.csv:z", "x,y\n1,2\n", "[]f64", "T0724: `a.csv` has no column `z`");
    check("a.csv", "x,y\n1,2\n3\n", "[]{x: f64}", "line 3, column 1: this line has 1 field, and 2 are expected");
    check("a.csv", "x\n\"1\n", "[]f64", "line 2, column 1: this quotation mark is never closed");
    check("a.csv", "x\n\"1\"2\n", "[]f64", "line 2, column 4: something stands behind the closing quotation mark");
    check("a.csv", "1\n2\n", "f64", "T0728: `a.csv` has 2 rows, and one f64 is wanted");
    check("a.csv", "1\n2\n", "[][][]f64", "T0723: `a.csv` holds lines of fields");
    check("a.csv", "", "[]{x: f64}", "T0724: `a.csv` is empty");
}

#[test]
fn json_values() {
    let lines = "{\"x\": 1.5, \"tags\": [\"a\\n\", \"\\u00e9\\ud83d\\ude00\"], \"z\": {\"deep\": [null, {}]}}\n\n{\"tags\": [], \"x\": -2}\r\n";
    check(
        "a.jsonl",
        lines,
        "[]{x: f64, tags: [][]u8}",
        "[(1.5, [[97, 10], [195, 169, 240, 159, 152, 128]]), (-2.0, [])]",
    );
    check("a.ndjson:x", lines, "[]f32", "[1.5, -2.0]");
    check(
        "a.json",
        "{\"rows\": [[0, 1.5], [2, 0.5]], \"n\": 3}",
        "{n: i32, rows: [](i32, f64)}",
        "(3, [(0, 1.5), (2, 0.5)])",
    );
    check("a.json:rows", "{\"rows\": [[1, 2], []]}", "[][]i64", "[[1, 2], []]");
    check("a.json:x", "[{\"x\": 1}, {\"x\": 2}]", "[]i64", "[1, 2]");
    check("a.json", " [ [ true , false ] , [ ] ] ", "[][]bool", "[[true, false], []]");
    check("a.json", "\"text\"", "[]u8", "[116, 101, 120, 116]");
    check("a.json", "[NaN, Infinity, -Infinity, 1e400, -0.0]", "[]f64", "[NaN, inf, -inf, inf, -0.0]");
    check("a.json", "7", "u8", "7");
    check("a.jsonl", "", "[]f64", "[]");
    check("a.jsonl", "[1,2]\n[3]\n", "[][]i8", "[[1, 2], [3]]");
}

#[test]
fn json_that_does_not_fit() {
    check(
        "a.jsonl",
        "{\"x\": 1}\n{\"x\": null}\n{}\n",
        "[]{x: f64}",
        "T0725: `.x` of `a.jsonl` has 2 missing values, the first in line 2",
    );
    check("a.json", "[1, \"a\"]", "[]i64", "T0730: `a.json`, line 1, column 5: a text stands where i64 is wanted");
    check("a.json", "[1.5]", "[]i64", "`1.5` is not written as an integer");
    check("a.json", "{\"x\": [1, 2, 3]}", "{x: (i32, i32)}", "`]` behind the 2 parts of (i32, i32)");
    check("a.json", "[[1]]", "[](i32, i32)", "this array has 1 elements");
    check("a.json", "[01]", "[]i64", "T0722");
    check("a.json", "[1,]", "[]i64", "T0722");
    check("a.json", "[1", "[]i64", "it ends where `,` or `]` is expected");
    check("a.json", "[1] 2", "[]i64", "the end of the file");
    check("a.jsonl", "1 2\n", "[]i64", "the end of the line");
    check("a.json", "{\"x\": 1, \"x\": 2}", "{x: i32}", "two fields of one name");
    check("a.json", "\"\\ud800\"", "[]u8", "surrogate");
    check("a.json", "\"a\nb\"", "[]u8", "may not go over the end of a line");
    check("a.json", &format!("{{\"y\": {}}}", "[".repeat(100_000)), "{x: i32}", "more than 200 deep");
    check("a.json", "5", "[]i64", "a number stands where []i64 is wanted");
    check("a.json", "[+1]", "[]f64", "T0722");
}

#[test]
fn matrices() {
    let sparse =
        "%%MatrixMarket matrix coordinate real general\n% made by hand\n3 4 4\n1 1 1.5\n3 4 2\n1 3 -1e1\n\n3 1 0.25\n";
    check("a.mtx", sparse, "[][](i32, f64)", "[[(0, 1.5), (2, -10.0)], [], [(3, 2.0), (0, 0.25)]]");
    check("a.mtx", sparse, "[](u8, i64, f32)", "[(0, 0, 1.5), (2, 3, 2.0), (0, 2, -10.0), (2, 0, 0.25)]");
    check("a.mtx", sparse, "[][]{column: i64, value: f64}", "[[(0, 1.5), (2, -10.0)], [], [(3, 2.0), (0, 0.25)]]");
    check("a.mtx", sparse, "[][]f64", "T0723: `a.mtx` holds a sparse matrix, and [][]f64 is wanted");
    let symmetric = sparse
        .replace("general", "symmetric")
        .replace("3 4 4", "4 4 4")
        .replace("1 3 ", "3 2 ")
        .replace("3 4 2", "4 3 2");
    check(
        "a.mtx",
        &symmetric,
        "[][](i32, f64)",
        "[[(0, 1.5), (2, 0.25)], [(2, -10.0)], [(3, 2.0), (1, -10.0), (0, 0.25)], [(2, 2.0)]]",
    );
    let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 7\n";
    check("a.mtx", skew, "[][](i32, i16)", "[[(1, -7)], [(0, 7)]]");
    check("a.mtx", skew, "[][](i32, f64)", "[[(1, -7.0)], [(0, 7.0)]]");
    check("a.mtx", skew, "[][](i32, u16)", "T0723");
    let pattern = "%%MatrixMarket matrix coordinate pattern symmetric\r\n3 3 2\r\n2 1\r\n3 3\r\n";
    check("a.mtx", pattern, "[][]i32", "[[1], [0], [2]]");
    check("a.mtx", pattern, "[](i32, i32)", "[(1, 0), (0, 1), (2, 2)]");
    let hermitian = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 3 4\n";
    check("a.mtx", hermitian, "[][](i32, f64, f64)", "[[(1, 3.0, -4.0)], [(0, 3.0, 4.0)]]");
    let dense = "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n";
    check("a.mtx", dense, "[][]f64", "[[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]");
    check("a.mtx", "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n", "[][]i8", "[[1, 2], [2, 3]]");
    for (text, expected) in [
        ("3 4 4", "T0722"),
        ("%%MatrixMarket matrix coordinate real general\n3 4 99999999\n1 1 1\n", "99999999 entries are announced"),
        ("%%MatrixMarket matrix coordinate real general\n1152921504606846976 4 1\n1 1 1\n", "T0727"),
        ("%%MatrixMarket matrix coordinate real general\n3 4 1\n4 1 1\n", "row 4, and the matrix has 3"),
        ("%%MatrixMarket matrix coordinate real general\n3 4 1\n0 1 1\n", "row 0"),
        ("%%MatrixMarket matrix coordinate real general\n3 4 2\n1 1 1\n", "it ends after 1 of 2 entries"),
        ("%%MatrixMarket matrix coordinate real general\n3 4 1\n1 1\n", "a number is missing"),
        ("%%MatrixMarket matrix coordinate real general\n3 4 1\n1 1 1 1\n", "more stands in this line"),
        ("%%MatrixMarket matrix coordinate real general\n3 4 1\n1 1 1\n1 2 1\n", "more entries than"),
        ("%%MatrixMarket matrix coordinate real strange\n3 4 1\n1 1 1\n", "`strange` is not known"),
        (
            "%%MatrixMarket matrix coordinate real general\n3 4 1\n1 1 x\n",
            "T0730: `a.mtx`, line 3, column 5: `x` is no number",
        ),
        ("%%MatrixMarket matrix coordinate real general\n3 4000000000 0\n", "T0730"),
    ] {
        check("a.mtx", text, "[][](i32, f64)", expected);
    }
    check("a.mtx", "%%MatrixMarket matrix array real general\n99999999999 99999999999\n1\n", "[][]f64", "T0722");
}

#[test]
fn plain_text() {
    check("a.txt", "one\r\n\ntwo", "[][]u8", "[[111, 110, 101], [], [116, 119, 111]]");
    check("a.log", "", "[][]u8", "[]");
    check("a.text", "a\n", "[]u8", "[97, 10]");
    check("a.txt", "1\n", "[]f64", "T0723: `a.txt` is plain text");
    check("a.txt:x", "1\n", "[]u8", "T0724: `a.txt` has no columns");
}

#[test]
fn sequences() {
    let fasta = ">one first\r\nAC\r\nGT\r\n\n; a comment\n>two\n\n>three\nT T";
    check("a.fa", fasta, "[][]u8", "[[65, 67, 71, 84], [], [84, 84]]");
    check("a.fna:name", ">a b \nAC\n", "[][]u8", "[[97, 32, 98]]");
    check("a.fasta", ">a\nAC\n", "[]{sequence: []u8, name: []u8}", "[([65, 67], [97])]");
    check("a.faa", ">a\nAC\n", "[]([]u8, []u8)", "[([97], [65, 67])]");
    check(
        "a.fa",
        "AC\n",
        "[][]u8",
        "T0722: `a.fa` is damaged, or not what its name says; line 1: `>` and a name are expected",
    );
    check("a.fa", fasta, "[]f64", "T0723: `a.fa` holds sequences");
    check("a.fa:quality", fasta, "[][]u8", "T0724");
    let fastq = "@r1\nACG\n+r1\n!@+\n@r2\n\n+\n\n";
    check("a.fq", fastq, "[]([]u8, []u8, []u8)", "[([114, 49], [65, 67, 71], [33, 64, 43]), ([114, 50], [], [])]");
    check("a.fastq:quality", fastq, "[][]u8", "[[33, 64, 43], []]");
    check("a.fq", "@r1\nACG\n+\n!!\n", "[][]u8", "line 4: 2 qualities for 3 letters");
    check("a.fq", "@r1\nACG\nACG\n+\n!!!!!!\n", "[][]u8", "line 3: `+` is expected");
    check("a.fq", "@r1\nACG\n+\n", "[][]u8", "the file ends inside of a record");
}
