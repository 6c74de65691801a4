//! Records, tuples and enums: making them, taking parts, changing fields.
//!
//! ```text
//! point{x = 1.0, y}     p.x     p with {x = 3.0}     t.0     circle(1.0)     nothing
//! ```
//!
//! Which record has a field is never guessed from the name of the field: the type of `p` in `p.x` must be known by then.

use super::Infer;
use super::call::{Callee, Found};
use crate::declared::{DeclaredKind, Field, TypeId};
use crate::errors;
use crate::signature::SizedType;
use crate::typed::{Expr, Kind};
use crate::types::Ty;
use terrace_base::Span;
use terrace_syntax::ast::{self, ExprKind};

impl Infer<'_, '_> {
    pub(super) fn variable(&mut self, name: &str, span: Span) -> (Kind, Ty) {
        match self.find(name) {
            Some(callee) => self.name_as_value(callee, name, span),
            None => {
                let names = &self.module.names;
                let mut report = errors::unknown_name(name, span);
                if let Some(local) = self.locals.iter().rev().find(|l| l.name == name) {
                    report = report.label(local.span, "this one is known only inside what it was bound for");
                } else if let Some(there) = names.value_elsewhere(self.here, name) {
                    report = errors::elsewhere(report, name, &there);
                } else if names.imports(self.here).any(|i| i == name) {
                    report = report.hint(format!("`{name}` is a module: write `{name}.` and what you need from it"));
                } else if names.ty(self.here, name).is_some() {
                    report = report.hint(format!("`{name}` is a type; a record is written `{name}{{x = …}}`"));
                } else if let Some(hint) = errors::other_value(name) {
                    report = report.hint(hint);
                } else {
                    let near = self.scope.names().chain(names.values(self.here)).chain(names.imports(self.here));
                    report = errors::suggest(report, name, near);
                }
                self.report(report);
                (Kind::Error, Ty::Error)
            }
        }
    }

    fn name_as_value(&mut self, callee: Callee, name: &str, span: Span) -> (Kind, Ty) {
        match callee {
            Callee::Local(id) => {
                let ty = self.locals[id.index()].ty.clone();
                let known_function = matches!(self.unifier.head(&ty), Ty::Function(..));
                if known_function || self.unifier.require(&ty, crate::types::Classes::VALUE).is_err() {
                    self.report(errors::function_as_value(name, span, 1));
                    return (Kind::Error, Ty::Error);
                }
                (Kind::Local(id), ty)
            }
            Callee::Function(k) if self.module.headers[k].constant => self.constant(k, span),
            Callee::Variant(id, tag) => {
                let (ty, fields) = self.variant_types(id, tag, span);
                if !fields.is_empty() {
                    self.report(errors::variant_without_fields(name, span, fields.len()));
                    return (Kind::Error, Ty::Error);
                }
                (Kind::Variant { tag, fields: Vec::new() }, ty)
            }
            Callee::Function(k) => {
                let params = self.module.headers[k].params.len();
                self.report(errors::function_as_value(name, span, params));
                (Kind::Error, Ty::Error)
            }
            Callee::Builtin(_) | Callee::Convert(_) | Callee::ConvertTo(_) => {
                self.report(errors::function_as_value(name, span, 1));
                (Kind::Error, Ty::Error)
            }
        }
    }

    /// The declared fields of a variant.
    pub(super) fn variant_fields(&self, id: TypeId, tag: usize) -> &[SizedType] {
        match &self.module.declared[id.index()].kind {
            DeclaredKind::Enum(variants) => variants.get(tag).map_or(&[], |v| v.fields.as_slice()),
            _ => &[],
        }
    }

    /// The enum of a variant and the types of its fields, with new types for the enum's type names.
    pub(super) fn variant_types(&mut self, id: TypeId, tag: usize, span: Span) -> (Ty, Vec<Ty>) {
        let args = self.fresh_args(id, span);
        // An enum that contains itself was reported and has no variants.
        if !matches!(self.module.declared[id.index()].kind, DeclaredKind::Enum(_)) {
            return (Ty::Error, Vec::new());
        }
        let fields = self.variant_fields(id, tag).iter().map(|f| f.plain().instantiate(&args)).collect();
        (Ty::Named(id, args), fields)
    }

    fn fresh_args(&mut self, id: TypeId, span: Span) -> Vec<Ty> {
        let count = self.module.declared[id.index()].generics.iter().filter(|g| !g.is_size).count();
        (0..count).map(|_| self.fresh(span)).collect()
    }

