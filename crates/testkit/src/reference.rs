//! Cases beside a program, computed by something else than Terrace.
//!
//! ```text
//! moving_sums(3, [1, 2, 3, 4]) = [6, 9]       exactly this value
//! means([[1.0, 2.0], [0.1]]) ~ [1.5, 0.1]     these floats, to 1e-9 of their size (1e-4 for f32)
//! means([[]]) ! T0904                         stops with this code
//! # a line of words
//! ```
//!
//! Arguments and values are Terrace expressions. To evaluate them, entries are added to the text of the program, one for the arguments
//! of each case and one for its value, so that names and types mean what they mean there; the interpreter gives the data, and
//! every engine gets the same. A case is compared as data: the sign of a zero counts, which NaN it is does not.

use crate::answer::quietly;
use crate::table::parse_args;
use std::path::Path;
use terrace::{Backend, Data, Engine, Failed, Program, Settings, show};
use terrace_base::Scalar;

/// A line of a reference file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The line it stands on, from 1.
    pub line: usize,
    /// The entry.
    pub entry: String,
    /// The arguments, as expressions.
    pub args: Vec<String>,
    /// What it gives.
    pub expected: Expected<String>,
}

/// What a call must give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected<T> {
    /// This value.
    Equal(T),
    /// This value, up to rounding.
    Close(T),
    /// An error with this code.
    Stops(String),
}

/// A case whose expressions are values.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The line of the file it comes from, cut short.
    pub text: String,
    /// The entry.
    pub entry: String,
    /// The arguments.
    pub args: Vec<Data>,
    /// What it gives.
    pub expected: Expected<Data>,
}

/// Reads a reference file; the text of what is wrong with it, if something is.
pub fn parse(text: &str) -> Result<Vec<Case>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(|(k, line)| case(k + 1, line).ok_or_else(|| format!("line {}: not a case: {line}", k + 1))).collect()
}

fn case(line: usize, text: &str) -> Option<Case> {
    let open = text.find('(')?;
    let (args, rest) = parse_args(&text[open + 1..])?;
    let rest = rest.trim();
    let value = rest.get(1..)?.trim().to_string();
    let expected = match rest.chars().next()? {
        '=' => Expected::Equal(value),
        '~' => Expected::Close(value),
        '!' => Expected::Stops(value),
        _ => return None,
    };
    Some(Case { line, entry: text[..open].trim().to_string(), args, expected })
}

/// Evaluates the expressions of all cases of a program. `name` is where the program stands, for its imports.
pub fn prepare(name: &Path, text: &str, program: &Program, cases: &[Case]) -> Result<Vec<Ready>, String> {
    let entries = program.entries();
    let mut added = String::new();
    for (k, case) in cases.iter().enumerate() {
        let entry = entries.iter().find(|e| e.name == case.entry);
        let entry = entry.ok_or_else(|| format!("line {}: no entry `{}`", case.line, case.entry))?;
        if entry.params.len() != case.args.len() {
            return Err(format!("line {}: `{}` takes {} arguments", case.line, case.entry, entry.params.len()));
        }
        for (j, (param, arg)) in entry.params.iter().zip(&case.args).enumerate() {
            added.push_str(&format!("\nentry case_{k}_argument_{j}() -> {} = {arg}", param.surface));
        }
        if let Expected::Equal(value) | Expected::Close(value) = &case.expected {
            added.push_str(&format!("\nentry case_{k}_value() -> {} = {value}", entry.result));
        }
    }
    let whole = quietly(|| Program::from_text(&name.display().to_string(), &format!("{text}\n{added}")))?;
    let whole = whole.map_err(|failed| format!("the cases are wrong: {failed}"))?;
    let engine = whole.engine(Backend::Interp, &Settings::default()).map_err(|failed| failed.to_string())?;
    let value = |entry: String| match quietly(|| engine.call(&entry, Vec::new()))? {
        Ok(outcome) => Ok(outcome.value),
        Err(failed) => Err(format!("{entry}: {failed}")),
    };
    let ready = |(k, case): (usize, &Case)| {
        let args = (0..case.args.len()).map(|j| value(format!("case_{k}_argument_{j}")));
        let args: Result<Vec<Data>, String> = args.collect();
        let expected = match &case.expected {
            Expected::Equal(_) => Expected::Equal(value(format!("case_{k}_value"))?),
            Expected::Close(_) => Expected::Close(value(format!("case_{k}_value"))?),
            Expected::Stops(code) => Expected::Stops(code.clone()),
        };
        let text = format!("line {}: {}({})", case.line, case.entry, case.args.join(", "));
        let text = text.chars().take(300).collect();
        Ok(Ready { text, entry: case.entry.clone(), args: args?, expected })
    };
    cases.iter().enumerate().map(ready).collect()
}

