//! Reductions and choices of a few points, written out.
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
//! A map that chooses by its position among a few, as where elements become an array, is written out as well: no point asks.
//!
//! ```text
//! for k in 0 .. 3 { out[3 * p + k] = if k == 0 { x } else if k == 1 { y } else { z } }      out[3 * p] = x; out[3 * p + 1] = y; out[3 * p + 2] = z
//! ```
//!
//! Declined: checks, masks, operators inside, neutral elements that are none, and whatever would become a long text.

use super::Lowered;
use super::body::atoms;
use super::build::{Builder, zero};
use super::company::Company;
use super::expr::{add, as_int, binary, int};
use super::reduce::{Reduction, Row};
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::flat::{Body, Descriptor, Expr as FlatExpr, Op};
use terrace_ir::kernel::Expr;
use terrace_ir::{Atom, ValueId};

/// The most points.
const MOST_POINTS: i64 = 128;

/// The most points on a GPU, whose compilers take long over long texts.
const MOST_ON_GPU: i64 = 81;

/// The most points of a map.
const MOST_CHOICES: i64 = 32;

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

/// Whether a constant changes nothing: the one of products, the zero of sums (up to the sign of zero), the last value for the least one.
fn is_neutral(op: BinOp, e: &Expr) -> bool {
    match (op, e) {
        (BinOp::Add, Expr::Const(c)) => *c == Scalar::zero(c.ty()),
        (BinOp::Mul, Expr::Const(Scalar::F32(x))) => *x == 1.0,
        (BinOp::Mul, Expr::Const(Scalar::F64(x))) => *x == 1.0,
        (_, Expr::Const(c)) => {
            terrace_base::neutral(op, c.ty()).is_some_and(|n| n.total_cmp(*c) == std::cmp::Ordering::Equal)
        }
        _ => false,
    }
}

/// The number of points in the last dimension of a map that chooses by the index there, as one from a list of elements to its
/// array does: written out, each point knows its choice.
pub fn few_choices(op: &Op) -> Option<i64> {
    let Some(Descriptor::Regular(Atom::Const(n))) = op.space.last() else { return None };
    let (n, index) = (n.as_i64()?, *op.indices.last()?);
    // In a single dimension the index is the position.
    let is_index = |v: ValueId| v == index || op.positions == [v];
    let chooses = op.body.stmts.iter().any(|stmt| match &stmt.expr {
        FlatExpr::Binary(BinOp::Eq, a, b) => a.var().is_some_and(is_index) && b.constant().is_some(),
        _ => false,
    });
    (chooses && (1..=MOST_CHOICES).contains(&n) && n * straight(&op.body)? <= MOST_STMTS).then_some(n)
}

impl Reduction<'_> {
    /// The number of points of a row, where they can be written out.
    pub fn few_points(&self, b: &Builder<'_>, length: &Expr) -> Option<i64> {
        let most = if b.target_is_cpu() { MOST_POINTS.min(self.block_size(b)) } else { MOST_ON_GPU };
        let n = as_int(length).filter(|n| (1..=most).contains(n))?;
        let body = straight(&self.op.body)? + straight(&self.operator.body)?;
        let plain = !self.masked && self.ok.is_none() && self.company(b).is_none_or(|c| c.exact || !c.has_others());
        (plain && n * body <= MOST_STMTS).then_some(n)
    }

    /// The combination of a row of `n` points.
    pub fn written_out(&self, b: &mut Builder<'_>, row: &Row, n: i64) -> Lowered<Vec<Expr>> {
        let neutral = atoms(b, self.neutral)?;
        let types = self.types(b);
        let all_neutral =
            |c: &Company| c.ops.iter().zip(&neutral).all(|(op, e)| op.is_some_and(|op| is_neutral(op, e)));
        match self.company(b) {
            Some(company) if all_neutral(&company) => {
                let ops: Vec<BinOp> = company.ops.iter().flatten().copied().collect();
                let (lanes, groups) = (company.lanes, n / company.lanes);
                let whole = Lanes { reduction: self, row, ops: &ops, types: &types, lanes, groups };
                let mut sum = None;
                if groups > 0 {
                    sum = Some(whole.combined(b, 0, 1)?);
                }
                let mut rest = None;
                for k in groups * lanes..n {
                    let x = self.point(b, row, k)?;
                    rest = Some(whole.join(b, rest, x));
                }
                if let Some(rest) = rest {
                    sum = Some(whole.join(b, sum, rest));
                }
                let sum = sum.unwrap_or_else(|| neutral.clone());
                let all = sum.into_iter().zip(neutral).zip(ops.iter().zip(&types));
                Ok(all
                    .map(|((x, zero), (op, ty))| if *op == BinOp::Add { join(b, *op, *ty, zero, x) } else { x })
                    .collect())
            }
            _ => {
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

fn join(b: &mut Builder<'_>, op: BinOp, ty: ScalarType, x: Expr, y: Expr) -> Expr {
    b.let_("sum", ty, binary(op, x, y))
}

/// Whole groups of lanes.
struct Lanes<'r, 'o> {
    reduction: &'r Reduction<'o>,
    row: &'r Row,
    ops: &'r [BinOp],
    types: &'r [ScalarType],
    lanes: i64,
    groups: i64,
}

impl Lanes<'_, '_> {
    /// The lanes `l`, `l + apart`, `l + 2 * apart`, … together.
    fn combined(&self, b: &mut Builder<'_>, l: i64, apart: i64) -> Lowered<Vec<Expr>> {
        if apart == self.lanes {
            let mut sum = None;
            for g in 0..self.groups {
                let x = self.reduction.point(b, self.row, g * self.lanes + l)?;
                sum = Some(self.join(b, sum, x));
            }
            return Ok(sum.unwrap_or_else(|| self.types.iter().map(|ty| zero(*ty)).collect()));
        }
        let x = self.combined(b, l, 2 * apart)?;
        let y = self.combined(b, l + apart, 2 * apart)?;
        Ok(self.join(b, Some(x), y))
    }

    fn join(&self, b: &mut Builder<'_>, x: Option<Vec<Expr>>, y: Vec<Expr>) -> Vec<Expr> {
        let Some(x) = x else { return y };
        let all = x.into_iter().zip(y).zip(self.ops.iter().zip(self.types));
        all.map(|((x, y), (op, ty))| join(b, *op, *ty, x, y)).collect()
    }
}
