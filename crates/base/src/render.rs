//! The one renderer of messages.
//!
//! ```text
//! error[T0103]: these two arrays have different lengths
//!  --> dot.ter:2:19
//!   |
//! 2 |   [x * y for x in xs, y in ys]
//!   |                   --       ^^ this one has 4 elements
//!   |                   |
//!   |                   this one has 3 elements
//!   = hint: cut the longer one with `ys[..len(xs)]`
//! ```
//!
//! Labels on one line share a row of marks; the rightmost text stands beside its mark, the others hang below, the
//! rightmost first, so that no line crosses a text. A span of several lines is drawn as a rail at the left; when it is
//! long, its middle is left out. Places in other files come after the file of the primary place. Columns are those a
//! terminal shows: tabs are expanded and wide characters count twice.

use crate::diagnostic::{Diagnostic, Severity};
use crate::snippet;
use crate::span::SourceMap;
use std::fmt::Write;

/// Which terminal colours to use, or none.
#[derive(Clone, Copy)]
pub(crate) struct Paint {
    pub(crate) on: bool,
    pub(crate) severity: Severity,
}

impl Paint {
    fn wrap(self, code: &str, text: &str) -> String {
        if self.on && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
    }

    pub(crate) fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn gutter(self, text: &str) -> String {
        self.wrap("1;34", text)
    }

    pub(crate) fn mark(self, primary: bool, text: &str) -> String {
        let code = match self.severity {
            Severity::Error if primary => "1;31",
            Severity::Warning if primary => "1;33",
            Severity::Note if primary => "1;32",
            _ => "1;34",
        };
        self.wrap(code, text)
    }
}

/// The text of a message, with a line break at its end; `colour` adds ANSI codes.
pub fn render(diagnostic: &Diagnostic, map: &SourceMap, colour: bool) -> String {
    let paint = Paint { on: colour, severity: diagnostic.severity };
    let mut head = diagnostic.severity.word().to_string();
    if !diagnostic.code.is_empty() {
        let _ = write!(head, "[{}]", diagnostic.code);
    }
    let mut out = format!("{}{}\n", paint.mark(true, &head), paint.strong(&format!(": {}", diagnostic.title)));

    let (placed, unplaced): (Vec<_>, Vec<_>) = diagnostic.labels.iter().partition(|label| map.contains(label.span));
    let width = snippet::gutter_width(&placed, map);
    let mut files = Vec::new();
    let primary_first = placed.iter().filter(|l| l.primary).chain(placed.iter().filter(|l| !l.primary));
    for label in primary_first {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    for (i, file) in files.iter().enumerate() {
        let labels: Vec<_> = placed.iter().copied().filter(|l| l.span.file == *file).collect();
        let first = labels.iter().find(|l| l.primary).unwrap_or(&labels[0]);
        let arrow = if i == 0 { "-->" } else { ":::" };
        let _ = writeln!(out, "{}{} {}", " ".repeat(width), paint.gutter(arrow), map.describe(first.span));
        let _ = writeln!(out, "{} {}", " ".repeat(width), paint.gutter("|"));
        snippet::draw(&mut out, &labels, map, width, paint);
    }

    // Indented like the gutter, so that notes belong to the snippet above them.
    let indent = " ".repeat(width + 1);
    let mut aside = |word: &str, text: &str| {
        let start = format!("{indent}{} ", paint.gutter("="));
        let hanging = format!("\n{indent}{}", " ".repeat(word.len() + 4));
        let _ = writeln!(out, "{start}{}: {}", paint.strong(word), text.replace('\n', &hanging));
    };
    for label in unplaced.iter().filter(|l| !l.text.is_empty()) {
        aside("note", &label.text);
    }
    for note in &diagnostic.notes {
        aside("note", note);
    }
    if let Some(hint) = &diagnostic.hint {
        aside("hint", hint);
    }
    out
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
