//! Size expressions as code.
//!
//! A size is a polynomial over atoms with one common denominator. `(n^2 + n)/2` becomes `(n * n + n) / 2`: the division is
//! exact, so any rounding would do. The walk is written once, over [`Arithmetic`], and used for kernels and for the host
//! program. A power of two is a shift, and `x < 0` as a number is the sign bit of `x`. A sum without closed form becomes a loop where the place can hold one (a kernel), and is refused elsewhere. So is
//! an element of a column: the length of what a pack keeps of rows is `off(n)`, element `n` of the column `off`.

use super::{Lowered, limit};
use terrace_algebra::{Atom, HeldOp, Size, SumAtom};
use terrace_base::{BinOp, Span};
use terrace_ir::{ValueId, value_of};

/// Something that `i64` expressions can be built in.
pub trait Arithmetic {
    /// An expression.
    type Expr: Clone;
    /// A constant.
    fn int(&mut self, n: i64) -> Self::Expr;
    /// The value of an integer in scope, as an `i64`.
    fn variable(&mut self, v: ValueId) -> Lowered<Self::Expr>;
    /// An operation.
    fn binary(&mut self, op: BinOp, a: Self::Expr, b: Self::Expr) -> Self::Expr;
    /// A sum that has no closed form.
    fn sum(&mut self, sum: &SumAtom) -> Lowered<Self::Expr>;
    /// An element of a column of sizes: the size function whose number is the column's.
    fn element(&mut self, column: ValueId, at: Self::Expr) -> Lowered<Self::Expr>;
    /// Where a message points.
    fn span(&self) -> Span;
}

/// The code that computes a size.
pub fn size<A: Arithmetic>(to: &mut A, s: &Size) -> Lowered<A::Expr> {
    let (numerator, denominator) = s.as_integer_form();
    let mut acc: Option<A::Expr> = None;
    // Terms with a positive sign first: `n + 1`, not `-1 + n`.
    let mut terms: Vec<_> = numerator.terms().map(|(m, c)| (m.clone(), c)).collect();
    terms.sort_by_key(|(m, c)| (*c < 0, std::cmp::Reverse(m.degree())));
    for (monomial, coefficient) in terms {
        let magnitude = i64::try_from(coefficient.unsigned_abs())
            .map_err(|_| limit(to.span(), "a size with a coefficient beyond 64 bits"))?;
        let mut product: Option<A::Expr> = None;
        for (a, power) in monomial.factors() {
            let factor = atom(to, a)?;
            for _ in 0..*power {
                product = Some(match product {
                    None => factor.clone(),
                    Some(p) => to.binary(BinOp::Mul, p, factor.clone()),
                });
            }
        }
        let term = match product {
            None => to.int(magnitude),
            Some(p) if magnitude == 1 => p,
            Some(p) => {
                let c = to.int(magnitude);
                to.binary(BinOp::Mul, c, p)
            }
        };
        acc = Some(match (acc, coefficient < 0) {
            (None, false) => term,
            (None, true) => {
                let zero = to.int(0);
                to.binary(BinOp::Sub, zero, term)
            }
            (Some(a), false) => to.binary(BinOp::Add, a, term),
            (Some(a), true) => to.binary(BinOp::Sub, a, term),
        });
    }
    let total = match acc {
        Some(a) => a,
        None => to.int(0),
    };
    if denominator == 1 {
        return Ok(total);
    }
    let by = i64::try_from(denominator).map_err(|_| limit(to.span(), "a size with a denominator beyond 64 bits"))?;
    let by = to.int(by);
    Ok(to.binary(BinOp::Div, total, by))
}

fn atom<A: Arithmetic>(to: &mut A, a: &Atom) -> Lowered<A::Expr> {
    match a {
        Atom::Var(v) => to.variable(value_of(*v)),
        Atom::FloorDiv(inner, by) => {
            let x = size(to, inner)?;
            let by = to.int(*by);
            Ok(to.binary(BinOp::Div, x, by))
        }
        Atom::Min(parts) => fold(to, BinOp::Min, parts),
        Atom::Max(parts) => fold(to, BinOp::Max, parts),
        Atom::Held { op, args } => {
            let op = match op {
                HeldOp::Add => BinOp::Add,
                HeldOp::Mul => BinOp::Mul,
                HeldOp::Div => BinOp::Div,
            };
            fold(to, op, args)
        }
        Atom::Sum(s) => to.sum(s),
        Atom::Pow2(exponent) => {
            let e = size(to, exponent)?;
            let (zero, one) = (to.int(0), to.int(1));
            let exponent = to.binary(BinOp::Max, e.clone(), zero);
            let power = to.binary(BinOp::Shl, one.clone(), exponent);
            let negative = sign(to, e);
            let positive = to.binary(BinOp::Sub, one, negative);
            Ok(to.binary(BinOp::Mul, power, positive))
        }
        Atom::Below(test) => {
            let x = size(to, test)?;
            Ok(sign(to, x))
        }
        Atom::Apply { fun, args } if args.len() == 1 => {
            let at = size(to, &args[0])?;
            to.element(ValueId::new(fun.0 as usize), at)
        }
        _ => Err(limit(to.span(), format!("the size `{a:?}` in generated code"))),
    }
}

/// 1 where negative, else 0.
fn sign<A: Arithmetic>(to: &mut A, x: A::Expr) -> A::Expr {
    let (zero, bits) = (to.int(0), to.int(63));
    let shifted = to.binary(BinOp::Shr, x, bits);
    to.binary(BinOp::Sub, zero, shifted)
}

fn fold<A: Arithmetic>(to: &mut A, op: BinOp, parts: &[Size]) -> Lowered<A::Expr> {
    let mut acc: Option<A::Expr> = None;
    for part in parts {
        let x = size(to, part)?;
        acc = Some(match acc {
            None => x,
            Some(a) => to.binary(op, a, x),
        });
    }
    Ok(match acc {
        Some(a) => a,
        None => to.int(0),
    })
}
