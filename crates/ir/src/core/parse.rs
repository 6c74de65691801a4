//! Core from text: what [`super::print`] writes, read back.
//!
//! Line ends and indentation mean nothing. The number of a value is part of its name, so the table of values is filled as
//! bindings are met; [`erase_spans`] takes from a program what its text does not say, and then print and parse are inverse.

mod array;
mod sum;

use super::visit::{Part, bound_values, walk, walk_mut};
use super::{ArrayType, Body, Expr, Function, Lambda, LoopForm, Program, Role, Stmt, StmtKind, Type, Value};
use crate::text::read::{Read, Reader};
use crate::{Atom, ValueId, value_of};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{IdVec, ScalarType, Span, UnOp};

/// The program that a text says, without spans; the message names the line.
pub fn parse(text: &str) -> Result<Program, String> {
    let mut parser = Parser { r: Reader::new(text)?, values: BTreeMap::new() };
    let checks = parser.r.checks()?;
    let mut functions = IdVec::new();
    while !parser.r.at_end() {
        functions.push(parser.function()?);
    }
    Ok(Program { functions, checks })
}

/// Takes from a program what its text does not say: spans, names in the source, and what is known about values that nothing binds.
pub fn erase_spans(program: &mut Program) {
    program.checks.iter_mut().for_each(|c| c.span = Span::none());
    for function in program.functions.iter_mut() {
        function.span = Span::none();
        function.source = function.name.clone();
        walk_mut(&mut function.body, &mut |stmt| stmt.span = Span::none());
        let bound: BTreeSet<ValueId> = function.params.iter().copied().chain(bound_values(&function.body)).collect();
        let mut positions = BTreeSet::new();
        function.result.positions(&mut positions);
        bound.iter().for_each(|v| function.values[*v].ty.positions(&mut positions));
        walk(&function.body, &mut |stmt| {
            if let StmtKind::Let { expr, .. } = &stmt.kind {
                expr.parts(&mut |part| {
                    if let Part::Type(t) = part {
                        t.positions(&mut positions)
                    }
                });
            }
        });
        let known = function.values.enumerate().filter_map(|(id, value)| {
            if bound.contains(&id) {
                return Some((id, value.clone()));
            }
            let position = || Value { name: value.name.clone(), ty: Type::Scalar(ScalarType::I64) };
            positions.contains(&id).then(|| (id, position()))
        });
        function.values = table(known.collect());
    }
}

/// The table with what is known, and holes in between.
fn table(mut known: BTreeMap<ValueId, Value>) -> IdVec<ValueId, Value> {
    let count = known.keys().next_back().map_or(0, |last| last.index() + 1);
    let hole = || Value { name: String::new(), ty: Type::Tuple(Vec::new()) };
    (0..count).map(|i| known.remove(&ValueId::new(i)).unwrap_or_else(hole)).collect()
}

struct Parser<'a> {
    r: Reader<'a>,
    values: BTreeMap<ValueId, Value>,
}

