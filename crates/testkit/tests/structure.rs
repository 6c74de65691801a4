//! What flattening makes of programs: which descriptors their operators run over.
//!
//! ```text
//! tests/structure/spaces.txt        programs that must stay regular, or have closed forms only
//! tests/structure/descriptors.txt   how many different descriptors each program of the corpus has: none should be computed twice
//! ```
//!
//! The second list is a record: `TERRACE_BLESS=1` writes it anew, and the difference is read before it is committed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use terrace::{Backend, Program, Stage, Strategy};
use terrace_ir::FuncId;
use terrace_ir::flat::visit::walk;
use terrace_ir::flat::{self, Descriptor, Expr, Role};
use terrace_testkit::corpus::{programs_below, short_name, side_by_side, tests_folder};
use terrace_testkit::setup::Setup;

fn flat_program(path: &Path) -> Result<flat::Program, String> {
    let setup = Setup::new(Backend::Flat).strategy(Strategy::Flat);
    let program = Program::from_file(path).map_err(|failed| failed.to_string())?;
    let text = program.show(Stage::Flat, setup.backend, &setup.settings).map_err(|failed| failed.to_string())?;
    flat::parse::parse(&text)
}

fn callees(program: &flat::Program, f: FuncId) -> Vec<FuncId> {
    let mut found = Vec::new();
    walk(&program.functions[f].body, &mut |stmt| {
        if let Expr::Call { function, .. } = &stmt.expr {
            found.push(*function);
        }
    });
    found
}

/// The functions that are wanted, and what they call.
fn reachable(program: &flat::Program, wanted: impl Fn(&flat::Function) -> bool) -> BTreeSet<FuncId> {
    let mut open: Vec<FuncId> = program.functions.enumerate().filter(|(_, f)| wanted(f)).map(|(id, _)| id).collect();
    let mut found = BTreeSet::new();
    while let Some(f) = open.pop() {
        if found.insert(f) {
            open.extend(callees(program, f));
        }
    }
    found
}

fn kind(descriptor: &Descriptor) -> &'static str {
    match descriptor {
        Descriptor::Regular(_) => "regular",
        Descriptor::Closed { .. } => "closed",
        Descriptor::PerAncestor { .. } => "per ancestor",
        Descriptor::Irregular { .. } => "irregular",
    }
}

/// The different descriptors that operators of some functions run over, by kind.
fn descriptors(program: &flat::Program, functions: &BTreeSet<FuncId>) -> BTreeMap<&'static str, usize> {
    let mut found: Vec<(FuncId, Descriptor)> = Vec::new();
    for f in functions {
        walk(&program.functions[*f].body, &mut |stmt| {
            for dim in stmt.expr.op().iter().flat_map(|op| &op.space) {
                if !found.iter().any(|(g, d)| g == f && d == dim) {
                    found.push((*f, dim.clone()));
                }
            }
        });
    }
    let mut counts = BTreeMap::new();
    found.iter().for_each(|(_, d)| *counts.entry(kind(d)).or_insert(0) += 1);
    counts
}

#[test]
fn regular_programs_stay_regular() {
    let list = tests_folder().join("structure/spaces.txt");
    let text = std::fs::read_to_string(&list).unwrap_or_else(|why| panic!("{}: {why}", list.display()));
    let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    let wrong = side_by_side(&lines, |line| {
        let (what, wanted) = line.split_once(": ").unwrap_or((line, ""));
        let (file, entry) = what.split_once(' ').unwrap_or((what, ""));
        let program = match flat_program(&tests_folder().join("..").join(format!("{file}.tce"))) {
            Ok(program) => program,
            Err(why) => return Some(format!("{what}: {why}")),
        };
        let functions = reachable(&program, |f| f.role == Role::Entry && f.name == entry);
        let found = descriptors(&program, &functions);
        let other = found.keys().any(|k| *k != "regular" && *k != wanted);
        let missing = functions.is_empty() || !found.contains_key(wanted);
        (other || missing).then(|| format!("{what} should be {wanted}, and has {found:?}"))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!lines.is_empty(), "nothing was looked at");
}

#[test]
fn the_number_of_descriptors_is_as_recorded() {
    let paths = programs_below("corpus");
    let lines = side_by_side(&paths, |path| {
        let name = short_name(path);
        match flat_program(path) {
            Ok(program) => {
                let found = descriptors(&program, &reachable(&program, |f| f.role == Role::Entry));
                let count = |kind: &str| found.get(kind).copied().unwrap_or(0);
                let [regular, closed, ancestor, irregular] =
                    ["regular", "closed", "per ancestor", "irregular"].map(count);
                format!("{name}: {regular} regular, {closed} closed, {ancestor} per ancestor, {irregular} irregular\n")
            }
            // Nothing to record, blessed or not.
            Err(why) => panic!("{name}: {why}"),
        }
    });
    let found = lines.concat();
    let list = tests_folder().join("structure/descriptors.txt");
    if std::env::var_os("TERRACE_BLESS").is_some() {
        std::fs::write(&list, &found).unwrap_or_else(|why| panic!("{}: {why}", list.display()));
    }
    let recorded = std::fs::read_to_string(&list).unwrap_or_default();
    let differ: Vec<String> = found
        .lines()
        .filter(|line| !recorded.lines().any(|old| old == *line))
        .map(|line| {
            let name = line.split(':').next().unwrap_or_default();
            let old = recorded.lines().find(|old| old.split(':').next() == Some(name)).unwrap_or("nothing");
            format!("found    {line}\nrecorded {old}")
        })
        .collect();
    assert!(differ.is_empty(), "{} programs differ\n{}", differ.len(), differ.join("\n"));
}
