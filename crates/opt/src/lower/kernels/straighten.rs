//! Loops without branches, where reads under conditions are reads that other rounds make anyway.
//!
//! A comparison with the neighbour asks first whether there is one. Branches on data cost more than what they save, and no
//! vector code has them:
//!
//! ```text
//! for q in from .. to { a = s[q]; if a != 32 { if q == 0 { x = true } else { x = s[q - 1] == 32 } } else { x = false }; … }
//!
//! for q in from + 1 .. to { a = s[q]; b = s[q - 1]; x = a != 32 & (q == 0 | b == 32); … }
//! ```
//!
//! Each round reads `s[q]`, so all of `s[from .. to]` may be read, and `s[q - 1]` in each round but the first: that one stays as it was, like as many rounds at
//! either end as reads reach over it. Places are polynomials, and must differ by a constant ([`super::carried`]).
//!
//! Declined: branches that do not depend on data, which a processor foresees; whatever is not comparisons and a little arithmetic under conditions; and rounds
//! that need what earlier ones have computed, because both ends run first (sums of integers may be in any order).

use super::borders::{any_loads, bound, is_straight, stores, written_in};
use super::carried::Round;
use super::expr::{add, and, as_int, eq, int, local, max, min, not, or, select, sub, truth};
use super::tidy::own_exprs;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;
use terrace_base::{BinOp, IdVec, ScalarType, UnOp};
use terrace_ir::kernel::{Expr, Local, LocalId, ParamId, Stmt};

/// What is computed under conditions is at most so many operations.
const MOST: usize = 48;

/// Reads reach at most so far over an end.
const FAR: i64 = 16;

/// Straightens the loops of a phase.
pub(super) fn straighten(stmts: &mut Vec<Stmt>, locals: &mut IdVec<LocalId, Local>) {
    let mut out = Vec::with_capacity(stmts.len());
    for mut stmt in std::mem::take(stmts) {
        match straight_loop(&stmt, locals) {
            Some(parts) => out.extend(parts),
            None => {
                stmt.bodies_mut().into_iter().for_each(|b| straighten(b, locals));
                out.push(stmt);
            }
        }
    }
    *stmts = out;
}

fn straight_loop(stmt: &Stmt, locals: &mut IdVec<LocalId, Local>) -> Option<Vec<Stmt>> {
    let Stmt::For { var, from, to, step, body, simd } = stmt else { return None };
    let shape = |s: &Stmt| matches!(s, Stmt::SetElement(..)) || is_straight(std::slice::from_ref(s));
    if as_int(step) != Some(1) || !body.iter().all(shape) || !branches_on(body, &mut BTreeSet::new()) {
        return None;
    }
    let mut own = BTreeSet::from([*var]);
    let (mut assigned, mut stored) = (BTreeSet::new(), BTreeSet::new());
    written_in(body, &mut own, &mut assigned, &mut stored);
    let is_count = |v: LocalId| locals[v].ty.is_int() && is_sum(body, v);
    let in_order = assigned.iter().any(|v| !own.contains(v) && !is_count(*v));
    let reads_back = stored.iter().any(|p| any_loads(body, Some(*p)));
    let round = Round::of(body);
    if in_order || reads_back || !writes_apart(body, &round, *var) {
        return None;
    }
    let mut made = Vec::new();
    body.iter().flat_map(own_exprs_of_round).for_each(|e| always_loads(e, &mut made));
    let made = made.into_iter().filter_map(|(p, at)| Some((p, round.place(at, *var)?))).collect();
    let mut loop_ = Straight { locals, round, var: *var, made, below: 0, above: 0, cost: 0, bools: true, read: false };
    let inner = loop_.stmts(body)?;
    // Without reads, other compilers do as well where results are numbers.
    if loop_.cost > MOST || !loop_.read && !loop_.bools {
        return None;
    }
    let (below, above) = (loop_.below, loop_.above);
    let inner = named_once(inner);
    let make =
        |from: Expr, to: Expr, body: Vec<Stmt>, simd: bool| Stmt::For { var: *var, from, to, step: int(1), body, simd };
    if below == 0 && above == 0 {
        return Some(vec![make(from.clone(), to.clone(), inner, *simd)]);
    }
    let mut out = Vec::new();
    let mut bind = |name: &str, value: Expr, out: &mut Vec<Stmt>| bound(locals, name, value, out);
    let from = bind("from", from.clone(), &mut out);
    let to = bind("to", to.clone(), &mut out);
    let low = bind("low", min(add(from.clone(), int(below)), max(from.clone(), to.clone())), &mut out);
    let high = bind("high", max(sub(to.clone(), int(above)), low.clone()), &mut out);
    let side = locals.push(Local { name: "side".into(), ty: ScalarType::I64 });
    let first = eq(local(side), int(0));
    let ends = make(select(first.clone(), from, high.clone()), select(first, low.clone(), to), body.clone(), false);
    out.push(Stmt::For { var: side, from: int(0), to: int(2), step: int(1), body: vec![ends], simd: false });
    out.push(make(low, high, inner, *simd));
    Some(out)
}

