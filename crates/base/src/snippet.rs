//! Source lines with marks under them: the picture part of a rendered message.
//!
//! Every label is first brought into screen columns ([`Mark`] for one line, [`Rail`] for several), then the lines that
//! carry one are drawn from top to bottom. A line of text is drawn once, however many labels it has:
//!
//! ```text
//! 4 | / let a = f(x)      a rail starts
//! 5 | | let b = g(y)
//!   | |_____________^ a rail ends, with its text
//! ```
//!
//! Two rails that overlap get columns of their own.

use crate::diagnostic::Label;
use crate::render::Paint;
use crate::span::{FileId, SourceMap};
use crate::text_width::{column_of, shown};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Lines in the middle of a long rail beyond which they are left out.
const LONG: usize = 4;

/// A label on one line, in screen columns.
#[derive(Clone)]
struct Mark<'a> {
    start: usize,
    end: usize,
    label: &'a Label,
}

/// A label over several lines.
struct Rail<'a> {
    first: usize,
    last: usize,
    /// Screen column of its last character.
    end: usize,
    /// Which of the columns left of the text it uses.
    lane: usize,
    label: &'a Label,
}

/// Columns that the line numbers of all labels need.
pub(crate) fn gutter_width(labels: &[&Label], map: &SourceMap) -> usize {
    let last = labels.iter().map(|l| map.position(l.span.file, l.span.end as usize).line).max();
    last.unwrap_or(1).to_string().len()
}

/// Draws the lines of one file that the labels touch; `labels` is not empty and all are in that file.
pub(crate) fn draw(out: &mut String, labels: &[&Label], map: &SourceMap, width: usize, paint: Paint) {
    let Some(file) = labels.first().map(|l| l.span.file) else {
        return;
    };
    let (marks, rails) = place(labels, map, file);
    let lanes = rails.iter().map(|r| r.lane + 1).max().unwrap_or(0);
    let lines = lines_to_show(&marks, &rails);
    let picture = Picture { rails: &rails, lanes, width, paint };

    let mut before: Option<usize> = None;
    for line in lines {
        match before {
            Some(b) if line == b + 2 => picture.text(out, map, file, b + 1),
            Some(b) if line > b + 2 => {
                let _ = writeln!(out, "{}", picture.row("...", "", b + 1, false));
            }
            _ => {}
        }
        picture.text(out, map, file, line);
        if let Some(marks) = marks.get(&line) {
            picture.marks(out, marks, line);
        }
        // The innermost rail ends first, so that the others can still be seen passing it.
        let mut ends: Vec<&Rail<'_>> = rails.iter().filter(|r| r.last == line).collect();
        ends.sort_by_key(|r| std::cmp::Reverse(r.lane));
        for rail in ends {
            picture.rail_end(out, rail);
        }
        before = Some(line);
    }
}

fn place<'a>(labels: &[&'a Label], map: &SourceMap, file: FileId) -> (BTreeMap<usize, Vec<Mark<'a>>>, Vec<Rail<'a>>) {
    let mut marks: BTreeMap<usize, Vec<Mark<'a>>> = BTreeMap::new();
    let mut rails: Vec<Rail<'a>> = Vec::new();
    for &label in labels {
        let (start, end) = (label.span.start as usize, label.span.end.max(label.span.start) as usize);
        let first = map.position(file, start).line;
        // A span that ends with a line break ends on the line before it.
        let last = map.position(file, if end > start { end - 1 } else { end }).line;
        let column = |line: usize, offset: usize| {
            let text = map.line_text(file, line);
            column_of(text, offset.saturating_sub(map.line_start(file, line)))
        };
        if first == last {
            let from = column(first, start);
            let to = column(first, end).max(from + 1);
            marks.entry(first).or_default().push(Mark { start: from, end: to, label });
        } else {
            let end = column(last, end).saturating_sub(1);
            let taken = |lane: usize| rails.iter().any(|r| r.lane == lane && r.first <= last && first <= r.last);
            let lane = (0..).find(|lane| !taken(*lane)).unwrap_or(0);
            rails.push(Rail { first, last, end, lane, label });
        }
    }
    (marks, rails)
}

