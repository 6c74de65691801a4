//! Code that cannot fail: what may run where the program would not have run it.
//!
//! ```text
//! x * 2.0 + y          total: any numbers have a result
//! xs[i], a / b         not: safe only behind a check (a division of integers by a constant other than 0 is total)
//! ```
//!
//! Nothing here loops, calls or makes an array either: it takes a fixed time.

use terrace_base::{BinOp, IdVec, UnOp};
use terrace_ir::core::{Body, Expr, Stmt, StmtKind, Value};
use terrace_ir::{Atom, ValueId};

type Values = IdVec<ValueId, Value>;

/// Whether all statements of a body are total.
pub(super) fn is_total_body(body: &Body, values: &Values) -> bool {
    body.stmts.iter().all(|s| is_total(s, values))
}

/// Whether a statement takes a fixed time, gives numbers and cannot fail. A mark of a proved check does nothing.
pub(super) fn is_total(stmt: &Stmt, values: &Values) -> bool {
    let StmtKind::Let { value, expr, .. } = &stmt.kind else {
        return matches!(&stmt.kind, StmtKind::Check { proved: true, .. });
    };
    let flat = |a: &Atom| a.var().is_none_or(|v| values[v].ty.is_flat());
    values[*value].ty.is_flat()
        && match expr {
            Expr::Binary(BinOp::Div | BinOp::Rem, a, b) => {
                let whole = |a: &Atom| a.var().is_some_and(|v| values[v].ty.scalar().is_some_and(|s| s.is_int()));
                let nonzero = |b: &Atom| b.constant().is_some_and(|c| c.as_i64().is_some_and(|n| n != 0));
                !(whole(a) || whole(b)) || nonzero(b)
            }
            Expr::Atom(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Fma(..) | Expr::Convert(..) => true,
            Expr::Tuple(_) | Expr::Project(..) | Expr::Length(_) => true,
            Expr::Precedes(a, b) => flat(a) && flat(b),
            Expr::If { then, otherwise, .. } => is_total_body(then, values) && is_total_body(otherwise, values),
            _ => false,
        }
}

/// Whether an expression is a function of numbers that takes as long as many sums and products.
pub(super) fn calls_a_function(expr: &Expr) -> bool {
    use UnOp::{Acos, Asin, Atan, Cos, Cosh, Exp, Log, Sin, Sinh, Tan, Tanh};
    match expr {
        Expr::Unary(op, _) => {
            matches!(op, Exp | Log | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh)
        }
        Expr::Binary(op, ..) => matches!(op, BinOp::Pow | BinOp::Atan2),
        _ => false,
    }
}
