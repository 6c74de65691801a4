//! Functions where they are arguments: lambdas, sections, names.
//!
//! ```text
//! map(|x| x + 1, xs)     reduce((+), 0, xs)     map(sqrt, xs)     map(f64, xs)     map(circle, radii)     map(f, xs)
//! ```
//!
//! Each is typed against the types it will be called with, which the other arguments have fixed as far as they can.

use super::Infer;
use super::call::{Callee, Found};
use super::operator::Operand;
use crate::errors;
use crate::typed::{Fun, FunKind};
use crate::types::{Classes, Ty};
use terrace_base::Span;
use terrace_syntax::ast::{self, ExprKind};

impl Infer<'_, '_> {
    /// Whether an expression can only be a function.
    pub(super) fn is_function(&mut self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ExprKind::Lambda { .. } | ExprKind::Section(_) => true,
            ExprKind::Var(name) => {
                if let Some(id) = self.scope.find(name) {
                    return matches!(self.unifier.head(&self.locals[id.index()].ty), Ty::Function(..));
                }
                match self.find(name) {
                    Some(Callee::Function(k)) => !self.module.headers[k].constant,
                    Some(Callee::Variant(id, tag)) => !self.variant_fields(id, tag).is_empty(),
                    Some(_) => true,
                    None => false,
                }
            }
            ExprKind::Field { value, name } => match self.qualifier(value) {
                Some((module, _)) => match self.module.names.value_in(module, &name.text) {
                    Some(crate::names::Def::Function(k)) => !self.module.headers[k].constant,
                    Some(crate::names::Def::Variant(id, tag)) => !self.variant_fields(id, tag).is_empty(),
                    None => false,
                },
                None => false,
            },
            _ => false,
        }
    }

    /// How many arguments something that is a function takes.
    pub(super) fn arity_of(&mut self, expr: &ast::Expr) -> Option<usize> {
        match &expr.kind {
            ExprKind::Lambda { params, .. } => Some(params.len()),
            ExprKind::Section(_) => Some(2),
            _ => match self.callee(expr) {
                Found::Callee(Callee::Function(k)) => Some(self.module.headers[k].params.len()),
                Found::Callee(Callee::Variant(id, tag)) => Some(self.variant_fields(id, tag).len()),
                Found::Callee(Callee::Convert(_) | Callee::ConvertTo(_)) => Some(1),
                Found::Callee(Callee::Builtin(builtin)) => builtin.arity().or(Some(2)),
                Found::Callee(Callee::Local(id)) => match self.unifier.head(&self.locals[id.index()].ty) {
                    Ty::Function(params, _) => Some(params.len()),
                    _ => None,
                },
                Found::Missing | Found::NoName => None,
            },
        }
    }

    /// A function where one is an argument, at the types it is used at.
    pub(super) fn function_argument(&mut self, expr: &ast::Expr, wanted: &[Ty], result: &Ty, of: &str) -> Option<Fun> {
        let span = expr.span;
        let (kind, found, place) = match &expr.kind {
            ExprKind::Lambda { params, body } => self.lambda(params, body, wanted, span, of)?,
            ExprKind::Section(op) => {
                self.same_arity(span, wanted, 2, of)?;
                self.passed_by = Some(of.to_string());
                let ty = self.operator(*op, span, (&wanted[0], span), (&wanted[1], span));
                self.passed_by = None;
                (FunKind::Section(*op), ty, span)
            }
            _ => match self.callee(expr) {
                Found::Callee(callee) => {
                    let (kind, ty) = self.named_function(callee, expr, wanted, of)?;
                    (kind, ty, span)
                }
                Found::Missing => return None,
                Found::NoName => {
                    let value = self.expr(expr);
                    if value.ty != Ty::Error {
                        let report = errors::value_as_function("this", span);
                        self.report(report.hint(format!("`{of}` takes a function here")));
                    }
                    return None;
                }
            },
        };
        let why = format!("the function that `{of}` applies");
        self.expect(&found, result, place, (place != span).then_some((span, why)));
        Some(Fun { span, result: found, kind })
    }

    fn same_arity(&mut self, span: Span, wanted: &[Ty], found: usize, of: &str) -> Option<()> {
        if found != wanted.len() {
            self.report(errors::function_arity(span, wanted.len(), found, of));
            return None;
        }
        Some(())
    }

    fn lambda(
        &mut self,
        params: &[ast::LambdaParam],
        body: &ast::Expr,
        wanted: &[Ty],
        span: Span,
        of: &str,
    ) -> Option<(FunKind, Ty, Span)> {
        self.same_arity(span, wanted, params.len(), of)?;
        let outside = self.scope.depth();
        let mut patterns = Vec::new();
        for (param, ty) in params.iter().zip(wanted) {
            if let Some(stated) = &param.ty {
                let why = "stated here".to_string();
                let plain = self.read_type(stated).plain();
                self.expect(ty, &plain, param.pattern.span, Some((stated.span, why)));
            }
            patterns.push(self.pattern(&param.pattern, ty));
        }
        let body = self.expr(body);
        self.scope.truncate(outside);
        let (ty, place) = (body.ty.clone(), body.span);
        Some((FunKind::Lambda { params: patterns, body }, ty, place))
    }

    fn named_function(&mut self, callee: Callee, expr: &ast::Expr, wanted: &[Ty], of: &str) -> Option<(FunKind, Ty)> {
        let span = expr.span;
        match callee {
            Callee::Local(id) => self.local_function(id, span, wanted, of),
            Callee::Function(k) => {
                let (type_args, params, ty) = self.instance(k, span);
                let header = &self.module.headers[k];
                let (name, place) = (header.name.clone(), header.name_span);
                if header.constant {
                    let report = errors::value_as_function(&format!("`{name}`"), span);
                    self.report(report.label(place, "a constant"));
                    return None;
                }
                self.same_arity(span, wanted, params.len(), of)?;
                if params.iter().any(|p| matches!(self.unifier.head(p), Ty::Function(..))) {
                    self.report(errors::function_of_functions(&name, span));
                    return None;
                }
                self.passed_by = Some(of.to_string());
                for (wanted, param) in wanted.iter().zip(&params) {
                    self.expect(wanted, param, span, Some((place, format!("`{name}` is defined here"))));
                }
                self.passed_by = None;
                Some((FunKind::Function { function: k, type_args }, ty))
            }
            Callee::Variant(id, tag) => {
                let (ty, fields) = self.variant_types(id, tag, span);
                self.same_arity(span, wanted, fields.len(), of)?;
                let (name, place) = self.variant_name(id, tag);
                self.passed_by = Some(of.to_string());
                for (wanted, field) in wanted.iter().zip(&fields) {
                    self.expect(wanted, field, span, Some((place, format!("`{name}` is declared here"))));
                }
                self.passed_by = None;
                Some((FunKind::Variant { tag }, ty))
            }
            Callee::Builtin(builtin) if builtin.takes_function() => {
                self.report(errors::function_of_functions(builtin.name(), span));
                None
            }
            Callee::Builtin(builtin) => {
                self.same_arity(span, wanted, builtin.arity().unwrap_or(wanted.len().max(2)), of)?;
                let operands: Vec<Operand<'_>> = wanted.iter().map(|ty| (ty, span)).collect();
                self.passed_by = Some(of.to_string());
                let ty = self.builtin_type(builtin, &operands, span);
                self.passed_by = None;
                Some((FunKind::Builtin(builtin), ty))
            }
            Callee::ConvertTo(k) => {
                let name = self.unifier.params[k].0.clone();
                let report = errors::value_as_function(&format!("the type name `{name}`"), span);
                self.report(report.hint(format!("write a lambda: `|x| {name}(x)`")));
                None
            }
            Callee::Convert(to) => {
                self.same_arity(span, wanted, 1, of)?;
                self.require(&wanted[0], Classes::SCALAR, span, &format!("`{to}(…)`"));
                Some((FunKind::Convert(to), Ty::Scalar(to)))
            }
        }
    }

    /// A function parameter handed on.
    fn local_function(
        &mut self,
        id: crate::typed::LocalId,
        span: Span,
        wanted: &[Ty],
        of: &str,
    ) -> Option<(FunKind, Ty)> {
        let local = &self.locals[id.index()];
        let (name, ty, place) = (local.name.clone(), local.ty.clone(), local.span);
        if self.unifier.may_be_function(&ty) {
            let result = self.fresh(span);
            self.expect(&Ty::Function(wanted.to_vec(), Box::new(result)), &ty, span, None);
        }
        match self.unifier.head(&ty) {
            Ty::Function(params, result) => {
                self.same_arity(span, wanted, params.len(), of)?;
                self.passed_by = Some(of.to_string());
                for (wanted, param) in wanted.iter().zip(&params) {
                    let why = format!("`{name}` is a function of these types");
                    self.expect(wanted, param, span, Some((place, why)));
                }
                self.passed_by = None;
                Some((FunKind::Param(id), *result))
            }
            Ty::Error => None,
            other => {
                let shown = self.unifier.show(&other);
                let report = errors::value_as_function(&format!("`{name}`"), span)
                    .label(place, format!("`{name}` is `{shown}`"))
                    .hint(format!("`{of}` takes a function here"));
                self.report(report);
                None
            }
        }
    }
}
