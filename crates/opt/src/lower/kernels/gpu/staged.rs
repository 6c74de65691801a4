//! What of an element waits in shared memory until its row is combined: its value, or what the value is computed from.
//!
//! A value may be wide. Of rows that are filtered, then averaged and searched for their greatest element, each element has a
//! count, a sum, a key and a place, all from one number that is read:
//!
//! ```text
//! x = rows[q]; keep = x > limit; …  => i64(keep), x or 0, ordinal of x, 0        32 bytes
//! staged: x                          the rest is computed when x is taken up         8 bytes
//! ```
//!
//! Then tiles are four times larger and shared memory is asked for a quarter. Declined: bodies with checks, with operators or loops, with other
//! loads than at the element's position, and those that ask where they are.

use super::super::body::{is_scalar, may_fail};
use super::super::host::Host;
use terrace_base::ScalarType;
use terrace_ir::flat::{Body, Expr as FlatExpr, Op, visit};
use terrace_ir::{Atom, ValueId};

/// What is staged of an operator's elements.
pub struct Staged {
    /// The operator, with a body that computes what is staged.
    pub op: Op,
    /// The types of what is staged.
    pub types: Vec<ScalarType>,
    /// What is still to be done, and the values that stand for what was staged; none where the values themselves are.
    pub rest: Option<(Vec<ValueId>, Body)>,
}

impl Staged {
    /// What is staged of elements whose values have these types.
    pub fn of(host: &Host<'_>, op: &Op, types: &[ScalarType]) -> Staged {
        let bytes = |types: &[ScalarType]| types.iter().map(|ty| ty.size_bytes()).sum::<usize>();
        match Staged::reads(host, op) {
            Some(staged) if bytes(&staged.types) < bytes(types) => staged,
            _ => Staged { op: op.clone(), types: types.to_vec(), rest: None },
        }
    }

    /// Bytes of an element.
    pub fn bytes(&self) -> usize {
        self.types.iter().map(|ty| ty.size_bytes()).sum()
    }

    fn reads(host: &Host<'_>, op: &Op) -> Option<Staged> {
        let here = Atom::Var(*op.positions.last()?);
        let is_read = |e: &FlatExpr| matches!(e, FlatExpr::Read { at, .. } if *at == here);
        let (stmts, rest): (Vec<_>, Vec<_>) = op.body.stmts.iter().cloned().partition(|s| is_read(&s.expr));
        let rest = Body { stmts: rest, results: op.body.results.clone() };
        let asked = visit::free_values_with_types(&rest, &host.function.values);
        if stmts.is_empty()
            || may_fail(&op.body)
            || !is_arithmetic(&rest)
            || op.indices.iter().chain(&op.positions).any(|v| asked.contains(v))
        {
            return None;
        }
        let binds: Vec<ValueId> = stmts.iter().flat_map(|s| s.binds.clone()).collect();
        let types = binds.iter().map(|v| host.function.values[*v].ty.elem()).collect::<Option<Vec<_>>>()?;
        let results = binds.iter().map(|v| Atom::Var(*v)).collect();
        Some(Staged { op: Op { body: Body { stmts, results }, ..op.clone() }, types, rest: Some((binds, rest)) })
    }
}

/// Whether a body needs nothing but its operands: no memory, no sizes.
fn is_arithmetic(body: &Body) -> bool {
    body.stmts.iter().all(|s| match &s.expr {
        FlatExpr::If { then, otherwise, .. } => is_arithmetic(then) && is_arithmetic(otherwise),
        FlatExpr::Read { .. } | FlatExpr::Size(_) => false,
        e => is_scalar(e),
    })
}
