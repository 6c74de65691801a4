//! Loops carry the elements of rows.
//!
//! ```text
//! loop p : [3]f64 = start for i < n { … => [a, b, c] }      →      loop s : (f64, f64, f64) = (start[0], …) for i < n { … => (a, b, c) }
//! ```
//!
//! Which parts of the state are rows is assumed first, and tried: a part whose next value is not spelled out stays what it was, and the loop is
//! gone through again.

use super::form::Form;
use super::{Pass, Place, Values};
use crate::optimise::spell_out_views::build::{Build, I64};
use std::collections::BTreeMap;
use terrace_ir::core::visit::{refresh, substitute_with_types};
use terrace_ir::core::{Body, Expr, LoopForm, Stmt};
use terrace_ir::{Atom, ValueId};

/// How often it is tried.
const TRIES: usize = 3;

impl Pass {
    pub(super) fn repeated(
        &mut self,
        place: &Place<'_>,
        expr: &mut Expr,
        values: &mut Values,
        out: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let Expr::Loop { state, init, .. } = &*expr else { return None };
        let build = Build::new(values, place.span, Vec::new());
        let known = self.form(*init, &build);
        let stated = Form::of_type(&build.stated_type(Atom::Var(*state)));
        let mut form = either(known, stated);
        for _ in 0..TRIES {
            if !form.has_rows() {
                break;
            }
            match self.carried(place, expr, &form, values) {
                Ok((stmts, result)) => return self.becomes(place, result, stmts, values, out),
                Err(less) => form = less,
            }
        }
        expr.bodies_mut().into_iter().for_each(|b| self.body(b, place.parallel, values));
        None
    }

    /// The loop with a state of this form; or the form that its body gives.
    fn carried(
        &mut self,
        place: &Place<'_>,
        expr: &Expr,
        form: &Form,
        values: &mut Values,
    ) -> Result<(Vec<Stmt>, Atom), Form> {
        let Expr::Loop { state, init, form: how, body } = expr else { unreachable!("a loop was given") };
        let mut build = Build::new(values, place.span, Vec::new());
        let next = build.value("state", form.packed_type());
        let (mut body, computed) = self.turn(body, *state, next, form, &mut build);
        // A row that no turn computes gains nothing.
        let given = self.form(body.result, &build);
        let agreed = agreed(form, &given);
        if !computed || agreed.packed_type() != form.packed_type() {
            return Err(if computed { agreed } else { Form::Plain(form.ty()) });
        }
        body.result = self.packed(body.result, form, &mut build);
        body.stmts.append(&mut build.stmts);
        let how = match how {
            LoopForm::While(cond) => LoopForm::While(self.turn(cond, *state, next, form, &mut build).0),
            LoopForm::For { index, count } => {
                let counter = build.value("i", I64);
                let map = BTreeMap::from([(*index, Atom::Var(counter))]);
                substitute_with_types(&mut body, build.values_mut(), &map);
                LoopForm::For { index: counter, count: *count }
            }
        };
        let mut build = Build::new(values, place.span, place.after.to_vec());
        let init = self.packed(*init, form, &mut build);
        let all = build.bind("all", form.packed_type(), Expr::Loop { state: next, init, form: how, body });
        let result = self.unpacked(all, form, &mut build);
        Ok((build.stmts, result))
    }

    /// A copy of a body of the loop that takes the state from its elements, and whether what it gives was computed.
    fn turn(&mut self, body: &Body, state: ValueId, next: ValueId, form: &Form, build: &mut Build<'_>) -> (Body, bool) {
        let around = std::mem::take(&mut build.stmts);
        let old = self.unpacked(Atom::Var(next), form, build);
        let mut stmts = std::mem::replace(&mut build.stmts, around);
        let mut copy = body.clone();
        refresh(&mut copy, build.values_mut());
        substitute_with_types(&mut copy, build.values_mut(), &BTreeMap::from([(state, old)]));
        self.uses.learn(&copy, build.values());
        self.body(&mut copy, true, build.values_mut());
        let computed = self.is_computed(copy.result);
        stmts.extend(copy.stmts);
        (Body { stmts, result: copy.result }, computed)
    }
}

/// What is known of the first state, and what the type of the state says of all of them.
fn either(known: Form, stated: Form) -> Form {
    match (known, stated) {
        (Form::Tuple(a), Form::Tuple(b)) => Form::Tuple(a.into_iter().zip(b).map(|(x, y)| either(x, y)).collect()),
        (Form::Plain(_), stated) => stated,
        (known, _) => known,
    }
}

/// What of a form a value has too.
fn agreed(wanted: &Form, given: &Form) -> Form {
    match (wanted, given) {
        (Form::Row(elem, a), Form::Row(_, b)) if a.len() == b.len() => {
            Form::Row(elem.clone(), a.iter().zip(b).map(|(x, y)| agreed(x, y)).collect())
        }
        (Form::Tuple(a), Form::Tuple(b)) => Form::Tuple(a.iter().zip(b).map(|(x, y)| agreed(x, y)).collect()),
        // The body gives back a tuple that nothing was done to.
        (Form::Tuple(a), Form::Plain(_)) => Form::Tuple(a.iter().map(|x| Form::Plain(x.ty())).collect()),
        _ => Form::Plain(wanted.ty()),
    }
}
