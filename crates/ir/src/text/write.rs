//! Pieces of text that several printers write.

use crate::check::{CheckId, CheckInfo, CheckKind};
use crate::flat::{Threshold, ThresholdId};
use terrace_base::IdVec;
use terrace_plan::data::Data;

/// The longest body that is written on one line.
const INLINE: usize = 72;

/// A string in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The name of a function: bare where the reader can tell where it ends.
pub(crate) fn function_name(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_'^.$@".contains(c));
    if bare { name.to_string() } else { quoted(name) }
}

/// Items between commas.
pub(crate) fn commas<T>(items: impl IntoIterator<Item = T>, text: impl Fn(T) -> String) -> String {
    items.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Items in parentheses; a single one keeps a comma, so that it stays a tuple.
pub(crate) fn tuple<T>(items: impl ExactSizeIterator<Item = T>, text: impl Fn(T) -> String) -> String {
    let end = if items.len() == 1 { ",)" } else { ")" };
    format!("({}{end}", commas(items, text))
}

/// Lines in braces; a short one stays on the line where the brace opens.
pub(crate) fn block(lines: &[String], depth: usize) -> String {
    let inner = lines.join("; ");
    if lines.len() <= 2 && inner.len() <= INLINE && !inner.contains(['\n', '{']) {
        return if inner.is_empty() { "{}".into() } else { format!("{{ {inner} }}") };
    }
    let indent = "  ".repeat(depth + 1);
    let body: String = lines.iter().map(|line| format!("{indent}{line}\n")).collect();
    format!("{{\n{body}{}}}", "  ".repeat(depth))
}

/// A nested value.
pub(crate) fn data(value: &Data) -> String {
    match value {
        Data::Scalar(s) => s.to_string(),
        Data::Tuple(parts) => tuple(parts.iter(), data),
        Data::Array(items) => format!("[{}]", commas(items, data)),
        Data::Variant(v) if v.fields.is_empty() => format!("{}@{}", v.name, v.tag),
        Data::Variant(v) => format!("{}@{}({})", v.name, v.tag, commas(&v.fields, data)),
    }
}

/// The list of checks, a line each.
pub(crate) fn checks(table: &IdVec<CheckId, CheckInfo>) -> String {
    let line = |(id, info): (CheckId, &CheckInfo)| match &info.kind {
        CheckKind::Size(text)
        | CheckKind::Parameter(text)
        | CheckKind::Assert(text)
        | CheckKind::Empty(text)
        | CheckKind::Positive(text) => {
            format!("check {id} : {} {}\n", info.kind.word(), quoted(text))
        }
        kind => format!("check {id} : {}\n", kind.word()),
    };
    table.enumerate().map(line).collect()
}

/// The list of thresholds, a line each.
pub(crate) fn thresholds(table: &IdVec<ThresholdId, Threshold>) -> String {
    let line = |(id, t): (ThresholdId, &Threshold)| {
        format!("threshold {id} : {} {} {}\n", quoted(&t.name), quoted(&t.about), t.value)
    };
    table.enumerate().map(line).collect()
}

/// A check's number and word.
pub(crate) fn check_name(table: &IdVec<CheckId, CheckInfo>, check: CheckId) -> String {
    let word = table.get(check).map_or("unknown", |info| info.kind.word());
    format!("{check} {word}")
}
