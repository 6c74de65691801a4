//! Slices: index functions cut down to other index functions.
//!
//! The simplest slice takes of every dimension a [`Triplet`]: some indices, evenly spaced. A slice can be an Lmad itself. It then produces
//! indices of the one dimension it cuts, and may have any rank, so it can name views that no triplets can, such as the blocks along the
//! anti-diagonal of a matrix stored flat:
//!
//! ```text
//! xs[2 ; 3 by 4]                         of   7 + {20 : 2}   is   11 + {3 : 8}
//! xs[i*b ; i + 1 by n*b - b, b by n, b by 1]                      blocks of b by b on anti-diagonal i
//! ```
//!
//! Slicing by several Lmads cuts every dimension with one of them; the dimensions of the slices follow each other. All of these are closed:
//! strides multiply, and an index that is zero everywhere gives the new offset. From paper 004, sections 3.3 and 3.4.

use super::{Dim, Lmad};
use crate::expr::Size;

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

impl From<&Triplet> for Lmad {
    fn from(triplet: &Triplet) -> Lmad {
        Lmad::new(triplet.start.clone(), [(triplet.count.clone(), triplet.step.clone())])
    }
}

impl Lmad {
    /// A slice of every dimension.
    pub fn slice(&self, slices: &[Triplet]) -> Option<Lmad> {
        let slices: Vec<Lmad> = slices.iter().map(Lmad::from).collect();
        self.slice_each(&slices)
    }

    /// The elements of a vector at the indices that an Lmad lists.
    pub fn slice_by(&self, slice: &Lmad) -> Option<Lmad> {
        self.slice_each(std::slice::from_ref(slice))
    }

    /// Every dimension cut by an Lmad of its own; a slice of rank zero fixes an index.
    pub fn slice_each(&self, slices: &[Lmad]) -> Option<Lmad> {
        if slices.len() != self.rank() {
            return None;
        }
        let mut offset = self.offset.clone();
        let mut dims = Vec::new();
        for (dim, slice) in self.dims.iter().zip(slices) {
            offset = offset + &slice.offset * &dim.stride;
            dims.extend(slice.dims.iter().map(|d| Dim { count: d.count.clone(), stride: &d.stride * &dim.stride }));
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
        reversed.offset = &self.offset + turned.span();
        turned.stride = -&turned.stride;
        Some(reversed)
    }
}
