//! What is measured: a folder of `benchmarks/workloads` per workload, with one or more cases.
//!
//! ```text
//! benchmarks/workloads/spmv/workload.json      {"title": …, "group": …, "cases": [{"name": "power", …}, …]}
//!                           spmv.tce           entry `spmv` of what the maker `power` makes from the sizes
//!                           peer.c             the same by hand: `peer power 1000000 140000`
//!                           peers.py           the same with Python's libraries
//!                           reference.py       the same in plain Python, written from the definition: `reference.py power 500 300`
//!                           README.md          a page
//! ```
//!
//! | member of a case | what it says |
//! | --- | --- |
//! | `name` | shown behind the folder's name, unless it is the same |
//! | `program` | another program of the folder, without `.tce` |
//! | `entry`, `maker`, `options` | how Terrace is called |
//! | `words`, `gpu_words` | what the peers are given before the sizes; a word is no whole number. `python: false` where peers.py has nothing |
//! | `quick`, `full`, `gpu` | sizes: for the interpreter, for a CPU, for a GPU; a case without `full` runs only on GPUs |
//! | `smaller` | smaller sizes, the least first: with `full` they show how time grows |
//! | `work`, `bytes`, `operations` | formulas over the sizes: what time is divided by; the least traffic, every input read once and every output written once (without it, what `terrace bench` counts); floating-point operations |
//! | `precision` | `"f32"` where operations are in single precision; else they are in double |
//! | `tolerance` | how near results must be, 1e-9 unless stated; of one case or of all |
//! | `wants` | `{"c": 0.95}`: at least so fast beside a peer, or beside a way of it (`"c: by rows"`) |
//! | `gpu_wants` | the same on a GPU; there `"limit"` is the machine's limit, and `"strategies"` the best of all strategies, each of which is measured |
//! | `bound`, `gpu_bound` | a sentence on what bounds it where it is slower than its best peer, on a CPU and on a GPU; of one case or of all |
//!
//! What is not in this table is refused, and so is a file that lacks what it needs; messages name the file and the case.

use super::formula::Formula;
use crate::root;
use std::path::{Path, PathBuf};
use terrace_base::Json;

/// One line of the table.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// `spmv power`.
    pub(crate) name: String,
    /// `power`.
    pub(crate) own_name: String,
    pub(crate) title: String,
    pub(crate) group: String,
    /// Of the repository: `benchmarks/workloads/spmv`.
    pub(crate) folder: PathBuf,
    pub(crate) program: PathBuf,
    pub(crate) entry: String,
    pub(crate) maker: String,
    pub(crate) options: Vec<String>,
    pub(crate) words: Vec<String>,
    pub(crate) gpu_words: Vec<String>,
    pub(crate) python: bool,
    pub(crate) quick: Vec<i64>,
    pub(crate) full: Vec<i64>,
    pub(crate) smaller: Vec<Vec<i64>>,
    pub(crate) gpu: Vec<i64>,
    pub(crate) work: Formula,
    pub(crate) bytes: Option<Formula>,
    pub(crate) operations: Option<Formula>,
    /// Operations are in single precision.
    pub(crate) single: bool,
    pub(crate) tolerance: f64,
    pub(crate) wants: Vec<Want>,
    pub(crate) gpu_wants: Vec<Want>,
    pub(crate) bound: Option<String>,
    pub(crate) gpu_bound: Option<String>,
}

/// A peer, and how fast Terrace must be beside it.
pub(crate) type Want = (String, f64);

