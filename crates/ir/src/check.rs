//! Checks: the operations that may fail, as data.
//!
//! `xs[i]` may fail, so the front end writes a check before it: `check in_bounds 0 <= i < len(xs)`. The check carries
//! all that a message needs (what kind, where, which values), and every later language carries it along unchanged until
//! a kernel tests it. The list of a program's checks travels beside the program, so that a kernel needs only a number.

use terrace_base::Span;

terrace_base::define_id!(
    /// The number of a check in its program; smaller numbers are earlier in the source.
    CheckId
);

/// What a check guards against. Each kind has a stable code and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// `values = [index, length]`: `0 <= index < length`.
    Index,
    /// `values = [from, to, length]`: `0 <= from <= to <= length`.
    Slice,
    /// `values = [first length, other length]`: arrays zipped together have one length.
    Zip,
    /// `values = [dividend]`: an integer divisor is not zero.
    Division,
    /// `values = [length]`: a length lies between 0 and 2^47.
    Length,
    /// `values = [found, wanted]`: a size stated in a type holds; the text is the size as written.
    Size(String),
    /// `values = [found, wanted]`: the rows of an argument have the length that the parameter's type states; the text is the parameter's name.
    /// Flattening writes these: an entry believes no caller.
    Parameter(String),
    /// No values: `assert(cond, "message")`.
    Assert(String),
    /// `values = [rows of first, rows of other]`: the rows of an array literal or matrix have one length.
    Rows,
    /// `values = [depth]`: recursion deeper than the limit.
    Depth,
    /// `values = [least position, greatest position, length]`: a strided slice stays within the array.
    Strided,
    /// No values: a strided slice that is written does not overlap itself.
    Overlap,
    /// `values = [sum of the sizes, length]`: the rows of a partition have the length of the array together.
    Partition,
    /// `values = [length of a row, length]`: an array is cut into whole rows of one length.
    Split,
    /// No values: the array is not empty; the text says for what.
    Empty(String),
    /// `values = [number]`: the number is at least 1; the text says what it is.
    Positive(String),
    /// `values = [places, values]`: an update of several places has as many values.
    Places,
}

impl CheckKind {
    /// The stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            CheckKind::Index => "T0901",
            CheckKind::Slice => "T0902",
            CheckKind::Zip => "T0903",
            CheckKind::Division => "T0904",
            CheckKind::Length => "T0905",
            CheckKind::Size(_) | CheckKind::Parameter(_) => "T0906",
            CheckKind::Assert(_) => "T0907",
            CheckKind::Rows => "T0908",
            CheckKind::Depth => "T0909",
            CheckKind::Strided => "T0913",
            CheckKind::Overlap => "T0914",
            CheckKind::Partition | CheckKind::Split => "T0915",
            CheckKind::Empty(_) => "T0916",
            CheckKind::Positive(_) => "T0917",
            CheckKind::Places => "T0918",
        }
    }

    /// The word that names the kind in plans and messages (see [`terrace_plan::messages`]).
    pub fn word(&self) -> &'static str {
        match self {
            CheckKind::Index => "index",
            CheckKind::Slice => "slice",
            CheckKind::Zip => "zip",
            CheckKind::Division => "division",
            CheckKind::Length => "length",
            CheckKind::Size(_) => "size",
            CheckKind::Parameter(_) => "parameter",
            CheckKind::Assert(_) => "assert",
            CheckKind::Rows => "rows",
            CheckKind::Depth => "depth",
            CheckKind::Strided => "strided",
            CheckKind::Overlap => "overlap",
            CheckKind::Partition => "partition",
            CheckKind::Split => "split",
            CheckKind::Empty(_) => "empty",
            CheckKind::Positive(_) => "positive",
            CheckKind::Places => "places",
        }
    }

    /// The text that belongs to the kind: an assertion's message, a size as written, else empty.
    pub fn text(&self) -> &str {
        match self {
            CheckKind::Size(text) | CheckKind::Parameter(text) | CheckKind::Assert(text) => text,
            CheckKind::Empty(text) | CheckKind::Positive(text) => text,
            _ => "",
        }
    }
}

impl CheckKind {
    /// How many values its message shows.
    pub fn value_count(&self) -> usize {
        match self {
            CheckKind::Assert(_) | CheckKind::Overlap | CheckKind::Empty(_) => 0,
            CheckKind::Division | CheckKind::Length | CheckKind::Depth | CheckKind::Positive(_) => 1,
            CheckKind::Index | CheckKind::Zip | CheckKind::Size(_) | CheckKind::Parameter(_) => 2,
            CheckKind::Rows | CheckKind::Partition | CheckKind::Split | CheckKind::Places => 2,
            CheckKind::Slice | CheckKind::Strided => 3,
        }
    }
}

/// One check of a program: its kind and the source it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckInfo {
    /// What is checked.
    pub kind: CheckKind,
    /// The expression that may fail.
    pub span: Span,
}
