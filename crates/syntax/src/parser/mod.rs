//! From tokens to the tree, by recursive descent.
//!
//! The grammar has one rule that needs care: newlines never matter, so what may *continue* an expression decides where it
//! ends. A `(` or `[` behind an expression is always a call or an index, also on the next line; `|` is an operator behind
//! an expression and opens a lambda elsewhere. Everything else begins with a word of its own (`let`, `if`, `def`, …).
//!
//! An item with a mistake is not part of the tree. Parsing goes on inside it where that is safe (`recover.rs`), and else at
//! the next `def`, `entry`, `test`, `type`, `enum` or `import`, which can stand nowhere else.
//!
//! Depth is limited ([`MAX_DEPTH`]), and so is the height of the tree ([`MAX_HEIGHT`]): `1 + 1 + …` is parsed in a loop but
//! gives a tree as high as it is long, and later passes walk it recursively.

mod bracket;
mod control;
mod declare;
pub(crate) mod expr;
mod habits;
mod item;
mod pattern;
mod place;
mod record;
mod recover;
mod types;

use crate::ast::{Module, Name};
use crate::lexer::{Lexed, lex};
use crate::token::{KEYWORDS, RESERVED, Token, TokenKind};
use recover::{Health, Waiting};
use terrace_base::{Diagnostic, FileId, SourceMap, Span};

/// How deep expressions, types and patterns may nest in the source.
pub const MAX_DEPTH: usize = 256;

/// How high the tree of one item may be.
pub const MAX_HEIGHT: usize = 1000;

/// How many messages one item gives at most: more mean that it was meant as something else.
const MANY: usize = 4;

/// Parses one file. The tree is complete if no diagnostic is an error.
pub fn parse(map: &SourceMap, file: FileId) -> (Module, Vec<Diagnostic>) {
    let text = map.text(file);
    let Lexed { tokens, docs, errors, .. } = lex(file, text);
    let mut parser = Parser {
        text,
        tokens,
        docs,
        errors,
        at: 0,
        depth: 0,
        height: 0,
        lets: Vec::new(),
        waiting: Waiting::default(),
        health: Health::default(),
        item_start: 0,
        pairs: None,
    };
    let items = parser.items();
    let mut errors = parser.errors;
    errors.sort_by_key(|e| e.primary_span());
    (Module { file, items }, errors)
}

/// The error has been noted; the part under construction is given up.
pub(crate) struct Abort;

/// The result of every parsing step.
pub(crate) type Parsed<T> = Result<T, Abort>;

pub(crate) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    docs: Vec<(usize, String)>,
    errors: Vec<Diagnostic>,
    at: usize,
    depth: usize,
    /// Height of the highest tree built so far inside the innermost `nested`.
    height: usize,
    /// The `let` keywords whose values are being parsed.
    lets: Vec<Span>,
    waiting: Waiting,
    health: Health,
    /// The first token of the item.
    item_start: usize,
    /// The brackets of the item, once they were asked for; nothing inside if they do not pair up.
    pairs: Option<Option<Vec<(usize, usize)>>>,
}