/// Whether each round writes in places of its own, and does so in any case.
fn writes_apart(body: &[Stmt], round: &Round, var: LocalId) -> bool {
    let (mut buffers, mut arrays) = (BTreeSet::new(), BTreeSet::new());
    body.iter().all(|s| match s {
        Stmt::Store(p, at, _) => buffers.insert(*p) && round.place(at, var).is_some(),
        Stmt::SetElement(a, at, _) => arrays.insert(*a) && round.place(at, var).is_some(),
        s => s.bodies().into_iter().all(|b| stores(b).is_empty()),
    }) && !body.iter().flat_map(own_exprs).any(has_element)
}

fn has_element(e: &Expr) -> bool {
    matches!(e, Expr::Element(..)) || e.children().into_iter().any(has_element)
}

/// Expressions that every round computes.
fn own_exprs_of_round(s: &Stmt) -> Vec<&Expr> {
    match s {
        Stmt::If(c, ..) => vec![c],
        s => own_exprs(s),
    }
}

/// Whether a branch depends on what is read: others are foreseen. Adds the variables that depend on it.
fn branches_on(body: &[Stmt], data: &mut BTreeSet<LocalId>) -> bool {
    body.iter().any(|s| match s {
        Stmt::Let(v, e) | Stmt::Assign(v, e) => {
            if is_data(e, data) {
                data.insert(*v);
            }
            false
        }
        Stmt::If(c, a, b) => is_data(c, data) || branches_on(a, data) || branches_on(b, data),
        _ => false,
    })
}

fn is_data(e: &Expr, data: &BTreeSet<LocalId>) -> bool {
    matches!(e, Expr::Load(..))
        || matches!(e, Expr::Local(v) if data.contains(v))
        || e.children().into_iter().any(|c| is_data(c, data))
}

/// Whether a variable only counts: rounds add integers to it, and nothing else reads it.
fn is_sum(body: &[Stmt], v: LocalId) -> bool {
    let adds = |e: &Expr| match e {
        Expr::Binary(BinOp::Add, a, b) => **a == local(v) && !b.mentions(v),
        _ => false,
    };
    body.iter().all(|s| match s {
        Stmt::Assign(w, e) if *w == v => adds(e),
        s => !any_mentions(std::slice::from_ref(s), v),
    })
}

/// Whether statements read a variable, or give it a value.
fn any_mentions(body: &[Stmt], v: LocalId) -> bool {
    body.iter().any(|s| {
        matches!(s, Stmt::Assign(w, _) | Stmt::Let(w, _) if *w == v)
            || own_exprs(s).into_iter().any(|e| e.mentions(v))
            || s.bodies().into_iter().any(|b| any_mentions(b, v))
    })
}

