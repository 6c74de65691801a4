//! Reductions of a few points, written out.
//!
//! The window of a stencil has a length that the compiler knows: no loop, no lanes in memory, and what is computed from the position
//! inside the window is a constant.
//!
//! ```text
//! for p in 0 .. 9 { total += grid[i + p / 3, j + p % 3] }      a = grid[i, j]; b = a + grid[i, j + 1]; …; total = 0 + i
//! ```
//!
//! The association is that of [`super::reduce`], bit by bit; on a GPU, left to right. A sum begins with its neutral element in every lane there; here it is added once,
//! at the end: that makes the one difference there is, a zero without its sign. A product needs no one. Lanes are written in the
//! order in which they combine, so that few of them wait in registers.
//!
//! Declined: checks, masks, operators inside, neutral elements that are none, and whatever would become a long text.

use super::Lowered;
use super::body::atoms;
use super::build::{Builder, zero};
use super::expr::{add, as_int, binary, int};
use super::reduce::{Reduction, Row};
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::flat::{Body, Expr as FlatExpr};
use terrace_ir::kernel::Expr;

/// The most points.
const MOST_POINTS: i64 = 128;

/// The most points on a GPU, whose compilers take long over long texts.
const MOST_ON_GPU: i64 = 81;

/// The most statements of all points together.
const MOST_STMTS: i64 = 2048;

/// The number of statements of a body of scalar code without checks, branches included; none for any other.
fn straight(body: &Body) -> Option<i64> {
    let mut count = 0;
    for stmt in &body.stmts {
        count += match &stmt.expr {
            FlatExpr::If { then, otherwise, .. } => 1 + straight(then)? + straight(otherwise)?,
            e if super::body::is_scalar(e) => 1,
            _ => return None,
        };
    }
    Some(count)
}

/// Whether a constant changes nothing: the one of products, the zero of sums (up to the sign of zero).
fn is_neutral(op: BinOp, e: &Expr) -> bool {
    match (op, e) {
        (BinOp::Add, Expr::Const(c)) => *c == Scalar::zero(c.ty()),
        (BinOp::Mul, Expr::Const(Scalar::F32(x))) => *x == 1.0,
        (BinOp::Mul, Expr::Const(Scalar::F64(x))) => *x == 1.0,
        _ => false,
    }
}

impl Reduction<'_> {
    /// The number of points of a row, where they can be written out.
    pub fn few_points(&self, b: &Builder<'_>, length: &Expr) -> Option<i64> {
        let most = if b.target_is_cpu() { MOST_POINTS.min(self.block_size(b)) } else { MOST_ON_GPU };
        let n = as_int(length).filter(|n| (1..=most).contains(n))?;
        let body = straight(&self.op.body)? + straight(&self.operator.body)?;
        let plain = !self.masked && self.ok.is_none();
        (plain && n * body <= MOST_STMTS).then_some(n)
    }

    /// The combination of a row of `n` points.
    pub fn written_out(&self, b: &mut Builder<'_>, row: &Row, n: i64) -> Lowered<Vec<Expr>> {
        let neutral = atoms(b, self.neutral)?;
        match (self.lanes(b), neutral.as_slice()) {
            (Some((op, ty, lanes)), [zero]) if is_neutral(op, zero) => {
                let groups = n / lanes;
                let mut sum = None;
                if groups > 0 {
                    sum = Some(Lanes { reduction: self, row, op, ty, lanes, groups }.combined(b, 0, 1)?);
                }
                let mut rest = None;
                for k in groups * lanes..n {
                    let x = self.point(b, row, k)?.remove(0);
                    rest = Some(join(b, op, ty, rest, x));
                }
                if let Some(rest) = rest {
                    sum = Some(join(b, op, ty, sum, rest));
                }
                let sum = sum.unwrap_or_else(|| zero.clone());
                Ok(vec![if op == BinOp::Add { join(b, op, ty, Some(zero.clone()), sum) } else { sum }])
            }
            _ => {
                let types = self.types(b);
                let mut total = neutral.clone();
                for k in 0..n {
                    let x = self.point(b, row, k)?;
                    total = self.joined(b, &types, &total, &x)?;
                }
                // A CPU combines the block with the neutral element that the row began with.
                let again = b.target_is_cpu() && !self.is_exact(b);
                if again { self.joined(b, &types, &neutral, &total) } else { Ok(total) }
            }
        }
    }

    fn joined(&self, b: &mut Builder<'_>, types: &[ScalarType], x: &[Expr], y: &[Expr]) -> Lowered<Vec<Expr>> {
        let both = b.combine(self.operator, x, y)?;
        Ok(both.into_iter().zip(types).map(|(e, ty)| b.let_("sum", *ty, e)).collect())
    }

    /// The values at a point.
    fn point(&self, b: &mut Builder<'_>, row: &Row, k: i64) -> Lowered<Vec<Expr>> {
        let mut point = row.parent.clone();
        point.indices.push(int(k));
        point.positions.push(add(row.start.clone(), int(k)));
        point.define(b, self.op);
        let mut out: Vec<Expr> = self.types(b).into_iter().map(zero).collect();
        b.body(&self.op.body, |_, results| {
            out = results;
            Ok(())
        })?;
        Ok(out)
    }
}

fn join(b: &mut Builder<'_>, op: BinOp, ty: ScalarType, x: Option<Expr>, y: Expr) -> Expr {
    match x {
        Some(x) => b.let_("sum", ty, binary(op, x, y)),
        None => y,
    }
}

/// Whole groups of lanes.
struct Lanes<'r, 'o> {
    reduction: &'r Reduction<'o>,
    row: &'r Row,
    op: BinOp,
    ty: ScalarType,
    lanes: i64,
    groups: i64,
}

impl Lanes<'_, '_> {
    /// The lanes `l`, `l + apart`, `l + 2 * apart`, … together.
    fn combined(&self, b: &mut Builder<'_>, l: i64, apart: i64) -> Lowered<Expr> {
        if apart == self.lanes {
            let mut sum = None;
            for g in 0..self.groups {
                let x = self.reduction.point(b, self.row, g * self.lanes + l)?.remove(0);
                sum = Some(join(b, self.op, self.ty, sum, x));
            }
            return Ok(sum.unwrap_or_else(|| zero(self.ty)));
        }
        let x = self.combined(b, l, 2 * apart)?;
        let y = self.combined(b, l + apart, 2 * apart)?;
        Ok(join(b, self.op, self.ty, Some(x), y))
    }
}
