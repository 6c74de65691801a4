//! Checks of a loop that can be answered before it begins.
//!
//! An index that goes up or down evenly with the loop's variable is in range in every round if it is in the first and in the last one:
//!
//! ```text
//! for q in from .. to { let t = 2 * q + i; check 0 <= t & t < n; if ok { out[q] = xs[t] } }
//!
//! let fine = from < to & 0 <= 2 * from + i & … & 2 * (to - 1) + i < n
//! if fine { for q in from .. to { out[q] = xs[2 * q + i] } } else { as before }
//! ```
//!
//! The loop without checks can be vector code. The other one stays, and reports what fails where it fails; no check is made that the program does not make.
//!
//! Why two rounds are enough, although arithmetic wraps: each side of a comparison changes by a small constant factor per round, and there are at most
//! 2^47 rounds. So if its first value is far from the ends of `i64`, none of its values wraps, and it is linear as an integer. So is the
//! difference of two such sides, which is least at one of the ends.
//!
//! Declined: loops with loops inside; loops of which a check would be left; checks under other conditions than that earlier checks held, which at the ends may
//! not hold where nobody asks; loops of a few rounds, whose number is a constant.

use super::borders::{any_loads, is_straight, stores, written_in};
use super::expr::{add, and, as_int, int, le, local, lt, sub, truth};
use super::tidy::{own_exprs, own_exprs_mut, tidy};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, Scalar, ScalarType};
use terrace_ir::kernel::{Expr, Local, LocalId, Stmt};

/// Factors of the loop's variable are at most this.
const STEEP: i64 = 1 << 10;

/// First values are below this.
const FAR: i64 = 1 << 61;

/// At most so many rounds.
const ROUNDS: i64 = 1 << 47;

/// More comparisons than this are not worth making twice.
const MOST: usize = 12;

/// Text that is longer is not written twice.
const LONGEST: usize = 80;

/// Foresees checks in the loops of a phase.
pub(super) fn foresee(stmts: &mut Vec<Stmt>, locals: &mut IdVec<LocalId, Local>) {
    let mut out = Vec::with_capacity(stmts.len());
    for mut stmt in std::mem::take(stmts) {
        match without_checks(&stmt, locals) {
            Some((mut before, fine, free)) => {
                out.append(&mut before);
                out.push(Stmt::If(fine, vec![free], vec![stmt]));
            }
            None => {
                stmt.bodies_mut().into_iter().for_each(|b| foresee(b, locals));
                out.push(stmt);
            }
        }
    }
    *stmts = out;
}

/// What is computed before the loop, the condition, and the loop without checks.
fn without_checks(stmt: &Stmt, locals: &mut IdVec<LocalId, Local>) -> Option<(Vec<Stmt>, Expr, Stmt)> {
    let Stmt::For { var, from, to, step, body, simd } = stmt else { return None };
    let few = as_int(from).is_some() && as_int(to).is_some();
    if few || !has_checks(body) || !is_flat(body) || size(body) > LONGEST {
        return None;
    }
    let mut own = BTreeSet::from([*var]);
    let (mut assigned, mut stored) = (BTreeSet::new(), BTreeSet::new());
    written_in(body, &mut own, &mut assigned, &mut stored);
    let lines = BTreeMap::from([(*var, Line { factor: 1, at: local(*var) })]);
    let mut loop_ =
        Foreseen { own, assigned, lines, truths: BTreeMap::new(), holds: BTreeSet::new(), wants: Vec::new() };
    let mut free = loop_.stmts(body)?;
    tidy(&mut free);
    if loop_.wants.is_empty() || loop_.wants.len() > MOST || has_checks(&free) {
        return None;
    }
    let mut before = Vec::new();
    let mut bind = |name: &str, ty: ScalarType, value: Expr| {
        if matches!(value, Expr::Local(_) | Expr::Const(_) | Expr::Param(_)) {
            return value;
        }
        let id = locals.push(Local { name: name.to_string(), ty });
        before.push(Stmt::Let(id, value));
        local(id)
    };
    let from = bind("from", ScalarType::I64, from.clone());
    let to = bind("to", ScalarType::I64, to.clone());
    let last = sub(to.clone(), int(1));
    let mut fine = and(lt(from.clone(), to.clone()), le(sub(to.clone(), from.clone()), int(ROUNDS)));
    let mut near = Vec::new();
    for Want { least, most, strict } in &loop_.wants {
        // What stays the same cannot wrap on the way.
        for side in [least, most].into_iter().filter(|s| s.factor != 0) {
            let first = side.with(*var, &from);
            if as_int(&first).is_none() && !near.contains(&first) {
                fine = and(fine, and(lt(int(-FAR), first.clone()), lt(first.clone(), int(FAR))));
                near.push(first);
            }
        }
        let ends = if least.factor == 0 && most.factor == 0 { vec![&from] } else { vec![&from, &last] };
        for end in ends {
            let (a, b) = (least.with(*var, end), most.with(*var, end));
            let holds = match (as_int(&a), as_int(&b)) {
                (Some(a), Some(b)) if a + i64::from(*strict) <= b => continue,
                _ if *strict => lt(a, b),
                _ => le(a, b),
            };
            fine = and(fine, holds);
        }
    }
    let fine = bind("fine", ScalarType::Bool, fine);
    // Rounds that have nothing to do with one another may run side by side.
    let apart = loop_.assigned.is_subset(&loop_.own)
        && is_straight(&free)
        && !stored.iter().any(|p| any_loads(&free, Some(*p)))
        && stores(&free).into_iter().all(|(_, at)| loop_.line(at).is_some_and(|l| l.factor != 0));
    let (from, to) = (from.clone(), to.clone());
    Some((before, fine, Stmt::For { var: *var, from, to, step: step.clone(), body: free, simd: *simd || apart }))
}

