//! The evaluation: every workload checked on every back end, measured beside its peers and beside the machine's limit, written down.
//!
//! ```text
//! check      the reference and every back end at quick sizes
//! measure    Terrace and its peers at full sizes, in rounds; compile time and start; with --scaling sizes and threads
//! write      target/bench/cpu.json; with --keep benchmarks/results/cpu.json, the plots beside it, and benchmarks/README.md
//! ```
//!
//! `--only` with `--keep` replaces the cases that were measured and leaves the others as they are in the file. What a case's object holds is what `page` and `plot` read.

use super::check::{Check, check};
use super::compile::start;
use super::limit::Limit;
use super::lines::lines_of_code;
use super::measure::{Record, Terrace, measure};
use super::peers::Peers;
use super::threads::threads;
use super::workload::Case;
use super::{Device, Wishes, machine, object, page, today, told};
use crate::root;
use std::path::{Path, PathBuf};
use std::time::Instant;
use terrace_base::Json;

/// Back ends of a machine without a GPU, the defining one first.
const BACKENDS: &[&str] = &["interp", "flat", "mem", "c", "cuda-sim", "opencl"];

/// Checks, measures and writes; false where something does not agree.
pub(crate) fn suite(w: &Wishes, cases: &[Case], terrace: &Terrace) -> Result<bool, String> {
    let began = Instant::now();
    let checks = checked(w, cases, terrace)?;
    let good = checks.iter().flatten().all(|c| c.wrong.is_none());
    if w.quick || !good {
        println!(
            "{} cases, {}; {:.0} s",
            cases.len(),
            if good { "all agree" } else { "NOT ALL AGREE" },
            began.elapsed().as_secs_f64()
        );
        return Ok(good);
    }
    let limit = match w.device {
        Device::Cpu => Limit::of_cpu()?,
        Device::Cuda => super::cuda::limit()?,
    };
    println!(
        "at most {:.1} GB/s, {:.0} Gflop/s in single and {:.0} in double precision",
        limit.bytes / 1e9,
        limit.f32 / 1e9,
        limit.f64 / 1e9
    );
    let peers = match w.device {
        Device::Cpu => Peers::prepare(cases, &super::peers::FLAGS[..w.flags], w.python, w.seconds)?,
        Device::Cuda => super::cuda::prepare(cases, w.seconds)?,
    };
    if let Some(why) = peers.without_python().filter(|_| w.python) {
        println!("no Python peers: {why}");
    }
    let mut checks = checks.into_iter();
    let found = told(cases, |case| one(w, case, terrace, &peers, &limit, &checks.next().unwrap_or_default()));
    let good = found.iter().all(|(good, _)| *good);
    let found = found.into_iter().map(|(_, json)| json).collect();
    write(w, &limit, found)?;
    println!("{:.0} s", began.elapsed().as_secs_f64());
    Ok(good)
}

/// The checks of each case. All C peers at quick sizes are among them with `--quick`.
fn checked(w: &Wishes, cases: &[Case], terrace: &Terrace) -> Result<Vec<Vec<Check>>, String> {
    let backends: Vec<&str> = match (w.device, w.backends.as_slice()) {
        (Device::Cpu, []) => BACKENDS.to_vec(),
        (Device::Cuda, []) => vec!["cuda"],
        (_, [none]) if none == "none" => return Ok(Vec::new()),
        (_, some) => some.iter().map(String::as_str).collect(),
    };
    let peers = match w.quick && w.device == Device::Cpu {
        true => Some(Peers::prepare(cases, &super::peers::FLAGS[..1], false, w.seconds)?),
        false => None,
    };
    let mut all = Vec::new();
    for case in cases {
        let began = Instant::now();
        let mut found = check(terrace, case, &backends)
            .unwrap_or_else(|why| vec![Check { backend: "reference".to_string(), wrong: Some(why) }]);
        if let Some(peers) = peers.as_ref().filter(|_| !case.full.is_empty()) {
            let record = measure(terrace, peers, case, &case.quick, 1);
            let apart =
                record.ways.iter().filter(|way| !way.agrees).map(|way| format!("{}: {:?}", way.label(), way.checksums));
            let failed = record.ours.as_ref().err().into_iter().chain(&record.failures).cloned();
            let wrong: Vec<String> = failed.chain(apart).collect();
            found.push(Check { backend: "c peer".to_string(), wrong: (!wrong.is_empty()).then(|| wrong.join("; ")) });
        }
        let names: Vec<&str> = found.iter().filter(|c| c.wrong.is_none()).map(|c| c.backend.as_str()).collect();
        println!("{}: {} agree; {:.1} s", case.name, names.join(", "), began.elapsed().as_secs_f64());
        found
            .iter()
            .filter_map(|c| c.wrong.as_ref().map(|why| (c, why)))
            .for_each(|(c, why)| println!("  NOT AGREED {}: {why}", c.backend));
        all.push(found);
    }
    Ok(all)
}

