//! Spaces whose numbers of points have closed forms.
//!
//! ```text
//! [n][(i) i + 1]        all points: n (n + 1) / 2        row i starts at i (i + 1) / 2
//! ```
//!
//! A length that is a formula over the indices of the dimensions around can be added up by the algebra, if the dimensions
//! around are regular or closed too. `index` gives the variable that stands for the index in a dimension.

use terrace_algebra::{Atom as Term, Size, SizeVar, sum};
use terrace_ir::flat::Descriptor;
use terrace_ir::{Atom, size_var};

/// Whether everything in a size was added up, and it looks nothing up.
pub fn is_plain(size: &Size) -> bool {
    size.funs().is_empty()
        && size.atoms().into_iter().all(|a| match a {
            Term::Sum(_) | Term::Bound(_) => false,
            _ => a.parts().into_iter().all(is_plain),
        })
}

/// The length of a dimension, over the indices of those around it.
pub fn length(descriptor: &Descriptor, index: &dyn Fn(usize) -> SizeVar) -> Option<Size> {
    match descriptor {
        Descriptor::Regular(Atom::Var(v)) => Some(Size::var(size_var(*v))),
        Descriptor::Regular(Atom::Const(c)) => c.as_i64().map(Size::constant),
        Descriptor::Closed { around, length } => {
            Some(length.substitute_all(&|v| around.iter().position(|a| size_var(*a) == v).map(|d| Size::var(index(d)))))
        }
        _ => None,
    }
}

/// The number of points of dimensions `from .. upto`, below the indices of those before.
fn below(space: &[Descriptor], from: usize, upto: usize, index: &dyn Fn(usize) -> SizeVar) -> Option<Size> {
    let mut total = Size::one();
    for d in (from..upto).rev() {
        total = sum(index(d), &length(&space[d], index)?, &total);
    }
    is_plain(&total).then_some(total)
}

/// The number of points of a space.
pub fn count(space: &[Descriptor], index: &dyn Fn(usize) -> SizeVar) -> Option<Size> {
    below(space, 0, space.len(), index)
}

/// Where the rows of the last dimension start, over the indices of the others.
pub fn start(space: &[Descriptor], index: &dyn Fn(usize) -> SizeVar) -> Option<Size> {
    let last = space.len() - 1;
    let mut total = Size::zero();
    for d in 0..last {
        let var = index(d);
        total = total + sum(var, &Size::var(var), &below(space, d + 1, last + 1, index)?);
    }
    is_plain(&total).then_some(total)
}
