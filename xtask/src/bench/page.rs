//! `benchmarks/README.md`, its tables and its plots, from the JSON that is kept: nothing on the page was typed in.
//!
//! ```text
//! benchmarks/results/cpu.json, cuda.json      benchmarks/README.md, benchmarks/results/cpu-ratio.svg, …
//! ```
//!
//! A case is lost where its best peer is more than 5 percent faster, which is about what two runs of one program differ by. Every lost case has a sentence on what bounds it
//! (`bound` or `gpu_bound` in its `workload.json`, of the case or of the whole workload). A page that lacks one is written, says so in plain sight, and the command fails with the
//! names of the files and members that are wanted.

use super::Device;
use super::plot::{Bar, Curves, bars, parts, pictures};
use super::suite::{kept, save};
use super::table::{laid_out, ms, two};
use super::workload::{Case, cases};
use crate::root;
use std::collections::BTreeSet;
use std::path::Path;
use terrace_base::Json;

/// Below this a case is lost.
pub(crate) const EQUAL: f64 = 0.95;

const HEAD: &str = "# Speed

*This page is written by `cargo xtask bench --device cpu --keep` and `--device cuda --keep`, from the JSON in `results`; `cargo xtask bench --page` writes it again without measuring.*

Each folder of [`workloads`](workloads) has a program in Terrace as a user would write it, the same by hand in C with OpenMP or in CUDA, the same with the libraries that a user of Python would choose, a reference in plain Python that is written from the
definition, and a page. The command checks that all back ends give what the reference gives, at small sizes; measures Terrace and the peers in turn, in the same run, at sizes that take milliseconds to seconds; and compares their results.

```
cargo xtask bench --device cpu                   # builds, checks, measures, prints the table; JSON and plots are in target/bench
cargo xtask bench --device cpu --quick           # only checks: every back end and the C peers at small sizes
cargo xtask bench --device cpu --only spmv,sort --rounds 5 --scaling
cargo xtask bench --device cuda                  # on a machine with a GPU, nvcc, CuPy and PyTorch
```

Where there is no Rust, the two binaries are enough: `TERRACE_BIN=./terrace ./xtask bench --device cuda --backends none --seconds 0.15 --budget 500 --keep`, from the repository's root. JSON is written after every case, so that a run may be ended at any time; `--missing` does the cases that `results` has no time of.

- **ratio** is the time of the best peer over the time of Terrace: above 1, Terrace is faster. All ways of all peers compete, C with three sets of flags. On a CPU the time is the least, because others may use the machine too; on a GPU it is the median of runs by device events, with all data on the device.
- **of limit** is the time that the machine needs at least, over Terrace's: the bytes that must move (inputs once, outputs once) at the pace of the fastest copy or read in the same run, or the floating-point operations at the pace of multiply-adds in registers, whichever takes
  longer. Data that fit a cache, or that were left there by the run before, can be above 1.
- **compile** is from source to loaded code with an empty cache, **start** a whole process whose kernels are in the cache. On a GPU everything is compiled before, side by side, and *compile* is the time in that crowd; **launches** are those of one run, and **reads** how often the host waits for a number of the device.
- **lines** are those of code, without blank lines and comments, of the whole file: with the formulas that make the data, on both sides. *Python* is all peers in Python together.

Below each table stands, for every case whose best peer is more than 5 percent faster, what bounds it (`bound` and `gpu_bound` in its `workload.json`), or that nobody has said it yet; then what failed, and what peers say they cannot do.
";

/// The page and its plots. An error names the lost cases without a sentence.
pub(crate) fn write() -> Result<(), String> {
    let all = cases()?;
    let mut out = HEAD.to_string();
    let mut silent = Vec::new();
    for (name, title) in [("cpu", "CPU"), ("cuda", "GPU")] {
        let Ok(json) = kept(name) else { continue };
        if json.at("limit") == &Json::Null {
            continue;
        }
        plots(&json, &root().join("benchmarks/results"))?;
        let (text, without) = section(title, &json, &all);
        out += &text;
        silent.extend(without);
    }
    save(&root().join("benchmarks/README.md"), &out)?;
    if silent.is_empty() {
        Ok(())
    } else {
        Err(format!("slower than the best peer, and no sentence on what bounds it:\n  {}", silent.join("\n  ")))
    }
}

fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    json.at(name).text().unwrap_or_default()
}

/// A device's part of the page, and the lost cases that nothing is said about.
fn section(title: &str, json: &Json, all: &[Case]) -> (String, Vec<String>) {
    let list = json.at("cases").list();
    let ratios: Vec<f64> = list.iter().filter_map(|c| c.at("ratio").number()).collect();
    let won = ratios.iter().filter(|r| **r >= EQUAL).count();
    let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
    let apart: Vec<String> = list.iter().filter(|c| c.at("agrees") != &Json::Bool(true)).map(apart).collect();
    let limit = json.at("limit");
    let giga = |name: &str| limit.at(name).number().unwrap_or(f64::NAN) / 1e9;
    let mut out = format!(
        "\n## {title}\n\n{}, {}. Memory at most {:.0} GB/s; {:.0} Gflop/s in single, {:.0} in double precision.\n\n\
         {} cases; {} have a peer. Terrace is as fast as the best peer (within 5 percent) or faster in {won}, slower in {}; the geometric mean of the ratios is {}. {}\n\n",
        text(json, "machine"),
        dates(json),
        giga("bytes_per_second"),
        giga("f32_per_second"),
        giga("f64_per_second"),
        list.len(),
        ratios.len(),
        ratios.len() - won,
        two(mean),
        if apart.is_empty() { "All results agree.".to_string() } else { format!("NOT AGREED: {}.", apart.join(", ")) },
    );
    out += &table(json);
    out += &wanted(list, if text(json, "device") == Device::Cpu.name() { "wants" } else { "gpu_wants" });
    let name = text(json, "device");
    for plot in ["ratio", "limit", "sizes", "threads", "compile"] {
        if root().join(format!("benchmarks/results/{name}-{plot}.svg")).exists() {
            out += &format!("\n![{plot}](results/{name}-{plot}.svg)\n");
        }
    }
    let (losses, silent) = losses(json, all);
    if !losses.is_empty() {
        out += &format!("\n### What bounds the cases that are slower\n\n{losses}");
    }
    out += &not_measured(list);
    (out, silent)
}

/// When the cases were measured: the day, or the first and the last one.
fn dates(json: &Json) -> String {
    let day = |case: &Json| case.at("date").text().unwrap_or_else(|| text(json, "date")).to_string();
    let days: BTreeSet<String> = json.at("cases").list().iter().map(day).collect();
    match (days.first(), days.last()) {
        (Some(first), Some(last)) if first != last => format!("measured from {first} to {last}"),
        (Some(day), _) => day.clone(),
        _ => text(json, "date").to_string(),
    }
}

/// A case whose results differ, and which peers are apart.
fn apart(case: &Json) -> String {
    let ways = case.at("peers").list().iter().filter(|way| way.at("agrees") == &Json::Bool(false));
    let names: Vec<String> = ways.map(|way| format!("{}: {}", text(way, "peer"), text(way, "way"))).collect();
    match names.as_slice() {
        [] => text(case, "case").to_string(),
        names => format!("{} ({})", text(case, "case"), names.join(", ")),
    }
}

/// Peers that failed, and what they say they cannot do; cases with the same list are in one line.
fn not_measured(list: &[Json]) -> String {
    let mut all: Vec<(String, Vec<&str>)> = Vec::new();
    for case in list {
        let failed = case.at("failures").list().iter().filter_map(Json::text).map(|why| format!("FAILED {why}"));
        let left_out = case.at("left_out").list().iter().filter_map(Json::text).map(String::from);
        for why in failed.chain(left_out) {
            match all.iter_mut().find(|(w, _)| *w == why) {
                Some((_, names)) => names.push(text(case, "case")),
                None => all.push((why, vec![text(case, "case")])),
            }
        }
    }
    let lines: String = all.iter().map(|(why, names)| format!("- **{}**: {why}\n", names.join(", "))).collect();
    if lines.is_empty() { lines } else { format!("\n### Peers that are not in the table\n\n{lines}") }
}

