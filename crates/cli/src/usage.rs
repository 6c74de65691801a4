//! A wrong word on the command line, and the one that may have been meant.
//!
//! ```text
//! terrace run f.tce 1 --backnd c      tip: a similar argument exists: '--backend'
//! terrace rum f.tce 1                 tip: a similar subcommand exists: 'run'
//! ```
//!
//! What is near is decided as for names in programs, by `nearest`.

use crate::arguments::Cli;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, Error};
use terrace::nearest;

/// The error with the nearest word that there is, in place of advice about words that begin with `-`.
pub(crate) fn with_nearest(mut error: Error) -> Error {
    let whole = Cli::command();
    let said = |error: &Error, kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    };
    if let Some(word) = said(&error, ContextKind::InvalidSubcommand) {
        let near = nearest(&word, whole.get_subcommands().map(clap::Command::get_name));
        if let Some(near) = near.map(str::to_string) {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::String(near));
        }
    }
    let command = std::env::args().nth(1).and_then(|name| whole.find_subcommand(name));
    if let (Some(word), Some(command)) = (said(&error, ContextKind::InvalidArg), command)
        && let Some(long) = word.strip_prefix("--")
        && let Some(near) = nearest(long, command.get_arguments().filter_map(|a| a.get_long()))
    {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{near}")));
        error.remove(ContextKind::Suggested);
    }
    error
}