impl Case {
    /// The name of its folder.
    pub(crate) fn workload(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// A file of its folder, if it is there.
    pub(crate) fn file(&self, name: &str) -> Option<PathBuf> {
        Some(root().join(&self.folder).join(name)).filter(|p| p.exists())
    }
}

/// All cases, by group and by name.
pub(crate) fn cases() -> Result<Vec<Case>, String> {
    let place = Path::new("benchmarks/workloads");
    let inside = std::fs::read_dir(root().join(place)).map_err(|why| format!("{}: {why}", place.display()))?;
    let mut all = Vec::new();
    for entry in inside.flatten().filter(|e| e.path().is_dir()) {
        all.extend(of_folder(&place.join(entry.file_name()))?);
    }
    all.sort_by_key(|c| (c.group.clone(), c.workload()));
    Ok(all)
}

/// The functions of the standard library, in their order.
pub(crate) fn library() -> Result<Vec<Case>, String> {
    of_folder(Path::new("benchmarks/library"))
}

fn of_folder(folder: &Path) -> Result<Vec<Case>, String> {
    let file = folder.join("workload.json");
    let said = |why: String| format!("{}: {why}", file.display());
    let text = std::fs::read_to_string(root().join(&file)).map_err(|why| said(why.to_string()))?;
    read(folder, &text).map_err(said)
}

const OF_WORKLOADS: &[&str] = &["title", "group", "tolerance", "bound", "gpu_bound", "cases"];
const OF_CASES: &[&str] = &[
    "name",
    "program",
    "entry",
    "maker",
    "options",
    "words",
    "gpu_words",
    "python",
    "quick",
    "full",
    "smaller",
    "gpu",
    "work",
    "bytes",
    "operations",
    "precision",
    "tolerance",
    "wants",
    "gpu_wants",
    "bound",
    "gpu_bound",
];

fn read(folder: &Path, text: &str) -> Result<Vec<Case>, String> {
    let json = Json::parse(text)?;
    let whole = Members { json: &json, place: String::new() };
    whole.only(OF_WORKLOADS)?;
    let of_all = OfAll {
        folder,
        title: whole.text("title")?,
        group: whole.text("group")?,
        tolerance: whole.number("tolerance")?.unwrap_or(1e-9),
        bound: whole.sentence("bound")?,
        gpu_bound: whole.sentence("gpu_bound")?,
    };
    let mut cases: Vec<Case> = Vec::new();
    for (k, json) in json.at("cases").list().iter().enumerate() {
        let own_name = Members { json, place: format!("case {}: ", k + 1) }.text("name")?;
        let of = Members { json, place: format!("case `{own_name}`: ") };
        let case = of.case(own_name, &of_all)?;
        if cases.iter().any(|c| c.name == case.name) {
            return Err(format!("case `{}` stands twice", case.own_name));
        }
        cases.push(case);
    }
    if cases.is_empty() { Err("`cases` is missing or empty".to_string()) } else { Ok(cases) }
}

/// What a workload says about all of its cases.
struct OfAll<'a> {
    folder: &'a Path,
    title: String,
    group: String,
    tolerance: f64,
    bound: Option<String>,
    gpu_bound: Option<String>,
}

/// An object, and where it stands.
struct Members<'a> {
    json: &'a Json,
    place: String,
}

