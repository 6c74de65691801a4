//! A map takes the place of what it is the last to read.
//!
//! ```text
//! let b : block = alloc f64 n                               let ys @ a + 0 {n by 1} = map grid [n] (i | p) {
//! let ys @ b + 0 {n by 1} = map grid [n] (i | p) {            let x = xs[p]
//!   let x = xs[p]                  xs is at a, and            => x * 2.0
//!   => x * 2.0                     not used afterwards      }
//! }
//! ```
//!
//! Each point reads its own element before it writes it, and no other point touches that (Munksgaard's thesis, section 6.9). So all that the map reads from
//! blocks that may be this one must be read at the point's own position, from the very same block: a kernel has one name for a
//! block that it writes to.
//!
//! Declined: bodies with checks, results that are rows, and elements of another type.

use super::{Facts, is_whole, length, with_blocks, written};
use crate::analysis::sharing::Borders;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;
use terrace_ir::flat::visit::{free_values_of_expr, has_checks, walk};
use terrace_ir::flat::{Body, Expr, Op, OpKind, Stmt};
use terrace_ir::{Atom, ValueId, mem};

/// Lets maps write over what they are the last to read.
pub fn take_places(program: &mut mem::Program) {
    let borders = Borders::of(program);
    for function in program.functions.iter_mut() {
        let Some(mut facts) = Facts::of(function, &borders, &|stmt| map_of(stmt).is_some()) else { continue };
        let mut blocks = Blocks::default();
        search(&mut facts, &function.body, &mut blocks);
        if !facts.instead.is_empty() {
            *function = with_blocks(function, &facts.instead);
        }
    }
}

/// The map that a statement is.
fn map_of(stmt: &Stmt) -> Option<&Op> {
    match &stmt.expr {
        Expr::Op(op) if op.kind == (OpKind::Map { rows: None }) && !has_checks(&op.body) => Some(op),
        _ => None,
    }
}

/// What was allocated so far.
#[derive(Default)]
struct Blocks {
    /// For how many elements.
    counts: BTreeMap<ValueId, Size>,
    /// In this list, with nothing written to them yet.
    fresh: BTreeSet<ValueId>,
}

fn search(facts: &mut Facts<'_>, body: &Body, blocks: &mut Blocks) {
    for stmt in &body.stmts {
        if let (Expr::Alloc { count, .. }, [block]) = (&stmt.expr, stmt.binds.as_slice()) {
            blocks.counts.insert(*block, count.clone());
            blocks.fresh.insert(*block);
        } else if let Some(op) = map_of(stmt) {
            stmt.binds.iter().for_each(|b| take_place(facts, stmt, op, *b, blocks));
        } else if !matches!(stmt.expr, Expr::Op(_)) {
            let fresh = std::mem::take(&mut blocks.fresh);
            for inner in stmt.expr.bodies() {
                search(facts, inner, blocks);
                blocks.fresh.clear();
            }
            blocks.fresh = fresh;
        }
        written(facts, stmt).iter().for_each(|b| {
            blocks.fresh.remove(b);
        });
    }
}

fn take_place(facts: &mut Facts<'_>, stmt: &Stmt, op: &Op, bind: ValueId, blocks: &Blocks) {
    let function = facts.function;
    let Some(block) = facts.block(bind).filter(|b| blocks.fresh.contains(b)) else { return };
    if !is_whole(function, bind) {
        return;
    }
    // Where only the device knows the length, the host goes by what was allocated, and must be able to.
    let known = blocks.counts.get(&block) == length(function, bind);
    let own = op.positions[op.positions.len() - 1];
    let mut read = Vec::new();
    walk(&op.body, &mut |s| match &s.expr {
        Expr::Read { column, at: Atom::Var(at) } if *at == own && !read.contains(column) => read.push(*column),
        _ => {}
    });
    let found = read.into_iter().find(|column| {
        let (a, b) = (&function.values[*column], &function.values[bind]);
        let alike = a.ty.elem() == b.ty.elem() && length(function, *column) == length(function, bind);
        let Some((there, class)) = facts.block(*column).zip(facts.class(*column)) else { return false };
        alike
            && is_whole(function, *column)
            && there != block
            && (known || blocks.counts.contains_key(&there))
            && stmt.binds.iter().all(|other| *other == bind || facts.class(*other) != Some(class))
            && !facts.is_needed(class, stmt.binds[0], block)
            && reads_only_own(facts, op, own, there, class)
    });
    if let Some(place) = found.and_then(|column| facts.block(column)) {
        facts.replace(block, place);
    }
}

/// Whether points read nothing of a class but their own elements, from one block.
fn reads_only_own(facts: &Facts<'_>, op: &Op, own: ValueId, block: ValueId, class: ValueId) -> bool {
    let inside = |v: &ValueId| facts.class(*v) == Some(class);
    if op.space.iter().any(|d| d.values().iter().any(inside)) {
        return false;
    }
    let mut only = !op.body.results.iter().any(|a| a.var().is_some_and(|v| inside(&v)));
    walk(&op.body, &mut |s| {
        only &= match &s.expr {
            Expr::Read { column, at } if inside(column) => {
                let same = facts.block(*column) == Some(block) && is_whole(facts.function, *column);
                same && *at == Atom::Var(own)
            }
            expr if expr.bodies().is_empty() => !free_values_of_expr(expr).iter().any(inside),
            // The bodies of the others are walked by themselves.
            expr => !expr.operands().iter().any(inside),
        };
    });
    only
}
