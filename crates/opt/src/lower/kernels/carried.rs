//! What a round of a loop has just written, the next one has in a variable.
//!
//! ```text
//! while i < n { let x = a[s + i]; …; a[s + i + 1] = y; i = i + 1 }
//!
//! let last = 0; if i < n { last = a[s + i] }
//! while i < n { let x = last; …; a[s + i + 1] = y; last = y; i = i + 1 }
//! ```
//!
//! A table that is filled cell by cell needs its left neighbour, and reading it back from memory takes several times as long as
//! computing the cell. C compilers see this only where they can tell that the row above is not the same row.
//!
//! The loop has one counter, which goes up by one, and one write to the buffer, whose value has a name. The place that is read must be, as
//! a polynomial, the place that the round before wrote; then nothing can have come between. Where a write is left out because its place is below zero, nobody may
//! read that place. Before the loop the first element is read where the loop would read it anyway.
//!
//! Declined: loops in loops, loops with checks (a place may be wrong after one has failed), reads under conditions, and loops with other writes to the buffer.

use super::expr::{int, local};
use super::tidy::own_exprs;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::{Size, SizeVar};
use terrace_base::{BinOp, IdVec, Scalar};
use terrace_ir::kernel::{Expr, Local, LocalId, Param, ParamId, ParamKind, Stmt};

/// Lets loops of a phase carry what they write.
pub(super) fn carry(stmts: &mut Vec<Stmt>, locals: &mut IdVec<LocalId, Local>, params: &IdVec<ParamId, Param>) {
    if any(stmts, &|s| matches!(s, Stmt::Check { .. })) {
        return;
    }
    let mut out = Vec::with_capacity(stmts.len());
    for mut stmt in std::mem::take(stmts) {
        stmt.bodies_mut().into_iter().for_each(|b| carry(b, locals, params));
        if let Stmt::While(cond, body) = &mut stmt {
            out.extend(carry_loop(cond, body, locals, params).into_iter().flatten());
        }
        out.push(stmt);
    }
    *stmts = out;
}

fn any(stmts: &[Stmt], f: &dyn Fn(&Stmt) -> bool) -> bool {
    stmts.iter().any(|s| f(s) || s.bodies().into_iter().any(|b| any(b, f)))
}

/// Changes a loop; what comes before it.
fn carry_loop(
    cond: &Expr,
    body: &mut Vec<Stmt>,
    locals: &mut IdVec<LocalId, Local>,
    params: &IdVec<ParamId, Param>,
) -> Option<Vec<Stmt>> {
    let at = body.iter().position(|s| any(std::slice::from_ref(s), &|s| matches!(s, Stmt::Store(..))))?;
    let (buffer, place, value) = only_store(&body[at])?;
    let other = |s: &Stmt| !matches!(s, Stmt::Let(..) | Stmt::Assign(..) | Stmt::If(..));
    if any(&body[..at], &other) || any(&body[at + 1..], &other) {
        return None;
    }
    let (ParamKind::Input(ty) | ParamKind::Output(ty) | ParamKind::Scratch(ty)) = params[buffer].kind else {
        return None;
    };
    let here = Round::of(body);
    let counter = here.counter(body)?;
    let stored = here.polynomial(&place)?;
    let first = Size::var(variable(counter));
    let found =
        body[..at].iter().flat_map(own_exprs).find_map(|e| here.read_back(e, buffer, counter, &first, &stored))?;
    let start = here.spelled(&found)?;
    let last = locals.push(Local { name: "last".to_string(), ty });
    body[..at].iter_mut().for_each(|s| {
        if let Stmt::Let(_, e) | Stmt::Assign(_, e) = s {
            replace(e, &Expr::Load(buffer, Box::new(found.clone())), &local(last));
        }
    });
    hand_on(body, at, last, &value);
    let zero = Scalar::from_le_bytes(ty, &[0; 8][..ty.size_bytes()])?;
    let read = Stmt::Assign(last, Expr::Load(buffer, Box::new(start)));
    Some(vec![Stmt::Let(last, Expr::Const(zero)), Stmt::If(cond.clone(), vec![read], Vec::new())])
}