/// Lost cases, the worst first, cases of one workload with the same sentence in one line; and where a sentence must be written.
fn losses(json: &Json, all: &[Case]) -> (String, Vec<String>) {
    let on_cpu = text(json, "device") == Device::Cpu.name();
    let (mut said, mut silent): (Vec<Said>, Vec<String>) = (Vec::new(), Vec::new());
    let mut without: Vec<String> = Vec::new();
    let ratio = |case: &Json| case.at("ratio").number().filter(|r| *r < EQUAL);
    let mut lost: Vec<(&Json, f64)> = json.at("cases").list().iter().filter_map(|c| Some((c, ratio(c)?))).collect();
    lost.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (case, ratio) in lost {
        let name = text(case, "case");
        let now = all.iter().find(|c| c.name == name);
        let sentence = now.and_then(|c| if on_cpu { c.bound.as_deref() } else { c.gpu_bound.as_deref() });
        let beside = format!("**{name}** ({} of {}{})", two(ratio), text(case, "best_peer"), evidence(case));
        let Some(sentence) = sentence else {
            let (file, member) =
                (now.map(|c| c.folder.join("workload.json")), if on_cpu { "bound" } else { "gpu_bound" });
            silent.push(format!("{}: `{member}`: {}", file.unwrap_or_default().display(), beside.replace("**", "")));
            without.push(beside);
            continue;
        };
        match said.iter_mut().find(|s| s.workload == text(case, "workload") && s.sentence == sentence) {
            Some(other) => other.cases.push(beside),
            None => said.push(Said { workload: text(case, "workload"), sentence, cases: vec![beside] }),
        }
    }
    let mut out: String = said.iter().map(|s| format!("- {}: {}\n", s.cases.join(", "), s.sentence)).collect();
    if !without.is_empty() {
        out += &format!("\n**Without a sentence: {}.** These are slower, and nobody has said why.\n\n", without.len());
        without.iter().for_each(|beside| out += &format!("- {beside}\n"));
    }
    (out, silent)
}

/// Lost cases of a workload, and what bounds them.
struct Said<'a> {
    workload: &'a str,
    sentence: &'a str,
    cases: Vec<String>,
}

/// On a GPU: how often the host and the device meet, and which kernel takes most of the time.
fn evidence(case: &Json) -> String {
    let kernels = case.at("kernels");
    let (Some(all), Some(slowest)) = (kernels.at("ms").number(), kernels.at("slowest").list().first()) else {
        return String::new();
    };
    let count = |name: &str| case.at("terrace").at(name).number().unwrap_or(0.0);
    format!(
        "; {} launches, {} reads, {:.0} % of the kernels' time in `{}`",
        count("launches"),
        count("host_reads"),
        100.0 * slowest.at("ms").number().unwrap_or(0.0) / all.max(1e-9),
        text(slowest, "name")
    )
}

/// What was wanted of cases, which stands in this member, and what of it is reached.
fn wanted(list: &[Json], member: &str) -> String {
    let mut rows = vec![["workload", "wanted", "reached", ""].map(String::from).to_vec()];
    for case in list {
        for want in case.at(member).list() {
            let (least, reached) = (want.at("at_least").number().unwrap_or(0.0), want.at("reached").number());
            let of = match text(want, "peer") {
                "limit" => "the limit",
                "strategies" => "the best strategy",
                peer => peer,
            };
            rows.push(vec![
                text(case, "case").to_string(),
                format!("{} of {of}", two(least)),
                reached.map_or("-".to_string(), two),
                match reached {
                    Some(reached) if reached < least => "MISSED".to_string(),
                    _ => String::new(),
                },
            ]);
        }
    }
    if rows.len() == 1 { String::new() } else { format!("\n### What was wanted\n\n{}", laid_out(&rows)) }
}

/// One line per case.
pub(crate) fn table(json: &Json) -> String {
    let on_gpu = text(json, "device") == Device::Cuda.name();
    let head = [
        "workload",
        "terrace ms",
        "best peer",
        "its ms",
        "ratio",
        "of limit",
        "others",
        "lines: Terrace",
        "C, CUDA",
        "Python",
        "compile ms",
        if on_gpu { "launches, reads" } else { "start ms" },
        "agree",
    ];
    let mut rows = vec![head.map(String::from).to_vec()];
    let mut group = "";
    for case in json.at("cases").list() {
        if text(case, "group") != group {
            group = text(case, "group");
            rows.push(vec![format!("**{group}**")]);
        }
        rows.push(row(case, if on_gpu { Device::Cuda } else { Device::Cpu }));
    }
    laid_out(&rows)
}

