//! Items: `def`, `entry`, `test`; declarations of types and imports are in `declare.rs`.
//!
//! ```text
//! item     = doc* ("def" | "entry") name [generics] "(" param, … ")" ["->" result] "=" expr
//!          | doc* "def" name [":" type] "=" expr
//!          | doc* "test" string "=" expr
//!          | doc* (import | type | enum)
//! generics = "[" (name [":" class]), … "]"
//! param    = pattern [":" ["*"] type]
//! ```
//!
//! A `def` without parentheses is a constant. An `entry` is called from outside, so its parameters must have types.

use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::token::{RESERVED, TokenKind};
use terrace_base::{Diagnostic, Span};

/// The words that begin an item and can stand nowhere else.
pub(super) const STARTS: [&str; 6] = ["def", "entry", "test", "type", "enum", "import"];

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while *self.peek() != TokenKind::End {
            let before = self.at;
            self.start_item();
            self.item_start = before;
            let noted = self.errors.len();
            match self.item() {
                Ok(item) => items.push(item),
                Err(Abort) => {
                    // What was read as patterns may have been something else.
                    let kept = self.errors.split_off(noted).into_iter().filter(|e| e.code != "T0020");
                    self.errors.extend(kept);
                    self.recover(before);
                }
            }
        }
        items
    }

    /// Goes on to the next item, at least one token further.
    fn recover(&mut self, before: usize) {
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
        } else if self.is("import") {
            ItemKind::Import(self.import()?)
        } else if self.is("type") {
            ItemKind::Type(self.type_def()?)
        } else if self.is("enum") {
            ItemKind::Enum(self.enum_def()?)
        } else if self.is_any(&RESERVED) {
            return self.unexpected("a definition");
        } else {
            let found = self.peek().describe();
            let hint = match self.peek() {
                TokenKind::Fixed("/") if self.second_is("/") || self.second_is("*") => "comments begin with `--`",
                _ => "a file is made of `def`, `entry`, `type`, `enum`, `import` and `test` items",
            };
            let error = Diagnostic::error("T0013", format!("expected a definition, found {found}"))
                .primary(start, "not the start of a definition")
                .hint(hint);
            return self.fail(error);
        };
        let span = self.since(start);
        if self.health.mistakes > 0 {
            return Err(Abort);
        }
        self.end_of_item()?;
        Ok(Item { span, docs, kind })
    }

    fn end_of_item(&mut self) -> Parsed<()> {
        if *self.peek() == TokenKind::End || self.is_any(&STARTS) {
            return Ok(());
        }
        if self.is_any(&RESERVED) {
            return self.unexpected("the next definition");
        }
        let found = self.peek().describe();
        let error = Diagnostic::error("T0010", format!("expected the next definition, found {found}"))
            .primary(self.span(), "the definition before this is complete")
            .label(self.previous_span(), "it ends here");
        let error = match self.peek() {
            TokenKind::Fixed("in") => error.hint("this `in` has no `let`; a chain of lets has one `in`, at its end"),
            TokenKind::Fixed("then" | "else") => error.hint("an `if` is missing before this"),
            TokenKind::Fixed("let") => error.hint("a `let` stands before the expression that uses it"),
            TokenKind::Name(_) => error.hint(self.habit().unwrap_or("a call is written with parentheses, `f(x)`")),
            _ => self.with_habit(error),
        };
        self.fail(error)
    }

    fn function(&mut self) -> Parsed<Function> {
        let exported = self.is("entry");
        self.bump();
        let name = self.name("the name of the function")?;
        let generics = self.generics()?;
        if self.is_any(&[":", "="]) {
            if !exported && generics.is_empty() {
                return self.constant(name);
            }
            let found = self.peek().describe();
            let error = Diagnostic::error("T0010", format!("expected `(` and the parameters, found {found}"))
                .primary(self.span(), "expected `(`");
            return self.fail(if exported {
                error.hint(format!("an entry is a function, `entry {}() = …`; a constant is a `def`", name.text))
            } else {
                error.hint(format!("a constant has no brackets; with `()`, `{}` is a function", name.text))
            });
        }
        let open = self.expect("(", "and the parameters")?;
        let params = self.list(open, ")", Self::param)?;
        if exported {
            self.check_types(&params);
        }
        self.check_distinct(params.iter().flat_map(|p| p.pattern.names()).collect());
        let result = if self.eat("->") { self.result_type().map(Some) } else { Ok(None) };
        let result = self.then_body(result, "and the body of the function")?;
        let body = self.expr()?;
        Ok(Function { exported, name, generics, constant: false, params, result, body })
    }

    /// The `=` behind the result of a function.
    fn then_body(&mut self, result: Parsed<Option<Type>>, purpose: &str) -> Parsed<Option<Type>> {
        let result = result.and_then(|r| self.expect("=", purpose).map(|_| r));
        result.or_else(|Abort| {
            if !self.skip_to(&["="]) {
                return Err(Abort);
            }
            self.bump();
            Ok(None)
        })
    }

    fn constant(&mut self, name: Name) -> Parsed<Function> {
        let result = if self.eat(":") { self.ty().map(Some) } else { Ok(None) };
        let result = self.then_body(result, "and the value of the constant")?;
        let body = self.expr()?;
        let (generics, params) = (Vec::new(), Vec::new());
        Ok(Function { exported: false, name, generics, constant: true, params, result, body })
    }

    pub(super) fn generics(&mut self) -> Parsed<Vec<Generic>> {
        if !self.is("[") {
            return Ok(Vec::new());
        }
        let open = self.bump();
        if self.is("]") {
            return self.unexpected("the name of a size or type");
        }
        self.list(open, "]", Self::generic)
    }

    fn generic(&mut self) -> Parsed<Generic> {
        let name = self.name("the name of a size or type")?;
        let class = if self.eat(":") { Some(self.name("a class such as `Ord`")?) } else { None };
        Ok(Generic { name, class })
    }

    fn param(&mut self) -> Parsed<Param> {
        let Ok(pattern) = self.pattern() else {
            // Perhaps these are arguments, and the word in front of them is the mistake.
            self.give_up();
            return Err(Abort);
        };
        if !self.is(":") {
            return Ok(Param { span: pattern.span, pattern, consumed: None, ty: None });
        }
        self.bump();
        let consumed = if self.is("*") { Some(self.bump()) } else { None };
        let ty = self.ty()?;
        Ok(Param { span: pattern.span.to(ty.span), pattern, consumed, ty: Some(ty) })
    }

    /// Notes one error for all parameters of an entry that have no type.
    fn check_types(&mut self, params: &[Param]) {
        let mut untyped = params.iter().filter(|p| p.ty.is_none()).map(|p| p.span);
        let Some(first) = untyped.next() else {
            return;
        };
        let what = self.source(first);
        let error = Diagnostic::error("T0015", format!("the parameter `{what}` has no type"))
            .primary(first, "a type must follow")
            .note("an `entry` is called from outside, so the types of its parameters are stated")
            .hint(format!("write `{what}: i64`, or whichever type it has"));
        let error = untyped.fold(error, |error, span| error.label(span, "here too"));
        let _: Parsed<()> = self.fail(error);
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
