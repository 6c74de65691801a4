//! Where links lead.
//!
//! ```text
//! in docs/tour/02-arrays.md        [sizes](../reference/sizes.md#regular)
//! names the file                   docs/reference/sizes.md, heading #regular
//! which becomes, from the page     ../manual/sizes.html#regular
//! ```
//!
//! A folder stands for the `README.md` in it. A link to a file that is neither page nor asset, or to a heading that is not there, is an
//! error; so is nothing else, since other hosts cannot be asked.

use crate::markdown::Block;
use crate::{Asset, Page};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What links may lead to.
pub(crate) struct Map<'a> {
    pages: BTreeMap<String, (String, Vec<&'a str>)>,
    assets: BTreeMap<&'a str, &'a Asset>,
    used: RefCell<BTreeSet<&'a Asset>>,
}

impl<'a> Map<'a> {
    pub(crate) fn new(pages: &[Page], blocks: &'a [Vec<Block>], assets: &'a [Asset]) -> Map<'a> {
        let anchors = |blocks: &'a [Block]| -> Vec<&'a str> {
            let anchor = |block: &'a Block| match block {
                Block::Heading { anchor, .. } => Some(anchor.as_str()),
                _ => None,
            };
            blocks.iter().filter_map(anchor).collect()
        };
        let one = |(page, blocks): (&Page, &'a Vec<Block>)| {
            (join("", &page.source), (format!("{}.html", page.path), anchors(blocks)))
        };
        Map {
            pages: pages.iter().zip(blocks).map(one).collect(),
            assets: assets.iter().map(|asset| (asset.source.as_str(), asset)).collect(),
            used: RefCell::default(),
        }
    }

    /// The assets that links were found to.
    pub(crate) fn used(&self) -> Vec<Asset> {
        self.used.borrow().iter().map(|asset| (*asset).clone()).collect()
    }

    /// Where a code of a message such as `T0117` is explained, if some page has a heading of that name.
    pub(crate) fn code(&self, page: &Page, text: &str) -> Option<String> {
        let digits =
            text.strip_prefix('T').filter(|rest| rest.len() == 4 && rest.bytes().all(|b| b.is_ascii_digit()))?;
        let anchor = format!("t{digits}");
        let (path, _) = self.pages.values().find(|(_, anchors)| anchors.contains(&anchor.as_str()))?;
        Some(format!("{}#{anchor}", relative(&page.path, path)))
    }

    /// What a link of a page becomes; or why it leads nowhere.
    pub(crate) fn resolve(&self, page: &Page, target: &str) -> Result<String, String> {
        if target.starts_with("https://") || target.starts_with("http://") || target.starts_with("mailto:") {
            return Ok(target.to_string());
        }
        let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
        let shown = if file.is_empty() { page.source.clone() } else { join(&page.source, file) };
        let source = join("", &shown);
        let found = self.pages.get(&source).or_else(|| self.pages.get(&format!("{source}/README.md")));
        let Some((path, anchors)) = found else {
            if let Some(asset) = self.assets.get(source.as_str()) {
                self.used.borrow_mut().insert(asset);
                return Ok(relative(&page.path, &asset.path));
            }
            return Err(format!("the link to `{target}` leads nowhere: `{shown}` is no page"));
        };
        match anchor {
            Some(anchor) if !anchors.contains(&anchor) => {
                Err(format!("the link to `{target}` leads nowhere: `{shown}` has no heading `#{anchor}`"))
            }
            Some(anchor) if file.is_empty() => Ok(format!("#{anchor}")),
            Some(anchor) => Ok(format!("{}#{anchor}", relative(&page.path, path))),
            None => Ok(relative(&page.path, path)),
        }
    }
}

/// A path seen from the folder of a file, in its plainest form; what is above all folders is left out.
fn join(file: &str, path: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// How a page says where a file of the site is.
pub(crate) fn relative(from: &str, to: &str) -> String {
    "../".repeat(from.matches('/').count()) + to
}

#[cfg(test)]
mod tests {
    use super::{join, relative};

    #[test]
    fn paths() {
        assert_eq!(join("docs/tour/a.md", "../reference/sizes.md"), "docs/reference/sizes.md");
        assert_eq!(join("README.md", "docs/x.md"), "docs/x.md");
        assert_eq!(join("", "/a/./b/../c.md"), "a/c.md");
        assert_eq!(relative("tour/a", "manual/b.html"), "../manual/b.html");
        assert_eq!(relative("index", "b.html"), "b.html");
    }
}
