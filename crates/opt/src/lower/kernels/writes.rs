//! What all devices share of the operators that write where their points say.
//!
//! ```text
//! scatter   phase 0: the destination is copied, unless the result lies in its place
//!           phase 1: a point with a position writes its values there
//! hist      phase 0: all bins become the neutral element
//!           phase 1: a point with a bin combines its value into it, atomically
//! ```
//!
//! A histogram at grid level has one value and an operator whose order cannot be seen; so the answer does not depend on timing.

use super::build::Builder;
use super::expr::{ge, int};
use super::host::Host;
use super::host_expr::{hint, hmax, hmul};
use super::sequential::store_all;
use super::{Lowered, limit};
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::flat::{Expr as FlatExpr, Op, OpKind, Stmt, Type};
use terrace_ir::kernel::Expr;
use terrace_ir::{Atom, ValueId, mem};
use terrace_plan::host::{HostExpr, HostStmt};

/// Something that is done to a whole column before the points write to it.
#[derive(Clone, Debug)]
pub enum Fill {
    /// It gets the elements of another.
    Copy(ValueId),
    /// All its elements become this.
    Value(Atom),
}

/// A column and what is in it before the points write to it.
pub type Start = (ValueId, Fill);

/// Whether the result of a scatter lies in the place of its destination.
pub fn shares_place(function: &mem::Function, bind: ValueId, dest: ValueId) -> bool {
    match (&function.values[bind].at, &function.values[dest].at) {
        (Some(a), Some(b)) => a.block == b.block && a.index.offset == b.index.offset,
        _ => false,
    }
}

/// What happens before the points write.
pub fn starts(host: &Host<'_>, op: &Op, binds: &[ValueId]) -> Vec<Start> {
    match &op.kind {
        OpKind::Scatter { dest, .. } => {
            let pairs = binds.iter().zip(dest).filter(|(bind, dest)| !shares_place(host.function, **bind, **dest));
            pairs.map(|(bind, dest)| (*bind, Fill::Copy(*dest))).collect()
        }
        OpKind::Hist { neutral, .. } => binds.iter().zip(neutral).map(|(bind, a)| (*bind, Fill::Value(*a))).collect(),
        _ => Vec::new(),
    }
}

impl Host<'_> {
    /// Says what an operator copies as it is: the destinations of a scatter that takes other places, and all that a map reads which does nothing else.
    pub(super) fn note_copies(&mut self, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
        let scattered = if matches!(op.kind, OpKind::Scatter { .. }) { starts(self, op, binds) } else { Vec::new() };
        let own = op.positions.last().map(|p| Atom::Var(*p));
        let copied = |stmt: &Stmt| matches!(&stmt.expr, FlatExpr::Read { at, .. } if Some(*at) == own);
        let only = op.body.stmts.len() == op.body.results.len() && op.body.stmts.iter().all(copied);
        let count = match &op.kind {
            OpKind::Scatter { .. } if !scattered.is_empty() => longest(self, &scattered, span)?,
            OpKind::Map { rows: None } if only && !binds.is_empty() => self.points(op, binds)?,
            _ => return Ok(()),
        };
        let columns: Vec<ValueId> = match op.kind {
            OpKind::Scatter { .. } => scattered.iter().map(|(column, _)| *column).collect(),
            _ => binds.to_vec(),
        };
        let sizes = columns.iter().filter_map(|c| self.function.values[*c].ty.elem()).map(|e| e.size_bytes() as i64);
        let bytes = hmul(count, hint(sizes.sum()));
        self.emit(HostStmt::Copies { bytes });
        Ok(())
    }
}

/// An upper bound of the lengths of these columns.
pub fn longest(host: &mut Host<'_>, starts: &[Start], span: Span) -> Lowered<HostExpr> {
    let mut most = hint(0);
    for (column, _) in starts {
        let count = match host.capacity(*column).cloned() {
            Some(count) => count,
            None => {
                let Type::Column { length, .. } = &host.function.values[*column].ty else { continue };
                host.size_on_host(&length.clone(), span)?
            }
        };
        most = if most == hint(0) { count } else { hmax(most, count) };
    }
    Ok(most)
}

/// The length of a column, in a kernel.
pub fn length(b: &mut Builder<'_>, column: ValueId) -> Lowered<Expr> {
    let Type::Column { length, .. } = &b.host.function.values[column].ty else { return Ok(int(0)) };
    let e = b.size(&length.clone())?;
    Ok(b.let_("length", ScalarType::I64, e))
}

/// One element of a column before the points write to it.
pub fn fill(b: &mut Builder<'_>, column: ValueId, with: &Fill, at: Expr) -> Lowered<()> {
    let value = match with {
        Fill::Copy(from) => b.load(*from, at.clone())?,
        Fill::Value(a) => b.atom(a)?,
    };
    b.store(column, at, value)
}

/// How the values of a histogram at grid level are combined.
pub fn exact_operator(host: &Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<Option<BinOp>> {
    let OpKind::Hist { operator, .. } = &op.kind else { return Ok(None) };
    let elem = binds.first().and_then(|v| host.function.values[*v].ty.elem());
    match (operator.as_binary(), elem) {
        (Some(op), Some(elem)) if binds.len() == 1 && terrace_base::is_exact(op, elem) => Ok(Some(op)),
        _ => Err(limit(span, "a histogram in parallel whose operator depends on order")),
    }
}

/// What a point does with its results: position or bin, and values.
pub fn put(b: &mut Builder<'_>, exact: Option<BinOp>, binds: &[ValueId], mut results: Vec<Expr>) -> Lowered<()> {
    if results.is_empty() {
        return Ok(());
    }
    let at = b.let_("at", ScalarType::I64, results.remove(0));
    b.when(ge(at.clone(), int(0)), |b| match exact {
        None => store_all(b, binds, at, results),
        Some(operator) => {
            for (v, x) in binds.iter().zip(results) {
                b.atomic(operator, *v, at.clone(), x)?;
            }
            Ok(())
        }
    })
}
