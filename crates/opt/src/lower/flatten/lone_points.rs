//! Bodies of maps that a thread may run by itself, as functions.
//!
//! A loop in parallel code whose turns make arrays is repeated by the host, each turn for all points (`loops.rs`). Where there are
//! many points a CPU has enough to do with one per thread, which runs all turns of its point with its arrays in the cache. What a thread
//! runs is a function of its own (`kept.rs`), so the bodies of such maps are made functions, beside the program and not in place of it:
//!
//! ```text
//! [loop row = first(x) for i < n do step(row, i) for x in xs]
//!
//! beside it    f#1(n, x) = loop row = first(x) for i < n do step(row, i)      by a thread, where the guard says so
//! ```
//!
//! The map itself stays as it is for the other side of the guard, with all that is known about its sizes. What is known about the sizes of a function comes from
//! how it is called, so the analysis sees the same program once more with calls in these places ([`LonePoints::with_calls`]).
//!
//! Declined: bodies that give rows of rows of different lengths, or call a function that gives rows of rows; loops that a thread runs anyway (`private`); bodies within
//! a body that is taken already; arrays of a few elements, which lie better side by side.

use super::kept::calls_alone;
use super::plain::is_scalar_stmt;
use super::private::runs_in_place;
use crate::analysis::shapes::Analysis;
use std::collections::BTreeMap;
use terrace_base::IdVec;
use terrace_ir::core::visit::{checks_in, copy_body, free_values_of_lambda, walk_mut};
use terrace_ir::core::{Body, Expr, Function, Lambda, Program, Role, Stmt, StmtKind, Type, Value};
use terrace_ir::shape::{FunctionShapes, Shape};
use terrace_ir::{Atom, FuncId, ValueId};

/// Arrays up to this length are better off side by side with those of other points.
const FEW: i64 = 16;

/// The body of a map as a function.
#[derive(Clone, Debug)]
pub(super) struct LonePoint {
    pub(super) function: FuncId,
    /// What the function is given: values of the map's surroundings, then its elements.
    pub(super) given: Vec<ValueId>,
}

/// The bodies of maps that threads may run, by the function that they stand in and their first parameter.
#[derive(Clone, Debug, Default)]
pub struct LonePoints {
    of: BTreeMap<(FuncId, ValueId), LonePoint>,
}

impl LonePoints {
    /// Finds them, and adds their functions to the program. `analysis` is of the program as it was.
    pub fn find(program: &mut Program, analysis: &Analysis) -> LonePoints {
        let mut points = LonePoints::default();
        for id in program.functions.ids() {
            let function = program.functions[id].clone();
            let mut found = Vec::new();
            lambdas(&function.body, &function.values, &analysis.shapes.functions[id], &mut found);
            for (nr, lambda) in found.into_iter().enumerate() {
                let (body, given) = outlined(&function, lambda, nr + 1);
                if calls_alone(program, &body) {
                    let body = program.functions.push(body);
                    points.of.insert((id, lambda.params[0]), LonePoint { function: body, given });
                }
            }
        }
        points
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The program with calls of the functions where their bodies stand.
    pub fn with_calls(&self, program: &Program) -> Program {
        let mut program = program.clone();
        for ((id, first), point) in &self.of {
            let result = program.functions[point.function].result.clone();
            let function = &mut program.functions[*id];
            let value = function.values.push(Value { name: "point".into(), ty: result });
            call_instead(&mut function.body, *first, point, value);
        }
        program
    }

    pub(super) fn get(&self, function: FuncId, lambda: &Lambda) -> Option<&LonePoint> {
        self.of.get(&(function, *lambda.params.first()?))
    }
}

/// The outermost bodies of maps with a loop that the host would repeat.
fn lambdas<'b>(body: &'b Body, types: &IdVec<ValueId, Value>, shapes: &FunctionShapes, out: &mut Vec<&'b Lambda>) {
    for stmt in &body.stmts {
        let StmtKind::Let { expr, .. } = &stmt.kind else { continue };
        match expr {
            Expr::Map { lambda, .. } | Expr::Generate { lambda, .. } if repeats(&lambda.body, types, shapes) => {
                out.push(lambda);
            }
            _ => expr.bodies().into_iter().for_each(|b| lambdas(b, types, shapes, out)),
        }
    }
}

