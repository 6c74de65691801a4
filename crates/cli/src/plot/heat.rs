//! Heat maps: a cell per element, coloured by its value; the first row is at the top.
//!
//! Ragged rows are strips, each as long as the row is, and what lies beyond the end of a row is the paper. A block of several cells has the colour of
//! the mean of its finite values, and is grey where none is finite.
//!
//! Colours run from dark blue over green to yellow, ever lighter, so that they keep their order in grey and to eyes that do not tell red from
//! green. There are 64 of them, and cells of one colour are one path: the file is small, and the same everywhere.

use super::bars::spread;
use super::lines::not_finite;
use super::panels::{Panel, Shape};
use super::reduce::{Cell, cells};
use super::scale::Scale;
use super::svg::{Frame, Sheet};
use std::fmt::Write;

/// At most so many cells from left to right, and from top to bottom.
const MOST: (usize, usize) = (200, 128);

const LEVELS: usize = 64;

/// Between these, colours are mixed.
const STOPS: [[f64; 3]; 5] =
    [[26.0, 28.0, 90.0], [36.0, 96.0, 146.0], [38.0, 158.0, 140.0], [140.0, 206.0, 84.0], [250.0, 232.0, 90.0]];

/// Rows as coloured cells, with a bar that says which colour is which number.
pub(crate) fn heat_map(panel: &Panel, sheet: &mut Sheet) {
    let Shape::Rows { starts, values } = &panel.shape else { return };
    let rows = starts.len().saturating_sub(1);
    let columns = starts.windows(2).map(|row| row[1] - row[0]).max().unwrap_or(0);
    let grid = cells(starts, values, MOST.0, MOST.1);
    let mut remarks = vec![spread(starts)];
    if grid.wide < columns || grid.high < rows {
        let each = |all: usize, cells: usize| all.div_ceil(cells.max(1));
        let (high, wide) = (each(rows, grid.high), each(columns, grid.wide));
        remarks.push(format!("a cell is the mean of up to {high} × {wide} elements"));
    }
    remarks.extend(not_finite(values).map(|text| text.replace("left out", "grey where alone")));
    let frame = sheet.panel(&panel.name, &remarks, 96.0);
    if values.is_empty() {
        return sheet.nothing(&frame, "no elements");
    }
    let means = || grid.cells.iter().filter_map(|cell| if let Cell::Mean(v) = cell { Some(*v) } else { None });
    let whole = panel.whole && grid.wide == columns && grid.high == rows;
    let range = Scale::of(means(), whole);
    let level = |v: f64| range.map_or(0, |r| (r.part(v) * LEVELS as f64).clamp(0.0, LEVELS as f64 - 1.0) as usize);
    let colour_of = |cell: &Cell| match cell {
        Cell::Outside => None,
        Cell::Hole => Some(LEVELS),
        Cell::Mean(v) => Some(level(*v)),
    };
    let mut paths = vec![String::new(); LEVELS + 1];
    for (y, line) in grid.cells.chunks(grid.wide.max(1)).enumerate() {
        let mut x = 0;
        while x < line.len() {
            let colour = colour_of(&line[x]);
            let run = line[x..].iter().take_while(|cell| colour_of(cell) == colour).count();
            if let Some(path) = colour.and_then(|colour| paths.get_mut(colour)) {
                let _ = write!(path, "M{x} {y}h{run}v1h-{run}z");
            }
            x += run;
        }
    }
    let Frame { left, top, width, height } = frame;
    let (sx, sy) = (width / grid.wide.max(1) as f64, height / grid.high.max(1) as f64);
    let mut marks = format!(
        "<g shape-rendering=\"crispEdges\" transform=\"translate({left:.1} {top:.1}) scale({sx:.4} {sy:.4})\">\n"
    );
    for (k, d) in paths.iter().enumerate().filter(|(_, d)| !d.is_empty()) {
        let fill =
            if k == LEVELS { "class=\"hole\" fill=\"#c3c8ce\"".to_string() } else { format!("fill=\"{}\"", shade(k)) };
        let _ = writeln!(marks, "<path {fill} d=\"{d}\"/>");
    }
    sheet.marks(&(marks + "</g>"));
    // Numbers stand at the middles of cells.
    let places = |count: usize, from: f64, room: f64, most: f64| {
        let scale = Scale::new(0.0, count.saturating_sub(1) as f64, true);
        let ticks = if count == 1 { vec![(0.0, "0".to_string())] } else { scale.ticks(most) };
        ticks.into_iter().map(move |(v, label)| (from + (v + 0.5) / count as f64 * room, label))
    };
    ticks_below(sheet, &frame, places(columns, left, width, 7.0).collect());
    ticks_beside(sheet, &frame, places(rows, top, height, 6.0).collect());
    sheet.edge(&frame, "position", "row");
    if let Some(range) = range {
        colour_bar(sheet, &frame, &range);
    }
}

fn ticks_below(sheet: &mut Sheet, frame: &Frame, places: Vec<(f64, String)>) {
    let thin = Frame { top: frame.top + frame.height, height: 4.0, ..*frame };
    let text = places.into_iter().map(|(x, label)| {
        format!(
            "<path class=\"edge\" stroke=\"#8b949e\" d=\"M{x:.1} {:.1}v4\"/><text class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\" font-size=\"11\" \
             text-anchor=\"middle\">{label}</text>",
            thin.top,
            thin.top + 16.0
        )
    });
    sheet.marks(&text.collect::<Vec<_>>().join("\n"));
}

fn ticks_beside(sheet: &mut Sheet, frame: &Frame, places: Vec<(f64, String)>) {
    let text = places.into_iter().map(|(y, label)| {
        format!(
            "<path class=\"edge\" stroke=\"#8b949e\" d=\"M{:.1} {y:.1}h-4\"/><text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" \
             text-anchor=\"end\">{label}</text>",
            frame.left,
            frame.left - 7.0,
            y + 4.0
        )
    });
    sheet.marks(&text.collect::<Vec<_>>().join("\n"));
}

/// The colours beside the map, from the least number at the bottom to the greatest at the top.
fn colour_bar(sheet: &mut Sheet, frame: &Frame, range: &Scale) {
    let bar = Frame { left: frame.left + frame.width + 16.0, width: 14.0, ..*frame };
    let each = bar.height / LEVELS as f64;
    let mut marks = String::from("<g class=\"colours\" shape-rendering=\"crispEdges\">");
    for k in 0..LEVELS {
        let y = bar.top + bar.height - (k + 1) as f64 * each;
        let _ = write!(
            marks,
            "<path fill=\"{}\" d=\"M{:.1} {y:.2}h{:.1}v{each:.2}h-{:.1}z\"/>",
            shade(k),
            bar.left,
            bar.width,
            bar.width
        );
    }
    marks += "</g>\n";
    for (value, label) in range.ticks(6.0) {
        let y = bar.top + (1.0 - range.part(value)) * bar.height;
        let _ = writeln!(
            marks,
            "<path class=\"edge\" stroke=\"#8b949e\" d=\"M{:.1} {y:.1}h4\"/><text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\">{label}</text>",
            bar.left + bar.width,
            bar.left + bar.width + 7.0,
            y + 4.0
        );
    }
    sheet.marks(marks.trim_end());
}

/// The colour of a level.
pub(crate) fn shade(level: usize) -> String {
    let at = level as f64 / (LEVELS - 1) as f64 * (STOPS.len() - 1) as f64;
    let from = (at as usize).min(STOPS.len() - 2);
    let part = at - from as f64;
    let mix = |c: usize| (STOPS[from][c] * (1.0 - part) + STOPS[from + 1][c] * part).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}
