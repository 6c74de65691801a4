//! Texts to a folder of HTML: the documentation of Terrace, and of anybody's modules.
//!
//! ```text
//! docs/tour/01-first.md   # The first program …          tour/01-first.html
//! lib/stats.tce           --| The variance of a sample    library/stats.html
//! examples/spmv.tce       a program                       examples/spmv.html
//! ```
//!
//! Everything is a [`Page`] of Markdown first, modules too ([`module_page`]), so that there is one way to HTML. [`build`] takes all pages
//! of a site together, because links are checked: one that leads nowhere is a [`Problem`] with file and line, and no page is written.
//!
//! What programs print is not known here. A block that starts with `live` holds commands, and the caller says what each of them
//! prints; see [`Live`]. Nothing here reads or writes files, and pages need neither a network nor scripts to be read.

mod codes;
mod highlight;
mod html;
mod index;
mod inline;
mod layout;
mod links;
mod markdown;
mod modules;
mod tags;

pub use codes::{codes_page, messages};
pub use markdown::{Block, blocks, table_cells};
pub use modules::{module_page, paragraphs, signature};
pub use tags::{Tags, tags};

use std::fmt;

/// A text that becomes a file of HTML.
#[derive(Clone, Debug)]
pub struct Page {
    /// The file that it was made from; links are relative to it, and messages name it.
    pub source: String,
    /// Where it goes, without `.html`.
    pub path: String,
    /// Under which heading the list of pages shows it.
    pub section: String,
    /// Its Markdown.
    pub text: String,
    /// The text of the file, where the Markdown was made from it.
    pub origin: Option<String>,
}

/// A file that pages may link to; if one does, it is to be copied as it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Asset {
    /// Where it lies.
    pub source: String,
    /// Where it goes.
    pub path: String,
}

/// What a command of a `live` block prints, or why it cannot be said.
pub type Live<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// Something that is wrong with a page.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Problem {
    /// The file.
    pub source: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.source, self.line, self.text)
    }
}

/// A site that is ready to be written.
#[derive(Clone, Debug)]
pub struct Site {
    /// Paths and texts.
    pub files: Vec<(String, String)>,
    /// The assets that pages link to.
    pub assets: Vec<Asset>,
}

/// The files of a site; or everything that is wrong with its pages. The first page is the start, and pages stand in the order in which they are read.
pub fn build(title: &str, pages: &[Page], assets: &[Asset], live: Live<'_>) -> Result<Site, Vec<Problem>> {
    let parsed: Vec<Vec<Block>> = pages.iter().map(|page| blocks(&page.text)).collect();
    let map = links::Map::new(pages, &parsed, assets);
    let mut problems = Vec::new();
    let mut files = vec![
        ("style.css".to_string(), include_str!("style.css").to_string()),
        ("search.js".to_string(), index::script(pages, &parsed)),
    ];
    for (at, page) in pages.iter().enumerate() {
        let mut writer = html::Writer { page, map: &map, live, problems: &mut problems, in_link: false };
        let body = writer.page(&parsed[at]);
        files.push((format!("{}.html", page.path), layout::whole(title, pages, &parsed, at, &body)));
    }
    problems.sort();
    problems.dedup();
    if problems.is_empty() { Ok(Site { files, assets: map.used() }) } else { Err(problems) }
}
