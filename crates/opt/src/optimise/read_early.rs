//! Reads come before the writes that could have been in their way.
//!
//! ```text
//! let ys = scatter … into xs { … }        let x = xs[0]
//! let x = xs[0]                           let ys = scatter … into xs { … }
//! ```
//!
//! After the read nobody needs `xs`, so the scatter can write over it; before, it had to be copied for the sake of one element. A scalar moves up over writers (scatters,
//! calls, branches, loops) and whatever stands between them, but never over what it needs, nor over a check: that may be the one that says that the element exists.

use std::collections::BTreeSet;
use terrace_base::IdVec;
use terrace_ir::ValueId;
use terrace_ir::flat::visit::free_values_of_expr;
use terrace_ir::flat::{Body, Expr, OpKind, Program, Stmt, Type, Value};
use terrace_ir::value_of;

/// Over so many statements a read is moved at most.
const FARTHEST: usize = 100;

/// Moves scalars up, in all functions.
pub fn read_early(program: &mut Program) {
    for function in program.functions.iter_mut() {
        list(&mut function.body, &function.values);
    }
}

fn list(body: &mut Body, values: &IdVec<ValueId, Value>) {
    let mut out: Vec<Stmt> = Vec::with_capacity(body.stmts.len());
    for mut stmt in std::mem::take(&mut body.stmts) {
        stmt.expr.bodies_mut().into_iter().for_each(|b| list(b, values));
        let at = if is_scalar(&stmt, values) { earliest(&stmt, &out, values) } else { out.len() };
        out.insert(at, stmt);
    }
    body.stmts = out;
}

fn is_scalar(stmt: &Stmt, values: &IdVec<ValueId, Value>) -> bool {
    let plain = matches!(
        stmt.expr,
        Expr::Read { .. }
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Fma(..)
            | Expr::Convert(..)
            | Expr::Select(..)
            | Expr::Size(_)
    );
    plain && stmt.binds.iter().all(|v| matches!(values[*v].ty, Type::Scalar(_)))
}

/// Where a scalar can stand: before the first of the writers that it may pass, else where it is.
fn earliest(stmt: &Stmt, before: &[Stmt], values: &IdVec<ValueId, Value>) -> usize {
    let mut needed: BTreeSet<ValueId> = free_values_of_expr(&stmt.expr);
    let bounds = stmt.binds.iter().filter_map(|v| values[*v].bound.as_ref());
    needed.extend(bounds.flat_map(|b| b.vars()).map(value_of));
    let mut at = before.len();
    for (k, passed) in before.iter().enumerate().rev().take(FARTHEST) {
        if matches!(passed.expr, Expr::Check { .. }) || passed.binds.iter().any(|v| needed.contains(v)) {
            break;
        }
        if is_writer(passed) {
            at = k;
        }
    }
    at
}

fn is_writer(stmt: &Stmt) -> bool {
    match &stmt.expr {
        Expr::Op(op) => matches!(op.kind, OpKind::Scatter { .. }),
        expr => matches!(expr, Expr::Call { .. } | Expr::If { .. } | Expr::Loop { .. }),
    }
}
