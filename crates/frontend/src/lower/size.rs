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
//!
//! Sizes that mention size functions or `if`, and sizes inside enums, are no part of Core types: they are checked by
//! statements, wherever they are stated (`size_check.rs`).

use super::body::{I64, Lower};
use super::free::Mentioned;
use super::size_check::{is_explicit, states_symbolic};
use super::types::core_type;
use crate::errors;
use crate::signature::{Signature, SizeExpr, SizedArray, SizedType, Step, binder_of, function_binder_of};
use crate::typed::{self, LocalId};
use std::collections::BTreeMap;
use terrace_algebra::{Size, SizeVar};
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::check::CheckKind;
use terrace_ir::core::{ArrayType, Expr, Type};
use terrace_ir::{Atom, size_var};

/// What size names stand for: of this function, or of one that it calls.
pub(super) type Names<'n> = &'n BTreeMap<LocalId, Atom>;

/// The places of a parameter or result that give sizes their values.
type Binders = Vec<Vec<Step>>;

/// What the Core type of a type as written depends on.
struct Statement<'n> {
    names: Names<'n>,
    type_args: &'n [Type],
    /// Where an outermost length is stated; none: everywhere.
    keep: Option<&'n Binders>,
    positions: BTreeMap<LocalId, SizeVar>,
}

