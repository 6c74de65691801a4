//! Operators that one thread runs by itself, point after point.
//!
//! ```text
//! let n, ys = pack thread [m] (…) { x > 0, x }      n = 0
//!                                                   for q in 0 .. m { ys[n] = x; n = n + (x > 0) }     (a CPU, with room for m)
//!                                                   for q in 0 .. m { if x > 0 { ys[n] = x; n = n + 1 } }
//! ```
//!
//! The same code serves operators inside parallel bodies, whose columns are local arrays, and host-level operators at
//! thread level. Scalar results are handed back as expressions; columns are written to their places. Floats reduce in the
//! association that [`super::reduce`] describes, so that a program gives the same answer in every version.

use super::body::{atoms, is_plain};
use super::build::Builder;
use super::expr::{add, convert, ge, int, local};
use super::pack_row::Groups;
use super::points::{Point, count, for_all, for_run, row_length, row_start, run_below};
use super::reduce::{Reduction, Row, assign_all, guarded};
use super::scan_row::Grouped;
use super::writes::{fill, length, put, starts};
use super::{Lowered, limit};
use terrace_algebra::Size;
use terrace_base::ScalarType;
use terrace_ir::flat::{Descriptor, Level, Op, OpKind, Operator, ScanForm};
use terrace_ir::kernel::{Expr, LocalId};
use terrace_ir::{Atom, ValueId, size_var};

impl<'h> Builder<'h> {
    /// An operator inside a thread. `ok` is true before, and false afterwards if a check has failed inside.
    pub fn sequential(&mut self, op: &Op, binds: &[ValueId], ok: Option<LocalId>) -> Lowered<Vec<Option<Expr>>> {
        if op.level == Level::Block && !self.target_is_cpu() {
            return super::gpu::group::operator(self, op, binds, ok);
        }
        self.run_in_order(op, binds, ok, false)
    }

    /// A host-level operator in a single thread.
    pub fn whole_operator(&mut self, op: &Op, binds: &[ValueId]) -> Lowered<Vec<Option<Expr>>> {
        self.run_in_order(op, binds, None, true)
    }

    fn run_in_order(
        &mut self,
        op: &Op,
        binds: &[ValueId],
        ok: Option<LocalId>,
        outermost: bool,
    ) -> Lowered<Vec<Option<Expr>>> {
        match &op.kind {
            OpKind::Map { .. } => {
                if let Some(n) = super::short::few_choices(op) {
                    self.written_out(op, binds, ok, outermost, n)?;
                    return Ok(binds.iter().map(|_| None).collect());
                }
                for_all(self, op, op.space.len(), |b, point| {
                    visit(b, op, point, ok, outermost, |b, q, results| store_point(b, op, binds, q, results))
                })?;
                Ok(binds.iter().map(|_| None).collect())
            }
            OpKind::Reduce { .. } => self.reduce_in_order(op, binds, ok, outermost),
            OpKind::Scan { operator, neutral, form } => {
                self.scan_in_order(op, binds, ok, outermost, operator, neutral, *form)
            }
            OpKind::Pack => self.pack_in_order(op, binds, ok, outermost),
            OpKind::Scatter { .. } => {
                self.start_writes(op, binds)?;
                for_all(self, op, op.space.len(), |b, point| {
                    visit(b, op, point, ok, outermost, |b, _, results| put(b, None, binds, results))
                })?;
                Ok(binds.iter().map(|_| None).collect())
            }
            OpKind::Hist { operator, .. } => {
                self.start_writes(op, binds)?;
                for_all(self, op, op.space.len(), |b, point| {
                    visit(b, op, point, ok, outermost, |b, _, results| combine_into(b, operator, binds, results))
                })?;
                Ok(binds.iter().map(|_| None).collect())
            }
            OpKind::Sort { .. } => Err(limit(self.span(), "a sort inside a thread")),
        }
    }

