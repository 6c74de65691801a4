//! Declarations of types, and imports.
//!
//! ```text
//! import = "import" string ["as" name]
//! type   = "type" name [generics] "=" ("{" (name ":" type), … "}" | type)
//! enum   = "enum" name [generics] "=" variant ("|" variant)*
//! variant = name ["(" type, … ")"]
//! ```
//!
//! `type` before `{` declares a record, which is a new type; before anything else it gives a type another name. `as` is
//! a word only here, and a name everywhere else.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::token::TokenKind;
use terrace_base::Diagnostic;

impl Parser<'_> {
    pub(super) fn import(&mut self) -> Parsed<Import> {
        self.bump();
        let (path, path_span) = self.string("the path of a file, in quotes")?;
        let alias = if matches!(self.peek(), TokenKind::Name(word) if word == "as") {
            self.bump();
            Some(self.name("the name for the module")?)
        } else {
            None
        };
        Ok(Import { path, path_span, alias })
    }

    pub(super) fn type_def(&mut self) -> Parsed<TypeDef> {
        self.bump();
        let name = self.name("the name of the type")?;
        let generics = self.generics()?;
        self.expect("=", "and what the type is")?;
        let body = if self.is("{") {
            let open = self.bump();
            if self.is("}") {
                return self.unexpected("a field `name: type`");
            }
            let fields = self.list(open, "}", Self::field)?;
            self.check_fields(fields.iter().map(|f| &f.name));
            TypeBody::Record(fields)
        } else {
            TypeBody::Abbreviation(self.ty()?)
        };
        Ok(TypeDef { name, generics, body })
    }

    fn field(&mut self) -> Parsed<Field> {
        let name = self.name("the name of a field")?;
        if self.is("=") {
            let error = Diagnostic::error("T0010", "expected `:` and the type of the field, found `=`")
                .primary(self.span(), "expected `:`")
                .hint("a declaration gives types, `{x: f64}`; a record itself gives values, `point{x = 1.0}`");
            return self.fail(error);
        }
        self.expect(":", "and the type of the field")?;
        Ok(Field { name, ty: self.ty()? })
    }

    pub(super) fn enum_def(&mut self) -> Parsed<EnumDef> {
        self.bump();
        let name = self.name("the name of the enum")?;
        let generics = self.generics()?;
        self.expect("=", "and the variants")?;
        let mut variants = vec![self.variant()?];
        while self.eat("|") {
            variants.push(self.variant()?);
        }
        if self.is(",") {
            let error = Diagnostic::error("T0010", "expected `|` or the next definition, found `,`")
                .primary(self.span(), "variants are separated by `|`");
            return self.fail(error);
        }
        Ok(EnumDef { name, generics, variants })
    }

    fn variant(&mut self) -> Parsed<Variant> {
        let name = self.name("the name of a variant")?;
        let fields = if self.is("(") {
            let open = self.bump();
            if self.is(")") {
                let error = Diagnostic::error("T0010", "expected a type, found `)`")
                    .primary(self.span(), "nothing between the parentheses")
                    .hint(format!("a variant that holds nothing is written `{}`", name.text));
                return self.fail(error);
            }
            self.list(open, ")", Self::ty)?
        } else {
            Vec::new()
        };
        Ok(Variant { name, fields })
    }
}
