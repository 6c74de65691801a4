//! What can be written on the command line.

use crate::bench::Bench;
use crate::plot::Kind;
use crate::shells::Shell;
use clap::{Args, Parser, Subcommand};
use std::collections::BTreeMap;
use std::path::PathBuf;
use terrace::{Backend, Failed, Options, Settings, Stage, Strategy, TileSizes};

/// Terrace: nested data parallelism for CPUs and GPUs.
#[derive(Parser)]
#[command(name = "terrace", version, about, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "Examples:
  terrace run examples/spmv.tce '[[(0, 1.0), (2, 0.5)], []]' '[8.0, 3.0, 2.0]'
  terrace run examples/spmv.tce examples/data/matrix.parquet:rows examples/data/vector.npy -o product.npy
  terrace run examples/collatz.tce '[i + 1 for i < 1000000]' --stats
  terrace run examples/collatz.tce '[i + 1 for i < 1000000]' --plot steps.svg --plot-kind histogram
  terrace run --profile=ranks.svg examples/pagerank.tce '[[i32(7 * i + j * j) % 5000 for j < i % 16] for i < 5000]' 50
  terrace test tests/spine --backend c --strategy outer
  terrace check --stats --list examples
  terrace shapes examples/trmv.tce
  terrace fmt --check examples
  terrace explain T0901
  terrace bench examples/collatz.tce '[i + 1 for i < 100000]' --json collatz.json
  terrace ir --stage flat examples/spmv.tce
  terrace repl examples/quicksort.tce
  terrace data examples/data/matrix.parquet
  terrace doc lib --out pages
  terrace devices";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Reports what is wrong with programs, without running them.
    Check {
        /// Files, and folders with `.tce` files.
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Also counts the checks: how many were proved, how many are made once at an entry, how many remain.
        #[arg(long)]
        stats: bool,
        /// With --stats: shows where checks remain and why; `--list=all` shows the others too.
        #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, value_parser = listed)]
        #[arg(default_missing_value = "remaining", requires = "stats")]
        list: Option<Listed>,
        #[command(flatten)]
        messages: Messages,
    },
    /// Shows what is known about sizes: each function's signature, and whether its parallel expressions are regular.
    Shapes {
        /// Files, and folders with `.tce` files.
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Only the function of this name.
        #[arg(long, value_name = "NAME")]
        function: Option<String>,
        /// Also says which versions the nests of the entries lack, and why, on this back end: c, cuda or opencl.
        #[arg(long, value_name = "BACKEND", num_args = 0..=1, require_equals = true, value_parser = backend)]
        #[arg(default_missing_value = "c")]
        versions: Option<Backend>,
        #[command(flatten)]
        messages: Messages,
    },
    /// Calls an entry and prints its result.
    Run(Box<Run>),
    /// Runs the tests in files, and in the `.tce` files of folders.
    Test {
        /// Files and folders.
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Only tests whose name contains this.
        #[arg(long, default_value = "")]
        filter: String,
        /// Also samples whether the operators of `reduce`, `scan` and `hist` are associative and their elements neutral; in the
        /// interpreter.
        #[arg(long)]
        laws: bool,
        /// Also compares everything that the compiler claims to know about sizes with what happens; in the interpreter.
        #[arg(long)]
        verify: bool,
        #[command(flatten)]
        messages: Messages,
        #[command(flatten)]
        how: How,
    },
    /// Formats programs in place; `-` stands for standard input and output.
    Fmt {
        /// Files, and folders with `.tce` files.
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Changes nothing, and says which files are not formatted.
        #[arg(long)]
        check: bool,
    },
    /// Measures how long an entry takes.
    Bench(Box<Bench>),
    /// Shows the program at a stage of the compiler.
    Ir {
        /// The program.
        file: PathBuf,
        /// Which stage: core, shapes, flat, fusion, versions, mem, kernels, plan, c, cuda or opencl.
        #[arg(long, value_parser = stage, default_value = "core")]
        stage: Stage,
        /// Every stage, one after the other.
        #[arg(long)]
        all: bool,
        /// With `--stage versions`: as JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        how: How,
    },
    /// Takes expressions and definitions as they come, and keeps them; `:help` inside says more.
    Repl {
        /// Programs whose definitions are there from the start.
        files: Vec<PathBuf>,
    },
    /// Shows what data files hold: columns, types, lengths of rows, the first values.
    Data {
        /// Data files, with perhaps `:column` behind their names.
        #[arg(required = true)]
        files: Vec<String>,
        #[command(flatten)]
        messages: Messages,
    },
    /// Makes pages about modules from their comments.
    Doc {
        /// Files, and folders with `.tce` files.
        paths: Vec<PathBuf>,
        /// The folder for the pages; `doc` without it, `target/site` with --site.
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
        /// In a checkout of Terrace: its whole documentation.
        #[arg(long)]
        site: bool,
    },
    /// Lists what programs can run on, with the numbers that `--device` takes, and what is missing.
    Devices,
    /// Explains an error code.
    Explain {
        /// The code, as in `T0012`.
        code: String,
    },
    /// Prints a script with which a shell completes these commands and their options.
    Completions {
        /// Which shell: bash, zsh or fish.
        #[arg(value_parser = shell)]
        shell: Shell,
    },
    /// Prints the manual page; `terrace man | man -l -` shows it.
    Man,
}

