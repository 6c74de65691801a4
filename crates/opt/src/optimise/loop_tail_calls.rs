//! A function that calls itself last, and only last, becomes a loop.
//!
//! ```text
//! def gcd(a, b) {                                    def gcd(a, b) {
//!   let done = b == 0                                  let s = loop (x, y) = (a, b) while { y == 0 is false } { (y, x % y) }
//!   if done { => a } else { => gcd(b, a % b) }   →     => s.0
//! }                                                  }
//! ```
//!
//! Such a call has nothing to come back for, so it needs no frame, and no depth of calls is too deep for it. This is part of
//! the meaning: the pass runs before any engine does. The text before the last condition stands three times afterwards: in the loop's
//! condition, where only the way to a call or to a value is found, in its body, which goes on to the next arguments, and behind the loop, where the value is
//! computed. Parameters that all calls hand on as they are stay outside of the loop. Everything runs in the order in which the calls would have run it.
//!
//! It declines functions that call themselves in other places too, or by way of others, that never end, and those whose
//! way to the last condition contains more than scalar code: it would be computed twice.

use super::inline_calls::callees;
use std::collections::BTreeMap;
use terrace_base::{IdVec, Scalar, ScalarType, Span};
use terrace_ir::core::visit::{refresh, substitute_with_types};
use terrace_ir::core::{Body, Expr, Function, LoopForm, Program, Stmt, StmtKind, Type, Value};
use terrace_ir::{Atom, FuncId, ValueId};

/// Turns self calls into loops in all functions.
pub fn loop_tail_calls(program: &mut Program) {
    let calls: Vec<Vec<FuncId>> = program.functions.iter().map(|f| callees(&f.body)).collect();
    for id in program.functions.ids().collect::<Vec<_>>() {
        let own = calls[id.index()].iter().filter(|f| **f == id).count();
        let others = calls[id.index()].iter().filter(|f| **f != id);
        if own > 0 && !others.clone().any(|f| reaches(&calls, *f, id)) {
            looped(&mut program.functions[id], id, own);
        }
    }
}

fn reaches(calls: &[Vec<FuncId>], from: FuncId, to: FuncId) -> bool {
    let mut seen = vec![false; calls.len()];
    let mut stack = vec![from];
    while let Some(f) = stack.pop() {
        if f == to {
            return true;
        }
        if !std::mem::replace(&mut seen[f.index()], true) {
            stack.extend(&calls[f.index()]);
        }
    }
    false
}

/// How a body ends.
enum End<'b> {
    /// With a call of the function itself.
    Call(&'b [Atom]),
    /// With a choice.
    If { cond: Atom, then: &'b Body, otherwise: &'b Body },
    /// With anything else.
    Value,
}

/// What a body does last, and the statements before that.
fn end(body: &Body, own: FuncId) -> (&[Stmt], End<'_>) {
    // The last statement, or names given to what it binds.
    let mut result = body.result;
    for (k, stmt) in body.stmts.iter().enumerate().rev() {
        let StmtKind::Let { value, expr, .. } = &stmt.kind else { break };
        if Atom::Var(*value) != result {
            break;
        }
        match expr {
            Expr::Atom(a) => result = *a,
            Expr::Call { function, args } if *function == own => return (&body.stmts[..k], End::Call(args)),
            Expr::If { cond, then, otherwise } => {
                return (&body.stmts[..k], End::If { cond: *cond, then, otherwise });
            }
            _ => break,
        }
    }
    (&body.stmts, End::Value)
}

/// Which ways out a body has: the number of calls at its ends, and whether it can end with a value.
fn ways(body: &Body, own: FuncId) -> (usize, bool) {
    match end(body, own).1 {
        End::Call(_) => (1, false),
        End::Value => (0, true),
        End::If { then, otherwise, .. } => {
            let (a, b) = (ways(then, own), ways(otherwise, own));
            (a.0 + b.0, a.1 || b.1)
        }
    }
}

