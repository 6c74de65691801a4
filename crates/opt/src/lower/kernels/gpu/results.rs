//! Where the results of a reduction of rows go: to memory, or through the map that follows.
//!
//! A mean is a sum and then a division, the place of the greatest element is a reduction and then a test whether there was any. The map does a
//! little with each row's results and nobody else reads them:
//!
//! ```text
//! total, count = reduce grid [n][off] …            what a row combines to is at hand in one thread:
//! mean = map grid [n] { total[p] / f64(count[p]) }      it divides, and stores the mean
//! ```
//!
//! One launch less, and `total` and `count` are neither written nor read. Declined: maps with checks, operators or loops; results that something else needs;
//! maps that write over what the reduction reads.

use super::super::Lowered;
use super::super::body::{is_scalar, may_fail};
use super::super::build::Builder;
use super::super::host::Host;
use super::super::points;
use super::super::sequential::store_all;
use terrace_ir::flat::visit::{count_uses, free_values_of_expr};
use terrace_ir::flat::{Body, Expr as FlatExpr, Level, Op, OpKind, Stmt};
use terrace_ir::kernel::Expr;
use terrace_ir::{Atom, ValueId};

/// Where results of rows go.
pub struct Results<'a> {
    binds: &'a [ValueId],
    then: Option<Then<'a>>,
}

struct Then<'a> {
    op: &'a Op,
    binds: &'a [ValueId],
    /// Without what it reads of the results.
    body: Body,
    /// What the body calls each result that it read.
    taken: Vec<(ValueId, usize)>,
}

impl<'a> Results<'a> {
    /// To memory.
    pub fn stored(binds: &'a [ValueId]) -> Results<'a> {
        Results { binds, then: None }
    }

    /// Through a map, if the first statement is a reduction of rows and one soon after it is such a map: its place, and where results go.
    pub fn mapped(host: &Host<'_>, stmts: &'a [Stmt]) -> Option<(usize, Results<'a>)> {
        let (first, rest) = stmts.split_first()?;
        let between = rest.iter().take_while(|s| matches!(s.expr, FlatExpr::Alloc { .. })).count();
        let second = rest.get(between)?;
        let (reduce, map) = (first.expr.op()?, second.expr.op()?);
        let depth = reduce.space.len() - 1;
        let fits = matches!(reduce.kind, OpKind::Reduce { .. })
            && matches!(map.kind, OpKind::Map { rows: None })
            && reduce.level == Level::Grid
            && map.level == Level::Grid
            && depth > 0
            && map.space[..] == reduce.space[..depth]
            && !may_fail(&map.body);
        let columns =
            |atoms: &[Atom]| atoms.iter().filter_map(|a| a.var()).any(|v| host.function.values[v].ty.is_column());
        if !fits || columns(&map.body.results) || writes_over(host, &first.expr, &second.binds) {
            return None;
        }
        let here = Atom::Var(*map.positions.last()?);
        let mut body = map.body.clone();
        let mut taken = Vec::new();
        take_reads(&mut body, &first.binds, here, &mut taken);
        let uses = count_uses(&host.function.body);
        let used: usize = first.binds.iter().filter_map(|v| uses.get(v)).sum();
        let is_mine = used == taken.len() && used > 0 && has_only_scalars(&body);
        let then = Then { op: map, binds: &second.binds, body, taken };
        is_mine.then_some((between + 1, Results { binds: &first.binds, then: Some(then) }))
    }

    /// What a row combines to goes where it belongs.
    pub fn store(&self, b: &mut Builder<'_>, row: Expr, values: Vec<Expr>) -> Lowered<()> {
        let Some(then) = &self.then else { return store_all(b, self.binds, row, values) };
        let row = b.let_("row", terrace_base::ScalarType::I64, row);
        points::locate(b, then.op, then.op.space.len(), row.clone())?.define(b, then.op);
        for (v, k) in &then.taken {
            b.define(*v, values[*k].clone());
        }
        b.body(&then.body, |b, results| store_all(b, then.binds, row, results))
    }
}

/// Takes away what a body reads of some columns at its own position, and notes which column each value came from.
fn take_reads(body: &mut Body, columns: &[ValueId], here: Atom, taken: &mut Vec<(ValueId, usize)>) {
    body.stmts.retain_mut(|stmt| {
        stmt.expr.bodies_mut().into_iter().for_each(|b| take_reads(b, columns, here, taken));
        let FlatExpr::Read { column, at } = stmt.expr else { return true };
        let found = columns.iter().position(|c| *c == column).filter(|_| at == here);
        let (Some(k), [v]) = (found, stmt.binds.as_slice()) else { return true };
        taken.push((*v, k));
        false
    });
}

/// Whether columns may lie in memory that an expression reads.
fn writes_over(host: &Host<'_>, expr: &FlatExpr, binds: &[ValueId]) -> bool {
    let block = |v: ValueId| Some(host.function.values[v].at.as_ref()?.block);
    let read = free_values_of_expr(expr);
    let read: Vec<ValueId> = read.into_iter().filter_map(block).collect();
    binds.iter().filter_map(|v| block(*v)).any(|to| read.iter().any(|from| host.may_be_one(*from, to)))
}

/// Whether a body is scalar computations and choices between such.
fn has_only_scalars(body: &Body) -> bool {
    body.stmts.iter().all(|s| match &s.expr {
        FlatExpr::If { then, otherwise, .. } => has_only_scalars(then) && has_only_scalars(otherwise),
        e => is_scalar(e),
    })
}
