//! Points that compute several functions, a function at a time.
//!
//! `exp`, `log` and `cosh` are long chains in which every step waits for the one before. A processor looks a hundred or two instructions ahead: with one
//! function per point that is several points at once, with four of them not even the whole of one. So a part of the points goes through the first
//! function, then through the second, and what a later stage needs waits in small arrays:
//!
//! ```text
//! for q { a = exp(x[q]); b = log(a + 1); out[q] = a * b; }     for each part of 64 {
//!                                                               for q { a = exp(x[q]); a_s[q - part] = a; }
//!                                                               for q { a = a_s[q - part]; b = log(a + 1); b_s[q - part] = b; }
//!                                                               for q { a = a_s[q - part]; b = b_s[q - part]; out[q] = a * b; } }
//! ```
//!
//! Every point goes through the same operations, so the bits are the same. Elements that are read and truths are not kept but had again. Declined:
//! fewer than three functions, functions of the C library, loops, checks, and whatever is carried from point to point.

use crate::shared::typing::held;
use std::collections::BTreeSet;
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_ir::kernel::{Expr, Kernel, LocalId, ParamKind, Stmt};

/// Points of a part.
pub const PART: i64 = 64;

/// With fewer functions the processor sees far enough.
const SEVERAL: usize = 3;

/// Statements of a point, with what they need from earlier stages and what later ones need from them.
pub struct Stage<'s> {
    /// Had again: statements of earlier stages that cost nothing.
    pub again: Vec<&'s Stmt>,
    /// Taken from arrays.
    pub taken: Vec<LocalId>,
    /// In order.
    pub stmts: &'s [Stmt],
    /// Put into arrays.
    pub kept: Vec<LocalId>,
}

/// The stages of a loop over points, where there are several.
pub fn stages<'s>(k: &Kernel, var: LocalId, step: &Expr, body: &'s [Stmt]) -> Option<Vec<Stage<'s>>> {
    let mut declared = BTreeSet::from([var]);
    let fits = *step == Expr::Const(Scalar::I64(1)) && body.iter().all(|s| is_plain(k, var, s, &mut declared));
    let mut cuts: Vec<usize> = (0..body.len()).filter(|i| functions(&body[*i]) > 0).map(|i| i + 1).collect();
    if !fits || body.iter().map(functions).sum::<usize>() < SEVERAL {
        return None;
    }
    cuts.push(body.len());
    let mut changed = BTreeSet::new();
    body.iter().filter(|s| matches!(s, Stmt::If(..))).for_each(|s| set(s, &mut changed));
    let mut first = 0;
    let mut out: Vec<Stage<'s>> = Vec::new();
    for cut in cuts {
        let (before, stmts) = (&body[..first], &body[first..cut]);
        let mut needed = BTreeSet::new();
        stmts.iter().for_each(|s| mentioned(s, &mut needed));
        let mut again = Vec::new();
        for s in before.iter().rev() {
            if let Stmt::Let(v, e) = s
                && needed.contains(v)
                && !changed.contains(v)
                && is_had_again(k, *v, e)
            {
                needed.remove(v);
                mentioned(s, &mut needed);
                needed.remove(v);
                again.insert(0, s);
            }
        }
        let mut known = BTreeSet::new();
        before.iter().for_each(|s| set(s, &mut known));
        let taken: Vec<LocalId> = needed.intersection(&known).copied().collect();
        out.push(Stage { again, taken, stmts, kept: Vec::new() });
        first = cut;
    }
    for i in 0..out.len() {
        let later: BTreeSet<LocalId> = out[i + 1..].iter().flat_map(|s| s.taken.iter().copied()).collect();
        let mut own = BTreeSet::new();
        out[i].stmts.iter().for_each(|s| set(s, &mut own));
        out[i].kept = own.intersection(&later).copied().collect();
    }
    Some(out)
}

fn is_had_again(k: &Kernel, v: LocalId, e: &Expr) -> bool {
    let compares = |a: &Expr| matches!(a, Expr::Local(_) | Expr::Const(_) | Expr::Param(_));
    match e {
        Expr::Load(..) => true,
        Expr::Binary(_, a, b) => k.locals[v].ty == ScalarType::Bool && compares(a) && compares(b),
        _ => false,
    }
}

