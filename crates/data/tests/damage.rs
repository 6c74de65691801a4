//! Damaged files give a message or some value, never a panic, and never take long.
//!
//! Each good file is cut at every twentieth of its length, and has bytes changed at fixed seeds. Files in text form have no defence against
//! a changed number, so a value is an acceptable answer; that every message has an explanation is not negotiable.

mod support;

use std::path::Path;
use support::{Dice, Folder, fixture, read, surface};
use terrace_data::{explain, is_data_file};

const FILES: [(&str, &str); 17] = [
    ("ragged_snappy.parquet:pairs", "[][](i32, f64)"),
    ("ragged_zstd.parquet:deep", "[][][]f64"),
    ("ragged_lz4.parquet:text", "[][]u8"),
    ("ragged_gzip.parquet:words", "[][]u8"),
    ("ragged_snappy.parquet:codes", "[]i64"),
    ("ragged.arrow:pairs", "[][](i32, f64)"),
    ("ragged.arrow:words", "[][]u8"),
    ("ragged.arrow:fixed", "[][]i32"),
    ("ragged_zstd.ipc:deep", "[][][]f64"),
    ("ragged_stream.ipc:list", "[][]i32"),
    ("ragged.feather:large", "[][]i32"),
    ("views.arrow:views", "[][]i64"),
    ("views.arrow:strings", "[][]u8"),
    ("points.parquet", "[]{x: f64, y: f64}"),
    ("nulls.parquet:item", "[][]i64"),
    ("cube_fortran.npy", "[][][]i64"),
    ("grid_big.npy", "[][]i32"),
];

/// Files of text formats and sound: many changes of theirs are just other values.
const TEXTS: [(&str, &str); 13] = [
    ("table.csv", "[]{count: i16, value: f64, text: []u8}"),
    ("table.csv", "[][][]u8"),
    ("table.tsv", "[][]f64"),
    ("records.jsonl", "[]{count: i64, value: f64, text: []u8}"),
    ("document.json", "{flag: bool, rows: [](i32, f64), names: [][]u8}"),
    ("document.json:rows", "[][]f32"),
    ("matrix.mtx", "[][](i32, f64)"),
    ("matrix.mtx", "[](u8, u8, f32)"),
    ("sequences.fasta", "[]{name: []u8, sequence: []u8}"),
    ("reads.fastq", "[]([]u8, []u8, []u8)"),
    ("lines.txt", "[][]u8"),
    ("stereo.wav", "[][]f32"),
    ("mono24.wav", "[]i32"),
];

#[test]
fn changed_texts() {
    let folder = Folder::new("texts");
    let mut dice = Dice(4711);
    let (mut tried, mut refused) = (0, 0);
    for (argument, wanted) in TEXTS {
        let (name, column) = is_data_file(argument).expect("a data file");
        let good = std::fs::read(fixture(&name.to_string_lossy())).expect("the file");
        let path = folder.0.join(&name);
        for round in 0..rounds() {
            let mut bytes = good.clone();
            for _ in 0..1 + dice.below(3) {
                let at = dice.below(bytes.len() as u64) as usize;
                // Mostly letters that mean something.
                let letters = b"\"\\\n\r,:[]{}-.0159eE \tn>@+%\xff";
                match dice.below(4) {
                    0 => bytes[at] = dice.roll() as u8,
                    1 => bytes[at] = letters[dice.below(letters.len() as u64) as usize],
                    2 => bytes.insert(at, letters[dice.below(letters.len() as u64) as usize]),
                    _ if bytes.len() > 1 => drop(bytes.remove(at)),
                    _ => {}
                }
            }
            if round % 10 == 0 {
                bytes.truncate(dice.below(bytes.len() as u64) as usize);
            }
            std::fs::write(&path, &bytes).expect("written");
            tried += 1;
            refused += usize::from(!survive(&path, wanted, column.as_deref()));
            if let Err(error) = terrace_data::survey(&path, None) {
                assert!(explain(error.code).is_some(), "{} has no explanation", error.code);
            }
        }
    }
    assert!(refused * 10 > tried && refused < tried, "{refused} of {tried} were refused");
}

/// Reads it; a refusal must be a known one.
fn survive(path: &Path, wanted: &str, column: Option<&str>) -> bool {
    match read(path, &surface(wanted), column) {
        Ok(_) => true,
        Err(error) => {
            assert!(explain(error.code).is_some(), "{} has no explanation", error.code);
            assert!(error.to_diagnostic().is_error());
            false
        }
    }
}

#[test]
fn cut_short() {
    let folder = Folder::new("cut");
    for (argument, wanted) in FILES {
        let (name, column) = is_data_file(argument).expect("a data file");
        let bytes = std::fs::read(fixture(&name.to_string_lossy())).expect("the file");
        let path = folder.0.join(&name);
        for part in 0..20 {
            std::fs::write(&path, &bytes[..bytes.len() * part / 20]).expect("written");
            let read = survive(&path, wanted, column.as_deref());
            // A stream may end between two messages.
            assert!(!read || argument.contains("stream"), "{argument} cut to {part}/20 must not be read");
        }
    }
}

#[test]
fn changed_bytes() {
    let folder = Folder::new("flip");
    let mut dice = Dice(20_240_229);
    let (mut tried, mut refused) = (0, 0);
    for (argument, wanted) in FILES {
        let (name, column) = is_data_file(argument).expect("a data file");
        let good = std::fs::read(fixture(&name.to_string_lossy())).expect("the file");
        let path = folder.0.join(&name);
        for _ in 0..rounds() {
            let mut bytes = good.clone();
            for _ in 0..1 + dice.below(3) {
                let at = dice.below(bytes.len() as u64) as usize;
                bytes[at] = match dice.below(4) {
                    0 => 0,
                    1 => 0xff,
                    2 => bytes[at] ^ (1 << dice.below(8)),
                    _ => dice.roll() as u8,
                };
            }
            std::fs::write(&path, &bytes).expect("written");
            tried += 1;
            refused += usize::from(!survive(&path, wanted, column.as_deref()));
        }
    }
    // The changes must hit something: of so many, some are noticed and some are not.
    assert!(refused * 10 > tried && refused < tried, "{refused} of {tried} were refused");
}

/// How often each file is changed; `TERRACE_DAMAGE_ROUNDS` asks for more than a quick test has time for.
fn rounds() -> u32 {
    std::env::var("TERRACE_DAMAGE_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(150)
}

#[test]
fn every_ending_on_rubbish() {
    let folder = Folder::new("rubbish");
    let mut dice = Dice(99);
    let starts: [&[u8]; 6] = [b"", b"PAR1", b"ARROW1\0\0", b"\x93NUMPY\x01\0", b"\xff\xff\xff\xff", b"\x93NUMPY\x02\0"];
    for start in starts {
        for ending in ["npy", "arrow", "parquet", "mtx", "wav", "fa", "fq", "json"] {
            for length in [0, 1, 4, 9, 30, 300] {
                let mut bytes = start.to_vec();
                bytes.extend((0..length).map(|_| dice.roll() as u8));
                if length == 300 {
                    bytes.extend(start);
                }
                let path = folder.0.join(format!("rubbish.{ending}"));
                std::fs::write(&path, &bytes).expect("written");
                let wanted = if ["fa", "fq"].contains(&ending) { "[][]u8" } else { "[]f64" };
                // A file without sequences is one all the same.
                let empty = bytes.is_empty() && wanted == "[][]u8";
                assert!(survive(&path, wanted, None) == empty, "rubbish was read: {bytes:?}");
                let _ = terrace_data::survey(&path, None);
            }
        }
    }
}
