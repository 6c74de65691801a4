//! Reading the headers of functions.
//!
//! ```text
//! def f[n, k, t: Ord](xs: [i < n][k(i)]t, m: i64) -> [m]t
//!     type_params      t, which has an order
//!     sizes            n, the length of xs
//!     size_functions   k, the lengths of the rows of xs
//!     m                an integer parameter, which may be a size too
//! ```
//!
//! Patterns of parameters are typed with the body, because a type that is left out is only known then. Here they bind
//! nothing, except for integer parameters, which sizes may mention.

use crate::declared::Declared;
use crate::errors;
use crate::names::{FunctionSource, Names};
use crate::read_type::{TypeReader, opening};
use crate::scope::Scope;
use crate::signature::{Param, Signature, SizedType, binder_of, function_binder_of};
use crate::typed::{Local, LocalId, Pattern, PatternKind};
use crate::types::{Classes, Ty};
use crate::uses::{DeclaredName, Uses};
use terrace_base::{Diagnostic, Span};
use terrace_syntax::ast::{self, TypeKind};

/// Reads the header of a function.
pub(crate) fn read_header(
    source: &FunctionSource<'_>,
    names: &Names,
    declared: &[Declared],
    reports: &mut Vec<Diagnostic>,
) -> Signature {
    let function = source.function;
    let before = reports.len();
    let mut header = Signature {
        name: function.name.text.clone(),
        name_span: function.name.span,
        exported: function.exported,
        type_params: Vec::new(),
        locals: Vec::new(),
        sizes: Vec::new(),
        size_functions: Vec::new(),
        params: Vec::new(),
        result: None,
        result_sizes: Vec::new(),
        constant: function.constant,
        module: source.module,
    };
    let mut scope = Scope::default();
    declare_names(source, names, declared, &mut header, &mut scope, reports);
    for (name, span) in function.params.iter().flat_map(|p| p.pattern.names()) {
        if let Some(id) = scope.find(name) {
            reports.push(errors::declared_twice(name, span, header.locals[id.index()].span));
        }
    }
    // Integer parameters may be sizes in the types of all parameters and of the result.
    let early: Vec<Option<LocalId>> = function.params.iter().map(|p| header.bind_integer(p, &mut scope)).collect();
    let type_params = header.type_params.clone();
    let size_functions = header.size_functions.clone();
    let mut reader = TypeReader {
        names,
        declared,
        module: source.module,
        type_params: &type_params,
        scope: &mut scope,
        size_functions: &size_functions,
        locals: &mut header.locals,
        reports,
        mentioned: Vec::new(),
        declare: Some(opening(&function.name.text, &function.generics)),
        params: &function.params,
        size_params: 0,
        parts: 0,
    };
    for (param, id) in function.params.iter().zip(early) {
        let (ty, ty_span) = match &param.ty {
            Some(ty) => (reader.read_parameter(ty), ty.span),
            None => (SizedType::Plain(Ty::Error), param.pattern.span),
        };
        if let (SizedType::Function(..), true) = (&ty, function.exported) {
            reader.reports.push(errors::entry_takes_function(ty_span));
        }
        let kind = id.map_or(PatternKind::Wildcard, PatternKind::Name);
        let pattern = Pattern { span: param.pattern.span, ty: ty.plain(), kind };
        header.params.push(Param { pattern, ty, ty_span, consumed: param.consumed.is_some() });
    }
    if let Some(ty) = &function.result {
        let (sized, sizes) = read_result(&mut reader, ty);
        header.result = Some((sized, ty.span));
        header.result_sizes = sizes;
    }
    // A type that could not be read may have been the one that says what a size is.
    if reports.len() == before {
        header.check_sizes(reports);
        if header.exported && !header.type_params.is_empty() {
            reports.push(errors::generic_entry(&header.name, header.name_span));
        }
    }
    header
}

