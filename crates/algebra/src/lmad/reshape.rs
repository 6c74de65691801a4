//! Changes of shape that keep the list of positions.
//!
//! Two neighbouring dimensions *join* where they step as one: going around the inner one is one step of the outer one. *Split* is the way
//! back. [`Lmad::normalise`] drops dimensions of one element and joins what it can, so that equal lists often get equal forms, and a reshape
//! splits the normal form into the new shape:
//!
//! ```text
//! 5 + {4 : 6} {6 : 1}      joined     5 + {24 : 1}      as [2][3][4]   5 + {2 : 12} {3 : 4} {4 : 1}
//! 0 + {m : 1} {n : m}      (a transpose) does not join  as [m*n]       not one Lmad
//! ```
//!
//! A reshape exists as one Lmad exactly where every normal dimension becomes whole new ones. *Expanding* undoes fixing an index: the union
//! over a loop of an Lmad that moves by the same distance in every round has one more dimension, outermost.
//!
//! Everything compares canonical sizes, without assumptions. Laws hold for counts of zero: a list that is empty for some values of the
//! variables stays empty for them. From paper 004, sections 3.4.1 and 3.5. Declined: reshapes that need a list of Lmads.

use super::{Dim, Lmad};
use crate::expr::{Atom, Size, SizeVar};

impl Lmad {
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
        split.dims.splice(dim..=dim, parts(&whole.stride, &[outer.clone(), inner.clone()]));
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

    /// The same list of positions in another shape, where that is one Lmad.
    pub fn reshape(&self, shape: &[Size]) -> Option<Lmad> {
        let normal = self.normalise();
        if normal.is_empty() {
            let packed = Lmad::row_major(shape);
            return packed.is_empty().then(|| packed.shift(&self.offset));
        }
        let mut dims = Vec::new();
        let mut rest = shape;
        for dim in &normal.dims {
            let taken = leading_factors(rest, &dim.count)?;
            dims.extend(parts(&dim.stride, &rest[..taken]));
            rest = &rest[taken..];
        }
        if rest.iter().any(|count| *count != Size::one()) {
            return None;
        }
        dims.extend(parts(&Size::one(), rest));
        Some(Lmad { offset: normal.offset, dims })
    }

    /// The elements at the flat positions that `view` lists, where this is one Lmad: flatten, then slice.
    pub fn view(&self, view: &Lmad) -> Option<Lmad> {
        self.reshape(&[self.len()])?.slice_by(view)
    }

    /// The union over `0 <= var < count`, where the offset moves by the same distance in every round and nothing else changes.
    pub fn expand(&self, var: SizeVar, count: &Size) -> Option<Lmad> {
        self.expand_from(var, &Size::zero(), count)
    }

    /// The union over `lower <= var < lower + count`, where the offset moves by the same distance in every round and nothing else changes.
    pub fn expand_from(&self, var: SizeVar, lower: &Size, count: &Size) -> Option<Lmad> {
        let changes = |size: &Size| size.vars().contains(&var);
        if self.dims.iter().any(|d| changes(&d.count) || changes(&d.stride)) {
            return None;
        }
        let powers = self.offset.by_powers(&Atom::Var(var));
        if powers.len() > 2 || powers.iter().any(changes) {
            return None;
        }
        let stride = powers.get(1).cloned().unwrap_or_else(Size::zero);
        let mut expanded = Lmad { offset: Size::at_point(&powers, lower), dims: self.dims.clone() };
        expanded.dims.insert(0, Dim { count: count.clone(), stride });
        Some(expanded)
    }
}

/// A dimension of this stride as rows of rows: the innermost has the stride, each other one steps over the ones inside it.
fn parts(stride: &Size, counts: &[Size]) -> Vec<Dim> {
    let packed = Lmad::row_major(counts);
    packed.dims.into_iter().map(|d| Dim { count: d.count, stride: d.stride * stride }).collect()
}

/// How many of the first counts have this product.
fn leading_factors(counts: &[Size], product: &Size) -> Option<usize> {
    let mut so_far = Size::one();
    for (taken, count) in counts.iter().enumerate() {
        so_far = so_far * count;
        if so_far == *product {
            return Some(taken + 1);
        }
    }
    None
}
