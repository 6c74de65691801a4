//! Which loops of a host program run as recorded launches.
//!
//! A turn of a loop asks for the same launches as the turn before, and a device that can record them (CUDA's graphs) then starts many turns at the cost
//! of one launch. That is possible where the host knows beforehand what it will ask for:
//!
//! ```text
//! loop { go = i < n } while go do {                          captured
//!   launch relax tiles [(n + 255) / 256] (n, xs, ys)
//!   xs, ys = ys, xs;  i = i + 1
//! }
//! loop { read more -> go } while go do { … }                 not captured: it waits for the device
//! ```
//!
//! Which buffers and which scalars the launches get may differ from turn to turn: whoever replays a recording compares them with what was recorded
//! and changes the difference. Where sizes and the way through the body are seen to be the same in every turn, the loop is recorded as it begins; else it is while they are: the
//! host compares turns as it goes (the `executor` of the runtime).
//!
//! Declined: loops that write scalars to the device, and loops around loops: the inner ones are recorded.

use std::collections::BTreeSet;
use std::fmt;

use crate::host::{HostExpr, HostFunction, HostStmt, SlotId};
use crate::{Plan, Target};

/// Why the launches of a loop are not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The host waits for something that the device computes.
    Reads,
    /// It calls a function.
    Calls,
    /// The host writes a scalar to the device.
    Writes,
    /// There is a loop in it.
    Loops,
    /// It launches nothing.
    Nothing,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Reads => "it waits for what the device computes",
            Reason::Calls => "it calls a function",
            Reason::Writes => "it writes scalars to the device",
            Reason::Loops => "there is a loop in it",
            Reason::Nothing => "it launches nothing",
        })
    }
}

/// When the launches of a loop are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always: every launch, buffer and branch is the same in every turn.
    Always,
    /// While turns ask for launches and buffers of the same sizes.
    Alike,
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            When::Always => "captured",
            When::Alike => "captured while its sizes stay the same",
        })
    }
}

/// Whether the launches of a loop are recorded.
pub fn captured(cond: &[HostStmt], body: &[HostStmt]) -> Result<When, Reason> {
    let mut assigned = BTreeSet::new();
    writes(cond, &mut assigned);
    writes(body, &mut assigned);
    let mut turn = Turn { assigned, same: BTreeSet::new(), launches: 0, when: When::Always };
    turn.list(cond)?;
    turn.list(body)?;
    if turn.launches == 0 { Err(Reason::Nothing) } else { Ok(turn.when) }
}

/// A loop of a plan, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The function that it is in.
    pub function: String,
    /// The kernel that it launches first, where it launches one.
    pub kernel: Option<usize>,
    /// Whether it is recorded.
    pub verdict: Result<When, Reason>,
}

impl Found {
    /// What becomes of it, in words.
    pub fn outcome(&self) -> String {
        self.verdict.map_or_else(|why| format!("not captured, {why}"), |when| when.to_string())
    }
}

/// All loops of a plan, in the order of its text; none where the device has no use for recordings.
pub fn loops(plan: &Plan) -> Vec<Found> {
    let mut found = Vec::new();
    if plan.target == Target::Cuda {
        plan.functions.iter().for_each(|function| collect(function, &function.body, &mut found));
    }
    found
}

fn collect(function: &HostFunction, list: &[HostStmt], found: &mut Vec<Found>) {
    for statement in list {
        match statement {
            HostStmt::If { then, otherwise, .. } => {
                collect(function, then, found);
                collect(function, otherwise, found);
            }
            HostStmt::While { cond, body, .. } => {
                let kernel = first_launch(cond).or_else(|| first_launch(body));
                found.push(Found { function: function.name.clone(), kernel, verdict: captured(cond, body) });
                collect(function, cond, found);
                collect(function, body, found);
            }
            _ => {}
        }
    }
}

fn first_launch(list: &[HostStmt]) -> Option<usize> {
    list.iter().find_map(|statement| match statement {
        HostStmt::Launch { kernel, .. } => Some(*kernel),
        HostStmt::If { then, otherwise, .. } => first_launch(then).or_else(|| first_launch(otherwise)),
        HostStmt::While { cond, body, .. } => first_launch(cond).or_else(|| first_launch(body)),
        _ => None,
    })
}

/// The host scalars that a list gives values to.
fn writes(list: &[HostStmt], to: &mut BTreeSet<SlotId>) {
    for statement in list {
        match statement {
            HostStmt::Compute { to: slot, .. } | HostStmt::Guard { to: slot, .. } => {
                to.insert(*slot);
            }
            HostStmt::If { then, otherwise, .. } => {
                writes(then, to);
                writes(otherwise, to);
            }
            // Slots that a read, a call or a loop gives values to do not matter: these are reasons by themselves.
            _ => {}
        }
    }
}

/// One turn, from its first statement on.
struct Turn {
    /// Everything that a turn gives a value to.
    assigned: BTreeSet<SlotId>,
    /// What of it has, from here on, the same value in every turn.
    same: BTreeSet<SlotId>,
    launches: usize,
    when: When,
}

impl Turn {
    /// What must be the same in every turn.
    fn size(&mut self, expr: &HostExpr) {
        if !self.invariant(expr) {
            self.when = When::Alike;
        }
    }

