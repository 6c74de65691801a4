//! The command line: `terrace check`, `shapes`, `run`, `test`, `fmt`, `bench`, `ir`, `repl`, `data`, `doc`, `devices`, `explain`,
//! `completions`, `man`.
//!
//! A thin shell over the `terrace` library. Exit codes: 0, 1 (the program or its data is wrong), 2 (wrong usage), 101 (a bug
//! in Terrace), 130 (stopped by Ctrl-C).

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod arguments;
mod bench;
mod commands;
mod compare;
mod data;
mod devices;
mod doc;
mod format;
mod output;
mod plot;
mod profile;
mod progress;
mod repl;
mod run;
mod shells;
mod sizes;
mod test;
mod usage;

use arguments::{Cli, Command};
use clap::Parser;
use output::{Messenger, Verdict};
use std::process::ExitCode;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(output::report_bug));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            let usage = usage::with_nearest(usage);
            let _ = usage.print();
            return ExitCode::from(if usage.use_stderr() { 2 } else { 0 });
        }
    };
    match cli.command {
        Command::Repl { .. } => repl::stop_on_interrupt(),
        _ => output::stop_on_interrupt(),
    }
    progress::show_progress();
    let plain = Messenger::default();
    let (messenger, outcome) = match cli.command {
        Command::Check { paths, stats, list, messages } => {
            let m = Messenger::new(messages);
            (m, if stats { sizes::check_stats(&paths, list, m) } else { commands::check(&paths, m) })
        }
        Command::Shapes { paths, function, versions, messages } => {
            let m = Messenger::new(messages);
            (m, sizes::shapes(&paths, function.as_deref(), versions, m))
        }
        Command::Run(it) => {
            let m = Messenger::new(it.messages);
            (m, run::run(&it, m))
        }
        Command::Test { paths, filter, laws, verify, messages, how } => {
            let m = Messenger::new(messages);
            (m, test::test(&paths, &filter, laws, verify, m, &how))
        }
        Command::Fmt { paths, check } => (plain, format::format(&paths, check)),
        Command::Bench(it) => (plain, bench::bench(&it)),
        Command::Ir { file, stage, all, json, how } => (plain, commands::ir(&file, stage, all, json, &how)),
        Command::Repl { files } => (plain, repl::repl(&files)),
        Command::Data { files, messages } => {
            let m = Messenger::new(messages);
            (m, data::data(&files, m))
        }
        Command::Doc { paths, out, site } => (plain, doc::doc(&paths, out.as_deref(), site)),
        Command::Devices => (plain, devices::devices()),
        Command::Explain { code } => (plain, commands::explain(&code)),
        Command::Completions { shell } => (plain, shells::completions(shell)),
        Command::Man => (plain, shells::man()),
    };
    let verdict = outcome.unwrap_or_else(|failed| {
        if failed.is_stop() {
            output::stopped();
            return Verdict::Stopped;
        }
        messenger.failed(&failed);
        if failed.is_bug() { Verdict::Bug } else { Verdict::Bad }
    });
    ExitCode::from(verdict.code())
}
