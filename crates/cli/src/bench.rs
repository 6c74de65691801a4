//! `terrace bench`: measures an entry, for people and as JSON.
//!
//! ```text
//! $ terrace bench saxpy.tce --entry saxpy --from make 1000000 --checksum
//! saxpy on c, wall clock
//!   median     0.312 ms   (0.305 to 0.340, least 0.301; 40 runs)
//!   moves 12000000 bytes, arguments and result once: 38.5 GB/s
//!   launches 1, host reads 0, allocations 1, peak 12000000 bytes
//!   checksum 2 (column): 1000000 elements, sum 6562461.5, weighted 3352941212.5
//! ```
//!
//! A run whose estimate did not settle in the time allowed says so. `--stats` adds the time per kernel, which on a GPU disturbs the
//! whole; leave it out where the total matters.

use crate::arguments::How;
use crate::commands::{arguments, chosen_entry, load};
use crate::output::{Messenger, Verdict, error, print};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use terrace::bench::{Clock, Measured, Request};
use terrace::{Backend, Engine, Failed, Taken, quoted};

/// What is measured, and where it is written.
#[derive(clap::Args)]
pub(crate) struct Bench {
    /// The program.
    #[arg(required_unless_present = "compare")]
    file: Option<PathBuf>,
    /// Which entry; not needed where there is only one.
    #[arg(long)]
    entry: Option<String>,
    /// Another entry, which makes the arguments: a tuple with one component per parameter.
    #[arg(long)]
    from: Option<String>,
    /// One per parameter (of the maker, where there is one): a Terrace expression, or a data file (.npy, .arrow, .parquet) with perhaps `:column` behind it.
    #[arg(allow_negative_numbers = true)]
    args: Vec<String>,
    /// How many runs; without it, as many as a stable estimate needs.
    #[arg(long)]
    repeat: Option<usize>,
    /// The most seconds for the measured runs.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Reads the result once and prints sums over it.
    #[arg(long)]
    checksum: bool,
    /// Writes what was measured to a file.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Compares two files that `--json` wrote, and measures nothing.
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"], conflicts_with_all = ["file", "entry", "from", "json"])]
    compare: Vec<PathBuf>,
    #[command(flatten)]
    how: How,
}

pub(crate) fn bench(it: &Bench) -> Result<Verdict, Failed> {
    let Some(file) = &it.file else { return Ok(crate::compare::compare(&it.compare)) };
    let program = load(file, Messenger::default())?;
    let Some(entry) = chosen_entry(&program, file, it.entry.as_deref()) else { return Ok(Verdict::Usage) };
    let called = it.from.as_deref().unwrap_or(&entry);
    let make = |k: usize, text: &str| program.argument(called, k, text);
    let Some(args) = arguments(&program, called, &it.args, make)? else { return Ok(Verdict::Usage) };
    let backend = it.how.backend.unwrap_or(Backend::C);
    let engine = program.engine(backend, &it.how.settings()?)?;
    let clock = Clock::of(backend);
    let measured = engine.bench(&Request {
        entry: &entry,
        maker: it.from.as_deref(),
        args,
        repeat: it.repeat,
        limit: Duration::try_from_secs_f64(it.seconds).unwrap_or(Duration::from_secs(3)),
        checksum: it.checksum,
        clock,
    })?;
    print(&text(it, &entry, clock, &measured));
    if it.how.stats {
        print(&kernels(engine.that_ran(&entry, measured.body), &measured));
    }
    if let Some(path) = &it.json
        && let Err(why) = std::fs::write(path, json(it, file, &entry, clock, &engine, &measured))
    {
        error(&format!("cannot write `{}`: {why}\n", path.display()));
        return Ok(Verdict::Bad);
    }
    Ok(Verdict::Good)
}

