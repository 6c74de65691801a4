//! Neighbouring points of which some stay, packed a group at a time by one thread.
//!
//! Whether points stay is computed into a small array, by vectors where the body allows it, and one statement, `StoreKept`, packs a group into its
//! places. Elements that are read as they lie are packed from there; others are computed into small arrays of their own:
//!
//! ```text
//! for p in from .. to, by 1024 {
//!   for q in p .. min(p + 1024, to) { keep[q - p] = …; own[q - p] = x * x }
//!   place = place + (kept[place .. end] = own[0 ..+ min(1024, to - p)] where keep)
//! }
//! ```
//!
//! As long as a whole vector has room before `end`, one is stored whatever its number of elements that stay: what it writes beyond them is written again.

use super::Lowered;
use super::build::Builder;
use super::expr::{add, ge, int, local, min, sub, truth};
use super::points::{Run, for_run};
use terrace_base::ScalarType;
use terrace_ir::flat::visit::has_checks;
use terrace_ir::flat::{Expr as FlatExpr, Op};
use terrace_ir::kernel::{ArrayId, Expr, Kept, LocalId, Stmt};
use terrace_ir::{Atom, ValueId};

/// Points of a group: enough that counting vectors costs nothing, few enough that their arrays stay in the nearest cache.
const GROUP: usize = 1024;

/// Rows that are shorter than this are packed element by element.
const LONG: i64 = 64;

/// Room for a group of points: whether each stays, and what stays of it.
pub(super) struct Groups<'o> {
    op: &'o Op,
    keep: ArrayId,
    columns: Vec<(ValueId, Own)>,
}

/// The elements of a group, of which some stay.
enum Own {
    /// Those of a column, at the positions of the points.
    Lies(ValueId),
    /// Computed into an array.
    Computed(ArrayId),
}

impl<'o> Groups<'o> {
    /// For what a pack writes; none where that does not lie side by side.
    pub(super) fn of(b: &mut Builder<'_>, op: &'o Op, columns: &[ValueId]) -> Option<Groups<'o>> {
        if columns.is_empty() || !columns.iter().all(|c| b.is_dense(*c)) {
            return None;
        }
        let keep = b.array("keep", ScalarType::Bool, GROUP, false);
        let own = columns.iter().zip(&op.body.results[1..]).map(|(column, result)| {
            match read_as_it_lies(op, result).filter(|from| b.is_dense(*from)) {
                Some(from) => Own::Lies(from),
                None => Own::Computed(b.array("own", b.elem(*column), GROUP, false)),
            }
        });
        let own: Vec<Own> = own.collect();
        Some(Groups { op, keep, columns: columns.iter().copied().zip(own).collect() })
    }

    /// Whether a run is worth groups.
    pub(super) fn are_worth(run: &Run) -> Expr {
        ge(sub(run.to.clone(), run.from.clone()), int(LONG))
    }

    /// Packs the points of a run to the places from `place` on, which moves behind them; nothing is written at `end` or behind.
    pub(super) fn pack(&self, b: &mut Builder<'_>, run: &Run, place: LocalId, end: &Expr) -> Lowered<()> {
        let last = self.op.space.len() - 1;
        b.for_("p", run.from.clone(), run.to.clone(), int(GROUP as i64), false, |b, p| {
            let behind = min(add(p.clone(), int(GROUP as i64)), run.to.clone());
            let behind = b.let_("behind", ScalarType::I64, behind);
            let part = Run { above: run.above.clone(), start: run.start.clone(), from: p.clone(), to: behind.clone() };
            for_run(b, self.op, &part, |b, point| {
                let q = point.positions[last].clone();
                let at = sub(q.clone(), p.clone());
                b.set_index(q);
                if has_checks(&self.op.body) {
                    // A point whose check fails says nothing.
                    b.emit(Stmt::SetElement(self.keep, at.clone(), truth(false)));
                }
                b.body(&self.op.body, |b, mut values| {
                    b.emit(Stmt::SetElement(self.keep, at.clone(), values.remove(0)));
                    for ((_, own), value) in self.columns.iter().zip(values) {
                        if let Own::Computed(own) = own {
                            b.emit(Stmt::SetElement(*own, at.clone(), value));
                        }
                    }
                    Ok(())
                })
            })?;
            let (first, count) = (local(place), sub(behind, p.clone()));
            let mut kept = int(0);
            for (column, own) in &self.columns {
                let from = match own {
                    Own::Lies(from) => b.kept_of(*from, p.clone())?,
                    Own::Computed(own) => Kept::Array(*own),
                };
                kept = b.store_kept(*column, (first.clone(), end.clone()), from, self.keep, count.clone())?;
            }
            b.set(place, add(first, kept));
            Ok(())
        })
    }
}

/// The column of which a result at a point is the element at the point's position.
fn read_as_it_lies(op: &Op, result: &Atom) -> Option<ValueId> {
    if has_checks(&op.body) {
        return None;
    }
    let maker = op.body.stmts.iter().find(|s| result.var().is_some_and(|v| s.binds == [v]))?;
    // In one dimension an index is a position.
    let here = [op.positions.last(), op.indices.first().filter(|_| op.indices.len() == 1)];
    let here = here.map(|v| v.copied().map(Atom::Var));
    match &maker.expr {
        FlatExpr::Read { column, at } if here.contains(&Some(*at)) => {
            let own = op.body.stmts.iter().any(|s| s.binds.contains(column));
            (!own).then_some(*column)
        }
        _ => None,
    }
}
