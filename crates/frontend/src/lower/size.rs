//! Sizes that types state: bound, checked, or made part of Core types.
//!
//! ```text
//! def f[n](m: [i < n][i + 1]f32, v: [n]f32)
//!
//!   m : [i_3 < n_2][i_3 + 1]f32      the rows of a parameter are as stated: the caller has checked it
//!   let n_2 : i64 = length m_0       the outermost n binds
//!   let len_4 : i64 = length v_1
//!   let ok_5 : bool = eq len_4 n_2
//!   check 0 size ok_5 (len_4, n_2)   every other outermost length is checked here
//! ```
//!
//! A caller inside the program passes an argument with nested sizes through an `ascribe`, unless its type states them
//! already; arguments from outside are checked by whoever runs the program. Results and annotated lets are checked where they
//! stand: outermost lengths by a check, nested ones by an `ascribe`.

use super::body::{I64, Lower};
use crate::errors;
use crate::signature::{Signature, SizeExpr, SizedArray, SizedType, Step, binder_of};
use crate::typed::{self, LocalId};
use std::collections::BTreeMap;
use terrace_algebra::{Size, SizeVar};
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::check::CheckKind;
use terrace_ir::core::{ArrayType, Expr, Type};
use terrace_ir::{Atom, ValueId, size_var};

/// What size names stand for: of this function, or of one that it calls.
type Names<'n> = &'n BTreeMap<LocalId, Atom>;

impl Lower<'_, '_> {
    /// Gives declared sizes their values, states the sizes of parameters, and checks what the lengths must be.
    pub(super) fn prologue(&mut self, header: &Signature, params: &[ValueId]) {
        let mut names = BTreeMap::new();
        for (param, value) in header.params.iter().zip(params) {
            if let typed::PatternKind::Name(id) = param.pattern.kind {
                names.insert(id, Atom::Var(*value));
            }
        }
        for id in &header.sizes {
            let binder = binder_of(*id, &header.params).expect("headers determine their sizes");
            let span = header.params[binder.param].ty_span;
            let n = self.length_at(params[binder.param].into(), &binder.path, span);
            if let Atom::Var(v) = n {
                self.values[v].name = header.locals[id.index()].name.clone();
            }
            self.set_local(*id, n);
            names.insert(*id, n);
        }
        for (k, (param, value)) in header.params.iter().zip(params).enumerate() {
            let ty = self.stated_type(&param.ty, &names, &mut BTreeMap::new(), true, &mut |path, array| {
                binds(header, k, path, array)
            });
            self.values[*value].ty = ty;
            self.check_lengths((*value).into(), &param.ty, &names, None, &mut |path, array| {
                binds(header, k, path, array)
            });
        }
    }

    /// The length of the array at the end of a path; 0 where there is no first element to go through.
    fn length_at(&mut self, value: Atom, path: &[Step], span: Span) -> Atom {
        let n = match path.split_first() {
            None => self.length(value, span),
            Some((Step::Component(k), rest)) => {
                let part = self.project(value, *k, span);
                self.length_at(part, rest, span)
            }
            Some((Step::First, rest)) => {
                let len = self.length(value, span);
                let some = self.binary("some", BinOp::Lt, Atom::int(0), len, span);
                let elem = self.elem_type(value);
                let then = self.body(|l| {
                    let index = Atom::int(0);
                    let first = l.emit("first", elem, Expr::Index { array: value, index }, span);
                    l.length_at(first, rest, span)
                });
                let otherwise = self.body(|_| Atom::int(0));
                self.emit("len", I64, Expr::If { cond: some, then, otherwise }, span)
            }
        };
        self.mark_length(n);
        n
    }

    /// The Core type of a type as written. `outermost` says whether the array is outermost; there a length is stated only
    /// where `keep` agrees.
    fn stated_type(
        &mut self,
        ty: &SizedType,
        names: Names<'_>,
        positions: &mut BTreeMap<LocalId, SizeVar>,
        outermost: bool,
        keep: &mut dyn FnMut(&[Step], &SizedArray) -> bool,
    ) -> Type {
        let mut path = Vec::new();
        self.stated_at(ty, names, positions, outermost, keep, &mut path)
    }

    fn stated_at(
        &mut self,
        ty: &SizedType,
        names: Names<'_>,
        positions: &mut BTreeMap<LocalId, SizeVar>,
        outermost: bool,
        keep: &mut dyn FnMut(&[Step], &SizedArray) -> bool,
        path: &mut Vec<Step>,
    ) -> Type {
        match ty {
            SizedType::Tuple(parts) => {
                let mut types = Vec::new();
                for (k, part) in parts.iter().enumerate() {
                    path.push(Step::Component(k));
                    types.push(self.stated_at(part, names, positions, outermost, keep, path));
                    path.pop();
                }
                Type::Tuple(types)
            }
            SizedType::Array(array) => {
                let states = !outermost || keep(path, array);
                let length = array.size.as_ref().filter(|_| states).map(|s| symbolic(s, names, positions));
                let position = array.position.as_ref().map(|(id, name)| {
                    let var = size_var(self.value(name, I64));
                    positions.insert(*id, var);
                    var
                });
                path.push(Step::First);
                let elem = self.stated_at(&array.elem, names, positions, false, keep, path);
                path.pop();
                Type::Array(Box::new(ArrayType { length, position, elem }))
            }
            other => self.ty(&other.plain()),
        }
    }

