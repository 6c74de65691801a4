//! Kernels as a person would write them: no variable for nothing, no name for what is used once.
//!
//! ```text
//! let j = q - start              out[q] = v[k] * val[q]
//! let x = v[k]
//! let y = val[q]
//! let z = x * y
//! out[q] = z
//! ```
//!
//! A variable goes if nothing reads it. It is replaced by its value if it is read once, by the very next statement of the same
//! list, where the value cannot have changed. Expressions stay short enough to read. Values that depend on other threads
//! (shuffles, fresh loads) stay where they are.

use std::collections::{BTreeMap, BTreeSet};
use terrace_ir::kernel::{Expr, Kept, LocalId, RunArg, Stmt};

const LONGEST: usize = 24;

/// Tidies a phase.
pub fn tidy(stmts: &mut Vec<Stmt>) {
    loop {
        let mut seen = Seen::default();
        seen.stmts(stmts);
        if !remove_dead(stmts, &seen) {
            break;
        }
    }
    let mut seen = Seen::default();
    seen.stmts(stmts);
    fold(stmts, &seen);
}

#[derive(Default)]
struct Seen {
    reads: BTreeMap<LocalId, usize>,
    assigned: BTreeSet<LocalId>,
}

impl Seen {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for s in stmts {
            if let Stmt::Assign(v, _)
            | Stmt::AtomicAdd { into: v, .. }
            | Stmt::Rank { into: v, .. }
            | Stmt::Earlier { into: v, .. }
            | Stmt::Await { into: v, .. }
            | Stmt::StoreKept { into: v, .. } = s
            {
                self.assigned.insert(*v);
            }
            if let Stmt::Receive { value, flag, .. } = s {
                self.assigned.extend([*value, *flag]);
            }
            if let Stmt::Run { into, ok, .. } = s {
                self.assigned.extend(into.iter().map(|g| g.local()).chain([*ok]));
            }
            own_exprs(s).into_iter().for_each(|e| self.expr(e));
            s.bodies().into_iter().for_each(|b| self.stmts(b));
        }
    }

    fn expr(&mut self, e: &Expr) {
        if let Expr::Local(v) = e {
            *self.reads.entry(*v).or_default() += 1;
        }
        e.children().into_iter().for_each(|c| self.expr(c));
    }
}

fn remove_dead(stmts: &mut Vec<Stmt>, seen: &Seen) -> bool {
    let before = stmts.len();
    stmts.retain(|s| match s {
        Stmt::Let(v, _) => seen.reads.contains_key(v) || seen.assigned.contains(v),
        Stmt::For { body, .. } => !body.is_empty(),
        Stmt::If(_, a, b) => !(a.is_empty() && b.is_empty()),
        _ => true,
    });
    let mut changed = stmts.len() != before;
    for s in stmts.iter_mut() {
        for b in s.bodies_mut() {
            changed |= remove_dead(b, seen);
        }
    }
    changed
}

fn fold(stmts: &mut Vec<Stmt>, seen: &Seen) {
    for s in stmts.iter_mut() {
        s.bodies_mut().into_iter().for_each(|b| fold(b, seen));
    }
    let mut kept: Vec<Stmt> = Vec::new();
    for s in std::mem::take(stmts).into_iter().rev() {
        if let (Stmt::Let(v, value), Some(next)) = (&s, kept.last_mut())
            && seen.reads.get(v) == Some(&1)
            && !seen.assigned.contains(v)
            && movable(value)
            && first_exprs(next).into_iter().any(|e| e.mentions(*v))
            && own_exprs(next).into_iter().map(length).sum::<usize>() + length(value) <= LONGEST
        {
            first_exprs_mut(next).into_iter().for_each(|e| replace(e, *v, value));
            continue;
        }
        kept.push(s);
    }
    kept.reverse();
    *stmts = kept;
}

fn movable(e: &Expr) -> bool {
    !matches!(e, Expr::Shuffle(..) | Expr::LoadFresh(..) | Expr::Failed) && e.children().into_iter().all(movable)
}

fn length(e: &Expr) -> usize {
    1 + e.children().into_iter().map(length).sum::<usize>()
}

fn replace(e: &mut Expr, v: LocalId, value: &Expr) {
    if *e == Expr::Local(v) {
        *e = value.clone();
        return;
    }
    e.children_mut().into_iter().for_each(|c| replace(c, v, value));
}

