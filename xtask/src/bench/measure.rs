//! Terrace and its peers, one after the other, in rounds.
//!
//! ```text
//! round 1   terrace bench …   spmv.plain   spmv.wide   spmv.fast   peers.py       every way, to find the best
//! round 2   terrace bench …   spmv.wide "by rows, gather"          peers.py       the best of each peer
//! ```
//!
//! A number is the least of its rounds: the machine may be shared, and what others do only ever adds time. Results are compared by
//! checksums: those of a peer must be among those of Terrace's result, in order, to nine digits (or to what the peer itself says).

use super::peers::{Peers, UNSAFE, Way, checksum};
use super::process::run;
use super::workload::Case;
use super::{Device, object};
use crate::root;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use terrace_base::Json;

/// How Terrace is called.
pub(crate) struct Terrace {
    pub(crate) binary: PathBuf,
    pub(crate) seconds: f64,
    pub(crate) cache: Option<PathBuf>,
    /// Where it is measured.
    pub(crate) backend: &'static str,
    /// How long a process may take.
    pub(crate) limit: Duration,
}

/// A kernel, how often it was started in one run, and for how many milliseconds it worked.
pub(crate) type Kernel = (String, f64, f64);

impl Terrace {
    /// What `terrace bench` writes about a case.
    pub(crate) fn bench(&self, case: &Case, sizes: &[i64], more: &[&str]) -> Result<Json, String> {
        self.bench_on(self.backend, case, sizes, more)
    }

    /// The same on another back end.
    pub(crate) fn bench_on(&self, backend: &str, case: &Case, sizes: &[i64], more: &[&str]) -> Result<Json, String> {
        self.said(backend, case, sizes, more).map(|(json, _)| json)
    }

    /// The kernels of one run, the slowest first. Measuring each disturbs the whole, so these times are good for comparing them with one another.
    pub(crate) fn kernels(&self, case: &Case, sizes: &[i64]) -> Vec<Kernel> {
        let said = self.said(self.backend, case, sizes, &["--repeat", "1", "--stats"]);
        let mut all: Vec<Kernel> = said.iter().flat_map(|(_, out)| out.lines().filter_map(kernel)).collect();
        all.sort_by(|a, b| b.2.total_cmp(&a.2));
        all
    }

    /// What is written, and what is printed. Several processes may do this at once.
    fn said(&self, backend: &str, case: &Case, sizes: &[i64], more: &[&str]) -> Result<(Json, String), String> {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let out = root().join(format!("target/bench/terrace-{}-{call}.json", std::process::id()));
        let mut command = Command::new(&self.binary);
        command.current_dir(root()).arg("bench").arg(&case.program);
        command.args(["--entry", &case.entry, "--from", &case.maker]).args(sizes.iter().map(i64::to_string));
        command.args(["--backend", backend, "--seconds", &self.seconds.to_string(), "--json"]).arg(&out);
        command.args(&case.options).args(more);
        if let Some(cache) = &self.cache {
            command.env("TERRACE_CACHE", cache);
        }
        let said = run(&mut command, self.limit);
        if let Some(why) = said.failed {
            let _ = std::fs::remove_file(&out);
            return Err(why);
        }
        let text = std::fs::read_to_string(&out).map_err(|why| format!("{}: {why}", out.display()))?;
        let _ = std::fs::remove_file(&out);
        Ok((Json::parse(&text)?, said.out))
    }
}

/// `  k_spmv_reduce_total      1 launches      0.006 ms`.
fn kernel(line: &str) -> Option<Kernel> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [name, count, "launches", time, "ms"] => Some((name.to_string(), count.parse().ok()?, time.parse().ok()?)),
        _ => None,
    }
}

/// What was measured of one case at one size.
pub(crate) struct Record {
    pub(crate) case: Case,
    pub(crate) sizes: Vec<i64>,
    /// What `terrace bench` wrote in the last round, with the least times of all rounds; or why it failed.
    pub(crate) ours: Result<Json, String>,
    pub(crate) ways: Vec<Way>,
    pub(crate) failures: Vec<String>,
    pub(crate) left_out: Vec<String>,
    pub(crate) device: Device,
}

impl Record {
    pub(crate) fn ours(&self, name: &str) -> Option<f64> {
        self.ours.as_ref().ok().and_then(|o| o.at(name).number())
    }

    /// The least traffic: as the case states it, or the arguments and the result as Terrace counted them.
    pub(crate) fn bytes(&self) -> Option<f64> {
        self.case.bytes.as_ref().map(|b| b.at(&self.sizes)).or_else(|| self.ours("moved_bytes"))
    }

    /// The fastest way of a peer.
    pub(crate) fn best(&self, peer: &str) -> Option<&Way> {
        let time = |w: &Way| w.time(self.device);
        self.ways.iter().filter(|w| w.is(peer)).min_by(|a, b| time(a).total_cmp(&time(b)))
    }

    /// How fast Terrace is beside a peer.
    pub(crate) fn ratio(&self, peer: &str) -> Option<f64> {
        Some(self.best(peer)?.time(self.device) / self.time()?)
    }