fn text(it: &Bench, entry: &str, clock: Clock, m: &Measured) -> String {
    let s = &m.stats;
    let settled = if m.stable || it.repeat.is_some() { "" } else { "; not settled" };
    let mut out = format!("{entry} on {}, {} clock\n", it.how.backend.unwrap_or(Backend::C).name(), clock.name());
    out += &format!(
        "  median {:9.3} ms   ({:.3} to {:.3}, least {:.3}; {} runs{settled})\n",
        m.median(),
        m.quantile(0.25),
        m.quantile(0.75),
        m.quantile(0.0),
        m.times.len()
    );
    if let Some(speed) = m.gigabytes_per_second() {
        out += &format!("  moves {} bytes, arguments and result once: {speed:.1} GB/s\n", m.moved_bytes);
    }
    out += &format!(
        "  launches {}, host reads {}, allocations {}, peak {} bytes\n",
        s.launches, s.host_reads, s.allocations, s.peak_bytes
    );
    if s.replays > 0 {
        out += &format!("  recordings of loops were started {} times\n", s.replays);
    }
    if let Some(body) = m.body.text() {
        out += &format!("  {body}\n");
    }
    for (k, c) in m.checksums.iter().enumerate() {
        out += &format!("  checksum {k}: {} elements, sum {}, weighted {}\n", c.count, c.sum, c.weighted);
    }
    out
}

fn kernels(engine: &Engine, m: &Measured) -> String {
    let Some(loaded) = engine.loaded() else { return String::new() };
    let mut out = String::new();
    for (kernel, n) in m.stats.launches_per_kernel.iter().enumerate().filter(|(_, n)| **n > 0) {
        let ms = m.stats.kernel_ms.get(kernel).copied().unwrap_or(0.0);
        let _ = writeln!(out, "  {:40} {n:5} launches {ms:10.3} ms", loaded.plan().kernels[kernel].name);
    }
    out
}

fn json(it: &Bench, file: &Path, entry: &str, clock: Clock, engine: &Engine, m: &Measured) -> String {
    let s = &m.stats;
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let args = list(it.args.iter().map(|a| quoted(a)).collect());
    let times = list(m.times.iter().map(|t| format!("{t:.6}")).collect());
    let sums = m.checksums.iter();
    let sums = sums.map(|c| {
        format!("{{\"count\": {}, \"sum\": {}, \"weighted\": {}}}", c.count, number(c.sum), number(c.weighted))
    });
    let ran = engine.that_ran(entry, m.body);
    let (general, regular) = (engine.timings(), ran.timings());
    let steps = general.entries().iter().chain(if std::ptr::eq(ran, engine) { &[] } else { regular.entries() });
    let timings =
        steps.map(|t| format!("{{\"pass\": {}, \"ms\": {:.3}}}", quoted(&t.name), t.duration.as_secs_f64() * 1e3));
    let fields = [
        ("file", quoted(&file.display().to_string())),
        ("entry", quoted(entry)),
        ("maker", it.from.as_deref().map_or("null".to_string(), quoted)),
        ("arguments", args),
        ("backend", quoted(it.how.backend.unwrap_or(Backend::C).name())),
        ("clock", quoted(clock.name())),
        ("median_ms", format!("{:.6}", m.median())),
        ("lower_quartile_ms", format!("{:.6}", m.quantile(0.25))),
        ("upper_quartile_ms", format!("{:.6}", m.quantile(0.75))),
        ("least_ms", format!("{:.6}", m.quantile(0.0))),
        ("runs", m.times.len().to_string()),
        ("regular_body", (m.body == Taken::Regular).to_string()),
        ("stable", m.stable.to_string()),
        ("wall_ms_of_last_run", format!("{:.6}", s.wall_ms)),
        ("compile_ms", format!("{:.3}", general.total().as_secs_f64() * 1e3)),
        ("timings_ms", list(timings.collect())),
        ("moved_bytes", m.moved_bytes.to_string()),
        ("gigabytes_per_second", m.gigabytes_per_second().map_or("null".to_string(), |x| format!("{x:.3}"))),
        ("launches", s.launches.to_string()),
        ("replays", s.replays.to_string()),
        ("host_reads", s.host_reads.to_string()),
        ("allocations", s.allocations.to_string()),
        ("calls", s.calls.to_string()),
        ("deepest", s.deepest.to_string()),
        ("peak_bytes", s.peak_bytes.to_string()),
        ("zeroed_bytes", s.zeroed_bytes.to_string()),
        ("copied_bytes", s.copied_bytes.to_string()),
        ("checksums", list(sums.collect())),
        ("times_ms", times),
    ];
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("  \"{name}\": {value}")).collect();
    format!("{{\n{}\n}}\n", fields.join(",\n"))
}

/// JSON has no infinities and no NaN.
fn number(x: f64) -> String {
    if x.is_finite() { format!("{x:?}") } else { quoted(&x.to_string()) }
}
