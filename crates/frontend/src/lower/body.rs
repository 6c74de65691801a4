//! The function being written: its values, the statements of the body that is open, and the steps all forms share.

use super::closure::Portable;
use super::frame::Frame;
use super::types::core_type;
use super::{Lowering, is_function};
use crate::signature::Signature;
use crate::typed::{LocalId, Pattern, PatternKind};
use crate::types::Ty;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, Scalar, ScalarType, Span, convert};
use terrace_ir::check::{CheckId, CheckInfo, CheckKind};
use terrace_ir::core::{Body, Expr, Lambda, Stmt, StmtKind, Type, Value};
use terrace_ir::{Atom, ValueId};
use terrace_plan::data::Data;
use terrace_plan::messages::LENGTH_LIMIT;

pub(super) const I64: Type = Type::Scalar(ScalarType::I64);
pub(super) const BOOL: Type = Type::Scalar(ScalarType::Bool);

/// The function being written.
pub(super) struct Lower<'l, 'a> {
    pub(super) all: &'l mut Lowering<'a>,
    pub(super) values: IdVec<ValueId, Value>,
    /// In a test, the literals that became parameters.
    pub(super) arguments: Option<Vec<(ValueId, Data)>>,
    /// The functions of the program whose text is lowered into this one.
    pub(super) frames: Vec<Frame<'a>>,
    /// The frame whose names count now.
    pub(super) at: usize,
    /// Values made by a constructor, with what they hold.
    pub(super) variants: BTreeMap<ValueId, (usize, Vec<Atom>)>,
    /// What the size names of a declaration stand for, while the fields of one are checked.
    pub(super) declared_sizes: Vec<Option<Atom>>,
    stmts: Vec<Stmt>,
    /// Integers that are lengths of arrays.
    lengths: BTreeSet<ValueId>,
    /// Values that a `let` may still name.
    unnamed: BTreeSet<ValueId>,
}

impl<'l, 'a> Lower<'l, 'a> {
    pub(super) fn new(all: &'l mut Lowering<'a>, frame: Frame<'a>) -> Lower<'l, 'a> {
        Lower {
            all,
            values: IdVec::new(),
            arguments: None,
            frames: vec![frame],
            at: 0,
            variants: BTreeMap::new(),
            declared_sizes: Vec::new(),
            stmts: Vec::new(),
            lengths: BTreeSet::new(),
            unnamed: BTreeSet::new(),
        }
    }

    /// Parameters, which of them are consumed, result and body of a function.
    pub(super) fn function(
        &mut self,
        header: &'a Signature,
        given: &[Portable<'a>],
    ) -> (Vec<ValueId>, Vec<bool>, Type, Body) {
        let mut args = Vec::new();
        let mut params = Vec::new();
        for param in &header.params {
            if is_function(param) {
                args.push(None);
                continue;
            }
            let ty = self.ty(&param.ty.plain());
            let value = self.value(&self.pattern_name(&param.pattern), ty);
            params.push(value);
            args.push(Some(value.into()));
        }
        let mut consumed: Vec<bool> = header.params.iter().filter(|p| !is_function(p)).map(|p| p.consumed).collect();
        for (param, given) in header.params.iter().filter(|p| is_function(p)).zip(given) {
            let closure = self.unpack(given, &mut params);
            if let PatternKind::Name(id) = param.pattern.kind {
                self.frames[0].functions.insert(id, closure);
            }
        }
        consumed.resize(params.len(), false);
        let mut result = Type::Tuple(Vec::new());
        let mut body = self.body(|l| {
            let (found, ty) = l.run(header, &args, true);
            result = ty;
            found
        });
        if !self.variants.is_empty() {
            super::record::drop_unused_variants(&mut body);
        }
        (params, consumed, result, body)
    }

    /// What a function does with its arguments: its sizes first, then what they demand, then what it computes. `own` says
    /// whether the arguments are the parameters of the function being written.
    pub(super) fn run(&mut self, header: &'a Signature, args: &[Option<Atom>], own: bool) -> (Atom, Type) {
        for (param, arg) in header.params.iter().zip(args) {
            if let (PatternKind::Name(id), Some(atom)) = (&param.pattern.kind, arg) {
                self.set_local(*id, *atom);
            }
        }
        self.prologue(header, args, own);
        for (param, arg) in header.params.iter().zip(args) {
            if let Some(atom) = arg
                && !matches!(param.pattern.kind, PatternKind::Name(_))
            {
                self.bind(&param.pattern, *atom, param.ty_span);
            }
        }
        let source = &self.frame().checked.body;
        let found = self.expr(source);
        match &header.result {
            Some((stated, _)) => {
                let binders = self.bind_result_sizes(header, found, source.span);
                self.ascribe(found, stated, source.span, Some(source), &binders)
            }
            None => (found, self.type_of(found).without_sizes()),
        }
    }

    pub(super) fn frame(&self) -> &Frame<'a> {
        &self.frames[self.at]
    }