fn one(w: &Wishes, case: &Case, terrace: &Terrace, peers: &Peers, limit: &Limit, checks: &[Check]) -> (bool, Json) {
    let sizes = match w.device {
        Device::Cpu => &case.full,
        Device::Cuda => &case.gpu,
    };
    let record = measure(terrace, peers, case, sizes, w.rounds);
    record.tell();
    let good = record.ours.is_ok() && record.failures.is_empty() && record.ways.iter().all(|way| way.agrees);
    (good, described(w, &record, terrace, peers, limit, checks))
}

/// Everything about a case.
fn described(w: &Wishes, record: &Record, terrace: &Terrace, peers: &Peers, limit: &Limit, checks: &[Check]) -> Json {
    let case = &record.case;
    let Json::Object(mut members) = record.json() else { return Json::Null };
    let mut add = |name: &str, value: Json| members.push((name.to_string(), value));
    add("title", case.title.as_str().into());
    add("group", case.group.as_str().into());
    add("workload", case.workload().as_str().into());
    let least = limit.least_ms(case, &record.sizes, record.bytes().unwrap_or(0.0));
    add("limit_ms", least.into());
    let best = record.ways.iter().filter(|way| way.agrees).min_by(|a, b| a.least.total_cmp(&b.least));
    if let Some(ours) = record.ours("least_ms") {
        add("of_limit", (least / ours).into());
        if let Some(best) = best {
            add("ratio", (best.least / ours).into());
            add("best_peer", best.label().as_str().into());
            add("best_peer_ms", best.least.into());
        }
    }
    add("checks", Json::List(checks.iter().map(Check::json).collect()));
    add("lines", lines(case));
    let bound = if w.device == Device::Cpu { &case.bound } else { &case.gpu_bound };
    add("bound", bound.as_deref().map_or(Json::Null, Json::from));
    if record.ours.is_ok() {
        let start = start(terrace, case);
        add("compile_ms", start.total().into());
        add("compile_kernels_ms", start.kernels().into());
        add("cached_start_ms", start.cached.into());
    }
    if w.scaling && w.device == Device::Cpu && record.ours.is_ok() {
        add("sizes_scaling", Json::List(sizes(record, terrace, peers, w.rounds)));
        add("threads_scaling", Json::List(threads(terrace, peers, case, record)));
    }
    Json::Object(members)
}

/// Time over work at each size, least first; the last is the one that was measured already.
fn sizes(record: &Record, terrace: &Terrace, peers: &Peers, rounds: usize) -> Vec<Json> {
    let case = &record.case;
    let described = |r: &Record| {
        let ms = |time: Option<f64>| time.map_or(Json::Null, Json::from);
        let c = r.best("c").map(|w| w.least);
        object([("work", case.work.at(&r.sizes).into()), ("terrace_ms", ms(r.ours("least_ms"))), ("c_ms", ms(c))])
    };
    let best: Vec<_> = record.best("c").cloned().into_iter().collect();
    let smaller = case
        .smaller
        .iter()
        .map(|s| described(&super::measure::measure_ways(terrace, peers, case, s, rounds, Some(&best))));
    smaller.chain([described(record)]).collect()
}

