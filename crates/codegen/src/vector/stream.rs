//! Results that go past the cache.
//!
//! A store to memory that is not in the cache reads the line first. Where a run of tiles writes more than the cache would keep until
//! somebody reads it, that is a quarter of the traffic of `a * x + y` for nothing. Such a run writes a part of its results to a buffer
//! of a few kilobytes, and from there to memory with stores that read nothing (`stream_to` of the preamble):
//!
//! ```text
//! for q { out[q] = … }          if (streams) for each part of 512:  for q { out_part[q - part] = … }  stream_to(out + part, out_part, …)
//!                               else  for q { out[q] = … }
//! ```
//!
//! A scan does the same; what it carries from point to point goes on from part to part. But its loop must be the whole tile: rows are often shorter than a part.
//!
//! The loop must be light: where functions are computed or many neighbours are read, memory is not what it waits for. It must not be the border of another one, whose
//! first position is chosen: that is short, and so may be the rows of a tile, which are asked one by one. And it must be straight code that writes each result once, at its own position, to a buffer that the kernel does not read. How
//! much a run writes is known from the size of a tile; it decides about speed only, never about a result. Elsewhere than on x86 the
//! buffer is copied as usual. `TERRACE_CC="cc -DTERRACE_STREAM=0"` makes every such loop do it, for tests.

use crate::shared::typing::held;
use std::collections::BTreeSet;
use terrace_base::{BinOp, Scalar, UnOp};
use terrace_ir::kernel::{Expr, Kernel, LocalId, ParamId, ParamKind, Stmt};

/// Elements of a part.
pub const PART: i64 = 512;

/// Rows shorter than this are stored as usual: most of their stores would share a cache line with the row before or behind.
pub const LONG: i64 = 128;

/// A point that reads more than this waits for its own reads.
const MOST_LOADS: usize = 16;

/// The results of a loop over points that can go past the cache; none where one of them cannot. Is it inside another loop?
pub fn results(k: &Kernel, var: LocalId, from: &Expr, step: &Expr, body: &[Stmt], inside: bool) -> Vec<ParamId> {
    let mut out = Vec::new();
    let fits = *step == Expr::Const(Scalar::I64(1))
        && !matches!(from, Expr::Select(..))
        && body.iter().map(loads).sum::<usize>() <= MOST_LOADS
        && body.iter().all(|s| match s {
            Stmt::Let(_, e) => !takes_long(e),
            Stmt::Assign(v, e) => {
                body.iter().any(|s| matches!(s, Stmt::Let(w, _) if w == v)) || (!inside && !takes_long(e))
            }
            Stmt::If(_, a, b) => assigns_only(a, body) && assigns_only(b, body),
            Stmt::Store(p, at, e) => {
                let is_new = !out.contains(p) && !takes_long(e);
                out.push(*p);
                is_new && *at == Expr::Local(var) && matches!(k.params[*p].kind, ParamKind::Output(_))
            }
            _ => false,
        });
    if fits { out } else { Vec::new() }
}

/// How many elements a statement reads.
fn loads(s: &Stmt) -> usize {
    fn of(e: &Expr) -> usize {
        match e {
            Expr::Load(_, a) => 1 + of(a),
            Expr::Unary(_, a) | Expr::Convert(_, a) => of(a),
            Expr::Binary(_, a, b) => of(a) + of(b),
            Expr::Fma(a, b, c) | Expr::Select(a, b, c) => of(a) + of(b) + of(c),
            _ => 0,
        }
    }
    match s {
        Stmt::Let(_, e) | Stmt::Assign(_, e) | Stmt::Store(_, _, e) => of(e),
        Stmt::If(c, a, b) => of(c) + a.iter().chain(b).map(loads).sum::<usize>(),
        _ => 0,
    }
}

/// Whether it is a function, directly or in a part: then the processor is busy enough, and the way through a buffer only adds to it.
fn takes_long(e: &Expr) -> bool {
    match e {
        Expr::Unary(op, a) => !matches!(op, UnOp::Neg | UnOp::Not | UnOp::Abs) || takes_long(a),
        Expr::Binary(op, a, b) => matches!(op, BinOp::Pow | BinOp::Atan2) || takes_long(a) || takes_long(b),
        Expr::Fma(a, b, c) | Expr::Select(a, b, c) => [a, b, c].into_iter().any(|e| takes_long(e)),
        Expr::Convert(_, a) | Expr::Load(_, a) => takes_long(a),
        _ => false,
    }
}

fn assigns_only(stmts: &[Stmt], around: &[Stmt]) -> bool {
    stmts.iter().all(|s| match s {
        Stmt::Let(..) => true,
        Stmt::Assign(v, _) => around.iter().chain(stmts).any(|s| matches!(s, Stmt::Let(w, _) if w == v)),
        Stmt::If(_, a, b) => [a, b].into_iter().all(|list| assigns_only(list, around)),
        _ => false,
    })
}

/// How many bytes a tile of a phase writes that could go past the cache.
pub fn bytes_per_tile(k: &Kernel, phase: &[Stmt]) -> Option<i64> {
    let points = phase.iter().find_map(|s| match s {
        Stmt::Let(_, Expr::Binary(BinOp::Mul, a, b)) if **a == Expr::Tile => match **b {
            Expr::Const(size) => size.as_i64(),
            _ => None,
        },
        _ => None,
    })?;
    let mut written = BTreeSet::new();
    collect(k, phase, false, &mut written);
    let bytes: usize = written.iter().map(|p| held(k.params[*p].kind).size_bytes()).sum();
    (bytes > 0).then_some(points * bytes as i64)
}

fn collect(k: &Kernel, stmts: &[Stmt], inside: bool, out: &mut BTreeSet<ParamId>) {
    for s in stmts {
        match s {
            Stmt::For { var, from, step, body, .. } => {
                out.extend(results(k, *var, from, step, body, inside));
                collect(k, body, true, out);
            }
            Stmt::If(_, a, b) => [a, b].into_iter().for_each(|list| collect(k, list, inside, out)),
            Stmt::While(_, body) => collect(k, body, true, out),
            _ => {}
        }
    }
}