fn row(case: &Json, device: Device) -> Vec<String> {
    let number = |name: &str, show: fn(f64) -> String| case.at(name).number().map_or("-".to_string(), show);
    let lines = |peer: &str| case.at("lines").at(peer).number().map(|n| n.to_string());
    let ours = case.at("terrace").at(device.time()).number();
    let met = |name: &str| case.at("terrace").at(name).number().map_or("-".to_string(), |n| n.to_string());
    let workload = format!("[{}](workloads/{})", text(case, "case"), text(case, "workload"));
    vec![
        workload,
        ours.map_or("FAILED".to_string(), ms),
        text(case, "best_peer").replace('|', "/"),
        number("best_peer_ms", ms),
        number("ratio", two),
        number("of_limit", two),
        others(case, device.time()),
        lines("terrace").unwrap_or_default(),
        lines("c").or(lines("cuda")).unwrap_or("-".to_string()),
        lines("python").unwrap_or("-".to_string()),
        number("compile_ms", |x| format!("{x:.0}")),
        match device {
            Device::Cpu => number("cached_start_ms", |x| format!("{x:.0}")),
            Device::Cuda => format!("{}, {}", met("launches"), met("host_reads")),
        },
        agree(case),
    ]
}

/// The best of each other peer, as ratios.
fn others(case: &Json, time: &str) -> String {
    let Some(ours) = case.at("terrace").at(time).number() else { return String::new() };
    let mut best: Vec<(&str, f64)> = Vec::new();
    for way in case.at("peers").list() {
        let (peer, least) = (text(way, "peer"), way.at(time).number().unwrap_or(f64::MAX));
        match best.iter_mut().find(|(p, _)| *p == peer) {
            Some((_, old)) => *old = old.min(least),
            None => best.push((peer, least)),
        }
    }
    best.retain(|(peer, _)| !text(case, "best_peer").starts_with(&format!("{peer}: ")));
    best.sort_by(|a, b| a.1.total_cmp(&b.1));
    best.iter().map(|(peer, least)| format!("{peer} {}", two(least / ours))).collect::<Vec<_>>().join(", ")
}

/// Whether peers agree, and on how many back ends the reference's result came out.
fn agree(case: &Json) -> String {
    let checks = case.at("checks").list();
    let fine = checks.iter().filter(|c| c.at("agrees") == &Json::Bool(true)).count();
    let ran = case.at("agrees") == &Json::Bool(true);
    match (ran && fine == checks.len(), checks.len()) {
        (true, 0) if case.at("peers").list().is_empty() => "-".to_string(),
        (true, 0) => "yes".to_string(),
        (true, n) => format!("yes, {n} back ends"),
        (false, _) => "NO".to_string(),
    }
}

/// The plots of one device.
pub(crate) fn plots(json: &Json, folder: &Path) -> Result<(), String> {
    let (device, list) = (text(json, "device"), json.at("cases").list());
    let name = |case: &Json| text(case, "case").to_string();
    let with = |member: &str, note: fn(&Json, f64) -> String| -> Vec<Bar> {
        let values = list.iter().filter_map(|c| Some((c, c.at(member).number()?)));
        values.map(|(c, value)| Bar { name: name(c), value, note: note(c, value) }).collect()
    };
    let put = |plot: &str, svg: String| save(&folder.join(format!("{device}-{plot}.svg")), &svg);
    let ratio =
        with("ratio", |c, r| format!("{} of {}", two(r), text(c, "best_peer").split(':').next().unwrap_or_default()));
    put("ratio", bars("Speed beside the best peer", "the peer is faster", "Terrace is faster", &ratio))?;
    put("limit", parts("Part of the machine's limit", &with("of_limit", |_, part| two(part))))?;
    // In seconds, so that the line in the middle is one of them.
    let compile: Vec<Bar> = with("compile_ms", |_, t| format!("{t:.0} ms"))
        .into_iter()
        .map(|b| Bar { value: b.value / 1e3, ..b })
        .collect();
    put("compile", bars("Seconds from source to loaded code, nothing cached", "", "", &compile))?;
    for (plot, member, at, title) in [
        ("sizes", "sizes_scaling", "work", "Time over work, at growing sizes"),
        ("threads", "threads_scaling", "threads", "Speed over threads, one thread of the faster one is the unit"),
    ] {
        let all: Vec<Curves> = list.iter().filter_map(|c| curves(name(c), c.at(member).list(), at)).collect();
        if !all.is_empty() {
            put(plot, pictures(title, &all))?;
        }
    }
    Ok(())
}

