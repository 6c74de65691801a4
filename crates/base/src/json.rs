//! Messages as JSON, for editors and other tools.
//!
//! ```text
//! {"severity": "error", "code": "T0100", "title": "expected `i64`, found `bool`",
//!  "labels": [{"file": "a.tce", "primary": true, "text": "this is `bool`",
//!              "start": {"line": 1, "column": 9, "byte": 8}, "end": {"line": 1, "column": 13, "byte": 12}}],
//!  "notes": [], "hint": null, "rendered": "error[T0100]: …"}
//! ```
//!
//! One message is one line. Lines and columns count from 1, columns in characters; `end` is one past the last character. Places
//! that no source text stands for are left out.

use crate::diagnostic::{Diagnostic, Label};
use crate::render::render;
use crate::span::{FileId, SourceMap};
use std::fmt::Write;

/// A message as one line of JSON, with a line break at its end.
pub fn render_json(diagnostic: &Diagnostic, map: &SourceMap) -> String {
    let labels: Vec<String> =
        diagnostic.labels.iter().filter(|l| map.contains(l.span)).map(|l| label(l, map)).collect();
    let notes: Vec<String> = diagnostic.notes.iter().map(|n| quoted(n)).collect();
    format!(
        "{{\"severity\": {}, \"code\": {}, \"title\": {}, \"labels\": [{}], \"notes\": [{}], \"hint\": {}, \"rendered\": {}}}\n",
        quoted(diagnostic.severity.word()),
        quoted(diagnostic.code),
        quoted(&diagnostic.title),
        labels.join(", "),
        notes.join(", "),
        diagnostic.hint.as_deref().map_or("null".to_string(), quoted),
        quoted(&render(diagnostic, map, false)),
    )
}

fn label(label: &Label, map: &SourceMap) -> String {
    format!(
        "{{\"file\": {}, \"primary\": {}, \"text\": {}, \"start\": {}, \"end\": {}}}",
        quoted(map.name(label.span.file)),
        label.primary,
        quoted(&label.text),
        place(map, label.span.file, label.span.start),
        place(map, label.span.file, label.span.end),
    )
}

fn place(map: &SourceMap, file: FileId, byte: u32) -> String {
    let at = map.position(file, byte as usize);
    format!("{{\"line\": {}, \"column\": {}, \"byte\": {byte}}}", at.line, at.col)
}

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    #[test]
    fn a_message_is_one_line_with_places() {
        let mut map = SourceMap::new();
        let file = map.add("a.tce", "def é =\n  \"x\"");
        let d = Diagnostic::error("T0001", "a \"bad\"\tthing")
            .primary(Span::new(file, 10, 13), "here")
            .label(Span::none(), "nowhere")
            .note("one\ntwo")
            .hint("mend it");
        let json = render_json(&d, &map);
        assert_eq!(json.matches('\n').count(), 1, "{json}");
        for part in [
            "\"title\": \"a \\\"bad\\\"\\tthing\"",
            "\"labels\": [{\"file\": \"a.tce\", \"primary\": true, \"text\": \"here\"",
            "\"start\": {\"line\": 2, \"column\": 2, \"byte\": 10}",
            "\"notes\": [\"one\\ntwo\"]",
            "\"hint\": \"mend it\"",
        ] {
            assert!(json.contains(part), "{part} is not in {json}");
        }
        assert!(!json.contains("nowhere\", \"start"), "{json}");
    }
}
