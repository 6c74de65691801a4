//! Expressions that begin with a word, and lambdas.
//!
//! ```text
//! "if" expr "then" expr "else" expr
//! ("let" pattern [":" type] "=" expr | "assert" "(" expr "," string ")")+ "in" expr
//! "loop" pattern "=" expr ("while" expr | "for" name "<" expr | "for" pattern "in" expr) "do" expr
//! "|" pattern [":" type], … "|" expr
//! ```
//!
//! A chain of lets has one `in`, at its end. Where it is missing, the message points at the `let`: the place where the
//! parser gets stuck can be far away, because a `(` or `[` after the value continues the value.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;
use terrace_base::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn if_then_else(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let condition = Box::new(self.expr()?);
        self.expect("then", "after the condition")?;
        let then = Box::new(self.expr()?);
        if !self.is("else") {
            let (span, text) = self.place_of("`else`");
            let error = Diagnostic::error("T0023", "this `if` has no `else`")
                .primary(start, "every `if` gives a value on both sides")
                .label(span, text);
            return self.fail(error);
        }
        self.bump();
        let otherwise = Box::new(self.expr()?);
        Ok(Expr { span: self.since(start), kind: ExprKind::If { condition, then, otherwise } })
    }

    pub(super) fn let_chain(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut bindings = Vec::new();
        let mut keyword = start;
        while self.is_any(&["let", "assert"]) {
            keyword = self.span();
            bindings.push(if self.is("let") { self.let_binding()? } else { self.assertion()? });
        }
        if !self.eat("in") {
            return self.missing_in(keyword);
        }
        let body = Box::new(self.expr()?);
        Ok(Expr { span: self.since(start), kind: ExprKind::Let { bindings, body } })
    }

    /// Reports the `let` or `assert` at `keyword`, whose `in` should stand before the current token.
    pub(super) fn missing_in<T>(&mut self, keyword: Span) -> Parsed<T> {
        let word = self.source(keyword);
        let (span, text) = self.place_of("`in`");
        let error = Diagnostic::error("T0011", format!("this `{word}` has no `in`"))
            .primary(keyword, "the chain of lets that ends here needs an `in`")
            .label(span, text)
            .hint("write `let x = … in` and then the expression that uses `x`");
        self.fail(error)
    }

    fn let_binding(&mut self) -> Parsed<Binding> {
        let start = self.bump();
        if matches!(self.peek(), TokenKind::Name(_)) && self.second_is("[") {
            return self.reserved(self.span(), "an update `let xs[i] = v`");
        }
        let pattern = self.pattern()?;
        let ty = if self.eat(":") { Some(self.ty()?) } else { None };
        self.expect("=", "and the value")?;
        self.lets.push(start);
        let value = self.expr()?;
        self.lets.pop();
        Ok(Binding { span: self.since(start), kind: BindingKind::Let { pattern, ty, value } })
    }

    fn assertion(&mut self) -> Parsed<Binding> {
        let start = self.bump();
        let open = self.expect("(", "and the condition")?;
        let condition = self.expr()?;
        self.expect(",", "and a message in quotes")?;
        let (message, _) = self.string("a message in quotes")?;
        self.close(open, ")")?;
        Ok(Binding { span: self.since(start), kind: BindingKind::Assert { condition, message } })
    }

    pub(super) fn loop_expr(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let pattern = self.pattern()?;
        self.expect("=", "and the first value")?;
        let init = Box::new(self.expr()?);
        let control = if self.eat("while") {
            LoopControl::While(Box::new(self.expr()?))
        } else if self.eat("for") {
            let generator = self.generator()?;
            match generator.kind {
                GeneratorKind::In { pattern, array } => LoopControl::Each { pattern, array: Box::new(array) },
                GeneratorKind::Count { var, bound } => LoopControl::Count { var, bound: Box::new(bound) },
            }
        } else {
            return self.unexpected("`while` or `for`");
        };
        self.expect("do", "and the body of the loop")?;
        let body = Box::new(self.expr()?);
        Ok(Expr { span: self.since(start), kind: ExprKind::Loop { pattern, init, control, body } })
    }

    pub(super) fn lambda(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if self.is("||") || (self.is("|") && self.second_is("|")) {
            let error = Diagnostic::error("T0022", "a lambda has at least one parameter")
                .primary(start, "no parameter between the bars")
                .hint("write the expression itself");
            return self.fail(error);
        }
        self.bump();
        let params = self.list(start, "|", |p| {
            let pattern = p.pattern()?;
            let ty = if p.eat(":") { Some(p.ty()?) } else { None };
            Ok(LambdaParam { pattern, ty })
        })?;
        self.check_distinct(params.iter().flat_map(|p| p.pattern.names()).collect());
        let body = Box::new(self.expr()?);
        Ok(Expr { span: self.since(start), kind: ExprKind::Lambda { params, body } })
    }
}
