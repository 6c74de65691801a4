//! What stands around the text of a page: the list of all pages, the headings of this one, the way back and the way on.
//!
//! ```text
//! list of pages │ text            │ headings
//!               │ previous   next │
//! ```
//!
//! On a narrow screen the lists stand below the text, and a link at the top leads there.

use crate::Page;
use crate::html::escape;
use crate::inline;
use crate::links::relative;
use crate::markdown::Block;

/// The title of a page: its first heading.
pub(crate) fn title(page: &Page, blocks: &[Block]) -> String {
    let heading = blocks.iter().find_map(|block| match block {
        Block::Heading { text, .. } => Some(inline::plain(&inline::parse(text))),
        _ => None,
    });
    heading.unwrap_or_else(|| page.path.clone())
}

pub(crate) fn whole(site: &str, pages: &[Page], blocks: &[Vec<Block>], at: usize, body: &str) -> String {
    let page = &pages[at];
    let own = escape(&title(page, &blocks[at]));
    let link = |to: &str| escape(&relative(&page.path, to));
    let style = link("style.css");
    let script = link("search.js");
    let root = "../".repeat(page.path.matches('/').count());
    let head = if own == site { own } else { format!("{own} · {}", escape(site)) };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{head}</title>\n\
         <link rel=\"stylesheet\" href=\"{style}\"/>\n<script src=\"{script}\" defer=\"defer\"></script>\n</head>\n\
         <body data-root=\"{root}\">\n<p class=\"skip\"><a href=\"#pages\">All pages</a></p>\n\
         <main>\n{body}{steps}</main>\n{headings}<nav id=\"pages\">\n{list}</nav>\n</body>\n</html>\n",
        steps = steps(pages, blocks, at),
        headings = headings(&blocks[at]),
        list = list(site, pages, blocks, at),
    )
}

fn list(site: &str, pages: &[Page], blocks: &[Vec<Block>], at: usize) -> String {
    let mut out = format!(
        "<p class=\"site\"><a href=\"{}\">{}</a></p>\n",
        escape(&relative(&pages[at].path, &format!("{}.html", pages[0].path))),
        escape(site)
    );
    out += "<div id=\"search\"></div>\n";
    let mut sections: Vec<&str> = Vec::new();
    for page in &pages[1..] {
        if !sections.contains(&page.section.as_str()) {
            sections.push(&page.section);
        }
    }
    for section in sections {
        let open = if pages[at].section == section { " open=\"open\"" } else { "" };
        out += &format!("<details{open}><summary>{}</summary>\n<ul>\n", escape(section));
        for (k, page) in pages.iter().enumerate().skip(1).filter(|(_, page)| page.section == section) {
            let name = escape(&title(page, &blocks[k]));
            let href = escape(&relative(&pages[at].path, &format!("{}.html", page.path)));
            let here = if k == at { " aria-current=\"page\"" } else { "" };
            out += &format!("<li><a href=\"{href}\"{here}>{name}</a></li>\n");
        }
        out += "</ul></details>\n";
    }
    out
}

/// The headings of the page, where there are several.
fn headings(blocks: &[Block]) -> String {
    let second = |block: &Block| match block {
        Block::Heading { level: 2, text, anchor, .. } => {
            Some(format!("<li><a href=\"#{anchor}\">{}</a></li>\n", escape(&inline::plain(&inline::parse(text)))))
        }
        _ => None,
    };
    let items: Vec<String> = blocks.iter().filter_map(second).collect();
    if items.len() < 2 {
        return String::new();
    }
    format!("<nav class=\"toc\">\n<p>On this page</p>\n<ul>\n{}</ul>\n</nav>\n", items.concat())
}

fn steps(pages: &[Page], blocks: &[Vec<Block>], at: usize) -> String {
    let link = |k: Option<usize>, class: &str, mark: &str| {
        let Some((page, k)) = k.and_then(|k| Some((pages.get(k)?, k))) else { return String::new() };
        let href = escape(&relative(&pages[at].path, &format!("{}.html", page.path)));
        format!("<a class=\"{class}\" rel=\"{class}\" href=\"{href}\">{mark} {}</a>", escape(&title(page, &blocks[k])))
    };
    let (back, on) = (link(at.checked_sub(1), "prev", "←"), link(Some(at + 1), "next", "→"));
    format!("<p class=\"steps\">{back} {on}</p>\n")
}
