//! The sheet that panels are drawn on: titles, axes, and text that cannot break out.
//!
//! ```text
//! spmv                      title: the entry
//! 1000 elements             what is drawn, and what is left out
//!   │      ╭─╮
//!   │   ╭──╯ │              the frame, with a grid at round numbers
//!   └──────────
//!   0   400  800
//! ```
//!
//! Colours are named by classes, and a second set of them is for viewers that are dark; one that knows no style sheets draws black on
//! white. No script, no font that has to be there.

use super::scale::Scale;
use std::fmt::Write;

/// Of a sheet, in pixels.
pub(crate) const WIDTH: f64 = 760.0;
/// Of a panel.
pub(crate) const PANEL: f64 = 360.0;

const STYLE: &str = "<style>
.paper{fill:#ffffff}.ink{fill:#1f2328}.soft{fill:#636c76}.grid{stroke:#e3e6ea}.edge{stroke:#8b949e;fill:none}
.bar{fill:#3b7dc4}.hole{fill:#c3c8ce}.line{fill:none;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}
.dots{fill:none;stroke-width:4;stroke-linecap:round}
.s0{stroke:#3b7dc4}.s1{stroke:#d9772b}.s2{stroke:#3f9c5a}.s3{stroke:#c0455f}.s4{stroke:#8462c4}
.s5{stroke:#2a9d9d}.s6{stroke:#a88420}.s7{stroke:#c65aa8}.s8{stroke:#6f7f8f}.s9{stroke:#7a9a2a}
@media (prefers-color-scheme: dark){.paper{fill:#0f1318}.ink{fill:#e6e9ed}.soft{fill:#9aa4af}.grid{stroke:#2a313a}.edge{stroke:#6b7682}.hole{fill:#4a525c}}
</style>
";

/// How many colours lines have.
pub(crate) const COLOURS: usize = 10;

/// The picture as it grows downwards.
pub(crate) struct Sheet {
    out: String,
    /// Where the next panel begins.
    top: f64,
}

/// Where marks are put, in pixels.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Between the frame and the marks nearest to it.
const AIR: f64 = 6.0;

impl Frame {
    pub(crate) fn x(&self, scale: &Scale, value: f64) -> f64 {
        self.left + AIR + scale.part(value) * (self.width - 2.0 * AIR)
    }

    pub(crate) fn y(&self, scale: &Scale, value: f64) -> f64 {
        self.top + AIR + (1.0 - scale.part(value)) * (self.height - 2.0 * AIR)
    }
}

impl Sheet {
    pub(crate) fn new(width: f64, height: f64) -> Sheet {
        let out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n{STYLE}<rect class=\"paper\" fill=\"#ffffff\" width=\"100%\" height=\"100%\"/>\n"
        );
        Sheet { out, top: 0.0 }
    }

    /// Begins a panel: its title, what it shows, and the frame for its marks.
    pub(crate) fn panel(&mut self, title: &str, remarks: &[String], right: f64) -> Frame {
        let top = self.top;
        self.top += PANEL;
        let _ = writeln!(
            self.out,
            "<text class=\"ink\" x=\"16\" y=\"{}\" font-size=\"15\" font-weight=\"bold\">{}</text>",
            top + 24.0,
            escaped(title)
        );
        let _ = writeln!(
            self.out,
            "<text class=\"soft\" x=\"16\" y=\"{}\" font-size=\"11\">{}</text>",
            top + 42.0,
            escaped(&remarks.join("; "))
        );
        Frame { left: 76.0, top: top + 54.0, width: WIDTH - 76.0 - right, height: PANEL - 54.0 - 48.0 }
    }

    /// A line of text by itself.
    pub(crate) fn sentence(&mut self, text: &str) {
        self.top += 20.0;
        let _ = writeln!(self.out, "<text class=\"ink\" x=\"16\" y=\"{}\">{}</text>", self.top - 6.0, escaped(text));
    }

    /// The grid and the numbers beside it, from left to right or upwards; `places` are pixels.
    pub(crate) fn grid_across(&mut self, frame: &Frame, places: impl Iterator<Item = (f64, String)>) {
        let (top, bottom) = (frame.top, frame.top + frame.height);
        for (x, label) in places {
            let _ = writeln!(
                self.out,
                "<path class=\"grid\" stroke=\"#e3e6ea\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/><text class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\" \
                 font-size=\"11\" text-anchor=\"middle\">{label}</text>",
                bottom + 16.0
            );
        }
    }

    pub(crate) fn grid_up(&mut self, frame: &Frame, places: impl Iterator<Item = (f64, String)>) {
        let (left, right) = (frame.left, frame.left + frame.width);
        for (y, label) in places {
            let _ = writeln!(
                self.out,
                "<path class=\"grid\" stroke=\"#e3e6ea\" d=\"M{left:.1} {y:.1}H{right:.1}\"/><text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" \
                 font-size=\"11\" text-anchor=\"end\">{label}</text>",
                left - 6.0,
                y + 4.0
            );
        }
    }

    /// Both grids, at round numbers.
    pub(crate) fn axes(&mut self, frame: &Frame, across: &Scale, up: &Scale) {
        self.grid_across(frame, across.ticks(7.0).into_iter().map(|(v, label)| (frame.x(across, v), label)));
        self.grid_up(frame, up.ticks(5.0).into_iter().map(|(v, label)| (frame.y(up, v), label)));
    }

    /// What the axes are, below and beside the frame, and the frame itself.
    pub(crate) fn edge(&mut self, frame: &Frame, across: &str, up: &str) {
        let Frame { left, top, width, height } = *frame;
        let _ = writeln!(
            self.out,
            "<rect class=\"edge\" fill=\"none\" stroke=\"#8b949e\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
        let (middle, bottom) = (left + width / 2.0, top + height + 34.0);
        let _ = writeln!(
            self.out,
            "<text class=\"soft\" x=\"{middle:.1}\" y=\"{bottom:.1}\" font-size=\"11\" text-anchor=\"middle\">{}</text>",
            escaped(across)
        );
        if !up.is_empty() {
            let (x, y) = (16.0, top + height / 2.0);
            let _ = writeln!(
                self.out,
                "<text class=\"soft\" font-size=\"11\" text-anchor=\"middle\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{}</text>",
                escaped(up)
            );
        }
    }

    /// A frame with nothing to show in it.
    pub(crate) fn nothing(&mut self, frame: &Frame, why: &str) {
        self.edge(frame, "", "");
        let (x, y) = (frame.left + frame.width / 2.0, frame.top + frame.height / 2.0);
        let _ = writeln!(
            self.out,
            "<text class=\"soft\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
            escaped(why)
        );
    }

    /// Marks, already as SVG.
    pub(crate) fn marks(&mut self, text: &str) {
        self.out += text;
        self.out.push('\n');
    }

    pub(crate) fn finish(mut self) -> String {
        self.out += "</svg>\n";
        self.out
    }
}

/// Text that means itself.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
