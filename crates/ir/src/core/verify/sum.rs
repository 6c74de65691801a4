//! Rules 21 and 22: sums, their values, and the choice between them.

use super::{Checker, Scope};
use crate::Atom;
use crate::core::{Lambda, Type, VariantType};
use crate::fault::{Fault, require};
use crate::text::is_word;
use std::collections::BTreeSet;

impl Checker<'_> {
    /// Every sum in a type has variants, under distinct names.
    pub(super) fn variants(&self, ty: &Type) -> Result<(), Fault> {
        match ty {
            Type::Scalar(_) => Ok(()),
            Type::Tuple(parts) => parts.iter().try_for_each(|t| self.variants(t)),
            Type::Array(a) => self.variants(&a.elem),
            Type::Sum(variants) => {
                require(!variants.is_empty(), || "a sum has at least one variant".into())?;
                let mut names = BTreeSet::new();
                for v in variants {
                    require(is_word(&v.name) && !v.name.is_empty(), || format!("the name {:?} is not a word", v.name))?;
                    require(names.insert(&v.name), || format!("two variants are called {}", v.name))?;
                    v.fields.iter().try_for_each(|t| self.variants(t))?;
                }
                Ok(())
            }
        }
    }

    fn sum<'t>(&self, ty: &'t Type) -> Result<&'t [VariantType], Fault> {
        match ty {
            Type::Sum(variants) => Ok(variants),
            other => Err(format!("a sum is wanted here, not {}", self.shown(other)).into()),
        }
    }

    pub(super) fn variant(&self, ty: &Type, tag: usize, fields: &[Atom], scope: &Scope) -> Result<Type, Fault> {
        self.well_formed(ty)?;
        let Some(variant) = self.sum(ty)?.get(tag) else {
            return Err(format!("{} has no variant {tag}", self.shown(ty)).into());
        };
        let (found, wanted) = (fields.len(), variant.fields.len());
        require(found == wanted, || format!("{} holds {wanted} values, not {found}", variant.name))?;
        for (a, t) in fields.iter().zip(&variant.fields) {
            self.expect(a, t, "what a variant holds", scope)?;
        }
        Ok(ty.clone())
    }

    pub(super) fn cases(&mut self, value: &Atom, arms: &[Lambda], scope: &Scope) -> Result<Type, Fault> {
        let ty = self.atom(value, scope)?;
        let variants = self.sum(&ty)?;
        let (found, wanted) = (arms.len(), variants.len());
        require(found == wanted, || format!("an arm per variant is wanted here: {wanted}, not {found}"))?;
        let mut result: Option<Type> = None;
        for (arm, variant) in arms.iter().zip(variants) {
            let found = self.lambda(arm, &variant.fields, scope)?;
            match &result {
                Some(first) => self.same(&found, first, "another arm")?,
                None => result = Some(found),
            }
        }
        result.ok_or_else(|| "a sum has at least one variant".into())
    }
}