fn is_plain(k: &Kernel, var: LocalId, s: &Stmt, declared: &mut BTreeSet<LocalId>) -> bool {
    match s {
        Stmt::Let(v, e) => declared.insert(*v) && is_vector(k, e),
        Stmt::Store(p, at, e) => {
            *at == Expr::Local(var) && matches!(k.params[*p].kind, ParamKind::Output(_)) && is_vector(k, e)
        }
        Stmt::If(c, a, b) => {
            let assigns = |s: &Stmt| match s {
                Stmt::Assign(v, e) => *v != var && declared.contains(v) && is_vector(k, e),
                _ => false,
            };
            is_vector(k, c) && a.iter().chain(b).all(assigns)
        }
        _ => false,
    }
}

/// A function that is a long chain of steps.
fn is_function(op: UnOp) -> bool {
    matches!(op, UnOp::Exp | UnOp::Log | UnOp::Cosh)
}

/// Whether it is straight arithmetic, functions among it, on what the kernel does not write.
fn is_vector(k: &Kernel, e: &Expr) -> bool {
    match e {
        Expr::Const(_) | Expr::Local(_) | Expr::Param(_) => true,
        Expr::Unary(op, a) => {
            matches!(op, UnOp::Neg | UnOp::Not | UnOp::Abs | UnOp::Sqrt) && is_vector(k, a)
                || is_function(*op) && is_vector(k, a)
        }
        Expr::Binary(op, a, b) => {
            !matches!(op, BinOp::Pow | BinOp::Atan2 | BinOp::Rem) && is_vector(k, a) && is_vector(k, b)
        }
        Expr::Fma(a, b, c) => [a, b, c].into_iter().all(|e| is_vector(k, e)),
        Expr::Load(p, a) => {
            let is_float = held(k.params[*p].kind) == ScalarType::F64;
            matches!(k.params[*p].kind, ParamKind::Input(_)) && is_float && matches!(**a, Expr::Local(_))
        }
        _ => false,
    }
}

fn functions(s: &Stmt) -> usize {
    fn of(e: &Expr) -> usize {
        match e {
            Expr::Unary(op, a) => usize::from(is_function(*op)) + of(a),
            Expr::Binary(_, a, b) => of(a) + of(b),
            Expr::Fma(a, b, c) => of(a) + of(b) + of(c),
            _ => 0,
        }
    }
    match s {
        Stmt::Let(_, e) | Stmt::Assign(_, e) | Stmt::Store(_, _, e) => of(e),
        Stmt::If(c, a, b) => of(c) + a.iter().chain(b).map(functions).sum::<usize>(),
        _ => 0,
    }
}

/// Variables that a statement reads or sets.
fn mentioned(s: &Stmt, out: &mut BTreeSet<LocalId>) {
    fn of(e: &Expr, out: &mut BTreeSet<LocalId>) {
        match e {
            Expr::Local(v) => {
                out.insert(*v);
            }
            Expr::Unary(_, a) | Expr::Load(_, a) => of(a, out),
            Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|e| of(e, out)),
            Expr::Fma(a, b, c) => [a, b, c].into_iter().for_each(|e| of(e, out)),
            _ => {}
        }
    }
    match s {
        Stmt::Let(_, e) => of(e, out),
        Stmt::Assign(v, e) => {
            out.insert(*v);
            of(e, out);
        }
        Stmt::Store(_, at, e) => [at, e].into_iter().for_each(|e| of(e, out)),
        Stmt::If(c, a, b) => {
            of(c, out);
            a.iter().chain(b).for_each(|s| mentioned(s, out));
        }
        _ => {}
    }
}

fn set(s: &Stmt, out: &mut BTreeSet<LocalId>) {
    match s {
        Stmt::Let(v, _) | Stmt::Assign(v, _) => {
            out.insert(*v);
        }
        Stmt::If(_, a, b) => a.iter().chain(b).for_each(|s| set(s, out)),
        _ => {}
    }
}
