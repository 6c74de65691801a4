//! The one layout of a program.
//!
//! ```text
//! def norm(xs:[]f64)->f64=      -- of a vector
//!    let s=sum([ x*x for x in xs ]) in (sqrt(s))
//!
//! def norm(xs: []f64) -> f64 = -- of a vector
//!   let s = sum([x * x for x in xs]) in sqrt(s)
//! ```
//!
//! The tree says what to write, `doc.rs` where lines break; the tokens of the source give the spelling of numbers and
//! strings and the places of comments. The printer walks the tree in source order with a finger on the tokens. Every word
//! it writes moves the finger, and the comments that the finger passes are written first. So no comment is lost, and
//! parentheses that have no meaning disappear because the finger slides over them.
//!
//! Some choices are left to the author: an empty line between items or lets stays one empty line, a `let` chain or a `match`
//! that was written on several lines stays on several, and so does a body on the line below its `=` or `do`. Parentheses that
//! only explain stay around operands that are an `if`, `let`, `loop` or lambda, and where bit operators or `&&` and `||` meet
//! others. Everything else is decided here: 100 columns, 2 of
//! indentation.
//!
//! The formatter refuses files with syntax errors, and never changes what a program means: parsing its output gives the
//! same tree.

mod body;
mod doc;
mod expr;
mod item;
mod types;

use crate::lexer::lex;
use crate::token::{Token, TokenKind};
use doc::{Comment, Doc, align, concat, group, nest, text};
use terrace_base::{Diagnostic, FileId, SourceMap, Span};

/// Columns of a line.
pub const WIDTH: usize = 100;

/// The text of a file in the one layout, or its syntax errors.
pub fn format(map: &SourceMap, file: FileId) -> Result<String, Vec<Diagnostic>> {
    let (module, errors) = crate::parse(map, file);
    if errors.iter().any(Diagnostic::is_error) {
        return Err(errors);
    }
    let source = map.text(file);
    let lexed = lex(file, source);
    let mut printer = Printer { source, tokens: lexed.tokens, comments: lexed.comments, at: 0, next_comment: 0 };
    Ok(printer.module(&module))
}

struct Printer<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    comments: Vec<Span>,
    /// The first token that is not yet written.
    at: usize,
    /// The first comment that is not yet written.
    next_comment: usize,
}

