//! What a wave of a recursion will need at each of its points.
//!
//! The arrays that a wave is given are known when it is called. Those that it makes are not, but where their lengths are numbers, or are the same at
//! all points, they can be counted in the text of the function:
//!
//! ```text
//! def area(a, b) =
//!   let points = [f(…) for i < 64]                       64 elements
//!   in if … then … else sum([area(…) for k < 2])         2 more, and two calls that make as many each
//! ```
//!
//! The wave of that branch plans for 2 * 66 elements at each point, beside what it always does. It is an estimate: both branches count, a loop
//! counts once, and what is fused away counts although it is never stored.
//!
//! Declined: lengths that differ from point to point. They come from the arrays that a wave is given, as in quicksort, or are nobody's guess.

use super::build::size_of;
use super::rep::Rep;
use super::{Env, Flattener};
use std::collections::BTreeMap;
use terrace_algebra::Size;
use terrace_ir::core::{Body, Expr, StmtKind};
use terrace_ir::{Atom, ValueId};

/// A formula of a higher degree is not worth computing.
const HIGHEST_DEGREE: u32 = 3;

impl Flattener<'_> {
    /// How many elements a call of the present function makes at a point, by the values that are the same at all points.
    pub(super) fn made_at_a_point(&self, env: &Env) -> Size {
        let known = |atom: Atom| match (atom, atom.var().and_then(|v| env.get(&v))) {
            (Atom::Const(c), _) => c.as_i64().map(Size::constant),
            (Atom::Var(_), Some(Rep::Scalar(ix, _))) => {
                let uniform = ix.uniform().filter(|a| a.var().is_none_or(|v| self.fun.host_known.contains(&v)));
                uniform.map(size_of)
            }
            _ => None,
        };
        let mut count = Count { known: &known, lengths: BTreeMap::new(), made: Size::zero(), calls: Size::zero() };
        count.body(&self.source().body, &Size::one());
        let calls = if count.calls.is_zero() { Size::one() } else { count.calls };
        let made = &count.made * &calls;
        if made.degree() > HIGHEST_DEGREE { Size::zero() } else { made }
    }
}

struct Count<'a> {
    known: &'a dyn Fn(Atom) -> Option<Size>,
    lengths: BTreeMap<ValueId, Size>,
    made: Size,
    calls: Size,
}

impl Count<'_> {
    fn body(&mut self, body: &Body, times: &Size) {
        for stmt in &body.stmts {
            let StmtKind::Let { value, expr, .. } = &stmt.kind else { continue };
            let length = self.length(expr);
            if let Some(length) = &length {
                self.lengths.insert(*value, length.clone());
                // Positions are never stored.
                if !matches!(expr, Expr::Iota(_)) {
                    self.made = &self.made + &(length * times);
                }
            }
            if matches!(expr, Expr::Call { .. }) {
                self.calls = &self.calls + times;
            }
            let inside = match (expr, length) {
                (Expr::Map { .. } | Expr::Generate { .. }, Some(length)) => &length * times,
                _ => times.clone(),
            };
            expr.bodies().into_iter().for_each(|b| self.body(b, &inside));
        }
    }

    fn length(&self, expr: &Expr) -> Option<Size> {
        let of = |array: &Atom| self.lengths.get(&array.var()?).cloned();
        match expr {
            Expr::Iota(count) | Expr::Replicate { count, .. } | Expr::Hist { count, .. } => (self.known)(*count),
            Expr::Generate { count, .. } => (self.known)(*count),
            Expr::ArrayLiteral { elems, .. } => Some(Size::constant(elems.len() as i64)),
            Expr::Map { arrays, .. } => arrays.iter().find_map(of),
            Expr::Scan { array, .. } | Expr::Filter { array, .. } | Expr::Sort { array, .. } => of(array),
            Expr::Update { array, .. } | Expr::Scatter { array, .. } | Expr::Rotate { array, .. } => of(array),
            _ => None,
        }
    }
}