impl Parser<'_> {
    fn peek(&self) -> &TokenKind {
        &self.tokens[self.at].kind
    }

    fn peek_second(&self) -> &TokenKind {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// From the start of `start` to the end of the last token taken.
    fn since(&self, start: Span) -> Span {
        start.to(self.previous_span())
    }

    fn source(&self, span: Span) -> String {
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn bump(&mut self) -> Span {
        let span = self.span();
        // The end is never passed.
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    fn is(&self, text: &str) -> bool {
        matches!(self.peek(), TokenKind::Fixed(t) if *t == text)
    }

    fn is_any(&self, texts: &[&str]) -> bool {
        texts.iter().any(|t| self.is(t))
    }

    fn second_is(&self, text: &str) -> bool {
        matches!(self.peek_second(), TokenKind::Fixed(t) if *t == text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, text: &str, purpose: &str) -> Parsed<Span> {
        if self.is(text) { Ok(self.bump()) } else { self.unexpected(&format!("`{text}` {purpose}")) }
    }

    /// The closing bracket that belongs to `open`.
    fn close(&mut self, open: Span, closing: &str) -> Parsed<Span> {
        if self.is(closing) {
            return Ok(self.bump());
        }
        let found = self.peek().describe();
        let expected = format!("`,` or `{closing}`");
        let (span, text) = self.place_of(&expected);
        let error = Diagnostic::error("T0012", format!("expected {expected}, found {found}"))
            .primary(span, text)
            .label(open, "opened here");
        let error = self.with_habit(error);
        self.fail(error)
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if let TokenKind::Name(text) = self.peek() {
            let text = text.clone();
            return Ok(Name { span: self.bump(), text });
        }
        if let TokenKind::Fixed(word) = *self.peek()
            && KEYWORDS.contains(&word)
            && !self.next_item_begins()
        {
            let error = Diagnostic::error("T0010", format!("expected {what}, found the keyword `{word}`"))
                .primary(self.span(), "this word is reserved by the language")
                .hint(format!("choose another name, for example `{word}_`"));
            return self.fail(error);
        }
        self.unexpected(what)
    }

    /// Whether the current token begins an item on a new line.
    fn next_item_begins(&self) -> bool {
        let gap = self.text.get(self.previous_span().end as usize..self.span().start as usize);
        self.is_any(&item::STARTS) && gap.is_some_and(|gap| gap.contains('\n'))
    }

    fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        let found = self.peek().describe();
        if let TokenKind::Fixed(word) = *self.peek()
            && RESERVED.contains(&word)
        {
            return self.reserved(self.span(), &format!("`{word}`"));
        }
        let (span, text) = self.place_of(expected);
        let error = Diagnostic::error("T0010", format!("expected {expected}, found {found}")).primary(span, text);
        let error = self.with_habit(error);
        self.fail(error)
    }

    /// Where to say that something is missing: before the current token, or, where the next item or the end of the file
    /// comes too early, after the last one.
    fn place_of(&self, expected: &str) -> (Span, String) {
        if self.at > 0 && (*self.peek() == TokenKind::End || self.is_any(&item::STARTS)) {
            (self.previous_span(), format!("expected {expected} after this"))
        } else {
            (self.span(), format!("expected {expected}"))
        }
    }

    fn reserved<T>(&mut self, span: Span, what: &str) -> Parsed<T> {
        let error = Diagnostic::error("T0019", format!("{what} is not part of this version of the language"))
            .primary(span, "reserved for a later version");
        self.fail(error)
    }

    /// Notes an error and gives the part up. What the lexer has complained about is not complained about again, nor is
    /// the place where parsing went on after another error, nor an item with many mistakes.
    fn fail<T>(&mut self, error: Diagnostic) -> Parsed<T> {
        self.health.mistakes += 1;
        let echo = self.health.resumed.is_some_and(|at| self.at <= at);
        if self.health.given_up || self.health.mistakes > MANY || echo {
            self.give_up();
        } else if *self.peek() != TokenKind::Bad {
            self.errors.push(error);
        }
        Err(Abort)
    }

    /// Notes an error after which nothing about the item is certain.
    fn fail_for_good<T>(&mut self, error: Diagnostic) -> Parsed<T> {
        let result = self.fail(error);
        self.give_up();
        result
    }

    /// Runs a step one level deeper, and accounts for the height of what it builds.
    fn nested<T>(&mut self, step: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        let outside = std::mem::replace(&mut self.height, 0);
        let result = step(self);
        self.depth -= 1;
        self.height = outside.max(self.height + 1);
        result
    }

    /// Says that the tree under construction got one level higher at its root.
    fn grow(&mut self) -> Parsed<()> {
        self.height += 1;
        if self.height + self.depth > MAX_HEIGHT { self.too_deep() } else { Ok(()) }
    }

    fn too_deep<T>(&mut self) -> Parsed<T> {
        let error = Diagnostic::error("T0030", "this is nested too deeply")
            .primary(self.span(), "the limit is reached here")
            .hint("name parts of it with `let`, or move them into functions of their own");
        self.fail_for_good(error)
    }

    /// `item, item, …` up to the closing bracket, which is taken; a comma may stand behind the last.
    fn list<T>(&mut self, open: Span, closing: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.fresh(|p| {
            let mut items = Vec::new();
            while !p.eat(closing) {
                let step = p.list_step(open, closing, &mut item).map(|i| items.push(i));
                if step.is_err() && !p.skip_to(&[",", closing]) {
                    p.skip_to_close(open)?;
                }
                p.eat(",");
            }
            Ok(items)
        })
    }

    /// The same for patterns and types. A mistake in them may come from a word too much or too few outside, so it ends the
    /// whole list.
    fn strict_list<T>(
        &mut self,
        open: Span,
        closing: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.fresh(|p| {
            let mut items = Vec::new();
            while !p.eat(closing) {
                match p.list_step(open, closing, &mut item) {
                    Ok(item) => items.push(item),
                    Err(Abort) => {
                        p.skip_to_close(open)?;
                        p.bump();
                        return Err(Abort);
                    }
                }
                p.eat(",");
            }
            Ok(items)
        })
    }

    fn list_step<T>(&mut self, open: Span, closing: &str, item: &mut impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let item = item(self)?;
        if !self.is_any(&[",", closing]) {
            self.close(open, closing)?;
        }
        Ok(item)
    }
}
