//! Gives the compiler a name that changes whenever its own text does: a plan that another build made must not be taken for one of its own.
//!
//! The name is a hash of the sources of all crates beside this one and of the standard library. Times and paths have no part in it, so that
//! two builds of one text share what they keep.

use std::path::{Path, PathBuf};

fn main() {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let beside = here.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut files = Vec::new();
    for folder in std::fs::read_dir(&beside).into_iter().flatten().flatten() {
        collect(&folder.path().join("src"), &mut files);
    }
    collect(&beside.join("..").join("lib"), &mut files);
    collect(&here.join("src"), &mut files);
    files.sort();
    files.dedup();
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |bytes: &[u8]| {
        for byte in bytes {
            state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for file in files {
        let name = file.strip_prefix(&beside).unwrap_or(&file).display().to_string();
        mix(name.as_bytes());
        mix(&std::fs::read(&file).unwrap_or_default());
    }
    println!("cargo:rustc-env=TERRACE_BUILD={state:016x}");
}

/// The Rust and Terrace texts of a folder, and of those inside it; a change of any runs this again.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    if !folder.is_dir() {
        return;
    }
    println!("cargo:rerun-if-changed={}", folder.display());
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs" || e == "tce") {
            files.push(path);
        }
    }
}
