//! The documentation of Terrace itself: which texts it has, and in which order.
//!
//! ```text
//! docs/README.md             index.html
//! docs/tour/*.md             tour/…            ten steps
//! docs/howto/*.md            howto/…           for people who come from elsewhere
//! docs/reference/*.md        manual/…
//! lib/*.tce                  library/…         from their comments
//! docs/errors/README.md      errors/…          with every code behind it
//! docs/stages/*.md           stages/…          with what the compiler makes of a program today
//! examples/*.tce             examples/…
//! benchmarks, workloads, decisions, ARCHITECTURE.md, HACKING.md
//! ```
//!
//! In a folder, pages come in the order in which its `README.md` links to them. Everything is read in the folder where the command runs.

use super::{live, write};
use crate::output::{Verdict, error, print};
use std::collections::BTreeMap;
use std::path::Path;
use terrace::Failed;
use terrace_doc::{Asset, Page, codes_page, messages, module_page};

/// Folders of Markdown: where, where to, and the heading.
const FOLDERS: [(&str, &str, &str); 4] = [
    ("docs/tour", "tour", "The tour"),
    ("docs/howto", "howto", "Coming from elsewhere"),
    ("docs/reference", "manual", "The manual"),
    ("docs/stages", "stages", "The stages of the compiler"),
];

/// Folders with files that tests compare with messages.
const MESSAGES: [&str; 5] = [
    "crates/frontend/tests/rejected",
    "crates/frontend/tests/failing",
    "tests/failures",
    "crates/syntax/tests/errors",
    "crates/cli/tests/transcripts",
];

pub(super) fn site(out: &Path) -> Result<Verdict, Failed> {
    if !Path::new("docs/tour").is_dir() {
        error("there is no documentation of Terrace here: `--site` runs in a checkout of its repository\n");
        return Ok(Verdict::Usage);
    }
    let mut pages = vec![markdown("docs/README.md", "index", "")?];
    for (from, to, section) in FOLDERS {
        pages.extend(folder(from, to, section)?);
        if to == "manual" {
            pages.extend(library()?);
            pages.push(errors()?);
        }
    }
    pages.extend(examples()?);
    pages.extend(speed()?);
    for (file, path) in [
        ("README.md", "inside/readme"),
        ("docs/pictures/README.md", "inside/pictures"),
        ("ARCHITECTURE.md", "inside/architecture"),
        ("HACKING.md", "inside/hacking"),
    ] {
        pages.push(markdown(file, path, "Inside")?);
    }
    pages.extend(folder("docs/decisions", "decisions", "Decisions")?);
    let files = ["benchmarks", "crates", "docs", "examples", "fuzz", "lib", "tests", "xtask"].map(all_files).concat();
    let asset = |source: String| Asset { path: format!("files/{source}"), source };
    let assets: Vec<Asset> = files.into_iter().map(asset).collect();
    let verdict = write("Terrace", &pages, &assets, &live, out);
    if verdict == Verdict::Good {
        print(&format!("{} pages: {}\n", pages.len(), out.join("index.html").display()));
    }
    Ok(verdict)
}

fn markdown(file: &str, path: &str, section: &str) -> Result<Page, Failed> {
    let text = terrace::read_source(Path::new(file))?;
    Ok(Page { source: file.into(), path: path.into(), section: section.into(), text, origin: None })
}

/// The files of a folder with an ending, as paths with `/`, in order.
fn names(folder: &str, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok());
    let mut names: Vec<String> = entries.map(|e| format!("{folder}/{}", e.file_name().to_string_lossy())).collect();
    names.retain(|name| name.ends_with(ending));
    names.sort();
    names
}

/// All files below a folder: whatever a page links to that is no page is copied.
fn all_files(folder: &str) -> Vec<String> {
    let inside = names(folder, "").into_iter();
    inside.flat_map(|name| if Path::new(&name).is_dir() { all_files(&name) } else { vec![name] }).collect()
}

/// The name of a file without folder and ending.
fn stem(file: &str) -> String {
    Path::new(file).file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The Markdown of a folder: its `README.md` first, then the others as that one names them.
fn folder(from: &str, to: &str, section: &str) -> Result<Vec<Page>, Failed> {
    let readme = terrace::read_source(Path::new(&format!("{from}/README.md")))?;
    let place = |file: &String| readme.find(&format!("({}", file.trim_start_matches(from).trim_start_matches('/')));
    let mut files = names(from, ".md");
    files.sort_by_key(|file| (!file.ends_with("/README.md"), place(file).unwrap_or(usize::MAX), file.clone()));
    let path = |file: &str| match stem(file).as_str() {
        "README" => format!("{to}/index"),
        name => format!("{to}/{name}"),
    };
    files.iter().map(|file| markdown(file, &path(file), section)).collect()
}

fn library() -> Result<Vec<Page>, Failed> {
    let page = |file: &String| {
        let name = stem(file);
        let text = terrace::read_source(Path::new(file))?;
        let title = if name == "prelude" { name.clone() } else { format!("std/{name}") };
        let page = module_page(&title, file, &format!("library/{name}"), "The library", &text);
        Ok(page.unwrap_or_else(|_| unreachable!("the library is part of this program")))
    };
    names("lib", ".tce").iter().map(page).collect()
}

/// The index of messages, behind what its page says first.
fn errors() -> Result<Page, Failed> {
    let mut found = BTreeMap::new();
    for file in MESSAGES.iter().flat_map(|folder| names(folder, ".txt")) {
        messages(&terrace::read_source(Path::new(&file))?, &mut found);
    }
    let code = |number: usize| {
        let code = format!("T{number:04}");
        Some((code.clone(), terrace::explain(&code)?.to_string()))
    };
    let codes: Vec<(String, String)> = (0..1000).filter_map(code).collect();
    let mut page = markdown("docs/errors/README.md", "errors/index", "Messages")?;
    page.text = codes_page(&page.text, &codes, &found);
    Ok(page)
}

/// What was measured; and a page for each workload, with a list of them in place of a `README.md` that their folder does not have.
fn speed() -> Result<Vec<Page>, Failed> {
    let readme = |folder: &String| Some(format!("{folder}/README.md")).filter(|file| Path::new(file).exists());
    let mut pages = vec![markdown("benchmarks/README.md", "speed/index", "Speed")?];
    for file in names("benchmarks", "").iter().filter_map(readme) {
        let name = file.trim_start_matches("benchmarks/").trim_end_matches("/README.md");
        pages.push(markdown(&file, &format!("speed/{name}"), "Speed")?);
    }
    let (mut list, mut workloads) = (String::from("# Workloads\n\n"), Vec::new());
    for file in names("benchmarks/workloads", "").iter().filter_map(readme) {
        let name = file.trim_start_matches("benchmarks/workloads/").trim_end_matches("/README.md");
        list += &format!("- [{name}]({name}/README.md)\n");
        workloads.push(markdown(&file, &format!("workloads/{name}"), "Workloads")?);
    }
    let (source, path) = ("benchmarks/workloads/README.md".into(), "workloads/index".into());
    pages.push(Page { source, path, section: "Workloads".into(), text: list, origin: None });
    pages.extend(workloads);
    Ok(pages)
}

fn examples() -> Result<Vec<Page>, Failed> {
    let page = |file: &String| {
        let text = terrace::read_source(Path::new(file))?;
        let text = format!("# {}\n\n```terrace\n{text}```\n", stem(file));
        let path = format!("examples/{}", stem(file));
        Ok(Page { source: file.clone(), path, section: "Examples".into(), text, origin: None })
    };
    names("examples", ".tce").iter().map(page).collect()
}
