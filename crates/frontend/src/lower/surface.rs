//! Entries as their callers see them.
//!
//! ```text
//! entry centre(ps: [n]point) -> point      ps      [n]point, an array of records
//!                                          result  point, a record with the fields x and y
//! ```

use crate::declared::{DeclaredKind, TypeId};
use crate::infer::{Module, Progress};
use crate::signature::SizedType;
use crate::typed::PatternKind;
use crate::types::{Ty, Unifier};
use terrace_plan::surface::{EntryParam, EntrySignature, Surface};

/// The entries of the root module, in source order.
pub(crate) fn entries(module: &Module<'_>) -> Vec<EntrySignature> {
    let mut out = Vec::new();
    for (k, header) in module.headers.iter().enumerate() {
        if !header.exported || header.module != module.root {
            continue;
        }
        let Progress::Done(checked) = &module.functions[k].progress else {
            continue;
        };
        let params = header.params.iter().map(|p| EntryParam {
            name: match p.pattern.kind {
                PatternKind::Name(id) => header.locals[id.index()].name.clone(),
                _ => "_".to_string(),
            },
            surface: surface(module, &Unifier::default(), &p.ty.plain(), &[]),
            text: format!("{}{}", if p.consumed { "*" } else { "" }, text(module, &p.ty)),
        });
        let params = params.collect();
        let result = match &header.result {
            Some((ty, _)) => surface(module, &Unifier::default(), &ty.plain(), &[]),
            None => surface(module, &checked.unifier, &checked.body.ty, &[]),
        };
        let names: Vec<&str> = header.result_sizes.iter().map(|id| header.locals[id.index()].name.as_str()).collect();
        let result_text = match &header.result {
            Some((ty, _)) if names.is_empty() => text(module, ty),
            Some((ty, _)) => format!("?[{}]. {}", names.join(", "), text(module, ty)),
            None => result.to_string(),
        };
        let docs = module.functions[k].item.docs.clone();
        out.push(EntrySignature { name: header.name.clone(), params, result, result_text, docs });
    }
    out
}

/// The name of a type as the root module writes it.
fn type_name(module: &Module<'_>, id: TypeId, args: &[String]) -> String {
    let declared = &module.declared[id.index()];
    let name = match module.qualifier(declared.module) {
        Some(qualifier) => format!("{qualifier}.{}", declared.name),
        None => declared.name.clone(),
    };
    if args.is_empty() { name } else { format!("{name}[{}]", args.join(", ")) }
}

fn surface(module: &Module<'_>, unifier: &Unifier, ty: &Ty, args: &[Surface]) -> Surface {
    let of = |ty: &Ty| surface(module, unifier, ty, args);
    match unifier.head(ty) {
        Ty::Scalar(s) => Surface::Scalar(s),
        Ty::Tuple(parts) => Surface::Tuple(parts.iter().map(of).collect()),
        Ty::Array(elem) => Surface::Array(Box::new(of(&elem))),
        Ty::Param(k) => args[k].clone(),
        Ty::Named(id, inner) => {
            let args: Vec<Surface> = inner.iter().map(of).collect();
            let shown: Vec<String> = args.iter().map(Surface::to_string).collect();
            let name = type_name(module, id, &shown);
            let none = Unifier::default();
            let field = |ty: &SizedType| surface(module, &none, &ty.plain(), &args);
            match &module.declared[id.index()].kind {
                DeclaredKind::Record(fields) => {
                    let fields = fields.iter().map(|f| (f.name.clone(), field(&f.ty))).collect();
                    Surface::Record { name, fields }
                }
                DeclaredKind::Enum(variants) => {
                    let variants =
                        variants.iter().map(|v| (v.name.clone(), v.fields.iter().map(field).collect())).collect();
                    Surface::Enum { name, variants }
                }
                DeclaredKind::Abbreviation(stated) => field(stated),
            }
        }
        Ty::Function(..) | Ty::Var(_) | Ty::Error => unreachable!("entries without errors have fixed types"),
    }
}

/// A type with the sizes it states.
fn text(module: &Module<'_>, ty: &SizedType) -> String {
    match ty {
        SizedType::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(|p| text(module, p)).collect();
            format!("({})", parts.join(", "))
        }
        SizedType::Array(array) => {
            let elem = text(module, &array.elem);
            match (&array.position, &array.size) {
                (Some((_, name)), Some(_)) => format!("[{name} < {}]{elem}", array.text),
                (None, Some(_)) => format!("[{}]{elem}", array.text),
                (_, None) => format!("[]{elem}"),
            }
        }
        other => surface(module, &Unifier::default(), &other.plain(), &[]).to_string(),
    }
}