    fn list(&mut self, list: &[HostStmt]) -> Result<(), Reason> {
        list.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &HostStmt) -> Result<(), Reason> {
        match statement {
            HostStmt::Compute { to, expr } | HostStmt::Guard { to, quantity: expr, .. } => {
                if self.invariant(expr) {
                    self.same.insert(*to);
                } else {
                    self.same.remove(to);
                }
                Ok(())
            }
            HostStmt::Launch { tiles, .. } => {
                self.launches += 1;
                tiles.iter().for_each(|t| self.size(t));
                Ok(())
            }
            HostStmt::If { cond, then, otherwise } => {
                self.size(cond);
                let before = self.same.clone();
                self.list(then)?;
                let after_then = std::mem::replace(&mut self.same, before);
                self.list(otherwise)?;
                self.same = self.same.intersection(&after_then).copied().collect();
                Ok(())
            }
            HostStmt::Zero { .. }
            | HostStmt::Alias { .. }
            | HostStmt::Free { .. }
            | HostStmt::AllocCell { .. }
            | HostStmt::Copies { .. }
            | HostStmt::Check { .. } => Ok(()),
            HostStmt::Alloc { count, .. } => {
                self.size(count);
                Ok(())
            }
            HostStmt::WriteCell { .. } => Err(Reason::Writes),
            HostStmt::Read { .. } => Err(Reason::Reads),
            HostStmt::Call { .. } => Err(Reason::Calls),
            HostStmt::While { .. } => Err(Reason::Loops),
        }
    }

    fn invariant(&self, expr: &HostExpr) -> bool {
        match expr {
            HostExpr::Const(_) | HostExpr::MemoryLimit | HostExpr::Workers => true,
            HostExpr::Slot(slot) => !self.assigned.contains(slot) || self.same.contains(slot),
            HostExpr::Unary(_, a) | HostExpr::Convert(_, a) => self.invariant(a),
            HostExpr::Binary(_, a, b) => self.invariant(a) && self.invariant(b),
            HostExpr::Fma(a, b, c) | HostExpr::Select(a, b, c) => {
                self.invariant(a) && self.invariant(b) && self.invariant(c)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_base::{BinOp, Scalar, Span};

    fn slot(n: usize) -> HostExpr {
        HostExpr::Slot(SlotId::new(n))
    }

    fn plus_one(n: usize) -> HostExpr {
        HostExpr::Binary(BinOp::Add, Box::new(slot(n)), Box::new(HostExpr::Const(Scalar::I64(1))))
    }

    fn set(to: usize, expr: HostExpr) -> HostStmt {
        HostStmt::Compute { to: SlotId::new(to), expr }
    }

    fn launch(tiles: HostExpr) -> HostStmt {
        HostStmt::Launch { kernel: 0, tiles: vec![tiles], args: Vec::new() }
    }

    fn check(body: Vec<HostStmt>, expected: Result<When, Reason>) {
        let cond = vec![set(9, HostExpr::Binary(BinOp::Lt, Box::new(slot(0)), Box::new(slot(1))))];
        assert_eq!(captured(&cond, &body), expected, "{body:?}");
    }

    #[test]
    fn turns_with_equal_sizes_are_recorded() {
        let next = || set(0, plus_one(0));
        check(vec![launch(slot(1)), next()], Ok(When::Always));
        check(vec![set(2, plus_one(1)), launch(slot(2)), next()], Ok(When::Always));
        check(vec![next()], Err(Reason::Nothing));
        check(vec![launch(slot(0)), next()], Ok(When::Alike));
        // The size that a launch sees is that of the turn before.
        check(vec![launch(slot(2)), set(2, plus_one(1)), next()], Ok(When::Alike));
        check(vec![set(2, plus_one(0)), launch(slot(2)), next()], Ok(When::Alike));
    }

    #[test]
    fn branches_decide_the_same_in_every_turn() {
        let either = |cond, then, otherwise| HostStmt::If { cond, then, otherwise };
        let next = || set(0, plus_one(0));
        check(vec![either(slot(3), vec![launch(slot(1))], Vec::new()), next()], Ok(When::Always));
        check(vec![either(slot(0), vec![launch(slot(1))], Vec::new()), next()], Ok(When::Alike));
        // Known after one branch only.
        let half = vec![either(slot(3), vec![set(2, slot(1))], Vec::new()), launch(slot(2)), next()];
        check(half, Ok(When::Alike));
        let whole = vec![either(slot(3), vec![set(2, slot(1))], vec![set(2, plus_one(1))]), launch(slot(2)), next()];
        check(whole, Ok(When::Always));
    }

    #[test]
    fn every_reason_is_said() {
        let buffer = SlotId::new(4);
        let more = [
            (HostStmt::Read { cells: Vec::new() }, Reason::Reads),
            (HostStmt::WriteCell { cell: buffer, value: slot(1) }, Reason::Writes),
            (HostStmt::Call { function: 0, args: Vec::new(), results: Vec::new(), span: Span::none() }, Reason::Calls),
            (HostStmt::While { cond: Vec::new(), test: slot(3), body: Vec::new() }, Reason::Loops),
        ];
        for (statement, reason) in more {
            check(vec![launch(slot(1)), statement, set(0, plus_one(0))], Err(reason));
        }
        check(vec![launch(slot(1)), HostStmt::Zero { buffer }], Ok(When::Always));
        let alloc = |count| HostStmt::Alloc { to: buffer, count, span: Span::none() };
        check(vec![alloc(slot(1)), launch(slot(1))], Ok(When::Always));
        check(vec![alloc(slot(0)), launch(slot(1)), set(0, plus_one(0))], Ok(When::Alike));
    }
}
