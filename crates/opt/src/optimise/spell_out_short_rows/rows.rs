//! Arrays of short rows hold tuples.
//!
//! ```text
//! let pulls = map (q) in ps { … => [x, y, z] }                      let parts = map (q) in ps { … => (x, y, z) }
//! generate (k) < 3 { reduce + (map (f) in pulls { => f[k] }) }  →   [reduce + (map (t) in parts { => t.0 }), …]
//! ```
//!
//! What is left of the array of rows, if anything needs it, is a map over the tuples.
//!
//! Declined: arrays that are given back, or that anything but a map, a filter, a reduction or an index reads.

use super::form::{Form, closed};
use super::{Known, Pass, Place, Values};
use crate::optimise::spell_out_views::build::Build;
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Lambda, Stmt, Type};

impl Pass {
    /// A map or a generate that stays one: over tuples instead of rows, and to tuples where its rows are only gone through.
    pub(super) fn with_rows_inside(
        &mut self,
        place: &Place<'_>,
        expr: &mut Expr,
        values: &mut Values,
        out: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        if let Expr::Map { lambda, arrays } = expr {
            for (k, array) in arrays.iter_mut().enumerate() {
                self.take_tuples(place, lambda, k, array, values);
            }
        }
        let (Expr::Map { lambda, .. } | Expr::Generate { lambda, .. }) = expr else { return None };
        self.body(&mut lambda.body, true, values);
        if !self.is_computed(lambda.body.result) || !self.uses.wants_rows(place.value) {
            return None;
        }
        let mut build = Build::new(values, place.span, Vec::new());
        let form = self.form(lambda.body.result, &build);
        lambda.body.result = self.packed(lambda.body.result, &form, &mut build);
        lambda.body.stmts.append(&mut build.stmts);
        let tuples = std::mem::replace(expr, Expr::Tuple(Vec::new()));
        self.rows_of(place, tuples, form, values, out)
    }

    /// The array of rows, from an expression that gives what they hold.
    fn rows_of(
        &mut self,
        place: &Place<'_>,
        tuples: Expr,
        form: Form,
        values: &mut Values,
        out: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let mut build = Build::new(values, place.span, place.after.to_vec());
        let packed = build.bind("parts", Type::array(form.packed_type()), tuples);
        let ty = form.packed_type();
        let lambda = build.lambda(&[("t", ty)], |b, p| self.unpacked(p[0], &form, b));
        out.extend(build.stmts);
        self.learn(Atom::Var(place.value), Known::Rows(packed, form));
        Some(Expr::Map { lambda, arrays: vec![packed] })
    }

    /// Lets a function take what a row holds, where the array is known as tuples.
    fn take_tuples(&mut self, place: &Place<'_>, lambda: &mut Lambda, k: usize, array: &mut Atom, values: &mut Values) {
        let Some(Known::Rows(packed, form)) = self.of(*array).cloned() else { return };
        let mut build = Build::new(values, place.span, Vec::new());
        let param = build.value("t", form.packed_type());
        let row = self.unpacked(Atom::Var(param), &form, &mut build);
        self.copies.insert(lambda.params[k], row);
        build.stmts.append(&mut lambda.body.stmts);
        lambda.body.stmts = build.stmts;
        lambda.params[k] = param;
        *array = packed;
    }

    pub(super) fn filtered(
        &mut self,
        place: &Place<'_>,
        expr: &mut Expr,
        values: &mut Values,
        out: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let Expr::Filter { predicate, array } = expr else { return None };
        let form = match self.of(*array) {
            Some(Known::Rows(_, form)) => Some(form.clone()),
            _ => None,
        };
        self.take_tuples(place, predicate, 0, array, values);
        self.body(&mut predicate.body, true, values);
        let kept = std::mem::replace(expr, Expr::Tuple(Vec::new()));
        match form {
            Some(form) => self.rows_of(place, kept, form, values, out),
            None => Some(kept),
        }
    }

    /// A reduction: of a short row, an expression; of an array of short rows, one of tuples.
    pub(super) fn reduced(
        &mut self,
        place: &Place<'_>,
        expr: &mut Expr,
        values: &mut Values,
        out: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let Expr::Reduce { operator, neutral, array } = expr else { return None };
        match self.of(*array).cloned() {
            Some(Known::Row(elems, true)) if place.parallel => {
                if let Some(total) = self.summed(place, operator, *neutral, &elems, values, out) {
                    return self.becomes(place, total, Vec::new(), values, out);
                }
            }
            Some(Known::Rows(packed, form)) => {
                if self.has_form(*neutral, &form, values)
                    && let Some(operator) = self.on_tuples(place, operator, &form, values)
                {
                    let mut build = Build::new(values, place.span, place.after.to_vec());
                    let neutral = self.packed(*neutral, &form, &mut build);
                    let reduce = Expr::Reduce { operator, neutral, array: packed };
                    let total = build.bind("total", form.packed_type(), reduce);
                    let total = self.unpacked(total, &form, &mut build);
                    let stmts = build.stmts;
                    return self.becomes(place, total, stmts, values, out);
                }
            }
            _ => {}
        }
        self.body(&mut operator.body, true, values);
        None
    }

    /// An operator on rows as one on what they hold, if it gives such a row.
    fn on_tuples(&mut self, place: &Place<'_>, operator: &Lambda, form: &Form, values: &mut Values) -> Option<Lambda> {
        let mut build = Build::new(values, place.span, Vec::new());
        let params = [build.value("a", form.packed_type()), build.value("b", form.packed_type())];
        let rows = params.map(|p| self.unpacked(Atom::Var(p), form, &mut build));
        let mut stmts = build.stmts;
        let (result, more) = self.applied(operator, &rows, values);
        stmts.extend(more);
        let mut build = Build::new(values, place.span, Vec::new());
        let given = self.form(result, &build);
        if given.packed_type() != form.packed_type() || closed(&given.ty()) != closed(&form.ty()) || !given.has_rows() {
            return None;
        }
        let result = self.packed(result, form, &mut build);
        stmts.append(&mut build.stmts);
        Some(Lambda { params: params.to_vec(), body: terrace_ir::core::Body { stmts, result } })
    }
}
