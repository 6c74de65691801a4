//! Blocks to HTML.
//!
//! ```text
//! Heading 2 "Loops", #loops     <h2 id="loops">Loops</h2>
//! Code "terrace", …             <pre class="terrace"><code>…</code></pre>
//! Code "live", "$ terrace ir …" the same, with what the command prints behind it
//! ```
//!
//! The code of a message, such as `T0117`, leads to its explanation where the site has one. Every tag that is opened is closed, so the pages can be read as XML: the tests do.

use crate::inline::{Inline, parse};
use crate::links::Map;
use crate::markdown::Block;
use crate::{Live, Page, Problem, highlight};

/// A text in which no character is a mark of HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Writes one page, and collects what is wrong with it.
pub(crate) struct Writer<'a, 'b> {
    pub(crate) page: &'a Page,
    pub(crate) map: &'a Map<'a>,
    pub(crate) live: Live<'a>,
    pub(crate) problems: &'b mut Vec<Problem>,
    /// Inside a link, where no other one can begin.
    pub(crate) in_link: bool,
}

impl Writer<'_, '_> {
    pub(crate) fn page(&mut self, blocks: &[Block]) -> String {
        blocks.iter().map(|block| self.block(block)).collect()
    }

    fn problem(&mut self, line: usize, text: String) {
        self.problems.push(Problem { source: self.page.source.clone(), line, text });
    }

    /// The line of a link: in the file that the page was made from, if it was made.
    fn line_of(&self, target: &str, line: usize) -> usize {
        let Some(origin) = &self.page.origin else { return line };
        origin.lines().position(|l| l.contains(target)).map_or(1, |k| k + 1)
    }

    fn block(&mut self, block: &Block) -> String {
        match block {
            Block::Heading { level, text, anchor, line } => {
                let title = self.text(text, *line);
                format!("<h{level} id=\"{anchor}\">{title}</h{level}>\n")
            }
            Block::Paragraph { text, line } => format!("<p>{}</p>\n", self.text(text, *line)),
            Block::List { ordered, items } => {
                let tag = if *ordered { "ol" } else { "ul" };
                let items: String = items.iter().map(|item| format!("<li>{}</li>\n", self.item(item))).collect();
                format!("<{tag}>\n{items}</{tag}>\n")
            }
            Block::Table { head, rows, line } => self.table(head, rows, *line),
            Block::Code { info, text, line } => self.code(info, text, *line),
        }
    }

    /// The blocks of an item; a single paragraph needs no tag of its own.
    fn item(&mut self, blocks: &[Block]) -> String {
        match blocks {
            [Block::Paragraph { text, line }, rest @ ..] => {
                let first = self.text(text, *line);
                first + &self.page(rest)
            }
            _ => self.page(blocks),
        }
    }

    fn table(&mut self, head: &[String], rows: &[(usize, Vec<String>)], line: usize) -> String {
        let mut out = "<div class=\"table\"><table>\n<thead><tr>".to_string();
        for cell in head {
            out += &format!("<th>{}</th>", self.text(cell, line));
        }
        out += "</tr></thead>\n<tbody>\n";
        for (line, cells) in rows {
            if cells.len() != head.len() {
                self.problem(
                    *line,
                    format!("this row has {} cells, and the head of its table has {}", cells.len(), head.len()),
                );
            }
            let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", self.text(cell, *line))).collect();
            out += &format!("<tr>{cells}</tr>\n");
        }
        out + "</tbody></table></div>\n"
    }

    fn code(&mut self, info: &str, text: &str, line: usize) -> String {
        let mut words = info.split_whitespace();
        let (class, body) = match words.next().unwrap_or("") {
            "terrace" => ("terrace", highlight::terrace(text)),
            "console" => ("console", highlight::console(text)),
            "live" => ("console live", self.commands(text, line)),
            "text" if text.starts_with("$ ") => ("console", highlight::console(text)),
            _ => ("plain", escape(text)),
        };
        let name = words.filter_map(|word| word.strip_prefix("file=")).next();
        let name = name.map_or(String::new(), |name| format!("<p class=\"file\">{}</p>\n", escape(name)));
        format!("{name}<pre class=\"{class}\"><code>{body}</code></pre>\n")
    }

    /// The commands of a block, each with what it prints.
    fn commands(&mut self, text: &str, line: usize) -> String {
        let mut out = String::new();
        for (k, command) in text.lines().enumerate() {
            let answer = match command.strip_prefix("$ ") {
                Some(typed) => (self.live)(typed),
                None => Err("a line of a `live` block is a command behind `$ `".to_string()),
            };
            match answer {
                Ok(printed) => out += &highlight::console(&format!("{command}\n{printed}")),
                Err(why) => self.problem(line + k + 1, why),
            }
        }
        out
    }

    fn text(&mut self, text: &str, line: usize) -> String {
        self.inlines(&parse(text), line)
    }

    fn inlines(&mut self, parts: &[Inline], line: usize) -> String {
        parts.iter().map(|part| self.inline(part, line)).collect()
    }

    /// Where something that the page names is, if it is anywhere.
    fn resolved(&mut self, target: &str, line: usize) -> Option<String> {
        match self.map.resolve(self.page, target) {
            Ok(href) => Some(escape(&href)),
            Err(why) => {
                self.problem(self.line_of(target, line), why);
                None
            }
        }
    }

    fn inline(&mut self, part: &Inline, line: usize) -> String {
        match part {
            Inline::Text(text) => escape(text),
            Inline::Code(text) => match self.map.code(self.page, text) {
                Some(href) if !self.in_link => {
                    format!("<a href=\"{}\"><code>{}</code></a>", escape(&href), escape(text))
                }
                _ => format!("<code>{}</code>", escape(text)),
            },
            Inline::Stress(parts) => format!("<em>{}</em>", self.inlines(parts, line)),
            Inline::Strong(parts) => format!("<strong>{}</strong>", self.inlines(parts, line)),
            Inline::Link(target, parts) => {
                let around = std::mem::replace(&mut self.in_link, true);
                let inside = self.inlines(parts, line);
                self.in_link = around;
                match self.resolved(target, line) {
                    Some(href) => format!("<a href=\"{href}\">{inside}</a>"),
                    None => inside,
                }
            }
            Inline::Picture(target, words) => match self.resolved(target, line) {
                Some(source) => format!("<img src=\"{source}\" alt=\"{}\"/>", escape(words)),
                None => escape(words),
            },
        }
    }
}