/// Reads that are made whenever the expression is computed.
fn always_loads<'e>(e: &'e Expr, out: &mut Vec<(ParamId, &'e Expr)>) {
    match e {
        Expr::Load(p, at) => {
            out.push((*p, at));
            always_loads(at, out);
        }
        Expr::Select(c, ..) => always_loads(c, out),
        Expr::Binary(BinOp::And | BinOp::Or, a, _) => always_loads(a, out),
        e => e.children().into_iter().for_each(|c| always_loads(c, out)),
    }
}

struct Straight<'l> {
    locals: &'l mut IdVec<LocalId, Local>,
    round: Round,
    var: LocalId,
    /// What every round reads.
    made: Vec<(ParamId, Size)>,
    /// How far reads reach below the first round.
    below: i64,
    /// And above the last one.
    above: i64,
    cost: usize,
    /// Whether all results of branches are truths.
    bools: bool,
    /// Whether anything is read under a condition.
    read: bool,
}

impl Straight<'_> {
    /// The statements that every round runs.
    fn stmts(&mut self, body: &[Stmt]) -> Option<Vec<Stmt>> {
        let mut out = Vec::with_capacity(body.len());
        for stmt in body {
            match stmt {
                Stmt::If(c, then, otherwise) => self
                    .branch(c, then, otherwise, &mut out)?
                    .into_iter()
                    .for_each(|(v, e)| out.push(Stmt::Assign(v, e))),
                other => out.push(other.clone()),
            }
        }
        Some(out)
    }

    /// Computes both sides, and gives what the variables get that are assigned.
    fn branch(
        &mut self,
        c: &Expr,
        then: &[Stmt],
        otherwise: &[Stmt],
        out: &mut Vec<Stmt>,
    ) -> Option<BTreeMap<LocalId, Expr>> {
        let (a, b) = (self.side(then, out)?, self.side(otherwise, out)?);
        let all: BTreeSet<LocalId> = a.keys().chain(b.keys()).copied().collect();
        // A condition is asked for once more behind what it decides.
        if all.iter().any(|v| c.mentions(*v)) {
            return None;
        }
        let of = |side: &BTreeMap<LocalId, Expr>, v: LocalId| side.get(&v).cloned().unwrap_or_else(|| local(v));
        let mut results = BTreeMap::new();
        for v in all {
            let value = self.either(c, of(&a, v), of(&b, v))?;
            results.insert(v, value);
        }
        Some(results)
    }

    fn either(&mut self, c: &Expr, a: Expr, b: Expr) -> Option<Expr> {
        let (yes, no) = (truth(true), truth(false));
        Some(match (&a, &b) {
            (a, b) if a == b => a.clone(),
            (a, b) if *a == yes && *b == no => c.clone(),
            (a, b) if *a == no && *b == yes => not(c.clone()),
            (a, _) if *a == yes => or(c.clone(), b),
            (_, b) if *b == no => and(c.clone(), a),
            (a, _) if *a == no => and(not(c.clone()), b),
            (_, b) if *b == yes => or(not(c.clone()), a),
            _ => {
                self.bools = false;
                select(c.clone(), a, b)
            }
        })
    }

    /// Emits what a side computes; what it gives to variables from outside.
    fn side(&mut self, body: &[Stmt], out: &mut Vec<Stmt>) -> Option<BTreeMap<LocalId, Expr>> {
        let own: BTreeSet<LocalId> =
            body.iter().filter_map(|s| if let Stmt::Let(v, _) = s { Some(*v) } else { None }).collect();
        let mut given: BTreeMap<LocalId, Expr> = BTreeMap::new();
        for stmt in body {
            // What was given is not there yet.
            if given.keys().any(|v| any_mentions(std::slice::from_ref(stmt), *v)) {
                return None;
            }
            match stmt {
                Stmt::Let(v, e) => {
                    self.may_compute(e)?;
                    out.push(Stmt::Let(*v, e.clone()));
                }
                Stmt::Assign(v, e) => {
                    self.may_compute(e)?;
                    if own.contains(v) {
                        out.push(Stmt::Assign(*v, e.clone()));
                    } else {
                        given.insert(*v, self.computed(*v, e, out));
                    }
                }
                Stmt::If(c, a, b) => {
                    self.may_compute(c)?;
                    for (v, e) in self.branch(c, a, b, out)? {
                        if own.contains(&v) {
                            out.push(Stmt::Assign(v, e));
                        } else {
                            given.insert(v, e);
                        }
                    }
                }
                _ => return None,
            }
        }
        Some(given)
    }

    /// What a side gives to a variable; what reads is computed before it is asked for, or other compilers would see a condition again.
    fn computed(&mut self, v: LocalId, e: &Expr, out: &mut Vec<Stmt>) -> Expr {
        let mut loads = Vec::new();
        always_loads(e, &mut loads);
        if loads.is_empty() {
            return e.clone();
        }
        let Local { name, ty } = self.locals[v].clone();
        let early = self.locals.push(Local { name, ty });
        out.push(Stmt::Let(early, e.clone()));
        local(early)
    }

    /// Whether an expression may be computed where nobody asks for it.
    fn may_compute(&mut self, e: &Expr) -> Option<()> {
        self.cost += 1;
        match e {
            Expr::Const(_) | Expr::Local(_) | Expr::Param(_) | Expr::Tile => {
                self.cost -= 1;
                Some(())
            }
            Expr::Load(p, at) => {
                self.read = true;
                let place = self.round.place(at, self.var)?;
                let distance = |from: &Size| place.checked_add(&from.checked_mul(&Size::constant(-1))?)?.as_constant();
                let nearest = |(q, made): &(ParamId, Size)| if q == p { distance(made) } else { None };
                let by = self.made.iter().filter_map(nearest).min_by_key(|d| d.abs()).filter(|d| d.abs() <= FAR)?;
                self.below = self.below.max(-by);
                self.above = self.above.max(by);
                Some(())
            }
            Expr::Unary(UnOp::Not | UnOp::Neg, a) | Expr::Convert(_, a) => self.may_compute(a),
            Expr::Binary(op, a, b) => {
                if matches!(op, BinOp::Div | BinOp::Rem | BinOp::Pow | BinOp::Atan2) {
                    return None;
                }
                self.may_compute(a)?;
                self.may_compute(b)
            }
            Expr::Select(c, a, b) => [c, a, b].into_iter().try_for_each(|e| self.may_compute(e)),
            _ => None,
        }
    }
}

