//! Independent maps over equal spaces become one.
//!
//! The later map moves up to the earlier one, if nothing that it mentions is bound in between and neither the earlier one nor anything in between
//! may stop the program: the later one may rely on a check there. One kernel then computes both, and reads what they share once.

use super::{adopted, may_stop, plain_map};
use std::collections::BTreeSet;
use terrace_base::IdVec;
use terrace_ir::ValueId;
use terrace_ir::flat::visit::{bound_values, free_values_of_expr};
use terrace_ir::flat::{Body, Expr, Stmt, Value};

/// Fuses one pair; says whether there was one.
pub(super) fn step(body: &mut Body, values: &mut IdVec<ValueId, Value>) -> bool {
    for first in 0..body.stmts.len() {
        // What comes after a check may rely on it for every element, not only for its own.
        let Some(one) = plain_map(&body.stmts[first]).filter(|_| !may_stop(&body.stmts[first])) else { continue };
        let mut between: BTreeSet<ValueId> = body.stmts[first].binds.iter().copied().collect();
        for second in first + 1..body.stmts.len() {
            let stmt = &body.stmts[second];
            let independent = needed(stmt, values).is_disjoint(&between);
            match plain_map(stmt).filter(|two| two.space == one.space && independent) {
                Some(two) => {
                    let more = adopted(two, &one.indices, &one.positions);
                    let binds = body.stmts[second].binds.clone();
                    body.stmts.remove(second);
                    let stmt = &mut body.stmts[first];
                    stmt.binds.extend(binds);
                    let Expr::Op(op) = &mut stmt.expr else { unreachable!("a map") };
                    op.body.stmts.extend(more.stmts);
                    op.body.results.extend(more.results);
                    return true;
                }
                None if may_stop(stmt) => break,
                None => between.extend(stmt.binds.iter().copied()),
            }
        }
    }
    false
}

/// What must be bound before a statement: what it mentions, and what the types and bounds of everything that it binds do.
fn needed(stmt: &Stmt, values: &IdVec<ValueId, Value>) -> BTreeSet<ValueId> {
    let inside = stmt.expr.bodies().into_iter().flat_map(bound_values);
    let bound: BTreeSet<ValueId> = stmt.binds.iter().copied().chain(stmt.expr.binders()).chain(inside).collect();
    let mut out = free_values_of_expr(&stmt.expr);
    bound.iter().for_each(|v| out.extend(values[*v].mentioned()));
    out.difference(&bound).copied().collect()
}