/// Time over work, or speed over threads.
fn curves(name: String, points: &[Json], at: &str) -> Option<Curves> {
    let places: Vec<f64> = points.iter().filter_map(|p| p.at(at).number()).collect();
    let of = |member: &str| points.iter().filter_map(|p| p.at(member).number()).collect::<Vec<f64>>();
    let (ours, theirs) = (of("terrace_ms"), of("c_ms"));
    if places.len() < 2 || ours.len() != places.len() {
        return None;
    }
    let scaled = |times: &[f64]| match at {
        "work" => times.iter().zip(&places).map(|(t, w)| t / w).collect(),
        _ => times.iter().map(|t| 1.0 / t).collect::<Vec<f64>>(),
    };
    Some(Curves { name, ours: scaled(&ours), theirs: scaled(&theirs), at: places })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> Json {
        let text = r#"{"device": "cpu", "machine": "two cores", "date": "2026-01-02", "limit": {"bytes_per_second": 2e10}, "cases": [
            {"case": "saxpy", "workload": "saxpy", "group": "regular", "agrees": true, "ratio": 1.5, "of_limit": 0.8, "best_peer": "c: plain", "best_peer_ms": 15,
             "terrace": {"least_ms": 10}, "peers": [{"peer": "c", "least_ms": 15}, {"peer": "numpy", "least_ms": 40}], "lines": {"terrace": 9, "c": 30},
             "checks": [{"backend": "interp", "agrees": true}]},
            {"case": "unheard of", "workload": "x", "group": "regular", "agrees": false, "ratio": 0.5, "best_peer": "c: fast", "terrace": {"least_ms": 10},
             "peers": [{"peer": "c", "way": "fast", "agrees": false}], "failures": ["peer wide: exit code 1"], "left_out": ["cub: w (too many)"]}]}"#;
        Json::parse(text).expect("JSON")
    }

    #[test]
    fn a_page_shows_wins_and_losses() {
        let (text, silent) = section("CPU", &found(), &[]);
        assert!(text.contains("faster) in 1, slower in 1") || text.contains("or faster in 1, slower in 1"), "{text}");
        assert!(text.contains("NOT AGREED: unheard of (c: fast)."), "{text}");
        assert!(
            text.contains("**Without a sentence: 1.**") && text.contains("- **unheard of** (0.50 of c: fast)\n"),
            "{text}"
        );
        assert_eq!(silent, [": `bound`: unheard of (0.50 of c: fast)"]);
        assert!(
            text.contains("- **unheard of**: FAILED peer wide: exit code 1\n- **unheard of**: cub: w (too many)\n"),
            "{text}"
        );
        assert!(text.contains("| [saxpy](workloads/saxpy) ") && text.contains("| numpy 4.00 "), "{text}");
    }

    #[test]
    fn a_page_says_when_its_cases_were_measured() {
        let check = |cases: &str, wanted: &str| {
            let json = Json::parse(&format!(r#"{{"date": "2026-01-03", "cases": [{cases}]}}"#)).expect("JSON");
            assert_eq!(dates(&json), wanted);
        };
        check(r#"{"date": "2026-01-03"}, {}"#, "2026-01-03");
        check(r#"{"date": "2026-01-03"}, {"date": "2026-01-01"}"#, "measured from 2026-01-01 to 2026-01-03");
        check("", "2026-01-03");
    }

    #[test]
    fn cases_with_one_sentence_are_in_one_line() {
        let case = |name: &str, ratio: f64| {
            format!(r#"{{"case": "trmv {name}", "workload": "trmv", "ratio": {ratio}, "best_peer": "c: x"}}"#)
        };
        let json =
            format!(r#"{{"device": "cpu", "cases": [{}, {}, {}]}}"#, case("a", 0.5), case("b", 0.25), case("c", 0.96));
        let mut all: Vec<Case> = cases().expect("cases").into_iter().take(3).collect();
        for (case, name) in all.iter_mut().zip(["a", "b", "c"]) {
            (case.name, case.bound) = (format!("trmv {name}"), Some("Memory.".to_string()));
        }
        let json = Json::parse(&json).expect("JSON");
        let (text, silent) = losses(&json, &all);
        assert_eq!(
            (text.as_str(), silent.len()),
            ("- **trmv b** (0.25 of c: x), **trmv a** (0.50 of c: x): Memory.\n", 0)
        );
        all[0].bound = None;
        let (text, silent) = losses(&json, &all);
        assert!(text.contains("- **trmv b** (0.25 of c: x): Memory.\n\n**Without a sentence: 1.**"), "{text}");
        assert!(silent[0].ends_with("/workload.json: `bound`: trmv a (0.50 of c: x)"), "{silent:?}");
    }

    #[test]
    fn a_gpu_shows_medians_and_what_was_wanted() {
        let text = r#"{"device": "cuda", "cases": [{"case": "spmv", "workload": "spmv", "group": "g", "agrees": true, "ratio": 0.5, "best_peer": "cub: x",
            "terrace": {"least_ms": 1, "median_ms": 2, "launches": 3, "host_reads": 1}, "peers": [{"peer": "cupy", "least_ms": 9, "median_ms": 8}],
            "wants": [{"peer": "c: by rows", "at_least": 1.4, "reached": 1.5}],
            "gpu_wants": [{"peer": "limit", "at_least": 0.9, "reached": 0.8}, {"peer": "cub", "at_least": 0.4, "reached": 0.5}],
            "kernels": {"count": 2, "ms": 4, "slowest": [{"name": "k", "launches": 1, "ms": 3}]}}]}"#;
        let (shown, _) = section("GPU", &Json::parse(text).expect("JSON"), &[]);
        assert!(shown.contains("| 3, 1 ") && shown.contains("| cupy 4.00 "), "{shown}");
        let lines: Vec<Vec<&str>> = shown.lines().map(|l| l.split('|').map(str::trim).collect()).collect();
        assert!(lines.contains(&vec!["", "spmv", "0.90 of the limit", "0.80", "MISSED", ""]), "{shown}");
        assert!(lines.contains(&vec!["", "spmv", "0.40 of cub", "0.50", "", ""]), "{shown}");
        assert!(shown.contains("; 3 launches, 1 reads, 75 % of the kernels' time in `k`)"), "{shown}");
        assert!(!shown.contains("by rows"), "{shown}");
        let (shown, _) = section("CPU", &Json::parse(&text.replace("cuda", "cpu")).expect("JSON"), &[]);
        assert!(shown.contains("| 1.40 of c: by rows |") && !shown.contains("of the limit |"), "{shown}");
    }

    #[test]
    fn curves_are_time_over_work_and_speed() {
        let points = |text: &str| Json::parse(text).expect("JSON").list().to_vec();
        let sizes = points(r#"[{"work": 10, "terrace_ms": 5, "c_ms": 4}, {"work": 20, "terrace_ms": 20, "c_ms": 8}]"#);
        let one = curves("x".to_string(), &sizes, "work").expect("curves");
        assert_eq!((one.ours, one.theirs), (vec![0.5, 1.0], vec![0.4, 0.4]));
        let threads =
            points(r#"[{"threads": 1, "terrace_ms": 4, "c_ms": 4}, {"threads": 2, "terrace_ms": 2, "c_ms": 4}]"#);
        assert_eq!(curves("x".to_string(), &threads, "threads").expect("curves").ours, [0.25, 0.5]);
        assert!(curves("x".to_string(), &points("[]"), "work").is_none());
    }
}
