//! Going on after a mistake.
//!
//! A person wants to hear about every mistake once. Two mistakes in one function should give two messages; one mistake
//! must never give two. The second wish is the stronger one: where the parser cannot be sure, it gives the item up.
//!
//! ```text
//! def f(x: i64) -> i64 =
//!   let a = g(x 1, 2)        `,` expected; goes on behind the `,`
//!   let b = a * / 2          an operand expected; goes on at the `in`
//!   in a + b
//! ```
//!
//! What makes it sure:
//!
//! - Brackets. If those of an item pair up, each knows its partner, and what stands between them cannot disturb what
//!   stands outside. If they do not, the first message about the item is the last.
//! - Keywords. `let`, `in`, `then`, `else`, `for` are waited for by exactly one construct: the parser skips to them only
//!   over names, numbers, marks and whole brackets, never over another keyword, and never where two chains of lets or two
//!   `if`s are open at once.
//! - Silence. An error at the very token where parsing went on is an echo, and ends the item without a message.
//!
//! What is made of the broken parts is thrown away with the item, so anything may stand in their place.

use super::item::STARTS;
use super::{Abort, Parsed, Parser};
use crate::ast::{Expr, ExprKind};
use crate::token::{KEYWORDS, Token, TokenKind};
use terrace_base::Span;

/// What open constructs between the innermost brackets are still waiting for.
#[derive(Clone, Copy, Default)]
pub(super) struct Waiting {
    /// A `{` opens the arms of a match.
    pub(super) match_head: bool,
    /// A `|` ends the parameters of a lambda.
    pub(super) in_bars: bool,
    /// Chains of lets without their `in`.
    pub(super) lets: usize,
    /// `if`s without their `else`.
    pub(super) ifs: usize,
}

/// How the item under construction is doing.
#[derive(Clone, Copy, Default)]
pub(super) struct Health {
    /// How many mistakes were met, reported or not.
    pub(super) mistakes: usize,
    /// No more attempts to go on.
    pub(super) given_up: bool,
    /// The token at which parsing last went on.
    pub(super) resumed: Option<usize>,
}

/// For every opening bracket of the item at `start` the index of its partner, or nothing if they do not pair up.
fn pairs(tokens: &[Token], start: usize) -> Option<Vec<(usize, usize)>> {
    let mut open = Vec::new();
    let mut pairs = Vec::new();
    for (i, token) in tokens.iter().enumerate().skip(start) {
        let TokenKind::Fixed(text) = token.kind else {
            continue;
        };
        match text {
            "(" => open.push((i, ")")),
            "[" => open.push((i, "]")),
            "{" => open.push((i, "}")),
            ")" | "]" | "}" => match open.pop() {
                Some((from, closing)) if closing == text => pairs.push((from, i)),
                _ => return None,
            },
            _ if i > start && STARTS.contains(&text) => break,
            _ => {}
        }
    }
    pairs.sort_unstable();
    open.is_empty().then_some(pairs)
}

impl Parser<'_> {
    /// Runs a step between brackets, where nothing outside matters.
    pub(super) fn fresh<T>(&mut self, step: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let outside = std::mem::take(&mut self.waiting);
        let result = step(self);
        self.waiting = outside;
        result
    }

    /// Runs a step that waits for something, and restores what was waited for outside.
    pub(super) fn waiting<T>(
        &mut self,
        change: impl FnOnce(&mut Waiting),
        step: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let outside = self.waiting;
        change(&mut self.waiting);
        let result = step(self);
        self.waiting = outside;
        result
    }

    /// Forgets the last item.
    pub(super) fn start_item(&mut self) {
        (self.depth, self.height) = (0, 0);
        self.lets.clear();
        self.waiting = Waiting::default();
        self.health = Health::default();
        self.pairs = None;
    }

    /// No more messages about this item.
    pub(super) fn give_up(&mut self) {
        self.health.given_up = true;
    }

    /// The partner of the bracket at a token, if those of this item pair up.
    pub(super) fn partner(&mut self, open: usize) -> Option<usize> {
        // Few items need the table.
        let (tokens, start) = (&self.tokens, self.item_start);
        let pairs = self.pairs.get_or_insert_with(|| pairs(tokens, start));
        let pairs = pairs.as_ref()?;
        let at = pairs.binary_search_by_key(&open, |(from, _)| *from).ok()?;
        Some(pairs[at].1)
    }

    fn can_go_on(&mut self) -> bool {
        if !self.health.given_up {
            let _ = self.partner(0);
            if matches!(self.pairs, Some(None)) {
                self.give_up();
            }
        }
        !self.health.given_up
    }

    /// Skips over names, numbers, marks and whole brackets to the first of `stops`; `false` if something else comes first.
    pub(super) fn skip_to(&mut self, stops: &[&str]) -> bool {
        if !self.can_go_on() {
            return false;
        }
        loop {
            if self.is_any(stops) {
                self.health.resumed = Some(self.at);
                return true;
            }
            match *self.peek() {
                TokenKind::Fixed("(" | "[" | "{") => match self.partner(self.at) {
                    Some(closing) => self.at = closing + 1,
                    None => return false,
                },
                TokenKind::Fixed(")" | "]" | "}") | TokenKind::End => return false,
                TokenKind::Fixed(word) if KEYWORDS.contains(&word) && word != "true" && word != "false" => {
                    return false;
                }
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Goes to the partner of the bracket at `open`.
    pub(super) fn skip_to_close(&mut self, open: Span) -> Parsed<()> {
        if self.can_go_on()
            && let Ok(at) = self.tokens.binary_search_by_key(&open.start, |t| t.span.start)
            && let Some(closing) = self.partner(at)
            && closing >= self.at
        {
            self.at = closing;
            self.health.resumed = Some(closing);
            return Ok(());
        }
        self.give_up();
        Err(Abort)
    }

    /// Stands for a part that could not be read.
    pub(super) fn hole(&self) -> Expr {
        Expr { span: self.span(), kind: ExprKind::Tuple(Vec::new()) }
    }
}