/// What is called, and what becomes of it.
#[derive(Args)]
pub(crate) struct Run {
    /// The program.
    pub(crate) file: PathBuf,
    /// Which entry; not needed where there is only one.
    #[arg(long)]
    pub(crate) entry: Option<String>,
    /// One per parameter: a Terrace expression, or a data file (.csv, .jsonl, .mtx, .npy, .arrow, .parquet, …) with perhaps `:column` behind it.
    #[arg(allow_negative_numbers = true)]
    pub(crate) args: Vec<String>,
    /// Writes the result to a file, in the format of its ending, instead of printing it.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Also draws the result: vectors, rows, and tuples and records of them.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// With --plot, what is drawn: auto, line, points, histogram, heat or lengths.
    #[arg(long, value_name = "KIND", value_parser = plot_kind, default_value = "auto", requires = "plot")]
    pub(crate) plot_kind: Kind,
    /// Also compares everything that the compiler claims to know about sizes with what happens; in the interpreter.
    #[arg(long)]
    pub(crate) verify: bool,
    /// Says where the time went, per kernel and source line; `--profile=FILE.svg` also draws it.
    #[arg(long, value_name = "FILE.svg", num_args = 0..=1, require_equals = true)]
    pub(crate) profile: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub(crate) messages: Messages,
    #[command(flatten)]
    pub(crate) how: How,
}

/// Which checks are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listed {
    Remaining,
    All,
}

/// How messages are written.
#[derive(Args, Clone, Copy)]
pub(crate) struct Messages {
    /// Messages as JSON, one per line, for tools; of `shapes`, `data` and `check --stats` the findings too.
    #[arg(long)]
    pub(crate) json: bool,
}

/// How a program is compiled and run.
#[derive(Args)]
pub(crate) struct How {
    /// Where to run: interp, flat, mem, c, cuda, cuda-sim or opencl. Without it: c, or interp where there is no C compiler.
    #[arg(long, value_parser = backend)]
    pub(crate) backend: Option<Backend>,
    /// Which version of each parallel nest, where it exists: auto, seq, outer, block, flat or mix:N. Without it: auto, but `ir` shows flat.
    #[arg(long, value_parser = strategy)]
    strategy: Option<Strategy>,
    /// How work is cut: normal, or tiny so that small data cross every boundary.
    #[arg(long, value_parser = tiles, default_value = "normal")]
    tiles: TileSizes,
    /// Whether plainly equal row lengths make regular dimensions: on or off.
    #[arg(long, value_parser = on_off, default_value = "on", action = clap::ArgAction::Set)]
    regularity: bool,
    /// Whether checks that always hold are left out: on or off.
    #[arg(long, value_parser = on_off, default_value = "on", action = clap::ArgAction::Set)]
    prove: bool,
    /// Whether operators are fused: on or off.
    #[arg(long, value_parser = on_off, default_value = "on", action = clap::ArgAction::Set)]
    fusion: bool,
    /// Whether cuda records the launches of loops whose turns are alike, and starts many turns at once: on or off.
    #[arg(long, value_parser = on_off, default_value = "on", action = clap::ArgAction::Set)]
    capture: bool,
    /// Threads of the C back end; 0 for all cores.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// The schedule of cuda-sim.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The number of the device of cuda or opencl, as `terrace devices` lists them.
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// How many bytes the program may hold on the device; K, M and G may follow.
    #[arg(long, value_parser = terrace::runtime::byte_count)]
    memory: Option<u64>,
    /// On a GPU, from which size on indices have 64 bits: auto, wide for always, or a number.
    #[arg(long, value_parser = indices, default_value = "auto")]
    indices: i64,
    /// Reads thresholds that choose between versions from a file: lines of `name value`.
    #[arg(long, value_name = "FILE")]
    thresholds: Option<PathBuf>,
    /// Says what the guards compared, each with its outcome.
    #[arg(long)]
    pub(crate) log_guards: bool,
    /// Says what the run took.
    #[arg(long)]
    pub(crate) stats: bool,
}

impl How {
    /// For people who read the program: one version of everything, unless they ask for another.
    pub(crate) fn settings_to_show(&self) -> Result<Settings, Failed> {
        let mut settings = self.settings()?;
        settings.options.strategy = self.strategy.unwrap_or(Strategy::Flat);
        Ok(settings)
    }

    pub(crate) fn settings(&self) -> Result<Settings, Failed> {
        let options = Options {
            strategy: self.strategy.unwrap_or(Strategy::Auto),
            regularity: self.regularity,
            prove: self.prove,
            fusion: self.fusion,
            tiles: self.tiles,
            target: self.backend.unwrap_or(Backend::C).target(),
        };
        let thresholds = match &self.thresholds {
            Some(path) => terrace::thresholds(&path.display().to_string(), &terrace::read_source(path)?)?,
            None => BTreeMap::new(),
        };
        Ok(Settings {
            options,
            thresholds,
            log_guards: self.log_guards,
            threads: self.threads,
            seed: self.seed,
            device: self.device,
            memory_limit: self.memory,
            index_limit: self.indices,
            profile: self.stats,
            capture: self.capture,
            ..Settings::default()
        })
    }
}

