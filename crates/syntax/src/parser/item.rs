//! Items: `def`, `entry`, `test`.
//!
//! ```text
//! item    = doc* ("def" | "entry") name ["[" generic, … "]"] "(" param, … ")" ["->" type] "=" expr
//!         | doc* "test" string "=" expr
//! generic = name [":" class]
//! param   = pattern ":" type
//! ```

use super::{Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;
use terrace_base::{Diagnostic, Span};

/// The words that begin an item and can stand nowhere else.
pub(super) const STARTS: [&str; 6] = ["def", "entry", "test", "type", "enum", "import"];

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while *self.peek() != TokenKind::End {
            let before = self.at;
            match self.item() {
                Ok(item) => items.push(item),
                Err(_) => self.recover(before),
            }
        }
        items
    }

    /// Goes on to the next item, at least one token further.
    fn recover(&mut self, before: usize) {
        (self.depth, self.height) = (0, 0);
        self.lets.clear();
        if self.at == before {
            self.bump();
        }
        while *self.peek() != TokenKind::End && !self.is_any(&STARTS) {
            self.bump();
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        let first = self.at;
        let docs = self.docs.iter().filter(|(at, _)| *at == first).map(|(_, text)| text.clone()).collect();
        let start = self.span();
        let kind = if self.is_any(&["def", "entry"]) {
            ItemKind::Function(self.function()?)
        } else if self.eat("test") {
            ItemKind::Test(self.test()?)
        } else if self.is_any(&STARTS) {
            return self.unexpected("a definition");
        } else {
            let found = self.peek().describe();
            let error = Diagnostic::error("T0013", format!("expected a definition, found {found}"))
                .primary(start, "not the start of a definition")
                .hint("a file is made of `def`, `entry` and `test` items");
            return self.fail(error);
        };
        let span = self.since(start);
        self.end_of_item()?;
        Ok(Item { span, docs, kind })
    }

    fn end_of_item(&mut self) -> Parsed<()> {
        if *self.peek() == TokenKind::End || self.is_any(&STARTS) {
            return Ok(());
        }
        let found = self.peek().describe();
        let error = Diagnostic::error("T0010", format!("expected the next definition, found {found}"))
            .primary(self.span(), "the definition before this is complete")
            .label(self.previous_span(), "it ends here");
        let error = match self.peek() {
            TokenKind::Fixed("in") => error.hint("this `in` has no `let`; a chain of lets has one `in`, at its end"),
            TokenKind::Fixed("=") => error.hint("equality is written `==`"),
            TokenKind::Fixed("then" | "else") => error.hint("an `if` is missing before this"),
            TokenKind::Fixed("let") => error.hint("a `let` stands before the expression that uses it"),
            TokenKind::Name(_) => error.hint("a call is written with parentheses, `f(x)`"),
            _ => error,
        };
        self.fail(error)
    }

    fn function(&mut self) -> Parsed<Function> {
        let exported = self.is("entry");
        self.bump();
        let name = self.name("the name of the function")?;
        let generics = if self.is("[") {
            let open = self.bump();
            self.list(open, "]", Self::generic)?
        } else {
            Vec::new()
        };
        let open = self.expect("(", "and the parameters")?;
        let params = self.list(open, ")", Self::param)?;
        self.check_distinct(params.iter().flat_map(|p| p.pattern.names()).collect());
        let result = if self.eat("->") { Some(self.ty()?) } else { None };
        self.expect("=", "and the body of the function")?;
        let body = self.expr()?;
        Ok(Function { exported, name, generics, params, result, body })
    }

    fn generic(&mut self) -> Parsed<Generic> {
        let name = self.name("the name of a size or type")?;
        let class = if self.eat(":") { Some(self.name("a class such as `Ord`")?) } else { None };
        Ok(Generic { name, class })
    }

    fn param(&mut self) -> Parsed<Param> {
        let pattern = self.pattern()?;
        if !self.is(":") {
            let what = self.source(pattern.span);
            let error = Diagnostic::error("T0015", format!("the parameter `{what}` has no type"))
                .primary(pattern.span, "a type must follow")
                .hint(format!("write `{what}: i64`, or whichever type it has"));
            return self.fail(error);
        }
        self.bump();
        let ty = self.ty()?;
        Ok(Param { span: pattern.span.to(ty.span), pattern, ty })
    }

    fn test(&mut self) -> Parsed<Test> {
        let (name, name_span) = self.string("the name of the test, in quotes")?;
        self.expect("=", "and what must hold")?;
        let body = self.expr()?;
        Ok(Test { name, name_span, body })
    }

    pub(super) fn string(&mut self, what: &str) -> Parsed<(String, Span)> {
        if let TokenKind::Str(text) = self.peek() {
            let text = text.clone();
            return Ok((text, self.bump()));
        }
        self.unexpected(what)
    }
}
