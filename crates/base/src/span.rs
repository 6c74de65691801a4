//! Places in source text.
//!
//! A [`Span`] is three numbers: a file and a byte range in it. It is small enough to copy into every node of every
//! IR, so that an error at run time can still point at the expression it came from. The [`SourceMap`] owns the text
//! and answers the only question a person asks: which line, which column.
//!
//! `span of "p" in "let p = 1"`  is  `Span { file: 0, start: 4, end: 5 }`  and prints as line 1, column 5.
//!
//! Columns count characters, from 1. Spans know nothing about lines; lines are found again from the text when needed.

use crate::ids::define_id;

define_id!(
    /// One source file of a [`SourceMap`].
    FileId
);

/// A byte range `start..end` of one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file the range is in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

const NOWHERE: FileId = FileId(u32::MAX);

impl Span {
    /// A range of one file, in bytes.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file, start: clamp(start), end: clamp(end) }
    }

    /// The span of things that no source text stands for.
    pub const fn none() -> Self {
        Span { file: NOWHERE, start: 0, end: 0 }
    }

    /// Whether this is [`Span::none`].
    pub fn is_none(self) -> bool {
        self.file == NOWHERE
    }

    /// The smallest span that covers both; a missing one is ignored.
    pub fn to(self, other: Span) -> Span {
        if self.is_none() {
            return other;
        }
        if other.is_none() || other.file != self.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span at the start of this one.
    pub fn at_start(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// The empty span just behind this one.
    pub fn at_end(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LineCol {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub col: usize,
}

#[derive(Clone, Debug)]
struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

/// The text of every file of a program.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and returns its id. Two files may have the same name.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1));
        self.files.push(SourceFile { name: name.into(), text, line_starts });
        FileId::new(self.files.len() - 1)
    }

    /// The name of a file; `<unknown>` for a file that is not in this map.
    pub fn name(&self, file: FileId) -> &str {
        self.files.get(file.index()).map_or("<unknown>", |f| &f.name)
    }

    /// The text of a file; empty for a file that is not in this map.
    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file.index()).map_or("", |f| &f.text)
    }

    /// The texts of all files, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|f| f.text.as_str())
    }

    /// Whether the file of a span is in this map.
    pub fn contains(&self, span: Span) -> bool {
        span.file.index() < self.files.len()
    }

    /// The text a span covers; empty where the span does not fit the text.
    pub fn snippet(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Line and column of the start of a span.
    pub fn line_col(&self, span: Span) -> LineCol {
        self.position(span.file, span.start as usize)
    }

    /// Line and column of one byte offset; offsets behind the end count as the end.
    pub fn position(&self, file: FileId, offset: usize) -> LineCol {
        let Some(f) = self.files.get(file.index()) else {
            return LineCol { line: 1, col: 1 };
        };
        let offset = offset.min(f.text.len());
        let line = f.line_starts.partition_point(|&start| start <= offset);
        let start = f.line_starts[line - 1];
        let before = &f.text.as_bytes()[start..offset];
        // Counts the bytes that begin a character, so that an offset inside one does no harm.
        let col = before.iter().filter(|b| (**b & 0xC0) != 0x80).count() + 1;
        LineCol { line, col }
    }

    /// The byte offset at which a line (from 1) starts.
    pub fn line_start(&self, file: FileId, line: usize) -> usize {
        let Some(f) = self.files.get(file.index()) else {
            return 0;
        };
        f.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(f.text.len())
    }

    /// The text of a line (from 1) without its line break.
    pub fn line_text(&self, file: FileId, line: usize) -> &str {
        let (start, end) = (self.line_start(file, line), self.line_start(file, line + 1));
        self.text(file).get(start..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// `name:line:col` of the start of a span.
    pub fn describe(&self, span: Span) -> String {
        let at = self.line_col(span);
        format!("{}:{}:{}", self.name(span.file), at.line, at.col)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions() {
        let mut map = SourceMap::new();
        let file = map.add("a.ter", "one\nzwölf x\r\n\nend");
        let check = |offset: usize, line: usize, col: usize| {
            assert_eq!(map.position(file, offset), LineCol { line, col }, "offset {offset}");
        };
        check(0, 1, 1);
        check(3, 1, 4);
        check(4, 2, 1);
        check(8, 2, 4);
        check(11, 2, 7);
        check(14, 3, 1);
        check(15, 4, 1);
        check(999, 4, 4);
        assert_eq!(map.line_text(file, 2), "zwölf x");
        assert_eq!(map.line_text(file, 4), "end");
        assert_eq!(map.line_text(file, 9), "");
        assert_eq!(map.describe(Span::new(file, 4, 5)), "a.ter:2:1");
        assert_eq!(map.snippet(Span::new(file, 4, 10)), "zwölf");
    }

    #[test]
    fn joining() {
        let file = FileId::new(0);
        let (a, b) = (Span::new(file, 2, 4), Span::new(file, 7, 9));
        assert_eq!(a.to(b), Span::new(file, 2, 9));
        assert_eq!(b.to(a), Span::new(file, 2, 9));
        assert_eq!(a.to(Span::none()), a);
        assert_eq!(Span::none().to(b), b);
        assert!(Span::none().is_none());
    }
}
