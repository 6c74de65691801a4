//! Completion in bash: a function that looks at the command and at the word before the one that is typed.
//!
//! Where it finds nothing, bash completes names of files. `--list=all` are three words to bash, since `=` separates words there.

use super::Table;
use std::fmt::Write;

pub(super) fn script(table: &Table) -> String {
    let mut out = String::from(
        "# Completion of terrace in bash: source this file, or put it into ~/.local/share/bash-completion/completions/terrace\n\
         _terrace() {\n    \
             local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= words= k\n    \
             if [[ $word == = ]]; then\n        word=\n    \
             elif [[ $before == = ]]; then\n        before=${COMP_WORDS[COMP_CWORD - 2]}\n    fi\n    \
             for ((k = 1; k < COMP_CWORD; k++)); do\n        \
                 if [[ ${COMP_WORDS[k]} != -* ]]; then\n            command=${COMP_WORDS[k]}\n            break\n        fi\n    done\n    \
             COMPREPLY=()\n    \
             case \"$command $before\" in\n",
    );
    for command in &table.commands {
        for option in &command.options {
            let value = &option.value;
            let short = option.short.map_or(String::new(), |c| format!(" | '{} -{c}'", command.name));
            if !value.words.is_empty() {
                let (name, long, words) = (&command.name, &option.long, value.words.join(" "));
                let _ = writeln!(out, "        '{name} --{long}'{short}) words='{words}' ;;");
            } else if value.name.is_some() && !value.optional {
                // Whatever it is: names of files are the best guess.
                let _ = writeln!(out, "        '{} --{}'{short}) return ;;", command.name, option.long);
            }
        }
    }
    out += "    esac\n    if [[ -z $words ]]; then\n        case $command in\n";
    let names: Vec<&str> = table.commands.iter().map(|c| c.name.as_str()).collect();
    let _ = writeln!(out, "            '') words='{} --help --version' ;;", names.join(" "));
    for command in &table.commands {
        let mut words: Vec<String> = command.options.iter().map(|o| format!("--{}", o.long)).collect();
        words.extend(command.options.iter().filter_map(|o| o.short.map(|c| format!("-{c}"))));
        words.extend(command.words.iter().cloned());
        let _ = writeln!(out, "            {}) words='{}' ;;", command.name, words.join(" "));
    }
    out += "        esac\n    fi\n    \
            COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n\
            complete -o bashdefault -o default -F _terrace terrace\n";
    out
}
