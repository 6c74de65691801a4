//! The Markdown of this repository, as blocks.
//!
//! ```text
//! # Title                       Heading 1
//! Text with `code`,             Paragraph, two lines
//! over two lines.
//! - one                         List of two items, which hold blocks themselves
//! - two
//! | a | b |                     Table
//! | --- | --- |
//! | 1 | `x \| y` |
//! ```
//!
//! and blocks between three backticks, with what stands behind the first three. Of the rest of Markdown nothing is understood: no HTML, no
//! quotations, no headings by underlining. What is inside a line is the matter of `inline`.

/// A piece of a page, with the line where it begins, from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// `## Title`.
    Heading {
        /// How many marks stand before it.
        level: usize,
        /// The title.
        text: String,
        /// Its name in links, once in a page.
        anchor: String,
        /// Where.
        line: usize,
    },
    /// Lines that are one text.
    Paragraph {
        /// The lines, joined.
        text: String,
        /// Where.
        line: usize,
    },
    /// Items with marks or numbers.
    List {
        /// Whether they are counted.
        ordered: bool,
        /// The blocks of each.
        items: Vec<Vec<Block>>,
    },
    /// A table.
    Table {
        /// The first row.
        head: Vec<String>,
        /// The others, each with its line.
        rows: Vec<(usize, Vec<String>)>,
        /// Where.
        line: usize,
    },
    /// What stands between three backticks.
    Code {
        /// What stands behind the first ones.
        info: String,
        /// The text.
        text: String,
        /// The line of the first marks.
        line: usize,
    },
}

/// The blocks of a page.
pub fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<(usize, &str)> = text.lines().enumerate().map(|(k, line)| (k + 1, line)).collect();
    let mut blocks = parse(&lines);
    let mut seen: Vec<String> = Vec::new();
    for block in &mut blocks {
        if let Block::Heading { anchor, .. } = block {
            let base = anchor.clone();
            let mut count = 0;
            while seen.contains(anchor) {
                count += 1;
                *anchor = format!("{base}-{count}");
            }
            seen.push(anchor.clone());
        }
    }
    blocks
}

/// The name of a heading in links: small letters, digits, and `-` for spaces.
fn anchor(title: &str) -> String {
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The mark of a list item: whether it counts, and how wide it is.
fn bullet(line: &str) -> Option<(bool, usize)> {
    if line.starts_with("- ") {
        return Some((false, 2));
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && line[digits..].starts_with(". ")).then_some((true, digits + 2))
}

fn starts_block(line: &str) -> bool {
    line.is_empty()
        || line.starts_with("```")
        || line.starts_with('|')
        || line.starts_with('#')
        || bullet(line).is_some()
}

fn parse(lines: &[(usize, &str)]) -> Vec<Block> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&(line, text)) = lines.get(at) {
        let hashes = text.bytes().take_while(|b| *b == b'#').count();
        if text.trim().is_empty() {
            at += 1;
        } else if let Some(info) = text.strip_prefix("```") {
            let inside = lines[at + 1..].iter().take_while(|(_, l)| !l.starts_with("```"));
            let inside: Vec<&str> = inside.map(|(_, l)| *l).collect();
            at += inside.len() + 2;
            let text = inside.iter().map(|l| format!("{l}\n")).collect();
            out.push(Block::Code { info: info.trim().to_string(), text, line });
        } else if (1..=6).contains(&hashes) && text[hashes..].starts_with(' ') {
            let title = text[hashes..].trim().to_string();
            out.push(Block::Heading { level: hashes, anchor: anchor(&title), text: title, line });
            at += 1;
        } else if text.starts_with('|') && lines.get(at + 1).is_some_and(|(_, l)| l.starts_with("| ---")) {
            let rows = lines[at..].iter().take_while(|(_, l)| l.starts_with('|'));
            let mut rows: Vec<(usize, Vec<String>)> = rows.map(|(n, l)| (*n, table_cells(l))).collect();
            at += rows.len();
            let (_, head) = rows.remove(0);
            rows.remove(0);
            out.push(Block::Table { head, rows, line });
        } else if let Some((ordered, _)) = bullet(text) {
            let (items, end) = list(lines, at, ordered);
            at = end;
            out.push(Block::List { ordered, items });
        } else {
            let mut words = vec![text.trim()];
            at += 1;
            while let Some((_, next)) = lines.get(at).filter(|(_, l)| !starts_block(l.trim_end())) {
                words.push(next.trim());
                at += 1;
            }
            out.push(Block::Paragraph { text: words.join(" "), line });
        }
    }
    out
}

/// The items from a line on, and the line behind them. What stands further in belongs to an item, and so does text that just goes on.
fn list(lines: &[(usize, &str)], mut at: usize, ordered: bool) -> (Vec<Vec<Block>>, usize) {
    let mut items = Vec::new();
    while let Some(&(line, text)) = lines.get(at) {
        let Some((counted, width)) = bullet(text).filter(|(counted, _)| *counted == ordered) else { break };
        debug_assert_eq!(counted, ordered);
        let mut own = vec![(line, &text[width..])];
        at += 1;
        while let Some(&(line, text)) = lines.get(at) {
            let inside = text.len() >= 2 && text.starts_with("  ");
            let blank = text.trim().is_empty() && lines.get(at + 1).is_some_and(|(_, l)| l.starts_with("  "));
            let lazy = !starts_block(text) && !own.last().is_some_and(|(_, l)| l.is_empty());
            match () {
                () if blank => own.push((line, "")),
                () if inside => own.push((
                    line,
                    text.get(width..)
                        .filter(|_| text[..width.min(text.len())].trim().is_empty())
                        .unwrap_or(text.trim_start()),
                )),
                () if lazy => own.push((line, text)),
                () => break,
            }
            at += 1;
        }
        items.push(parse(&own));
    }
    (items, at)
}

/// The cells of a line of a table; `\|` is a bar inside a cell.
pub fn table_cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|');
    let line = line.strip_suffix('|').filter(|l| !l.ends_with('\\')).unwrap_or(line);
    let (mut cells, mut cell, mut chars) = (Vec::new(), String::new(), line.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'|') => cell.extend(chars.next()),
            '|' => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    cells.push(cell);
    cells.iter().map(|c| c.trim().to_string()).collect()
}
