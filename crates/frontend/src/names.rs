//! What names of definitions mean: per module, functions and variants, types, and imported modules.
//!
//! ```text
//! area            a definition of this module; else one of the prelude; else a built-in function
//! circle.area     a definition of the module that this one imports under the name `circle`
//! ```
//!
//! Functions, constants and variants are one kind of name, types another, modules a third: a record `circle` and a module
//! `circle` do not disturb each other. Names bound inside functions come before all of these and are found in
//! [`crate::scope`]. Imports are not handed on: importers of a module do not see what it imports.

use crate::declared::TypeId;
use crate::errors;
use crate::modules::Loaded;
use std::collections::BTreeMap;
use terrace_base::{Diagnostic, ScalarType, Span};
use terrace_syntax::ast::{self, ItemKind};

/// What the name of a definition stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Def {
    Function(usize),
    /// A variant of an enum, by its number there.
    Variant(TypeId, usize),
}

/// The names of every module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    modules: Vec<ModuleNames>,
}

#[derive(Clone, Debug, Default)]
struct ModuleNames {
    values: BTreeMap<String, (Def, Span)>,
    types: BTreeMap<String, (TypeId, Span)>,
    imports: BTreeMap<String, usize>,
}

/// The prelude is the first module.
const PRELUDE: usize = 0;

/// A function of the program, before anything is known about it.
pub(crate) struct FunctionSource<'a> {
    pub(crate) module: usize,
    pub(crate) item: &'a ast::Item,
    pub(crate) function: &'a ast::Function,
}

/// A declared type, before anything is known about it.
#[derive(Clone, Copy)]
pub(crate) struct TypeSource<'a> {
    pub(crate) module: usize,
    pub(crate) body: TypeBody<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum TypeBody<'a> {
    Type(&'a ast::TypeDef),
    Enum(&'a ast::EnumDef),
}

impl<'a> TypeSource<'a> {
    pub(crate) fn name(&self) -> &'a ast::Name {
        match self.body {
            TypeBody::Type(def) => &def.name,
            TypeBody::Enum(def) => &def.name,
        }
    }

    pub(crate) fn generics(&self) -> &'a [ast::Generic] {
        match self.body {
            TypeBody::Type(def) => &def.generics,
            TypeBody::Enum(def) => &def.generics,
        }
    }
}

