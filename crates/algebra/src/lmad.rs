//! Index functions: linear memory access descriptors.
//!
//! An [`Lmad`] maps an index vector to a position in a flat block: an offset plus one `index * stride` per dimension. Slicing, fixing an
//! index, permuting and reversing change these numbers and move no data:
//!
//! ```text
//! row-major [n][m]             0 + {n : m} {m : 1}
//! its transpose                0 + {m : 1} {n : m}
//! its row i                  i*m + {m : 1}
//! its rows backwards     n*m - m + {n : -m} {m : 1}
//! ```
//!
//! Dimensions go from outer to inner. Read as a list, an Lmad enumerates its positions in row-major order of the indices; [`Lmad::normalise`]
//! keeps that list and drops what does not matter: dimensions of one element, and pairs that step as one. Counts may be zero: the list
//! is then empty, the laws still hold, and an offset may point outside the block (the last element of an empty dimension).
//!
//! Nothing here checks bounds: an operation is as good as its indices. `None` means that a rank does not fit, or that a pair of
//! dimensions does not join. From paper 004, chapter 3. Declined for now: the test that two Lmads do not overlap, slicing by an Lmad, general
//! reshapes.

use std::fmt;

use crate::expr::{Size, SizeVar};

/// One dimension: how many indices, and how far apart in the block.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dim {
    pub count: Size,
    pub stride: Size,
}

/// A linear index function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lmad {
    pub offset: Size,
    pub dims: Vec<Dim>,
}

/// A slice of one dimension: `count` indices from `start`, `step` apart (a negative step goes backwards).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Triplet {
    pub start: Size,
    pub count: Size,
    pub step: Size,
}

impl Triplet {
    /// All of a dimension.
    pub fn whole(count: Size) -> Triplet {
        Triplet { start: Size::zero(), count, step: Size::one() }
    }

    /// `count` neighbours from `start`.
    pub fn range(start: Size, count: Size) -> Triplet {
        Triplet { start, count, step: Size::one() }
    }
}

