//! The table of cases that says what the language means.
//!
//! A part of the table is a Terrace program with the cases as comments, so that the program can be read, compiled once, and
//! run by hand; places are lines and columns of that very file:
//!
//! ```text
//! entry quotient(a: i64, b: i64) -> i64 = a / b
//! --> quotient(-7, 2) = -4
//! --> quotient(7, 0) ! T0904 1:41 division of 7 by zero
//! --~ scatter with repeated indices: scatter is not in the language yet
//! ```
//!
//! `-->` is a case that every engine runs: arguments are Terrace expressions, the value is compared as a literal (which
//! shows every bit, and a NaN as `nan`), an error by code, place and title. `--~` names a line of the semantics that no
//! program can reach yet, and why: it is listed, so that the table is complete and its holes are known.

use crate::answer::{Answer, call, engine, quietly};
use crate::corpus::Report;
use crate::setup::Setup;
use std::path::Path;
use terrace::{Data, Program};

/// A call and what it must give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The line it stands on, from 1.
    pub line: usize,
    /// The entry.
    pub entry: String,
    /// The arguments, as expressions.
    pub args: Vec<String>,
    /// What it gives.
    pub expected: Answer,
}

/// A file of the table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The program.
    pub text: String,
    /// The cases.
    pub cases: Vec<Case>,
    /// What no program can reach yet: subject and reason.
    pub unreachable: Vec<(String, String)>,
}

impl Table {
    /// Reads a table; the text of what is wrong with it, if something is.
    pub fn parse(text: &str) -> Result<Table, String> {
        let mut table = Table { text: text.to_string(), ..Table::default() };
        for (k, line) in text.lines().enumerate() {
            if let Some(rest) = line.strip_prefix("-->") {
                table.cases.push(parse_case(k + 1, rest).ok_or_else(|| format!("line {}: not a case: {line}", k + 1))?);
            } else if let Some(rest) = line.strip_prefix("--~") {
                let (what, why) = rest.split_once(':').ok_or_else(|| format!("line {}: no reason", k + 1))?;
                table.unreachable.push((what.trim().to_string(), why.trim().to_string()));
            }
        }
        Ok(table)
    }

    /// Reads the table in a file.
    pub fn read(path: &Path) -> Result<Table, String> {
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        Table::parse(&text)
    }
}

fn parse_case(line: usize, text: &str) -> Option<Case> {
    let open = text.find('(')?;
    let entry = text[..open].trim().to_string();
    let (args, rest) = parse_args(&text[open + 1..])?;
    let rest = rest.trim();
    let expected = if let Some(value) = rest.strip_prefix('=') {
        Answer::Value(value.trim().to_string())
    } else {
        let mut parts = rest.strip_prefix('!')?.trim().splitn(3, ' ');
        let code = parts.next()?.to_string();
        let (row, column) = parts.next()?.split_once(':')?;
        let title = parts.next()?.to_string();
        Answer::Error { code, line: row.parse().ok()?, column: column.parse().ok()?, title }
    };
    Some(Case { line, entry, args, expected })
}

/// Splits at the commas that stand in no brackets and no string, up to the closing parenthesis; also what follows it.
pub(crate) fn parse_args(text: &str) -> Option<(Vec<String>, &str)> {
    let (mut depth, mut start) = (0, 0);
    let (mut quoted, mut escaped) = (false, false);
    let mut args = Vec::new();
    for (k, c) in text.char_indices() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '"' => quoted = true,
            '(' | '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ')' if depth > 0 => depth -= 1,
            ',' | ')' if depth == 0 => {
                args.push(text[start..k].trim().to_string());
                start = k + 1;
                if c == ')' {
                    args.retain(|a| !a.is_empty());
                    return Some((args, &text[k + 1..]));
                }
            }
            _ => {}
        }
    }
    None
}

/// Runs every case of a table under a setup.
pub fn run(name: &str, table: &Table, setup: &Setup) -> Report {
    let mut report = Report::default();
    let program = match quietly(|| Program::from_text(name, &table.text)) {
        Ok(Ok(program)) => program,
        Ok(Err(failed)) => {
            report.failures.push(format!("{name}: {failed}"));
            return report;
        }
        Err(panic) => {
            report.failures.push(format!("{name}: {panic}"));
            return report;
        }
    };
    let engine = match engine(&program, setup) {
        Ok(engine) => engine,
        Err(why) => {
            report.failures.push(format!("{name} on {setup}: {why}"));
            return report;
        }
    };
    for case in &table.cases {
        let args = case.args.iter().enumerate().map(|(k, text)| program.argument(&case.entry, k, text));
        let args: Result<Vec<Data>, _> = args.collect();
        let found = match args {
            Ok(args) => call(&engine, &case.entry, &args, &table.text),
            Err(failed) => Answer::Broken(failed.to_string()),
        };
        if found == case.expected {
            report.passed += 1;
        } else {
            let wanted = &case.expected;
            report.failures.push(format!(
                "{name}:{} on {setup}: {}({})\n  wanted {wanted}\n  found  {found}",
                case.line,
                case.entry,
                case.args.join(", ")
            ));
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_read() {
        let table = Table::parse(
            "--> f((1, 2), [3, 4])  = (1, [2])\n--> g() ! T0904 3:14 division of 7 by zero\n--~ sort: later",
        )
        .unwrap();
        assert_eq!(table.cases[0].args, ["(1, 2)", "[3, 4]"]);
        assert_eq!(table.cases[0].expected, Answer::Value("(1, [2])".to_string()));
        assert_eq!(table.cases[1].args.len(), 0);
        let title = "division of 7 by zero".to_string();
        assert_eq!(table.cases[1].expected, Answer::Error { code: "T0904".to_string(), line: 3, column: 14, title });
        assert_eq!(table.unreachable, [("sort".to_string(), "later".to_string())]);
        assert!(Table::parse("--> f(1").is_err());
    }
}
