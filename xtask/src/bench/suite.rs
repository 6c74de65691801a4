//! The evaluation: every workload checked on every back end, measured beside its peers and beside the machine's limit, written down.
//!
//! ```text
//! check      the reference and every back end at quick sizes
//! measure    Terrace and its peers at full sizes, in rounds; compile time and start; with --scaling sizes and threads
//! write      target/bench/cpu.json; with --keep benchmarks/results/cpu.json, the plots beside it, and benchmarks/README.md
//! ```
//!
//! The JSON is written after every case, so that a run that is ended loses nothing but the case it was at. On a GPU everything is compiled first (`warm`), and a case that is slower than its best peer is run once more to see
//! what its kernels take.
//!
//! `--only` with `--keep` replaces the cases that were measured and leaves the others as they are in the file, if they are from the same machine. What a case's object holds is what `page` and `plot` read.

use super::check::{Check, check};
use super::compile::start;
use super::limit::Limit;
use super::lines::lines_of_code;
use super::measure::{Kernel, Record, Terrace, measure};
use super::page::EQUAL;
use super::peers::{Peers, Way, cores, side_by_side};
use super::threads::threads;
use super::warm::{Warmed, warm};
use super::workload::Case;
use super::{Device, Wishes, machine, object, page, today};
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
    let end = began.checked_add(w.budget);
    let (peers, warmed) = match w.device {
        Device::Cpu => (Peers::prepare(cases, &super::peers::FLAGS[..w.flags], w.python, w.seconds)?, Vec::new()),
        Device::Cuda => {
            // Half of the time that is left is for compiling at most.
            let left = w.budget.saturating_sub(began.elapsed());
            warm(terrace, cases, end.map(|end| end - left / 2), || super::cuda::prepare(cases, w.seconds))?
        }
    };
    if let Some(why) = peers.without_python().filter(|_| w.python) {
        println!("no Python peers: {why}");
    }
    let head = Head { device: w.device, keep: w.keep, members: head(w, &limit) };
    let (mut good, mut found) = (true, Vec::new());
    let (mut checks, mut warmed) = (checks.into_iter(), warmed.into_iter());
    for case in cases {
        let (checks, warmed) = (checks.next().unwrap_or_default(), warmed.next());
        if end.is_some_and(|end| Instant::now() >= end) {
            println!("{}: not run, the time is over", case.name);
            continue;
        }
        let started = Instant::now();
        let (fine, json) = one(w, case, terrace, &peers, &limit, (&checks, warmed));
        println!("{}: {:.1} s", case.name, started.elapsed().as_secs_f64());
        good &= fine;
        found.push(json);
        head.save(&found)?;
    }
    let json = head.save(&found)?;
    println!("\n{}{:.0} s", page::table(&json), began.elapsed().as_secs_f64());
    (if w.keep { page::write() } else { page::plots(&json, &root().join("target/bench")) })?;
    Ok(good)
}

/// The checks of each case. All C peers at quick sizes are among them with `--quick`.
pub(crate) fn checked(w: &Wishes, cases: &[Case], terrace: &Terrace) -> Result<Vec<Vec<Check>>, String> {
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
    // Interpreters take one core each; on a GPU, kernels are compiled most of the time.
    let at_once = if w.device == Device::Cpu { 1 } else { cores() };
    Ok(side_by_side(cases, at_once, |case| {
        let began = Instant::now();
        let mut found = check(terrace, case, &backends)
            .unwrap_or_else(|why| vec![Check { backend: "reference".to_string(), wrong: Some(why) }]);
        if let Some(peers) = peers.as_ref().filter(|_| !case.full.is_empty()) {
            let record = measure(terrace, peers, case, &case.quick, 1);
            let apart =
                record.ways.iter().filter(|way| !way.agrees).map(|way| format!("{}: {:?}", way.label(), way.checksums));
            let failed = record.ours.as_ref().err().into_iter().chain(&record.failures).cloned();
            let wrong: Vec<String> = failed.chain(apart).collect();
            let wrong = (!wrong.is_empty()).then(|| wrong.join("; "));
            if wrong.is_some() || !record.ways.is_empty() {
                found.push(Check { backend: "c peer".to_string(), wrong });
            }
        }
        let names: Vec<&str> = found.iter().filter(|c| c.wrong.is_none()).map(|c| c.backend.as_str()).collect();
        println!("{}: {} agree; {:.1} s", case.name, names.join(", "), began.elapsed().as_secs_f64());
        found
            .iter()
            .filter_map(|c| c.wrong.as_ref().map(|why| (c, why)))
            .for_each(|(c, why)| println!("  NOT AGREED {}: {why}", c.backend));
        found
    }))
}

