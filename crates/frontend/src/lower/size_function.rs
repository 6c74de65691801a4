//! Size functions: the lengths of a parameter's rows, as an array.
//!
//! ```text
//! def f[n, k](xs: [i < n][k(i)]f64, ys: [i < n][k(i)]f64)
//!
//!   let k : []i64 = map (row) in xs { length row }      k(i) is k[i], with a check that i is a position
//! ```
//!
//! A function of two positions is an array of arrays, and so on.

use super::body::{I64, Lower};
use crate::signature::{RowStep, Step};
use terrace_base::Span;
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Type};

/// The same way without the arguments.
pub(super) fn steps(path: &[RowStep]) -> Vec<Step> {
    let step = |s: &RowStep| match s {
        RowStep::Component(k) => Step::Component(*k),
        RowStep::Argument(_) => Step::First,
    };
    path.iter().map(step).collect()
}

impl Lower<'_, '_> {
    /// The lengths at the end of a path, one per element on the way.
    pub(super) fn row_lengths(&mut self, value: Atom, path: &[RowStep], span: Span) -> Atom {
        match path.split_first() {
            None => self.length(value, span),
            Some((RowStep::Component(k), rest)) => {
                let part = self.project(value, *k, span);
                self.row_lengths(part, rest, span)
            }
            Some((RowStep::Argument(_), rest)) => {
                let params = vec![("row".to_string(), self.elem_type(value))];
                let lambda = self.lambda(params, |l, row| l.row_lengths(row[0], rest, span));
                let ty = Type::array(self.type_of(lambda.body.result).without_sizes());
                self.emit("lengths", ty, Expr::Map { lambda, arrays: vec![value] }, span)
            }
        }
    }

    /// A value of a size function.
    pub(super) fn size_function_at(&mut self, lengths: Atom, args: &[Atom], span: Span) -> Atom {
        let found = args.iter().fold(lengths, |array, at| self.element(array, *at, span, span));
        debug_assert_eq!(self.type_of(found), I64);
        self.mark_length(found);
        found
    }
}
