//! Everything that can stop a program, as data.
//!
//! A failing check is the program's own doing and is reported with the words of `terrace_plan::messages`, as the interpreter reports it.
//! The rest is the machine's doing (memory, depth, a device that fails) or the caller's (arguments). [`RunError::Plan`] is
//! neither: it means that the compiler wrote a plan that makes no sense, and says so.

use std::fmt;

use terrace_base::{Diagnostic, Span};
use terrace_plan::{Plan, messages};

use crate::values::ValueError;

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// A check failed.
    Check {
        /// Which check of the plan.
        check: u32,
        /// The number of the failing element in its space; -1 for a check on the host.
        index: i64,
        /// What the message shows.
        values: Vec<i64>,
    },
    /// There is no memory for an array.
    OutOfMemory {
        /// For whom it was.
        span: Span,
        /// How many bytes it needs.
        bytes: u64,
        /// How many bytes are in use.
        in_use: u64,
        /// How many there are.
        limit: u64,
    },
    /// Calls are nested too deeply.
    DepthLimit {
        /// The call.
        span: Span,
        /// How many are allowed.
        limit: usize,
    },
    /// The length of an array is negative or above 2^47.
    Length {
        /// For whom it was.
        span: Span,
        /// The length.
        count: i64,
    },
    /// An argument does not fit its parameter.
    Argument {
        /// Which, from 0.
        param: usize,
        /// Why.
        error: ValueError,
    },
    /// There is no such entry, or it takes another number of arguments.
    Call(String),
    /// Somebody asked for an end.
    Stopped,
    /// The device, its driver or its compiler failed.
    Device(String),
    /// The plan makes no sense: a bug of the compiler.
    Plan(String),
}

impl RunError {
    /// The error as a message for people.
    pub fn diagnostic(&self, plan: &Plan) -> Diagnostic {
        let none = Span::none();
        match self {
            RunError::Check { check, index, values } => {
                let Some(text) = plan.checks.get(*check as usize) else {
                    return bug(&format!("check {check} is not in the plan"));
                };
                let report = messages::diagnostic(&text.kind, &text.text, values, text.span, &[]);
                match index {
                    0.. => report.note(format!(
                        "at element {index} of the parallel expressions around it, counted through all rows"
                    )),
                    _ => report,
                }
            }
            RunError::OutOfMemory { span, bytes, in_use, limit } => {
                messages::diagnostic("memory", "", &[clamp(*bytes)], *span, &[])
                    .note(format!("{in_use} of {limit} bytes are in use"))
            }
            RunError::DepthLimit { span, limit } => {
                messages::diagnostic("depth", "", &[clamp(*limit as u64)], *span, &[])
            }
            RunError::Length { span, count } => messages::diagnostic("length", "", &[*count], *span, &[]),
            RunError::Argument { param, error: ValueError::Size { index, found, wanted } } => {
                let index: Vec<i64> = index.iter().map(|i| *i as i64).collect();
                let text = format!("argument {}", param + 1);
                messages::diagnostic("parameter", &text, &[*found, *wanted], none, &index)
            }
            RunError::Argument { param, error } => {
                messages::diagnostic("argument", &format!("number {}: {error}", param + 1), &[], none, &[])
            }
            RunError::Call(text) => messages::diagnostic("argument", text, &[], none, &[]),
            RunError::Stopped => Diagnostic::error("T0951", "stopped before the end"),
            RunError::Device(text) => match text.split_once('\n') {
                Some((title, rest)) => Diagnostic::error("T0950", title).note(rest),
                None => Diagnostic::error("T0950", text.clone()),
            },
            RunError::Plan(text) => bug(text),
        }
    }

    /// The word that says what kind of error it is, as in `terrace_plan::messages`.
    pub fn kind<'p>(&self, plan: &'p Plan) -> &'p str {
        match self {
            RunError::Check { check, .. } => plan.checks.get(*check as usize).map_or("plan", |c| c.kind.as_str()),
            RunError::OutOfMemory { .. } => "memory",
            RunError::DepthLimit { .. } => "depth",
            RunError::Length { .. } => "length",
            RunError::Argument { error: ValueError::Size { .. }, .. } => "parameter",
            RunError::Argument { .. } | RunError::Call(_) => "argument",
            RunError::Stopped => "stopped",
            RunError::Device(_) => "device",
            RunError::Plan(_) => "plan",
        }
    }
}

fn bug(text: &str) -> Diagnostic {
    Diagnostic::error("T0999", format!("the compiler made a plan that cannot run: {text}"))
        .hint("this is a bug in Terrace, not in the program")
}

fn clamp(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Check { check, index, values } => {
                write!(f, "check {check} failed at {index} with {values:?}")
            }
            RunError::OutOfMemory { bytes, in_use, limit, .. } => {
                write!(f, "no memory for {bytes} bytes ({in_use} of {limit} are in use)")
            }
            RunError::DepthLimit { limit, .. } => write!(f, "recursion deeper than {limit} calls"),
            RunError::Length { count, .. } => write!(f, "{count} is not a length"),
            RunError::Argument { param, error } => write!(f, "argument {}: {error}", param + 1),
            RunError::Stopped => f.write_str("stopped"),
            RunError::Call(text) | RunError::Device(text) => f.write_str(text),
            RunError::Plan(text) => write!(f, "the compiler made a plan that cannot run: {text}"),
        }
    }
}

impl std::error::Error for RunError {}
