//! What stands inside a line: `code`, *stress*, **strong stress**, [links](to) and pictures.
//!
//! ```text
//! a *b* `*c` [d](e.md)      Text "a ", Stress [b], Code "*c", Link "e.md" [d]
//! ![f](g.svg)               Picture "g.svg" "f": where it is, and what it says to those who cannot see it
//! ```
//!
//! A mark without its partner is a character like any other. `\` takes a mark's meaning away.

/// A piece of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Inline {
    Text(String),
    Code(String),
    Stress(Vec<Inline>),
    Strong(Vec<Inline>),
    Link(String, Vec<Inline>),
    Picture(String, String),
}

pub(crate) fn parse(text: &str) -> Vec<Inline> {
    let (mut out, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(first) = rest.chars().next() {
        if let Some((piece, length)) = special(rest) {
            if !plain.is_empty() {
                out.push(Inline::Text(std::mem::take(&mut plain)));
            }
            out.push(piece);
            rest = &rest[length..];
            continue;
        }
        let escaped = rest[first.len_utf8()..].chars().next().filter(|c| first == '\\' && "\\`*[]_|".contains(*c));
        plain.push(escaped.unwrap_or(first));
        rest = &rest[first.len_utf8() + escaped.map_or(0, char::len_utf8)..];
    }
    if !plain.is_empty() {
        out.push(Inline::Text(plain));
    }
    out
}

/// The piece that begins here, if one does, and its length.
fn special(rest: &str) -> Option<(Inline, usize)> {
    let ticks = rest.bytes().take_while(|b| *b == b'`').count();
    if ticks > 0 {
        let mark = "`".repeat(ticks);
        let length = rest[ticks..].find(&mark)?;
        let code = &rest[ticks..ticks + length];
        let code = if ticks > 1 { code.trim() } else { code };
        return Some((Inline::Code(code.to_string()), length + 2 * ticks));
    }
    for (mark, strong) in [("**", true), ("*", false)] {
        if let Some(inside) = rest.strip_prefix(mark) {
            if inside.starts_with([' ', '*']) {
                return None;
            }
            let length = inside.match_indices(mark).map(|(k, _)| k).find(|k| *k > 0 && !inside[..*k].ends_with(' '))?;
            let parts = parse(&inside[..length]);
            return Some((if strong { Inline::Strong(parts) } else { Inline::Stress(parts) }, length + 2 * mark.len()));
        }
    }
    if let Some(link) = rest.strip_prefix('!').filter(|link| link.starts_with('[')) {
        let (Inline::Link(target, words), length) = special(link)? else { return None };
        return Some((Inline::Picture(target, plain(&words)), 1 + length));
    }
    let inside = rest.strip_prefix('[')?;
    let middle = closing(inside)?;
    let target = inside[middle + 1..].strip_prefix('(')?;
    let end = target.find(')')?;
    Some((Inline::Link(target[..end].to_string(), parse(&inside[..middle])), 1 + middle + 2 + end + 1))
}

/// Where the bracket that is already open closes; code between backticks does not count.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut code) = (0, false);
    text.char_indices().find_map(|(k, c)| {
        match c {
            '`' => code = !code,
            '[' if !code => depth += 1,
            ']' if !code && depth == 0 => return Some(k),
            ']' if !code => depth -= 1,
            _ => {}
        }
        None
    })
}

/// The text without its marks.
pub(crate) fn plain(parts: &[Inline]) -> String {
    let one = |part: &Inline| match part {
        Inline::Text(text) | Inline::Code(text) | Inline::Picture(_, text) => text.clone(),
        Inline::Stress(parts) | Inline::Strong(parts) | Inline::Link(_, parts) => plain(parts),
    };
    parts.iter().map(one).collect()
}