impl Printer<'_> {
    fn slice(&self, span: Span) -> &str {
        self.source.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// How many line breaks stand between the last token or comment before `start` and `start`.
    fn breaks_before(&self, start: u32) -> usize {
        let tokens = self.tokens.partition_point(|t| t.span.end <= start && t.span.start < start);
        let comments = self.comments.partition_point(|c| c.end <= start);
        let end = |span: Option<&Span>| span.map_or(0, |s| s.end);
        let token = tokens.checked_sub(1).map(|i| &self.tokens[i].span);
        let comment = comments.checked_sub(1).map(|i| &self.comments[i]);
        let from = end(token).max(end(comment));
        let gap = self.source.get(from as usize..start as usize).unwrap_or("");
        let breaks = gap.matches('\n').count();
        // The beginning of the file is the beginning of a line.
        if token.is_none() && comment.is_none() { breaks.max(1) } else { breaks }
    }

    /// The comments before a place that are not yet written.
    fn comments_before(&mut self, start: u32) -> Vec<Comment> {
        let mut found = Vec::new();
        while let Some(span) = self.comments.get(self.next_comment).copied().filter(|c| c.start < start) {
            let breaks = self.breaks_before(span.start);
            found.push(Comment { text: self.slice(span).into(), own_line: breaks > 0, blank: breaks > 1 });
            self.next_comment += 1;
        }
        found
    }

    /// The next token of a kind, behind parentheses and commas that are not written.
    fn find(&self, wanted: impl Fn(&TokenKind) -> bool) -> Option<usize> {
        for (i, token) in self.tokens.iter().enumerate().skip(self.at) {
            if wanted(&token.kind) {
                return Some(i);
            }
            if !matches!(token.kind, TokenKind::Fixed("(" | ")" | ",")) {
                return None;
            }
        }
        None
    }

    fn write(&mut self, at: usize, blank: bool) -> Doc {
        let span = self.tokens[at].span;
        let mut parts: Vec<Doc> = self.comments_before(span.start).into_iter().map(Doc::Comment).collect();
        if blank && self.breaks_before(span.start) > 1 {
            parts.push(Doc::Blank);
        }
        parts.push(text(self.slice(span)));
        self.at = at + 1;
        if parts.len() == 1 { parts.remove(0) } else { concat(parts) }
    }

    /// A keyword or mark, with the comments before it.
    fn fixed(&mut self, word: &'static str) -> Doc {
        match self.find(|kind| *kind == TokenKind::Fixed(word)) {
            Some(at) => self.write(at, false),
            None => text(word),
        }
    }

    /// The same for a word before which the author may leave a line empty.
    fn fixed_after_blank(&mut self, word: &'static str) -> Doc {
        match self.find(|kind| *kind == TokenKind::Fixed(word)) {
            Some(at) => self.write(at, true),
            None => text(word),
        }
    }

    /// A name, number or string as it is spelled in the source, with the comments before it; `_` is a name in `for _ < n`.
    fn leaf(&mut self) -> Doc {
        let wanted = |kind: &TokenKind| match kind {
            TokenKind::Fixed(word) => *word == "_",
            kind => !matches!(kind, TokenKind::Bad | TokenKind::End),
        };
        let at = self.find(wanted).expect("the tree was made of these tokens");
        self.write(at, false)
    }

    /// The comments before the next `closing`, which belong to what is inside.
    fn dangling(&mut self, closing: &'static str) -> Doc {
        let Some(at) = self.find(|kind| *kind == TokenKind::Fixed(closing)) else {
            return concat([]);
        };
        concat(self.comments_before(self.tokens[at].span.start).into_iter().map(Doc::Comment))
    }

    /// Whether the author broke the line before the next token.
    fn broken_here(&self) -> bool {
        self.tokens.get(self.at).is_some_and(|t| {
            let from = self.at.checked_sub(1).map_or(0, |i| self.tokens[i].span.end);
            self.slice(Span { start: from, ..t.span.at_start() }).contains('\n')
        })
    }

    /// `open a, b close`, on one line or with the items one below the other, indented.
    fn listed<T>(
        &mut self,
        open: &'static str,
        items: &[T],
        closing: &'static str,
        item: impl FnMut(&mut Self, &T) -> Doc,
    ) -> Doc {
        group(self.bracketed(open, items, closing, item))
    }

    /// The same, broken as the group around it.
    fn bracketed<T>(
        &mut self,
        open: &'static str,
        items: &[T],
        closing: &'static str,
        item: impl FnMut(&mut Self, &T) -> Doc,
    ) -> Doc {
        let open = self.fixed(open);
        if items.is_empty() {
            return concat([open, self.fixed(closing)]);
        }
        let items = self.separated(items, item);
        let rest = self.dangling(closing);
        let inside = nest(2, concat([Doc::SoftLine, items, rest]));
        concat([open, inside, Doc::SoftLine, self.fixed(closing)])
    }

    /// `open a, b close`, with the items below the first one where they break.
    fn aligned<T>(
        &mut self,
        open: &'static str,
        items: &[T],
        closing: &'static str,
        item: impl FnMut(&mut Self, &T) -> Doc,
    ) -> Doc {
        let open = self.fixed(open);
        let items = self.separated(items, item);
        let rest = self.dangling(closing);
        group(concat([open, align(concat([items, rest])), self.fixed(closing)]))
    }

    fn separated<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T) -> Doc) -> Doc {
        let mut parts = Vec::new();
        for (i, it) in items.iter().enumerate() {
            parts.push(item(self, it));
            if i + 1 < items.len() {
                parts.push(self.fixed(","));
                parts.push(Doc::Line);
            }
        }
        concat(parts)
    }
}