    pub(super) fn ty(&self, ty: &Ty) -> Type {
        self.ty_in(self.frame(), ty)
    }

    pub(super) fn ty_in(&self, frame: &Frame<'a>, ty: &Ty) -> Type {
        core_type(self.all.module, &frame.checked.unifier, ty, &frame.type_args)
    }

    /// The place that a statement gets: what a library function does belongs to its call.
    pub(super) fn place(&self, span: Span) -> Span {
        self.frame().place.unwrap_or(span)
    }

    pub(super) fn value(&mut self, name: &str, ty: Type) -> ValueId {
        self.values.push(Value { name: name.to_string(), ty })
    }

    pub(super) fn type_of(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(v) => self.values[v].ty.clone(),
            Atom::Const(s) => Type::Scalar(s.ty()),
        }
    }

    pub(super) fn scalar_type(&self, atom: Atom) -> ScalarType {
        self.type_of(atom).scalar().expect("inference gives operators scalars")
    }

    pub(super) fn elem_type(&self, array: Atom) -> Type {
        self.type_of(array).elem().expect("inference gives array operators arrays").without_sizes()
    }

    /// Writes the statements of an inner body.
    pub(super) fn body(&mut self, write: impl FnOnce(&mut Self) -> Atom) -> Body {
        let outer = std::mem::take(&mut self.stmts);
        let result = write(self);
        Body { stmts: std::mem::replace(&mut self.stmts, outer), result }
    }

    /// Writes a function in place.
    pub(super) fn lambda(
        &mut self,
        params: Vec<(String, Type)>,
        write: impl FnOnce(&mut Self, &[Atom]) -> Atom,
    ) -> Lambda {
        let params: Vec<ValueId> = params.into_iter().map(|(name, ty)| self.value(&name, ty)).collect();
        let atoms: Vec<Atom> = params.iter().map(|p| (*p).into()).collect();
        let body = self.body(|l| write(l, &atoms));
        Lambda { params, body }
    }

    pub(super) fn emit(&mut self, name: &str, ty: Type, expr: Expr, span: Span) -> Atom {
        self.emit_after(name, ty, expr, span, Vec::new())
    }

    pub(super) fn emit_after(&mut self, name: &str, ty: Type, expr: Expr, span: Span, after: Vec<CheckId>) -> Atom {
        let value = self.value(name, ty);
        self.unnamed.insert(value);
        match &expr {
            Expr::Length(_) => {
                self.lengths.insert(value);
            }
            Expr::Variant { tag, fields, .. } => {
                self.variants.insert(value, (*tag, fields.clone()));
            }
            _ => {}
        }
        let span = self.place(span);
        self.stmts.push(Stmt { kind: StmtKind::Let { value, expr, after }, span });
        value.into()
    }

    pub(super) fn binary(&mut self, name: &str, op: BinOp, a: Atom, b: Atom, span: Span) -> Atom {
        let ty = if op.is_comparison() { BOOL } else { self.type_of(a) };
        self.emit(name, ty, Expr::Binary(op, a, b), span)
    }

    pub(super) fn check(&mut self, kind: CheckKind, cond: Atom, values: Vec<Atom>, span: Span) -> CheckId {
        let span = self.place(span);
        let check = self.new_check(kind, span);
        self.stmts.push(Stmt { kind: StmtKind::Check { check, cond, values, proved: false }, span });
        check
    }

    pub(super) fn new_check(&mut self, kind: CheckKind, span: Span) -> CheckId {
        let span = self.place(span);
        self.all.checks.push(CheckInfo { kind, span })
    }

    pub(super) fn length(&mut self, array: Atom, span: Span) -> Atom {
        self.emit("len", I64, Expr::Length(array), span)
    }

    pub(super) fn set_local(&mut self, id: LocalId, atom: Atom) {
        self.frames[self.at].locals.insert(id, atom);
    }

    pub(super) fn local(&self, id: LocalId) -> Atom {
        self.find_local(id).expect("names are bound before their use")
    }

    pub(super) fn find_local(&self, id: LocalId) -> Option<Atom> {
        self.frame().locals.get(&id).copied()
    }

    pub(super) fn local_name(&self, id: LocalId) -> &'a str {
        &self.frame().checked.locals[id.index()].name
    }

    pub(super) fn is_length(&self, value: ValueId) -> bool {
        self.lengths.contains(&value)
    }

    pub(super) fn mark_length(&mut self, atom: Atom) {
        self.lengths.extend(atom.var());
    }

    /// Says that the first name given to these values is theirs.
    pub(super) fn may_be_named(&mut self, atoms: &[Atom]) {
        self.unnamed.extend(atoms.iter().filter_map(|a| a.var()));
    }

    /// The name under which a whole pattern's value prints.
    pub(super) fn pattern_name(&self, pattern: &Pattern) -> String {
        match pattern.kind {
            PatternKind::Name(id) => self.local_name(id).to_string(),
            _ => "elem".to_string(),
        }
    }

    /// Binds the names of a pattern to a value and its parts.
    pub(super) fn bind(&mut self, pattern: &Pattern, atom: Atom, span: Span) {
        match &pattern.kind {
            PatternKind::Wildcard => {}
            PatternKind::Name(id) => {
                if let Atom::Var(v) = atom
                    && self.unnamed.remove(&v)
                {
                    self.values[v].name = self.local_name(*id).to_string();
                }
                self.set_local(*id, atom);
            }
            PatternKind::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    self.bind_component(part, atom, k, span);
                }
            }
            PatternKind::Record(fields) => {
                for (k, part) in fields {
                    self.bind_component(part, atom, *k, span);
                }
            }
            PatternKind::Variant { tag, fields } => {
                let parts = self.variant_fields(atom, *tag, span);
                for (field, part) in fields.iter().zip(parts) {
                    self.bind(field, part, span);
                }
            }
            PatternKind::Literal(_) | PatternKind::Or(_) => {
                unreachable!("only matches have these, and take them apart")
            }
        }
    }

    fn bind_component(&mut self, pattern: &Pattern, tuple: Atom, k: usize, span: Span) {
        if !matches!(pattern.kind, PatternKind::Wildcard) {
            let component = self.project(tuple, k, span);
            self.bind(pattern, component, span);
        }
    }

    pub(super) fn project(&mut self, tuple: Atom, k: usize, span: Span) -> Atom {
        let ty = match self.type_of(tuple) {
            Type::Tuple(parts) => parts[k].without_sizes(),
            _ => unreachable!("inference takes only tuples apart"),
        };
        self.emit("part", ty, Expr::Project(tuple, k), span)
    }

    /// An integer of any type as an `i64`; what does not fit becomes the largest, which no array reaches.
    pub(super) fn as_i64(&mut self, atom: Atom, span: Span) -> Atom {
        match (atom, self.scalar_type(atom)) {
            (_, ScalarType::I64) => atom,
            (Atom::Const(Scalar::U64(n)), _) => Atom::int(n.min(i64::MAX as u64) as i64),
            (Atom::Const(s), _) => Atom::Const(convert(s, ScalarType::I64)),
            (_, ScalarType::U64) => {
                let limit = Atom::Const(Scalar::U64(i64::MAX as u64));
                let capped = self.binary("t", BinOp::Min, atom, limit, span);
                self.emit("k", I64, Expr::Convert(ScalarType::I64, capped), span)
            }
            _ => self.emit("k", I64, Expr::Convert(ScalarType::I64, atom), span),
        }
    }

    /// A count of elements as an `i64`, with its check where it may fail.
    pub(super) fn count(&mut self, atom: Atom, span: Span) -> (Atom, Vec<CheckId>) {
        let count = self.as_i64(atom, span);
        let is_length = match count {
            Atom::Const(s) => s.as_i64().is_some_and(|n| (0..=LENGTH_LIMIT).contains(&n)),
            Atom::Var(v) => self.is_length(v),
        };
        if is_length {
            return (count, Vec::new());
        }
        let low = self.binary("ok", BinOp::Le, Atom::int(0), count, span);
        let high = self.binary("ok", BinOp::Le, count, Atom::int(LENGTH_LIMIT), span);
        let ok = self.binary("ok", BinOp::And, low, high, span);
        let check = self.check(CheckKind::Length, ok, vec![count], span);
        (count, vec![check])
    }
}
