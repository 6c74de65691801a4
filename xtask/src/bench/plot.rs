//! Plots as SVG, from what was measured.
//!
//! ```text
//! bars      saxpy   ▕██████│          one bar per case on a logarithmic axis, which begins at the line where both are equally fast
//! curves    saxpy   ▕ ── ╱ ▏          a small picture per case: Terrace and the best C over size or threads
//! ```
//!
//! Text is the reader's font in grey, which shows on light and on dark pages. Nothing is fetched and nothing runs.

use std::fmt::Write;

const OURS: &str = "#2f7ed8";
const THEIRS: &str = "#d8862f";
const GREY: &str = "#808080";

/// One bar: its name, its length, and what stands behind it.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) note: String,
}

/// Horizontal bars from 1, to the right where a value is above it and to the left where it is below; the axis is logarithmic.
pub(crate) fn bars(title: &str, left: &str, right: &str, bars: &[Bar]) -> String {
    let values = bars.iter().map(|b| b.value).filter(|v| *v > 0.0);
    let (low, high) = values.fold((0.5f64, 2.0f64), |(low, high), v| (low.min(v), high.max(v)));
    let (low, high) = (low.log10().floor(), high.log10().ceil());
    let (names, wide, step) = (190.0, 420.0, 18.0);
    let x = |v: f64| names + wide * (v.log10() - low) / (high - low);
    let height = 64.0 + step * bars.len() as f64;
    let mut out = begin(names + wide + 190.0, height, title);
    let bottom = height - 22.0;
    for power in low as i32..=high as i32 {
        let (at, value) = (x(10f64.powi(power)), 10f64.powi(power));
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" y1=\"34\" x2=\"{at:.1}\" y2=\"{bottom:.1}\" stroke=\"{GREY}\" stroke-opacity=\"{}\"/>",
            if power == 0 { 1.0 } else { 0.3 }
        );
        text(&mut out, at, height - 8.0, "middle", &value.to_string());
    }
    text(&mut out, x(1.0) - 6.0, 30.0, "end", left);
    text(&mut out, x(1.0) + 6.0, 30.0, "start", right);
    for (k, bar) in bars.iter().enumerate() {
        let y = 38.0 + step * k as f64;
        text(&mut out, names - 6.0, y + 12.0, "end", &bar.name);
        if bar.value > 0.0 {
            let (a, b) = (x(bar.value.min(1.0)), x(bar.value.max(1.0)));
            let colour = if bar.value >= 1.0 { OURS } else { THEIRS };
            let _ = writeln!(
                out,
                "<rect x=\"{a:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"12\" fill=\"{colour}\"/>",
                y + 2.0,
                (b - a).max(1.0)
            );
        }
        text(&mut out, names + wide + 6.0, y + 12.0, "start", &bar.note);
    }
    out + "</svg>\n"
}

/// Bars from 0 to 1, for parts of a whole; what is above 1 ends there, and its note says so.
pub(crate) fn parts(title: &str, bars: &[Bar]) -> String {
    let (names, wide, step) = (190.0, 420.0, 18.0);
    let height = 64.0 + step * bars.len() as f64;
    let mut out = begin(names + wide + 190.0, height, title);
    for tenth in [0, 5, 10] {
        let at = names + wide * f64::from(tenth) / 10.0;
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" y1=\"34\" x2=\"{at:.1}\" y2=\"{:.1}\" stroke=\"{GREY}\" stroke-opacity=\"0.5\"/>",
            height - 22.0
        );
        text(&mut out, at, height - 8.0, "middle", &(f64::from(tenth) / 10.0).to_string());
    }
    for (k, bar) in bars.iter().enumerate() {
        let y = 38.0 + step * k as f64;
        text(&mut out, names - 6.0, y + 12.0, "end", &bar.name);
        let length = wide * bar.value.clamp(0.0, 1.0);
        let _ = writeln!(
            out,
            "<rect x=\"{names:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"12\" fill=\"{OURS}\"/>",
            y + 2.0,
            length.max(1.0)
        );
        text(&mut out, names + wide + 6.0, y + 12.0, "start", &bar.note);
    }
    out + "</svg>\n"
}

