//! `terrace run … --plot FILE.svg`: the result as a picture.
//!
//! ```text
//! []f64                 a line over the positions; --plot-kind points, histogram
//! [](f64, f64)          points in the plane; --plot-kind line joins them in order
//! [][]f64, rectangular  a heat map with a colour bar; --plot-kind line draws a line per row
//! [][]f64, ragged       every row a strip as long as it is; --plot-kind lengths draws the lengths alone
//! ([]f64, [][]f64)      a panel for each part; so for records, and for arrays of tuples
//! ```
//!
//! A result passes through three steps, a file each: [`panels`] takes it apart, [`scale`] and [`reduce`] bring numbers to pixels, and one of
//! [`lines`], [`bars`] and [`heat`] writes marks into the frame that [`svg`] made. However large the data, the file is not: lines keep the
//! least and the greatest value of every pixel column, heat maps the means of blocks of cells. What is left out is said in the picture.
//!
//! Same result, same bytes. Declines enums, single numbers, and arrays of three and more dimensions, before anything is computed.

mod bars;
mod heat;
mod lines;
mod panels;
mod reduce;
mod scale;
mod svg;
#[cfg(test)]
mod tests;

use panels::{Panel, Shape};
use std::path::Path;
use svg::{PANEL, Sheet, WIDTH};
use terrace::data::Column;
use terrace::{Diagnostic, Failed, Program, Surface, Value};

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whatever the type of the result suggests.
    Auto,
    /// A line; one per row of rows.
    Line,
    /// Points that nothing joins.
    Points,
    /// How many values lie where.
    Histogram,
    /// Colours for values, a strip per row.
    Heat,
    /// How long rows are.
    Lengths,
}

impl Kind {
    pub(crate) const ALL: [(&str, Kind); 6] = [
        ("auto", Kind::Auto),
        ("line", Kind::Line),
        ("points", Kind::Points),
        ("histogram", Kind::Histogram),
        ("heat", Kind::Heat),
        ("lengths", Kind::Lengths),
    ];

    fn name(self) -> &'static str {
        Kind::ALL.iter().find(|(_, kind)| *kind == self).map_or("auto", |(name, _)| name)
    }

    /// Whether it is for rows only.
    fn needs_rows(self) -> bool {
        matches!(self, Kind::Heat | Kind::Lengths)
    }
}

/// Whether the result of an entry could be drawn into a file, before anything is computed.
pub(crate) fn check(program: &Program, entry: &str, path: &Path, kind: Kind) -> Result<(), Failed> {
    let refused = |title: String, hint: &str| Err(Failed::from(Diagnostic::error("T0711", title).hint(hint)));
    if path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("svg")) {
        return refused(
            format!("`{}` is not the name of an SVG picture", path.display()),
            "give the file the ending `.svg`; browsers show it, and print it to other formats",
        );
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
        let why = if path.is_dir() { "it is a folder" } else { "its folder does not exist" };
        let title = format!("cannot write `{}`: {why}", path.display());
        return Err(Failed::from(Diagnostic::error("T0705", title)));
    }
    let Some(signature) = program.entries().iter().find(|e| e.name == entry) else { return Ok(()) };
    let gives = format!("`{entry}` gives `{}`", signature.result_text);
    match panels::drawable(&signature.result) {
        Err((why, hint)) => refused(format!("{gives}, which has no picture: {why}"), hint),
        Ok(found) if kind.needs_rows() && !found.rows => refused(
            format!("`--plot-kind {}` draws rows, and {gives}", kind.name()),
            "`line`, `points` and `histogram` draw vectors",
        ),
        Ok(_) => Ok(()),
    }
}

/// Draws the result of an entry into a file.
pub(crate) fn plot(program: &Program, entry: &str, value: &Value, path: &Path, kind: Kind) -> Result<(), Failed> {
    let column = program.result_column(entry, value)?;
    let surface = program.entries().iter().find(|e| e.name == entry).map(|e| &e.result);
    let text = surface.map_or(String::new(), |surface| picture(entry, &column, surface, kind));
    terrace::replace_file(path, text.as_bytes())
}

/// The picture of a value, as the text of an SVG file.
fn picture(title: &str, column: &Column, surface: &Surface, kind: Kind) -> String {
    let (panels, single) = panels::panels(title, column, surface, matches!(kind, Kind::Histogram));
    let mut sheet = Sheet::new(WIDTH, PANEL * panels.len() as f64 + 20.0 * single.len() as f64);
    for panel in &panels {
        draw(panel, kind, &mut sheet);
    }
    for (name, number) in &single {
        sheet.sentence(&format!("{name} = {number}"));
    }
    sheet.finish()
}

fn draw(panel: &Panel, kind: Kind, sheet: &mut Sheet) {
    match (&panel.shape, kind) {
        (Shape::Vector(_), Kind::Histogram) | (Shape::Rows { .. }, Kind::Histogram) => bars::histogram(panel, sheet),
        (Shape::Rows { .. }, Kind::Auto | Kind::Heat) => heat::heat_map(panel, sheet),
        (Shape::Rows { .. }, Kind::Lengths) => bars::lengths(panel, sheet),
        (Shape::Rows { .. }, _) => lines::rows(panel, kind != Kind::Points, sheet),
        (Shape::Pairs { .. }, _) => lines::pairs(panel, kind == Kind::Line, sheet),
        (Shape::Vector(_), _) => lines::vector(panel, kind != Kind::Points, sheet),
    }
}
