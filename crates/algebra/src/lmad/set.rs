//! Lmads as sets of positions.
//!
//! Where only the set matters, more may change than in a reshape: dimensions are walked forwards, come in any order, and join whenever
//! together they leave no hole.
//!
//! ```text
//! 16 + {4 : -1} {8 : 4}     is    13 + {8 : 4} {4 : 1}    is    13 + {32 : 1}
//!  0 + {3 : 2} {4 : 1}      is     0 + {8 : 1}            rows of four, two apart
//! ```
//!
//! Turning a dimension around moves the offset to its last element, `offset + (count - 1) * stride`. Rows that are `k` steps of the inner
//! dimension apart join with it if it has at least `k` elements; then there are `(rows - 1) * k` more of them. Both need signs and comparisons,
//! so they are questions to the prover, and unless the inner dimension has exactly `k` elements no count may be zero (an empty dimension
//! empties the whole set). From paper 004, section 3.5.1.

use std::cmp::Ordering;

use super::quotient::divide_evenly;
use super::{Dim, Lmad};
use crate::expr::Size;
use crate::{Assumptions, Claim};

impl Lmad {
    /// The same set of positions with strides of at least zero, in falling order where it is known, joined where they leave no hole. `None`
    /// where the sign of a stride is not known.
    pub fn as_set(&self, known: &Assumptions) -> Option<Lmad> {
        let mut set = self.forwards(known).ok()?;
        if set.is_empty() {
            return Some(set.normalise());
        }
        set.dims.retain(|d| !idle(d, known));
        set.dims = falling(&set.dims, |d| &d.stride, |a, b| at_least(known, &(b - a), 0));
        while let Some((outer, inner, joined)) = joinable(&set.dims, known) {
            set.dims[inner] = joined;
            set.dims.remove(outer);
        }
        Some(set)
    }

    /// The same set with no stride below zero, or a stride whose sign is not known.
    pub(super) fn forwards(&self, known: &Assumptions) -> Result<Lmad, Size> {
        let mut turned = self.clone();
        for dim in &mut turned.dims {
            if at_least(known, &dim.stride, 0) {
                continue;
            }
            if !at_least(known, &-&dim.stride, 0) {
                return Err(dim.stride.clone());
            }
            turned.offset = &turned.offset + dim.span();
            dim.stride = -&dim.stride;
        }
        Ok(turned)
    }

    /// Dimensions joined where the sizes alone show that they step as one, whatever their order.
    pub(super) fn joined_freely(&self) -> Lmad {
        let mut set = self.clone();
        set.dims.retain(|d| d.count != Size::one());
        let pair = |dims: &[Dim]| {
            let step = |outer: &Dim, inner: &Dim| outer.stride == &inner.count * &inner.stride;
            pairs(dims.len()).find(|(o, i)| step(&dims[*o], &dims[*i]))
        };
        while let Some((outer, inner)) = pair(&set.dims) {
            set.dims[inner].count = &set.dims[inner].count * &set.dims[outer].count;
            set.dims.remove(outer);
        }
        set
    }
}

/// Whether `size >= least`.
pub(super) fn at_least(known: &Assumptions, size: &Size, least: i64) -> bool {
    known.proves(&Claim::Le(Size::constant(least), size.clone()))
}

/// Whether a dimension adds no position and is not empty.
fn idle(dim: &Dim, known: &Assumptions) -> bool {
    dim.count == Size::one() || (dim.stride.is_zero() && at_least(known, &dim.count, 1))
}

/// The items by stride, greatest first as far as it is known: by degree, and within one degree by what `le` can compare.
pub(super) fn falling<T: Clone>(
    items: &[T],
    stride: fn(&T) -> &Size,
    mut le: impl FnMut(&Size, &Size) -> bool,
) -> Vec<T> {
    let mut sorted: Vec<T> = Vec::new();
    for item in items {
        let size = stride(item);
        let mut at = sorted.len();
        while at > 0 {
            let before = stride(&sorted[at - 1]);
            let above = match size.degree().cmp(&before.degree()) {
                Ordering::Equal => before != size && le(before, size),
                unequal => unequal.is_gt(),
            };
            if !above {
                break;
            }
            at -= 1;
        }
        sorted.insert(at, item.clone());
    }
    sorted
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (0..count).filter(move |b| *b != a).map(move |b| (a, b)))
}

/// An outer and an inner dimension that together are one.
fn joinable(dims: &[Dim], known: &Assumptions) -> Option<(usize, usize, Dim)> {
    pairs(dims.len()).find_map(|(at_outer, at_inner)| {
        let (outer, inner) = (&dims[at_outer], &dims[at_inner]);
        let apart = divide_evenly(&outer.stride, &inner.stride)?;
        let counted = || at_least(known, &outer.count, 1) && at_least(known, &inner.count, 1);
        let covered = || at_least(known, &apart, 0) && at_least(known, &(&inner.count - &apart), 0);
        let dense = apart == inner.count || (counted() && covered());
        let count = (&outer.count - 1) * &apart + &inner.count;
        dense.then(|| (at_outer, at_inner, Dim { count, stride: inner.stride.clone() }))
    })
}
