//! From Mem back to Flat: forget where columns live.
//!
//! ```text
//! let b_2 : block = alloc f64 n_0
//! let ys_3 : f64[n_0] @ b_2 + 0 {n_0 by 1} = map grid …     becomes     let ys_3 : f64[n_0] = map grid …
//! ```
//!
//! Places go, `alloc` statements go, and so does every value that is a block: parameters, arguments, results, and the
//! blocks that a branch or a loop hands on. Numbers of values stay, so that the two programs can be compared line by line.

use super::{Function, Program};
use crate::flat::{self, Body, Expr, Stmt, Type, Value};
use crate::{Atom, ValueId};
use terrace_base::IdVec;

/// The Flat program that a Mem program computes.
pub fn erase(program: &Program) -> flat::Program {
    flat::Program {
        functions: program.functions.iter().map(erase_function).collect(),
        checks: program.checks.clone(),
        thresholds: program.thresholds.clone(),
    }
}

fn erase_function(function: &Function) -> flat::Function {
    let blocks = Blocks { values: &function.values };
    let values = function.values.iter().map(|v| Value {
        name: v.name.clone(),
        // A number that was a block binds nothing any more; any type will do.
        ty: if v.ty == Type::Block { Type::Scalar(terrace_base::ScalarType::Bool) } else { v.ty.clone() },
        bound: v.bound.clone(),
        at: (),
    });
    flat::Function {
        name: function.name.clone(),
        role: function.role.clone(),
        values: values.collect(),
        params: function.params.iter().copied().filter(|p| !blocks.has(*p)).collect(),
        owned: function.owned.clone(),
        param_layouts: function.param_layouts.clone(),
        results: function.results.iter().filter(|t| **t != Type::Block).cloned().collect(),
        result_layout: function.result_layout.clone(),
        body: blocks.body(&function.body),
        span: function.span,
    }
}

struct Blocks<'a> {
    values: &'a IdVec<ValueId, super::Value>,
}

impl Blocks<'_> {
    fn has(&self, v: ValueId) -> bool {
        self.values.get(v).is_some_and(|value| value.ty == Type::Block)
    }

    fn drop_atoms(&self, atoms: &mut Vec<Atom>) {
        atoms.retain(|a| a.var().is_none_or(|v| !self.has(v)));
    }

    fn body(&self, body: &Body) -> Body {
        let mut results = body.results.clone();
        self.drop_atoms(&mut results);
        Body { stmts: body.stmts.iter().filter_map(|s| self.stmt(s)).collect(), results }
    }

    fn stmt(&self, stmt: &Stmt) -> Option<Stmt> {
        let mut stmt = stmt.clone();
        match &mut stmt.expr {
            Expr::Alloc { .. } => return None,
            Expr::Atom(Atom::Var(v)) if self.has(*v) => return None,
            Expr::Call { args, .. } | Expr::Keep { args, .. } => self.drop_atoms(args),
            Expr::Loop { state, .. } => state.retain(|(v, _)| !self.has(*v)),
            _ => {}
        }
        stmt.binds.retain(|v| !self.has(*v));
        stmt.expr.bodies_mut().into_iter().for_each(|b| *b = self.body(b));
        Some(stmt)
    }
}
