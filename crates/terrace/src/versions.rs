//! The versions of a program's nests: what there is, and the thresholds that choose.
//!
//! A file of thresholds has a line for each that is tuned; everything else keeps its default:
//!
//! ```text
//! # for 64 cores
//! spmv.1.outer 4096
//! spmv.1.balanced 512
//! ```
//!
//! `*` stands for all that are not named: `* 0` takes the first version of every tree.

use crate::backend::{Backend, Settings};
use crate::engine::{Engine, Machine};
use crate::program::{Failed, Program};
use std::collections::BTreeMap;
use std::fmt::Write;
use terrace_base::json::quoted;
use terrace_base::{Diagnostic, SourceMap, Timings, nearest};
use terrace_opt::optimise::choose_versions::{Choice, NestReport, reports};
use terrace_opt::options::{Options, Strategy};
use terrace_plan::threshold::Threshold;

/// Stands for all thresholds that are not named.
const OTHERS: &str = "*";

/// The thresholds that a text states, by name; a message for every line that does not state one.
pub fn thresholds(name: &str, text: &str) -> Result<BTreeMap<String, i64>, Failed> {
    let mut out = BTreeMap::new();
    let mut wrong = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let said = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = said.split_whitespace().collect();
        let mut complain = |why: String| {
            wrong.push(Diagnostic::error("T0708", format!("line {} of `{name}`: {why}", k + 1)));
        };
        match words.as_slice() {
            [] => {}
            [threshold, value] => match value.parse::<i64>() {
                Ok(value) if out.contains_key(*threshold) => {
                    complain(format!("`{threshold}` is stated twice, here as {value}"));
                }
                Ok(value) => {
                    out.insert(threshold.to_string(), value);
                }
                Err(_) => complain(format!("`{value}` is no integer that a threshold could be")),
            },
            _ => complain("a threshold is stated as its name and its value, as in `spmv.1.outer 4096`".to_string()),
        }
    }
    if wrong.is_empty() { Ok(out) } else { Err(Failed::new(wrong, &SourceMap::new())) }
}

/// The thresholds with the values that settings state.
pub(crate) fn tune<'t>(all: impl IntoIterator<Item = &'t mut Threshold>, settings: &Settings) {
    for threshold in all {
        if let Some(value) = settings.thresholds.get(&threshold.name).or(settings.thresholds.get(OTHERS)) {
            threshold.value = *value;
        }
    }
}

impl Engine {
    /// What the guards of the program compare with. The regular bodies of entries have some of their own, under the same names.
    pub fn thresholds(&self) -> Vec<Threshold> {
        match &self.machine {
            Machine::Core(_) => Vec::new(),
            Machine::Flat(p) => p.thresholds.iter().cloned().collect(),
            Machine::Mem(p) => p.thresholds.iter().cloned().collect(),
            Machine::Device(_, loaded) => loaded.plan().thresholds.clone(),
        }
    }

    /// Says so where the settings state a threshold that no body of the program has.
    pub(crate) fn check_thresholds(&self) -> Result<(), Failed> {
        let Some(stated) = Some(&self.settings.thresholds).filter(|t| !t.is_empty()) else { return Ok(()) };
        let mut names: Vec<String> = self.thresholds().into_iter().map(|t| t.name).collect();
        for id in self.regular.keys() {
            let body = self.regular_body(*id)?;
            names.extend(body.into_iter().flat_map(|b| b.thresholds()).map(|t| t.name));
        }
        let mut wrong = Vec::new();
        for name in stated.keys().filter(|name| *name != OTHERS && !names.contains(name)) {
            let report = Diagnostic::error("T0709", format!("the program has no threshold `{name}`"));
            wrong.push(match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => report.hint(format!("did you mean `{near}`?")),
                None => report.hint("`terrace ir --stage versions` lists them"),
            });
        }
        if wrong.is_empty() { Ok(()) } else { Err(Failed::new(wrong, &self.sources)) }
    }
}