fn backend(text: &str) -> Result<Backend, String> {
    Backend::from_name(text).ok_or_else(|| one_of(text, Backend::ALL.map(Backend::name)))
}

fn stage(text: &str) -> Result<Stage, String> {
    Stage::from_name(text).ok_or_else(|| one_of(text, Stage::ALL.map(Stage::name)))
}

fn strategy(text: &str) -> Result<Strategy, String> {
    match text {
        "seq" => Ok(Strategy::Seq),
        "outer" => Ok(Strategy::Outer),
        "block" => Ok(Strategy::Block),
        "flat" => Ok(Strategy::Flat),
        "auto" => Ok(Strategy::Auto),
        _ => match text.strip_prefix("mix:").and_then(|n| n.parse().ok()) {
            Some(seed) => Ok(Strategy::Mix(seed)),
            None => Err(one_of(text, STRATEGIES)),
        },
    }
}

const STRATEGIES: [&str; 6] = ["auto", "seq", "outer", "block", "flat", "mix:N"];

fn indices(text: &str) -> Result<i64, String> {
    match text {
        "auto" => Ok(Settings::default().index_limit),
        "wide" => Ok(0),
        _ => text.parse().map_err(|_| one_of(text, ["auto", "wide", "a number"])),
    }
}

fn tiles(text: &str) -> Result<TileSizes, String> {
    match text {
        "normal" => Ok(TileSizes::NORMAL),
        "tiny" => Ok(TileSizes::TINY),
        _ => Err(one_of(text, ["normal", "tiny"])),
    }
}

fn listed(text: &str) -> Result<Listed, String> {
    match text {
        "remaining" => Ok(Listed::Remaining),
        "all" => Ok(Listed::All),
        _ => Err(one_of(text, ["remaining", "all"])),
    }
}

fn plot_kind(text: &str) -> Result<Kind, String> {
    let found = Kind::ALL.iter().find(|(name, _)| *name == text);
    found.map(|(_, kind)| *kind).ok_or_else(|| one_of(text, Kind::ALL.map(|(name, _)| name)))
}

fn shell(text: &str) -> Result<Shell, String> {
    let found = Shell::ALL.iter().find(|(name, _)| *name == text);
    found.map(|(_, shell)| *shell).ok_or_else(|| one_of(text, Shell::ALL.map(|(name, _)| name)))
}

fn on_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(one_of(text, ["on", "off"])),
    }
}

fn one_of<const N: usize>(text: &str, names: [&str; N]) -> String {
    format!("`{text}` is not one of {}", names.join(", "))
}

/// The words that an option or a position takes, where they are few: what shells suggest. A test hands each of them to the parser.
pub(crate) fn values_of(name: &str) -> Vec<&'static str> {
    match name {
        "backend" | "versions" => Backend::ALL.map(Backend::name).to_vec(),
        "stage" => Stage::ALL.map(Stage::name).to_vec(),
        "strategy" => STRATEGIES.into_iter().filter(|s| *s != "mix:N").chain(["mix:1"]).collect(),
        "tiles" => vec!["normal", "tiny"],
        "indices" => vec!["auto", "wide"],
        "list" => vec!["remaining", "all"],
        "plot-kind" => Kind::ALL.map(|(name, _)| name).to_vec(),
        "shell" => Shell::ALL.map(|(name, _)| name).to_vec(),
        "regularity" | "prove" | "fusion" | "capture" => vec!["on", "off"],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn what_shells_suggest_is_taken() {
        let mut program = Cli::command();
        program.build();
        let mut tried = 0;
        for command in program.get_subcommands() {
            for arg in command.get_arguments() {
                for word in values_of(arg.get_long().unwrap_or(arg.get_id().as_str())) {
                    let mut words = vec!["terrace".to_string(), command.get_name().to_string()];
                    words.extend(arg.get_long().map(|long| format!("--{long}={word}")));
                    words.extend(arg.get_long().is_none().then(|| word.to_string()));
                    // What else it needs.
                    let rest: &[&str] = match (command.get_name(), arg.get_long()) {
                        ("completions", _) => &[],
                        ("run", Some("plot-kind")) => &["f.tce", "--plot", "f.svg"],
                        ("check", Some("list")) => &["f.tce", "--stats"],
                        _ => &["f.tce"],
                    };
                    words.extend(rest.iter().map(|w| w.to_string()));
                    let parsed = Cli::try_parse_from(&words);
                    assert!(parsed.is_ok(), "{words:?}: {}", parsed.err().map(|e| e.to_string()).unwrap_or_default());
                    tried += 1;
                }
            }
        }
        assert!(tried > 60, "{tried}");
    }
}