/// Variables that get one value, where they get it.
fn named_once(mut body: Vec<Stmt>) -> Vec<Stmt> {
    let mut at = 0;
    while at < body.len() {
        if let Stmt::Let(v, Expr::Const(_)) = body[at] {
            let next = (at + 1..body.len()).find(|k| any_mentions(&body[*k..=*k], v));
            if let Some(k) = next
                && let Stmt::Assign(_, e) = &body[k]
                && !e.mentions(v)
            {
                body[k] = Stmt::Let(v, e.clone());
                body.remove(at);
                continue;
            }
        }
        at += 1;
    }
    body
}

#[cfg(test)]
mod tests {
    use super::super::expr::{binary, lt};
    use super::*;

    /// `for q in 3 .. 90 { a = s[q]; x = false; if a < 9 { if q == 0 { x = true } else { x = s[q + by] < 9 } }; t[q] = x }`.
    fn neighbour(by: i64) -> (Stmt, IdVec<LocalId, Local>) {
        let bools = |n: &str| Local { name: n.to_string(), ty: ScalarType::Bool };
        let whole = |n: &str| Local { name: n.to_string(), ty: ScalarType::I64 };
        let locals = [whole("q"), whole("a"), bools("x")].into_iter().collect();
        let [q, a, x] = [0, 1, 2].map(LocalId::new);
        let (s, t) = (ParamId::new(0), ParamId::new(1));
        let load = |at: Expr| Expr::Load(s, Box::new(at));
        let inner = Stmt::If(
            eq(local(q), int(0)),
            vec![Stmt::Assign(x, truth(true))],
            vec![Stmt::Assign(x, lt(load(add(local(q), int(by))), int(9)))],
        );
        let body = vec![
            Stmt::Let(a, load(local(q))),
            Stmt::Let(x, truth(false)),
            Stmt::If(lt(local(a), int(9)), vec![inner], vec![Stmt::Assign(x, truth(false))]),
            Stmt::Store(t, local(q), local(x)),
        ];
        (Stmt::For { var: q, from: int(3), to: int(90), step: int(1), body, simd: false }, locals)
    }

