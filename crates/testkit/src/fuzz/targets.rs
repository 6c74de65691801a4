//! What is fuzzed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use terrace::Surface;
use terrace_base::{Diagnostic, ScalarType, SourceMap, render};

/// Something that takes inputs from outside.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Whether its inputs are source text.
    pub is_text: bool,
    /// Inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Runs one input; the result tells what happened.
    pub run: fn(&[u8]) -> u64,
}

const TARGETS: [Target; 15] = [
    Target { name: "parse", is_text: true, seeds: sources, run: parse },
    Target { name: "format", is_text: true, seeds: sources, run: format },
    Target { name: "check", is_text: true, seeds: sources, run: check },
    Target { name: "npy", is_text: false, seeds: || data("npy"), run: |input| read(input, "npy") },
    Target { name: "arrow", is_text: false, seeds: || data("arrow"), run: |input| read(input, "arrow") },
    Target { name: "parquet", is_text: false, seeds: || data("parquet"), run: |input| read(input, "parquet") },
    Target { name: "csv", is_text: false, seeds: || data("csv"), run: |input| read(input, "csv") },
    Target { name: "tsv", is_text: false, seeds: tabulated, run: |input| read(input, "tsv") },
    Target { name: "jsonl", is_text: false, seeds: || data("jsonl"), run: |input| read(input, "jsonl") },
    Target { name: "json", is_text: false, seeds: || data("json"), run: |input| read(input, "json") },
    Target { name: "mtx", is_text: false, seeds: || data("mtx"), run: |input| read(input, "mtx") },
    Target { name: "wav", is_text: false, seeds: || data("wav"), run: |input| read(input, "wav") },
    Target { name: "fasta", is_text: false, seeds: || data("fasta"), run: |input| read(input, "fasta") },
    Target { name: "fastq", is_text: false, seeds: || data("fastq"), run: |input| read(input, "fastq") },
    Target { name: "txt", is_text: false, seeds: || data("txt"), run: |input| read(input, "txt") },
];

/// All targets.
pub fn targets() -> &'static [Target] {
    const ALL: &[Target] = &TARGETS;
    ALL
}

/// The root of the repository; where the program was carried to another machine, the folder it runs in.
fn root() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if built.exists() { built } else { PathBuf::from(".") }
}

fn files(folder: &Path, ending: &str, out: &mut Vec<Vec<u8>>) {
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|e| Some(e.ok()?.path())).collect();
    inside.sort();
    for path in inside {
        if path.is_dir() {
            files(&path, ending, out);
        } else if path.extension().is_some_and(|e| e == ending) {
            out.extend(std::fs::read(&path).ok().filter(|bytes| bytes.len() < 32 << 10));
        }
    }
}

fn sources() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for folder in ["examples", "tests", "lib", "crates/syntax/tests", "crates/frontend/tests"] {
        files(&root().join(folder), "tce", &mut out);
    }
    out
}

fn data(ending: &str) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for folder in ["crates/data/tests/files", "examples/data"] {
        files(&root().join(folder), ending, &mut out);
    }
    out
}

/// Tables with tabulators: those there are, and those with commas made over.
fn tabulated() -> Vec<Vec<u8>> {
    let swapped = |bytes: Vec<u8>| bytes.into_iter().map(|b| if b == b',' { b'\t' } else { b }).collect();
    data("tsv").into_iter().chain(data("csv").into_iter().map(swapped)).collect()
}

