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
//! | `moves.rs` | `rotate slide pad reshape transpose` |
//! | `rows.rs` | `partition`, and `flatten` by a search for the row of each element |
//! | `strides.rs`, `strided_updates.rs` | strided slices: read, how far they reach, and written in one dimension or two |
//! | `updates.rs` | `update` at an index |
//! | `order.rs` | `precedes` |
//! | `merge_sort.rs` | `sort` outside of parallel code, and by keys with arrays in them |
//! | `sorting.rs` | `scatter` and `hist` by sorting, outside of parallel code |
//!
//! Declined, and left as they are for the flattener to refuse: `sort`, `scatter` and `hist` in parallel code, strided updates
//! of more than two dimensions. An update costs a copy of the array.

pub(in crate::optimise) mod build;
mod merge_sort;
mod moves;
mod order;
mod rows;
mod sorting;
mod strided_updates;
mod strides;
mod updates;

use build::Build;
use order::is_plain;
use terrace_base::IdVec;
use terrace_ir::ValueId;
use terrace_ir::core::{Body, Expr, Program, Role, Stmt, StmtKind, Value};

/// Spells out in all functions. Calls that are left in it must be recursive ones (`inline_calls` has run).
pub fn spell_out_views(program: &mut Program) {
    for function in program.functions.iter_mut() {
        // What is still called is called at many points at once.
        let once = function.role != Role::Internal;
        spell_out(&mut function.body, &mut function.values, once);
    }
}

/// Spells out in a body; `once` says that it does not run at many points at once.
fn spell_out(body: &mut Body, values: &mut IdVec<ValueId, Value>, once: bool) {
    let mut out = Vec::with_capacity(body.stmts.len());
    for mut stmt in std::mem::take(&mut body.stmts) {
        if let StmtKind::Let { value, expr, after } = &mut stmt.kind {
            let inner = once && matches!(expr, Expr::If { .. } | Expr::Loop { .. } | Expr::Match { .. });
            expr.bodies_mut().into_iter().for_each(|b| spell_out(b, values, inner));
            let mut build = Build::new(values, stmt.span, after.clone());
            if let Some(expr) = build.spelled(expr, once) {
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
    fn spelled(&mut self, expr: &Expr, once: bool) -> Option<Expr> {
        match expr {
            Expr::Rotate { by, array } => Some(self.rotate(*by, *array)),
            Expr::Slide { size, step, array } => Some(self.slide(*size, *step, *array)),
            Expr::Pad { left, right, mode, array } => Some(self.pad(*left, *right, *mode, *array)),
            Expr::Reshape { array, dims } => Some(self.reshape(*array, dims)),
            Expr::Transpose(rows) => Some(self.transpose(*rows)),
            Expr::Partition { sizes, array } => Some(self.partition(*sizes, *array)),
            Expr::Flatten(rows) => Some(self.flatten(*rows)),
            Expr::Strided { array, strides } => Some(self.strided(*array, strides)),
            Expr::Extent(strides) => Some(self.extent(strides)),
            Expr::Disjoint(strides) => self.disjoint(strides),
            Expr::UpdateStrided { array, strides, values } => self.update_strided(*array, strides, *values),
            Expr::Update { array, indices, value } => Some(self.update(*array, indices, *value)),
            Expr::Precedes(a, b) => Some(self.precedes(*a, *b)),
            Expr::Sort { keys, array } if once || !is_plain(&self.elem(*keys)) => Some(self.sort(*keys, *array)),
            Expr::Scatter { array, indices, values } if once => Some(self.scatter(*array, *indices, *values)),
            Expr::Hist { operator, neutral, count, indices, values } if once => {
                Some(self.hist(operator, *neutral, *count, *indices, *values))
            }
            _ => None,
        }
    }
}
