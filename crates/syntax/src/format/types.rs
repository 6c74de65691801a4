//! Types and patterns.
//!
//! Parentheses stay only where they mean something: around tuples, around the parameters of a function, around alternatives
//! inside alternatives, and where a size would otherwise be read as a type or a counter (`[(i < n)]t`).

use super::Printer;
use super::doc::{Doc, align, concat, group, text};
use crate::ast::*;
use terrace_base::{BinOp, ScalarType};

impl Printer<'_> {
    pub(super) fn ty(&mut self, t: &Type) -> Doc {
        match &t.kind {
            TypeKind::Scalar(_) => self.leaf(),
            TypeKind::Named { path, args } => {
                let path = self.path(path);
                if args.is_empty() {
                    return path;
                }
                let args = self.aligned("[", args, "]", |p, arg| match arg {
                    TypeArg::Type(t) => p.ty(t),
                    TypeArg::Size(e) if reads_as_type(e) => p.in_parentheses(e),
                    TypeArg::Size(e) => p.whole(e),
                });
                concat([path, args])
            }
            TypeKind::Exists { sizes, body } => {
                let mark = self.fixed("?");
                let sizes = self.aligned("[", sizes, "]", |p, _| p.leaf());
                concat([mark, sizes, self.fixed("."), Doc::Space, self.ty(body)])
            }
            TypeKind::Tuple(parts) => self.aligned("(", parts, ")", Self::ty),
            TypeKind::Array { dim, element } => {
                let open = self.fixed("[");
                let inside = match &dim.kind {
                    DimKind::Unstated => concat([]),
                    DimKind::Size(e) if reads_as_counter(e) => self.in_parentheses(e),
                    DimKind::Size(e) => self.whole(e),
                    DimKind::Counted { bound, .. } => {
                        concat([self.leaf(), Doc::Space, self.fixed("<"), Doc::Space, self.whole(bound)])
                    }
                };
                group(concat([open, align(inside), self.fixed("]"), self.ty(element)]))
            }
            TypeKind::Function { params, result } => {
                let params = self.aligned("(", params, ")", Self::ty);
                concat([params, Doc::Space, self.fixed("->"), Doc::Space, self.ty(result)])
            }
        }
    }

    pub(super) fn path(&mut self, path: &Path) -> Doc {
        match path.module {
            Some(_) => concat([self.leaf(), self.fixed("."), self.leaf()]),
            None => self.leaf(),
        }
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern) -> Doc {
        match &pattern.kind {
            PatternKind::Name(_) => self.leaf(),
            PatternKind::Wildcard => self.fixed("_"),
            PatternKind::Tuple(parts) => self.aligned("(", parts, ")", Self::pattern),
            PatternKind::Literal(literal) => self.whole(literal),
            PatternKind::Variant { path, args } => {
                let bare = args.is_empty() && path.module.is_some();
                let path = self.path(path);
                if bare { path } else { concat([path, self.aligned("(", args, ")", Self::pattern)]) }
            }
            PatternKind::Record { path, fields, rest } => {
                let path = self.path(path);
                let open = self.fixed("{");
                let mut parts = vec![self.separated(fields, Self::pattern_field)];
                if *rest && !fields.is_empty() {
                    parts.push(self.fixed(","));
                    parts.push(Doc::Line);
                }
                if *rest {
                    parts.push(self.fixed(".."));
                }
                parts.push(self.dangling("}"));
                group(concat([path, open, align(concat(parts)), self.fixed("}")]))
            }
            PatternKind::Or(parts) => {
                let mut docs = Vec::new();
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        docs.extend([Doc::Line, self.fixed("|"), Doc::Space]);
                    }
                    docs.push(match &part.kind {
                        PatternKind::Or(_) => concat([self.fixed("("), self.pattern(part), self.fixed(")")]),
                        _ => self.pattern(part),
                    });
                }
                group(concat(docs))
            }
        }
    }

    fn pattern_field(&mut self, (name, pattern): &(Name, Pattern)) -> Doc {
        let label = self.leaf();
        if name.span == pattern.span {
            return label;
        }
        concat([label, Doc::Space, self.fixed("="), Doc::Space, self.pattern(pattern)])
    }

    pub(super) fn generics(&mut self, generics: &[Generic]) -> Doc {
        if generics.is_empty() {
            return text("");
        }
        self.aligned("[", generics, "]", |p, generic| match generic.class {
            Some(_) => concat([p.leaf(), p.fixed(":"), Doc::Space, p.leaf()]),
            None => p.leaf(),
        })
    }
}

/// What an expression begins with, if that is written without parentheses.
fn first(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Binary { left, .. } => Some(left),
        ExprKind::Range { from, .. } => Some(from),
        ExprKind::Call { args, piped: true, .. } => args.last(),
        ExprKind::Call { function, .. } => Some(function),
        ExprKind::Index { array, .. } | ExprKind::Update { array, .. } => Some(array),
        ExprKind::RecordUpdate { record, .. } => Some(record),
        ExprKind::Field { value, .. } | ExprKind::Component { value, .. } => Some(value),
        _ => None,
    }
}

/// Whether a size begins like something that can only be a type.
fn reads_as_type(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Index { array, .. } if matches!(array.kind, ExprKind::Var(_) | ExprKind::Field { .. }) => true,
        ExprKind::Array(_) | ExprKind::Comprehension { .. } => true,
        ExprKind::Var(name) => ScalarType::from_name(name).is_some(),
        ExprKind::Record { path, .. } => path.module.is_none() && ScalarType::from_name(&path.name.text).is_some(),
        _ => first(e).is_some_and(reads_as_type),
    }
}

/// Whether a size begins like `i < n`.
fn reads_as_counter(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary { op: BinaryOp::Scalar(BinOp::Lt), left, .. } if matches!(left.kind, ExprKind::Var(_)) => true,
        _ => first(e).is_some_and(reads_as_counter),
    }
}

/// Whether an index begins like a slice.
pub(super) fn reads_as_slice(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Range { .. } => true,
        ExprKind::Call { args, piped: true, .. } => args.last().is_some_and(reads_as_slice),
        ExprKind::Update { array: old, .. } | ExprKind::RecordUpdate { record: old, .. } => reads_as_slice(old),
        _ => false,
    }
}
