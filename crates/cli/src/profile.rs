//! `terrace run --profile`: where the time went.
//!
//! Three tables on standard error: the kernels of the call with their source lines, the steps of the command around it, and the passes of the
//! compiler. With a file name, the first one also as a flame graph.

use crate::output::{Verdict, error};
use std::path::Path;
use std::time::{Duration, Instant};
use terrace::{Engine, Failed, Outcome, Value};

/// The steps of a command, one after the other.
pub(crate) struct Clock {
    last: Instant,
    laps: Vec<(&'static str, Duration)>,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock { last: Instant::now(), laps: Vec::new() }
    }

    /// What ended now began where the last step ended.
    pub(crate) fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        self.laps.push((name, now - self.last));
        self.last = now;
    }

    fn table(&self) -> String {
        let line = |(name, time): &(&str, Duration)| format!("  {name:24} {:>10.3} ms\n", time.as_secs_f64() * 1e3);
        self.laps.iter().map(line).collect()
    }
}

/// Prints the tables, and draws the picture where one is wanted.
pub(crate) fn show(
    engine: &Engine,
    entry: &str,
    outcome: &Outcome<Value>,
    clock: &Clock,
    picture: Option<&Path>,
) -> Result<Verdict, Failed> {
    let Some(profile) = engine.profile(entry, outcome) else {
        error("only what a device ran has a profile; this ran in an interpreter\n");
        return Ok(Verdict::Usage);
    };
    let ran = engine.that_ran(entry, outcome.body);
    let mut out = profile.table();
    out += &format!("the command\n{}", clock.table());
    out += &format!("compiling\n{}", indented(&engine.timings().to_string()));
    if !std::ptr::eq(ran, engine) {
        out += &format!("compiling the regular body\n{}", indented(&ran.timings().to_string()));
    }
    error(&out);
    if let Some(path) = picture {
        terrace::replace_file(path, profile.flame_graph().as_bytes())?;
        error(&format!("flame graph: {}\n", path.display()));
    }
    Ok(Verdict::Good)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
