//! A program with one small mistake, which its tests and cases must notice.
//!
//! ```text
//! entry above(limit: i64, xs: []i64) -> i64 = count([x > limit for x in xs])
//!                                                       ^ becomes >=
//! ```
//!
//! One token changes: an operator becomes its neighbour, `min` becomes `max`, a small integer becomes one more or one less. Only
//! tokens in the bodies of functions are taken; types, tests and comments stay. A change that cannot be read any more shows nothing about
//! the tests, so tokens whose change is sure to be refused (the `<` of `for i < n`, a sign, the number of a tuple's part) are left out.
//! R. DeMillo, R. Lipton and F. Sayward, "Hints on test data selection", 1978, is where the idea comes from.

use crate::random::generate::Random;
use terrace_base::SourceMap;
use terrace_syntax::ast::ItemKind;
use terrace_syntax::token::{Token, TokenKind};

/// A changed program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The text of the whole program.
    pub text: String,
    /// The line that changed, from 1.
    pub line: usize,
    /// The line as it is now, without the space around it.
    pub now: String,
    /// The token as it was, and as it is.
    pub change: (String, String),
}

const OPERATORS: [(&str, &str); 13] = [
    ("+", "-"),
    ("-", "+"),
    ("*", "+"),
    ("/", "*"),
    ("%", "/"),
    ("<", "<="),
    ("<=", "<"),
    (">", ">="),
    (">=", ">"),
    ("==", "!="),
    ("!=", "=="),
    ("&&", "||"),
    ("||", "&&"),
];

/// The largest integer that is changed: larger ones are rarely about one more or one less.
const SMALL: u64 = 16;

/// Every change of a program, in the order of its text; integers from 1 on change both ways.
pub fn all(text: &str) -> Vec<Mutant> {
    let mut sources = SourceMap::new();
    let file = sources.add("mutant", text);
    let (module, _) = terrace_syntax::parse(&sources, file);
    let bodies: Vec<(usize, usize)> = module
        .items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Function(f) => Some((f.body.span.start as usize, f.body.span.end as usize)),
            _ => None,
        })
        .collect();
    let tokens = terrace_syntax::lexer::lex(file, text).tokens;
    let mut found = Vec::new();
    for (k, token) in tokens.iter().enumerate() {
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        if bodies.iter().any(|(from, to)| *from <= start && end <= *to) {
            let old = &text[start..end];
            for new in changes(&tokens, k, old) {
                let whole = format!("{}{new}{}", &text[..start], &text[end..]);
                let line = text[..start].matches('\n').count() + 1;
                let now = whole.lines().nth(line - 1).unwrap_or_default().trim().to_string();
                found.push(Mutant { text: whole, line, now, change: (old.to_string(), new) });
            }
        }
    }
    found
}

/// So many of the changes, chosen by a seed.
pub fn sample(text: &str, count: usize, seed: u64) -> Vec<Mutant> {
    let mut rest = all(text);
    let mut random = Random::new(seed);
    let mut taken = Vec::new();
    while taken.len() < count && !rest.is_empty() {
        taken.push(rest.swap_remove(random.below(rest.len())));
    }
    taken
}

fn changes(tokens: &[Token], k: usize, old: &str) -> Vec<String> {
    let before = |n: usize| k.checked_sub(n).map(|k| &tokens[k].kind);
    match &tokens[k].kind {
        TokenKind::Fixed("<") if matches!(before(2), Some(TokenKind::Fixed("for" | ","))) && counts(tokens, k) => {
            Vec::new()
        }
        // A sign, and a section.
        TokenKind::Fixed(_) if !before(1).is_some_and(ends_value) && old != "||" => match (old, before(1)) {
            ("+" | "*" | "&&", Some(TokenKind::Fixed("("))) => replaced(old),
            _ => Vec::new(),
        },
        // `|| e` would be a function without parameters.
        TokenKind::Fixed("||") if !before(1).is_some_and(ends_value) => Vec::new(),
        TokenKind::Fixed(_) => replaced(old),
        TokenKind::Name(_) if old == "min" || old == "max" => match tokens.get(k + 1).map(|t| &t.kind) {
            Some(TokenKind::Fixed("(" | ",")) => vec![if old == "min" { "max" } else { "min" }.to_string()],
            _ => Vec::new(),
        },
        TokenKind::Int(n, _) if *n <= SMALL && before(1) != Some(&TokenKind::Fixed(".")) => {
            let digits = old.find(|c: char| !c.is_ascii_digit()).unwrap_or(old.len());
            if old.starts_with("0x") || old.starts_with("0b") || digits == 0 {
                return Vec::new();
            }
            let suffix = &old[digits..];
            let mut new = vec![format!("{}{suffix}", n + 1)];
            new.extend(n.checked_sub(1).map(|less| format!("{less}{suffix}")));
            new
        }
        _ => Vec::new(),
    }
}

fn replaced(old: &str) -> Vec<String> {
    OPERATORS.iter().filter(|(from, _)| *from == old).map(|(_, to)| to.to_string()).collect()
}

/// Whether the name before this `<` is counted: `for i < n`, also behind other generators.
fn counts(tokens: &[Token], k: usize) -> bool {
    let mut depth = 0;
    for token in tokens[..k].iter().rev() {
        match &token.kind {
            TokenKind::Fixed(")" | "]" | "}") => depth += 1,
            TokenKind::Fixed("(" | "[" | "{") if depth == 0 => return false,
            TokenKind::Fixed("(" | "[" | "{") => depth -= 1,
            TokenKind::Fixed("for") if depth == 0 => return true,
            TokenKind::Fixed("if" | "do" | "while" | "let" | "then" | "else" | "=" | "==") if depth == 0 => {
                return false;
            }
            _ => {}
        }
    }
    false
}

fn ends_value(kind: &TokenKind) -> bool {
    match kind {
        TokenKind::Name(_) | TokenKind::Int(..) | TokenKind::Real(..) | TokenKind::Str(_) => true,
        TokenKind::Fixed(text) => matches!(*text, ")" | "]" | "}" | "true" | "false"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_that_matters_changes_once() {
        let check = |body: &str, expected: &[&str]| {
            let text = format!("-- 1 + 1\nentry f[n](xs: [n + 1]i64) -> [n]i64 = {body}\ntest \"t\" = 1 + 1 == 2");
            let found: Vec<String> =
                all(&text).iter().map(|m| m.now.split_once(" = ").expect("a body").1.to_string()).collect();
            assert_eq!(found, expected, "{body}");
        };
        check(
            "[x - y for x in xs, i < n if x < -y]",
            &["[x + y for x in xs, i < n if x < -y]", "[x - y for x in xs, i < n if x <= -y]"],
        );
        check("min(t.0, 2u8)", &["max(t.0, 2u8)", "min(t.0, 3u8)", "min(t.0, 1u8)"]);
        check("reduce((+), 0, xs)", &["reduce((-), 0, xs)", "reduce((+), 1, xs)"]);
        check("map(|x| x, xs) ++ ys", &[]);
        assert_eq!(sample("entry f(x: i64) -> i64 = x + x * x", 5, 7).len(), 2);
    }
}