    /// The time of Terrace that counts.
    pub(crate) fn time(&self) -> Option<f64> {
        self.ours(self.device.time())
    }

    /// All results are the same.
    pub(crate) fn agrees(&self) -> bool {
        self.ours.is_ok() && self.ways.iter().all(|w| w.agrees)
    }

    /// Nothing failed, and there was something to compare with.
    pub(crate) fn whole(&self) -> bool {
        self.agrees() && self.failures.is_empty() && !self.ways.is_empty()
    }

    /// Says what is wrong.
    pub(crate) fn tell(&self) {
        self.ours.as_ref().err().into_iter().chain(&self.failures).for_each(|why| println!("  FAILED {why}"));
        for way in self.ways.iter().filter(|way| !way.agrees && self.ours.is_ok()) {
            println!("  NOT AGREED {} ({}): {:?}", way.label(), way.flags, way.checksums);
        }
        self.left_out.iter().for_each(|what| println!("  left out: {what}"));
    }

    pub(crate) fn json(&self) -> Json {
        let ours = match &self.ours {
            Ok(Json::Object(members)) => {
                let kept = members.iter().filter(|(name, _)| name != "times_ms" && name != "timings_ms");
                Json::Object(kept.cloned().collect())
            }
            Ok(other) => other.clone(),
            Err(why) => Json::Object(vec![("failed".to_string(), why.as_str().into())]),
        };
        object([
            ("case", Json::from(self.case.name.as_str())),
            ("sizes", self.sizes.iter().map(|s| *s as f64).collect::<Vec<f64>>().into()),
            ("bytes", self.bytes().map_or(Json::Null, Json::from)),
            ("work", self.case.work.at(&self.sizes).into()),
            ("agrees", self.agrees().into()),
            ("wants", self.wants(|peer| self.ratio(peer))),
            ("terrace", ours),
            ("peers", Json::List(self.ways.iter().map(Way::json).collect())),
            ("failures", self.failures.iter().map(String::as_str).collect::<Vec<&str>>().into()),
            ("left_out", self.left_out.iter().map(String::as_str).collect::<Vec<&str>>().into()),
        ])
    }
}

impl Record {
    /// What is wanted, and what is reached of it.
    pub(crate) fn wants(&self, reached: impl Fn(&str) -> Option<f64>) -> Json {
        let wants = if self.device == Device::Cpu { &self.case.wants } else { &self.case.gpu_wants };
        let one = |(peer, least): &(String, f64)| {
            object([
                ("peer", Json::from(peer.as_str())),
                ("at_least", (*least).into()),
                ("reached", reached(peer).map_or(Json::Null, Json::from)),
            ])
        };
        Json::List(wants.iter().map(one).collect())
    }
}

/// Measures one case at one size.
pub(crate) fn measure(terrace: &Terrace, peers: &Peers, case: &Case, sizes: &[i64], rounds: usize) -> Record {
    measure_ways(terrace, peers, case, sizes, rounds, None)
}

/// The same with some ways of the peers only.
pub(crate) fn measure_ways(
    terrace: &Terrace,
    peers: &Peers,
    case: &Case,
    sizes: &[i64],
    rounds: usize,
    only: Option<&[Way]>,
) -> Record {
    let mut record = Record {
        case: case.clone(),
        sizes: sizes.to_vec(),
        ours: Err("not run".to_string()),
        ways: Vec::new(),
        failures: Vec::new(),
        left_out: Vec::new(),
        device: peers.device,
    };
    for round in 0..rounds {
        let found = terrace.bench(case, sizes, &["--checksum"]);
        record.ours = match (record.ours, found) {
            (Ok(old), Ok(new)) => Ok(better(&old, new)),
            (Ok(_), Err(why)) | (Err(_), Err(why)) => Err(why),
            (Err(_), Ok(new)) => Ok(new),
        };
        let chosen = (round > 0).then(|| best_ways(case, &record.ways));
        let found = peers.measure(case, sizes, only.or(chosen.as_deref()));
        record.failures.extend(found.failures);
        record.left_out.extend(found.left_out);
        for way in found.ways {
            let same = |w: &&mut Way| w.label() == way.label() && w.flags == way.flags;
            match record.ways.iter_mut().find(same) {
                Some(old) => {
                    old.median = old.median.min(way.median);
                    old.least = old.least.min(way.least);
                }
                None => record.ways.push(way),
            }
        }
        if record.ours.is_err() {
            break;
        }
    }
    record.left_out.sort();
    record.left_out.dedup();
    if let Ok(ours) = &record.ours {
        let sums = checksums(ours);
        record.ways.iter_mut().for_each(|w| w.agrees = agree(&sums, &w.checksums, w.tolerance.max(case.tolerance)));
        leave_out_unsafe(&mut record);
    }
    record
}

