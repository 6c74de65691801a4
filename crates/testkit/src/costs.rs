//! What programs cost on growing inputs, counted by the interpreter of Flat.
//!
//! ```text
//! program           n        operations    elements    calls     growth of operations, elements
//! rare_branch       1024     9 k           3 k                   1.00, 1.00     at most 1.1
//! ```
//!
//! *Operations* are statements that the interpreter of Flat evaluates, in every body at every point: what the program does.
//! *Elements* are those of all columns that are made, at the host or inside a thread: what it allocates and copies. Neither depends on the machine. The *growth* is the exponent `e` of
//! `cost = c * n^e` between the smallest and the largest input; a term `n log n` shows as about 1.1. Each program in `tests/costs` is one that the obvious
//! translation would make quadratic; the limit says what it may be.

use crate::setup::Setup;
use terrace::{Program, Settings, Strategy};

/// A program with the arguments that grow.
pub struct Case {
    /// The entry in `tests/costs/programs.tce`.
    pub entry: &'static str,
    /// Its arguments; `$n` stands for the size.
    pub args: &'static [&'static str],
    /// The sizes, increasing.
    pub sizes: [u64; 3],
    /// The exponent that neither operations nor elements may exceed.
    pub limit: f64,
}

const fn case(entry: &'static str, args: &'static [&'static str], limit: f64) -> Case {
    Case { entry, args, sizes: [1 << 8, 1 << 10, 1 << 12], limit }
}

/// `n log n` between the sizes of [`case`], with room for what is not yet smooth.
const LOG: f64 = 1.25;
const LINEAR: f64 = 1.05;

const RAGGED: &str = "[[(i * 7919 + j * 31) % $n for j < i % 9] for i < $n]";
const HARMONIC: &str = "[$n / (i + 1) for i < $n]";
const LONG_ROW: &str = "[if i == 5 then [j * 7 % 1009 for j < $n] else iota(0) for i < $n]";

/// All cases.
pub const CASES: &[Case] = &[
    case("spmv", &["[[((i * 7919 + j * 31) % $n, 0.5) for j < i % 9] for i < $n]", "[1.0 for _i < $n]"], LINEAR),
    case("free_array", &[RAGGED, "iota($n)"], LINEAR),
    case("free_choice", &[RAGGED, "iota($n)", "[2 * i for i < $n]"], LINEAR),
    case("sort_by_recursion", &["[(i * i * 31 + i * 7919) % 1000003 for i < $n]"], LOG),
    case("skewed_numbers", &[HARMONIC], LOG),
    case("skewed_arrays", &[HARMONIC], LOG),
    case("skewed_fresh_arrays", &[HARMONIC], LOG),
    case("rare_branch", &["$n"], LINEAR),
    case("rare_array", &["$n"], LINEAR),
    case("concatenation", &["$n"], LOG),
    case("tree_sum", &["[[i + j for j < (if i == 3 then $n else i % 5)] for i < $n]"], LINEAR),
    case("adaptive", &["$n"], LINEAR),
    case("long_row", &[LONG_ROW], LINEAR),
    case("long_row_writes", &[LONG_ROW], LOG),
    case("long_row_control", &[LONG_ROW], LINEAR),
];

/// What one run took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Statements evaluated.
    pub operations: u64,
    /// Elements of all columns made.
    pub elements: u64,
    /// Calls made: the waves of a recursion.
    pub calls: u64,
}

/// What a case took at each of its sizes.
pub struct Measured {
    /// The case.
    pub case: &'static Case,
    /// The costs, in the order of the sizes.
    pub costs: Vec<Cost>,
}

impl Measured {
    fn growth(&self, of: impl Fn(&Cost) -> u64) -> f64 {
        let (first, last) = (0, self.costs.len() - 1);
        let ratio = |a: u64, b: u64| (b.max(1) as f64 / a.max(1) as f64).ln();
        ratio(of(&self.costs[first]), of(&self.costs[last])) / ratio(self.case.sizes[first], self.case.sizes[last])
    }

    /// The growth of operations.
    pub fn operations(&self) -> f64 {
        self.growth(|c| c.operations)
    }

    /// The growth of elements.
    pub fn elements(&self) -> f64 {
        self.growth(|c| c.elements)
    }

    /// Whether it grows no faster than it may.
    pub fn holds(&self) -> bool {
        self.operations() <= self.case.limit && self.elements() <= self.case.limit
    }
}

/// The program that all cases are entries of.
pub fn program() -> Result<Program, String> {
    let path = crate::corpus::tests_folder().join("costs/programs.tce");
    Program::from_file(&path).map_err(|failed| failed.to_string())
}

/// Runs a case at all its sizes.
pub fn measure(program: &Program, case: &'static Case, strategy: Strategy) -> Result<Measured, String> {
    let setup = Setup::new(terrace::Backend::Flat).strategy(strategy);
    // With room for everything, so that the same version runs at all sizes.
    let settings = Settings { step_limit: u64::MAX, memory_limit: Some(1 << 40), ..setup.settings };
    let engine = program.engine(setup.backend, &settings).map_err(|failed| failed.to_string())?;
    let mut costs = Vec::new();
    for n in case.sizes {
        let args = case.args.iter().enumerate().map(|(k, text)| {
            program.argument(case.entry, k, &text.replace("$n", &n.to_string())).map_err(|failed| failed.to_string())
        });
        let args = args.collect::<Result<Vec<_>, _>>()?;
        let counts = engine.call(case.entry, args).map_err(|failed| failed.to_string())?.counts;
        let count = |name: &str| counts.get(name).copied().unwrap_or(0);
        costs.push(Cost {
            operations: count("statements"),
            elements: count("elements") + count("local elements"),
            calls: count("calls"),
        });
    }
    Ok(Measured { case, costs })
}

/// The table of all cases in a strategy.
pub fn table(measured: &[Measured]) -> String {
    let mut out = format!(
        "{:<20} {:>7} {:>12} {:>12} {:>6}  {:>17}  {:>8}\n",
        "program", "n", "operations", "elements", "calls", "growth of both", "at most"
    );
    for m in measured {
        for (k, (n, cost)) in m.case.sizes.iter().zip(&m.costs).enumerate() {
            let name = if k == 0 { m.case.entry } else { "" };
            let mut line = format!("{name:<20} {n:>7} {:>12} {:>12} {:>6}", cost.operations, cost.elements, cost.calls);
            if k + 1 == m.costs.len() {
                let mark = if m.holds() { "" } else { "   TOO MUCH" };
                line += &format!("  {:>8.2} {:>8.2}  {:>8.2}{mark}", m.operations(), m.elements(), m.case.limit);
            }
            out += line.trim_end();
            out.push('\n');
        }
    }
    out
}
