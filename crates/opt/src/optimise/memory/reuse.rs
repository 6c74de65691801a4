//! Blocks that nothing needs any more serve again.
//!
//! ```text
//! let a = alloc f64 n        … xs @ a …               let a = alloc f64 n        … xs @ a …
//! let b = alloc f64 n        … ys @ b …      xs is    … ys @ a …
//! ```
//!
//! The block must be for as many elements of the same type, and must have been allocated in the same round of every loop around: what a
//! loop hands to its next round is then another block each time, as before.
//!
//! Declined: larger blocks. The runtime keeps those that are freed, and they are free from their last use on.

use super::{Facts, with_blocks, written};
use crate::analysis::sharing::Borders;
use std::collections::BTreeSet;
use terrace_algebra::Size;
use terrace_base::ScalarType;
use terrace_ir::flat::{Body, Expr};
use terrace_ir::{ValueId, mem};

/// Replaces new blocks by dead ones.
pub fn reuse(program: &mut mem::Program) {
    let borders = Borders::of(program);
    for function in program.functions.iter_mut() {
        let Some(mut facts) = Facts::of(function, &borders, &|stmt| matches!(stmt.expr, Expr::Alloc { .. })) else {
            continue;
        };
        search(&mut facts, &function.body, &mut Blocks::default());
        if !facts.instead.is_empty() {
            *function = with_blocks(function, &facts.instead);
        }
    }
}

type Allocated<'f> = (ValueId, ScalarType, &'f Size);

#[derive(Default)]
struct Blocks<'f> {
    /// Allocated so far, in this list and around it, in this round.
    there: Vec<Allocated<'f>>,
    /// Not written to yet since they were allocated, or taken again.
    pending: BTreeSet<ValueId>,
}

fn search<'f>(facts: &mut Facts<'f>, body: &'f Body, blocks: &mut Blocks<'f>) {
    for stmt in &body.stmts {
        match (&stmt.expr, stmt.binds.as_slice()) {
            (Expr::Alloc { elem, count }, [block]) => {
                let dead = blocks.there.iter().rev().find(|(old, of, size)| {
                    let fits = of == elem && *size == count && !blocks.pending.contains(old);
                    fits && facts.class(*old).is_some_and(|c| !facts.is_needed(c, *block, *block))
                });
                let now = match dead.map(|(old, ..)| *old) {
                    Some(old) => {
                        facts.replace(*block, old);
                        old
                    }
                    None => {
                        blocks.there.push((*block, *elem, count));
                        *block
                    }
                };
                blocks.pending.insert(now);
            }
            (Expr::If { then, otherwise, .. }, _) => {
                for branch in [then, otherwise] {
                    let (before, pending) = (blocks.there.len(), blocks.pending.clone());
                    search(facts, branch, blocks);
                    blocks.there.truncate(before);
                    blocks.pending = pending;
                }
            }
            (Expr::Loop { body, .. }, _) => search(facts, body, &mut Blocks::default()),
            _ => written(facts, stmt).iter().for_each(|b| {
                blocks.pending.remove(b);
            }),
        }
    }
}
