//! The page about the standard library, made of the comments of its modules.
//!
//! ```text
//! -- Bits of integers.                          ## std/bits
//! --                                            Bits of integers.
//! --   ones(-1i8)  is 8                         (a block of code)
//!
//! --| How many bits are 1.                      (a block) ones[t: Int](x: t) -> i64
//! --|                                           How many bits are 1. `bits.ones(0b1011)` is `3`.
//! --| `bits.ones(0b1011)` is `3`.
//! def ones[t: Int](x: t) -> i64 = …
//! ```
//!
//! What has only a plain comment belongs to its module and has no line. The prelude has a page of its own, written by hand.

use terrace_base::SourceMap;
use terrace_doc::{paragraphs, signature};

/// The first lines of the page.
const HEAD: &str = "# The standard library

`import \"std/NAME\"` brings in a module of this page; its functions are then written `NAME.function(…)`. They are written in Terrace, in `lib`, part of the compiler, and expanded where they are called, so that a failing check points at the call.
All of them may be called inside parallel code, for rows of any lengths, empty ones included. `n` is the number of elements; *work* counts operations, *depth* the longest chain of operations that depend on each other; one that is not given is that of the operators used. The functions that need no import are in [prelude.md](prelude.md).

This page is made of the comments in `lib` by `TERRACE_BLESS=1 cargo test -p terrace-testkit --test library`.
";

/// The page.
pub fn page() -> String {
    let modules = terrace_frontend::library().iter().filter(|(path, _)| *path != "std/prelude");
    let sections: Vec<(String, String)> = modules.map(|(path, text)| section(path, text)).collect();
    let row = |(title, _): &(String, String)| {
        let (path, line) = title.split_once(' ').unwrap_or((title, ""));
        let anchor: String = path.chars().filter(|c| c.is_alphanumeric()).collect();
        format!("| [{path}](#{anchor}) | {line} |\n")
    };
    let table: String = sections.iter().map(row).collect();
    let bodies: String = sections.iter().map(|(_, body)| body.as_str()).collect();
    let page = format!("{HEAD}\n| module | what |\n| --- | --- |\n{table}{bodies}");
    format!("{}\n", page.trim_end())
}

/// The path with the first sentence, and the section of a module.
fn section(path: &str, text: &str) -> (String, String) {
    let mut map = SourceMap::new();
    let file = map.add(path, text);
    let (module, _) = terrace_syntax::parse(&map, file);
    let comment = text.lines().map_while(|line| line.strip_prefix("--"));
    let comment: Vec<&str> = comment.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let title = format!("{path} {}", comment.first().unwrap_or(&"").trim().trim_end_matches('.'));
    let mut out = format!("\n## {path}\n\n{}", paragraphs(&comment));
    for item in module.items.iter().filter(|item| !item.docs.is_empty()) {
        let docs: Vec<&str> = item.docs.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
        let signature = signature(text, item);
        let signature = signature.trim_start_matches("def ");
        out.push_str(&format!("```text\n{signature}\n```\n\n{}\n\n", docs.join(" ")));
    }
    (title, out)
}
