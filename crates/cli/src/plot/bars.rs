//! Bars: how many values lie where, and how long rows are.
//!
//! ```text
//! histogram  whole numbers over a short range     a bar for each
//!            anything else                        bars of a round width from a round number on, about the root of the number of values
//! lengths    up to a pixel column per row         a bar for each row
//!            more rows                            the longest and, darker, the shortest row of each pixel column
//! ```

use super::lines::{count, not_finite};
use super::panels::{Panel, Shape};
use super::reduce::{bins, extremes};
use super::scale::{Scale, spelled_step};
use super::svg::{Frame, Sheet};
use std::fmt::Write;

/// Whole numbers over a range up to this have bars of their own.
const SINGLE: f64 = 60.0;

/// How many values lie where.
pub(crate) fn histogram(panel: &Panel, sheet: &mut Sheet) {
    let (Shape::Vector(values) | Shape::Rows { values, .. }) = &panel.shape else { return };
    let mut remarks: Vec<String> = [count(values.len(), "value")].into_iter().chain(not_finite(values)).collect();
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let Some(range) = Scale::of(finite(), panel.whole) else {
        let frame = sheet.panel(&panel.name, &remarks, 24.0);
        return sheet.nothing(&frame, if values.is_empty() { "no elements" } else { "no value is finite" });
    };
    let (least, greatest) = finite().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
    let single = panel.whole && greatest - least <= SINGLE;
    let wished = (values.len() as f64).sqrt().clamp(10.0, 50.0);
    let (low, width) = match single {
        true => (least - 0.5, 1.0),
        false => {
            let width = range.step(wished);
            ((least / width).floor() * width, width)
        }
    };
    let bars = ((greatest / width - low / width).floor().max(0.0) as usize + 1).min(1000);
    // What lies exactly at the end of the last bar belongs into it.
    let bars = if !single && bars > 1 && low / width + (bars - 1) as f64 >= greatest / width { bars - 1 } else { bars };
    let counts = bins(values, low, width, bars);
    remarks.push(match single {
        true => "a bar for each number".to_string(),
        false => format!("bars of {}", spelled_step(width)),
    });
    let frame = sheet.panel(&panel.name, &remarks, 24.0);
    // Counted in bars first, no number leaves the range of floats on its way.
    let edge = |k: usize| ((low / width + k as f64) * width).clamp(f64::MIN, f64::MAX);
    let across = Scale::new(low, edge(bars), panel.whole);
    let up = Scale::new(0.0, counts.iter().copied().max().unwrap_or(0) as f64, true);
    sheet.axes(&frame, &across, &up);
    let bar = |(k, n): (usize, &u64)| (frame.x(&across, edge(k)), frame.x(&across, edge(k + 1)), 0.0, *n as f64);
    sheet.marks(&bars_of(counts.iter().enumerate().map(bar), &frame, &up, ""));
    sheet.edge(&frame, "value", "how many");
}

/// How long rows are.
pub(crate) fn lengths(panel: &Panel, sheet: &mut Sheet) {
    let Shape::Rows { starts, .. } = &panel.shape else { return };
    let lengths: Vec<f64> = starts.windows(2).map(|row| (row[1] - row[0]) as f64).collect();
    let mut remarks = vec![spread(starts)];
    let pieces = lengths.len().min(600);
    if pieces < lengths.len() {
        remarks.push("pale up to the longest row of a pixel column, dark up to the shortest".to_string());
    }
    let frame = sheet.panel(&panel.name, &remarks, 24.0);
    if lengths.is_empty() {
        return sheet.nothing(&frame, "no rows");
    }
    let across = Scale::new(-0.5, lengths.len() as f64 - 0.5, true);
    let up = Scale::new(0.0, lengths.iter().copied().fold(0.0, f64::max), true);
    sheet.axes(&frame, &across, &up);
    let wide = lengths.len() as f64 / pieces as f64;
    let ends = extremes(&lengths, pieces);
    let bar = |k: usize, height: f64| {
        let (from, to) = (k as f64 * wide - 0.5, (k + 1) as f64 * wide - 0.5);
        (frame.x(&across, from), frame.x(&across, to), 0.0, height)
    };
    let highest = ends.iter().enumerate().map(|(k, e)| bar(k, e.map_or(0.0, |e| e.1)));
    if pieces < lengths.len() {
        sheet.marks(&bars_of(highest, &frame, &up, " fill-opacity=\"0.4\""));
        let lowest = ends.iter().enumerate().map(|(k, e)| bar(k, e.map_or(0.0, |e| e.0)));
        sheet.marks(&bars_of(lowest, &frame, &up, ""));
    } else {
        sheet.marks(&bars_of(highest, &frame, &up, ""));
    }
    sheet.edge(&frame, "row", "elements");
}

/// Bars from the left to the right and between two values, with a gap between them where they are wide enough.
fn bars_of(bars: impl Iterator<Item = (f64, f64, f64, f64)>, frame: &Frame, up: &Scale, how: &str) -> String {
    let mut d = String::new();
    for (from, to, low, high) in bars.filter(|bar| bar.3 > bar.2) {
        let gap = if to - from > 3.0 { 1.0 } else { 0.0 };
        let (bottom, top) = (frame.y(up, low), frame.y(up, high));
        let _ = write!(d, "M{from:.1} {bottom:.1}V{top:.1}H{:.1}V{bottom:.1}z", to - gap);
    }
    format!("<path class=\"bar\" fill=\"#3b7dc4\"{how} d=\"{d}\"/>")
}

/// Rows and their lengths, as a remark.
pub(crate) fn spread(starts: &[usize]) -> String {
    let lengths = || starts.windows(2).map(|row| row[1] - row[0]);
    let rows = count(starts.len().saturating_sub(1), "row");
    match (lengths().min(), lengths().max()) {
        (Some(least), Some(greatest)) if least == greatest => format!("{rows} of {}", count(least, "element")),
        (Some(least), Some(greatest)) => format!("{rows} of {least} to {greatest} elements"),
        _ => rows,
    }
}
