//! Types of the typed tree as Core types.
//!
//! ```text
//! type point = {x: f64, y: f64}         (f64, f64)
//! enum option[t] = none | some(t)       option[i64] is the sum  none | some(i64)
//! ```
//!
//! Names of types and fields are gone: two records with the same fields are one Core type. The names of variants stay,
//! because messages and printed values show them.

use crate::declared::DeclaredKind;
use crate::infer::Module;
use crate::types::{Ty, Unifier};
use terrace_ir::core::{Type, VariantType};

/// The Core type of a type that is fully known.
pub(super) fn core_type(module: &Module<'_>, unifier: &Unifier, ty: &Ty, type_args: &[Type]) -> Type {
    let of = |ty: &Ty| core_type(module, unifier, ty, type_args);
    match unifier.head(ty) {
        Ty::Scalar(s) => Type::Scalar(s),
        Ty::Tuple(parts) => Type::Tuple(parts.iter().map(of).collect()),
        Ty::Array(elem) => Type::array(of(&elem)),
        Ty::Param(k) => type_args[k].clone(),
        Ty::Named(id, args) => {
            let args: Vec<Type> = args.iter().map(of).collect();
            // What a declaration mentions is known but for its own type names.
            let none = Unifier::default();
            let field = |ty: &Ty| core_type(module, &none, ty, &args);
            match &module.declared[id.index()].kind {
                DeclaredKind::Record(fields) => Type::Tuple(fields.iter().map(|f| field(&f.ty.plain())).collect()),
                DeclaredKind::Enum(variants) => Type::Sum(
                    variants
                        .iter()
                        .map(|v| VariantType {
                            name: v.name.clone(),
                            fields: v.fields.iter().map(|f| field(&f.plain())).collect(),
                        })
                        .collect(),
                ),
                DeclaredKind::Abbreviation(stated) => field(&stated.plain()),
            }
        }
        Ty::Function(..) => unreachable!("functions are no values"),
        Ty::Var(_) | Ty::Error => unreachable!("inference without errors leaves no type open"),
    }
}

/// A type as a part of a function's name.
pub(super) fn word_of(ty: &Type) -> String {
    match ty {
        Type::Scalar(s) => s.name().to_string(),
        Type::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(word_of).collect();
            format!("t{}_{}", parts.len(), parts.join("_"))
        }
        Type::Array(array) => format!("a_{}", word_of(&array.elem)),
        Type::Sum(variants) => format!("e{}_{}", variants.len(), variants.first().map_or("", |v| v.name.as_str())),
    }
}

/// A type without sizes as text that differs from that of every other type.
pub(super) fn key_of(ty: &Type) -> String {
    let list = |types: &[Type]| types.iter().map(key_of).collect::<Vec<_>>().join(",");
    match ty {
        Type::Scalar(s) => s.name().to_string(),
        Type::Tuple(parts) => format!("({})", list(parts)),
        Type::Array(array) => format!("[{}]", key_of(&array.elem)),
        Type::Sum(variants) => {
            let variants: Vec<String> = variants.iter().map(|v| format!("{}({})", v.name, list(&v.fields))).collect();
            format!("<{}>", variants.join("|"))
        }
    }
}
