//! Loops over points, without the tests that only the border needs.
//!
//! Where a window reaches beyond the grid, its index is clamped, wrapped or tested. Inside, none of that does anything, but it keeps the C
//! compiler from loading neighbours as vectors. So the loop over a row is cut in three:
//!
//! ```text
//! for q in from .. to { … grid[max(min(j - 1, last), 0)] … }
//!
//!   low = first q with j - 1 >= 0        for q in from .. low  { as before }       (the two borders are one loop, run twice)
//!   high = first q with j - 1 > last     for q in high .. to   { as before }
//!                                        for q in low .. high  { … grid[j - 1] … }
//! ```
//!
//! An index that goes back beyond a border, as in a mirror, is `q = (j - k) % (2 * n)` and then `min(q, 2 * n - 1 - q)`: up to the middle of the period that is
//! `q`, so it has bounds like the others.
//!
//! A comparison for equality is with the first or with the last one, as a rule.
//!
//! Inside are the points where each `min`, `max`, `%` and comparison that finds an element, or decides whether there is one, is known: each
//! is a bound on the loop's variable. Of bounds with a constant difference the tightest is computed, before the loop. What is compared must not
//! depend on the loop, and must be far from the ends of `i64`, so that bounds do not wrap: else there is no inside. This is the
//! peeling of Pizzuti, Steuwer and Dubach ("Position-Dependent Arrays", section 5), for one loop at a time.
//!
//! Declined: loops with loops or checks inside; loops in which a round needs what another has computed, because the borders run first (what
//! is assigned must be bound inside, what is written must not be read, and each round writes in places of its own, one or a few in a row); index arithmetic of reads with another factor than one.

use super::expr::{add, and, as_int, eq, int, local, lt, max, min, select, sub, truth};
use super::tidy::{own_exprs, own_exprs_mut};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, Scalar, ScalarType};
use terrace_ir::kernel::{ArrayId, Expr, Local, LocalId, ParamId, Stmt};

/// More bounds than this are not worth computing.
const MOST_BOUNDS: usize = 8;

/// Constants in index arithmetic are below this, and so are the constants of bounds.
const SMALL: i64 = 1 << 40;

/// Everything that bounds are computed from is below this; sums of `MOST_TERMS` of them do not wrap.
const FAR: i64 = 1 << 57;

/// A bound is a sum of at most so many terms.
const MOST_TERMS: usize = 8;

/// Splits the loops of a phase.
pub fn split(stmts: &mut Vec<Stmt>, locals: &mut IdVec<LocalId, Local>) {
    let mut out = Vec::with_capacity(stmts.len());
    for mut stmt in std::mem::take(stmts) {
        // Loops over lanes have been split where they were written.
        let is_lanes = matches!(&stmt, Stmt::For { body, .. } if !is_straight(body));
        if !is_lanes && let Some(parts) = split_loop(&stmt, locals) {
            out.extend(parts);
            continue;
        }
        stmt.bodies_mut().into_iter().for_each(|b| split(b, locals));
        out.push(stmt);
    }
    *stmts = out;
}

/// `q - minus + plus`, where `minus` does not depend on the loop.
#[derive(Clone, Debug, PartialEq)]
struct Linear {
    minus: Expr,
    plus: i64,
}

/// `q - minus + plus` is at most, or at least, `than`.
struct Bound {
    at_most: bool,
    linear: Linear,
    than: Expr,
}

struct Inside {
    /// What is bound in the loop.
    own: BTreeSet<LocalId>,
    /// What gets another value later.
    assigned: BTreeSet<LocalId>,
    linear: BTreeMap<LocalId, Linear>,
    /// What does not depend on the loop, less what is linear: an index seen in a mirror.
    mirrored: BTreeMap<LocalId, (Expr, Linear)>,
    /// Places of rows of a few elements.
    strided: BTreeMap<LocalId, (i64, Linear, i64)>,
    /// Variables that positions of elements are computed from.
    finds: BTreeSet<LocalId>,
    bounds: Vec<Bound>,
    /// Conditions that are known inside.
    known: BTreeMap<LocalId, bool>,
}

