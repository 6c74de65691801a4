//! Tokens of the texts of Core, Flat and Mem.
//!
//! Words (values, keywords, types), numbers with their suffix, quoted strings and signs. `x_1.0` is a word, a sign and a number;
//! `2.5f32` is one number. Signs are as long as possible: `<=`, never `<` and `=`.

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A word.
    Word(String),
    /// A number, as written.
    Number(String),
    /// What stood in quotes.
    Text(String),
    /// A sign.
    Sign(&'static str),
    /// Nothing more.
    End,
}

/// A token and where it starts.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
}

const SIGNS: [&str; 32] = [
    "=>", "==", "!=", "<=", ">=", "<<", ">>", "->", "..", "(", ")", "[", "]", "{", "}", "<", ">", "=", "+", "-", "*",
    "/", "%", "&", "|", "^", ",", ":", ";", ".", "@", "$",
];

/// All tokens of a text; the last one is the end.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = if first.is_ascii_digit() {
            let length = number_length(rest);
            (Kind::Number(rest[..length].to_string()), length)
        } else if first.is_alphabetic() || first == '_' {
            let length = run(rest, |c| c.is_alphanumeric() || c == '_' || c == '\'');
            (Kind::Word(rest[..length].to_string()), length)
        } else if first == '"' {
            quoted(rest).ok_or_else(|| place(text, at, "a string without end"))?
        } else {
            let sign = SIGNS.iter().find(|s| rest.starts_with(**s));
            let sign = sign.ok_or_else(|| place(text, at, &format!("the sign {first:?} means nothing")))?;
            (Kind::Sign(sign), sign.len())
        };
        out.push(Token { kind, start: at });
        at += length;
    }
    out.push(Token { kind: Kind::End, start: at });
    Ok(out)
}

/// A message with its line.
pub(crate) fn place(text: &str, at: usize, message: &str) -> String {
    let before = &text[..at.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let shown = text.lines().nth(line - 1).unwrap_or_default().trim();
    format!("line {line}: {message}\n  {shown}")
}

fn run(text: &str, part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !part(c)).unwrap_or(text.len())
}

fn number_length(text: &str) -> usize {
    let digits = |from: usize| from + run(&text[from..], |c| c.is_ascii_digit());
    let starts_digit = |from: usize| text[from..].starts_with(|c: char| c.is_ascii_digit());
    let mut end = digits(0);
    if text[end..].starts_with('.') && starts_digit(end + 1) {
        end = digits(end + 1);
    }
    if text[end..].starts_with('e') {
        let sign = usize::from(text[end + 1..].starts_with(['-', '+']));
        if starts_digit(end + 1 + sign) {
            end = digits(end + 1 + sign);
        }
    }
    end + run(&text[end..], |c| c.is_ascii_alphanumeric())
}

fn quoted(text: &str) -> Option<(Kind, usize)> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((Kind::Text(value), at + 1)),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            _ => value.push(c),
        }
    }
    None
}
