//! `terrace doc`: pages about modules, from their comments.
//!
//! ```text
//! $ terrace doc lib --out pages
//! 13 modules: pages/index.html
//! ```
//!
//! Every module is checked first, so that pages never describe what does not compile. With `--site`, in a checkout of Terrace, the whole
//! documentation is built (`site`). Nothing is written where anything is wrong.

mod site;

use crate::arguments::{Cli, Command};
use crate::commands::{files_of, ir_text};
use crate::output::{Messenger, Verdict, error, print};
use clap::Parser;
use std::path::{Path, PathBuf};
use terrace::{Failed, Program};
use terrace_doc::{Asset, Page, build, module_page};

pub(crate) fn doc(paths: &[PathBuf], out: Option<&Path>, whole_site: bool) -> Result<Verdict, Failed> {
    match (whole_site, paths) {
        (true, []) => return site::site(out.unwrap_or(Path::new("target/site"))),
        (true, _) => {
            error("`--site` builds the documentation of Terrace itself and takes no files\n");
            return Ok(Verdict::Usage);
        }
        (false, []) => {
            error("say which files or folders to describe, as in `terrace doc lib`\n");
            return Ok(Verdict::Usage);
        }
        _ => {}
    }
    let Some(files) = files_of(paths) else { return Ok(Verdict::Usage) };
    let folder = folder_of(&files);
    let mut pages = Vec::new();
    let mut good = true;
    for file in &files {
        match module(file, &folder) {
            Ok(page) => pages.push(page),
            Err(failed) => {
                Messenger::default().failed(&failed);
                good = false;
            }
        }
    }
    if !good {
        return Ok(Verdict::Bad);
    }
    pages.insert(0, contents(&pages));
    let out = out.unwrap_or(Path::new("doc"));
    let live = |_: &str| Err("only the documentation of Terrace itself has `live` blocks".to_string());
    let verdict = write("Modules", &pages, &[], &live, out);
    if verdict == Verdict::Good {
        let s = if files.len() == 1 { "" } else { "s" };
        print(&format!("{} module{s}: {}\n", files.len(), out.join("index.html").display()));
    }
    Ok(verdict)
}

/// The page of a file, once it is checked; its name is seen from a folder.
fn module(file: &Path, folder: &Path) -> Result<Page, Failed> {
    Program::from_file(file)?;
    let text = terrace::read_source(file)?;
    let name = file.strip_prefix(folder).unwrap_or(file).with_extension("");
    let name: Vec<_> = name.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let name = name.join("/");
    // The first page has that name.
    let path = if name == "index" { "index_" } else { name.as_str() };
    let page = module_page(&name, &file.display().to_string(), path, "Modules", &text);
    Ok(page.unwrap_or_else(|_| unreachable!("it was checked")))
}

/// The folder that all files are in, as near to them as possible.
fn folder_of(files: &[PathBuf]) -> PathBuf {
    let mut folders = files.iter().map(|file| file.parent().unwrap_or(Path::new("")));
    let first = folders.next().unwrap_or(Path::new("")).to_path_buf();
    folders.fold(first, |folder, other| {
        folder.components().zip(other.components()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
    })
}

/// The first page: a line for each module.
fn contents(pages: &[Page]) -> Page {
    let row = |page: &Page| {
        let mut lines = page.text.lines().skip(1).filter(|line| !line.is_empty());
        let first = lines.next().filter(|line| !line.starts_with(['|', '#', '`'])).unwrap_or("");
        let sentence = first.split(". ").next().unwrap_or(first).trim_end_matches('.');
        format!("| [{}]({}) | {} |\n", page.path.trim_end_matches('_'), page.source, sentence.replace('|', "\\|"))
    };
    let rows: String = pages.iter().map(row).collect();
    let text = format!("# Modules\n\n| module | what |\n| --- | --- |\n{rows}");
    Page { source: "index".into(), path: "index".into(), section: String::new(), text, origin: None }
}

/// Builds and writes a site; says what is wrong with its pages, or why it cannot be written.
fn write(title: &str, pages: &[Page], assets: &[Asset], live: terrace_doc::Live<'_>, out: &Path) -> Verdict {
    let site = match build(title, pages, assets, live) {
        Ok(site) => site,
        Err(problems) => {
            for problem in problems {
                error(&format!("{problem}\n"));
            }
            return Verdict::Bad;
        }
    };
    let copy = |asset: &Asset| -> Result<(PathBuf, Vec<u8>), (PathBuf, std::io::Error)> {
        let bytes = std::fs::read(&asset.source).map_err(|why| (PathBuf::from(&asset.source), why))?;
        Ok((out.join(&asset.path), bytes))
    };
    let texts = site.files.into_iter().map(|(path, text)| Ok((out.join(path), text.into_bytes())));
    let written = texts.chain(site.assets.iter().map(copy)).try_for_each(|file| {
        let (path, bytes) = file?;
        let folder = path.parent().unwrap_or(out);
        std::fs::create_dir_all(folder).map_err(|why| (folder.to_path_buf(), why))?;
        std::fs::write(&path, bytes).map_err(|why| (path.clone(), why))
    });
    match written {
        Ok(()) => Verdict::Good,
        Err((path, why)) => {
            error(&format!("cannot write `{}`: {why}\n", path.display()));
            Verdict::Bad
        }
    }
}

/// What a command of a `live` block prints: `terrace ir …`, with perhaps `| tail -n N` behind it.
fn live(line: &str) -> Result<String, String> {
    let (command, tail) = match line.split_once(" | tail -n ") {
        Some((command, count)) => (command, Some(count.parse::<usize>().map_err(|why| format!("`{count}`: {why}"))?)),
        None => (line, None),
    };
    let cli = Cli::try_parse_from(command.split_whitespace()).map_err(|why| why.to_string())?;
    let Command::Ir { file, stage, all: false, json: false, how } = cli.command else {
        return Err(format!("`{command}` is not `terrace ir`: nothing else can be live"));
    };
    let text = ir_text(&file, stage, &how).map_err(|failed| failed.render(false))?;
    let lines: Vec<&str> = text.lines().collect();
    let from = tail.map_or(0, |count| lines.len().saturating_sub(count));
    Ok(lines[from..].iter().map(|line| format!("{line}\n")).collect())
}