/// The expressions of the statement itself.
pub(crate) fn own_exprs(s: &Stmt) -> Vec<&Expr> {
    match s {
        Stmt::Let(_, e) | Stmt::Assign(_, e) | Stmt::StoreCell(_, e) | Stmt::If(e, ..) | Stmt::While(e, _) => vec![e],
        Stmt::Store(_, a, b) | Stmt::SetElement(_, a, b) => vec![a, b],
        Stmt::StoreRun { at: a, from: b, .. }
        | Stmt::StoreWide { at: a, from: b, .. }
        | Stmt::LoadWide { at: a, into: b, .. } => vec![a, b],
        Stmt::StoreKept { at, end, from, count, .. } => {
            let position = if let Kept::Buffer(_, position) = from { Some(position) } else { None };
            [at, end, count].into_iter().chain(position).collect()
        }
        Stmt::For { from, to, step, .. } => vec![from, to, step],
        Stmt::Barrier => Vec::new(),
        Stmt::Check { cond, index, values, .. } => [cond, index].into_iter().chain(values).collect(),
        Stmt::AtomicAdd { at, value, .. }
        | Stmt::Atomic { at, value, .. }
        | Stmt::AtomicElement { at, value, .. }
        | Stmt::Announce { at, count: value, .. }
        | Stmt::Publish { at, value, .. } => vec![at, value],
        Stmt::Rank { at, .. } => vec![at],
        Stmt::Earlier { tiles, tile, column, own, .. } => vec![tiles, tile, column, own],
        Stmt::Send { at, value, flag, .. } => vec![at, value, flag],
        Stmt::Await { at, .. } | Stmt::Receive { at, .. } => vec![at],
        Stmt::Run { args, index, .. } => {
            let values = args.iter().filter_map(|a| match a {
                RunArg::Value(e) => Some(e),
                RunArg::Buffer(_) => None,
            });
            values.chain([index]).collect()
        }
        Stmt::Take { at, handle, count, .. } => vec![at, handle, count],
    }
}

/// Those of them that are computed once, when the statement is reached.
fn first_exprs(s: &Stmt) -> Vec<&Expr> {
    match s {
        Stmt::While(..) => Vec::new(),
        Stmt::For { from, .. } => vec![from],
        other => own_exprs(other),
    }
}

/// The expressions of the statement itself, to be changed.
pub(crate) fn own_exprs_mut(s: &mut Stmt) -> Vec<&mut Expr> {
    match s {
        Stmt::While(e, _) => vec![e],
        Stmt::For { from, to, step, .. } => vec![from, to, step],
        other => first_exprs_mut(other),
    }
}

fn first_exprs_mut(s: &mut Stmt) -> Vec<&mut Expr> {
    match s {
        Stmt::Let(_, e) | Stmt::Assign(_, e) | Stmt::StoreCell(_, e) | Stmt::If(e, ..) => vec![e],
        Stmt::Store(_, a, b) | Stmt::SetElement(_, a, b) => vec![a, b],
        Stmt::StoreRun { at: a, from: b, .. }
        | Stmt::StoreWide { at: a, from: b, .. }
        | Stmt::LoadWide { at: a, into: b, .. } => vec![a, b],
        Stmt::StoreKept { at, end, from, count, .. } => {
            let position = if let Kept::Buffer(_, position) = from { Some(position) } else { None };
            [at, end, count].into_iter().chain(position).collect()
        }
        Stmt::For { from, .. } => vec![from],
        Stmt::Check { cond, index, values, .. } => [cond, index].into_iter().chain(values).collect(),
        Stmt::AtomicAdd { at, value, .. }
        | Stmt::Atomic { at, value, .. }
        | Stmt::AtomicElement { at, value, .. }
        | Stmt::Announce { at, count: value, .. }
        | Stmt::Publish { at, value, .. } => vec![at, value],
        Stmt::Rank { at, .. } => vec![at],
        Stmt::Earlier { tiles, tile, column, own, .. } => vec![tiles, tile, column, own],
        Stmt::Send { at, value, flag, .. } => vec![at, value, flag],
        Stmt::Await { at, .. } | Stmt::Receive { at, .. } => vec![at],
        Stmt::Run { args, index, .. } => {
            let values = args.iter_mut().filter_map(|a| match a {
                RunArg::Value(e) => Some(e),
                RunArg::Buffer(_) => None,
            });
            values.chain([index]).collect()
        }
        Stmt::Take { at, handle, count, .. } => vec![at, handle, count],
        Stmt::While(..) | Stmt::Barrier => Vec::new(),
    }
}
