//! Minimum and maximum.
//!
//! The normal form is flat and sorted, arguments that cannot be the answer are gone, and what all arguments have in common stands outside:
//!
//! ```text
//! min(n + x, m + x)           is   x + min(m, n)
//! max(0, i - w)               is   max(i, w) - w          so that it does not matter where the w was added
//! min(2n, 4m)                 is   2*min(n, 2m)
//! min(n, n + 1, 3 + min(a, b))  is   min(n, a + 3, b + 3)
//! min(n - max(a, b), c)       is   min(n - a, n - b, c)   before common terms are taken out
//! min(a, max(a, b))           is   a
//! ```
//!
//! Of every product the smallest coefficient among the arguments is taken out, so arguments which differ by the same shift meet in one form.
//! Only whole multiples and combinations that are always integers leave, since what stays must be integers too.
//!
//! Declined: arguments that only assumptions show to be greater (the prover's business); `max(a, b) = a + b - min(a, b)`; flat forms of more than
//! twelve arguments.

use std::collections::{BTreeMap, BTreeSet};

use crate::expr::{Atom, Monomial, Size};
use crate::poly::gcd;

const MAX_ARGS: usize = 12;
const MAX_ROUNDS: u32 = 4;

impl Size {
    /// The lesser of two sizes (`Ord::min` compares structure and means nothing).
    pub fn minimum(&self, other: &Size) -> Size {
        Size::min_of(&[self.clone(), other.clone()])
    }

    /// The greater of two sizes (`Ord::max` compares structure and means nothing).
    pub fn maximum(&self, other: &Size) -> Size {
        Size::max_of(&[self.clone(), other.clone()])
    }

    /// The least of some sizes; zero where there is none.
    pub fn min_of(sizes: &[Size]) -> Size {
        extreme(sizes, true, MAX_ROUNDS)
    }

    /// The greatest of some sizes; zero where there is none.
    pub fn max_of(sizes: &[Size]) -> Size {
        extreme(sizes, false, MAX_ROUNDS)
    }
}

fn extreme(sizes: &[Size], least: bool, rounds: u32) -> Size {
    let mut kept = undominated(flat(sizes, least), least);
    absorb(&mut kept, least);
    match kept.len() {
        0 => return Size::zero(),
        1 => return kept.swap_remove(0),
        _ => {}
    }
    let shift = common(&kept);
    let mut args: Vec<Size> = if shift.is_zero() { kept } else { kept.iter().map(|k| k - &shift).collect() };
    // With common terms gone an extreme may stand alone that was part of a product as well.
    if !shift.is_zero()
        && rounds > 0
        && args.iter().any(|arg| spread(arg, least).or_else(|| spread(arg, !least)).is_some())
    {
        return extreme(&args, least, rounds - 1) + shift;
    }
    let factor = content(&args);
    if factor > 1 {
        args.iter_mut().for_each(|arg| *arg = arg.divide_exactly(factor));
    }
    args.sort();
    let atom = Size::atom(if least { Atom::Min(args) } else { Atom::Max(args) });
    atom * Size::from_i128(factor) + shift
}

/// The sizes whose extreme this size is, where it is one that stands in a sum: `3 + min(a, b)` is the least of `a + 3` and `b + 3`.
fn spread(size: &Size, least: bool) -> Option<Vec<Size>> {
    let mut found = None;
    for (monomial, factor) in size.terms() {
        if let [(atom, 1)] = monomial.factors() {
            let rising = factor > 0;
            match atom {
                Atom::Min(args) if rising == least => found = Some((atom, args)),
                Atom::Max(args) if rising != least => found = Some((atom, args)),
                _ => continue,
            }
            break;
        }
    }
    let (atom, args) = found?;
    let powers = size.by_powers(atom);
    match powers.as_slice() {
        [_, slope] if slope.as_i128().is_some() => Some(args.iter().map(|a| Size::at_point(&powers, a)).collect()),
        _ => None,
    }
}

/// The arguments without extremes of the same kind in them, unless those would be too many.
fn flat(sizes: &[Size], least: bool) -> Vec<Size> {
    let mut open: Vec<Size> = sizes.to_vec();
    let mut done = BTreeSet::new();
    while let Some(size) = open.pop() {
        match spread(&size, least) {
            Some(more) => open.extend(more),
            None => drop(done.insert(size)),
        }
        if open.len() + done.len() > MAX_ARGS.max(sizes.len()) {
            return sizes.to_vec();
        }
    }
    done.into_iter().collect()
}

/// Drops arguments that differ by a constant from a better one.
fn undominated(sizes: Vec<Size>, least: bool) -> Vec<Size> {
    let mut kept: Vec<Size> = Vec::new();
    for size in sizes {
        let rival = kept.iter().enumerate().find_map(|(at, k)| Some((at, (&size - k).as_i128()?)));
        match rival {
            Some((at, more)) if (more < 0) == least => kept[at] = size,
            Some(_) => {}
            None => kept.push(size),
        }
    }
    kept
}

/// Drops `max(a, b)` from a minimum that has `a` or less, and the reverse.
fn absorb(kept: &mut Vec<Size>, least: bool) {
    let mut at = 0;
    while at < kept.len() {
        let parts = spread(&kept[at], !least).unwrap_or_default();
        let covered = kept.iter().enumerate().any(|(other, k)| {
            let beaten =
                |part: &Size| (part - k).as_i128().is_some_and(|more| if least { more >= 0 } else { more <= 0 });
            other != at && parts.iter().any(beaten)
        });
        if covered {
            kept.remove(at);
            at = 0;
        } else {
            at += 1;
        }
    }
}

/// What leaves all arguments: the smallest coefficient of every product.
fn common(args: &[Size]) -> Size {
    let mut shared = 1i128;
    for arg in args {
        let step = i128::try_from(gcd(shared.unsigned_abs(), arg.denominator().unsigned_abs())).unwrap_or(1);
        match (shared / step).checked_mul(arg.denominator()) {
            Some(product) => shared = product,
            None => return Size::zero(),
        }
    }
    let products: BTreeSet<&Monomial> = args.iter().flat_map(|arg| arg.terms.keys()).collect();
    let mut exact = BTreeMap::new();
    let mut whole = BTreeMap::new();
    for product in products {
        let factor = |arg: &Size| {
            let scale = shared / arg.denominator();
            arg.terms.get(product).copied().unwrap_or(0).checked_mul(scale)
        };
        let Some(factors) = args.iter().map(factor).collect::<Option<Vec<i128>>>() else {
            return Size::zero();
        };
        let least = factors.iter().copied().min().unwrap_or(0);
        // Taking a lone extreme out of one argument would put it into another, where it would have to be spread again.
        let lone = matches!(product.factors(), [(Atom::Min(_) | Atom::Max(_), 1)]);
        if lone && factors.iter().any(|f| *f != least) {
            continue;
        }
        exact.insert(product.clone(), least);
        whole.insert(product.clone(), least.div_euclid(shared));
    }
    let exact = Size::from_terms(exact, shared).filter(Size::is_integer_valued);
    exact.or_else(|| Size::from_terms(whole, 1)).unwrap_or_else(Size::zero)
}

/// The greatest number that divides all coefficients, where they are whole.
fn content(args: &[Size]) -> i128 {
    if args.iter().any(|arg| arg.denominator() != 1) {
        return 1;
    }
    let all = args.iter().flat_map(|arg| arg.terms.values());
    i128::try_from(all.fold(0, |g, c| gcd(g, c.unsigned_abs()))).unwrap_or(1).max(1)
}