/// An integer under a name of its own, unless it has one.
pub(super) fn bound(locals: &mut IdVec<LocalId, Local>, name: &str, value: Expr, out: &mut Vec<Stmt>) -> Expr {
    if matches!(value, Expr::Local(_) | Expr::Const(_)) {
        return value;
    }
    let id = locals.push(Local { name: name.to_string(), ty: ScalarType::I64 });
    out.push(Stmt::Let(id, value));
    local(id)
}

fn split_loop(stmt: &Stmt, locals: &mut IdVec<LocalId, Local>) -> Option<Vec<Stmt>> {
    let Stmt::For { var, from, to, step, body, .. } = stmt else { return None };
    if as_int(step) != Some(1) || !is_straight(body) && !is_list_of_lanes(body) {
        return None;
    }
    let mut inside = Inside::of(*var, body);
    let mut stored = BTreeSet::new();
    written_in(body, &mut BTreeSet::new(), &mut BTreeSet::new(), &mut stored);
    if !inside.assigned.is_subset(&inside.own) || stored.iter().any(|p| any_loads(body, Some(*p))) {
        return None;
    }
    let mut inner = inside.stmts(body);
    let keeps_apart = inside.stores_are_apart(body) && inside.lanes_are_apart(body);
    if !keeps_apart || inside.bounds.is_empty() || inside.bounds.len() > MOST_BOUNDS {
        return None;
    }
    let mut out = Vec::new();
    let mut bind = |name: &str, value: Expr, out: &mut Vec<Stmt>| bound(locals, name, value, out);
    let from = bind("from", from.clone(), &mut out);
    let to = bind("to", to.clone(), &mut out);
    let (low, high) = inside.range(&from, &to);
    let low = bind("low", low, &mut out);
    let high = bind("high", max(high, low.clone()), &mut out);
    let side = locals.push(Local { name: "side".into(), ty: ScalarType::I64 });
    let first = eq(local(side), int(0));
    let border = Stmt::For {
        var: *var,
        from: select(first.clone(), from, high.clone()),
        to: select(first, low.clone(), to),
        step: int(1),
        body: body.clone(),
        simd: false,
    };
    out.push(Stmt::For { var: side, from: int(0), to: int(2), step: int(1), body: vec![border], simd: false });
    out.extend(inside.quotients(&mut inner));
    out.push(Stmt::For { var: *var, from: low, to: high, step: int(1), body: inner, simd: true });
    Some(out)
}

/// A loop over neighbouring points, split where it can be, and whether inside all its reads are of neighbouring elements, in one line of code.
pub(super) fn neighbours(stmt: Stmt, locals: &mut IdVec<LocalId, Local>) -> (Vec<Stmt>, bool) {
    let parts = split_loop(&stmt, locals).unwrap_or_else(|| vec![stmt]);
    let beside = match parts.last() {
        Some(Stmt::For { var, body, .. }) if is_list_of_lanes(body) => {
            let mut inside = Inside::of(*var, body);
            inside.stmts(body);
            inside.assigned.is_empty() && inside.lanes_are_apart(body) && inside.reads_beside(body)
        }
        _ => false,
    };
    (parts, beside)
}

/// Whether the statements only name values, and set elements of arrays of fixed size.
fn is_list_of_lanes(body: &[Stmt]) -> bool {
    body.iter().all(|s| matches!(s, Stmt::Let(..) | Stmt::SetElement(..)))
}

/// Where elements of arrays of fixed size are read.
fn elements<'e>(e: &'e Expr, out: &mut Vec<(ArrayId, &'e Expr)>) {
    if let Expr::Element(array, at) = e {
        out.push((*array, at));
    }
    e.children().into_iter().for_each(|c| elements(c, out));
}

/// The terms of a sum.
fn terms<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match e {
        Expr::Binary(BinOp::Add | BinOp::Sub, a, b) => [a, b].into_iter().for_each(|c| terms(c, out)),
        e => out.push(e),
    }
}

pub(super) fn is_straight(body: &[Stmt]) -> bool {
    body.iter().all(|s| match s {
        Stmt::Let(..) | Stmt::Assign(..) | Stmt::Store(..) => true,
        Stmt::If(_, a, b) => is_straight(a) && is_straight(b),
        _ => false,
    })
}