    /// Checks the outermost lengths that a type states, except where `skip` says that they hold by definition.
    fn check_lengths(
        &mut self,
        value: Atom,
        ty: &SizedType,
        names: Names<'_>,
        at: Option<Span>,
        skip: &mut dyn FnMut(&[Step], &SizedArray) -> bool,
    ) {
        let mut path = Vec::new();
        self.check_lengths_at(value, ty, names, at, skip, &mut path);
    }

    fn check_lengths_at(
        &mut self,
        value: Atom,
        ty: &SizedType,
        names: Names<'_>,
        at: Option<Span>,
        skip: &mut dyn FnMut(&[Step], &SizedArray) -> bool,
        path: &mut Vec<Step>,
    ) {
        match ty {
            SizedType::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    if part.states_sizes(0) {
                        path.push(Step::Component(k));
                        let component = self.project(value, k, at.unwrap_or(Span::none()));
                        self.check_lengths_at(component, part, names, at, skip, path);
                        path.pop();
                    }
                }
            }
            SizedType::Array(array) => {
                if let Some(size) = &array.size
                    && !skip(path, array)
                {
                    let span = at.unwrap_or(array.span);
                    let wanted = self.size_value(size, names, span);
                    let found = self.length(value, span);
                    let ok = self.binary("ok", BinOp::Eq, found, wanted, span);
                    self.check(CheckKind::Size(array.text.clone()), ok, vec![found, wanted], span);
                }
            }
            _ => {}
        }
    }

    /// A size as a value of Core.
    fn size_value(&mut self, size: &SizeExpr, names: Names<'_>, span: Span) -> Atom {
        let two = |l: &mut Self, op, a: &SizeExpr, b: &SizeExpr| {
            let (a, b) = (l.size_value(a, names, span), l.size_value(b, names, span));
            l.binary("size", op, a, b, span)
        };
        match size {
            SizeExpr::Const(n) => Atom::int(*n),
            SizeExpr::Name(id) => {
                let atom = names.get(id).copied().unwrap_or_else(|| self.local(*id));
                self.as_i64(atom, span)
            }
            SizeExpr::Add(a, b) => two(self, BinOp::Add, a, b),
            SizeExpr::Sub(a, b) => two(self, BinOp::Sub, a, b),
            SizeExpr::Mul(a, b) => two(self, BinOp::Mul, a, b),
            SizeExpr::Min(a, b) => two(self, BinOp::Min, a, b),
            SizeExpr::Max(a, b) => two(self, BinOp::Max, a, b),
            SizeExpr::Div(a, d) => two(self, BinOp::Div, a, &SizeExpr::Const(*d)),
            SizeExpr::Rem(a, d) => two(self, BinOp::Rem, a, &SizeExpr::Const(*d)),
        }
    }

    /// A value under a stated type: checked here, and with that type from here on.
    pub(super) fn ascribe(
        &mut self,
        value: Atom,
        stated: &SizedType,
        span: Span,
        source: Option<&typed::Expr>,
    ) -> (Atom, Type) {
        if !stated.states_sizes(0) {
            let ty = self.type_of(value).without_sizes();
            return (value, ty);
        }
        if let Some(source) = source {
            self.refuse_impossible(source, stated);
        }
        let names = self.names_in_scope();
        let ty = self.stated_type(stated, &names, &mut BTreeMap::new(), true, &mut |_, _| true);
        self.check_lengths(value, stated, &names, Some(span), &mut |_, _| false);
        if !Self::states_nested(stated) {
            return (value, ty);
        }
        let check = self.new_check(CheckKind::Size(nested_text(stated)), span);
        let atom = self.emit("stated", ty.clone(), Expr::Ascribe { value, ty: ty.clone(), check }, span);
        (atom, ty)
    }

    fn names_in_scope(&self) -> BTreeMap<LocalId, Atom> {
        let ids = (0..self.checked.locals.len()).map(LocalId::new);
        ids.filter_map(|id| Some((id, self.find_local(id)?))).collect()
    }

    // A literal shows its length: a constant size that differs is a mistake for certain.
    fn refuse_impossible(&mut self, source: &typed::Expr, stated: &SizedType) {
        if let (typed::Kind::Array(elems), SizedType::Array(array)) = (&source.kind, stated) {
            if let Some(SizeExpr::Const(wanted)) = array.size
                && wanted != elems.len() as i64
            {
                let found = elems.len() as i64;
                let report = errors::impossible_size(&array.text, wanted, found, array.span, source.span);
                self.all.reports.push(report);
            }
            elems.iter().for_each(|e| self.refuse_impossible(e, &array.elem));
        }
    }

    /// Arguments under the nested sizes that the called function's parameters state.
    pub(super) fn ascribe_arguments(&mut self, header: &Signature, args: &mut [Atom], type_args: &[Type], span: Span) {
        if !header.params.iter().any(|p| Self::states_nested(&p.ty)) {
            return;
        }
        let mut names = BTreeMap::new();
        for (param, arg) in header.params.iter().zip(args.iter()) {
            if let typed::PatternKind::Name(id) = param.pattern.kind {
                names.insert(id, *arg);
            }
        }
        for id in &header.sizes {
            let binder = binder_of(*id, &header.params).expect("headers determine their sizes");
            let n = self.length_at(args[binder.param], &binder.path, span);
            names.insert(*id, n);
        }
        for (k, (param, arg)) in header.params.iter().zip(args).enumerate() {
            if !Self::states_nested(&param.ty) {
                continue;
            }
            let saved = std::mem::replace(&mut self.type_args, type_args.to_vec());
            let ty = self.stated_type(&param.ty, &names, &mut BTreeMap::new(), true, &mut |path, array| {
                binds(header, k, path, array)
            });
            self.type_args = saved;
            if states_the_same(&self.type_of(*arg), &ty) {
                continue;
            }
            let check = self.new_check(CheckKind::Size(nested_text(&param.ty)), span);
            *arg = self.emit("stated", ty.clone(), Expr::Ascribe { value: *arg, ty, check }, span);
        }
    }
}

