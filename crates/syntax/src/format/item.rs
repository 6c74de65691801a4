//! Items, and what stands between them.
//!
//! Each item is laid out on its own, at the left margin. An empty line separates items that take more than one line; between
//! items of one line it stands where the author put it.

use super::doc::{Comment, Doc, concat, group, layout, nest, text};
use super::{Printer, WIDTH};
use crate::ast::*;

/// The text of a file while it grows.
#[derive(Default)]
struct Page {
    out: String,
    /// The last line ends with a comment.
    after_comment: bool,
}

impl Page {
    fn line(&mut self, text: &str, blank: bool) {
        if !self.out.is_empty() {
            self.out.push_str(if blank { "\n\n" } else { "\n" });
        }
        self.out.push_str(text);
        self.after_comment = false;
    }

    fn comment(&mut self, comment: &Comment, blank: bool) {
        if comment.own_line || self.after_comment || self.out.is_empty() {
            self.line(&comment.text, blank || comment.blank);
        } else {
            self.out.push(' ');
            self.out.push_str(&comment.text);
        }
        self.after_comment = true;
    }
}

impl Printer<'_> {
    pub(super) fn module(&mut self, module: &Module) -> String {
        let mut page = Page::default();
        let mut apart = false;
        for item in &module.items {
            let comments = self.comments_before(item.span.start);
            let author = self.breaks_before(item.span.start) > 1;
            let text = layout(&self.item(item), WIDTH);
            let large = text.contains('\n');
            // Only the first of comments and item is moved away from the item before.
            let mut separate = !page.out.is_empty() && (apart || large);
            for comment in &comments {
                page.comment(comment, separate && comment.own_line);
                separate &= !comment.own_line;
            }
            page.line(&text, separate || author);
            apart = large;
        }
        for comment in self.comments_before(u32::MAX) {
            page.comment(&comment, false);
        }
        if !page.out.is_empty() {
            page.out.push('\n');
        }
        page.out
    }

    fn item(&mut self, item: &Item) -> Doc {
        match &item.kind {
            ItemKind::Function(function) => self.function(function),
            ItemKind::Test(test) => {
                let head = concat([self.fixed("test"), Doc::Space, self.leaf(), Doc::Space]);
                concat([head, self.assigned(&test.body)])
            }
            ItemKind::Import(import) => {
                let mut parts = vec![self.fixed("import"), Doc::Space, self.leaf()];
                if import.alias.is_some() {
                    parts.extend([Doc::Space, self.leaf(), Doc::Space, self.leaf()]);
                }
                concat(parts)
            }
            ItemKind::Type(def) => self.type_def(def),
            ItemKind::Enum(def) => self.enum_def(def),
        }
    }

    fn function(&mut self, function: &Function) -> Doc {
        let word = self.fixed(if function.exported { "entry" } else { "def" });
        let mut head = vec![word, Doc::Space, self.leaf(), self.generics(&function.generics)];
        if !function.constant {
            // Not a group: the parameters break first if the result does not fit.
            head.push(self.bracketed("(", &function.params, ")", Self::param));
        }
        if let Some(result) = &function.result {
            if function.constant {
                head.extend([self.fixed(":"), Doc::Space, self.ty(result)]);
            } else {
                head.extend([Doc::Space, self.fixed("->"), Doc::Space, self.ty(result)]);
            }
        }
        concat([group(concat(head)), Doc::Space, self.assigned(&function.body)])
    }

    fn param(&mut self, param: &Param) -> Doc {
        let pattern = self.pattern(&param.pattern);
        let Some(ty) = &param.ty else {
            return pattern;
        };
        let colon = self.fixed(":");
        let star = if param.consumed.is_some() { self.fixed("*") } else { text("") };
        concat([pattern, colon, Doc::Space, star, self.ty(ty)])
    }

    fn type_def(&mut self, def: &TypeDef) -> Doc {
        let mut head = vec![self.fixed("type"), Doc::Space, self.leaf(), self.generics(&def.generics)];
        head.extend([Doc::Space, self.fixed("=")]);
        match &def.body {
            TypeBody::Record(fields) => {
                head.push(Doc::Space);
                head.push(self.listed("{", fields, "}", |p, field| {
                    concat([p.leaf(), p.fixed(":"), Doc::Space, p.ty(&field.ty)])
                }));
            }
            TypeBody::Abbreviation(ty) => head.push(group(nest(2, concat([Doc::Line, self.ty(ty)])))),
        }
        concat(head)
    }

    fn enum_def(&mut self, def: &EnumDef) -> Doc {
        let mut head = vec![self.fixed("enum"), Doc::Space, self.leaf(), self.generics(&def.generics)];
        head.extend([Doc::Space, self.fixed("=")]);
        let mut variants = Vec::new();
        for (i, variant) in def.variants.iter().enumerate() {
            variants.push(Doc::Line);
            if i > 0 {
                variants.extend([self.fixed("|"), Doc::Space]);
            }
            variants.push(self.leaf());
            if !variant.fields.is_empty() {
                variants.push(self.aligned("(", &variant.fields, ")", Self::ty));
            }
        }
        head.push(nest(2, concat(variants)));
        group(concat(head))
    }
}
