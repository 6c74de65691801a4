//! What an input asks for.
//!
//! ```text
//! :type [1, 2]      commands begin with a colon
//! def f(x) = x      kept
//! let y = f(3)      computed and kept
//! f(y)              computed, shown, and kept as `it`
//! ```

use super::input::{binding, is_definition};
use super::session::{Answer, Ran, Session};
use std::path::Path;
use terrace::{Backend, Failed};

/// What comes of an input.
pub(super) enum Reply {
    /// Text to be shown.
    Say(String),
    /// The end.
    Quit,
}

/// The commands, what they take, and what they do.
pub(super) const COMMANDS: [(&str, &str, &str); 11] = [
    (":help", "", "shows this"),
    (":type", "EXPRESSION", "says of which type an expression is, without computing it; shows a definition"),
    (":shapes", "EXPRESSION", "says what is known about the sizes of an expression, and what of it is regular"),
    (":time", "EXPRESSION", "computes an expression, and says how long that took and where it ran"),
    (":load", "FILE", "reads the definitions of a file"),
    (":read", "NAME: TYPE = FILE", "reads a value from a data file, or a column of it: `:read m: [][]f64 = m.npy`"),
    (":list", "", "shows what is kept"),
    (":forget", "NAME", "lets a definition or a value go"),
    (":backend", "NAME", "computes on `interp`, `c`, `cuda` or another back end; `auto` compiles what is heavy"),
    (":explain", "CODE", "explains an error code"),
    (":quit", "", "ends, as Ctrl-D does"),
];

/// Does what an input asks for.
pub(super) fn obey(session: &mut Session, text: &str) -> Result<Reply, Failed> {
    let text = text.trim();
    if text.is_empty() || text.lines().all(|line| line.trim_start().starts_with("--")) {
        return Ok(Reply::Say(String::new()));
    }
    if text.starts_with(':') {
        return command(session, text);
    }
    if is_definition(text) {
        session.define(text)?;
        return Ok(Reply::Say(String::new()));
    }
    if let Some((name, rest)) = binding(text)
        && session.type_of(text).is_err()
    {
        session.evaluate(name, rest)?;
        return Ok(Reply::Say(String::new()));
    }
    session.evaluate("it", text).map(|answer| Reply::Say(format!("{}\n", answer.text)))
}

fn command(session: &mut Session, text: &str) -> Result<Reply, Failed> {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let matching: Vec<&(&str, &str, &str)> = COMMANDS.iter().filter(|(name, ..)| name.starts_with(word)).collect();
    let [(name, wants, _)] = matching[..] else {
        return Ok(Reply::Say(format!("there is no command `{word}`; `:help` lists them\n")));
    };
    if !wants.is_empty() && rest.is_empty() {
        return Ok(Reply::Say(format!("`{name} {wants}`: something is missing\n")));
    }
    let said = match *name {
        ":help" => help(),
        ":type" => match session.definition(rest) {
            Some(text) => format!("{text}\n"),
            None => format!("{}\n", session.type_of(rest)?),
        },
        ":shapes" => session.shapes(rest)?,
        ":time" => {
            let Answer { text, ran } = session.evaluate("it", rest)?;
            format!("{text}\n{}", time(&ran))
        }
        ":load" => format!("{}\n", session.load(Path::new(rest))?.join(", ")),
        ":read" => match named(rest) {
            Some((name, ty, file)) => {
                session.read(name, ty, file)?;
                String::new()
            }
            None => format!("`{name} {wants}`: for example `:read xs: []f64 = xs.npy`\n"),
        },
        ":list" => session.listed(),
        ":forget" if session.forget(rest) => String::new(),
        ":forget" => format!("there is nothing called `{rest}`\n"),
        ":backend" => match (rest, Backend::from_name(rest)) {
            ("auto", _) => {
                session.backend = None;
                String::new()
            }
            (_, None) => format!("there is no back end `{rest}`\n"),
            (_, backend) => {
                session.backend = backend;
                String::new()
            }
        },
        ":explain" => match terrace::explain(rest) {
            Some(text) => format!("{text}\n"),
            None => format!("there is no error `{rest}`\n"),
        },
        _ => return Ok(Reply::Quit),
    };
    Ok(Reply::Say(said))
}

/// `name: type = file`.
fn named(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_once(':')?;
    let (ty, file) = rest.split_once('=')?;
    let (name, ty, file) = (name.trim(), ty.trim(), file.trim());
    (!name.is_empty() && !ty.is_empty() && !file.is_empty()).then_some((name, ty, file))
}

fn time(ran: &Ran) -> String {
    let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
    format!("{}: {:.1} ms, and {:.1} ms before it ran\n", ran.how, ms(ran.running), ms(ran.compiling))
}

fn help() -> String {
    let lines = COMMANDS.iter().map(|(name, wants, what)| format!("  {:<28} {what}\n", format!("{name} {wants}")));
    let head = "EXPRESSION is computed and shown, `let NAME = EXPRESSION` kept, and so are definitions; `it` is the last answer.\n\
                An input goes on over several lines while brackets are open; an empty line ends it.\n";
    std::iter::once(head.to_string()).chain(lines).collect()
}