    pub(super) fn call_variant(&mut self, id: TypeId, tag: usize, args: &[ast::Expr], span: Span) -> (Kind, Ty) {
        let (ty, fields) = self.variant_types(id, tag, span);
        if ty == Ty::Error {
            self.loose_arguments(args);
            return (Kind::Error, Ty::Error);
        }
        let (name, place) = self.variant_name(id, tag);
        if args.len() != fields.len() || fields.is_empty() {
            let wanted = errors::count(fields.len(), "argument");
            let report = match fields.len() {
                0 => errors::empty_variant_called(&name, span, place),
                _ => errors::argument_count(&name, span, &wanted, args.len()).label(place, "declared here"),
            };
            self.report(report);
            self.loose_arguments(args);
            return (Kind::Error, Ty::Error);
        }
        let args = self.values(args);
        let mut fits = true;
        for (arg, field) in args.iter().zip(&fields) {
            let why = format!("`{name}` is declared here");
            fits &= self.expect(&arg.ty, field, arg.span, Some((place, why)));
        }
        if fits { (Kind::Variant { tag, fields: args }, ty) } else { (Kind::Error, Ty::Error) }
    }

    pub(super) fn variant_name(&self, id: TypeId, tag: usize) -> (String, Span) {
        let declared = &self.module.declared[id.index()];
        match &declared.kind {
            DeclaredKind::Enum(variants) if tag < variants.len() => (variants[tag].name.clone(), variants[tag].span),
            _ => (declared.name.clone(), declared.span),
        }
    }

    /// The record behind a path, with new types for its type names; reports what is no record.
    pub(super) fn record_type(&mut self, path: &ast::Path) -> Option<(TypeId, Vec<Ty>)> {
        let name = &path.name;
        let id = match self.module.names.type_at(self.here, path) {
            Ok(Some(id)) => id,
            Ok(None) => {
                let names = &self.module.names;
                let mut report = match self.module.names.value(self.here, &name.text) {
                    Some(crate::names::Def::Variant(..)) => errors::not_a_record(&name.text, name.span, "a variant")
                        .hint(format!("a variant is written with parentheses: `{}(…)`", name.text)),
                    _ => {
                        let near: Vec<&str> = names.types(self.here).collect();
                        errors::unknown_type(&name.text, name.span, None, &near)
                    }
                };
                if let Some(there) = names.type_elsewhere(self.here, &name.text) {
                    report = errors::elsewhere(report, &name.text, &there);
                }
                self.report(report);
                return None;
            }
            Err(report) => {
                self.report(report);
                return None;
            }
        };
        let args = self.fresh_args(id, name.span);
        match &self.module.declared[id.index()].kind {
            DeclaredKind::Record(_) => Some((id, args)),
            DeclaredKind::Abbreviation(SizedType::Record { id, type_args, .. }) => {
                Some((*id, type_args.iter().map(|t| t.instantiate(&args)).collect()))
            }
            DeclaredKind::Abbreviation(SizedType::Error) => None,
            kind => {
                let what = if matches!(kind, DeclaredKind::Enum(_)) { "an enum" } else { "another type" };
                self.report(errors::not_a_record(&name.text, name.span, what));
                None
            }
        }
    }

    pub(super) fn record_fields(&self, id: TypeId) -> &[Field] {
        match &self.module.declared[id.index()].kind {
            DeclaredKind::Record(fields) => fields,
            _ => &[],
        }
    }

    /// Number and type of a field; reports a field that is not there.
    pub(super) fn field_of(&mut self, id: TypeId, args: &[Ty], name: &str, span: Span) -> Option<(usize, Ty)> {
        let fields = self.record_fields(id);
        if let Some(k) = fields.iter().position(|f| f.name == name) {
            return Some((k, fields[k].ty.plain().instantiate(args)));
        }
        let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
        let declared = &self.module.declared[id.index()];
        let report = errors::unknown_field(&declared.name, name, span, &names, declared.span);
        self.report(report);
        None
    }

    pub(super) fn record(&mut self, path: &ast::Path, fields: &[(ast::Name, ast::Expr)], span: Span) -> (Kind, Ty) {
        let Some((id, args)) = self.record_type(path) else {
            fields.iter().for_each(|(_, value)| drop(self.expr(value)));
            return (Kind::Error, Ty::Error);
        };
        let ty = Ty::Named(id, args.clone());
        let typed = self.field_values(id, &args, fields);
        let given: Vec<&str> = fields.iter().map(|(name, _)| name.text.as_str()).collect();
        let missing = self.record_fields(id).iter().map(|f| f.name.as_str()).filter(|f| !given.contains(f));
        let missing: Vec<&str> = missing.collect();
        let Some(typed) = typed else {
            return (Kind::Error, ty);
        };
        if !missing.is_empty() {
            let name = &self.module.declared[id.index()].name;
            let report = errors::missing_fields(name, span, &missing, false);
            self.report(report);
            return (Kind::Error, ty);
        }
        (Kind::Record(typed), ty)
    }

