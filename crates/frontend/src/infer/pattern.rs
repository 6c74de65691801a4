//! Patterns and the names they bind.
//!
//! In a `let`, a `for`, a parameter or a lambda a pattern must fit every value, so a variant may stand there only if its enum
//! has no other. In the arm of a `match` anything may stand, and a bare name that is a variant is that variant.

use super::Infer;
use crate::builtins::Builtin;
use crate::declared::{DeclaredKind, TypeId};
use crate::errors;
use crate::names::Def;
use crate::read_type::TypeReader;
use crate::signature::SizedType;
use crate::typed::{Arm, Kind, Pattern, PatternKind};
use crate::types::{Classes, Ty};
use terrace_base::{Diagnostic, Span};
use terrace_syntax::ast;

impl Infer<'_, '_> {
    /// Types a pattern that must fit, and brings its names into scope.
    pub(super) fn pattern(&mut self, pattern: &ast::Pattern, ty: &Ty) -> Pattern {
        self.pattern_in(pattern, ty, false)
    }

    fn pattern_in(&mut self, pattern: &ast::Pattern, ty: &Ty, arm: bool) -> Pattern {
        let span = pattern.span;
        let kind = match &pattern.kind {
            ast::PatternKind::Wildcard => PatternKind::Wildcard,
            ast::PatternKind::Name(name) => {
                if arm && let Some(Def::Variant(id, tag)) = self.module.names.value(self.here, name) {
                    self.variant_pattern(id, tag, &[], span, ty, arm)
                } else {
                    self.bind_in_pattern(name, span, ty, arm)
                }
            }
            ast::PatternKind::Tuple(parts) => {
                let types = self.tuple_parts(pattern, parts.len(), ty);
                PatternKind::Tuple(parts.iter().zip(&types).map(|(p, t)| self.pattern_in(p, t, arm)).collect())
            }
            ast::PatternKind::Record { path, fields, rest } => self.record_pattern(path, fields, *rest, span, ty, arm),
            ast::PatternKind::Variant { path, args } => match self.module.names.value_at(self.here, path) {
                Ok(Some(Def::Variant(id, tag))) => self.variant_pattern(id, tag, args, span, ty, arm),
                Ok(_) => {
                    self.not_a_variant(path);
                    self.broken(args, arm)
                }
                Err(report) => {
                    self.report(report);
                    self.broken(args, arm)
                }
            },
            ast::PatternKind::Literal(literal) => {
                let literal = self.expr(literal);
                if self.unifier.unify(&literal.ty, ty, span).is_err() {
                    let (found, wanted) = (self.unifier.describe(&literal.ty), self.unifier.describe(ty));
                    self.report(errors::literal_pattern(span, &wanted, &found));
                }
                PatternKind::Literal(Box::new(literal))
            }
            ast::PatternKind::Or(parts) => {
                let outside = self.bound.len();
                let mut first = None;
                let mut typed = Vec::new();
                for part in parts {
                    typed.push(self.pattern_in(part, ty, arm));
                    first = first.or_else(|| self.bound.get(outside).cloned());
                    self.bound.truncate(outside);
                }
                if let Some((name, at)) = first {
                    self.report(errors::name_in_alternatives(&name, at));
                }
                PatternKind::Or(typed)
            }
        };
        Pattern { span, ty: ty.clone(), kind }
    }

    fn bind_in_pattern(&mut self, name: &str, span: Span, ty: &Ty, arm: bool) -> PatternKind {
        if arm {
            if let Some((_, first)) = self.bound.iter().find(|(n, _)| n == name) {
                let first = *first;
                self.report(errors::bound_twice(name, span, first));
            }
            self.bound.push((name.to_string(), span));
        }
        PatternKind::Name(self.bind(name, span, ty.clone()))
    }

    fn broken(&mut self, parts: &[ast::Pattern], arm: bool) -> PatternKind {
        PatternKind::Tuple(parts.iter().map(|p| self.pattern_in(p, &Ty::Error, arm)).collect())
    }