/// Lines of the program and of its peers.
fn lines(case: &Case) -> Json {
    let count = |path: PathBuf| {
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        std::fs::read_to_string(&path).map(|text| lines_of_code(&text, &ending) as f64).ok()
    };
    let files = [("c", "peer.c"), ("python", "peers.py"), ("cuda", "gpu.cu")];
    let mut all: Vec<(String, Json)> =
        vec![("terrace".to_string(), count(root().join(&case.program)).unwrap_or(0.0).into())];
    all.extend(files.iter().filter_map(|(peer, file)| Some((peer.to_string(), count(case.file(file)?)?.into()))));
    Json::Object(all)
}

fn write(w: &Wishes, limit: &Limit, found: Vec<Json>) -> Result<(), String> {
    let name = w.device.name();
    let head = |cases: Vec<Json>| {
        object([
            ("device", name.into()),
            (
                "machine",
                match w.device {
                    Device::Cpu => machine(),
                    Device::Cuda => super::cuda::machine(),
                }
                .as_str()
                .into(),
            ),
            ("date", today().as_str().into()),
            ("rounds", (w.rounds as f64).into()),
            ("seconds", w.seconds.into()),
            ("limit", limit.json()),
            ("cases", Json::List(cases)),
        ])
    };
    save(&root().join(format!("target/bench/{name}.json")), &head(found.clone()).lines())?;
    let json = match w.keep {
        false => head(found),
        true => {
            let kept = kept(name).map_or_else(|_| Vec::new(), |old| old.at("cases").list().to_vec());
            let all = head(merged(kept, found));
            save(&root().join(format!("benchmarks/results/{name}.json")), &all.lines())?;
            all
        }
    };
    println!("\n{}", page::table(&json));
    if w.keep { page::write() } else { page::plots(&json, &root().join("target/bench")) }
}

/// What is kept of a device.
pub(crate) fn kept(name: &str) -> Result<Json, String> {
    let path = root().join(format!("benchmarks/results/{name}.json"));
    let text = std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    Json::parse(&text).map_err(|why| format!("{}: {why}", path.display()))
}

/// The new cases in the places of the old ones, which otherwise stay.
fn merged(old: Vec<Json>, new: Vec<Json>) -> Vec<Json> {
    let name = |json: &Json| json.at("case").text().unwrap_or_default().to_string();
    // What an earlier form of this command wrote has no group.
    let mut all: Vec<Json> =
        old.into_iter().filter(|o| o.get("group").is_some() && new.iter().all(|n| name(n) != name(o))).collect();
    all.extend(new);
    all.sort_by_key(|json| (json.at("group").text().unwrap_or_default().to_string(), name(json)));
    all
}

/// Writes a file and says so.
pub(crate) fn save(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|why| format!("{}: {why}", path.display()))?;
    println!("wrote {}", path.strip_prefix(root()).unwrap_or(path).display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_cases_replace_old_ones() {
        let case = |text: &str| Json::parse(text).expect("JSON");
        let old = vec![
            case(r#"{"case": "b", "group": "g", "x": 1}"#),
            case(r#"{"case": "c", "group": "g"}"#),
            case(r#"{"case": "d"}"#),
        ];
        let new = vec![case(r#"{"case": "b", "group": "g", "x": 2}"#), case(r#"{"case": "a", "group": "h"}"#)];
        let all = merged(old, new);
        let shown: Vec<String> =
            all.iter().map(|j| format!("{}{}", j.at("case").text().unwrap_or_default(), j.at("x"))).collect();
        assert_eq!(shown, ["b2", "cnull", "anull"]);
    }
}
