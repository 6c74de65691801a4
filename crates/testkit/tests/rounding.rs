//! Single-precision quotients and roots of CUDA kernels, as their text says, from rough approximations. `cargo xtask gpu-check` does the same on a GPU.

use terrace::{Backend, Program, Settings, Stage, Strategy};
use terrace_testkit::corpus::tests_folder;
use terrace_testkit::rounding::{SOME, wrong};

#[test]
fn a_million_quotients_and_roots_are_rounded_once() {
    for counted in SOME {
        for backend in [Backend::C, Backend::CudaSim] {
            assert_eq!(wrong(backend, counted), Ok(0), "{counted:?} on {}", backend.name());
        }
    }
}

#[test]
fn the_sequence_of_our_own_is_what_is_counted() {
    let program = Program::from_file(&tests_folder().join("spine/rounding.tce")).unwrap_or_else(|e| panic!("{e}"));
    let mut settings = Settings::default();
    settings.options.strategy = Strategy::Outer;
    let text = program.show(Stage::Cuda, Backend::Cuda, &settings).unwrap_or_else(|e| panic!("{e}"));
    let kernels = &text[text.find("__launch_bounds__").unwrap_or(0)..];
    assert!(
        kernels.contains("terrace_divide<8>(") && kernels.contains("terrace_roots<8>("),
        "other kernels:\n{kernels}"
    );
}