/// Whether this place of this parameter gives the size its value.
fn binds(header: &Signature, param: usize, path: &[Step], array: &SizedArray) -> bool {
    let Some(SizeExpr::Name(id)) = array.size else {
        return false;
    };
    header.sizes.contains(&id) && binder_of(id, &header.params).is_some_and(|b| b.param == param && b.path == path)
}

fn symbolic(size: &SizeExpr, names: Names<'_>, positions: &BTreeMap<LocalId, SizeVar>) -> Size {
    let of = |s: &SizeExpr| symbolic(s, names, positions);
    match size {
        SizeExpr::Const(n) => Size::constant(*n),
        SizeExpr::Name(id) => match (positions.get(id), names.get(id)) {
            (Some(position), _) => Size::var(*position),
            (None, Some(Atom::Var(v))) => Size::var(size_var(*v)),
            (None, Some(Atom::Const(s))) => Size::constant(constant(*s)),
            (None, None) => unreachable!("sizes mention names in scope"),
        },
        SizeExpr::Add(a, b) => of(a) + of(b),
        SizeExpr::Sub(a, b) => of(a) - of(b),
        SizeExpr::Mul(a, b) => of(a) * of(b),
        SizeExpr::Div(a, d) => of(a).floor_div(*d).expect("headers divide sizes by positive constants"),
        SizeExpr::Rem(a, d) => of(a).floor_mod(*d).expect("headers divide sizes by positive constants"),
        SizeExpr::Min(a, b) => of(a).minimum(&of(b)),
        SizeExpr::Max(a, b) => of(a).maximum(&of(b)),
    }
}

fn constant(s: Scalar) -> i64 {
    terrace_base::convert(s, ScalarType::I64).as_i64().unwrap_or(0)
}

/// The first nested size, as written: what an ascription's message shows.
fn nested_text(ty: &SizedType) -> String {
    fn find(ty: &SizedType, outermost: bool) -> Option<String> {
        match ty {
            SizedType::Tuple(parts) => parts.iter().find_map(|p| find(p, outermost)),
            SizedType::Array(array) if !outermost && array.size.is_some() => Some(array.text.clone()),
            SizedType::Array(array) => find(&array.elem, false),
            _ => None,
        }
    }
    find(ty, true).unwrap_or_default()
}

/// Whether a value's type states every nested size of another type, under whatever names for positions.
fn states_the_same(have: &Type, want: &Type) -> bool {
    fn same(have: &Type, want: &Type, outermost: bool, rename: &mut Vec<(SizeVar, SizeVar)>) -> bool {
        match (have, want) {
            (Type::Tuple(a), Type::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y, outermost, rename))
            }
            (Type::Array(a), Type::Array(b)) => {
                let lengths = match (&a.length, &b.length) {
                    _ if outermost => true,
                    (_, None) => true,
                    (Some(x), Some(y)) => {
                        let y = y.substitute_all(&|v| {
                            rename.iter().rev().find(|(from, _)| *from == v).map(|(_, to)| Size::var(*to))
                        });
                        *x == y
                    }
                    (None, Some(_)) => false,
                };
                let named = rename.len();
                if let (Some(x), Some(y)) = (a.position, b.position) {
                    rename.push((y, x));
                }
                let elems = same(&a.elem, &b.elem, false, rename);
                rename.truncate(named);
                lengths && elems
            }
            _ => true,
        }
    }
    same(have, want, true, &mut Vec::new())
}
