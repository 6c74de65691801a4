//! What is written is read back, bit by bit: every type, depth and format, and what is refused.

mod support;

use std::path::Path;
use std::slice::from_ref;
use support::{Dice, Folder, fixture, is_of, read, same, show, surface};
use terrace_base::{Scalar, ScalarType};
use terrace_data::{Value, check_target, read_flat, write, write_flat};
use terrace_plan::data::Data;
use terrace_plan::surface::Surface;

const TABLES: [&str; 4] = ["parquet", "arrow", "ipc", "feather"];

fn round_trip(path: &Path, value: &Data, surface: &Surface) {
    write(path, value, surface).unwrap_or_else(|e| panic!("{surface} to {}: {e}", path.display()));
    let back = read(path, surface, None).unwrap_or_else(|e| panic!("{surface} from {}: {e}", path.display()));
    assert!(is_of(&back, surface), "{surface} from {}", path.display());
    if !same(value, &back) {
        let (wrote, got) = (show(value), show(&back));
        let cut = |text: &str| text.chars().take(400).collect::<String>();
        panic!("{surface} through {}\nwrote: {}\n  got: {}", path.display(), cut(&wrote), cut(&got));
    }
    if let Ok(Value::Column(column)) = read_flat(path, surface, None) {
        let other = path.with_file_name(format!("flat-{}", path.file_name().expect("a file").display()));
        write_flat(&other, &column, surface).unwrap_or_else(|e| panic!("{surface} to {}: {e}", other.display()));
        let bytes = |path: &Path| std::fs::read(path).expect("written");
        assert_eq!(bytes(path), bytes(&other), "{surface} to {} as flat memory", path.display());
        std::fs::remove_file(&other).expect("it is there");
    }
}

/// A random value; lengths are small, and often zero.
fn random(surface: &Surface, dice: &mut Dice) -> Data {
    match surface {
        Surface::Scalar(scalar) => Data::Scalar(random_scalar(*scalar, dice)),
        Surface::Tuple(parts) => Data::Tuple(parts.iter().map(|part| random(part, dice)).collect()),
        Surface::Record { fields, .. } => Data::Tuple(fields.iter().map(|(_, part)| random(part, dice)).collect()),
        Surface::Array(element) => {
            Data::Array((0..dice.below(5).saturating_sub(1)).map(|_| random(element, dice)).collect())
        }
        Surface::Enum { .. } => panic!("no enums in files"),
    }
}

fn random_scalar(scalar: ScalarType, dice: &mut Dice) -> Scalar {
    let bits = match dice.below(4) {
        0 => 0,
        1 => u64::MAX >> dice.below(64),
        2 => 1 << dice.below(64),
        _ => dice.roll(),
    };
    match scalar {
        ScalarType::Bool => Scalar::Bool(bits & 1 == 1),
        ScalarType::I8 => Scalar::I8(bits as i8),
        ScalarType::I16 => Scalar::I16(bits as i16),
        ScalarType::I32 => Scalar::I32(bits as i32),
        ScalarType::I64 => Scalar::I64(bits as i64),
        ScalarType::U8 => Scalar::U8(bits as u8),
        ScalarType::U16 => Scalar::U16(bits as u16),
        ScalarType::U32 => Scalar::U32(bits as u32),
        ScalarType::U64 => Scalar::U64(bits),
        ScalarType::F32 => Scalar::F32(f32::from_bits(bits as u32)),
        ScalarType::F64 => Scalar::F64(f64::from_bits(bits)),
    }
}

#[test]
fn every_type_at_every_depth_as_a_table() {
    let folder = Folder::new("tables");
    let mut dice = Dice(7);
    let mut types: Vec<Surface> = Vec::new();
    for scalar in ScalarType::ALL {
        let mut nested = Surface::Scalar(scalar);
        for _ in 0..5 {
            types.push(nested.clone());
            nested = Surface::Array(Box::new(nested));
        }
    }
    for text in [
        "(i32, f64)",
        "[](i32, f64)",
        "[][](i32, f64)",
        "[][][](i32, f64)",
        "[](i64, []f32, [][]bool)",
        "([]f64, [][](i8, u8))",
        "{x: f64, y: f64}",
        "[]{x: f64, tags: []u16}",
        "[][]{x: f64, inner: {y: i32, z: ([]u8, bool)}}",
        "[]{only: {deep: [](u64, [][]f32)}}",
        "[](bool, {a: []bool})",
        "[]{value: f64}",
        "[][]{value: []{value: i8}}",
    ] {
        types.push(surface(text));
    }
    for (ending, rounds) in TABLES.into_iter().zip([5, 5, 1, 1]) {
        let path = folder.0.join(format!("value.{ending}"));
        for surface in &types {
            for _ in 0..rounds {
                round_trip(&path, &random(surface, &mut dice), surface);
            }
        }
    }
    assert_eq!(folder.names(), ["value.arrow", "value.feather", "value.ipc", "value.parquet"]);
}

