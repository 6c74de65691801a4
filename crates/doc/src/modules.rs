//! A page about a module, made of its comments.
//!
//! ```text
//! -- Bits of integers.                          # bits
//! --                                            Bits of integers.
//! --   ones(-1i8)  is 8                         (a block of code)
//!
//! --| How many bits are 1.                      ## ones
//! --|                                           (a block) def ones[t: Int](x: t) -> i64
//! --| `bits.ones(0b1011)` is `3`.               How many bits are 1. `bits.ones(0b1011)` is `3`.
//! def ones[t: Int](x: t) -> i64 = …             Line 12
//! ```
//!
//! The head is the plain comment that the file opens with. What has `--|` lines is shown with them; of what has none, entries, types and
//! enums are shown all the same, because callers meet them. Functions without a comment are shown in a module without any `--|` line; in
//! others they belong to the module itself. Tests are not shown.

use crate::Page;
use terrace_base::{Diagnostic, SourceMap};
use terrace_syntax::ast::{Item, ItemKind};

/// The page of a module; or what is wrong with its text.
pub fn module_page(
    name: &str,
    source: &str,
    path: &str,
    section: &str,
    text: &str,
) -> Result<Page, (Vec<Diagnostic>, SourceMap)> {
    let mut map = SourceMap::new();
    let file = map.add(source, text);
    let (module, errors) = terrace_syntax::parse(&map, file);
    if errors.iter().any(Diagnostic::is_error) {
        return Err((errors, map));
    }
    let mut out = format!("# {name}\n\n{}", paragraphs(&head(text)));
    let speaks = module.items.iter().any(|item| !item.docs.is_empty());
    let shown = |item: &&Item| !item.docs.is_empty() || is_public(item, speaks);
    let items: Vec<&Item> = module.items.iter().filter(|i| title(i).is_some()).filter(shown).collect();
    if !items.is_empty() {
        out += "| name | line | what |\n| --- | --- | --- |\n";
    }
    let mut anchors = vec![name.to_ascii_lowercase()];
    for item in &items {
        let name = title(item).unwrap_or_default();
        let sentence =
            item.docs.first().map_or(String::new(), |line| line.split(". ").next().unwrap_or(line).to_string());
        let sentence = sentence.trim_end_matches('.').replace('|', "\\|");
        let anchor = name.to_ascii_lowercase();
        // As headings are numbered that have the same text.
        let count = anchors.iter().filter(|a| **a == anchor).count();
        let number = if count > 0 { format!("-{count}") } else { String::new() };
        out += &format!("| [{name}](#{anchor}{number}) | {} | {sentence} |\n", line_of(text, item));
        anchors.push(anchor);
    }
    for item in items {
        let docs: Vec<&str> = item.docs.iter().map(String::as_str).collect();
        let (name, line) = (title(item).unwrap_or_default(), line_of(text, item));
        out += &format!("\n## {name}\n\n```terrace\n{}\n```\n\n{}", signature(text, item), paragraphs(&docs));
        out += &format!("*Line {line} of* `{source}`\n");
    }
    if module.items.iter().all(|item| title(item).is_none()) {
        out += "This module defines nothing.\n";
    }
    Ok(Page {
        source: source.to_string(),
        path: path.to_string(),
        section: section.to_string(),
        text: out,
        origin: Some(text.to_string()),
    })
}

/// Whether an item without a comment is shown.
fn is_public(item: &Item, speaks: bool) -> bool {
    match &item.kind {
        ItemKind::Function(f) => f.exported || !speaks,
        ItemKind::Type(_) | ItemKind::Enum(_) => true,
        ItemKind::Test(_) | ItemKind::Import(_) => false,
    }
}

/// The name of what is defined; tests and imports define nothing.
fn title(item: &Item) -> Option<String> {
    match &item.kind {
        ItemKind::Function(f) => Some(f.name.text.clone()),
        ItemKind::Type(t) => Some(t.name.text.clone()),
        ItemKind::Enum(e) => Some(e.name.text.clone()),
        ItemKind::Test(_) | ItemKind::Import(_) => None,
    }
}

fn line_of(text: &str, item: &Item) -> usize {
    text[..item.span.start as usize].matches('\n').count() + 1
}

/// The plain comment that a file opens with.
fn head(text: &str) -> Vec<&str> {
    let lines = text.lines().map_while(|line| line.strip_prefix("--").filter(|rest| !rest.starts_with('|')));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect()
}

/// The lines of a comment as Markdown: paragraphs, and lines that stand further in as blocks.
pub fn paragraphs(lines: &[&str]) -> String {
    let mut out = String::new();
    let (mut paragraph, mut block) = (Vec::new(), Vec::new());
    for line in lines.iter().chain([&""]) {
        let inside = line.starts_with("  ") && paragraph.is_empty();
        if !inside && !block.is_empty() {
            out.push_str(&format!("```text\n{}\n```\n\n", block.join("\n").trim_end()));
            block.clear();
        }
        if inside {
            block.push(line.trim_start_matches("  ").trim_end());
        } else if line.trim().is_empty() {
            if !paragraph.is_empty() {
                out.push_str(&format!("{}\n\n", paragraph.join(" ")));
            }
            paragraph.clear();
        } else {
            paragraph.push(line.trim());
        }
    }
    out
}

/// A definition without its body, on one line; types with theirs.
pub fn signature(text: &str, item: &Item) -> String {
    let shown = match &item.kind {
        ItemKind::Function(f) => {
            let before = &text[item.span.start as usize..f.body.span.start as usize];
            let code = before.lines().map(|line| line.split("--").next().unwrap_or(line));
            code.collect::<Vec<_>>().join(" ").trim_end().trim_end_matches('=').to_string()
        }
        _ => text[item.span.start as usize..item.span.end as usize].to_string(),
    };
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}