    /// A map whose last dimension has `n` points, without a loop over these.
    fn written_out(&mut self, op: &Op, binds: &[ValueId], ok: Option<LocalId>, outermost: bool, n: i64) -> Lowered<()> {
        let d = op.space.len() - 1;
        for_all(self, op, d, |b, parent| {
            let start = row_start(b, op, d, parent)?;
            for k in 0..n {
                let mut point = parent.clone();
                point.indices.push(int(k));
                point.positions.push(add(start.clone(), int(k)));
                point.define(b, op);
                visit(b, op, &point, ok, outermost, |b, q, results| store_point(b, op, binds, q, results))?;
            }
            Ok(())
        })
    }

    /// What is in the results of a scatter or a histogram before the points write.
    fn start_writes(&mut self, op: &Op, binds: &[ValueId]) -> Lowered<()> {
        for (column, with) in starts(self.host, op, binds) {
            let n = length(self, column)?;
            self.for_("q", int(0), n, int(1), true, |b, q| fill(b, column, &with, q))?;
        }
        Ok(())
    }

    fn reduce_in_order(
        &mut self,
        op: &Op,
        binds: &[ValueId],
        ok: Option<LocalId>,
        outermost: bool,
    ) -> Lowered<Vec<Option<Expr>>> {
        let Some(reduction) = Reduction::of(op, ok, outermost) else { return Ok(Vec::new()) };
        let d = op.space.len() - 1;
        if d == 0 {
            let length = count(self, op, 1)?;
            let row = Row { parent: Point::default(), start: int(0) };
            let total = reduction.row(self, &row, length)?;
            return Ok(total.into_iter().map(Some).collect());
        }
        for_all(self, op, d, |b, parent| {
            let start = row_start(b, op, d, parent)?;
            let length = row_length(b, op, d, parent)?;
            let p = parent.positions[d - 1].clone();
            let total = reduction.row(b, &Row { parent: parent.clone(), start }, length)?;
            store_all(b, binds, p, total)
        })?;
        Ok(binds.iter().map(|_| None).collect())
    }

    #[allow(clippy::too_many_arguments)]
    fn scan_in_order(
        &mut self,
        op: &Op,
        binds: &[ValueId],
        ok: Option<LocalId>,
        outermost: bool,
        operator: &Operator,
        neutral: &[Atom],
        form: ScanForm,
    ) -> Lowered<Vec<Option<Expr>>> {
        let d = op.space.len() - 1;
        let types: Vec<ScalarType> = neutral.iter().map(|a| self.atom_type(a)).collect();
        let neutral = atoms(self, neutral)?;
        let vars: Vec<LocalId> = neutral.iter().zip(&types).map(|(e, ty)| self.var("acc", *ty, e.clone())).collect();
        let current = || -> Vec<Expr> { vars.iter().map(|v| local(*v)).collect() };
        let each = |b: &mut Self, point: &Point| {
            visit(b, op, point, ok, outermost, |b, q, values| match form {
                ScanForm::Inclusive => {
                    let new = b.combine(operator, &current(), &values)?;
                    assign_all(b, &vars, new);
                    store_all(b, binds, q, current())
                }
                ScanForm::Offsets => {
                    store_all(b, binds, q, current())?;
                    let new = b.combine(operator, &current(), &values)?;
                    assign_all(b, &vars, new);
                    Ok(())
                }
            })
        };
        let grouped = match form {
            ScanForm::Inclusive => Grouped::of(self, op, operator, binds),
            ScanForm::Offsets => None,
        };
        for_all(self, op, d, |b, parent| {
            assign_all(b, &vars, neutral.clone());
            let run = run_below(b, op, parent, None)?;
            match grouped {
                Some(grouped) => grouped.run(b, &run, vars[0], each),
                None => for_run(b, op, &run, each),
            }
        })?;
        if form == ScanForm::Offsets {
            if d != 0 {
                return Err(limit(self.span(), "offsets over several dimensions"));
            }
            let n = count(self, op, 1)?;
            store_all(self, binds, n, current())?;
        }
        Ok(binds.iter().map(|_| None).collect())
    }

