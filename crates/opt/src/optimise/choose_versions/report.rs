//! Which versions each nest has, for people and for whoever tunes thresholds.
//!
//! ```text
//! spmv.1   reduce [rows_len][rows_off]
//!   if rows >= spmv.1.outer (1024)
//!     if elements divided by the length of the longest row >= spmv.1.balanced (256)
//!       outer
//!     …
//!   no block: a CPU has no blocks of threads
//! ```

use super::alone;
use super::tree::all_versions;
use crate::options::{Options, Strategy};
use terrace_base::Span;
use terrace_ir::flat::{Program, Threshold};

/// What there is of one nest.
#[derive(Clone, Debug, PartialEq)]
pub struct NestReport {
    /// The function and the number of the nest in it; the names of its thresholds begin so.
    pub name: String,
    /// Where it comes from.
    pub span: Span,
    /// Its operators and their dimensions.
    pub operators: Vec<String>,
    /// How a version is chosen.
    pub tree: Choice,
    /// The versions that do not exist.
    pub missing: Vec<Missing>,
}

/// A version that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its name.
    pub version: &'static str,
    /// Why.
    pub why: String,
}

/// A tree of guards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This version runs.
    Version(&'static str),
    /// A guard decides.
    Test {
        /// What it compares with, and what is compared.
        threshold: Threshold,
        /// If the quantity reaches it.
        then: Box<Choice>,
        /// If not.
        otherwise: Box<Choice>,
    },
}

/// The nests of a flattened program and their versions.
pub fn reports(program: &Program, options: &Options) -> Vec<NestReport> {
    let mut program = program.clone();
    let calls = alone::reports(&program, options);
    let threads = alone::settle(&mut program, &Options { strategy: Strategy::Auto, ..options.clone() });
    all_versions(&mut program, options, &threads).into_iter().chain(calls).collect()
}
