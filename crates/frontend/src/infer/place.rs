//! Where arrays are read and changed: indices, slices, strided slices.
//!
//! ```text
//! m : [][]f64      m[i] : []f64      m[i, j] : f64      m[.., j] : []f64      m with [i, j] = x : [][]f64
//! v : []f64        v[off; 3 by 8, 2 by 1] : [][]f64
//! ```

use super::Infer;
use crate::typed::{Expr, Kind, Place, Subscript, SubscriptKind};
use crate::types::{Classes, Ty};
use terrace_base::{Diagnostic, Span};
use terrace_syntax::ast;

impl Infer<'_, '_> {
    pub(super) fn index(&mut self, array: &ast::Expr, place: &ast::Place) -> (Kind, Ty) {
        let array = self.expr(array);
        match self.place(&array.ty, array.span, place) {
            Some((place, ty)) => (Kind::Index { array: Box::new(array), place }, ty),
            None => (Kind::Error, Ty::Error),
        }
    }

    pub(super) fn update(&mut self, array: Expr, place: &ast::Place, value: &ast::Expr) -> (Kind, Ty) {
        let ty = array.ty.clone();
        let typed = self.place(&array.ty, array.span, place);
        let value = self.expr(value);
        let Some((place, part)) = typed else {
            return (Kind::Error, ty);
        };
        let shown = self.unifier.show(&array.ty);
        let why = format!("it replaces a part of this array, which is `{shown}`");
        self.expect(&value.ty, &part, value.span, Some((array.span, why)));
        (Kind::Update { array: Box::new(array), place, value: Box::new(value) }, ty)
    }

    /// What stands between brackets, and the type of what is there in an array.
    fn place(&mut self, array: &Ty, span: Span, place: &ast::Place) -> Option<(Place, Ty)> {
        match place {
            ast::Place::Subscripts(subscripts) => self.subscripts(array, span, subscripts),
            ast::Place::Strided { span: brackets, offset, dims } => {
                let elem = self.element_type(array, span, "a strided slice");
                let offset = Box::new(self.position(offset));
                let dims: Vec<(Expr, Expr)> = dims
                    .iter()
                    .map(|(count, stride)| {
                        let (count, stride) = (self.expr(count), self.expr(stride));
                        self.require(&count.ty, Classes::INT, count.span, "a count");
                        self.require(&stride.ty, Classes::INT, stride.span, "a stride");
                        (count, stride)
                    })
                    .collect();
                let ty = dims.iter().fold(elem, |ty, _| Ty::array(ty));
                Some((Place::Strided { span: *brackets, offset, dims }, ty))
            }
        }
    }

    fn subscripts(&mut self, array: &Ty, span: Span, subscripts: &[ast::Subscript]) -> Option<(Place, Ty)> {
        let mut current = array.clone();
        let mut kept = 0;
        let mut typed = Vec::new();
        for (k, subscript) in subscripts.iter().enumerate() {
            let elem = if k > 0 && self.is_no_array(&current) {
                let shown = self.unifier.show(array);
                let title = format!("{} subscripts on `{shown}`", subscripts.len());
                let report = Diagnostic::error("T0113", title)
                    .primary(subscript.span, "there is no such dimension")
                    .label(span, format!("this is `{shown}`"));
                self.report(report);
                return None;
            } else {
                self.element_type(&current, span, "an index")
            };
            let kind = match &subscript.kind {
                ast::SubscriptKind::At(at) => SubscriptKind::At(self.position(at)),
                ast::SubscriptKind::Slice { from, to, step } => {
                    kept += 1;
                    let mut part = |e: &Option<ast::Expr>| e.as_ref().map(|e| Box::new(self.position(e)));
                    SubscriptKind::Slice { from: part(from), to: part(to), step: part(step) }
                }
            };
            typed.push(Subscript { span: subscript.span, kind });
            current = elem;
        }
        // Every slice keeps its dimension around what the later subscripts leave.
        let ty = (0..kept).fold(current, |ty, _| Ty::array(ty));
        Some((Place::Subscripts(typed), ty))
    }

    fn position(&mut self, at: &ast::Expr) -> Expr {
        let at = self.expr(at);
        self.require(&at.ty, Classes::INT, at.span, "an index");
        at
    }

    fn is_no_array(&self, ty: &Ty) -> bool {
        !matches!(self.unifier.head(ty), Ty::Array(_) | Ty::Var(_) | Ty::Error)
    }

    pub(super) fn element_type(&mut self, array: &Ty, span: Span, what: &str) -> Ty {
        match self.unifier.head(array) {
            Ty::Array(elem) => *elem,
            Ty::Error => Ty::Error,
            Ty::Var(_) => {
                let elem = self.fresh(span);
                let fits = self.expect(array, &Ty::array(elem.clone()), span, None);
                if fits { elem } else { Ty::Error }
            }
            other => {
                let shown = self.unifier.show(&other);
                let mut report = Diagnostic::error("T0113", format!("{what} needs an array, found `{shown}`"))
                    .primary(span, format!("this is `{shown}`"));
                if let Some(origin) = self.unifier.origin(array)
                    && origin != span
                {
                    report = report.label(origin, format!("`{shown}` because of this"));
                }
                report = match other {
                    Ty::Tuple(_) if what == "an index" => {
                        report.hint("the parts of a tuple are numbered: `t.0`, `t.1`")
                    }
                    Ty::Scalar(s) if s.is_int() && what == "`for … in`" => {
                        report.hint("to count from 0: `for i < n`")
                    }
                    _ => report,
                };
                self.report(report);
                Ty::Error
            }
        }
    }
}
