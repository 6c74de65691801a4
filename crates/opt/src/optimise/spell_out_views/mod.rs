//! Operators that only say which element goes where are spelled out as the few that the flattener knows.
//!
//! ```text
//! let ys = rotate xs by k       let n = length xs
//!                               let m = k % max(n, 1)
//!                               let ys = generate (i) < n {
//!                                 let j = i + m
//!                                 let p = if j < n { j } else { j - n }
//!                                 => xs[p]
//!                               }
//! ```
//!
//! A view costs nothing after that: the generate fuses with whatever reads it. What is made is fresh code with the span of
//! the operator, and every statement of it relies on the checks that the operator relied on, so it cannot move in front
//! of them. No check is added or left out.
//!
//! | file | operators |
//! | --- | --- |
//! | `moves.rs` | `rotate slide pad transpose` |
//! | `bisection.rs` | no operator: a search that others use |
//! | `strides.rs`, `disjoint.rs` | strided slices: read, how far they reach, whether their positions are distinct |
//! | `order.rs` | `precedes` |
//! | `head_sort.rs` | `sort` by rows of numbers, such as words |
//! | `merge_sort.rs` | `sort` by other keys with arrays in them, and by rows that begin alike |
//!
//! Declined, because the flattener knows them: updates, `scatter`, `hist`, `sort` by numbers and tuples of them, `flatten`, `partition`, `reshape`.

mod bisection;
pub(in crate::optimise) mod build;
mod disjoint;
mod head_sort;
mod merge_sort;
mod moves;
mod order;
mod strides;

use build::Build;
use order::is_plain;
use terrace_base::IdVec;
use terrace_ir::ValueId;
use terrace_ir::core::{Body, Expr, Program, Stmt, StmtKind, Value};

/// Spells out in all functions. Calls that are left in it must be recursive ones (`inline_calls` has run).
pub fn spell_out_views(program: &mut Program) {
    for function in program.functions.iter_mut() {
        spell_out(&mut function.body, &mut function.values);
    }
}

fn spell_out(body: &mut Body, values: &mut IdVec<ValueId, Value>) {
    let mut out = Vec::with_capacity(body.stmts.len());
    for mut stmt in std::mem::take(&mut body.stmts) {
        if let StmtKind::Let { value, expr, after } = &mut stmt.kind {
            expr.bodies_mut().into_iter().for_each(|b| spell_out(b, values));
            let mut build = Build::new(values, stmt.span, after.clone());
            if let Some(expr) = build.spelled(expr) {
                out.extend(build.stmts);
                let kind = StmtKind::Let { value: *value, expr, after: std::mem::take(after) };
                out.push(Stmt { kind, span: stmt.span });
                continue;
            }
        }
        out.push(stmt);
    }
    body.stmts = out;
}

impl Build<'_> {
    /// The same in other words, after the statements that it needs; nothing if it stays as it is.
    fn spelled(&mut self, expr: &Expr) -> Option<Expr> {
        match expr {
            Expr::Rotate { by, array } => Some(self.rotate(*by, *array)),
            Expr::Slide { size, step, array } => Some(self.slide(*size, *step, *array)),
            Expr::Pad { left, right, mode, array } => Some(self.pad(*left, *right, *mode, *array)),
            Expr::Transpose(rows) => Some(self.transpose(*rows)),
            Expr::Strided { array, strides } => Some(self.strided(*array, strides)),
            Expr::Extent(strides) => Some(self.extent(strides)),
            Expr::Disjoint(strides) => Some(self.disjoint(strides)),
            Expr::Precedes(a, b) => Some(self.precedes(*a, *b)),
            Expr::Sort { keys, array } if !is_plain(&self.elem(*keys)) => Some(self.sort(*keys, *array)),
            _ => None,
        }
    }
}