fn lines_to_show(marks: &BTreeMap<usize, Vec<Mark<'_>>>, rails: &[Rail<'_>]) -> Vec<usize> {
    let mut lines: Vec<usize> = marks.keys().copied().collect();
    for rail in rails {
        if rail.last - rail.first <= LONG {
            lines.extend(rail.first..=rail.last);
        } else {
            lines.extend([rail.first, rail.first + 1, rail.last - 1, rail.last]);
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

struct Picture<'a> {
    rails: &'a [Rail<'a>],
    lanes: usize,
    width: usize,
    paint: Paint,
}

impl Picture<'_> {
    /// One row: the number column, the rails that pass `line`, and the text.
    fn row(&self, number: &str, text: &str, line: usize, below: bool) -> String {
        let paint = self.paint;
        let mut row = if number == "..." {
            paint.gutter(&format!("{number:<width$}", width = self.width + 2))
        } else {
            let number = format!("{number:>width$}", width = self.width);
            format!("{} {}", paint.gutter(&number), paint.gutter("|"))
        };
        if self.lanes > 0 {
            row.push(' ');
        }
        for lane in 0..self.lanes {
            let here = self.rails.iter().find(|r| r.lane == lane && r.first <= line && line <= r.last);
            match here {
                Some(rail) if rail.first == line && !below => row.push_str(&paint.mark(rail.label.primary, "/")),
                Some(rail) => row.push_str(&paint.mark(rail.label.primary, "|")),
                None => row.push(' '),
            }
        }
        if !text.is_empty() {
            row.push(' ');
            row.push_str(text);
        }
        row.trim_end().to_string()
    }

    fn text(&self, out: &mut String, map: &SourceMap, file: FileId, line: usize) {
        let text = shown(map.line_text(file, line));
        let _ = writeln!(out, "{}", self.row(&line.to_string(), &text, line, false));
    }

    fn marks(&self, out: &mut String, marks: &[Mark<'_>], line: usize) {
        let mut marks = marks.to_vec();
        marks.sort_by_key(|m| (m.start, !m.label.primary));
        let mut canvas = Canvas::default();
        // Primary marks are drawn last, over the others.
        for primary in [false, true] {
            for mark in marks.iter().filter(|m| m.label.primary == primary) {
                for column in mark.start..mark.end {
                    canvas.put(0, column, if primary { '^' } else { '-' }, primary);
                }
            }
        }
        let far_right = marks.iter().map(|m| m.end).max().unwrap_or(0);
        let mut texts: Vec<&Mark<'_>> = marks.iter().filter(|m| !m.label.text.is_empty()).collect();
        // The rightmost text goes beside its mark, unless another mark is in the way.
        let starts_twice = |m: &Mark<'_>| texts.iter().filter(|o| o.start == m.start).count() > 1;
        if let Some(last) = texts.last().copied()
            && last.end == far_right
            && !last.label.text.contains('\n')
            && !starts_twice(last)
        {
            canvas.write(0, last.end + 1, &last.label.text, last.label.primary);
            texts.pop();
        }
        let mut row = 1;
        while let Some(mark) = texts.pop() {
            // Texts that start in one column stand under each other without a stem between them.
            let stem_already =
                row > 1 && canvas.at(row - 1, mark.start) != ' ' && canvas.at(row - 1, mark.start) != '|';
            if !stem_already {
                for other in texts.iter().chain([&mark]) {
                    canvas.put(row, other.start, '|', other.label.primary);
                }
                row += 1;
            }
            for text in mark.label.text.lines() {
                for other in texts.iter().filter(|o| o.start < mark.start) {
                    canvas.put(row, other.start, '|', other.label.primary);
                }
                canvas.write(row, mark.start, text, mark.label.primary);
                row += 1;
            }
        }
        for text in canvas.rows(self.paint) {
            let _ = writeln!(out, "{}", self.row("", &text, line, true));
        }
    }

    fn rail_end(&self, out: &mut String, rail: &Rail<'_>) {
        let paint = self.paint;
        let mut row = format!("{} {} ", " ".repeat(self.width), paint.gutter("|"));
        for lane in 0..rail.lane {
            let passes = self.rails.iter().find(|r| r.lane == lane && r.first <= rail.last && rail.last <= r.last);
            row.push_str(&passes.map_or(" ".into(), |r| paint.mark(r.label.primary, "|")));
        }
        let line =
            format!("|{}{}", "_".repeat(self.lanes - rail.lane + rail.end), if rail.label.primary { '^' } else { '-' });
        row.push_str(&paint.mark(rail.label.primary, &line));
        let mut texts = rail.label.text.lines();
        if let Some(first) = texts.next() {
            row.push(' ');
            row.push_str(&paint.mark(rail.label.primary, first));
        }
        let _ = writeln!(out, "{}", row.trim_end());
        let indent = " ".repeat(self.lanes + rail.end + 3);
        for text in texts {
            let _ = writeln!(
                out,
                "{} {} {indent}{}",
                " ".repeat(self.width),
                paint.gutter("|"),
                paint.mark(rail.label.primary, text)
            );
        }
    }
}

/// Rows of characters, each primary or not, that can be written in any order.
#[derive(Default)]
struct Canvas {
    cells: Vec<Vec<(char, bool)>>,
}

impl Canvas {
    fn put(&mut self, row: usize, column: usize, c: char, primary: bool) {
        if self.cells.len() <= row {
            self.cells.resize(row + 1, Vec::new());
        }
        let cells = &mut self.cells[row];
        if cells.len() <= column {
            cells.resize(column + 1, (' ', false));
        }
        cells[column] = (c, primary);
    }

    fn write(&mut self, row: usize, column: usize, text: &str, primary: bool) {
        for (i, c) in text.chars().enumerate() {
            self.put(row, column + i, c, primary);
        }
    }

    fn at(&self, row: usize, column: usize) -> char {
        self.cells.get(row).and_then(|r| r.get(column)).map_or(' ', |cell| cell.0)
    }

    fn rows(&self, paint: Paint) -> Vec<String> {
        let painted = |cells: &Vec<(char, bool)>| {
            let pieces = cells.chunk_by(|a, b| a.1 == b.1 && (a.0 == ' ') == (b.0 == ' '));
            let piece = |p: &[(char, bool)]| {
                let text: String = p.iter().map(|cell| cell.0).collect();
                if p[0].0 == ' ' { text } else { paint.mark(p[0].1, &text) }
            };
            pieces.map(piece).collect::<String>()
        };
        self.cells.iter().map(painted).collect()
    }
}
