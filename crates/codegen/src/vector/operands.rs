//! What several lanes of reductions share is loaded once, into a register.
//!
//! Sixteen sums of products of four rows and four columns need eight loads per group of elements. The C compiler takes the rows and columns
//! from memory again for each product, because it thinks that an operand in memory costs nothing; then loads are what the loop waits for. So
//! the groups are written as vectors, and every operand is said to be in a register:
//!
//! ```text
//! for l { q = c + l; lane0_x[l] = a[i + q] * b[j + q]; … }      const l = 0; q = c + l; s0 = a[i + q ..]; s1 = b[j + q ..]; …
//! lane0_v = lane0_v + lane0_x; …                                lane0_v = lane0_v + s0 * s1; …
//! ```
//!
//! The operations are the same on the same elements. Declined: fewer reductions than share enough; elements that are not side by side in
//! memory; whatever is not arithmetic on floats.

use super::registers::added;
use crate::c::expr::{operand, place};
use crate::shared::typing::{held, type_of};
use std::collections::BTreeMap;
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_ir::kernel::{ArrayId, Expr, Kernel, LocalId, ParamKind, Stmt};

/// Fewer reductions in one loop are left as they are.
const SEVERAL: usize = 4;

/// A loop over lanes as vector code.
pub struct Shared {
    /// What is loaded: the name of the vector and the place of its first element.
    pub operands: Vec<(String, String)>,
    /// What is added, or multiplied, to which lanes.
    pub sums: Vec<(ArrayId, BinOp, String)>,
}

impl Shared {
    /// The body of a loop over lanes, all of which are values of vector types.
    pub fn of(k: &Kernel, lane: LocalId, body: &[Stmt], vectors: &[ArrayId]) -> Option<Shared> {
        let mut reader = Reader {
            k,
            slopes: BTreeMap::from([(lane, 1)]),
            shared: Shared { operands: Vec::new(), sums: Vec::new() },
        };
        for stmt in body {
            if let Stmt::Let(v, e) = stmt {
                let slope = reader.slope(e).filter(|_| k.locals[*v].ty == ScalarType::I64)?;
                reader.slopes.insert(*v, slope);
                continue;
            }
            let (array, op, value) = added(stmt, lane).filter(|(a, ..)| vectors.contains(a))?;
            let elem = k.arrays[array].elem;
            if reader.shared.sums.first().is_some_and(|(first, ..)| k.arrays[*first].elem != elem) {
                return None;
            }
            let value = reader.value(value, elem)?;
            reader.shared.sums.push((array, op, value));
        }
        (reader.shared.sums.len() >= SEVERAL).then_some(reader.shared)
    }
}

struct Reader<'k> {
    k: &'k Kernel,
    /// By how much variables grow from one lane to the next; others do not.
    slopes: BTreeMap<LocalId, i64>,
    shared: Shared,
}

impl Reader<'_> {
    /// By how much an index grows from one lane to the next, where it is the same everywhere.
    fn slope(&self, e: &Expr) -> Option<i64> {
        match e {
            Expr::Const(_) | Expr::Param(_) | Expr::Tile => Some(0),
            Expr::Local(v) => Some(self.slopes.get(v).copied().unwrap_or(0)),
            Expr::Binary(BinOp::Add, a, b) => Some(self.slope(a)? + self.slope(b)?),
            Expr::Binary(BinOp::Sub, a, b) => Some(self.slope(a)? - self.slope(b)?),
            Expr::Binary(_, a, b) | Expr::Quotient(a, b) => {
                (self.slope(a) == Some(0) && self.slope(b) == Some(0)).then_some(0)
            }
            Expr::Load(_, a) => self.slope(a).filter(|s| *s == 0),
            _ => None,
        }
    }

    /// The text of a value of all lanes.
    fn value(&mut self, e: &Expr, ty: ScalarType) -> Option<String> {
        match e {
            Expr::Load(p, at) if self.slope(at) == Some(1) => {
                if !matches!(self.k.params[*p].kind, ParamKind::Input(_)) || held(self.k.params[*p].kind) != ty {
                    return None;
                }
                let place = place(self.k, *p, at);
                let known = self.shared.operands.iter().find(|(_, other)| *other == place);
                Some(known.map(|(name, _)| name.clone()).unwrap_or_else(|| {
                    let name = format!("shared_{}", self.shared.operands.len());
                    self.shared.operands.push((name.clone(), place));
                    name
                }))
            }
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div), a, b) => {
                let sign = match op {
                    BinOp::Add => "+",
                    BinOp::Sub => "-",
                    BinOp::Mul => "*",
                    _ => "/",
                };
                Some(format!("({} {sign} {})", self.value(a, ty)?, self.value(b, ty)?))
            }
            Expr::Unary(UnOp::Neg, a) => Some(format!("(-{})", self.value(a, ty)?)),
            Expr::Const(_) | Expr::Local(_) | Expr::Param(_) | Expr::Load(..) => {
                (type_of(self.k, e) == ty && self.slope(e) == Some(0)).then(|| operand(self.k, e))
            }
            _ => None,
        }
    }
}
