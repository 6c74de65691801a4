//! Single-precision quotients and roots on a GPU, counted by `tests/spine/rounding.tce`.
//!
//! Several that are wanted at once are computed by a sequence of our own (`terrace_divide` and `terrace_roots` in the preamble of CUDA): an approximation of the machine, refined. That is a
//! promise about hardware, so it is counted on hardware (`cargo xtask gpu-check`) for every significand. The simulator runs the same sequence from approximations that are as
//! wrong as a GPU's may be.

use crate::corpus::tests_folder;
use terrace::{Backend, Data, Program, Settings, Strategy};

/// An entry of the program, and the two arguments that it gets.
pub type Counted = (&'static str, &'static str, &'static str);

/// A million pairs: of all sizes, with significands at random, and numbers all of whose bits are set.
pub const SOME: [Counted; 3] = [
    (
        "wrong_quotients",
        "[f32(f64((i * 7919) % 16777213 + 1) * pow(2.0, f64(i * 37 % 100 - 70))) for i < 1000]",
        "[f32(f64((i * 5077 + 3) % 16777213 + 1) * pow(2.0, f64(i * 53 % 100 - 70))) for i < 1000]",
    ),
    ("wrong_quotients", "[f32(16777215 - i * i) for i < 100]", "[f32(16777215 - i) for i < 800]"),
    ("wrong_roots", "[f32(8388608 + i * 65536) for i < 128]", "[f32(i * 131) for i < 500]"),
];

/// Every significand under a root, for even and odd exponents; and quotients of sixteen million pairs.
pub const ALL: [Counted; 3] = [
    ("wrong_roots", "[f32(8388608 + i * 4096) for i < 2048]", "[f32(i) for i < 4096]"),
    ("wrong_roots", "[f32(16777216 + i * 8192) for i < 2048]", "[f32(2 * i) for i < 4096]"),
    (
        "wrong_quotients",
        "[f32((i * 7919 * 2053) % 16777213 + 1) for i < 4096]",
        "[f32((i * 5077 * 1031 + 3) % 16777213 + 1) for i < 4096]",
    ),
];

/// How many results are wrong where one thread reduces a row.
pub fn wrong(backend: Backend, (entry, xs, ys): Counted) -> Result<i64, String> {
    let program = Program::from_file(&tests_folder().join("spine/rounding.tce")).map_err(|e| e.to_string())?;
    let mut settings = Settings::default();
    settings.options.strategy = Strategy::Outer;
    let engine = program.engine(backend, &settings).map_err(|e| e.to_string())?;
    let argument = |(k, text): (usize, &str)| program.argument(entry, k, text).map_err(|e| e.to_string());
    let args = [xs, ys].into_iter().enumerate().map(argument).collect::<Result<Vec<_>, _>>()?;
    match engine.call(entry, args).map_err(|e| e.to_string())?.value {
        Data::Array(counts) => counts.iter().map(count).sum(),
        other => Err(format!("{other:?} is no list of counts")),
    }
}

fn count(data: &Data) -> Result<i64, String> {
    match data {
        Data::Scalar(scalar) => scalar.as_i64().ok_or_else(|| format!("{scalar:?} is no count")),
        other => Err(format!("{other:?} is no count")),
    }
}
