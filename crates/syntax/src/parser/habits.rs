//! Habits from other languages, recognised where the parser gets stuck.
//!
//! ```text
//! xs[1:3]         expected `,` or `]`, found `:`        hint: a slice is written `xs[a..b]`
//! x ** 2.0        expected an expression, found `*`     hint: a power is `pow(x, y)`
//! if x = 1 …      expected `then`, found `=`            hint: equality is written `==`
//! ```
//!
//! Nothing is accepted that the grammar does not have: the message only gets a hint. It is guessed from the token at which
//! parsing stopped and those around it, so it can be wrong where the message itself cannot; rules that would often be wrong
//! are left out. Words that are good names, such as `and`, are habits only where no name can stand.

use super::Parser;
use crate::token::TokenKind;
use terrace_base::{Diagnostic, ScalarType};

const LAMBDA: &str = "a function without a name is written `|x| …`";
const CHANGE: &str = "nothing changes the value of a name: give the new value a name with `let`";

impl Parser<'_> {
    /// Adds what the writer may have had in mind, if it looks like a habit from another language.
    pub(super) fn with_habit(&self, error: Diagnostic) -> Diagnostic {
        match self.habit() {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    /// What the writer may have had in mind.
    pub(super) fn habit(&self) -> Option<&'static str> {
        let last = self.at.checked_sub(1).map(|k| &self.tokens[k]);
        let before = last.map_or(&TokenKind::End, |t| &t.kind);
        let touches = last.is_some_and(|t| t.span.end == self.span().start);
        if let TokenKind::Name(word) = before {
            match word.as_str() {
                "lambda" => return Some(LAMBDA),
                "not" => return Some("negation is `!x`"),
                "return" => {
                    return Some("a function gives the value of the expression behind its `=`: leave `return` out");
                }
                "mut" | "var" => return Some(CHANGE),
                _ => {}
            }
        }
        Some(match self.peek() {
            TokenKind::Fixed(mark) => match (before, *mark) {
                (TokenKind::Fixed("*"), "*") if touches => "a power is `pow(x, y)`; a square is `x * x`",
                (TokenKind::Fixed("/"), "/") if touches => {
                    "`/` between integers gives an integer, and comments begin with `--`"
                }
                (TokenKind::Fixed("+" | "-" | "*" | "/"), "=") if touches => CHANGE,
                (TokenKind::Fixed("]"), "=") => {
                    "an array with another element is `xs with [i] = v`; equality is written `==`"
                }
                (TokenKind::Fixed("->" | "=" | ":" | "," | "("), "=") => return None,
                (_, "=") => "equality is written `==`",
                (_, "==") => "`=` gives a value to a name, and `==` compares",
                (TokenKind::Name(ty), "[") if ScalarType::from_name(ty).is_some() => {
                    "the brackets of an array type stand before it: `[]f64`"
                }
                (_, "\\") | (TokenKind::Name(_) | TokenKind::Fixed(")"), "=>") => LAMBDA,
                (_, ":") if self.in_brackets() => "a slice is written `xs[a..b]`, `xs[a..]` or `xs[..b]`",
                (TokenKind::Name(_) | TokenKind::Fixed(")"), ":" | "{") => {
                    "blocks have no marks: the body is one expression, `def f(x: i64) -> i64 = x + 1`"
                }
                (_, "if") => "a choice is written `if c then a else b`",
                (_, "for" | "while") => {
                    "an array is made by `[f(x) for x in xs]`; a value is carried along by `loop s = 0 for x in xs do s + x`"
                }
                (_, "'") => "text stands in double quotes: `\"abc\"`",
                (_, ";") => "no mark ends a definition",
                _ => return None,
            },
            TokenKind::Name(word) => match (before, word.as_str()) {
                (TokenKind::Fixed("import"), _) => {
                    "a module of the library is `import \"std/matrix\"`, and the file `shapes.tce` is `import \"shapes\"`"
                }
                (_, "and") => "both of two is `a && b`",
                (_, "or") => "one of two is `a || b`",
                (_, "elif" | "elsif" | "elseif") => "a further condition is `else if`",
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Whether the innermost bracket that is open here is an index.
    fn in_brackets(&self) -> bool {
        let mut closed = 0;
        for k in (self.item_start..self.at).rev() {
            match self.tokens[k].kind {
                TokenKind::Fixed(")" | "]" | "}") => closed += 1,
                TokenKind::Fixed("(" | "[" | "{") if closed > 0 => closed -= 1,
                TokenKind::Fixed(open @ ("(" | "[" | "{")) => return open == "[",
                _ => {}
            }
        }
        false
    }
}
