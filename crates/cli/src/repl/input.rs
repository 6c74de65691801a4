//! What kind of input a text is, and whether it is finished.
//!
//! ```text
//! [x for x in            not finished: a bracket is open
//! def f(x) =             not finished: it ends in the middle
//! let x = 3              a value to keep
//! let x = 3 in x + 1     an expression
//! def f(x) = x           a definition, as are `entry`, `type`, `enum`, `import`, `test`
//! ```
//!
//! It knows strings, comments and brackets, and no more of the language: what is wrong with a text is for the compiler to say.

/// Words that begin a definition.
const DEFINING: [&str; 6] = ["def", "entry", "type", "enum", "import", "test"];

/// Words and signs after which something must follow.
const UNFINISHED: [&str; 14] =
    ["then", "else", "do", "in", "if", "for", "while", "with", "match", "loop", "def", "entry", "enum", "type"];
const SIGNS: [&str; 12] = ["=", "+", "-", "*", "/", "%", ",", "|>", "&&", "||", "->", "=>"];

/// A text without its strings and comments, and how many brackets it leaves open.
fn bare(text: &str) -> (String, i64) {
    let (mut out, mut open) = (String::new(), 0);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                out.push_str("\"\"");
                while let Some(inside) = rest.next() {
                    match inside {
                        '\\' => drop(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '-' if rest.peek() == Some(&'-') => while rest.next_if(|c| *c != '\n').is_some() {},
            _ => {
                open += i64::from("([{".contains(c)) - i64::from(")]}".contains(c));
                out.push(c);
            }
        }
    }
    (out, open)
}

/// Whether more lines must follow. After an empty line nothing more is waited for.
pub(super) fn is_finished(text: &str) -> bool {
    if text.trim_start().starts_with(':') || text.ends_with("\n\n") {
        return true;
    }
    let (bare, open) = bare(text);
    let end = bare.trim_end();
    let word = end.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    open <= 0 && !UNFINISHED.contains(&word) && !SIGNS.iter().any(|sign| end.ends_with(sign))
}

/// Whether a text defines something.
pub(super) fn is_definition(text: &str) -> bool {
    let code = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with("--"));
    code.is_some_and(begins_definition)
}

fn begins_definition(line: &str) -> bool {
    let word = line.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    DEFINING.contains(&word) && line.len() > word.len()
}

/// The name and the rest of `let name = …`.
pub(super) fn binding(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.trim_start().strip_prefix("let ")?.split_once('=')?;
    let name = name.trim();
    let is_name = name.chars().next().is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !rest.starts_with('=')).then_some((name, rest))
}

/// The words of a text that could be names.
pub(super) fn words(text: &str) -> Vec<String> {
    let (bare, _) = bare(text);
    bare.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty()).map(String::from).collect()
}

/// The definitions of a text, each with its name: one begins where a line does, with its word or with a comment before it.
pub(super) fn definitions(text: &str) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    let mut before = String::new();
    for line in text.lines() {
        if begins_definition(line) {
            out.push((name_of(line), format!("{before}{line}\n")));
            before.clear();
        } else if line.starts_with("--") {
            before.push_str(line);
            before.push('\n');
        } else if let Some((_, last)) = out.last_mut() {
            last.push_str(&std::mem::take(&mut before));
            last.push_str(line);
            last.push('\n');
        }
    }
    out
}

/// What the definition that a line begins is called; an import by the name that it gives, a test by its words.
fn name_of(line: &str) -> String {
    let (keyword, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.trim_start();
    let quoted = rest.strip_prefix('"').and_then(|r| r.split_once('"'));
    match (keyword, quoted) {
        ("import", Some((path, after))) => match after.trim().strip_prefix("as ") {
            Some(alias) => alias.trim().to_string(),
            None => path.rsplit('/').next().unwrap_or(path).to_string(),
        },
        (_, Some((name, _))) => format!("test {name}"),
        _ => rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finished() {
        let check = |text: &str, expected: bool| assert_eq!(is_finished(text), expected, "{text}");
        check("1 + 2", true);
        check("1 +", false);
        check("[x for x in xs", false);
        check("[x for x in", false);
        check("def f(x) =", false);
        check("def f(x) =\n  x", true);
        check("if a then", false);
        check("\"(\"", true);
        check("f(1) -- (", true);
        check(":load [", true);
        check("1 +\n\n", true);
        check(")", true);
    }

    #[test]
    fn kinds() {
        assert!(is_definition("--| Doubles.\ndef f(x) = 2 * x"));
        assert!(!is_definition("define(3)") && !is_definition("def"));
        assert_eq!(binding("let x = 3"), Some(("x", " 3")));
        assert_eq!(binding("let (a, b) = p"), None);
        assert_eq!(binding("x == 3"), None);
    }

    #[test]
    fn names() {
        let text = "import \"std/matrix\" as m\n--| A.\ndef f(x) =\n  x\n\ntest \"a\" = true\nenum e = p | q\n";
        let found: Vec<String> = definitions(text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(found, ["m", "f", "test a", "e"]);
        assert_eq!(words("f(\"g\", x_1) -- h"), ["f", "x_1"]);
    }
}
