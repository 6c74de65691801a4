//! The search: a list of headings with the text below them, and a script that looks through it.
//!
//! ```text
//! ["Loops", "The tour", "tour/07-loops.html#loops", "a loop carries a state …"]
//! ```
//!
//! It is one file beside the pages, so it works without a server. Without scripts, nothing is missing but the field.

use crate::Page;
use crate::inline;
use crate::layout::title;
use crate::markdown::Block;
use terrace_base::json::quoted;

/// How much of the text below a heading can be found.
const TEXT: usize = 600;

struct Entry {
    heading: String,
    page: String,
    address: String,
    text: String,
}

pub(crate) fn script(pages: &[Page], blocks: &[Vec<Block>]) -> String {
    let mut entries: Vec<Entry> = Vec::new();
    for (page, blocks) in pages.iter().zip(blocks) {
        let name = title(page, blocks);
        for block in blocks {
            match block {
                Block::Heading { text, anchor, .. } => entries.push(Entry {
                    heading: inline::plain(&inline::parse(text)),
                    page: name.clone(),
                    address: format!("{}.html#{anchor}", page.path),
                    text: String::new(),
                }),
                other => {
                    if let Some(last) = entries.last_mut() {
                        last.text += &words(other);
                    }
                }
            }
        }
    }
    let line = |e: &Entry| {
        let text: String = e.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TEXT).collect();
        format!("[{}, {}, {}, {}]", quoted(&e.heading), quoted(&e.page), quoted(&e.address), quoted(&text))
    };
    let lines: Vec<String> = entries.iter().map(line).collect();
    format!("\"use strict\";\nconst entries = [\n{}\n];\n{}", lines.join(",\n"), include_str!("search.js"))
}

fn words(block: &Block) -> String {
    let plain = |text: &str| inline::plain(&inline::parse(text)) + " ";
    match block {
        Block::Heading { text, .. } | Block::Paragraph { text, .. } => plain(text),
        Block::List { items, .. } => items.iter().flatten().map(words).collect(),
        Block::Table { rows, .. } => rows.iter().flat_map(|(_, cells)| cells).map(|cell| plain(cell)).collect(),
        Block::Code { text, .. } => format!("{text} "),
    }
}
