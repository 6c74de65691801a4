//! Expressions that begin with a word, and lambdas.
//!
//! ```text
//! "if" expr "then" expr "else" expr
//! ("let" pattern [":" type] "=" expr | "let" name place "=" expr | "assert" "(" expr "," string ")")+ "in" expr
//! "loop" pattern "=" expr ("while" expr | "for" name "<" expr | "for" pattern "in" expr) "do" expr
//! "|" pattern [":" type], … "|" expr
//! ```
//!
//! A chain of lets has one `in`, at its end. Where it is missing, the message points at the `let`: the place where the
//! parser gets stuck can be far away, because a `(` or `[` after the value continues the value.

use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;
use terrace_base::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn if_then_else(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let (condition, then) = self.waiting(|w| w.ifs += 1, |p| p.condition_and_then(start))?;
        let otherwise = Box::new(self.expr()?);
        let (condition, then) = (Box::new(condition), Box::new(then));
        Ok(Expr { span: self.since(start), kind: ExprKind::If { condition, then, otherwise } })
    }

    fn condition_and_then(&mut self, start: Span) -> Parsed<(Expr, Expr)> {
        let condition = self.expr();
        let condition = match condition.and_then(|c| self.expect("then", "after the condition").map(|_| c)) {
            Ok(condition) => condition,
            Err(Abort) => self.resume_if("then")?,
        };
        let then = match self.expr() {
            Ok(then) if self.eat("else") => then,
            Ok(_) => {
                let (span, text) = self.place_of("`else`");
                let error = Diagnostic::error("T0023", "this `if` has no `else`")
                    .primary(start, "every `if` gives a value on both sides")
                    .label(span, text);
                let error = self.with_habit(error);
                self.fail(error).or_else(|Abort| self.resume_if("else"))?
            }
            Err(Abort) => self.resume_if("else")?,
        };
        Ok((condition, then))
    }

    /// Goes on behind the next `then` or `else`, if it can only be that of the innermost `if`.
    fn resume_if(&mut self, word: &str) -> Parsed<Expr> {
        if self.waiting.ifs > 1 {
            self.give_up();
        }
        if !self.skip_to(&[word]) {
            return Err(Abort);
        }
        self.bump();
        Ok(self.hole())
    }

    pub(super) fn let_chain(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let bindings = self.waiting(|w| w.lets += 1, Self::bindings)?;
        let body = Box::new(self.expr()?);
        Ok(Expr { span: self.since(start), kind: ExprKind::Let { bindings, body } })
    }

    /// The links of a chain of lets, and its `in`.
    fn bindings(&mut self) -> Parsed<Vec<Binding>> {
        let mut bindings = Vec::new();
        let mut keyword = self.span();
        loop {
            let step = if self.eat("in") {
                return Ok(bindings);
            } else if self.is_any(&["let", "assert"]) {
                keyword = self.span();
                let open_lets = self.lets.len();
                let binding = if self.is("let") { self.let_binding() } else { self.assertion() };
                self.lets.truncate(open_lets);
                binding.map(|b| bindings.push(b))
            } else {
                self.missing_in(keyword)
            };
            if step.is_err() {
                if self.waiting.lets > 1 {
                    self.give_up();
                }
                if !self.skip_to(&["let", "assert", "in"]) {
                    return Err(Abort);
                }
            }
        }
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
            return self.let_update(start);
        }
        let pattern = self.pattern()?;
        let ty = if self.eat(":") { Some(self.ty()?) } else { None };
        self.expect("=", "and the value")?;
        self.lets.push(start);
        let value = self.expr()?;
        self.lets.pop();
        Ok(Binding { span: self.since(start), kind: BindingKind::Let { pattern, ty, value } })
    }

    /// `xs[i] = v` behind a `let`.
    fn let_update(&mut self, start: Span) -> Parsed<Binding> {
        let name = self.name("the name of an array")?;
        if let Some(closing) = self.partner(self.at)
            && self.tokens[closing + 1].kind != TokenKind::Fixed("=")
        {
            let error = Diagnostic::error("T0010", format!("expected `=` and the value of `{}`, found `[`", name.text))
                .primary(self.span(), "expected `=` before this")
                .note("`let xs[i] = v` gives an array a new element; no `=` follows these brackets");
            return self.fail(error);
        }
        let place = self.place()?;
        self.expect("=", "and the new value")?;
        self.lets.push(start);
        let value = self.expr()?;
        self.lets.pop();
        Ok(Binding { span: self.since(start), kind: BindingKind::Update { name, place, value } })
    }

    fn assertion(&mut self) -> Parsed<Binding> {
        let start = self.bump();
        let open = self.expect("(", "and the condition")?;
        let inside = self.fresh(|p| {
            let condition = p.expr()?;
            p.expect(",", "and a message in quotes")?;
            let (message, _) = p.string("a message in quotes")?;
            p.close(open, ")")?;
            Ok((condition, message))
        });
        let (condition, message) = inside.or_else(|Abort| {
            self.skip_to_close(open)?;
            self.bump();
            Ok((self.hole(), String::new()))
        })?;
        Ok(Binding { span: self.since(start), kind: BindingKind::Assert { condition, message } })
    }

    pub(super) fn loop_expr(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let Ok((pattern, init, control)) = self.loop_head() else {
            // A `for` further on might be that of a comprehension.
            self.give_up();
            return Err(Abort);
        };
        let body = Box::new(self.expr()?);
        Ok(Expr { span: self.since(start), kind: ExprKind::Loop { pattern, init, control, body } })
    }

    fn loop_head(&mut self) -> Parsed<(Pattern, Box<Expr>, LoopControl)> {
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
        Ok((pattern, init, control))
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
        let params = match self.waiting(|w| w.in_bars = true, |p| p.lambda_params(start)) {
            Ok(params) => params,
            Err(Abort) if self.skip_to(&["|"]) => {
                self.bump();
                Vec::new()
            }
            Err(Abort) => {
                self.give_up();
                return Err(Abort);
            }
        };
        self.check_distinct(params.iter().flat_map(|p| p.pattern.names()).collect());
        let body = Box::new(self.expr()?);
        Ok(Expr { span: self.since(start), kind: ExprKind::Lambda { params, body } })
    }

    fn lambda_params(&mut self, open: Span) -> Parsed<Vec<LambdaParam>> {
        let mut params = Vec::new();
        while !self.is("|") {
            let pattern = self.pattern()?;
            let ty = if self.eat(":") { Some(self.ty()?) } else { None };
            params.push(LambdaParam { pattern, ty });
            if !self.eat(",") {
                break;
            }
        }
        self.close(open, "|")?;
        Ok(params)
    }
}