impl Members<'_> {
    fn case(&self, own_name: String, of_all: &OfAll) -> Result<Case, String> {
        self.only(OF_CASES)?;
        let folder = of_all.folder;
        let stem = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = if own_name == stem { stem.clone() } else { format!("{stem} {own_name}") };
        let program = folder.join(format!("{}.tce", self.get("program", Json::text, "a text")?.unwrap_or(&stem)));
        let (quick, full, gpu) = (self.sizes("quick")?, self.sizes("full")?, self.sizes("gpu")?);
        if quick.is_empty() || (full.is_empty() && gpu.is_empty()) {
            return Err(self.wrong("`quick`, and `full` or `gpu`, are needed"));
        }
        let smaller = match self.get("smaller", is_list, "a list")? {
            None => Vec::new(),
            Some(lists) => lists
                .iter()
                .map(|s| sizes(s).ok_or_else(|| self.wrong("`smaller` has lists of whole numbers")))
                .collect::<Result<_, _>>()?,
        };
        if smaller.iter().chain([&full, &gpu]).any(|s| !s.is_empty() && s.len() != quick.len()) {
            return Err(self.wrong("`quick`, `full`, `smaller` and `gpu` have as many sizes each"));
        }
        let formula = |what: &str| match self.get(what, Json::text, "a text")? {
            None => Ok(None),
            Some(text) => {
                Formula::parse(text, quick.len()).map(Some).map_err(|why| self.wrong(&format!("`{what}` {why}")))
            }
        };
        let needed = |what: &str| formula(what)?.ok_or_else(|| self.wrong(&format!("`{what}` is missing")));
        let words = self.texts("words")?.unwrap_or_default();
        let gpu_words = self.texts("gpu_words")?.unwrap_or_else(|| words.clone());
        if let Some(word) = words.iter().find(|w| w.parse::<i64>().is_ok()) {
            return Err(self.wrong(&format!("the word `{word}` looks like a size")));
        }
        let python = |j: &Json| if let Json::Bool(b) = j { Some(*b) } else { None };
        Ok(Case {
            name,
            own_name,
            title: of_all.title.clone(),
            group: of_all.group.clone(),
            folder: folder.to_path_buf(),
            program,
            entry: self.text("entry")?,
            maker: self.text("maker")?,
            options: self.texts("options")?.unwrap_or_default(),
            words,
            gpu_words,
            python: match self.json.get("python") {
                None => true,
                Some(json) => python(json).ok_or_else(|| self.wrong("`python` is true or false"))?,
            },
            work: needed("work")?,
            bytes: formula("bytes")?,
            operations: formula("operations")?,
            single: match self.get("precision", Json::text, "a text")? {
                None | Some("f64") => false,
                Some("f32") => true,
                Some(_) => return Err(self.wrong("`precision` is `f32` or `f64`")),
            },
            quick,
            full,
            smaller,
            gpu,
            tolerance: self.number("tolerance")?.unwrap_or(of_all.tolerance),
            wants: self.wants("wants")?,
            gpu_wants: self.wants("gpu_wants")?,
            bound: self.sentence("bound")?.or_else(|| of_all.bound.clone()),
            gpu_bound: self.sentence("gpu_bound")?.or_else(|| of_all.gpu_bound.clone()),
        })
    }

    fn wrong(&self, why: &str) -> String {
        format!("{}{why}", self.place)
    }

    fn only(&self, names: &[&str]) -> Result<(), String> {
        let Json::Object(members) = self.json else { return Err(self.wrong("this is no object")) };
        match members.iter().find(|(n, _)| !names.contains(&n.as_str())) {
            Some((name, _)) => Err(self.wrong(&format!("`{name}` is not known; there are: {}", names.join(", ")))),
            None => Ok(()),
        }
    }

    fn get<'j, T>(&'j self, name: &str, kind: fn(&'j Json) -> Option<T>, wanted: &str) -> Result<Option<T>, String> {
        match self.json.get(name) {
            None => Ok(None),
            Some(json) => kind(json).map(Some).ok_or_else(|| self.wrong(&format!("`{name}` is no {}", &wanted[2..]))),
        }
    }

    fn text(&self, name: &str) -> Result<String, String> {
        let found = self.get(name, Json::text, "a text")?;
        found.map(String::from).ok_or_else(|| self.wrong(&format!("`{name}` is missing")))
    }

    /// Prose on what bounds a case. It stands at the end of a line of a list, so it has none of its own.
    fn sentence(&self, name: &str) -> Result<Option<String>, String> {
        match self.get(name, Json::text, "a text")? {
            Some(text) if text.ends_with('.') && !text.contains('\n') => Ok(Some(text.to_string())),
            Some(_) => Err(self.wrong(&format!("`{name}` is one line that ends with a full stop"))),
            None => Ok(None),
        }
    }

    fn number(&self, name: &str) -> Result<Option<f64>, String> {
        self.get(name, Json::number, "a number")
    }

    fn texts(&self, name: &str) -> Result<Option<Vec<String>>, String> {
        let Some(items) = self.get(name, is_list, "a list")? else { return Ok(None) };
        let texts: Option<Vec<String>> = items.iter().map(|j| j.text().map(String::from)).collect();
        texts.map(Some).ok_or_else(|| self.wrong(&format!("`{name}` has texts only")))
    }

    fn sizes(&self, name: &str) -> Result<Vec<i64>, String> {
        let Some(json) = self.json.get(name) else { return Ok(Vec::new()) };
        sizes(json).ok_or_else(|| self.wrong(&format!("`{name}` is a list of whole numbers")))
    }

    fn wants(&self, name: &str) -> Result<Vec<Want>, String> {
        let members = match self.json.get(name) {
            None => return Ok(Vec::new()),
            Some(Json::Object(members)) => members,
            Some(_) => return Err(self.wrong(&format!("`{name}` is no object"))),
        };
        let one = |(peer, least): &(String, Json)| least.number().map(|x| (peer.clone(), x));
        let all: Option<Vec<Want>> = members.iter().map(one).collect();
        all.ok_or_else(|| self.wrong(&format!("`{name}` has numbers only")))
    }
}

fn is_list(json: &Json) -> Option<&[Json]> {
    if let Json::List(items) = json { Some(items) } else { None }
}

