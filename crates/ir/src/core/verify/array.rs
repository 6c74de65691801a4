//! Rules 15 to 20: operators that move elements around.
//!
//! ```text
//! strided xs_0[o_1; 3 by 8, 2 by 1]      xs_0 : []f64     gives [][]f64
//! update m_0[i_1, j_2] = v_3             m_0 : [][]f64    v_3 : f64
//! ```

use super::{BOOL, Checker, I64, Scope};
use crate::Atom;
use crate::core::{Expr, PadMode, Strides, Type};
use crate::fault::{Fault, require};

/// `elem` in as many arrays.
fn nested(elem: Type, depth: usize) -> Type {
    (0..depth).fold(elem, |ty, _| Type::array(ty))
}

impl Checker<'_> {
    /// The type of an operator that moves elements.
    pub(super) fn array(&mut self, expr: &Expr, scope: &Scope) -> Result<Type, Fault> {
        Ok(match expr {
            Expr::Strided { array, strides } => {
                self.strides(strides, scope)?;
                nested(self.elem(array, scope)?, strides.dims.len())
            }
            Expr::Extent(strides) => {
                self.strides(strides, scope)?;
                Type::Tuple(vec![I64, I64])
            }
            Expr::Disjoint(strides) => {
                self.strides(strides, scope)?;
                BOOL
            }
            Expr::Update { array, indices, value } => {
                require(!indices.is_empty(), || "at least one index is wanted here".into())?;
                let whole = self.atom(array, scope)?;
                let mut at = &whole;
                for index in indices {
                    self.expect(index, &I64, "an index", scope)?;
                    at = at.elem().ok_or_else(|| format!("{} has no element here", self.shown(at)))?;
                }
                self.expect(value, at, "the new element", scope)?;
                whole.without_sizes()
            }
            Expr::UpdateStrided { array, strides, values } => {
                self.strides(strides, scope)?;
                let elem = self.elem(array, scope)?;
                self.expect(values, &nested(elem.clone(), strides.dims.len()), "the new elements", scope)?;
                Type::array(elem)
            }
            Expr::Scatter { array, indices, values } => {
                let elem = self.elem(array, scope)?;
                self.expect(indices, &Type::array(I64), "indices", scope)?;
                self.expect(values, &Type::array(elem.clone()), "the new elements", scope)?;
                Type::array(elem)
            }
            Expr::Hist { operator, neutral, count, indices, values } => {
                self.expect(count, &I64, "a count", scope)?;
                self.expect(indices, &Type::array(I64), "indices", scope)?;
                Type::array(self.combine(operator, neutral, values, scope)?)
            }
            Expr::Sort { keys, array } => {
                self.elem(keys, scope)?;
                Type::array(self.elem(array, scope)?)
            }
            Expr::Precedes(a, b) => {
                let ty = self.atom(a, scope)?;
                self.expect(b, &ty, "the second operand", scope)?;
                BOOL
            }
            Expr::Flatten(rows) => Type::array(self.elem_of_row(rows, scope)?),
            Expr::Transpose(rows) => nested(self.elem_of_row(rows, scope)?, 2),
            Expr::Partition { sizes, array } => {
                self.expect(sizes, &Type::array(I64), "sizes", scope)?;
                nested(self.elem(array, scope)?, 2)
            }
            Expr::Reshape { array, dims } => {
                require(dims.len() >= 2, || "at least two lengths are wanted here".into())?;
                dims.iter().try_for_each(|d| self.expect(d, &I64, "a length", scope))?;
                nested(self.elem(array, scope)?, dims.len())
            }
            Expr::Slide { size, step, array } => {
                self.expect(size, &I64, "the length of a window", scope)?;
                self.expect(step, &I64, "the distance of windows", scope)?;
                nested(self.elem(array, scope)?, 2)
            }
            Expr::Pad { left, right, mode, array } => {
                self.expect(left, &I64, "a count", scope)?;
                self.expect(right, &I64, "a count", scope)?;
                let elem = self.elem(array, scope)?;
                if let PadMode::Constant(a) = mode {
                    self.expect(a, &elem, "what is added", scope)?;
                }
                Type::array(elem)
            }
            Expr::Rotate { by, array } => {
                self.expect(by, &I64, "a distance", scope)?;
                Type::array(self.elem(array, scope)?)
            }
            _ => return Err("there is no rule for this expression".into()),
        })
    }

    fn strides(&self, strides: &Strides, scope: &Scope) -> Result<(), Fault> {
        require(!strides.dims.is_empty(), || "strides have at least one dimension".into())?;
        self.expect(&strides.offset, &I64, "an offset", scope)?;
        for (count, stride) in &strides.dims {
            self.expect(count, &I64, "a count", scope)?;
            self.expect(stride, &I64, "a stride", scope)?;
        }
        Ok(())
    }

    fn elem_of_row(&self, rows: &Atom, scope: &Scope) -> Result<Type, Fault> {
        let row = self.elem(rows, scope)?;
        row.elem()
            .cloned()
            .ok_or_else(|| format!("an array of arrays is wanted here, not []{}", self.shown(&row)).into())
    }
}