/// Two curves over the same places: Terrace's and the best C's.
pub(crate) struct Curves {
    pub(crate) name: String,
    pub(crate) at: Vec<f64>,
    pub(crate) ours: Vec<f64>,
    pub(crate) theirs: Vec<f64>,
}

/// A small picture per case, five in a row, each with an axis of its own from 0 up; places are logarithmic.
pub(crate) fn pictures(title: &str, all: &[Curves]) -> String {
    let (wide, tall, across) = (160.0, 110.0, 5);
    let rows = all.len().div_ceil(across);
    let mut out = begin(wide * across as f64, 44.0 + tall * rows as f64, title);
    text(&mut out, wide * across as f64 - 8.0, 18.0, "end", "blue: Terrace, orange: the best C");
    for (k, one) in all.iter().enumerate() {
        let (left, top) = (wide * (k % across) as f64 + 12.0, 44.0 + tall * (k / across) as f64);
        let (w, h) = (wide - 24.0, tall - 34.0);
        text(&mut out, left, top + 4.0, "start", &one.name);
        let _ = writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" fill=\"none\" stroke=\"{GREY}\" stroke-opacity=\"0.5\"/>",
            top + 10.0
        );
        let most = one.ours.iter().chain(&one.theirs).copied().fold(f64::MIN_POSITIVE, f64::max);
        let ends = one.at.first().zip(one.at.last()).map_or((0.0, 1.0), |(a, b)| (a.ln(), b.ln()));
        let place = |at: f64, value: f64| {
            let part = if ends.1 > ends.0 { (at.ln() - ends.0) / (ends.1 - ends.0) } else { 0.5 };
            format!("{:.1},{:.1}", left + w * part, top + 10.0 + h * (1.0 - value / most))
        };
        for (values, colour) in [(&one.theirs, THEIRS), (&one.ours, OURS)] {
            let points: Vec<String> = one.at.iter().zip(values).map(|(at, v)| place(*at, *v)).collect();
            let _ = writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                points.join(" ")
            );
        }
    }
    out + "</svg>\n"
}

fn begin(wide: f64, tall: f64, title: &str) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide:.0} {tall:.0}\" width=\"{wide:.0}\" height=\"{tall:.0}\" font-family=\"sans-serif\" font-size=\"11\" fill=\"{GREY}\">\n"
    );
    text(&mut out, 8.0, 18.0, "start", title);
    out
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The attribute of the n-th element of a kind.
    fn number(svg: &str, element: &str, n: usize, name: &str) -> f64 {
        let part = svg.split(&format!("<{element} ")).nth(n + 1).unwrap_or_default();
        let value = part.split(&format!("{name}=\"")).nth(1).and_then(|v| v.split('"').next());
        value.and_then(|v| v.parse().ok()).unwrap_or(f64::NAN)
    }

    #[test]
    fn bars_meet_where_both_are_equal() {
        let bar = |value| Bar { name: "a < b".to_string(), value, note: String::new() };
        let svg = bars("t", "slower", "faster", &[bar(0.1), bar(10.0)]);
        assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
        let (left, wide) = (number(&svg, "rect", 0, "x"), number(&svg, "rect", 0, "width"));
        assert_eq!(left + wide, number(&svg, "rect", 1, "x"));
        assert_eq!(wide, number(&svg, "rect", 1, "width"));
    }

    #[test]
    fn parts_end_at_one() {
        let bar = |value| Bar { name: String::new(), value, note: String::new() };
        let svg = parts("t", &[bar(0.5), bar(3.0)]);
        assert_eq!(2.0 * number(&svg, "rect", 0, "width"), number(&svg, "rect", 1, "width"));
    }

    #[test]
    fn curves_span_their_picture() {
        let one = Curves { name: "x".to_string(), at: vec![1.0, 10.0], ours: vec![1.0, 2.0], theirs: vec![] };
        let svg = pictures("t", &[one]);
        assert!(svg.contains("points=\"12.0,92.0 148.0,54.0\""), "{svg}");
    }
}
