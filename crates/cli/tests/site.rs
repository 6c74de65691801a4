//! The documentation as a whole: it builds, its pages are whole, and every link leads somewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use terrace_doc::{Tags, tags};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn terrace(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_terrace")).args(args).current_dir(root()).output().expect("the program starts")
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("terrace-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

/// The files below a folder, by their paths from it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(inside) = folders.pop() {
        for entry in std::fs::read_dir(inside).expect("a readable folder") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is below").to_string_lossy().into_owned();
                found.insert(name, std::fs::read(&path).expect("a readable file"));
            }
        }
    }
    found
}

/// Where a link of a page leads: a file and a place in it.
fn target(page: &str, link: &str) -> (String, String) {
    let (file, place) = link.split_once('#').unwrap_or((link, ""));
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    (if file.is_empty() { page.to_string() } else { parts.join("/") }, place.to_string())
}

/// Everything that is wrong with the pages of a site.
fn mistakes(site: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let (mut wrong, mut pages): (Vec<String>, BTreeMap<&str, Tags>) = (Vec::new(), BTreeMap::new());
    for (name, bytes) in site.iter().filter(|(name, _)| name.ends_with(".html")) {
        match tags(&String::from_utf8_lossy(bytes)) {
            Ok(found) => drop(pages.insert(name, found)),
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    for (page, found) in &pages {
        for link in found.links.iter().filter(|link| !link.contains("://")) {
            let (file, place) = target(page, link);
            let there = place.is_empty() || pages.get(file.as_str()).is_some_and(|tags| tags.ids.contains(&place));
            if !site.contains_key(&file) || !there {
                wrong.push(format!("{page}: {link} leads nowhere"));
            }
        }
    }
    wrong
}

#[test]
fn the_site_is_whole() {
    let out = folder("site");
    let result = terrace(&["doc", "--site", "--out", &out.display().to_string()]);
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
    let site = files(&out);
    let text = |name: &str| String::from_utf8_lossy(site.get(name).unwrap_or_else(|| panic!("no {name}"))).into_owned();
    assert!(site.len() > 100, "only {} files", site.len());
    let wrong = mistakes(&site);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Each kind of page has something that only its maker puts there.
    assert!(text("stages/flat.html").contains("reduce grid [rows_len"), "what the compiler prints");
    assert!(text("errors/index.html").contains("error[T0117]: this match leaves values out"), "a message of a test");
    assert!(text("library/stats.html").contains("id=\"variance\""), "a function of the library");
    assert!(text("tour/01-first-program.html").contains("<span class=\"k\">entry</span> average"), "colours");
    for code in (0..1000).map(|n| format!("T{n:04}")).filter(|code| terrace::explain(code).is_some()) {
        assert!(text("errors/index.html").contains(&format!("id=\"{}\"", code.to_lowercase())), "no {code}");
    }
    std::fs::remove_dir_all(&out).expect("the folder can go");
}

#[test]
fn modules_become_pages() {
    let out = folder("modules");
    let result = terrace(&["doc", "lib", "examples/spmv.tce", "--out", &out.display().to_string()]);
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
    let site = files(&out);
    let wrong = mistakes(&site);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(site.contains_key("lib/stats.html") && site.contains_key("examples/spmv.html"));
    std::fs::remove_dir_all(&out).expect("the folder can go");
}

#[test]
fn missing_pieces_are_noticed() {
    let site = |html: &str| BTreeMap::from([("a/b.html".to_string(), html.as_bytes().to_vec())]);
    assert_eq!(mistakes(&site("<p><a href=\"c.html\">c</a></p>")), ["a/b.html: c.html leads nowhere"]);
    assert_eq!(mistakes(&site("<p id=\"x\"><a href=\"#y\">c</a></p>")), ["a/b.html: #y leads nowhere"]);
    assert_eq!(mistakes(&site("<p id=\"x\"><a href=\"../a/b.html#x\">c</a></p>")), Vec::<String>::new());
    assert_eq!(mistakes(&site("<p>")), ["a/b.html: `p` is not closed"]);
}