impl<'a> Lower<'_, 'a> {
    /// Gives declared sizes their values, states the sizes of parameters if they are the function's `own`, and checks what
    /// the lengths must be.
    pub(super) fn prologue(&mut self, header: &'a Signature, args: &[Option<Atom>], own: bool) {
        let mut names = integer_names(header, args);
        for id in &header.sizes {
            let binder = binder_of(*id, &header.params).expect("headers determine their sizes");
            let span = header.params[binder.param].ty_span;
            let n = self.length_at(argument(args, binder.param), &binder.path, span);
            self.name_size(*id, n, header);
            names.insert(*id, n);
        }
        for id in &header.size_functions {
            let binder = function_binder_of(*id, &header.params).expect("headers determine their size functions");
            let span = header.params[binder.param].ty_span;
            let lengths = self.row_lengths(argument(args, binder.param), &binder.path, span);
            self.name_size(*id, lengths, header);
            names.insert(*id, lengths);
        }
        let type_args = self.frame().type_args.clone();
        for (k, (param, arg)) in header.params.iter().zip(args).enumerate() {
            let Some(value) = *arg else {
                continue;
            };
            let binders = binders_of(header, k);
            if let (true, Atom::Var(v)) = (own, value) {
                let mut statement = Statement {
                    names: &names,
                    type_args: &type_args,
                    keep: Some(&binders),
                    positions: BTreeMap::new(),
                };
                self.values[v].ty = self.stated_type(&param.ty, &mut statement);
            }
            self.check_lengths(value, &param.ty, &names, None, &binders);
            self.check_explicit(value, &param.ty, &names, None, &binders);
        }
    }

    fn name_size(&mut self, id: LocalId, atom: Atom, header: &Signature) {
        if let Atom::Var(v) = atom {
            self.values[v].name = header.locals[id.index()].name.clone();
        }
        self.set_local(id, atom);
    }

    /// Gives the sizes that a result names their values.
    pub(super) fn bind_result_sizes(&mut self, header: &'a Signature, found: Atom, span: Span) -> Binders {
        let Some((stated, _)) = &header.result else {
            return Vec::new();
        };
        let mut binders = Vec::new();
        for id in &header.result_sizes {
            let is = |array: &SizedArray| matches!(array.size, Some(SizeExpr::Name(n)) if n == *id);
            if let Some(path) = path_to(stated, &is) {
                let n = self.length_at(found, &path, span);
                self.name_size(*id, n, header);
                binders.push(path);
            }
        }
        binders
    }

    /// The length of the array at the end of a path; 0 where there is no first element to go through.
    pub(super) fn length_at(&mut self, value: Atom, path: &[Step], span: Span) -> Atom {
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

    /// The Core type of a type as written.
    fn stated_type(&mut self, ty: &SizedType, statement: &mut Statement<'_>) -> Type {
        self.stated_at(ty, statement, true, &mut Vec::new())
    }

    fn stated_at(
        &mut self,
        ty: &SizedType,
        statement: &mut Statement<'_>,
        outermost: bool,
        path: &mut Vec<Step>,
    ) -> Type {
        match ty {
            SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => {
                let mut types = Vec::new();
                for (k, part) in parts.iter().enumerate() {
                    path.push(Step::Component(k));
                    types.push(self.stated_at(part, statement, outermost, path));
                    path.pop();
                }
                Type::Tuple(types)
            }
            SizedType::Array(array) => {
                let states = !outermost || statement.keep.is_none_or(|keep| keep.contains(path));
                let size = array.size.as_ref().filter(|s| states && !is_explicit(s));
                let length = size.map(|s| symbolic(s, statement.names, &statement.positions));
                let position = array.position.as_ref().map(|(id, name)| {
                    let var = size_var(self.value(name, I64));
                    statement.positions.insert(*id, var);
                    var
                });
                path.push(Step::First);
                let elem = self.stated_at(&array.elem, statement, false, path);
                path.pop();
                Type::Array(Box::new(ArrayType { length, position, elem }))
            }
            other => {
                let unifier = &self.frame().checked.unifier;
                core_type(self.all.module, unifier, &other.plain(), statement.type_args)
            }
        }
    }

    /// Checks the outermost lengths that a type states, except those that hold by definition.
    fn check_lengths(&mut self, value: Atom, ty: &SizedType, names: Names<'_>, at: Option<Span>, binders: &Binders) {
        self.check_lengths_at(value, ty, names, at, binders, &mut Vec::new());
    }

    fn check_lengths_at(
        &mut self,
        value: Atom,
        ty: &SizedType,
        names: Names<'_>,
        at: Option<Span>,
        binders: &Binders,
        path: &mut Vec<Step>,
    ) {
        match ty {
            SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => {
                for (k, part) in parts.iter().enumerate() {
                    if part.states_sizes(0) {
                        path.push(Step::Component(k));
                        let component = self.project(value, k, at.unwrap_or(Span::none()));
                        self.check_lengths_at(component, part, names, at, binders, path);
                        path.pop();
                    }
                }
            }
            SizedType::Array(array) => {
                if let Some(size) = &array.size
                    && !binders.contains(path)
                {
                    self.check_length(value, array, size, names, at);
                }
            }
            _ => {}
        }
    }

    /// Checks one length.
    pub(super) fn check_length(
        &mut self,
        value: Atom,
        array: &SizedArray,
        size: &SizeExpr,
        names: Names<'_>,
        at: Option<Span>,
    ) {
        let span = at.unwrap_or(array.span);
        let wanted = self.size_value(size, names, span);
        let found = self.length(value, span);
        let ok = self.binary("ok", BinOp::Eq, found, wanted, span);
        self.check(CheckKind::Size(array.text.clone()), ok, vec![found, wanted], span);
    }

    /// A value under a stated type: checked here, and with that type from here on.
    pub(super) fn ascribe(
        &mut self,
        value: Atom,
        stated: &SizedType,
        span: Span,
        source: Option<&typed::Expr>,
        binders: &Binders,
    ) -> (Atom, Type) {
        if !stated.states_sizes(0) {
            let ty = self.type_of(value).without_sizes();
            return (value, ty);
        }
        if let Some(source) = source {
            self.refuse_impossible(source, stated);
        }
        let mut mentioned = Mentioned::default();
        mentioned.sized(stated);
        let names: BTreeMap<LocalId, Atom> =
            mentioned.free().filter_map(|id| Some((id, self.find_local(id)?))).collect();
        let type_args = self.frame().type_args.clone();
        let mut statement = Statement { names: &names, type_args: &type_args, keep: None, positions: BTreeMap::new() };
        let ty = self.stated_type(stated, &mut statement);
        self.check_lengths(value, stated, &names, Some(span), binders);
        let mut atom = value;
        if states_symbolic(stated, 1) {
            let check = self.new_check(CheckKind::Size(nested_text(stated)), span);
            let ascribed = Expr::Ascribe { value, ty: ty.clone(), check, proved: false };
            atom = self.emit("stated", ty.clone(), ascribed, span);
        }
        self.check_explicit(atom, stated, &names, Some(span), binders);
        (atom, ty)
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
    pub(super) fn ascribe_arguments(
        &mut self,
        header: &'a Signature,
        args: &mut [Option<Atom>],
        type_args: &[Type],
        span: Span,
    ) {
        if !header.params.iter().any(|p| states_symbolic(&p.ty, 1)) {
            return;
        }
        let mut names = integer_names(header, args);
        for id in &header.sizes {
            let binder = binder_of(*id, &header.params).expect("headers determine their sizes");
            let n = self.length_at(argument(args, binder.param), &binder.path, span);
            names.insert(*id, n);
        }
        for (k, (param, arg)) in header.params.iter().zip(args).enumerate() {
            let Some(value) = *arg else {
                continue;
            };
            if !states_symbolic(&param.ty, 1) {
                continue;
            }
            let binders = binders_of(header, k);
            let mut statement =
                Statement { names: &names, type_args, keep: Some(&binders), positions: BTreeMap::new() };
            let ty = self.stated_type(&param.ty, &mut statement);
            if states_the_same(&self.type_of(value), &ty) {
                continue;
            }
            let check = self.new_check(CheckKind::Size(nested_text(&param.ty)), span);
            let ascribed = Expr::Ascribe { value, ty: ty.clone(), check, proved: false };
            *arg = Some(self.emit("stated", ty, ascribed, span));
        }
    }
}

fn argument(args: &[Option<Atom>], param: usize) -> Atom {
    args[param].expect("functions have no sizes")
}

/// Parameters that are plain names; integers among them may be sizes.
fn integer_names(header: &Signature, args: &[Option<Atom>]) -> BTreeMap<LocalId, Atom> {
    let mut names = BTreeMap::new();
    for (param, arg) in header.params.iter().zip(args) {
        if let (typed::PatternKind::Name(id), Some(atom)) = (&param.pattern.kind, arg) {
            names.insert(*id, *atom);
        }
    }
    names
}

/// The places of a parameter that give sizes and size functions their values.
fn binders_of(header: &Signature, param: usize) -> Binders {
    let sizes = header.sizes.iter().filter_map(|id| binder_of(*id, &header.params));
    let mut binders: Binders = sizes.filter(|b| b.param == param).map(|b| b.path).collect();
    let functions = header.size_functions.iter().filter_map(|id| function_binder_of(*id, &header.params));
    binders.extend(functions.filter(|b| b.param == param).map(|b| super::size_function::steps(&b.path)));
    binders
}

/// The way to the outermost and then first array of a type that is looked for.
pub(super) fn path_to(ty: &SizedType, is: &dyn Fn(&SizedArray) -> bool) -> Option<Vec<Step>> {
    fn find(
        ty: &SizedType,
        level: usize,
        is: &dyn Fn(&SizedArray) -> bool,
        path: &mut Vec<Step>,
        deeper: &mut bool,
    ) -> bool {
        let mut inside = |step: Step, ty: &SizedType, level: usize| {
            path.push(step);
            let found = find(ty, level, is, path, deeper);
            if !found {
                path.pop();
            }
            found
        };
        match ty {
            SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => {
                parts.iter().enumerate().any(|(k, part)| inside(Step::Component(k), part, level))
            }
            SizedType::Array(array) if level == 0 => {
                *deeper = true;
                is(array)
            }
            SizedType::Array(array) => inside(Step::First, &array.elem, level - 1),
            _ => false,
        }
    }
    let mut level = 0;
    loop {
        let (mut path, mut deeper) = (Vec::new(), false);
        if find(ty, level, is, &mut path, &mut deeper) {
            return Some(path);
        }
        if !deeper {
            return None;
        }
        level += 1;
    }
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
        SizeExpr::If(..) | SizeExpr::Apply(..) | SizeExpr::Param(_) => {
            unreachable!("explicit sizes are no part of types")
        }
    }
}

fn constant(s: Scalar) -> i64 {
    terrace_base::convert(s, ScalarType::I64).as_i64().unwrap_or(0)
}

/// The first nested size, as written: what an ascription's message shows.
fn nested_text(ty: &SizedType) -> String {
    fn find(ty: &SizedType, outermost: bool) -> Option<String> {
        match ty {
            SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => {
                parts.iter().find_map(|p| find(p, outermost))
            }
            SizedType::Array(array) => match &array.size {
                Some(size) if !outermost && !is_explicit(size) => Some(array.text.clone()),
                _ => find(&array.elem, false),
            },
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