fn array(rows: &[Data]) -> Data {
    Data::Array(rows.to_vec())
}

#[test]
fn empty_at_every_level() {
    let folder = Folder::new("empty");
    let none = array(&[]);
    let path = |ending: &str| folder.0.join(format!("value.{ending}"));
    for ending in TABLES {
        for element in ["f64", "bool", "u8", "(i32, f64)", "{x: i8, ys: []f32}"] {
            for depth in 1..5 {
                let wanted = surface(&format!("{}{element}", "[]".repeat(depth)));
                let mut value = none.clone();
                round_trip(&path(ending), &value, &wanted);
                for _ in 1..depth {
                    value = array(&[none.clone(), value.clone(), none.clone()]);
                }
                round_trip(&path(ending), &value, &wanted);
            }
        }
    }
    for depth in 1..5 {
        let wanted = surface(&format!("{}i16", "[]".repeat(depth)));
        round_trip(&path("npy"), &none, &wanted);
    }
    round_trip(&path("npy"), &array(&[none.clone(), none.clone()]), &surface("[][]f64"));
    round_trip(&path("npy"), &array(&[none.clone(), none.clone()]), &surface("[][][]f64"));
    let rows = array(&[array(&[none.clone(), none.clone()]), array(&[none.clone(), none])]);
    round_trip(&path("npy"), &rows, &surface("[][][]bool"));
}

#[test]
fn a_long_row_beside_empty_ones() {
    let folder = Folder::new("long");
    let mut rows = vec![array(&[]); 30_000];
    rows[12_345] = Data::Array((0..200_000).map(|k| Data::Scalar(Scalar::F64(f64::from(k) / 8.0))).collect());
    let value = Data::Array(rows);
    for ending in ["parquet", "arrow"] {
        round_trip(&folder.0.join(format!("value.{ending}")), &value, &surface("[][]f64"));
    }
}

#[test]
fn a_million_elements_over_many_batches() {
    let folder = Folder::new("million");
    let value = Data::Array((0..1_000_000).map(|k| Data::Scalar(Scalar::I64(k * k))).collect());
    for ending in ["parquet", "arrow", "npy"] {
        round_trip(&folder.0.join(format!("value.{ending}")), &value, &surface("[]i64"));
    }
    let rows = (0..200_000_i32).map(|k| Data::Array((0..k % 5).map(|j| Data::Scalar(Scalar::I32(k + j))).collect()));
    let value = Data::Array(rows.collect());
    for ending in ["parquet", "arrow"] {
        round_trip(&folder.0.join(format!("value.{ending}")), &value, &surface("[][]i32"));
    }
}

/// A regular array with these lengths.
fn regular(scalar: ScalarType, shape: &[usize], dice: &mut Dice) -> Data {
    match shape {
        [] => Data::Scalar(random_scalar(scalar, dice)),
        [length, inner @ ..] => Data::Array((0..*length).map(|_| regular(scalar, inner, dice)).collect()),
    }
}

#[test]
fn regular_arrays_as_numpy() {
    let folder = Folder::new("numpy");
    let path = folder.0.join("value.npy");
    let mut dice = Dice(11);
    for scalar in ScalarType::ALL {
        for shape in [&[][..], &[3], &[2, 3], &[1, 1, 1], &[2, 1, 3, 2], &[4, 0], &[3, 0, 0], &[0, 0]] {
            let wanted = surface(&format!("{}{scalar}", "[]".repeat(shape.len())));
            round_trip(&path, &regular(scalar, shape, &mut dice), &wanted);
        }
    }
}

#[test]
fn numpy_bytes_are_numpys_own() {
    let folder = Folder::new("bytes");
    for (file, wanted) in
        [("grid_c.npy", "[][]i32"), ("flags.npy", "[]bool"), ("scalar.npy", "f64"), ("version_1.npy", "[]f64")]
    {
        let wanted = surface(wanted);
        let value = read(&fixture(file), &wanted, None).expect("a good file");
        let path = folder.0.join(file);
        write(&path, &value, &wanted).expect("it can be written");
        assert_eq!(std::fs::read(&path).expect("written"), std::fs::read(fixture(file)).expect("there"), "{file}");
    }
}

#[test]
fn same_value_same_bytes() {
    let folder = Folder::new("twice");
    let mut dice = Dice(3);
    let wanted = surface("[]{x: f64, tags: [](u16, bool)}");
    let value = Data::Array((0..50).map(|_| random(&surface("{x: f64, tags: [](u16, bool)}"), &mut dice)).collect());
    for ending in ["parquet", "arrow"] {
        let bytes = [1, 2].map(|k| {
            let path = folder.0.join(format!("{k}.{ending}"));
            write(&path, &value, &wanted).expect("it can be written");
            std::fs::read(&path).expect("written")
        });
        assert!(bytes[0] == bytes[1], "{ending}");
    }
}

