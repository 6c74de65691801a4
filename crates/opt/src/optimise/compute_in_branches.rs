//! What only branches want is computed in them, each for itself.
//!
//! ```text
//! let near = map (p) in points { => squared(p) }
//! let few = if known {                                    let few = if known {
//!   let kept = filter (d) in near { => d < bound }          let near = map (p) in points { => squared(p) }
//!   => kept                                          →      let kept = filter (d) in near { => d < bound }
//! } else { => near }                                        => kept
//!                                                         } else { let near = map (p) in points { … } => near }
//! ```
//!
//! On the left all distances are written to memory and read again, because an array from before a branch cannot be fused with what
//! the branch does. On the right they can, and a branch that is not taken computes nothing. Several branches may each have their copy: what
//! moves takes as long to compute as to read.
//!
//! Only maps move whose elements are a few operations on numbers that cannot fail. Single elements that something outside of the branches reads, a sample for
//! instance, are computed where they are read. Declined: maps that something outside of branches wants as a whole, or reads more than twice, or in
//! loops within loops; maps over what another map goes through outside of branches, because both are computed in one pass; branches in parallel code or loops that the map does not stand in, where it would be computed again and again; and maps before anything
//! that may write over an array in place, which nobody should want to read later.

use super::fuse::computed_where_read;
use super::total::{calls_a_function, is_total};
use std::collections::BTreeMap;
use terrace_base::IdVec;
use terrace_ir::core::visit::{refresh_lambda, substitute_with_types};
use terrace_ir::core::{Body, Expr, Lambda, Program, Stmt, StmtKind, Value};
use terrace_ir::{Atom, ValueId};

/// Arrays that are read to compute one element: more than that take longer to read again than the result.
const SOURCES: usize = 2;

/// How many readers of single elements compute them themselves.
const READERS: usize = 2;

/// Moves maps in all functions.
pub fn compute_in_branches(program: &mut Program) {
    for function in program.functions.iter_mut() {
        move_in(&mut function.body, &mut function.values, &mut BTreeMap::new());
    }
}

/// Numbers in order, by the array that they are.
type Numbers = BTreeMap<ValueId, Stmt>;
type Values = IdVec<ValueId, Value>;

fn move_in(body: &mut Body, values: &mut Values, numbers: &mut Numbers) {
    let mut at = 0;
    while at < body.stmts.len() {
        if let StmtKind::Let { value, expr: Expr::Iota(_), .. } = &body.stmts[at].kind {
            numbers.insert(*value, body.stmts[at].clone());
        }
        let behind = &body.stmts[at + 1..];
        if let StmtKind::Let { value, expr, .. } = &body.stmts[at].kind
            && let Some(count) = cheap(expr, values)
            && body.result.var() != Some(*value)
            && wanted_in_branches(*value, behind)
            && !behind.iter().any(|s| may_write(s, values))
            && !has_company(expr, *value, &body.stmts, numbers)
        {
            let behind = body.stmts.split_off(at + 1);
            if let Some(map) = body.stmts.pop() {
                body.stmts.extend(behind.into_iter().flat_map(|s| moved(s, &map, count, numbers, values)));
            }
            continue;
        }
        at += 1;
    }
    for stmt in &mut body.stmts {
        if let StmtKind::Let { expr, .. } = &mut stmt.kind {
            expr.bodies_mut().into_iter().for_each(|b| move_in(b, values, numbers));
        }
    }
}

/// What says how long an array is.
#[derive(Clone, Copy)]
enum Count {
    Of(Atom),
    Is(Atom),
}

/// Whether an array is as fast to compute as to read; then, what says how long it is.
fn cheap(expr: &Expr, values: &Values) -> Option<Count> {
    let few = |lambda: &Lambda, given: usize| {
        let mut reads = given;
        let number = |a: Atom| a.var().is_none_or(|v| values[v].ty.is_flat());
        number(lambda.body.result) && is_cheap(&lambda.body, values, &mut reads) && reads <= SOURCES
    };
    match expr {
        Expr::Map { lambda, arrays } if few(lambda, arrays.len()) => Some(Count::Of(*arrays.first()?)),
        Expr::Generate { lambda, count } if few(lambda, 0) => Some(Count::Is(*count)),
        _ => None,
    }
}

/// Whether a body is a few operations on numbers that cannot fail; it may read arrays where all checks have been made.
fn is_cheap(body: &Body, values: &Values, reads: &mut usize) -> bool {
    body.stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Let { value, expr: Expr::Index { .. }, .. } => {
            *reads += 1;
            values[*value].ty.is_flat()
        }
        StmtKind::Let { expr: Expr::If { then, otherwise, .. }, .. } => {
            is_cheap(then, values, reads) && is_cheap(otherwise, values, reads)
        }
        StmtKind::Let { expr, .. } => !calls_a_function(expr) && is_total(stmt, values),
        StmtKind::Check { proved, .. } => *proved,
    })
}

/// Whether branches want an array as a whole, and nobody else more than a few elements.
fn wanted_in_branches(array: ValueId, behind: &[Stmt]) -> bool {
    let (mut wanted, mut readers) = (false, 0);
    let alone = behind.iter().all(|stmt| {
        let StmtKind::Let { expr, .. } = &stmt.kind else { return true };
        readers += readers_in(expr, array, 0);
        match expr {
            Expr::If { then, otherwise, .. } => {
                wanted |= [then, otherwise].iter().any(|b| wants(b, array));
                true
            }
            expr => !expr_wants(expr, array),
        }
    });
    alone && wanted && readers <= READERS
}