fn is_cheap(stmts: &[Stmt]) -> bool {
    stmts.iter().all(|s| match &s.kind {
        StmtKind::Check { .. } => true,
        StmtKind::Let { expr, .. } => match expr {
            Expr::Atom(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Fma(..) | Expr::Convert(..) => true,
            Expr::Tuple(_) | Expr::Project(..) | Expr::Length(_) | Expr::Index { .. } | Expr::Slice { .. } => true,
            Expr::If { then, otherwise, .. } => is_cheap(&then.stmts) && is_cheap(&otherwise.stmts),
            _ => false,
        },
    })
}

/// Whether the ways to all calls consist of cheap code.
fn has_cheap_ways(body: &Body, own: FuncId) -> bool {
    match end(body, own) {
        (before, End::If { then, otherwise, .. }) if ways(body, own).0 > 0 => {
            is_cheap(before) && has_cheap_ways(then, own) && has_cheap_ways(otherwise, own)
        }
        _ => true,
    }
}

/// The arguments of all calls at the ends.
fn arguments<'b>(body: &'b Body, own: FuncId, out: &mut Vec<&'b [Atom]>) {
    match end(body, own).1 {
        End::Call(args) => out.push(args),
        End::Value => {}
        End::If { then, otherwise, .. } => {
            arguments(then, own, out);
            arguments(otherwise, own, out);
        }
    }
}

fn looped(function: &mut Function, own: FuncId, calls: usize) {
    let (found, ends) = ways(&function.body, own);
    if found != calls || !ends || !has_cheap_ways(&function.body, own) {
        return;
    }
    let mut all = Vec::new();
    arguments(&function.body, own, &mut all);
    let moving: Vec<usize> = (0..function.params.len())
        .filter(|k| all.iter().any(|args| args[*k] != Atom::Var(function.params[*k])))
        .collect();
    if moving.is_empty() {
        return;
    }
    let types: Vec<Type> = moving.iter().map(|k| function.values[function.params[*k]].ty.without_sizes()).collect();
    let ty = if types.len() == 1 { types[0].clone() } else { Type::Tuple(types.clone()) };
    let body = function.body.clone();
    let span = function.span;
    let mut make =
        Make { own, moving: &moving, params: &function.params, types: &types, span, values: &mut function.values };
    let state = make.value("args", ty.clone());
    let cond = make.at(state, |m| m.goes_on(&body));
    let next = make.at(state, |m| m.next(&body, &ty));
    let after = make.value("args", ty.clone());
    let rest = make.at(after, |m| m.rest(&body));
    let mut stmts = Vec::new();
    let mut init = Atom::Var(function.params[moving[0]]);
    if moving.len() > 1 {
        let first = make.value("args", ty);
        let parts = moving.iter().map(|k| Atom::Var(function.params[*k])).collect();
        stmts.push(bound(first, Expr::Tuple(parts), span));
        init = Atom::Var(first);
    }
    stmts.push(bound(after, Expr::Loop { state, init, form: LoopForm::While(cond), body: next }, span));
    stmts.extend(rest.stmts);
    function.body = Body { stmts, result: rest.result };
}

fn bound(value: ValueId, expr: Expr, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Let { value, expr, after: Vec::new() }, span }
}

struct Make<'f> {
    own: FuncId,
    moving: &'f [usize],
    params: &'f [ValueId],
    types: &'f [Type],
    span: Span,
    values: &'f mut IdVec<ValueId, Value>,
}