/// A value that a text format has room for: lines without line breaks, indices that are not negative.
fn tamed(value: &Data, format: &str) -> Data {
    match value {
        Data::Scalar(Scalar::U8(b'\n' | b'\r')) if format == "txt" => Data::Scalar(Scalar::U8(b' ')),
        Data::Scalar(Scalar::I32(x)) if format == "mtx" => Data::Scalar(Scalar::I32(x & 0xffff)),
        Data::Scalar(scalar) => Data::Scalar(*scalar),
        Data::Array(items) => Data::Array(items.iter().map(|item| tamed(item, format)).collect()),
        Data::Tuple(parts) => Data::Tuple(parts.iter().map(|part| tamed(part, format)).collect()),
        Data::Variant(_) => value.clone(),
    }
}

#[test]
fn every_text_format() {
    let folder = Folder::new("texts");
    let mut dice = Dice(2025);
    let scalars: Vec<&str> = ScalarType::ALL.iter().map(|ty| ty.name()).collect();
    let each = |shape: &str| scalars.iter().map(|ty| shape.replace('t', ty)).collect::<Vec<_>>();
    let some = |shapes: &[&str]| shapes.iter().map(|shape| shape.to_string()).collect::<Vec<_>>();
    let flat = [each("[]t"), each("[][]t"), each("(t, t)"), each("[](t, []u8)"), each("[]{x: t}")].concat();
    let texts = some(&["[][]u8", "[][][]u8", "[]{a: []u8}", "[]([]u8, []u8)", "[]{a: []u8, b: f64, c: []u8}"]);
    let csv = [flat.clone(), texts].concat();
    let deep = some(&[
        "[][][]f64",
        "[]{x: f64, tags: []u16}",
        "[][]{x: f64, inner: {y: i32, z: ([]u8, bool)}}",
        "[]{only: {deep: [](u64, [][]f32)}}",
        "{a: [][]u8}",
        "([]f64, [][](i8, u8))",
    ]);
    let json = [csv.clone(), deep, each("t")].concat();
    let mtx = some(&["[][](i32, f64)", "[][](i32, i64)", "[](i32, i32, f32)", "[](i32, i32)"]);
    for (format, types) in [
        ("csv", &csv),
        ("tsv", &csv),
        ("jsonl", &json),
        ("json", &json),
        ("mtx", &mtx),
        ("txt", &some(&["[]u8", "[][]u8"])),
    ] {
        let path = folder.0.join(format!("value.{format}"));
        for wanted in types {
            let wanted = surface(wanted);
            for _ in 0..3 {
                round_trip(&path, &tamed(&random(&wanted, &mut dice), format), &wanted);
            }
        }
    }
    for ty in ["u8", "i16", "i32", "f32", "f64"] {
        let (mono, frames) = (surface(&format!("[]{ty}")), surface(&format!("[][]{ty}")));
        let ty = ScalarType::from_name(ty).expect("a type");
        round_trip(&folder.0.join("value.wav"), &regular(ty, &[5], &mut dice), &mono);
        for shape in [[0, 0], [1, 4], [3, 2]] {
            round_trip(&folder.0.join("value.wav"), &regular(ty, &shape, &mut dice), &frames);
        }
    }
    let bytes = |text: &str| Data::Array(text.bytes().map(|b| Data::Scalar(Scalar::U8(b))).collect());
    let long = "ACGT".repeat(50);
    let pair = |name: &str, sequence: &str| Data::Tuple(vec![bytes(name), bytes(sequence)]);
    let value = array(&[pair("a b", &long), pair("", ""), pair("c", "N")]);
    round_trip(&folder.0.join("value.fa"), &value, &surface("[]{name: []u8, sequence: []u8}"));
    round_trip(&folder.0.join("value.fa"), &array(&[bytes(&long), bytes("")]), &surface("[][]u8"));
    let triple = |sequence: &str, quality: &str| Data::Tuple(vec![bytes("x"), bytes(sequence), bytes(quality)]);
    let value = array(&[triple("ACG", "@>+"), triple("", "")]);
    round_trip(&folder.0.join("value.fq"), &value, &surface("[]([]u8, []u8, []u8)"));
    for ty in ["f64", "i16", "u64"] {
        let (wanted, ty) = (surface(&format!("[][]{ty}")), ScalarType::from_name(ty).expect("a type"));
        for shape in [[0, 0], [3, 0], [1, 4], [3, 2]] {
            round_trip(&folder.0.join("value.mtx"), &regular(ty, &shape, &mut dice), &wanted);
        }
    }
}

