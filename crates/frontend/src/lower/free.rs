//! What a piece of the typed tree mentions: names, and functions of the program.
//!
//! ```text
//! |x| x + a * f(b)      used x, a, b    bound x    calls f
//! ```
//!
//! Names are numbered once per function, so what is used and not bound inside comes from outside.

use crate::signature::{SizeExpr, SizedType};
use crate::typed::{
    Arg, BindingKind, Control, Expr, Fun, FunKind, GeneratorKind, Kind, LocalId, Pattern, PatternKind, Place,
    SubscriptKind,
};
use std::collections::BTreeSet;

/// What was found.
#[derive(Default)]
pub(super) struct Mentioned {
    used: BTreeSet<LocalId>,
    bound: BTreeSet<LocalId>,
    pub(super) calls: BTreeSet<usize>,
}

impl Mentioned {
    /// The names that come from outside, in order.
    pub(super) fn free(&self) -> impl Iterator<Item = LocalId> {
        self.used.difference(&self.bound).copied()
    }

    pub(super) fn fun(&mut self, fun: &Fun) {
        match &fun.kind {
            FunKind::Lambda { params, body } => {
                params.iter().for_each(|p| self.pattern(p));
                self.expr(body);
            }
            FunKind::Function { function, .. } => {
                self.calls.insert(*function);
            }
            FunKind::Param(id) => {
                self.used.insert(*id);
            }
            FunKind::Section(_) | FunKind::Builtin(_) | FunKind::Convert(_) | FunKind::Variant { .. } => {}
        }
    }

    fn all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        exprs.into_iter().for_each(|e| self.expr(e));
    }

    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Int(_) | Kind::NegativeInt(_) | Kind::Real(_) | Kind::Bool(_) | Kind::Str(_) | Kind::Error => {}
            Kind::Local(id) => {
                self.used.insert(*id);
            }
            Kind::Call { function, args, .. } => {
                self.calls.insert(*function);
                for arg in args {
                    match arg {
                        Arg::Value(e) => self.expr(e),
                        Arg::Function(f) => self.fun(f),
                    }
                }
            }
            Kind::Apply { function, args } => {
                self.used.insert(*function);
                self.all(args);
            }
            Kind::Builtin { function, args, .. } => {
                if let Some(fun) = function {
                    self.fun(fun);
                }
                self.all(args);
            }
            Kind::Convert(_, e) | Kind::ConvertTo(e) | Kind::Unary(_, e) | Kind::Project(e, _) => self.expr(e),
            Kind::Binary(_, a, b) | Kind::Range { from: a, to: b } => self.all([&**a, &**b]),
            Kind::Tuple(parts) | Kind::Array(parts) | Kind::Variant { fields: parts, .. } => self.all(parts),
            Kind::Comprehension { body, generators, filter } => {
                for generator in generators {
                    match &generator.kind {
                        GeneratorKind::In { pattern, array } => {
                            self.pattern(pattern);
                            self.expr(array);
                        }
                        GeneratorKind::Count { var, bound } => {
                            self.bound.insert(*var);
                            self.expr(bound);
                        }
                    }
                }
                self.expr(body);
                self.all(filter.as_deref());
            }
            Kind::Index { array, place } => {
                self.expr(array);
                self.place(place);
            }
            Kind::Update { array, place, value } => {
                self.all([&**array, &**value]);
                self.place(place);
            }
            Kind::Record(fields) => self.all(fields.iter().map(|(_, e)| e)),
            Kind::RecordUpdate { record, fields } => {
                self.expr(record);
                self.all(fields.iter().map(|(_, e)| e));
            }
            Kind::Match { value, arms } => {
                self.expr(value);
                for arm in arms {
                    self.pattern(&arm.pattern);
                    self.all(arm.guard.as_ref());
                    self.expr(&arm.body);
                }
            }
            Kind::If { condition, then, otherwise } => self.all([&**condition, &**then, &**otherwise]),
            Kind::Let { bindings, body } => {
                for binding in bindings {
                    match &binding.kind {
                        BindingKind::Let { pattern, sizes, value } => {
                            self.pattern(pattern);
                            sizes.iter().for_each(|s| self.sized(s));
                            self.expr(value);
                        }
                        BindingKind::Assert { condition, .. } => self.expr(condition),
                    }
                }
                self.expr(body);
            }
            Kind::Loop { pattern, init, control, body } => {
                self.pattern(pattern);
                self.all([&**init, &**body]);
                match control {
                    Control::While(condition) => self.expr(condition),
                    Control::Count { var, bound } => {
                        self.bound.insert(*var);
                        self.expr(bound);
                    }
                    Control::Each { pattern, array } => {
                        self.pattern(pattern);
                        self.expr(array);
                    }
                }
            }
        }
    }

    fn place(&mut self, place: &Place) {
        match place {
            Place::Subscripts(subscripts) => {
                for subscript in subscripts {
                    match &subscript.kind {
                        SubscriptKind::At(at) => self.expr(at),
                        SubscriptKind::Slice { from, to, step } => {
                            self.all([from, to, step].into_iter().filter_map(|e| e.as_deref()));
                        }
                    }
                }
            }
            Place::Strided { offset, dims, .. } => {
                self.expr(offset);
                self.all(dims.iter().flat_map(|(count, stride)| [count, stride]));
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Name(id) => {
                self.bound.insert(*id);
            }
            PatternKind::Wildcard => {}
            PatternKind::Tuple(parts) | PatternKind::Or(parts) | PatternKind::Variant { fields: parts, .. } => {
                parts.iter().for_each(|p| self.pattern(p));
            }
            PatternKind::Record(fields) => fields.iter().for_each(|(_, p)| self.pattern(p)),
            PatternKind::Literal(e) => self.expr(e),
        }
    }

    /// The names in the sizes of a type.
    pub(super) fn sized(&mut self, ty: &SizedType) {
        match ty {
            SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => {
                parts.iter().for_each(|p| self.sized(p));
            }
            SizedType::Enum { variants, .. } => variants.iter().flatten().for_each(|p| self.sized(p)),
            SizedType::Array(array) => {
                array.size.iter().for_each(|s| self.size(s));
                self.bound.extend(array.position.iter().map(|(id, _)| *id));
                self.sized(&array.elem);
            }
            SizedType::Scalar(_)
            | SizedType::Param(_)
            | SizedType::Function(..)
            | SizedType::Plain(_)
            | SizedType::Error => {}
        }
    }

    fn size(&mut self, size: &SizeExpr) {
        match size {
            SizeExpr::Const(_) | SizeExpr::Param(_) => {}
            SizeExpr::Name(id) => {
                self.used.insert(*id);
            }
            SizeExpr::Add(a, b)
            | SizeExpr::Sub(a, b)
            | SizeExpr::Mul(a, b)
            | SizeExpr::Min(a, b)
            | SizeExpr::Max(a, b) => [a, b].into_iter().for_each(|s| self.size(s)),
            SizeExpr::Div(a, _) | SizeExpr::Rem(a, _) => self.size(a),
            SizeExpr::If(_, parts) => parts.iter().for_each(|s| self.size(s)),
            SizeExpr::Apply(id, args) => {
                self.used.insert(*id);
                args.iter().for_each(|s| self.size(s));
            }
        }
    }
}
