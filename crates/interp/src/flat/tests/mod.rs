//! Programs as text, and what they give: the last function is a test whose arguments are in the text.

mod borders;
mod bugs;
mod control;
mod operators;
mod writes;

use super::{Counts, Failure, Options, run};
use terrace_ir::FuncId;
use terrace_ir::flat::note::Note;
use terrace_ir::flat::{Program, Role, parse};
use terrace_plan::data::Data;

pub(crate) fn show(data: &Data) -> String {
    let list = |items: &[Data]| items.iter().map(show).collect::<Vec<_>>().join(", ");
    match data {
        Data::Scalar(s) => s.to_string(),
        Data::Tuple(parts) => format!("({})", list(parts)),
        Data::Array(items) => format!("[{}]", list(items)),
        Data::Variant(v) if v.fields.is_empty() => format!("{}@{}", v.name, v.tag),
        Data::Variant(v) => format!("{}@{}({})", v.name, v.tag, list(&v.fields)),
    }
}

pub(crate) fn describe(result: Result<Data, Failure>) -> String {
    match result {
        Ok(data) => show(&data),
        Err(failure) if failure.kind == "bug" => failure.message,
        Err(failure) => format!("{} {:?} at {:?}", failure.kind, failure.values, failure.indices),
    }
}

/// The last function of a program, and its arguments.
pub(crate) fn subject<A: Note>(program: &Program<A>) -> (FuncId, Vec<Data>) {
    let last = FuncId::new(program.functions.len() - 1);
    match &program.functions[last].role {
        Role::Test { arguments, .. } => (last, arguments.clone()),
        other => panic!("the last function is {other:?}"),
    }
}

fn outcome(text: &str, options: &Options) -> (Result<Data, Failure>, Counts) {
    let program: Program = parse::parse(text).unwrap();
    let (function, args) = subject(&program);
    run(&program, function, args, options)
}

/// Runs a program that follows the rules of Flat.
fn check(text: &str, expected: &str) {
    let program: Program = parse::parse(text).unwrap();
    terrace_ir::flat::verify::verify(&program).unwrap();
    assert_eq!(describe(outcome(text, &Options::default()).0), expected, "{text}");
}

/// Runs a program in which something is wrong that types cannot show.
fn check_bug(text: &str, part: &str) {
    let found = describe(outcome(text, &Options::default()).0);
    assert!(found.starts_with("internal error") && found.contains(part), "{found}");
}
