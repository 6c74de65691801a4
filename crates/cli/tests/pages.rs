//! The consoles of the tour and its neighbours, typed by a machine.
//!
//! ````text
//! ```terrace file=mean.tce     is written into an empty folder
//! ```console                   commands behind `$ ` with everything that they print; all of them go well
//! ```console stops             all of them fail
//! ```console times             the same up to numbers; a line of `…` stands for any others
//! ````
//!
//! The pages of a folder are read in order and share the folder they write to, with a copy of their `data` and the repository's `examples` and `lib`. Besides `terrace` there is `cat FILE`.
//! `TERRACE_BLESS=1` writes the pages anew, but for those with times: read them before they are kept.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use typed::words;

mod typed;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a command prints, as a terminal shows it, and whether it goes well.
fn typed_in(folder: &Path, line: &str) -> (String, bool) {
    let words = words(line);
    match words.split_first() {
        Some((program, [file])) if program == "cat" => {
            let text = std::fs::read_to_string(folder.join(file));
            (text.as_ref().map_or_else(|why| format!("{why}\n"), String::clone), text.is_ok())
        }
        Some((program, args)) if program == "terrace" => {
            let (mut reader, writer) = std::io::pipe().expect("a pipe");
            let mut command = Command::new(env!("CARGO_BIN_EXE_terrace"));
            command.args(args).current_dir(folder).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
            command.stdout(writer.try_clone().expect("a second end")).stderr(writer);
            let mut child = command.spawn().expect("the program starts");
            // It holds the writing ends of the pipe.
            drop(command);
            let mut text = String::new();
            reader.read_to_string(&mut text).expect("text in UTF-8");
            (text, child.wait().expect("it ends").success())
        }
        _ => panic!("unknown command: {line}"),
    }
}

/// The text with every number replaced by `#` and spaces counted once.
fn without_numbers(line: &str) -> String {
    let mut out = String::new();
    for c in line.trim().chars() {
        let c = if c.is_ascii_digit() || c == '.' { '#' } else { c };
        if !("# ".contains(c) && out.ends_with(c)) {
            out.push(c);
        }
    }
    out
}

/// Whether what was found fits what stands on the page, where a line of `…` stands for any.
fn fits(page: &[&str], found: &[&str]) -> bool {
    match (page.split_first(), found.split_first()) {
        (None, None) => true,
        (Some((&"…", rest)), _) => (0..=found.len()).any(|k| fits(rest, &found[k..])),
        (Some((a, page)), Some((b, found))) => without_numbers(a) == without_numbers(b) && fits(page, found),
        _ => false,
    }
}

/// The page with its consoles run, and what is wrong with it.
fn replay(name: &str, text: &str, folder: &Path) -> (String, Vec<String>) {
    let (mut out, mut wrong) = (String::new(), Vec::new());
    let mut lines = text.lines().enumerate();
    while let Some((k, line)) = lines.next() {
        out += &format!("{line}\n");
        let Some(info) = line.strip_prefix("```") else { continue };
        let inside: Vec<&str> = lines.by_ref().map(|(_, l)| l).take_while(|l| *l != "```").collect();
        let mut body: String = inside.iter().map(|l| format!("{l}\n")).collect();
        let words: Vec<&str> = info.split_whitespace().collect();
        if let Some(file) = words.iter().find_map(|word| word.strip_prefix("file=")) {
            std::fs::write(folder.join(file), &body).expect("a file can be written");
        }
        if words.first() == Some(&"console") {
            let mut found = String::new();
            for command in inside.iter().filter_map(|l| l.strip_prefix("$ ")) {
                let (printed, good) = typed_in(folder, command);
                let printed: String = printed.lines().map(|l| format!("{}\n", l.trim_end())).collect();
                found += &format!("$ {command}\n{printed}");
                if good == words.contains(&"stops") {
                    wrong.push(format!("{name}:{}: `{command}` {}", k + 1, if good { "goes well" } else { "fails" }));
                }
            }
            let times = words.contains(&"times");
            let same = if times { fits(&inside, &found.lines().collect::<Vec<_>>()) } else { found == body };
            if !same {
                wrong.push(format!("{name}:{}: kept\n{body}found\n{found}", k + 1));
            }
            if !times {
                body = found;
            }
        }
        out += &format!("{body}```\n");
    }
    (out, wrong)
}

fn check(pages: &str, least: usize) {
    let folder = root().join(pages);
    let temporary =
        std::env::temp_dir().join(format!("terrace-pages-{}-{}", std::process::id(), pages.replace('/', "-")));
    std::fs::create_dir_all(temporary.join("data")).expect("a folder");
    for entry in std::fs::read_dir(folder.join("data")).into_iter().flatten() {
        let path = entry.expect("a file").path();
        std::fs::copy(&path, temporary.join("data").join(path.file_name().expect("a name"))).expect("a copy");
    }
    for shared in ["examples", "lib"] {
        let link = temporary.join(shared);
        std::os::unix::fs::symlink(root().join(shared).canonicalize().expect("a folder"), link).expect("a link");
    }
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("pages").map(|e| e.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "md"));
    paths.sort();
    let (mut consoles, mut wrong) = (0, Vec::new());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a page");
        consoles += text.matches("\n```console").count();
        let name = format!("{pages}/{}", path.file_name().expect("a name").to_string_lossy());
        let (found, mistakes) = replay(&name, &text, &temporary);
        if std::env::var_os("TERRACE_BLESS").is_some() {
            std::fs::write(&path, found).expect("a page can be written");
        } else {
            wrong.extend(mistakes);
        }
    }
    std::fs::remove_dir_all(&temporary).expect("the folder can go");
    assert!(consoles >= least, "{pages}: only {consoles} consoles were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_tour_prints_what_it_says() {
    check("docs/tour", 20);
}

#[test]
fn the_manual_prints_what_it_says() {
    check("docs/reference", 3);
}

#[test]
fn numbers_and_lines_may_be_left_open() {
    assert!(fits(&["a 1.5 ms", "…", "z"], &["a  20 ms", "b", "z"]));
    assert!(fits(&["…"], &[]));
    assert!(!fits(&["a 1.5 ms"], &["a 1.5 s"]));
    assert!(!fits(&["a"], &["a", "b"]));
}
