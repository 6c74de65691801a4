//! Thresholds: the numbers that choose between versions of a program.
//!
//! A guard of the host program is one test, `quantity >= threshold`. The quantity is an integer that the host knows anyway, the threshold
//! has a name, and whoever tunes a program changes its value in the plan without compiling again:
//!
//! ```text
//! spmv.1.outer 4096            if rows >= spmv.1.outer { one thread per row } else { all elements in parallel }
//! ```

/// A named number that guards compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// The function, the number of the nest in it, and what the test decides: `spmv.1.outer`.
    pub name: String,
    /// What is compared with it.
    pub about: String,
    /// From which quantity on the guard holds.
    pub value: i64,
}

impl Threshold {
    /// A value that no quantity reaches.
    pub const NEVER: i64 = i64::MAX;
}

/// A guard that was passed: what it compared, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarded {
    /// The threshold's name.
    pub name: String,
    /// What was compared with it.
    pub quantity: i64,
    /// Its value.
    pub threshold: i64,
}

impl Guarded {
    /// Whether the guard held.
    pub fn holds(&self) -> bool {
        self.quantity >= self.threshold
    }
}
