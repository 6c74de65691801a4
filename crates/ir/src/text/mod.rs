//! What the texts of Core, Flat and Mem have in common, written and read.
//!
//! A value is written as its name and number, `xs_12`; its type stands once, where it is bound. Sizes are written over the
//! same names. Layout does not matter to the reader: line ends are for people, and so is the `;` between a short
//! statement and what follows on its line.

pub(crate) mod lex;
pub(crate) mod read;
pub(crate) mod write;

/// Whether a name is a plain word, so that it can be printed and read back.
pub(crate) fn is_word(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '\'')
}