impl Parser<'_> {
    fn function(&mut self) -> Read<Function> {
        let (word, mut test) = (self.r.word()?, None);
        match word.as_str() {
            "def" | "entry" => {}
            "test" => test = Some(self.r.string()?),
            _ => return self.r.fail("a function is wanted here"),
        }
        let name = self.r.function_name()?;
        self.r.want("(")?;
        let (params, consumed) = self.separated(")", Self::param)?.into_iter().unzip();
        self.r.want("->")?;
        let result = self.ty()?;
        let role = match test {
            Some(name) => {
                self.r.want_word("with")?;
                self.r.want("(")?;
                Role::Test { name, arguments: self.r.list(")", &mut |r| r.data())? }
            }
            None if word == "entry" => Role::Entry,
            None => Role::Internal,
        };
        let body = self.body()?;
        let values = table(std::mem::take(&mut self.values));
        Ok(Function { source: name.clone(), name, role, values, params, consumed, result, body, span: Span::none() })
    }

    fn ty(&mut self) -> Read<Type> {
        if self.r.take("(") {
            return Ok(Type::Tuple(self.separated(")", Self::ty)?));
        }
        if self.r.take("<") {
            return Ok(Type::Sum(self.variants()?));
        }
        if !self.r.take("[") {
            return Ok(Type::Scalar(self.r.scalar_type()?));
        }
        let position = self.r.position().map(|(name, var)| {
            if let Some(name) = name {
                let value = Value { name, ty: Type::Scalar(ScalarType::I64) };
                self.values.entry(value_of(var)).or_insert(value);
            }
            var
        });
        let length = match self.r.is_sign("]") || self.r.take_word("_") {
            true => None,
            false => Some(self.r.size()?),
        };
        self.r.want("]")?;
        Ok(Type::Array(Box::new(ArrayType { length, position, elem: self.ty()? })))
    }

    fn separated<T>(&mut self, end: &str, item: fn(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut out = Vec::new();
        while !self.r.take(end) {
            out.push(item(self)?);
            if !self.r.take(",") {
                self.r.want(end)?;
                break;
            }
        }
        Ok(out)
    }

    fn binder(&mut self) -> Read<ValueId> {
        match self.param()? {
            (_, true) => self.r.fail("only a function consumes its parameters"),
            (id, false) => Ok(id),
        }
    }

    /// A value with its type, and whether a star says that it is consumed.
    fn param(&mut self) -> Read<(ValueId, bool)> {
        let (name, id) = self.r.value()?;
        self.r.want(":")?;
        let consumed = self.r.take("*");
        let ty = self.ty()?;
        self.values.insert(id, Value { name, ty });
        Ok((id, consumed))
    }

    fn binders(&mut self) -> Read<Vec<ValueId>> {
        self.r.want("(")?;
        self.separated(")", Self::binder)
    }

    fn body(&mut self) -> Read<Body> {
        self.r.want("{")?;
        let mut stmts = Vec::new();
        while !self.r.take("=>") {
            stmts.push(self.stmt()?);
            self.r.take(";");
        }
        let result = self.r.atom()?;
        self.r.want("}")?;
        Ok(Body { stmts, result })
    }

    /// Whether a check that starts here is proved; `None` where none starts.
    fn check_word(&mut self) -> Option<bool> {
        let proved = self.r.take_word("proved");
        (proved || self.r.take_word("check")).then_some(proved)
    }

    fn stmt(&mut self) -> Read<Stmt> {
        let kind = if let Some(proved) = self.check_word() {
            let (check, cond, values) = self.r.check_stmt()?;
            StmtKind::Check { check, cond, values, proved }
        } else {
            self.r.want_word("let")?;
            let value = self.binder()?;
            self.r.want("=")?;
            let expr = self.expr()?;
            let after = match self.r.take_word("after") {
                true => self.r.some(&mut |r| r.check_id())?,
                false => Vec::new(),
            };
            StmtKind::Let { value, expr, after }
        };
        Ok(Stmt { kind, span: Span::none() })
    }

    fn expr(&mut self) -> Read<Expr> {
        if self.r.take("(") {
            return Ok(Expr::Tuple(self.r.atoms(")")?));
        }
        if self.r.take("[") {
            let elems = self.r.atoms("]")?;
            self.r.want_word("of")?;
            return Ok(Expr::ArrayLiteral { elem: self.ty()?, elems });
        }
        if let Some(to) = self.r.peek_scalar_type() {
            self.r.scalar_type()?;
            self.r.want("(")?;
            let operand = self.r.atom()?;
            self.r.want(")")?;
            return Ok(Expr::Convert(to, operand));
        }
        match self.keyword() {
            Some(word) => self.worded(&word),
            None => self.plain(),
        }
    }

    /// The word that an expression starts with, taken.
    fn keyword(&mut self) -> Option<String> {
        const WORDS: [&str; 32] = [
            "fma",
            "length",
            "iota",
            "replicate",
            "concat",
            "zip",
            "map",
            "generate",
            "filter",
            "reduce",
            "scan",
            "if",
            "loop",
            "call",
            "ascribe",
            "strided",
            "extent",
            "disjoint",
            "update",
            "scatter",
            "hist",
            "sort",
            "precedes",
            "flatten",
            "partition",
            "reshape",
            "slide",
            "pad",
            "rotate",
            "transpose",
            "variant",
            "match",
        ];
        let unary = UnOp::ALL.into_iter().map(UnOp::word);
        let word = WORDS.into_iter().chain(unary).find(|w| self.r.is_word(w))?;
        self.r.take_word(word);
        Some(word.to_string())
    }

    /// An expression that starts with an operand.
    fn plain(&mut self) -> Read<Expr> {
        let first = self.r.atom()?;
        if self.r.take(".") {
            return Ok(Expr::Project(first, self.r.number()?));
        }
        if self.r.take("[") {
            let index = self.r.atom()?;
            if self.r.take("..") {
                let to = self.r.atom()?;
                self.r.want("]")?;
                return Ok(Expr::Slice { array: first, from: index, to });
            }
            self.r.want("]")?;
            return Ok(Expr::Index { array: first, index });
        }
        match self.r.binary() {
            Some(op) => Ok(Expr::Binary(op, first, self.r.atom()?)),
            None => Ok(Expr::Atom(first)),
        }
    }

    fn worded(&mut self, word: &str) -> Read<Expr> {
        Ok(match word {
            "fma" => {
                self.r.want("(")?;
                match self.r.atoms(")")?.as_slice() {
                    [a, b, c] => Expr::Fma(*a, *b, *c),
                    _ => return self.r.fail("fma takes three operands"),
                }
            }
            "length" => Expr::Length(self.r.atom()?),
            "iota" => Expr::Iota(self.r.atom()?),
            "replicate" => Expr::Replicate { count: self.r.atom()?, value: self.r.atom()? },
            "concat" => {
                self.r.want("(")?;
                Expr::Concat(self.r.atoms(")")?)
            }
            "zip" => {
                self.r.want("(")?;
                Expr::Zip(self.r.atoms(")")?)
            }
            "map" => {
                let params = self.binders()?;
                self.r.want_word("in")?;
                let arrays = self.r.some(&mut |r| r.atom())?;
                Expr::Map { lambda: Lambda { params, body: self.body()? }, arrays }
            }
            "generate" => {
                let params = self.binders()?;
                self.r.want("<")?;
                let count = self.r.atom()?;
                Expr::Generate { lambda: Lambda { params, body: self.body()? }, count }
            }
            "filter" => {
                let params = self.binders()?;
                self.r.want_word("in")?;
                let array = self.r.atom()?;
                Expr::Filter { predicate: Lambda { params, body: self.body()? }, array }
            }
            "reduce" => {
                let (operator, neutral, array) = self.combine()?;
                Expr::Reduce { operator, neutral, array }
            }
            "scan" => {
                let (operator, neutral, array) = self.combine()?;
                Expr::Scan { operator, neutral, array }
            }
            "if" => {
                let cond = self.r.atom()?;
                let then = self.body()?;
                self.r.want_word("else")?;
                Expr::If { cond, then, otherwise: self.body()? }
            }
            "loop" => self.repeat()?,
            "call" => {
                let function = self.r.function()?;
                self.r.want("(")?;
                Expr::Call { function, args: self.r.atoms(")")? }
            }
            "ascribe" => {
                let value = self.r.atom()?;
                self.r.want(":")?;
                let ty = self.ty()?;
                let Some(proved) = self.check_word() else { return self.r.fail("`check` or `proved` is wanted here") };
                Expr::Ascribe { value, ty, check: self.r.check_id()?, proved }
            }
            "variant" => self.variant()?,
            "match" => self.cases()?,
            word => match UnOp::from_word(word) {
                Some(op) => Expr::Unary(op, self.r.atom()?),
                None => self.array(word)?,
            },
        })
    }

    fn combine(&mut self) -> Read<(Lambda, Atom, Atom)> {
        let params = self.binders()?;
        self.r.want_word("in")?;
        let array = self.r.atom()?;
        self.r.want_word("from")?;
        let neutral = self.r.atom()?;
        Ok((Lambda { params, body: self.body()? }, neutral, array))
    }

    fn repeat(&mut self) -> Read<Expr> {
        let state = self.binder()?;
        self.r.want("=")?;
        let init = self.r.atom()?;
        let form = if self.r.take_word("for") {
            let (name, index) = self.r.value()?;
            self.values.insert(index, Value { name, ty: Type::Scalar(ScalarType::I64) });
            self.r.want("<")?;
            LoopForm::For { index, count: self.r.atom()? }
        } else {
            self.r.want_word("while")?;
            LoopForm::While(self.body()?)
        };
        self.r.want_word("do")?;
        Ok(Expr::Loop { state, init, form, body: self.body()? })
    }
}
