//! What stands in square brackets: array literals and comprehensions.
//!
//! ```text
//! array     = "[" expr, … "]"  |  "[" expr "for" generator, … ["if" expr] "]"
//! generator = pattern "in" expr  |  (name | "_") "<" expr
//! ```
//!
//! The commas of a `for` zip, so each source is evaluated before any pattern is bound. Two habits from other languages
//! are caught here, because the message can show the nested form in the words of the program:
//!
//! ```text
//! [x for row in rows, x in row]      T0017, hint: [[x for x in row] for row in rows]
//! [f(i, j) for i < n, j < m]         T0016, hint: [[f(i, j) for j < m] for i < n]
//! ```

use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::visit::mentions;
use terrace_base::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn array(&mut self) -> Parsed<Expr> {
        let open = self.bump();
        let kind = self.fresh(|p| {
            p.array_inside(open).or_else(|Abort| {
                p.skip_to_close(open)?;
                p.bump();
                Ok(ExprKind::Array(Vec::new()))
            })
        })?;
        Ok(Expr { span: self.since(open), kind })
    }

    fn array_inside(&mut self, open: Span) -> Parsed<ExprKind> {
        if self.eat("]") {
            return Ok(ExprKind::Array(Vec::new()));
        }
        let first = match self.expr() {
            Ok(first) if self.is_any(&["for", ",", "]"]) => first,
            Ok(_) => match self.close(open, "]") {
                Ok(_) => return Ok(ExprKind::Array(Vec::new())),
                Err(Abort) => self.resume_array()?,
            },
            Err(Abort) => self.resume_array()?,
        };
        if !self.eat("for") {
            let mut items = vec![first];
            if self.eat(",") {
                items.extend(self.list(open, "]", Self::expr)?);
            } else {
                self.close(open, "]")?;
            }
            return Ok(ExprKind::Array(items));
        }
        let generators = self.generators()?;
        let filter = if self.eat("if") { Some(Box::new(self.expr()?)) } else { None };
        if self.is("for") {
            return self.second_for();
        }
        self.check_generators(&first, &generators, filter.as_deref());
        self.close(open, "]")?;
        Ok(ExprKind::Comprehension { body: Box::new(first), generators, filter })
    }

    fn resume_array(&mut self) -> Parsed<Expr> {
        // An `=` says that this is part of something else, whose word is missing.
        if self.skip_to(&["for", ",", "]", "="]) && !self.is("=") { Ok(self.hole()) } else { Err(Abort) }
    }

    fn second_for<T>(&mut self) -> Parsed<T> {
        let error = Diagnostic::error("T0018", "a comprehension has one `for`")
            .primary(self.span(), "a second `for` is reserved")
            .hint(
                "for rows of results nest them, `[[f(x, y) for y in ys] for x in xs]`, with `flatten(…)` around it for \
                 one flat array;\nto take elements in step use commas, `[f(x, y) for x in xs, y in ys]`",
            );
        self.fail(error)
    }

    fn generators(&mut self) -> Parsed<Vec<Generator>> {
        let mut generators = vec![self.generator()?];
        while self.eat(",") {
            generators.push(self.generator()?);
        }
        Ok(generators)
    }

    pub(super) fn generator(&mut self) -> Parsed<Generator> {
        let start = self.span();
        let pattern = self.pattern()?;
        let kind = match pattern.kind {
            PatternKind::Name(text) if self.is("<") => {
                self.bump();
                GeneratorKind::Count { var: Name { span: pattern.span, text }, bound: self.expr()? }
            }
            PatternKind::Wildcard if self.is("<") => {
                self.bump();
                GeneratorKind::Count { var: Name { span: pattern.span, text: "_".into() }, bound: self.expr()? }
            }
            PatternKind::Name(_) if !self.is("in") => return self.unexpected("`in` or `<`"),
            kind => {
                self.expect("in", "and an array")?;
                let pattern = Pattern { span: pattern.span, kind };
                GeneratorKind::In { pattern, array: self.expr()? }
            }
        };
        Ok(Generator { span: self.since(start), kind })
    }

    fn check_generators(&mut self, body: &Expr, generators: &[Generator], filter: Option<&Expr>) {
        let is_count = |g: &Generator| matches!(g.kind, GeneratorKind::Count { .. });
        for (i, generator) in generators.iter().enumerate() {
            let earlier = &generators[..i];
            let nested = || {
                let outer = self.source(earlier[0].span.to(earlier[i - 1].span));
                let inner = self.source(generator.span.to(generators[generators.len() - 1].span));
                let filter = filter.map_or(String::new(), |f| format!(" if {}", self.source(f.span)));
                format!("nest it: `[[{} for {inner}{filter}] for {outer}]`", self.source(body.span))
            };
            let names: Vec<_> = earlier.iter().flat_map(Generator::names).collect();
            let texts: Vec<&str> = names.iter().map(|(text, _)| *text).collect();
            let error = if let Some(used) = mentions(generator.source(), &texts) {
                let name = self.source(used);
                let error = Diagnostic::error("T0017", format!("this source mentions `{name}` of the same `for`"))
                    .primary(used, "not known yet: all sources are taken in step");
                let bound = names.iter().find(|(text, _)| *text == name);
                let error = bound.into_iter().fold(error, |e, (_, span)| e.label(*span, "bound by the same `for`"));
                error.hint(nested())
            } else if is_count(generator) && earlier.iter().any(is_count) {
                let first = earlier.iter().find(|g| is_count(g)).map_or(generator.span, |g| g.span);
                Diagnostic::error("T0016", "two counters in one `for`")
                    .primary(generator.span, "the second counter")
                    .label(first, "the first counter")
                    .note("commas take sources in step, so both counters would always be equal")
                    .hint(nested())
            } else {
                continue;
            };
            self.errors.push(error);
            return;
        }
        self.check_distinct(generators.iter().flat_map(Generator::names).collect());
    }
}
