//! Places in an array: what stands in the brackets of an index or an update.
//!
//! ```text
//! place     = "[" subscript, … "]"  |  "[" expr ";" (expr "by" expr), … "]"
//! subscript = expr | [expr] ".." [expr] ["by" expr]
//! ```
//!
//! The same brackets serve three forms: `xs[i]`, `xs with [i] = v`, `let xs[i] = v`.

use super::expr::ABOVE_RANGE;
use super::{Abort, Parsed, Parser};
use crate::ast::*;
use terrace_base::{Diagnostic, Span};

impl Parser<'_> {
    /// The brackets of an index; the opening one is the current token.
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let open = self.bump();
        self.fresh(|p| {
            p.place_inside(open).or_else(|Abort| {
                p.skip_to_close(open)?;
                p.bump();
                Ok(Place::Subscripts(Vec::new()))
            })
        })
    }

    fn place_inside(&mut self, open: Span) -> Parsed<Place> {
        if self.is("]") {
            let result = self.unexpected("an index");
            // Perhaps this is an empty array, and the word in front of it is missing.
            self.give_up();
            return result;
        }
        let mut subscripts = Vec::new();
        while !self.is("]") {
            subscripts.push(self.nested(Self::subscript)?);
            if self.is(";") {
                return self.strided(open, subscripts);
            }
            if self.is("for") {
                return self.comprehension_as_index(open);
            }
            if !self.eat(",") {
                break;
            }
        }
        self.close(open, "]")?;
        Ok(Place::Subscripts(subscripts))
    }

    fn strided(&mut self, open: Span, mut before: Vec<Subscript>) -> Parsed<Place> {
        let written = before.iter().map(|s| s.span).reduce(Span::to).unwrap_or(open);
        let semicolon = self.bump();
        let offset = match (before.pop(), before.is_empty()) {
            (Some(Subscript { kind: SubscriptKind::At(offset), .. }), true) => Box::new(offset),
            _ => {
                let error = Diagnostic::error("T0036", "one position stands before the `;` of a strided slice")
                    .primary(written, "this is not one position")
                    .label(semicolon, "this makes it a strided slice")
                    .hint("write `xs[first; count by stride, count by stride]`");
                return self.fail(error);
            }
        };
        if self.is("]") {
            return self.unexpected("`count by stride`");
        }
        let dims = self.list(open, "]", |p| {
            let count = p.expr()?;
            p.expect("by", "and the stride")?;
            Ok((count, p.expr()?))
        })?;
        Ok(Place::Strided { span: self.since(open), offset, dims })
    }

    fn comprehension_as_index<T>(&mut self, open: Span) -> Parsed<T> {
        if let Some(keyword) = self.lets.last().copied() {
            let word = self.source(keyword);
            let error = Diagnostic::error("T0011", format!("this `{word}` has no `in`"))
                .primary(keyword, "needs an `in` after its value")
                .label(open, "expected `in` before this")
                .note("a `[` after an expression is an index, also on a new line");
            return self.fail_for_good(error);
        }
        let error = Diagnostic::error("T0024", "a comprehension cannot be an index")
            .primary(self.span(), "this `for` makes it a comprehension")
            .label(open, "a `[` after an expression opens an index")
            .hint("a name, operator or comma may be missing before the `[`");
        self.fail_for_good(error)
    }

    fn subscript(&mut self) -> Parsed<Subscript> {
        let start = self.span();
        let first = if self.is("..") { None } else { Some(self.binary(ABOVE_RANGE)?) };
        let kind = match first {
            from if self.eat("..") => {
                let open_end = self.is_any(&["]", ",", "by", ";"]);
                let to = if open_end { None } else { Some(self.binary(ABOVE_RANGE)?) };
                let step = if self.eat("by") { Some(self.binary(ABOVE_RANGE)?) } else { None };
                SubscriptKind::Slice { from, to, step }
            }
            Some(first) => SubscriptKind::At(self.climb(first, 0)?),
            None => return self.unexpected("an index"),
        };
        Ok(Subscript { span: self.since(start), kind })
    }
}
