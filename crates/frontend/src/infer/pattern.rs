//! Patterns and the names they bind.

use super::Infer;
use crate::signature::{SizedType, TypeReader};
use crate::typed::{Pattern, PatternKind};
use crate::types::{Classes, Ty};
use terrace_base::Diagnostic;
use terrace_syntax::ast;

impl Infer<'_, '_> {
    /// Brings the names of a pattern that is typed already into scope.
    pub(super) fn enter_pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Name(id) => {
                let name = self.locals[id.index()].name.clone();
                self.scope.push((name, *id));
            }
            PatternKind::Wildcard => {}
            PatternKind::Tuple(parts) => parts.iter().for_each(|p| self.enter_pattern(p)),
        }
    }

    /// Types a pattern and brings its names into scope.
    pub(super) fn pattern(&mut self, pattern: &ast::Pattern, ty: &Ty) -> Pattern {
        let kind = match &pattern.kind {
            ast::PatternKind::Wildcard => PatternKind::Wildcard,
            ast::PatternKind::Name(name) => PatternKind::Name(self.bind(name, pattern.span, ty.clone())),
            ast::PatternKind::Tuple(parts) => {
                let types = self.tuple_parts(pattern, parts.len(), ty);
                PatternKind::Tuple(parts.iter().zip(&types).map(|(p, t)| self.pattern(p, t)).collect())
            }
        };
        Pattern { kind }
    }

    fn tuple_parts(&mut self, pattern: &ast::Pattern, count: usize, ty: &Ty) -> Vec<Ty> {
        match self.unifier.head(ty) {
            Ty::Tuple(types) if types.len() == count => types,
            Ty::Var(_) => {
                let types: Vec<Ty> = (0..count).map(|_| self.fresh(pattern.span)).collect();
                let tuple = Ty::Tuple(types.clone());
                self.expect(&tuple, ty, pattern.span, None);
                types
            }
            other => {
                if other != Ty::Error {
                    let shown = self.unifier.show(&other);
                    let mut report = Diagnostic::error(
                        "T0112",
                        format!("this pattern takes apart a tuple of {count}, not `{shown}`"),
                    )
                    .primary(pattern.span, format!("what it takes apart is `{shown}`"));
                    if let Some(origin) = self.unifier.origin(ty) {
                        report = report.label(origin, format!("`{shown}` because of this"));
                    }
                    self.report(report);
                }
                vec![Ty::Error; count]
            }
        }
    }

    /// Reads a type written in a body.
    pub(super) fn read_type(&mut self, ty: &ast::Type) -> SizedType {
        let type_params = self.unifier.params.clone();
        let mut reader = TypeReader {
            type_params: &type_params,
            names: &mut self.scope,
            locals: &mut self.locals,
            reports: &mut self.module.reports,
            mentioned: Vec::new(),
            declare: None,
        };
        let sized = reader.read(ty);
        for (id, span) in reader.mentioned {
            let local = self.locals[id.index()].ty.clone();
            self.require(&local, Classes::INT, span, "a size");
        }
        sized
    }
}