/// The one store that a statement is, apart from a test whether there is a place and a loop of one round.
fn only_store(stmt: &Stmt) -> Option<(ParamId, Expr, Expr)> {
    let (inner, wrap): (&[Stmt], _) = match stmt {
        Stmt::Store(buffer, at, value) if matches!(value, Expr::Local(_)) => {
            return Some((*buffer, at.clone(), value.clone()));
        }
        Stmt::If(Expr::Binary(BinOp::Ge, place, zero), then, otherwise) if otherwise.is_empty() && **zero == int(0) => {
            let [Stmt::Store(_, at, _)] = then.as_slice() else { return None };
            let offset = |e: &Expr| matches!(e, Expr::Binary(BinOp::Add, a, b) if a == place || b == place);
            if at != &**place && !offset(at) {
                return None;
            }
            (then, None)
        }
        Stmt::For { var, from, to, body, .. } if *from == int(0) && *to == int(1) => (body, Some(*var)),
        _ => return None,
    };
    let (last, lets) = inner.split_last()?;
    let (buffer, mut at, value) = only_store(last)?;
    // What is bound on the way is written out, latest first.
    for s in lets.iter().rev() {
        let Stmt::Let(v, e) = s else { return None };
        replace(&mut at, &local(*v), e);
        if value == local(*v) {
            return None;
        }
    }
    if let Some(var) = wrap {
        replace(&mut at, &local(var), &int(0));
    }
    Some((buffer, at, value))
}

/// After the store, the variable has what was stored.
fn hand_on(body: &mut Vec<Stmt>, at: usize, last: LocalId, value: &Expr) {
    match &mut body[at] {
        Stmt::Store(..) => body.insert(at + 1, Stmt::Assign(last, value.clone())),
        Stmt::If(_, inner, _) | Stmt::For { body: inner, .. } if !inner.is_empty() => {
            hand_on(inner, inner.len() - 1, last, value);
        }
        _ => {}
    }
}

fn replace(e: &mut Expr, old: &Expr, new: &Expr) {
    if e == old {
        *e = new.clone();
        return;
    }
    e.children_mut().into_iter().for_each(|c| replace(c, old, new));
}

fn variable(v: LocalId) -> SizeVar {
    SizeVar(2 * v.index() as u32)
}

/// What the variables of one round are.
pub(super) struct Round {
    bound: BTreeMap<LocalId, Expr>,
    assigned: BTreeSet<LocalId>,
}

impl Round {
    pub(super) fn of(body: &[Stmt]) -> Round {
        let mut round = Round { bound: BTreeMap::new(), assigned: BTreeSet::new() };
        round.see(body, true);
        round
    }

    fn see(&mut self, body: &[Stmt], outermost: bool) {
        for s in body {
            match s {
                Stmt::Let(v, e) if outermost => {
                    self.bound.insert(*v, e.clone());
                }
                Stmt::Let(v, _) | Stmt::Assign(v, _) => {
                    self.assigned.insert(*v);
                }
                _ => {}
            }
            s.bodies().into_iter().for_each(|b| self.see(b, false));
        }
    }

    /// The variable that goes up by one, after everything else that the round does.
    fn counter(&self, body: &[Stmt]) -> Option<LocalId> {
        let mut counters = body.iter().filter_map(|s| match s {
            Stmt::Assign(v, e) if !self.bound.contains_key(v) => {
                let next = Size::var(variable(*v)).checked_add(&Size::one());
                (next.is_some() && self.polynomial_of(e, Some(*v)) == next).then_some(*v)
            }
            _ => None,
        });
        let counter = counters.next()?;
        let assigned = body.iter().filter(|s| matches!(s, Stmt::Assign(v, _) if *v == counter)).count();
        // Assigned once, and by a statement behind which only others are assigned.
        let behind = body.iter().rev().take_while(|s| matches!(s, Stmt::Assign(..)));
        let last = behind.into_iter().any(|s| matches!(s, Stmt::Assign(v, _) if *v == counter));
        (assigned == 1 && last && counters.next().is_none()).then_some(counter)
    }

    fn polynomial(&self, e: &Expr) -> Option<Size> {
        self.polynomial_of(e, None)
    }

    /// A place that goes up by one with a variable, and depends on nothing else that rounds change.
    pub(super) fn place(&self, at: &Expr, counter: LocalId) -> Option<Size> {
        let place = self.polynomial(at)?;
        let next = place.substitute(variable(counter), &Size::var(variable(counter)).checked_add(&Size::one())?);
        (Some(next) == place.checked_add(&Size::one()) && self.fixed(&place, counter)).then_some(place)
    }

