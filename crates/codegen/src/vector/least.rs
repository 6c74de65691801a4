//! The least and the greatest float, found among integers.
//!
//! `min` on floats goes by the total order, -0 before +0 and NaN last, and no processor has that. But signed integers in their own order can stand for
//! floats in that one: those of negative floats have all bits but the sign turned round, all NaNs are one. So a loop that keeps the least float keeps its
//! key, and the C compiler finds vector code, because the least integer does not depend on the order:
//!
//! ```text
//! for q { least = min_f64(least, x[q]); }       int64_t least_k = key_f64(least);
//!                                               for q { least_k = min_i64(least_k, key_f64(x[q])); }
//!                                               least = f64_of_key(least_k);
//! ```
//!
//! The same value comes out. Declined: variables that the loop uses for anything else, and loops around loops, where a key is worth nothing.

use terrace_base::{BinOp, ScalarType};
use terrace_ir::kernel::{Expr, Kernel, LocalId, Stmt};

/// A statement that keeps the least or the greatest value: `of = min(of, value)`, perhaps only where something holds.
pub struct Kept<'s> {
    /// The variable.
    pub of: LocalId,
    /// `min` or `max`.
    pub op: BinOp,
    /// What may take its place.
    pub value: &'s Expr,
    /// Where it may.
    pub only: Option<&'s Expr>,
}

/// The integer type of the keys of a float.
pub fn key_type(ty: ScalarType) -> ScalarType {
    if ty == ScalarType::F32 { ScalarType::I32 } else { ScalarType::I64 }
}

/// The statement as one that keeps the least or the greatest float.
pub fn kept<'s>(k: &Kernel, stmt: &'s Stmt) -> Option<Kept<'s>> {
    let Stmt::Assign(of, e) = stmt else { return None };
    let own = Expr::Local(*of);
    let (new, only) = match e {
        Expr::Select(only, new, old) if **old == own => (&**new, Some(&**only)),
        e => (e, None),
    };
    match new {
        Expr::Binary(op @ (BinOp::Min | BinOp::Max), old, value) if **old == own && k.locals[*of].ty.is_float() => {
            Some(Kept { of: *of, op: *op, value, only })
        }
        _ => None,
    }
}

/// The variables that a loop keeps the least or the greatest float in and does nothing else with.
pub fn variables(k: &Kernel, body: &[Stmt]) -> Vec<LocalId> {
    let mut found = Vec::new();
    if !is_innermost(body) {
        return found;
    }
    find(k, body, &mut found);
    found.sort_unstable();
    found.dedup();
    found.retain(|v| !mentions(k, body, *v));
    found
}

fn is_innermost(body: &[Stmt]) -> bool {
    body.iter().all(|s| match s {
        Stmt::Let(..) | Stmt::Assign(..) | Stmt::Store(..) | Stmt::SetElement(..) | Stmt::Check { .. } => true,
        Stmt::If(_, a, b) => is_innermost(a) && is_innermost(b),
        _ => false,
    })
}

fn find(k: &Kernel, body: &[Stmt], out: &mut Vec<LocalId>) {
    for s in body {
        out.extend(kept(k, s).map(|kept| kept.of));
        s.bodies().into_iter().for_each(|body| find(k, body, out));
    }
}

/// Whether statements mention a variable in any other way, or it is one of theirs.
fn mentions(k: &Kernel, body: &[Stmt], v: LocalId) -> bool {
    body.iter().any(|s| match s {
        Stmt::Let(w, e) => *w == v || e.mentions(v),
        Stmt::Assign(w, e) => match kept(k, s) {
            Some(kept) if *w == v => kept.value.mentions(v) || kept.only.is_some_and(|e| e.mentions(v)),
            _ => *w == v || e.mentions(v),
        },
        Stmt::Store(_, at, e) | Stmt::SetElement(_, at, e) => at.mentions(v) || e.mentions(v),
        Stmt::Check { cond, index, values, .. } => {
            [cond, index].into_iter().any(|e| e.mentions(v)) || values.iter().any(|e| e.mentions(v))
        }
        Stmt::If(c, a, b) => c.mentions(v) || mentions(k, a, v) || mentions(k, b, v),
        _ => true,
    })
}
