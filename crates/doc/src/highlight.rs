//! Terrace in colours, by the lexer of the compiler.
//!
//! ```text
//! let x = 2 -- two      <b>let</b> x = <span class="n">2</span> <i>-- two</i>
//! ```
//!
//! What the lexer complains about stays plain: pages show wrong programs too.

use crate::html::escape;
use terrace_base::SourceMap;
use terrace_syntax::lexer::lex;
use terrace_syntax::token::{KEYWORDS, TokenKind};

/// A program as HTML.
pub(crate) fn terrace(text: &str) -> String {
    let mut map = SourceMap::new();
    let lexed = lex(map.add("example", text), text);
    let token = |kind: &TokenKind| match kind {
        TokenKind::Fixed(word) if KEYWORDS.contains(word) => Some("k"),
        TokenKind::Int(..) | TokenKind::Real(..) => Some("n"),
        TokenKind::Str(_) => Some("s"),
        TokenKind::Name(name) if terrace_base::ScalarType::from_name(name).is_some() => Some("t"),
        _ => None,
    };
    let tokens = lexed.tokens.iter().filter_map(|t| Some((t.span, token(&t.kind)?)));
    let mut marked: Vec<_> = tokens.chain(lexed.comments.iter().map(|span| (*span, "c"))).collect();
    marked.sort_by_key(|(span, _)| span.start);
    let (mut out, mut at) = (String::new(), 0);
    for (span, class) in marked {
        let (start, end) = (span.start as usize, span.end as usize);
        out += &escape(&text[at..start]);
        out += &format!("<span class=\"{class}\">{}</span>", escape(&text[start..end]));
        at = end;
    }
    out + &escape(&text[at..])
}

/// Commands and what they said: the lines that are typed stand out.
pub(crate) fn console(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("$ ") {
        Some(typed) => format!("<span class=\"c\">$</span> <b>{}</b>\n", escape(typed)),
        None => format!("{}\n", escape(line)),
    };
    text.lines().map(line).collect()
}
