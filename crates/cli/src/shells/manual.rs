//! The manual page, in the language of `man`: `terrace man > terrace.1`, or `terrace man | man -l -`.
//!
//! A command is a section of its own; an option is a paragraph with a hanging label:
//!
//! ```text
//! .SS "terrace run FILE [ARGS...]"
//! Calls an entry and prints its result.
//! .TP
//! \fB\-\-entry\fR \fIENTRY\fR
//! Which entry; not needed where there is only one.
//! ```

use super::{Choice, Table};
use std::fmt::Write;

const EXIT: [(&str, &str); 5] = [
    ("0", "everything is right"),
    ("1", "the program or its data is wrong, a test failed, or a file is not formatted"),
    ("2", "the command was used wrongly"),
    ("101", "a bug in Terrace; the message says how to report it"),
    ("130", "Ctrl-C was pressed"),
];

const VARIABLES: [(&str, &str); 4] = [
    ("TERRACE_CC", "the C compiler, flags allowed; without it, cc"),
    ("TERRACE_CACHE", "the folder of compiled kernels; removing it is always safe"),
    ("TERRACE_CACHE_LIMIT", "how many bytes that folder may hold, as in 64M"),
    ("NO_COLOR", "messages are not coloured"),
];

pub(super) fn page(table: &Table) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let about = table.about.trim_end_matches('.').split_once(": ").map_or(table.about.as_str(), |(_, rest)| rest);
    let mut out = format!(
        ".TH TERRACE 1 \"\" \"terrace {version}\" \"User Commands\"\n.SH NAME\nterrace \\- {}\n\
         .SH SYNOPSIS\n.B terrace\n.I COMMAND\n.RI [ OPTIONS ]\n.RI [ ARGUMENTS ]\n.br\n\
         .B terrace\n.I COMMAND\n.B \\-\\-help\n.br\n.B terrace \\-\\-version\n.SH COMMANDS\n",
        escaped(about.trim_end_matches('.'))
    );
    for command in &table.commands {
        let positions: Vec<&str> = command.positions.iter().map(|(shown, _)| shown.as_str()).collect();
        let usage = format!("terrace {} {}", command.name, positions.join(" "));
        let _ = writeln!(out, ".SS \"{}\"\n{}", escaped(usage.trim_end()), paragraph(&command.about));
        for (shown, help) in &command.positions {
            let _ = writeln!(out, ".TP\n\\fI{}\\fR\n{}", escaped(shown), paragraph(help));
        }
        for option in &command.options {
            let _ = writeln!(out, ".TP\n{}\n{}", label(option), paragraph(&option.help));
        }
    }
    out += ".SH EXIT STATUS\n";
    for (code, meaning) in EXIT {
        let _ = writeln!(out, ".TP\n\\fB{code}\\fR\n{}", paragraph(meaning));
    }
    out += ".SH ENVIRONMENT\n";
    for (name, meaning) in VARIABLES {
        let _ = writeln!(out, ".TP\n\\fB{}\\fR\n{}", escaped(name), paragraph(meaning));
    }
    out += ".SH EXAMPLES\n.nf\n";
    for line in table.examples.lines().skip(1) {
        let _ = writeln!(out, "{}", paragraph(line.trim_start()));
    }
    out += ".fi\n";
    out
}

fn label(option: &Choice) -> String {
    let mut out = String::new();
    if let Some(c) = option.short {
        let _ = write!(out, "\\fB\\-{c}\\fR, ");
    }
    let _ = write!(out, "\\fB\\-\\-{}\\fR", escaped(&option.long));
    match &option.value.name {
        Some(name) if option.value.optional => {
            let _ = write!(out, "[=\\fI{}\\fR]", escaped(name));
        }
        Some(name) => {
            let _ = write!(out, " \\fI{}\\fR", escaped(name));
        }
        None => {}
    }
    out
}

/// Text of which no line is taken for a command.
fn paragraph(text: &str) -> String {
    let escaped = escaped(text);
    if escaped.starts_with(['.', '\'']) { format!("\\&{escaped}") } else { escaped }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out += "\\e",
            '-' => out += "\\-",
            '"' => out += "\\(dq",
            '\'' => out += "\\(aq",
            '`' => out += "\\(ga",
            '…' => out += "...",
            c if c.is_ascii() => out.push(c),
            c => {
                let _ = write!(out, "\\[u{:04X}]", u32::from(c));
            }
        }
    }
    out
}