impl Program {
    fn nests(&self, backend: Backend, settings: &Settings) -> Result<Vec<NestReport>, Failed> {
        let program = self.without_tests();
        let program = program.for_options(&settings.options);
        let options = Options { target: backend.target(), strategy: Strategy::Auto, ..settings.options.clone() };
        let limit = |d: Box<Diagnostic>| Failed::new(vec![*d], &program.sources);
        let mut timings = Timings::new();
        let flat = program.parallel_flat(&options, &mut timings).map_err(limit)?;
        let mut nests = reports(&flat, &options);
        nests.iter_mut().for_each(|n| retune(&mut n.tree, settings));
        Ok(nests)
    }

    /// Which versions each nest of the entries has, and how one is chosen.
    pub fn versions_text(&self, backend: Backend, settings: &Settings) -> Result<String, Failed> {
        let mut out = String::new();
        for nest in self.nests(backend, settings)? {
            if !out.is_empty() {
                out.push('\n');
            }
            let _ = writeln!(out, "{}   {}", nest.name, nest.operators.join(", "));
            choice(&nest.tree, 1, &mut out);
            for missing in &nest.missing {
                let _ = writeln!(out, "  no {}: {}", missing.version, missing.why);
            }
        }
        if out.is_empty() {
            out.push_str("no nest has more than one version: nothing runs over rows\n");
        }
        Ok(out)
    }

    /// The same as JSON: a list of nests.
    pub fn versions_json(&self, backend: Backend, settings: &Settings) -> Result<String, Failed> {
        let one = |nest: &NestReport| {
            let operators: Vec<String> = nest.operators.iter().map(|o| quoted(o)).collect();
            let missing: Vec<String> = (nest.missing.iter())
                .map(|m| format!("{{\"version\": {}, \"why\": {}}}", quoted(m.version), quoted(&m.why)))
                .collect();
            format!(
                "{{\"nest\": {}, \"operators\": [{}], \"tree\": {}, \"missing\": [{}]}}",
                quoted(&nest.name),
                operators.join(", "),
                choice_json(&nest.tree),
                missing.join(", ")
            )
        };
        let all: Vec<String> = self.nests(backend, settings)?.iter().map(one).collect();
        Ok(format!("[{}]\n", all.join(",\n ")))
    }

    /// For each nest the versions that it lacks, and why.
    pub fn missing_versions(&self, backend: Backend, settings: &Settings) -> Result<String, Failed> {
        let mut out = String::new();
        for nest in self.nests(backend, settings)? {
            for missing in &nest.missing {
                let _ = writeln!(out, "{} has no version {}: {}", nest.name, missing.version, missing.why);
            }
        }
        Ok(out)
    }
}

fn retune(tree: &mut Choice, settings: &Settings) {
    if let Choice::Test { threshold, then, otherwise } = tree {
        tune([threshold], settings);
        retune(then, settings);
        retune(otherwise, settings);
    }
}

fn number(value: i64) -> String {
    if value == Threshold::NEVER { "never".to_string() } else { value.to_string() }
}

fn choice(tree: &Choice, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let _ = match tree {
        Choice::Version(name) => writeln!(out, "{indent}{name}"),
        Choice::Test { threshold, then, otherwise } => {
            let Threshold { name, about, value } = threshold;
            let _ = writeln!(out, "{indent}if {about} >= {name} ({})", number(*value));
            choice(then, depth + 1, out);
            let _ = writeln!(out, "{indent}else");
            choice(otherwise, depth + 1, out);
            Ok(())
        }
    };
}

fn choice_json(tree: &Choice) -> String {
    match tree {
        Choice::Version(name) => quoted(name),
        Choice::Test { threshold, then, otherwise } => format!(
            "{{\"threshold\": {}, \"quantity\": {}, \"value\": {}, \"then\": {}, \"else\": {}}}",
            quoted(&threshold.name),
            quoted(&threshold.about),
            threshold.value,
            choice_json(then),
            choice_json(otherwise)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::thresholds;

    #[test]
    fn files_of_thresholds() {
        let good = thresholds("f", "# none\n\nspmv.1.outer 4096 # tuned\n spmv.1.long -1\n");
        let good = good.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(good.get("spmv.1.outer"), Some(&4096));
        assert_eq!(good.get("spmv.1.long"), Some(&-1));
        let Err(bad) = thresholds("f", "a\nb x\nc 1\nc 2\n") else { panic!("three lines are wrong") };
        assert_eq!(bad.diagnostics.len(), 3, "{bad}");
    }
}
