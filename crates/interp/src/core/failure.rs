//! A run that stopped: which check, where, with which values, and how the program got there.

use terrace_base::{Diagnostic, Span};
use terrace_ir::check::CheckId;
use terrace_plan::messages;

/// Why a run stopped, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The check of the program that failed; none for limits and wrong arguments.
    pub check: Option<CheckId>,
    /// The stable code.
    pub code: &'static str,
    /// The kind, as listed in [`terrace_plan::messages`].
    pub kind: &'static str,
    /// The text that belongs to the kind.
    pub text: String,
    /// The expression that failed.
    pub span: Span,
    /// The integers that the message shows.
    pub values: Vec<i64>,
    /// Positions in the parallel expressions around the failure, outermost first, across calls.
    pub indices: Vec<i64>,
    /// The functions that were running, innermost first, each with the place it had reached.
    pub trace: Vec<(String, Span)>,
    /// One line that says what went wrong.
    pub message: String,
}

impl Failure {
    pub(super) fn new(kind: &'static str, text: &str, values: Vec<i64>, span: Span) -> Failure {
        Failure {
            check: None,
            code: messages::code(kind),
            kind,
            text: text.to_string(),
            span,
            message: messages::message(kind, text, &values).title,
            values,
            indices: Vec::new(),
            trace: Vec::new(),
        }
    }

    /// The failure as a message to the person who wrote the program.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut report = messages::diagnostic(self.kind, &self.text, &self.values, self.span, &self.indices);
        // A long recursion repeats itself: its two ends say enough.
        const ENDS: usize = 4;
        let callers = self.trace.get(1..).unwrap_or_default();
        for (k, (_, span)) in callers.iter().enumerate() {
            if k < ENDS || k + ENDS >= callers.len() {
                let text = format!("`{}` was called here", self.trace[k].0);
                if !report.labels.iter().any(|l| l.span == *span && l.text == text) {
                    report = report.label(*span, text);
                }
            } else if k == ENDS {
                report = report.note(format!("{} more calls in between", callers.len() - 2 * ENDS));
            }
        }
        report
    }
}
