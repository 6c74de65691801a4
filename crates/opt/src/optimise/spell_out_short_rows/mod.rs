//! Arrays of a few elements, always as many, become their elements.
//!
//! A point in space, a colour, nine directions: programs write them as `[3]f64`. To flattening that is one more dimension: what is
//! computed from it is an array over points and dimensions, in memory, and a branch around it sorts the points.
//!
//! ```text
//! map (p : [3]f64, q : [3]f64) {                         map (p, q) {
//!   let d = map (x, y) in p, q { => x - y }                let d0 = p[0] - q[0]   let d1 = p[1] - q[1]   let d2 = …
//!   let r = reduce + (map (x, y) in d, d { => x * y })  →  let r = 0.0 + (d0 * d0 + d1 * d1 + d2 * d2)
//!   let s = if r > 1.0 { => d } else { => p }              let (s0, s1, s2) = if r > 1.0 { => (d0, d1, d2) } else { => (p[0], …) }
//!   => s                                                   => [s0, s1, s2]
//! ```
//!
//! It begins with rows whose elements are wanted one by one (`uses.rs`), and with literals that hold something computed. Whatever goes through such a row, or looks
//! into it at a position that is not known, is written out as often as there are elements; branches and loops (`loops.rs`) carry elements instead of rows;
//! arrays of such rows hold tuples instead (`rows.rs`). Float sums keep the association of a row (`sums.rs`).
//!
//! Declined: rows that are only summed up, or only a part of a regular array, where loops do as well; elements with checks, whose messages
//! say which element it was; long texts; the host, where every element would be a launch. In Lift and Accelerate a program says which arrays of constant length are
//! scalars; here the program only says the length.

mod form;
mod loops;
mod rows;
mod sums;
mod uses;

use super::spell_out_views::build::Build;
use form::Form;
use std::collections::BTreeMap;
use terrace_base::{IdVec, Span, convert};
use terrace_ir::check::CheckId;
use terrace_ir::core::visit::{PartMut, refresh_lambda, substitute_with_types, walk};
use terrace_ir::core::{Body, Expr, Lambda, Program, Stmt, StmtKind, Value};
use terrace_ir::{Atom, ValueId};
use uses::{Uses, count_of, short};

type Values = IdVec<ValueId, Value>;

/// The most statements that one operator becomes.
const MOST_STMTS: usize = 600;

/// The most statements that all operators of a function become.
const MOST_IN_ALL: usize = 6000;

/// Spells out in all functions.
pub fn spell_out_short_rows(program: &mut Program) {
    for function in program.functions.iter_mut() {
        let mut pass =
            Pass { known: BTreeMap::new(), copies: BTreeMap::new(), uses: Uses::default(), room: MOST_IN_ALL };
        pass.uses.learn(&function.body, &function.values);
        pass.body(&mut function.body, false, &mut function.values);
    }
}

/// What is known about an array or a tuple.
#[derive(Clone, Debug)]
enum Known {
    /// The elements of a short row, and whether they were computed.
    Row(Vec<Atom>, bool),
    /// The components.
    Tuple(Vec<Atom>),
    /// An array of what rows of this form hold.
    Rows(Atom, Form),
}

struct Pass {
    known: BTreeMap<ValueId, Known>,
    /// What a value is another name for.
    copies: BTreeMap<ValueId, Atom>,
    uses: Uses,
    room: usize,
}

/// A statement that binds something, and where it stands.
struct Place<'s> {
    value: ValueId,
    after: &'s [CheckId],
    span: Span,
    parallel: bool,
}

impl Pass {
    fn learn(&mut self, atom: Atom, known: Known) {
        if let Atom::Var(v) = atom {
            self.known.insert(v, known);
        }
    }

    fn of(&self, atom: Atom) -> Option<&Known> {
        self.known.get(&atom.var()?)
    }

    fn resolved(&self, atom: Atom) -> Atom {
        atom.var().and_then(|v| self.copies.get(&v)).copied().unwrap_or(atom)
    }

    fn body(&mut self, body: &mut Body, parallel: bool, values: &mut Values) {
        let mut out = Vec::with_capacity(body.stmts.len());
        for stmt in std::mem::take(&mut body.stmts) {
            self.stmt(stmt, parallel, values, &mut out);
        }
        body.stmts = out;
        body.result = self.resolved(body.result);
    }

