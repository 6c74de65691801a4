//! Flat and Mem from text: what [`super::print`] writes, read back.
//!
//! Line ends and indentation mean nothing. The number of a value is part of its name, so the table of values is filled as
//! bindings are met. `[xs_1]` is an irregular dimension when `xs_1` was bound as a column, else a regular one.
//! [`erase_spans`] takes from a program what its text does not say, and then print and parse are inverse.

use super::note::Note;
use super::visit::{bound_values, formal_indices, walk_mut};
use super::{
    Body, Descriptor, Expr, Function, Level, Op, OpKind, Operator, Program, Role, Rows, ScanForm, SortForm, Stmt,
    ThresholdId, Type, Value,
};
use crate::mem::Place;
use crate::text::read::{Read, Reader};
use crate::{Atom, ValueId};
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::{Dim, Lmad};
use terrace_base::{IdVec, ScalarType, Span, UnOp};

/// The program that a text says, without spans; the message names the line.
pub fn parse<A: Note>(text: &str) -> Result<Program<A>, String> {
    let mut parser = Parser { r: Reader::new(text)?, values: BTreeMap::new() };
    let checks = parser.r.checks()?;
    let thresholds = parser.r.thresholds()?;
    let mut functions = IdVec::new();
    while !parser.r.at_end() {
        functions.push(parser.function()?);
    }
    Ok(Program { functions, checks, thresholds })
}

/// Takes from a program what its text does not say: spans, and what is known about values that nothing binds.
pub fn erase_spans<A: Note>(program: &mut Program<A>) {
    program.checks.iter_mut().for_each(|c| c.span = Span::none());
    for function in program.functions.iter_mut() {
        function.span = Span::none();
        walk_mut(&mut function.body, &mut |stmt| stmt.span = Span::none());
        let bound: BTreeSet<ValueId> = function.params.iter().copied().chain(bound_values(&function.body)).collect();
        let formal = formal_indices(&function.body);
        let known = function.values.enumerate().filter_map(|(id, value)| {
            if bound.contains(&id) {
                return Some((id, value.clone()));
            }
            formal.contains(&id).then(|| scalar(value.name.clone(), ScalarType::I64)).flatten().map(|v| (id, v))
        });
        function.values = table(known.collect());
    }
}

fn scalar<A: Note>(name: String, s: ScalarType) -> Option<Value<A>> {
    Some(Value { name, ty: Type::Scalar(s), bound: None, at: A::of(None)? })
}

/// The table with what is known, and holes in between.
fn table<A: Note>(mut known: BTreeMap<ValueId, Value<A>>) -> IdVec<ValueId, Value<A>> {
    let count = known.keys().next_back().map_or(0, |last| last.index() + 1);
    let hole = || scalar(String::new(), ScalarType::Bool);
    (0..count).filter_map(|i| known.remove(&ValueId::new(i)).or_else(hole)).collect()
}

struct Parser<'a, A> {
    r: Reader<'a>,
    values: BTreeMap<ValueId, Value<A>>,
}

