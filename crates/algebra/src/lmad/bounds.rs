//! Counts that are minima, replaced by what bounds them.
//!
//! The number of blocks on anti-diagonal `d` of `p` by `p` blocks is `min(d, p - 1) - max(0, d - p + 1) + 1`. A proof that multiplies it with
//! strides would go through all cases at every step. But a set only grows with its counts, so it is enough to prove the claim for any
//! number `c` of which only this is known:
//!
//! ```text
//! 1 <= c      c <= d + 1      c <= 2*p - 1 - d      c <= p
//! ```
//!
//! Each minimum gives way to each of its arguments, and likewise each maximum that is subtracted. Equal counts become the same number.
//! What ties the count to other sizes is lost: a caller tries the plain form too.

use super::Lmad;
use crate::expr::{Atom, Monomial, Size, fresh_bound};

const MAX_BOUNDS: usize = 8;

/// The sets with fresh numbers for such counts, and what is known of these, each at least zero. `None` where there is nothing to replace.
pub(super) fn loosen(sets: &[&Lmad]) -> Option<(Vec<Lmad>, Vec<Size>)> {
    let mut fresh: Vec<(Size, Size)> = Vec::new();
    let mut facts = Vec::new();
    let mut sets: Vec<Lmad> = sets.iter().map(|set| (*set).clone()).collect();
    for dim in sets.iter_mut().flat_map(|set| &mut set.dims) {
        if let Some((_, number)) = fresh.iter().find(|(count, _)| *count == dim.count) {
            dim.count = number.clone();
            continue;
        }
        let bounds = upper_bounds(&dim.count);
        if bounds.is_empty() {
            continue;
        }
        let number = Size::atom(fresh_bound());
        facts.push(&number - 1);
        facts.extend(bounds.iter().map(|bound| bound - &number));
        fresh.push((std::mem::replace(&mut dim.count, number.clone()), number));
    }
    (!fresh.is_empty()).then_some((sets, facts))
}

/// Sizes that are at least as large and have no minimum or maximum on the way; empty where there was none.
fn upper_bounds(size: &Size) -> Vec<Size> {
    let mut open = vec![size.clone()];
    let mut bounds = Vec::new();
    while let Some(next) = open.pop() {
        let found = next.terms().find_map(|(monomial, coefficient)| give_way(monomial, coefficient));
        if let Some((atom, args)) = found {
            let powers = next.by_powers(atom);
            open.extend(args.iter().map(|arg| Size::at_point(&powers, arg)));
        } else {
            bounds.push(next);
        }
        if open.len() + bounds.len() > MAX_BOUNDS {
            return Vec::new();
        }
    }
    bounds.retain(|bound| bound != size);
    bounds
}

/// A minimum that is added, or a maximum that is subtracted.
fn give_way(monomial: &Monomial, coefficient: i128) -> Option<(&Atom, &[Size])> {
    match monomial.factors() {
        [(atom @ Atom::Min(args), 1)] if coefficient > 0 => Some((atom, args)),
        [(atom @ Atom::Max(args), 1)] if coefficient < 0 => Some((atom, args)),
        _ => None,
    }
}