/// What is known of a case before it is measured.
type Before<'a> = (&'a [Check], Option<Warmed>);

fn one(w: &Wishes, case: &Case, terrace: &Terrace, peers: &Peers, limit: &Limit, before: Before) -> (bool, Json) {
    let sizes = match w.device {
        Device::Cpu => &case.full,
        Device::Cuda => &case.gpu,
    };
    // The peers' times are worth having where Terrace failed already.
    let rounds = if matches!(before.1, Some(Err(_))) { 0 } else { w.rounds };
    let mut record = measure(terrace, peers, case, sizes, rounds);
    if let Some(Err(why)) = &before.1 {
        record.ours = Err(why.clone());
        let found = peers.measure(case, sizes, None);
        (record.ways, record.failures, record.left_out) = (found.ways, found.failures, found.left_out);
    }
    record.tell();
    let good = record.agrees() && record.failures.is_empty();
    (good, described(w, &record, terrace, peers, limit, before))
}

/// Everything about a case.
fn described(w: &Wishes, record: &Record, terrace: &Terrace, peers: &Peers, limit: &Limit, before: Before) -> Json {
    let (checks, warmed) = before;
    let case = &record.case;
    let Json::Object(mut members) = record.json() else { return Json::Null };
    let mut add = |name: &str, value: Json| members.push((name.to_string(), value));
    add("title", case.title.as_str().into());
    add("date", today().as_str().into());
    add("group", case.group.as_str().into());
    add("workload", case.workload().as_str().into());
    let least = limit.least_ms(case, &record.sizes, record.bytes().unwrap_or(0.0));
    add("limit_ms", least.into());
    let time = |way: &Way| way.time(w.device);
    let best = record.ways.iter().filter(|way| way.agrees).min_by(|a, b| time(a).total_cmp(&time(b)));
    if let Some(ours) = record.time() {
        add("of_limit", (least / ours).into());
        if let Some(best) = best {
            add("ratio", (time(best) / ours).into());
            add("best_peer", best.label().as_str().into());
            add("best_peer_ms", time(best).into());
        }
        if w.device == Device::Cuda && best.is_none_or(|best| time(best) / ours < EQUAL) {
            add("kernels", kernels(&terrace.kernels(case, &record.sizes)));
        }
        let strategies = strategies(record, terrace);
        let fastest = strategies.iter().map(|(_, ms)| *ms).fold(f64::NAN, f64::min);
        if !strategies.is_empty() {
            add("strategies_ms", Json::Object(strategies.into_iter().map(|(n, ms)| (n, ms.into())).collect()));
        }
        if w.device == Device::Cuda {
            let reached = record.wants(|what| match what {
                "limit" => Some(least / ours),
                "strategies" => Some(fastest / ours),
                peer => record.ratio(peer),
            });
            add("gpu_wants", reached);
        }
    }
    add("checks", Json::List(checks.iter().map(Check::json).collect()));
    add("lines", lines(case, w.device));
    let bound = if w.device == Device::Cpu { &case.bound } else { &case.gpu_bound };
    add("bound", bound.as_deref().map_or(Json::Null, Json::from));
    if let Some(Ok(ms)) = warmed.filter(|w| w.as_ref().is_ok_and(|ms| ms.is_finite())) {
        add("compile_ms", ms.into());
    }
    if w.device == Device::Cpu && record.ours.is_ok() {
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
fn lines(case: &Case, device: Device) -> Json {
    let count = |path: PathBuf| {
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        std::fs::read_to_string(&path).map(|text| lines_of_code(&text, &ending) as f64).ok()
    };
    let files = match device {
        Device::Cpu => [("c", "peer.c"), ("python", "peers.py")],
        Device::Cuda => [("cuda", "gpu.cu"), ("python", "gpu.py")],
    };
    let mut all: Vec<(String, Json)> =
        vec![("terrace".to_string(), count(root().join(&case.program)).unwrap_or(0.0).into())];
    all.extend(files.iter().filter_map(|(peer, file)| Some((peer.to_string(), count(case.file(file)?)?.into()))));
    Json::Object(all)
}

/// The slowest kernels of a run, and how many there are.
fn kernels(all: &[Kernel]) -> Json {
    let total: f64 = all.iter().map(|(_, _, ms)| ms).sum();
    let one = |(name, launches, ms): &Kernel| {
        object([("name", name.as_str().into()), ("launches", (*launches).into()), ("ms", (*ms).into())])
    };
    object([
        ("count", (all.len() as f64).into()),
        ("ms", total.into()),
        ("slowest", Json::List(all.iter().take(4).map(one).collect())),
    ])
}

/// Milliseconds in every strategy, where that is wanted.
fn strategies(record: &Record, terrace: &Terrace) -> Vec<(String, f64)> {
    let wanted = record.device == Device::Cuda && record.case.gpu_wants.iter().any(|(what, _)| what == "strategies");
    let names = if wanted { &["flat", "outer", "block", "seq"][..] } else { &[] };
    let ms = |name: &&str| {
        let json = terrace.bench(&record.case, &record.sizes, &["--strategy", name]).ok()?;
        Some((name.to_string(), json.at(record.device.time()).number()?))
    };
    names.iter().filter_map(ms).collect()
}

/// What stands before the cases.
fn head(w: &Wishes, limit: &Limit) -> Vec<(String, Json)> {
    let machine = match w.device {
        Device::Cpu => machine(),
        Device::Cuda => super::cuda::machine(),
    };
    let members = [
        ("device", w.device.name().into()),
        ("machine", machine.as_str().into()),
        ("date", today().as_str().into()),
        ("rounds", (w.rounds as f64).into()),
        ("seconds", w.seconds.into()),
        ("limit", limit.json()),
    ];
    members.into_iter().map(|(n, v)| (n.to_string(), v)).collect()
}

/// The file, but for its cases.
struct Head {
    device: Device,
    keep: bool,
    members: Vec<(String, Json)>,
}

impl Head {
    /// Writes what was found so far; with `--keep` among what is kept, and gives that.
    fn save(&self, found: &[Json]) -> Result<Json, String> {
        let whole = |cases: Vec<Json>| {
            Json::Object(self.members.iter().cloned().chain([("cases".to_string(), Json::List(cases))]).collect())
        };
        let name = self.device.name();
        let json = whole(found.to_vec());
        put(&root().join(format!("target/bench/{name}.json")), &json.lines())?;
        if !self.keep {
            return Ok(json);
        }
        let all = whole(merged(self.of_this_machine(kept(name).ok()), found.to_vec()));
        put(&root().join(format!("benchmarks/results/{name}.json")), &all.lines())?;
        Ok(all)
    }
}

impl Head {
    /// The cases of an earlier run; times of two machines do not stand in one table.
    fn of_this_machine(&self, kept: Option<Json>) -> Vec<Json> {
        let machine = self.members.iter().find(|(name, _)| name == "machine").map(|(_, machine)| machine);
        let same = kept.filter(|old| Some(old.at("machine")) == machine);
        same.map_or_else(Vec::new, |old| old.at("cases").list().to_vec())
    }
}

/// The cases of a device that have a time in what is kept.
pub(crate) fn measured(device: Device) -> Vec<String> {
    let Ok(json) = kept(device.name()) else { return Vec::new() };
    let timed = json.at("cases").list().iter().filter(|c| c.at("terrace").at("least_ms").number().is_some());
    timed.filter_map(|c| c.at("case").text().map(String::from)).collect()
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

/// Writes a file, all of it or nothing.
fn put(path: &Path, text: &str) -> Result<(), String> {
    let new = path.with_extension("new");
    let done = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, path));
    done.map_err(|why| format!("{}: {why}", path.display()))
}

/// Writes a file and says so.
pub(crate) fn save(path: &Path, text: &str) -> Result<(), String> {
    put(path, text)?;
    println!("wrote {}", path.strip_prefix(root()).unwrap_or(path).display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_machines_are_not_mixed() {
        let head = Head { device: Device::Cpu, keep: true, members: vec![("machine".to_string(), "a".into())] };
        let of =
            |machine: &str| Json::parse(&format!(r#"{{"machine": "{machine}", "cases": [{{"case": "x"}}]}}"#)).ok();
        assert_eq!(head.of_this_machine(of("a")).len(), 1);
        assert_eq!(head.of_this_machine(of("b")).len(), 0);
        assert_eq!(head.of_this_machine(None).len(), 0);
    }

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