/// Refused with this code and these words, before anything is written.
fn refused(path: &Path, value: &Data, wanted: &str, expected: &str) {
    let wanted = surface(wanted);
    let error = write(path, value, &wanted).expect_err("it must be refused");
    let text = format!("{}: {error}", error.code);
    assert!(text.contains(expected), "{wanted} to {}\n got: {text}\nwant: {expected}", path.display());
}

#[test]
fn what_cannot_be_written() {
    let folder = Folder::new("refused");
    let path = |name: &str| folder.0.join(name);
    let one = Data::Scalar(Scalar::F64(1.0));
    let ragged = array(&[array(from_ref(&one)), array(&[])]);
    let pair = Data::Tuple(vec![one.clone(), one.clone()]);
    let variant = Data::variant(0, "round", Vec::new());
    refused(
        &path("a.npy"),
        &ragged,
        "[][]f64",
        "T0741: this array cannot be written as `.npy`: rows of different lengths",
    );
    refused(&path("a.npy"), &ragged, "[][]f64", "hint: write `.arrow` or `.parquet`");
    let deep = array(&[array(&[array(&[]), array(&[])]), array(&[array(from_ref(&one)), array(&[])])]);
    refused(&path("a.npy"), &deep, "[][][]f64", "rows of different lengths");
    refused(&path("a.npy"), &array(from_ref(&pair)), "[](f64, f64)", "T0741: a value of type [](f64, f64) cannot");
    for ending in ["parquet", "arrow", "npy"] {
        let code = if ending == "npy" { "T0741" } else { "T0729" };
        refused(&path(&format!("a.{ending}")), &variant, "enum", code);
        refused(&path(&format!("a.{ending}")), &array(&[array(from_ref(&variant))]), "[][]enum", code);
        refused(&path(&format!("a.{ending}")), &Data::Tuple(Vec::new()), "()", code);
    }
    refused(&path("a.xlsx"), &one, "f64", "T0721");
    refused(&path("a.csv"), &array(&[array(&[])]), "[][](f64, f64)", "T0741: a value of type [][](f64, f64) cannot");
    refused(&path("a.txt"), &array(&[]), "[]f64", "T0741");
    refused(&path("a.mtx"), &array(&[]), "[][][]f64", "T0741");
    refused(&path("a.mtx"), &ragged, "[][]f64", "rows of different lengths");
    refused(&path("missing/a.npy"), &one, "f64", "its folder does not exist");
    refused(&path("missing/a.parquet"), &one, "f64", "T0740");
    std::fs::write(path("file"), "x").expect("a file");
    refused(&path("file/a.arrow"), &one, "f64", "T0740");
    std::fs::create_dir(path("b.npy")).expect("a folder");
    refused(&path("b.npy"), &one, "f64", "a folder has this name");
    // A value that is not of its type is reported, not written.
    refused(&path("c.parquet"), &one, "i64", "T0741");
    refused(&path("c.parquet"), &array(&[pair, one]), "[](f64, f64)", "T0741");
    assert_eq!(folder.names(), ["b.npy", "file"]);
    assert!(check_target(&path("new.parquet"), &surface("[]f64")).is_ok());
    assert_eq!(check_target(&path("new.npy"), &surface("[](f64, i8)")).map_err(|e| e.code), Err("T0741"));
    assert_eq!(check_target(&path("no/new.npy"), &surface("f64")).map_err(|e| e.code), Err("T0740"));
}

#[test]
fn an_older_file_stays_when_writing_fails() {
    let folder = Folder::new("older");
    let path = folder.0.join("a.parquet");
    let wanted = surface("[]f64");
    let good = array(&[Data::Scalar(Scalar::F64(1.5))]);
    write(&path, &good, &wanted).expect("it can be written");
    let bad = array(&[Data::Scalar(Scalar::I8(1))]);
    assert_eq!(write(&path, &bad, &wanted).map_err(|e| e.code), Err("T0741"));
    assert!(same(&read(&path, &wanted, None).expect("still there"), &good));
    assert_eq!(folder.names(), ["a.parquet"]);
    write(&path, &array(&[]), &wanted).expect("it can be replaced");
    assert!(same(&read(&path, &wanted, None).expect("replaced"), &array(&[])));
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = Folder::new("link");
    let (link, target) = (folder.0.join("link.npy"), folder.0.join("target.npy"));
    let value = Data::Scalar(Scalar::F64(1.5));
    write(&target, &Data::Scalar(Scalar::F64(0.0)), &surface("f64")).expect("it can be written");
    std::os::unix::fs::symlink(&target, &link).expect("a link");
    write(&link, &value, &surface("f64")).expect("it can be written");
    assert!(link.is_symlink());
    assert!(same(&read(&target, &surface("f64"), None).expect("there"), &value));
}
