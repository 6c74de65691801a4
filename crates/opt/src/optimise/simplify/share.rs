//! Common scalars are computed once.
//!
//! Within a body, and from a body into those inside it, a scalar computation or a read that has been done before is the old
//! value. Nothing moves, so nothing is computed where it was not computed before. Columns never change, so a read is as good
//! as arithmetic.

use std::collections::BTreeMap;
use terrace_ir::flat::visit::{substitute_expr, substitute_with_types};
use terrace_ir::flat::{Body, Expr, Function};
use terrace_ir::{Atom, ValueId};

/// Shares; says whether anything changed.
pub(super) fn share(function: &mut Function) -> bool {
    let mut renamed = BTreeMap::new();
    let mut body = std::mem::take(&mut function.body);
    share_body(&mut body, &mut Vec::new(), &mut renamed);
    if !renamed.is_empty() {
        substitute_with_types(&mut body, &mut function.values, &renamed);
        for value in function.values.iter_mut() {
            value.substitute(&renamed);
        }
        function.results.iter_mut().for_each(|t| t.substitute(&renamed));
    }
    function.body = body;
    !renamed.is_empty()
}

fn share_body(body: &mut Body, seen: &mut Vec<(Expr, ValueId)>, renamed: &mut BTreeMap<ValueId, Atom>) {
    let outer = seen.len();
    let mut out = Vec::with_capacity(body.stmts.len());
    for mut stmt in std::mem::take(&mut body.stmts) {
        substitute_expr(&mut stmt.expr, renamed);
        stmt.expr.bodies_mut().into_iter().for_each(|b| share_body(b, seen, renamed));
        if let ([bind], true) = (stmt.binds.as_slice(), is_scalar(&stmt.expr)) {
            match seen.iter().find(|(e, _)| *e == stmt.expr) {
                Some((_, old)) => {
                    renamed.insert(*bind, Atom::Var(*old));
                    continue;
                }
                None => seen.push((stmt.expr.clone(), *bind)),
            }
        }
        out.push(stmt);
    }
    body.stmts = out;
    for result in &mut body.results {
        if let Some(to) = result.var().and_then(|v| renamed.get(&v)) {
            *result = *to;
        }
    }
    seen.truncate(outer);
}

fn is_scalar(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Fma(..)
            | Expr::Convert(..)
            | Expr::Select(..)
            | Expr::Size(_)
            | Expr::Read { .. }
    )
}
