//! Patterns.
//!
//! ```text
//! pattern = name | "_" | "(" pattern, … ")"
//!         | path "{" (name ["=" pattern]), … [".."] "}"
//!         | path "(" pattern, … ")"  |  module "." name
//! arm     = pattern | literal | "-" number | pattern "|" pattern …
//! ```
//!
//! Two kinds of places take patterns. A `let`, a `for`, a parameter or a lambda binds whatever comes, so what can fail to
//! match has no meaning there; a `match` arm may fail, and may hold literals and alternatives at any depth.
//!
//! A bare name in an arm is a [`PatternKind::Name`] even if it is a variant: only the checker knows. This is also why a
//! name that stands twice is an error here in bindings only; in an arm, `(none, none)` may be two variants.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;
use terrace_base::{Diagnostic, Span};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Site {
    Binding,
    Arm,
}

impl Parser<'_> {
    /// A pattern that must match, whose names are all different.
    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        let pattern = self.nested(|p| p.pattern_here(Site::Binding))?;
        self.check_distinct(pattern.names());
        if self.is("|") && !self.waiting.in_bars {
            return self.can_fail(self.span(), "alternatives are");
        }
        Ok(pattern)
    }

    /// The pattern of a match arm.
    pub(super) fn arm_pattern(&mut self) -> Parsed<Pattern> {
        self.pattern_in(Site::Arm)
    }

    fn pattern_in(&mut self, site: Site) -> Parsed<Pattern> {
        let first = self.nested(|p| p.pattern_here(site))?;
        if site == Site::Binding || !self.is("|") {
            return Ok(first);
        }
        let start = first.span;
        let mut parts = vec![first];
        while self.eat("|") {
            parts.push(self.nested(|p| p.pattern_here(site))?);
        }
        self.grow()?;
        Ok(Pattern { span: self.since(start), kind: PatternKind::Or(parts) })
    }

    fn pattern_here(&mut self, site: Site) -> Parsed<Pattern> {
        let start = self.span();
        let kind = match self.peek() {
            TokenKind::Name(_) => self.named_pattern(site)?,
            TokenKind::Fixed("_") => {
                self.bump();
                PatternKind::Wildcard
            }
            TokenKind::Fixed("(") => {
                let open = self.bump();
                let mut parts = self.strict_list(open, ")", |p| p.pattern_in(site))?;
                if parts.len() == 1 { parts.remove(0).kind } else { PatternKind::Tuple(parts) }
            }
            TokenKind::Int(..) | TokenKind::Real(..) | TokenKind::Str(_) | TokenKind::Fixed("-" | "true" | "false") => {
                if site == Site::Binding {
                    return self.can_fail(start, "literals are");
                }
                PatternKind::Literal(Box::new(self.literal()?))
            }
            _ if site == Site::Arm => {
                self.name("a pattern")?;
                PatternKind::Wildcard
            }
            _ => {
                self.name("a name, `_` or `(`")?;
                PatternKind::Wildcard
            }
        };
        Ok(Pattern { span: self.since(start), kind })
    }

    fn named_pattern(&mut self, site: Site) -> Parsed<PatternKind> {
        let path = Box::new(self.path("a name")?);
        if self.is("{") {
            let open = self.bump();
            let mut rest = None;
            let parts = self.strict_list(open, "}", |p| {
                if p.is("..") {
                    rest = Some(p.bump());
                    return Ok(None);
                }
                if let Some(rest) = rest {
                    let error = Diagnostic::error("T0010", "`..` must be the last part of a record pattern")
                        .primary(rest, "nothing may follow this")
                        .label(p.span(), "but this does");
                    return p.fail(error);
                }
                let name = p.name("the name of a field, or `..`")?;
                let pattern = if p.eat("=") {
                    p.pattern_in(site)?
                } else {
                    Pattern { span: name.span, kind: PatternKind::Name(name.text.clone()) }
                };
                Ok(Some((name, pattern)))
            })?;
            let fields: Vec<(Name, Pattern)> = parts.into_iter().flatten().collect();
            self.check_fields(fields.iter().map(|(name, _)| name));
            return Ok(PatternKind::Record { path, fields, rest: rest.is_some() });
        }
        if self.is("(") {
            let open = self.bump();
            let args = self.strict_list(open, ")", |p| p.pattern_in(site))?;
            return Ok(PatternKind::Variant { path, args });
        }
        Ok(match path.module {
            Some(_) => PatternKind::Variant { path, args: Vec::new() },
            None => PatternKind::Name(path.name.text),
        })
    }

    fn literal(&mut self) -> Parsed<Expr> {
        if self.is("-") && !matches!(self.peek_second(), TokenKind::Int(..) | TokenKind::Real(..)) {
            self.bump();
            return self.unexpected("a number");
        }
        self.nested(Self::literal_expr)
    }

    /// `name` or `module.name`.
    pub(super) fn path(&mut self, what: &str) -> Parsed<Path> {
        let first = self.name(what)?;
        if !self.eat(".") {
            return Ok(Path { module: None, name: first });
        }
        let name = self.name("the name of something in this module")?;
        Ok(Path { module: Some(first), name })
    }

    fn can_fail<T>(&mut self, span: Span, what: &str) -> Parsed<T> {
        let error = Diagnostic::error("T0033", format!("{what} for the arms of a `match`"))
            .primary(span, "this pattern could fail to match")
            .hint("give the value a name here and take it apart with `match value { pattern => …, _ => … }`");
        self.fail(error)
    }

    /// Notes an error for the first field that is given twice.
    pub(super) fn check_fields<'n>(&mut self, names: impl Iterator<Item = &'n Name>) {
        let mut seen: Vec<&Name> = Vec::new();
        for name in names {
            if let Some(first) = seen.iter().find(|n| n.text == name.text) {
                let error = Diagnostic::error("T0034", format!("the field `{}` is given twice", name.text))
                    .primary(name.span, "given again here")
                    .label(first.span, "given here first");
                self.errors.push(error);
                return;
            }
            seen.push(name);
        }
    }

    /// Notes an error for the first name that is bound twice.
    pub(super) fn check_distinct(&mut self, names: Vec<(&str, Span)>) {
        for (i, (name, span)) in names.iter().enumerate() {
            let Some((_, first)) = names[..i].iter().find(|(other, _)| other == name) else {
                continue;
            };
            if first == span {
                continue;
            }
            let error = Diagnostic::error("T0020", format!("`{name}` is bound twice"))
                .primary(*span, "bound again here")
                .label(*first, "bound here first")
                .hint("write `_` for a part that is not needed");
            // A list of parameters is checked after its parts; one message is enough.
            if !self.errors.contains(&error) {
                self.errors.push(error);
            }
            return;
        }
    }
}
