//! Places that points compute, as polynomials in their indices.
//!
//! ```text
//! map [k][w] (i, j | p, q) { let a = s + i; let b = a * w; let at = b + j; … xs[at] … }      at = w*i + j + s*w,  q = w*i + j
//! ```
//!
//! Two equal polynomials are the same place at every point: sums, differences and products wrap around alike, so no ranges are needed.
//! Positions are written out by the lengths of regular dimensions. None where anything else than these operations takes part, or a dimension is not regular.

use terrace_algebra::Size;
use terrace_base::{BinOp, Scalar};
use terrace_ir::flat::{Body, Descriptor, Expr, Op};
use terrace_ir::{Atom, size_var};

/// The position of a point, over its indices.
pub fn position(op: &Op) -> Option<Size> {
    positions(op)?.pop()
}

fn positions(op: &Op) -> Option<Vec<Size>> {
    let mut all: Vec<Size> = Vec::new();
    for (descriptor, index) in op.space.iter().zip(&op.indices) {
        let Descriptor::Regular(length) = descriptor else { return None };
        let index = Size::var(size_var(*index));
        let here = match all.last() {
            Some(outer) => outer.checked_mul(&atom(length)?)?.checked_add(&index)?,
            None => index,
        };
        all.push(here);
    }
    Some(all)
}

/// A place that a point computes, over its indices and what lies outside.
pub fn places(op: &Op, at: &Atom) -> Option<Size> {
    let place = polynomial(&op.body, at)?;
    let all = positions(op)?;
    let own = |v| op.positions.iter().position(|p| size_var(*p) == v).map(|d| all[d].clone());
    Some(place.substitute_all(&own))
}

/// An operand as a polynomial.
pub fn atom(a: &Atom) -> Option<Size> {
    match a {
        Atom::Var(v) => Some(Size::var(size_var(*v))),
        Atom::Const(Scalar::I64(n)) => Some(Size::constant(*n)),
        Atom::Const(_) => None,
    }
}

fn polynomial(body: &Body, a: &Atom) -> Option<Size> {
    let Atom::Var(v) = a else { return atom(a) };
    let bound = body.stmts.iter().find(|s| s.binds.contains(v));
    match bound.map(|s| &s.expr) {
        None => atom(a),
        Some(Expr::Atom(same)) => polynomial(body, same),
        Some(Expr::Binary(op, x, y)) => {
            let (x, y) = (polynomial(body, x)?, polynomial(body, y)?);
            match op {
                BinOp::Add => x.checked_add(&y),
                BinOp::Sub => minus(&x, &y),
                BinOp::Mul => x.checked_mul(&y),
                _ => None,
            }
        }
        Some(Expr::Size(size)) => Some(size.clone()),
        Some(_) => None,
    }
}

/// The difference.
pub fn minus(a: &Size, b: &Size) -> Option<Size> {
    a.checked_add(&b.checked_mul(&Size::constant(-1))?)
}