/// What is bound, what is assigned, and which buffers are written.
pub(super) fn written_in(
    body: &[Stmt],
    bound: &mut BTreeSet<LocalId>,
    assigned: &mut BTreeSet<LocalId>,
    stored: &mut BTreeSet<ParamId>,
) {
    for s in body {
        match s {
            Stmt::Let(v, _) => drop(bound.insert(*v)),
            Stmt::Assign(v, _) => drop(assigned.insert(*v)),
            Stmt::Store(p, ..) => drop(stored.insert(*p)),
            Stmt::If(_, a, b) => [a, b].into_iter().for_each(|l| written_in(l, bound, assigned, stored)),
            _ => {}
        }
    }
}

/// Where elements are written.
pub(super) fn stores(body: &[Stmt]) -> Vec<(ParamId, &Expr)> {
    let mut out = Vec::new();
    for s in body {
        match s {
            Stmt::Store(p, at, _) => out.push((*p, at)),
            s => s.bodies().into_iter().for_each(|b| out.extend(stores(b))),
        }
    }
    out
}

fn mentioned(e: &Expr, out: &mut BTreeSet<LocalId>) {
    if let Expr::Local(v) = e {
        out.insert(*v);
    }
    e.children().into_iter().for_each(|c| mentioned(c, out));
}

/// Whether integers are divided.
fn divides(e: &Expr) -> bool {
    matches!(e, Expr::Binary(BinOp::Div | BinOp::Rem, ..)) || e.children().into_iter().any(divides)
}

/// Whether an element is read; of that buffer, where one is named.
fn loads(e: &Expr, from: Option<ParamId>) -> bool {
    matches!(e, Expr::Load(p, _) if from.is_none_or(|f| f == *p)) || e.children().into_iter().any(|c| loads(c, from))
}

pub(super) fn any_loads(body: &[Stmt], from: Option<ParamId>) -> bool {
    let inner = |s: &Stmt| s.bodies().into_iter().any(|b| any_loads(b, from));
    body.iter().any(|s| inner(s) || own_exprs(s).into_iter().any(|e| loads(e, from)))
}

/// Adds what positions, and conditions of reads, are computed from; says whether there was more.
fn find(body: &[Stmt], out: &mut BTreeSet<LocalId>) -> bool {
    let before = out.len();
    for s in body {
        if let Stmt::If(c, a, b) = s {
            if any_loads(a, None) || any_loads(b, None) {
                mentioned(c, out);
            }
            find(a, out);
            find(b, out);
        }
        if let Stmt::Let(v, e) | Stmt::Assign(v, e) = s
            && out.contains(v)
        {
            mentioned(e, out);
        }
        own_exprs(s).into_iter().for_each(|e| find_in(e, out));
    }
    out.len() > before
}

fn find_in(e: &Expr, out: &mut BTreeSet<LocalId>) {
    match e {
        Expr::Load(_, at) => mentioned(at, out),
        Expr::Select(c, a, b) if loads(a, None) || loads(b, None) => mentioned(c, out),
        _ => {}
    }
    e.children().into_iter().for_each(|c| find_in(c, out));
}

