//! Expressions: operators by precedence, calls, literals.
//!
//! From loosest to tightest; operators of one line associate to the left:
//!
//! ```text
//!  |>
//!  with
//!  ..                        does not associate
//!  ||
//!  &&
//!  == != < <= > >=           does not associate
//!  ++
//!  |
//!  ^
//!  &
//!  << >>
//!  + -
//!  * / %
//!  - !                       prefix
//!  f(x) xs[i] p.x t.0 r{…}   postfix
//! ```
//!
//! As in Rust, and unlike C, `a & b == c` compares last. `if`, `let`, `loop`, `assert` and lambdas may stand wherever an
//! operand may, and reach as far to the right as possible. `x |> f(a)` becomes `f(a, x)` here. The value of an update is
//! an operand too, so that `xs with [i] = a with [j] = b` applies from left to right.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;
use terrace_base::{BinOp, Diagnostic, ScalarType, Span};

pub(crate) const PIPE: u8 = 1;
pub(crate) const WITH: u8 = 2;
/// The loosest level of the operators; `with` and `|>` are looser.
pub(crate) const RANGE: u8 = 3;
/// The loosest level that does not take `..`.
pub(crate) const ABOVE_RANGE: u8 = 4;
pub(crate) const COMPARISON: u8 = 6;
pub(crate) const PREFIX: u8 = 14;
pub(crate) const POSTFIX: u8 = 15;

/// How tightly an operator binds.
pub(crate) fn level(op: BinaryOp) -> u8 {
    operator(&TokenKind::Fixed(op.symbol())).map_or(PREFIX, |(level, _)| level)
}

