//! Sums, read back: their types, their values, and the choice between them.
//!
//! ```text
//! <circle(f64) | nothing>      variant circle(r_1) of <circle(f64) | nothing>      match v_0 { circle(r_1 : f64) { … } nothing { … } }
//! ```
//!
//! A variant is known by its place among the others. The names of the arms must be those of the type, in order, because the
//! program does not keep them.

use super::Parser;
use crate::core::{Expr, Lambda, Type, VariantType};
use crate::text::read::Read;

impl Parser<'_> {
    /// The variants of a type after its `<`.
    pub(super) fn variants(&mut self) -> Read<Vec<VariantType>> {
        let mut out = Vec::new();
        while !self.r.take(">") {
            let name = self.r.word()?;
            let fields = if self.r.take("(") { self.separated(")", Self::ty)? } else { Vec::new() };
            out.push(VariantType { name, fields });
            if !self.r.take("|") {
                self.r.want(">")?;
                break;
            }
        }
        Ok(out)
    }

    pub(super) fn variant(&mut self) -> Read<Expr> {
        let name = self.r.word()?;
        let fields = if self.r.take("(") { self.r.atoms(")")? } else { Vec::new() };
        self.r.want_word("of")?;
        let ty = self.ty()?;
        let tag = match &ty {
            Type::Sum(variants) => variants.iter().position(|v| v.name == name),
            _ => None,
        };
        match tag {
            Some(tag) => Ok(Expr::Variant { ty, tag, fields }),
            None => self.r.fail(format!("the type has no variant {name}")),
        }
    }

    pub(super) fn cases(&mut self) -> Read<Expr> {
        let value = self.r.atom()?;
        let names: Vec<String> = match value.var().and_then(|v| self.values.get(&v)).map(|known| &known.ty) {
            Some(Type::Sum(variants)) => variants.iter().map(|v| v.name.clone()).collect(),
            _ => Vec::new(),
        };
        self.r.want("{")?;
        let mut arms = Vec::new();
        while !self.r.take("}") {
            let name = self.r.word()?;
            if names.get(arms.len()).is_some_and(|wanted| *wanted != name) {
                return self.r.fail(format!("the arm for {} is wanted here", names[arms.len()]));
            }
            let params = if self.r.is_sign("(") { self.binders()? } else { Vec::new() };
            arms.push(Lambda { params, body: self.body()? });
        }
        Ok(Expr::Match { value, arms })
    }
}