/// Whether another operator goes through one of the arrays that a map goes through.
fn has_company(map: &Expr, value: ValueId, stmts: &[Stmt], numbers: &Numbers) -> bool {
    let Expr::Map { arrays, .. } = map else { return false };
    let shared = |a: &Atom| arrays.contains(a) && a.var().is_some_and(|v| !numbers.contains_key(&v));
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Let { value: other, expr, .. } if *other != value => {
            expr.operator_name().is_some() && expr.operands().iter().any(shared)
        }
        _ => false,
    })
}

/// Whether a statement may write over an array that it is given.
fn may_write(stmt: &Stmt, values: &Values) -> bool {
    let StmtKind::Let { expr, .. } = &stmt.kind else { return false };
    let own = match expr {
        Expr::Update { .. } | Expr::UpdateStrided { .. } | Expr::Scatter { .. } | Expr::Call { .. } => true,
        Expr::Loop { state, .. } => !values[*state].ty.is_flat(),
        _ => false,
    };
    own || expr.bodies().into_iter().any(|b| b.stmts.iter().any(|s| may_write(s, values)))
}

/// How many expressions read single elements; those in a loop within a loop are too many. Branches that want the whole array count for nothing.
fn readers_in(expr: &Expr, array: ValueId, depth: usize) -> usize {
    let is_branch = matches!(expr, Expr::If { .. });
    let own = match expr {
        Expr::Index { array: of, .. } if *of == Atom::Var(array) => [1, 1, READERS + 1][depth.min(2)],
        _ => 0,
    };
    let bodies = expr.bodies().into_iter().filter(|b| !(is_branch && depth == 0 && wants(b, array)));
    let within = |s: &Stmt| match &s.kind {
        StmtKind::Let { expr, .. } => readers_in(expr, array, depth + usize::from(!is_branch)),
        StmtKind::Check { .. } => 0,
    };
    own + bodies.map(|b| b.stmts.iter().map(within).sum::<usize>()).sum::<usize>()
}

/// Whether a body uses an array otherwise than by its length and by single elements.
fn wants(body: &Body, array: ValueId) -> bool {
    body.result == Atom::Var(array)
        || body.stmts.iter().any(|s| matches!(&s.kind, StmtKind::Let { expr, .. } if expr_wants(expr, array)))
}

fn expr_wants(expr: &Expr, array: ValueId) -> bool {
    let own = match expr {
        Expr::Length(_) | Expr::Index { .. } => false,
        other => other.operands().contains(&Atom::Var(array)),
    };
    own || expr.bodies().into_iter().any(|b| wants(b, array))
}

/// A statement without the map: branches that want it have their own, elements are computed, and lengths are those of what it is made of.
fn moved(mut stmt: Stmt, map: &Stmt, count: Count, numbers: &Numbers, values: &mut Values) -> Vec<Stmt> {
    let StmtKind::Let { value: array, .. } = map.kind else { return vec![stmt] };
    if let StmtKind::Let { expr, .. } = &mut stmt.kind {
        if let Expr::If { then, otherwise, .. } = expr {
            for branch in [then, otherwise].into_iter().filter(|b| wants(b, array)) {
                let (copies, value) = copied(map, array, numbers, values);
                substitute_with_types(branch, values, &BTreeMap::from([(array, Atom::Var(value))]));
                branch.stmts.splice(0..0, copies);
            }
        }
        count_sources(expr, array, count);
    }
    computed_where_read(map, stmt, values)
}

/// The map under another name, with its own numbers in order.
fn copied(map: &Stmt, array: ValueId, numbers: &Numbers, values: &mut Values) -> (Vec<Stmt>, ValueId) {
    let mut copy = map.clone();
    let (mut out, new) = (Vec::new(), values.push(values[array].clone()));
    if let StmtKind::Let { value, expr, .. } = &mut copy.kind {
        *value = new;
        if let Expr::Map { arrays, .. } = expr {
            for source in arrays {
                let Some((old, own)) = source.var().and_then(|v| Some((v, numbers.get(&v)?))) else { continue };
                let mut own = own.clone();
                if let StmtKind::Let { value, .. } = &mut own.kind {
                    *value = values.push(values[old].clone());
                    *source = Atom::Var(*value);
                }
                out.push(own);
            }
        }
        if let Expr::Map { lambda, .. } | Expr::Generate { lambda, .. } = expr {
            refresh_lambda(lambda, values);
        }
    }
    out.push(copy);
    (out, new)
}

/// Asks what an array is made of for its length.
fn count_sources(expr: &mut Expr, array: ValueId, count: Count) {
    if *expr == Expr::Length(Atom::Var(array)) {
        *expr = match count {
            Count::Of(source) => Expr::Length(source),
            Count::Is(count) => Expr::Atom(count),
        };
    }
    for body in expr.bodies_mut() {
        for stmt in &mut body.stmts {
            if let StmtKind::Let { expr, .. } = &mut stmt.kind {
                count_sources(expr, array, count);
            }
        }
    }
}
