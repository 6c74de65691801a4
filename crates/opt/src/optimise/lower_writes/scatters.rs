//! `scatter`: positions that may repeat.
//!
//! Where several points write one position the last one wins, and threads that store as they come cannot tell which one that is.
//! The greatest point number of each position is a histogram that any order of the points gives:
//!
//! ```text
//! scatter grid [n] into ys { => k, x }
//!
//! winner = hist grid [n] bins (length of ys) by max from -1 (q) { => k, q }
//! map grid [length of ys] (p) { => if winner[p] >= 0 then x[winner[p]] else ys[p] }
//! ```
//!
//! A single thread writes in order, so nothing changes there.

use super::build::{Writer, size_of};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::flat::{Body, Descriptor, Level, Op, OpKind, Space};
use terrace_ir::{Atom, ValueId};

/// Whether several threads may write one position.
pub(super) fn may_repeat(op: &Op) -> bool {
    op.level == Level::Grid && matches!(op.kind, OpKind::Scatter { distinct: false, .. })
}

impl Writer<'_> {
    pub(super) fn scatter(&mut self, op: Op, binds: Vec<ValueId>) {
        let OpKind::Scatter { dest, .. } = op.kind.clone() else { unreachable!("called for scatters") };
        let like = Op { body: Body::default(), ..op.clone() };
        let points = self.points(&op.space, &op.positions);
        let bound = points.var().and_then(|v| self.values[v].bound.clone());
        let columns = self.columns_of(op, &size_of(points), bound);
        let (at, columns) = columns.split_first().expect("a scatter has positions");
        let Some(first) = dest.first() else { return };
        let count = self.length_of(*first);
        let winner = self.column_like("winner", ScalarType::I64, *first);
        let operator = self.combining(BinOp::Max, ScalarType::I64);
        let kind = OpKind::Hist { operator, neutral: vec![Atom::int(-1)], count };
        self.over(&like, kind, vec![winner], |w, point| vec![w.read("at", *at, point.position()), point.position()]);
        let line = Space::from([Descriptor::Regular(count)]);
        self.over_space(like.level, line, OpKind::Map { rows: None }, binds, |w, point| {
            let from = w.read("from", winner, point.position());
            let hit = w.binary("hit", BinOp::Ge, from, Atom::int(0));
            let both = dest.iter().zip(columns);
            both.map(|(old, new)| {
                let ty = w.elem(*old);
                w.choose("x", ty, hit, |w| w.read("new", *new, from), |w| w.read("old", *old, point.position()))
            })
            .collect()
        });
    }
}
