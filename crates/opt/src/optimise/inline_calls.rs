//! Calls of functions that are not recursive are replaced by the function's body.
//!
//! Afterwards the only calls left are recursive ones, which is what the flattener wants: a call that stands inside parallel
//! code must either be scalar code, visible as such, or a wave of a recursion. Text grows with the number of calls; a
//! function that is large and called often should later stay a function.

use std::collections::BTreeMap;
use terrace_base::IdVec;
use terrace_ir::core::visit::{copy_body, walk};
use terrace_ir::core::{Body, Expr, Function, Program, Stmt, StmtKind, Value};
use terrace_ir::{Atom, FuncId, ValueId};

/// Inlines in all functions.
pub fn inline_calls(program: &mut Program) {
    let recursive = recursive_functions(program);
    let mut done: BTreeMap<FuncId, Function> = BTreeMap::new();
    for id in program.functions.ids() {
        inlined(program, id, &recursive, &mut done);
    }
    for (id, function) in done {
        program.functions[id] = function;
    }
}

/// The functions that can reach themselves by calls.
pub fn recursive_functions(program: &Program) -> Vec<bool> {
    let calls: Vec<Vec<FuncId>> = program.functions.iter().map(|f| callees(&f.body)).collect();
    let reaches = |from: FuncId| {
        let mut seen = vec![false; calls.len()];
        let mut stack = calls[from.index()].clone();
        while let Some(f) = stack.pop() {
            if !std::mem::replace(&mut seen[f.index()], true) {
                stack.extend(&calls[f.index()]);
            }
        }
        seen[from.index()]
    };
    program.functions.ids().map(reaches).collect()
}

/// The functions that a body calls, at any depth.
pub(super) fn callees(body: &Body) -> Vec<FuncId> {
    let mut found = Vec::new();
    walk(body, &mut |s| {
        if let StmtKind::Let { expr: Expr::Call { function, .. }, .. } = &s.kind {
            found.push(*function);
        }
    });
    found
}

fn inlined(program: &Program, id: FuncId, recursive: &[bool], done: &mut BTreeMap<FuncId, Function>) {
    if done.contains_key(&id) {
        return;
    }
    let mut function = program.functions[id].clone();
    for callee in callees(&function.body) {
        if !recursive[callee.index()] {
            inlined(program, callee, recursive, done);
        }
    }
    let mut body = std::mem::replace(&mut function.body, Body { stmts: Vec::new(), result: Atom::int(0) });
    inline_body(&mut body, &mut function.values, recursive, done);
    function.body = body;
    done.insert(id, function);
}

fn inline_body(
    body: &mut Body,
    values: &mut IdVec<ValueId, Value>,
    recursive: &[bool],
    done: &BTreeMap<FuncId, Function>,
) {
    let mut out = Vec::with_capacity(body.stmts.len());
    for mut stmt in std::mem::take(&mut body.stmts) {
        if let StmtKind::Let { expr, .. } = &mut stmt.kind {
            expr.bodies_mut().into_iter().for_each(|b| inline_body(b, values, recursive, done));
        }
        match stmt.kind {
            StmtKind::Let { value, expr: Expr::Call { function, args }, after } if !recursive[function.index()] => {
                let callee = &done[&function];
                let mut map = callee.params.iter().copied().zip(args).collect();
                let first = values.len();
                let copy = copy_body(&callee.body, &callee.values, values, &mut map);
                for v in first..values.len() {
                    // Sizes in the callee's types name positions that the caller does not have.
                    let ty = values[ValueId::new(v)].ty.without_sizes();
                    values[ValueId::new(v)].ty = ty;
                }
                out.extend(copy.stmts);
                out.push(Stmt { kind: StmtKind::Let { value, expr: Expr::Atom(copy.result), after }, span: stmt.span });
            }
            _ => out.push(stmt),
        }
    }
    body.stmts = out;
}
