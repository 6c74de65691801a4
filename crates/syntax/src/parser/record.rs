//! Braces: records, updates, `match`.
//!
//! ```text
//! record = path "{" (name ["=" expr]), … "}"
//! update = expr "with" "{" (name "=" expr), … "}"  |  expr "with" "[" place "]" "=" expr
//! match  = "match" expr "{" (arm ["if" expr] "=>" expr), … "}"
//! ```
//!
//! In `match p { … }` the brace opens the arms, not a record `p{…}`. The two can be told apart by what comes next: a field
//! is a name before `=`, `,` or `}`, and no arm begins like that. So `match point{x = 1} { … }` works as well.

use super::expr::RANGE;
use super::{Abort, Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;
use terrace_base::Diagnostic;

impl Parser<'_> {
    /// Whether the `{` here, behind a path, opens the fields of a record.
    pub(super) fn opens_record(&self) -> bool {
        if !self.is("{") {
            return false;
        }
        let kind = |ahead: usize| self.tokens.get(self.at + ahead).map(|t| &t.kind);
        let field = matches!(kind(1), Some(TokenKind::Name(_)))
            && matches!(kind(2), Some(TokenKind::Fixed("=" | "," | "}" | ":")));
        field || !self.waiting.match_head
    }

    pub(super) fn record(&mut self, path: Path) -> Parsed<ExprKind> {
        let fields = self.fields(true)?;
        Ok(ExprKind::Record { path, fields })
    }

    fn fields(&mut self, shorthand: bool) -> Parsed<Vec<(Name, Expr)>> {
        let open = self.bump();
        if self.is("}") {
            return self.unexpected("a field `name = value`");
        }
        let mut colons = 0;
        let fields = self.list(open, "}", |p| {
            let name = p.name("the name of a field").inspect_err(|Abort| p.give_up())?;
            if p.is(":") {
                colons += 1;
            }
            if p.is(":") && colons == 1 {
                let error = Diagnostic::error("T0010", "expected `=` and the value of the field, found `:`")
                    .primary(p.span(), "expected `=`")
                    .hint("a record gives values, `point{x = 1.0}`; types stand in its declaration");
                return p.fail(error);
            }
            // The colons of one record are one mistake.
            if p.eat("=") || p.eat(":") {
                return Ok((name, p.expr()?));
            }
            if !p.is_any(&[",", "}"]) || !shorthand {
                // Perhaps these are the arms of a match, or something else.
                let result = p.unexpected("`=` and the value of the field");
                p.give_up();
                return result;
            }
            let value = Expr { span: name.span, kind: ExprKind::Var(name.text.clone()) };
            Ok((name, value))
        })?;
        self.check_fields(fields.iter().map(|(name, _)| name));
        Ok(fields)
    }

    /// `with …` behind `old`; the word is the current token.
    pub(super) fn with(&mut self, old: Expr) -> Parsed<Expr> {
        self.bump();
        let start = old.span;
        let kind = if self.is("{") {
            ExprKind::RecordUpdate { record: Box::new(old), fields: self.nested(|p| p.fields(false))? }
        } else if self.is("[") {
            let place = self.place()?;
            if self.is("==") {
                let error = Diagnostic::error("T0010", "expected `=` and the new value, found `==`")
                    .primary(self.span(), "expected `=`")
                    .hint("an update has a single `=`; to compare the result, put the update into parentheses");
                return self.fail(error);
            }
            self.expect("=", "and the new value")?;
            let value = Box::new(self.nested(|p| p.binary(RANGE))?);
            ExprKind::Update { array: Box::new(old), place, value }
        } else {
            let found = self.peek().describe();
            let (span, text) = self.place_of("`[` or `{`");
            let error = Diagnostic::error("T0010", format!("expected `[` or `{{` after `with`, found {found}"))
                .primary(span, text)
                .note("`with` updates an array, `xs with [i] = v`, or a record, `p with {x = v}`");
            let error = if self.waiting.match_head {
                error.hint("the arms of a match stand in braces, without `with`: `match e { pattern => value }`")
            } else {
                error
            };
            return self.fail(error);
        };
        Ok(Expr { span: self.since(start), kind })
    }

    pub(super) fn match_expr(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let value = Box::new(self.waiting(|w| w.match_head = true, Self::expr)?);
        let open = self.expect("{", "and the arms of the match")?;
        if self.is("}") {
            let error = Diagnostic::error("T0035", "this `match` has no arms")
                .primary(self.span(), "expected `pattern => value`")
                .label(start, "a match gives a value for every case");
            return self.fail(error);
        }
        let arms = self.list(open, "}", Self::arm)?;
        Ok(Expr { span: self.since(start), kind: ExprKind::Match { value, arms } })
    }

    fn arm(&mut self) -> Parsed<Arm> {
        let start = self.span();
        // Perhaps these are fields, or something else.
        let pattern = self.arm_pattern().inspect_err(|Abort| self.give_up())?;
        let guard = if self.eat("if") { Some(self.expr()?) } else { None };
        if self.is_any(&["->", "=", ":"]) {
            let found = self.peek().describe();
            let error = Diagnostic::error("T0010", format!("expected `=>` and the value of this arm, found {found}"))
                .primary(self.span(), "expected `=>`");
            return self.fail(error);
        }
        self.expect("=>", if guard.is_some() { "and the value of this arm" } else { "or `if` after the pattern" })?;
        let body = self.expr()?;
        Ok(Arm { span: self.since(start), pattern, guard, body })
    }
}
