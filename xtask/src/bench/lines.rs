//! How long programs are: lines that are neither blank nor comment.
//!
//! ```text
//! -- A hash.                 (Terrace)     0
//! def hash(i: i64) -> i64 =                1
//! /* a note                  (C, CUDA)     0
//!    of two lines */ int x;                1
//! """A note."""              (Python)      0
//! ```
//!
//! Whole files count, with the formulas that make the data: both sides have these. Headers that peers share do not count. Text is looked at line by line; a
//! comment that begins behind code does not matter, and a quote of three begins and ends a comment wherever it stands first.

/// What begins and ends comments, by the ending of a file's name.
struct Marks {
    line: &'static str,
    open: &'static str,
    close: &'static str,
}

fn marks(ending: &str) -> Marks {
    match ending {
        "tce" => Marks { line: "--", open: "", close: "" },
        "py" => Marks { line: "#", open: "\"\"\"", close: "\"\"\"" },
        _ => Marks { line: "//", open: "/*", close: "*/" },
    }
}

/// The lines of code in a text, whose file has this ending.
pub(crate) fn lines_of_code(text: &str, ending: &str) -> usize {
    let marks = marks(ending);
    let (mut count, mut inside) = (0, false);
    for line in text.lines() {
        let mut rest = line.trim();
        if inside {
            let Some((_, behind)) = rest.split_once(marks.close) else { continue };
            (inside, rest) = (false, behind.trim());
        }
        if !marks.open.is_empty()
            && let Some(within) = rest.strip_prefix(marks.open)
        {
            match within.split_once(marks.close) {
                Some((_, behind)) => rest = behind.trim(),
                None => {
                    inside = true;
                    continue;
                }
            }
        }
        count += usize::from(!rest.is_empty() && !rest.starts_with(marks.line));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_do_not_count() {
        let check = |text, ending, wanted| assert_eq!(lines_of_code(text, ending), wanted, "{text}");
        check("--| What.\n\ndef f = 1 -- one\n  -- two\n", "tce", 1);
        check("// a\nint x; // b\n/* c\n d */ int y;\n/* e */\n#include <x.h>\n", "c", 3);
        check("\"\"\"A note.\n\nof lines\n\"\"\"\nimport os\n# no\nx = \"\"\"text\"\"\"\n", "py", 2);
        check("\"\"\"one line\"\"\"\nx = 1\n", "py", 1);
    }
}
