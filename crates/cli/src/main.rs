//! The command line: `terrace check`, `run`, `test`, `bench`, `ir`, `explain`.
//!
//! A thin shell over the `terrace` library. Exit codes: 0, 1 (the program or its data is wrong), 2 (wrong usage), 101 (a bug
//! in Terrace).

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod arguments;
mod bench;
mod commands;

use arguments::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            let _ = usage.print();
            return ExitCode::from(if usage.use_stderr() { 2 } else { 0 });
        }
    };
    let outcome = match cli.command {
        Command::Check { files } => commands::check(&files),
        Command::Run { file, entry, args, how } => commands::run(&file, entry.as_deref(), &args, &how),
        Command::Test { paths, filter, how } => commands::test(&paths, &filter, &how),
        Command::Bench(it) => bench::bench(&it),
        Command::Ir { file, stage, all, how } => commands::ir(&file, stage, all, &how),
        Command::Explain { code } => commands::explain(&code),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(failed) => {
            eprint!("{}", failed.render(commands::colour()));
            ExitCode::from(1)
        }
    }
}