    fn not_a_variant(&mut self, path: &ast::Path) {
        let name = &path.name;
        let mut report = errors::not_a_variant(&name.text, name.span);
        let names = &self.module.names;
        if let Some(there) = names.value_elsewhere(self.here, &name.text) {
            report = errors::elsewhere(report, &name.text, &there);
        } else if names.value(self.here, &name.text).is_some() || Builtin::named(&name.text).is_some() {
            report = report.hint(format!("`{}` is a function, which cannot be taken apart", name.text));
        } else {
            let variants =
                names.values(self.here).filter(|n| matches!(names.value(self.here, n), Some(Def::Variant(..))));
            report = errors::suggest(report, &name.text, variants);
        }
        self.report(report);
    }

    fn tuple_parts(&mut self, pattern: &ast::Pattern, count: usize, ty: &Ty) -> Vec<Ty> {
        match self.unifier.head(ty) {
            Ty::Tuple(types) if types.len() == count => types,
            Ty::Error => vec![Ty::Error; count],
            head => {
                let types: Vec<Ty> = (0..count).map(|_| self.fresh(pattern.span)).collect();
                let tuple = Ty::Tuple(types.clone());
                if matches!(head, Ty::Var(_)) && self.unifier.unify(&tuple, ty, pattern.span).is_ok() {
                    return types;
                }
                let shown = self.unifier.describe(&head);
                let title = format!("this pattern takes apart a tuple of {count}, not {shown}");
                let mut report =
                    Diagnostic::error("T0112", title).primary(pattern.span, format!("what it takes apart is {shown}"));
                if let Some(origin) = self.unifier.origin(ty) {
                    report = report.label(origin, format!("{shown} because of this"));
                }
                self.report(report);
                vec![Ty::Error; count]
            }
        }
    }

    /// Demands that a pattern of a declared type looks at that type.
    fn looks_at(&mut self, wanted: &Ty, ty: &Ty, span: Span) -> bool {
        if self.unifier.unify(ty, wanted, span).is_ok() {
            return true;
        }
        let (shown, found) = (self.unifier.show(wanted), self.unifier.show(ty));
        let title = format!("this pattern takes apart `{shown}`, not `{found}`");
        let mut report = Diagnostic::error("T0112", title).primary(span, format!("what it takes apart is `{found}`"));
        if let Some(origin) = self.unifier.origin(ty) {
            report = report.label(origin, format!("`{found}` because of this"));
        }
        self.report(report);
        false
    }

    fn record_pattern(
        &mut self,
        path: &ast::Path,
        fields: &[(ast::Name, ast::Pattern)],
        rest: bool,
        span: Span,
        ty: &Ty,
        arm: bool,
    ) -> PatternKind {
        let Some((id, args)) = self.record_type(path) else {
            fields.iter().for_each(|(_, p)| drop(self.pattern_in(p, &Ty::Error, arm)));
            return PatternKind::Wildcard;
        };
        let fits = self.looks_at(&Ty::Named(id, args.clone()), ty, span);
        let mut typed = Vec::new();
        for (name, pattern) in fields {
            match self.field_of(id, &args, &name.text, name.span) {
                Some((k, field)) if fits => typed.push((k, self.pattern_in(pattern, &field, arm))),
                _ => drop(self.pattern_in(pattern, &Ty::Error, arm)),
            }
        }
        let given: Vec<&str> = fields.iter().map(|(name, _)| name.text.as_str()).collect();
        let missing = self.record_fields(id).iter().map(|f| f.name.as_str()).filter(|f| !given.contains(f));
        let missing: Vec<&str> = missing.collect();
        if !rest && !missing.is_empty() {
            let report = errors::missing_fields(&path.name.text, span, &missing, true);
            self.report(report);
        }
        PatternKind::Record(typed)
    }