impl<A: Note> Parser<'_, A> {
    fn function(&mut self) -> Read<Function<A>> {
        let (word, mut test) = (self.r.word()?, None);
        match word.as_str() {
            "def" | "entry" => {}
            "test" => test = Some(self.r.string()?),
            _ => return self.r.fail("a function is wanted here"),
        }
        let name = self.r.function_name()?;
        self.r.want("(")?;
        let params = self.binders(")")?;
        self.r.want("->")?;
        self.r.want("(")?;
        let results = self.separated(")", Self::ty)?;
        let role = match test {
            Some(name) => {
                self.r.want_word("with")?;
                self.r.want("(")?;
                Role::Test { name, arguments: self.r.list(")", &mut |r| r.data())? }
            }
            None if word == "entry" => Role::Entry,
            None => Role::Internal,
        };
        let param_layouts = if self.r.take_word("takes") { self.r.some(&mut |r| r.layout())? } else { Vec::new() };
        let result_layout = if self.r.take_word("gives") { Some(self.r.layout()?) } else { None };
        let owned = if self.r.take_word("owns") { self.r.some(&mut |r| Ok(r.value()?.1))? } else { Vec::new() };
        let body = self.body()?;
        let values = table(std::mem::take(&mut self.values));
        let span = Span::none();
        Ok(Function { name, role, values, params, owned, param_layouts, results, result_layout, body, span })
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

    fn ty(&mut self) -> Read<Type> {
        if self.r.take_word("block") {
            return Ok(Type::Block);
        }
        let elem = self.r.scalar_type()?;
        if !self.r.take("[") {
            return Ok(Type::Scalar(elem));
        }
        let length = self.r.size()?;
        self.r.want("]")?;
        Ok(Type::Column { elem, length })
    }

    fn binder(&mut self) -> Read<ValueId> {
        let (name, id) = self.r.value()?;
        self.r.want(":")?;
        let ty = self.ty()?;
        self.bound_and_place(name, id, ty)
    }

    fn index_binder(&mut self) -> Read<ValueId> {
        let (name, id) = self.r.value()?;
        self.bound_and_place(name, id, Type::Scalar(ScalarType::I64))
    }

    fn bound_and_place(&mut self, name: String, id: ValueId, ty: Type) -> Read<ValueId> {
        let bound = if self.r.take("<=") { Some(self.r.size()?) } else { None };
        let place = if self.r.take("@") { Some(self.place()?) } else { None };
        let Some(at) = A::of(place) else {
            return self.r.fail("places belong to Mem");
        };
        self.values.insert(id, Value { name, ty, bound, at });
        Ok(id)
    }

    fn place(&mut self) -> Read<Place> {
        let block = self.r.value_id()?;
        self.r.want("+")?;
        let offset = self.r.size()?;
        self.r.want("{")?;
        let dims = self.r.list("}", &mut |r| {
            let count = r.size()?;
            r.want_word("by")?;
            Ok(Dim { count, stride: r.size()? })
        })?;
        Ok(Place { block, index: Lmad { offset, dims } })
    }

    fn binders(&mut self, end: &str) -> Read<Vec<ValueId>> {
        self.separated(end, Self::binder)
    }

    fn body(&mut self) -> Read<Body> {
        self.r.want("{")?;
        let mut body = Body::default();
        while !self.r.is_sign("}") {
            if self.r.take("=>") {
                body.results = self.r.some(&mut |r| r.atom())?;
                break;
            }
            body.stmts.push(self.stmt()?);
            self.r.take(";");
        }
        self.r.want("}")?;
        Ok(body)
    }

    fn stmt(&mut self) -> Read<Stmt> {
        let span = Span::none();
        if self.r.is_word("check") {
            return Ok(Stmt { binds: Vec::new(), expr: self.expr()?, span });
        }
        self.r.want_word("let")?;
        let mut binds = Vec::new();
        if self.r.take("(") {
            self.r.want(")")?;
        } else {
            binds.push(self.binder()?);
            while self.r.take(",") {
                binds.push(self.binder()?);
            }
        }
        self.r.want("=")?;
        Ok(Stmt { binds, expr: self.expr()?, span })
    }

    fn expr(&mut self) -> Read<Expr> {
        if self.r.take("[") {
            return Ok(Expr::Literal(self.r.atoms("]")?));
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
        const WORDS: [&str; 20] = [
            "fma",
            "select",
            "size",
            "check",
            "if",
            "loop",
            "call",
            "keep",
            "take",
            "memory_limit",
            "guard",
            "alloc",
            "map",
            "reduce",
            "scan",
            "pack",
            "scatter",
            "hist",
            "sort",
            "concat",
        ];
        let unary = UnOp::ALL.into_iter().map(UnOp::word);
        let word = WORDS.into_iter().chain(unary).find(|w| self.r.is_word(w))?;
        self.r.take_word(word);
        Some(word.to_string())
    }

    /// An expression that starts with an operand.
    fn plain(&mut self) -> Read<Expr> {
        let first = self.r.atom()?;
        if let Atom::Var(column) = first
            && self.r.take("[")
        {
            let at = self.r.atom()?;
            self.r.want("]")?;
            return Ok(Expr::Read { column, at });
        }
        match self.r.binary() {
            Some(op) => Ok(Expr::Binary(op, first, self.r.atom()?)),
            None => Ok(Expr::Atom(first)),
        }
    }

    fn three(&mut self) -> Read<(Atom, Atom, Atom)> {
        self.r.want("(")?;
        match self.r.atoms(")")?.as_slice() {
            [a, b, c] => Ok((*a, *b, *c)),
            _ => self.r.fail("three operands are wanted"),
        }
    }

    fn worded(&mut self, word: &str) -> Read<Expr> {
        Ok(match word {
            "fma" => {
                let (a, b, c) = self.three()?;
                Expr::Fma(a, b, c)
            }
            "select" => {
                let (a, b, c) = self.three()?;
                Expr::Select(a, b, c)
            }
            "size" => Expr::Size(self.r.size()?),
            "check" => {
                let (check, cond, values) = self.r.check_stmt()?;
                Expr::Check { check, cond, values }
            }
            "if" => {
                let cond = self.r.atom()?;
                let then = self.body()?;
                self.r.want_word("else")?;
                Expr::If { cond, then, otherwise: self.body()? }
            }
            "loop" => {
                let mut state = Vec::new();
                while !self.r.take_word("while") {
                    let v = self.binder()?;
                    self.r.want("=")?;
                    state.push((v, self.r.atom()?));
                    self.r.take(",");
                }
                let cond = self.body()?;
                self.r.want_word("do")?;
                Expr::Loop { state, cond, body: self.body()? }
            }
            "call" => {
                let function = self.r.function()?;
                self.r.want("(")?;
                Expr::Call { function, args: self.r.atoms(")")? }
            }
            "keep" => {
                let function = self.r.function()?;
                self.r.want("(")?;
                Expr::Keep { function, args: self.r.atoms(")")? }
            }
            "take" => Expr::Take(self.r.atom()?),
            "memory_limit" => Expr::MemoryLimit,
            "guard" => {
                let threshold = ThresholdId::new(self.r.number()?);
                self.r.string()?;
                Expr::Guard { threshold, quantity: self.r.atom()? }
            }
            "alloc" => Expr::Alloc { elem: self.r.scalar_type()?, count: self.r.size()? },
            "concat" => {
                self.r.want("(")?;
                Expr::Concat(self.r.list(")", &mut |r| r.value_id())?)
            }
            "map" | "reduce" | "scan" | "pack" | "scatter" | "hist" | "sort" => Expr::Op(Box::new(self.op(word)?)),
            word => match UnOp::from_word(word) {
                Some(op) => Expr::Unary(op, self.r.atom()?),
                None => return self.r.fail("an expression is wanted here"),
            },
        })
    }

    fn op(&mut self, word: &str) -> Read<Op> {
        let level = match self.r.word()?.as_str() {
            "grid" => Level::Grid,
            "block" => Level::Block,
            "thread" => Level::Thread,
            other => return self.r.fail(format!("there is no level {other}")),
        };
        let mut space = Vec::new();
        while self.r.take("[") {
            space.push(self.dimension()?);
            self.r.want("]")?;
        }
        self.r.want("(")?;
        let indices = self.separated("|", Self::index_binder)?;
        let positions = self.separated(")", Self::index_binder)?;
        let kind = match word {
            "map" => OpKind::Map {
                rows: match self.r.take_word("rows") {
                    true if self.r.take_word("of") => Some(Rows::Apart(self.r.atom()?)),
                    true => Some(Rows::From(self.r.value_id()?)),
                    false => None,
                },
            },
            "reduce" => {
                let (operator, neutral) = self.combine()?;
                OpKind::Reduce { operator, neutral, masked: self.r.take_word("masked") }
            }
            "scan" => {
                let (operator, neutral) = self.combine()?;
                let form = if self.r.take_word("offsets") {
                    ScanForm::Offsets
                } else {
                    self.r.want_word("inclusive")?;
                    ScanForm::Inclusive
                };
                OpKind::Scan { operator, neutral, form }
            }
            "scatter" => {
                self.r.want_word("into")?;
                let none = self.r.is_sign("{") || self.r.is_word("distinct");
                let dest = if none { Vec::new() } else { self.r.some(&mut |r| r.value_id())? };
                OpKind::Scatter { dest, distinct: self.r.take_word("distinct") }
            }
            "hist" => {
                self.r.want_word("bins")?;
                let count = self.r.atom()?;
                let (operator, neutral) = self.combine()?;
                OpKind::Hist { operator, neutral, count }
            }
            "sort" => {
                let form = if self.r.take_word("keys") { SortForm::Keys } else { SortForm::Order };
                OpKind::Sort { form }
            }
            _ => OpKind::Pack,
        };
        Ok(Op { level, space, indices, positions, body: self.body()?, kind })
    }

    fn combine(&mut self) -> Read<(Operator, Vec<Atom>)> {
        self.r.want_word("by")?;
        if !self.r.is_sign("(") {
            return self.combine_by_one();
        }
        self.r.want("(")?;
        let left = self.binders("|")?;
        let right = self.binders(")")?;
        let body = self.body()?;
        self.r.want_word("from")?;
        let neutral = if self.r.is_sign("{") { Vec::new() } else { self.r.some(&mut |r| r.atom())? };
        Ok((Operator { left, right, body }, neutral))
    }

    /// `by t_3 : f64 = a_1 + b_2 from 0.0`: one scalar operation, whose operands have the type of its result.
    fn combine_by_one(&mut self) -> Read<(Operator, Vec<Atom>)> {
        let bind = self.binder()?;
        self.r.want("=")?;
        let left = self.operand_like(bind)?;
        let Some(op) = self.r.binary() else { return self.r.fail("an operation of two operands is wanted here") };
        let right = self.operand_like(bind)?;
        self.r.want_word("from")?;
        let neutral = self.r.some(&mut |r| r.atom())?;
        let expr = Expr::Binary(op, left.into(), right.into());
        let stmt = Stmt { binds: vec![bind], expr, span: Span::none() };
        let body = Body { stmts: vec![stmt], results: vec![bind.into()] };
        Ok((Operator { left: vec![left], right: vec![right], body }, neutral))
    }

    /// A value that is bound here, with the type of another one.
    fn operand_like(&mut self, other: ValueId) -> Read<ValueId> {
        let (name, id) = self.r.value()?;
        let Some(ty) = self.values.get(&other).map(|v| v.ty.clone()) else { return self.r.fail("a type is missing") };
        self.bound_and_place(name, id, ty)
    }

    fn dimension(&mut self) -> Read<Descriptor> {
        if self.r.take("(") {
            let around = self.r.list(")", &mut |r| r.value())?;
            let length = self.r.size()?;
            for (name, id) in &around {
                if let Some(value) = scalar(name.clone(), ScalarType::I64) {
                    self.values.entry(*id).or_insert(value);
                }
            }
            return Ok(Descriptor::Closed { around: around.into_iter().map(|(_, id)| id).collect(), length });
        }
        if self.r.take_word("per") {
            let depth = self.r.number()?;
            let lengths = self.r.value_id()?;
            self.r.want_word("from")?;
            return Ok(Descriptor::PerAncestor { depth, lengths, base: self.r.value_id()? });
        }
        let atom = self.r.atom()?;
        match atom {
            Atom::Var(off) if self.values.get(&off).is_some_and(|v| v.ty.is_column()) => {
                let start = if self.r.take_word("at") { Some(self.r.value_id()?) } else { None };
                Ok(Descriptor::Irregular { off, start })
            }
            _ => Ok(Descriptor::Regular(atom)),
        }
    }
}