fn has_checks(body: &[Stmt]) -> bool {
    body.iter().any(|s| matches!(s, Stmt::Check { .. }) || s.bodies().into_iter().any(|b| has_checks(b)))
}

fn is_flat(body: &[Stmt]) -> bool {
    body.iter().all(|s| match s {
        Stmt::Let(..) | Stmt::Assign(..) | Stmt::Store(..) | Stmt::SetElement(..) | Stmt::Check { .. } => true,
        Stmt::If(_, a, b) => is_flat(a) && is_flat(b),
        _ => false,
    })
}

fn size(body: &[Stmt]) -> usize {
    body.iter().map(|s| own_exprs(s).len() + s.bodies().into_iter().map(|b| size(b)).sum::<usize>()).sum()
}

/// An integer that changes by `factor` per round: an expression over the loop's variable and what does not change.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    factor: i64,
    at: Expr,
}

impl Line {
    /// Its value in a round.
    fn with(&self, var: LocalId, round: &Expr) -> Expr {
        let mut e = self.at.clone();
        put(&mut e, var, round);
        e
    }
}

fn put(e: &mut Expr, var: LocalId, value: &Expr) {
    if *e == local(var) {
        *e = value.clone();
        return;
    }
    e.children_mut().into_iter().for_each(|c| put(c, var, value));
    let Expr::Binary(op, a, b) = &*e else { return };
    let folded = match (op, as_int(a), as_int(b)) {
        (BinOp::Add, Some(x), Some(y)) => int(x.wrapping_add(y)),
        (BinOp::Sub, Some(x), Some(y)) => int(x.wrapping_sub(y)),
        (BinOp::Mul, Some(x), Some(y)) => int(x.wrapping_mul(y)),
        (BinOp::Add, Some(0), _) | (BinOp::Mul, Some(1), _) => (**b).clone(),
        (BinOp::Add | BinOp::Sub, _, Some(0)) | (BinOp::Mul, _, Some(1)) => (**a).clone(),
        _ => return,
    };
    *e = folded;
}

/// `least` is at most `most`, or less.
#[derive(Clone, Debug, PartialEq)]
struct Want {
    least: Line,
    most: Line,
    strict: bool,
}

struct Foreseen {
    /// What is bound in the loop.
    own: BTreeSet<LocalId>,
    /// What gets another value later.
    assigned: BTreeSet<LocalId>,
    lines: BTreeMap<LocalId, Line>,
    /// What truths in the loop say.
    truths: BTreeMap<LocalId, Vec<Want>>,
    /// Truths that checks have found to hold.
    holds: BTreeSet<LocalId>,
    wants: Vec<Want>,
}

