//! Machine code for GPUs, made without one: NVRTC compiles kernels for an architecture that this machine does not have.
//!
//! ```text
//! tests/structure/cubins.txt     what the compiler makes of programs of benchmarks/workloads: shared memory, and kernels that need local memory
//! ```
//!
//! The corpus takes turns, a part every day (all of it with `TERRACE_LONG`), for the two architectures that are promised. The list is a record of one version
//! of NVRTC: `TERRACE_BLESS=1` writes it anew, and another version compares nothing. Without NVRTC nothing is tested; `cargo xtask test` fetches it.

use std::path::{Path, PathBuf};
use terrace::{Backend, Program, Settings, Stage, Strategy};
use terrace_runtime::{cuda_resources, nvrtc_available};
use terrace_testkit::corpus::{programs_below, short_name, side_by_side, tests_folder, turn};

fn cuda_text(path: &Path) -> Option<String> {
    let program = Program::from_file(path).ok()?;
    let mut settings = Settings::default();
    settings.options.strategy = Strategy::Auto;
    program.show(Stage::Cuda, Backend::Cuda, &settings).ok()
}

#[test]
fn the_corpus_compiles_for_two_architectures() {
    const PARTS: usize = 32;
    if nvrtc_available().is_err() {
        return;
    }
    let (long, turn) = (std::env::var_os("TERRACE_LONG").is_some(), turn(PARTS));
    let programs = programs_below("corpus");
    let taken = programs.iter().enumerate().filter(|(k, _)| long || k % PARTS == turn);
    let work: Vec<(&PathBuf, &str)> = taken.flat_map(|(_, path)| ["sm_80", "sm_90"].map(|arch| (path, arch))).collect();
    let failures = side_by_side(&work, |(path, arch)| {
        let kernels = cuda_resources(&cuda_text(path)?, arch);
        kernels.err().map(|why| format!("{} for {arch}: {why}", short_name(path)))
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "TERRACE_TURN={turn}:\n{}", failures.join("\n\n"));
}

/// A matrix passes the caches once; the vector that is gathered from, and what nothing is gathered beside, is read as usual.
#[test]
fn what_is_read_once_stays_out_of_the_caches() {
    let folder = tests_folder().join("../benchmarks/workloads");
    let text = |name: &str| cuda_text(&folder.join(name)).unwrap_or_default();
    let (spmv, sums) = (text("spmv/spmv.tce"), text("row_sums/row_sums.tce"));
    assert!(spmv.contains("__ldcs(&rows_p") && spmv.contains("v_p"), "columns and values of a sparse matrix");
    assert!(!spmv.contains("__ldcs(&v_p"), "the vector");
    assert!(sums.contains("rows_p") && !sums.contains("__ldcs(&rows_p"), "sums of rows");
}

#[test]
fn shared_and_local_memory_are_as_recorded() {
    let Ok(version) = nvrtc_available() else { return };
    let path = tests_folder().join("structure/cubins.txt");
    let (kept, bless) =
        (std::fs::read_to_string(&path).unwrap_or_default(), std::env::var_os("TERRACE_BLESS").is_some());
    // A program is compared once its name is in the list; NVRTC takes too long for all of them.
    let mut programs = programs_below("../benchmarks/workloads");
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    programs.retain(|path| kept.lines().any(|line| line.starts_with(&format!("{}:", name(path)))));
    let lines = side_by_side(&programs, |path| {
        let name = name(path);
        let kernels = cuda_resources(&cuda_text(path).unwrap_or_default(), "sm_90");
        let kernels = kernels.unwrap_or_else(|why| panic!("{name}: {why}"));
        let shared = kernels.iter().map(|k| k.shared_bytes).max().unwrap_or(0);
        let local: Vec<String> =
            kernels.iter().filter(|k| k.local_bytes > 0).map(|k| format!(" {}: {}", k.name, k.local_bytes)).collect();
        format!("{name}: {} kernels, at most {shared} bytes shared; local:{}", kernels.len(), local.join(","))
    });
    let found = format!("{version}\n{}\n", lines.join("\n"));
    if bless {
        return std::fs::write(&path, found).unwrap_or_else(|e| panic!("{e}"));
    }
    if kept.lines().next() == Some(version.as_str()) {
        assert_eq!(
            kept, found,
            "shared and local memory changed; if that is meant, TERRACE_BLESS=1 writes the list anew"
        );
    }
}
