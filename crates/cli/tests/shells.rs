//! Completion and the manual page: nothing that `--help` says is missing from them, and bash really completes.
//!
//! What there is to complete is read from the help that is printed, not from the table that the scripts are made from.

use std::process::{Command, Stdio};

fn terrace(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_terrace")).args(args).output().expect("the program starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The commands that `terrace --help` lists.
fn commands() -> Vec<String> {
    let help = terrace(&["--help"]);
    let section = help.split("Commands:\n").nth(1).and_then(|s| s.split("\n\n").next()).expect("a list of commands");
    let named = section.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    named.filter_map(|line| line.split_whitespace().next()).map(str::to_string).collect()
}

/// The options that `terrace COMMAND --help` lists, long and short.
fn options(command: &str) -> Vec<String> {
    let help = terrace(&["help", command]);
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let names =
        lines.flat_map(|line| line.split([' ', ',', '=', '[']).take_while(|w| w.is_empty() || w.starts_with('-')));
    names.filter(|w| w.starts_with('-')).map(str::to_string).collect()
}

#[test]
fn nothing_is_missing() {
    let [bash, zsh, fish] = ["bash", "zsh", "fish"].map(|shell| terrace(&["completions", shell]));
    let man = terrace(&["man"]).replace("\\-", "-");
    let commands = commands();
    assert!(commands.len() >= 14 && commands.contains(&"completions".to_string()), "{commands:?}");
    let mut seen = 0;
    for command in &commands {
        assert!(man.contains(&format!(".SS \"terrace {command}")), "{command} is not in the manual page");
        assert!(zsh.contains(&format!("\n        '{command}:")), "{command} is not in the script for zsh");
        assert!(fish.contains(&format!("-f -a {command} -d ")), "{command} is not in the script for fish");
        if command == "help" {
            continue;
        }
        let section = man.split(&format!(".SS \"terrace {command}")).nth(1).and_then(|s| s.split("\n.S").next());
        let section = section.expect("a section of the manual page");
        let line = bash.lines().find_map(|l| l.trim().strip_prefix(&format!("{command}) words='")));
        let line = line.unwrap_or_else(|| panic!("{command} is not in the script for bash"));
        let words: Vec<&str> = line.trim_end_matches("' ;;").split(' ').collect();
        let part =
            zsh.split(&format!("\n        {command})\n")).nth(1).and_then(|s| s.split(";;").next()).expect("zsh");
        let here = format!("__fish_seen_subcommand_from {command}'");
        for option in options(command) {
            seen += 1;
            assert!(words.contains(&option.as_str()), "{command} {option}: bash has {words:?}");
            assert!(
                part.contains(&format!("'*{option}[")) || part.contains(&format!("'*{option}=-[")),
                "{command} {option}: zsh has {part}"
            );
            let flag = match option.strip_prefix("--") {
                Some(long) => format!(" -l {long} "),
                None => format!(" -s {} ", &option[1..]),
            };
            let found = fish.lines().any(|line| line.contains(&here) && line.contains(&flag));
            assert!(found, "{command} {option} is not in the script for fish");
            assert!(
                section.contains(&format!("\\fB{option}\\fR")),
                "{command} {option}: the manual page has {section}"
            );
        }
    }
    assert!(seen > 60, "{seen} options");
}

/// What bash suggests for the last word of a command, sorted.
fn suggested(words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|w| format!("'{w}'")).collect();
    let script = format!(
        "{}\nCOMP_WORDS=({}); COMP_CWORD={}; _terrace; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        terrace(&["completions", "bash"]),
        quoted.join(" "),
        words.len() - 1
    );
    let output = Command::new("bash").args(["--norc", "-c", &script]).stdin(Stdio::null()).output().expect("bash");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let mut words: Vec<String> = text.lines().filter(|l| !l.is_empty()).map(str::to_string).collect();
    words.sort();
    words
}

#[test]
fn bash_completes() {
    if Command::new("bash").arg("--version").stdout(Stdio::null()).status().is_err() {
        return;
    }
    let check = |words: &[&str], expected: &[&str]| assert_eq!(suggested(words), expected, "{words:?}");
    check(&["terrace", "de"], &["devices"]);
    check(&["terrace", "c"], &["check", "completions"]);
    check(&["terrace", "run", "--pl"], &["--plot", "--plot-kind"]);
    check(&["terrace", "run", "f.tce", "--backend", "cu"], &["cuda", "cuda-sim"]);
    check(&["terrace", "run", "--plot-kind", "h"], &["heat", "histogram"]);
    check(&["terrace", "check", "--list", "=", "a"], &["all"]);
    check(&["terrace", "check", "--list", "="], &["all", "remaining"]);
    check(&["terrace", "ir", "--stage", "k"], &["kernels"]);
    check(&["terrace", "completions", "z"], &["zsh"]);
    check(&["terrace", "help", "ex"], &["explain"]);
    // Names of files are left to bash.
    check(&["terrace", "run", "exam"], &[]);
    check(&["terrace", "run", "-o", "--"], &[]);
    assert!(suggested(&["terrace", "bench", "--"]).contains(&"--compare".to_string()));
}

#[test]
fn the_manual_page_is_one() {
    let page = terrace(&["man"]);
    assert!(page.starts_with(".TH TERRACE 1 "), "{page}");
    let known = [".TH", ".SH", ".SS", ".TP", ".B", ".I", ".RI", ".br", ".nf", ".fi"];
    for line in page.lines() {
        assert!(line.is_ascii(), "{line}");
        if line.starts_with('.') {
            let word = line.split(' ').next().unwrap_or_default();
            assert!(known.contains(&word), "an unknown request: {line}");
        }
        assert!(!line.starts_with('\''), "taken for a request: {line}");
        assert_eq!(line.matches("\\fB").count() + line.matches("\\fI").count(), line.matches("\\fR").count(), "{line}");
    }
    for section in ["NAME", "SYNOPSIS", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES"] {
        assert!(page.contains(&format!(".SH {section}\n")), "{section}");
    }
    // Where there is groff, it has nothing to say about it.
    let path = std::env::temp_dir().join(format!("terrace-{}.1", std::process::id()));
    std::fs::write(&path, &page).expect("a file");
    let shown = Command::new("groff").args(["-ww", "-man", "-Tascii", "-P-cbou"]).arg(&path).output();
    let _ = std::fs::remove_file(&path);
    if let Ok(shown) = shown {
        assert!(shown.stderr.is_empty(), "{}", String::from_utf8_lossy(&shown.stderr));
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(text.contains("--plot-kind KIND") && text.contains("terrace run FILE [ARGS...]"), "{text}");
    }
}