    fn stmt(&mut self, mut stmt: Stmt, parallel: bool, values: &mut Values, out: &mut Vec<Stmt>) {
        let (value, expr, after) = match &mut stmt.kind {
            StmtKind::Check { cond, values, .. } => {
                *cond = self.resolved(*cond);
                values.iter_mut().for_each(|v| *v = self.resolved(*v));
                out.push(stmt);
                return;
            }
            StmtKind::Let { value, expr, after } => (*value, expr, after),
        };
        expr.parts_mut(&mut |part| match part {
            PartMut::Use(a) => *a = self.resolved(*a),
            PartMut::Type(t) => t.substitute(&self.copies),
            PartMut::Body(_) | PartMut::Bind(_) => {}
        });
        let place = Place { value, after, span: stmt.span, parallel };
        if let Some(new) = self.seen(&place, expr, values, out) {
            *expr = new;
        }
        out.push(stmt);
    }

    /// Learns from a statement, or changes it: gives what is bound instead, and puts before it what that needs.
    fn seen(&mut self, place: &Place<'_>, expr: &mut Expr, values: &mut Values, out: &mut Vec<Stmt>) -> Option<Expr> {
        match expr {
            Expr::If { .. } => self.branches(place, expr, values, out),
            Expr::Loop { .. } if place.parallel => self.repeated(place, expr, values, out),
            Expr::Map { .. } | Expr::Generate { .. } => self.points(place, expr, values, out),
            Expr::Filter { .. } => self.filtered(place, expr, values, out),
            Expr::Reduce { .. } => self.reduced(place, expr, values, out),
            _ => {
                expr.bodies_mut().into_iter().for_each(|b| self.body(b, true, values));
                self.simple(place, expr, values, out)
            }
        }
    }

    /// Expressions without bodies.
    fn simple(&mut self, place: &Place<'_>, expr: &Expr, values: &mut Values, out: &mut Vec<Stmt>) -> Option<Expr> {
        let position = |a: &Atom| a.constant().and_then(|c| c.as_i64()).and_then(|k| usize::try_from(k).ok());
        match expr {
            Expr::Atom(a) => self.is_copy(place.value, *a, values),
            Expr::Binary(op, Atom::Const(x), Atom::Const(y)) => {
                if let Some(c) = op.try_apply(*x, *y) {
                    self.copies.insert(place.value, Atom::Const(c));
                }
            }
            Expr::Convert(to, Atom::Const(c)) => {
                self.copies.insert(place.value, Atom::Const(convert(*c, *to)));
            }
            Expr::Tuple(items) => self.learn(Atom::Var(place.value), Known::Tuple(items.clone())),
            Expr::Project(tuple, k) => {
                if let Some(Known::Tuple(items)) = self.of(*tuple) {
                    let item = items[*k];
                    self.is_copy(place.value, item, values);
                    return Some(Expr::Atom(item));
                }
            }
            Expr::ArrayLiteral { elems, .. } => {
                let computed = place.parallel && elems.iter().any(|e| e.var().is_some());
                self.learn(Atom::Var(place.value), Known::Row(elems.clone(), computed));
            }
            Expr::Iota(count) => {
                let elems = (0..short(count)?).map(|k| Atom::int(k as i64)).collect();
                self.learn(Atom::Var(place.value), Known::Row(elems, false));
            }
            Expr::Replicate { count, value } => {
                let computed = place.parallel && value.var().is_some();
                self.learn(Atom::Var(place.value), Known::Row(vec![*value; short(count)?], computed));
            }
            Expr::Length(array) => match self.of(*array)? {
                Known::Row(elems, _) => {
                    let length = Atom::int(elems.len() as i64);
                    self.copies.insert(place.value, length);
                    return Some(Expr::Atom(length));
                }
                Known::Rows(packed, _) => return Some(Expr::Length(*packed)),
                Known::Tuple(_) => {}
            },
            Expr::Index { array, index } => match self.of(*array)?.clone() {
                Known::Row(elems, _) => {
                    let elem = *elems.get(position(index)?)?;
                    self.is_copy(place.value, elem, values);
                    return Some(Expr::Atom(elem));
                }
                Known::Rows(packed, form) => {
                    let mut build = Build::new(values, place.span, place.after.to_vec());
                    let parts = build.bind("parts", form.packed_type(), Expr::Index { array: packed, index: *index });
                    let row = self.unpacked(parts, &form, &mut build);
                    let stmts = build.stmts;
                    return self.becomes(place, row, stmts, values, out);
                }
                Known::Tuple(_) => {}
            },
            Expr::Slice { array, from, to } => {
                let Known::Row(elems, computed) = self.of(*array)? else { return None };
                let part = elems.get(position(from)?..position(to)?)?.to_vec();
                let known = Known::Row(part, *computed);
                self.learn(Atom::Var(place.value), known);
            }
            Expr::Concat(arrays) => {
                let parts: Option<Vec<_>> = arrays.iter().map(|a| self.row(*a)).collect();
                let parts = parts?;
                let computed = parts.iter().any(|(_, computed)| *computed);
                let all = parts.into_iter().flat_map(|(elems, _)| elems).collect();
                self.learn(Atom::Var(place.value), Known::Row(all, computed));
            }
            Expr::Update { array, indices, value } if indices.len() == 1 => {
                let (mut elems, _) = self.row(*array)?;
                *elems.get_mut(position(&indices[0])?)? = *value;
                self.learn(Atom::Var(place.value), Known::Row(elems, place.parallel));
            }
            Expr::Ascribe { value, .. } => {
                let known = self.of(*value)?.clone();
                self.learn(Atom::Var(place.value), known);
            }
            _ => {}
        }
        None
    }

