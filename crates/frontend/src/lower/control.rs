//! Lets, assertions and loops.

use super::body::{I64, Lower};
use crate::typed::{Binding, BindingKind, Control, Expr, Kind, Pattern, PatternKind};
use terrace_base::Span;
use terrace_ir::Atom;
use terrace_ir::check::CheckKind;
use terrace_ir::core::{self, LoopForm};

impl<'a> Lower<'_, 'a> {
    pub(super) fn bindings(&mut self, bindings: &'a [Binding], body: &'a Expr) -> Atom {
        for binding in bindings {
            match &binding.kind {
                BindingKind::Let { pattern, sizes, value } => match sizes {
                    None => self.bind_expr(pattern, value),
                    Some(sizes) => {
                        let atom = self.expr(value);
                        let (atom, _) = self.ascribe(atom, sizes, value.span, Some(value), &Vec::new());
                        self.bind(pattern, atom, value.span);
                    }
                },
                BindingKind::Assert { condition, message } => {
                    let cond = self.expr(condition);
                    self.check(CheckKind::Assert(message.clone()), cond, Vec::new(), binding.span);
                }
            }
        }
        self.expr(body)
    }

    // A written tuple is not built only to be taken apart. All parts are computed before any name is bound.
    fn bind_expr(&mut self, pattern: &'a Pattern, value: &'a Expr) {
        match (&pattern.kind, &value.kind) {
            (PatternKind::Tuple(patterns), Kind::Tuple(parts)) => {
                let atoms: Vec<Atom> = parts.iter().map(|p| self.expr(p)).collect();
                for ((pattern, part), atom) in patterns.iter().zip(parts).zip(atoms) {
                    self.bind(pattern, atom, part.span);
                }
            }
            _ => {
                let atom = self.expr(value);
                self.bind(pattern, atom, value.span);
            }
        }
    }

    pub(super) fn repeat(
        &mut self,
        pattern: &'a Pattern,
        init: &'a Expr,
        control: &'a Control,
        body: &'a Expr,
        span: Span,
    ) -> Atom {
        let init = self.expr(init);
        let ty = self.type_of(init).without_sizes();
        let name = match pattern.kind {
            PatternKind::Name(_) => self.pattern_name(pattern),
            _ => "state".to_string(),
        };
        match control {
            Control::While(condition) => {
                let state = self.value(&name, ty.clone());
                let cond = self.body(|l| {
                    l.bind(pattern, state.into(), condition.span);
                    l.expr(condition)
                });
                let body = self.body(|l| {
                    l.bind(pattern, state.into(), body.span);
                    l.expr(body)
                });
                let form = LoopForm::While(cond);
                self.emit("result", ty, core::Expr::Loop { state, init, form, body }, span)
            }
            Control::Count { var, bound } => {
                let count = self.expr(bound);
                let count = self.as_i64(count, bound.span);
                let state = self.value(&name, ty.clone());
                let index = self.value(self.local_name(*var), I64);
                self.set_local(*var, index.into());
                let body = self.body(|l| {
                    l.bind(pattern, state.into(), body.span);
                    l.expr(body)
                });
                let form = LoopForm::For { index, count };
                self.emit("result", ty, core::Expr::Loop { state, init, form, body }, span)
            }
            Control::Each { pattern: each, array } => {
                let place = array.span;
                let array = self.expr(array);
                let elem = self.elem_type(array);
                let count = self.length(array, place);
                let state = self.value(&name, ty.clone());
                let index = self.value("k", I64);
                let body = self.body(|l| {
                    // The counter stays below the length, so this needs no check.
                    let name = l.pattern_name(each);
                    let read = core::Expr::Index { array, index: index.into() };
                    let item = l.emit(&name, elem, read, place);
                    l.bind(each, item, place);
                    l.bind(pattern, state.into(), body.span);
                    l.expr(body)
                });
                let form = LoopForm::For { index, count };
                self.emit("result", ty, core::Expr::Loop { state, init, form, body }, span)
            }
        }
    }
}
