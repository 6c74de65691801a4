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
use terrace_syntax::ast::{Item, ItemKind};

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
    let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("--")).collect();
    let title = format!("{path} {}", comment.first().unwrap_or(&"").trim().trim_end_matches('.'));
    let mut out = format!("\n## {path}\n\n{}", head(&comment));
    for item in module.items.iter().filter(|item| !item.docs.is_empty()) {
        let docs: Vec<&str> = item.docs.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
        out.push_str(&format!("```text\n{}\n```\n\n{}\n\n", signature(text, item), docs.join(" ")));
    }
    (title, out)
}

/// The comment that a module opens with: paragraphs, and lines that stand further in as blocks.
fn head(lines: &[&str]) -> String {
    let mut out = String::new();
    let mut paragraph = Vec::new();
    let mut block = Vec::new();
    for line in lines.iter().chain([&""]) {
        let inside = line.starts_with("   ") && paragraph.is_empty();
        if !inside && !block.is_empty() {
            out.push_str(&format!("```text\n{}\n```\n\n", block.join("\n").trim_end()));
            block.clear();
        }
        if inside {
            block.push(line.trim_start_matches("  ").trim_end());
        } else if line.trim().is_empty() {
            if !paragraph.is_empty() {
                out.push_str(&format!("{}\n\n", paragraph.join(" ")));
            }
            paragraph.clear();
        } else {
            paragraph.push(line.trim());
        }
    }
    out
}

/// A definition without its body, on one line: what stands before it and its `=`.
fn signature(text: &str, item: &Item) -> String {
    let shown = match &item.kind {
        ItemKind::Function(f) => {
            let before = &text[item.span.start as usize..f.body.span.start as usize];
            let code = before.lines().map(|line| line.split("--").next().unwrap_or(line));
            code.collect::<Vec<_>>().join(" ").trim_end().trim_end_matches('=').trim_start_matches("def ").to_string()
        }
        _ => text[item.span.start as usize..item.span.end as usize].to_string(),
    };
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}