fn operator(token: &TokenKind) -> Option<(u8, BinaryOp)> {
    let TokenKind::Fixed(text) = token else {
        return None;
    };
    Some(match *text {
        "||" => (4, BinaryOp::OrElse),
        "&&" => (5, BinaryOp::AndAlso),
        "==" => (COMPARISON, BinaryOp::Scalar(BinOp::Eq)),
        "!=" => (COMPARISON, BinaryOp::Scalar(BinOp::Ne)),
        "<" => (COMPARISON, BinaryOp::Scalar(BinOp::Lt)),
        "<=" => (COMPARISON, BinaryOp::Scalar(BinOp::Le)),
        ">" => (COMPARISON, BinaryOp::Scalar(BinOp::Gt)),
        ">=" => (COMPARISON, BinaryOp::Scalar(BinOp::Ge)),
        "++" => (7, BinaryOp::Concat),
        "|" => (8, BinaryOp::Scalar(BinOp::Or)),
        "^" => (9, BinaryOp::Scalar(BinOp::Xor)),
        "&" => (10, BinaryOp::Scalar(BinOp::And)),
        "<<" => (11, BinaryOp::Scalar(BinOp::Shl)),
        ">>" => (11, BinaryOp::Scalar(BinOp::Shr)),
        "+" => (12, BinaryOp::Scalar(BinOp::Add)),
        "-" => (12, BinaryOp::Scalar(BinOp::Sub)),
        "*" => (13, BinaryOp::Scalar(BinOp::Mul)),
        "/" => (13, BinaryOp::Scalar(BinOp::Div)),
        "%" => (13, BinaryOp::Scalar(BinOp::Rem)),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| p.binary(PIPE))
    }

    /// An expression whose operators are all at least as tight as `min`.
    pub(super) fn binary(&mut self, min: u8) -> Parsed<Expr> {
        let left = self.prefix()?;
        self.climb(left, min)
    }

    /// Continues an expression with operators at least as tight as `min`.
    pub(super) fn climb(&mut self, mut left: Expr, min: u8) -> Parsed<Expr> {
        loop {
            if self.is("|>") && min <= PIPE {
                left = self.pipe(left)?;
            } else if self.is("with") && min <= WITH {
                left = self.with(left)?;
            } else if self.is("..") && min <= RANGE {
                left = self.range(left)?;
            } else if let Some((level, op)) = operator(self.peek()).filter(|(level, _)| *level >= min) {
                let op_span = self.bump();
                let right = self.nested(|p| p.binary(level + 1))?;
                if level == COMPARISON {
                    self.check_single_comparison(op_span)?;
                }
                let span = left.span.to(right.span);
                let (left_box, right) = (Box::new(left), Box::new(right));
                left = Expr { span, kind: ExprKind::Binary { op, op_span, left: left_box, right } };
            } else {
                return Ok(left);
            }
            self.grow()?;
        }
    }

    fn check_single_comparison(&mut self, first: Span) -> Parsed<()> {
        let Some((COMPARISON, _)) = operator(self.peek()) else {
            return Ok(());
        };
        let error = Diagnostic::error("T0014", "comparisons do not chain")
            .primary(self.span(), "a second comparison")
            .label(first, "the first one")
            .hint("write `a < b && b < c`, or put one of them into parentheses");
        self.fail(error)
    }

    fn pipe(&mut self, value: Expr) -> Parsed<Expr> {
        let arrow = self.bump();
        let target = self.nested(|p| p.binary(PIPE + 1))?;
        let span = value.span.to(target.span);
        let kind = match target.kind {
            ExprKind::Call { function, mut args, piped: false } => {
                args.push(value);
                ExprKind::Call { function, args, piped: true }
            }
            ExprKind::Var(_) | ExprKind::Field { .. } | ExprKind::Lambda { .. } | ExprKind::Section(_) => {
                ExprKind::Call { function: Box::new(target), args: vec![value], piped: true }
            }
            _ => {
                let error = Diagnostic::error("T0021", "`|>` needs a function on its right")
                    .primary(target.span, "neither a function nor a call")
                    .label(arrow, "passes its left side on as the last argument")
                    .note("`|>` is looser than every other operator");
                return self.fail(error);
            }
        };
        Ok(Expr { span, kind })
    }

    fn range(&mut self, from: Expr) -> Parsed<Expr> {
        self.bump();
        let to = self.nested(|p| p.binary(ABOVE_RANGE))?;
        if self.is("..") {
            return self.unexpected("the end of the range");
        }
        let span = from.span.to(to.span);
        Ok(Expr { span, kind: ExprKind::Range { from: Box::new(from), to: Box::new(to) } })
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let TokenKind::Fixed(text) = *self.peek() else {
            return self.postfix();
        };
        let op = match text {
            "-" => UnaryOp::Neg,
            "!" => UnaryOp::Not,
            "if" => return self.nested(Self::if_then_else),
            "let" | "assert" => return self.nested(Self::let_chain),
            "loop" => return self.nested(Self::loop_expr),
            "|" | "||" => return self.nested(Self::lambda),
            _ => return self.postfix(),
        };
        self.bump();
        let operand = match *self.peek() {
            TokenKind::Int(value, suffix) if op == UnaryOp::Neg => {
                let literal = self.int_literal(value, suffix, true);
                self.postfixes(literal)?
            }
            _ => self.nested(Self::prefix)?,
        };
        self.grow()?;
        Ok(Expr { span: self.since(start), kind: ExprKind::Unary { op, operand: Box::new(operand) } })
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let atom = self.atom()?;
        self.postfixes(atom)
    }

    fn postfixes(&mut self, mut expr: Expr) -> Parsed<Expr> {
        loop {
            let start = expr.span;
            let kind = if self.is("(") {
                let open = self.bump();
                let args = self.list(open, ")", Self::expr)?;
                ExprKind::Call { function: Box::new(expr), args, piped: false }
            } else if self.is("[") {
                let place = self.place()?;
                ExprKind::Index { array: Box::new(expr), place }
            } else if self.is(".") {
                self.part(expr)?
            } else if self.opens_record() {
                match path_of(&expr) {
                    Some(path) => self.record(path)?,
                    None => return Ok(expr),
                }
            } else {
                return Ok(expr);
            };
            expr = Expr { span: self.since(start), kind };
            self.grow()?;
        }
    }

    /// `.name` or `.0` behind `value`; the dot is the current token.
    fn part(&mut self, value: Expr) -> Parsed<ExprKind> {
        self.bump();
        let value = Box::new(value);
        if let TokenKind::Int(index, None) = *self.peek() {
            self.bump();
            return Ok(ExprKind::Component { value, index: usize::try_from(index).unwrap_or(usize::MAX) });
        }
        Ok(ExprKind::Field { value, name: self.name("the name of a field or the number of a part")? })
    }

    fn atom(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            TokenKind::Int(value, suffix) => {
                let (value, suffix) = (*value, *suffix);
                return Ok(self.int_literal(value, suffix, false));
            }
            TokenKind::Real(value, suffix) => ExprKind::Real { value: *value, suffix: *suffix },
            TokenKind::Str(text) => ExprKind::Str(text.clone()),
            TokenKind::Name(text) => ExprKind::Var(text.clone()),
            TokenKind::Fixed("true") => ExprKind::Bool(true),
            TokenKind::Fixed("false") => ExprKind::Bool(false),
            TokenKind::Fixed("(") => return self.parenthesised(),
            TokenKind::Fixed("[") => return self.array(),
            TokenKind::Fixed("match") => return self.nested(Self::match_expr),
            _ => {
                let result = self.unexpected("an expression");
                if self.is("_") {
                    // Perhaps this is a pattern, and the word in front of it is missing.
                    self.give_up();
                }
                return result;
            }
        };
        self.bump();
        Ok(Expr { span: start, kind })
    }

    /// Takes an integer literal and notes an error if the type it states cannot hold it; without a suffix the checker knows the type.
    fn int_literal(&mut self, value: u64, suffix: Option<ScalarType>, negative: bool) -> Expr {
        let span = self.bump();
        if let Some(ty) = suffix {
            let unsigned_limit = u64::MAX >> (64 - ty.bits());
            let limit = match (ty.is_signed(), negative) {
                (true, false) => unsigned_limit >> 1,
                (true, true) => (unsigned_limit >> 1) + 1,
                (false, _) => unsigned_limit,
            };
            if value > limit {
                let minus = if negative { "-" } else { "" };
                let error = Diagnostic::error("T0004", format!("`{minus}{value}` does not fit `{ty}`"))
                    .primary(span, format!("the limit is `{minus}{limit}`"));
                self.errors.push(error);
            }
        }
        Expr { span, kind: ExprKind::Int { value, suffix } }
    }

    /// A literal of a pattern: a number with or without a minus, a string, or a truth value.
    pub(super) fn literal_expr(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if !self.eat("-") {
            return self.atom();
        }
        let operand = match *self.peek() {
            TokenKind::Int(value, suffix) => self.int_literal(value, suffix, true),
            _ => self.atom()?,
        };
        self.grow()?;
        Ok(Expr { span: self.since(start), kind: ExprKind::Unary { op: UnaryOp::Neg, operand: Box::new(operand) } })
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        let open = self.bump();
        if let Some((_, op)) = operator(self.peek())
            && self.second_is(")")
        {
            self.bump();
            self.bump();
            return Ok(Expr { span: self.since(open), kind: ExprKind::Section(op) });
        }
        let mut parts = self.list(open, ")", Self::expr)?;
        let span = self.since(open);
        let before_close = &self.tokens[self.at.saturating_sub(2)];
        if parts.len() == 1 && before_close.kind == TokenKind::Fixed(",") {
            let error = Diagnostic::error("T0025", "a tuple has at least two parts")
                .primary(before_close.span, "nothing follows this comma")
                .hint("leave the comma out: one value needs no tuple");
            self.errors.push(error);
        }
        let kind = if parts.len() == 1 { parts.remove(0).kind } else { ExprKind::Tuple(parts) };
        Ok(Expr { span, kind })
    }
}

/// The path that a name, or a name and a field, spell.
fn path_of(expr: &Expr) -> Option<Path> {
    let simple = |e: &Expr| match &e.kind {
        ExprKind::Var(text) => Some(Name { span: e.span, text: text.clone() }),
        _ => None,
    };
    match &expr.kind {
        ExprKind::Field { value, name } => Some(Path { module: Some(simple(value)?), name: name.clone() }),
        _ => Some(Path { module: None, name: simple(expr)? }),
    }
}
