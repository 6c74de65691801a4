//! Rule 7: where all threads of a block come together.
//!
//! First the variables that may differ between threads, by going over the statements until no more are found; then
//! a walk that knows for every statement whether control is the same for the whole block.

use crate::fault::{Fault, require};
use crate::kernel::print::first_line;
use crate::kernel::{Expr, Kept, Kernel, LocalId, ParamKind, Stmt};
use std::collections::BTreeSet;

/// Checks that barriers and shuffles of a phase stand in uniform control flow.
pub(super) fn verify(kernel: &Kernel, phase: &[Stmt]) -> Result<(), Fault> {
    let mut facts = Facts { kernel, varying: BTreeSet::new(), checks: has_check(phase) };
    loop {
        let before = facts.varying.len();
        facts.spread(phase, true);
        if facts.varying.len() == before {
            break;
        }
    }
    facts.stmts(phase, true)
}

fn has_check(stmts: &[Stmt]) -> bool {
    let checks = |s: &Stmt| matches!(s, Stmt::Check { .. } | Stmt::Run { .. });
    stmts.iter().any(|s| checks(s) || s.bodies().into_iter().any(|b| has_check(b)))
}

struct Facts<'a> {
    kernel: &'a Kernel,
    varying: BTreeSet<LocalId>,
    checks: bool,
}

impl Facts<'_> {
    fn uniform(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) | Expr::Tile | Expr::Param(_) => true,
            Expr::Local(l) => !self.varying.contains(l),
            Expr::Thread | Expr::Failed | Expr::LoadFresh(..) | Expr::Shuffle(..) => false,
            Expr::Unary(_, x) | Expr::Convert(_, x) | Expr::Ordinal(x) => self.uniform(x),
            Expr::Binary(_, x, y) | Expr::Quotient(x, y) | Expr::Exact(_, x, y) => self.uniform(x) && self.uniform(y),
            Expr::Fma(x, y, z) | Expr::Select(x, y, z) => self.uniform(x) && self.uniform(y) && self.uniform(z),
            Expr::Load(p, at) => {
                matches!(self.kernel.params.get(*p).map(|p| p.kind), Some(ParamKind::Input(_))) && self.uniform(at)
            }
            Expr::Element(a, at) => self.kernel.arrays.get(*a).is_some_and(|a| a.shared) && self.uniform(at),
        }
    }

    fn loop_is_uniform(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::While(c, _) => self.uniform(c) && !self.checks,
            Stmt::For { from, to, step, .. } => self.uniform(from) && self.uniform(to) && self.uniform(step),
            _ => true,
        }
    }

    fn spread(&mut self, stmts: &[Stmt], together: bool) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(l, x) | Stmt::Assign(l, x) if !together || !self.uniform(x) => {
                    self.varying.insert(*l);
                }
                Stmt::AtomicAdd { into, .. }
                | Stmt::Rank { into, .. }
                | Stmt::Earlier { into, .. }
                | Stmt::Await { into, .. }
                | Stmt::StoreKept { into, .. } => {
                    self.varying.insert(*into);
                }
                Stmt::Receive { value, flag, .. } => {
                    self.varying.extend([*value, *flag]);
                }
                Stmt::If(c, a, b) => {
                    let inner = together && self.uniform(c);
                    self.spread(a, inner);
                    self.spread(b, inner);
                }
                Stmt::While(_, body) => self.spread(body, together && self.loop_is_uniform(stmt)),
                Stmt::For { var, body, .. } => {
                    let inner = together && self.loop_is_uniform(stmt);
                    if !inner {
                        self.varying.insert(*var);
                    }
                    self.spread(body, inner);
                }
                _ => {}
            }
        }
    }

    fn stmts(&self, stmts: &[Stmt], together: bool) -> Result<(), Fault> {
        stmts.iter().try_for_each(|s| self.stmt(s, together).map_err(|f| f.in_stmt(|| first_line(self.kernel, s))))
    }

    fn stmt(&self, stmt: &Stmt, together: bool) -> Result<(), Fault> {
        let e = |x: &Expr| self.shuffles(x, together);
        match stmt {
            // There is one thread where functions are run.
            Stmt::Run { .. } | Stmt::Take { .. } => Ok(()),
            Stmt::Barrier => require(together, || "a barrier stands where not all threads of the block come".into()),
            Stmt::Let(_, x) | Stmt::Assign(_, x) | Stmt::StoreCell(_, x) => e(x),
            Stmt::Store(_, x, y) | Stmt::SetElement(_, x, y) => e(x).and_then(|()| e(y)),
            Stmt::StoreRun { at, from, .. }
            | Stmt::StoreWide { at, from, .. }
            | Stmt::LoadWide { at, into: from, .. } => e(at).and_then(|()| e(from)),
            Stmt::StoreKept { at, end, from, count, .. } => {
                let position = if let Kept::Buffer(_, position) = from { Some(position) } else { None };
                [at, end, count].into_iter().chain(position).try_for_each(e)
            }
            Stmt::If(c, a, b) => {
                e(c)?;
                let inner = together && self.uniform(c);
                self.stmts(a, inner)?;
                self.stmts(b, inner)
            }
            Stmt::While(c, body) => {
                let inner = together && self.loop_is_uniform(stmt);
                self.shuffles(c, inner)?;
                self.stmts(body, inner)
            }
            Stmt::For { from, to, step, body, .. } => {
                [from, to, step].into_iter().try_for_each(e)?;
                self.stmts(body, together && self.loop_is_uniform(stmt))
            }
            Stmt::Check { cond, index, values, .. } => {
                e(cond)?;
                e(index)?;
                values.iter().try_for_each(e)
            }
            Stmt::AtomicAdd { at, value, .. }
            | Stmt::Atomic { at, value, .. }
            | Stmt::AtomicElement { at, value, .. }
            | Stmt::Announce { at, count: value, .. }
            | Stmt::Publish { at, value, .. } => e(at).and_then(|()| e(value)),
            Stmt::Rank { at, .. } => {
                require(together, || "lanes are ranked where not all threads of the block come".into())?;
                e(at)
            }
            Stmt::Earlier { tiles, tile, column, own, .. } => [tiles, tile, column, own].into_iter().try_for_each(e),
            Stmt::Send { at, value, flag, .. } => [at, value, flag].into_iter().try_for_each(e),
            Stmt::Await { at, .. } | Stmt::Receive { at, .. } => e(at),
        }
    }

    fn shuffles(&self, expr: &Expr, together: bool) -> Result<(), Fault> {
        let e = |x: &Expr| self.shuffles(x, together);
        match expr {
            Expr::Const(_) | Expr::Local(_) | Expr::Param(_) | Expr::Tile | Expr::Thread | Expr::Failed => Ok(()),
            Expr::Unary(_, x) | Expr::Convert(_, x) | Expr::Ordinal(x) => e(x),
            Expr::Load(_, x) | Expr::LoadFresh(_, x) | Expr::Element(_, x) => e(x),
            Expr::Binary(_, x, y) | Expr::Quotient(x, y) | Expr::Exact(_, x, y) => e(x).and_then(|()| e(y)),
            Expr::Fma(x, y, z) => e(x).and_then(|()| e(y)).and_then(|()| e(z)),
            Expr::Select(c, x, y) => {
                e(c)?;
                let inner = together && self.uniform(c);
                self.shuffles(x, inner)?;
                self.shuffles(y, inner)
            }
            Expr::Shuffle(_, x, lane) => {
                require(together, || "a shuffle stands where not all threads of the block come".into())?;
                e(x)?;
                e(lane)
            }
        }
    }
}