fn read_result(reader: &mut TypeReader<'_>, ty: &ast::Type) -> (SizedType, Vec<LocalId>) {
    let TypeKind::Exists { sizes, body } = &ty.kind else {
        return (reader.read(ty), Vec::new());
    };
    let outside = reader.scope.depth();
    let mut ids = Vec::new();
    for name in sizes {
        if let Some(outer) = reader.scope.find(&name.text) {
            let first = reader.locals[outer.index()].span;
            reader.reports.push(errors::declared_twice(&name.text, name.span, first));
        }
        let id = LocalId::new(reader.locals.len());
        reader.locals.push(Local { name: name.text.clone(), span: name.span, ty: Ty::I64, used: false });
        reader.scope.push(&name.text, id);
        ids.push(id);
    }
    let sized = reader.read(body);
    for id in &ids {
        let local = &reader.locals[id.index()];
        if !local.used {
            reader.reports.push(errors::unused_result_size(&local.name, local.span));
        } else if !states_alone(*id, &sized) {
            reader.reports.push(errors::undetermined_result_size(&local.name, local.span));
        }
    }
    reader.scope.truncate(outside);
    (sized, ids)
}

/// Whether a size stands alone as a length of a result.
fn states_alone(id: LocalId, ty: &SizedType) -> bool {
    let whole = Param {
        pattern: Pattern { span: Span::none(), ty: Ty::Error, kind: PatternKind::Wildcard },
        ty: ty.clone(),
        ty_span: Span::none(),
        consumed: false,
    };
    matches!(ty, SizedType::Error) || binder_of(id, &[whole]).is_some()
}

/// Finds out which declared names are sizes, size functions and types, by their use in the header.
fn declare_names(
    source: &FunctionSource<'_>,
    names: &Names,
    declared: &[Declared],
    header: &mut Signature,
    scope: &mut Scope,
    reports: &mut Vec<Diagnostic>,
) {
    let function = source.function;
    let mut uses = Uses::new(names, source.module, declared, &function.generics);
    let types = function.params.iter().filter_map(|p| p.ty.as_ref()).chain(&function.result);
    types.for_each(|ty| uses.in_type(ty));
    for DeclaredName { generic, is_size, is_type } in uses.kinds(&function.generics, true, reports) {
        let name = &generic.name;
        if is_type {
            let class = generic.class.as_ref().and_then(|class| {
                let found = Classes::named(&class.text);
                if found.is_none() {
                    reports.push(errors::unknown_class(&class.text, class.span));
                }
                found
            });
            header.type_params.push((name.text.clone(), class.unwrap_or(Classes::NONE)));
        }
        if !is_size {
            continue;
        }
        let id = match uses.arity(&name.text) {
            Some(arity) => {
                let ty = Ty::Function(vec![Ty::I64; arity], Box::new(Ty::I64));
                let id = header.bind(&name.text, name.span, ty);
                header.size_functions.push(id);
                id
            }
            None => {
                let id = header.bind(&name.text, name.span, Ty::I64);
                header.sizes.push(id);
                id
            }
        };
        scope.push(&name.text, id);
    }
}

impl Signature {
    fn bind(&mut self, name: &str, span: Span, ty: Ty) -> LocalId {
        let id = LocalId::new(self.locals.len());
        self.locals.push(Local { name: name.to_string(), span, ty, used: false });
        id
    }

    fn bind_integer(&mut self, param: &ast::Param, scope: &mut Scope) -> Option<LocalId> {
        match (&param.pattern.kind, param.ty.as_ref().map(|t| &t.kind)) {
            (ast::PatternKind::Name(name), Some(TypeKind::Scalar(s))) if s.is_int() => {
                let id = self.bind(name, param.pattern.span, Ty::Scalar(*s));
                scope.push(name, id);
                Some(id)
            }
            _ => None,
        }
    }

    /// Every size and size function must get its values from a parameter.
    fn check_sizes(&self, reports: &mut Vec<Diagnostic>) {
        for id in &self.sizes {
            if binder_of(*id, &self.params).is_none() {
                let local = &self.locals[id.index()];
                reports.push(errors::undetermined_size(&local.name, local.span));
            }
        }
        for id in &self.size_functions {
            if function_binder_of(*id, &self.params).is_none() {
                let local = &self.locals[id.index()];
                let arity = match &local.ty {
                    Ty::Function(params, _) => params.len(),
                    _ => 1,
                };
                reports.push(errors::undetermined_size_function(&local.name, local.span, arity));
            }
        }
    }
}
