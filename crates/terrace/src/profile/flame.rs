//! A profile as a flame graph, in SVG that any browser shows.
//!
//! Boxes stand on what called them, and their widths are times:
//!
//! ```text
//! | k_sort | k_step            |       |      kernels
//! | line 5 | line 21           |       |      source lines
//! | sort   | pagerank          | host  |      source functions, and the host between launches
//! | pagerank: 12.4 ms                  |      the call
//! ```
//!
//! A box too narrow for its name keeps it as a tooltip, with the numbers. Nothing moves: no script, no style sheet, no font that has to be
//! there. Same profile, same bytes.

use super::{KernelTime, Profile};
use std::fmt::Write;

const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 10.0;
const ROW: f64 = 22.0;
const LETTER: f64 = 7.2;

/// A box and what stands on it.
struct Node {
    name: String,
    tooltip: String,
    ms: f64,
    host: bool,
    above: Vec<Node>,
}

impl Node {
    fn height(&self) -> usize {
        1 + self.above.iter().map(Node::height).max().unwrap_or(0)
    }
}

/// The picture.
pub(super) fn draw(profile: &Profile) -> String {
    let root = tree(profile);
    let rows = root.height();
    let height = MARGIN * 2.0 + ROW * (rows as f64 + 1.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{height}\" viewBox=\"0 0 {0} {height}\" \
         font-family=\"monospace\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fffdf5\"/>\n\
         <text x=\"{MARGIN}\" y=\"{1}\">{2}</text>\n",
        WIDTH + 2.0 * MARGIN,
        MARGIN + 12.0,
        escaped(&format!("{}: widths are times; point at a box for its numbers", profile.entry))
    );
    let scale = WIDTH / root.ms.max(f64::MIN_POSITIVE);
    boxes(&root, MARGIN, height - MARGIN - ROW, scale, &mut out);
    out += "</svg>\n";
    out
}

fn tree(profile: &Profile) -> Node {
    let all: Vec<&KernelTime> = profile.kernels.iter().collect();
    let mut above: Vec<Node> = Vec::new();
    for (function, kernels) in grouped(&all, |k| k.function.clone()) {
        let mut lines = Vec::new();
        for (place, kernels) in grouped(&kernels, KernelTime::place) {
            let text = kernels.first().map_or("", |k| k.text.as_str());
            let leaves: Vec<Node> = kernels.iter().map(|k| leaf(k)).collect();
            let line = place.rsplit(':').next().unwrap_or_default();
            lines.push(node(format!("line {line}: {text}"), &format!("{place}: {text}"), leaves));
        }
        let name = if function.is_empty() { "no source".to_string() } else { function };
        above.push(node(name.clone(), &name, lines));
    }
    let host = format!("the host, between launches: {}", time(profile.host_ms));
    above.push(Node { name: "host".to_string(), tooltip: host, ms: profile.host_ms, host: true, above: Vec::new() });
    node(format!("{}: {}", profile.entry, time(profile.wall_ms)), &profile.entry, above)
}

fn node(name: String, what: &str, above: Vec<Node>) -> Node {
    let ms = above.iter().map(|n| n.ms).sum();
    Node { name, tooltip: format!("{what}: {}", time(ms)), ms, host: false, above }
}

fn leaf(k: &KernelTime) -> Node {
    let s = if k.calls == 1 { "" } else { "s" };
    let tooltip = format!(
        "{}: {}, {} call{s}, {} bytes, {:.2} GB/s, {}",
        k.kernel,
        time(k.ms),
        k.calls,
        k.bytes,
        k.rate(),
        k.place()
    );
    Node { name: k.kernel.clone(), tooltip, ms: k.ms, host: false, above: Vec::new() }
}

/// Kernels of equal keys together, in the order in which their keys are first met.
fn grouped<'k>(kernels: &[&'k KernelTime], key: impl Fn(&KernelTime) -> String) -> Vec<(String, Vec<&'k KernelTime>)> {
    let mut groups: Vec<(String, Vec<&KernelTime>)> = Vec::new();
    for k in kernels {
        let name = key(k);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, group)) => group.push(k),
            None => groups.push((name, vec![k])),
        }
    }
    groups
}

fn boxes(node: &Node, x: f64, y: f64, scale: f64, out: &mut String) {
    let width = node.ms * scale;
    let _ = writeln!(
        out,
        "<g><title>{}</title><rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" rx=\"2\" fill=\"{}\"/>{}</g>",
        escaped(&node.tooltip),
        (width - 0.5).max(0.1),
        ROW - 1.0,
        if node.host { "#c8c8c8".to_string() } else { colour(&node.name) },
        label(&node.name, x, y, width)
    );
    let mut at = x;
    for child in &node.above {
        boxes(child, at, y - ROW, scale, out);
        at += child.ms * scale;
    }
}

fn label(name: &str, x: f64, y: f64, width: f64) -> String {
    let room = ((width - 6.0) / LETTER).floor().max(0.0) as usize;
    if room < 3 {
        return String::new();
    }
    let short = match name.chars().count() > room {
        true => name.chars().take(room - 1).chain(['…']).collect(),
        false => name.to_string(),
    };
    format!("<text x=\"{:.2}\" y=\"{:.2}\">{}</text>", x + 3.0, y + ROW - 7.0, escaped(&short))
}

/// A warm colour that depends on the name alone.
fn colour(name: &str) -> String {
    let hash = name.bytes().fold(17u32, |h, b| h.wrapping_mul(31).wrapping_add(u32::from(b)));
    format!("hsl({}, 80%, {}%)", 15 + hash % 40, 62 + (hash >> 8) % 14)
}

fn time(ms: f64) -> String {
    format!("{ms:.3} ms")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn widths_are_times() {
        let svg = draw(&sample());
        let width = |title: &str| -> f64 {
            let at = svg.find(&format!("<title>{title}")).unwrap_or_else(|| panic!("{title}: {svg}"));
            let rest = &svg[at + svg[at..].find(" width=\"").expect("a width") + 8..];
            rest[..rest.find('"').expect("its end")].parse().expect("a number")
        };
        let close =
            |title: &str, wanted: f64| assert!((width(title) - wanted).abs() < 1.0, "{title}: {}", width(title));
        close("f: 8.000 ms", 1200.0);
        close("f: 5.000 ms", 750.0);
        close("a.tce:3: line 3 &lt;of&gt; it: 5.000 ms", 750.0);
        close("k_b: 2.000 ms, 2 calls", 300.0);
        close("the host, between launches: 1.000 ms", 150.0);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<g>").count(), svg.matches("</g>").count());
        assert!(!svg.contains("<of>"), "text is escaped");
    }

    #[test]
    fn a_call_without_kernels_is_all_host() {
        let (kernels, loops) = (Vec::new(), Vec::new());
        let svg = draw(&Profile { entry: "f".to_string(), wall_ms: 1.0, host_ms: 1.0, kernels, loops });
        assert!(svg.contains("the host, between launches: 1.000 ms"), "{svg}");
    }
}
