//! The operators that move elements around, read back.
//!
//! ```text
//! strided xs_0[o_1; 3 by 8, 2 by 1]      update xs_0[i_1, j_2] = v_3      pad xs_0 left 1 right 1 clamp
//! ```
//!
//! The word has been taken; each operator reads on from there.

use super::Parser;
use crate::Atom;
use crate::core::{Expr, Lambda, PadMode, Strides};
use crate::text::read::Read;

impl Parser<'_> {
    /// What follows the word of an operator on arrays.
    pub(super) fn array(&mut self, word: &str) -> Read<Expr> {
        Ok(match word {
            "strided" => {
                let array = self.r.atom()?;
                Expr::Strided { array, strides: self.strides()? }
            }
            "extent" => Expr::Extent(self.strides()?),
            "disjoint" => Expr::Disjoint(self.strides()?),
            "update" => self.update()?,
            "scatter" => {
                let array = self.r.atom()?;
                let indices = self.r.atom()?;
                Expr::Scatter { array, indices, values: self.r.atom()? }
            }
            "hist" => self.hist()?,
            "sort" => {
                let array = self.r.atom()?;
                self.r.want_word("by")?;
                Expr::Sort { keys: self.r.atom()?, array }
            }
            "precedes" => {
                let first = self.r.atom()?;
                Expr::Precedes(first, self.r.atom()?)
            }
            "flatten" => Expr::Flatten(self.r.atom()?),
            "transpose" => Expr::Transpose(self.r.atom()?),
            "partition" => {
                let array = self.r.atom()?;
                self.r.want_word("by")?;
                Expr::Partition { sizes: self.r.atom()?, array }
            }
            "reshape" => {
                let array = self.r.atom()?;
                self.r.want_word("to")?;
                self.r.want("(")?;
                Expr::Reshape { array, dims: self.r.atoms(")")? }
            }
            "slide" => {
                let array = self.r.atom()?;
                self.r.want_word("size")?;
                let size = self.r.atom()?;
                self.r.want_word("step")?;
                Expr::Slide { size, step: self.r.atom()?, array }
            }
            "pad" => self.pad()?,
            "rotate" => {
                let array = self.r.atom()?;
                self.r.want_word("by")?;
                Expr::Rotate { by: self.r.atom()?, array }
            }
            _ => return self.r.fail("an expression is wanted here"),
        })
    }

    fn strides(&mut self) -> Read<Strides> {
        self.r.want("[")?;
        let offset = self.r.atom()?;
        self.r.want(";")?;
        self.dims(offset)
    }

    /// Counts and strides after the `;`.
    fn dims(&mut self, offset: Atom) -> Read<Strides> {
        let dims = self.r.list("]", &mut |r| {
            let count = r.atom()?;
            r.want_word("by")?;
            Ok((count, r.atom()?))
        })?;
        Ok(Strides { offset, dims })
    }

    fn update(&mut self) -> Read<Expr> {
        let array = self.r.atom()?;
        self.r.want("[")?;
        let indices = self.r.some(&mut |r| r.atom())?;
        if let [offset] = indices[..]
            && self.r.take(";")
        {
            let strides = self.dims(offset)?;
            self.r.want("=")?;
            return Ok(Expr::UpdateStrided { array, strides, values: self.r.atom()? });
        }
        self.r.want("]")?;
        self.r.want("=")?;
        Ok(Expr::Update { array, indices, value: self.r.atom()? })
    }

    fn hist(&mut self) -> Read<Expr> {
        let params = self.binders()?;
        self.r.want_word("in")?;
        let indices = self.r.atom()?;
        self.r.want(",")?;
        let values = self.r.atom()?;
        self.r.want("<")?;
        let count = self.r.atom()?;
        self.r.want_word("from")?;
        let neutral = self.r.atom()?;
        let operator = Lambda { params, body: self.body()? };
        Ok(Expr::Hist { operator, neutral, count, indices, values })
    }

    fn pad(&mut self) -> Read<Expr> {
        let array = self.r.atom()?;
        self.r.want_word("left")?;
        let left = self.r.atom()?;
        self.r.want_word("right")?;
        let right = self.r.atom()?;
        let mode = match self.r.word()?.as_str() {
            "clamp" => PadMode::Clamp,
            "wrap" => PadMode::Wrap,
            "mirror" => PadMode::Mirror,
            "constant" => PadMode::Constant(self.r.atom()?),
            _ => return self.r.fail("a way to pad is wanted here"),
        };
        Ok(Expr::Pad { left, right, mode, array })
    }
}