/// One number for several (Fowler, Noll and Vo's hash).
fn fingerprint(parts: &[u64]) -> u64 {
    let bytes = parts.iter().flat_map(|p| p.to_le_bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// A text without its numbers: what was said, not about how much.
fn of_text(text: &str) -> u64 {
    let letters: Vec<u64> = text.bytes().filter(|b| !b.is_ascii_digit()).take(200).map(u64::from).collect();
    fingerprint(&letters)
}

/// Which messages came, and how many of each up to four; every one is rendered, which must not fail either.
fn of_messages(messages: &[Diagnostic], sources: &SourceMap) -> u64 {
    let mut codes: Vec<u64> = messages.iter().map(|m| m.code.bytes().fold(0, |n, b| n * 256 + u64::from(b))).collect();
    codes.sort_unstable();
    codes.truncate(4);
    let rendered: usize = messages.iter().map(|m| render(m, sources, true).len()).sum();
    codes.push(u64::from(rendered > 0));
    fingerprint(&codes)
}

fn source(input: &[u8]) -> (SourceMap, terrace_base::FileId) {
    let mut sources = SourceMap::new();
    let file = sources.add("input.tce", String::from_utf8_lossy(input).into_owned());
    (sources, file)
}

fn parse(input: &[u8]) -> u64 {
    let (sources, file) = source(input);
    let (module, messages) = terrace_syntax::parse(&sources, file);
    fingerprint(&[of_messages(&messages, &sources), module.items.len().min(8) as u64])
}

/// What is formatted parses again, and is formatted already.
fn format(input: &[u8]) -> u64 {
    let (sources, file) = source(input);
    match terrace_syntax::format(&sources, file) {
        Ok(text) => {
            let again = terrace::format("again", &text).unwrap_or_else(|e| panic!("formatted text is refused: {e}"));
            assert_eq!(again, text, "formatting changes formatted text");
            fingerprint(&[1, text.lines().count().min(50) as u64])
        }
        Err(messages) => of_messages(&messages, &sources),
    }
}

fn check(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    // Imports of made-up names ask the file system, and must not find anything.
    match terrace::Program::from_text("nowhere/input.tce", &text) {
        Ok(program) => {
            fingerprint(&[2, of_messages(&program.warnings, &SourceMap::new()), program.entries().len() as u64])
        }
        Err(failed) => {
            let rendered = failed.render(true).len();
            fingerprint(&[3, of_messages(&failed.diagnostics, &SourceMap::new()), u64::from(rendered > 0)])
        }
    }
}

fn wanted() -> Vec<Surface> {
    let scalar = Surface::Scalar;
    let array = |s: Surface| Surface::Array(Box::new(s));
    let pair = Surface::Tuple(vec![scalar(ScalarType::I32), scalar(ScalarType::F64)]);
    let record = Surface::Record {
        name: "row".to_string(),
        fields: vec![("x".to_string(), scalar(ScalarType::F64)), ("rows".to_string(), array(pair.clone()))],
    };
    vec![
        array(scalar(ScalarType::F64)),
        array(scalar(ScalarType::I64)),
        array(scalar(ScalarType::Bool)),
        array(array(scalar(ScalarType::I32))),
        array(array(scalar(ScalarType::F64))),
        array(array(scalar(ScalarType::U8))),
        array(pair.clone()),
        array(array(pair)),
        array(record),
        scalar(ScalarType::F64),
    ]
}

fn read(input: &[u8], ending: &str) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("terrace-fuzz-{}-{}.{ending}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(name);
    if std::fs::write(&path, input).is_err() {
        return 0;
    }
    let mut prints = Vec::new();
    for surface in wanted() {
        prints.push(match terrace_data::read(&path, &surface, None) {
            Ok(value) => fingerprint(&[1, of_text(&terrace::show::data(&value, 2)).count_ones().into()]),
            Err(e) => of_text(&format!("{}{}", e.title, e.notes.join(" ")).replace(&path.display().to_string(), "")),
        });
    }
    // What a survey infers is read in the same run, so a type that does not fit its own file would show.
    prints.push(match terrace_data::survey(&path, None) {
        Ok(found) => fingerprint(&[2, of_text(&found.whole.as_ref().map(terrace_data::spelled).unwrap_or_default())]),
        Err(e) => of_text(e.code),
    });
    let _ = std::fs::remove_file(&path);
    fingerprint(&prints)
}