impl Names {
    /// Numbers the functions and types of all modules.
    pub(crate) fn collect<'a>(
        loaded: &'a Loaded,
        reports: &mut Vec<Diagnostic>,
    ) -> (Names, Vec<FunctionSource<'a>>, Vec<TypeSource<'a>>) {
        let mut names = Names::default();
        let (mut functions, mut types) = (Vec::new(), Vec::new());
        for (module, loaded) in loaded.modules.iter().enumerate() {
            let mut own = ModuleNames::default();
            own.imports.extend(loaded.imports.iter().cloned());
            for item in &loaded.ast.items {
                match &item.kind {
                    ItemKind::Function(function) => {
                        own.value(&function.name, Def::Function(functions.len()), reports);
                        functions.push(FunctionSource { module, item, function });
                    }
                    ItemKind::Type(def) => {
                        own.ty(&def.name, TypeId::new(types.len()), reports);
                        types.push(TypeSource { module, body: TypeBody::Type(def) });
                    }
                    ItemKind::Enum(def) => {
                        let id = TypeId::new(types.len());
                        own.ty(&def.name, id, reports);
                        for (tag, variant) in def.variants.iter().enumerate() {
                            own.value(&variant.name, Def::Variant(id, tag), reports);
                        }
                        types.push(TypeSource { module, body: TypeBody::Enum(def) });
                    }
                    ItemKind::Test(_) | ItemKind::Import(_) => {}
                }
            }
            names.modules.push(own);
        }
        (names, functions, types)
    }

    /// A function or variant by its bare name.
    pub(crate) fn value(&self, module: usize, name: &str) -> Option<Def> {
        self.value_in(module, name).or_else(|| self.value_in(PRELUDE, name))
    }

    /// A function or variant that a module itself defines.
    pub(crate) fn value_in(&self, module: usize, name: &str) -> Option<Def> {
        self.modules[module].values.get(name).map(|(def, _)| *def)
    }

    /// A type by its bare name.
    pub(crate) fn ty(&self, module: usize, name: &str) -> Option<TypeId> {
        self.type_in(module, name).or_else(|| self.type_in(PRELUDE, name))
    }

    /// A type that a module itself declares.
    pub(crate) fn type_in(&self, module: usize, name: &str) -> Option<TypeId> {
        self.modules[module].types.get(name).map(|(id, _)| *id)
    }

    /// A type of the prelude.
    pub(crate) fn prelude_type(&self, name: &str) -> Option<TypeId> {
        self.modules.first()?;
        self.type_in(PRELUDE, name)
    }

    /// The module imported under a name.
    pub(crate) fn import(&self, module: usize, name: &str) -> Option<usize> {
        self.modules[module].imports.get(name).copied()
    }

    /// The type behind a path, or a message.
    pub(crate) fn type_at(&self, module: usize, path: &ast::Path) -> Result<Option<TypeId>, Diagnostic> {
        let Some(qualifier) = &path.module else {
            return Ok(self.ty(module, &path.name.text));
        };
        let target = self.qualifier(module, qualifier)?;
        match self.type_in(target, &path.name.text) {
            Some(id) => Ok(Some(id)),
            None => {
                let names: Vec<&str> = self.modules[target].types.keys().map(String::as_str).collect();
                Err(errors::not_in_module(&qualifier.text, "type", &path.name, &names))
            }
        }
    }

    /// The function or variant behind a path, or a message.
    pub(crate) fn value_at(&self, module: usize, path: &ast::Path) -> Result<Option<Def>, Diagnostic> {
        let Some(qualifier) = &path.module else {
            return Ok(self.value(module, &path.name.text));
        };
        let target = self.qualifier(module, qualifier)?;
        match self.value_in(target, &path.name.text) {
            Some(def) => Ok(Some(def)),
            None => Err(self.missing_value(target, &qualifier.text, &path.name)),
        }
    }

    /// What to say about a name that an imported module does not have.
    pub(crate) fn missing_value(&self, target: usize, qualifier: &str, name: &ast::Name) -> Diagnostic {
        let names: Vec<&str> = self.modules[target].values.keys().map(String::as_str).collect();
        let report = errors::not_in_module(qualifier, "definition", name, &names);
        if self.type_in(target, &name.text).is_some() {
            return report
                .hint(format!("`{0}` is a type there: a record is written `{qualifier}.{0}{{…}}`", name.text));
        }
        report
    }

    fn qualifier(&self, module: usize, qualifier: &ast::Name) -> Result<usize, Diagnostic> {
        self.import(module, &qualifier.text).ok_or_else(|| {
            let names: Vec<&str> = self.modules[module].imports.keys().map(String::as_str).collect();
            errors::unknown_module(&qualifier.text, qualifier.span, &names)
        })
    }

    /// The name under which a module imports another one.
    pub(crate) fn import_of(&self, module: usize, other: usize) -> Option<&str> {
        self.modules[module].imports.iter().find(|(_, m)| **m == other).map(|(name, _)| name.as_str())
    }

    /// Where an unknown function or variant can be found: `circle.area`.
    pub(crate) fn value_elsewhere(&self, module: usize, name: &str) -> Option<String> {
        let mut imports = self.modules[module].imports.iter();
        imports.find(|(_, m)| self.modules[**m].values.contains_key(name)).map(|(import, _)| format!("{import}.{name}"))
    }

    /// Where an unknown type can be found.
    pub(crate) fn type_elsewhere(&self, module: usize, name: &str) -> Option<String> {
        let mut imports = self.modules[module].imports.iter();
        imports.find(|(_, m)| self.modules[**m].types.contains_key(name)).map(|(import, _)| format!("{import}.{name}"))
    }

    /// All functions and variants that have a bare name in a module.
    pub(crate) fn values(&self, module: usize) -> impl Iterator<Item = &str> {
        self.modules[module].values.keys().chain(self.modules[PRELUDE].values.keys()).map(String::as_str)
    }

    /// All types that have a bare name in a module.
    pub(crate) fn types(&self, module: usize) -> impl Iterator<Item = &str> {
        self.modules[module].types.keys().chain(self.modules[PRELUDE].types.keys()).map(String::as_str)
    }

    /// All imports of a module.
    pub(crate) fn imports(&self, module: usize) -> impl Iterator<Item = &str> {
        self.modules[module].imports.keys().map(String::as_str)
    }
}

impl ModuleNames {
    fn value(&mut self, name: &ast::Name, def: Def, reports: &mut Vec<Diagnostic>) {
        match self.values.get(&name.text) {
            Some((_, first)) => reports.push(errors::defined_twice(&name.text, name.span, *first)),
            None => {
                self.values.insert(name.text.clone(), (def, name.span));
            }
        }
    }

    fn ty(&mut self, name: &ast::Name, id: TypeId, reports: &mut Vec<Diagnostic>) {
        if ScalarType::from_name(&name.text).is_some() {
            reports.push(errors::scalar_redefined(&name.text, name.span));
        }
        match self.types.get(&name.text) {
            Some((_, first)) => reports.push(errors::defined_twice(&name.text, name.span, *first)),
            None => {
                self.types.insert(name.text.clone(), (id, name.span));
            }
        }
    }
}
