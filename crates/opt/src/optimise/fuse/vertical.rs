//! A map moves into the one operator that reads its results.

use super::{adopted, grid_op, mentions, plain_map, reads_in_place, replace_reads};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::IdVec;
use terrace_ir::ValueId;
use terrace_ir::flat::{Body, Expr, Value};

/// Fuses one pair; says whether there was one.
pub(super) fn step(body: &mut Body, _values: &mut IdVec<ValueId, Value>) -> bool {
    for at in 0..body.stmts.len() {
        let Some(producer) = plain_map(&body.stmts[at]) else { continue };
        let columns: BTreeSet<ValueId> = body.stmts[at].binds.iter().copied().collect();
        if columns.is_empty() {
            continue;
        }
        let (users, returned) = mentions(body, &columns);
        let [user] = users.as_slice() else { continue };
        let Some(consumer) = grid_op(&body.stmts[*user]) else { continue };
        if returned || consumer.space != producer.space || !reads_in_place(consumer, &columns) {
            continue;
        }
        let front = adopted(producer, &consumer.indices, &consumer.positions);
        let results: BTreeMap<ValueId, _> = body.stmts[at].binds.iter().copied().zip(front.results).collect();
        let Expr::Op(consumer) = &mut body.stmts[*user].expr else { unreachable!("a grid operator") };
        replace_reads(&mut consumer.body, &results);
        consumer.body.stmts.splice(0..0, front.stmts);
        body.stmts.remove(at);
        return true;
    }
    false
}