/// Whether a body has a loop, in no parallel code of its own, that the host would repeat.
fn repeats(body: &Body, types: &IdVec<ValueId, Value>, shapes: &FunctionShapes) -> bool {
    body.stmts.iter().any(|stmt| {
        let StmtKind::Let { expr, .. } = &stmt.kind else { return false };
        match expr {
            Expr::Loop { state, form, body, .. } => {
                !is_scalar_stmt(stmt, types)
                    && !runs_in_place(*state, form, body, types)
                    && !shapes.values.get(state).is_some_and(has_few)
            }
            Expr::If { then, otherwise, .. } => [then, otherwise].iter().any(|b| repeats(b, types, shapes)),
            _ => false,
        }
    })
}

/// Whether there are arrays in a state, all of them short.
fn has_few(state: &Shape) -> bool {
    fn longest(shape: &Shape, out: &mut Option<i64>) -> bool {
        match shape {
            Shape::Array(length, elem) => match (length.as_constant(), &**elem) {
                (Some(n), Shape::Integer(_) | Shape::Other) => {
                    *out = (*out).max(Some(n));
                    true
                }
                _ => false,
            },
            Shape::Tuple(parts) => parts.iter().all(|p| longest(p, out)),
            Shape::Integer(_) | Shape::Other => true,
            Shape::Sum(_) => false,
        }
    }
    let mut most = None;
    longest(state, &mut most) && most.is_some_and(|n| n <= FEW)
}

/// The body of a lambda as a function, the `nr`th of those of `function`.
fn outlined(function: &Function, lambda: &Lambda, nr: usize) -> (Function, Vec<ValueId>) {
    let mut given: Vec<ValueId> = free_values_of_lambda(lambda).into_iter().collect();
    given.extend(&lambda.params);
    let mut values = IdVec::new();
    let mut map = BTreeMap::new();
    let params: Vec<ValueId> = given
        .iter()
        .map(|v| {
            let Value { name, ty } = &function.values[*v];
            let param = values.push(Value { name: name.clone(), ty: ty.without_sizes() });
            map.insert(*v, Atom::Var(param));
            param
        })
        .collect();
    let mut body = copy_body(&lambda.body, &function.values, &mut values, &mut map);
    // Checks of the surroundings have held when a thread begins.
    let own = checks_in(&body);
    walk_mut(&mut body, &mut |stmt| {
        if let StmtKind::Let { after, .. } = &mut stmt.kind {
            after.retain(|check| own.contains(check));
        }
    });
    // Sizes in types speak of values that the function does not have.
    values.iter_mut().for_each(|v| v.ty = v.ty.without_sizes());
    let result = match body.result {
        Atom::Const(c) => Type::Scalar(c.ty()),
        Atom::Var(v) => values[v].ty.clone(),
    };
    let span = lambda.body.stmts.first().map_or(function.span, |s| s.span);
    let consumed = vec![false; params.len()];
    let name = format!("{}#{nr}", function.name);
    let source = function.source.clone();
    (Function { name, source, role: Role::Internal, values, params, consumed, result, body, span }, given)
}

fn call_instead(body: &mut Body, first: ValueId, point: &LonePoint, value: ValueId) {
    for stmt in &mut body.stmts {
        let span = stmt.span;
        let StmtKind::Let { expr, .. } = &mut stmt.kind else { continue };
        match expr {
            Expr::Map { lambda, .. } | Expr::Generate { lambda, .. } if lambda.params.first() == Some(&first) => {
                let args = point.given.iter().map(|v| Atom::Var(*v)).collect();
                let call = Expr::Call { function: point.function, args };
                let kind = StmtKind::Let { value, expr: call, after: Vec::new() };
                lambda.body = Body { stmts: vec![Stmt { kind, span }], result: Atom::Var(value) };
                return;
            }
            _ => expr.bodies_mut().into_iter().for_each(|b| call_instead(b, first, point, value)),
        }
    }
}
