//! Completion in fish: a line for every command and for every option of it.

use super::{Table, short};
use std::fmt::Write;

pub(super) fn script(table: &Table) -> String {
    let mut out = String::from(
        "# Completion of terrace in fish: put this file into ~/.config/fish/completions/terrace.fish\n\
         complete -c terrace -n __fish_use_subcommand -l help -d 'Prints help'\n\
         complete -c terrace -n __fish_use_subcommand -l version -d 'Prints the version'\n",
    );
    for command in &table.commands {
        let about = quoted(short(&command.about));
        let _ = writeln!(out, "complete -c terrace -n __fish_use_subcommand -f -a {} -d {about}", command.name);
    }
    for command in &table.commands {
        let here = format!("complete -c terrace -n '__fish_seen_subcommand_from {}'", command.name);
        for option in &command.options {
            let _ = write!(out, "{here} -l {}", option.long);
            if let Some(c) = option.short {
                let _ = write!(out, " -s {c}");
            }
            if option.value.name.is_some() && !option.value.optional {
                out += if option.value.file { " -r -F" } else { " -x" };
            }
            if !option.value.words.is_empty() {
                let _ = write!(out, " -a '{}'", option.value.words.join(" "));
            }
            let _ = writeln!(out, " -d {}", quoted(short(&option.help)));
        }
        if !command.words.is_empty() {
            let _ = writeln!(out, "{here} -f -a '{}'", command.words.join(" "));
        }
    }
    out
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
