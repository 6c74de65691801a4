//! The reduction of a row whose elements are known.
//!
//! Floats are added up in the association that rows have on a CPU (`lower::kernels::reduce`), so that a sum does not depend on whether its row was
//! spelled out: element `j` goes to lane `j mod L`, lanes combine pairwise, what is left over combines left to right and comes last, and the neutral element stands
//! before all of it.
//!
//! ```text
//! 3 of f64, L = 8       0 + ((x0 + x1) + x2)
//! 9 of f64, L = 8       0 + ((((x0 + x4) + (x2 + x6)) + ((x1 + x5) + (x3 + x7))) + x8)
//! ```
//!
//! Declined: operators with checks, and long texts.

use super::{MOST_STMTS, Pass, Place, Values, checked_size};
use terrace_base::BinOp;
use terrace_ir::core::{Expr, Lambda, Stmt, StmtKind, Type};
use terrace_ir::{Atom, ValueId};

/// What combines two values.
struct Combine<'a> {
    pass: &'a mut Pass,
    operator: &'a Lambda,
    values: &'a mut Values,
    stmts: Vec<Stmt>,
}

impl Combine<'_> {
    fn join(&mut self, a: Atom, b: Atom) -> Atom {
        let (result, stmts) = self.pass.applied(self.operator, &[a, b], self.values);
        self.stmts.extend(stmts);
        result
    }

    fn all(&mut self, elems: &[Atom]) -> Option<Atom> {
        elems.iter().copied().reduce(|a, b| self.join(a, b))
    }

    /// The lanes `l`, `l + apart`, `l + 2 * apart`, … of whole groups.
    fn lanes(&mut self, groups: &[Atom], lanes: usize, l: usize, apart: usize) -> Atom {
        if apart == lanes {
            let lane: Vec<Atom> = groups.iter().skip(l).step_by(lanes).copied().collect();
            return self.all(&lane).expect("there is a whole group");
        }
        let (a, b) = (self.lanes(groups, lanes, l, 2 * apart), self.lanes(groups, lanes, l + apart, 2 * apart));
        self.join(a, b)
    }
}

impl Pass {
    /// The combination of all elements.
    pub(super) fn summed(
        &mut self,
        place: &Place<'_>,
        operator: &Lambda,
        neutral: Atom,
        elems: &[Atom],
        values: &mut Values,
        out: &mut Vec<Stmt>,
    ) -> Option<Atom> {
        let size = checked_size(&operator.body)? * elems.len();
        if size > MOST_STMTS || size > self.room {
            return None;
        }
        self.room -= size;
        let lanes = lanes_of(operator, values).filter(|lanes| *lanes <= elems.len());
        let mut combine = Combine { pass: self, operator, values, stmts: Vec::new() };
        let mut sum = None;
        let mut rest = elems;
        if let Some(lanes) = lanes {
            let (groups, left) = elems.split_at(elems.len() / lanes * lanes);
            sum = Some(combine.lanes(groups, lanes, 0, 1));
            rest = left;
        }
        if let Some(rest) = combine.all(rest) {
            sum = Some(sum.map_or(rest, |sum| combine.join(sum, rest)));
        }
        let total = sum.map_or(neutral, |sum| combine.join(neutral, sum));
        let mut stmts = combine.stmts;
        // The sum is safe where the reduction is.
        for stmt in &mut stmts {
            if let StmtKind::Let { after, .. } = &mut stmt.kind {
                after.extend(place.after.iter().filter(|c| !after.contains(c)).copied().collect::<Vec<_>>());
            }
        }
        out.extend(stmts);
        Some(total)
    }
}

/// The lanes of a float sum or product.
fn lanes_of(operator: &Lambda, values: &Values) -> Option<usize> {
    let Type::Scalar(ty) = values[*operator.params.first()?].ty else { return None };
    let result: ValueId = operator.body.result.var()?;
    let is_sum = operator.body.stmts.iter().any(|s| match &s.kind {
        StmtKind::Let { value, expr: Expr::Binary(BinOp::Add | BinOp::Mul, ..), .. } => *value == result,
        _ => false,
    });
    (is_sum && ty.is_float()).then_some(if ty.size_bytes() == 4 { 16 } else { 8 })
}