    fn polynomial_of(&self, e: &Expr, own: Option<LocalId>) -> Option<Size> {
        match e {
            Expr::Const(Scalar::I64(n)) => Some(Size::constant(*n)),
            Expr::Param(p) => Some(Size::var(SizeVar(2 * p.index() as u32 + 1))),
            Expr::Local(v) => match self.bound.get(v) {
                Some(e) if Some(*v) != own && !self.assigned.contains(v) => self.polynomial_of(e, own),
                _ => Some(Size::var(variable(*v))),
            },
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.polynomial_of(a, own)?, self.polynomial_of(b, own)?);
                match op {
                    BinOp::Add => a.checked_add(&b),
                    BinOp::Sub => a.checked_add(&b.checked_mul(&Size::constant(-1))?),
                    BinOp::Mul => a.checked_mul(&b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The place of a read, always made, of what the round before has stored.
    fn read_back(&self, e: &Expr, buffer: ParamId, counter: LocalId, first: &Size, stored: &Size) -> Option<Expr> {
        if let Expr::Load(b, at) = e
            && *b == buffer
            && let (Some(place), Some(next)) = (self.polynomial(at), first.checked_add(&Size::one()))
            && place.substitute(variable(counter), &next) == *stored
            && self.fixed(&place, counter)
        {
            return Some((**at).clone());
        }
        // What is only computed sometimes must not be read before the loop.
        if matches!(e, Expr::Select(..) | Expr::Binary(BinOp::And | BinOp::Or, ..)) {
            return None;
        }
        e.children().into_iter().find_map(|c| self.read_back(c, buffer, counter, first, stored))
    }

    /// Whether a place depends on nothing else that rounds change.
    fn fixed(&self, place: &Size, counter: LocalId) -> bool {
        place.vars().into_iter().all(|v| v == variable(counter) || !self.assigned.iter().any(|a| variable(*a) == v))
    }

    /// An index before the loop: what the round binds is written out.
    fn spelled(&self, e: &Expr) -> Option<Expr> {
        let mut out = e.clone();
        self.spell(&mut out, 0)?;
        Some(out)
    }

    fn spell(&self, e: &mut Expr, depth: usize) -> Option<()> {
        if depth > 20 {
            return None;
        }
        if let Expr::Local(v) = e
            && let Some(bound) = self.bound.get(v).filter(|_| !self.assigned.contains(v))
        {
            *e = bound.clone();
            return self.spell(e, depth + 1);
        }
        e.children_mut().into_iter().try_for_each(|c| self.spell(c, depth + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::expr::add;
    use super::*;
    use terrace_base::ScalarType;

    /// `while i < n { x = a[s + i]; y = x + 1; a[s + shift] = y; i = i + 1 }`, changed.
    fn changed(shift: i64, check: bool) -> Vec<Stmt> {
        let name = |n: &str| Local { name: n.to_string(), ty: ScalarType::I64 };
        let mut locals: IdVec<LocalId, Local> = ["i", "x", "y"].iter().map(|n| name(n)).collect();
        let [i, x, y] = [0, 1, 2].map(LocalId::new);
        let buffer = Param { name: "a".to_string(), kind: ParamKind::Scratch(ScalarType::I64), once: false };
        let params: IdVec<ParamId, Param> = std::iter::once(buffer).collect();
        let a = ParamId::new(0);
        let mut body = vec![
            Stmt::Let(x, Expr::Load(a, Box::new(add(int(7), local(i))))),
            Stmt::Let(y, add(local(x), int(1))),
            Stmt::Store(a, add(add(local(i), int(shift)), int(7)), local(y)),
            Stmt::Assign(i, add(local(i), int(1))),
        ];
        if check {
            let cond = Expr::Const(Scalar::Bool(true));
            body.push(Stmt::Check {
                check: terrace_ir::check::CheckId::new(0),
                cond,
                index: int(0),
                values: Vec::new(),
            });
        }
        let cond = Expr::Binary(BinOp::Lt, Box::new(local(i)), Box::new(int(9)));
        let mut stmts = vec![Stmt::Let(i, int(0)), Stmt::While(cond, body)];
        carry(&mut stmts, &mut locals, &params);
        stmts
    }

    #[test]
    fn what_was_written_is_not_read_again() {
        let stmts = changed(1, false);
        assert!(matches!(&stmts[1], Stmt::Let(last, _) if *last == LocalId::new(3)), "{stmts:?}");
        let Some(Stmt::While(_, body)) = stmts.last() else { panic!("{stmts:?}") };
        assert_eq!(body[0], Stmt::Let(LocalId::new(1), local(LocalId::new(3))));
    }

    #[test]
    fn other_places_and_loops_with_checks_stay() {
        assert_eq!(changed(2, false).len(), 2);
        assert_eq!(changed(0, false).len(), 2);
        assert_eq!(changed(1, true).len(), 2);
    }
}
