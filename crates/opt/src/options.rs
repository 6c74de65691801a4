//! What a user of the compiler can choose.

use terrace_plan::Target;

/// Choices that a compilation depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which version of each parallel nest is taken.
    pub strategy: Strategy,
    /// Whether plainly equal sizes make regular dimensions; off, every inner dimension is irregular (the baseline).
    pub regularity: bool,
    /// Whether checks that always hold are left out; off, every check is made.
    pub prove: bool,
    /// Whether operators are fused.
    pub fusion: bool,
    /// How work is cut.
    pub tiles: TileSizes,
    /// For which kind of device.
    pub target: Target,
}

/// Which version of each parallel nest is taken, wherever that version exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// One thread does everything.
    Seq,
    /// The outermost level is parallel, the rest sequential within a thread.
    Outer,
    /// A block of threads per element of the outermost level.
    Block,
    /// All levels are parallel.
    Flat,
    /// All versions; the host chooses when the sizes are known.
    Auto,
    /// A seeded choice per nest.
    Mix(u64),
}

/// How work is cut; results of exact operators do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileSizes {
    /// Elements per tile on a CPU.
    pub cpu_tile: usize,
    /// Elements per block of a floating-point reduction on a CPU, counted from the start of the row.
    pub cpu_reduce_block: usize,
    /// Threads per block on a GPU; a multiple of 32.
    pub gpu_block: usize,
    /// Elements per thread on a GPU.
    pub gpu_items: usize,
}

impl TileSizes {
    /// Sizes for speed.
    pub const NORMAL: TileSizes = TileSizes { cpu_tile: 16384, cpu_reduce_block: 4096, gpu_block: 256, gpu_items: 16 };
    /// Sizes so small that a hundred elements cross every boundary.
    pub const TINY: TileSizes = TileSizes { cpu_tile: 3, cpu_reduce_block: 5, gpu_block: 32, gpu_items: 2 };
}

impl Default for Options {
    fn default() -> Options {
        Options {
            strategy: Strategy::Flat,
            regularity: true,
            prove: true,
            fusion: true,
            tiles: TileSizes::NORMAL,
            target: Target::C,
        }
    }
}
