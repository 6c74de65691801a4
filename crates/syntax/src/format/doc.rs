//! Documents that know where they may break, and the one function that breaks them.
//!
//! ```text
//! Group[ "f(" Nest(2, SoftLine "a," Line "b") SoftLine ")" ]
//!
//! f(a, b)        if it fits          f(
//!                                      a,
//!                                      b
//!                                    )
//! ```
//!
//! A group is laid out on one line if what it holds, and what follows up to the next possible break, fits the width; else
//! its own lines break and each group inside decides anew. This is the printer of Philip Wadler, "A prettier printer"
//! (2003), section 2, made strict: groups are tried from the outside in, and a try costs at most one width of text.
//!
//! Comments are part of the documents. One at the end of a line goes to the end of the line that is being written, even
//! if the break was already decided; each makes the next text start on a new line. Both are possible because a line break
//! is only written when the next text comes.

/// A piece of text with choices left open.
#[derive(Clone, Debug)]
pub(super) enum Doc {
    /// Text without line breaks.
    Text(String),
    /// A space that never breaks.
    Space,
    /// A space, or a line break.
    Line,
    /// Nothing, or a line break.
    SoftLine,
    /// Always a line break.
    HardLine,
    /// Makes the line break before it an empty line.
    Blank,
    /// Text that only stands where the group is broken.
    IfBroken(&'static str),
    /// A comment.
    Comment(Comment),
    /// One after the other.
    Concat(Vec<Doc>),
    /// Breaks inside are indented by so many columns more.
    Nest(usize, Box<Doc>),
    /// Breaks inside go to the column where it begins.
    Align(Box<Doc>),
    /// On one line if it fits.
    Group(Box<Doc>),
}

/// A comment and how it stood.
#[derive(Clone, Debug)]
pub(super) struct Comment {
    pub(super) text: String,
    /// Nothing stood before it on its line.
    pub(super) own_line: bool,
    /// The line before it was empty.
    pub(super) blank: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Flat,
    Broken,
}

struct Layout {
    width: usize,
    out: String,
    column: usize,
    /// Line breaks to be written before the next text, and the indentation behind them.
    breaks: usize,
    indent: usize,
    space: bool,
    /// The current line ends with a comment.
    after_comment: bool,
}

/// The text of a document, without a line break at its end.
pub(super) fn layout(doc: &Doc, width: usize) -> String {
    let mut layout =
        Layout { width, out: String::new(), column: 0, breaks: 0, indent: 0, space: false, after_comment: false };
    let mut work = vec![(0, Mode::Broken, doc)];
    while let Some((indent, mode, doc)) = work.pop() {
        match doc {
            Doc::Text(text) => layout.text(text),
            Doc::Space => layout.space = true,
            Doc::Line if mode == Mode::Flat => layout.space = true,
            Doc::SoftLine if mode == Mode::Flat => {}
            Doc::Line | Doc::SoftLine | Doc::HardLine => layout.line_break(indent),
            Doc::Blank => {
                if layout.breaks > 0 {
                    layout.breaks = 2;
                }
            }
            Doc::IfBroken(text) => {
                if mode == Mode::Broken {
                    layout.text(text);
                }
            }
            Doc::Comment(comment) => layout.comment(comment, indent),
            Doc::Concat(parts) => work.extend(parts.iter().rev().map(|part| (indent, mode, part))),
            Doc::Nest(more, inner) => work.push((indent + more, mode, inner)),
            Doc::Align(inner) => work.push((layout.next_column(), mode, inner)),
            Doc::Group(inner) => {
                let flat = mode == Mode::Flat || layout.fits(inner, &work);
                work.push((indent, if flat { Mode::Flat } else { Mode::Broken }, inner));
            }
        }
    }
    layout.out
}

impl Layout {
    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.breaks > 0 {
            self.write_breaks();
        } else if self.space {
            self.out.push(' ');
            self.column += 1;
        }
        self.space = false;
        self.out.push_str(text);
        self.column += text.chars().count();
        self.after_comment = false;
    }

    /// Where the next text will begin.
    fn next_column(&self) -> usize {
        if self.breaks > 0 { self.indent } else { self.column + usize::from(self.space) }
    }