    /// The elements of a short row, and whether they were computed.
    fn row(&self, array: Atom) -> Option<(Vec<Atom>, bool)> {
        match self.of(array)? {
            Known::Row(elems, computed) => Some((elems.clone(), *computed)),
            _ => None,
        }
    }

    /// Another name: uses become uses of what it names, unless the name says more.
    fn is_copy(&mut self, value: ValueId, of: Atom, values: &Values) {
        if let Some(known) = self.of(of).cloned() {
            self.known.insert(value, known);
        }
        let says_more = of.var().is_some_and(|v| !values[value].ty.is_flat() && values[value].ty != values[v].ty);
        if !says_more || matches!(self.known.get(&value), Some(Known::Row(..))) {
            self.copies.insert(value, of);
        }
    }

    /// What is bound is this value, after these statements.
    fn becomes(
        &mut self,
        place: &Place<'_>,
        value: Atom,
        stmts: Vec<Stmt>,
        values: &Values,
        out: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        out.extend(stmts);
        self.is_copy(place.value, value, values);
        Some(Expr::Atom(value))
    }

    /// A conditional: carries elements if its branches give rows.
    fn branches(
        &mut self,
        place: &Place<'_>,
        expr: &mut Expr,
        values: &mut Values,
        out: &mut Vec<Stmt>,
    ) -> Option<Expr> {
        let Expr::If { cond, then, otherwise } = expr else { return None };
        self.body(then, place.parallel, values);
        self.body(otherwise, place.parallel, values);
        if !place.parallel || !(self.is_computed(then.result) || self.is_computed(otherwise.result)) {
            return None;
        }
        let mut build = Build::new(values, place.span, Vec::new());
        let form = self.form(then.result, &build).joined(&self.form(otherwise.result, &build));
        if !form.has_rows() {
            return None;
        }
        for body in [&mut *then, &mut *otherwise] {
            body.result = self.packed(body.result, &form, &mut build);
            body.stmts.append(&mut build.stmts);
        }
        let gone = || Body { stmts: Vec::new(), result: Atom::int(0) };
        let (then, otherwise) = (std::mem::replace(then, gone()), std::mem::replace(otherwise, gone()));
        let mut build = Build::new(values, place.span, place.after.to_vec());
        let packed = build.bind("chosen", form.packed_type(), Expr::If { cond: *cond, then, otherwise });
        let chosen = self.unpacked(packed, &form, &mut build);
        let stmts = build.stmts;
        self.becomes(place, chosen, stmts, values, out)
    }

    /// A map or a generate: written out where it is short and that is wanted.
    fn points(&mut self, place: &Place<'_>, expr: &mut Expr, values: &mut Values, out: &mut Vec<Stmt>) -> Option<Expr> {
        let count = count_of(expr, values).or_else(|| match expr {
            Expr::Map { arrays, .. } => arrays.iter().find_map(|a| self.row(*a)).map(|(elems, _)| elems.len()),
            _ => None,
        });
        if let Some(n) = count.filter(|_| place.parallel) {
            let forced = self.looks_into_rows(expr);
            if (forced || self.uses.wants_elements(place.value))
                && let Some(elems) = self.written_out(place, expr, n, forced, values, out)
            {
                self.learn(Atom::Var(place.value), Known::Row(elems.clone(), true));
                let elem = form::closed(values[place.value].ty.elem().expect("an operator gives an array"));
                return Some(Expr::ArrayLiteral { elem: elem.without_sizes(), elems });
            }
        }
        self.with_rows_inside(place, expr, values, out)
    }

