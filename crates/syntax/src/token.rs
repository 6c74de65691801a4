//! Tokens: the words, numbers and marks of a program.
//!
//! `let x = 0x1Fu8` is the five tokens `let`, `x`, `=`, `31u8` and the end. Keywords and punctuation are
//! [`TokenKind::Fixed`] with their text, so that the parser reads like the grammar: `self.eat("let")`.
//! A name can never be confused with a keyword, because the lexer decides once.

use terrace_base::{ScalarType, Span};

/// The words that cannot be names.
pub const KEYWORDS: [&str; 23] = [
    "def", "entry", "test", "let", "in", "if", "then", "else", "loop", "while", "for", "do", "by", "assert", "true",
    "false", "type", "enum", "import", "match", "with", "stream", "foreign",
];

/// The keywords that only later versions of the language use.
pub const RESERVED: [&str; 2] = ["stream", "foreign"];

/// All punctuation; a longer mark stands before its beginnings.
pub const PUNCTUATION: [&str; 39] = [
    "->", "=>", "|>", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "++", "..", "(", ")", "[", "]", "{", "}", ",",
    ":", ";", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "_", ".", "?", "\\", "'",
];

/// One token and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Token {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: TokenKind,
}

/// What a token is.
#[derive(Clone, PartialEq, Debug)]
pub enum TokenKind {
    /// A keyword or punctuation, by its text.
    Fixed(&'static str),
    /// A name.
    Name(String),
    /// An integer literal, not yet checked against the range of its type.
    Int(u64, Option<ScalarType>),
    /// A real literal, rounded to its type.
    Real(f64, Option<ScalarType>),
    /// A string literal without quotes, escapes replaced.
    Str(String),
    /// Something the lexer has already complained about.
    Bad,
    /// The end of the file.
    End,
}

impl TokenKind {
    /// How a message names this token.
    pub fn describe(&self) -> String {
        match self {
            TokenKind::Fixed(text) if KEYWORDS.contains(text) => format!("the keyword `{text}`"),
            TokenKind::Fixed(text) => format!("`{text}`"),
            TokenKind::Name(text) => format!("the name `{text}`"),
            TokenKind::Int(..) | TokenKind::Real(..) => "a number".into(),
            TokenKind::Str(_) => "a string".into(),
            TokenKind::Bad => "something unreadable".into(),
            TokenKind::End => "the end of the file".into(),
        }
    }
}