    fn variant_pattern(
        &mut self,
        id: TypeId,
        tag: usize,
        args: &[ast::Pattern],
        span: Span,
        ty: &Ty,
        arm: bool,
    ) -> PatternKind {
        let (whole, fields) = self.variant_types(id, tag, span);
        if whole == Ty::Error || !self.looks_at(&whole, ty, span) {
            return self.broken(args, arm);
        }
        let (name, place) = self.variant_name(id, tag);
        if args.len() != fields.len() {
            let wanted = errors::count(fields.len(), "part");
            let title = format!("`{name}` holds {wanted}, and this pattern has {}", errors::count(args.len(), "part"));
            let report = Diagnostic::error("T0112", title).primary(span, "this pattern").label(place, "declared here");
            self.report(report);
            return self.broken(args, arm);
        }
        if !arm
            && let DeclaredKind::Enum(variants) = &self.module.declared[id.index()].kind
            && variants.len() > 1
        {
            let of = self.module.declared[id.index()].name.clone();
            let others = variants.iter().map(|v| v.name.as_str()).filter(|n| *n != name);
            let others = errors::listed(others);
            self.report(errors::may_fail(span, &name, &of, &others));
        }
        let fields = args.iter().zip(&fields).map(|(p, t)| self.pattern_in(p, t, arm)).collect();
        PatternKind::Variant { tag, fields }
    }

    pub(super) fn match_(&mut self, value: &ast::Expr, arms: &[ast::Arm], span: Span) -> (Kind, Ty) {
        let value = self.expr(value);
        let ty = self.fresh(span);
        let mut typed: Vec<Arm> = Vec::new();
        for arm in arms {
            let outside = self.scope.depth();
            self.bound.clear();
            let pattern = self.pattern_in(&arm.pattern, &value.ty, true);
            self.bound.clear();
            let guard = arm.guard.as_ref().map(|g| self.condition(g, "a guard is true or false"));
            let body = self.expr(&arm.body);
            self.scope.truncate(outside);
            let first = typed.first().map(|a| a.body.span);
            let why = "all arms have one type, and this one comes first".to_string();
            self.expect(&body.ty, &ty, body.span, first.map(|at| (at, why)));
            typed.push(Arm { span: arm.span, pattern, guard, body });
        }
        // The bodies are of no interest to the check of the patterns.
        let patterns = typed.iter().map(|arm| Arm {
            span: arm.span,
            pattern: arm.pattern.clone(),
            guard: arm.guard.as_ref().map(|g| crate::typed::Expr {
                span: g.span,
                ty: Ty::BOOL,
                kind: Kind::Bool(true),
            }),
            body: crate::typed::Expr { span: arm.body.span, ty: Ty::BOOL, kind: Kind::Bool(true) },
        });
        self.matches.push((value.span, patterns.collect()));
        (Kind::Match { value: Box::new(value), arms: typed }, ty)
    }

    /// Reads a type written in a body.
    pub(super) fn read_type(&mut self, ty: &ast::Type) -> SizedType {
        let type_params = self.unifier.params.clone();
        let size_functions = self.header.map(|k| self.module.headers[k].size_functions.clone()).unwrap_or_default();
        let before = self.module.reports.len();
        let mut reader = TypeReader {
            names: &self.module.names,
            declared: &self.module.declared,
            module: self.here,
            type_params: &type_params,
            scope: &mut self.scope,
            size_functions: &size_functions,
            locals: &mut self.locals,
            reports: &mut self.module.reports,
            mentioned: Vec::new(),
            declare: None,
            params: &[],
            size_params: 0,
            parts: 0,
        };
        let sized = reader.read(ty);
        let mentioned = reader.mentioned;
        self.errors += self.module.reports.len() - before;
        for (id, span) in mentioned {
            let local = self.locals[id.index()].ty.clone();
            self.require(&local, Classes::INT, span, "a size");
        }
        sized
    }
}