    fn straightened(stmt: Stmt, mut locals: IdVec<LocalId, Local>) -> Vec<Stmt> {
        let mut stmts = vec![stmt];
        straighten(&mut stmts, &mut locals);
        stmts
    }

    /// The loop without branches, and between which rounds it runs where both ends are constants.
    fn inside(by: i64) -> Vec<Stmt> {
        let (stmt, locals) = neighbour(by);
        let stmts = straightened(stmt, locals);
        let Some(Stmt::For { body, .. }) = stmts.last() else { panic!("{stmts:?}") };
        assert!(body.iter().all(|s| !matches!(s, Stmt::If(..))), "{body:?}");
        stmts
    }

    #[test]
    fn both_sides_are_computed() {
        let (q, a) = (local(LocalId::new(0)), local(LocalId::new(1)));
        let stmts = inside(-1);
        let Some(Stmt::For { body, .. }) = stmts.last() else { panic!("{stmts:?}") };
        let near = lt(Expr::Load(ParamId::new(0), Box::new(add(q.clone(), int(-1)))), int(9));
        let early = LocalId::new(3);
        assert_eq!(body[1], Stmt::Let(early, near));
        let either = or(eq(q, int(0)), local(early));
        assert_eq!(body[2], Stmt::Let(LocalId::new(2), and(lt(a, int(9)), either)));
    }

    #[test]
    fn rounds_at_the_ends_stay() {
        let check = |by: i64, ends: (i64, i64)| {
            let stmts = inside(by);
            let Some(Stmt::For { from, to, .. }) = stmts.last() else { panic!("{stmts:?}") };
            assert_eq!((as_int(from), as_int(to)), (Some(ends.0), Some(ends.1)), "{by}");
            let Some(Stmt::For { body, .. }) = stmts.iter().rev().nth(1) else { panic!("{stmts:?}") };
            let Some(Stmt::For { body, .. }) = body.first() else { panic!("{stmts:?}") };
            assert!(body.iter().any(|s| matches!(s, Stmt::If(..))), "{body:?}");
        };
        check(-2, (5, 90));
        check(1, (3, 89));
    }

    #[test]
    fn what_no_round_reads_is_not_read() {
        let (stmt, locals) = neighbour(FAR + 1);
        assert_eq!(straightened(stmt.clone(), locals.clone()), vec![stmt]);
        // Nor is it where the one read that is always made is of another buffer.
        let (Stmt::For { var, from, to, step, mut body, simd }, locals) = neighbour(-1) else { panic!() };
        body[0] = Stmt::Let(LocalId::new(1), Expr::Load(ParamId::new(2), Box::new(local(var))));
        let stmt = Stmt::For { var, from, to, step, body, simd };
        assert_eq!(straightened(stmt.clone(), locals), vec![stmt]);
    }

    #[test]
    fn rounds_that_need_earlier_ones_stay() {
        let (Stmt::For { var, from, to, step, mut body, simd }, mut locals) = neighbour(-1) else { panic!() };
        let last = locals.push(Local { name: "last".into(), ty: ScalarType::I64 });
        body.push(Stmt::Assign(last, binary(BinOp::Mul, local(last), local(LocalId::new(1)))));
        let stmt = Stmt::For { var, from, to, step, body, simd };
        assert_eq!(straightened(stmt.clone(), locals), vec![stmt]);
    }
}
