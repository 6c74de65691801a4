//! Whether a page is whole: what a browser would forgive, and a test should not.
//!
//! ```text
//! <p>a <b>c</p>            `</p>` closes `b`
//! <p id="x">…<p id="x">    two things have the id `x`
//! <a href=x>               an attribute without quotes
//! a & b                    a `&` that begins nothing
//! ```
//!
//! This is the part of XML that the pages use: elements, attributes in double quotes, `&…;`, one declaration at the start.

/// What is wrong with a page, and what its links and ids are.
pub fn tags(page: &str) -> Result<Tags, String> {
    let mut found = Tags::default();
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>").unwrap_or(page);
    loop {
        let (text, tag) = rest.split_once('<').unwrap_or((rest, ""));
        let loose = text.split('&').skip(1).find(|part| part.split_once(';').is_none_or(|(name, _)| name.len() >= 6));
        if loose.is_some() || text.contains('>') {
            return Err(format!("a mark that begins nothing: {}", text.trim()));
        }
        if tag.is_empty() {
            break;
        }
        let (tag, behind) = tag.split_once('>').ok_or_else(|| format!("a tag without an end: {tag}"))?;
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(last) if last == name => {}
                last => return Err(format!("`</{name}>` closes `{}`", last.unwrap_or("nothing"))),
            }
            continue;
        }
        let (tag, single) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        found.read(attributes).map_err(|why| format!("{why} in <{tag}>"))?;
        if !single {
            open.push(name);
        }
    }
    open.last().map_or(Ok(found), |name| Err(format!("`{name}` is not closed")))
}

/// The ids and the links of a page.
#[derive(Clone, Default, Debug)]
pub struct Tags {
    /// What links may lead to; none occurs twice.
    pub ids: Vec<String>,
    /// Where links lead, and files that the page needs.
    pub links: Vec<String>,
}

impl Tags {
    fn read(&mut self, mut attributes: &str) -> Result<(), String> {
        while !attributes.trim().is_empty() {
            let (name, rest) = attributes.split_once("=\"").ok_or("an attribute without quotes")?;
            let (value, rest) = rest.split_once('"').ok_or("a value without an end")?;
            attributes = rest;
            match name.trim() {
                "id" if self.ids.iter().any(|id| id == value) => {
                    return Err(format!("two things have the id `{value}`"));
                }
                "id" => self.ids.push(value.to_string()),
                "href" | "src" => self.links.push(value.replace("&amp;", "&")),
                name if name.contains([' ', '"', '=']) => return Err("an attribute without quotes".to_string()),
                _ => {}
            }
        }
        Ok(())
    }
}
