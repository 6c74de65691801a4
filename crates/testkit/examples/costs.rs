//! `cargo xtask costs [STRATEGY]`: the table of what programs cost on growing inputs.

#![allow(clippy::print_stdout)]

use std::process::ExitCode;
use terrace::Strategy;
use terrace_testkit::costs::{CASES, measure, program, table};

fn main() -> ExitCode {
    let strategy = match std::env::args().nth(1).as_deref() {
        None | Some("flat") => Strategy::Flat,
        Some("outer") => Strategy::Outer,
        Some("block") => Strategy::Block,
        Some("seq") => Strategy::Seq,
        Some(other) => {
            println!("no strategy `{other}`: there are flat, outer, block and seq");
            return ExitCode::from(2);
        }
    };
    let program = match program() {
        Ok(program) => program,
        Err(why) => {
            println!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let mut measured = Vec::new();
    for case in CASES {
        match measure(&program, case, strategy) {
            Ok(m) => measured.push(m),
            Err(why) => println!("{}: {why}", case.entry),
        }
    }
    println!("{}", table(&measured));
    match measured.len() == CASES.len() && measured.iter().all(|m| m.holds()) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