/// Runs a case; what is wrong, if something is.
pub fn check(engine: &Engine, case: &Ready) -> Result<(), String> {
    let found = quietly(|| engine.call(&case.entry, case.args.clone()))?.map(|outcome| outcome.value);
    let holds = match (&case.expected, &found) {
        (Expected::Equal(wanted), Ok(value)) => show::data(wanted, usize::MAX) == show::data(value, usize::MAX),
        (Expected::Close(wanted), Ok(value)) => is_close(wanted, value),
        (Expected::Stops(code), Err(failed)) => code_of(failed) == Some(code.as_str()),
        _ => false,
    };
    if holds {
        return Ok(());
    }
    let wanted = match &case.expected {
        Expected::Equal(value) => format!("= {}", show::data(value, 40)),
        Expected::Close(value) => format!("~ {}", show::data(value, 40)),
        Expected::Stops(code) => format!("! {code}"),
    };
    let found = found.map_or_else(|failed| failed.to_string(), |value| format!("= {}", show::data(&value, 40)));
    Err(format!("{}\n  wanted {wanted}\n  found  {found}", case.text))
}

/// The code of the first message.
pub fn code_of(failed: &Failed) -> Option<&'static str> {
    failed.diagnostics.first().map(|d| d.code)
}

/// Whether two values have one shape, equal integers, and floats that differ by rounding only.
pub fn is_close(wanted: &Data, found: &Data) -> bool {
    let all = |a: &[Data], b: &[Data]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_close(a, b));
    match (wanted, found) {
        (Data::Scalar(Scalar::F64(a)), Data::Scalar(Scalar::F64(b))) => floats_close(*a, *b, 1e-9),
        (Data::Scalar(Scalar::F32(a)), Data::Scalar(Scalar::F32(b))) => {
            floats_close(f64::from(*a), f64::from(*b), 1e-4)
        }
        (Data::Scalar(a), Data::Scalar(b)) => a == b,
        (Data::Tuple(a), Data::Tuple(b)) | (Data::Array(a), Data::Array(b)) => all(a, b),
        (Data::Variant(a), Data::Variant(b)) => a.tag == b.tag && all(&a.fields, &b.fields),
        _ => false,
    }
}

fn floats_close(a: f64, b: f64, tolerance: f64) -> bool {
    let difference = (a - b).abs();
    let same = a == b || a.is_nan() && b.is_nan();
    same || difference.is_finite() && difference <= tolerance * a.abs().max(b.abs()).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let cases = parse("# words\n\nf(\"a)\\\"\", [1, 2]) = p{x = (1, 2)}\ng() ~ 2.5\nh(1) ! T0904").unwrap();
        assert_eq!(cases[0].args, ["\"a)\\\"\"", "[1, 2]"]);
        assert_eq!(cases[0].expected, Expected::Equal("p{x = (1, 2)}".to_string()));
        assert_eq!((cases[1].line, &cases[1].expected), (4, &Expected::Close("2.5".to_string())));
        assert_eq!(cases[2].expected, Expected::Stops("T0904".to_string()));
        assert!(parse("f(1) 2").is_err() && parse("f(1").is_err());
    }

    #[test]
    fn close_is_about_floats_only() {
        let check = |a: Scalar, b: Scalar, expected: bool| {
            let array = |s| Data::Array(vec![Data::Scalar(s)]);
            assert_eq!(is_close(&array(a), &array(b)), expected, "{a:?} {b:?}");
        };
        check(Scalar::F64(1.0), Scalar::F64(1.0 + 1e-10), true);
        check(Scalar::F64(1.0), Scalar::F64(1.0 + 1e-8), false);
        check(Scalar::F64(1e20), Scalar::F64(1e20 + 1e10), true);
        check(Scalar::F64(f64::NAN), Scalar::F64(f64::NAN), true);
        check(Scalar::F64(f64::INFINITY), Scalar::F64(1e300), false);
        check(Scalar::F32(1.0), Scalar::F32(1.00001), true);
        check(Scalar::I64(1), Scalar::I64(2), false);
        assert!(!is_close(&Data::Array(Vec::new()), &Data::Array(vec![Data::Scalar(Scalar::I64(1))])));
    }
}
