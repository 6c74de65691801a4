//! Sizes checked by statements.
//!
//! ```text
//! ys: [i < n][k(i)]f64      map (row, i) in ys, iota { let w = k[i]; check size (length row == w) }
//! s: shape (an enum)        match s { polygon(ps): check …; … }
//! ```
//!
//! Core types hold sizes that are polynomials with `min`, `max` and division by constants. Whatever else a program may state is
//! evaluated here and compared with the length that is found, in prologues, at results and annotated lets alike. The sizes of
//! a declaration's fields are checked in this way when a record or variant is made.

use super::body::{BOOL, I64, Lower};
use super::size::Names;
use crate::signature::{SizeExpr, SizedType, Step};
use crate::typed::LocalId;
use std::collections::BTreeMap;
use terrace_base::{BinOp, Span};
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Type};

/// Whether a size is no part of Core types.
pub(super) fn is_explicit(size: &SizeExpr) -> bool {
    match size {
        SizeExpr::Const(_) | SizeExpr::Name(_) => false,
        SizeExpr::Add(a, b) | SizeExpr::Sub(a, b) | SizeExpr::Mul(a, b) | SizeExpr::Min(a, b) | SizeExpr::Max(a, b) => {
            is_explicit(a) || is_explicit(b)
        }
        SizeExpr::Div(a, _) | SizeExpr::Rem(a, _) => is_explicit(a),
        SizeExpr::If(..) | SizeExpr::Apply(..) | SizeExpr::Param(_) => true,
    }
}

/// Whether a type states sizes for Core types, at least `skip` dimensions deep.
pub(super) fn states_symbolic(ty: &SizedType, skip: usize) -> bool {
    match ty {
        SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => {
            parts.iter().any(|p| states_symbolic(p, skip))
        }
        SizedType::Array(array) => {
            (skip == 0 && array.size.as_ref().is_some_and(|s| !is_explicit(s)))
                || states_symbolic(&array.elem, skip.saturating_sub(1))
        }
        _ => false,
    }
}

/// One walk over a value and its type.
struct Walk<'w> {
    /// Where messages point; otherwise at the size.
    at: Option<Span>,
    /// Places that give sizes their values.
    binders: &'w dyn Fn(&[Step]) -> bool,
    path: Vec<Step>,
    /// Names of sizes, and of the positions of the arrays around.
    names: BTreeMap<LocalId, Atom>,
}

impl Walk<'_> {
    fn inside<R>(&mut self, step: Step, go: impl FnOnce(&mut Self) -> R) -> R {
        self.path.push(step);
        let result = go(self);
        self.path.pop();
        result
    }

    /// A walk inside of a variant, where nothing gives sizes their values.
    fn apart(&self) -> Walk<'static> {
        Walk { at: self.at, binders: &|_| false, path: Vec::new(), names: self.names.clone() }
    }
}

/// What is checked: everything, or only what neither an outermost check nor a Core type covers.
#[derive(Clone, Copy)]
struct Scope {
    all: bool,
    outermost: bool,
}

impl Lower<'_, '_> {
    /// Checks what neither an outermost check nor a Core type covers.
    pub(super) fn check_explicit(
        &mut self,
        value: Atom,
        ty: &SizedType,
        names: Names<'_>,
        at: Option<Span>,
        binders: &[Vec<Step>],
    ) {
        let scope = Scope { all: false, outermost: true };
        let binders = |path: &[Step]| binders.iter().any(|b| b == path);
        let mut walk = Walk { at, binders: &binders, path: Vec::new(), names: names.clone() };
        if self.needs(ty, scope, &mut walk) {
            self.check_walk(value, ty, scope, &mut walk);
        }
    }

    /// Checks every size that a field of a declaration states.
    pub(super) fn check_all_sizes(
        &mut self,
        value: Atom,
        ty: &SizedType,
        span: Span,
        binders: &dyn Fn(&[Step]) -> bool,
    ) {
        let scope = Scope { all: true, outermost: true };
        let mut walk = Walk { at: Some(span), binders, path: Vec::new(), names: BTreeMap::new() };
        if self.needs(ty, scope, &mut walk) {
            self.check_walk(value, ty, scope, &mut walk);
        }
    }

    /// Whether anything in a type is to be checked.
    fn needs(&self, ty: &SizedType, scope: Scope, walk: &mut Walk<'_>) -> bool {
        match ty {
            SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => parts
                .iter()
                .enumerate()
                .any(|(k, part)| walk.inside(Step::Component(k), |walk| self.needs(part, scope, walk))),
            SizedType::Enum { variants, .. } => {
                let inner = Scope { all: true, outermost: false };
                let mut walk = walk.apart();
                variants.iter().flatten().any(|p| self.needs(p, inner, &mut walk))
            }
            SizedType::Array(array) => {
                let inner = Scope { outermost: false, ..scope };
                array.size.as_ref().is_some_and(|s| self.wanted(s, scope, walk))
                    || walk.inside(Step::First, |walk| self.needs(&array.elem, inner, walk))
            }
            _ => false,
        }
    }

