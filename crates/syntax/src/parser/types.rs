//! Types and patterns.
//!
//! ```text
//! type    = scalar | name | "(" type, … ")" ["->" type] | "[" dim "]" type
//! dim     = nothing | name "<" expr | expr
//! pattern = name | "_" | "(" pattern, … ")"
//! ```
//!
//! `[i < n]t` is a counted dimension because a name and `<` open it; a size is never a comparison.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;
use terrace_base::{Diagnostic, ScalarType, Span};

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.nested(Self::ty_here)
    }

    fn ty_here(&mut self) -> Parsed<Type> {
        let start = self.span();
        let kind = match self.peek() {
            TokenKind::Name(text) => {
                let text = text.clone();
                let span = self.bump();
                match ScalarType::from_name(&text) {
                    Some(scalar) => TypeKind::Scalar(scalar),
                    None => TypeKind::Named(Name { span, text }),
                }
            }
            TokenKind::Fixed("[") => {
                let dim = self.dim()?;
                TypeKind::Array { dim, element: Box::new(self.ty()?) }
            }
            TokenKind::Fixed("(") => {
                let open = self.bump();
                let mut parts = self.list(open, ")", Self::ty)?;
                if self.eat("->") {
                    TypeKind::Function { params: parts, result: Box::new(self.ty()?) }
                } else if parts.len() == 1 {
                    parts.remove(0).kind
                } else {
                    TypeKind::Tuple(parts)
                }
            }
            TokenKind::Fixed("*") => return self.reserved(start, "a consumed parameter `*t`"),
            TokenKind::Fixed("?") => return self.reserved(start, "a named result size `?[m].`"),
            _ => return self.unexpected("a type"),
        };
        Ok(Type { span: self.since(start), kind })
    }

    fn dim(&mut self) -> Parsed<Dim> {
        let open = self.bump();
        let kind = if self.is("]") {
            DimKind::Unstated
        } else if matches!(self.peek(), TokenKind::Name(_)) && self.second_is("<") {
            let var = self.name("the position")?;
            self.bump();
            DimKind::Counted { var, bound: Box::new(self.expr()?) }
        } else {
            DimKind::Size(Box::new(self.expr()?))
        };
        if !self.is("]") {
            let found = self.peek().describe();
            let error = Diagnostic::error("T0012", format!("expected `]`, found {found}"))
                .primary(self.span(), "expected `]`")
                .label(open, "opened here")
                .hint("each dimension has brackets of its own, `[n][m]t`");
            return self.fail(error);
        }
        self.bump();
        Ok(Dim { span: self.since(open), kind })
    }

    /// A pattern whose names are all different.
    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        let pattern = self.any_pattern()?;
        self.check_distinct(pattern.names());
        Ok(pattern)
    }

    fn any_pattern(&mut self) -> Parsed<Pattern> {
        self.nested(|p| {
            let start = p.span();
            let kind = match p.peek() {
                TokenKind::Name(text) => {
                    let kind = PatternKind::Name(text.clone());
                    p.bump();
                    kind
                }
                TokenKind::Fixed("_") => {
                    p.bump();
                    PatternKind::Wildcard
                }
                TokenKind::Fixed("(") => {
                    let open = p.bump();
                    let mut parts = p.list(open, ")", Self::any_pattern)?;
                    if parts.len() == 1 { parts.remove(0).kind } else { PatternKind::Tuple(parts) }
                }
                _ => {
                    p.name("a name, `_` or `(`")?;
                    PatternKind::Wildcard
                }
            };
            Ok(Pattern { span: p.since(start), kind })
        })
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
