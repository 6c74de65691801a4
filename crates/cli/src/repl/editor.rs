//! Lines from a terminal, with history and completion, or from a pipe.
//!
//! A terminal shows `>` for a new input and `.` for one that goes on. The history is kept in `$TERRACE_HISTORY`, else in the folder for
//! the states of programs (`$XDG_STATE_HOME`, `~/.local/state`). Where that cannot be written, it is not kept.

use super::commands::COMMANDS;
use super::input::is_finished;
use super::session::Session;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

/// Where inputs come from.
pub(super) enum Lines {
    Terminal(Box<Editor<Names, FileHistory>>, Option<PathBuf>),
    Pipe,
}

impl Lines {
    pub(super) fn open() -> Lines {
        if !std::io::stdin().is_terminal() {
            return Lines::Pipe;
        }
        let config = Config::builder().auto_add_history(false).max_history_size(5000).map(|c| c.build());
        let Ok(mut editor) = config.and_then(Editor::with_config) else { return Lines::Pipe };
        editor.set_helper(Some(Names::default()));
        let history = history();
        if let Some(path) = &history {
            // There is none the first time.
            let _ = editor.load_history(path);
        }
        Lines::Terminal(Box::new(editor), history)
    }

    pub(super) fn is_terminal(&self) -> bool {
        matches!(self, Lines::Terminal(..))
    }

    /// The next finished input; none at the end.
    pub(super) fn next(&mut self, session: &Session) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.line(text.is_empty(), session) {
                Read::Line(line) => {
                    text.push_str(&line);
                    text.push('\n');
                    if is_finished(text.strip_suffix('\n').unwrap_or(&text)) {
                        break;
                    }
                }
                Read::Again => text.clear(),
                Read::End if text.is_empty() => return None,
                Read::End => break,
            }
        }
        if let Lines::Terminal(editor, history) = self {
            let _ = editor.add_history_entry(text.trim_end());
            if let Some(path) = history {
                let _ = path.parent().map(std::fs::create_dir_all);
                let _ = editor.append_history(path);
            }
        }
        Some(text)
    }

    fn line(&mut self, first: bool, session: &Session) -> Read {
        match self {
            Lines::Terminal(editor, _) => {
                if let Some(names) = editor.helper_mut() {
                    names.known = session.names().into_iter().map(String::from).collect();
                }
                match editor.readline(if first { "> " } else { ". " }) {
                    Ok(line) => Read::Line(line),
                    Err(ReadlineError::Interrupted) => Read::Again,
                    Err(_) => Read::End,
                }
            }
            Lines::Pipe => {
                let mut line = String::new();
                match std::io::stdin().lock().read_line(&mut line) {
                    Ok(count) if count > 0 => Read::Line(line.trim_end_matches(['\n', '\r']).to_string()),
                    _ => Read::End,
                }
            }
        }
    }
}

enum Read {
    Line(String),
    /// What was begun is dropped.
    Again,
    End,
}

fn history() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("TERRACE_HISTORY") {
        return (!path.is_empty()).then(|| PathBuf::from(path));
    }
    let state = std::env::var_os("XDG_STATE_HOME").filter(|p| !p.is_empty()).map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    state.or_else(home).map(|folder| folder.join("terrace/history"))
}

/// Completes names and commands.
#[derive(Default)]
pub(super) struct Names {
    known: Vec<String>,
}

/// The words of the language.
const WORDS: [&str; 21] = [
    "def", "entry", "type", "enum", "import", "test", "let", "in", "if", "then", "else", "match", "loop", "for",
    "while", "do", "with", "assert", "true", "false", "it",
];

impl Names {
    /// Where the word before the cursor begins, and what it could become.
    fn candidates(&self, line: &str, at: usize) -> (usize, Vec<String>) {
        let before = &line[..at];
        if before.starts_with(':') && !before.contains(char::is_whitespace) {
            let names = COMMANDS.iter().map(|(name, ..)| *name).filter(|name| name.starts_with(before));
            return (0, names.map(|name| format!("{name} ")).collect());
        }
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |k| k + 1);
        let begun = &before[start..];
        if begun.is_empty() {
            return (start, Vec::new());
        }
        let fixed = WORDS.into_iter().chain(terrace::known_functions()).map(String::from);
        let mut found: Vec<String> = self.known.iter().cloned().chain(fixed).filter(|n| n.starts_with(begun)).collect();
        found.sort();
        found.dedup();
        (start, found)
    }
}

impl Completer for Names {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.candidates(line, at))
    }
}

impl Hinter for Names {
    type Hint = String;
}

impl Highlighter for Names {}

impl Validator for Names {}

impl Helper for Names {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completion() {
        let names = Names { known: vec!["matrix".into()] };
        assert_eq!(names.candidates("f(mat", 5), (2, vec!["match".to_string(), "matrix".to_string()]));
        assert_eq!(names.candidates(":sh", 3), (0, vec![":shapes ".to_string()]));
        assert_eq!(names.candidates("1 + ", 4), (4, Vec::new()));
        assert!(names.candidates("transp", 6).1.contains(&"transpose".to_string()));
    }
}
