//! The positions of a strided slice, in numbers.
//!
//! ```text
//! xs[1; 2 by 4, 3 by 1]     reaches 1 2 3 and 5 6 7: the extent is (1, 7), and no two are one
//! xs[0; 2 by 2, 3 by 1]     reaches 0 1 2 and 2 3 4: position 2 is there twice
//! ```
//!
//! Numbers beyond 64 bits are kept at the ends of `i64`, where no array has a position: the check that follows an extent
//! then refuses them.

/// A first position, and counts and strides from the outermost dimension on.
pub(super) struct Positions {
    pub(super) offset: i64,
    pub(super) dims: Vec<(i64, i64)>,
}

impl Positions {
    /// How many there are.
    pub(super) fn count(&self) -> i64 {
        self.dims.iter().fold(1_i64, |n, (count, _)| n.saturating_mul(*count))
    }

    fn is_empty(&self) -> bool {
        self.dims.iter().any(|(count, _)| *count <= 0)
    }

    /// The least and the greatest position; `(0, -1)` where there is none.
    pub(super) fn extent(&self) -> (i64, i64) {
        if self.is_empty() {
            return (0, -1);
        }
        let (mut low, mut high) = (i128::from(self.offset), i128::from(self.offset));
        for (count, stride) in &self.dims {
            let reach = (i128::from(*count) - 1) * i128::from(*stride);
            low = low.saturating_add(reach.min(0));
            high = high.saturating_add(reach.max(0));
        }
        let kept = |n: i128| n.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        (kept(low), kept(high))
    }

    /// Whether no two of them are one: sorted by size, each stride exceeds what the smaller ones span.
    pub(super) fn are_disjoint(&self) -> bool {
        if self.is_empty() {
            return true;
        }
        let moving = self.dims.iter().filter(|(count, _)| *count > 1);
        let mut steps: Vec<(u64, i64)> = moving.map(|(count, stride)| (stride.unsigned_abs(), *count)).collect();
        steps.sort_unstable();
        let mut span: i128 = 0;
        steps.into_iter().all(|(stride, count)| {
            let beyond = i128::from(stride) > span;
            span = span.saturating_add(i128::from(stride) * (i128::from(count) - 1));
            beyond
        })
    }
}