impl Make<'_> {
    fn value(&mut self, name: &str, ty: Type) -> ValueId {
        self.values.push(Value { name: name.to_string(), ty })
    }

    /// What `f` makes of the body, with the parameters as the state has them.
    fn at(&mut self, state: ValueId, f: impl FnOnce(&mut Self) -> Body) -> Body {
        let mut body = f(self);
        refresh(&mut body, self.values);
        let mut stmts = Vec::new();
        let mut map = BTreeMap::new();
        for (at, k) in self.moving.iter().enumerate() {
            let param = self.params[*k];
            let part = match self.moving.len() {
                1 => state,
                _ => {
                    let part = self.value(&self.values[param].name.clone(), self.types[at].clone());
                    stmts.push(bound(part, Expr::Project(Atom::Var(state), at), self.span));
                    part
                }
            };
            map.insert(param, Atom::Var(part));
        }
        substitute_with_types(&mut body, self.values, &map);
        stmts.extend(body.stmts);
        Body { stmts, result: body.result }
    }

    fn chosen(&mut self, before: &[Stmt], ty: Type, cond: Atom, then: Body, otherwise: Body) -> Body {
        let value = self.value("next", ty);
        let mut stmts = before.to_vec();
        stmts.push(bound(value, Expr::If { cond, then, otherwise }, self.span));
        Body { stmts, result: Atom::Var(value) }
    }

    /// Whether the body ends with a call.
    fn goes_on(&mut self, body: &Body) -> Body {
        let known = |goes: bool| Body { stmts: Vec::new(), result: Atom::Const(Scalar::Bool(goes)) };
        match (ways(body, self.own), end(body, self.own)) {
            ((_, false), _) => known(true),
            ((0, _), _) => known(false),
            (_, (before, End::If { cond, then, otherwise })) => {
                let (then, otherwise) = (self.goes_on(then), self.goes_on(otherwise));
                self.chosen(before, Type::Scalar(ScalarType::Bool), cond, then, otherwise)
            }
            _ => unreachable!("only a choice has two ways out"),
        }
    }

    /// The arguments of the call that the body ends with.
    fn next(&mut self, body: &Body, ty: &Type) -> Body {
        match end(body, self.own) {
            (before, End::Call(args)) => {
                let mut stmts = before.to_vec();
                let parts: Vec<Atom> = self.moving.iter().map(|k| args[*k]).collect();
                if let [only] = parts[..] {
                    return Body { stmts, result: only };
                }
                let value = self.value("args", ty.clone());
                stmts.push(bound(value, Expr::Tuple(parts), self.span));
                Body { stmts, result: Atom::Var(value) }
            }
            (before, End::If { cond, then, otherwise }) => {
                let branches = [then, otherwise].map(|b| ways(b, self.own).0 > 0);
                let mut only = |b: &Body| {
                    let rest = self.next(b, ty);
                    Body { stmts: [before, &rest.stmts].concat(), result: rest.result }
                };
                match branches {
                    [true, true] => {
                        let (then, otherwise) = (self.next(then, ty), self.next(otherwise, ty));
                        self.chosen(before, ty.clone(), cond, then, otherwise)
                    }
                    [true, false] => only(then),
                    _ => only(otherwise),
                }
            }
            (_, End::Value) => unreachable!("only ways to calls are followed"),
        }
    }

    /// The value that the body ends with.
    fn rest(&mut self, body: &Body) -> Body {
        if ways(body, self.own).0 == 0 {
            return body.clone();
        }
        let (before, End::If { cond, then, otherwise }) = end(body, self.own) else {
            unreachable!("only ways to values are followed")
        };
        let branches = [then, otherwise].map(|b| ways(b, self.own).1);
        let mut only = |b: &Body| {
            let rest = self.rest(b);
            Body { stmts: [before, &rest.stmts].concat(), result: rest.result }
        };
        match branches {
            [true, true] => {
                let (then, otherwise) = (self.rest(then), self.rest(otherwise));
                let ty = match body.result {
                    Atom::Var(v) => self.values[v].ty.clone(),
                    Atom::Const(c) => Type::Scalar(c.ty()),
                };
                self.chosen(before, ty, cond, then, otherwise)
            }
            [true, false] => only(then),
            _ => only(otherwise),
        }
    }
}
