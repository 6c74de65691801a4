//! Lines and points: vectors over their positions, rows one above the other, points in the plane.
//!
//! Few values have a dot each; more are a line alone; more than two per pixel are, in every pixel column, a stroke from the least to the greatest.
//! A value that is not finite interrupts a line, and is counted in the remark.

use super::panels::{Panel, Shape};
use super::reduce::{extremes, spots};
use super::scale::Scale;
use super::svg::{COLOURS, Frame, Sheet};
use std::fmt::Write;

/// Up to so many values have dots on the line.
const DOTS: usize = 60;

/// How many values are not finite, as a remark.
pub(crate) fn not_finite(values: &[f64]) -> Option<String> {
    match values.iter().filter(|v| !v.is_finite()).count() {
        0 => None,
        1 => Some("1 value is not finite and left out".to_string()),
        many => Some(format!("{many} values are not finite and left out")),
    }
}

pub(crate) fn count(many: usize, what: &str) -> String {
    format!("{many} {what}{}", if many == 1 { "" } else { "s" })
}

/// A vector over its positions.
pub(crate) fn vector(panel: &Panel, joined: bool, sheet: &mut Sheet) {
    let Shape::Vector(values) = &panel.shape else { return };
    let remarks: Vec<String> = [count(values.len(), "element")].into_iter().chain(not_finite(values)).collect();
    over_positions(panel, &[values], &remarks, joined, sheet);
}

/// Rows over their positions, a line each; as many as there are colours.
pub(crate) fn rows(panel: &Panel, joined: bool, sheet: &mut Sheet) {
    let Shape::Rows { starts, values } = &panel.shape else { return };
    let all: Vec<&[f64]> = starts.windows(2).map(|row| &values[row[0]..row[1]]).collect();
    let shown = &all[..all.len().min(COLOURS)];
    let mut remarks = vec![match all.len() > shown.len() {
        true => format!("the first {} of {}", shown.len(), count(all.len(), "row")),
        false => count(all.len(), "row"),
    }];
    remarks.extend(not_finite(&values[..shown.iter().map(|row| row.len()).sum()]));
    over_positions(panel, shown, &remarks, joined, sheet);
}

fn over_positions(panel: &Panel, rows: &[&[f64]], remarks: &[String], joined: bool, sheet: &mut Sheet) {
    let frame = sheet.panel(&panel.name, remarks, 24.0);
    let longest = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let Some(up) = Scale::of(rows.iter().flat_map(|row| row.iter().copied()), panel.whole) else {
        return sheet.nothing(&frame, if longest == 0 { "no elements" } else { "no value is finite" });
    };
    let across = Scale::new(0.0, longest.saturating_sub(1) as f64, true);
    sheet.axes(&frame, &across, &up);
    for (k, row) in rows.iter().enumerate() {
        let place = |(j, v): (usize, &f64)| v.is_finite().then(|| (frame.x(&across, j as f64), frame.y(&up, *v)));
        let places: Vec<Option<(f64, f64)>> = match row.len() as f64 > 2.0 * frame.width && joined {
            false => row.iter().enumerate().map(place).collect(),
            true => strokes(row, longest, &frame, &up),
        };
        if joined {
            sheet.marks(&path(&places, k));
        }
        if !joined || row.len() <= DOTS {
            sheet.marks(&dots(places.iter().flatten().copied(), k));
        }
    }
    sheet.edge(&frame, "position", "");
}

/// In every pixel column that a row reaches, its least and its greatest value.
fn strokes(row: &[f64], longest: usize, frame: &Frame, up: &Scale) -> Vec<Option<(f64, f64)>> {
    let (left, right) = (frame.x(&Scale::new(0.0, 1.0, false), 0.0), frame.x(&Scale::new(0.0, 1.0, false), 1.0));
    let reach = (right - left) * row.len() as f64 / longest as f64;
    let columns = extremes(row, reach.ceil() as usize);
    let column = |(k, ends): (usize, Option<(f64, f64)>)| match ends {
        Some((low, high)) => {
            let x = left + k as f64;
            // Up and down in turn, so that neighbours meet.
            let (first, second) = if k % 2 == 0 { (low, high) } else { (high, low) };
            vec![Some((x, frame.y(up, first))), Some((x, frame.y(up, second)))]
        }
        None => vec![None],
    };
    columns.into_iter().enumerate().flat_map(column).collect()
}

/// Points in the plane, joined in their order or not.
pub(crate) fn pairs(panel: &Panel, joined: bool, sheet: &mut Sheet) {
    let Shape::Pairs { x, y, names } = &panel.shape else { return };
    let finite = |(a, b): &(&f64, &f64)| a.is_finite() && b.is_finite();
    let lost = x.iter().zip(y).filter(|p| !finite(p)).count();
    let mut remarks = vec![count(x.len(), "point")];
    if lost > 0 {
        remarks.push(format!("{lost} not finite and left out"));
    }
    let frame = sheet.panel(&panel.name, &remarks, 24.0);
    let kept = || x.iter().zip(y).filter(finite);
    let across = Scale::of(kept().map(|(a, _)| *a), panel.whole);
    let up = Scale::of(kept().map(|(_, b)| *b), panel.whole);
    let (Some(across), Some(up)) = (across, up) else {
        return sheet.nothing(&frame, if x.is_empty() { "no points" } else { "no point is finite" });
    };
    sheet.axes(&frame, &across, &up);
    let place = |(a, b): (&f64, &f64)| (frame.x(&across, *a), frame.y(&up, *b));
    if joined {
        let places = x.iter().zip(y).map(|p| finite(&p).then(|| place(p))).collect::<Vec<_>>();
        sheet.marks(&path(&without_standing_still(&places), 0));
    }
    if !joined || x.len() <= DOTS {
        sheet.marks(&dots(kept().map(place), 0));
    }
    sheet.edge(&frame, &names[0], &names[1]);
}

/// Leaves out what moves less than half a pixel.
fn without_standing_still(places: &[Option<(f64, f64)>]) -> Vec<Option<(f64, f64)>> {
    let near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() < 0.5 && (a.1 - b.1).abs() < 0.5;
    let mut out: Vec<Option<(f64, f64)>> = Vec::new();
    for place in places {
        match (out.last(), place) {
            (Some(Some(last)), Some(here)) if near(*last, *here) => {}
            (Some(None), None) => {}
            _ => out.push(*place),
        }
    }
    out
}

/// A line through places, interrupted where there is none.
fn path(places: &[Option<(f64, f64)>], colour: usize) -> String {
    let mut d = String::new();
    let mut pen_is_down = false;
    for place in places {
        if let Some((x, y)) = place {
            let _ = write!(d, "{}{x:.1} {y:.1}", if pen_is_down { "L" } else { "M" });
        }
        pen_is_down = place.is_some();
    }
    format!("<path class=\"line s{}\" fill=\"none\" stroke=\"#3b7dc4\" d=\"{d}\"/>", colour % COLOURS)
}

/// A dot at every place: strokes without length, whose ends are round.
fn dots(places: impl Iterator<Item = (f64, f64)>, colour: usize) -> String {
    let mut d = String::new();
    for (x, y) in spots(places) {
        let _ = write!(d, "M{x:.1} {y:.1}h0");
    }
    format!(
        "<path class=\"dots s{}\" fill=\"none\" stroke=\"#3b7dc4\" stroke-width=\"4\" stroke-linecap=\"round\" d=\"{d}\"/>",
        colour % COLOURS
    )
}
