//! `cargo xtask bench-library`: functions of the standard library, each alone, beside numpy, scipy or the obvious C.
//!
//! ```text
//! benchmarks/library            one folder in the form of a workload, with one case per function
//! target/bench/library.json     what was measured
//! --keep                        benchmarks/results/library.json, and benchmarks/library/README.md from it
//! ```
//!
//! Results come first: the interpreter and C must give what plain Python gives at small sizes, and every peer must give what Terrace gives at the sizes that are
//! measured. Limits of the machine, plots and compile times are left to `bench`: here a user asks whether a function is worth calling.

use super::measure::{Record, Terrace, measure};
use super::peers::{FLAGS, Peers};
use super::suite::{checked, kept, save};
use super::table::{laid_out, ms, two};
use super::workload::Case;
use super::{Wishes, machine, object, today, told};
use crate::root;
use std::time::Instant;
use terrace_base::Json;

const HEAD: &str = "# The library beside numpy and scipy

*This page is written by `cargo xtask bench-library --keep`, from [`results/library.json`](../results/library.json).*

Each line is one function of the [standard library](../../docs/reference/library.md), called alone by an entry of [`library.tce`](library.tce), beside the function that a user of Python would call ([`peers.py`](peers.py)), and where Python has none, or makes an object
of every part, the obvious loop in C ([`peer.c`](peer.c)). Arguments lie in memory before the clock starts, and results are compared: with plain Python ([`reference.py`](reference.py)) at small sizes, with every peer at these sizes.

```
cargo xtask bench-library             # builds, checks, measures; JSON is in target/bench
cargo xtask bench-library --quick     # only checks
cargo xtask bench-library --only sort,stats --rounds 5
```

Times are the least of all rounds, in milliseconds. *ratio* is that of the fastest peer over that of Terrace: above 1, Terrace is faster. *elements* is the size that the formulas of the data get: for matrices the length of a side, for sparse ones and graphs the number of rows. Terrace, scipy's Fourier transform and numpy's products of matrices use all cores; the other peers use one, because that is what they do.

";

/// Checks, measures and writes; false where something does not agree or has no peer.
pub(crate) fn library(w: &Wishes, cases: &[Case], terrace: &Terrace) -> Result<bool, String> {
    let began = Instant::now();
    let checks = checked(w, cases, terrace)?;
    let good = checks.iter().flatten().all(|c| c.wrong.is_none());
    if w.quick || !good {
        let said = if good { "all agree" } else { "NOT ALL AGREE" };
        println!("{} functions, {said}; {:.0} s", cases.len(), began.elapsed().as_secs_f64());
        return Ok(good);
    }
    let peers = Peers::prepare(cases, &FLAGS[..1], w.python, w.seconds)?;
    if let Some(why) = peers.without_python().filter(|_| w.python) {
        return Err(format!("without numpy and scipy there is nothing to compare with: {why}"));
    }
    let records = told(cases, |case| {
        let record = measure(terrace, &peers, case, &case.full, w.rounds);
        record.tell();
        record
    });
    let json = object([
        ("machine", machine().as_str().into()),
        ("date", today().as_str().into()),
        ("rounds", (w.rounds as f64).into()),
        ("seconds", w.seconds.into()),
        ("cases", Json::List(records.iter().map(Record::json).collect())),
    ]);
    println!("\n{}\n{}; {:.0} s", table(&json), machine(), began.elapsed().as_secs_f64());
    save(&root().join("target/bench/library.json"), &json.lines())?;
    if w.keep {
        save(&root().join("benchmarks/results/library.json"), &json.lines())?;
        page()?;
    }
    Ok(records.iter().all(Record::whole))
}

/// Writes the page from what is kept.
pub(crate) fn page() -> Result<(), String> {
    let json = kept("library")?;
    let text = |name: &str| json.at(name).text().unwrap_or_default().to_string();
    let end = format!("\n{}, {}.\n", text("date"), text("machine"));
    save(&root().join("benchmarks/library/README.md"), &format!("{HEAD}{}{end}", table(&json)))
}

/// One line per function.
fn table(json: &Json) -> String {
    let mut rows = vec![
        ["function", "elements", "Terrace", "fastest peer", "its time", "ratio", "others"].map(String::from).to_vec(),
    ];
    rows.extend(json.at("cases").list().iter().map(row));
    laid_out(&rows)
}

fn row(case: &Json) -> Vec<String> {
    let name = case.at("case").text().unwrap_or_default();
    let size = case.at("sizes").list().first().and_then(Json::number).unwrap_or(0.0);
    let ours = case.at("terrace").at("least_ms").number();
    let ways = case.at("peers").list().iter();
    let mut ways: Vec<(f64, String)> = ways
        .filter_map(|way| {
            let label = format!("{} {}", way.at("peer").text()?, way.at("way").text()?);
            let wrong = if way.at("agrees") == &Json::Bool(true) { "" } else { ", NOT AGREED" };
            Some((way.at("least_ms").number()?, format!("{label}{wrong}")))
        })
        .collect();
    ways.sort_by(|a, b| a.0.total_cmp(&b.0));
    let best = ways.first();
    let ratio = |time: f64| ours.map_or("-".to_string(), |ours| two(time / ours));
    let others: Vec<String> = ways.iter().skip(1).map(|(time, label)| format!("{label} {}", ratio(*time))).collect();
    vec![
        format!("`{}`", name.strip_prefix("library ").unwrap_or(name)),
        size.to_string(),
        ours.map_or("FAILED".to_string(), ms),
        best.map_or("none".to_string(), |(_, label)| label.clone()),
        best.map_or("-".to_string(), |(time, _)| ms(*time)),
        best.map_or("-".to_string(), |(time, _)| ratio(*time)),
        others.join("; "),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_peer_counts() {
        let text = r#"{"cases": [{"case": "library sort", "sizes": [1000], "terrace": {"least_ms": 2}, "peers": [
            {"peer": "numpy", "way": "sort", "least_ms": 8, "agrees": true}, {"peer": "c", "way": "qsort", "least_ms": 5, "agrees": true}]},
            {"case": "library unique", "sizes": [20], "terrace": {"failed": "no"}, "peers": []}]}"#;
        let shown = table(&Json::parse(text).expect("JSON"));
        let rows: Vec<Vec<&str>> = shown.lines().map(|l| l.split('|').map(str::trim).collect()).collect();
        assert_eq!(rows[2], ["", "`sort`", "1000", "2.000", "c qsort", "5.000", "2.50", "numpy sort 4.00", ""]);
        assert_eq!(rows[3], ["", "`unique`", "20", "FAILED", "none", "-", "-", "", ""]);
    }
}
