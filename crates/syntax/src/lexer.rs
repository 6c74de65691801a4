//! From text to tokens.
//!
//! White space and `--` comments separate tokens and mean nothing else. `--|` lines are kept beside the tokens for the
//! item that follows them. Numbers need digits on both sides of a decimal point, which is what lets `0..n` be a range:
//!
//! ```text
//! 0..n    0  ..  n
//! 0.5     0.5
//! 0.      error T0003, with `0.0` as the hint
//! t.0.1   t  .  0  .  1
//! ```
//!
//! The last line shows the one place where the lexer looks back: digits behind a dot that follows a value count the
//! parts of a tuple and are never a fraction.
//!
//! The lexer never stops at an error. A malformed number still becomes a number; what cannot be read at all becomes
//! one [`TokenKind::Bad`], which the parser passes over in silence, so that one mistake gives one message.

use crate::number;
use crate::token::{KEYWORDS, PUNCTUATION, Token, TokenKind};
use terrace_base::{Diagnostic, FileId, Span};

/// The tokens of a file, its documentation lines, and what was wrong with it.
#[derive(Clone, Debug)]
pub struct Lexed {
    /// The tokens; the last is always [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// The `--|` lines, each with the number of the token it stands before.
    pub docs: Vec<(usize, String)>,
    /// Where the comments stand, `--|` lines among them, without the white space behind them.
    pub comments: Vec<Span>,
    /// Lexical errors.
    pub errors: Vec<Diagnostic>,
}

/// Splits a file into tokens.
pub fn lex(file: FileId, text: &str) -> Lexed {
    let lexed = Lexed { tokens: Vec::new(), docs: Vec::new(), comments: Vec::new(), errors: Vec::new() };
    let mut lexer = Lexer { file, text, at: 0, lexed };
    while lexer.token() {}
    let end = Span::new(file, text.len(), text.len());
    lexer.lexed.tokens.push(Token { span: end, kind: TokenKind::End });
    lexer.lexed
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    lexed: Lexed,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn push(&mut self, start: usize, kind: TokenKind) {
        self.lexed.tokens.push(Token { span: Span::new(self.file, start, self.at), kind });
    }

    /// Reads one token or passes over white space; `false` at the end.
    fn token(&mut self) -> bool {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return false;
        };
        let start = self.at;
        if first.is_whitespace() || (first == '\u{FEFF}' && start == 0) {
            self.at += first.len_utf8();
        } else if rest.starts_with("--") {
            self.comment();
        } else if first == '"' {
            self.string();
        } else if first.is_ascii_digit() {
            self.number();
        } else if first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) && !self.after_value() {
            self.leading_point();
        } else if is_name_start(first) && word(rest) != "_" {
            let text = word(rest);
            self.at += text.len();
            let keyword = KEYWORDS.into_iter().find(|k| *k == text);
            self.push(start, keyword.map_or_else(|| TokenKind::Name(text.into()), TokenKind::Fixed));
        } else if let Some(mark) = PUNCTUATION.into_iter().find(|p| rest.starts_with(p)) {
            self.at += mark.len();
            self.push(start, TokenKind::Fixed(mark));
        } else {
            self.unknown();
        }
        true
    }

    fn comment(&mut self) {
        let line = self.rest().split('\n').next().unwrap_or_default();
        self.lexed.comments.push(Span::new(self.file, self.at, self.at + line.trim_end().len()));
        self.at += line.len();
        if let Some(doc) = line.strip_prefix("--|") {
            let doc = doc.strip_prefix(' ').unwrap_or(doc).trim_end();
            self.lexed.docs.push((self.lexed.tokens.len(), doc.into()));
        }
    }

    /// Whether the last token ends something that may have parts.
    fn after_value(&self) -> bool {
        match self.lexed.tokens.as_slice() {
            [.., Token { kind: TokenKind::Name(_) | TokenKind::Str(_), .. }] => true,
            [.., Token { kind: TokenKind::Fixed(")" | "]" | "}" | "true" | "false"), .. }] => true,
            [.., dot, Token { kind: TokenKind::Int(..), .. }] => dot.kind == TokenKind::Fixed("."),
            _ => false,
        }
    }

    fn number(&mut self) {
        let start = self.at;
        let mut text = self.rest();
        if matches!(self.lexed.tokens.last(), Some(Token { kind: TokenKind::Fixed("."), .. })) {
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            text = &text[..end];
        }
        let number = number::read(self.file, start, text);
        self.at += number.length;
        self.lexed.errors.extend(number.error);
        self.push(start, number.kind);
    }

    fn leading_point(&mut self) {
        let start = self.at;
        self.at += 1;
        let number = number::read(self.file, self.at, self.rest());
        self.at += number.length;
        let span = Span::new(self.file, start, self.at);
        let text = &self.text[start..self.at];
        self.lexed.errors.push(number::missing_digits(span, format!("0{text}")));
        self.push(start, TokenKind::Real(0.0, None));
    }

    fn string(&mut self) {
        let start = self.at;
        let mut value = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + i + 1;
                    self.push(start, TokenKind::Str(value));
                    return;
                }
                '\n' => break,
                '\\' => match chars.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, 't')) => value.push('\t'),
                    Some((_, 'r')) => value.push('\r'),
                    Some((_, '0')) => value.push('\0'),
                    Some((_, c @ ('\\' | '"'))) => value.push(c),
                    Some((j, c)) if c != '\n' => {
                        let span = Span::new(self.file, start + i, start + j + c.len_utf8());
                        self.lexed.errors.push(
                            Diagnostic::error("T0006", format!("`\\{c}` is not an escape"))
                                .primary(span, "unknown escape")
                                .hint(r#"the escapes are `\n`, `\t`, `\r`, `\0`, `\\` and `\"`"#),
                        );
                    }
                    _ => break,
                },
                c => value.push(c),
            }
        }
        let line = self.rest().split('\n').next().unwrap_or_default().trim_end();
        self.at = start + line.len();
        self.lexed.errors.push(
            Diagnostic::error("T0002", "this string does not end")
                .primary(Span::new(self.file, start, self.at), "no closing `\"` on this line")
                .hint("write `\\n` for a line break inside a string"),
        );
        self.push(start, TokenKind::Bad);
    }

    fn unknown(&mut self) {
        let start = self.at;
        let known = |c: char| {
            c.is_whitespace()
                || is_name_start(c)
                || c.is_ascii_digit()
                || c == '"'
                || PUNCTUATION.iter().any(|p| p.starts_with(c))
        };
        // A run of unknown characters is one mistake.
        self.at += self.rest().find(known).unwrap_or(self.rest().len());
        let text = &self.text[start..self.at];
        let mut error = Diagnostic::error("T0001", format!("`{}` means nothing in Terrace", text.escape_debug()))
            .primary(Span::new(self.file, start, self.at), "not part of the language");
        if text.starts_with('#') {
            error = error.hint("comments start with `--`");
        } else if text.starts_with('@') {
            error = error.hint("matrices are multiplied by `matrix.multiply(a, b)`, after `import \"std/matrix\"`");
        } else if text.starts_with(char::is_alphabetic) {
            error = error.hint("names are made of the letters a to z, digits and `_`");
        }
        self.lexed.errors.push(error);
        self.push(start, TokenKind::Bad);
    }
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// The letters, digits and underscores at the beginning of a text.
pub(crate) fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    &text[..end.unwrap_or(text.len())]
}
