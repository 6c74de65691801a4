//! What was measured, for people.
//!
//! ```text
//! | workload | terrace ms | least | GB/s | best C | its ms | of C | wanted | others | memory | agree |
//! | saxpy | 31.2 | 30.8 | 26 | streaming stores, wide | 30.1 | 0.98 | 0.95 of c: yes | numpy 1.9 | 1.00 | yes |
//! ```
//!
//! *of C* is the least time of the best C over Terrace's least: above 1, Terrace is faster. *others* are the other peers in the same sense.
//! *memory* is the most that Terrace held, arguments included, over what the C program holds.

use super::compile::Start;
use super::growth::Growth;
use super::measure::Record;
use std::fmt::Write;

/// One line per case.
pub(crate) fn table(records: &[Record]) -> String {
    let mut rows = vec![
        ["workload", "terrace ms", "least", "GB/s", "best C", "its ms", "of C", "wanted", "others", "memory", "agree"]
            .map(String::from)
            .to_vec(),
    ];
    rows.extend(records.iter().map(row));
    laid_out(&rows)
}

fn row(record: &Record) -> Vec<String> {
    let best = record.best("c");
    let c = best.map_or("none".to_string(), |w| format!("{}; {}", w.way, w.flags));
    let c_ms = best.map_or("-".to_string(), |w| ms(w.least));
    let mut out = vec![record.case.name.to_string()];
    match &record.ours {
        Err(why) => {
            let line = why.lines().find(|l| l.contains("error")).or(why.lines().last()).unwrap_or_default();
            out.extend([format!("FAILED: {}", line.trim().replace('|', "/")), String::new(), String::new()]);
            out.extend([c, c_ms, String::new(), wanted(record), others(record), String::new()]);
            out.push("NO".to_string());
        }
        Ok(_) => {
            let (median, least) = (record.ours("median_ms"), record.ours("least_ms").unwrap_or(f64::NAN));
            let speed = record.bytes().unwrap_or(f64::NAN) / least / 1e6;
            let held = best.and_then(|w| w.held);
            let memory = record.ours("peak_bytes").zip(held).map(|(ours, held)| format!("{:.2}", ours / held));
            out.extend([median.map_or("-".to_string(), ms), ms(least), format!("{speed:.1}"), c, c_ms]);
            out.push(record.ratio("c").map_or("-".to_string(), two));
            out.extend([wanted(record), others(record), memory.unwrap_or("-".to_string())]);
            out.push(if record.whole() { "yes" } else { "NO" }.to_string());
        }
    }
    out
}

fn wanted(record: &Record) -> String {
    let one = |(peer, least): &(String, f64)| match record.ratio(peer) {
        Some(ratio) if ratio >= *least => format!("{least} of {peer}: yes"),
        Some(ratio) => format!("{least} of {peer}: NO, {}", two(ratio)),
        None => format!("{least} of {peer}: not measured"),
    };
    let all: Vec<String> = record.case.wants.iter().map(one).collect();
    if all.is_empty() { "report".to_string() } else { all.join("; ") }
}

fn others(record: &Record) -> String {
    let mut names: Vec<&str> = record.ways.iter().map(|w| w.peer.as_str()).filter(|p| *p != "c").collect();
    names.sort_unstable();
    names.dedup();
    let mut all: Vec<String> =
        names.iter().filter_map(|n| record.ratio(n).map(|r| format!("{n} {}", two(r)))).collect();
    let kinds = record.case.wants.iter().filter(|(peer, _)| peer.contains(':'));
    all.extend(kinds.filter_map(|(peer, _)| record.ratio(peer).map(|r| format!("{peer} {}", two(r)))));
    all.join(", ")
}

pub(crate) fn ms(x: f64) -> String {
    match x {
        x if x < 10.0 => format!("{x:.3}"),
        x if x < 1000.0 => format!("{x:.1}"),
        x => format!("{x:.0}"),
    }
}

pub(crate) fn two(x: f64) -> String {
    if x < 100.0 { format!("{x:.2}") } else { format!("{x:.0}") }
}

/// How many wants there are, and how many are reached.
pub(crate) fn verdict(records: &[Record]) -> String {
    let wants = || records.iter().flat_map(|r| r.case.wants.iter().map(move |(peer, least)| (r.ratio(peer), *least)));
    let reached = wants().filter(|(ratio, least)| ratio.is_some_and(|r| r >= *least)).count();
    let apart: Vec<&str> = records.iter().filter(|r| !r.whole()).map(|r| r.case.name.as_str()).collect();
    let apart =
        if apart.is_empty() { "all results agree".to_string() } else { format!("NOT AGREED: {}", apart.join(", ")) };
    format!("{reached} of {} wants reached; {apart}\n", wants().count())
}

/// Time over work at four sizes, and how far the sizes are apart.
pub(crate) fn growth_table(all: &[Growth]) -> String {
    let head = [
        "workload",
        "ns per unit of work, least size first",
        "greatest over least",
        "within 1.15",
        "C: the same",
        "greatest over least",
    ];
    let mut rows = vec![head.map(String::from).to_vec()];
    let numbers = |xs: &[f64]| xs.iter().map(|x| format!("{x:.3}")).collect::<Vec<_>>().join(", ");
    for g in all {
        let fine = if g.failed.is_some() {
            "FAILED"
        } else if g.spread(&g.ours) <= 1.15 {
            "yes"
        } else {
            "NO"
        };
        let (ours, c) = (format!("{:.2}", g.spread(&g.ours)), format!("{:.2}", g.spread(&g.c)));
        rows.push(vec![g.case.name.to_string(), numbers(&g.ours), ours, fine.to_string(), numbers(&g.c), c]);
    }
    laid_out(&rows)
}

/// From source to loaded code, and the start of a program that is in the cache.
pub(crate) fn start_table(all: &[Start]) -> String {
    let head = [
        "workload",
        "compile ms",
        "below 1500",
        "of which kernels (cc)",
        "slowest passes",
        "cached start ms",
        "below 20",
    ];
    let mut rows = vec![head.map(String::from).to_vec()];
    for s in all {
        let yes = |fine: bool| if fine { "yes" } else { "NO" }.to_string();
        rows.push(match &s.failed {
            Some(why) => vec![s.case.name.to_string(), format!("FAILED: {}", why.lines().last().unwrap_or_default())],
            None => vec![
                s.case.name.to_string(),
                ms(s.total()),
                yes(s.total() < 1500.0),
                ms(s.kernels()),
                s.slowest(3).iter().map(|(n, t)| format!("{n} {}", ms(*t))).collect::<Vec<_>>().join(", "),
                ms(s.cached),
                yes(s.cached < 20.0),
            ],
        });
    }
    laid_out(&rows)
}

/// A table in Markdown, with columns as wide as their widest cell.
pub(crate) fn laid_out(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, k: usize| row.get(k).cloned().unwrap_or_default();
    let width = |k: usize| rows.iter().map(|r| cell(r, k).chars().count()).max().unwrap_or(0).max(3);
    let mut out = String::new();
    for (n, row) in rows.iter().enumerate() {
        for k in 0..columns {
            let _ = write!(out, "| {:w$} ", cell(row, k), w = width(k));
        }
        out.push_str("|\n");
        if n == 0 {
            (0..columns).for_each(|k| out.push_str(&format!("| {} ", "-".repeat(width(k)))));
            out.push_str("|\n");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["name".to_string(), "ms".to_string()], vec!["é".to_string()]];
        assert_eq!(laid_out(&rows), "| name | ms  |\n| ---- | --- |\n| é    |     |\n");
    }
}
