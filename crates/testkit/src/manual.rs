//! The examples of the manual, of the tour and of their neighbours, as tests.
//!
//! Code blocks say by their first line what they are:
//!
//! ````text
//! ```terrace                  a module: it is checked, and its tests hold
//! ```terrace fails            a module of which a test does not hold
//! ```terrace error T0100      a module that is refused, with this code among the messages
//! ```terrace eval             one example per line, or over several lines; definitions may stand above a line of `---`
//! len([1, 2, 3])         --> 3
//! xs[3]                  --! T0901
//! sum([0.1, 0.2])        --~ 0.3        equal up to rounding
//! ```terrace given            definitions for the tables that follow on the page
//! ````
//!
//! `file=NAME` behind any of them names the file that the reader is to write. Tables with the columns `Terrace` and `gives` hold one
//! example per row. Blocks of other languages are not looked at; consoles are run by `crates/cli/tests/pages.rs`.

use terrace::{Backend, Program, Settings};
use terrace_doc::table_cells;

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
    let words: Vec<&str> = block.info.split_whitespace().filter(|word| !word.starts_with("file=")).collect();
    let at = format!("{page}:{}", block.line);
    match words.as_slice() {
        ["terrace"] | ["terrace", "given"] => module(&at, &block.text),
        ["terrace", "fails"] => match compile(&at, &block.text).map(|_| module(&at, &block.text)) {
            Ok(Ok(())) => Err(format!("{at}: all tests hold, and one should not")),
            Ok(Err(_)) => Ok(()),
            Err(why) => Err(why),
        },
        ["terrace", "error", codes @ ..] => refused(&at, &block.text, codes),
        ["terrace", "eval"] => examples(&at, &block.text),
        ["terrace", ..] => Err(format!("{at}: no such kind of block: {}", block.info)),
        _ => Ok(()),
    }
}

/// Runs the rows of a page's tables that have the columns `Terrace` and `gives`: how many there are, and what is wrong with them.
pub fn run_tables(page: &str, text: &str) -> (usize, Vec<String>) {
    let (mut given, mut columns, mut count, mut wrong) = (String::new(), None, 0, Vec::new());
    let blocks = blocks(text);
    for (k, line) in text.lines().enumerate() {
        if let Some(block) = blocks.iter().find(|b| b.line == k + 1 && b.info == "terrace given") {
            given = block.text.clone();
        }
        let cells = if line.starts_with('|') { table_cells(line) } else { Vec::new() };
        let place = |title: &str| cells.iter().position(|cell| cell == title);
        match (columns, place("Terrace").zip(place("gives"))) {
            _ if cells.is_empty() => columns = None,
            (None, found) => columns = found,
            (Some(_), _) if cells.iter().all(|cell| cell.starts_with("---")) => {}
            (Some((ours, gives)), _) => {
                let code = |k: usize| cells.get(k).map_or("", |cell| cell.trim_matches('`')).to_string();
                let (expr, wanted) = (code(ours), code(gives));
                let is_code = wanted.len() == 5 && wanted.starts_with('T');
                let mark = if is_code { "--!" } else { "-->" };
                count += 1;
                wrong.extend(example(&format!("{page}:{}", k + 1), &given, &expr, mark, &wanted).err());
            }
        }
    }
    (count, wrong)
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
