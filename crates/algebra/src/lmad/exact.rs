//! Strided intervals whose numbers are all known.
//!
//! Does `offset + e1*s1 + e2*s2 + ...` become zero for some `e1`, `e2`, ... within their ranges? With numbers this has a definite answer.
//! The largest stride goes first. What remains behind it can reach only so far, which leaves few values to try, often none or one:
//!
//! ```text
//! 12 + [-2, 2]*10 + [0, 3]*1       the tail reaches 12 to 15, so only e1 = -1 can help; then 2 + [0, 3]*1 is never zero
//! ```
//!
//! A common divisor of all strides that does not divide the offset settles the rest. `None` where numbers overflow or the search is long.

/// `[low, high] * stride`, with a stride of at least zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) low: i128,
    pub(super) high: i128,
    pub(super) stride: i128,
}

const MAX_TRIES: u32 = 4096;

/// Whether zero is reached.
pub(super) fn reaches_zero(offset: i128, intervals: &[Interval]) -> Option<bool> {
    let mut sorted = intervals.to_vec();
    sorted.retain(|i| i.stride != 0);
    sorted.sort_by_key(|i| std::cmp::Reverse(i.stride));
    if intervals.iter().any(|i| i.low > i.high) {
        return Some(false);
    }
    search(offset, &sorted, &mut MAX_TRIES.clone())
}

fn search(offset: i128, intervals: &[Interval], tries: &mut u32) -> Option<bool> {
    *tries = tries.checked_sub(1)?;
    let Some((first, rest)) = intervals.split_first() else {
        return Some(offset == 0);
    };
    let common = intervals.iter().fold(0, |g, i| gcd(g, i.stride));
    if offset % common != 0 {
        return Some(false);
    }
    let (mut least, mut most) = (offset, offset);
    for interval in rest {
        least = least.checked_add(interval.low.checked_mul(interval.stride)?)?;
        most = most.checked_add(interval.high.checked_mul(interval.stride)?)?;
    }
    // first * e = -tail, for a tail from least to most.
    let from = most.checked_neg()?.div_euclid(first.stride).max(first.low);
    let to = least.checked_neg()?.div_euclid(first.stride).min(first.high);
    let mut e = from;
    while e <= to {
        if search(offset.checked_add(e.checked_mul(first.stride)?)?, rest, tries)? {
            return Some(true);
        }
        e += 1;
    }
    Some(false)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
