//! Types.
//!
//! ```text
//! type   = scalar | path ["[" arg, … "]"] | "(" type, … ")" ["->" type] | "[" dim "]" type
//! result = type | "?" "[" name, … "]" "." type
//! dim    = nothing | name "<" expr | expr
//! arg    = type | expr
//! ```
//!
//! `[i < n]t` is a counted dimension because a name and `<` open it; a size is never a comparison. An argument such as
//! the `n` of `matrix[n, f64]` may be a size or a type; it is kept as an expression, and the checker knows which it is.
//! What can only be a type (`f64`, `[]t`, `(a, b)`, `pair[a, b]`) is kept as one.

use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;
use terrace_base::{Diagnostic, ScalarType, Span};

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.nested(Self::ty_here)
    }

    /// The type of a result, which may name sizes that are not known before.
    pub(super) fn result_type(&mut self) -> Parsed<Type> {
        if !self.is("?") {
            return self.ty();
        }
        let start = self.bump();
        let open = self.expect("[", "and the names of the sizes")?;
        if self.is("]") {
            return self.unexpected("the name of a size");
        }
        let sizes = self.strict_list(open, "]", |p| p.name("the name of a size"))?;
        self.check_distinct(sizes.iter().map(|n| (n.text.as_str(), n.span)).collect());
        self.expect(".", "and the type that mentions the sizes")?;
        let body = Box::new(self.ty()?);
        self.grow()?;
        Ok(Type { span: self.since(start), kind: TypeKind::Exists { sizes, body } })
    }

    fn ty_here(&mut self) -> Parsed<Type> {
        let start = self.span();
        let kind = match self.peek() {
            TokenKind::Name(_) => self.named_type()?,
            TokenKind::Fixed("[") => {
                let dim = self.dim()?;
                TypeKind::Array { dim, element: Box::new(self.ty()?) }
            }
            TokenKind::Fixed("(") => {
                let open = self.bump();
                let mut parts = self.strict_list(open, ")", Self::ty)?;
                if self.eat("->") {
                    TypeKind::Function { params: parts, result: Box::new(self.ty()?) }
                } else if parts.len() == 1 {
                    parts.remove(0).kind
                } else {
                    TypeKind::Tuple(parts)
                }
            }
            TokenKind::Fixed("*") => {
                let error = Diagnostic::error("T0031", "only a whole parameter can be consumed")
                    .primary(start, "this `*` does not stand in front of a parameter's type")
                    .hint("write it directly behind the colon of a parameter of `def` or `entry`: `xs: *[n]f64`");
                return self.fail(error);
            }
            TokenKind::Fixed("?") => {
                let error = Diagnostic::error("T0032", "only a result can have sizes that are not known before")
                    .primary(start, "this is not the beginning of a result")
                    .hint("in a parameter write `[]t` for any size; in a result, `-> ?[m]. t` comes before the whole type");
                return self.fail(error);
            }
            TokenKind::Fixed("{") => {
                let error = Diagnostic::error("T0010", "expected a type, found `{`")
                    .primary(start, "expected a type")
                    .hint("a record has a name: declare it with `type name = {x: f64, y: f64}` and write `name` here");
                return self.fail(error);
            }
            _ => return self.unexpected("a type"),
        };
        Ok(Type { span: self.since(start), kind })
    }

    fn named_type(&mut self) -> Parsed<TypeKind> {
        let path = self.path("a type")?;
        if path.module.is_none()
            && let Some(scalar) = ScalarType::from_name(&path.name.text)
        {
            return Ok(TypeKind::Scalar(scalar));
        }
        if !self.is("[") {
            return Ok(TypeKind::Named { path, args: Vec::new() });
        }
        let open = self.bump();
        if self.is("]") {
            let name = self.source(path.name.span);
            let error = Diagnostic::error("T0010", "expected a size or a type, found `]`")
                .primary(self.span(), "nothing between the brackets")
                .hint(format!("write `{name}` alone if it has no parameters, and `[]{name}` for an array of it"));
            return self.fail(error);
        }
        let args = self.strict_list(open, "]", Self::type_arg)?;
        Ok(TypeKind::Named { path, args })
    }

    fn type_arg(&mut self) -> Parsed<TypeArg> {
        let certain = match self.peek() {
            TokenKind::Name(text) => ScalarType::from_name(text).is_some() || self.is_applied_name(),
            TokenKind::Fixed("[") => true,
            TokenKind::Fixed("(") => return self.type_or_size(),
            _ => false,
        };
        Ok(if certain { TypeArg::Type(self.ty()?) } else { TypeArg::Size(self.expr()?) })
    }

    /// `name[` or `module.name[`: a size is never an index, so this is a type with arguments.
    fn is_applied_name(&self) -> bool {
        let is = |ahead: usize, text: &str| {
            let token = self.tokens.get(self.at + ahead);
            token.is_some_and(|t| matches!(t.kind, TokenKind::Fixed(found) if found == text))
        };
        is(1, "[") || (is(1, ".") && is(3, "["))
    }

    /// `(a, b)` is a type, `(n + 1) * 2` is a size, and `(n)` is as undecided as `n`.
    fn type_or_size(&mut self) -> Parsed<TypeArg> {
        let (at, errors, depth, height, health) = (self.at, self.errors.len(), self.depth, self.height, self.health);
        if let Ok(ty) = self.ty()
            && self.health.mistakes == health.mistakes
            && self.is_any(&[",", "]"])
            && !matches!(&ty.kind, TypeKind::Named { args, .. } if args.is_empty())
        {
            return Ok(TypeArg::Type(ty));
        }
        self.errors.truncate(errors);
        (self.at, self.depth, self.height, self.health) = (at, depth, height, health);
        Ok(TypeArg::Size(self.expr()?))
    }

    fn dim(&mut self) -> Parsed<Dim> {
        let open = self.bump();
        let kind = self.fresh(|p| {
            p.dim_inside(open).or_else(|Abort| {
                p.skip_to_close(open)?;
                p.bump();
                Err(Abort)
            })
        })?;
        Ok(Dim { span: self.since(open), kind })
    }

    fn dim_inside(&mut self, open: Span) -> Parsed<DimKind> {
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
        Ok(kind)
    }
}