    /// Whether a short operator goes through a row that was computed, or looks into one at a position that is not known yet.
    fn looks_into_rows(&self, expr: &Expr) -> bool {
        let apart = |a: &Atom| match self.of(*a) {
            Some(Known::Row(_, computed)) => *computed,
            Some(Known::Rows(..)) => true,
            _ => false,
        };
        let looks = |expr: &Expr| match expr {
            Expr::Index { array, index } => index.var().is_some() && apart(array),
            Expr::Length(_) | Expr::Tuple(_) => false,
            Expr::Map { arrays, .. } => arrays.iter().any(apart),
            _ => expr.operands().iter().any(apart),
        };
        let mut found = looks(expr);
        for body in expr.bodies() {
            walk(body, &mut |stmt| {
                if let StmtKind::Let { expr, .. } = &stmt.kind {
                    found |= looks(expr)
                }
            });
        }
        found
    }

    /// The elements of a short operator, one after the other. `any`: whatever they are; else only scalar code.
    fn written_out(
        &mut self,
        place: &Place<'_>,
        expr: &Expr,
        n: usize,
        any: bool,
        values: &mut Values,
        out: &mut Vec<Stmt>,
    ) -> Option<Vec<Atom>> {
        let (lambda, arrays): (&Lambda, &[Atom]) = match expr {
            Expr::Map { lambda, arrays } => (lambda, arrays),
            Expr::Generate { lambda, .. } => (lambda, &[]),
            _ => return None,
        };
        let size = n * checked_size(&lambda.body)?;
        if size > MOST_STMTS || size > self.room {
            return None;
        }
        let before = out.len();
        let mut elems = Vec::with_capacity(n);
        for k in 0..n {
            let mut build = Build::new(values, place.span, place.after.to_vec());
            let args: Vec<Atom> = match arrays {
                [] => vec![Atom::int(k as i64)],
                _ => arrays.iter().map(|a| self.element(*a, k, &mut build)).collect(),
            };
            out.append(&mut build.stmts);
            let (result, stmts) = self.applied(lambda, &args, values);
            let wanted = any || is_scalar_code(&stmts) && values_are_flat(&result, values);
            if !wanted {
                out.truncate(before);
                return None;
            }
            out.extend(stmts);
            elems.push(result);
        }
        self.room -= size;
        Some(elems)
    }

    /// What a function gives for some values, in parallel code.
    fn applied(&mut self, lambda: &Lambda, args: &[Atom], values: &mut Values) -> (Atom, Vec<Stmt>) {
        let mut copy = lambda.clone();
        refresh_lambda(&mut copy, values);
        let map = copy.params.iter().copied().zip(args.iter().copied()).collect();
        substitute_with_types(&mut copy.body, values, &map);
        self.uses.learn(&copy.body, values);
        self.body(&mut copy.body, true, values);
        (copy.body.result, copy.body.stmts)
    }
}

/// The number of statements of a body; none where one of them is a check that is not proved.
fn checked_size(body: &Body) -> Option<usize> {
    let (mut size, mut open) = (0, false);
    walk(body, &mut |stmt| {
        size += 1;
        open |= match &stmt.kind {
            StmtKind::Check { proved, .. } => !proved,
            StmtKind::Let { expr: Expr::Ascribe { proved, .. }, .. } => !proved,
            StmtKind::Let { .. } => false,
        }
    });
    (!open).then_some(size + 1)
}

fn values_are_flat(atom: &Atom, values: &Values) -> bool {
    atom.var().is_none_or(|v| values[v].ty.is_flat())
}

/// Whether nothing here is parallel, loops, calls or moves arrays.
fn is_scalar_code(stmts: &[Stmt]) -> bool {
    stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Check { .. } => true,
        StmtKind::Let { expr, .. } => match expr {
            Expr::Atom(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Fma(..) | Expr::Convert(..) => true,
            Expr::Tuple(_) | Expr::Project(..) | Expr::Length(_) | Expr::Index { .. } | Expr::Ascribe { .. } => true,
            Expr::ArrayLiteral { .. } | Expr::Precedes(..) => true,
            Expr::If { then, otherwise, .. } => is_scalar_code(&then.stmts) && is_scalar_code(&otherwise.stmts),
            _ => false,
        },
    })
}