    fn wanted(&self, size: &SizeExpr, scope: Scope, walk: &Walk<'_>) -> bool {
        (scope.all || !scope.outermost && is_explicit(size)) && self.is_known(size) && !(walk.binders)(&walk.path)
    }

    /// Whether every size name of a declaration in it has a value.
    fn is_known(&self, size: &SizeExpr) -> bool {
        match size {
            SizeExpr::Param(k) => self.declared_sizes.get(*k).copied().flatten().is_some(),
            SizeExpr::Const(_) | SizeExpr::Name(_) => true,
            SizeExpr::Add(a, b)
            | SizeExpr::Sub(a, b)
            | SizeExpr::Mul(a, b)
            | SizeExpr::Min(a, b)
            | SizeExpr::Max(a, b) => self.is_known(a) && self.is_known(b),
            SizeExpr::Div(a, _) | SizeExpr::Rem(a, _) => self.is_known(a),
            SizeExpr::If(_, parts) => parts.iter().all(|s| self.is_known(s)),
            SizeExpr::Apply(_, args) => args.iter().all(|s| self.is_known(s)),
        }
    }

    fn check_walk(&mut self, value: Atom, ty: &SizedType, scope: Scope, walk: &mut Walk<'_>) {
        match ty {
            SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => {
                for (k, part) in parts.iter().enumerate() {
                    walk.inside(Step::Component(k), |walk| {
                        if self.needs(part, scope, walk) {
                            let component = self.project(value, k, walk.at.unwrap_or(Span::none()));
                            self.check_walk(component, part, scope, walk);
                        }
                    });
                }
            }
            SizedType::Array(array) => {
                if let Some(size) = &array.size
                    && self.wanted(size, scope, walk)
                {
                    let names = walk.names.clone();
                    self.check_length(value, array, size, &names, walk.at);
                }
                let inner = Scope { outermost: false, ..scope };
                if !walk.inside(Step::First, |walk| self.needs(&array.elem, inner, walk)) {
                    return;
                }
                let span = walk.at.unwrap_or(array.span);
                let mut params = vec![("row".to_string(), self.elem_type(value))];
                let mut arrays = vec![value];
                if let Some((_, name)) = &array.position {
                    let count = self.length(value, span);
                    arrays.push(self.emit("ids", Type::array(I64), Expr::Iota(count), span));
                    params.push((name.clone(), I64));
                }
                let lambda = self.lambda(params, |l, p| {
                    if let (Some((id, _)), [_, i]) = (&array.position, p) {
                        walk.names.insert(*id, *i);
                    }
                    walk.inside(Step::First, |walk| l.check_walk(p[0], &array.elem, inner, walk));
                    Atom::int(0)
                });
                self.emit("sized", Type::array(I64), Expr::Map { lambda, arrays }, span);
            }
            SizedType::Enum { variants, .. } => {
                let span = walk.at.unwrap_or(Span::none());
                let inner = Scope { all: true, outermost: false };
                let arms = self.arms(value, |l, tag, found| {
                    let mut walk = walk.apart();
                    for (field, atom) in variants[tag].iter().zip(found) {
                        l.check_walk(*atom, field, inner, &mut walk);
                    }
                    Atom::int(0)
                });
                self.emit("sized", I64, Expr::Match { value, arms }, span);
            }
            _ => {}
        }
    }

    /// A size as a value of Core.
    pub(super) fn size_value(&mut self, size: &SizeExpr, names: Names<'_>, span: Span) -> Atom {
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
            SizeExpr::If(op, parts) => {
                let [a, b, c, d] = &**parts;
                let (a, b) = (self.size_value(a, names, span), self.size_value(b, names, span));
                let cond = self.emit("test", BOOL, Expr::Binary(*op, a, b), span);
                let then = self.body(|l| l.size_value(c, names, span));
                let otherwise = self.body(|l| l.size_value(d, names, span));
                self.emit("size", I64, Expr::If { cond, then, otherwise }, span)
            }
            SizeExpr::Apply(id, args) => {
                let args: Vec<Atom> = args.iter().map(|a| self.size_value(a, names, span)).collect();
                let array = names.get(id).copied().unwrap_or_else(|| self.local(*id));
                self.size_function_at(array, &args, span)
            }
            SizeExpr::Param(k) => {
                self.declared_sizes.get(*k).copied().flatten().expect("only sizes that are known are evaluated")
            }
        }
    }
}
