//! What a value may depend on: a set of sources, as bits.
//!
//! A size that no parallel body around can change is the same everywhere in it: that is what *regular* means. So every value carries the
//! set of parallel bodies that it may depend on, and of the function's parameters, whose own dependences the caller knows:
//!
//! ```text
//! def twice(xs, k) = [[x * k for x in xs] for i < 3]       the inner map runs over len(xs): depends on the shape of `xs`, not on `i`
//! ```
//!
//! Bit 0 stands for the parallel code around the *call* of the function. Beyond 127 sources everything is taken to depend on everything.

/// A set of sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Deps(u128);

const MANY: u32 = 127;

impl Deps {
    pub(super) const NONE: Deps = Deps(0);

    /// The parallel code around the call.
    pub(super) const CALLER: usize = 0;

    /// The sizes of a parameter.
    pub(super) fn shape_of(param: usize) -> usize {
        1 + 2 * param
    }

    /// What a parameter holds.
    pub(super) fn data_of(param: usize) -> usize {
        2 + 2 * param
    }

    /// The parallel body that has `depth` others around it, in a function of `params` parameters.
    pub(super) fn body(params: usize, depth: usize) -> usize {
        1 + 2 * params + depth
    }

    pub(super) fn of(source: usize) -> Deps {
        Deps(1 << (source as u32).min(MANY))
    }

    /// Whatever there is.
    pub(super) fn everything() -> Deps {
        Deps(u128::MAX)
    }

    pub(super) fn and(self, other: Deps) -> Deps {
        Deps(self.0 | other.0)
    }

    pub(super) fn without(self, source: usize) -> Deps {
        if source < MANY as usize { Deps(self.0 & !(1 << source)) } else { self }
    }

    pub(super) fn has(self, source: usize) -> bool {
        self.0 >> MANY == 1 || self.0 >> (source as u32).min(MANY) & 1 == 1
    }

    pub(super) fn meets(self, other: Deps) -> bool {
        self.0 & other.0 != 0 || ((self.0 | other.0) >> MANY == 1 && self.0 != 0 && other.0 != 0)
    }

    pub(super) fn covers(self, other: Deps) -> bool {
        self.0 | other.0 == self.0
    }
}

impl FromIterator<Deps> for Deps {
    fn from_iter<I: IntoIterator<Item = Deps>>(all: I) -> Deps {
        all.into_iter().fold(Deps::NONE, Deps::and)
    }
}
