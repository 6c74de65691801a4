//! Completion in zsh: the commands are described by `_describe`, the options of each by `_arguments`, with their help.

use super::{Table, Value, short};
use std::fmt::Write;

pub(super) fn script(table: &Table) -> String {
    let mut out = String::from(
        "#compdef terrace\n# Completion of terrace in zsh: put this file under the name _terrace into a folder of $fpath\n\
         _terrace() {\n    local -a commands\n    commands=(\n",
    );
    for command in &table.commands {
        let _ = writeln!(out, "        '{}:{}'", command.name, quoted(short(&command.about)));
    }
    out += "    )\n    if ((CURRENT == 2)); then\n        _describe -t commands command commands\n        \
            _arguments '--help[Prints help]' '--version[Prints the version]'\n        return\n    fi\n    \
            local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n";
    for command in &table.commands {
        let _ = write!(out, "        {})\n            _arguments", command.name);
        for option in &command.options {
            let help = bracketed(short(&option.help));
            let value = value(&option.value);
            let equals = if option.value.optional { "=-" } else { "" };
            let _ = write!(out, " \\\n                '*--{}{equals}[{help}]{value}'", option.long);
            if let Some(c) = option.short {
                let _ = write!(out, " \\\n                '*-{c}[{help}]{value}'");
            }
        }
        match (&command.words[..], &command.positions[..]) {
            ([], []) => {}
            ([], _) => out += " \\\n                '*:file:_files'",
            (words, _) => {
                let _ = write!(out, " \\\n                '1:word:({})'", words.join(" "));
            }
        }
        out += "\n            ;;\n";
    }
    out += "    esac\n}\n_terrace \"$@\"\n";
    out
}

fn value(value: &Value) -> String {
    let Some(name) = &value.name else { return String::new() };
    let one = if value.optional { "::" } else { ":" };
    let name = name.split(' ').next().unwrap_or(name);
    match &value.words[..] {
        [] if value.file => format!("{one}{name}:_files"),
        [] => format!("{one}{name}: "),
        words => format!("{one}{name}:({})", words.join(" ")),
    }
}

fn quoted(text: &str) -> String {
    text.replace('\'', "'\\''").replace(':', "\\:")
}

fn bracketed(text: &str) -> String {
    quoted(text).replace('[', "\\[").replace(']', "\\]")
}
