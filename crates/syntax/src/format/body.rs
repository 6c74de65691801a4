//! Expressions that begin with a word: `let`, `if`, `match`, `loop`, lambdas; and what follows an `=`.
//!
//! ```text
//! let a = f(x)                 if c then a             match e {
//! let b =                      else if d then          p => a,
//!   something long               b                       q if c => b,
//! in a + b                     else c                  }
//! ```

use super::Printer;
use super::doc::{Doc, align, concat, group, nest};
use crate::ast::*;
use crate::token::TokenKind;

impl Printer<'_> {
    /// `= value`, on the same line if the author wrote it there and it fits.
    pub(super) fn assigned(&mut self, value: &Expr) -> Doc {
        let equals = self.fixed("=");
        let broken = self.broken_here();
        let hugs = matches!(value.kind, ExprKind::Match { .. });
        let value = self.whole(value);
        concat([
            equals,
            match (broken, hugs) {
                (true, _) => nest(2, concat([Doc::HardLine, value])),
                (false, true) => concat([Doc::Space, value]),
                (false, false) => group(nest(2, concat([Doc::Line, value]))),
            },
        ])
    }

    fn was_broken(&self, from: u32, to: u32) -> bool {
        self.source.get(from as usize..to as usize).is_some_and(|text| text.contains('\n'))
    }

    pub(super) fn let_expr(&mut self, bindings: &[Binding], body: &Expr) -> Doc {
        let start = bindings.first().map_or(body.span.start, |b| b.span.start);
        let line = if self.was_broken(start, body.span.start) { Doc::HardLine } else { Doc::Line };
        let mut parts = Vec::new();
        for binding in bindings {
            parts.push(self.binding(binding));
            parts.push(line.clone());
        }
        parts.extend([self.fixed("in"), Doc::Space]);
        let hugs = matches!(body.kind, ExprKind::Match { .. } | ExprKind::Loop { .. } | ExprKind::Record { .. });
        let body = self.whole(body);
        parts.push(if hugs { body } else { align(body) });
        group(concat(parts))
    }

    fn binding(&mut self, binding: &Binding) -> Doc {
        match &binding.kind {
            BindingKind::Let { pattern, ty, value } => {
                let mut head = vec![self.fixed_after_blank("let"), Doc::Space, self.pattern(pattern)];
                if let Some(ty) = ty {
                    head.extend([self.fixed(":"), Doc::Space, self.ty(ty)]);
                }
                head.extend([Doc::Space, self.assigned(value)]);
                concat(head)
            }
            BindingKind::Update { place, value, .. } => {
                let head = [self.fixed_after_blank("let"), Doc::Space, self.leaf(), self.place(place), Doc::Space];
                concat(head.into_iter().chain([self.assigned(value)]))
            }
            BindingKind::Assert { condition, .. } => {
                let word = self.fixed_after_blank("assert");
                let open = self.fixed("(");
                let inside = concat([Doc::SoftLine, self.whole(condition), self.fixed(","), Doc::Line, self.leaf()]);
                let inside = concat([inside, self.dangling(")")]);
                group(concat([word, open, nest(2, inside), Doc::SoftLine, self.fixed(")")]))
            }
        }
    }

    pub(super) fn if_expr(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Doc {
        let mut parts = vec![self.fixed("if"), Doc::Space, align(self.whole(condition)), Doc::Space];
        parts.push(self.fixed("then"));
        parts.push(group(nest(2, concat([Doc::Line, self.whole(then)]))));
        parts.extend([Doc::Line, self.fixed("else")]);
        if let ExprKind::If { condition, then, otherwise } = &otherwise.kind {
            // The group is that of the whole chain: it breaks everywhere or nowhere.
            let next = self.if_expr(condition, then, otherwise);
            parts.push(Doc::Space);
            parts.push(match next {
                Doc::Group(inner) => *inner,
                other => other,
            });
        } else {
            parts.push(group(nest(2, concat([Doc::Line, self.whole(otherwise)]))));
        }
        group(concat(parts))
    }

    pub(super) fn match_expr(&mut self, e: &Expr, value: &Expr, arms: &[Arm]) -> Doc {
        let line = if self.was_broken(value.span.end, e.span.end) { Doc::HardLine } else { Doc::Line };
        let head = concat([self.fixed("match"), Doc::Space, self.whole(value), Doc::Space, self.fixed("{")]);
        let mut parts = Vec::new();
        for (i, arm) in arms.iter().enumerate() {
            parts.push(line.clone());
            parts.push(self.arm(arm));
            if i + 1 < arms.len() {
                parts.push(self.fixed(","));
            } else {
                self.last_comma(&mut parts);
            }
        }
        parts.push(self.dangling("}"));
        group(concat([head, nest(2, concat(parts)), line, self.fixed("}")]))
    }

    /// A comma behind the last arm, only where the arms have lines of their own.
    fn last_comma(&mut self, parts: &mut Vec<Doc>) {
        if let Some(at) = self.find(|kind| *kind == TokenKind::Fixed(",")) {
            let start = self.tokens[at].span.start;
            parts.extend(self.comments_before(start).into_iter().map(Doc::Comment));
            self.at = at + 1;
        }
        parts.push(Doc::IfBroken(","));
    }

    fn arm(&mut self, arm: &Arm) -> Doc {
        let blank = if self.breaks_before(arm.span.start) > 1 { vec![Doc::Blank] } else { Vec::new() };
        let comments: Vec<Doc> = self.comments_before(arm.span.start).into_iter().map(Doc::Comment).collect();
        let mut parts = vec![self.pattern(&arm.pattern), Doc::Space];
        if let Some(guard) = &arm.guard {
            parts.extend([self.fixed("if"), Doc::Space, self.whole(guard), Doc::Space]);
        }
        parts.push(self.fixed("=>"));
        let hugs = matches!(arm.body.kind, ExprKind::Match { .. });
        let body = self.whole(&arm.body);
        parts.push(if hugs { concat([Doc::Space, body]) } else { group(nest(2, concat([Doc::Line, body]))) });
        concat(comments.into_iter().chain(blank).chain([group(concat(parts))]))
    }

    pub(super) fn loop_expr(&mut self, pattern: &Pattern, init: &Expr, control: &LoopControl, body: &Expr) -> Doc {
        let mut head = vec![self.fixed("loop"), Doc::Space, self.pattern(pattern), Doc::Space, self.fixed("=")];
        head.extend([Doc::Space, self.whole(init)]);
        let control = match control {
            LoopControl::While(condition) => vec![self.fixed("while"), Doc::Space, self.whole(condition)],
            LoopControl::Count { bound, .. } => {
                let head = vec![self.fixed("for"), Doc::Space, self.leaf(), Doc::Space, self.fixed("<"), Doc::Space];
                head.into_iter().chain([self.whole(bound)]).collect()
            }
            LoopControl::Each { pattern, array } => {
                let head = vec![self.fixed("for"), Doc::Space, self.pattern(pattern), Doc::Space, self.fixed("in")];
                head.into_iter().chain([Doc::Space, self.whole(array)]).collect()
            }
        };
        head.push(nest(4, concat([Doc::Line, concat(control), Doc::Space, self.fixed("do")])));
        let line = if self.broken_here() { Doc::HardLine } else { Doc::Line };
        group(concat([group(concat(head)), nest(2, concat([line, self.whole(body)]))]))
    }

    pub(super) fn lambda(&mut self, params: &[LambdaParam], body: &Expr) -> Doc {
        let open = self.fixed("|");
        let params = self.separated(params, |p, param| {
            let pattern = p.pattern(&param.pattern);
            match &param.ty {
                Some(ty) => concat([pattern, p.fixed(":"), Doc::Space, p.ty(ty)]),
                None => pattern,
            }
        });
        let head = group(concat([open, align(params), self.fixed("|")]));
        group(concat([head, nest(2, concat([Doc::Line, self.whole(body)]))]))
    }
}