impl Inside {
    fn of(var: LocalId, body: &[Stmt]) -> Inside {
        let mut own = BTreeSet::from([var]);
        let mut assigned = BTreeSet::new();
        written_in(body, &mut own, &mut assigned, &mut BTreeSet::new());
        let linear = BTreeMap::from([(var, Linear { minus: int(0), plus: 0 })]);
        let mut finds = BTreeSet::new();
        while find(body, &mut finds) {}
        Inside {
            own,
            assigned,
            linear,
            mirrored: BTreeMap::new(),
            strided: BTreeMap::new(),
            finds,
            bounds: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    /// Takes the divisions out that are the same in every round: a C compiler leaves what tests a divisor in the loop, and has no vector code for it.
    fn quotients(&mut self, inner: &mut Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::new();
        for stmt in std::mem::take(inner) {
            match &stmt {
                Stmt::Let(v, e) if !self.assigned.contains(v) && divides(e) && self.is_same(e) => {
                    self.own.remove(v);
                    out.push(stmt);
                }
                _ => inner.push(stmt),
            }
        }
        out
    }

    /// Whether an expression is arithmetic on what is the same in every round.
    fn is_same(&self, e: &Expr) -> bool {
        match e {
            Expr::Const(_) | Expr::Param(_) | Expr::Tile => true,
            Expr::Local(v) => !self.own.contains(v),
            Expr::Binary(..) | Expr::Unary(..) => e.children().into_iter().all(|c| self.is_same(c)),
            _ => false,
        }
    }

    /// Whether each round writes in places of its own: the next one where the one before did, or each a few behind one another.
    fn stores_are_apart(&self, body: &[Stmt]) -> bool {
        let all = stores(body);
        all.iter().all(|(p, at)| {
            let mut others = all.iter().filter(|(q, _)| p == q).map(|(_, at)| *at);
            match self.strided(at) {
                None => self.linear(at).is_some(),
                Some((few, row, _)) => others.all(|other| {
                    self.strided(other).is_some_and(|(n, start, k)| n == few && start == row && (0..few).contains(&k))
                }),
            }
        })
    }

    /// `n * q + k` for a constant `n` above one: the `n`, what is multiplied, and the `k`.
    fn strided(&self, at: &Expr) -> Option<(i64, Linear, i64)> {
        match at {
            Expr::Local(v) => self.strided.get(v).cloned(),
            Expr::Binary(BinOp::Add, a, k) => {
                let (n, row, before) = self.strided(a)?;
                Some((n, row, as_int(k).and_then(|k| before.checked_add(k))?))
            }
            Expr::Binary(BinOp::Mul, a, n) => Some((as_int(n).filter(|n| *n > 1)?, self.linear(a)?, 0)),
            _ => None,
        }
    }

    /// Whether each round sets elements of arrays in a place of its own, and reads of those arrays no other.
    fn lanes_are_apart(&self, body: &[Stmt]) -> bool {
        let mut reads = Vec::new();
        body.iter().flat_map(own_exprs).for_each(|e| elements(e, &mut reads));
        body.iter().all(|s| match s {
            Stmt::SetElement(array, at, _) => {
                let others = body.iter().filter_map(|s| match s {
                    Stmt::SetElement(a, at, _) if a == array => Some(at),
                    _ => None,
                });
                let read = reads.iter().filter(|(a, _)| a == array).map(|(_, at)| *at);
                self.linear(at).is_some() && others.chain(read).all(|other| other == at)
            }
            _ => true,
        })
    }

    /// Whether the reads of neighbouring rounds are of neighbouring elements, or of the same one.
    fn reads_beside(&self, body: &[Stmt]) -> bool {
        body.iter().flat_map(own_exprs).all(|e| self.reads_beside_in(e))
    }

    fn reads_beside_in(&self, e: &Expr) -> bool {
        let beside = match e {
            Expr::Load(_, at) => self.linear(at).is_some() || self.is_fixed(at),
            Expr::LoadFresh(..) => false,
            _ => true,
        };
        beside && e.children().into_iter().all(|c| self.reads_beside_in(c))
    }

    fn stmts(&mut self, body: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(body.len());
        for stmt in body {
            let mut stmt = stmt.clone();
            match &mut stmt {
                Stmt::Let(v, e) => {
                    let counts = self.finds.contains(v);
                    self.expr(e, counts);
                    if self.assigned.contains(v) {
                    } else if let Expr::Const(Scalar::Bool(c)) = e {
                        self.known.insert(*v, *c);
                        continue;
                    } else if let Some(linear) = self.linear(e) {
                        self.linear.insert(*v, linear);
                    } else if let Some(mirrored) = self.mirrored(e) {
                        self.mirrored.insert(*v, mirrored);
                    } else if let Some(strided) = self.strided(e) {
                        self.strided.insert(*v, strided);
                    }
                }
                Stmt::If(c, a, b) => {
                    let counts = any_loads(a, None) || any_loads(b, None);
                    self.expr(c, counts);
                    let (a, b) = (std::mem::take(a), std::mem::take(b));
                    match c {
                        Expr::Const(Scalar::Bool(true)) => {
                            out.extend(self.stmts(&a));
                            continue;
                        }
                        Expr::Const(Scalar::Bool(false)) => {
                            out.extend(self.stmts(&b));
                            continue;
                        }
                        _ => {
                            let (a, b) = (self.stmts(&a), self.stmts(&b));
                            stmt = Stmt::If(c.clone(), a, b);
                        }
                    }
                }
                other => own_exprs_mut(other).into_iter().for_each(|e| self.expr(e, false)),
            }
            out.push(stmt);
        }
        out
    }

    /// Rewrites an expression as it is inside; bounds are only asked for where the value `counts`.
    fn expr(&mut self, e: &mut Expr, counts: bool) {
        match e {
            Expr::Load(_, at) => self.expr(at, true),
            Expr::Select(c, a, b) => {
                let decides = counts || loads(a, None) || loads(b, None);
                self.expr(c, decides);
                self.expr(a, counts);
                self.expr(b, counts);
            }
            _ => e.children_mut().into_iter().for_each(|c| self.expr(c, counts)),
        }
        let simpler = match &*e {
            Expr::Local(v) => self.known.get(v).map(|c| truth(*c)),
            Expr::Binary(op, a, b) if counts => self.known(*op, a, b),
            Expr::Select(c, a, b) => match **c {
                Expr::Const(Scalar::Bool(c)) => Some(if c { (**a).clone() } else { (**b).clone() }),
                _ => None,
            },
            _ => None,
        };
        if let Some(simpler) = simpler {
            *e = simpler;
        }
    }

    /// What an operation is inside.
    fn known(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Option<Expr> {
        if op == BinOp::And {
            let is_true = |e: &Expr| *e == truth(true);
            return match (is_true(a), is_true(b)) {
                (true, _) => Some(b.clone()),
                (_, true) => Some(a.clone()),
                _ => None,
            };
        }
        let (x, y) = (self.linear(a), self.linear(b));
        let shifted = |x: Linear, by: i64| Linear { plus: x.plus + by, ..x };
        match (op, x, y) {
            (BinOp::Min, Some(x), _) if self.is_fixed(b) => self.bounded(true, x, b).then(|| a.clone()),
            (BinOp::Min, _, Some(y)) if self.is_fixed(a) => self.bounded(true, y, a).then(|| b.clone()),
            (BinOp::Min, Some(x), None) => self.before_middle(x, b).then(|| a.clone()),
            (BinOp::Min, None, Some(y)) => self.before_middle(y, a).then(|| b.clone()),
            (BinOp::Max, Some(x), _) if self.is_fixed(b) => self.bounded(false, x, b).then(|| a.clone()),
            (BinOp::Max, _, Some(y)) if self.is_fixed(a) => self.bounded(false, y, a).then(|| b.clone()),
            (BinOp::Rem, Some(x), _) if self.is_fixed(b) => {
                let holds = self.bounded(false, x.clone(), &int(0)) && self.bounded(true, shifted(x, 1), b);
                holds.then(|| a.clone())
            }
            (BinOp::Eq, Some(x), _) if self.is_fixed(b) => self.beside(x, b).then(|| truth(false)),
            (BinOp::Eq, _, Some(y)) if self.is_fixed(a) => self.beside(y, a).then(|| truth(false)),
            (BinOp::Ne, Some(x), _) if self.is_fixed(b) => self.beside(x, b).then(|| truth(true)),
            (BinOp::Ne, _, Some(y)) if self.is_fixed(a) => self.beside(y, a).then(|| truth(true)),
            (BinOp::Le, Some(x), _) if self.is_fixed(b) => self.bounded(true, x, b).then(|| truth(true)),
            (BinOp::Lt, Some(x), _) if self.is_fixed(b) => self.bounded(true, shifted(x, 1), b).then(|| truth(true)),
            (BinOp::Ge, Some(x), _) if self.is_fixed(b) => self.bounded(false, x, b).then(|| truth(true)),
            (BinOp::Gt, Some(x), _) if self.is_fixed(b) => self.bounded(false, shifted(x, -1), b).then(|| truth(true)),
            (BinOp::Le, _, Some(y)) if self.is_fixed(a) => self.bounded(false, y, a).then(|| truth(true)),
            (BinOp::Lt, _, Some(y)) if self.is_fixed(a) => self.bounded(false, shifted(y, -1), a).then(|| truth(true)),
            (BinOp::Ge, _, Some(y)) if self.is_fixed(a) => self.bounded(true, y, a).then(|| truth(true)),
            (BinOp::Gt, _, Some(y)) if self.is_fixed(a) => self.bounded(true, shifted(y, 1), a).then(|| truth(true)),
            _ => None,
        }
    }

    /// Asks for an index to be another one: behind a constant, which is likely to be the first, and before anything else, which is likely to be the last.
    fn beside(&mut self, index: Linear, other: &Expr) -> bool {
        match as_int(other) {
            Some(_) => self.bounded(false, Linear { plus: index.plus - 1, ..index }, other),
            None => self.bounded(true, Linear { plus: index.plus + 1, ..index }, other),
        }
    }

    /// Asks for an index to be at most what it is in a mirror; no if that is not what the expression is.
    fn before_middle(&mut self, index: Linear, mirrored: &Expr) -> bool {
        match self.mirrored(mirrored) {
            Some((last, of)) if of == index => {
                let middle = Expr::Binary(BinOp::Shr, Box::new(last), Box::new(int(1)));
                self.bounded(true, index, &middle)
            }
            _ => false,
        }
    }

    fn mirrored(&self, e: &Expr) -> Option<(Expr, Linear)> {
        match e {
            Expr::Local(v) => self.mirrored.get(v).cloned(),
            Expr::Binary(BinOp::Sub, a, b) if self.is_fixed(a) => Some(((**a).clone(), self.linear(b)?)),
            _ => None,
        }
    }

    /// Whether an expression is the same in every round, and is arithmetic alone.
    fn is_fixed(&self, e: &Expr) -> bool {
        match e {
            Expr::Const(_) | Expr::Param(_) | Expr::Tile => true,
            Expr::Local(v) => !self.own.contains(v),
            Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max, a, b) => {
                self.is_fixed(a) && self.is_fixed(b)
            }
            _ => false,
        }
    }

    fn linear(&self, e: &Expr) -> Option<Linear> {
        let small = |l: Linear, by: i64| {
            let plus = l.plus.checked_add(by).filter(|p| p.abs() < SMALL)?;
            Some(Linear { plus, ..l })
        };
        let few = |l: Linear| {
            let mut all = Vec::new();
            terms(&l.minus, &mut all);
            (all.len() < MOST_TERMS).then_some(l)
        };
        match e {
            Expr::Local(v) => self.linear.get(v).cloned(),
            Expr::Binary(BinOp::Add, a, b) => match (self.linear(a), self.linear(b)) {
                (Some(l), None) | (None, Some(l)) => {
                    let other = if self.linear(a).is_some() { b } else { a };
                    match as_int(other) {
                        Some(c) => small(l, c),
                        None if self.is_fixed(other) => few(Linear { minus: sub(l.minus, (**other).clone()), ..l }),
                        None => None,
                    }
                }
                _ => None,
            },
            Expr::Binary(BinOp::Sub, a, b) => {
                let l = self.linear(a)?;
                match as_int(b) {
                    Some(c) => small(l, c.checked_neg()?),
                    None if self.is_fixed(b) => few(Linear { minus: add(l.minus, (**b).clone()), ..l }),
                    None => None,
                }
            }
            _ => None,
        }
    }

    /// Asks for a bound; no if it cannot be one.
    fn bounded(&mut self, at_most: bool, linear: Linear, than: &Expr) -> bool {
        if as_int(than).is_some_and(|c| c.abs() >= SMALL) {
            return false;
        }
        let same = |b: &&mut Bound| b.at_most == at_most && b.linear.minus == linear.minus && b.than == *than;
        match self.bounds.iter_mut().find(same) {
            Some(old) if at_most => old.linear.plus = old.linear.plus.max(linear.plus),
            Some(old) => old.linear.plus = old.linear.plus.min(linear.plus),
            None => self.bounds.push(Bound { at_most, linear, than: than.clone() }),
        }
        true
    }

    /// The positions `low .. high` that are inside.
    fn range(&self, from: &Expr, to: &Expr) -> (Expr, Expr) {
        let (mut low, mut high) = (from.clone(), to.clone());
        let mut near = truth(true);
        let mut seen = Vec::new();
        for bound in &self.bounds {
            let mut all = Vec::new();
            terms(&bound.linear.minus, &mut all);
            terms(&bound.than, &mut all);
            for e in all {
                if as_int(e).is_none() && !seen.contains(e) {
                    seen.push(e.clone());
                    let both = and(lt(int(-FAR), e.clone()), lt(e.clone(), int(FAR)));
                    near = if near == truth(true) { both } else { and(near, both) };
                }
            }
            let limit = add(bound.than.clone(), bound.linear.minus.clone());
            if bound.at_most {
                high = min(high, sub(limit, int(bound.linear.plus - 1)));
            } else {
                low = max(low, sub(limit, int(bound.linear.plus)));
            }
        }
        (min(select(near, low, to.clone()), to.clone()), high)
    }
}