/// A way whose result is right, and another one with flags that allow the C compiler to change results, is no peer with these flags.
fn leave_out_unsafe(record: &mut Record) {
    let right: Vec<String> = record.ways.iter().filter(|w| w.agrees).map(Way::label).collect();
    let changed = |w: &Way| !w.agrees && w.flags == UNSAFE && right.contains(&w.label());
    let told =
        record.ways.iter().filter(|w| changed(w)).map(|w| format!("{}: `-ffast-math` changes its result", w.label()));
    record.left_out.extend(told.collect::<Vec<_>>());
    record.ways.retain(|w| !changed(w));
}

/// Of each peer and kind of way (what stands before a comma), the fastest.
fn best_ways(case: &Case, ways: &[Way]) -> Vec<Way> {
    let kind = |w: &Way| w.label().split(',').next().unwrap_or_default().to_string();
    let mut best: Vec<Way> = Vec::new();
    for way in ways {
        match best.iter_mut().find(|b| kind(b) == kind(way)) {
            Some(old) if way.least < old.least => *old = way.clone(),
            Some(_) => {}
            None => best.push(way.clone()),
        }
    }
    // Ways far behind the best of their peer are not worth another round, unless something is wanted of them.
    let ahead = |w: &Way| ways.iter().filter(|o| o.peer == w.peer).all(|o| w.least < 1.5 * o.least);
    best.retain(|w| ahead(w) || case.wants.iter().any(|(peer, _)| peer.contains(':') && w.is(peer)));
    best
}

/// The later of two rounds, with each time at its least.
fn better(old: &Json, new: Json) -> Json {
    let Json::Object(members) = new else { return new };
    let least = |(name, value): (String, Json)| {
        let value = match (name.ends_with("_ms"), old.at(&name).number(), value.number()) {
            (true, Some(before), Some(now)) => Json::Number(before.min(now)),
            _ => value,
        };
        (name, value)
    };
    Json::Object(members.into_iter().map(least).collect())
}

pub(crate) fn checksums(ours: &Json) -> Vec<[f64; 3]> {
    ours.at("checksums").list().iter().map(checksum).collect()
}

/// Whether the peer's checksums are among ours, in order. Ours also has row offsets and lengths.
pub(crate) fn agree(ours: &[[f64; 3]], peer: &[[f64; 3]], tolerance: f64) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= tolerance * a.abs().max(b.abs()) + 1e-9;
    let mut rest = ours.iter();
    !peer.is_empty() && peer.iter().all(|p| rest.any(|o| o.iter().zip(p).all(|(a, b)| near(*a, *b))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_agree_in_order() {
        let ours = [[4.0, 6.0, 20.0], [3.0, 1.5, 3.25], [3.0, 9.0, 18.0]];
        let same = |peer: &[[f64; 3]]| agree(&ours, peer, 1e-9);
        assert!(same(&ours[1..]) && same(&ours[2..]) && same(&ours));
        assert!(!same(&[ours[2], ours[1]]), "the other way round");
        assert!(!same(&[[3.0, 1.5, 3.26]]) && !same(&[[2.0, 1.5, 3.25]]) && !same(&[]));
        assert!(!same(&[[3.0, f64::NAN, 3.25]]));
        assert!(agree(&ours, &[[3.0, 1.5, 3.26]], 1e-2));
    }

    #[test]
    fn only_unsafe_flags_may_change_a_result() {
        let way = |flags: &str, agrees| Way {
            peer: "c".to_string(),
            way: "a loop".to_string(),
            flags: flags.to_string(),
            median: 1.0,
            least: 1.0,
            held: None,
            checksums: Vec::new(),
            tolerance: 0.0,
            agrees,
        };
        let check = |ways: Vec<Way>, kept: usize| {
            let mut record = Record {
                case: super::super::workload::cases().expect("cases").remove(0),
                sizes: Vec::new(),
                ours: Err(String::new()),
                ways,
                failures: Vec::new(),
                left_out: Vec::new(),
                device: Device::Cpu,
            };
            let before = record.ways.len();
            leave_out_unsafe(&mut record);
            assert_eq!((record.ways.len(), record.left_out.len()), (kept, before - kept));
        };
        check(vec![way("plain", true), way("fast", false)], 1);
        check(vec![way("plain", true), way("fast", true)], 2);
        check(vec![way("plain", true), way("wide", false)], 2);
        check(vec![way("plain", false), way("fast", false)], 2);
    }

    #[test]
    fn kernels_are_lines_with_launches() {
        let found = kernel("  k_spmv_reduce_total                          3 launches      0.006 ms");
        assert_eq!(found, Some(("k_spmv_reduce_total".to_string(), 3.0, 0.006)));
        assert_eq!(kernel("  launches 1, host reads 0, allocations 2, peak 64656 bytes"), None);
    }

    #[test]
    fn times_are_the_least_of_the_rounds() {
        let parse = |text: &str| Json::parse(text).expect("JSON");
        let old = parse(r#"{"median_ms": 2, "launches": 3, "least_ms": 1}"#);
        let new = parse(r#"{"median_ms": 1.5, "launches": 4, "least_ms": 1.25}"#);
        assert_eq!(better(&old, new), parse(r#"{"median_ms": 1.5, "launches": 4, "least_ms": 1}"#));
    }
}