    fn pack_in_order(
        &mut self,
        op: &Op,
        binds: &[ValueId],
        ok: Option<LocalId>,
        outermost: bool,
    ) -> Lowered<Vec<Option<Expr>>> {
        let d = op.space.len() - 1;
        let kept = self.var("kept", ScalarType::I64, int(0));
        // Which elements stay is a coin that no processor foresees. Where there is room for all, each is written, and the place
        // moves on for those that stay: a place is never behind that of a point itself.
        let roomy = self.target_is_cpu() && has_room_for_all(self, op, &binds[1..]);
        let groups = if roomy && is_plain(&op.body) { Groups::of(self, op, &binds[1..]) } else { None };
        let each = |b: &mut Self, point: &Point| {
            visit(b, op, point, ok, outermost, |b, _, mut values| {
                let keep = values.remove(0);
                if roomy {
                    store_all(b, &binds[1..], local(kept), values)?;
                    b.set(kept, add(local(kept), convert(ScalarType::I64, keep)));
                    return Ok(());
                }
                b.when(keep, |b| {
                    store_all(b, &binds[1..], local(kept), values)?;
                    b.set(kept, add(local(kept), int(1)));
                    Ok(())
                })
            })
        };
        for_all(self, op, d, |b, parent| {
            if d > 0 {
                b.store(binds[0], parent.positions[d - 1].clone(), local(kept))?;
            }
            let run = run_below(b, op, parent, None)?;
            let Some(groups) = &groups else { return for_run(b, op, &run, each) };
            let end = run.to.clone();
            b.if_(Groups::are_worth(&run), |b| groups.pack(b, &run, kept, &end), |b| for_run(b, op, &run, each))
        })?;
        let mut out: Vec<Option<Expr>> = binds.iter().map(|_| None).collect();
        if d > 0 {
            let rows = count(self, op, d)?;
            self.store(binds[0], rows, local(kept))?;
        } else {
            out[0] = Some(local(kept));
        }
        Ok(out)
    }
}

/// Whether a row of a pack has as much room as it has points.
fn has_room_for_all(b: &Builder<'_>, op: &Op, columns: &[ValueId]) -> bool {
    let [Descriptor::Regular(n)] = op.space.as_slice() else { return false };
    let points = match n {
        Atom::Var(v) => Size::var(size_var(*v)),
        Atom::Const(c) => Size::constant(c.as_i64().unwrap_or(0)),
    };
    !columns.is_empty() && columns.iter().all(|v| b.host.function.values[*v].bound.as_ref() == Some(&points))
}

/// A bin becomes its combination with the values of a point, unless the bin is negative.
fn combine_into(b: &mut Builder<'_>, operator: &Operator, binds: &[ValueId], mut results: Vec<Expr>) -> Lowered<()> {
    let at = b.let_("at", ScalarType::I64, results.remove(0));
    b.when(ge(at.clone(), int(0)), |b| {
        let mut old = Vec::new();
        for v in binds {
            let (e, ty) = (b.load(*v, at.clone())?, b.elem(*v));
            old.push(local(b.var("old", ty, e)));
        }
        let new = b.combine(operator, &old, &results)?;
        store_all(b, binds, at, new)
    })
}

fn visit<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    point: &Point,
    ok: Option<LocalId>,
    outermost: bool,
    k: impl FnOnce(&mut Builder<'h>, Expr, Vec<Expr>) -> Lowered<()>,
) -> Lowered<()> {
    let q = point.positions.last().cloned().unwrap_or_else(|| int(0));
    if outermost {
        b.set_index(q.clone());
    }
    guarded(b, &op.body, ok, |b, results| k(b, q, results))
}

/// Writes the scalar results of a point; rows are in their place already.
pub fn store_point(b: &mut Builder<'_>, op: &Op, binds: &[ValueId], at: Expr, values: Vec<Expr>) -> Lowered<()> {
    for ((v, e), a) in binds.iter().zip(values).zip(&op.body.results) {
        if !a.var().is_some_and(|r| b.is_column(r)) {
            b.store(*v, at.clone(), e)?;
        }
    }
    Ok(())
}

/// Writes a tuple of scalars.
pub fn store_all(b: &mut Builder<'_>, binds: &[ValueId], at: Expr, values: Vec<Expr>) -> Lowered<()> {
    for (v, e) in binds.iter().zip(values) {
        b.store(*v, at.clone(), e)?;
    }
    Ok(())
}