impl Lmad {
    /// The packed layout of an array of this shape, innermost dimension last.
    pub fn row_major(shape: &[Size]) -> Lmad {
        let mut stride = Size::one();
        let mut dims: Vec<Dim> = Vec::new();
        for count in shape.iter().rev() {
            dims.push(Dim { count: count.clone(), stride: stride.clone() });
            stride = &stride * count;
        }
        dims.reverse();
        Lmad { offset: Size::zero(), dims }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The counts, outer to inner.
    pub fn shape(&self) -> Vec<Size> {
        self.dims.iter().map(|d| d.count.clone()).collect()
    }

    /// The number of elements.
    pub fn len(&self) -> Size {
        self.dims.iter().fold(Size::one(), |product, d| product * &d.count)
    }

    /// Whether some count is known to be zero.
    pub fn is_empty(&self) -> bool {
        self.dims.iter().any(|d| d.count.is_zero())
    }

    /// The position of one element.
    pub fn apply(&self, indices: &[Size]) -> Option<Size> {
        let fits = indices.len() == self.rank();
        fits.then(|| self.dims.iter().zip(indices).fold(self.offset.clone(), |at, (d, i)| at + i * &d.stride))
    }

    /// The same index function in a block that starts elsewhere.
    pub fn shift(&self, by: &Size) -> Lmad {
        Lmad { offset: &self.offset + by, dims: self.dims.clone() }
    }

    /// A slice of every dimension.
    pub fn slice(&self, slices: &[Triplet]) -> Option<Lmad> {
        if slices.len() != self.rank() {
            return None;
        }
        let mut offset = self.offset.clone();
        let mut dims = Vec::new();
        for (dim, slice) in self.dims.iter().zip(slices) {
            offset = offset + &slice.start * &dim.stride;
            dims.push(Dim { count: slice.count.clone(), stride: &slice.step * &dim.stride });
        }
        Some(Lmad { offset, dims })
    }

    /// One index of a dimension fixed, which removes the dimension.
    pub fn fix(&self, dim: usize, index: &Size) -> Option<Lmad> {
        let fixed = self.dims.get(dim)?;
        let offset = &self.offset + index * &fixed.stride;
        let dims = self.dims.iter().enumerate().filter(|(d, _)| *d != dim).map(|(_, d)| d.clone()).collect();
        Some(Lmad { offset, dims })
    }

    /// Dimensions in another order: the new dimension `d` is the old `order[d]`.
    pub fn permute(&self, order: &[usize]) -> Option<Lmad> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..self.rank()) {
            return None;
        }
        Some(Lmad { offset: self.offset.clone(), dims: order.iter().map(|d| self.dims[*d].clone()).collect() })
    }

    /// Two dimensions swapped.
    pub fn transpose(&self, a: usize, b: usize) -> Option<Lmad> {
        let mut order: Vec<usize> = (0..self.rank()).collect();
        if a >= order.len() || b >= order.len() {
            return None;
        }
        order.swap(a, b);
        self.permute(&order)
    }

    /// One dimension backwards.
    pub fn reverse(&self, dim: usize) -> Option<Lmad> {
        let mut reversed = self.clone();
        let turned = reversed.dims.get_mut(dim)?;
        reversed.offset = &self.offset + (&turned.count - 1) * &turned.stride;
        turned.stride = -&turned.stride;
        Some(reversed)
    }

    /// Dimensions `dim` and `dim + 1` as one, where they step as one.
    pub fn join(&self, dim: usize) -> Option<Lmad> {
        let (outer, inner) = (self.dims.get(dim)?, self.dims.get(dim + 1)?);
        if outer.stride != &inner.count * &inner.stride {
            return None;
        }
        let mut joined = self.clone();
        joined.dims[dim] = Dim { count: &outer.count * &inner.count, stride: inner.stride.clone() };
        joined.dims.remove(dim + 1);
        Some(joined)
    }

    /// Dimension `dim` as `outer` rows of `inner`, where their product is its count.
    pub fn split(&self, dim: usize, outer: &Size, inner: &Size) -> Option<Lmad> {
        let whole = self.dims.get(dim)?.clone();
        if whole.count != outer * inner {
            return None;
        }
        let mut split = self.clone();
        split.dims[dim] = Dim { count: outer.clone(), stride: inner * &whole.stride };
        split.dims.insert(dim + 1, Dim { count: inner.clone(), stride: whole.stride });
        Some(split)
    }

    /// The same list of positions with as few dimensions as possible; an empty list has one form.
    pub fn normalise(&self) -> Lmad {
        if self.is_empty() {
            return Lmad { offset: Size::zero(), dims: vec![Dim { count: Size::zero(), stride: Size::one() }] };
        }
        let mut lmad = self.clone();
        lmad.dims.retain(|d| d.count != Size::one());
        let mut dim = 0;
        while dim + 1 < lmad.rank() {
            match lmad.join(dim) {
                // The joined pair may in turn join with the dimension before it.
                Some(joined) => (lmad, dim) = (joined, dim.saturating_sub(1)),
                None => dim += 1,
            }
        }
        lmad
    }

    /// Whether the positions are known to be neighbours in order: `offset`, `offset + 1`, and so on.
    pub fn is_contiguous(&self) -> bool {
        let normal = self.normalise();
        match normal.dims.as_slice() {
            [] => true,
            [dim] => dim.stride == Size::one(),
            _ => false,
        }
    }

    /// Replaces one variable everywhere.
    pub fn substitute(&self, var: SizeVar, value: &Size) -> Lmad {
        self.map(&|size| size.substitute(var, value))
    }

    /// Changes every size.
    pub fn map(&self, change: &dyn Fn(&Size) -> Size) -> Lmad {
        let dims = self.dims.iter().map(|d| Dim { count: change(&d.count), stride: change(&d.stride) }).collect();
        Lmad { offset: change(&self.offset), dims }
    }

    /// The text with the caller's names: `offset + {count : stride} ...`.
    pub fn display(&self, vars: &dyn Fn(SizeVar) -> String) -> String {
        let dims = self.dims.iter().map(|d| format!(" {{{} : {}}}", d.count.display(vars), d.stride.display(vars)));
        format!("{} +{}", self.offset.display(vars), dims.collect::<String>())
    }
}

impl fmt::Display for Lmad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display(&|var| format!("s{}", var.0)))
    }
}