fn sizes(json: &Json) -> Option<Vec<i64>> {
    is_list(json)?.iter().map(|j| j.number().filter(|x| x.fract() == 0.0).map(|x| x as i64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"title": "T", "group": "g", "tolerance": 1e-6, "bound": "Memory.", "cases": [
        {"name": "power", "entry": "e", "maker": "m", "words": ["power"], "quick": [20, 3], "full": [1000, 3], "smaller": [[200, 3], [500, 3]],
         "work": "s0", "bytes": "8 * s0", "bound": "Launches.", "wants": {"c": 0.95}},
        {"name": "spmv", "program": "other", "entry": "e", "maker": "m", "quick": [4], "gpu": [16], "work": "s0", "bytes": "8", "tolerance": 0.5}]}"#;

    fn wrong(from: &str, to: &str) -> String {
        assert!(GOOD.contains(from), "{from}");
        read(Path::new("benchmarks/workloads/spmv"), &GOOD.replacen(from, to, 1)).err().unwrap_or_default()
    }

    #[test]
    fn a_file_is_read() {
        let cases = read(Path::new("benchmarks/workloads/spmv"), GOOD).expect("two cases");
        let [power, own] = cases.as_slice() else { panic!("two") };
        assert_eq!((power.name.as_str(), own.name.as_str()), ("spmv power", "spmv"));
        assert_eq!(power.program, Path::new("benchmarks/workloads/spmv/spmv.tce"));
        assert_eq!(own.program, Path::new("benchmarks/workloads/spmv/other.tce"));
        assert_eq!(
            (power.tolerance, own.tolerance, power.bytes.as_ref().map(|b| b.at(&power.full))),
            (1e-6, 0.5, Some(8000.0))
        );
        assert_eq!((power.bound.as_deref(), own.bound.as_deref()), (Some("Launches."), Some("Memory.")));
        assert_eq!((power.gpu_bound.as_deref(), own.gpu_bound.as_deref()), (None, None));
        assert_eq!((power.wants.as_slice(), own.full.len()), (&[("c".to_string(), 0.95)][..], 0));
    }

    #[test]
    fn mistakes_are_said() {
        assert_eq!(wrong("\"quick\": [20, 3], ", ""), "case `power`: `quick`, and `full` or `gpu`, are needed");
        assert_eq!(
            wrong("[1000, 3]", "[1000]"),
            "case `power`: `quick`, `full`, `smaller` and `gpu` have as many sizes each"
        );
        assert_eq!(wrong("[1000, 3]", "[1000, 3.5]"), "case `power`: `full` is a list of whole numbers");
        assert_eq!(wrong("\"entry\"", "\"entri\"").split(';').next(), Some("case `power`: `entri` is not known"));
        assert_eq!(wrong("\"entry\": \"e\", ", ""), "case `power`: `entry` is missing");
        assert_eq!(wrong("\"s0\"", "\"s2\""), "case `power`: `work` `s2`: there are 2 sizes");
        assert_eq!(wrong("[\"power\"]", "[\"3\"]"), "case `power`: the word `3` looks like a size");
        assert_eq!(wrong("\"title\": \"T\"", "\"title\": 3"), "`title` is no text");
        assert_eq!(wrong("\"spmv\"", "\"power\""), "case `power` stands twice");
        assert_eq!(wrong("0.95", "\"x\""), "case `power`: `wants` has numbers only");
        assert_eq!(wrong("Launches.", "Launches"), "case `power`: `bound` is one line that ends with a full stop");
        assert_eq!(wrong("{\"title\"", "\"title\""), "expected the end at byte 7");
    }

    #[test]
    fn the_workloads_are_whole() {
        let all = cases().and_then(|all| Ok(all.into_iter().chain(library()?)));
        for case in all.unwrap_or_else(|why| panic!("{why}")) {
            assert!(root().join(&case.program).exists(), "{}", case.program.display());
            let needed =
                if case.full.is_empty() { &["README.md"][..] } else { &["peer.c", "reference.py", "README.md"] };
            needed.iter().for_each(|f| assert!(case.file(f).is_some(), "{} has no {f}", case.workload()));
            let sizes = case.smaller.iter().chain([&case.full]).filter(|s| !s.is_empty());
            let work: Vec<f64> = sizes.map(|s| case.work.at(s)).collect();
            assert!(work.windows(2).all(|w| w[0] < w[1]), "{}: {work:?}", case.name);
            assert!(work.iter().all(|w| case.work.at(&case.quick) < *w), "{}", case.name);
        }
    }
}