    fn write_breaks(&mut self) {
        if !self.out.is_empty() {
            self.out.extend(std::iter::repeat_n('\n', self.breaks));
        }
        self.out.extend(std::iter::repeat_n(' ', self.indent));
        self.column = self.indent;
        self.breaks = 0;
        self.space = false;
    }

    fn line_break(&mut self, indent: usize) {
        self.breaks = self.breaks.max(1);
        self.indent = indent;
    }

    fn comment(&mut self, comment: &Comment, indent: usize) {
        if comment.own_line || self.after_comment || self.out.is_empty() {
            if !self.out.is_empty() && self.breaks == 0 {
                self.line_break(indent);
            }
            if comment.blank && self.breaks > 0 {
                self.breaks = 2;
            }
            if self.breaks > 0 {
                self.write_breaks();
            }
            self.out.push_str(&comment.text);
        } else {
            self.out.push(' ');
            self.out.push_str(&comment.text);
        }
        self.space = false;
        if self.breaks == 0 {
            self.line_break(indent);
        }
        self.after_comment = true;
    }

    /// Whether `doc` on one line, with what follows it up to the next possible break, fits.
    fn fits(&self, doc: &Doc, rest: &[(usize, Mode, &Doc)]) -> bool {
        let Some(mut left) = self.width.checked_sub(self.next_column()) else {
            return false;
        };
        let mut inside = vec![doc];
        let mut begun = false;
        while let Some(doc) = inside.pop() {
            let taken = match doc {
                Doc::Text(text) => text.chars().count(),
                Doc::Space | Doc::Line => 1,
                Doc::SoftLine | Doc::Blank | Doc::IfBroken(_) => 0,
                Doc::HardLine => return false,
                // A comment in front of the whole group does not concern it.
                Doc::Comment(_) if begun => return false,
                Doc::Comment(_) => 0,
                Doc::Concat(parts) => {
                    inside.extend(parts.iter().rev());
                    0
                }
                Doc::Nest(_, inner) | Doc::Align(inner) | Doc::Group(inner) => {
                    inside.push(inner);
                    0
                }
            };
            begun |= taken > 0;
            match left.checked_sub(taken) {
                Some(rest) => left = rest,
                None => return false,
            }
        }
        let mut outside: Vec<(Mode, &Doc)> = Vec::new();
        let mut rest = rest.iter().rev();
        while let Some((mode, doc)) = outside.pop().or_else(|| rest.next().map(|(_, mode, doc)| (*mode, *doc))) {
            let taken = match doc {
                Doc::Text(text) => text.chars().count(),
                Doc::IfBroken(text) if mode == Mode::Broken => text.len(),
                Doc::Line | Doc::SoftLine if mode == Mode::Broken => return true,
                Doc::HardLine | Doc::Comment(_) => return true,
                Doc::Space | Doc::Line => 1,
                Doc::SoftLine | Doc::Blank | Doc::IfBroken(_) => 0,
                Doc::Concat(parts) => {
                    outside.extend(parts.iter().rev().map(|part| (mode, part)));
                    0
                }
                // A group that follows may break on its own.
                Doc::Nest(_, inner) | Doc::Align(inner) | Doc::Group(inner) => {
                    outside.push((mode, inner));
                    0
                }
            };
            match left.checked_sub(taken) {
                Some(rest) => left = rest,
                None => return false,
            }
        }
        true
    }
}

/// Text as a document.
pub(super) fn text(text: impl Into<String>) -> Doc {
    Doc::Text(text.into())
}

/// One after the other.
pub(super) fn concat(parts: impl IntoIterator<Item = Doc>) -> Doc {
    Doc::Concat(parts.into_iter().collect())
}

/// Indented by `columns` where it breaks.
pub(super) fn nest(columns: usize, doc: Doc) -> Doc {
    Doc::Nest(columns, Box::new(doc))
}

/// Breaks go to the column where it begins.
pub(super) fn align(doc: Doc) -> Doc {
    Doc::Align(Box::new(doc))
}

/// On one line if it fits.
pub(super) fn group(doc: Doc) -> Doc {
    Doc::Group(Box::new(doc))
}
