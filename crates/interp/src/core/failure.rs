//! A run that stopped: which check, where, with which values, and how the program got there.
//!
//! ```text
//! error[T0904]: division of 10 by zero
//!  --> rates.tce:1:30
//!   |
//! 1 | def rate(a: i64, b: i64) = a / b
//!   |                              ^ the divisor is 0 here
//! 2 | entry rates(xs: []i64) = [rate(x, x - 10) for x in xs]
//!   |                           --------------- `rate` was called here
//!   = note: at position 3 of the enclosing arrays
//! ```
//!
//! A failure inside the standard library is shown where the program calls it, because a person can act there. A long
//! recursion repeats itself: the calls at its two ends are shown, and how many lie in between.

use terrace_base::{Diagnostic, FileId, Span};
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

/// Calls that are shown at each end of a long trace.
const ENDS: usize = 4;

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

    /// Whether the compiler was wrong, and not the program.
    pub fn is_false_claim(&self) -> bool {
        self.kind == "claim"
    }

    /// The failure as a message to the person who wrote the program.
    pub fn to_diagnostic(&self) -> Diagnostic {
        self.to_diagnostic_with(&|_| false)
    }

    /// The same, where some files are not the person's own: the message is then about the innermost call from a file that is.
    pub fn to_diagnostic_with(&self, is_library: &dyn Fn(FileId) -> bool) -> Diagnostic {
        let own = |span: Span| !span.is_none() && !is_library(span.file);
        // Frames of the library at the inner end; if there is nothing else, they are all there is to show.
        let inside = match self.trace.iter().position(|(_, reached)| own(*reached)) {
            Some(k) if !own(self.span) => k,
            _ => 0,
        };
        let place = if inside == 0 { self.span } else { self.trace[inside].1 };
        let mut report = messages::diagnostic(self.kind, &self.text, &self.values, place, &self.indices);
        if inside > 0 {
            let (called, failed) = (&self.trace[inside - 1].0, &self.trace[0].0);
            let inner = std::mem::replace(&mut report.labels[0].text, format!("in this call of `{called}`"));
            report.hint = None;
            report = match called == failed {
                true => report.note(format!("it happened in `{called}`, of the standard library: {inner}")),
                false => report
                    .note(format!("it happened in `{failed}`, which `{called}` of the standard library uses: {inner}")),
            };
        }
        // Every call is shown in the function it was made in: the next one outwards.
        let calls: Vec<(&str, Span)> = self
            .trace
            .iter()
            .skip(inside)
            .zip(self.trace.iter().skip(inside + 1))
            .map(|(f, g)| (f.0.as_str(), g.1))
            .collect();
        for (k, (name, span)) in calls.iter().enumerate() {
            if k == ENDS && calls.len() > 2 * ENDS {
                report = report.note(format!("… {} more calls in between …", grouped(calls.len() - 2 * ENDS)));
            }
            let shown = k < ENDS || k + ENDS >= calls.len();
            if shown && own(*span) && *span != place && !report.labels.iter().any(|l| l.span == *span) {
                report = report.label(*span, format!("`{name}` was called here"));
            }
        }
        report
    }
}

/// A number with a comma before every three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
