//! An engine, with everything that it can be asked to do differently without changing the answer.
//!
//! ```text
//! Setup::new(Backend::C).strategy(Strategy::Mix(1)).tiny().fusion(false)      prints as  c mix:1 tiny no-fusion
//! ```
//!
//! The full product of all choices is large and says little more than a cover of it: [`cover`] takes every strategy, and
//! every other choice at least twice in each way, with different strategies.

use std::fmt;
use std::sync::OnceLock;
use terrace::{Backend, Program, Settings, Strategy, TileSizes};

/// A back end and its settings.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The engine.
    pub backend: Backend,
    /// What it is told.
    pub settings: Settings,
}

/// Every strategy.
pub const STRATEGIES: [Strategy; 7] = [
    Strategy::Auto,
    Strategy::Flat,
    Strategy::Outer,
    Strategy::Block,
    Strategy::Seq,
    Strategy::Mix(1),
    Strategy::Mix(2),
];

impl Setup {
    /// The back end with its default settings. Plans are not kept: a test wants to see the compiler at work.
    pub fn new(backend: Backend) -> Setup {
        Setup { backend, settings: Settings { keep_plans: false, ..Settings::default() } }
    }

    /// The same with another strategy.
    pub fn strategy(mut self, strategy: Strategy) -> Setup {
        self.settings.options.strategy = strategy;
        self
    }

    /// The same with tiles so small that a hundred elements cross every boundary.
    pub fn tiny(mut self) -> Setup {
        self.settings.options.tiles = TileSizes::TINY;
        self
    }

    /// The same with or without regular dimensions.
    pub fn regularity(mut self, on: bool) -> Setup {
        self.settings.options.regularity = on;
        self
    }

    /// The same with or without fusion.
    pub fn fusion(mut self, on: bool) -> Setup {
        self.settings.options.fusion = on;
        self
    }

    /// The same with or without what the compiler proves about checks.
    pub fn prove(mut self, on: bool) -> Setup {
        self.settings.options.prove = on;
        self
    }

    /// The same with one threshold for all guards: 0 takes the first version everywhere, the greatest number the last.
    pub fn threshold(mut self, at: i64) -> Setup {
        self.settings.thresholds.insert("*".to_string(), at);
        self
    }

    /// The same with so many threads; 0 for all cores.
    pub fn threads(mut self, threads: usize) -> Setup {
        self.settings.threads = threads;
        self
    }

    /// The same with another schedule of the simulated device.
    pub fn seed(mut self, seed: u64) -> Setup {
        self.settings.seed = seed;
        self
    }

    /// The same, with everything that the compiler claims about sizes compared with what happens; for the interpreter.
    pub fn verify(mut self) -> Setup {
        self.settings.verify_shapes = true;
        self
    }

    /// The same with indices of 64 bits wherever those of a launch do not stay below a number; for GPUs.
    pub fn indices(mut self, limit: i64) -> Setup {
        self.settings.index_limit = limit;
        self
    }

    /// The same with a limit on memory, which splits the waves of a recursion.
    pub fn memory(mut self, bytes: u64) -> Setup {
        self.settings.memory_limit = Some(bytes);
        self
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.backend.name())?;
        if self.backend == Backend::Interp {
            return f.write_str(if self.settings.verify_shapes { " verify" } else { "" });
        }
        let options = &self.settings.options;
        match options.strategy {
            Strategy::Seq => f.write_str(" seq")?,
            Strategy::Outer => f.write_str(" outer")?,
            Strategy::Block => f.write_str(" block")?,
            Strategy::Flat => f.write_str(" flat")?,
            Strategy::Auto => f.write_str(" auto")?,
            Strategy::Mix(n) => write!(f, " mix:{n}")?,
        }
        if options.tiles == TileSizes::TINY {
            f.write_str(" tiny")?;
        }
        if !options.regularity {
            f.write_str(" no-regularity")?;
        }
        if !options.fusion {
            f.write_str(" no-fusion")?;
        }
        if !options.prove {
            f.write_str(" no-prove")?;
        }
        if let Some(at) = self.settings.thresholds.get("*") {
            write!(f, " threshold:{at}")?;
        }
        if self.settings.threads != 0 {
            write!(f, " threads:{}", self.settings.threads)?;
        }
        if self.settings.seed != 0 {
            write!(f, " seed:{}", self.settings.seed)?;
        }
        if self.settings.index_limit != Settings::default().index_limit {
            write!(f, " indices:{}", self.settings.index_limit)?;
        }
        if let Some(bytes) = self.settings.memory_limit {
            write!(f, " memory:{bytes}")?;
        }
        Ok(())
    }
}

/// Setups of a back end that together try every choice in several company.
pub fn cover(backend: Backend) -> Vec<Setup> {
    let of = |strategy| Setup::new(backend).strategy(strategy);
    if backend == Backend::Interp {
        return vec![Setup::new(backend)];
    }
    // Data of a hundred elements are then small in some launches and not in others.
    let mixed = |setup: Setup| if backend == Backend::CudaSim { setup.indices(100) } else { setup };
    vec![
        mixed(of(Strategy::Flat).tiny()),
        of(Strategy::Flat).regularity(false).fusion(false),
        of(Strategy::Flat).prove(false),
        of(Strategy::Outer),
        of(Strategy::Outer).tiny().regularity(false),
        of(Strategy::Block).tiny(),
        of(Strategy::Block).regularity(false).prove(false),
        of(Strategy::Seq).tiny().fusion(false),
        mixed(of(Strategy::Mix(1)).tiny().fusion(false)),
        of(Strategy::Mix(2)).tiny().regularity(false),
        of(Strategy::Auto),
        of(Strategy::Auto).tiny().regularity(false).fusion(false),
        of(Strategy::Auto).threshold(0),
    ]
}

/// Whether this machine has a GPU that the CUDA back end can use.
pub fn cuda_present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    *PRESENT.get_or_init(|| {
        let program = Program::from_text("probe", "entry probe(x: i64) -> i64 = x + 1");
        program.is_ok_and(|p| p.engine(Backend::Cuda, &Settings::default()).is_ok())
    })
}

/// Why the OpenCL back end has nothing to run on here; nothing where it has. The set-up of the tests gets a driver for CPUs.
pub fn opencl_missing() -> Option<String> {
    static MISSING: OnceLock<Option<String>> = OnceLock::new();
    let probe = || {
        let program = Program::from_text("probe", "entry probe(x: i64) -> i64 = x + 1").ok()?;
        program.engine(Backend::OpenCl, &Settings::default()).err().map(|why| why.to_string())
    };
    MISSING.get_or_init(probe).clone()
}
