//! Several reductions in one loop.
//!
//! Points of a matrix product read the same row or the same column. Reduced one after the other, each loads its row and its column;
//! reduced together, four rows and four columns are loaded for sixteen sums:
//!
//! ```text
//! for c { lane0 += a[0, c..] * b[0, c..]    lane1 += a[0, c..] * b[1, c..]    lane2 += a[1, c..] * b[0, c..]    … }
//! ```
//!
//! Each reduction keeps the association that [`super::reduce`] describes: blocks, lanes, rest. What a point computes before its
//! reduction stands inside the loop; it does not depend on the loop, and the C compiler takes it out again.
//! Declined: reductions without lanes, with masks or checks.

use super::build::Builder;
use super::expr::{add, binary, int, local, lt, min, mul, quot, sub};
use super::points::Point;
use super::reduce::{Reduction, Row, element};
use super::{Lowered, limit};
use terrace_base::ScalarType;
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Stmt};

/// Emits what a point needs before its reduction.
pub type Enter<'e, 'h> = &'e dyn Fn(&mut Builder<'h>, usize) -> Lowered<()>;

impl Reduction<'_> {
    /// The combinations of whole rows of one length at several points; `enter` makes the builder stand at one of them.
    pub fn side_by_side<'h>(
        &self,
        b: &mut Builder<'h>,
        points: usize,
        length: Expr,
        enter: Enter<'_, 'h>,
    ) -> Lowered<Vec<LocalId>> {
        let (Some((op, ty, lanes)), [neutral]) = (self.lanes(b), self.neutral) else {
            return Err(limit(b.span(), "these reductions side by side"));
        };
        let neutral = b.atom(neutral)?;
        let totals: Vec<LocalId> = (0..points).map(|_| b.var("total", ty, neutral.clone())).collect();
        let arrays: Vec<ArrayId> = (0..points).map(|_| b.array("lane", ty, lanes as usize, false)).collect();
        let block = self.block_size(b);
        let row = Row { parent: Point::default(), start: int(0) };
        b.for_("from", int(0), length.clone(), int(block), false, |b, from| {
            let to = b.let_("to", ScalarType::I64, min(add(from.clone(), int(block)), length));
            let groups = mul(quot(sub(to.clone(), from.clone()), int(lanes)), int(lanes));
            let rest = b.let_("rest", ScalarType::I64, add(from.clone(), groups));
            let fronts: Vec<LocalId> = (0..points).map(|_| b.var("front", ty, neutral.clone())).collect();
            let backs: Vec<LocalId> = (0..points).map(|_| b.var("back", ty, neutral.clone())).collect();
            b.when(lt(from.clone(), rest.clone()), |b| {
                b.for_("l", int(0), int(lanes), int(1), true, |b, l| {
                    arrays.iter().for_each(|a| b.emit(Stmt::SetElement(*a, l.clone(), neutral.clone())));
                    Ok(())
                })?;
                b.for_("c", from, rest.clone(), int(lanes), false, |b, c| {
                    b.for_("l", int(0), int(lanes), int(1), true, |b, l| {
                        let q = b.let_("q", ScalarType::I64, add(c, l.clone()));
                        for (u, array) in arrays.iter().enumerate() {
                            enter(b, u)?;
                            self.at(b, &row, q.clone(), |b, mask, values| {
                                self.fold_lane(b, op, *array, l.clone(), mask, &values)
                            })?;
                        }
                        Ok(())
                    })
                })?;
                let mut half = lanes / 2;
                while half > 0 {
                    b.for_("l", int(0), int(half), int(1), true, |b, l| {
                        for a in &arrays {
                            let (x, y) = (element(*a, l.clone()), element(*a, add(l.clone(), int(half))));
                            b.emit(Stmt::SetElement(*a, l.clone(), binary(op, x, y)));
                        }
                        Ok(())
                    })?;
                    half /= 2;
                }
                fronts.iter().zip(&arrays).for_each(|(front, a)| b.set(*front, element(*a, int(0))));
                Ok(())
            })?;
            b.for_("q", rest, to, int(1), false, |b, q| {
                for (u, back) in backs.iter().enumerate() {
                    enter(b, u)?;
                    self.at(b, &row, q.clone(), |b, _, values| self.fold(b, &[*back], None, &values))?;
                }
                Ok(())
            })?;
            for ((total, front), back) in totals.iter().zip(&fronts).zip(&backs) {
                let part = b.let_("part", ty, binary(op, local(*front), local(*back)));
                self.fold(b, &[*total], None, &[part])?;
            }
            Ok(())
        })?;
        Ok(totals)
    }
}