    fn field_values(
        &mut self,
        id: TypeId,
        args: &[Ty],
        fields: &[(ast::Name, ast::Expr)],
    ) -> Option<Vec<(usize, Expr)>> {
        let mut typed = Vec::new();
        let mut fine = true;
        for (name, value) in fields {
            let field = self.field_of(id, args, &name.text, name.span);
            let value = self.expr(value);
            let Some((k, wanted)) = field else {
                fine = false;
                continue;
            };
            let place = self.record_fields(id)[k].span;
            let why = format!("the field `{}` is declared here", name.text);
            fine &= self.expect(&value.ty, &wanted, value.span, Some((place, why)));
            typed.push((k, value));
        }
        fine.then_some(typed)
    }

    pub(super) fn record_update(&mut self, record: &ast::Expr, fields: &[(ast::Name, ast::Expr)]) -> (Kind, Ty) {
        let record = self.expr(record);
        let ty = record.ty.clone();
        let Some((id, args)) = self.known_record(&record, &fields[0].0) else {
            fields.iter().for_each(|(_, value)| drop(self.expr(value)));
            return (Kind::Error, Ty::Error);
        };
        match self.field_values(id, &args, fields) {
            Some(fields) => (Kind::RecordUpdate { record: Box::new(record), fields }, ty),
            None => (Kind::Error, ty),
        }
    }

    /// The record that an expression must be because a field of it is used.
    fn known_record(&mut self, value: &Expr, field: &ast::Name) -> Option<(TypeId, Vec<Ty>)> {
        match self.unifier.head(&value.ty) {
            Ty::Named(id, args) if matches!(self.module.declared[id.index()].kind, DeclaredKind::Record(_)) => {
                Some((id, args))
            }
            Ty::Error => None,
            Ty::Var(var) => {
                self.report(errors::unknown_record(&field.text, value.span, field.span));
                // Other fields of the same thing would only repeat this.
                self.unifier.settle(var, Ty::Error);
                None
            }
            other => {
                let shown = self.unifier.show(&other);
                let mut report = match self.find(&field.text) {
                    Some(Callee::Function(_) | Callee::Builtin(_)) => {
                        errors::no_method(&field.text, value.span, &shown)
                    }
                    _ => errors::no_fields(&field.text, value.span, &shown),
                };
                if matches!(other, Ty::Named(..)) {
                    report = report.hint("what a variant holds is taken out with `match`");
                }
                self.report(report);
                None
            }
        }
    }

    /// `p.x`, and what a module has under a name.
    pub(super) fn field(&mut self, expr: &ast::Expr, value: &ast::Expr, name: &ast::Name) -> (Kind, Ty) {
        if let Some((_, qualifier)) = self.qualifier(value) {
            return match self.callee(expr) {
                Found::Callee(callee) => self.name_as_value(callee, &format!("{qualifier}.{}", name.text), expr.span),
                _ => (Kind::Error, Ty::Error),
            };
        }
        if let ExprKind::Var(module) = &value.kind
            && self.find(module).is_none()
        {
            let imports: Vec<&str> = self.module.names.imports(self.here).collect();
            let mut report = errors::unknown_name(module, value.span);
            if let Some(hint) = errors::other_module(module) {
                self.report(report.hint(hint));
                return (Kind::Error, Ty::Error);
            }
            report = report.hint(format!("if it is a module, import it: `import \"{module}\"`"));
            report = errors::suggest(report, module, self.scope.names().chain(imports));
            self.report(report);
            return (Kind::Error, Ty::Error);
        }
        let hidden = match &value.kind {
            ExprKind::Var(local) => self.module.names.import(self.here, local).is_some().then_some(local),
            _ => None,
        };
        let value = self.expr(value);
        if let (Some(local), Ty::Scalar(_) | Ty::Array(_) | Ty::Tuple(_)) = (hidden, self.unifier.head(&value.ty)) {
            let shown = self.unifier.show(&value.ty);
            let report = errors::no_fields(&name.text, value.span, &shown);
            self.report(report.hint(format!("here `{local}` is a value, which hides the module of the same name")));
            return (Kind::Error, Ty::Error);
        }
        let Some((id, args)) = self.known_record(&value, name) else {
            return (Kind::Error, Ty::Error);
        };
        match self.field_of(id, &args, &name.text, name.span) {
            Some((k, ty)) => (Kind::Project(Box::new(value), k), ty),
            None => (Kind::Error, Ty::Error),
        }
    }

    /// `t.0`.
    pub(super) fn component(&mut self, value: &ast::Expr, index: usize) -> (Kind, Ty) {
        let value = self.expr(value);
        match self.unifier.head(&value.ty) {
            Ty::Tuple(parts) if index < parts.len() => {
                let ty = parts[index].clone();
                (Kind::Project(Box::new(value), index), ty)
            }
            Ty::Error => (Kind::Error, Ty::Error),
            other => {
                let parts = match &other {
                    Ty::Tuple(parts) => Some(parts.len()),
                    _ => None,
                };
                let shown = self.unifier.show(&other);
                self.report(errors::no_component(index, value.span, &shown, parts));
                (Kind::Error, Ty::Error)
            }
        }
    }
}
