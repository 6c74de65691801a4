//! The function being written: its values, the statements of the body that is open, and the steps all forms share.

use super::{Lowering, core_type};
use crate::signature::{Signature, SizedType};
use crate::typed::{Checked, LocalId, Pattern, PatternKind};
use crate::types::Ty;
use std::collections::BTreeSet;
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
    pub(super) checked: &'a Checked,
    pub(super) type_args: Vec<Type>,
    pub(super) values: IdVec<ValueId, Value>,
    /// In a test, the literals that became parameters.
    pub(super) arguments: Option<Vec<(ValueId, Data)>>,
    locals: Vec<Option<Atom>>,
    stmts: Vec<Stmt>,
    /// Integers that are lengths of arrays.
    lengths: BTreeSet<ValueId>,
    /// Values that a `let` may still name.
    unnamed: BTreeSet<ValueId>,
}

impl<'l, 'a> Lower<'l, 'a> {
    pub(super) fn new(all: &'l mut Lowering<'a>, checked: &'a Checked, type_args: Vec<Type>) -> Lower<'l, 'a> {
        Lower {
            all,
            checked,
            type_args,
            values: IdVec::new(),
            arguments: None,
            locals: vec![None; checked.locals.len()],
            stmts: Vec::new(),
            lengths: BTreeSet::new(),
            unnamed: BTreeSet::new(),
        }
    }

    /// Parameters, result and body of a function: its sizes first, then what they demand, then what it computes.
    pub(super) fn function(&mut self, header: &'a Signature) -> (Vec<ValueId>, Type, Body) {
        let params: Vec<ValueId> = header
            .params
            .iter()
            .map(|p| {
                let ty = self.ty(&p.ty.plain());
                self.value(&self.pattern_name(&p.pattern), ty)
            })
            .collect();
        let mut result = Type::Tuple(Vec::new());
        let body = self.body(|l| {
            for (param, value) in header.params.iter().zip(&params) {
                if let PatternKind::Name(id) = param.pattern.kind {
                    l.set_local(id, (*value).into());
                }
            }
            l.prologue(header, &params);
            for (param, value) in header.params.iter().zip(&params) {
                l.bind(&param.pattern, (*value).into(), param.ty_span);
            }
            let found = l.expr(&l.checked.body);
            let span = l.checked.body.span;
            match &header.result {
                Some((stated, _)) => {
                    let (found, ty) = l.ascribe(found, stated, span, Some(&l.checked.body));
                    result = ty;
                    found
                }
                None => {
                    result = l.type_of(found).without_sizes();
                    found
                }
            }
        });
        (params, result, body)
    }

    pub(super) fn ty(&self, ty: &Ty) -> Type {
        core_type(&self.checked.unifier, ty, &self.type_args)
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
        if matches!(expr, Expr::Length(_)) {
            self.lengths.insert(value);
        }
        self.stmts.push(Stmt { kind: StmtKind::Let { value, expr, after }, span });
        value.into()
    }

    pub(super) fn binary(&mut self, name: &str, op: BinOp, a: Atom, b: Atom, span: Span) -> Atom {
        let ty = if op.is_comparison() { BOOL } else { self.type_of(a) };
        self.emit(name, ty, Expr::Binary(op, a, b), span)
    }

    pub(super) fn check(&mut self, kind: CheckKind, cond: Atom, values: Vec<Atom>, span: Span) -> CheckId {
        let check = self.new_check(kind, span);
        self.stmts.push(Stmt { kind: StmtKind::Check { check, cond, values }, span });
        check
    }

    pub(super) fn new_check(&mut self, kind: CheckKind, span: Span) -> CheckId {
        self.all.checks.push(CheckInfo { kind, span })
    }

    pub(super) fn length(&mut self, array: Atom, span: Span) -> Atom {
        self.emit("len", I64, Expr::Length(array), span)
    }

    pub(super) fn set_local(&mut self, id: LocalId, atom: Atom) {
        self.locals[id.index()] = Some(atom);
    }

    pub(super) fn local(&self, id: LocalId) -> Atom {
        self.locals[id.index()].expect("names are bound before their use")
    }

    pub(super) fn find_local(&self, id: LocalId) -> Option<Atom> {
        self.locals.get(id.index()).copied().flatten()
    }

    pub(super) fn is_length(&self, value: ValueId) -> bool {
        self.lengths.contains(&value)
    }

    pub(super) fn mark_length(&mut self, atom: Atom) {
        self.lengths.extend(atom.var());
    }

    /// The name under which a whole pattern's value prints.
    pub(super) fn pattern_name(&self, pattern: &Pattern) -> String {
        match pattern.kind {
            PatternKind::Name(id) => self.checked.locals[id.index()].name.clone(),
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
                    self.values[v].name = self.checked.locals[id.index()].name.clone();
                }
                self.set_local(*id, atom);
            }
            PatternKind::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    if !matches!(part.kind, PatternKind::Wildcard) {
                        let component = self.project(atom, k, span);
                        self.bind(part, component, span);
                    }
                }
            }
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

    /// Whether a type as written would need an ascription on a value.
    pub(super) fn states_nested(ty: &SizedType) -> bool {
        ty.states_sizes(1)
    }
}
