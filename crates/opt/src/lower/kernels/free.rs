//! Frees: a slot lets go of its buffer right after its last use.
//!
//! One walk backwards with the set of slots that are still needed. A buffer whose last use is inside a branch is freed
//! there, and at the start of the other branch, so that a recursion under an `if` does not keep its caller's arrays:
//!
//! ```text
//! if c { launch k (a); launch l (b) } else { launch m (b) }
//! if c { launch k (a); free a; launch l (b); free b } else { free a; launch m (b); free b }
//! ```
//!
//! In a loop everything that the next round may read stays. Arguments of a call are freed directly after it; an executor may
//! do that as soon as the callee has them.

use std::collections::BTreeSet;
use terrace_plan::host::{Argument, HostStmt, SlotId, SlotInfo, SlotType};

type Live = BTreeSet<SlotId>;

/// Adds `Free` statements to a function's body.
pub fn insert_frees(body: &mut Vec<HostStmt>, slots: &[SlotInfo], params: &[SlotId], results: &[SlotId]) {
    let walk = Walk { slots };
    let live_out: Live = results.iter().copied().filter(|s| walk.is_buffer(*s)).collect();
    let live_in = walk.list(body, &live_out);
    let unused: Vec<HostStmt> = params
        .iter()
        .filter(|p| walk.is_buffer(**p) && !live_in.contains(*p))
        .map(|p| HostStmt::Free { slot: *p })
        .collect();
    body.splice(0..0, unused);
}

struct Walk<'a> {
    slots: &'a [SlotInfo],
}

impl Walk<'_> {
    fn is_buffer(&self, slot: SlotId) -> bool {
        matches!(self.slots[slot.index()].ty, SlotType::Buffer(_))
    }

    fn buffers(&self, slots: impl IntoIterator<Item = SlotId>) -> Live {
        slots.into_iter().filter(|s| self.is_buffer(*s)).collect()
    }

    /// Rewrites a list after which `live_out` is needed; returns what is needed before it.
    fn list(&self, stmts: &mut Vec<HostStmt>, live_out: &Live) -> Live {
        let mut live = live_out.clone();
        let mut reversed = Vec::new();
        for mut stmt in std::mem::take(stmts).into_iter().rev() {
            let after = live.clone();
            match &mut stmt {
                HostStmt::If { then, otherwise, .. } => {
                    let a = self.list(then, &after);
                    let b = self.list(otherwise, &after);
                    free_first(then, b.difference(&a));
                    free_first(otherwise, a.difference(&b));
                    live = a.union(&b).copied().collect();
                }
                HostStmt::While { cond, body, .. } => {
                    let mut head = after.clone();
                    loop {
                        let inside = self.list(&mut body.clone(), &head);
                        let next: Live = inside.union(&after).copied().collect();
                        let before = self.list(&mut cond.clone(), &next);
                        let grown: Live = before.union(&head).copied().collect();
                        if grown == head {
                            break;
                        }
                        head = grown;
                    }
                    let inside = self.list(body, &head);
                    // What is only needed after the loop, or only in the next round, is needed after the condition too.
                    let both: Live = inside.union(&head).copied().collect();
                    free_first(body, both.difference(&inside).filter(|s| !head.contains(s)));
                    self.list(cond, &both);
                    reversed.extend(head.difference(&after).map(|slot| HostStmt::Free { slot: *slot }));
                    live = head;
                }
                _ => {
                    let (uses, defs) = self.uses_and_defs(&stmt);
                    let unused = defs.difference(&after).filter(|s| !uses.contains(s));
                    reversed.extend(unused.map(|slot| HostStmt::Free { slot: *slot }));
                    for d in &defs {
                        live.remove(d);
                    }
                    let dying = uses.iter().filter(|s| !after.contains(s));
                    reversed.extend(dying.map(|slot| HostStmt::Free { slot: *slot }));
                    live.extend(uses);
                }
            }
            reversed.push(stmt);
        }
        reversed.reverse();
        *stmts = reversed;
        live
    }

    fn uses_and_defs(&self, stmt: &HostStmt) -> (Live, Live) {
        let none = Live::new();
        match stmt {
            HostStmt::Alloc { to, .. } => (none, self.buffers([*to])),
            HostStmt::Alias { to, from } => (self.buffers([*from]), self.buffers([*to])),
            HostStmt::Free { slot } | HostStmt::Zero { buffer: slot } => (self.buffers([*slot]), none),
            HostStmt::Launch { args, .. } => {
                let slots = args.iter().filter_map(|a| match a {
                    Argument::Slot(s) => Some(*s),
                    Argument::Value(_) => None,
                });
                (self.buffers(slots), none)
            }
            HostStmt::Call { args, results, .. } => {
                (self.buffers(args.iter().copied()), self.buffers(results.iter().copied()))
            }
            _ => (none.clone(), none),
        }
    }
}

