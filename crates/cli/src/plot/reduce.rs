//! Many numbers to few: what a picture of so many pixels can show.
//!
//! ```text
//! a line      10 000 000 values over 640 columns     the least and the greatest value of each column
//! a heat map  4000 x 3000 over 200 x 130 cells       the mean of each block of 20 x 24
//! points      any number                             one per spot of two by two pixels
//! ```
//!
//! Peaks of a line survive, which means would flatten; colours of a heat map do not flicker, which samples would. Numbers that are not
//! finite take no part.

use std::collections::BTreeSet;

/// The least and the greatest finite value of each of so many equal pieces; none where there is no such value.
pub(crate) fn extremes(values: &[f64], pieces: usize) -> Vec<Option<(f64, f64)>> {
    let piece = |k: usize| {
        let (from, to) = (k * values.len() / pieces, (k + 1) * values.len() / pieces);
        let finite = values[from..to].iter().copied().filter(|v| v.is_finite());
        finite.fold(None, |range: Option<(f64, f64)>, v| match range {
            Some((low, high)) => Some((low.min(v), high.max(v))),
            None => Some((v, v)),
        })
    };
    (0..pieces).map(piece).collect()
}

/// A cell of a heat map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// No row is that long.
    Outside,
    /// There are values, and none is finite.
    Hole,
    /// The mean of its finite values.
    Mean(f64),
}

/// Rows in so many cells.
pub(crate) struct Cells {
    pub(crate) wide: usize,
    pub(crate) high: usize,
    pub(crate) cells: Vec<Cell>,
}

/// The means of blocks of rows and columns, so that there are at most so many.
pub(crate) fn cells(starts: &[usize], values: &[f64], most_wide: usize, most_high: usize) -> Cells {
    let rows = starts.len().saturating_sub(1);
    let columns = starts.windows(2).map(|row| row[1] - row[0]).max().unwrap_or(0);
    let (wide, high) = (columns.min(most_wide), rows.min(most_high));
    let mut seen = vec![(0u64, 0u64, 0.0f64); wide * high];
    for (k, row) in starts.windows(2).enumerate() {
        let line = k * high / rows;
        for (j, value) in values[row[0]..row[1]].iter().enumerate() {
            let (all, finite, mean) = &mut seen[line * wide + j * wide / columns];
            *all += 1;
            if value.is_finite() {
                *finite += 1;
                // Weighted like this, no sum overflows.
                let share = 1.0 / *finite as f64;
                *mean = *mean * (1.0 - share) + value * share;
            }
        }
    }
    let cell = |(all, finite, mean): &(u64, u64, f64)| match (all, finite) {
        (0, _) => Cell::Outside,
        (_, 0) => Cell::Hole,
        _ => Cell::Mean(*mean),
    };
    Cells { wide, high, cells: seen.iter().map(cell).collect() }
}

/// Places in pixels, one for each spot of two by two.
pub(crate) fn spots(places: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let spot = |(x, y): (f64, f64)| ((x / 2.0).round() as i64, (y / 2.0).round() as i64);
    let mut taken = BTreeSet::new();
    places.filter(|place| taken.insert(spot(*place))).collect()
}

/// How many finite values lie in each of the bins of this width from `low` on; the last takes its upper end too.
pub(crate) fn bins(values: &[f64], low: f64, width: f64, count: usize) -> Vec<u64> {
    let mut out = vec![0; count];
    for value in values.iter().filter(|v| v.is_finite()) {
        let at = (value / width - low / width).floor().max(0.0) as usize;
        if let Some(bin) = out.get_mut(at.min(count.saturating_sub(1))) {
            *bin += 1;
        }
    }
    out
}
