//! The examples of the manual, as tests.
//!
//! Code blocks in `docs/reference` say by their first line what they are:
//!
//! ````text
//! ```terrace                  a module: it is checked, and its tests hold
//! ```terrace error T0100      a module that is refused, with this code among the messages
//! ```terrace eval             one example per line, or over several lines; definitions may stand above a line of `---`
//! len([1, 2, 3])         --> 3
//! xs[3]                  --! T0901
//! sum([0.1, 0.2])        --~ 0.3        equal up to rounding
//! ````
//!
//! Blocks of other languages are not looked at.

use terrace::{Backend, Program, Settings};

/// One code block.
pub struct Block {
    /// What stands behind the three marks.
    pub info: String,
    /// The line in the page where it starts, from 1.
    pub line: usize,
    /// What is between the marks.
    pub text: String,
}

/// The code blocks of a page.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    for (k, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block { info: info.trim().to_string(), line: k + 1, text: String::new() })
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Runs a block; says what is wrong, with the page's name.
pub fn run(page: &str, block: &Block) -> Result<(), String> {
    let words: Vec<&str> = block.info.split_whitespace().collect();
    let at = format!("{page}:{}", block.line);
    match words.as_slice() {
        ["terrace"] => module(&at, &block.text),
        ["terrace", "error", codes @ ..] => refused(&at, &block.text, codes),
        ["terrace", "eval"] => examples(&at, &block.text),
        ["terrace", ..] => Err(format!("{at}: no such kind of block: {}", block.info)),
        _ => Ok(()),
    }
}

fn compile(at: &str, text: &str) -> Result<Program, String> {
    Program::from_text(&format!("{at} (example)"), text).map_err(|failed| failed.render(false))
}

fn module(at: &str, text: &str) -> Result<(), String> {
    let program = compile(at, text)?;
    let engine = program.engine(Backend::Interp, &Settings::default()).map_err(|f| f.render(false))?;
    let failures: Vec<String> =
        engine.run_tests("").into_iter().filter_map(|t| Some(t.failure?.render(false))).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

fn refused(at: &str, text: &str, codes: &[&str]) -> Result<(), String> {
    match Program::from_text(at, text) {
        Ok(_) => Err(format!("{at}: this is accepted, and should be refused")),
        Err(failed) => {
            let found: Vec<&str> = failed.diagnostics.iter().map(|d| d.code).collect();
            let missing = codes.iter().find(|c| !found.contains(c));
            missing.map_or(Ok(()), |code| Err(format!("{at}: no {code}, but\n{}", failed.render(false))))
        }
    }
}

fn examples(at: &str, text: &str) -> Result<(), String> {
    let (items, lines) = match text.split_once("\n---\n") {
        Some((items, lines)) => (items, lines),
        None => ("", text),
    };
    let (mut expr, mut wrong) = (String::new(), Vec::new());
    for line in lines.lines().chain(["-->"]) {
        let marks = ["-->", "--!", "--~"];
        let found = marks.iter().find_map(|mark| Some((*mark, line.split_once(mark)?)));
        let Some((mark, (before, wanted))) = found else {
            expr = expr + line + "\n";
            continue;
        };
        expr.push_str(before);
        if !expr.trim().is_empty()
            && let Err(why) = example(at, items, &expr, mark, wanted.trim())
        {
            wrong.push(why);
        }
        expr.clear();
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn example(at: &str, items: &str, expr: &str, mark: &str, wanted: &str) -> Result<(), String> {
    let shown = expr.trim();
    let test = match mark {
        "-->" => format!("({expr}\n) == ({wanted})"),
        "--~" => format!("close({expr}\n, {wanted}, 1e-9)"),
        _ => format!("let _value = {expr}\nin true"),
    };
    let program =
        compile(at, &format!("{items}\ntest \"example\" = {test}\n")).map_err(|why| format!("{at}: {shown}\n{why}"))?;
    let engine = program.engine(Backend::Interp, &Settings::default()).map_err(|f| f.render(false))?;
    let outcome = engine.run_tests("").pop().ok_or("the example is a test")?;
    match (mark, outcome.failure) {
        ("--!", Some(failed)) if failed.diagnostics.iter().any(|d| d.code == wanted) => Ok(()),
        ("--!", Some(failed)) => Err(format!("{at}: {shown}\n  should stop with {wanted}:\n{}", failed.render(false))),
        ("--!", None) => Err(format!("{at}: {shown}\n  does not stop, and should with {wanted}")),
        (_, None) => Ok(()),
        (_, Some(failed)) => Err(format!("{at}: {shown}\n  is not {wanted}:\n{}", failed.render(false))),
    }
}