fn free_first<'a>(stmts: &mut Vec<HostStmt>, slots: impl Iterator<Item = &'a SlotId>) {
    let frees: Vec<HostStmt> = slots.map(|slot| HostStmt::Free { slot: *slot }).collect();
    stmts.splice(0..0, frees);
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace_base::{Scalar, ScalarType, Span};
    use terrace_plan::host::HostExpr;

    fn show(stmts: &[HostStmt]) -> String {
        let one = |s: &HostStmt| match s {
            HostStmt::Alloc { to, .. } => format!("new {to}"),
            HostStmt::Alias { to, from } => format!("{to}={from}"),
            HostStmt::Free { slot } => format!("free {slot}"),
            HostStmt::Launch { args, .. } => {
                let names: Vec<String> = args
                    .iter()
                    .map(|a| match a {
                        Argument::Slot(s) => s.to_string(),
                        Argument::Value(_) => "_".into(),
                    })
                    .collect();
                format!("run({})", names.join(" "))
            }
            HostStmt::If { then, otherwise, .. } => format!("if{{{}}}{{{}}}", show(then), show(otherwise)),
            HostStmt::While { cond, body, .. } => format!("while{{{}}}{{{}}}", show(cond), show(body)),
            other => format!("{other:?}"),
        };
        stmts.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    fn check(mut body: Vec<HostStmt>, params: &[usize], results: &[usize], expected: &str) {
        let slots: Vec<SlotInfo> =
            (0..8).map(|i| SlotInfo { name: format!("s{i}"), ty: SlotType::Buffer(ScalarType::F64) }).collect();
        let ids = |list: &[usize]| list.iter().map(|i| SlotId::new(*i)).collect::<Vec<_>>();
        insert_frees(&mut body, &slots, &ids(params), &ids(results));
        assert_eq!(show(&body), expected);
    }

    fn new(to: usize) -> HostStmt {
        HostStmt::Alloc { to: SlotId::new(to), count: HostExpr::Const(Scalar::I64(1)), span: Span::none() }
    }

    fn run(slots: &[usize]) -> HostStmt {
        let args = slots.iter().map(|s| Argument::Slot(SlotId::new(*s))).collect();
        HostStmt::Launch { kernel: 0, tiles: Vec::new(), args }
    }

    fn alias(to: usize, from: usize) -> HostStmt {
        HostStmt::Alias { to: SlotId::new(to), from: SlotId::new(from) }
    }

    fn truth() -> HostExpr {
        HostExpr::Const(Scalar::Bool(true))
    }

    #[test]
    fn last_uses() {
        check(vec![new(1), run(&[0, 1]), run(&[1, 1])], &[0], &[], "new 1; run(0 1); free 0; run(1 1); free 1");
        check(vec![new(1)], &[0], &[1], "free 0; new 1");
        check(vec![new(1)], &[], &[], "new 1; free 1");
    }

    #[test]
    fn branches_free_for_themselves() {
        let branch = HostStmt::If { cond: truth(), then: vec![run(&[0]), run(&[1])], otherwise: vec![run(&[1])] };
        check(vec![branch], &[0, 1], &[], "if{run(0); free 0; run(1); free 1}{free 0; run(1); free 1}");
    }

    #[test]
    fn loops_keep_what_the_next_round_reads() {
        let rounds =
            HostStmt::While { cond: vec![run(&[0])], test: truth(), body: vec![new(2), run(&[1, 2]), alias(1, 2)] };
        check(
            vec![alias(1, 0), rounds],
            &[0],
            &[1],
            "1=0; while{run(0)}{new 2; run(1 2); free 1; 1=2; free 2}; free 0",
        );
    }
}