impl Foreseen {
    /// The statements without the checks that can be foreseen; none if a check cannot.
    fn stmts(&mut self, body: &[Stmt]) -> Option<Vec<Stmt>> {
        let mut out = Vec::with_capacity(body.len());
        for stmt in body {
            match stmt {
                Stmt::Let(v, e) if !self.assigned.contains(v) => {
                    if let Some(line) = self.line(e) {
                        self.lines.insert(*v, line);
                    } else if let Some(wants) = self.said(e) {
                        self.truths.insert(*v, wants);
                    }
                    out.push(stmt.clone());
                }
                Stmt::Check { cond, .. } => {
                    let wants = self.said(cond)?;
                    wants.into_iter().for_each(|w| {
                        if !self.wants.contains(&w) {
                            self.wants.push(w);
                        }
                    });
                    self.holds.extend(if let Expr::Local(v) = cond { Some(*v) } else { None });
                }
                Stmt::If(Expr::Local(v), then, otherwise) if self.holds.contains(v) && otherwise.is_empty() => {
                    out.extend(self.stmts(then)?);
                }
                // What stands under other conditions may ask in fewer rounds.
                Stmt::If(..) if has_checks(std::slice::from_ref(stmt)) => return None,
                other => out.push(other.clone()),
            }
        }
        // What was found to hold may be asked for once more.
        for stmt in &mut out {
            hold(stmt, &self.holds);
        }
        Some(out)
    }

    /// The comparisons that a condition says hold.
    fn said(&self, e: &Expr) -> Option<Vec<Want>> {
        match e {
            Expr::Const(Scalar::Bool(true)) => Some(Vec::new()),
            Expr::Local(v) => self.truths.get(v).cloned(),
            Expr::Binary(BinOp::And, a, b) => {
                let mut all = self.said(a)?;
                all.extend(self.said(b)?);
                Some(all)
            }
            Expr::Binary(op @ (BinOp::Le | BinOp::Lt | BinOp::Ge | BinOp::Gt), a, b) => {
                let (a, b) = (self.line(a)?, self.line(b)?);
                let (least, most) = if matches!(op, BinOp::Le | BinOp::Lt) { (a, b) } else { (b, a) };
                Some(vec![Want { least, most, strict: matches!(op, BinOp::Lt | BinOp::Gt) }])
            }
            _ => None,
        }
    }

    fn line(&self, e: &Expr) -> Option<Line> {
        let small = |line: Line| Some(line).filter(|l| l.factor.abs() <= STEEP);
        match e {
            Expr::Const(Scalar::I64(_)) | Expr::Param(_) | Expr::Tile => Some(Line { factor: 0, at: e.clone() }),
            Expr::Local(v) if self.own.contains(v) => self.lines.get(v).cloned(),
            Expr::Local(_) => Some(Line { factor: 0, at: e.clone() }),
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let (a, b) = (self.line(a)?, self.line(b)?);
                let factor = if *op == BinOp::Add { a.factor + b.factor } else { a.factor - b.factor };
                let at = if *op == BinOp::Add { add(a.at, b.at) } else { sub(a.at, b.at) };
                small(Line { factor, at })
            }
            Expr::Binary(BinOp::Mul, a, b) => {
                let (x, y) = (self.line(a)?, self.line(b)?);
                let factor = match (x.factor, y.factor) {
                    (0, 0) => 0,
                    (f, 0) => f.checked_mul(as_int(&y.at)?)?,
                    (0, f) => f.checked_mul(as_int(&x.at)?)?,
                    _ => return None,
                };
                small(Line { factor, at: super::expr::mul(x.at, y.at) })
            }
            _ => None,
        }
    }
}

fn hold(stmt: &mut Stmt, holds: &BTreeSet<LocalId>) {
    for e in own_exprs_mut(stmt) {
        hold_in(e, holds);
    }
    for body in stmt.bodies_mut() {
        body.iter_mut().for_each(|s| hold(s, holds));
    }
}

fn hold_in(e: &mut Expr, holds: &BTreeSet<LocalId>) {
    if let Expr::Local(v) = e
        && holds.contains(v)
    {
        *e = truth(true);
        return;
    }
    e.children_mut().into_iter().for_each(|c| hold_in(c, holds));
}
