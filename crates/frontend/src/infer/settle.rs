//! What can only be filled in when a whole group of functions is known.
//!
//! ```text
//! def fold(f, x, n) = if n == 0 then x else fold(f, f(x), n - 1)
//!     the inner call   is written before `fold` has type parameters: they are filled in here
//!     its argument f   is met before `f(x)` says that it is a function: it becomes one here
//! ```

use crate::signature::Signature;
use crate::typed::{Arg, BindingKind, Control, Expr, Fun, FunKind, GeneratorKind, Kind, Pattern, PatternKind, Place};
use crate::typed::{Subscript, SubscriptKind};
use crate::types::{Ty, TyVar, Unifier};
use std::collections::BTreeMap;

struct Settle<'s> {
    unifier: &'s Unifier,
    /// The open types of each function of the group.
    open: &'s BTreeMap<usize, Vec<TyVar>>,
    own: usize,
    declared: usize,
}

/// Completes the body of a function of a group.
pub(super) fn settle(
    body: &mut Expr,
    unifier: &Unifier,
    open: &BTreeMap<usize, Vec<TyVar>>,
    own: usize,
    headers: &[Signature],
) {
    let declared = headers[own].type_params.len() - open[&own].len();
    Settle { unifier, open, own, declared }.expr(body);
}

/// Replaces the variables in the types of a pattern.
pub(super) fn resolve_pattern(pattern: &mut Pattern, unifier: &Unifier) {
    pattern.ty = unifier.resolve(&pattern.ty);
    match &mut pattern.kind {
        PatternKind::Name(_) | PatternKind::Wildcard | PatternKind::Literal(_) => {}
        PatternKind::Tuple(parts) | PatternKind::Or(parts) | PatternKind::Variant { fields: parts, .. } => {
            parts.iter_mut().for_each(|p| resolve_pattern(p, unifier));
        }
        PatternKind::Record(fields) => fields.iter_mut().for_each(|(_, p)| resolve_pattern(p, unifier)),
    }
}

impl Settle<'_> {
    fn instance(&self, function: usize, type_args: &mut Vec<Ty>) {
        if let Some(vars) = self.open.get(&function) {
            let declared = if function == self.own { self.declared } else { 0 };
            *type_args = (0..declared).map(Ty::Param).chain(vars.iter().map(|v| Ty::Var(*v))).collect();
        }
    }

    fn exprs<'e>(&self, exprs: impl IntoIterator<Item = &'e mut Expr>) {
        exprs.into_iter().for_each(|e| self.expr(e));
    }

    fn expr(&self, expr: &mut Expr) {
        match &mut expr.kind {
            Kind::Int(_) | Kind::NegativeInt(_) | Kind::Real(_) | Kind::Bool(_) | Kind::Str(_) => {}
            Kind::Local(_) | Kind::Error => {}
            Kind::Call { function, type_args, args } => {
                self.instance(*function, type_args);
                args.iter_mut().for_each(|a| self.arg(a));
            }
            Kind::Apply { args, .. } | Kind::Variant { fields: args, .. } => self.exprs(args),
            Kind::Builtin { function, args, .. } => {
                if let Some(function) = function {
                    self.fun(function);
                }
                self.exprs(args);
            }
            Kind::Convert(_, inner) | Kind::ConvertTo(inner) | Kind::Unary(_, inner) | Kind::Project(inner, _) => {
                self.expr(inner)
            }
            Kind::Binary(_, left, right) | Kind::Range { from: left, to: right } => {
                self.expr(left);
                self.expr(right);
            }
            Kind::Tuple(parts) | Kind::Array(parts) => self.exprs(parts),
            Kind::Comprehension { body, generators, filter } => {
                for generator in generators {
                    match &mut generator.kind {
                        GeneratorKind::In { array, .. } => self.expr(array),
                        GeneratorKind::Count { bound, .. } => self.expr(bound),
                    }
                }
                self.exprs(filter.as_deref_mut());
                self.expr(body);
            }
            Kind::Index { array, place } => {
                self.expr(array);
                self.place(place);
            }
            Kind::Update { array, place, value } => {
                self.expr(array);
                self.place(place);
                self.expr(value);
            }
            Kind::Record(fields) => self.exprs(fields.iter_mut().map(|(_, e)| e)),
            Kind::RecordUpdate { record, fields } => {
                self.expr(record);
                self.exprs(fields.iter_mut().map(|(_, e)| e));
            }
            Kind::Match { value, arms } => {
                self.expr(value);
                for arm in arms {
                    self.exprs(&mut arm.guard);
                    self.expr(&mut arm.body);
                }
            }
            Kind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.expr(then);
                self.expr(otherwise);
            }
            Kind::Let { bindings, body } => {
                for binding in bindings {
                    match &mut binding.kind {
                        BindingKind::Let { value, .. } => self.expr(value),
                        BindingKind::Assert { condition, .. } => self.expr(condition),
                    }
                }
                self.expr(body);
            }
            Kind::Loop { init, control, body, .. } => {
                self.expr(init);
                match control {
                    Control::While(inner)
                    | Control::Count { bound: inner, .. }
                    | Control::Each { array: inner, .. } => {
                        self.expr(inner);
                    }
                }
                self.expr(body);
            }
        }
    }

    fn arg(&self, arg: &mut Arg) {
        match arg {
            Arg::Function(fun) => self.fun(fun),
            Arg::Value(value) => {
                if let (Kind::Local(id), Ty::Function(_, result)) = (&value.kind, self.unifier.head(&value.ty)) {
                    *arg = Arg::Function(Fun { span: value.span, result: *result, kind: FunKind::Param(*id) });
                } else {
                    self.expr(value);
                }
            }
        }
    }

    fn fun(&self, fun: &mut Fun) {
        match &mut fun.kind {
            FunKind::Lambda { body, .. } => self.expr(body),
            FunKind::Function { function, type_args } => self.instance(*function, type_args),
            FunKind::Section(_)
            | FunKind::Builtin(_)
            | FunKind::Convert(_)
            | FunKind::Param(_)
            | FunKind::Variant { .. } => {}
        }
    }

    fn place(&self, place: &mut Place) {
        match place {
            Place::Subscripts(subscripts) => {
                for Subscript { kind, .. } in subscripts {
                    match kind {
                        SubscriptKind::At(at) => self.expr(at),
                        SubscriptKind::Slice { from, to, step } => {
                            self.exprs([from, to, step].into_iter().flatten().map(|e| &mut **e));
                        }
                    }
                }
            }
            Place::Strided { offset, dims, .. } => {
                self.expr(offset);
                for (count, stride) in dims {
                    self.expr(count);
                    self.expr(stride);
                }
            }
        }
    }
}
