//! An error is data: a code, a title, labelled places, notes, and perhaps a hint.
//!
//! Whoever finds a mistake builds a [`Diagnostic`]; only [`render`](crate::render()) makes text of it.
//!
//! ```
//! use terrace_base::{Diagnostic, Span};
//! let d = Diagnostic::error("T0103", "these two arrays have different lengths")
//!     .primary(Span::none(), "this one has 3 elements")
//!     .label(Span::none(), "this one has 4 elements")
//!     .note("commas in a comprehension take elements from both arrays in step")
//!     .hint("cut the longer one with `ys[..len(xs)]`");
//! assert!(d.is_error());
//! ```
//!
//! Codes are stable: a code once given keeps its meaning, and `terrace explain` looks it up.

use crate::span::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The program has no meaning, or stopped.
    Error,
    /// Probably a mistake.
    Warning,
    /// Good to know.
    Note,
}

impl Severity {
    /// The word the renderer starts with.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A place and what is to be said about it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is said; may be empty.
    pub text: String,
    /// Whether this is the place that the message is about.
    pub primary: bool,
}

/// One message to the person who wrote the program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    /// Stable code, such as `T0012`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One line that says what is wrong.
    pub title: String,
    /// The places involved, the primary one first by custom.
    pub labels: Vec<Label>,
    /// Further facts, each a short paragraph.
    pub notes: Vec<String>,
    /// What to do about it, where something is likely right.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A message of some severity without places.
    pub fn new(severity: Severity, code: &'static str, title: impl Into<String>) -> Self {
        Diagnostic { code, severity, title: title.into(), labels: Vec::new(), notes: Vec::new(), hint: None }
    }

    /// A new error.
    pub fn error(code: &'static str, title: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, title)
    }

    /// A new warning.
    pub fn warning(code: &'static str, title: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, title)
    }

    /// Adds the place the message is about.
    #[must_use]
    pub fn primary(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: true });
        self
    }

    /// Adds another place that is involved.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    /// Adds a further fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do about it; the last hint wins.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }

    /// Whether the program has no meaning because of this.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The place the message is about; the first place if none is marked; none without places.
    pub fn primary_span(&self) -> Span {
        let first = self.labels.iter().find(|l| l.primary).or(self.labels.first());
        first.map_or(Span::none(), |l| l.span)
    }
}
