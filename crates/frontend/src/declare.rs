//! Declarations of types: `type` and `enum` items become [`Declared`] types.
//!
//! ```text
//! type line = {a: point, b: point}     read after `point`, whatever the order in the file
//! enum list = end | link(i64, list)    T0067: `list` contains `list`
//! ```
//!
//! Types are read after those they mention, because the brackets of `matrix[n, t]` only have a meaning once it is known
//! which of them are sizes. A type that leads back to itself would have values without end, so it is refused; the message
//! shows the way round.

use crate::declared::{Declared, DeclaredKind, Field, Generic, TypeId, Variant};
use crate::errors;
use crate::names::{Names, TypeBody, TypeSource};
use crate::read_type::{TypeReader, opening, type_path};
use crate::scope::Scope;
use crate::signature::SizedType;
use crate::typed::{Local, LocalId};
use crate::types::{Classes, Ty};
use crate::uses::{DeclaredName, Uses};
use terrace_base::{Diagnostic, Span};
use terrace_syntax::ast::{self, TypeArg, TypeKind};

/// Reads all declared types.
pub(crate) fn declare(names: &Names, sources: &[TypeSource<'_>], reports: &mut Vec<Diagnostic>) -> Vec<Declared> {
    let placeholder = |source: &TypeSource<'_>| Declared {
        name: source.name().text.clone(),
        span: source.name().span,
        module: source.module,
        generics: Vec::new(),
        kind: DeclaredKind::Abbreviation(SizedType::Error),
    };
    let declared = sources.iter().map(placeholder).collect();
    let mut order =
        Order { names, sources, states: vec![State::New; sources.len()], path: Vec::new(), done: Vec::new(), reports };
    (0..sources.len()).for_each(|k| order.visit(k));
    let (done, states) = (order.done, order.states);
    let mut all = Declaring { names, declared, reports };
    for k in done {
        if states[k] != State::Endless {
            all.read(k, &sources[k]);
        }
    }
    all.declared
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
    /// Part of a circle.
    Endless,
}

/// The order in which types are read.
struct Order<'o, 'a> {
    names: &'o Names,
    sources: &'o [TypeSource<'a>],
    states: Vec<State>,
    /// The types being visited, with the place where the one before mentions them.
    path: Vec<(usize, Span)>,
    done: Vec<usize>,
    reports: &'o mut Vec<Diagnostic>,
}

impl Order<'_, '_> {
    fn visit(&mut self, k: usize) {
        if self.states[k] != State::New {
            return;
        }
        self.states[k] = State::Open;
        if self.path.is_empty() {
            self.path.push((k, self.sources[k].name().span));
        }
        for (next, span) in self.mentioned(k) {
            match self.states[next] {
                State::New => {
                    self.path.push((next, span));
                    self.visit(next);
                    self.path.pop();
                }
                State::Open => self.circle(next, span),
                State::Done | State::Endless => {}
            }
        }
        if self.states[k] == State::Open {
            self.states[k] = State::Done;
        }
        self.done.push(k);
        if self.path.len() == 1 && self.path[0].0 == k {
            self.path.clear();
        }
    }

    fn circle(&mut self, first: usize, span: Span) {
        let Some(at) = self.path.iter().position(|(k, _)| *k == first) else {
            return;
        };
        let mut steps: Vec<(String, Span)> = Vec::new();
        for (k, place) in self.path[at + 1..].iter().copied().chain([(first, span)]) {
            steps.push((self.sources[k].name().text.clone(), place));
        }
        for (k, _) in &self.path[at..] {
            self.states[*k] = State::Endless;
        }
        let name = self.sources[first].name();
        self.reports.push(errors::endless_type(&name.text, name.span, &steps));
    }

