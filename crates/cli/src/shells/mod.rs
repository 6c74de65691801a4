//! `terrace completions SHELL` and `terrace man`: what the command line knows about itself, for shells and for `man`.
//!
//! There is one description of commands and options, the declarations in `arguments.rs`. `--help` prints it, and [`Table`] is the same as a
//! list, from which every file of this folder writes its text:
//!
//! ```text
//! Run { backend: Option<Backend>, … }     terrace run --help      --backend <BACKEND>  Where to run: …
//!                                         completions bash        run,--backend) … compgen -W "interp flat …"
//!                                         man                     .TP \fB\-\-backend\fR \fIBACKEND\fR
//! ```
//!
//! Declines to ask the program while somebody types: scripts are text, and work where Terrace is not there yet.

mod bash;
mod fish;
mod manual;
mod zsh;

use crate::arguments::{Cli, values_of};
use crate::output::{Verdict, print};
use clap::{ArgAction, CommandFactory, ValueHint};
use terrace::Failed;

/// A shell that can complete commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Shell {
    pub(crate) const ALL: [(&str, Shell); 3] = [("bash", Shell::Bash), ("zsh", Shell::Zsh), ("fish", Shell::Fish)];
}

pub(crate) fn completions(shell: Shell) -> Result<Verdict, Failed> {
    let table = Table::of_this_program();
    print(&match shell {
        Shell::Bash => bash::script(&table),
        Shell::Zsh => zsh::script(&table),
        Shell::Fish => fish::script(&table),
    });
    Ok(Verdict::Good)
}

pub(crate) fn man() -> Result<Verdict, Failed> {
    print(&manual::page(&Table::of_this_program()));
    Ok(Verdict::Good)
}

/// The commands of the program.
struct Table {
    about: String,
    examples: String,
    commands: Vec<Entry>,
}

/// A command.
struct Entry {
    name: String,
    about: String,
    options: Vec<Choice>,
    /// What stands behind the options, as usage writes it, with its help.
    positions: Vec<(String, String)>,
    /// The words that a position takes, where they are few.
    words: Vec<String>,
}

/// An option.
struct Choice {
    long: String,
    short: Option<char>,
    help: String,
    value: Value,
}

/// What follows an option.
struct Value {
    /// How it is called; none if nothing follows.
    name: Option<String>,
    /// Whether it may be left out, and stands behind `=`.
    optional: bool,
    /// Whether it is a file.
    file: bool,
    /// The words that it may be; empty if it is anything.
    words: Vec<&'static str>,
}

impl Table {
    fn of_this_program() -> Table {
        let mut program = Cli::command();
        program.build();
        let text = |styled: Option<&clap::builder::StyledStr>| styled.map(ToString::to_string).unwrap_or_default();
        let mut commands: Vec<Entry> = Vec::new();
        for command in program.get_subcommands() {
            let (mut options, mut positions, mut words) = (Vec::new(), Vec::new(), Vec::new());
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let names = arg.get_value_names().unwrap_or_default();
                let name = names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
                match arg.get_long() {
                    Some(long) => {
                        let takes = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
                        options.push(Choice {
                            long: long.to_string(),
                            short: arg.get_short(),
                            help: text(arg.get_help()),
                            value: Value {
                                name: takes.then_some(name),
                                optional: arg.is_require_equals_set(),
                                file: arg.get_value_hint() == ValueHint::AnyPath,
                                words: values_of(long),
                            },
                        });
                    }
                    None => {
                        words.extend(values_of(arg.get_id().as_str()).into_iter().map(str::to_string));
                        let many = matches!(arg.get_action(), ArgAction::Append);
                        let shown = match (arg.is_required_set(), many) {
                            (true, true) => format!("{name}..."),
                            (true, false) => name,
                            (false, true) => format!("[{name}...]"),
                            (false, false) => format!("[{name}]"),
                        };
                        positions.push((shown, text(arg.get_help())));
                    }
                }
            }
            let (name, about) = (command.get_name().to_string(), text(command.get_about()));
            commands.push(Entry { name, about, options, positions, words });
        }
        let names: Vec<String> = commands.iter().map(|c| c.name.clone()).collect();
        if let Some(help) = commands.iter_mut().find(|c| c.name == "help") {
            help.words = names;
        }
        Table { about: text(program.get_about()), examples: text(program.get_after_help()), commands }
    }
}

/// The first sentence of a help text, for places with little room.
fn short(help: &str) -> &str {
    help.split(['.', ';', ':']).next().unwrap_or(help)
}
