//! The grammars of editors against the compiler's own words.
//!
//! ```text
//! editors/textmate/terrace.tmLanguage.json   "\b(def|entry|…)\b"     the lexer's keywords, each in one list
//!                                            "\b(bool|i8|…)\b"       the scalar types
//!                                            "\b(abs|all|…)\b(?=\()" the functions that every program has
//! every .tce file                            lexed, and coloured by the grammar's patterns in Python: the same classes
//! ```
//!
//! A word added to the language fails here until editors know it. The tree-sitter grammar needs a generator, so only its lists are checked here;
//! `cargo xtask grammars` generates and runs it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use terrace_base::{Json, ScalarType, SourceMap};
use terrace_syntax::lexer::lex;
use terrace_syntax::token::{KEYWORDS, PUNCTUATION, RESERVED, TokenKind};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// The pattern of a rule of the TextMate grammar.
fn pattern(rule: &str) -> String {
    let grammar = Json::parse(&read("editors/textmate/terrace.tmLanguage.json")).expect("the grammar is JSON");
    let found = grammar.at("repository").at(rule).at("match").text();
    found.unwrap_or_else(|| panic!("no rule `{rule}`")).to_string()
}

/// The words between the first parentheses of a pattern.
fn words(pattern: &str) -> BTreeSet<String> {
    let inside = pattern.split('(').nth(1).and_then(|rest| rest.split(')').next()).expect("a list of words");
    inside.split('|').map(str::to_string).collect()
}

#[test]
fn words_are_those_of_the_language() {
    let set = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<String>>();
    let lists = ["keyword", "declaration", "constant", "reserved"].map(|rule| words(&pattern(rule)));
    let all: Vec<String> = lists.iter().flatten().cloned().collect();
    assert_eq!(all.len(), KEYWORDS.len(), "a keyword stands in one list");
    assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), set(&KEYWORDS));
    let types: Vec<&str> = ScalarType::ALL.iter().map(|t| t.name()).collect();
    assert_eq!(words(&pattern("type")), set(&types));
    let known: Vec<&str> = terrace_frontend::known_functions().collect();
    assert_eq!(words(&pattern("builtin")), set(&known));
}

#[test]
fn the_grammar_for_tree_sitter_has_the_same_words() {
    let grammar = read("editors/tree-sitter-terrace/grammar.js");
    let code: String = grammar.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let quoted: BTreeSet<&str> = code.split('\'').skip(1).step_by(2).collect();
    for word in KEYWORDS.iter().filter(|w| !RESERVED.contains(*w)) {
        assert!(quoted.contains(word), "grammar.js has no `{word}`");
    }
    // Marks without a meaning yet, and the backslash, which stands in strings only.
    for mark in PUNCTUATION.iter().filter(|m| !["\\", "'"].contains(*m)) {
        assert!(quoted.contains(mark), "grammar.js has no `{mark}`");
    }
    let letters = |word: &&&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
    let unknown: Vec<&&str> = quoted.iter().filter(letters).filter(|w| !KEYWORDS.contains(w)).collect();
    // Names of fields and of the grammar itself stand in quotes as well; `as` is a word in imports only.
    let names = ["alias", "array", "as", "body", "class", "field", "function", "module", "name", "operator", "part"];
    let more = ["path", "pattern", "position", "result", "size", "terrace", "value"];
    let odd: Vec<_> = unknown.into_iter().filter(|w| !names.contains(w) && !more.contains(w)).collect();
    assert!(odd.is_empty(), "words that the language does not have: {odd:?}");
}

#[test]
fn queries_name_what_the_grammar_has() {
    let grammar = read("editors/tree-sitter-terrace/grammar.js");
    let query = read("editors/tree-sitter-terrace/queries/highlights.scm");
    let code: String = query.lines().filter(|l| !l.starts_with(';')).map(|l| format!("{l} ")).collect();
    for piece in code.split('(').skip(1) {
        let name: String = piece.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        if !name.is_empty() && !piece.starts_with('"') && !code.contains(&format!("^({name}")) {
            assert!(grammar.contains(&format!("    {name}: (")), "grammar.js has no rule `{name}`");
        }
    }
    for word in code.split('"').skip(1).step_by(2).filter(|w| !w.starts_with('^')) {
        assert!(grammar.contains(&format!("'{word}'")), "grammar.js has no `{word}`");
    }
}

fn programs(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    inside.sort();
    for path in inside {
        if path.is_dir() {
            programs(&path, out);
        } else if path.extension().is_some_and(|e| e == "tce") {
            out.push(path);
        }
    }
}

/// What the lexer makes of a program, as lines for `editors/textmate/check.py`; nothing if it has mistakes.
fn tokens(text: &str) -> Option<String> {
    let mut sources = SourceMap::new();
    let file = sources.add("program.tce", text);
    let lexed = lex(file, text);
    if !lexed.errors.is_empty() {
        return None;
    }
    let mut before = vec![0; text.len() + 1];
    for (k, (byte, c)) in text.char_indices().enumerate() {
        before[byte] = k;
        before[byte + c.len_utf8()] = k + 1;
    }
    let characters = |byte: u32| before[byte as usize];
    let mut out = String::new();
    let mut after_dot = false;
    for token in &lexed.tokens {
        let class = match &token.kind {
            TokenKind::Fixed(word) if KEYWORDS.contains(word) => "keyword",
            TokenKind::Fixed(_) => "mark",
            TokenKind::Name(_) => "name",
            TokenKind::Int(..) if after_dot => "part",
            TokenKind::Int(..) | TokenKind::Real(..) => "number",
            TokenKind::Str(_) => "string",
            TokenKind::Bad => return None,
            TokenKind::End => break,
        };
        after_dot = token.kind == TokenKind::Fixed(".");
        let _ = writeln!(out, "token {} {} {class}", characters(token.span.start), characters(token.span.end));
    }
    for comment in &lexed.comments {
        let _ = writeln!(out, "token {} {} comment", characters(comment.start), characters(comment.end));
    }
    Some(out)
}

#[test]
fn programs_are_coloured_as_the_lexer_reads_them() {
    let mut cases = String::new();
    let mut files = Vec::new();
    for folder in ["examples", "lib", "tests", "benchmarks", "crates"] {
        programs(&root().join(folder), &mut files);
    }
    let mut count = 0;
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if let Some(lines) = tokens(&text) {
            count += 1;
            let _ = write!(cases, "file {}\n{lines}", path.display());
        }
    }
    assert!(count > 150, "{count} programs");
    let mut command = Command::new("python3");
    let grammar = root().join("editors/textmate/terrace.tmLanguage.json");
    command.arg(root().join("editors/textmate/check.py")).arg(grammar);
    let Ok(mut child) = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        // Without Python nothing is compared; the lists of words are, above.
        return;
    };
    let mut input = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || input.write_all(cases.as_bytes()));
    let output = child.wait_with_output().expect("Python ends");
    let _ = writer.join();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains(" characters compared, 0 tokens differ"), "{said}");
}