    fn mentioned(&self, k: usize) -> Vec<(usize, Span)> {
        let source = &self.sources[k];
        let mut types = Vec::new();
        each_type(source, &mut |ty| types.push(ty));
        let mut found = Vec::new();
        while let Some(ty) = types.pop() {
            match &ty.kind {
                TypeKind::Scalar(_) => {}
                TypeKind::Named { path, args } => {
                    self.mention(source, path, ty.span, &mut found);
                    for arg in args {
                        match arg {
                            TypeArg::Type(ty) => types.push(ty),
                            TypeArg::Size(expr) => {
                                if let Some(path) = type_path(expr) {
                                    self.mention(source, &path, expr.span, &mut found);
                                }
                            }
                        }
                    }
                }
                TypeKind::Exists { body: element, .. } | TypeKind::Array { element, .. } => types.push(element),
                TypeKind::Tuple(parts) => types.extend(parts),
                TypeKind::Function { params, result } => {
                    types.extend(params);
                    types.push(result);
                }
            }
        }
        found.sort_by_key(|(_, span)| *span);
        found
    }

    fn mention(&self, source: &TypeSource<'_>, path: &ast::Path, span: Span, found: &mut Vec<(usize, Span)>) {
        let is_generic = path.module.is_none() && source.generics().iter().any(|g| g.name.text == path.name.text);
        if !is_generic && let Ok(Some(id)) = self.names.type_at(source.module, path) {
            found.push((id.index(), span));
        }
    }
}

fn each_type<'a>(source: &TypeSource<'a>, visit: &mut dyn FnMut(&'a ast::Type)) {
    match source.body {
        TypeBody::Type(def) => match &def.body {
            ast::TypeBody::Record(fields) => fields.iter().for_each(|f| visit(&f.ty)),
            ast::TypeBody::Abbreviation(ty) => visit(ty),
        },
        TypeBody::Enum(def) => def.variants.iter().flat_map(|v| &v.fields).for_each(visit),
    }
}

struct Declaring<'d> {
    names: &'d Names,
    declared: Vec<Declared>,
    reports: &'d mut Vec<Diagnostic>,
}

impl Declaring<'_> {
    fn read(&mut self, k: usize, source: &TypeSource<'_>) {
        let mut uses = Uses::new(self.names, source.module, &self.declared, source.generics());
        each_type(source, &mut |ty| uses.in_type(ty));
        let kinds = uses.kinds(source.generics(), false, self.reports);
        let mut generics = Vec::new();
        let (mut type_params, mut locals, mut scope) = (Vec::new(), Vec::new(), Scope::default());
        for DeclaredName { generic, is_size, is_type } in kinds {
            let name = generic.name.text.clone();
            if is_size {
                scope.push(&name, LocalId::new(locals.len()));
                locals.push(Local { name: name.clone(), span: generic.name.span, ty: Ty::I64, used: true });
            }
            if is_type {
                if let Some(class) = &generic.class {
                    self.reports.push(errors::class_of_type(&class.text, class.span));
                }
                type_params.push((name.clone(), Classes::NONE));
            }
            generics.push(Generic { name, is_size });
        }
        let size_params = locals.len();
        let mut reader = TypeReader {
            names: self.names,
            declared: &self.declared,
            module: source.module,
            type_params: &type_params,
            scope: &mut scope,
            size_functions: &[],
            locals: &mut locals,
            reports: self.reports,
            mentioned: Vec::new(),
            declare: Some(opening(&source.name().text, source.generics())),
            params: &[],
            size_params,
            parts: 0,
        };
        let kind = match source.body {
            TypeBody::Type(def) => match &def.body {
                ast::TypeBody::Abbreviation(ty) => DeclaredKind::Abbreviation(reader.read(ty)),
                ast::TypeBody::Record(fields) => DeclaredKind::Record(
                    fields
                        .iter()
                        .map(|f| Field { name: f.name.text.clone(), span: f.name.span, ty: reader.read(&f.ty) })
                        .collect(),
                ),
            },
            TypeBody::Enum(def) => DeclaredKind::Enum(
                def.variants
                    .iter()
                    .map(|v| Variant {
                        name: v.name.text.clone(),
                        span: v.name.span,
                        fields: v.fields.iter().map(|ty| reader.read(ty)).collect(),
                    })
                    .collect(),
            ),
        };
        let parts = reader.parts;
        // What is too large stays so wherever it is used: one message is enough.
        if parts <= TypeReader::LARGEST {
            let target = &mut self.declared[TypeId::new(k).index()];
            target.generics = generics;
            target.kind = kind;
        }
    }
}
