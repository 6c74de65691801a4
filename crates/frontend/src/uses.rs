//! What the names in brackets are: sizes, size functions or types, by the way they are used.
//!
//! ```text
//! def f[n, k, t](xs: [i < n][k(i)]t, m: matrix[n, t])
//!     n   between the brackets of an array, or an argument where `matrix` wants a size: a size
//!     k   applied to positions: a size function
//!     t   the type of elements, or an argument where `matrix` wants a type: a type
//! ```

use crate::declared::Declared;
use crate::errors;
use crate::names::Names;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{Diagnostic, Span};
use terrace_syntax::ast::{self, DimKind, ExprKind, TypeArg, TypeKind};

/// How names are used in the types of a header or declaration.
pub(crate) struct Uses<'u> {
    names: &'u Names,
    module: usize,
    declared: &'u [Declared],
    generics: BTreeSet<&'u str>,
    types: BTreeSet<String>,
    sizes: BTreeSet<String>,
    /// Size functions with the number of their arguments, and where they have another number.
    functions: BTreeMap<String, (usize, Span)>,
    arities: Vec<(String, Span, usize, Span)>,
}

/// A name declared in brackets.
pub(crate) struct DeclaredName<'g> {
    pub(crate) generic: &'g ast::Generic,
    /// Whether it is a size or a size function.
    pub(crate) is_size: bool,
    pub(crate) is_type: bool,
}

impl<'u> Uses<'u> {
    pub(crate) fn new(
        names: &'u Names,
        module: usize,
        declared: &'u [Declared],
        generics: &'u [ast::Generic],
    ) -> Uses<'u> {
        Uses {
            names,
            module,
            declared,
            generics: generics.iter().map(|g| g.name.text.as_str()).collect(),
            types: BTreeSet::new(),
            sizes: BTreeSet::new(),
            functions: BTreeMap::new(),
            arities: Vec::new(),
        }
    }

    pub(crate) fn in_type(&mut self, ty: &ast::Type) {
        match &ty.kind {
            TypeKind::Scalar(_) => {}
            TypeKind::Named { path, args } => self.in_named(path, args),
            TypeKind::Exists { body, .. } => self.in_type(body),
            TypeKind::Tuple(parts) => parts.iter().for_each(|p| self.in_type(p)),
            TypeKind::Array { dim, element } => {
                match &dim.kind {
                    DimKind::Unstated => {}
                    DimKind::Size(size) | DimKind::Counted { bound: size, .. } => self.in_size(size),
                }
                self.in_type(element);
            }
            TypeKind::Function { params, result } => {
                params.iter().for_each(|p| self.in_type(p));
                self.in_type(result);
            }
        }
    }

    fn in_named(&mut self, path: &ast::Path, args: &[TypeArg]) {
        let name = &path.name.text;
        if path.module.is_none() && self.generics.contains(name.as_str()) {
            self.types.insert(name.clone());
            return;
        }
        let declared = match self.names.type_at(self.module, path) {
            Ok(Some(id)) => Some(&self.declared[id.index()]),
            _ => None,
        };
        for (k, arg) in args.iter().enumerate() {
            let is_size = declared.and_then(|d| d.generics.get(k)).map(|g| g.is_size);
            match (arg, is_size) {
                (TypeArg::Type(ty), _) => self.in_type(ty),
                (TypeArg::Size(expr), Some(false)) => {
                    if let ExprKind::Var(name) = &expr.kind {
                        self.types.insert(name.clone());
                    }
                }
                (TypeArg::Size(expr), _) => self.in_size(expr),
            }
        }
    }

    fn in_size(&mut self, size: &ast::Expr) {
        match &size.kind {
            ExprKind::Var(name) => {
                self.sizes.insert(name.clone());
            }
            ExprKind::Call { function, args, .. } => {
                if let ExprKind::Var(name) = &function.kind {
                    match self.functions.get(name) {
                        Some((arity, first)) if *arity != args.len() => {
                            self.arities.push((name.clone(), size.span, *arity, *first));
                        }
                        Some(_) => {}
                        None => {
                            self.functions.insert(name.clone(), (args.len(), size.span));
                        }
                    }
                }
                args.iter().for_each(|a| self.in_size(a));
            }
            _ => terrace_syntax::visit::for_each_child(size, &mut |child| self.in_size(child)),
        }
    }

    /// The number of arguments of a size function.
    pub(crate) fn arity(&self, name: &str) -> Option<usize> {
        self.functions.get(name).map(|(arity, _)| *arity)
    }

    /// The declared names with what they are; reports those that are not exactly one thing. A name that is used as two
    /// things is both from there on, so that its uses are not reported again.
    pub(crate) fn kinds<'g>(
        &self,
        generics: &'g [ast::Generic],
        functions: bool,
        reports: &mut Vec<Diagnostic>,
    ) -> Vec<DeclaredName<'g>> {
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        let mut kinds = Vec::new();
        for generic in generics {
            let name = &generic.name;
            if let Some(first) = seen.insert(&name.text, name.span) {
                reports.push(errors::declared_twice(&name.text, name.span, first));
                continue;
            }
            let is_type = self.types.contains(&name.text);
            let is_size = self.sizes.contains(&name.text);
            let function = self.functions.get(&name.text);
            if is_type && (is_size || function.is_some()) {
                reports.push(errors::type_and_size(&name.text, name.span));
            } else if is_size && let Some((_, place)) = function {
                reports.push(errors::size_and_function(&name.text, name.span, *place));
            } else if (is_size || function.is_some())
                && let Some(class) = &generic.class
            {
                reports.push(errors::class_of_size(&name.text, class.span));
            } else if !is_type && !is_size && function.is_none() {
                reports.push(errors::unused_generic(&name.text, name.span));
            }
            if !functions && let Some((_, place)) = function {
                reports.push(errors::size_function_of_type(&name.text, *place));
            }
            let is_size = is_size || function.is_some();
            kinds.push(DeclaredName { generic, is_size, is_type: is_type || !is_size });
        }
        for (name, span, arity, first) in &self.arities {
            if seen.contains_key(name.as_str()) {
                reports.push(errors::two_arities(name, *span, *arity, *first));
            }
        }
        kinds
    }
}
