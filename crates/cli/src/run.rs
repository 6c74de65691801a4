//! `terrace run`: calls an entry, prints or writes its result, and says what it took where that is asked for.

use crate::arguments::Run;
use crate::commands::{arguments, chosen_entry, engine, load, runs_interpreted};
use crate::output::{Messenger, Verdict, error, print};
use crate::plot;
use crate::profile::{Clock, show};
use crate::progress::wipe;
use std::fmt::Write;
use terrace::{Backend, Engine, Failed, Outcome, Settings, Value};

/// How many elements of an array are printed.
const MOST: usize = 40;

pub(crate) fn run(it: &Run, messenger: Messenger) -> Result<Verdict, Failed> {
    let (file, how) = (&it.file, &it.how);
    if it.verify && !runs_interpreted("--verify", "compares", how) {
        return Ok(Verdict::Usage);
    }
    let mut clock = Clock::start();
    let program = load(file, messenger)?;
    clock.lap("reading the program");
    let Some(name) = chosen_entry(&program, file, it.entry.as_deref()) else { return Ok(Verdict::Usage) };
    if let Some(path) = &it.output {
        program.check_output(&name, path)?;
    }
    if let Some(path) = &it.plot {
        plot::check(&program, &name, path, it.plot_kind)?;
    }
    // Interpreters compute on nested values, so files are read as such for them.
    let nested = it.verify || matches!(how.backend, Some(Backend::Interp | Backend::Flat | Backend::Mem));
    let make = |k: usize, text: &str| match nested {
        true => program.argument(&name, k, text).map(Value::Data),
        false => program.argument_for_now(&name, k, text),
    };
    let Some(values) = arguments(&program, &name, &it.args, make)? else { return Ok(Verdict::Usage) };
    wipe();
    clock.lap("reading the arguments");
    let settings = how.settings()?;
    let profile = settings.profile || it.profile.is_some();
    let settings = Settings { verify_shapes: it.verify, profile, ..settings };
    let (engine, remark) = match it.verify {
        true => (program.engine(Backend::Interp, &settings)?, None),
        false => engine(&program, how, &settings)?,
    };
    if let Some(why) = remark {
        error(&format!("note: this runs in the interpreter: {why}\n"));
    }
    clock.lap("compiling");
    let outcome = engine.call_values(&name, values)?;
    if let Some(why) = engine.remark() {
        error(&format!("note: {why}\n"));
    }
    clock.lap("calling the entry");
    match &it.output {
        Some(path) => {
            program.write_output(&name, &outcome.value, path)?;
            wipe();
        }
        None => print(&format!("{}\n", program.show_result(&name, &outcome.value, MOST)?)),
    }
    if let Some(path) = &it.plot {
        plot::plot(&program, &name, &outcome.value, path, it.plot_kind)?;
    }
    clock.lap("writing the result");
    for g in &outcome.guards {
        let threshold = if g.threshold == i64::MAX { "never".to_string() } else { g.threshold.to_string() };
        error(&format!("{}: {} >= {threshold}: {}\n", g.name, g.quantity, if g.holds() { "yes" } else { "no" }));
    }
    if how.stats {
        stats(&engine, &name, &outcome);
    }
    match &it.profile {
        Some(picture) => show(&engine, &name, &outcome, &clock, picture.as_deref()),
        None => Ok(Verdict::Good),
    }
}

fn stats(engine: &Engine, entry: &str, outcome: &Outcome<Value>) {
    let mut out = String::new();
    let ran = engine.that_ran(entry, outcome.body);
    if let Some(body) = outcome.body.text() {
        let _ = writeln!(out, "{body}");
    }
    if let Some(s) = &outcome.stats {
        let _ = writeln!(
            out,
            "launches {}, host reads {}, calls {} (deepest {})",
            s.launches, s.host_reads, s.calls, s.deepest
        );
        let _ = writeln!(
            out,
            "allocations {}, peak {} bytes, zeroed {} bytes, copied {} bytes",
            s.allocations, s.peak_bytes, s.zeroed_bytes, s.copied_bytes
        );
        let _ = writeln!(out, "to device {} bytes, from device {} bytes", s.bytes_to_device, s.bytes_from_device);
        let _ = writeln!(out, "wall {:.3} ms, device {:.3} ms", s.wall_ms, s.device_ms);
        for (kernel, n) in s.launches_per_kernel.iter().enumerate().filter(|(_, n)| **n > 0) {
            let name = ran.loaded().map_or("", |l| l.plan().kernels[kernel].name.as_str());
            let ms = s.kernel_ms.get(kernel).copied().unwrap_or(0.0);
            let _ = writeln!(out, "  {name}: {n} launches, {ms:.3} ms");
        }
    }
    for (what, count) in &outcome.counts {
        let _ = writeln!(out, "{what} {count}");
    }
    let _ = write!(out, "{}", engine.timings());
    if !std::ptr::eq(ran, engine) {
        let _ = write!(out, "for the regular body\n{}", ran.timings());
    }
    error(&out);
}
