//! Sums with a split point.
//!
//! A condition, a minimum or a maximum under a sum compares two sizes. Where their difference is linear in the position, one of them is
//! the less up to some position `c`, and the other from there on:
//!
//! ```text
//! sum(i < n: split(i, c, f(i), g(i)))   becomes   sum(i < p: f(i)) + sum(p <= i < n: g(i))      p is c, kept between 0 and n
//! sum(i < n: min(i, c))                 becomes   (p^2 - p)/2 + (n - p)*c
//! ```
//!
//! The condition is replaced by its value on each side, at any depth, and both sides are summed anew: they have one comparison less. The
//! upper side is a difference of two sums from zero, so it need not make sense below `c` beyond cancelling there.
//!
//! The split point is kept between with `min(max(c, 0), n)`: right for every `c`, given `0 <= n`. Declined: comparisons whose
//! difference is not linear in the position, or whose slope is a variable; products with an inner sum that has no closed form.

use crate::closed::linear;
use crate::expr::{Atom, Monomial, Size};
use crate::split::condition;
use crate::sum::{Adding, product_size};

/// An atom that is one size at positions before `at`, and another from there on.
struct Break {
    atom: Atom,
    before: Size,
    after: Size,
    at: Size,
}

impl Adding<'_> {
    /// The sum in two pieces, where there is a split point.
    pub(crate) fn pieces(self, upper: &Size, inner: &Monomial) -> Option<Size> {
        let splits = self.splits.checked_sub(1)?;
        let body = product_size(inner.0.clone());
        let found = find_break(&body, self.index)?;
        let before = body.replace_atom(&found.atom, &found.before);
        let after = body.replace_atom(&found.atom, &found.after);
        let adding = Adding { splits, ..self };
        let low = clamp(&found.at, upper);
        if low == *upper {
            return adding.size(upper, &before);
        }
        Some(adding.size(upper, &after)? + adding.size(&low, &(before - after))?)
    }
}

/// The split point between zero and an upper end that is not negative.
fn clamp(at: &Size, upper: &Size) -> Size {
    let start = at.maximum(&Size::zero());
    match (at.as_i128(), (at - upper).as_i128()) {
        (Some(..=0), _) => Size::zero(),
        (_, Some(..=-1)) => start,
        _ => start.minimum(upper),
    }
}

fn find_break(size: &Size, index: &Atom) -> Option<Break> {
    size.atoms().into_iter().filter(|atom| atom.mentions(index)).find_map(|atom| break_of(atom, index))
}

fn break_of(atom: &Atom, index: &Atom) -> Option<Break> {
    let own = match atom {
        Atom::Below(test) => {
            let value = |holds: bool| Size::constant(i64::from(holds));
            split_point(test, index).map(|(at, below)| (at, value(below), value(!below)))
        }
        Atom::Min(args) => choice(args, index, true),
        Atom::Max(args) => choice(args, index, false),
        _ => None,
    };
    match own {
        Some((at, before, after)) => Some(Break { atom: atom.clone(), before, after, at }),
        None => atom.parts().into_iter().find_map(|part| find_break(part, index)),
    }
}

/// The split point between two arguments, and the extreme of the rest on both sides of it.
fn choice(args: &[Size], index: &Atom, least: bool) -> Option<(Size, Size, Size)> {
    let without = |dropped: usize| {
        let rest: Vec<Size> =
            args.iter().enumerate().filter(|(at, _)| *at != dropped).map(|(_, a)| a.clone()).collect();
        if least { Size::min_of(&rest) } else { Size::max_of(&rest) }
    };
    for first in 0..args.len() {
        for second in first + 1..args.len() {
            // Where both are equal either will do, so the difference may as well be the rising one.
            let difference = &args[first] - &args[second];
            let (low, high, found) = match split_point(&difference, index) {
                Some((_, false)) => (second, first, split_point(&-difference, index)),
                found => (first, second, found),
            };
            if let Some((at, true)) = found {
                return Some(if least { (at, without(high), without(low)) } else { (at, without(low), without(high)) });
            }
        }
    }
    None
}

/// The first position from which on the sign of a size is another one, and whether it is negative before that.
fn split_point(test: &Size, index: &Atom) -> Option<(Size, bool)> {
    let (test, negated) = condition(test);
    let (slope, rest) = linear(&test, index)?;
    let by = i64::try_from(slope.checked_abs()?).ok()?;
    let quotient = rest.floor_by(by);
    // With a rising test, `by*i + rest < 0` says `i < -floor(rest/by)`; with a falling one, `i > floor(rest/by)`.
    Some(if slope > 0 { (-quotient, !negated) } else { (quotient + 1, negated) })
}
